//! From the tree to units, path uses and floors.
//!
//! The walk visits every place where bash executes something, in source
//! order, and follows the directory and the variables as far as they are
//! certain.

mod bases;
mod builtins;
mod emit;
mod environment;
mod names;
mod paths;
mod simple;
mod suspects;
mod words;
mod written;

use std::borrow::Cow;

use countersign_text::Span;

use crate::analysis::{Analysis, Context, Floor, FloorCause, UnitKind};
use crate::limits::Limits;
use crate::parse::Builder;
use crate::tree::{
    AndOr, Command, CommandId, CommandKind, FaultKind, Joint, Map, Piece, ProgramId, SourceId,
    Target, Tree,
};
use bases::{Bases, Flow};
use names::Names;

pub use environment::variable_with_teeth;

/// What all parts of one analysis write to.
#[derive(Debug)]
pub(crate) struct Shared {
    pub analysis: Analysis,
    pub limits: Limits,
    /// Payloads and wrappers entered and not left.
    layers: u32,
    /// Bytes of payloads parsed so far.
    decoded: usize,
    limited: bool,
}

impl Shared {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            analysis: Analysis::default(),
            limits,
            layers: 0,
            decoded: 0,
            limited: false,
        }
    }

    /// Whether nothing more can be said than that a budget was exceeded.
    fn full(&self) -> bool {
        self.limited && self.analysis.units.len() >= self.limits.units
    }

    /// Notes, once, that a budget was exceeded.
    fn limit(&mut self, span: Span, note: &str) {
        if !self.limited {
            self.limited = true;
            self.analysis.floors.push(Floor {
                cause: FloorCause::Limit,
                span,
                note: note.to_owned(),
            });
        }
    }
}

/// Where in the program a command stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub source: SourceId,
    pub context: Option<Context>,
    /// May be skipped or repeated: what it assigns is not certain afterwards.
    pub depth: u32,
}

impl Place {
    fn within(self, context: Context) -> Self {
        Self {
            context: Some(context),
            ..self
        }
    }
}

/// What a payload did to the shell, if it was this one that ran it.
struct Ran {
    flow: Flow,
    moves: bool,
}

/// A variable whose value is certain here.
#[derive(Clone, Debug)]
struct Binding {
    name: String,
    values: Vec<Vec<crate::value::Atom>>,
}

/// Walks one parsed text.
pub(crate) struct Walker<'t, 'o> {
    tree: &'t Tree<'t>,
    out: &'o mut Shared,
    names: Names,
    bindings: Vec<Binding>,
}

/// Parses and walks `text`, which stands for `map` in the outermost source.
fn parse<'a>(text: Cow<'a, str>, map: Map, limits: Limits) -> (Tree<'a>, ProgramId) {
    let mut builder = Builder::new(limits);
    let program = builder.parse(text, map);
    (builder.tree, program)
}

/// The analysis of the outermost text.
pub(crate) fn outermost(text: &str, shared: &mut Shared) {
    let (tree, program) = parse(Cow::Borrowed(text), Map::Root, shared.limits);
    let mut walker = Walker::new(&tree, shared);
    walker.whole(program, None, &Bases::start());
    written::floors(&mut shared.analysis);
}

impl<'t, 'o> Walker<'t, 'o> {
    fn new(tree: &'t Tree<'t>, out: &'o mut Shared) -> Self {
        let names = Names::of(tree);
        Self {
            tree,
            out,
            names,
            bindings: Vec::new(),
        }
    }

    fn whole(&mut self, program: ProgramId, context: Option<Context>, start: &Bases) -> Flow {
        let source = self.tree.program(program).map_or(SourceId(0), |p| p.source);
        let place = Place {
            source,
            context,
            depth: 0,
        };
        let flow = self.program(program, place, start);
        self.faults(context);
        flow
    }

