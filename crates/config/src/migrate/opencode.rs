//! OpenCode: one `permission` object, the last match wins, the same wildcards.

use countersign_policy::Action;
use serde_json::{Map, Value};

use super::Draft;

pub(super) fn migrate(root: &Map<String, Value>, draft: &mut Draft) {
    match root.get("permission") {
        Some(Value::String(word)) => draft.surface("*", &Value::from(word.as_str())),
        Some(Value::Object(map)) => {
            if !map.contains_key("*") {
                draft.note(
                    "OpenCode allows what is not mentioned; here it asks. Write \"*\": \"allow\" \
                     if that is what you want",
                );
            }
            for (name, value) in map {
                permission(name, value, draft);
            }
        }
        Some(other) => draft.note(format!("`permission` was left out: {other} is no policy")),
        None => draft.note("there is no `permission`; OpenCode allows nearly everything then, here everything asks"),
    }
    tools(root, draft);
    for name in ["agent", "mode"] {
        for (agent, value) in root
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if value.get("permission").is_some() || value.get("tools").is_some() {
                draft.note(format!(
                    "`{name}.{agent}` has rules of its own: write them into `agents/{agent}.md`"
                ));
            }
        }
    }
}

/// The old switches: `"tools": { "write": false }`.
fn tools(root: &Map<String, Value>, draft: &mut Draft) {
    for (tool, value) in root
        .get("tools")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if *value == Value::Bool(false) {
            for surface in surfaces(tool) {
                draft.rule(surface, "*", Action::Deny);
            }
        }
    }
}

/// The surfaces that an OpenCode permission covers.
fn surfaces(name: &str) -> Vec<&str> {
    match name {
        "edit" => vec!["edit", "write"],
        "glob" => vec!["find"],
        "list" => vec!["ls"],
        other => vec![other],
    }
}

fn permission(name: &str, value: &Value, draft: &mut Draft) {
    match name {
        "doom_loop" | "todowrite" | "todoread" | "lsp" => {
            draft.note(format!("`{name}` has no counterpart and was left out"));
        }
        // Compared with what is searched for, not with where.
        "grep" | "glob" | "task" | "webfetch" | "websearch" | "codesearch" if value.is_object() => {
            let strictest = value
                .as_object()
                .into_iter()
                .flat_map(Map::values)
                .filter_map(|v| v.as_str().and_then(Action::parse))
                .max()
                .unwrap_or(Action::Ask);
            for surface in surfaces(name) {
                draft.rule(surface, "*", strictest);
            }
            draft.note(format!(
                "`{name}`: patterns compare with something else here; the strictest action of \
                 all was taken for the whole tool"
            ));
        }
        other => {
            for surface in surfaces(other) {
                draft.surface(surface, value);
            }
            if other == "edit" && value.is_object() {
                draft.note("`edit` became rules for the tools `edit` and `write`; commands that write files are judged on `path_write`");
            }
        }
    }
}
