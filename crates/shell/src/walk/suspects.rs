//! Programs that nothing is known of: which of their words they may run.

use std::mem;

use super::Walker;
use super::bases::Bases;
use super::words::Item;
use crate::analysis::{Context, FloorCause, UnitKind};
use crate::program::{self, Arg, Run};

/// So many words of a command are looked at as the start of another one.
const MOST_STARTS: usize = 32;
/// So much of a suspected command is kept.
const MOST_BYTES: usize = 512;

/// Long options whose value programs run, by convention.
const RUNNING: &[&str] = &[
    "eval",
    "eval-command",
    "exec-command",
    "run-command",
    "shell-command",
];

/// Options whose value may be run as well as be a name, a file or a flag's
/// neighbour: only text with blanks or brackets is none of these.
const MAY_RUN: &[&str] = &[
    "-e",
    "-c",
    "-E",
    "-r",
    "--cmd",
    "--command",
    "--exec",
    "--execute",
];

impl Walker<'_, '_> {
    /// Whatever stands after an unknown program's name may be a command that
    /// it runs. That alone is no reason to ask; a rule about that command is,
    /// and so is text handed to a shell or interpreter.
    pub(super) fn suspect(&mut self, items: &[Item], from: usize, unit: usize) {
        let mut suspects = Vec::new();
        let mut texts = Vec::new();
        for (at, item) in items.iter().enumerate().skip(from) {
            let Some(text) = item.exact() else {
                continue;
            };
            if text.contains(char::is_whitespace) {
                let from = if text.starts_with('-') {
                    text.find('=').map_or(0, |equals| equals + 1)
                } else {
                    0
                };
                texts.extend(text.get(from..).map(str::to_owned));
            }
            if let Some(note) = runs_text(items, at) {
                self.floor(unit, FloorCause::Teeth, item.span, note);
            }
            if at > from + MOST_STARTS || !is_command_word(text) {
                continue;
            }
            let tail = items.get(at..).unwrap_or_default();
            suspects.push(joined(tail, text));
            if let Some((_, base)) = text.rsplit_once('/') {
                suspects.push(joined(tail, base));
            }
            if hands_over_text(tail) {
                let note = format!("may hand text to `{text}`");
                self.floor(unit, FloorCause::OpaqueWrapper, item.span, note);
            }
        }
        for text in texts.into_iter().take(MOST_STARTS) {
            self.suspect_text(&text, unit, &mut suspects);
        }
        if let Some(unit) = self.out.analysis.units.get_mut(unit) {
            unit.suspects.extend(suspects);
        }
    }

    /// The commands in a text that a shell may be given.
    fn suspect_text(&mut self, text: &str, unit: usize, suspects: &mut Vec<String>) {
        if self.out.layers >= self.out.limits.layers {
            return;
        }
        let Some(span) = self.out.analysis.units.get(unit).map(|unit| unit.span) else {
            return;
        };
        // What the text would do is no part of what this program does.
        let analysis = mem::take(&mut self.out.analysis);
        self.payload(text, span, Context::Payload, &Bases::unknown());
        let inner = mem::replace(&mut self.out.analysis, analysis);
        for found in inner.units.into_iter().take(MOST_STARTS) {
            if found.kind != UnitKind::Command {
                continue;
            }
            suspects.push(found.text);
            suspects.extend(found.spellings.into_iter().map(|other| other.text));
            suspects.extend(found.suspects);
        }
        suspects.truncate(MOST_STARTS * 4);
    }
}

/// Whether a word could name a program.
fn is_command_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '.' | '~' | '_'))
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_./+-~".contains(&byte))
}

/// The words as one text that starts with `first`.
fn joined(tail: &[Item], first: &str) -> String {
    let mut out = first.to_owned();
    for item in tail.iter().skip(1) {
        if out.len() > MOST_BYTES {
            break;
        }
        out.push(' ');
        out.push_str(&item.value.text);
    }
    out
}

/// Whether these words are a shell or an interpreter with program text.
fn hands_over_text(tail: &[Item]) -> bool {
    if tail.len() < 2 {
        return false;
    }
    let args: Vec<Arg<'_>> = tail.iter().map(Item::arg).collect();
    let facts = program::facts(&args, false);
    let script = |run: &Run| matches!(run, Run::Script { .. } | Run::Text(_));
    let toothed =
        |cause: FloorCause| matches!(cause, FloorCause::OpaqueWrapper | FloorCause::Teeth);
    !facts.reads_program_from_stdin
        && (facts.runs.iter().any(script) && !facts.floors.is_empty()
            || facts.floors.iter().any(|(cause, _)| toothed(*cause)))
}

/// Why the word at `at` is an option whose value is run, if it is.
fn runs_text(items: &[Item], at: usize) -> Option<String> {
    let text = items.get(at)?.exact()?;
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, value),
        None => (text, items.get(at + 1)?.value.text.as_str()),
    };
    let code = value.contains(char::is_whitespace) || value.contains(['(', ';', '|', '`', '!']);
    let runs = name
        .strip_prefix("--")
        .is_some_and(|long| RUNNING.contains(&long))
        || code && MAY_RUN.contains(&name);
    runs.then(|| format!("`{name}` may give it text to run"))
}
