//! From bytes to a [`Tree`]: one pass, recursive descent, no backtracking.
//!
//! Follows bash 5.2's own reader (`parse.y`): words are read first and looked
//! at afterwards, backslash-newline vanishes wherever bash removes it, and a
//! here-document's lines are read at the next newline token.

mod command;
mod compound;
mod expansion;
mod heredoc;
mod matched;
mod test;
mod word;

use std::borrow::Cow;

use countersign_text::Span;

use crate::limits::Limits;
use crate::tree::{
    AndOr, Command, CommandId, CommandKind, Fault, FaultKind, HeredocId, Joint, Map, Program,
    ProgramId, SourceId, Tree, Word, WordId,
};

/// What every parser of one analysis shares.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub tree: Tree<'a>,
    pub limits: Limits,
    depth: u32,
    nodes: usize,
    decoded: usize,
    /// Commands seen so far that may change the directory.
    moves: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            tree: Tree::default(),
            limits,
            depth: 0,
            nodes: 0,
            decoded: 0,
            moves: 0,
        }
    }

    /// Parses `text` as a program of its own. Faults are left in the tree.
    pub(crate) fn parse(&mut self, text: Cow<'a, str>, map: Map) -> ProgramId {
        let source = self.tree.add_source(Cow::Borrowed(""), map);
        let program = Parser::new(&text, source, self).whole();
        if let Some(entry) = self.tree.sources.get_mut(source.0 as usize) {
            entry.text = text;
        }
        program
    }

    /// Parses decoded text, as long as the budget for it lasts.
    pub(crate) fn parse_decoded(&mut self, text: String, map: Map) -> Option<ProgramId> {
        self.decoded = self.decoded.saturating_add(text.len());
        if self.decoded > self.limits.decoded_bytes || text.contains('\0') {
            return None;
        }
        Some(self.parse(Cow::Owned(text), map))
    }
}

/// A here-document whose lines have not been read yet.
#[derive(Debug)]
struct Pending {
    id: HeredocId,
    delimiter: String,
    strip_tabs: bool,
}

pub(crate) struct Parser<'s, 'b, 'a> {
    text: &'s str,
    bytes: &'s [u8],
    pos: usize,
    /// Nothing at or behind this position is looked at.
    end: usize,
    source: SourceId,
    b: &'b mut Builder<'a>,
    pending: Vec<Pending>,
    /// Inside `$(…)`, whose `)` may follow a here-document's delimiter.
    in_substitution: bool,
    /// After an error everything looks like the end of the text.
    failed: Option<Fault>,
    /// From here on no closing delimiter was found, for `skip_matched`.
    unmatched_from: usize,
    /// Where the command being read began, for the span of a fault.
    line_start: usize,
}

