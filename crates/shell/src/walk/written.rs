//! Programs that write a file and then run it: what is in it was not judged.

use std::collections::HashSet;

use super::builtins::{INTERPRETERS, SHELLS};
use crate::analysis::{Analysis, Certainty, Direction, Floor, FloorCause, PathRole, PathUse};

/// Puts a floor on every unit that runs a file which may be one that the same
/// program writes. Files are compared by their last part alone: a link or
/// another directory must not hide that they are the same.
pub(super) fn floors(analysis: &mut Analysis) {
    let mut written: HashSet<&str> = HashSet::new();
    let mut anything = false;
    for path in &analysis.paths {
        // An unproven direction alone is no sign of writing, except for the
        // programs that put files somewhere.
        let writes = path.direction == Direction::Write
            || path.direction == Direction::Both && places(analysis, path);
        if !writes || path.text == "/dev/null" {
            continue;
        }
        match path.certainty {
            Certainty::Literal => {
                written.insert(last(&path.text));
            }
            Certainty::Glob | Certainty::Computed => anything = true,
        }
    }
    if written.is_empty() && !anything {
        return;
    }
    let mut found = Vec::new();
    for path in &analysis.paths {
        if runs(analysis, path) && (anything || written.contains(last(&path.text))) {
            found.push((path.unit, path.span, path.text.clone()));
        }
    }
    for (unit, span, text) in found {
        let Some(unit) = unit.and_then(|i| analysis.units.get_mut(i)) else {
            continue;
        };
        let floor = Floor {
            cause: FloorCause::OpaqueWrapper,
            span,
            note: format!("runs `{text}`, which this program may have written"),
        };
        if !unit.floors.contains(&floor) {
            unit.floors.push(floor);
        }
    }
}

fn last(text: &str) -> &str {
    text.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(text)
}

/// The base name of the command that uses a path.
fn command<'a>(analysis: &'a Analysis, path: &PathUse) -> &'a str {
    let text = path
        .unit
        .and_then(|i| analysis.units.get(i))
        .map_or("", |unit| unit.text.as_str());
    let word = text.split([' ', '\t']).next().unwrap_or("");
    last(word)
}

fn places(analysis: &Analysis, path: &PathUse) -> bool {
    matches!(
        command(analysis, path),
        "cp" | "mv" | "ln" | "install" | "tee" | "dd" | "rsync" | "sed" | "patch" | "curl" | "wget"
    )
}

/// Whether the use of a path runs what is in it.
fn runs(analysis: &Analysis, path: &PathUse) -> bool {
    if path.role == PathRole::Program {
        return true;
    }
    let command = command(analysis, path);
    let interpreted = SHELLS.contains(&command)
        || INTERPRETERS.contains(&command)
        || matches!(command, "source" | "." | "make");
    interpreted && path.direction != Direction::Write
}
