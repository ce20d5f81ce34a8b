//! Builtins that set variables, or evaluate a text that names one.

use super::super::bases::Bases;
use super::super::words::Item;
use super::super::{Place, Walker, variable_with_teeth};
use crate::analysis::{Context, FloorCause};
use crate::tree::WordId;

const INTEGER: &str = "makes every value of the variable arithmetic, which may run commands";

impl Walker<'_, '_> {
    /// `export` and its like: variables with teeth, and names with subscripts.
    pub(super) fn declaration(&mut self, items: &[Item], unit: usize, place: Place, start: &Bases) {
        let exports = items.iter().any(|item| {
            let text = item.exact().unwrap_or("");
            text == "export" || text.starts_with('-') && text.contains('x')
        });
        let mut previous: Option<WordId> = None;
        let mut integer = false;
        for item in items.iter().skip(1) {
            if previous == Some(item.word) && !item.alone {
                continue;
            }
            previous = Some(item.word);
            let tree = self.tree;
            let assignment = tree
                .word(item.word)
                .and_then(|word| word.assignment.as_ref());
            if let Some(assignment) = assignment {
                self.teeth(assignment, unit, place);
                if exports {
                    self.handed_on(assignment, unit, place, start);
                }
                if integer && !self.names.harmless_number(&assignment.name) {
                    self.floor(unit, FloorCause::Unmodelled, item.span, INTEGER);
                }
                continue;
            }
            if let Some(letters) = item.exact().and_then(|text| text.strip_prefix('-')) {
                integer |= letters.contains('i');
                if letters.contains('n') {
                    self.floor(
                        unit,
                        FloorCause::Unmodelled,
                        item.span,
                        "makes a name stand for another variable",
                    );
                }
                continue;
            }
            let Some(text) = item.exact() else {
                let known = item.value.known_prefix().split_once('=');
                match known {
                    Some((name, _)) if !name.contains('[') => {
                        if let Some(what) = variable_with_teeth(name, None) {
                            let note = format!("`{name}` {what}");
                            self.floor(unit, FloorCause::Teeth, item.span, note);
                        }
                    }
                    _ => self.floor(
                        unit,
                        FloorCause::Teeth,
                        item.span,
                        "sets variables that are known only at run time",
                    ),
                }
                continue;
            };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            if value.is_some()
                && let Some(what) = variable_with_teeth(name.trim_end_matches('+'), value)
            {
                let note = format!("`{name}` {what}");
                self.floor(unit, FloorCause::Teeth, item.span, note);
            }
            let text = text.to_owned();
            if let Some(value) = text.split_once('=').map(|(_, value)| value)
                && exports
            {
                self.named_by(value, item.span, unit, start);
            }
            if integer && !self.names.harmless_number(name) {
                self.floor(unit, FloorCause::Unmodelled, item.span, INTEGER);
            }
            self.evaluated_text(&text, item, unit);
        }
    }

    /// A text that bash evaluates (a subscript, arithmetic): what it would
    /// run if it held an expansion.
    fn evaluated_text(&mut self, text: &str, item: &Item, unit: usize) {
        if !text.contains(['$', '`']) {
            return;
        }
        self.floor(
            unit,
            FloorCause::Unmodelled,
            item.span,
            "this text is expanded again when it is evaluated",
        );
        let program = format!(": \"{}\"", text.replace('"', ""));
        self.payload(&program, item.span, Context::Payload, &Bases::unknown());
    }

    /// A word whose value is evaluated as arithmetic, or as a variable's name.
    pub(in crate::walk) fn evaluated_word(&mut self, id: WordId, unit: usize, place: Place) {
        let tree = self.tree;
        let Some(word) = tree.word(id) else { return };
        let value = self.expanding(place, |e| e.single(word));
        let span = self.outer(place, word.span);
        let item = Item {
            source: tree.slice(place.source, word.span).to_owned(),
            value,
            span,
            local: word.span,
            word: id,
            alone: true,
        };
        match item.exact() {
            Some(text) => {
                let text = text.to_owned();
                if let Some(note) = self.names.unsafe_names(&text) {
                    self.floor(unit, FloorCause::Unmodelled, span, note);
                }
                self.evaluated_text(&text, &item, unit);
            }
            None => {
                if let Some((span, note)) =
                    self.names
                        .unsafe_arithmetic(tree, place.source, &word.pieces)
                {
                    let span = self.outer(place, span);
                    self.floor(unit, FloorCause::Unmodelled, span, note);
                }
            }
        }
    }

    /// Builtins whose arguments may be `name[subscript]`.
    pub(super) fn names_as_arguments(&mut self, name: &str, items: &[Item], unit: usize) {
        let relevant: Vec<&Item> = match name {
            "printf" => match items.get(1).and_then(Item::exact) {
                Some("-v") => items.iter().skip(2).take(1).collect(),
                Some(text) if text.starts_with("-v") => items.iter().skip(1).take(1).collect(),
                None => items
                    .iter()
                    .skip(1)
                    .take(1)
                    .filter(|i| i.value.splits)
                    .collect(),
                _ => Vec::new(),
            },
            _ => items.iter().skip(1).collect(),
        };
        for item in relevant {
            match item.exact() {
                Some(text) => {
                    let text = text.to_owned();
                    let sets = !matches!(name, "unset" | "test" | "[");
                    let variable = text.strip_prefix("-v").unwrap_or(&text);
                    if let Some(what) = variable_with_teeth(variable, None).filter(|_| sets) {
                        let note = format!("`{variable}` {what}");
                        self.floor(unit, FloorCause::Teeth, item.span, note);
                    }
                    if text.contains('[') && text.len() > 1 {
                        self.evaluated_text(&text, item, unit);
                    }
                }
                None if matches!(name, "test" | "[") => {
                    let variable = items.iter().any(|i| i.exact() == Some("-v"));
                    if variable || self.names.suspicious {
                        self.floor(
                            unit,
                            FloorCause::Unmodelled,
                            item.span,
                            "a test may evaluate a value that is known only at run time",
                        );
                    }
                }
                None => self.floor(
                    unit,
                    FloorCause::Unmodelled,
                    item.span,
                    "the name of a variable is known only at run time",
                ),
            }
        }
    }
}