impl<'s, 'b, 'a> Parser<'s, 'b, 'a> {
    fn new(text: &'s str, source: SourceId, b: &'b mut Builder<'a>) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            end: text.len(),
            source,
            b,
            pending: Vec::new(),
            in_substitution: false,
            failed: None,
            unmatched_from: usize::MAX,
            line_start: 0,
        }
    }

    /// The byte at `i`, or 0 at the end (the text has no NUL).
    #[inline]
    fn at(&self, i: usize) -> u8 {
        if i < self.end {
            self.bytes.get(i).copied().unwrap_or(0)
        } else {
            0
        }
    }

    /// The next byte that counts: a backslash-newline does not.
    #[inline]
    fn peek(&mut self) -> u8 {
        let byte = self.at(self.pos);
        if byte == b'\\' && self.at(self.pos + 1) == b'\n' {
            self.pos += 2;
            return self.peek_slow();
        }
        byte
    }

    fn peek_slow(&mut self) -> u8 {
        while self.at(self.pos) == b'\\' && self.at(self.pos + 1) == b'\n' {
            self.pos += 2;
        }
        self.at(self.pos)
    }

    /// The byte that counts after the one at `i`, and where it is.
    fn after(&self, i: usize) -> (u8, usize) {
        let mut next = i + 1;
        while self.at(next) == b'\\' && self.at(next + 1) == b'\n' {
            next += 2;
        }
        (self.at(next), next)
    }

    fn slice(&self, start: usize, end: usize) -> &'s str {
        self.text.get(start..end.min(self.end)).unwrap_or("")
    }

    /// Stops everything: bash would not run the command being read.
    fn fail(&mut self, kind: FaultKind, note: &'static str) {
        if self.failed.is_none() {
            self.failed = Some(Fault {
                kind,
                source: self.source,
                span: Span::new(self.pos.min(self.end), self.end),
                note,
            });
        }
        self.end = self.pos.min(self.end);
    }

    fn syntax(&mut self, note: &'static str) {
        self.fail(FaultKind::Syntax, note);
    }

    /// Notes a region that bash rejects, or that is not modelled, without
    /// stopping: what follows is read by bash as usual.
    fn fault(&mut self, kind: FaultKind, span: Span, note: &'static str) {
        self.b.tree.faults.push(Fault {
            kind,
            source: self.source,
            span,
            note,
        });
    }

    /// Counts one more node.
    fn count(&mut self) {
        self.b.nodes += 1;
        if self.b.nodes > self.b.limits.nodes {
            self.fail(FaultKind::Limit, "too many parts");
        }
    }

    /// Runs `read` one level deeper, or stops at the depth budget.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.deeper_by(1, read)
    }

    /// The same for something that holds a list of commands, whose levels
    /// take about twice the stack.
    fn deeper_list<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.deeper_by(2, read)
    }

    fn deeper_by<T>(&mut self, levels: u32, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.b.depth + levels > self.b.limits.depth {
            self.fail(FaultKind::Limit, "nested too deeply");
            return None;
        }
        self.b.depth += levels;
        let result = read(self);
        self.b.depth -= levels;
        Some(result)
    }

    /// Reads `start..end` in place as something with its own end and its own
    /// errors: a fault inside is noted and does not stop the reader.
    fn bounded<T>(&mut self, start: usize, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let saved = (
            self.pos,
            self.end,
            self.unmatched_from,
            self.in_substitution,
            self.line_start,
        );
        let pending = std::mem::take(&mut self.pending);
        self.pos = start;
        self.end = end.min(self.end);
        self.unmatched_from = usize::MAX;
        self.in_substitution = false;
        let result = read(self);
        self.finish_pending();
        if let Some(fault) = self.failed.take() {
            if fault.kind == FaultKind::Limit {
                self.failed = Some(fault);
            } else {
                self.b.tree.faults.push(Fault {
                    span: Span::new(start, end),
                    ..fault
                });
            }
        }
        self.pending = pending;
        (
            self.pos,
            self.end,
            self.unmatched_from,
            self.in_substitution,
            self.line_start,
        ) = saved;
        if self.failed.is_some() {
            self.end = self.pos;
        }
        result
    }

    fn word(&mut self, word: Word) -> WordId {
        self.count();
        self.b.tree.add_word(word)
    }

    fn command(&mut self, command: Command) -> CommandId {
        self.count();
        self.b.tree.add_command(command)
    }

    /// The whole text as a program; resumes after an error at the next line,
    /// as what is found there can only add to the suspicion.
    fn whole(mut self) -> ProgramId {
        let full = self.end;
        let mut items = Vec::new();
        let mut resumed = 0;
        loop {
            self.items(&mut items, Stop::End);
            if self.failed.is_none() && self.pos < self.end {
                self.syntax("unexpected token");
            }
            self.finish_pending();
            let Some(failure) = self.failed.take() else {
                break;
            };
            let at = failure.span.start as usize;
            let limit = failure.kind == FaultKind::Limit;
            self.b.tree.faults.push(Fault {
                span: Span::new(self.line_start.min(at), full),
                ..failure
            });
            resumed += 1;
            self.end = full;
            self.pos = self
                .bytes
                .get(at..)
                .and_then(|rest| rest.iter().position(|b| *b == b'\n'))
                .map_or(full, |n| at + n + 1);
            if limit || resumed > 16 || self.pos >= full {
                break;
            }
            self.pending.clear();
            self.unmatched_from = usize::MAX;
        }
        self.b.tree.add_program(Program {
            source: self.source,
            items,
        })
    }

    /// A list up to one of the tokens of `stop`, which is not consumed.
    fn list(&mut self, stop: Stop) -> ProgramId {
        let mut items = Vec::new();
        self.items(&mut items, stop);
        self.b.tree.add_program(Program {
            source: self.source,
            items,
        })
    }

    fn items(&mut self, items: &mut Vec<AndOr>, stop: Stop) {
        loop {
            self.skip_newlines();
            if stop == Stop::End {
                self.line_start = self.pos;
            }
            if self.pos >= self.end || self.at_stop() {
                return;
            }
            let before = self.pos;
            let Some(mut item) = self.and_or() else {
                return;
            };
            self.skip_blanks();
            let more = match self.peek() {
                b';' => {
                    let (next, _) = self.after(self.pos);
                    if next == b';' || next == b'&' {
                        // `;;`, `;&` or `;;&`: the caller's, if it is in a case
                        false
                    } else {
                        self.pos += 1;
                        true
                    }
                }
                b'&' => {
                    if self.after(self.pos).0 == b'&' {
                        false
                    } else {
                        self.pos += 1;
                        item.background = true;
                        true
                    }
                }
                b'\n' => true,
                _ => false,
            };
            items.push(item);
            if !more || self.pos <= before {
                return;
            }
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn and_or(&mut self) -> Option<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let byte = self.peek();
            let joint = match byte {
                b'&' => Joint::And,
                b'|' => Joint::Or,
                _ => break,
            };
            let (next, at) = self.after(self.pos);
            if next != byte {
                break;
            }
            self.pos = at + 1;
            self.skip_newlines();
            match self.pipeline() {
                Some(next) => rest.push((joint, next)),
                None => {
                    self.syntax("a command is missing after `&&` or `||`");
                    break;
                }
            }
        }
        Some(AndOr {
            first,
            rest,
            background: false,
        })
    }

    /// `[!] [time [-p] [--]] command | command …`
    fn pipeline(&mut self) -> Option<CommandId> {
        self.skip_blanks();
        let start = self.pos;
        let moves = self.b.moves;
        let mut negated = false;
        let mut timed: Option<Span> = None;
        let mut prefixed = false;
        loop {
            self.skip_blanks();
            let word_start = self.pos;
            match self.reserved() {
                Some((Reserved::Bang, end)) => {
                    self.pos = end;
                    negated = !negated;
                    prefixed = true;
                }
                Some((Reserved::Time, end)) => {
                    self.pos = end;
                    self.time_options();
                    let span = Span::new(word_start, self.pos);
                    timed = Some(timed.map_or(span, |t| t.cover(span)));
                    prefixed = true;
                }
                _ => break,
            }
        }
        self.skip_blanks();
        let mut stages = Vec::new();
        if prefixed && matches!(self.peek(), 0 | b';' | b'\n' | b'&' | b')') {
            // `time` and `!` alone are commands
        } else {
            stages.push(self.one_command()?);
            loop {
                self.skip_blanks();
                if self.peek() != b'|' {
                    break;
                }
                let (next, at) = self.after(self.pos);
                if next == b'|' {
                    break;
                }
                self.pos = if next == b'&' { at + 1 } else { self.pos + 1 };
                self.skip_newlines();
                match self.one_command() {
                    Some(stage) => stages.push(stage),
                    None => {
                        self.syntax("a command is missing after `|`");
                        break;
                    }
                }
            }
        }
        if !prefixed && stages.len() == 1 {
            return stages.first().copied();
        }
        let span = Span::new(start, self.pos);
        let moves = self.b.moves != moves;
        Some(self.command(Command {
            source: self.source,
            kind: CommandKind::Pipeline {
                negated,
                timed,
                stages,
            },
            span,
            redirects: Vec::new(),
            moves,
        }))
    }

    /// `-p` and `--` after `time`.
    fn time_options(&mut self) {
        for option in ["-p", "--"] {
            self.skip_blanks();
            let end = self.pos + option.len();
            if self.slice(self.pos, end) == option && is_word_end(self.at(end)) {
                self.pos = end;
            }
        }
    }

    /// Spaces, tabs, continuations, and a comment.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'#' => {
                    let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
                    let line = rest.iter().position(|b| *b == b'\n');
                    self.pos = line.map_or(self.end, |n| self.pos + n);
                }
                _ => return,
            }
        }
    }

    /// Blanks and newlines; reads pending here-documents at the first newline.
    fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return;
            }
            self.newline();
        }
    }

    /// A newline token.
    fn newline(&mut self) {
        self.pos += 1;
        if !self.pending.is_empty() {
            self.read_heredocs();
        }
    }

    /// Whether a token stands here that ends every list: `)`, `;;` or a
    /// reserved word that does not start a command.
    fn at_stop(&mut self) -> bool {
        match self.peek() {
            b')' => true,
            b';' => matches!(self.after(self.pos).0, b';' | b'&'),
            _ => matches!(self.reserved(), Some((word, _)) if word.ends_list()),
        }
    }
}

