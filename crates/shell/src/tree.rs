//! The syntax tree of a bash program.
//!
//! Nodes that can nest without bound in width live in arenas and are named by
//! ids. Every span is in bytes of the text of the [`Source`] the node belongs
//! to; [`Tree::outer`] maps it to the outermost source.

use std::borrow::Cow;

use countersign_text::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) u32);
    };
}
id!(
    /// A text that was parsed: the program itself, or one decoded from it.
    SourceId
);
id!(
    /// A list of commands.
    ProgramId
);
id!(
    /// One command.
    CommandId
);
id!(
    /// One word.
    WordId
);
id!(
    /// One here-document.
    HeredocId
);

/// How positions of a decoded text map to the text it was decoded from.
#[derive(Clone, Debug)]
pub(crate) enum Map {
    /// The outermost text.
    Root,
    /// `(inner, outer)` starts of runs that were copied unchanged.
    Runs {
        parent: SourceId,
        runs: Vec<(u32, u32)>,
        end: u32,
    },
    /// The whole text stands for this span of the outermost text.
    At(Span),
}

/// A text that was parsed.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    pub text: Cow<'a, str>,
    pub map: Map,
}

/// The whole parse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree<'a> {
    pub sources: Vec<Source<'a>>,
    pub programs: Vec<Program>,
    pub commands: Vec<Command>,
    pub words: Vec<Word>,
    pub heredocs: Vec<Heredoc>,
    pub faults: Vec<Fault>,
    /// Whether any command anywhere may change the directory.
    pub moves: bool,
}

/// A list of commands.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub source: SourceId,
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub(crate) struct AndOr {
    pub first: CommandId,
    pub rest: Vec<(Joint, CommandId)>,
    pub background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    And,
    Or,
}

/// One command with its redirects.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub source: SourceId,
    pub kind: CommandKind,
    /// Without the redirects that follow a compound command.
    pub span: Span,
    pub redirects: Vec<Redirect>,
    /// Whether this command or one inside it may change the directory.
    pub moves: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum CommandKind {
    Simple(Simple),
    Pipeline {
        negated: bool,
        /// `time`, with its options.
        timed: Option<Span>,
        stages: Vec<CommandId>,
    },
    Subshell(ProgramId),
    Group(ProgramId),
    If {
        clauses: Vec<(ProgramId, ProgramId)>,
        otherwise: Option<ProgramId>,
    },
    While {
        condition: ProgramId,
        body: ProgramId,
    },
    For {
        name: WordId,
        values: Option<Vec<WordId>>,
        body: ProgramId,
    },
    ForArithmetic {
        header: Vec<Piece>,
        body: ProgramId,
    },
    Case {
        subject: WordId,
        arms: Vec<Arm>,
    },
    Test(Vec<TestItem>),
    Arithmetic(Vec<Piece>),
    Function {
        name: WordId,
        body: CommandId,
    },
    Coproc {
        name: Option<WordId>,
        body: CommandId,
    },
    /// Nothing was there, after an error.
    Missing,
}

#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub patterns: Vec<WordId>,
    pub body: ProgramId,
}

#[derive(Clone, Debug)]
pub(crate) enum TestItem {
    Word(WordId),
    /// A unary or binary operator, as written.
    Operator(Span),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<WordId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub span: Span,
    pub name: String,
    pub subscript: Option<Vec<Piece>>,
    pub append: bool,
    pub value: AssignedValue,
}

#[derive(Clone, Debug)]
pub(crate) enum AssignedValue {
    Word(WordId),
    Array(Vec<WordId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    ReadWrite,
    /// `<&` and `>&`: a descriptor, or for `>&` a file.
    DuplicateIn,
    DuplicateOut,
    HereString,
    Heredoc,
}

#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    pub kind: RedirectKind,
    pub span: Span,
    /// `{name}` before the operator.
    pub variable: Option<String>,
    pub target: Target,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Word(WordId),
    Heredoc(HeredocId),
    Missing,
}

#[derive(Clone, Debug)]
pub(crate) struct Heredoc {
    pub quoted: bool,
    pub source: SourceId,
    /// Without the end marker; empty until its lines were read.
    pub body: Span,
    /// Nothing when the delimiter is quoted.
    pub pieces: Vec<Piece>,
}

/// One word, or one text that is expanded like one.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub source: SourceId,
    pub span: Span,
    /// Nothing but literal characters without meaning: the value is the text
    /// under the span, and `pieces` is empty.
    pub plain: bool,
    pub pieces: Vec<Piece>,
    /// In a declaration's arguments: `name=(…)` or `name=value`.
    pub assignment: Option<Box<Assignment>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub span: Span,
    pub kind: PieceKind,
}

