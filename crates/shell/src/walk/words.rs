//! Words: what their expansions run, and what they stand for.

use countersign_text::Span;

use super::{Binding, Place, Walker};
use crate::analysis::{Context, FloorCause};
use crate::program::Arg;
use crate::tree::{AssignedValue, Assignment, Parameter, Piece, PieceKind, WordId};
use crate::value::{Atom, Expander, Known, Mark, Value};
use crate::walk::bases::Bases;

/// One word a command receives.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub value: Value,
    /// As typed.
    pub source: String,
    /// In the outermost source.
    pub span: Span,
    /// In the command's own source.
    pub local: Span,
    pub word: WordId,
    /// The only value of its word.
    pub alone: bool,
}

impl Item {
    pub(super) fn exact(&self) -> Option<&str> {
        self.value.exact()
    }

    pub(super) fn arg(&self) -> Arg<'_> {
        Arg {
            source: &self.source,
            value: self.exact(),
            known_prefix: self.value.known_prefix(),
            quoted: self.value.quoted,
        }
    }
}

impl Walker<'_, '_> {
    /// Runs what a word's expansions run.
    pub(super) fn word(&mut self, id: WordId, unit: Option<usize>, place: Place, start: &Bases) {
        let tree = self.tree;
        let Some(word) = tree.word(id) else { return };
        if word.plain {
            return;
        }
        match &word.assignment {
            Some(assignment) => self.assignment(assignment, unit, place, start),
            None => self.pieces(&word.pieces, unit, place, start),
        }
    }

