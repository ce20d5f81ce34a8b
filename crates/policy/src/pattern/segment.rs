//! Patterns as the literal pieces between their stars.

/// The pieces between the stars of a pattern; `n` stars make `n + 1` pieces.
/// Inside a piece, `?` is any one character.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    text: String,
    /// Whether the text contains `?`.
    any: bool,
}

impl Segments {
    pub(super) fn new(source: &str) -> Self {
        let pieces = source
            .split('*')
            .map(|text| Piece {
                text: text.to_owned(),
                any: text.contains('?'),
            })
            .collect();
        Self { pieces }
    }

    pub(super) fn is_catch_all(&self) -> bool {
        self.pieces.len() > 1 && self.pieces.iter().all(|p| p.text.is_empty())
    }

    pub(super) fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [only] if !only.any => Some(&only.text),
            _ => None,
        }
    }

    /// The literal runs, with whether each stands at the start and at the end.
    pub(super) fn literals(&self) -> impl Iterator<Item = (&str, bool, bool)> {
        let last = self.pieces.len().saturating_sub(1);
        self.pieces.iter().enumerate().flat_map(move |(at, piece)| {
            let runs: Vec<&str> = piece.text.split('?').collect();
            let end = runs.len() - 1;
            runs.into_iter()
                .enumerate()
                .map(move |(run, text)| (text, at == 0 && run == 0, at == last && run == end))
        })
    }

    /// The symbols of the pattern: `None` is a star.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        let mut out = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if at > 0 {
                out.push(Symbol::Star);
            }
            out.extend(piece.text.chars().map(|c| match c {
                '?' => Symbol::One,
                c => Symbol::Char(c),
            }));
        }
        out
    }

    /// The literal text before the first wildcard.
    pub(super) fn prefix(&self) -> &str {
        let first = self.pieces.first().map_or("", |p| p.text.as_str());
        first.split('?').next().unwrap_or("")
    }

    /// The literal text after the last wildcard.
    pub(super) fn suffix(&self) -> &str {
        let last = self.pieces.last().map_or("", |p| p.text.as_str());
        last.rsplit('?').next().unwrap_or("")
    }

    /// The first piece is anchored at the start, the last at the end, and the
    /// ones between are taken at their leftmost place, each after the one
    /// before: with only stars between them, leftmost never loses a match.
    pub(super) fn matches(&self, value: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else {
            return value.is_empty();
        };
        let Some((last, middle)) = rest.split_last() else {
            return first.strip_start(value) == Some("");
        };
        let Some(value) = first.strip_start(value) else {
            return false;
        };
        let Some(mut value) = last.strip_end(value) else {
            return false;
        };
        for piece in middle {
            match piece.find(value) {
                Some(after) => value = after,
                None => return false,
            }
        }
        true
    }
}

/// One symbol of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Char(char),
    One,
    Star,
}

impl Piece {
    /// The rest of `value` after this piece at its start.
    fn strip_start<'v>(&self, value: &'v str) -> Option<&'v str> {
        if !self.any {
            return value.strip_prefix(self.text.as_str());
        }
        let mut chars = value.chars();
        for wanted in self.text.chars() {
            let found = chars.next()?;
            if wanted != '?' && wanted != found {
                return None;
            }
        }
        Some(chars.as_str())
    }

    /// The rest of `value` before this piece at its end.
    fn strip_end<'v>(&self, value: &'v str) -> Option<&'v str> {
        if !self.any {
            return value.strip_suffix(self.text.as_str());
        }
        let mut chars = value.chars();
        for wanted in self.text.chars().rev() {
            let found = chars.next_back()?;
            if wanted != '?' && wanted != found {
                return None;
            }
        }
        Some(chars.as_str())
    }

    /// The rest of `value` after the leftmost place of this piece.
    fn find<'v>(&self, value: &'v str) -> Option<&'v str> {
        if !self.any {
            let at = value.find(self.text.as_str())?;
            return value.get(at + self.text.len()..);
        }
        let mut at = value;
        loop {
            if let Some(after) = self.strip_start(at) {
                return Some(after);
            }
            let mut chars = at.chars();
            chars.next()?;
            at = chars.as_str();
        }
    }
}
