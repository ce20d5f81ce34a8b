//! Wildcard patterns (spec 02 §1.5).

mod glob;
mod segment;

use std::borrow::Cow;

pub(crate) use glob::Glob;
use segment::Segments;

/// How the machine writes paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Flavour {
    /// `/` separates, case matters.
    #[default]
    Posix,
    /// `/` and `\` separate, case does not matter.
    Windows,
}

/// What a pattern's text depends on besides itself.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PatternContext {
    /// The user's home directory, for `~`, `$HOME` and `${HOME}`. Without one
    /// these stay as they are.
    pub home: Option<String>,
    /// How paths are written.
    pub flavour: Flavour,
}

/// A compiled wildcard pattern.
///
/// `*` is any run of characters, `/` and line breaks included; `?` is exactly
/// one character (a Unicode scalar value, where the predecessor counted UTF-16
/// units); a final ` *` is optional as a whole, so `git *` covers `git`;
/// everything else is literal and the whole value must match. Matching costs
/// at most the product of both lengths.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// Case and separators fold on both sides.
    fold: bool,
    /// The pattern after expansion and folding.
    full: Segments,
    /// The pattern without its optional tail, where it has one.
    bare: Option<Segments>,
}

impl Pattern {
    /// Compiles `text` for values of a path surface or another one.
    #[must_use]
    pub fn new(text: &str, ctx: &PatternContext, path_surface: bool) -> Self {
        let expanded = expand_home(text, ctx);
        Self::compile(text, &expanded, ctx.flavour, path_surface)
    }

    /// Compiles `text` as it is: no home expansion.
    #[must_use]
    pub fn verbatim(text: &str, flavour: Flavour, path_surface: bool) -> Self {
        Self::compile(text, text, flavour, path_surface)
    }

    fn compile(text: &str, expanded: &str, flavour: Flavour, path_surface: bool) -> Self {
        let fold = path_surface && flavour == Flavour::Windows;
        let source = if fold {
            fold_text(expanded)
        } else {
            expanded.to_owned()
        };
        // Only a single star after the blank makes the tail optional.
        let bare = source.strip_suffix(" *").map(Segments::new);
        Self {
            text: text.to_owned(),
            fold,
            full: Segments::new(&source),
            bare,
        }
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the whole of `value` matches.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        let value = self.folded(value);
        self.matches_folded(&value)
    }

    /// [`Self::matches`] for a value that [`Self::folded`] has prepared.
    pub(crate) fn matches_folded(&self, value: &str) -> bool {
        self.full.matches(value) || self.bare.as_ref().is_some_and(|b| b.matches(value))
    }

    /// Whether the pattern is nothing but stars, and so matches everything.
    #[must_use]
    pub fn is_catch_all(&self) -> bool {
        self.full.is_catch_all()
    }

    /// Whether case and separators are folded before comparing.
    pub(crate) fn folds(&self) -> bool {
        self.fold
    }

    pub(crate) fn folded<'v>(&self, value: &'v str) -> Cow<'v, str> {
        if self.fold {
            Cow::Owned(fold_text(value))
        } else {
            Cow::Borrowed(value)
        }
    }

    /// The exact value this pattern stands for, when it has no wildcard.
    pub(crate) fn literal(&self) -> Option<&str> {
        self.full.literal()
    }

    /// Texts that every matching value contains, each with whether it is
    /// anchored at the start and at the end.
    pub(crate) fn required(&self) -> impl Iterator<Item = (&str, bool, bool)> {
        // Without its tail the value ends there; with it, it goes on.
        let tail = self.bare.is_some();
        self.bare
            .as_ref()
            .unwrap_or(&self.full)
            .literals()
            .map(move |(text, at_start, at_end)| (text, at_start, at_end && !tail))
    }
}

/// What folding does to a text: separators become `\`, letters lower case.
pub(crate) fn fold_text(text: &str) -> String {
    text.chars()
        .map(|c| if c == '/' { '\\' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Replaces a leading `~`, `$HOME` or `${HOME}` that is the whole text or ends
/// at a separator. The result is normalised as a path, as the predecessor's is.
/// Everything else, `~user` and `${HOME:-x}` too, stays.
#[must_use]
pub(crate) fn expand_home<'t>(text: &'t str, ctx: &PatternContext) -> Cow<'t, str> {
    let Some(home) = ctx.home.as_deref().filter(|h| !h.is_empty()) else {
        return Cow::Borrowed(text);
    };
    // A home that is itself a wildcard would widen the rule.
    if home.contains(['*', '?']) {
        return Cow::Borrowed(text);
    }
    let rest = ["~", "${HOME}", "$HOME"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    match rest {
        Some("") => Cow::Owned(home.to_owned()),
        Some(rest) if rest.starts_with('/') => Cow::Owned(join(home, rest, ctx.flavour)),
        Some(rest) if rest.starts_with('\\') => match ctx.flavour {
            Flavour::Windows => Cow::Owned(join(home, rest, ctx.flavour)),
            Flavour::Posix => Cow::Owned(format!("{}/{rest}", home.trim_end_matches('/'))),
        },
        _ => Cow::Borrowed(text),
    }
}

/// Whether a pattern starts with a home directory to be filled in.
#[must_use]
pub fn needs_home(text: &str) -> bool {
    ["~", "${HOME}", "$HOME"]
        .iter()
        .filter_map(|prefix| text.strip_prefix(prefix))
        .any(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Joins and removes `.`, `..` and doubled separators; a trailing separator
/// stays.
fn join(home: &str, rest: &str, flavour: Flavour) -> String {
    let is_sep = |c: char| c == '/' || (flavour == Flavour::Windows && c == '\\');
    let sep = if flavour == Flavour::Windows && home.contains('\\') {
        "\\"
    } else {
        "/"
    };
    let absolute = home.starts_with(is_sep);
    let mut parts: Vec<&str> = Vec::new();
    for part in home.split(is_sep).chain(rest.split(is_sep)) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let mut joined = parts.join(sep);
    if absolute {
        joined.insert_str(0, sep);
    }
    if rest.ends_with(is_sep) && !joined.ends_with(is_sep) {
        joined.push_str(sep);
    }
    joined
}

#[cfg(test)]
mod tests;
