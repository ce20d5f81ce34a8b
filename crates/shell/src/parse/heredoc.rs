//! Here-documents: their lines are read when the line with the operator ends.

use std::borrow::Cow;

use countersign_text::Span;

use super::{Parser, Pending};
use crate::tree::{Heredoc, HeredocId, Map, SourceId};

impl Parser<'_, '_, '_> {
    /// Registers a here-document whose delimiter was just read.
    pub(super) fn add_heredoc(
        &mut self,
        delimiter: String,
        quoted: bool,
        strip_tabs: bool,
    ) -> HeredocId {
        self.count();
        let id = self.b.tree.add_heredoc(Heredoc {
            quoted,
            source: self.source,
            body: Span::new(self.pos, self.pos),
            pieces: Vec::new(),
        });
        self.pending.push(Pending {
            id,
            delimiter,
            strip_tabs,
        });
        id
    }

    /// Reads the bodies of all pending here-documents, from the start of a line.
    pub(super) fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.read_heredoc(&pending);
        }
    }

    /// At the end of the text bash takes what there is, with a warning.
    pub(super) fn finish_pending(&mut self) {
        if !self.pending.is_empty() {
            self.read_heredocs();
        }
    }

    fn read_heredoc(&mut self, pending: &Pending) {
        let quoted = self
            .b
            .tree
            .heredoc(pending.id)
            .is_some_and(|heredoc| heredoc.quoted);
        let start = self.pos;
        let mut runs = Vec::new();
        let mut body = String::new();
        let mut end = start;
        let mut next = start;
        while next < self.end {
            let (line, after) = self.heredoc_line(next, quoted, pending.strip_tabs);
            if line.text == pending.delimiter {
                next = after;
                break;
            }
            if let Some(rest) = self.delimiter_before_paren(&line.text, pending, next) {
                next = rest;
                break;
            }
            if pending.strip_tabs && !quoted {
                for (offset, outer) in line.runs {
                    runs.push((clamp(body.len() + offset), clamp(outer)));
                }
                body.push_str(&line.text);
                if after <= self.end && self.at(after.saturating_sub(1)) == b'\n' {
                    runs.push((clamp(body.len()), clamp(after - 1)));
                    body.push('\n');
                }
            }
            end = after;
            next = after;
        }
        self.pos = next.min(self.end);
        if quoted {
            self.set_body(pending.id, self.source, Span::new(start, end), Vec::new());
        } else if pending.strip_tabs {
            self.stripped_body(pending.id, body, runs, end);
        } else {
            let pieces = self
                .deeper(|p| p.bounded(start, end, |p| p.text_pieces(end)))
                .unwrap_or_default();
            self.set_body(pending.id, self.source, Span::new(start, end), pieces);
        }
    }

    /// A body whose tabs were removed is a text of its own.
    fn stripped_body(&mut self, id: HeredocId, body: String, runs: Vec<(u32, u32)>, end: usize) {
        let map = Map::Runs {
            parent: self.source,
            runs,
            end: clamp(end),
        };
        let source = self.b.tree.add_source(Cow::Borrowed(""), map);
        let length = body.len();
        let pieces = self
            .deeper(|p| {
                let mut inner = Parser::new(&body, source, p.b);
                let pieces = inner.bounded(0, length, |p| p.text_pieces(length));
                let failed = inner.failed.take();
                if let Some(fault) = failed {
                    p.fail(fault.kind, fault.note);
                }
                pieces
            })
            .unwrap_or_default();
        if let Some(entry) = self.b.tree.sources.get_mut(source.0 as usize) {
            entry.text = Cow::Owned(body);
        }
        self.set_body(id, source, Span::new(0, length), pieces);
    }

    fn set_body(
        &mut self,
        id: HeredocId,
        source: SourceId,
        body: Span,
        pieces: Vec<crate::tree::Piece>,
    ) {
        if let Some(heredoc) = self.b.tree.heredocs.get_mut(id.0 as usize) {
            heredoc.source = source;
            heredoc.body = body;
            heredoc.pieces = pieces;
        }
    }

    /// Bash 5.2 lets `)` follow the delimiter inside `$(…)`.
    fn delimiter_before_paren(&self, line: &str, pending: &Pending, at: usize) -> Option<usize> {
        if !self.in_substitution {
            return None;
        }
        let rest = line.strip_prefix(pending.delimiter.as_str())?;
        if !rest.contains(')') {
            return None;
        }
        // Positions are those of the raw line; a continued one is not worth
        // following here, its parenthesis is found as ordinary text.
        let mut start = at;
        while pending.strip_tabs && self.at(start) == b'\t' {
            start += 1;
        }
        let after = start + pending.delimiter.len();
        (self.slice(start, after) == pending.delimiter).then_some(after)
    }

    /// One line as bash compares it with the delimiter, and where the next
    /// begins: continued lines are joined (unless quoted), tabs stripped.
    fn heredoc_line(&self, start: usize, quoted: bool, strip_tabs: bool) -> (Line<'_>, usize) {
        let mut at = start;
        let mut cut = false;
        while at < self.end && self.at(at) != b'\n' {
            if self.at(at) == b'\\' && !quoted {
                cut |= self.at(at + 1) == b'\n';
                at += 2;
            } else {
                at += 1;
            }
        }
        let stop = at.min(self.end);
        let next = if at < self.end { at + 1 } else { self.end };
        let mut begin = start;
        if !cut {
            while strip_tabs && begin < stop && self.at(begin) == b'\t' {
                begin += 1;
            }
            let text = Cow::Borrowed(self.slice(begin, stop));
            return (
                Line {
                    text,
                    runs: vec![(0, begin)],
                },
                next,
            );
        }
        let mut text = String::new();
        let mut runs = Vec::new();
        let mut from = begin;
        let mut i = begin;
        while i < stop {
            if self.at(i) == b'\\' {
                if self.at(i + 1) == b'\n' {
                    runs.push((text.len(), from));
                    text.push_str(self.slice(from, i));
                    from = i + 2;
                }
                i += 2;
            } else {
                i += 1;
            }
        }
        runs.push((text.len(), from));
        text.push_str(self.slice(from, stop));
        if strip_tabs {
            let tabs = text.bytes().take_while(|b| *b == b'\t').count();
            if tabs > 0 {
                text.drain(..tabs);
                runs = runs
                    .into_iter()
                    .map(|(inner, outer)| {
                        (
                            inner.saturating_sub(tabs),
                            outer + tabs.saturating_sub(inner),
                        )
                    })
                    .collect();
            }
        }
        (
            Line {
                text: Cow::Owned(text),
                runs,
            },
            next,
        )
    }
}

struct Line<'t> {
    text: Cow<'t, str>,
    runs: Vec<(usize, usize)>,
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
