//! What a shell glob stands for, as far as the directories tell.

use std::collections::HashMap;

use countersign_intent::glob::{self, Options};

use crate::facts::{Entry, Facts};

/// More names than this in one directory are not looked through.
const MAX_NAMES: usize = 4096;
/// More results than this are not judged one by one.
const MAX_RESULTS: usize = 4096;
/// Names compared with globs in one command, all its globs together.
const MAX_COMPARISONS: usize = 50_000;
/// Directories opened for one command.
const MAX_DIRECTORIES: usize = 256;

/// What the globs of one command may cost, and the directories already read
/// for them.
pub(crate) struct Expander<'a> {
    facts: &'a dyn Facts,
    options: Options,
    /// Files the same command may make, absolute: they count as there.
    planned: Vec<String>,
    listed: HashMap<String, Option<Vec<String>>>,
    comparisons: usize,
    results: usize,
}

impl<'a> Expander<'a> {
    pub fn new(facts: &'a dyn Facts, options: Options, planned: Vec<String>) -> Self {
        Self {
            facts,
            options,
            planned,
            listed: HashMap::new(),
            comparisons: MAX_COMPARISONS,
            results: MAX_RESULTS,
        }
    }

    /// The paths an absolute glob matches. `None` when that cannot be known,
    /// or costs too much to know.
    pub fn expand(&mut self, pattern: &str) -> Option<Vec<String>> {
        let mut found = vec![String::new()];
        let mut segments = pattern.split('/').filter(|s| !s.is_empty()).peekable();
        while let Some(segment) = segments.next() {
            if segment == "**" {
                // With `globstar` it crosses directories.
                return None;
            }
            let mut next = Vec::new();
            for prefix in &found {
                if glob::is_glob(segment) {
                    self.matches(prefix, segment, &mut next)?;
                } else {
                    next.push(format!("{prefix}/{}", glob::unescape(segment)));
                }
            }
            if next.len() > MAX_RESULTS {
                return None;
            }
            if segments.peek().is_none() {
                next.retain(|path| {
                    self.planned.contains(path) || self.facts.entry(path) != Entry::Missing
                });
            }
            found = next;
        }
        self.results = self.results.checked_sub(found.len())?;
        Some(found)
    }

    /// Adds what one segment matches in one directory.
    fn matches(&mut self, prefix: &str, segment: &str, out: &mut Vec<String>) -> Option<()> {
        let directory = if prefix.is_empty() { "/" } else { prefix };
        if !self.listed.contains_key(directory) {
            if self.listed.len() >= MAX_DIRECTORIES {
                return None;
            }
            let names = match self.facts.entry(directory) {
                Entry::Missing | Entry::File => Some(Vec::new()),
                Entry::Directory | Entry::Link => self.facts.list(directory, MAX_NAMES),
            };
            self.listed.insert(directory.to_owned(), names);
        }
        let names = self.listed.get(directory)?.as_ref()?;
        let cost = names.len() + self.planned.len();
        self.comparisons = self.comparisons.checked_sub(cost)?;
        let from = out.len();
        let made = self.planned.iter().filter_map(|path| {
            let name = path.strip_prefix(prefix)?.strip_prefix('/')?;
            name.split('/').next()
        });
        let there = names.iter().map(String::as_str);
        let pattern = glob::Pattern::new(segment, self.options);
        for name in there.chain(made) {
            if pattern.matches(name) {
                out.push(format!("{prefix}/{name}"));
            }
        }
        if let Some(added) = out.get_mut(from..) {
            added.sort_unstable();
        }
        out.dedup();
        Some(())
    }
}

/// A path that is known only in part, as a glob: every unknown piece stands
/// for anything, separators included.
pub(crate) fn computed_glob(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '$' => {
                match chars.peek() {
                    Some('{') => skip_nested(&mut chars, '{', '}'),
                    Some('(') => skip_nested(&mut chars, '(', ')'),
                    Some('\'' | '"') => continue,
                    Some(c) if c.is_alphanumeric() || *c == '_' => {
                        let name = |c: &char| c.is_alphanumeric() || *c == '_';
                        while chars.next_if(name).is_some() {}
                    }
                    _ => {
                        chars.next();
                    }
                }
                push_anything(&mut out);
            }
            '`' => {
                for c in chars.by_ref() {
                    if c == '`' {
                        break;
                    }
                }
                push_anything(&mut out);
            }
            '"' | '\'' => {}
            '{' | '(' | '<' | '>' => {
                // Braces and process substitutions: nothing of the rest is
                // certain.
                push_anything(&mut out);
                break;
            }
            c => out.push(c),
        }
    }
    out
}

fn push_anything(out: &mut String) {
    if !out.ends_with("**") {
        out.push_str("**");
    }
}

fn skip_nested(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, open: char, close: char) {
    let mut depth = 0usize;
    for c in chars.by_ref() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::computed_glob;

    #[test]
    fn unknown_pieces_stand_for_anything() {
        let rows = [
            ("$f", "**"),
            ("src/$f", "src/**"),
            ("${X:-/a}/y", "**/y"),
            ("$(echo $(x))/y.txt", "**/y.txt"),
            ("`x`", "**"),
            ("\"$A\"/b", "**/b"),
            ("a{b,c}", "a**"),
            ("$1$2", "**"),
        ];
        for (text, glob) in rows {
            assert_eq!(computed_glob(text), glob, "{text}");
        }
    }
}
