//! A bash program's text as what it would do: units, path uses and floors.

mod analysis;
mod ansi;
mod braces;
mod limits;
mod parse;
pub mod program;
mod tree;
mod unseen;
mod value;
mod walk;

pub use analysis::*;
pub use limits::Limits;
pub use walk::variable_with_teeth;

use countersign_text::Span;

/// What the bash program `text` would do.
///
/// Never fails: what cannot be read is a unit with a floor.
#[must_use]
pub fn analyze(text: &str) -> Analysis {
    analyze_with(text, &Limits::default())
}

/// The same under other budgets.
#[must_use]
pub fn analyze_with(text: &str, limits: &Limits) -> Analysis {
    let mut shared = walk::Shared::new(*limits);
    let nul = text.find('\0');
    let cut = walk::floor_border(text, limits.input_bytes.min(nul.unwrap_or(usize::MAX)));
    let known = text.get(..cut).unwrap_or("");
    if cut < text.len() {
        let (cause, note) = if nul == Some(cut) {
            (FloorCause::UnparsedSubtree, "a NUL byte")
        } else {
            (FloorCause::Limit, "the program is too long")
        };
        let span = Span::new(0, text.len());
        shared.analysis.units.push(Unit {
            text: text.to_owned(),
            span,
            kind: UnitKind::Opaque,
            context: None,
            spellings: Vec::new(),
            open: Vec::new(),
            suspects: Vec::new(),
            floors: vec![Floor {
                cause,
                span: Span::new(cut, text.len()),
                note: note.to_owned(),
            }],
            exemption: None,
            executed: None,
        });
    }
    walk::outermost(known, &mut shared);
    unseen::facts(text, &mut shared.analysis.facts);
    shared.analysis
}
