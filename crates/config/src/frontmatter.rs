//! The `permission` block of an agent file, read as tolerantly as the
//! predecessor reads it (spec 01 §4.5). No YAML library can: an unquoted
//! `*: ask` is an alias to them.

use std::collections::HashMap;
use std::sync::Arc;

use countersign_policy::compose::{Body, Entry, ScopePolicy, SurfaceEntry};
use countersign_policy::{Action, DIRECTIONAL, Scope, nearest, unknown_directional};
use countersign_text::{Diagnostic, Severity, Span};

use crate::read::MAX_BYTES;
use crate::settings::Settings;
use crate::{Parsed, unreadable};

/// Reads the frontmatter of an agent file. Entries that say nothing readable
/// are left out one by one and reported; they never invalidate the file.
/// Only a file that is too large to be one is invalid.
#[must_use]
pub fn parse_agent(text: &str, path: &str, scope: Scope) -> Parsed {
    if text.len() > MAX_BYTES {
        let error = format!("larger than {MAX_BYTES} bytes");
        return Parsed::invalid(vec![unreadable(path, &error)]);
    }
    let mut reader = Reader {
        path,
        diagnostics: Vec::new(),
    };
    let tree = Tree::read(text);
    let surfaces = match tree.root().and_then(|root| root.get("permission")) {
        Some(member) => match member.value {
            Node::Map(map) => reader.permission(&tree, map),
            Node::Text(_, span) => {
                reader.dropped(
                    "this is no policy",
                    "a policy is an indented block under `permission:`",
                    span,
                );
                Vec::new()
            }
        },
        None => Vec::new(),
    };
    let mut policy = ScopePolicy::empty(scope, Some(Arc::from(path)));
    policy.surfaces = surfaces;
    Parsed {
        scope: Some(policy),
        settings: Some(Settings::default()),
        diagnostics: reader.diagnostics,
    }
}

#[derive(Clone, Copy, Debug)]
enum Node<'t> {
    Text(&'t str, Span),
    /// Index into the tree's maps.
    Map(usize),
}

#[derive(Clone, Copy, Debug)]
struct Member<'t> {
    name: &'t str,
    span: Span,
    line: u32,
    value: Node<'t>,
}

#[derive(Debug, Default)]
struct Map<'t> {
    members: Vec<Member<'t>>,
    places: HashMap<&'t str, usize>,
}

impl<'t> Map<'t> {
    /// A repeated key takes the later value in the earlier place.
    fn set(&mut self, member: Member<'t>) {
        let known = self.places.get(member.name).copied();
        match known.and_then(|at| self.members.get_mut(at)) {
            Some(slot) => *slot = member,
            None => {
                self.places.insert(member.name, self.members.len());
                self.members.push(member);
            }
        }
    }

    fn get(&self, name: &str) -> Option<&Member<'t>> {
        self.members.get(*self.places.get(name)?)
    }
}

/// The maps of a frontmatter, the outermost first.
#[derive(Debug)]
struct Tree<'t> {
    maps: Vec<Map<'t>>,
}

/// One line and where it starts.
struct Line<'t> {
    text: &'t str,
    start: usize,
    number: u32,
}

impl<'t> Tree<'t> {
    fn root(&self) -> Option<&Map<'t>> {
        self.maps.first()
    }

    fn read(text: &'t str) -> Self {
        let mut tree = Self {
            maps: vec![Map::default()],
        };
        // Open maps: their index, and the indentation of their key.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for line in block(text) {
            let trimmed = line.text.trim();
            let indent = line.text.chars().take_while(|c| c.is_whitespace()).count();
            let Some((key, value)) = trimmed.split_once(':').filter(|(key, _)| !key.is_empty())
            else {
                continue;
            };
            if trimmed.starts_with('#') {
                continue;
            }
            while open.last().is_some_and(|(_, outer)| indent <= *outer) {
                open.pop();
            }
            let into = open.last().map_or(0, |(map, _)| *map);
            let value = value.trim();
            let node = if value.is_empty() {
                tree.maps.push(Map::default());
                let map = tree.maps.len() - 1;
                open.push((map, indent));
                Node::Map(map)
            } else {
                Node::Text(unquoted(value), line.span_of(value))
            };
            let name = without_outer_quotes(key.trim());
            let member = Member {
                name,
                span: line.span_of(name),
                line: line.number,
                value: node,
            };
            if let Some(map) = tree.maps.get_mut(into) {
                map.set(member);
            }
        }
        tree
    }
}

impl Line<'_> {
    /// The place of a part of this line, which must be a slice of it.
    fn span_of(&self, part: &str) -> Span {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Span::new(self.start + offset, self.start + offset + part.len())
    }
}

/// The lines between `---` and the next line that starts so, without their
/// line ends. Nothing where either is missing. The first line inside is always
/// content, even when it is dashes itself.
fn block(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (raw, number) in text.split('\n').zip(1_u32..) {
        let line = Line {
            text: raw.strip_suffix('\r').unwrap_or(raw),
            start,
            number,
        };
        start += raw.len() + 1;
        match number {
            1 if line.text == "---" && text.len() > raw.len() => {}
            1 => return Vec::new(),
            3.. if line.text.starts_with("---") => return lines,
            _ => lines.push(line),
        }
    }
    Vec::new()
}

