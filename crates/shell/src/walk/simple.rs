//! Simple commands: units, spellings, wrappers.

use countersign_text::Span;

use super::bases::{Bases, Flow};
use super::words::Item;
use super::{Place, Walker, variable_with_teeth};
use crate::analysis::{
    Base, Context, Exemption, FloorCause, PathRole, Proof, Spelling, Trust, UnitKind,
};
use crate::program::{self, Arg, Run};
use crate::tree::{
    AssignedValue, Assignment, Command, CommandId, CommandKind, Redirect, RedirectKind, Simple,
    Target,
};
use crate::value::UNKNOWN;

/// What surrounds the words of one command.
#[derive(Clone, Copy)]
pub(super) struct Around<'c> {
    pub place: Place,
    pub redirects: &'c [Redirect],
    /// Whether a redirect may write a file.
    pub writes: bool,
    /// Its words come from more than the text shows (`xargs`).
    pub appended: bool,
}

impl Walker<'_, '_> {
    pub(super) fn simple(
        &mut self,
        command: &Command,
        simple: &Simple,
        place: Place,
        start: &Bases,
    ) -> Flow {
        let tree = self.tree;
        let (first, last) = match (simple.words.first(), simple.words.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => return self.wordless(command, simple, place, start),
        };
        let from = tree.word(first).map_or(command.span, |w| w.span);
        let to = tree.word(last).map_or(command.span, |w| w.span);
        let words = from.cover(to);
        let text = self.text_between(words, &command.redirects, place);
        let unit = self.push_unit(
            text,
            self.outer(place, words),
            UnitKind::Command,
            place.context,
        );
        for assignment in &simple.assignments {
            self.assignment(assignment, Some(unit), place, start);
            self.teeth(assignment, unit, place);
            self.handed_on(assignment, unit, place, start);
        }
        for word in &simple.words {
            self.word(*word, Some(unit), place, start);
        }
        self.redirects(&command.redirects, Some(unit), place, start);
        let items = self.items(&simple.words, place);
        let around = Around {
            place,
            redirects: &command.redirects,
            writes: self.may_write(&command.redirects, place),
            appended: false,
        };
        self.judge(&items, unit, around, start)
    }

    /// Assignments or redirects without a command.
    fn wordless(
        &mut self,
        command: &Command,
        simple: &Simple,
        place: Place,
        start: &Bases,
    ) -> Flow {
        let text = if simple.assignments.is_empty() {
            self.tree
                .slice(place.source, command.span)
                .trim()
                .to_owned()
        } else {
            self.text_without_redirects(command, place)
        };
        let span = self.outer(place, command.span);
        let unit = self.push_unit(text, span, UnitKind::Command, place.context);
        for assignment in &simple.assignments {
            self.assignment(assignment, Some(unit), place, start);
            self.teeth(assignment, unit, place);
            self.bind(assignment, place);
        }
        self.redirects(&command.redirects, Some(unit), place, start);
        Flow::same(start)
    }

    /// A floor for a variable that makes other programs run something.
    pub(super) fn teeth(&mut self, assignment: &Assignment, unit: usize, place: Place) {
        let value = match assignment.value {
            AssignedValue::Word(id) if !assignment.append => self
                .tree
                .word(id)
                .map(|word| self.expanding(place, |e| e.single(word))),
            _ => None,
        };
        let exact = value.as_ref().and_then(|v| v.exact());
        if let Some(what) = variable_with_teeth(&assignment.name, exact) {
            let span = self.outer(place, assignment.span);
            let note = format!("`{}` {what}", assignment.name);
            self.floor(unit, FloorCause::Teeth, span, note);
        }
    }

    /// Whether any redirect may write a file (spec 03 §8.3).
    fn may_write(&self, redirects: &[Redirect], place: Place) -> bool {
        redirects.iter().any(|redirect| {
            let target = match redirect.target {
                Target::Word(id) => self.tree.word(id),
                _ => None,
            };
            let value = target.map(|word| self.expanding(place, |e| e.single(word)));
            let text = value.as_ref().and_then(|v| v.exact());
            match redirect.kind {
                RedirectKind::Read | RedirectKind::HereString | RedirectKind::Heredoc => false,
                RedirectKind::DuplicateIn => false,
                RedirectKind::DuplicateOut => !text.is_some_and(super::paths::is_descriptor),
                RedirectKind::Write | RedirectKind::ReadWrite => text != Some("/dev/null"),
            }
        })
    }

