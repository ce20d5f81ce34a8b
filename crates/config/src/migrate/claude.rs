//! Claude Code: lists of `Tool(specifier)`, where `deny` beats `ask` beats
//! `allow` wherever they stand. Written in this order, the last match says the
//! same.

use countersign_policy::Action;
use serde_json::{Map, Value};

use super::Draft;

pub(super) fn migrate(root: &Map<String, Value>, draft: &mut Draft) {
    let empty = Map::new();
    let permissions = root
        .get("permissions")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    for action in [Action::Allow, Action::Ask, Action::Deny] {
        let list = permissions.get(action.as_str()).and_then(Value::as_array);
        for item in list.into_iter().flatten() {
            match item.as_str() {
                Some(text) => rule(text, action, draft),
                None => draft.note(format!("{item} is no rule and was left out")),
            }
        }
    }
    for item in permissions
        .get("additionalDirectories")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(directory) = item.as_str() {
            let directory = directory.trim_end_matches('/');
            draft.rule("external_directory", directory, Action::Allow);
            draft.rule(
                "external_directory",
                &format!("{directory}/*"),
                Action::Allow,
            );
        }
    }
    match permissions.get("defaultMode").and_then(Value::as_str) {
        None | Some("default") => {}
        Some("acceptEdits") => {
            draft.note("`acceptEdits` was left out: write \"edit\": \"allow\" and \"write\": \"allow\" if you want it");
        }
        Some(mode) => draft.note(format!(
            "the mode `{mode}` has no counterpart in a policy and was left out"
        )),
    }
    for name in ["hooks", "sandbox", "env"] {
        if root.contains_key(name) {
            draft.note(format!("`{name}` is no policy and was left out"));
        }
    }
}

fn rule(text: &str, action: Action, draft: &mut Draft) {
    let (tool, specifier) = match text.strip_suffix(')').and_then(|t| t.split_once('(')) {
        Some((tool, specifier)) => (tool, Some(specifier)),
        None => (text, None),
    };
    let everything = specifier.is_none_or(|s| s.is_empty() || s == "*");
    match tool {
        "Bash" if everything => draft.rule("bash", "*", action),
        "Bash" => command(specifier.unwrap_or(""), action, draft),
        "Read" => path(
            &["read", "grep", "find", "ls"],
            "path_read",
            specifier,
            action,
            draft,
        ),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            path(&["edit", "write"], "path_write", specifier, action, draft);
        }
        "Grep" => whole("grep", everything, action, text, draft),
        "Glob" => whole("find", everything, action, text, draft),
        "LS" => whole("ls", everything, action, text, draft),
        "Skill" => draft.rule("skill", specifier.unwrap_or("*"), action),
        mcp if mcp.starts_with("mcp__") => server_tool(mcp, action, draft),
        other if everything => {
            draft.rule(other, "*", action);
            draft.note(format!(
                "`{other}` became a rule for a tool of that name; look whether it has one here"
            ));
        }
        _ => draft.note(format!("`{text}` cannot be said here and was left out")),
    }
}

fn whole(surface: &str, everything: bool, action: Action, text: &str, draft: &mut Draft) {
    if everything || action != Action::Allow {
        draft.rule(surface, "*", action);
    }
    if !everything {
        draft.note(format!(
            "`{text}`: the specifier cannot be said here{}",
            if action == Action::Allow {
                "; it was left out"
            } else {
                "; the whole tool is covered"
            }
        ));
    }
}

/// `npm run test:*` is a prefix; other stars are wildcards as here.
fn command(specifier: &str, action: Action, draft: &mut Draft) {
    match specifier.strip_suffix(":*") {
        Some(prefix) => {
            draft.rule("bash", &format!("{prefix} *"), action);
            if action != Action::Allow {
                // The prefix may end inside a word there.
                draft.rule("bash", &format!("{prefix}*"), action);
            }
        }
        None => draft.rule("bash", specifier, action),
    }
}

fn path(tools: &[&str], surface: &str, specifier: Option<&str>, action: Action, draft: &mut Draft) {
    let Some(specifier) = specifier.filter(|s| !matches!(*s, "" | "*" | "**")) else {
        let surfaces = if action == Action::Allow {
            tools
        } else {
            &[surface][..]
        };
        for surface in surfaces {
            draft.rule(surface, "*", action);
        }
        return;
    };
    // `//x` is absolute, `/x` and `./x` start at the project.
    let pattern = match specifier.strip_prefix("//") {
        Some(rest) => format!("/{rest}"),
        None => specifier
            .trim_start_matches("./")
            .trim_start_matches('/')
            .to_owned(),
    };
    let crosses = pattern.replace("**", "").contains(['*', '?']);
    let classes = pattern.contains(['[', '{', '!']);
    let pattern = pattern.replace("**/", "*").replace("**", "*");
    if action == Action::Allow {
        if classes || crosses {
            draft.note(format!(
                "`{specifier}`: a `*` here crosses directories and there are no classes, so the \
                 permission would be wider; it was left out"
            ));
            return;
        }
        for tool in tools {
            draft.rule(tool, &pattern, action);
        }
        if pattern.starts_with(['/', '~']) {
            draft.rule(
                if surface == "path_read" {
                    "external_directory_read"
                } else {
                    "external_directory_write"
                },
                &pattern,
                action,
            );
        }
        return;
    }
    if classes {
        draft.note(format!(
            "`{specifier}`: classes cannot be said here; it was left out"
        ));
        return;
    }
    draft.rule(surface, &pattern, action);
    if !pattern.starts_with(['*', '/', '~']) {
        // Without a slash in front, a name matches at any depth there.
        draft.rule(surface, &format!("*/{pattern}"), action);
    }
}

/// `mcp__server__tool`, or a whole server.
fn server_tool(name: &str, action: Action, draft: &mut Draft) {
    let rest = name.trim_start_matches("mcp__");
    let pattern = match rest.split_once("__") {
        Some((server, tool)) => format!("{server}:{tool}"),
        None => format!("{rest}:*"),
    };
    draft.rule("mcp", &pattern, action);
}
