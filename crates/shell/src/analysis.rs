//! What the analysis of one bash program says: the data that `intent` turns
//! into effects. No policy is known here.

use countersign_text::Span;

/// Everything one bash program would do that needs authority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The texts to match against `bash` rules, in source order.
    pub units: Vec<Unit>,
    /// Every path the program may read or write.
    pub paths: Vec<PathUse>,
    /// Floors that belong to no single unit (parse error, exceeded budget).
    pub floors: Vec<Floor>,
    /// Facts a person should see before answering.
    pub facts: Vec<Fact>,
}

/// One text judged on the `bash` surface (spec 03 §1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The raw source slice: a simple command without its leading assignments
    /// and without its redirects, a whole compound statement, or an opaque
    /// region. Inside a decoded payload (`bash -c '…'`) it is a slice of the
    /// payload.
    pub text: String,
    /// Where it stands in the outermost source; for a unit inside a decoded
    /// payload, the span of the word that carries the payload.
    pub span: Span,
    /// What may be proved about it.
    pub kind: UnitKind,
    /// Where it is nested, when it is.
    pub context: Option<Context>,
    /// Further texts for the same unit.
    pub spellings: Vec<Spelling>,
    /// Where words are known only at run time: the normalised text as a shell
    /// pattern (`**` stands for what is not known, `\` takes a character's
    /// meaning away). The command that
    /// will run is one of the texts it matches, so any `deny` or `ask` rule
    /// that could match one of them must be heeded; it never allows.
    /// Several where words may also come to nothing; empty when every word is
    /// known.
    pub open: Vec<String>,
    /// Texts that a program nothing is known of may run: words after its name
    /// that could be a command of their own. A `deny` or `ask` rule for one of
    /// them in particular must be heeded by asking; they never allow or deny.
    pub suspects: Vec<String>,
    /// Lower bounds on its verdict. Empty where a wrapper was proved harmless.
    pub floors: Vec<Floor>,
    /// Why a wrapper's floor was left out, for the log.
    pub exemption: Option<Exemption>,
    /// What a wrapper will really run, for display.
    pub executed: Option<String>,
}

/// What a unit is, and so which rules it can be matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// A simple command (or bare assignment, test or declaration): every rule.
    Command,
    /// A whole compound statement: `deny` and `ask` rules only. It is allowed
    /// when all its parts are.
    Compound,
    /// A region the grammar does not model: `deny` and `ask` rules only, and
    /// it carries a floor.
    Opaque,
}

/// Where a nested unit stands. The words are those of the review log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// `$(…)` or backquotes.
    CommandSubstitution,
    /// `<(…)` or `>(…)`.
    ProcessSubstitution,
    /// `(…)`.
    Subshell,
    /// The inner command of a wrapper (`sudo`, `timeout`, `xargs`, …).
    Wrapped,
    /// Inside a literal payload (`bash -c '…'`, `eval '…'`, `trap '…'`).
    Payload,
}

impl Context {
    /// The word used in logs and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CommandSubstitution => "command_substitution",
            Self::ProcessSubstitution => "process_substitution",
            Self::Subshell => "subshell",
            Self::Wrapped => "wrapped",
            Self::Payload => "payload",
        }
    }
}

/// Another text for a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The text to match.
    pub text: String,
    /// Which rules may match it.
    pub trust: Trust,
}

/// Which rules a spelling may be matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Provably the same program with the same arguments: every rule.
    Same,
    /// May only tighten: `deny` and `ask` rules.
    TightenOnly,
}

/// A lower bound on the verdict, because something cannot be seen through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// What kind of blindness.
    pub cause: FloorCause,
    /// The source concerned (see [`Unit::span`] for decoded payloads).
    pub span: Span,
    /// One line for a person: what exactly cannot be known.
    pub note: String,
}

/// Why a floor was imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloorCause {
    /// A payload handed to a shell or `eval` (spec 03 §3.1).
    OpaqueWrapper,
    /// A program that runs another one (spec 03 §3.1).
    IndirectionWrapper,
    /// A region bash itself would reject, or text after such a region.
    UnparsedSubtree,
    /// Nothing of the program could be read.
    UnparseableCommand,
    /// A command word that is known only at run time.
    ComputedCommand,
    /// A program made to run other programs or to write files by an option.
    Teeth,
    /// A path that is known only at run time.
    ComputedPath,
    /// A construct the analysis has no arm for.
    Unmodelled,
    /// A budget (bytes, depth, nodes) was exceeded.
    Limit,
    /// Starts an agent that this system does not guard.
    UnguardedChild,
}

