//! Simple commands and redirects.

use countersign_text::Span;

use super::word::{Mode, Position, Token};
use super::{Parser, Reserved, is_name, is_name_start, is_word_end};
use crate::tree::{
    Command, CommandId, CommandKind, Piece, PieceKind, Redirect, RedirectKind, Simple, Target,
    WordId,
};

/// The builtins whose arguments may be `name=(…)`.
const DECLARATIONS: &[&str] = &[
    "alias", "declare", "eval", "export", "let", "local", "readonly", "typeset",
];

/// Commands after which the directory may be another, or anything.
const MOVERS: &[&str] = &["cd", "pushd", "popd", "eval", "source", ".", "builtin"];

impl Parser<'_, '_, '_> {
    /// One command, or `None` when none stands here.
    pub(super) fn one_command(&mut self) -> Option<CommandId> {
        self.skip_blanks();
        if self.pos >= self.end {
            return None;
        }
        if self.peek() == b'(' {
            return self.deeper_list(Self::parenthesized).flatten();
        }
        match self.reserved() {
            Some((Reserved::Bang, _)) => {
                self.syntax("`!` in the middle of a pipeline");
                None
            }
            // After `|` this is an ordinary word.
            None | Some((Reserved::Time, _)) => self.simple(),
            Some((word, end)) => {
                if word.ends_list() {
                    return None;
                }
                self.deeper_list(|p| p.compound(word, end)).flatten()
            }
        }
    }

    /// Redirects after a compound command.
    pub(super) fn with_redirects(
        &mut self,
        kind: CommandKind,
        start: usize,
        moves: usize,
    ) -> CommandId {
        let span = Span::new(start, self.pos);
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        // An opening parenthesis or a word here is an error of the caller's.
        let moves = self.b.moves != moves;
        self.command(Command {
            source: self.source,
            kind,
            span,
            redirects,
            moves,
        })
    }

    fn simple(&mut self) -> Option<CommandId> {
        let start = self.pos;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut position = Position::Prefix;
        let moves = self.b.moves;
        loop {
            self.skip_blanks();
            match self.peek() {
                0 | b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.after(self.pos).0 != b'>' => break,
                b'(' => {
                    let name = simple.words.first().copied();
                    if let (Some(name), 1, true, true) = (
                        name,
                        simple.words.len(),
                        simple.assignments.is_empty(),
                        redirects.is_empty(),
                    ) {
                        return self.function_after_name(start, name, moves);
                    }
                    self.syntax("unexpected `(`");
                    break;
                }
                _ => {}
            }
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if self.failed.is_some() {
                break;
            }
            let before = self.pos;
            match self.token(position) {
                Token::Assignment(assignment) => simple.assignments.push(assignment),
                Token::Word(word) => {
                    match simple.words.first() {
                        None => position = self.position_after(word),
                        Some(first) => self.inner_moves(*first, word),
                    }
                    simple.words.push(word);
                }
            }
            if self.pos <= before {
                if self.failed.is_none() {
                    self.syntax("unexpected token");
                }
                break;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            if self.failed.is_none() && !matches!(self.peek(), 0 | b'\n' | b')') {
                self.syntax("a command is missing");
            }
            return None;
        }
        let span = Span::new(start, self.last_end(start));
        let moves = self.b.moves != moves;
        Some(self.command(Command {
            source: self.source,
            kind: CommandKind::Simple(simple),
            span,
            redirects,
            moves,
        }))
    }

    /// The current position without the blanks before it.
    fn last_end(&self, start: usize) -> usize {
        let mut end = self.pos.min(self.end);
        while end > start && matches!(self.at(end - 1), b' ' | b'\t') {
            end -= 1;
        }
        end
    }

    /// How the words after the command word are read. Also notes commands
    /// that may change the directory.
    fn position_after(&mut self, word: WordId) -> Position {
        let plain = self
            .b
            .tree
            .word(word)
            .filter(|w| w.plain)
            .and_then(|w| w.span.of(self.text));
        match plain {
            Some(text) => {
                if MOVERS.contains(&text) {
                    self.moves();
                }
                if DECLARATIONS.contains(&text) {
                    return Position::Declaration;
                }
            }
            None => self.moves(),
        }
        Position::Argument
    }

    /// Notes an argument through which the directory may change: `command cd`,
    /// `trap 'cd x' DEBUG`.
    fn inner_moves(&mut self, first: WordId, word: WordId) {
        let text = |id: WordId| {
            let word = self.b.tree.word(id)?;
            word.span.of(self.text).map(|text| (text, word.plain))
        };
        let moves = match (text(first), text(word)) {
            (Some(("command" | "exec", true)), Some((text, plain))) => {
                !plain || MOVERS.contains(&text)
            }
            (Some(("trap", true)), Some((text, _))) => {
                ["cd", "pushd", "popd", "eval", "source", ". ", "\\"]
                    .iter()
                    .any(|mover| text.contains(mover))
                    || text.starts_with('$')
            }
            _ => false,
        };
        if moves {
            self.moves();
        }
    }

    fn moves(&mut self) {
        self.b.moves += 1;
        self.b.tree.moves = true;
    }

    /// `name ( )` and the body.
    fn function_after_name(
        &mut self,
        start: usize,
        name: WordId,
        moves: usize,
    ) -> Option<CommandId> {
        self.pos += 1;
        self.skip_blanks();
        self.expect_byte(b')', "unexpected `(`");
        if self.failed.is_some() {
            // What stands in the parentheses still counts as suspicious.
            return Some(self.command(Command {
                source: self.source,
                kind: CommandKind::Simple(Simple {
                    assignments: Vec::new(),
                    words: vec![name],
                }),
                span: Span::new(start, self.pos),
                redirects: Vec::new(),
                moves: true,
            }));
        }
        self.function_body(start, name, moves)
    }

    pub(super) fn function_body(
        &mut self,
        start: usize,
        name: WordId,
        moves: usize,
    ) -> Option<CommandId> {
        self.skip_newlines();
        self.b.moves += 1;
        let body = match self.peek() {
            b'(' => self.deeper_list(Self::parenthesized).flatten(),
            _ => match self.reserved() {
                Some((word, end))
                    if !word.ends_list()
                        && !matches!(
                            word,
                            Reserved::Bang | Reserved::Time | Reserved::Coproc | Reserved::Function
                        ) =>
                {
                    self.deeper_list(|p| p.compound(word, end)).flatten()
                }
                _ => None,
            },
        };
        let Some(body) = body else {
            self.syntax("a function needs a body");
            return None;
        };
        let span = Span::new(start, self.last_end(start));
        let moves = self.b.moves != moves;
        Some(self.command(Command {
            source: self.source,
            kind: CommandKind::Function { name, body },
            span,
            redirects: Vec::new(),
            moves,
        }))
    }

    /// A redirect, if one stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.pos;
        let mut at = start;
        let mut byte = self.peek();
        let mut prefixed = false;
        let mut variable = None;
        if byte.is_ascii_digit() {
            at = self.pos;
            while byte.is_ascii_digit() {
                (byte, at) = self.after(at);
            }
            prefixed = true;
        } else if byte == b'{' {
            let (name, end) = self.descriptor_variable(self.pos)?;
            variable = Some(name);
            prefixed = true;
            at = end;
            byte = self.at(at);
        } else {
            at = at.max(self.pos);
        }
        let (next, next_at) = self.after(at);
        let (kind, width_end) = match (byte, next) {
            (b'<' | b'>', b'(') => return None,
            (b'<', b'<') => {
                let (third, third_at) = self.after(next_at);
                match third {
                    b'<' => (RedirectKind::HereString, third_at),
                    b'-' => (RedirectKind::Heredoc, third_at),
                    _ => (RedirectKind::Heredoc, next_at),
                }
            }
            (b'<', b'>') => (RedirectKind::ReadWrite, next_at),
            (b'<', b'&') => (RedirectKind::DuplicateIn, next_at),
            (b'<', _) => (RedirectKind::Read, at),
            (b'>', b'&') => (RedirectKind::DuplicateOut, next_at),
            (b'>', b'>' | b'|') => (RedirectKind::Write, next_at),
            (b'>', _) => (RedirectKind::Write, at),
            (b'&', b'>') if !prefixed => {
                let (third, third_at) = self.after(next_at);
                if third == b'>' {
                    (RedirectKind::Write, third_at)
                } else {
                    (RedirectKind::Write, next_at)
                }
            }
            _ => return None,
        };
        let strip_tabs = kind == RedirectKind::Heredoc && self.at(width_end) == b'-';
        self.pos = width_end + 1;
        self.skip_blanks();
        let first = self.peek();
        let missing =
            is_word_end(first) && !(matches!(first, b'<' | b'>') && self.after(self.pos).0 == b'(');
        if missing {
            self.syntax("a redirect without its target");
        }
        let target = if missing {
            Target::Missing
        } else if kind == RedirectKind::Heredoc {
            self.heredoc_target(strip_tabs)
        } else {
            Target::Word(self.argument())
        };
        Some(Redirect {
            kind,
            span: Span::new(start, self.pos),
            variable,
            target,
        })
    }

    /// `{name}` right before `<` or `>`.
    fn descriptor_variable(&self, start: usize) -> Option<(String, usize)> {
        let mut name = String::new();
        let (mut byte, mut at) = self.after(start);
        if !is_name_start(byte) {
            return None;
        }
        while is_name(byte) {
            name.push(char::from(byte));
            (byte, at) = self.after(at);
        }
        if byte == b'[' {
            // `{name[subscript]}`
            while !matches!(byte, 0 | b'\n' | b'}') {
                name.push(char::from(byte));
                (byte, at) = self.after(at);
            }
        }
        if byte != b'}' {
            return None;
        }
        (byte, at) = self.after(at);
        matches!(byte, b'<' | b'>').then_some((name, at))
    }

    fn heredoc_target(&mut self, strip_tabs: bool) -> Target {
        let start = self.pos;
        let (pieces, _) = self.pieces(Mode::Word);
        let mut delimiter = String::new();
        let mut quoted = false;
        self.delimiter_text(&pieces, &mut delimiter, &mut quoted);
        if self.failed.is_some() {
            return Target::Missing;
        }
        if self.pos == start {
            self.syntax("a here-document without its delimiter");
            return Target::Missing;
        }
        Target::Heredoc(self.add_heredoc(delimiter, quoted, strip_tabs))
    }

    /// Quote removal only: nothing is expanded in a delimiter.
    fn delimiter_text(&mut self, pieces: &[Piece], out: &mut String, quoted: &mut bool) {
        for piece in pieces {
            let (start, end) = (piece.span.start as usize, piece.span.end as usize);
            match &piece.kind {
                PieceKind::Literal => out.push_str(self.slice(start, end)),
                PieceKind::Escaped => {
                    *quoted = true;
                    out.push_str(self.slice(start + 1, end));
                }
                PieceKind::Single => {
                    *quoted = true;
                    out.push_str(self.slice(start + 1, end.saturating_sub(1)));
                }
                PieceKind::AnsiC(Some(text)) => {
                    *quoted = true;
                    out.push_str(text);
                }
                PieceKind::Double {
                    pieces,
                    localized: false,
                } => {
                    *quoted = true;
                    self.delimiter_text(pieces, out, quoted);
                }
                PieceKind::Parameter(parameter) if parameter.bare => {
                    out.push_str(self.slice(start, end));
                }
                _ => {
                    self.fail(
                        crate::tree::FaultKind::Unmodelled,
                        "an expansion as the delimiter of a here-document",
                    );
                }
            }
        }
    }
}
