//! Runs `cases/shell/*.jsonl`: one case per line, a bash program and what the
//! analysis must say of it.
//!
//! Notation: a unit is its text, after `compound: ` or `opaque: ` where it is
//! one, and before `{context}` where it is nested. A path is
//! `direction proof role text`, then `in base` when it does not start from the
//! session's directory, then its certainty when it is not literal. Lists that
//! a case does not name are not compared.

#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_shell::{
    Analysis, Base, Certainty, Direction, PathRole, PathUse, Proof, Trust, Unit, UnitKind, analyze,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    run: String,
    why: String,
    units: Option<Vec<String>>,
    /// Units that must be there, among others.
    has: Option<Vec<String>>,
    floors: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    spellings: Option<Vec<String>>,
    open: Option<Vec<String>>,
    facts: Option<Vec<String>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/shell")
}

fn unit(unit: &Unit) -> String {
    let kind = match unit.kind {
        UnitKind::Command => "",
        UnitKind::Compound => "compound: ",
        UnitKind::Opaque => "opaque: ",
    };
    let context = unit
        .context
        .map_or(String::new(), |c| format!(" {{{}}}", c.as_str()));
    format!("{kind}{}{context}", unit.text)
}

fn path(path: &PathUse) -> String {
    let direction = match path.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Both => "both",
    };
    let proof = match path.proof {
        Proof::Syntax => "syntax",
        Proof::Core => "core",
        Proof::Retracted => "retracted",
        Proof::Unproven => "unproven",
    };
    let role = match path.role {
        PathRole::Operand => "operand",
        PathRole::File => "file",
        PathRole::Script => "script",
        PathRole::Embedded => "embedded",
        PathRole::Directory => "directory",
        PathRole::Program => "program",
    };
    let base = match &path.base {
        Base::Known(text) if text.is_empty() => String::new(),
        Base::Known(text) => format!(" in {text}"),
        Base::Unknown => " in ?".to_owned(),
    };
    let certainty = match path.certainty {
        Certainty::Literal => "",
        Certainty::Glob => " (glob)",
        Certainty::Computed => " (computed)",
    };
    format!("{direction} {proof} {role} {}{base}{certainty}", path.text)
}

fn floors(analysis: &Analysis) -> Vec<String> {
    let of_units = analysis.units.iter().flat_map(|unit| &unit.floors);
    of_units
        .chain(&analysis.floors)
        .map(|floor| floor.cause.sentinel().to_owned())
        .collect()
}

fn spellings(analysis: &Analysis) -> Vec<String> {
    let all = analysis.units.iter().flat_map(|unit| &unit.spellings);
    all.map(|spelling| {
        let trust = match spelling.trust {
            Trust::Same => "same",
            Trust::TightenOnly => "tighten",
        };
        format!("{trust}: {}", spelling.text)
    })
    .collect()
}

#[test]
fn every_case_holds() {
    let mut failures = Vec::new();
    let mut ids = BTreeSet::new();
    let mut count = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", file.display(), number + 1);
            let case: Case =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(ids.insert(case.id.clone()), "{place}: `{}` twice", case.id);
            assert!(!case.why.is_empty(), "{place}: a case without its reason");
            count += 1;
            check(&case, &place, &mut failures);
        }
    }
    assert!(count >= 100, "only {count} cases were found");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check(case: &Case, place: &str, failures: &mut Vec<String>) {
    let analysis = analyze(&case.run);
    let units: Vec<String> = analysis.units.iter().map(unit).collect();
    let mut compare = |what: &str, expected: &Option<Vec<String>>, actual: Vec<String>| {
        if let Some(expected) = expected
            && *expected != actual
        {
            failures.push(format!(
                "{place} {} ({}): {what}\n  of       {:?}\n  expected {}\n  actual   {}",
                case.id,
                case.why,
                case.run,
                serde_json::to_string(expected).unwrap_or_default(),
                serde_json::to_string(&actual).unwrap_or_default(),
            ));
        }
    };
    compare("units", &case.units, units.clone());
    compare("floors", &case.floors, floors(&analysis));
    compare(
        "paths",
        &case.paths,
        analysis.paths.iter().map(path).collect(),
    );
    compare("spellings", &case.spellings, spellings(&analysis));
    let open = analysis.units.iter().flat_map(|u| u.open.clone());
    compare("open", &case.open, open.collect());
    let facts = analysis
        .facts
        .iter()
        .map(|f| format!("{}: {}", f.label, f.text));
    compare("facts", &case.facts, facts.collect());
    for wanted in case.has.iter().flatten() {
        if !units.contains(wanted) {
            failures.push(format!(
                "{place} {} ({}): `{wanted}` is missing\n  of     {:?}\n  actual {units:?}",
                case.id, case.why, case.run
            ));
        }
    }
}