impl FloorCause {
    /// The sentinel shown as the matched pattern.
    #[must_use]
    pub fn sentinel(self) -> &'static str {
        match self {
            Self::OpaqueWrapper => "<opaque-bash-wrapper>",
            Self::IndirectionWrapper => "<indirection-bash-wrapper>",
            Self::UnparsedSubtree => "<unparsed-bash-subtree>",
            Self::UnparseableCommand => "<unparseable-bash-command>",
            Self::ComputedCommand => "<computed-bash-command>",
            Self::Teeth => "<program-with-teeth>",
            Self::ComputedPath => "<computed-path>",
            Self::Unmodelled => "<unmodelled-bash-syntax>",
            Self::Limit => "<bash-analysis-limit>",
            Self::UnguardedChild => "<unguarded-child>",
        }
    }
}

/// Why a wrapper's floor was left out (spec 03 §4.2 and §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exemption {
    /// The inner command is a proven pure reader.
    CoreReader,
    /// The wrapper only changes how the same visible command runs.
    ExecutionModifier,
}

impl Exemption {
    /// The word used in logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CoreReader => "core-reader",
            Self::ExecutionModifier => "execution-modifier",
        }
    }
}

/// One path the program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathUse {
    /// The text after quote removal. A leading unquoted `~`, `$HOME` or
    /// `${HOME}` is written `~`, `$PWD` is written `.`; everything else that
    /// is known only at run time stays as typed and is marked by `certainty`.
    pub text: String,
    /// Where it stands (see [`Unit::span`]).
    pub span: Span,
    /// Which way data flows.
    pub direction: Direction,
    /// What proves the direction.
    pub proof: Proof,
    /// Which position it was found in.
    pub role: PathRole,
    /// The directory a relative text starts from.
    pub base: Base,
    /// How much of the text is known.
    pub certainty: Certainty,
    /// Index into [`Analysis::units`] of the command that uses it.
    pub unit: Option<usize>,
    /// Where it is a directory: what below it is read as well.
    pub below: Option<Below>,
}

/// What a program reads of everything below a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Below {
    /// Names with a leading dot too.
    pub hidden: bool,
    /// What the directory's ignore files list is left out.
    pub ignores: bool,
    /// Only files with a name that one of these globs matches; empty: all.
    pub include: Vec<String>,
    /// No files and directories with a name that one of these globs matches.
    pub exclude: Vec<String>,
}

/// Which way data flows between a program and a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Read only.
    Read,
    /// Written only.
    Write,
    /// Either or both: nothing was proved.
    Both,
}

/// What proves a direction. The words are those of the review log
/// (`effectSource`, spec 02 §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// A redirect operator.
    Syntax,
    /// The command is a pure reader, or its option is known to write.
    Core,
    /// A pure reader whose options withdrew the proof.
    Retracted,
    /// None.
    Unproven,
}

/// The position a path was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathRole {
    /// An operand that may or may not be a path: classified by shape, or by
    /// whether it exists (spec 03 §9).
    Operand,
    /// A word known to be a path whatever its shape and existence: the target
    /// of a redirect, or an option or operand that the program's table says
    /// is a file.
    File,
    /// As `File`, and what is in it is run as a program.
    Script,
    /// A part of a word (`in=x`, `@x`, `-fx`) that a program might take for a
    /// path. Only rules about it in particular count, and they ask.
    Embedded,
    /// The operand of `cd`.
    Directory,
    /// A command word with a `/` in it, which bash opens to run it.
    Program,
}

/// How the text of a path or base starts that lies in the root of the
/// repository around the session's directory.
pub const TOPLEVEL: &str = "$(git rev-parse --show-toplevel)";

/// The directory a relative path starts from, after folding `cd`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The session's directory joined with this text (empty: the directory
    /// itself; absolute or starting with `~`: that directory).
    Known(String),
    /// Known only at run time.
    Unknown,
}

/// How much of a path's text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Exactly this text.
    Literal,
    /// A glob: `*`, `?` and `[…]` in the text are unquoted and stand for what
    /// exists at run time. Quoted glob characters are escaped with `\`.
    Glob,
    /// Known only at run time; the text is as typed.
    Computed,
}

/// Something a person should see before answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// A short label, such as `runs` or `invisible character`.
    pub label: String,
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub span: Span,
}
