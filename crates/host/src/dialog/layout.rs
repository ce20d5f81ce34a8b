//! Layout of the facts: no text from a command can imitate a fact line or
//! hide itself (spec 04 §4.2, and its observation on wrapped rows).

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Budget, Row, Style};

/// One fact of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub label: String,
    /// The text.
    pub text: String,
    /// Where it leads, shown after an arrow.
    pub detail: Option<String>,
    /// Whether it belongs to the invariant core, which is never left out.
    pub core: bool,
    /// Whether it is what is decided about.
    pub flagged: bool,
}

/// `text` with every character that could move the cursor, reorder text or
/// hide itself written as an escape. Line ends stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            c if c.is_control() || is_hidden(c) => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// Characters without a mark of their own, or that change the order of their
/// neighbours.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c),
        0x00a0 | 0x00ad | 0x034f | 0x061c | 0x115f..=0x1160 | 0x1680 | 0x17b4..=0x17b5
        | 0x180b..=0x180f | 0x2000..=0x200f | 0x2028..=0x202f | 0x205f..=0x206f | 0x2800
        | 0x3000 | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// Cuts `text` to `limit` characters; whether it was cut.
fn cut(text: &str, limit: usize) -> (String, bool) {
    match text.char_indices().nth(limit) {
        Some((at, _)) => {
            let mut cut = text.get(..at).unwrap_or_default().to_owned();
            cut.push('…');
            (cut, true)
        }
        None => (text.to_owned(), false),
    }
}

/// Breaks one line into rows of at most `width` columns, every row after the
/// first indented by `indent`, so that wrapped text never starts where a
/// label would.
pub(super) fn wrap(line: &str, width: usize, indent: usize) -> Vec<String> {
    let indent = indent.min(width / 2);
    let mut rows = Vec::new();
    let mut row = String::new();
    let mut used = 0;
    for c in line.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns > width && used > 0 {
            rows.push(std::mem::take(&mut row));
            row = " ".repeat(indent);
            used = indent;
        }
        row.push(c);
        used += columns;
    }
    rows.push(row);
    rows
}

/// The rows of `facts`, and whether anything was cut or left out.
pub(super) fn facts(
    facts: &[Fact],
    width: usize,
    budget: Budget,
    expanded: bool,
) -> (Vec<Row>, bool) {
    let budget = if expanded {
        Budget {
            rows: usize::MAX,
            field: usize::MAX,
        }
    } else {
        budget
    };
    let label_width = facts.iter().map(|fact| fact.label.width()).max();
    let label_width = label_width.unwrap_or(0);
    let mut elided = false;
    let mut rows = Vec::new();
    let mut evidence_ended = false;
    let (core, evidence): (Vec<&Fact>, Vec<&Fact>) = facts.iter().partition(|fact| fact.core);
    for fact in core.into_iter().chain(evidence) {
        if evidence_ended {
            break;
        }
        let (text, was_cut) = cut(&fact.text, budget.field);
        let mut value = visible(&text);
        if let Some(detail) = &fact.detail {
            let (detail, detail_cut) = cut(detail, budget.field);
            elided |= detail_cut;
            value.push_str(" → ");
            value.push_str(&visible(&detail));
        }
        elided |= was_cut;
        let padding = " ".repeat(label_width - fact.label.width().min(label_width));
        let head = format!("{}{padding} : ", fact.label);
        let column = label_width + 3;
        let style = if fact.flagged {
            Style::Flagged
        } else {
            Style::Plain
        };
        let mut drawn = Vec::new();
        for (at, line) in value.split('\n').enumerate() {
            let start = if at == 0 {
                head.clone()
            } else {
                " ".repeat(column.min(width / 2))
            };
            let wrapped = wrap(&format!("{start}{line}"), width, column);
            drawn.extend(wrapped.into_iter().map(|text| Row { text, style }));
        }
        if !fact.core && rows.len() + drawn.len() > budget.rows.saturating_sub(1) {
            elided = true;
            evidence_ended = true;
            if rows.len() < budget.rows {
                rows.push(Row {
                    text: "…".to_owned(),
                    style: Style::Plain,
                });
            }
            continue;
        }
        rows.extend(drawn);
    }
    (rows, elided)
}
