//! What a walk says of the command as a whole: whether it reads only, whether
//! it is a wrapper to ask about.

use super::super::row::{Check, Does, Operands, Row, Wrap};
use super::super::walk::{Walk, known, may_be_option};
use super::super::{Arg, Facts, Run, name};
use super::{Analysed, LAYERS, analyse};
use crate::{Direction, Exemption, FloorCause, PathRole, Proof};

pub(super) fn finish(walk: Walk<'_, '_>, writes: bool, depth: u8) -> Analysed {
    let row = walk.row;
    let args = walk.args;
    let refused = walk.has(|does| {
        matches!(
            does,
            Does::Refuse | Does::RefuseValue | Does::RefuseDirectory | Does::RefuseSplit
        )
    });
    let help = walk.has(|does| does == Does::Help);
    let own_end = own_words_end(&walk.facts.runs, args.len());
    let computed_before = args
        .iter()
        .take(own_end)
        .skip(1)
        .any(|arg| arg.value.is_none() && may_be_option(arg));
    let unsure = refused
        || walk.unknown.is_some()
        || walk.computed.is_some_and(|index| index < own_end)
        || computed_before && !matches!(row.wrap, Wrap::Power(_));
    let admitted = admitted(&walk, own_end);
    let walk_execs = walk.has(|does| does == Does::Exec);
    let mut facts = walk.facts;
    let finds = matches!(row.check, Check::Find | Check::Fd);
    if row.wrap == Wrap::No || finds && !walk_execs {
        return plain(row, args, facts);
    }
    if help && facts.runs.is_empty() {
        return Analysed {
            facts,
            reader: false,
            modifiable: false,
            guarded: false,
        };
    }
    facts.wrapper = true;
    if unsure && matches!(row.wrap, Wrap::Spec | Wrap::Modifier { .. }) && walk_peels(row) {
        // The table says nothing of what an unknown option does to the words
        // after it: nothing is peeled.
        if walk.unknown.is_some() {
            facts.runs.retain(|run| !matches!(run, Run::Words { .. }));
        }
    }
    let (mut reader, mut modifiable, mut guarded) = (false, false, false);
    if depth < LAYERS && !unsure {
        (reader, modifiable, guarded) = inner(args, &facts.runs, writes, depth);
    }
    if row.check == Check::Xargs {
        // What arrives on standard input may be an option.
        reader &= !guarded;
    }
    match row.wrap {
        Wrap::No => {}
        // Another user's power keeps the floor even for readers: what they read
        // may be what this user may not (design §6, stricter than spec 03 §4.2).
        Wrap::Spec if row.check == Check::Privileged => (reader, modifiable) = (false, false),
        Wrap::Spec => modifiable = false,
        Wrap::Strict | Wrap::Power(_) => (reader, modifiable) = (false, false),
        Wrap::Modifier { .. } => modifiable &= admitted,
        Wrap::Thin => {
            if unsure {
                (reader, modifiable) = (false, false);
            }
        }
    }
    if facts
        .floors
        .iter()
        .any(|(cause, _)| *cause == FloorCause::Teeth)
    {
        (reader, modifiable) = (false, false);
    }
    let floored = if facts.runs.is_empty() && !unsure {
        // Nothing is run; what the bare program does is not worth a
        // difference.
        match row.wrap {
            Wrap::No => false,
            Wrap::Thin => row.check == Check::BareShell,
            Wrap::Spec | Wrap::Strict | Wrap::Modifier { .. } => true,
            Wrap::Power(_) => !matches!(row.check, Check::Subcommands | Check::Launcher),
        }
    } else {
        match row.wrap {
            Wrap::No => false,
            Wrap::Thin => unsure,
            Wrap::Power(_) | Wrap::Strict => true,
            Wrap::Spec | Wrap::Modifier { .. } => {
                if reader && !writes {
                    facts.exemption = Some(Exemption::CoreReader);
                } else if modifiable {
                    facts.exemption = Some(Exemption::ExecutionModifier);
                }
                facts.exemption.is_none()
            }
        }
    };
    let silent = facts.runs.iter().all(|run| match run {
        Run::Words { start, .. } => args
            .get(*start)
            .and_then(|arg| name::row(arg.value?))
            .is_some_and(|row| row.check == Check::Silent),
        Run::Script { .. } | Run::Text(_) => false,
    });
    if row.check == Check::Xargs && facts.exemption.is_some() && !silent {
        let note = "the operands come from standard input".to_owned();
        facts.computed_paths.push((Direction::Read, note));
    }
    if floored {
        let name = args.first().map_or("", |arg| name::base(known(arg)));
        let note = match row.wrap {
            Wrap::Power(power) => format!("`{name}` {power}"),
            _ if unsure => format!("what `{name}` runs cannot be told from its options"),
            _ => format!("`{name}` runs another command"),
        };
        facts.floors.push((FloorCause::IndirectionWrapper, note));
    }
    if row.wrap == Wrap::Thin && !floored {
        // Judged as the inner command alone.
        modifiable = true;
    }
    Analysed {
        facts,
        reader,
        modifiable,
        guarded,
    }
}

