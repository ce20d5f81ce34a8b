//! What follows a `$` or a backquote.

use std::borrow::Cow;

use countersign_text::Span;

use super::word::Mode;
use super::{Parser, Stop, is_name, is_name_start};
use crate::ansi;
use crate::tree::{FaultKind, Map, Parameter, Piece, PieceKind, ProgramId};

impl Parser<'_, '_, '_> {
    /// The expansion at the `$` that stands here, or `None` when the `$` is
    /// just a character.
    pub(super) fn dollar(&mut self, mode: Mode) -> Option<PieceKind> {
        let start = self.pos;
        let (next, at) = self.after(start);
        let kind = match next {
            b'(' => {
                self.pos = at + 1;
                return Some(self.parenthesis(start));
            }
            b'{' => {
                self.pos = at + 1;
                let parameter = self
                    .deeper(|p| p.braced(start, mode.quoted()))
                    .unwrap_or_else(unknown);
                self.expect_byte(b'}', "`${` has no end");
                return Some(PieceKind::Parameter(Box::new(parameter)));
            }
            b'[' => {
                let Some(close) = self.skip_matched(at + 1, b'[', b']') else {
                    self.syntax("`$[` has no end");
                    return Some(PieceKind::Arithmetic(Vec::new()));
                };
                let pieces = self.text_between(at + 1, close);
                self.pos = close + 1;
                return Some(PieceKind::Arithmetic(pieces));
            }
            b'\'' if !mode.quoted() => {
                self.pos = at;
                return Some(self.ansi_quoted());
            }
            b'"' if !mode.quoted() => {
                self.pos = at;
                return Some(self.double(true));
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                self.pos = at + 1;
                bare(char::from(next).to_string())
            }
            _ if is_name_start(next) => {
                let mut name = String::new();
                let (mut byte, mut i) = (next, at);
                while is_name(byte) {
                    name.push(char::from(byte));
                    self.pos = i + 1;
                    (byte, i) = self.after(i);
                }
                bare(name)
            }
            _ => return None,
        };
        Some(PieceKind::Parameter(Box::new(kind)))
    }

    /// `$(…)` or `$((…))`, after the first parenthesis.
    fn parenthesis(&mut self, start: usize) -> PieceKind {
        if self.peek() != b'(' {
            return self.substitution(PieceKind::Command);
        }
        let inner = self.pos + 1;
        let outer_end = self.skip_matched(self.pos, b'(', b')');
        let inner_end = self.skip_matched(inner, b'(', b')');
        let Some(end) = outer_end else {
            self.syntax("`$((` has no end");
            return PieceKind::Arithmetic(Vec::new());
        };
        if inner_end.is_some_and(|i| i + 1 == end) {
            let pieces = self.text_between(inner, end - 1);
            self.pos = end + 1;
            return PieceKind::Arithmetic(pieces);
        }
        let kind = self.substitution(PieceKind::Command);
        if self.failed.is_none() && self.pos != end + 1 {
            // Bash takes its end from the parentheses alone here.
            let span = Span::new(start, self.pos.max(end + 1));
            self.fault(FaultKind::Unmodelled, span, "`$((` with an unclear end");
        }
        kind
    }

    /// A program up to `)`, after the opening parenthesis.
    pub(super) fn substitution(&mut self, kind: fn(ProgramId) -> PieceKind) -> PieceKind {
        let pending = std::mem::take(&mut self.pending);
        let within = std::mem::replace(&mut self.in_substitution, true);
        let line_start = self.line_start;
        let moves = self.b.moves;
        let program = self.deeper_list(|p| p.list(Stop::Closing));
        self.b.moves = moves;
        self.finish_here();
        self.expect_byte(b')', "a substitution has no end");
        self.in_substitution = within;
        self.pending = pending;
        self.line_start = line_start;
        match program {
            Some(program) => kind(program),
            None => PieceKind::AnsiC(None),
        }
    }

    /// A here-document that is still pending where a substitution ends has
    /// no lines: bash warns and takes it as empty.
    fn finish_here(&mut self) {
        if !self.pending.is_empty() {
            let span = Span::new(self.pos.min(self.end), self.pos.min(self.end));
            self.fault(
                FaultKind::Unmodelled,
                span,
                "a here-document without its lines",
            );
            self.pending.clear();
        }
    }

    /// `` `…` ``: the text loses some backslashes, then it is a program.
    pub(super) fn backquote(&mut self, mode: Mode) -> PieceKind {
        let open = self.pos;
        let mut at = open + 1;
        let mut escaped = false;
        while at < self.end && self.at(at) != b'`' {
            if self.at(at) == b'\\' {
                escaped = true;
                at += 1;
            }
            at += 1;
        }
        if at >= self.end {
            self.pos = self.end;
            self.syntax("a backquote has no end");
            return PieceKind::AnsiC(None);
        }
        let close = at;
        let moves = self.b.moves;
        let program = if escaped {
            self.deeper_list(|p| p.unescaped(open + 1, close, mode))
        } else {
            self.deeper_list(|p| Some(p.bounded(open + 1, close, |p| p.whole_here(close))))
        };
        self.b.moves = moves;
        if self.failed.is_none() {
            self.pos = close + 1;
        }
        match program.flatten() {
            Some(program) => PieceKind::Command(program),
            None => PieceKind::AnsiC(None),
        }
    }

    /// A program that ends exactly at `end`, in place.
    pub(super) fn whole_here(&mut self, end: usize) -> ProgramId {
        let program = self.list(Stop::Closing);
        self.finish_pending();
        if self.failed.is_none() && self.pos < end {
            self.syntax("unexpected token");
        }
        program
    }

    fn unescaped(&mut self, start: usize, end: usize, mode: Mode) -> Option<ProgramId> {
        let mut text = String::new();
        let mut runs = vec![(0, start as u32)];
        let mut from = start;
        let mut at = start;
        while at < end {
            if self.at(at) != b'\\' {
                at += 1;
                continue;
            }
            let next = self.at(at + 1);
            let removed = match next {
                b'\n' => 2,
                b'$' | b'`' | b'\\' => 1,
                b'"' if matches!(mode, Mode::Double | Mode::Brace { quoted: true }) => 1,
                _ => 0,
            };
            if removed > 0 {
                text.push_str(self.slice(from, at));
                from = at + removed;
                runs.push((u32::try_from(text.len()).ok()?, u32::try_from(from).ok()?));
            }
            at += 2;
        }
        text.push_str(self.slice(from, end));
        let map = Map::Runs {
            parent: self.source,
            runs,
            end: u32::try_from(end).ok()?,
        };
        let program = self.b.parse_nested(text, map);
        if program.is_none() {
            self.fail(FaultKind::Limit, "too much nested text");
        }
        program
    }

    /// `$'…'`, at its quote.
    fn ansi_quoted(&mut self) -> PieceKind {
        let from = self.pos + 1;
        let mut at = from;
        while at < self.end && self.at(at) != b'\'' {
            at += if self.at(at) == b'\\' { 2 } else { 1 };
        }
        if at >= self.end {
            self.pos = self.end;
            self.syntax("`$'` has no end");
            return PieceKind::AnsiC(None);
        }
        self.pos = at + 1;
        PieceKind::AnsiC(
            ansi::decode(self.slice(from, at))
                .map(Cow::into_owned)
                .map(Into::into),
        )
    }

    /// The inside of `${…}`, up to the closing brace.
    fn braced(&mut self, start: usize, quoted: bool) -> Parameter {
        let mut parameter = unknown();
        let mut byte = self.peek();
        if matches!(byte, b' ' | b'\t' | b'\n' | b'|') {
            // `${ command; }` is a substitution in later versions of bash.
            let span = Span::new(start, self.pos);
            self.fault(FaultKind::Unmodelled, span, "`${` with a command");
        }
        if byte == b'!' && self.after(self.pos).0 != b'}' && !self.operator_follows() {
            parameter.indirect = true;
            self.pos += 1;
            byte = self.peek();
        } else if byte == b'#'
            && !matches!(
                self.after(self.pos).0,
                b'}' | b':' | b'#' | b'%' | b'/' | b'=' | b'+'
            )
        {
            parameter.length = true;
            self.pos += 1;
            byte = self.peek();
        }
        if is_name_start(byte) {
            while is_name(byte) {
                parameter.name.push(char::from(byte));
                self.pos += 1;
                byte = self.peek();
            }
        } else if byte.is_ascii_digit() {
            while byte.is_ascii_digit() {
                parameter.name.push(char::from(byte));
                self.pos += 1;
                byte = self.peek();
            }
        } else if matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            parameter.name.push(char::from(byte));
            self.pos += 1;
            byte = self.peek();
        }
        if byte == b'['
            && let Some(close) = self.skip_matched(self.pos + 1, b'[', b']')
        {
            let inner = self.text_between(self.pos + 1, close);
            parameter.subscript = Some(inner);
            self.pos = close + 1;
            byte = self.peek();
        }
        parameter.bare = byte == b'}'
            && !parameter.indirect
            && !parameter.length
            && parameter.subscript.is_none();
        if byte != b'}' && byte != 0 {
            parameter.operator = Some(char::from(byte));
            let next = self.after(self.pos).0;
            parameter.substring = byte == b':' && !matches!(next, b'-' | b'=' | b'?' | b'+');
            if byte == b':' && !parameter.substring {
                parameter.operator = Some(char::from(next));
            }
        }
        parameter.rest = if parameter.substring {
            self.pieces(Mode::Brace { quoted: true }).0
        } else {
            self.pieces(Mode::Brace { quoted }).0
        };
        parameter
    }

    /// Whether `${!` is the parameter `!` with an operator.
    fn operator_follows(&self) -> bool {
        matches!(
            self.after(self.pos).0,
            b':' | b'-' | b'=' | b'?' | b'+' | b'%' | b'/' | b'^' | b','
        )
    }
}

impl<'a> super::Builder<'a> {
    /// A decoded text inside a text that is being parsed.
    fn parse_nested(&mut self, text: String, map: Map) -> Option<ProgramId> {
        self.parse_decoded(text, map)
    }
}

fn unknown() -> Parameter {
    Parameter {
        name: String::new(),
        indirect: false,
        length: false,
        bare: false,
        subscript: None,
        operator: None,
        substring: false,
        rest: Vec::<Piece>::new(),
    }
}

fn bare(name: String) -> Parameter {
    Parameter {
        name,
        bare: true,
        ..unknown()
    }
}
