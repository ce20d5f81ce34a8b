//! The forms of one path (spec 02 §7), on texts alone: nothing here looks at
//! a file system.

use std::borrow::Cow;

use crate::Flavour;

/// The files that are no files: never outside the workspace.
pub const DEVICES: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// One spelling of a path, for matching rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The text.
    pub text: String,
    /// Whether an `allow` may match it. A spelling with `..` in it, or one
    /// that starts from another directory than the session's, may only
    /// tighten: `/ok/../etc` must not pass as something below `/ok`.
    pub may_allow: bool,
}

impl Form {
    fn new(text: impl Into<String>, may_allow: bool) -> Self {
        Self {
            text: text.into(),
            may_allow,
        }
    }
}

/// Cleans a path typed into a tool's input (spec 02 §7.1): blanks around it, a
/// quote at each end, a leading `@`, and the home prefix. `None` when nothing
/// is left.
#[must_use]
pub fn clean(raw: &str, home: Option<&str>) -> Option<String> {
    let quote = ['\'', '"'];
    let text = raw.trim();
    let text = text.strip_prefix(quote).unwrap_or(text);
    let text = text.strip_suffix(quote).unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    let text = text.strip_prefix('@').unwrap_or(text);
    Some(expand_home(text, home).into_owned())
}

/// Replaces a leading `~`, `$HOME` or `${HOME}` that is the whole text or is
/// followed by a separator.
#[must_use]
pub fn expand_home<'t>(text: &'t str, home: Option<&str>) -> Cow<'t, str> {
    let Some(home) = home.filter(|h| !h.is_empty()) else {
        return Cow::Borrowed(text);
    };
    if !text.starts_with(['~', '$']) {
        return Cow::Borrowed(text);
    }
    let rest = ["~", "${HOME}", "$HOME"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    match rest {
        Some("") => Cow::Owned(home.to_owned()),
        Some(rest) if rest.starts_with(['/', '\\']) => {
            Cow::Owned(format!("{}{rest}", home.trim_end_matches('/')))
        }
        _ => Cow::Borrowed(text),
    }
}

fn is_separator(c: char, flavour: Flavour) -> bool {
    c == '/' || (c == '\\' && flavour == Flavour::Windows)
}

/// The separator that normal forms use.
#[must_use]
pub fn separator(flavour: Flavour) -> char {
    match flavour {
        Flavour::Posix => '/',
        Flavour::Windows => '\\',
    }
}

/// Whether a path starts at a root.
#[must_use]
pub fn is_absolute(text: &str, flavour: Flavour) -> bool {
    let text = match (flavour, text.split_at_checked(2)) {
        (Flavour::Windows, Some((drive, rest))) if is_drive(drive) => rest,
        _ => text,
    };
    text.starts_with(|c| is_separator(c, flavour))
}

fn is_drive(text: &str) -> bool {
    let mut chars = text.chars();
    matches!(
        (chars.next(), chars.next(), chars.next()),
        (Some(letter), Some(':'), None) if letter.is_ascii_alphabetic()
    )
}

/// `text` seen from `base`, not normalised: what the operating system would be
/// handed.
#[must_use]
pub fn join(base: &str, text: &str, flavour: Flavour) -> String {
    if is_absolute(text, flavour) {
        return text.to_owned();
    }
    if text.is_empty() {
        return base.to_owned();
    }
    let mut out = String::with_capacity(base.len() + text.len() + 1);
    out.push_str(base);
    if !base.ends_with(|c| is_separator(c, flavour)) {
        out.push(separator(flavour));
    }
    out.push_str(text);
    out
}

/// Resolves `.`, `..` and doubled separators by the text alone, drops a
/// trailing separator, and on Windows folds case and separators.
#[must_use]
pub fn normalize(path: &str, flavour: Flavour) -> String {
    match flavour {
        Flavour::Posix if is_normal_posix(path) => path.to_owned(),
        Flavour::Posix => fold_segments("/", path, flavour),
        Flavour::Windows => {
            let path: String = path
                .chars()
                .map(|c| if c == '/' { '\\' } else { c })
                .flat_map(char::to_lowercase)
                .collect();
            match path.split_at_checked(2) {
                Some((drive, rest)) if is_drive(drive) => {
                    fold_segments(&format!("{drive}\\"), rest, flavour)
                }
                Some(("\\\\", rest)) => fold_segments("\\\\", rest, flavour),
                _ => fold_segments("\\", &path, flavour),
            }
        }
    }
}

