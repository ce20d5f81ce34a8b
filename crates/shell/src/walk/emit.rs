//! Writing units, floors and facts.

use countersign_text::Span;

use super::{Place, Walker};
use crate::analysis::{Context, Fact, Floor, FloorCause, Unit, UnitKind};
use crate::tree::{Command, Redirect};

/// More floors on one unit say nothing new.
const MOST_FLOORS: usize = 32;

impl Walker<'_, '_> {
    /// Adds a unit and returns its index.
    pub(super) fn push_unit(
        &mut self,
        text: String,
        span: Span,
        kind: UnitKind,
        context: Option<Context>,
    ) -> usize {
        let units = &mut self.out.analysis.units;
        if units.len() >= self.out.limits.units {
            self.out.limit(span, "too many commands");
            // The last unit stands for the rest; the floor asks for all.
            return self.out.analysis.units.len().saturating_sub(1);
        }
        units.push(Unit {
            text,
            span,
            kind,
            context,
            spellings: Vec::new(),
            open: Vec::new(),
            suspects: Vec::new(),
            floors: Vec::new(),
            exemption: None,
            executed: None,
        });
        units.len() - 1
    }

    /// Puts a floor on a unit.
    pub(super) fn floor(
        &mut self,
        unit: usize,
        cause: FloorCause,
        span: Span,
        note: impl Into<String>,
    ) {
        self.floor_at(Some(unit), cause, span, note);
    }

    /// Puts a floor on a unit, or on the whole program when there is none.
    pub(super) fn floor_at(
        &mut self,
        unit: Option<usize>,
        cause: FloorCause,
        span: Span,
        note: impl Into<String>,
    ) {
        let floor = Floor {
            cause,
            span,
            note: note.into(),
        };
        let analysis = &mut self.out.analysis;
        let floors = match unit.and_then(|i| analysis.units.get_mut(i)) {
            Some(unit) => &mut unit.floors,
            None => &mut analysis.floors,
        };
        if floors.len() < MOST_FLOORS && !floors.contains(&floor) {
            floors.push(floor);
        }
    }

    pub(super) fn fact(&mut self, label: &str, text: &str, span: Span) {
        self.out.analysis.facts.push(Fact {
            label: label.to_owned(),
            text: text.to_owned(),
            span,
        });
    }

    /// The text of a command without its redirects.
    pub(super) fn text_without_redirects(&self, command: &Command, place: Place) -> String {
        self.text_between(command.span, &command.redirects, place)
    }

    /// The source under `span` with the redirects in it cut out; where one
    /// was, a single blank stays.
    pub(super) fn text_between(&self, span: Span, redirects: &[Redirect], place: Place) -> String {
        let mut out = String::new();
        let mut from = span.start;
        for redirect in redirects {
            if redirect.span.start < from || redirect.span.end > span.end {
                continue;
            }
            let piece = Span {
                start: from,
                end: redirect.span.start,
            };
            append(&mut out, self.tree.slice(place.source, piece));
            from = redirect.span.end;
        }
        let rest = Span {
            start: from,
            end: span.end,
        };
        append(&mut out, self.tree.slice(place.source, rest));
        out
    }
}

fn append(out: &mut String, piece: &str) {
    if out.is_empty() {
        out.push_str(piece.trim_matches([' ', '\t']));
        return;
    }
    let piece = piece.trim_matches([' ', '\t']);
    if piece.is_empty() {
        return;
    }
    out.push(' ');
    out.push_str(piece);
}
