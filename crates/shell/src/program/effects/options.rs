//! What each option does.

use super::super::Run;
use super::super::code;
use super::super::row::{Check, Does};
use super::super::walk::Walk;
use crate::{Direction, PathRole};

/// What each option does.
pub(super) fn options(walk: &mut Walk<'_, '_>) {
    for index in 0..walk.options.len() {
        let Some(taken) = walk.options.get(index).copied() else {
            continue;
        };
        let dashed = match taken.name.len() {
            1 => format!("-{}", taken.name),
            _ => format!("--{}", taken.name),
        };
        let value = taken.value;
        match taken.does {
            Does::Flag
            | Does::Digits
            | Does::NoPattern
            | Does::Optional
            | Does::Maybe
            | Does::Help
            | Does::Exec => {}
            Does::Value | Does::Pair | Does::Setting | Does::Pattern | Does::Module => {
                own_word(walk, value);
            }
            Does::Read | Does::PairRead | Does::PatternFile => {
                if let Some(at) = value.filter(|at| !is_standard_input(walk, *at)) {
                    let runs = taken.does == Does::PatternFile
                        && matches!(walk.row.check, Check::Sed | Check::Awk | Check::Interpreter);
                    let role = if runs {
                        PathRole::Script
                    } else {
                        PathRole::File
                    };
                    walk.path(at, Direction::Read, role);
                }
            }
            Does::Glob => {
                if let Some(at) = value {
                    walk.path(at, Direction::Read, PathRole::Operand);
                }
            }
            Does::Names => {
                if let Some(at) = value {
                    walk.file(at, Direction::Read);
                }
                let note = format!("`{dashed}` names further files to read");
                walk.facts.computed_paths.push((Direction::Read, note));
            }
            Does::Write | Does::OptionalWrite => {
                if let Some(at) = value.filter(|at| !is_standard_input(walk, *at)) {
                    walk.file(at, Direction::Write);
                }
            }
            Does::Path => {
                if let Some(at) = value {
                    walk.file(at, Direction::Both);
                }
            }
            Does::Directory => {
                if let Some(at) = value {
                    walk.file(at, Direction::Both);
                    walk.facts.starts_in = Some(at);
                }
            }
            Does::Script | Does::OptionalScript => {
                own_word(walk, value);
                if let Some(at) = value {
                    script(walk, at);
                    walk.teeth(format!("`{dashed}` names a command to run"));
                }
            }
            Does::Payload => {
                own_word(walk, value);
                if let Some(at) = value {
                    script(walk, at);
                }
            }
            Does::Rest => {
                if let Some(at) = value {
                    rest(walk, at);
                }
            }
            Does::Code => {
                own_word(walk, value);
                if let Some(at) = value {
                    let (text, all) = walk.value_text(at);
                    if !all || !code::is_inert(walk.row, &taken, text) {
                        walk.teeth("runs program text given on the command line");
                    }
                }
            }
            Does::Teeth(note) => walk.teeth(format!("`{dashed}` {note}")),
            Does::TeethValue(note) | Does::TeethOptional(note) => {
                walk.teeth(format!("`{dashed}` {note}"));
            }
            Does::Refuse | Does::RefuseValue | Does::RefuseSplit => {}
            Does::RefuseDirectory => {
                if let Some(at) = value {
                    walk.file(at, Direction::Both);
                }
                walk.facts.changes_directory = true;
            }
            Does::Stdin => {}
        }
    }
}

/// The words from an option's value on, as a command.
fn rest(walk: &mut Walk<'_, '_>, at: (usize, usize)) {
    let alone = at.1 > 0 || at.0 + 1 >= walk.args.len();
    if alone {
        own_word(walk, Some(at));
        script(walk, at);
        if walk.value(at.0).is_none() {
            walk.teeth("runs a text that is known only at run time");
        }
    } else {
        walk.facts.runs.push(Run::Words {
            start: at.0,
            end: walk.args.len(),
        });
    }
}

/// A value that is a word of its own and no path.
fn own_word(walk: &mut Walk<'_, '_>, value: Option<(usize, usize)>) {
    if let Some((index, 0)) = value {
        walk.no_path(index);
    }
}

fn is_standard_input(walk: &Walk<'_, '_>, at: (usize, usize)) -> bool {
    walk.value_text(at) == ("-", true)
}

/// A value that a shell runs, when it is known.
pub(in crate::program) fn script(walk: &mut Walk<'_, '_>, at: (usize, usize)) {
    if walk.value(at.0).is_some() {
        walk.facts.runs.push(Run::Script {
            arg: at.0,
            offset: at.1,
        });
    }
}