    /// A text that is run as a program: parsed by itself, its spans standing
    /// for `span`.
    fn payload(&mut self, text: &str, span: Span, context: Context, start: &Bases) -> Option<Ran> {
        self.out.decoded = self.out.decoded.saturating_add(text.len());
        if self.out.layers >= self.out.limits.layers
            || self.out.decoded > self.out.limits.decoded_bytes
            || text.contains('\0')
        {
            self.out.limit(span, "too many programs within programs");
            return None;
        }
        self.out.layers += 1;
        let limits = self.out.limits;
        let cut = floor_border(text, limits.input_bytes);
        if cut < text.len() {
            self.out
                .limit(span, "a program within this one is too long");
        }
        let known = text.get(..cut).unwrap_or("");
        let (tree, program) = parse(Cow::Borrowed(known), Map::At(span), limits);
        let mut inner = Walker::new(&tree, self.out);
        let flow = inner.whole(program, Some(context), start);
        let moves = inner.names.moves;
        self.out.layers -= 1;
        Some(Ran { flow, moves })
    }

    /// Every region that could not be read is a unit with a floor.
    fn faults(&mut self, context: Option<Context>) {
        for fault in &self.tree.faults {
            if self.out.full() {
                return;
            }
            let cause = match fault.kind {
                FaultKind::Syntax => FloorCause::UnparsedSubtree,
                FaultKind::Limit => FloorCause::Limit,
                FaultKind::Unmodelled => FloorCause::Unmodelled,
            };
            let span = self.tree.outer(fault.source, fault.span);
            let text = self.tree.slice(fault.source, fault.span).trim().to_owned();
            let index = self.push_unit(text, span, UnitKind::Opaque, context);
            self.floor(index, cause, span, fault.note);
        }
    }

    fn outer(&self, place: Place, span: Span) -> Span {
        self.tree.outer(place.source, span)
    }

    fn program(&mut self, id: ProgramId, place: Place, start: &Bases) -> Flow {
        let tree = self.tree;
        let Some(program) = tree.program(id) else {
            return Flow::same(start);
        };
        let place = Place {
            source: program.source,
            ..place
        };
        let mut now = start.clone();
        let mut flow = Flow::same(start);
        for item in &program.items {
            if self.out.full() {
                break;
            }
            flow = self.and_or(item, place, &now);
            now = flow.either(self.out.limits.bases);
        }
        flow
    }

    /// A program in a shell of its own: nothing it does to directory or
    /// variables is seen outside.
    fn own_shell(&mut self, id: ProgramId, place: Place, start: &Bases) {
        let mark = self.bindings.clone();
        let _ = self.program(id, place, start);
        self.bindings = mark;
    }

