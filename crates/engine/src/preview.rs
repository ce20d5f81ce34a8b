//! A tool's input in one line, for the question (spec 04 §3).

use serde_json::{Map, Value};

const TEXT_MAX: usize = 80;
const JSON_MAX: usize = 200;
const MCP_VALUE_MAX: usize = 60;
const MCP_MAX: usize = 160;

/// The preview of a tool's input. `None` where there is nothing to show.
#[must_use]
pub fn preview(tool: &str, input: &Value) -> Option<String> {
    match tool {
        "bash" => None,
        "edit" => Some(edit(input)),
        "write" => Some(write(input)),
        "read" => Some(read(input)),
        "find" | "grep" | "ls" => Some(search(input)),
        "mcp" => mcp(input),
        _ => json(input),
    }
}

fn path(input: &Value) -> Option<&str> {
    ["path", "file_path"]
        .into_iter()
        .find_map(|member| input.get(member)?.as_str())
        .filter(|p| !p.is_empty())
}

fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

fn lines(text: &str) -> usize {
    if text.is_empty() {
        0
    } else {
        text.split('\n').count()
    }
}

fn edit(input: &Value) -> String {
    let target = path(input).map_or(String::new(), |p| format!("for '{p}' "));
    let single = [input.clone()];
    let edits: &[Value] = match input.get("edits") {
        Some(Value::Array(edits)) => edits,
        _ => &single,
    };
    let usable: Vec<(&str, &str)> = edits
        .iter()
        .filter_map(|edit| {
            Some((
                edit.get("oldText")?.as_str()?,
                edit.get("newText")?.as_str()?,
            ))
        })
        .collect();
    let Some((old, new)) = usable.first() else {
        return format!("{target}with edit input");
    };
    let more = match usable.len() - 1 {
        0 => String::new(),
        n => format!(", plus {}", count(n, "additional edit")),
    };
    format!(
        "{target}({}: edit #1 replaces {} with {}{more})",
        count(usable.len(), "replacement"),
        count(lines(old), "line"),
        count(lines(new), "line"),
    )
}

fn write(input: &Value) -> String {
    let target = path(input).map_or(String::new(), |p| format!("for '{p}' "));
    let content = input.get("content").and_then(Value::as_str).unwrap_or("");
    format!(
        "{target}({}, {})",
        count(lines(content), "line"),
        count(content.chars().count(), "character"),
    )
}

fn read(input: &Value) -> String {
    let mut out = path(input).map_or_else(
        || "for read input".to_owned(),
        |p| format!("for path '{p}'"),
    );
    for member in ["offset", "limit"] {
        if let Some(number) = input.get(member).and_then(Value::as_f64) {
            out.push_str(&format!(", {member} {number}"));
        }
    }
    out
}

fn search(input: &Value) -> String {
    let field = |member: &str| {
        input
            .get(member)
            .and_then(Value::as_str)
            .filter(|t| !t.is_empty())
    };
    let mut parts = Vec::new();
    if let Some(pattern) = field("pattern") {
        parts.push(format!("pattern '{}'", squeeze(pattern)));
    }
    if let Some(glob) = field("glob") {
        parts.push(format!("glob '{}'", squeeze(glob)));
    }
    parts.push(match path(input) {
        Some(path) => format!("path '{path}'"),
        None => "current working directory".to_owned(),
    });
    format!("for {}", parts.join(", "))
}

fn mcp(input: &Value) -> Option<String> {
    let arguments = input
        .get("arguments")?
        .as_object()
        .filter(|a| !a.is_empty())?;
    let parts: Vec<String> = arguments
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}: \"{}\"", cut(text, MCP_VALUE_MAX)),
            Value::Array(items) => format!("{key}: [{} items]", items.len()),
            Value::Object(_) => format!("{key}: {{…}}"),
            other => format!("{key}: {other}"),
        })
        .collect();
    Some(cut(&format!("with {}", parts.join(", ")), MCP_MAX))
}

fn json(input: &Value) -> Option<String> {
    match input {
        Value::Null => None,
        Value::Object(map) if Map::is_empty(map) => None,
        _ => Some(format!("with input {}", cut(&input.to_string(), JSON_MAX))),
    }
}

fn squeeze(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return "empty text".to_owned();
    }
    cut(&text, TEXT_MAX)
}

/// At most `max` characters, with an ellipsis where something is missing.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn previews() {
        let rows = [
            (
                "edit",
                json!({"path": "a.ts", "edits": [
                    {"oldText": "a\nb", "newText": "c"}, {"oldText": "x", "newText": "y"}]}),
                Some(
                    "for 'a.ts' (2 replacements: edit #1 replaces 2 lines with 1 line, plus 1 additional edit)",
                ),
            ),
            (
                "edit",
                json!({"path": "a"}),
                Some("for 'a' with edit input"),
            ),
            (
                "write",
                json!({"path": "a", "content": "x\ny"}),
                Some("for 'a' (2 lines, 3 characters)"),
            ),
            (
                "read",
                json!({"path": "a", "offset": 3}),
                Some("for path 'a', offset 3"),
            ),
            (
                "grep",
                json!({"pattern": "x"}),
                Some("for pattern 'x', current working directory"),
            ),
            ("deploy", json!({"n": 3}), Some("with input {\"n\":3}")),
            ("deploy", json!({}), None),
            (
                "mcp",
                json!({"arguments": {"q": "x", "l": [1]}}),
                Some("with q: \"x\", l: [1 items]"),
            ),
            ("bash", json!({"command": "ls"}), None),
        ];
        for (tool, input, expected) in rows {
            assert_eq!(preview(tool, &input).as_deref(), expected);
        }
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
