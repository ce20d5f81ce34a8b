//! Several scopes' policies become one ordered list of rules (spec 01 §4,
//! 02 §1.2 and §4.2).

use std::collections::HashMap;
use std::sync::Arc;

use countersign_text::Span;

use crate::surface::Family;
use crate::{Action, Layer, Origin, Rule, Scope};

/// The key of the universal default.
pub const DEFAULT_KEY: &str = "*";

/// The MCP targets that any MCP permission implies (spec 02 §1.2).
pub const MCP_BASELINE: [&str; 5] = [
    "mcp_status",
    "mcp_list",
    "mcp_search",
    "mcp_describe",
    "mcp_connect",
];

/// One pattern of one surface in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The pattern as written.
    pub pattern: String,
    /// What happens to values that match.
    pub action: Action,
    /// Why, for denials.
    pub reason: Option<String>,
    /// Where the pattern stands in its file.
    pub span: Span,
    /// The line of the pattern, from 1, where the text is a file's.
    pub line: Option<u32>,
}

/// What a scope says about one surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// One action for everything; the entry's pattern is `*`.
    State(Entry),
    /// Patterns in order.
    Map(Vec<Entry>),
}

impl Body {
    /// The entries in order; a bare action counts as `*`.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::State(entry) => std::slice::from_ref(entry),
            Self::Map(entries) => entries,
        }
    }
}

/// One surface key of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceEntry {
    /// The key.
    pub surface: String,
    /// Where the key stands in its file.
    pub span: Span,
    /// What it says.
    pub body: Body,
}

/// The policy of one scope, in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopePolicy {
    /// Which scope.
    pub scope: Scope,
    /// The file it was read from.
    pub path: Option<Arc<str>>,
    /// Its surfaces.
    pub surfaces: Vec<SurfaceEntry>,
}

impl ScopePolicy {
    /// A scope that says nothing.
    #[must_use]
    pub fn empty(scope: Scope, path: Option<Arc<str>>) -> Self {
        Self {
            scope,
            path,
            surfaces: Vec::new(),
        }
    }

    /// The scope with every bare family name replaced by its two directions
    /// (spec 02 §4.2).
    ///
    /// A direction gets the bare name's entries first and its own after them;
    /// an own entry for a pattern already there takes its place. Two cases
    /// differ from a plain union: a bare action without own entries stays a
    /// bare action, so that it still replaces lower scopes' maps; and an own
    /// bare `deny` ends the direction's list, so that nothing the bare name
    /// allows escapes it.
    #[must_use]
    pub fn expanded(&self) -> Self {
        let mut out: Vec<SurfaceEntry> = Vec::new();
        for entry in &self.surfaces {
            let Some(family) = Family::of(&entry.surface) else {
                out.push(entry.clone());
                continue;
            };
            for member in [family.read(), family.write()] {
                let concerned = entry.surface == family.bare() || entry.surface == member;
                if !concerned || out.iter().any(|done| done.surface == member) {
                    continue;
                }
                let find = |name: &str| self.surfaces.iter().find(|s| s.surface == name);
                let body = match (find(family.bare()), find(member)) {
                    (Some(bare), Some(own)) => combine(&bare.body, &own.body),
                    (Some(only), None) | (None, Some(only)) => only.body.clone(),
                    (None, None) => continue,
                };
                out.push(SurfaceEntry {
                    surface: member.to_owned(),
                    span: entry.span,
                    body,
                });
            }
        }
        Self {
            surfaces: out,
            ..self.clone()
        }
    }
}

fn combine(bare: &Body, own: &Body) -> Body {
    if let Body::State(entry) = own
        && entry.action == Action::Deny
    {
        let mut entries = bare.entries().to_vec();
        entries.retain(|e| e.pattern != entry.pattern);
        entries.push(entry.clone());
        return Body::Map(entries);
    }
    let mut entries = bare.entries().to_vec();
    let mut places: HashMap<String, usize> = positions(&entries);
    for entry in own.entries() {
        place(&mut entries, &mut places, entry.clone(), |e| &e.pattern);
    }
    Body::Map(entries)
}

fn positions(entries: &[Entry]) -> HashMap<String, usize> {
    entries
        .iter()
        .enumerate()
        .map(|(at, e)| (e.pattern.clone(), at))
        .collect()
}

/// Puts `value` where its pattern already stands, or at the end.
fn place<T>(
    list: &mut Vec<T>,
    places: &mut HashMap<String, usize>,
    value: T,
    pattern: impl Fn(&T) -> &String,
) {
    match places.get(pattern(&value)).and_then(|at| list.get_mut(*at)) {
        Some(slot) => *slot = value,
        None => {
            places.insert(pattern(&value).clone(), list.len());
            list.push(value);
        }
    }
}

