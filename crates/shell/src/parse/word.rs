//! Words: pieces of text, quotes and expansions.

use countersign_text::Span;

use super::{Parser, is_name, is_name_start};
use crate::tree::{AssignedValue, Assignment, FaultKind, Piece, PieceKind, Word, WordId};

/// What surrounds the characters being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command: metacharacters end it.
    Word,
    /// `"…"`.
    Double,
    /// A here-document's body, or arithmetic: expanded like double-quoted
    /// text in which the quote itself means nothing.
    Text,
    /// `${…}`, in double-quoted text or not.
    Brace { quoted: bool },
    /// `@(…)` and its like.
    Extglob,
    /// The right side of `=~`, up to a blank outside parentheses.
    Regex,
}

impl Mode {
    pub(super) fn quoted(self) -> bool {
        matches!(
            self,
            Self::Double | Self::Text | Self::Brace { quoted: true }
        )
    }
}

/// Where a word stands, which decides whether it can be an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Before the command word.
    Prefix,
    /// An argument of `declare`, `export` and their like.
    Declaration,
    /// Anywhere else.
    Argument,
}

/// What was read where a word may stand.
pub(super) enum Token {
    Word(WordId),
    Assignment(Assignment),
}

impl Parser<'_, '_, '_> {
    /// Reads one word, of which at least one character stands here.
    pub(super) fn token(&mut self, position: Position) -> Token {
        let first = self.peek();
        if position != Position::Argument
            && is_name_start(first)
            && let Some(token) = self.assignment(position)
        {
            return token;
        }
        Token::Word(self.plain_word(Mode::Word))
    }

    /// Reads one word that is no assignment.
    pub(super) fn argument(&mut self) -> WordId {
        self.peek();
        self.plain_word(Mode::Word)
    }

    pub(super) fn plain_word(&mut self, mode: Mode) -> WordId {
        let start = self.pos;
        let (pieces, marked) = self.pieces(mode);
        self.finish_word(start, pieces, marked)
    }

    fn finish_word(&mut self, start: usize, mut pieces: Vec<Piece>, marked: bool) -> WordId {
        let span = Span::new(start, self.pos);
        let plain = !marked
            && matches!(pieces.as_slice(), [one] if matches!(one.kind, PieceKind::Literal) && one.span == span);
        if plain {
            pieces = Vec::new();
        }
        self.word(Word {
            source: self.source,
            span,
            plain,
            pieces,
            assignment: None,
        })
    }

    /// `name=`, `name+=` or `name[…]=` and the value, if that stands here.
    fn assignment(&mut self, position: Position) -> Option<Token> {
        let start = self.pos;
        let mut name = String::new();
        let mut at = start;
        let mut byte = self.at(at);
        while is_name(byte) {
            name.push(char::from(byte));
            (byte, at) = self.after(at);
        }
        let mut subscript = None;
        if byte == b'[' && position == Position::Prefix {
            let open = at;
            let Some(close) = self.skip_matched(open + 1, b'[', b']') else {
                self.pos = open;
                self.syntax("a subscript has no end");
                return None;
            };
            let inner = self.text_between(open + 1, close);
            (byte, at) = self.after(close);
            if byte != b'=' && !(byte == b'+' && self.after(at).0 == b'=') {
                return Some(Token::Word(
                    self.subscripted_word(start, open, close, inner),
                ));
            }
            subscript = Some(inner);
        }
        let append = byte == b'+' && self.after(at).0 == b'=';
        if append {
            (byte, at) = self.after(at);
        }
        if byte != b'=' {
            return None;
        }
        (byte, at) = self.after(at);
        self.pos = at;
        let value_start = at;
        let value = if byte == b'(' {
            self.pos = at + 1;
            AssignedValue::Array(self.deeper(Self::array).unwrap_or_default())
        } else {
            AssignedValue::Word(self.plain_word(Mode::Word))
        };
        // An array may be followed by more of the word; bash then reads on.
        let tail = matches!(value, AssignedValue::Array(_)).then(|| self.pieces(Mode::Word).0);
        if tail.is_some_and(|tail| !tail.is_empty()) {
            let span = Span::new(start, self.pos);
            self.fault(FaultKind::Unmodelled, span, "text after an array");
        }
        let span = Span::new(start, self.pos);
        let assignment = Assignment {
            span,
            name,
            subscript,
            append,
            value,
        };
        if position == Position::Prefix {
            return Some(Token::Assignment(assignment));
        }
        let mut pieces = vec![Piece {
            span: Span::new(start, value_start),
            kind: PieceKind::Literal,
        }];
        if let AssignedValue::Word(value) = &assignment.value
            && let Some(word) = self.b.tree.word(*value)
        {
            if word.plain {
                pieces.push(Piece {
                    span: word.span,
                    kind: PieceKind::Literal,
                });
            } else {
                pieces.extend(word.pieces.iter().cloned());
            }
        }
        Some(Token::Word(self.word(Word {
            source: self.source,
            span,
            plain: false,
            pieces,
            assignment: Some(Box::new(assignment)),
        })))
    }

    /// A command word such as `name[…]rest`, which bash reads as one word
    /// whatever stands between the brackets.
    fn subscripted_word(
        &mut self,
        start: usize,
        open: usize,
        close: usize,
        inner: Vec<Piece>,
    ) -> WordId {
        self.pos = close;
        let (rest, _) = self.pieces(Mode::Word);
        let mut pieces = vec![
            Piece {
                span: Span::new(start, open + 1),
                kind: PieceKind::Literal,
            },
            Piece {
                span: Span::new(open + 1, close),
                kind: PieceKind::Arithmetic(inner),
            },
        ];
        pieces.extend(rest);
        self.finish_word(start, pieces, true)
    }

    /// The elements of `name=(…)`, after the parenthesis.
    fn array(&mut self) -> Vec<WordId> {
        let mut words = Vec::new();
        loop {
            self.skip_newlines();
            match self.peek() {
                b')' => {
                    self.pos += 1;
                    return words;
                }
                0 | b'|' | b'&' | b';' | b'(' => {
                    self.syntax("unexpected token in an array");
                    return words;
                }
                b'<' | b'>' if self.after(self.pos).0 != b'(' => {
                    self.syntax("unexpected token in an array");
                    return words;
                }
                b'[' => words.push(self.array_element()),
                _ => words.push(self.argument()),
            }
        }
    }

    /// `[subscript]=value` in an array.
    fn array_element(&mut self) -> WordId {
        let start = self.pos;
        match self.skip_matched(start + 1, b'[', b']') {
            Some(close) => {
                let inner = self.text_between(start + 1, close);
                self.subscripted_word(start, start, close, inner)
            }
            None => self.argument(),
        }
    }

    /// `start..end` as text that is expanded like double-quoted text.
    pub(super) fn text_between(&mut self, start: usize, end: usize) -> Vec<Piece> {
        self.deeper(|p| p.bounded(start, end, |p| p.text_pieces(end)))
            .unwrap_or_default()
    }

    /// Everything up to `end` as expanded text.
    pub(super) fn text_pieces(&mut self, end: usize) -> Vec<Piece> {
        let (pieces, _) = self.pieces(Mode::Text);
        if self.failed.is_none() && self.pos < end {
            self.syntax("unexpected end of text");
        }
        pieces
    }

    /// Reads pieces up to the end that `mode` has, which is not consumed.
    /// Also tells whether a literal holds a character that expansions look
    /// for (`* ? [ { ~`), or anything was removed.
    pub(super) fn pieces(&mut self, mode: Mode) -> (Vec<Piece>, bool) {
        let mut out = Vec::new();
        let mut marked = false;
        let mut literal = self.pos;
        let mut parens = 0usize;
        while self.pos < self.end {
            let byte = self.at(self.pos);
            let start = self.pos;
            let kind = match byte {
                b'\\' => {
                    let next = self.at(start + 1);
                    if next == b'\n' {
                        self.flush(&mut out, literal, start);
                        self.pos = start + 2;
                        literal = self.pos;
                        marked = true;
                        continue;
                    }
                    let width = self.char_width(start + 1);
                    self.pos = start + 1 + width;
                    if width == 0 || !escapes(next, mode) {
                        marked = true;
                        continue;
                    }
                    PieceKind::Escaped
                }
                b'\'' => match mode {
                    Mode::Double | Mode::Text => {
                        self.pos += 1;
                        continue;
                    }
                    Mode::Brace { quoted: true } => self.semi_quoted(),
                    _ => self.single(),
                },
                b'"' => match mode {
                    Mode::Double => break,
                    Mode::Text => {
                        self.pos += 1;
                        continue;
                    }
                    _ => self.double(false),
                },
                b'`' => self.backquote(mode),
                b'$' => match self.dollar(mode) {
                    Some(kind) => kind,
                    None => {
                        self.pos += 1;
                        continue;
                    }
                },
                b'<' | b'>' if !matches!(mode, Mode::Double | Mode::Text) => {
                    let (next, at) = self.after(start);
                    if next == b'(' {
                        self.pos = at + 1;
                        self.substitution(PieceKind::Process)
                    } else if mode == Mode::Word || (mode == Mode::Regex && parens == 0) {
                        break;
                    } else {
                        self.pos += 1;
                        continue;
                    }
                }
                b'(' => match mode {
                    Mode::Word | Mode::Brace { quoted: false }
                        if start > literal
                            && matches!(self.at(start - 1), b'?' | b'*' | b'+' | b'@' | b'!') =>
                    {
                        self.flush(&mut out, literal, start);
                        literal = start;
                        self.pos += 1;
                        self.extglob()
                    }
                    Mode::Word => break,
                    Mode::Extglob | Mode::Regex => {
                        parens += 1;
                        self.pos += 1;
                        continue;
                    }
                    _ => {
                        self.pos += 1;
                        continue;
                    }
                },
                b')' => match mode {
                    Mode::Word => break,
                    Mode::Extglob | Mode::Regex if parens == 0 => break,
                    _ => {
                        parens = parens.saturating_sub(1);
                        self.pos += 1;
                        continue;
                    }
                },
                b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' if mode == Mode::Word => break,
                b' ' | b'\t' | b'\n' if mode == Mode::Regex && parens == 0 => break,
                b'&' | b';' if mode == Mode::Regex && parens == 0 => break,
                b'}' if matches!(mode, Mode::Brace { .. }) => break,
                _ => {
                    marked |= matches!(byte, b'*' | b'?' | b'[' | b'{' | b'~');
                    self.pos += 1;
                    continue;
                }
            };
            self.flush(&mut out, literal, start);
            out.push(Piece {
                span: Span::new(start, self.pos),
                kind,
            });
            self.count();
            marked = true;
            literal = self.pos;
            if self.pos <= start {
                break;
            }
        }
        self.flush(&mut out, literal, self.pos);
        (out, marked)
    }

    fn flush(&self, out: &mut Vec<Piece>, start: usize, end: usize) {
        let end = end.min(self.end);
        if end > start {
            out.push(Piece {
                span: Span::new(start, end),
                kind: PieceKind::Literal,
            });
        }
    }

    /// How many bytes the character at `i` has; 0 at the end.
    fn char_width(&self, i: usize) -> usize {
        match self.at(i) {
            0 => 0,
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        }
    }

    fn single(&mut self) -> PieceKind {
        let from = self.pos + 1;
        let rest = self.bytes.get(from..self.end).unwrap_or_default();
        match rest.iter().position(|b| *b == b'\'') {
            Some(n) => self.pos = from + n + 1,
            None => self.syntax("a single quote has no end"),
        }
        PieceKind::Single
    }

    pub(super) fn double(&mut self, localized: bool) -> PieceKind {
        self.pos += 1;
        let pieces = self
            .deeper(|p| p.pieces(Mode::Double).0)
            .unwrap_or_default();
        self.expect_byte(b'"', "a double quote has no end");
        PieceKind::Double { pieces, localized }
    }

    /// `'…'` inside `"${…}"`: bash looks for the second quote to find the end
    /// of the braces, yet expands what stands between as double-quoted text.
    fn semi_quoted(&mut self) -> PieceKind {
        let open = self.pos;
        self.single();
        let close = self.pos.saturating_sub(1);
        if self.failed.is_some() || close <= open {
            return PieceKind::Single;
        }
        let mut pieces = self.text_between(open + 1, close);
        for (at, index) in [(open, 0), (close, pieces.len() + 1)] {
            pieces.insert(
                index,
                Piece {
                    span: Span::new(at, at + 1),
                    kind: PieceKind::Literal,
                },
            );
        }
        PieceKind::Double {
            pieces,
            localized: false,
        }
    }

    /// The inside of `@(…)`, after the parenthesis.
    fn extglob(&mut self) -> PieceKind {
        let pieces = self
            .deeper(|p| p.pieces(Mode::Extglob).0)
            .unwrap_or_default();
        self.expect_byte(b')', "a pattern list has no end");
        PieceKind::Extglob(pieces)
    }
}

/// Whether a backslash before `next` protects it (else both are text).
fn escapes(next: u8, mode: Mode) -> bool {
    match mode {
        Mode::Double => matches!(next, b'$' | b'`' | b'"' | b'\\'),
        Mode::Text => matches!(next, b'$' | b'`' | b'\\'),
        Mode::Brace { quoted: true } => matches!(next, b'$' | b'`' | b'"' | b'\\' | b'}'),
        _ => true,
    }
}
