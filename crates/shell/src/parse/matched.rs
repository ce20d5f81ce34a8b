//! Finding the end of a bracketed region by bash's lexical rules alone
//! (`parse_matched_pair`): needed only where bash itself decides by it.

use super::Parser;

impl Parser<'_, '_, '_> {
    /// Where the `close` stands that matches an `open` before `from`. Quotes,
    /// escapes and nested expansions are stepped over. `None` when there is
    /// none; then no later start can have one either, which is remembered so
    /// that the work stays linear.
    pub(super) fn skip_matched(&mut self, from: usize, open: u8, close: u8) -> Option<usize> {
        if from >= self.unmatched_from {
            return None;
        }
        // What is open, by its closing byte; the outermost is `close`.
        let mut stack = vec![close];
        let mut at = from;
        while at < self.end {
            let top = stack.last().copied()?;
            let byte = self.at(at);
            if byte == b'\\' && top != b'\'' {
                at += 2;
                continue;
            }
            if byte == top {
                stack.pop();
                if stack.is_empty() {
                    return Some(at);
                }
                at += 1;
                continue;
            }
            match top {
                b'\'' | b'`' => {}
                _ => self.open_matched(&mut stack, &mut at, top, (open, close)),
            }
            at += 1;
        }
        self.unmatched_from = self.unmatched_from.min(from);
        None
    }

    fn open_matched(&self, stack: &mut Vec<u8>, at: &mut usize, top: u8, pair: (u8, u8)) {
        let byte = self.at(*at);
        let quoted = top == b'"';
        match byte {
            b'\'' if !quoted => stack.push(b'\''),
            b'"' if !quoted => stack.push(b'"'),
            b'`' => stack.push(b'`'),
            b'$' => match self.at(*at + 1) {
                b'(' => {
                    stack.push(b')');
                    *at += 1;
                }
                b'{' => {
                    stack.push(b'}');
                    *at += 1;
                }
                b'[' => {
                    stack.push(b']');
                    *at += 1;
                }
                b'\'' if !quoted => {
                    // `$'…'` may hold `\'`; find its end here.
                    let mut end = *at + 2;
                    while end < self.end && self.at(end) != b'\'' {
                        end += if self.at(end) == b'\\' { 2 } else { 1 };
                    }
                    *at = end;
                }
                _ => {}
            },
            _ if byte == pair.0 && top == pair.1 => stack.push(pair.1),
            b'(' if top == b')' => stack.push(b')'),
            b'[' if top == b']' => stack.push(b']'),
            _ => {}
        }
    }
}