/// An entry with the scope that supplied its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The entry.
    pub entry: Entry,
    /// Whose it is.
    pub origin: Origin,
}

/// One surface after merging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedSurface {
    /// The key.
    pub surface: String,
    /// Whether the surface is a bare action, not a map.
    pub bare: bool,
    /// Its entries, in the order that decides.
    pub entries: Vec<Merged>,
}

/// Merges scopes, lowest first, surface by surface (spec 01 §4.4): two maps
/// join pattern by pattern, where a pattern already present keeps its place
/// and takes the higher value; anything else is replaced whole and keeps the
/// surface's place. Directions are expanded per scope before.
#[must_use]
pub fn merge(scopes: &[ScopePolicy]) -> Vec<MergedSurface> {
    let mut out: Vec<MergedSurface> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for scope in scopes {
        for incoming in scope.expanded().surfaces {
            let bare = matches!(incoming.body, Body::State(_));
            let entries: Vec<Merged> = incoming
                .body
                .entries()
                .iter()
                .map(|entry| Merged {
                    entry: entry.clone(),
                    origin: Origin {
                        scope: scope.scope,
                        path: scope.path.clone(),
                        line: entry.line,
                    },
                })
                .collect();
            let known = places.get(&incoming.surface).copied();
            match known.and_then(|at| out.get_mut(at)) {
                Some(surface) if !surface.bare && !bare => join(&mut surface.entries, entries),
                Some(surface) => {
                    // A map under `*` is no default. It must not take a
                    // prohibition away.
                    let lifts = incoming.surface == DEFAULT_KEY
                        && !bare
                        && surface
                            .entries
                            .iter()
                            .any(|e| e.entry.action == Action::Deny);
                    if !lifts {
                        surface.bare = bare;
                        surface.entries = entries;
                    }
                }
                None => {
                    places.insert(incoming.surface.clone(), out.len());
                    out.push(MergedSurface {
                        surface: incoming.surface,
                        bare,
                        entries,
                    });
                }
            }
        }
    }
    out
}

fn join(below: &mut Vec<Merged>, above: Vec<Merged>) {
    let mut places: HashMap<String, usize> = below
        .iter()
        .enumerate()
        .map(|(at, m)| (m.entry.pattern.clone(), at))
        .collect();
    for merged in above {
        place(below, &mut places, merged, |m| &m.entry.pattern);
    }
}

/// The ordered rules of a policy: the default, the MCP baseline, and what the
/// scopes say. With `clamped`, some scope's file is invalid and every `allow`
/// becomes `ask` (spec 01 §6; an invalid global file clamps as well, which is
/// stricter than the predecessor).
#[must_use]
pub fn compose(scopes: &[ScopePolicy], clamped: bool) -> Vec<Rule> {
    let merged = merge(scopes);
    let mut rules = vec![default_rule(&merged)];
    let config: Vec<Rule> = merged
        .into_iter()
        .filter(|surface| surface.surface != DEFAULT_KEY)
        .flat_map(|surface| {
            let name = surface.surface;
            surface.entries.into_iter().map(move |merged| Rule {
                surface: name.clone(),
                pattern: merged.entry.pattern,
                action: merged.entry.action,
                reason: merged.entry.reason,
                layer: Layer::Config,
                origin: merged.origin,
            })
        })
        .collect();
    let allows_mcp = config
        .iter()
        .any(|rule| rule.surface == "mcp" && rule.action == Action::Allow);
    if allows_mcp {
        rules.extend(MCP_BASELINE.iter().map(|target| Rule {
            surface: "mcp".to_owned(),
            pattern: (*target).to_owned(),
            action: Action::Allow,
            reason: None,
            layer: Layer::Baseline,
            origin: Origin::of(Scope::Baseline),
        }));
    }
    rules.extend(config);
    if clamped {
        for rule in rules.iter_mut().filter(|r| r.action == Action::Allow) {
            rule.action = Action::Ask;
            rule.origin.scope = Scope::FailClosed;
        }
    }
    rules
}

fn default_rule(merged: &[MergedSurface]) -> Rule {
    let stated = merged
        .iter()
        .find(|surface| surface.surface == DEFAULT_KEY && surface.bare)
        .and_then(|surface| surface.entries.first());
    let (action, origin) = match stated {
        Some(merged) => (merged.entry.action, merged.origin.clone()),
        None => (Action::Ask, Origin::of(Scope::Builtin)),
    };
    Rule {
        surface: DEFAULT_KEY.to_owned(),
        pattern: DEFAULT_KEY.to_owned(),
        action,
        reason: None,
        layer: Layer::Default,
        origin,
    }
}

#[cfg(test)]
mod tests;
