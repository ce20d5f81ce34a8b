//! `cases/checklist.json`: which case or test holds each line of the checklist
//! of the predecessor's behaviour, by the line's number. A number without one,
//! or a name that is not there any more, fails.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The lines about configuration, trust, policy, paths and commands.
const DECISIONS: std::ops::RangeInclusive<u32> = 1..=136;

/// What only the host shows: a text on its screen, its list of tools.
const OF_THE_HOST: [u32; 2] = [51, 55];

fn files(below: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
}

#[test]
fn every_line_has_a_case_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut names = BTreeSet::new();
    let mut paths = Vec::new();
    files(&root.join("cases"), "jsonl", &mut paths);
    for path in &paths {
        for line in fs::read_to_string(path).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            names.extend(case.get("id").and_then(Value::as_str).map(str::to_owned));
        }
    }
    let mut sources = Vec::new();
    files(&root.join("crates"), "rs", &mut sources);
    for path in &sources {
        let text = fs::read_to_string(path).unwrap();
        let functions = text.lines().filter_map(|line| {
            let (name, _) = line.trim_start().strip_prefix("fn ")?.split_once('(')?;
            Some(name.to_owned())
        });
        names.extend(functions);
    }
    let table = fs::read_to_string(root.join("cases/checklist.json")).unwrap();
    let table: BTreeMap<String, Vec<String>> = serde_json::from_str(&table).unwrap();
    let gone: Vec<_> = table
        .iter()
        .flat_map(|(line, held)| held.iter().map(move |name| (line, name)))
        .filter(|(_, name)| !names.contains(*name))
        .collect();
    assert!(gone.is_empty(), "no such case or test: {gone:?}");
    let bare: Vec<u32> = DECISIONS
        .filter(|line| !OF_THE_HOST.contains(line))
        .filter(|line| table.get(&line.to_string()).is_none_or(Vec::is_empty))
        .collect();
    assert!(bare.is_empty(), "nothing holds {bare:?}");
}
