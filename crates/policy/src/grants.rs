//! What a person's approval is recorded as, and what to offer recording.

use crate::arity::meaningful;
use crate::{Flavour, Pattern, PatternContext, family_members, is_path_surface};

/// How far a grant reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantScope {
    /// This one call.
    Once,
    /// The subagent that asked, while it lives.
    Subagent,
    /// This session.
    Session,
    /// This project, in its file.
    Project,
    /// Everywhere, in the user's own file.
    Global,
}

impl GrantScope {
    /// The word in logs and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Subagent => "subagent",
            Self::Session => "session",
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// An approval a person gave. It answers questions; it never lifts a
/// prohibition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The surface. A bare family covers both directions.
    pub surface: String,
    /// The pattern approved.
    pub pattern: String,
    /// How far it reaches.
    pub scope: GrantScope,
}

/// Grants ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct GrantSet {
    grants: Vec<(Grant, Pattern)>,
}

impl GrantSet {
    /// Compiles grants, the oldest first.
    #[must_use]
    pub fn compile(grants: &[Grant], ctx: &PatternContext) -> Self {
        let grants = grants
            .iter()
            .map(|grant| {
                let pattern = Pattern::new(&grant.pattern, ctx, is_path_surface(&grant.surface));
                (grant.clone(), pattern)
            })
            .collect();
        Self { grants }
    }

    /// The grant (newest first) that covers a value of `surface`, spelled in
    /// any of these ways. A value asked about on a bare family is covered only
    /// when both directions are; the grant returned is the write one's.
    ///
    /// With `exactly`, the value carries a floor: only a grant whose text is
    /// the value itself counts, since a pattern would be guessing at what is
    /// inside.
    #[must_use]
    pub fn covers(&self, surface: &str, values: &[&str], exactly: bool) -> Option<&Grant> {
        match family_members(surface) {
            Some([read, write]) => {
                self.covers_one(read, values, exactly)?;
                self.covers_one(write, values, exactly)
            }
            None => self.covers_one(surface, values, exactly),
        }
    }

    fn covers_one(&self, surface: &str, values: &[&str], exactly: bool) -> Option<&Grant> {
        self.grants
            .iter()
            .rev()
            .find(|(grant, pattern)| {
                let on = grant.surface == surface
                    || family_members(&grant.surface).is_some_and(|m| m.contains(&surface));
                on && values.iter().any(|value| {
                    if exactly {
                        grant.pattern == *value
                    } else {
                        pattern.matches(value)
                    }
                })
            })
            .map(|(grant, _)| grant)
    }
}

/// What is known about a command for which a grant is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandShape<'a> {
    /// An ordinary command.
    Plain,
    /// It carries a floor: only its exact text can be granted.
    Floored,
    /// A wrapper proved harmless, with the command it runs as typed at the end
    /// of its text.
    Wrapper {
        /// The command that is run.
        inner: &'a str,
    },
}

/// The pattern to offer for a value of any surface but `bash` (spec 04 §1.4):
/// everything in the directory of a path, everything of an MCP server, a
/// skill's exact name, else the whole surface. `None` where nothing sensible
/// can be granted.
#[must_use]
pub fn suggest(surface: &str, value: &str, flavour: Flavour) -> Option<String> {
    match surface {
        "bash" => suggest_command(value, CommandShape::Plain),
        "mcp" => Some(match value.split_once(':') {
            Some((server, _)) if !server.is_empty() => format!("{server}:*"),
            _ => match value.split_once('_') {
                Some((server, _)) if !server.is_empty() => format!("{server}_*"),
                _ => "*".to_owned(),
            },
        }),
        "skill" => (!value.is_empty()).then(|| value.to_owned()),
        surface if is_path_surface(surface) => Some(directory_pattern(value, flavour)),
        _ => Some("*".to_owned()),
    }
}

fn directory_pattern(value: &str, flavour: Flavour) -> String {
    let is_sep = |c: char| c == '/' || (flavour == Flavour::Windows && c == '\\');
    match value.rfind(is_sep).and_then(|at| value.get(..=at)) {
        Some(directory) => format!("{directory}*"),
        None if flavour == Flavour::Windows => ".\\*".to_owned(),
        None => "./*".to_owned(),
    }
}

/// The pattern to offer for a command (spec 04 §1.5 and §1.6): the words that
/// name what it does, then anything. `None` for a command that is all comment.
#[must_use]
pub fn suggest_command(text: &str, shape: CommandShape<'_>) -> Option<String> {
    let text = without_comment_lines(text);
    if text.is_empty() {
        return None;
    }
    match shape {
        CommandShape::Floored => Some(text),
        CommandShape::Plain => Some(by_arity(&text)),
        CommandShape::Wrapper { inner } => {
            let widened = text
                .strip_suffix(inner)
                .filter(|_| !inner.is_empty() && text.split_whitespace().all(is_plain_word))
                .map(|wrapper| format!("{wrapper}{}", wrapped_by_arity(inner)));
            Some(widened.unwrap_or(text))
        }
    }
}

