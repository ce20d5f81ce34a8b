//! Runs `cases/lint/`: for each mistake the place that is underlined, why, and
//! the way out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use countersign_host::text::{Diagnostic, LineIndex};
use countersign_host::workspace::{Workspace, WorkspaceOptions};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[allow(dead_code, reason = "for people")]
    why: String,
    global: String,
    project: Option<String>,
    agent: Option<String>,
    /// What is found among what is said; empty: nothing is said.
    found: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    code: String,
    severity: String,
    file: String,
    line: Option<u32>,
    underlined: String,
    /// A part of the way out; `null` where there is none but to know.
    help: Option<String>,
}

#[test]
fn lint_cases() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/lint");
    let mut ran = 0;
    let mut failures = Vec::new();
    for file in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let case = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            run(&case, &mut failures);
            ran += 1;
        }
    }
    assert!(ran >= 29, "{ran}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn run(case: &Case, failures: &mut Vec<String>) {
    let dir = tempfile::TempDir::new().unwrap();
    let place = |file: &str| -> PathBuf {
        dir.path().join(match file {
            "global" => "a/extensions/pi-permission-system/config.json",
            "project" => "p/.pi/extensions/pi-permission-system/config.json",
            "agent" => "a/agents/rev.md",
            other => panic!("{other} is no file of a case"),
        })
    };
    let texts = [
        ("global", Some(&case.global)),
        ("project", case.project.as_ref()),
        ("agent", case.agent.as_ref()),
    ];
    for (file, text) in texts {
        if let Some(text) = text {
            let path = place(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let workspace = Workspace::open(WorkspaceOptions {
        home: Some(PathBuf::from("/home/u")),
        ..WorkspaceOptions::new(dir.path().join("a"), dir.path().join("p"))
    });
    let said = workspace.lint();
    if case.found.is_empty() {
        assert_eq!(said, Vec::new(), "{}", case.id);
    }
    for finding in &case.found {
        let file = place(&finding.file).display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let is_it = |d: &&Diagnostic| {
            let label = d.labels.first();
            let span = label.map(|label| label.span);
            let line = span.map(|span| LineIndex::new(&text).position(&text, span.start).line);
            d.code == finding.code
                && format!("{:?}", d.severity).to_lowercase() == finding.severity
                && d.path.as_deref() == Some(&*file)
                && span.and_then(|span| span.of(&text)) == Some(&*finding.underlined)
                && (finding.line.is_none() || line == finding.line)
                && label.is_some_and(|label| !label.text.is_empty())
                && match &finding.help {
                    Some(part) => d.help.as_ref().is_some_and(|help| help.contains(part)),
                    None => true,
                }
        };
        let count = said.iter().filter(is_it).count();
        if count != 1 {
            failures.push(format!("{}: {finding:?} in {said:#?}", case.id));
        }
    }
}
