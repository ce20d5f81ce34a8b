//! Runs `cases/policy/`: the files of the scopes, and what they say together.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_host::workspace::{Snapshot, Workspace, WorkspaceOptions};
use countersign_policy::Candidate;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[allow(dead_code, reason = "for people")]
    why: String,
    global: Option<String>,
    project: Option<String>,
    agent: Option<String>,
    project_agent: Option<String>,
    #[serde(default = "yes")]
    trusted: bool,
    /// `[surface, value or values, action, origin?, pattern or null?]`
    asks: Vec<Vec<Value>>,
    #[serde(default)]
    hidden: BTreeMap<String, bool>,
}

fn yes() -> bool {
    true
}

#[test]
fn policy_cases() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/policy");
    let mut ran = 0;
    for file in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let case: Case = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            run(&case);
            ran += 1;
        }
    }
    assert!(ran >= 35, "{ran}");
}

fn run(case: &Case) {
    let dir = tempfile::TempDir::new().unwrap();
    let write = |path: &str, text: &Option<String>| {
        if let Some(text) = text {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    };
    write(
        "a/extensions/pi-permission-system/config.json",
        &case.global,
    );
    write(
        "p/.pi/extensions/pi-permission-system/config.json",
        &case.project,
    );
    write("a/agents/rev.md", &case.agent);
    write("p/.pi/agents/rev.md", &case.project_agent);
    let workspace = Workspace::open(WorkspaceOptions {
        home: Some(PathBuf::from("/home/u")),
        trusted: case.trusted,
        ..WorkspaceOptions::new(dir.path().join("a"), dir.path().join("p"))
    });
    let snapshot = workspace.snapshot(Some("rev"));
    for ask in &case.asks {
        judge(&case.id, &snapshot, ask);
    }
    for (tool, hidden) in &case.hidden {
        assert_eq!(
            snapshot.policy.fully_denied(tool),
            *hidden,
            "{}: {tool}",
            case.id
        );
    }
}

fn judge(id: &str, snapshot: &Snapshot, ask: &[Value]) {
    let surface = ask[0].as_str().unwrap();
    let values: Vec<&str> = match &ask[1] {
        Value::Array(values) => values.iter().map(|v| v.as_str().unwrap()).collect(),
        value => vec![value.as_str().unwrap()],
    };
    let candidates: Vec<Candidate<'_>> = values.iter().copied().map(Candidate::plain).collect();
    let said = snapshot.policy.evaluate(surface, &candidates);
    let rule = &snapshot.policy.rules()[said.rule.unwrap()];
    assert_eq!(said.action.as_str(), ask[2], "{id}: {ask:?} by {rule:?}");
    if let Some(origin) = ask.get(3) {
        assert_eq!(rule.origin.scope.as_str(), origin, "{id}: {ask:?}");
    }
    if let Some(pattern) = ask.get(4) {
        let shown = rule.is_explicit().then_some(rule.pattern.as_str());
        assert_eq!(shown, pattern.as_str(), "{id}: {ask:?}");
    }
}
