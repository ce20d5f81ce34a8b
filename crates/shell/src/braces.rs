//! Brace expansion, which bash does before every other.

use crate::value::{Atom, Mark};

/// The words that `atoms` expand to; `None` when there would be more than
/// `limit`.
pub(crate) fn expand(atoms: &[Atom], limit: usize) -> Option<Vec<Vec<Atom>>> {
    let braces = |a: &&Atom| matches!(a, Atom::Char('{', Mark::Bare));
    if atoms.iter().filter(braces).count() > 32 || atoms.len() > 16 * 1024 {
        // The search below is quadratic in the number of opening braces.
        return None;
    }
    let mut done = Vec::new();
    // Each entry: what is settled, and from where on braces may follow.
    let mut open = vec![(atoms.to_vec(), 0usize)];
    let mut steps = 0usize;
    while let Some((word, from)) = open.pop() {
        steps += 1;
        if done.len() + open.len() > limit || steps > limit.saturating_mul(8) {
            return None;
        }
        match first_brace(&word, from) {
            None => done.push(word),
            Some(Brace { start, end, parts }) => {
                let (before, after) = (word.get(..start)?, word.get(end..)?);
                if parts.len() > limit {
                    return None;
                }
                // The last in, the first out: push in reverse.
                for part in parts.into_iter().rev() {
                    let mut next = before.to_vec();
                    next.extend(part);
                    next.extend(after.iter().cloned());
                    open.push((next, start));
                }
            }
        }
    }
    Some(done)
}

struct Brace {
    start: usize,
    /// One past the closing brace.
    end: usize,
    parts: Vec<Vec<Atom>>,
}

fn is(atom: Option<&Atom>, wanted: char) -> bool {
    matches!(atom, Some(Atom::Char(c, Mark::Bare)) if *c == wanted)
}

fn first_brace(word: &[Atom], from: usize) -> Option<Brace> {
    for start in from..word.len() {
        if !is(word.get(start), '{') {
            continue;
        }
        let mut depth = 0usize;
        let mut commas = Vec::new();
        for i in start + 1..word.len() {
            let atom = word.get(i);
            if is(atom, '{') {
                depth += 1;
            } else if is(atom, ',') && depth == 0 {
                commas.push(i);
            } else if is(atom, '}') {
                if depth > 0 {
                    depth -= 1;
                    continue;
                }
                let parts = if commas.is_empty() {
                    sequence(word.get(start + 1..i)?)
                } else {
                    Some(split(word, start, i, &commas))
                };
                match parts {
                    Some(parts) => {
                        return Some(Brace {
                            start,
                            end: i + 1,
                            parts,
                        });
                    }
                    None => break,
                }
            }
        }
    }
    None
}

fn split(word: &[Atom], start: usize, end: usize, commas: &[usize]) -> Vec<Vec<Atom>> {
    let mut parts = Vec::new();
    let mut from = start + 1;
    for stop in commas.iter().copied().chain([end]) {
        parts.push(word.get(from..stop).unwrap_or_default().to_vec());
        from = stop + 1;
    }
    parts
}

/// `a..e`, `1..9` and `1..9..2`; long ones become one unknown word.
fn sequence(inner: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    let mut computed = false;
    for atom in inner {
        match atom {
            Atom::Char(c, Mark::Bare) => text.push(*c),
            Atom::Char(..) => return None,
            // `{1..$n}` is not expanded by bash, but the value is unknown
            // all the same.
            _ => computed = true,
        }
    }
    let mut fields = text.split("..");
    let (first, last, step) = (fields.next()?, fields.next()?, fields.next());
    if fields.next().is_some() || computed {
        return None;
    }
    let step = match step {
        Some(text) => text.parse::<i64>().ok()?.unsigned_abs().max(1),
        None => 1,
    };
    let (numbers, from, to) = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(from), Ok(to)) => (true, from, to),
        _ => {
            let letter = |text: &str| {
                let mut chars = text.chars();
                chars
                    .next()
                    .filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
                    .map(|c| i64::from(u32::from(c)))
            };
            (false, letter(first)?, letter(last)?)
        }
    };
    let count = (from.abs_diff(to) / step).saturating_add(1);
    let padded = [first, last]
        .iter()
        .any(|n| n.trim_start_matches('-').starts_with('0') && n.trim_start_matches('-').len() > 1);
    if count > 64 || padded || !numbers && from.min(to) <= 90 && from.max(to) >= 97 {
        return Some(vec![vec![Atom::Unknown {
            quoted: false,
            number: numbers,
            source: text.clone(),
        }]]);
    }
    let word = |i: u64| {
        // A step can be as wide as the whole range of numbers.
        let walked = i128::from(i) * i128::from(step);
        let value = if from <= to {
            i128::from(from) + walked
        } else {
            i128::from(from) - walked
        };
        let text = if numbers {
            value.to_string()
        } else {
            u32::try_from(value)
                .ok()
                .and_then(char::from_u32)
                .map(String::from)
                .unwrap_or_default()
        };
        text.chars().map(|c| Atom::Char(c, Mark::Bare)).collect()
    };
    Some((0..count).map(word).collect())
}
