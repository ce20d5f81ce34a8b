//! What is known of single programs: how a wrapper finds its inner command,
//! which operands and option values are paths and which way they go, which
//! options run something or write a file.
//!
//! This module sees one command at a time as a list of arguments; it knows
//! nothing of syntax. Its knowledge is data: one table row per program
//! (`tables/`), read by one interpreter (`walk`, `effects`). What no table can
//! hold (the languages of `sed` and `awk`, the subcommands of `git`) has a
//! module of its own.

mod awk;
mod below;
mod checks;
mod code;
mod effects;
mod git;
mod name;
mod row;
mod sed;
mod tables;
mod walk;

use self::walk::known;
use crate::{Below, Direction, Exemption, FloorCause, PathRole, Proof};

/// One word of a command, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// The text as typed.
    pub source: &'a str,
    /// What the program receives, when that is known before running: `None`
    /// where an expansion, substitution, glob or brace could change it.
    pub value: Option<&'a str>,
    /// The part of the value that is known for certain before the first
    /// unknown piece (all of it when `value` is known).
    pub known_prefix: &'a str,
    /// Whether any part was quoted or escaped.
    pub quoted: bool,
}

/// What one command would do beyond being itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Commands it runs.
    pub runs: Vec<Run>,
    /// Paths among its words. Values embedded in options (`--file=x`, `-ox`)
    /// are listed here, also for programs without a row. For a word whose
    /// value is not known, the offset counts in its known prefix. Words that
    /// belong to one of `runs` are left to that run.
    pub paths: Vec<PathArg>,
    /// Indices of words that are known *not* to be paths (scripts, patterns,
    /// option values that are no files). Words in neither list are judged by
    /// shape.
    pub not_paths: Vec<usize>,
    /// Floors, each with a one-line note.
    pub floors: Vec<(FloorCause, String)>,
    /// Why a wrapper floor was left out.
    pub exemption: Option<Exemption>,
    /// What is proved about the operands that are not in `paths`.
    pub operands: Option<(Direction, Proof)>,
    /// Whether this is a wrapper that was recognised (its `runs` may still be
    /// empty when the inner command cannot be known).
    pub wrapper: bool,
    /// A change of directory before the inner command runs, which makes
    /// relative paths of it unknown.
    pub changes_directory: bool,
    /// The directory that the command's own relative operands start from
    /// (`tar -C dir`, `git -C dir`): a word and the offset in it.
    pub starts_in: Option<(usize, usize)>,
    /// It reads its program from standard input (`bash -s`, `sh` alone), so
    /// that what is piped or fed into it runs. A floor says so as well.
    pub reads_program_from_stdin: bool,
    /// Paths that are named only at run time (`xargs cat`), each with a
    /// one-line note.
    pub computed_paths: Vec<(Direction, String)>,
    /// Where the subcommand stands, when options stand before it
    /// (`git -C dir push`): the same command without these is worth a rule.
    pub verb: Option<usize>,
    /// What it reads below the directories among these words (0: below the
    /// `.` in `texts`).
    pub below: Option<(Below, Vec<usize>)>,
    /// No word of it holds a path that is not one as a whole.
    pub plain_words: bool,
    /// Words that are options of which the table says what they take.
    pub options: Vec<usize>,
    /// Other texts that name the same command, for rules against it.
    pub also: Vec<String>,
    /// The words from here on belong to a program nothing is known of: any of
    /// them may be run, or hold a path.
    pub unknown: Option<usize>,
    /// Words that hold values of their own, some of which may be paths.
    pub holds: Vec<usize>,
    /// Paths written inside a word in another language (`sed 'w out'`,
    /// `awk '{print > "out"}'`, `curl -O` URLs): certainly paths.
    pub texts: Vec<PathText>,
}

/// A path that stands inside a word but is not its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText {
    /// The word it was found in (0: in none of them).
    pub arg: usize,
    /// The path.
    pub text: String,
    /// Which way data flows.
    pub direction: Direction,
}

/// A command that another one runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// The words from `start` up to but not including `end` are a command.
    Words {
        /// First word.
        start: usize,
        /// One past the last word.
        end: usize,
    },
    /// Word `arg` (from byte `offset` of its value) is a shell script.
    Script {
        /// The word.
        arg: usize,
        /// Where in its value the script starts.
        offset: usize,
    },
    /// A script assembled from several words (such as `ssh host a b`).
    Text(String),
}

/// A path found in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathArg {
    /// The word.
    pub arg: usize,
    /// Where in its value the path starts (`--file=x`, `of=x`, `-ox`).
    pub offset: usize,
    /// Which way data flows.
    pub direction: Direction,
    /// What proves that.
    pub proof: Proof,
    /// [`PathRole::File`] where the program will certainly use it as a path.
    pub role: PathRole,
}

/// What is known of a program that no table has a row for: only what the
/// shape of its words says.
#[must_use]
pub fn unlisted(args: &[Arg<'_>]) -> Facts {
    effects::unlisted(args)
}

/// What the command made of `args` would do. `args[0]` is the command word;
/// its base name selects the table row. Unknown programs give empty facts.
///
/// `writes_elsewhere` tells whether a redirect of the statement may write a
/// file, which withdraws the core-reader exemption (spec 03 §4.2).
#[must_use]
pub fn facts(args: &[Arg<'_>], writes_elsewhere: bool) -> Facts {
    effects::analyse(args, writes_elsewhere, 0).facts
}
