//! Runs `docs/configuration.md`: every block is a valid file (or marked as an
//! invalid one), every table of calls is judged under the block before it, and
//! every key is described.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use countersign_config::{parse_agent, parse_config, schema};
use countersign_host::check::{CheckRequest, Checker};
use countersign_host::workspace::Source;
use countersign_policy::Scope;
use serde_json::{Value, json};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    std::fs::read_to_string(path).unwrap()
}

/// Fenced blocks and table rows, in order.
enum Part {
    Block { language: String, text: String },
    Row(Vec<String>),
}

fn parts(document: &str) -> Vec<Part> {
    let mut out = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            out.push(Part::Block {
                language: language.to_owned(),
                text: text.join("\n"),
            });
        } else if let Some(row) = line.strip_prefix("| ") {
            let row = row.replace("\\|", "\u{1}");
            let cells = row.trim_end_matches('|').split('|');
            out.push(Part::Row(
                cells.map(|c| c.trim().replace('\u{1}', "|")).collect(),
            ));
        }
    }
    out
}

/// The code spans of a cell.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn input(tool: &str, argument: Option<&str>) -> Value {
    match (tool, argument) {
        ("bash", Some(command)) => json!({ "command": command }),
        ("mcp", Some(tool)) => json!({ "tool": tool }),
        ("write", Some(path)) => json!({ "path": path, "content": "" }),
        (_, Some(path)) => json!({ "path": path }),
        (_, None) => json!({}),
    }
}

#[test]
fn the_calls_of_the_tables_are_judged_as_they_say() {
    let dir = tempfile::TempDir::new().unwrap();
    let cwd = dir.path().join("p");
    std::fs::create_dir_all(&cwd).unwrap();
    std::fs::write(cwd.join(".env"), "KEY=1\n").unwrap();
    let mut checker = Checker::default();
    let (mut config, mut judged) = (String::new(), 0);
    let mut wrong = Vec::new();
    for part in parts(&document()) {
        match part {
            Part::Block { language, text } if language == "jsonc" => config = text,
            Part::Row(cells) if ["allow", "ask", "deny"].contains(&cells[1].as_str()) => {
                let words = code(&cells[0]);
                let checked = checker
                    .check(&CheckRequest {
                        tool: words[0].to_owned(),
                        input: input(words[0], words.get(1).copied()),
                        cwd: Some(cwd.clone()),
                        home: Some(dir.path().join("home")),
                        config: Some(Source::Text {
                            name: "config".to_owned(),
                            text: config.clone(),
                        }),
                        ..CheckRequest::default()
                    })
                    .unwrap();
                let verdict = checked.decision.verdict.as_str();
                if verdict != cells[1] {
                    let deciding = &checked.decision.deciding;
                    wrong.push(format!(
                        "{words:?}: {verdict}, by {deciding:?}, under {config}"
                    ));
                }
                judged += 1;
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(judged >= 49, "{judged}");
}

#[test]
fn the_blocks_are_files() {
    for part in parts(&document()) {
        let Part::Block { language, text } = part else {
            continue;
        };
        let parsed = match language.as_str() {
            "jsonc" | "jsonc invalid" => parse_config(&text, "doc", Scope::Global),
            "yaml" => parse_agent(&text, "doc", Scope::Agent),
            other => panic!("what is a block of {other}?"),
        };
        assert_eq!(parsed.is_invalid(), language == "jsonc invalid", "{text}");
        if !parsed.is_invalid() {
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        }
    }
}

#[test]
fn every_key_has_its_row() {
    let schema = schema();
    let keys = schema["properties"].as_object().unwrap().keys();
    let rows: Vec<String> = parts(&document())
        .into_iter()
        .filter_map(|part| match part {
            Part::Row(cells) => cells.first().map(|cell| cell.trim_matches('`').to_owned()),
            Part::Block { .. } => None,
        })
        .collect();
    for key in keys {
        assert!(rows.contains(key), "{key} is not described");
    }
}