#[derive(Clone, Debug)]
pub(crate) enum PieceKind {
    /// Unquoted characters (or, inside double quotes and here-documents,
    /// characters without meaning there).
    Literal,
    /// A backslash and the character it protects.
    Escaped,
    /// `'…'`, the span with its quotes.
    Single,
    /// `$'…'`, decoded; `None` when it does not yield text.
    AnsiC(Option<Box<str>>),
    /// `"…"` and `$"…"`.
    Double {
        pieces: Vec<Piece>,
        localized: bool,
    },
    Parameter(Box<Parameter>),
    /// `$(…)` and backquotes.
    Command(ProgramId),
    /// `<(…)` and `>(…)`.
    Process(ProgramId),
    /// `$((…))` and `$[…]`, and subscripts.
    Arithmetic(Vec<Piece>),
    /// `@(…)` and its like.
    Extglob(Vec<Piece>),
}

/// `$name` or `${…}`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The name; empty when it is not one bash knows.
    pub name: String,
    /// `${!…}`.
    pub indirect: bool,
    /// `${#…}`.
    pub length: bool,
    /// Whether it is the bare name, with or without braces.
    pub bare: bool,
    /// The subscript.
    pub subscript: Option<Vec<Piece>>,
    /// The first characters of the operator, such as `:-`, `/`, `@`, `:`.
    pub operator: Option<char>,
    /// Whether the operator is `:` followed by an expression.
    pub substring: bool,
    /// Everything after the name and the subscript.
    pub rest: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Bash reports a syntax error here.
    Syntax,
    /// A budget was exceeded.
    Limit,
    /// Valid, or valid under some options, but not modelled.
    Unmodelled,
}

/// A region that could not be read.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    pub source: SourceId,
    pub span: Span,
    pub note: &'static str,
}

impl<'a> Tree<'a> {
    pub(crate) fn program(&self, id: ProgramId) -> Option<&Program> {
        self.programs.get(id.0 as usize)
    }

    pub(crate) fn command(&self, id: CommandId) -> Option<&Command> {
        self.commands.get(id.0 as usize)
    }

    pub(crate) fn word(&self, id: WordId) -> Option<&Word> {
        self.words.get(id.0 as usize)
    }

    pub(crate) fn heredoc(&self, id: HeredocId) -> Option<&Heredoc> {
        self.heredocs.get(id.0 as usize)
    }

    /// The text of a source; empty for an unknown one.
    pub(crate) fn text(&self, id: SourceId) -> &str {
        self.sources.get(id.0 as usize).map_or("", |s| &s.text)
    }

    /// The text under `span` in `source`.
    pub(crate) fn slice(&self, source: SourceId, span: Span) -> &str {
        span.of(self.text(source)).unwrap_or("")
    }

    /// Where `span` of `source` stands in the outermost text.
    pub(crate) fn outer(&self, mut source: SourceId, mut span: Span) -> Span {
        // A source's parent always has a smaller number, so this ends.
        loop {
            let Some(entry) = self.sources.get(source.0 as usize) else {
                return span;
            };
            match &entry.map {
                Map::Root => return span,
                Map::At(at) => return *at,
                Map::Runs { parent, runs, end } => {
                    let start = map_position(runs, span.start, *end);
                    let last = if span.end > span.start {
                        map_position(runs, span.end - 1, *end).saturating_add(1)
                    } else {
                        start
                    };
                    let stop = if span.end as usize >= entry.text.len() {
                        *end
                    } else {
                        // The byte before the end may be the last of a run;
                        // a character border follows it in both texts.
                        last
                    };
                    span = Span {
                        start,
                        end: stop.max(start),
                    };
                    source = *parent;
                }
            }
        }
    }

    pub(crate) fn add_source(&mut self, text: Cow<'a, str>, map: Map) -> SourceId {
        self.sources.push(Source { text, map });
        SourceId(index(self.sources.len()))
    }

    pub(crate) fn add_program(&mut self, program: Program) -> ProgramId {
        self.programs.push(program);
        ProgramId(index(self.programs.len()))
    }

    pub(crate) fn add_command(&mut self, command: Command) -> CommandId {
        self.commands.push(command);
        CommandId(index(self.commands.len()))
    }

    pub(crate) fn add_word(&mut self, word: Word) -> WordId {
        self.words.push(word);
        WordId(index(self.words.len()))
    }

    pub(crate) fn add_heredoc(&mut self, heredoc: Heredoc) -> HeredocId {
        self.heredocs.push(heredoc);
        HeredocId(index(self.heredocs.len()))
    }
}

fn map_position(runs: &[(u32, u32)], at: u32, end: u32) -> u32 {
    let next = runs.partition_point(|(inner, _)| *inner <= at);
    match runs.get(next.wrapping_sub(1)) {
        Some((inner, outer)) => outer.saturating_add(at - inner).min(end),
        None => end,
    }
}

fn index(len: usize) -> u32 {
    u32::try_from(len.saturating_sub(1)).unwrap_or(u32::MAX)
}
