//! Program text that is plainly harmless, in languages this analysis does
//! not otherwise read.
//!
//! The proof is a small list of shapes: printing literals, and Perl's plain
//! substitution. Everything else is feared.

use super::row::Row;
use super::walk::Taken;

/// Whether the text given to an interpreter's option does nothing but print
/// literals or edit lines.
pub(super) fn is_inert(row: &Row, taken: &Taken<'_>, text: &str) -> bool {
    let is = |name: &str| row.names.split(' ').any(|listed| listed == name);
    if is("python") {
        return prints_literals(text, '#', &["print"]);
    }
    if is("node") || is("bun") {
        return matches!(taken.name, "e" | "eval" | "p" | "print" | "pe")
            && prints_literals(text, '/', &["console.log", "console.error"]);
    }
    if is("ruby") {
        return prints_literals(text, '#', &["puts", "print", "p"]);
    }
    if is("perl") {
        return is_plain_perl(text);
    }
    false
}

/// Only comments and calls of `names` with literals and arithmetic.
fn prints_literals(text: &str, comment: char, names: &[&str]) -> bool {
    text.split(['\n', ';']).all(|statement| {
        let statement = statement.trim();
        let is_comment = match comment {
            '/' => statement.starts_with("//"),
            _ => statement.starts_with(comment),
        };
        // A `;` inside a comment starts something that is not code.
        if statement.is_empty() || is_comment {
            return true;
        }
        names.iter().any(|name| {
            statement
                .strip_prefix(name)
                .and_then(|rest| rest.trim_start().strip_prefix('('))
                .and_then(|rest| rest.strip_suffix(')'))
                .is_some_and(is_literals)
        })
    })
}

/// Numbers, operators, and strings of letters, digits, blanks and `.,:!?_-`.
fn is_literals(text: &str) -> bool {
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) if c.is_ascii_alphanumeric() || " .,:!?_-/".contains(c) => {}
            Some(_) => return false,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_ascii_digit() || " .,+-*%".contains(c) => {}
            None => return false,
        }
    }
    quote.is_none()
}

/// `s/…/…/flags` without code, variables or functions in it; several may be
/// joined by `;`.
pub(super) fn is_plain_perl(text: &str) -> bool {
    let mut rest = text.trim();
    while !rest.is_empty() {
        match substitution(rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    !text.trim().is_empty()
}

fn substitution(text: &str) -> Option<&str> {
    let body = text.strip_prefix('s')?;
    let delimiter = body.chars().next().filter(|c| "/|,#!:%~+".contains(*c))?;
    let body = body.get(delimiter.len_utf8()..)?;
    let (pattern, body) = split(body, delimiter)?;
    let (replacement, body) = split(body, delimiter)?;
    let flags = body
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(body.len());
    let (flags, after) = (body.get(..flags)?, body.get(flags..)?);
    if !flags.chars().all(|c| "gimsx".contains(c)) {
        return None;
    }
    if !is_plain_part(pattern) || !is_plain_part(replacement) || pattern.contains("(?{") {
        return None;
    }
    if pattern.contains("(??") || pattern.contains("(*") {
        return None;
    }
    let after = after.trim_start();
    if after.is_empty() {
        return Some(after);
    }
    after.strip_prefix(';').map(str::trim_start)
}

fn split(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == delimiter {
            return Some((text.get(..at)?, text.get(at + c.len_utf8()..)?));
        }
    }
    None
}

/// No interpolation but of groups.
fn is_plain_part(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '@' => return false,
            '$' => {
                let plain = chars
                    .peek()
                    .is_none_or(|next| next.is_ascii_digit() || ")|&".contains(*next));
                if !plain {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{is_plain_perl, prints_literals};

    #[test]
    fn plain_substitutions_are_inert() {
        for text in [
            "s/foo/bar/",
            "s/a/b/g; s|c|d|gi;",
            "s/(x)$/$1y/",
            "s/\\@a/b/",
        ] {
            assert!(is_plain_perl(text), "{text}");
        }
        for text in [
            "",
            "print",
            "s/a/`id`/e",
            "s/a/system(1)/ge",
            "s/a/@{[system 1]}/",
            "s/a/${\\ system}/",
            "s/(?{system 1})//",
            "s/a/b/; system 1",
            "s/a/b/ if 1",
            "s/a/$x/",
        ] {
            assert!(!is_plain_perl(text), "{text}");
        }
    }

    #[test]
    fn printing_literals_is_inert() {
        let python = |text| prints_literals(text, '#', &["print"]);
        assert!(python("print(1+1)"));
        assert!(python("# see /etc/passwd\nprint(1)"));
        assert!(!python("print(open('.env').read())"));
        assert!(!python("import os"));
        assert!(!python("print(1)\\\nimport os"));
        assert!(prints_literals(
            "// list\nconsole.log(1)",
            '/',
            &["console.log"]
        ));
        assert!(!prints_literals(
            "console.log(process.env)",
            '/',
            &["console.log"]
        ));
    }
}
