//! `[[ … ]]`.

use countersign_text::Span;

use super::word::Mode;
use super::{Parser, is_word_end};
use crate::tree::TestItem;

impl Parser<'_, '_, '_> {
    /// The expression after `[[`, with the closing `]]`.
    pub(super) fn test_command(&mut self) -> Vec<TestItem> {
        let mut items = Vec::new();
        self.test_or(&mut items);
        self.test_blanks();
        if self.test_word_is("]]") {
            self.pos += 2;
        } else {
            self.syntax("`[[` has no end");
        }
        items
    }

    fn test_blanks(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return;
            }
            self.newline();
        }
    }

    fn test_word_is(&mut self, word: &str) -> bool {
        self.peek();
        let end = self.pos + word.len();
        self.slice(self.pos, end) == word && is_word_end(self.at(end))
    }

    fn test_operator(&mut self, byte: u8) -> bool {
        self.test_blanks();
        if self.peek() != byte {
            return false;
        }
        let (next, at) = self.after(self.pos);
        if next == byte {
            self.pos = at + 1;
        }
        next == byte
    }

    fn test_or(&mut self, items: &mut Vec<TestItem>) {
        loop {
            loop {
                self.test_term(items);
                if self.failed.is_some() || !self.test_operator(b'&') {
                    break;
                }
            }
            if self.failed.is_some() || !self.test_operator(b'|') {
                break;
            }
        }
    }

    fn test_term(&mut self, items: &mut Vec<TestItem>) {
        self.test_blanks();
        while self.test_word_is("!") {
            self.pos += 1;
            self.test_blanks();
        }
        if self.peek() == b'(' {
            self.pos += 1;
            self.deeper(|p| p.test_or(items));
            self.test_blanks();
            self.expect_byte(b')', "`(` in a test has no end");
            return;
        }
        let start = self.pos;
        if self.unary_operator() {
            items.push(TestItem::Operator(Span::new(start, self.pos)));
            self.skip_blanks();
            if self.test_word_is("]]") || self.binary_operator_stands_here() {
                self.syntax("an operand is missing in a test");
                return;
            }
            self.test_operand(items, Mode::Word);
            return;
        }
        self.test_operand(items, Mode::Word);
        self.skip_blanks();
        if self.peek() == b'\n' {
            self.syntax("a newline where an operator must stand in a test");
        }
        if self.failed.is_some() || self.test_word_is("]]") {
            return;
        }
        self.binary(items);
    }

    fn binary_operator_stands_here(&mut self) -> bool {
        for operator in BINARY {
            if self.test_word_is(operator) {
                return true;
            }
        }
        false
    }

    fn binary(&mut self, items: &mut Vec<TestItem>) {
        let start = self.pos;
        match self.peek() {
            b'<' | b'>' => self.pos += 1,
            b')' | b'&' | b'|' => return,
            _ => {
                let found = BINARY.iter().find(|op| self.test_word_is(op));
                match found {
                    Some(operator) => self.pos += operator.len(),
                    None => {
                        self.syntax("unexpected word in a test");
                        return;
                    }
                }
            }
        }
        let end = self.pos;
        items.push(TestItem::Operator(Span::new(start, end)));
        // No newline may stand before the right side.
        self.skip_blanks();
        let regex = self.slice(start, end) == "=~";
        self.test_operand(items, if regex { Mode::Regex } else { Mode::Word });
    }

    /// `-x` with a letter that is a unary operator.
    fn unary_operator(&mut self) -> bool {
        if self.peek() != b'-' || !is_word_end(self.at(self.pos + 2)) {
            return false;
        }
        let letter = self.at(self.pos + 1);
        let found = b"abcdefghknoprstuvwxzGLNORS".contains(&letter);
        if found {
            self.pos += 2;
        }
        found
    }

    fn test_operand(&mut self, items: &mut Vec<TestItem>, mode: Mode) {
        let byte = self.peek();
        let process = matches!(byte, b'<' | b'>') && self.after(self.pos).0 == b'(';
        let open = byte == b'(' && mode == Mode::Regex;
        if is_word_end(byte) && !process && !open {
            self.syntax("an operand is missing in a test");
            return;
        }
        let before = self.pos;
        let word = self.plain_word(mode);
        items.push(TestItem::Word(word));
        if self.pos <= before {
            self.syntax("an operand is missing in a test");
        }
    }
}

const BINARY: &[&str] = &[
    "==", "=", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];
