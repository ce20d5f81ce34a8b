//! Masking of secrets in log entries (spec 04 §8.2): by the name of a key,
//! and inside command text by the name of an assignment or of a header. Values
//! are never judged by their shape: that would promise what it cannot keep.

use serde_json::Value;

const REDACTED: &str = "[redacted]";

const SENSITIVE: &[&str] = &[
    "authorization",
    "apikey",
    "api-key",
    "api_key",
    "secret",
    "token",
    "password",
    "passwd",
    "credential",
    "cookie",
    "privatekey",
    "private-key",
    "private_key",
];

/// Whether a value under this name is a secret.
fn is_sensitive(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    bare == "key" || SENSITIVE.iter().any(|word| lower.contains(word))
}

/// Replaces every secret in `value`, at any depth.
pub fn mask(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                if is_sensitive(key) && !item.is_null() {
                    *item = Value::String(REDACTED.into());
                } else {
                    mask(item);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::String(text) => {
            if let Some(masked) = mask_text(text) {
                *text = masked;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text without the secrets that assignments and headers in it name.
#[must_use]
pub fn masked(text: String) -> String {
    mask_text(&text).unwrap_or(text)
}

/// Masks the values of sensitive `NAME=value` assignments and `Name: value`
/// header fields in command text. `None` when there is nothing to mask.
fn mask_text(text: &str) -> Option<String> {
    if !text.contains(['=', ':']) {
        return None;
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    let mut quote: Option<char> = None;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let next = at + c.len_utf8();
        let separator = match c {
            '=' => true,
            ':' => quote.is_some(),
            _ => false,
        };
        if separator && is_sensitive(name_before(text, at)) {
            let rest = text.get(next..).unwrap_or_default();
            let (skip, length) = if c == '=' {
                (0, assignment_value(rest, quote))
            } else {
                let blanks = rest.len() - rest.trim_start_matches(' ').len();
                let value = rest.get(blanks..).unwrap_or_default();
                (blanks, header_value(value, quote))
            };
            if length > 0 {
                out.push_str(text.get(copied..next + skip).unwrap_or_default());
                out.push_str(REDACTED);
                copied = next + skip + length;
                at = copied;
                continue;
            }
        }
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        at = next;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Some(out)
}

/// The name that ends right before byte `at`.
fn name_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .map_or(0, |index| {
            index
                + before
                    .get(index..)
                    .and_then(|s| s.chars().next())
                    .map_or(1, char::len_utf8)
        });
    // A flag is not an assignment: `--password=x` is excluded on purpose
    // (spec 04 §8.2).
    match before.get(start..).unwrap_or_default() {
        name if name.starts_with('-') => "",
        name => name,
    }
}

/// The length of the value of an assignment at the start of `rest`.
fn assignment_value(rest: &str, quote: Option<char>) -> usize {
    if let Some(open) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        // The whole quoted word, and whatever is glued to it.
        let body = rest.get(1..).unwrap_or_default();
        return match body.find(open) {
            Some(end) => 1 + end + 1,
            None => rest.len(),
        };
    }
    rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')') || Some(c) == quote)
        .unwrap_or(rest.len())
}

/// The length of the value of a header at the start of `rest`: up to the
/// quote that encloses it, or the end of the line.
fn header_value(rest: &str, quote: Option<char>) -> usize {
    rest.find(|c: char| c == '\n' || Some(c) == quote)
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_that_name_secrets_are_masked_with_all_they_hold() {
        let mut value = json!({
            "token": "a", "apiKey": "b", "apiKey2": "b", "private-key": "c",
            "Authorization": "d", "tokens": ["e"], "tokenizer": {"x": 1},
            "key": "f", "password": null, "keyboard": "kept",
            "nested": [{"secret": 1, "plain": "kept"}]
        });
        mask(&mut value);
        assert_eq!(
            value,
            json!({
                "token": "[redacted]", "apiKey": "[redacted]", "apiKey2": "[redacted]",
                "private-key": "[redacted]", "Authorization": "[redacted]",
                "tokens": "[redacted]", "tokenizer": "[redacted]", "key": "[redacted]",
                "password": null, "keyboard": "kept",
                "nested": [{"secret": "[redacted]", "plain": "kept"}]
            })
        );
    }

    #[test]
    fn assignments_and_headers_in_commands_are_masked() {
        let cases = [
            ("export API_KEY=abc", "export API_KEY=[redacted]"),
            ("API_KEY=abc make", "API_KEY=[redacted] make"),
            (
                "X=1 DB_PASSWORD='a b' run",
                "X=1 DB_PASSWORD=[redacted] run",
            ),
            ("bash -c 'TOKEN=abc run'", "bash -c 'TOKEN=[redacted] run'"),
            (
                "curl -H \"Authorization: Bearer x y\" url",
                "curl -H \"Authorization: [redacted]\" url",
            ),
            (
                "curl -H 'X-Api-Key: k' u",
                "curl -H 'X-Api-Key: [redacted]' u",
            ),
            ("run --password=x", "run --password=x"),
            ("run --password x", "run --password x"),
            ("git log --format=a:b", "git log --format=a:b"),
            ("echo é TOKEN=ü; ls", "echo é TOKEN=[redacted]; ls"),
            ("TOKEN=", "TOKEN="),
        ];
        for (given, expected) in cases {
            let mut value = json!(given);
            mask(&mut value);
            assert_eq!(value, json!(expected), "{given}");
        }
    }
}
