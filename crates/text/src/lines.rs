use crate::Span;

/// A place in a text as people count it: both numbers start at 1, columns
/// count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Where the lines of one text begin, to turn byte offsets into positions.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Reads `text` once. `\n` ends a line; a `\r` before it belongs to the line.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| Span::new(at + 1, at + 1).start))
            .collect();
        Self { starts }
    }

    /// The line of byte `offset`, from 1. Unlike [`Self::position`] its cost
    /// does not grow with the line's length.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX).max(1)
    }

    /// The position of byte `offset` of `text`, the same text the index was
    /// made from. Offsets past the end count as the end.
    #[must_use]
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.line(offset) as usize;
        let start = self.starts.get(line - 1).copied().unwrap_or(0) as usize;
        let end = (offset as usize).min(text.len());
        let column = text
            .get(start..end)
            .map_or(0, |before| before.chars().count());
        Position {
            line: self.line(offset),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_lines_from_one() {
        let text = "aé\nb\n";
        let index = LineIndex::new(text);
        let at = |offset| {
            let p = index.position(text, offset);
            (p.line, p.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (1, 3));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(6), (3, 1));
        assert_eq!(at(99), (3, 1));
    }
}