/// Which token a list is read up to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The end of the text.
    End,
    /// A closing token that the caller checks.
    Closing,
}

/// A word that means something only where a command may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reserved {
    Bang,
    Case,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    Esac,
    Fi,
    For,
    Function,
    If,
    Select,
    Test,
    /// `]]`, which starts nothing.
    TestEnd,
    Then,
    Time,
    Until,
    While,
    Open,
    Close,
}

impl Reserved {
    fn of(text: &str) -> Option<Self> {
        Some(match text {
            "!" => Self::Bang,
            "case" => Self::Case,
            "coproc" => Self::Coproc,
            "do" => Self::Do,
            "done" => Self::Done,
            "elif" => Self::Elif,
            "else" => Self::Else,
            "esac" => Self::Esac,
            "fi" => Self::Fi,
            "for" => Self::For,
            "function" => Self::Function,
            "if" => Self::If,
            "select" => Self::Select,
            "[[" => Self::Test,
            "]]" => Self::TestEnd,
            "then" => Self::Then,
            "time" => Self::Time,
            "until" => Self::Until,
            "while" => Self::While,
            "{" => Self::Open,
            "}" => Self::Close,
            _ => return None,
        })
    }

    fn ends_list(self) -> bool {
        matches!(
            self,
            Self::Do
                | Self::Done
                | Self::Elif
                | Self::Else
                | Self::Esac
                | Self::Fi
                | Self::Then
                | Self::Close
        )
    }
}