    /// The unit of `time command`, whose words are those of the first stage.
    pub(super) fn timed(
        &mut self,
        pipeline: &Command,
        timed: Span,
        first: CommandId,
        place: Place,
    ) {
        let tree = self.tree;
        let Some(stage) = tree.command(first) else {
            return;
        };
        let prefix = tree.slice(place.source, timed).trim().to_owned();
        let span = self.outer(place, pipeline.span);
        match &stage.kind {
            CommandKind::Simple(simple) => {
                let rest = match (simple.words.first(), simple.words.last()) {
                    (Some(first), Some(last)) => {
                        let from = tree.word(*first).map_or(stage.span, |w| w.span);
                        let to = tree.word(*last).map_or(stage.span, |w| w.span);
                        self.text_between(from.cover(to), &stage.redirects, place)
                    }
                    _ => self.text_without_redirects(stage, place),
                };
                let text = format!("{prefix} {rest}");
                let unit = self.push_unit(text, span, UnitKind::Command, place.context);
                self.modifier(unit, rest);
            }
            _ => {
                let rest = self.text_without_redirects(stage, place);
                let text = format!("{prefix} {rest}");
                let unit = self.push_unit(text, span, UnitKind::Compound, place.context);
                self.modifier(unit, rest);
            }
        }
    }

    fn modifier(&mut self, unit: usize, executed: String) {
        if let Some(unit) = self.out.analysis.units.get_mut(unit) {
            unit.exemption = Some(Exemption::ExecutionModifier);
            unit.executed = Some(executed);
        }
    }

    /// Judges the words of one command, typed or run by a wrapper.
    pub(super) fn judge(
        &mut self,
        items: &[Item],
        unit: usize,
        around: Around<'_>,
        start: &Bases,
    ) -> Flow {
        let Some(first) = items.first() else {
            return Flow::same(start);
        };
        self.spell(items, unit, around.appended);
        let Some(name) = first.exact().filter(|_| !first.value.splits) else {
            self.floor(
                unit,
                FloorCause::ComputedCommand,
                first.span,
                format!("`{}` is known only at run time", first.source),
            );
            self.operands(items, unit, None, start);
            return Flow::same(&Bases::unknown());
        };
        if !first.alone {
            // Brace expansion made the command word.
            self.floor(
                unit,
                FloorCause::ComputedCommand,
                first.span,
                "braces make the command word",
            );
        }
        if name.is_empty() {
            return Flow::same(start);
        }
        if name.contains('/') {
            self.program_path(first, unit, start);
        }
        let base = name.rsplit('/').next().unwrap_or(name).to_owned();
        let is_function = self.names.functions.contains(name);
        if !is_function && let Some(flow) = self.builtin(name, &base, items, unit, around, start) {
            return flow;
        }
        self.external(&base, items, unit, around, start);
        if is_function && self.names.moves {
            return Flow::same(&Bases::unknown());
        }
        Flow::same(start)
    }

