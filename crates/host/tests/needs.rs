//! Runs `cases/needs/`: what a model is told that a refused call lacks.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::fs;
use std::path::Path;

use countersign_host::check::{CheckRequest, Checker};
use countersign_host::engine::{Need, Refusal, denial_message};
use countersign_host::workspace::Source;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    config: Value,
    run: String,
    refusal: String,
    again: String,
    line: String,
}

#[test]
fn needs() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/needs");
    let mut ran = 0;
    for file in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            run(&serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
            ran += 1;
        }
    }
    assert!(ran >= 8, "{ran}");
}

fn run(case: &Case) {
    let dir = tempfile::TempDir::new().unwrap();
    let request = CheckRequest {
        tool: "bash".to_owned(),
        input: json!({ "command": case.run }),
        cwd: Some(dir.path().to_owned()),
        home: Some(dir.path().to_owned()),
        config: Some(Source::Text {
            name: "config".to_owned(),
            text: case.config.to_string(),
        }),
        ..CheckRequest::default()
    };
    let decision = Checker::default().check(&request).unwrap().decision;
    let reason = Some("because".to_owned());
    let refusal = match case.refusal.as_str() {
        "policy" => Refusal::Policy,
        "user" => Refusal::User { reason },
        "unavailable" => Refusal::Unavailable { reason },
        "authority" => Refusal::Authority {
            name: "The authorizer 'ci'".to_owned(),
            reason,
        },
        other => panic!("{}: no refusal is called {other}", case.id),
    };
    let need = Need::refused(&decision, &refusal).unwrap();
    assert_eq!(need.line(), case.line, "{}", case.id);
    let form = need.to_json();
    assert_eq!(form["again"], case.again, "{}", case.id);
    assert_eq!(form["text"], case.line, "{}", case.id);
    let message = denial_message(&decision, &refusal);
    let (first, last) = message.rsplit_once('\n').unwrap();
    assert!(first.starts_with("[pi-permission-system] "), "{first}");
    assert_eq!(last, case.line, "{}", case.id);
}