/// The common case, decided without building anything.
fn is_normal_posix(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| {
        rest.is_empty()
            || rest
                .split('/')
                .all(|s| !s.is_empty() && s != "." && s != "..")
    })
}

fn fold_segments(root: &str, rest: &str, flavour: Flavour) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in rest.split(|c| is_separator(c, flavour)) {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            segment => kept.push(segment),
        }
    }
    let separator = separator(flavour);
    let mut out = root.to_owned();
    for (i, segment) in kept.iter().enumerate() {
        if i > 0 {
            out.push(separator);
        }
        out.push_str(segment);
    }
    out
}

/// The part of `path` below `dir`, both normal: empty when they are equal,
/// `None` when `path` lies elsewhere. A sibling `/w-other` is not below `/w`.
#[must_use]
pub fn below<'p>(dir: &str, path: &'p str, flavour: Flavour) -> Option<&'p str> {
    if dir.is_empty() || path.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(dir)?;
    if rest.is_empty() || dir.ends_with(|c| is_separator(c, flavour)) {
        return Some(rest);
    }
    rest.strip_prefix(|c| is_separator(c, flavour))
}

/// Whether any segment is `..`.
#[must_use]
pub fn climbs(path: &str, flavour: Flavour) -> bool {
    path.contains("..") && path.split(|c| is_separator(c, flavour)).any(|s| s == "..")
}

/// Whether a path is one of the four device files.
#[must_use]
pub fn is_device(path: &str) -> bool {
    DEVICES.contains(&path)
}

/// The spellings of a path for matching rules: absolute, relative to the
/// session's directory where it lies inside, and as typed.
///
/// `lexical` is the normal absolute form of `typed`; `from_cwd` tells whether
/// `typed` is relative to the session's directory (or absolute).
#[must_use]
pub fn spellings(
    typed: &str,
    lexical: &str,
    cwd: &str,
    from_cwd: bool,
    flavour: Flavour,
) -> Vec<Form> {
    // A lone `*` is the value "anything" of the predecessor's grammar.
    let mut out = Vec::with_capacity(4);
    push(&mut out, lexical, true);
    if let Some(relative) = below(cwd, lexical, flavour)
        && !relative.is_empty()
    {
        push(&mut out, relative, true);
    }
    let trusted = (from_cwd || is_absolute(typed, flavour)) && !climbs(typed, flavour);
    push(&mut out, typed, trusted);
    out
}

/// The spellings of the file a path really leads to: absolute, and relative to
/// the real form of the session's directory.
#[must_use]
pub fn real_spellings(canonical: &str, real_cwd: &str, flavour: Flavour) -> Vec<Form> {
    let mut out = Vec::with_capacity(2);
    push(&mut out, canonical, true);
    if let Some(relative) = below(real_cwd, canonical, flavour)
        && !relative.is_empty()
    {
        push(&mut out, relative, true);
    }
    out
}

/// For a directory: its spellings with a separator at the end, so that a rule
/// for everything below it (`secrets/*`) speaks of it too. They only tighten.
pub fn add_directory_spellings(forms: &mut Vec<Form>, flavour: Flavour) {
    let separator = separator(flavour);
    let more: Vec<String> = forms
        .iter()
        .filter(|f| !f.text.ends_with(|c| is_separator(c, flavour)))
        .map(|f| format!("{}{separator}", f.text))
        .collect();
    for text in more {
        push(forms, &text, false);
    }
}

fn push(out: &mut Vec<Form>, text: &str, may_allow: bool) {
    match out.iter_mut().find(|f| f.text == text) {
        Some(seen) => seen.may_allow |= may_allow,
        None if text.is_empty() => {}
        None => out.push(Form::new(text, may_allow)),
    }
}

/// What a word of a Git Bash command means on Windows (spec 02 §7.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Msys {
    /// A device file, kept as it is.
    Device,
    /// A drive mount such as `/c/x`, in native form.
    Native(String),
    /// Another absolute POSIX path: where it lies cannot be known here.
    PosixAbsolute,
    /// An ordinary Windows path.
    Ordinary,
}

