//! Programs that write a file and then run it: what is in it was not judged.

use std::collections::HashSet;

use super::builtins::{INTERPRETERS, SHELLS};
use crate::analysis::{Analysis, Certainty, Direction, Floor, FloorCause, PathRole, PathUse};

/// Puts a floor on every unit that runs a file which may be one that the same
/// program writes. Files are compared by their last part alone: a link or
/// another directory must not hide that they are the same.
pub(super) fn floors(analysis: &mut Analysis) {
    let mut written: HashSet<&str> = HashSet::new();
    let mut paths = Vec::new();
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
                paths.push(path.text.as_str());
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
    for (unit, file) in untold(analysis, &paths) {
        let span = analysis.units.get(unit).map(|unit| unit.span);
        found.push((Some(unit), span.unwrap_or_default(), file));
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

/// Other programs that run what is in a file they are given.
const RUNNERS: &str = "source . make gmake m4 dc gnuplot expect tsx ts-node deno bun osascript \
    tclsh wish Rscript julia lua luajit guile racket sbcl elixir escript groovy scala kotlin swift \
    octave runghc runhaskell ocaml swipl nim crystal dart raku janet just task rake ansible-playbook";

/// Programs that run a file whose name they are not told.
const UNTOLD: [(&str, &str); 8] = [
    ("make", "Makefile"),
    ("make", "makefile"),
    ("make", "GNUmakefile"),
    ("gmake", "Makefile"),
    ("just", "justfile"),
    ("task", "Taskfile.yml"),
    ("rake", "Rakefile"),
    ("direnv", ".envrc"),
];

fn text(analysis: &Analysis, unit: Option<usize>) -> &str {
    unit.and_then(|i| analysis.units.get(i))
        .map_or("", |unit| unit.text.as_str())
}

/// The base name of the command in a text.
fn program(text: &str) -> &str {
    last(text.split([' ', '\t']).next().unwrap_or(""))
}

/// The base name of the command that uses a path.
fn command<'a>(analysis: &'a Analysis, path: &PathUse) -> &'a str {
    program(text(analysis, path.unit))
}

/// The units that run a written file without naming it: hooks and settings of
/// `git`, the usual files of task runners.
fn untold(analysis: &Analysis, paths: &[&str]) -> Vec<(usize, String)> {
    let hook = |path: &&&str| {
        let inside = |directory: &str| path.split('/').any(|part| part == directory);
        inside("hooks") || inside(".husky") || inside(".githooks") || path.ends_with(".git/config")
    };
    let moved = analysis
        .units
        .iter()
        .any(|unit| unit.text.to_ascii_lowercase().contains("core.hookspath"));
    let hook = paths.iter().find(hook).or(paths.first().filter(|_| moved));
    let mut found = Vec::new();
    for (at, unit) in analysis.units.iter().enumerate() {
        let program = program(&unit.text);
        if let Some(hook) = hook.filter(|_| program == "git") {
            found.push((at, (*hook).to_owned()));
        }
        let named = UNTOLD.iter().find(|(runner, file)| {
            *runner == program && paths.iter().any(|path| last(path) == *file)
        });
        if let Some((_, file)) = named {
            found.push((at, (*file).to_owned()));
        }
    }
    found
}

fn places(analysis: &Analysis, path: &PathUse) -> bool {
    matches!(
        command(analysis, path),
        "cp" | "mv" | "ln" | "install" | "tee" | "dd" | "rsync" | "sed" | "patch" | "curl" | "wget"
    )
}

/// Whether the use of a path runs what is in it.
fn runs(analysis: &Analysis, path: &PathUse) -> bool {
    if matches!(path.role, PathRole::Program | PathRole::Script) {
        return true;
    }
    let command = command(analysis, path);
    // `python3.12` is Python.
    let plain = command.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interpreted = [command, plain].iter().any(|name| {
        SHELLS.contains(name)
            || INTERPRETERS.contains(name)
            || RUNNERS
                .split_ascii_whitespace()
                .any(|runner| runner == *name)
    }) || text(analysis, path.unit).starts_with("go run ");
    interpreted && path.direction != Direction::Write
}
