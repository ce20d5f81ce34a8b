//! Bash itself says which texts are programs: `bash -n` (by its messages, not
//! by its status) against the analysis, over `cases/shell/syntax.txt` and the
//! programs of all cases.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "bash is run to compare with it; nothing is executed under -n"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use countersign_shell::{FloorCause, analyze};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/shell")
}

fn corpus() -> Vec<String> {
    let text = std::fs::read_to_string(cases().join("syntax.txt")).expect("the corpus");
    let mut all: Vec<String> = text
        .trim_end_matches('\n')
        .split("\n%%\n")
        .map(str::to_owned)
        .collect();
    for entry in std::fs::read_dir(cases()).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let run = case.get("run").and_then(|run| run.as_str());
            all.push(run.expect("a program").to_owned());
        }
    }
    all.retain(|text| !text.contains('\0'));
    all
}

/// Texts whose error bash meets only when it comes to run the part, so that
/// `-n` does not report it; or that differ for the reason given.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "for ((i=0;i<3;i++); do ls; done",
        "bash gives up in silence",
    ),
    (
        "echo `if`; rm x",
        "bash meets the error only when it runs the substitution",
    ),
    ("[[ ]]", "bash gives up in silence"),
    ("[[ ! ]]", "bash gives up in silence"),
    ("[[ a || ]]", "bash gives up in silence"),
    ("[[ a && ]]", "bash gives up in silence"),
];

/// What bash complains of, or nothing.
fn complaint(text: &str) -> String {
    let output = Command::new("bash")
        .args(["--norc", "-O", "extglob", "-n", "-c", "--", text])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("bash must be there: it says what a program is");
    let messages = String::from_utf8_lossy(&output.stderr);
    messages
        .lines()
        .filter(|line| !line.contains("warning: here-document"))
        .collect::<Vec<_>>()
        .join(" / ")
}

#[test]
fn accepts_what_bash_accepts() {
    let mut failures = Vec::new();
    for text in corpus() {
        let complaint = complaint(&text);
        let analysis = analyze(&text);
        let rejected: Vec<&str> = analysis
            .units
            .iter()
            .filter(|unit| unit.context.is_none())
            .flat_map(|unit| &unit.floors)
            .filter(|floor| floor.cause == FloorCause::UnparsedSubtree)
            .map(|floor| floor.note.as_str())
            .collect();
        let different = DIFFERENT.iter().any(|(different, _)| *different == text);
        // A difference that is gone must leave the list.
        if different == (complaint.is_empty() == rejected.is_empty()) {
            failures.push(format!(
                "{text:?}\n  bash {complaint:?}\n  ours {rejected:?}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
