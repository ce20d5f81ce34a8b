//! Runs the examples of `docs/bash.md`: every `bash` block is followed by a
//! `judged` block that lists its units and, after `ask: `, its floors.

#![expect(clippy::disallowed_methods, reason = "the document is a file")]

use std::path::Path;

use countersign_shell::{UnitKind, analyze};

fn judged(program: &str) -> Vec<String> {
    let analysis = analyze(program);
    let mut lines = Vec::new();
    for unit in &analysis.units {
        let kind = match unit.kind {
            UnitKind::Command => "",
            UnitKind::Compound => "whole: ",
            UnitKind::Opaque => "unread: ",
        };
        lines.push(format!("{kind}{}", unit.text.replace('\n', "⏎")));
        lines.extend(
            unit.floors
                .iter()
                .map(|floor| format!("ask: {}", floor.note)),
        );
    }
    let floors = analysis.floors.iter();
    lines.extend(floors.map(|floor| format!("ask: {}", floor.note)));
    lines
}

#[test]
fn the_examples_hold() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bash.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut program: Option<String> = None;
    let mut block: Option<(String, Vec<&str>)> = None;
    let mut count = 0;
    for line in text.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some((language.to_owned(), Vec::new())),
            (Some((language, lines)), Some("")) => {
                match language.as_str() {
                    "bash" => {
                        assert_eq!(program, None, "an example without its judgement");
                        program = Some(lines.join("\n"));
                    }
                    "judged" => {
                        let program = program.take().unwrap();
                        assert_eq!(judged(&program), *lines, "of {program:?}");
                        count += 1;
                    }
                    _ => {}
                }
                block = None;
            }
            (Some((_, lines)), _) => lines.push(line),
            (None, None) => {}
        }
    }
    assert_eq!(program, None, "an example without its judgement");
    assert!(count >= 10, "only {count} examples");
}
