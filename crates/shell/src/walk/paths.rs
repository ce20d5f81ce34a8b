//! Path uses.

use countersign_text::Span;

use super::bases::Bases;
use super::words::Item;
use super::{Place, Walker};
use crate::analysis::{Base, Certainty, Direction, PathRole, PathUse, Proof, TOPLEVEL};
use crate::program::{Facts, Run};
use crate::tree::{AssignedValue, Assignment, Redirect, RedirectKind, TestItem, WordId};
use crate::value::Value;

/// Whether the target of `>&` or `<&` is a descriptor, or closes one.
pub(super) fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    digits.bytes().all(|b| b.is_ascii_digit())
}

impl Walker<'_, '_> {
    /// The path in `value` from byte `offset` on, under every base.
    #[expect(clippy::too_many_arguments, reason = "the parts of one path use")]
    pub(super) fn emit_path(
        &mut self,
        value: &Value,
        offset: usize,
        span: Span,
        (direction, proof): (Direction, Proof),
        role: PathRole,
        unit: Option<usize>,
        start: &Bases,
    ) {
        let Some(tail) = value.text.get(offset..) else {
            return;
        };
        if value.pipe || (tail.is_empty() && value.certainty == Certainty::Literal) {
            return;
        }
        let mut certainty = value.certainty;
        if certainty == Certainty::Glob && self.names.odd_globs {
            certainty = Certainty::Computed;
        }
        let mut texts = vec![tail.to_owned()];
        if tail.starts_with(TOPLEVEL) && !self.git_is_git() {
            // Whatever that prints now, it is not the root of the repository.
            texts = vec![tail.replacen(')', " )", 1)];
        }
        if offset > 0 && tail.starts_with('~') && value.home != Some(offset) {
            // Bash leaves this `~` alone; the program may not.
            texts.push(format!("./{tail}"));
        }
        if certainty == Certainty::Glob && tail.contains('[') {
            // A pattern that matches nothing stays as it is.
            let literal = tail.replace('\\', "");
            self.push_paths(
                &[literal],
                span,
                (direction, proof),
                role,
                Certainty::Literal,
                unit,
                start,
            );
        }
        self.push_paths(
            &texts,
            span,
            (direction, proof),
            role,
            certainty,
            unit,
            start,
        );
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one path use")]
    fn push_paths(
        &mut self,
        texts: &[String],
        span: Span,
        (direction, proof): (Direction, Proof),
        role: PathRole,
        certainty: Certainty,
        unit: Option<usize>,
        start: &Bases,
    ) {
        for text in texts {
            let rooted = text.starts_with('/') || text == "~" || text.starts_with("~/");
            for base in start.iter() {
                if self.out.analysis.paths.len() >= self.out.limits.paths {
                    self.out.limit(span, "too many paths");
                    return;
                }
                self.out.analysis.paths.push(PathUse {
                    text: text.clone(),
                    span,
                    direction,
                    proof,
                    role,
                    base,
                    certainty,
                    unit,
                    below: None,
                });
                if rooted {
                    break;
                }
            }
        }
    }

    /// The home directory, which a bare `cd` enters.
    pub(super) fn home_directory(&mut self, span: Span, unit: usize, start: &Bases) {
        self.push_paths(
            &["~".to_owned()],
            span,
            (Direction::Read, Proof::Core),
            PathRole::Directory,
            Certainty::Literal,
            Some(unit),
            start,
        );
    }

    pub(super) fn computed_path(&mut self, text: &str, span: Span, unit: usize, base: Base) {
        if self.out.analysis.paths.len() >= self.out.limits.paths {
            self.out.limit(span, "too many paths");
            return;
        }
        self.out.analysis.paths.push(PathUse {
            text: text.to_owned(),
            span,
            direction: Direction::Both,
            proof: Proof::Unproven,
            role: PathRole::File,
            base,
            certainty: Certainty::Computed,
            unit: Some(unit),
            below: None,
        });
    }

    /// The target of a redirect.
    pub(super) fn redirect_path(
        &mut self,
        redirect: &Redirect,
        word: WordId,
        unit: Option<usize>,
        place: Place,
        start: &Bases,
    ) {
        let (direction, proof) = match redirect.kind {
            RedirectKind::Read | RedirectKind::DuplicateIn => (Direction::Read, Proof::Syntax),
            RedirectKind::Write | RedirectKind::DuplicateOut => (Direction::Write, Proof::Syntax),
            RedirectKind::ReadWrite => (Direction::Both, Proof::Unproven),
            RedirectKind::HereString | RedirectKind::Heredoc => return,
        };
        let duplicates = matches!(
            redirect.kind,
            RedirectKind::DuplicateIn | RedirectKind::DuplicateOut
        );
        let tree = self.tree;
        let Some(word) = tree.word(word) else { return };
        let span = self.outer(place, word.span);
        for value in self.expanding(place, |e| e.alternatives(word)) {
            if duplicates && value.exact().is_some_and(is_descriptor) {
                continue;
            }
            self.emit_path(
                &value,
                0,
                span,
                (direction, proof),
                PathRole::File,
                unit,
                start,
            );
        }
    }

    /// A word that may or may not be a path: a loop's value, a subject.
    pub(super) fn operand_word(&mut self, id: WordId, unit: usize, place: Place, start: &Bases) {
        let tree = self.tree;
        let Some(word) = tree.word(id) else { return };
        let span = self.outer(place, word.span);
        for value in self.expanding(place, |e| e.alternatives(word)) {
            if value.certainty == Certainty::Computed {
                continue;
            }
            self.emit_path(
                &value,
                0,
                span,
                (Direction::Both, Proof::Unproven),
                PathRole::Operand,
                Some(unit),
                start,
            );
        }
    }

    pub(super) fn subject_paths(&mut self, id: WordId, unit: usize, place: Place, start: &Bases) {
        self.operand_word(id, unit, place, start);
    }

    /// The operands of a command: what the tables say, and the rest by shape.
    pub(super) fn operands(
        &mut self,
        items: &[Item],
        unit: usize,
        facts: Option<&Facts>,
        start: &Bases,
    ) {
        let empty = Facts::default();
        let listed = facts.is_some();
        let facts = facts.unwrap_or(&empty);
        for path in &facts.paths {
            let Some(item) = items.get(path.arg) else {
                continue;
            };
            let first = self.out.analysis.paths.len();
            for value in self.variants(item) {
                self.emit_path(
                    &value,
                    path.offset,
                    item.span,
                    (path.direction, path.proof),
                    path.role,
                    Some(unit),
                    start,
                );
                // Whether an option's file is looked for before or after the
                // directory is changed depends on the program.
                if let Some(moved) = Self::moved(items, facts, start)
                    && facts.starts_in != Some((path.arg, path.offset))
                {
                    self.emit_path(
                        &value,
                        path.offset,
                        item.span,
                        (path.direction, path.proof),
                        path.role,
                        Some(unit),
                        &moved,
                    );
                }
            }
            self.reads_below(facts, path.arg, first);
        }
        let proved = facts.operands.unwrap_or((Direction::Both, Proof::Unproven));
        let moved = Self::moved(items, facts, start);
        let start = moved.as_ref().unwrap_or(start);
        let mut options = true;
        for (i, item) in items.iter().enumerate().skip(1) {
            if item.exact() == Some("--") {
                options = false;
                continue;
            }
            let elsewhere = facts.not_paths.contains(&i)
                || facts.paths.iter().any(|p| p.arg == i)
                || facts.runs.iter().any(|run| match run {
                    Run::Words { start, end } => (*start..*end).contains(&i),
                    Run::Script { arg, .. } => *arg == i,
                    Run::Text(_) => false,
                });
            let sent = item.value.text.starts_with('@');
            let unknown = facts.unknown.is_some_and(|from| i >= from);
            let value =
                unknown && facts.paths.iter().any(|p| p.arg == i) || facts.holds.contains(&i);
            if !elsewhere || value || sent && facts.not_paths.contains(&i) {
                self.embedded((i, item), unit, facts, start);
            }
            if elsewhere {
                continue;
            }
            let first = self.out.analysis.paths.len();
            self.operand(item, unit, (options, listed), proved, start);
            self.reads_below(facts, i, first);
        }
    }

    /// Parts of a word that the program may take for a path.
    fn embedded(&mut self, (at, item): (usize, &Item), unit: usize, facts: &Facts, start: &Bases) {
        let Some(text) = item.exact() else { return };
        let option = text.starts_with('-');
        let unknown = facts.unknown.is_some_and(|from| at >= from);
        let holds = facts.holds.contains(&at);
        if facts.plain_words && !holds && !unknown
            || facts.options.contains(&at)
            || option && !unknown && !holds && !text.contains('=')
        {
            return;
        }
        self.parts(text, item.span, unit, start);
    }

    /// A variable that is set for one command: a program may read the file
    /// that it names.
    pub(super) fn handed_on(
        &mut self,
        assignment: &Assignment,
        unit: usize,
        place: Place,
        start: &Bases,
    ) {
        let AssignedValue::Word(id) = assignment.value else {
            return;
        };
        let Some(word) = self.tree.word(id) else {
            return;
        };
        let value = self.expanding(place, |e| e.single(word));
        let span = self.outer(place, word.span);
        if let Some(text) = value.exact() {
            self.named_by(text, span, unit, start);
        }
    }

    /// The value of a variable that other programs see.
    pub(super) fn named_by(&mut self, text: &str, span: Span, unit: usize, start: &Bases) {
        if !text.is_empty() {
            self.parts(&format!("={text}"), span, unit, start);
        }
    }

    fn parts(&mut self, text: &str, span: Span, unit: usize, start: &Bases) {
        for part in embedded_parts(text) {
            self.push_paths(
                &[part.to_owned()],
                span,
                (Direction::Both, Proof::Unproven),
                PathRole::Embedded,
                Certainty::Literal,
                Some(unit),
                start,
            );
        }
    }

    /// Marks the paths from `first` on, if everything below them is read.
    fn reads_below(&mut self, facts: &Facts, arg: usize, first: usize) {
        let Some((below, words)) = &facts.below else {
            return;
        };
        if !words.contains(&arg) {
            return;
        }
        let paths = self.out.analysis.paths.get_mut(first..);
        for path in paths.unwrap_or_default() {
            path.below = Some(below.clone());
        }
    }

    /// Where a command's own operands start from, when an option says so.
    fn moved(items: &[Item], facts: &Facts, start: &Bases) -> Option<Bases> {
        let (arg, offset) = facts.starts_in?;
        let target = items
            .get(arg)
            .and_then(Item::exact)
            .and_then(|text| text.get(offset..));
        Some(target.map_or_else(Bases::unknown, |target| start.entered(target)))
    }

    /// Paths that a program's own language names, and those that are named
    /// only at run time.
    pub(super) fn table_paths(
        &mut self,
        items: &[Item],
        unit: usize,
        facts: &Facts,
        start: &Bases,
    ) {
        let moved = Self::moved(items, facts, start);
        let start = moved.as_ref().unwrap_or(start);
        let whole = items.first().map(|item| item.span).unwrap_or_default();
        for path in &facts.texts {
            let span = items.get(path.arg).map_or(whole, |item| item.span);
            let proof = match path.direction {
                Direction::Both => Proof::Unproven,
                Direction::Read | Direction::Write => Proof::Core,
            };
            let first = self.out.analysis.paths.len();
            self.push_paths(
                std::slice::from_ref(&path.text),
                span,
                (path.direction, proof),
                PathRole::File,
                Certainty::Literal,
                Some(unit),
                start,
            );
            if path.text == "." {
                self.reads_below(facts, path.arg, first);
            }
        }
        if !facts.computed_paths.is_empty() {
            let base = start.iter().next().unwrap_or(Base::Unknown);
            self.computed_path("(named at run time)", whole, unit, base);
        }
    }

    /// The values an operand may have: more than one where a variable goes
    /// through several.
    pub(super) fn variants(&self, item: &Item) -> Vec<Value> {
        if item.value.certainty != Certainty::Computed || !item.alone {
            return vec![item.value.clone()];
        }
        let Some(word) = self.tree.word(item.word) else {
            return vec![item.value.clone()];
        };
        let place = Place {
            source: word.source,
            context: None,
            depth: 0,
        };
        self.expanding(place, |e| e.alternatives(word))
    }

    fn operand(
        &mut self,
        item: &Item,
        unit: usize,
        (options, listed): (bool, bool),
        proved: (Direction, Proof),
        start: &Bases,
    ) {
        for value in self.variants(item) {
            let offset = if options && value.text.starts_with('-') {
                if listed && value.certainty != Certainty::Computed {
                    // The tables know which options take a file.
                    continue;
                }
                match option_value(&value.text) {
                    Some(offset) => offset,
                    None if value.certainty == Certainty::Computed => 0,
                    None => continue,
                }
            } else {
                0
            };
            if value.number {
                // A file that is named by a number alone is not worth the
                // question.
                continue;
            }
            self.emit_path(
                &value,
                offset,
                item.span,
                proved,
                PathRole::Operand,
                Some(unit),
                start,
            );
        }
    }

    /// The operands of `[[ … ]]`, and the arithmetic its operators do.
    pub(super) fn test_items(
        &mut self,
        items: &[TestItem],
        unit: usize,
        place: Place,
        start: &Bases,
    ) {
        let tree = self.tree;
        let mut operator = "";
        for (i, item) in items.iter().enumerate() {
            match item {
                TestItem::Operator(span) => operator = tree.slice(place.source, *span),
                TestItem::Word(id) => {
                    self.word(*id, Some(unit), place, start);
                    let next = match items.get(i + 1) {
                        Some(TestItem::Operator(span)) => tree.slice(place.source, *span),
                        _ => "",
                    };
                    self.test_operand(*id, operator, next, unit, place, start);
                    operator = "";
                }
            }
        }
    }

    fn test_operand(
        &mut self,
        id: WordId,
        before: &str,
        after: &str,
        unit: usize,
        place: Place,
        start: &Bases,
    ) {
        let arithmetic = |op: &str| matches!(op, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
        if arithmetic(before) || arithmetic(after) || matches!(before, "-v" | "-R") {
            self.evaluated_word(id, unit, place);
            return;
        }
        let file = matches!(before, "-nt" | "-ot" | "-ef")
            || matches!(after, "-nt" | "-ot" | "-ef")
            || (before.len() == 2 && !matches!(before, "-n" | "-z" | "-o" | "-t"))
                && before.starts_with('-');
        if file {
            let tree = self.tree;
            let Some(word) = tree.word(id) else { return };
            let span = self.outer(place, word.span);
            for value in self.expanding(place, |e| e.alternatives(word)) {
                self.emit_path(
                    &value,
                    0,
                    span,
                    (Direction::Read, Proof::Core),
                    PathRole::Operand,
                    Some(unit),
                    start,
                );
            }
        }
    }
}

/// Where the value in `--name=value`, `-ovalue` starts, when it can be a path.
fn option_value(text: &str) -> Option<usize> {
    if let Some((name, value)) = text.split_once('=') {
        let named = !name.contains(char::is_whitespace) && !value.is_empty();
        return named.then_some(name.len() + 1);
    }
    let rest = text.get(2..)?;
    let rooted = rest.starts_with('/') || rest.starts_with("../") || rest.starts_with("~/");
    (rooted && !text.starts_with("--")).then_some(2)
}

/// More parts than this of one word are not looked at.
const MOST_PARTS: usize = 8;

/// The parts of a word behind `@`, `=`, `:` and `,`, and the value glued to a
/// short option.
fn embedded_parts(text: &str) -> impl Iterator<Item = &str> {
    let address = text.contains("://") && !text.contains("file://");
    let usable = !address && text.len() > 1 && !text.contains(char::is_whitespace);
    let marks = text
        .char_indices()
        .filter(|(_, c)| matches!(c, '@' | '=' | ':' | ','))
        .map(|(at, _)| at + 1);
    let short = text.starts_with('-') && !text.starts_with("--");
    let glued = short.then(|| text.char_indices().nth(2)).flatten();
    marks
        .chain(glued.map(|(at, _)| at))
        .take(if usable { MOST_PARTS } else { 0 })
        .filter_map(|at| text.get(at..))
        .flat_map(|rest| {
            let end = rest.find([',', ';', ':']);
            let cut = end.and_then(|end| rest.get(..end));
            [Some(rest), cut]
        })
        .flatten()
        .filter(|part| part.len() > 1)
}