fn walk_peels(row: &Row) -> bool {
    matches!(
        row.operands,
        Operands::Command { .. } | Operands::Dashes { .. }
    )
}

/// Where the words of the inner command start.
fn own_words_end(runs: &[Run], all: usize) -> usize {
    runs.iter()
        .map(|run| match run {
            Run::Words { start, .. } => *start,
            Run::Script { arg, .. } => *arg,
            Run::Text(_) => all,
        })
        .min()
        .unwrap_or(all)
}

/// Whether all inner commands are readers, all may be modified, any is guarded.
fn inner(args: &[Arg<'_>], runs: &[Run], writes: bool, depth: u8) -> (bool, bool, bool) {
    let mut all = (!runs.is_empty(), !runs.is_empty(), false);
    for run in runs {
        let words = match run {
            Run::Words { start, end } => args.get(*start..*end),
            Run::Script { .. } | Run::Text(_) => None,
        };
        let Some(words) = words else {
            return (false, false, true);
        };
        let inner = analyse(words, writes, depth + 1);
        all.0 &= inner.reader;
        all.1 &= inner.modifiable;
        all.2 |= inner.guarded;
    }
    all
}

/// A program that is no wrapper, or does not act as one here.
fn plain(row: &'static Row, args: &[Arg<'_>], mut facts: Facts) -> Analysed {
    let toothed = !facts.floors.is_empty() || !facts.runs.is_empty();
    let writes = facts
        .paths
        .iter()
        .any(|path| path.direction == Direction::Write);
    let core = matches!(
        row.operands,
        Operands::Core | Operands::CoreFiles | Operands::CorePattern(_)
    );
    // Only the bare name is surely that program.
    let bare = args
        .first()
        .is_some_and(|arg| arg.value == Some(arg.source) && !arg.source.contains(['/', '\\']));
    if core {
        facts.operands = match facts.operands {
            _ if !bare => None,
            Some((_, Proof::Core)) if toothed || writes => {
                Some((Direction::Both, Proof::Retracted))
            }
            other => other,
        };
        if facts.operands == Some((Direction::Read, Proof::Core)) {
            // A value embedded in an option is as surely only read.
            for path in &mut facts.paths {
                if path.role == PathRole::Operand {
                    path.direction = Direction::Read;
                    path.proof = Proof::Core;
                }
            }
        }
        if facts.operands.is_none_or(|(_, proof)| proof != Proof::Core) {
            for path in &mut facts.paths {
                if path.direction == Direction::Read {
                    path.direction = Direction::Both;
                    path.proof = Proof::Unproven;
                }
            }
        }
    }
    let reader = facts.operands == Some((Direction::Read, Proof::Core)) && !toothed;
    let opaque = facts.floors.iter().any(|(cause, _)| {
        matches!(
            cause,
            FloorCause::OpaqueWrapper | FloorCause::IndirectionWrapper
        )
    });
    Analysed {
        reader,
        modifiable: !opaque && args.first().is_some_and(is_plain_name),
        guarded: row.guarded,
        facts,
    }
}

/// Whether a modifier's own words are all on its list.
fn admitted(walk: &Walk<'_, '_>, end: usize) -> bool {
    let Wrap::Modifier { flags, values } = walk.row.wrap else {
        return false;
    };
    let listed = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    let mut own = walk.args.iter().take(end).skip(1);
    let mut operands = match walk.row.operands {
        Operands::Command { skip, .. } => skip,
        _ => 0,
    };
    while let Some(arg) = own.next() {
        let Some(word) = arg.value else {
            return false;
        };
        if listed(flags, word) {
            continue;
        }
        if listed(values, word) {
            if own.next().is_none_or(|value| value.value.is_none()) {
                return false;
            }
            continue;
        }
        if operands == 0 || word.starts_with('-') {
            return false;
        }
        operands -= 1;
    }
    true
}

/// Whether a command word is a plain literal and no word of the grammar.
pub(super) fn is_plain_name(arg: &Arg<'_>) -> bool {
    const RESERVED: &str = "if then else elif fi for while until do done case esac in function \
        select time coproc { } ! [[ ]]";
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+@%,:".contains(&byte);
    let Some(word) = arg.value.filter(|word| *word == arg.source) else {
        return false;
    };
    let mut bytes = word.bytes();
    bytes.next().is_some_and(plain)
        && bytes.all(|byte| plain(byte) || byte == b'-')
        && !RESERVED
            .split_ascii_whitespace()
            .any(|reserved| reserved == word)
}
