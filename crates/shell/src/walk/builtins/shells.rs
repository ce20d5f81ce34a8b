//! Shells: `-c text`, a script, or a program on their standard input.

use super::super::Walker;
use super::super::bases::Bases;
use super::super::simple::Around;
use super::super::words::Item;
use crate::analysis::{Context, Direction, FloorCause, PathRole, Proof};
use crate::program::{self, Arg};
use crate::tree::{RedirectKind, Target};

impl Walker<'_, '_> {
    /// A shell: `-c text`, a script, or a program on its standard input.
    pub(super) fn shell(&mut self, items: &[Item], unit: usize, around: Around<'_>, start: &Bases) {
        let span = items
            .iter()
            .map(|i| i.span)
            .reduce(|a, b| a.cover(b))
            .unwrap_or_default();
        let mut at = 1;
        let mut command = false;
        let mut input = false;
        while let Some(item) = items.get(at) {
            let Some(text) = item.exact() else { break };
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if !text.starts_with(['-', '+']) || text.len() < 2 {
                break;
            }
            at += 1;
            match text {
                "--version" | "--help" if items.len() == 2 => return,
                "--rcfile" | "--init-file" => {
                    self.floor(
                        unit,
                        FloorCause::OpaqueWrapper,
                        item.span,
                        "runs the commands in a file",
                    );
                    at += 1;
                }
                _ if text.starts_with("--") => {}
                _ => {
                    let letters = text.get(1..).unwrap_or("");
                    command |= text.starts_with('-') && letters.contains('c');
                    input |= letters.contains('s');
                    at += letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
                }
            }
        }
        let operand = items.get(at);
        if command {
            self.floor(
                unit,
                FloorCause::OpaqueWrapper,
                span,
                "runs a text as a program",
            );
            let Some(item) = operand else { return };
            if let Some(text) = item.exact() {
                let text = text.to_owned();
                self.executed(unit, &text, item.span);
                self.payload(&text, item.span, Context::Payload, start);
            }
            self.operands(items.get(at..).unwrap_or_default(), unit, None, start);
            return;
        }
        match operand {
            Some(item) if !input => {
                let hidden = match item.exact() {
                    Some(text) => text.starts_with("/dev/") || text.starts_with("/proc/"),
                    None => true,
                };
                if hidden {
                    self.floor(
                        unit,
                        FloorCause::OpaqueWrapper,
                        item.span,
                        "runs commands that are known only at run time",
                    );
                }
                self.emit_path(
                    &item.value,
                    0,
                    item.span,
                    (Direction::Read, Proof::Core),
                    PathRole::File,
                    Some(unit),
                    start,
                );
                // What a script does with its words is not known.
                let words = items.get(at..).unwrap_or_default();
                let args: Vec<Arg<'_>> = words.iter().map(Item::arg).collect();
                let facts = program::unlisted(&args);
                self.operands(words, unit, Some(&facts), start);
                self.suspect(words, 1, unit);
            }
            _ => {
                self.floor(
                    unit,
                    FloorCause::OpaqueWrapper,
                    span,
                    "runs the commands that come in on its standard input",
                );
                self.input_program(around, start);
            }
        }
        if operand.is_some() {
            self.input_program(around, start);
        }
    }

    /// A here-document or here-string fed to a shell, as the program it is.
    fn input_program(&mut self, around: Around<'_>, start: &Bases) {
        let tree = self.tree;
        for redirect in around.redirects {
            match (redirect.kind, redirect.target) {
                (RedirectKind::Heredoc, Target::Heredoc(id)) => {
                    let Some(heredoc) = tree.heredoc(id) else {
                        continue;
                    };
                    let text = tree.slice(heredoc.source, heredoc.body).to_owned();
                    let span = tree.outer(heredoc.source, heredoc.body);
                    self.payload(&text, span, Context::Payload, start);
                }
                (RedirectKind::HereString, Target::Word(id)) => {
                    let Some(word) = tree.word(id) else { continue };
                    let value = self.expanding(around.place, |e| e.single(word));
                    let span = self.outer(around.place, word.span);
                    if let Some(text) = value.exact().map(str::to_owned) {
                        self.payload(&text, span, Context::Payload, start);
                    }
                }
                _ => {}
            }
        }
    }
}
