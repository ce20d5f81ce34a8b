//! The layout before the predecessor's fourth version (spec base 01 §14).

use serde_json::{Map, Value};

use super::Draft;

const SETTINGS: [&str; 6] = [
    "debugLog",
    "permissionReviewLog",
    "yoloMode",
    "doublePressToConfirm",
    "piInfrastructureReadPaths",
    "shellTools",
];

pub(super) fn migrate(root: &Map<String, Value>, draft: &mut Draft) {
    // General before special: later patterns win.
    for (name, value) in object(root, "defaultPolicy") {
        let surface = match name.as_str() {
            "tools" => "*",
            "skills" => "skill",
            other => other,
        };
        draft.surface(surface, value);
    }
    for (name, value) in object(root, "tools") {
        draft.surface(name, value);
    }
    for (old, new) in [("bash", "bash"), ("mcp", "mcp"), ("skills", "skill")] {
        if let Some(value) = root.get(old) {
            draft.surface(new, value);
        }
    }
    for (name, value) in object(root, "special") {
        if name == "external_directory" {
            draft.surface(name, value);
        } else {
            draft.note(format!(
                "`special.{name}` has no counterpart and was left out"
            ));
        }
    }
    let known = [
        "defaultPolicy",
        "tools",
        "bash",
        "mcp",
        "skills",
        "special",
        "$schema",
    ];
    for name in root.keys().filter(|name| !known.contains(&name.as_str())) {
        let text = if SETTINGS.contains(&name.as_str()) {
            format!("`{name}` is a setting: copy it over as it is")
        } else {
            format!("`{name}` is not known and was left out")
        };
        draft.note(text);
    }
}

fn object<'m>(
    root: &'m Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = (&'m String, &'m Value)> {
    root.get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}
