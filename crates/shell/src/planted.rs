//! Programs that a program writes and then runs.
//!
//! A script in the workspace is run like any other command, since its text is
//! somebody's earlier work. A script that the same program writes is nobody's:
//! its text would escape every rule.

use std::collections::HashMap;

use crate::analysis::{Analysis, Base, Direction, Floor, FloorCause, PathRole, PathUse, Proof};

/// Programs that put text of their caller's choice into an operand.
const WRITERS: &str = "cp mv ln tee install sponge patch sed perl ed ex vim rsync scp dd curl wget";

/// Programs that run the file they are given.
const RUNNERS: &str = "bash sh dash zsh ksh mksh ash python python3 node perl ruby php lua make \
    awk gawk sed tclsh Rscript julia deno bun java source . xargs env timeout nice nohup time setsid";

/// Adds a floor to every unit that runs a file another unit writes.
pub(crate) fn floors(analysis: &mut Analysis) {
    let mut written: HashMap<String, Vec<Option<usize>>> = HashMap::new();
    for path in &analysis.paths {
        if path.role == PathRole::File && writes(analysis, path) {
            written.entry(place(path)).or_default().push(path.unit);
        }
    }
    if written.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for path in &analysis.paths {
        let Some(unit) = path.unit else { continue };
        let runs = match path.role {
            PathRole::Program => true,
            PathRole::File => named(analysis, path, RUNNERS),
            PathRole::Operand | PathRole::Directory => false,
        };
        let by_another = written
            .get(&place(path))
            .is_some_and(|units| units.iter().any(|other| *other != Some(unit)));
        if runs && by_another {
            found.push((unit, path.span, path.text.clone()));
        }
    }
    for (unit, span, text) in found {
        let Some(unit) = analysis.units.get_mut(unit) else {
            continue;
        };
        let note = format!("`{text}` is written and run by the same program");
        if !unit.floors.iter().any(|floor| floor.note == note) {
            unit.floors.push(Floor {
                cause: FloorCause::Teeth,
                span,
                note,
            });
        }
    }
}

fn writes(analysis: &Analysis, path: &PathUse) -> bool {
    match (path.direction, path.proof) {
        (Direction::Read, _) => false,
        (_, Proof::Syntax) => true,
        (Direction::Both, _) if path.unit.is_none() => true,
        _ => named(analysis, path, WRITERS),
    }
}

/// Whether the unit's first word is one of `names`.
fn named(analysis: &Analysis, path: &PathUse, names: &str) -> bool {
    let text = path
        .unit
        .and_then(|unit| analysis.units.get(unit))
        .map_or("", |unit| unit.text.as_str());
    let word = text.split_ascii_whitespace().next().unwrap_or("");
    let base = word.rsplit('/').next().unwrap_or("");
    names.split_ascii_whitespace().any(|name| name == base)
}

/// The path under its base, as far as the text shows.
fn place(path: &PathUse) -> String {
    let text = path.text.strip_prefix("./").unwrap_or(&path.text);
    match &path.base {
        Base::Known(base) if !base.is_empty() && !text.starts_with(['/', '~']) => {
            format!("{base}/{text}")
        }
        Base::Known(_) | Base::Unknown => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{FloorCause, analyze};

    #[test]
    fn what_is_written_and_run_is_floored() {
        let floored = |text: &str| {
            analyze(text)
                .units
                .iter()
                .flat_map(|unit| &unit.floors)
                .any(|floor| floor.cause == FloorCause::Teeth)
        };
        assert!(floored("echo 'rm x' > q; chmod +x q; ./q"));
        assert!(floored("echo 'rm x' > q; sh q"));
        assert!(floored("cp a q && ./q"));
        assert!(floored("cd d && tee q < a && ./q"));
        assert!(!floored("chmod +x q && ./q"));
        assert!(!floored("echo a > b; ./q"));
        assert!(!floored("./q > log; ./q"));
    }
}
