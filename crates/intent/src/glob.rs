//! A shell's file name patterns, matched against names: `*`, `?`, `[…]`, and
//! `\` before a character that means itself.

/// How names are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Wildcards also match a leading dot (`dotglob`).
    pub dots: bool,
    /// Case does not matter (`nocaseglob`).
    pub fold_case: bool,
}

/// Whether a text holds an active wildcard.
#[must_use]
pub fn is_glob(text: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let active = !escaped && matches!(c, '*' | '?' | '[');
        escaped = !escaped && c == '\\';
        active
    })
}

/// The text with its escapes taken away: what the shell passes on when nothing
/// matches.
#[must_use]
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

#[derive(Debug)]
enum Piece {
    One(char),
    Any,
    Star,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
        class: bool,
    },
}

impl Piece {
    fn takes(&self, c: char, options: Options) -> bool {
        let folds = |a: char, b: char| options.fold_case && a.to_lowercase().eq(b.to_lowercase());
        match self {
            Self::One(own) => *own == c || folds(*own, c),
            Self::Any | Self::Star => true,
            // A named class depends on the locale: it may match anything.
            Self::Set { class: true, .. } => true,
            Self::Set {
                negated, ranges, ..
            } => {
                let hit = ranges.iter().any(|(from, to)| {
                    (*from..=*to).contains(&c)
                        || options.fold_case
                            && (c.to_lowercase().any(|c| (*from..=*to).contains(&c))
                                || c.to_uppercase().any(|c| (*from..=*to).contains(&c)))
                });
                hit != *negated
            }
        }
    }
}

fn parse(pattern: &str) -> Vec<Piece> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '*' => {
                if !matches!(out.last(), Some(Piece::Star)) {
                    out.push(Piece::Star);
                }
            }
            '?' => out.push(Piece::Any),
            '\\' => {
                out.push(Piece::One(chars.get(at).copied().unwrap_or('\\')));
                at += 1;
            }
            '[' => match parse_set(&chars, at) {
                Some((set, next)) => {
                    out.push(set);
                    at = next;
                }
                None => out.push(Piece::One('[')),
            },
            c => out.push(Piece::One(c)),
        }
    }
    out
}

/// The set that starts after the `[`, and where it ends. `None` when it is
/// never closed: then the bracket is a bracket.
fn parse_set(chars: &[char], start: usize) -> Option<(Piece, usize)> {
    let mut at = start;
    let negated = matches!(chars.get(at), Some('!' | '^'));
    if negated {
        at += 1;
    }
    let first = at;
    let mut ranges = Vec::new();
    let mut class = false;
    loop {
        let mut c = *chars.get(at)?;
        match c {
            ']' if at > first => {
                return Some((
                    Piece::Set {
                        negated,
                        ranges,
                        class,
                    },
                    at + 1,
                ));
            }
            '[' if matches!(chars.get(at + 1), Some(':' | '.' | '=')) => {
                let kind = *chars.get(at + 1)?;
                let close = chars
                    .get(at + 2..)?
                    .windows(2)
                    .position(|w| matches!(w, [a, ']'] if *a == kind))?;
                class = true;
                at += 2 + close + 2;
                continue;
            }
            '\\' => {
                at += 1;
                c = *chars.get(at)?;
            }
            _ => {}
        }
        at += 1;
        let to = match (chars.get(at), chars.get(at + 1)) {
            (Some('-'), Some(&to)) if to != ']' => {
                at += 2;
                to
            }
            _ => c,
        };
        // A range's order depends on the locale; take both.
        ranges.push(if c <= to { (c, to) } else { (to, c) });
    }
}

/// One segment of a pattern, read once for many names.
#[derive(Debug)]
pub struct Pattern {
    pieces: Vec<Piece>,
    options: Options,
}

impl Pattern {
    /// Reads a segment (no separators).
    #[must_use]
    pub fn new(segment: &str, options: Options) -> Self {
        Self {
            pieces: parse(segment),
            options,
        }
    }

    /// Whether a name matches. The time is at most the product of both
    /// lengths.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let pieces = &self.pieces;
        let leading_dot = matches!(pieces.first(), Some(Piece::One('.')));
        if name.starts_with('.') && !self.options.dots && !leading_dot {
            return false;
        }
        let name: Vec<char> = name.chars().collect();
        let (mut p, mut n) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match (pieces.get(p), name.get(n)) {
                (None, None) => return true,
                (Some(Piece::Star), _) => {
                    retry = Some((p, n));
                    p += 1;
                    continue;
                }
                (Some(piece), Some(&c)) if piece.takes(c, self.options) => {
                    p += 1;
                    n += 1;
                    continue;
                }
                _ => {}
            }
            match retry {
                Some((star, from)) if from < name.len() => {
                    retry = Some((star, from + 1));
                    p = star + 1;
                    n = from + 1;
                }
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(pattern: &str, name: &str) -> bool {
        Pattern::new(pattern, Options::default()).matches(name)
    }

    #[test]
    fn names() {
        let yes = [
            ("*", "a"),
            ("id_rs?", "id_rsa"),
            ("id_*", "id_rsa"),
            (".en*", ".env"),
            (".[e]nv", ".env"),
            ("[!a]bc", "xbc"),
            ("[a-c]", "b"),
            ("[]a]", "]"),
            ("[[:alpha:]]x", "qx"),
            ("a[", "a["),
            (r"a\*", "a*"),
            ("*a*b*c", "xxaxxbxxc"),
        ];
        for (pattern, name) in yes {
            assert!(hits(pattern, name), "{pattern} {name}");
        }
        let no = [
            ("*", ".env"),
            ("?env", ".env"),
            ("[.]env", ".env"),
            ("[!a]bc", "abc"),
            (r"a\*", "ab"),
            ("id_?", "id_rsa"),
            ("", "a"),
        ];
        for (pattern, name) in no {
            assert!(!hits(pattern, name), "{pattern} {name}");
        }
        let dots = Options {
            dots: true,
            ..Options::default()
        };
        assert!(Pattern::new("*", dots).matches(".env"));
        let fold = Options {
            fold_case: true,
            ..Options::default()
        };
        assert!(Pattern::new("ENV", fold).matches("env"));
        assert!(Pattern::new("[A-Z]nv", fold).matches("env"));
    }

    #[test]
    fn active_wildcards() {
        assert!(is_glob("a*"));
        assert!(!is_glob(r"a\*"));
        assert!(is_glob(r"a\\*"));
        assert_eq!(unescape(r"a\*b\\"), r"a*b\");
    }
}