    /// A program, by what the tables know of it.
    fn external(
        &mut self,
        base: &str,
        items: &[Item],
        unit: usize,
        around: Around<'_>,
        start: &Bases,
    ) {
        let args: Vec<Arg<'_>> = items.iter().map(Item::arg).collect();
        let facts = program::facts(&args, around.writes);
        let span = items
            .iter()
            .map(|item| item.span)
            .reduce(Span::cover)
            .unwrap_or_default();
        for (cause, note) in &facts.floors {
            self.floor(unit, *cause, span, note.clone());
        }
        if let Some(exemption) = facts.exemption
            && let Some(unit) = self.out.analysis.units.get_mut(unit)
        {
            unit.exemption = Some(exemption);
        }
        let inner_start = if facts.changes_directory {
            Bases::unknown()
        } else {
            start.clone()
        };
        self.operands(items, unit, Some(&facts), start);
        self.table_paths(items, unit, &facts, start);
        self.without_options(items, unit, facts.verb);
        for text in &facts.also {
            self.also(unit, text.clone());
        }
        if let Some(from) = facts.unknown {
            self.suspect(items, from, unit);
        }
        let appends = matches!(
            base,
            "xargs" | "parallel" | "rush" | "rust-parallel" | "fd" | "fdfind" | "find" | "entr"
        );
        for run in &facts.runs {
            match run {
                Run::Words { start: from, end } => {
                    let inner = items.get(*from..*end).unwrap_or_default();
                    self.wrapped(
                        inner,
                        unit,
                        Around {
                            appended: appends || around.appended,
                            ..around
                        },
                        &inner_start,
                    );
                }
                Run::Script { arg, offset } => {
                    let Some(item) = items.get(*arg) else {
                        continue;
                    };
                    match item.exact().and_then(|text| text.get(*offset..)) {
                        Some(text) => {
                            let text = text.to_owned();
                            self.executed(unit, &text, item.span);
                            self.payload(&text, item.span, Context::Payload, &inner_start);
                        }
                        None => self.floor(
                            unit,
                            FloorCause::OpaqueWrapper,
                            item.span,
                            "runs a text that is known only at run time",
                        ),
                    }
                }
                Run::Text(text) => {
                    self.executed(unit, text, span);
                    self.payload(text, span, Context::Payload, &inner_start);
                }
            }
        }
    }

    /// `git -C dir push` is also `git push`, for rules against it.
    fn without_options(&mut self, items: &[Item], unit: usize, verb: Option<usize>) {
        let Some(at) = verb else { return };
        let words = items.iter().take(1).chain(items.iter().skip(at));
        let text = join(words.map(|item| item.value.text.as_str()));
        self.also(unit, text);
    }

    /// Another text for a unit, for rules against it.
    fn also(&mut self, unit: usize, text: String) {
        if let Some(unit) = self.out.analysis.units.get_mut(unit)
            && !unit.spellings.iter().any(|s| s.text == text)
        {
            unit.spellings.push(Spelling {
                text,
                trust: Trust::TightenOnly,
            });
        }
    }

    /// Notes what a wrapper really runs.
    pub(super) fn executed(&mut self, unit: usize, text: &str, span: Span) {
        if text.is_empty() || text.starts_with('-') {
            return;
        }
        if let Some(unit) = self.out.analysis.units.get_mut(unit) {
            if unit.text == text {
                return;
            }
            unit.executed.get_or_insert_with(|| text.to_owned());
        }
        self.fact("runs", text, span);
    }

    /// The words a wrapper runs, as a unit of their own.
    pub(super) fn wrapped(
        &mut self,
        items: &[Item],
        outer: usize,
        around: Around<'_>,
        start: &Bases,
    ) -> Flow {
        let (Some(first), Some(last)) = (items.first(), items.last()) else {
            return Flow::same(start);
        };
        let span = items.iter().map(|i| i.span).fold(first.span, Span::cover);
        if self.out.layers >= self.out.limits.layers {
            self.out.limit(span, "too many wrappers within wrappers");
            return Flow::same(start);
        }
        let whole = items.iter().all(|item| item.alone);
        let text = if whole {
            self.text_between(
                first.local.cover(last.local),
                around.redirects,
                around.place,
            )
        } else {
            let words: Vec<&str> = items.iter().map(|i| i.value.text.as_str()).collect();
            words.join(" ")
        };
        self.executed(outer, &text, span);
        let unit = self.push_unit(text, span, UnitKind::Command, Some(Context::Wrapped));
        let opens =
            |name: &str| !matches!(name, "echo" | "printf" | "basename" | "dirname" | "true");
        if around.appended && first.exact().is_none_or(opens) {
            self.appended_path(unit, span, start);
        }
        self.out.layers += 1;
        let flow = self.judge(items, unit, around, start);
        self.out.layers -= 1;
        flow
    }

