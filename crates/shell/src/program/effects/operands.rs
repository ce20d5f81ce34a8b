//! What the operands are.

use super::super::Run;
use super::super::row::{Check, Does, Operands};
use super::super::walk::Walk;
use super::options::script;
use crate::{Direction, Proof};

/// What the operands are.
pub(super) fn operands(walk: &mut Walk<'_, '_>) {
    let pattern_given =
        walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile | Does::NoPattern));
    match walk.row.operands {
        Operands::Shape => {}
        Operands::Core => walk.facts.operands = Some((Direction::Read, Proof::Core)),
        Operands::CoreFiles => {
            walk.facts.operands = Some((Direction::Read, Proof::Core));
            read_from(walk, 0);
        }
        Operands::Nothing => {
            for index in walk.operands.clone() {
                walk.no_path(index);
            }
        }
        Operands::Files => files_from(walk, 0),
        Operands::FilesAfter(skip) => {
            let skip = if pattern_given { 0 } else { usize::from(skip) };
            patterns(walk, skip);
            files_from(walk, skip);
        }
        Operands::Pattern(skip) => {
            if !pattern_given {
                patterns(walk, usize::from(skip));
            }
        }
        Operands::CorePattern(skip) => {
            let skip = if pattern_given { 0 } else { usize::from(skip) };
            patterns(walk, skip);
            walk.facts.operands = Some((Direction::Read, Proof::Core));
            if walk.row.check != Check::Fd {
                read_from(walk, skip);
            }
        }
        Operands::InOut => {
            for (at, direction) in [(0, Direction::Read), (1, Direction::Write)] {
                let Some(index) = walk.operands.get(at).copied() else {
                    continue;
                };
                if walk.value(index) != Some("-") {
                    walk.file((index, 0), direction);
                }
            }
        }
        Operands::Last => {
            if let Some(index) = walk.operands.last().copied()
                && walk.operands.len() > 1
            {
                walk.file((index, 0), Direction::Both);
            }
        }
        Operands::Interpreter => {
            let code = walk.has(|does| {
                matches!(
                    does,
                    Does::Code | Does::Module | Does::Pattern | Does::PatternFile | Does::Payload
                )
            });
            if let Some(index) = walk.operands.first().copied().filter(|_| !code)
                && walk.value(index) != Some("-")
                && !walk.has(|does| does == Does::Stdin)
            {
                walk.file((index, 0), Direction::Both);
            }
        }
        Operands::Command { skip, assigns } => command(walk, usize::from(skip), assigns),
        Operands::Dashes { skip } => {
            let mut words = walk.args.iter().skip(1);
            match words.position(|arg| arg.value == Some("--")) {
                Some(at) => {
                    // Whatever stands before it is the wrapper's own.
                    walk.unknown = None;
                    let start = at + 2;
                    if start < walk.args.len() && !walk.has(|does| does == Does::Rest) {
                        walk.facts.runs.push(Run::Words {
                            start,
                            end: walk.args.len(),
                        });
                    }
                }
                None => command(walk, usize::from(skip), false),
            }
        }
        Operands::Line { skip } => line(walk, usize::from(skip)),
        Operands::Scripts => {
            for index in walk.operands.clone() {
                walk.no_path(index);
                script(walk, (index, 0));
            }
        }
    }
}

fn patterns(walk: &mut Walk<'_, '_>, count: usize) {
    let first: Vec<usize> = walk.operands.iter().take(count).copied().collect();
    walk.facts.not_paths.extend(first);
}

/// Operands that are certainly files, and only read while the proof holds.
fn read_from(walk: &mut Walk<'_, '_>, skip: usize) {
    let rest: Vec<usize> = walk.operands.iter().skip(skip).copied().collect();
    for index in rest {
        let text = walk.text(index);
        let assigns = walk.row.check == Check::Awk
            && text.split_once('=').is_some_and(|(name, _)| {
                name.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
        if assigns && walk.value(index).is_some() {
            walk.no_path(index);
        } else if walk.value(index) != Some("-") {
            walk.file((index, 0), Direction::Read);
        }
    }
}

fn files_from(walk: &mut Walk<'_, '_>, skip: usize) {
    let rest: Vec<usize> = walk.operands.iter().skip(skip).copied().collect();
    for index in rest {
        if walk.value(index) != Some("-") {
            walk.file((index, 0), Direction::Both);
        }
    }
}

/// The words that a wrapper runs.
fn command(walk: &mut Walk<'_, '_>, skip: usize, assigns: bool) {
    let mut at = 0;
    let mut left = skip;
    let mut start = None;
    while let Some(index) = walk.operands.get(at).copied() {
        let text = walk.text(index);
        if assigns
            && let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty())
        {
            let all = walk.value(index).is_some();
            if let Some(what) = crate::variable_with_teeth(name, all.then_some(value)) {
                walk.teeth(format!("`{name}` {what}"));
            }
            walk.no_path(index);
            at += 1;
            continue;
        }
        if left > 0 {
            left -= 1;
            at += 1;
            continue;
        }
        start = Some(index);
        break;
    }
    if walk.has(refuses_peeling) {
        return;
    }
    if let Some(start) = start {
        walk.facts.runs.push(Run::Words {
            start,
            end: walk.args.len(),
        });
    }
}

/// Options after which the inner words are not the command.
fn refuses_peeling(does: Does) -> bool {
    matches!(
        does,
        Does::Refuse | Does::RefuseValue | Does::RefuseSplit | Does::Payload | Does::Rest
    )
}

/// Words that are joined and read by a shell.
fn line(walk: &mut Walk<'_, '_>, skip: usize) {
    let words: Vec<usize> = walk.operands.iter().skip(skip).copied().collect();
    let (Some(first), Some(last)) = (words.first().copied(), words.last().copied()) else {
        return;
    };
    if walk.has(refuses_peeling) {
        return;
    }
    for index in &words {
        walk.no_path(*index);
    }
    let values: Option<Vec<&str>> = words.iter().map(|index| walk.value(*index)).collect();
    match values {
        Some(values) if values.len() == 1 => walk.facts.runs.push(Run::Script {
            arg: first,
            offset: 0,
        }),
        Some(values) => walk.facts.runs.push(Run::Text(values.join(" "))),
        None => walk.facts.runs.push(Run::Words {
            start: first,
            end: last + 1,
        }),
    }
}
