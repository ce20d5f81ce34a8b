//! Turns a walk over the arguments into facts.

use super::checks;
use super::name;
use super::row::{Check, Does, Operands, Row, Wrap};
use super::walk::{Walk, known, may_be_option};
use super::{Arg, Facts, Run};
use crate::{Direction, Exemption, FloorCause, PathRole, Proof};

/// How many wrappers in a row are looked through to exempt one.
const LAYERS: u8 = 4;

/// The facts of a command, and what an enclosing wrapper needs of them.
pub(super) struct Analysed {
    pub facts: Facts,
    /// It only reads, whatever it is wrapped in.
    reader: bool,
    /// It is a plainly named command, or wrapped in nothing but modifiers.
    modifiable: bool,
    /// An argument taken from elsewhere could be an option with teeth.
    guarded: bool,
}

/// Analyses one command; `depth` counts the wrappers around it.
pub(super) fn analyse(args: &[Arg<'_>], writes: bool, depth: u8) -> Analysed {
    let nothing = |facts| Analysed {
        facts,
        reader: false,
        modifiable: false,
        guarded: true,
    };
    let Some(command) = args.first() else {
        return nothing(Facts::default());
    };
    let Some(word) = command.value else {
        let mut facts = Facts::default();
        shapes(args, &mut facts);
        return nothing(facts);
    };
    let Some(row) = name::row(word) else {
        let mut facts = Facts {
            unknown: true,
            ..Facts::default()
        };
        shapes(args, &mut facts);
        return Analysed {
            facts,
            reader: false,
            modifiable: is_plain_name(command),
            guarded: false,
        };
    };
    analyse_row(args, row, writes, depth)
}

fn analyse_row(args: &[Arg<'_>], row: &'static Row, writes: bool, depth: u8) -> Analysed {
    let mut walk = Walk::new(args, row);
    options(&mut walk);
    operands(&mut walk);
    checks::run(&mut walk);
    super::below::note(&mut walk);
    walk.facts.options = walk.options.iter().map(|taken| taken.arg).collect();
    walk.facts.plain_words |= matches!(
        row.operands,
        Operands::Core
            | Operands::CoreFiles
            | Operands::CorePattern(_)
            | Operands::Nothing
            | Operands::Files
    ) || matches!(
        row.check,
        Check::Silent
            | Check::Git
            | Check::GitClone
            | Check::GitWorktree
            | Check::GitPager
            | Check::Find
    );
    walk.facts.unknown = row.check == Check::Launcher;
    if matches!(
        row.check,
        Check::Subcommands | Check::Launcher | Check::Git | Check::Cargo
    ) {
        let program = row.names.split(' ').next().unwrap_or("");
        let toolchain = |index: &usize| walk.text(*index).starts_with('+');
        let first = walk
            .operands
            .iter()
            .copied()
            .find(|index| !toolchain(index));
        let nested = first
            .and_then(|index| Some((index, walk.value(index)?)))
            .and_then(|(index, word)| {
                let own = args.first().map_or("", |arg| name::base(known(arg)));
                let row =
                    name::subcommand(own, word).or_else(|| name::subcommand(program, word))?;
                Some((index, row))
            });
        if let Some(at) = first.filter(|at| *at > 1) {
            walk.facts.verb = Some(at);
        }
        if let Some((at, row)) = nested {
            guard(&mut walk, at);
            let words = args.get(at..).unwrap_or(&[]);
            let mut inner = analyse_row(words, row, writes, depth);
            inner.facts = merge(walk.facts, inner.facts, at);
            inner.modifiable &= inner.facts.floors.is_empty() && is_plain_name_at(args);
            inner.reader = false;
            return inner;
        }
    }
    guard(&mut walk, args.len());
    finish(walk, writes, depth)
}

fn is_plain_name_at(args: &[Arg<'_>]) -> bool {
    args.first().is_some_and(is_plain_name)
}

/// The facts of a program and of its subcommand, which starts at word `at`.
fn merge(mut outer: Facts, inner: Facts, at: usize) -> Facts {
    outer.unknown = inner.unknown;
    outer.plain_words = inner.plain_words;
    outer.also.extend(inner.also);
    let options = inner.options.iter().map(|index| index + at);
    outer.options.extend(options);
    outer.below = inner.below.map(|(below, words)| {
        let words = words.into_iter().map(|index| index + at).collect();
        (below, words)
    });
    // What the outer walk thought of the subcommand's words does not count.
    outer
        .runs
        .retain(|run| !matches!(run, Run::Words { start, .. } if *start == at));
    outer.not_paths.retain(|index| *index < at);
    outer.not_paths.push(at);
    outer
        .not_paths
        .extend(inner.not_paths.iter().map(|index| index + at));
    outer.paths.extend(inner.paths.into_iter().map(|mut path| {
        path.arg += at;
        path
    }));
    for run in inner.runs {
        let run = match run {
            Run::Words { start, end } => Run::Words {
                start: start + at,
                end: end + at,
            },
            Run::Script { arg, offset } => Run::Script {
                arg: arg + at,
                offset,
            },
            Run::Text(text) => Run::Text(text),
        };
        // An option that may stand before and after was seen twice.
        if !outer.runs.contains(&run) {
            outer.runs.push(run);
        }
    }
    outer.texts.extend(inner.texts.into_iter().map(|mut text| {
        text.arg += at;
        text
    }));
    outer.floors.extend(inner.floors);
    outer.computed_paths.extend(inner.computed_paths);
    outer.exemption = inner.exemption;
    outer.operands = inner.operands;
    outer.verb = outer.verb.or(inner.verb.map(|index| index + at));
    outer.wrapper |= inner.wrapper;
    outer.changes_directory |= inner.changes_directory;
    outer.starts_in = inner
        .starts_in
        .map(|(arg, offset)| (arg + at, offset))
        .or(outer.starts_in);
    outer.reads_program_from_stdin |= inner.reads_program_from_stdin;
    outer
}

/// A program without a row: only option values that are spelled out.
fn shapes(args: &[Arg<'_>], facts: &mut Facts) {
    static NONE: Row = super::row::row("", &[], Operands::Shape);
    facts.paths = Walk::new(args, &NONE).facts.paths;
}

/// What each option does.
fn options(walk: &mut Walk<'_, '_>) {
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
                    if !all || !super::code::is_inert(walk.row, &taken, text) {
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
pub(super) fn script(walk: &mut Walk<'_, '_>, at: (usize, usize)) {
    if walk.value(at.0).is_some() {
        walk.facts.runs.push(Run::Script {
            arg: at.0,
            offset: at.1,
        });
    }
}

/// What the operands are.
fn operands(walk: &mut Walk<'_, '_>) {
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

/// A word known only at run time may be an option with teeth.
fn guard(walk: &mut Walk<'_, '_>, end: usize) {
    if walk.row.guarded && walk.computed.is_some_and(|index| index < end) {
        walk.teeth(
            "a word known only at run time could be an option that runs or writes something",
        );
    }
}

fn finish(walk: Walk<'_, '_>, writes: bool, depth: u8) -> Analysed {
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
fn is_plain_name(arg: &Arg<'_>) -> bool {
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