    /// The other texts a unit may be matched by.
    fn spell(&mut self, items: &[Item], unit: usize, appended: bool) {
        let Some(text) = self.out.analysis.units.get(unit).map(|u| u.text.clone()) else {
            return;
        };
        let mut spellings = Vec::new();
        let mut open = Vec::new();
        let joined = join(items.iter().map(|i| i.value.text.as_str()));
        let known = items.iter().all(|item| item.exact().is_some());
        if known {
            let same = items
                .iter()
                .all(|item| item.alone && is_unambiguous(&item.value.text));
            if joined != text {
                let trust = if same {
                    Trust::Same
                } else {
                    Trust::TightenOnly
                };
                spellings.push((joined.clone(), trust));
            }
        } else {
            let typed = join(items.iter().map(|i| {
                if i.alone && i.exact().is_none() {
                    i.source.as_str()
                } else {
                    i.value.text.as_str()
                }
            }));
            if typed != text {
                spellings.push((typed, Trust::TightenOnly));
            }
            // A word that is not quoted may vanish.
            let rest = join(
                items
                    .iter()
                    .filter(|i| !i.value.splits)
                    .map(|i| i.value.text.as_str()),
            );
            if items.iter().any(|i| i.value.splits) && !rest.is_empty() {
                spellings.push((rest, Trust::TightenOnly));
            }
        }
        if !known || appended {
            open = open_texts(items);
            if appended {
                // What `find` and `xargs` put in the place of `{}`.
                for pattern in &mut open {
                    *pattern = pattern.replace("{}", UNKNOWN);
                    pattern.push_str(UNKNOWN);
                }
            }
        }
        if let Some(first) = items
            .iter()
            .find_map(|i| i.exact().filter(|t| !t.is_empty()))
            && let Some((_, base)) = first.rsplit_once('/')
            && !base.is_empty()
        {
            let from = joined.find(first).map_or(0, |at| at + first.len());
            let rest = joined.get(from..).unwrap_or("");
            spellings.push((format!("{base}{rest}"), Trust::TightenOnly));
        }
        if let Some(unit) = self.out.analysis.units.get_mut(unit) {
            for (text, trust) in spellings {
                if unit.text != text && !unit.spellings.iter().any(|s| s.text == text) {
                    unit.spellings.push(Spelling { text, trust });
                }
            }
            unit.open = open;
        }
    }

    fn program_path(&mut self, first: &Item, unit: usize, start: &Bases) {
        self.emit_path(
            &first.value,
            0,
            first.span,
            (crate::analysis::Direction::Read, Proof::Core),
            PathRole::Program,
            Some(unit),
            start,
        );
    }

    /// Paths that reach a command from elsewhere.
    fn appended_path(&mut self, unit: usize, span: Span, start: &Bases) {
        let base = start.iter().next().unwrap_or(Base::Unknown);
        self.computed_path("(words read at run time)", span, unit, base);
    }
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (i, word) in words.enumerate() {
        if i > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// More words than this that may vanish are taken together.
const VANISHING: usize = 3;

/// The command as patterns: one for each choice of which of the words that may
/// come to nothing do. Of many such words, one pattern in which each takes the
/// blank before it along, and which stands for more than can happen.
fn open_texts(items: &[Item]) -> Vec<String> {
    let mut words: Vec<(bool, &str)> = Vec::new();
    for item in items {
        let vanishes = item.value.splits && item.value.open == UNKNOWN;
        // Several in a row stand for no more than one of them.
        if !(vanishes && words.last().is_some_and(|(last, _)| *last)) {
            words.push((vanishes, &item.value.open));
        }
    }
    let count = words.iter().filter(|(vanishes, _)| *vanishes).count();
    if count > VANISHING {
        return vec![open_text(items)];
    }
    let choice = |absent: u32| {
        let mut nth = 0;
        let kept = words.iter().filter(|(vanishes, _)| {
            nth += u32::from(*vanishes);
            !*vanishes || absent >> (nth - 1) & 1 == 0
        });
        join(kept.map(|(_, open)| *open))
    };
    (0..1u32 << count).map(choice).collect()
}

/// The command as one pattern. A word that may vanish takes the blank before
/// it along.
fn open_text(items: &[Item]) -> String {
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        let open = &item.value.open;
        let vanishing = item.value.splits && open == UNKNOWN;
        if i > 0 && !vanishing && !(out == UNKNOWN && i == 1) {
            out.push(' ');
        }
        if !(vanishing && out.ends_with(UNKNOWN)) {
            out.push_str(open);
        }
    }
    out
}

/// Characters that stand for themselves, in bash and in rules, whether they
/// are quoted or not.
fn is_unambiguous(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_./:@%+,=-".contains(c))
}