/// One quote character off either end, whichever they are.
fn without_outer_quotes(text: &str) -> &str {
    let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
    text.strip_suffix(['"', '\'']).unwrap_or(text)
}

/// A pair of the same quote character off both ends.
fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if text.len() == 1 && text.starts_with(quote) {
            return "";
        }
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

struct Reader<'t> {
    path: &'t str,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn dropped(&mut self, why: &str, help: &str, span: Span) {
        let diagnostic = Diagnostic::new(
            "agent/entry-ignored",
            Severity::Warning,
            "this entry is ignored",
        )
        .label(span, why)
        .help(help)
        .at(self.path);
        self.diagnostics.push(diagnostic);
    }

    fn permission(&mut self, tree: &Tree<'_>, map: usize) -> Vec<SurfaceEntry> {
        let members = tree.maps.get(map).map_or(&[][..], |m| &m.members);
        let mut out = Vec::new();
        for member in members {
            if member.name.is_empty() {
                self.dropped(
                    "a surface needs a name",
                    "write one before the colon",
                    member.span,
                );
                continue;
            }
            if unknown_directional(member.name) {
                let near = nearest(member.name, DIRECTIONAL).unwrap_or("path_read");
                self.dropped(
                    "no such direction",
                    &format!("did you mean `{near}`?"),
                    member.span,
                );
                continue;
            }
            let body = match member.value {
                Node::Text(word, span) => {
                    let action = self.action(word, span);
                    action.map(|action| Body::State(entry("*", action, None, member)))
                }
                Node::Map(map) => {
                    let entries = self.patterns(tree, map);
                    (!entries.is_empty()).then_some(Body::Map(entries))
                }
            };
            if let Some(body) = body {
                out.push(SurfaceEntry {
                    surface: member.name.to_owned(),
                    span: member.span,
                    body,
                });
            }
        }
        out
    }

    fn patterns(&mut self, tree: &Tree<'_>, map: usize) -> Vec<Entry> {
        let members = tree.maps.get(map).map_or(&[][..], |m| &m.members);
        let mut out = Vec::new();
        for member in members {
            if member.name.is_empty() {
                self.dropped(
                    "a pattern cannot be empty",
                    "write one before the colon",
                    member.span,
                );
                continue;
            }
            match member.value {
                Node::Text(word, span) => {
                    if let Some(action) = self.action(word, span) {
                        out.push(entry(member.name, action, None, member));
                    }
                }
                Node::Map(map) => match denial(tree, map) {
                    Some(reason) => out.push(entry(member.name, Action::Deny, reason, member)),
                    None => self.dropped(
                        "only a denial can be nested",
                        "write `action: deny` and `reason: …` below it, or the action alone",
                        member.span,
                    ),
                },
            }
        }
        out
    }

    /// Reads an action. What is not one is left out, except a denial or a
    /// question with a comment behind it: the predecessor loses those, and a
    /// lost denial loosens.
    fn action(&mut self, word: &str, span: Span) -> Option<Action> {
        if let Some(action) = Action::parse(word) {
            return Some(action);
        }
        let commented = word.split_once(" #").map(|(head, _)| head.trim_end());
        match commented.and_then(Action::parse) {
            Some(action) if action != Action::Allow => {
                let diagnostic = Diagnostic::new(
                    "agent/comment-in-value",
                    Severity::Warning,
                    "a comment behind a value belongs to the value",
                )
                .label(span, format!("read as `{}`", action.as_str()))
                .help("put the comment on a line of its own")
                .at(self.path);
                self.diagnostics.push(diagnostic);
                Some(action)
            }
            Some(_) => {
                self.dropped(
                    "a comment behind a value belongs to the value",
                    "put the comment on a line of its own",
                    span,
                );
                None
            }
            None => {
                let help = match nearest(word, ["allow", "ask", "deny"]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "an action is `allow`, `ask` or `deny`".to_owned(),
                };
                self.dropped("no such action", &help, span);
                None
            }
        }
    }
}

fn entry(pattern: &str, action: Action, reason: Option<String>, member: &Member<'_>) -> Entry {
    Entry {
        pattern: pattern.to_owned(),
        action,
        reason,
        span: member.span,
        line: Some(member.line),
    }
}

/// The reason of a nested denial; `None` when the map is none.
fn denial(tree: &Tree<'_>, map: usize) -> Option<Option<String>> {
    let map = tree.maps.get(map)?;
    let denies = matches!(map.get("action")?.value, Node::Text("deny", _));
    let reason = match map.get("reason").map(|member| member.value) {
        None => None,
        Some(Node::Text(text, _)) => Some(text.to_owned()),
        Some(Node::Map(_)) => return None,
    };
    denies.then_some(reason)
}

#[cfg(test)]
mod tests;