    pub(super) fn assignment(
        &mut self,
        assignment: &Assignment,
        unit: Option<usize>,
        place: Place,
        start: &Bases,
    ) {
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(subscript, unit, place, start);
        }
        match &assignment.value {
            AssignedValue::Word(word) => self.word(*word, unit, place, start),
            AssignedValue::Array(words) => {
                for word in words {
                    self.word(*word, unit, place, start);
                }
            }
        }
    }

    pub(super) fn pieces(
        &mut self,
        pieces: &[Piece],
        unit: Option<usize>,
        place: Place,
        start: &Bases,
    ) {
        for piece in pieces {
            match &piece.kind {
                PieceKind::Literal
                | PieceKind::Escaped
                | PieceKind::Single
                | PieceKind::AnsiC(_) => {}
                PieceKind::Double { pieces, .. } | PieceKind::Extglob(pieces) => {
                    self.pieces(pieces, unit, place, start);
                }
                PieceKind::Arithmetic(pieces) => self.arithmetic(pieces, unit, place, start),
                PieceKind::Parameter(parameter) => {
                    self.parameter(parameter, piece.span, unit, place, start);
                }
                PieceKind::Command(program) => {
                    let inner = place.within(Context::CommandSubstitution);
                    self.own_shell(*program, Place { depth: 0, ..inner }, start);
                }
                PieceKind::Process(program) => {
                    let inner = place.within(Context::ProcessSubstitution);
                    self.own_shell(*program, Place { depth: 0, ..inner }, start);
                }
            }
        }
    }

    fn parameter(
        &mut self,
        parameter: &Parameter,
        span: Span,
        unit: Option<usize>,
        place: Place,
        start: &Bases,
    ) {
        let all = parameter
            .subscript
            .as_ref()
            .is_some_and(|s| matches!(s.as_slice(), [one] if matches!(self.tree.slice(place.source, one.span), "@" | "*")));
        if let Some(subscript) = &parameter.subscript
            && !all
        {
            self.arithmetic(subscript, unit, place, start);
        }
        if parameter.substring {
            self.arithmetic(&parameter.rest, unit, place, start);
        } else {
            self.pieces(&parameter.rest, unit, place, start);
        }
        let outer = self.outer(place, span);
        let raw = self.tree.slice(place.source, span);
        if parameter.operator == Some('@') {
            let letters = raw.rsplit('@').next().unwrap_or("");
            if letters.contains('P') {
                self.floor_at(
                    unit,
                    FloorCause::Unmodelled,
                    outer,
                    "expands a value as a prompt, which may run commands",
                );
            }
        }
        let listing = matches!(parameter.operator, Some('@' | '*')) && raw.len() > 4;
        if parameter.indirect && !all && !listing && !self.names.harmless_name(&parameter.name) {
            self.floor_at(
                unit,
                FloorCause::Unmodelled,
                outer,
                "uses a value as the name of a variable, which may run commands",
            );
        }
    }

    /// What is known of a variable here.
    fn known(&self, name: &str) -> Known {
        match name {
            "HOME" if !self.names.sets("HOME") => return Known::Home,
            "PWD" if !self.names.sets("PWD") => return Known::Here,
            "#" | "?" | "$" | "!" | "RANDOM" | "UID" | "EUID" | "PPID" | "SECONDS" | "LINENO" => {
                return Known::Number;
            }
            _ => {}
        }
        match self.bindings.iter().rev().find(|b| b.name == name) {
            Some(binding) => Known::Values(binding.values.clone()),
            None => Known::Nothing,
        }
    }

    /// Runs `expand` with an expander for the words of `place`.
    pub(super) fn expanding<T>(
        &self,
        place: Place,
        expand: impl FnOnce(&Expander<'_, '_>) -> T,
    ) -> T {
        let lookup = |name: &str| self.known(name);
        expand(&Expander {
            tree: self.tree,
            source: place.source,
            limits: self.out.limits,
            lookup: &lookup,
            shadowed: self.names.wild
                || ["cat", "dirname", "basename"]
                    .iter()
                    .any(|name| self.names.functions.contains(*name)),
        })
    }

    /// The words of a command after brace expansion.
    pub(super) fn items(&self, words: &[WordId], place: Place) -> Vec<Item> {
        let mut items = Vec::with_capacity(words.len());
        for id in words {
            let Some(word) = self.tree.word(*id) else {
                continue;
            };
            let source = self.tree.slice(place.source, word.span);
            let span = self.outer(place, word.span);
            let values = self.expanding(place, |e| e.words(word));
            let alone = values.len() == 1;
            for value in values {
                items.push(Item {
                    value,
                    source: source.to_owned(),
                    span,
                    local: word.span,
                    word: *id,
                    alone,
                });
            }
            if items.len() > 4 * self.out.limits.paths {
                break;
            }
        }
        items
    }

    /// Remembers a plain assignment whose value is certain from here on.
    pub(super) fn bind(&mut self, assignment: &Assignment, place: Place) {
        if assignment.append || assignment.subscript.is_some() {
            return;
        }
        let AssignedValue::Word(id) = assignment.value else {
            return;
        };
        if !self.names.set_once(&assignment.name) {
            return;
        }
        let tree = self.tree;
        let Some(word) = tree.word(id) else { return };
        let atoms = if word.plain {
            tree.slice(place.source, word.span)
                .chars()
                .map(|c| Atom::Char(c, Mark::Quoted))
                .collect()
        } else {
            let atoms = self.expanding(place, |e| e.atoms(&word.pieces, 0));
            // Nothing is split or matched in an assignment.
            atoms
                .into_iter()
                .map(|atom| match atom {
                    Atom::Char(c, _) => Atom::Char(c, Mark::Quoted),
                    other => other,
                })
                .collect::<Vec<_>>()
        };
        if atoms.iter().any(|a| matches!(a, Atom::Unknown { .. })) {
            return;
        }
        self.bindings.push(Binding {
            name: assignment.name.clone(),
            values: vec![atoms],
        });
    }

    /// Binds a loop's variable to the values it goes through.
    pub(super) fn bind_loop(&mut self, name: WordId, values: Option<&[WordId]>, place: Place) {
        let tree = self.tree;
        let Some(text) = super::names::plain_text(tree, name) else {
            return;
        };
        let Some(values) = values.filter(|v| !v.is_empty()) else {
            return;
        };
        if !self.names.set_once(text) || self.names.odd_globs {
            return;
        }
        let mut all = Vec::new();
        for id in values {
            let Some(word) = tree.word(*id) else { return };
            let atoms: Vec<Atom> = if word.plain {
                tree.slice(place.source, word.span)
                    .chars()
                    .map(|c| Atom::Char(c, Mark::Quoted))
                    .collect()
            } else {
                let atoms = self.expanding(place, |e| e.atoms(&word.pieces, 0));
                match crate::braces::expand(&atoms, self.out.limits.braces) {
                    Some(words) if words.len() == 1 => atoms.into_iter().map(activate).collect(),
                    Some(words) => {
                        for word in words {
                            all.push(word.into_iter().map(activate).collect());
                        }
                        continue;
                    }
                    None => return,
                }
            };
            all.push(atoms);
            if all.len() > self.out.limits.braces {
                return;
            }
        }
        if all
            .iter()
            .flatten()
            .any(|a| matches!(a, Atom::Unknown { .. }))
        {
            return;
        }
        self.bindings.push(Binding {
            name: text.to_owned(),
            values: all,
        });
    }
}

/// Pattern characters stay patterns in a loop's value: it holds what matched.
fn activate(atom: Atom) -> Atom {
    match atom {
        Atom::Char(c, Mark::Bare) if "*?[]".contains(c) => Atom::Char(c, Mark::Active),
        Atom::Char(c, _) => Atom::Char(c, Mark::Quoted),
        other => other,
    }
}
