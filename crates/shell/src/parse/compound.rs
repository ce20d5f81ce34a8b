//! Compound commands, functions and coprocesses.

use countersign_text::Span;

use super::word::Mode;
use super::{Parser, Reserved, Stop, is_word_end};
use crate::tree::{Arm, Command, CommandId, CommandKind, ProgramId, WordId};

impl Parser<'_, '_, '_> {
    /// `( … )`, or `(( … ))` when the parentheses match that way.
    pub(super) fn parenthesized(&mut self) -> Option<CommandId> {
        let start = self.pos;
        let moves = self.b.moves;
        let (next, at) = self.after(start);
        if next == b'('
            && let Some(close) = self.skip_matched(at + 1, b'(', b')')
            && self.at(close + 1) == b')'
        {
            let pieces = self.text_between(at + 1, close);
            self.pos = close + 2;
            return Some(self.with_redirects(CommandKind::Arithmetic(pieces), start, moves));
        }
        self.pos = start + 1;
        let body = self.list(Stop::Closing);
        self.must_have_body(body, "an empty subshell");
        self.expect_byte(b')', "a subshell has no end");
        // What moves in there does not move the shell outside.
        self.b.moves = moves;
        Some(self.with_redirects(CommandKind::Subshell(body), start, moves))
    }

    /// The compound command that starts with `word`, which ends at `end`.
    pub(super) fn compound(&mut self, word: Reserved, end: usize) -> Option<CommandId> {
        let start = self.pos;
        let moves = self.b.moves;
        self.pos = end;
        let kind = match word {
            Reserved::Open => {
                let body = self.list(Stop::Closing);
                self.must_have_body(body, "an empty group");
                self.expect(Reserved::Close, "`{` has no end");
                CommandKind::Group(body)
            }
            Reserved::If => self.if_command(),
            Reserved::While | Reserved::Until => {
                let condition = self.list(Stop::Closing);
                self.must_have_body(condition, "a loop without its condition");
                let body = self.do_group();
                CommandKind::While { condition, body }
            }
            Reserved::For | Reserved::Select => self.for_command(word),
            Reserved::Case => self.case_command(),
            Reserved::Test => CommandKind::Test(self.test_command()),
            Reserved::Function => return self.function_command(start, moves),
            Reserved::Coproc => return self.coproc(start, moves),
            _ => {
                self.syntax("unexpected reserved word");
                CommandKind::Missing
            }
        };
        Some(self.with_redirects(kind, start, moves))
    }

    /// Bash rejects an empty list in most places.
    fn must_have_body(&mut self, body: ProgramId, note: &'static str) {
        let empty = self
            .b
            .tree
            .program(body)
            .is_none_or(|program| program.items.is_empty());
        if empty {
            self.syntax(note);
        }
    }

    fn body(&mut self, note: &'static str) -> ProgramId {
        let body = self.list(Stop::Closing);
        self.must_have_body(body, note);
        body
    }

    fn if_command(&mut self) -> CommandKind {
        let mut clauses = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.body("`if` without its condition");
            self.expect(Reserved::Then, "`then` is missing");
            let body = self.body("an empty `then`");
            clauses.push((condition, body));
            self.skip_blanks();
            match self.reserved() {
                Some((Reserved::Elif, end)) => self.pos = end,
                Some((Reserved::Else, end)) => {
                    self.pos = end;
                    otherwise = Some(self.body("an empty `else`"));
                    self.expect(Reserved::Fi, "`fi` is missing");
                    break;
                }
                _ => {
                    self.expect(Reserved::Fi, "`fi` is missing");
                    break;
                }
            }
            if self.failed.is_some() {
                break;
            }
        }
        CommandKind::If { clauses, otherwise }
    }

    fn do_group(&mut self) -> ProgramId {
        self.expect(Reserved::Do, "`do` is missing");
        let body = self.body("an empty loop");
        self.expect(Reserved::Done, "`done` is missing");
        body
    }

    /// The body of `for` and `select`: `do … done` or `{ … }`.
    fn loop_body(&mut self) -> ProgramId {
        self.skip_newlines();
        if let Some((Reserved::Open, end)) = self.reserved() {
            self.pos = end;
            let body = self.body("an empty loop");
            self.expect(Reserved::Close, "`{` has no end");
            return body;
        }
        self.do_group()
    }

    fn for_command(&mut self, word: Reserved) -> CommandKind {
        self.skip_blanks();
        if word == Reserved::For && self.peek() == b'(' && self.after(self.pos).0 == b'(' {
            return self.for_arithmetic();
        }
        let name = self.required_word("a loop without its variable");
        let mut values = None;
        self.skip_blanks();
        if self.peek() == b';' {
            self.pos += 1;
        } else {
            self.skip_newlines();
            if let Some(end) = self.keyword_in() {
                self.pos = end;
                values = Some(self.values());
            }
        }
        let body = self.loop_body();
        CommandKind::For { name, values, body }
    }

    /// The words after `in`, and the separator.
    fn values(&mut self) -> Vec<WordId> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                b';' => {
                    self.pos += 1;
                    return words;
                }
                b'\n' => return words,
                b'<' | b'>' if self.after(self.pos).0 == b'(' => words.push(self.argument()),
                byte if is_word_end(byte) => {
                    self.syntax("unexpected token in the values of a loop");
                    return words;
                }
                _ => words.push(self.argument()),
            }
        }
    }

    fn for_arithmetic(&mut self) -> CommandKind {
        let (_, second) = self.after(self.pos);
        let close = self
            .skip_matched(second + 1, b'(', b')')
            .filter(|close| self.at(close + 1) == b')');
        let Some(close) = close else {
            self.syntax("`for ((` has no end");
            return CommandKind::Missing;
        };
        let header = self.text_between(second + 1, close);
        self.pos = close + 2;
        self.skip_blanks();
        if self.peek() == b';' {
            self.pos += 1;
        }
        let body = self.loop_body();
        CommandKind::ForArithmetic { header, body }
    }

    fn required_word(&mut self, note: &'static str) -> WordId {
        self.skip_blanks();
        let byte = self.peek();
        let process = matches!(byte, b'<' | b'>') && self.after(self.pos).0 == b'(';
        if is_word_end(byte) && !process {
            self.syntax(note);
        }
        self.argument()
    }

    /// Where the word `in` ends, if it stands here.
    fn keyword_in(&mut self) -> Option<usize> {
        if self.peek() != b'i' {
            return None;
        }
        let (next, at) = self.after(self.pos);
        let (end, end_at) = self.after(at);
        (next == b'n' && is_word_end(end)).then_some(end_at)
    }

    fn case_command(&mut self) -> CommandKind {
        let subject = self.required_word("`case` without its subject");
        self.skip_newlines();
        match self.keyword_in() {
            Some(end) => self.pos = end,
            None => self.syntax("`in` is missing"),
        }
        let mut arms = Vec::new();
        while self.failed.is_none() {
            self.skip_newlines();
            if let Some((Reserved::Esac, end)) = self.reserved() {
                self.pos = end;
                break;
            }
            if self.pos >= self.end {
                self.syntax("`esac` is missing");
                break;
            }
            arms.push(self.arm());
        }
        CommandKind::Case { subject, arms }
    }

    fn arm(&mut self) -> Arm {
        if self.peek() == b'(' {
            self.pos += 1;
        }
        let mut patterns = Vec::new();
        loop {
            patterns.push(self.required_word("a pattern is missing"));
            self.skip_blanks();
            match self.peek() {
                b'|' => self.pos += 1,
                _ => {
                    self.expect_byte(b')', "a pattern has no `)`");
                    break;
                }
            }
        }
        let body = self.list(Stop::Closing);
        self.skip_newlines();
        if self.peek() == b';' {
            let (second, at) = self.after(self.pos);
            if second == b'&' {
                self.pos = at + 1;
            } else if second == b';' {
                self.pos = at + 1;
                if self.peek() == b'&' {
                    self.pos += 1;
                }
            } else {
                self.syntax("unexpected `;` in a case");
            }
        } else if !matches!(self.reserved(), Some((Reserved::Esac, _))) {
            self.syntax("`;;` or `esac` is missing");
        }
        Arm { patterns, body }
    }

    /// `function name [()] body`.
    fn function_command(&mut self, start: usize, moves: usize) -> Option<CommandId> {
        let name = self.required_word("a function without its name");
        self.skip_blanks();
        if self.peek() == b'(' {
            let (_, at) = self.after(self.pos);
            // `function f (list)` has a subshell as its body.
            let saved = self.pos;
            self.pos = at;
            self.skip_blanks();
            if self.peek() == b')' {
                self.pos += 1;
            } else {
                self.pos = saved;
            }
        }
        self.function_body(start, name, moves)
    }

    /// `coproc [NAME] command`.
    fn coproc(&mut self, start: usize, moves: usize) -> Option<CommandId> {
        self.skip_blanks();
        if let Some(body) = self.coproc_body() {
            return Some(self.coproc_command(start, None, body, moves));
        }
        if self.failed.is_some() {
            return None;
        }
        // Either `NAME compound` or a simple command that starts with a word:
        // the word is read once, then what follows decides.
        let before = self.pos;
        let word_end = {
            let mut at = before;
            while is_name_byte(self.at(at)) {
                at += 1;
            }
            at
        };
        let (byte, after) = self.first_after_blanks(word_end);
        let named = word_end > before
            && word_end < after
            && (byte == b'(' || self.reserved_at(after).is_some_and(starts_compound));
        if named || (word_end > before && byte == b'(' && !self.empty_parens(after)) {
            self.pos = before;
            let name = self.plain_word(Mode::Word);
            self.skip_blanks();
            let body = self.coproc_body();
            let Some(body) = body else {
                self.syntax("a coprocess needs a command");
                return None;
            };
            return Some(self.coproc_command(start, Some(name), body, moves));
        }
        let body = self.one_command().filter(|body| {
            let kind = self.b.tree.command(*body).map(|c| &c.kind);
            !matches!(kind, Some(CommandKind::Function { .. }))
        });
        let Some(body) = body else {
            self.syntax("a coprocess needs a command");
            return None;
        };
        Some(self.coproc_command(start, None, body, moves))
    }

    /// A compound command, if one stands here.
    fn coproc_body(&mut self) -> Option<CommandId> {
        if self.peek() == b'(' {
            return self.deeper_list(Self::parenthesized).flatten();
        }
        let (word, end) = self.reserved()?;
        if starts_compound(word) {
            return self.deeper_list(|p| p.compound(word, end)).flatten();
        }
        None
    }

    fn first_after_blanks(&self, at: usize) -> (u8, usize) {
        let mut i = at;
        loop {
            match self.at(i) {
                b' ' | b'\t' => i += 1,
                b'\\' if self.at(i + 1) == b'\n' => i += 2,
                byte => return (byte, i),
            }
        }
    }

    fn empty_parens(&self, at: usize) -> bool {
        self.first_after_blanks(at + 1).0 == b')'
    }

    fn reserved_at(&mut self, at: usize) -> Option<Reserved> {
        let saved = std::mem::replace(&mut self.pos, at);
        let found = self.reserved().map(|(word, _)| word);
        self.pos = saved;
        found
    }

    fn coproc_command(
        &mut self,
        start: usize,
        name: Option<WordId>,
        body: CommandId,
        moves: usize,
    ) -> CommandId {
        let span = Span::new(start, self.pos);
        let moves = self.b.moves != moves;
        self.command(Command {
            source: self.source,
            kind: CommandKind::Coproc { name, body },
            span,
            redirects: Vec::new(),
            moves,
        })
    }
}

fn starts_compound(word: Reserved) -> bool {
    matches!(
        word,
        Reserved::Open
            | Reserved::If
            | Reserved::While
            | Reserved::Until
            | Reserved::For
            | Reserved::Select
            | Reserved::Case
            | Reserved::Test
    )
}

fn is_name_byte(byte: u8) -> bool {
    !is_word_end(byte) && !matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`')
}