    /// Runs `walk` as something that may not happen, or happen often:
    /// variables it sets are not certain afterwards.
    fn uncertain<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.bindings.len();
        let result = walk(self);
        self.bindings.truncate(mark);
        result
    }

    fn and_or(&mut self, item: &AndOr, place: Place, start: &Bases) -> Flow {
        if item.background {
            let mark = self.bindings.clone();
            let _ = self.chain(item, place, start);
            self.bindings = mark;
            return Flow::same(start);
        }
        self.chain(item, place, start)
    }

    fn chain(&mut self, item: &AndOr, place: Place, start: &Bases) -> Flow {
        let limit = self.out.limits.bases;
        let mut flow = self.command(item.first, place, start);
        for (joint, next) in &item.rest {
            let from = match joint {
                Joint::And => flow.ok.clone(),
                // Also judged as if the left side had succeeded (spec 03 §10):
                // stricter than bash, and what rules were written against.
                Joint::Or => flow.failed.or(&flow.ok, limit),
            };
            let then = self.uncertain(|w| w.command(*next, place, &from));
            flow = match joint {
                Joint::And => Flow {
                    ok: then.ok,
                    failed: flow.failed.or(&then.failed, limit),
                },
                Joint::Or => Flow {
                    ok: flow.ok.or(&then.ok, limit),
                    failed: then.failed,
                },
            };
        }
        flow
    }

    fn command(&mut self, id: CommandId, place: Place, start: &Bases) -> Flow {
        let tree = self.tree;
        let Some(command) = tree.command(id) else {
            return Flow::same(start);
        };
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(command, simple, place, start),
            CommandKind::Pipeline {
                negated,
                timed,
                stages,
            } => self.pipeline(command, *negated, *timed, stages, place, start),
            CommandKind::Missing => Flow::same(start),
            _ => self.compound(command, place, start),
        }
    }

    fn pipeline(
        &mut self,
        command: &Command,
        negated: bool,
        timed: Option<Span>,
        stages: &[CommandId],
        place: Place,
        start: &Bases,
    ) -> Flow {
        if let (Some(timed), Some(first)) = (timed, stages.first()) {
            self.timed(command, timed, *first, place);
        }
        if stages.is_empty() {
            // `time` or `!` alone.
            let text = self.tree.slice(place.source, command.span).trim();
            let (text, span) = (text.to_owned(), self.outer(place, command.span));
            self.push_unit(text, span, UnitKind::Command, place.context);
        }
        let flow = match stages {
            [only] => self.command(*only, place, start),
            _ => {
                for stage in stages {
                    let mark = self.bindings.clone();
                    let _ = self.command(*stage, place, start);
                    self.bindings = mark;
                }
                if command.moves && self.names.last_in_shell {
                    Flow::same(&Bases::unknown())
                } else {
                    Flow::same(start)
                }
            }
        };
        if negated { flow.negated() } else { flow }
    }

    fn compound(&mut self, command: &Command, place: Place, start: &Bases) -> Flow {
        let span = self.outer(place, command.span);
        let text = self.text_without_redirects(command, place);
        let kind = match command.kind {
            CommandKind::Test(_) | CommandKind::Arithmetic(_) => UnitKind::Command,
            _ => UnitKind::Compound,
        };
        let unit = self.push_unit(text, span, kind, place.context);
        let flow = self.inside(command, unit, place, start);
        self.redirects(&command.redirects, Some(unit), place, start);
        flow
    }

    /// The parts of a compound command.
    fn inside(&mut self, command: &Command, unit: usize, place: Place, start: &Bases) -> Flow {
        let limit = self.out.limits.bases;
        match &command.kind {
            CommandKind::Subshell(body) => {
                let inner = Place {
                    depth: 0,
                    ..place.within(Context::Subshell)
                };
                self.own_shell(*body, inner, start);
                Flow::same(start)
            }
            CommandKind::Group(body) => self.program(*body, place, start),
            CommandKind::If { clauses, otherwise } => {
                let inner = place.deeper();
                let mut from = start.clone();
                let mut end: Option<Bases> = None;
                for (i, (condition, body)) in clauses.iter().enumerate() {
                    let flow = if i == 0 {
                        self.program(*condition, place, &from)
                    } else {
                        self.uncertain(|w| w.program(*condition, inner, &from))
                    };
                    let done = self.uncertain(|w| w.program(*body, inner, &flow.ok));
                    end = Some(done.either(limit).or_opt(end.as_ref(), limit));
                    from = flow.failed;
                }
                let last = match otherwise {
                    Some(body) => {
                        let done = self.uncertain(|w| w.program(*body, inner, &from));
                        done.either(limit)
                    }
                    None => from,
                };
                Flow::same(&last.or_opt(end.as_ref(), limit))
            }
            CommandKind::While { condition, body } => {
                let start = repeated(command, start);
                let inner = place.deeper();
                let flow = self.uncertain(|w| {
                    let flow = w.program(*condition, inner, &start);
                    let _ = w.program(*body, inner, &flow.ok);
                    flow
                });
                Flow::same(&flow.either(limit).or(&start, limit))
            }
            CommandKind::For { name, values, body } => {
                self.for_loop(command, *name, values.as_deref(), *body, unit, place, start)
            }
            CommandKind::ForArithmetic { header, body } => {
                let start = repeated(command, start);
                self.arithmetic(header, Some(unit), place, &start);
                self.uncertain(|w| w.program(*body, place.deeper(), &start));
                Flow::same(&start)
            }
            CommandKind::Case { subject, arms } => {
                self.word(*subject, Some(unit), place, start);
                self.subject_paths(*subject, unit, place, start);
                let inner = place.deeper();
                let mut end = start.clone();
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.word(*pattern, Some(unit), place, start);
                    }
                    // With `;&` an arm starts where the one before ended.
                    let done = self.uncertain(|w| w.program(arm.body, inner, &end));
                    end = end.or(&done.either(limit), limit);
                }
                Flow::same(&end)
            }
            CommandKind::Test(items) => {
                self.test_items(items, unit, place, start);
                Flow::same(start)
            }
            CommandKind::Arithmetic(pieces) => {
                self.arithmetic(pieces, Some(unit), place, start);
                Flow::same(start)
            }
            CommandKind::Function { name, body } => {
                self.word(*name, Some(unit), place, start);
                let bases = if self.names.moves {
                    Bases::unknown()
                } else {
                    start.clone()
                };
                // Its body runs whenever it is called: nothing is certain.
                let mark = std::mem::take(&mut self.bindings);
                let inner = Place { depth: 0, ..place };
                let _ = self.command(*body, inner, &bases);
                self.bindings = mark;
                Flow::same(start)
            }
            CommandKind::Coproc { name, body } => {
                if let Some(name) = name {
                    self.word(*name, Some(unit), place, start);
                }
                let mark = self.bindings.clone();
                let _ = self.command(*body, place, start);
                self.bindings = mark;
                Flow::same(start)
            }
            CommandKind::Simple(_) | CommandKind::Pipeline { .. } | CommandKind::Missing => {
                Flow::same(start)
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one arm of `inside`, cut out for its length"
    )]
    fn for_loop(
        &mut self,
        command: &Command,
        name: crate::tree::WordId,
        values: Option<&[crate::tree::WordId]>,
        body: ProgramId,
        unit: usize,
        place: Place,
        start: &Bases,
    ) -> Flow {
        self.word(name, Some(unit), place, start);
        for value in values.unwrap_or_default() {
            self.word(*value, Some(unit), place, start);
            self.operand_word(*value, unit, place, start);
        }
        let bases = repeated(command, start);
        self.uncertain(|w| {
            w.bind_loop(name, values, place);
            w.program(body, place.deeper(), &bases)
        });
        Flow::same(&bases)
    }

    /// Pieces that are evaluated as arithmetic.
    fn arithmetic(&mut self, pieces: &[Piece], unit: Option<usize>, place: Place, start: &Bases) {
        self.pieces(pieces, unit, place, start);
        if let Some((span, note)) = self
            .names
            .unsafe_arithmetic(self.tree, place.source, pieces)
        {
            let span = self.outer(place, span);
            self.floor_at(unit, FloorCause::Unmodelled, span, note);
        }
    }

    fn redirects(
        &mut self,
        redirects: &[crate::tree::Redirect],
        unit: Option<usize>,
        place: Place,
        start: &Bases,
    ) {
        for redirect in redirects {
            match redirect.target {
                Target::Word(word) => {
                    self.word(word, unit, place, start);
                    self.redirect_path(redirect, word, unit, place, start);
                }
                Target::Heredoc(id) => {
                    let tree = self.tree;
                    if let Some(heredoc) = tree.heredoc(id) {
                        let inner = Place {
                            source: heredoc.source,
                            ..place
                        };
                        self.pieces(&heredoc.pieces, unit, inner, start);
                    }
                }
                Target::Missing => {}
            }
        }
    }
}

impl Place {
    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// The directories something may start in that is run more than once.
fn repeated(command: &Command, start: &Bases) -> Bases {
    if command.moves {
        Bases::unknown()
    } else {
        start.clone()
    }
}

/// The largest character border of `text` that is at most `limit`.
pub(crate) fn floor_border(text: &str, limit: usize) -> usize {
    let mut at = limit.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
