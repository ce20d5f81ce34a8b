//! Runs `cases/config/`: a text, whether it is valid, and what is said of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::path::Path;

use countersign_config::dialog_keys::Decision;
use countersign_config::parse_config;
use countersign_policy::Scope;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[allow(dead_code, reason = "for people")]
    why: String,
    text: String,
    /// Present: the file is valid, with exactly these rules.
    rules: Option<Vec<String>>,
    /// All that is said, in order. Without `valid` or `rules` the file is
    /// invalid.
    #[serde(default)]
    issues: Vec<String>,
    #[serde(default)]
    valid: bool,
    /// Invalid, whatever is said.
    #[serde(default)]
    invalid: bool,
    keys: Option<String>,
}

#[test]
fn configuration_cases() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/config");
    let mut ran = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let case: Case = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            run(&case);
            ran += 1;
        }
    }
    assert!(ran >= 45, "{ran}");
}

fn run(case: &Case) {
    let text = case
        .text
        .replace("@500", &"x".repeat(500))
        .replace("@501", &"x".repeat(501));
    let parsed = parse_config(&text, "config.json", Scope::Global);
    let said: Vec<&str> = parsed
        .diagnostics
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    let id = &case.id;
    let valid = case.valid || case.rules.is_some();
    assert_eq!(!parsed.is_invalid(), valid, "{id}: {said:?}");
    if !case.invalid {
        assert_eq!(said, case.issues, "{id}");
    }
    if let Some(wanted) = &case.rules {
        let rules: Vec<String> = parsed
            .scope
            .iter()
            .flat_map(|scope| &scope.surfaces)
            .flat_map(|s| {
                s.body.entries().iter().map(move |e| {
                    let reason = e
                        .reason
                        .as_ref()
                        .map(|r| format!(" ({r})"))
                        .unwrap_or_default();
                    format!("{}[{}]={}{reason}", s.surface, e.pattern, e.action.as_str())
                })
            })
            .collect();
        assert_eq!(&rules, wanted, "{id}");
    }
    if let Some(wanted) = &case.keys {
        let keys = parsed.settings.unwrap_or_default().permission_dialog_keys();
        let keys: String = Decision::ALL.iter().map(|d| keys.key(*d)).collect();
        assert_eq!(&keys, wanted, "{id}");
    }
}