fn by_arity(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= 1 {
        return text.to_owned();
    }
    let count = meaningful(&words);
    // `git -C *` would cover every subcommand: an option is no name of what a
    // command does. And what cannot be undone is approved one by one.
    let named = words.get(..count).unwrap_or_default();
    let optional = named.iter().skip(1).any(|word| word.starts_with('-'));
    if optional || is_destructive(&words) {
        return text.to_owned();
    }
    if count == words.len() {
        return format!("{text}*");
    }
    format!("{} *", words.get(..count).unwrap_or_default().join(" "))
}

/// Programs whose work cannot be undone: approving one call says nothing about
/// the next.
const DESTRUCTIVE: [&str; 12] = [
    "rm", "rmdir", "unlink", "shred", "dd", "truncate", "kill", "pkill", "killall", "chmod",
    "chown", "mkfs",
];

fn is_destructive(words: &[&str]) -> bool {
    words.first().is_some_and(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        DESTRUCTIVE.contains(&name)
    })
}

fn wrapped_by_arity(inner: &str) -> String {
    let words: Vec<&str> = inner.split_whitespace().collect();
    if is_destructive(&words) {
        return inner.to_owned();
    }
    let count = meaningful(&words);
    format!("{} *", words.get(..count).unwrap_or_default().join(" "))
}

fn is_plain_word(word: &str) -> bool {
    !word.contains(|c| "'\"\\$`|&;<>(){}[]*?!~#".contains(c))
}

fn without_comment_lines(text: &str) -> String {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect();
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        for (text, expected) in [
            ("ls", "ls"),
            ("ls -la", "ls *"),
            ("git push origin main", "git push *"),
            ("git status", "git status*"),
            ("GIT STATUS", "GIT STATUS*"),
            ("npm run build", "npm run build*"),
            ("npm run build -- --x", "npm run build *"),
            ("docker compose up -d", "docker compose up *"),
            ("mytool a b", "mytool *"),
            ("# note\ngit status", "git status*"),
            ("git", "git"),
            ("git -C sub status", "git -C sub status"),
            ("rm -rf build", "rm -rf build"),
            ("/bin/rm x", "/bin/rm x"),
        ] {
            assert_eq!(
                suggest_command(text, CommandShape::Plain).as_deref(),
                Some(expected)
            );
        }
        assert_eq!(suggest_command("# only\n", CommandShape::Plain), None);
    }

    #[test]
    fn wrappers() {
        let wrapper =
            |text: &str, inner: &str| suggest_command(text, CommandShape::Wrapper { inner });
        for (text, inner, expected) in [
            ("nohup mytool a", "mytool a", "nohup mytool *"),
            ("timeout 5 git push x", "git push x", "timeout 5 git push *"),
            ("env FOO=bar mytool x", "mytool x", "env FOO=bar mytool *"),
            ("nice rm \"a b\"", "rm \"a b\"", "nice rm \"a b\""),
            ("nice ls", "other", "nice ls"),
        ] {
            assert_eq!(wrapper(text, inner).as_deref(), Some(expected));
        }
        assert_eq!(
            suggest_command("sudo aws s3 rm x", CommandShape::Floored).as_deref(),
            Some("sudo aws s3 rm x")
        );
    }

    #[test]
    fn other_surfaces() {
        let posix = |surface: &str, value: &str| suggest(surface, value, Flavour::Posix).unwrap();
        assert_eq!(posix("path_write", "/tmp/a/b"), "/tmp/a/*");
        assert_eq!(posix("read", "a"), "./*");
        assert_eq!(posix("mcp", "exa:search"), "exa:*");
        assert_eq!(posix("mcp", "exa_search"), "exa_*");
        assert_eq!(posix("mcp", "search"), "*");
        assert_eq!(posix("skill", "librarian"), "librarian");
        assert_eq!(posix("weather", "*"), "*");
        assert_eq!(suggest("skill", "", Flavour::Posix), None);
        assert_eq!(
            suggest("path", "c:\\a\\b", Flavour::Windows).unwrap(),
            "c:\\a\\*"
        );
    }

    #[test]
    fn a_family_is_covered_when_both_directions_are() {
        let grant = |surface: &str, pattern: &str| Grant {
            surface: surface.to_owned(),
            pattern: pattern.to_owned(),
            scope: GrantScope::Session,
        };
        let ctx = PatternContext::default();
        let reads = GrantSet::compile(&[grant("path_read", "/tmp/*")], &ctx);
        assert!(reads.covers("path_read", &["/tmp/a"], false).is_some());
        assert!(reads.covers("path_write", &["/tmp/a"], false).is_none());
        assert!(reads.covers("path", &["/tmp/a"], false).is_none());
        let both = GrantSet::compile(&[grant("path", "/tmp/*")], &ctx);
        assert!(both.covers("path", &["/tmp/a"], false).is_some());
        assert!(both.covers("path_write", &["/tmp/a"], false).is_some());
    }

    #[test]
    fn a_floored_command_is_covered_by_its_own_text_only() {
        let grant = |pattern: &str| Grant {
            surface: "bash".to_owned(),
            pattern: pattern.to_owned(),
            scope: GrantScope::Session,
        };
        let set = GrantSet::compile(
            &[grant("sudo *"), grant("sudo ls")],
            &PatternContext::default(),
        );
        assert!(set.covers("bash", &["sudo rm x"], true).is_none());
        assert!(set.covers("bash", &["sudo ls"], true).is_some());
        assert!(set.covers("bash", &["sudo rm x"], false).is_some());
    }
}