/// Whether `byte` ends an unquoted word (0 is the end of the text).
fn is_word_end(byte: u8) -> bool {
    matches!(
        byte,
        0 | b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'
    )
}

fn is_name_start(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

impl Parser<'_, '_, '_> {
    /// The reserved word that stands here, and where it ends.
    fn reserved(&mut self) -> Option<(Reserved, usize)> {
        let first = self.peek();
        if !matches!(first, b'!' | b'[' | b']' | b'{' | b'}' | b'c'..=b'w') {
            return None;
        }
        let start = self.pos;
        let mut end = start;
        while self.at(end).is_ascii_lowercase()
            || matches!(self.at(end), b'!' | b'[' | b']' | b'{' | b'}')
        {
            end += 1;
            if end - start > 8 {
                return None;
            }
        }
        if is_word_end(self.at(end)) {
            return Reserved::of(self.slice(start, end)).map(|word| (word, end));
        }
        if self.at(end) == b'\\' && self.at(end + 1) == b'\n' {
            return self.reserved_continued(start);
        }
        None
    }

    /// The same for a word that a backslash-newline cuts.
    fn reserved_continued(&self, start: usize) -> Option<(Reserved, usize)> {
        let mut text = String::new();
        let mut end = start;
        let mut byte = self.at(end);
        while !is_word_end(byte) && text.len() < 9 {
            if !(byte.is_ascii_lowercase() || matches!(byte, b'!' | b'[' | b']' | b'{' | b'}')) {
                return None;
            }
            text.push(char::from(byte));
            (byte, end) = self.after(end);
        }
        Reserved::of(&text).map(|word| (word, end))
    }

    /// Takes `word` if it stands here, else fails.
    fn expect(&mut self, word: Reserved, note: &'static str) -> bool {
        self.skip_blanks();
        match self.reserved() {
            Some((found, end)) if found == word => {
                self.pos = end;
                true
            }
            _ => {
                self.syntax(note);
                false
            }
        }
    }

    fn expect_byte(&mut self, byte: u8, note: &'static str) {
        if self.peek() == byte {
            self.pos += 1;
        } else {
            self.syntax(note);
        }
    }
}