/// Reads a word of a Git Bash command.
#[must_use]
pub fn msys(word: &str) -> Msys {
    if is_device(word) {
        return Msys::Device;
    }
    let Some(rest) = word.strip_prefix('/') else {
        return Msys::Ordinary;
    };
    let mut chars = rest.chars();
    match (chars.next(), chars.as_str()) {
        (Some(drive), "") if drive.is_ascii_alphabetic() => Msys::Native(format!("{drive}:\\")),
        (Some(drive), tail) if drive.is_ascii_alphabetic() && tail.starts_with('/') => {
            Msys::Native(format!("{drive}:{tail}"))
        }
        _ => Msys::PosixAbsolute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(typed: &str, cwd: &str) -> Vec<String> {
        let lexical = normalize(&join(cwd, typed, Flavour::Posix), Flavour::Posix);
        spellings(typed, &lexical, cwd, true, Flavour::Posix)
            .into_iter()
            .filter(|f| f.may_allow)
            .map(|f| f.text)
            .collect()
    }

    #[test]
    fn the_table_of_the_spec() {
        assert_eq!(forms("src/a.ts", "/w/p"), ["/w/p/src/a.ts", "src/a.ts"]);
        assert_eq!(
            forms("./src/a.ts", "/w/p"),
            ["/w/p/src/a.ts", "src/a.ts", "./src/a.ts"]
        );
        assert_eq!(forms(".", "/w"), ["/w", "."]);
        assert_eq!(forms("/etc/", "/w"), ["/etc", "/etc/"]);
        assert_eq!(forms("/tmp/a", "/w"), ["/tmp/a"]);
    }

    #[test]
    fn a_climbing_spelling_may_only_tighten() {
        assert_eq!(forms("../q/x", "/w/p"), ["/w/q/x"]);
        assert_eq!(forms("/ok/../etc/passwd", "/w"), ["/etc/passwd"]);
        assert_eq!(forms("src/../x", "/w"), ["/w/x", "x"]);
    }

    #[test]
    fn cleaning() {
        let home = Some("/home/u");
        let cases = [
            ("~/x", "/home/u/x"),
            ("@src/a.ts", "src/a.ts"),
            (" 'a b' ", "a b"),
            ("~user/x", "~user/x"),
            ("$HOME/x", "/home/u/x"),
            ("${HOME}", "/home/u"),
            ("$HOMEDIR/x", "$HOMEDIR/x"),
            ("${HOME:-/x}/y", "${HOME:-/x}/y"),
        ];
        for (raw, cleaned) in cases {
            assert_eq!(clean(raw, home).as_deref(), Some(cleaned), "{raw}");
        }
        assert_eq!(clean("  ", home), None);
        assert_eq!(clean("\"", home), None);
    }

    #[test]
    fn normal_forms() {
        let posix = [
            ("/a/./b//c/", "/a/b/c"),
            ("/a/../../b", "/b"),
            ("/", "/"),
            ("/..", "/"),
        ];
        for (path, normal) in posix {
            assert_eq!(normalize(path, Flavour::Posix), normal);
        }
        let windows = [
            ("C:/Foo/../Bar", r"c:\bar"),
            (r"C:\", r"c:\"),
            (r"\\Host\Share\x", r"\\host\share\x"),
            ("/tmp/x", r"\tmp\x"),
        ];
        for (path, normal) in windows {
            assert_eq!(normalize(path, Flavour::Windows), normal);
        }
    }

    #[test]
    fn containment_is_by_segment() {
        assert_eq!(below("/w", "/w/a", Flavour::Posix), Some("a"));
        assert_eq!(below("/w", "/w", Flavour::Posix), Some(""));
        assert_eq!(below("/w", "/w-other", Flavour::Posix), None);
        assert_eq!(below("/", "/w", Flavour::Posix), Some("w"));
        assert_eq!(below("/w", "/w/..foo", Flavour::Posix), Some("..foo"));
        assert_eq!(below("", "/w", Flavour::Posix), None);
        assert_eq!(below(r"c:\w", r"c:\w\a", Flavour::Windows), Some("a"));
    }

    #[test]
    fn git_bash_words() {
        assert_eq!(msys("/dev/null"), Msys::Device);
        assert_eq!(msys("/c/Windows/x"), Msys::Native("c:/Windows/x".into()));
        assert_eq!(msys("/c"), Msys::Native("c:\\".into()));
        assert_eq!(msys("/tmp/x"), Msys::PosixAbsolute);
        assert_eq!(msys("a/b"), Msys::Ordinary);
    }

    #[test]
    fn a_directory_is_also_its_content() {
        let mut forms = spellings("secrets", "/w/secrets", "/w", true, Flavour::Posix);
        add_directory_spellings(&mut forms, Flavour::Posix);
        let tight: Vec<&str> = forms
            .iter()
            .filter(|f| !f.may_allow)
            .map(|f| f.text.as_str())
            .collect();
        assert_eq!(tight, ["/w/secrets/", "secrets/"]);
    }
}
