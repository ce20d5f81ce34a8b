//! Turns a walk over the arguments into facts.

mod operands;
mod options;
mod verdict;

pub(super) use self::options::script;

use self::operands::operands;
use self::options::options;
use self::verdict::{finish, is_plain_name};
use super::checks;
use super::name;
use super::row::{Check, Operands, Row};
use super::walk::{Walk, known};
use super::{Arg, Facts, Run};

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
        return Analysed {
            facts: unlisted(args),
            reader: false,
            modifiable: is_plain_name(command),
            guarded: false,
        };
    };
    analyse_row(args, row, writes, depth)
}

/// The facts of a program without a row.
pub(super) fn unlisted(args: &[Arg<'_>]) -> Facts {
    let mut facts = Facts {
        unknown: Some(1),
        ..Facts::default()
    };
    shapes(args, &mut facts);
    facts
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
    if row.check == Check::Launcher {
        walk.facts.unknown = Some(1);
    }
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
    outer.unknown = inner.unknown.map(|index| index + at);
    outer
        .holds
        .extend(inner.holds.iter().map(|index| index + at));
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

/// A word known only at run time may be an option with teeth.
fn guard(walk: &mut Walk<'_, '_>, end: usize) {
    if walk.row.guarded && walk.computed.is_some_and(|index| index < end) {
        walk.teeth(
            "a word known only at run time could be an option that runs or writes something",
        );
    }
}
