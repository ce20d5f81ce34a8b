//! What a shell glob stands for, as far as the directories tell.

use countersign_intent::glob::{self, Options};

use crate::facts::{Entry, Facts};

/// More names than this in one directory are not looked through.
const MAX_NAMES: usize = 4096;
/// More directories than this are not opened for one glob.
const MAX_DIRECTORIES: usize = 256;
/// More results than this are not judged one by one.
const MAX_RESULTS: usize = 2048;

/// The paths an absolute glob matches, counting those in `planned` (files the
/// same command may make) as there. `None` when that cannot be known.
pub(crate) fn expand(
    pattern: &str,
    options: Options,
    planned: &[String],
    facts: &dyn Facts,
) -> Option<Vec<String>> {
    let mut opened = 0;
    let mut found = vec![String::new()];
    let mut segments = pattern.split('/').filter(|s| !s.is_empty()).peekable();
    while let Some(segment) = segments.next() {
        if segment == "**" {
            // With `globstar` it crosses directories.
            return None;
        }
        let last = segments.peek().is_none();
        let mut next = Vec::new();
        for prefix in &found {
            if !glob::is_glob(segment) {
                next.push(format!("{prefix}/{}", glob::unescape(segment)));
                continue;
            }
            opened += 1;
            if opened > MAX_DIRECTORIES {
                return None;
            }
            let directory = if prefix.is_empty() {
                "/"
            } else {
                prefix.as_str()
            };
            let listed = match facts.entry(directory) {
                Entry::Missing | Entry::File => Some(Vec::new()),
                Entry::Directory | Entry::Link => facts.list(directory, MAX_NAMES),
            };
            let names = listed?;
            let there = names.iter().map(String::as_str);
            let made = planned.iter().filter_map(|path| {
                let name = path.strip_prefix(prefix.as_str())?.strip_prefix('/')?;
                name.split('/').next()
            });
            for name in there.chain(made) {
                if glob::matches_name(segment, name, options) {
                    let path = format!("{prefix}/{name}");
                    if !next.contains(&path) || next.len() > 64 {
                        next.push(path);
                    }
                }
            }
            if next.len() > MAX_RESULTS {
                return None;
            }
        }
        if last {
            let exists =
                |path: &String| planned.contains(path) || facts.entry(path) != Entry::Missing;
            next.retain(exists);
        }
        found = next;
    }
    Some(found)
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
