//! Characters in the source that people cannot see, or that reorder what
//! they see.

use countersign_text::Span;

use crate::analysis::Fact;

/// More than this many are summed up by the last one.
const MOST: usize = 16;

/// Adds a fact for each invisible, reordering or control character.
pub(crate) fn facts(text: &str, out: &mut Vec<Fact>) {
    if text
        .bytes()
        .all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t'))
    {
        return;
    }
    let mut found = 0usize;
    for (at, c) in text.char_indices() {
        let Some(label) = label(c) else { continue };
        found += 1;
        if found > MOST {
            return;
        }
        out.push(Fact {
            label: label.to_owned(),
            text: format!("U+{:04X}", u32::from(c)),
            span: Span::new(at, at + c.len_utf8()),
        });
    }
}

fn label(c: char) -> Option<&'static str> {
    Some(match c {
        '\n' | '\t' => return None,
        '\r' => "carriage return",
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => "control character",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            "bidirectional control"
        }
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            "unusual blank"
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => "invisible character",
        _ => return None,
    })
}
