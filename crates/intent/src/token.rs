//! Whether a word of a command looks like a path (spec 03 §9).

use crate::Flavour;

/// What the shape of a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Not a path: an option, an assignment, an address of the web, a package
    /// scope.
    NoPath,
    /// A path that can lead out of the workspace: absolute, at home, or with a
    /// `..` segment.
    Strict,
    /// A path by its look: a leading dot or a separator.
    Broad,
    /// Only a name: a path if it names something that exists.
    Bare,
}

/// Classifies a word after quote removal.
#[must_use]
pub fn classify(word: &str, flavour: Flavour) -> Shape {
    if word.is_empty() || word.starts_with('-') {
        return Shape::NoPath;
    }
    let separator = word.find(|c| is_separator(c, flavour));
    if let Some(equals) = word.find('=')
        && separator.is_none_or(|s| equals < s)
    {
        return Shape::NoPath;
    }
    if is_url(word) {
        return Shape::NoPath;
    }
    if word.starts_with('@') && !word.starts_with("@/") {
        return Shape::NoPath;
    }
    if word.starts_with('/')
        || word == "~"
        || word.starts_with("~/")
        || has_parent_segment(word, flavour)
        || is_drive(word)
    {
        return Shape::Strict;
    }
    if word.starts_with('.') || separator.is_some() {
        return Shape::Broad;
    }
    Shape::Bare
}

/// `a`–`z`, a colon, a separator: a Windows drive, suspicious everywhere.
fn is_drive(word: &str) -> bool {
    let mut chars = word.chars();
    matches!(
        (chars.next(), chars.next(), chars.next()),
        (Some(letter), Some(':'), Some('/' | '\\')) if letter.is_ascii_alphabetic()
    )
}

/// `scheme://`, but not `file://`, which names a file.
fn is_url(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.eq_ignore_ascii_case("file")
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// Whether `..` is a whole segment, which `a..b` is not.
fn has_parent_segment(word: &str, flavour: Flavour) -> bool {
    word.contains("..") && word.split(|c| is_separator(c, flavour)).any(|s| s == "..")
}

fn is_separator(c: char, flavour: Flavour) -> bool {
    c == '/' || (c == '\\' && flavour == Flavour::Windows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_spec() {
        let cases = [
            ("", Shape::NoPath),
            ("-x", Shape::NoPath),
            ("A=/x", Shape::NoPath),
            ("https://a/b", Shape::NoPath),
            ("@scope/pkg", Shape::NoPath),
            ("@/x", Shape::Broad),
            ("/", Shape::Strict),
            ("~", Shape::Strict),
            ("~/x", Shape::Strict),
            ("~user/x", Shape::Broad),
            ("../x", Shape::Strict),
            ("a/../b", Shape::Strict),
            ("a..b", Shape::Bare),
            ("HEAD..main", Shape::Bare),
            ("C:/x", Shape::Strict),
            (".env", Shape::Broad),
            ("src/a", Shape::Broad),
            ("/etc/x=y", Shape::Strict),
            ("main", Shape::Bare),
            ("HEAD:src/a", Shape::Broad),
            ("file:///etc/passwd", Shape::Broad),
        ];
        for (word, shape) in cases {
            assert_eq!(classify(word, Flavour::Posix), shape, "{word}");
        }
        assert_eq!(classify(r"dir\file", Flavour::Posix), Shape::Bare);
        assert_eq!(classify(r"dir\file", Flavour::Windows), Shape::Broad);
        assert_eq!(classify(r"..\x", Flavour::Windows), Shape::Strict);
    }
}
