//! What is probably not meant: rules that never win, patterns that never
//! match, allows that open less than they seem to.
//!
//! Nothing here changes a verdict.

use std::sync::Arc;

use countersign_text::{Diagnostic, Severity, Span};

use crate::compose::{
    Body, DEFAULT_KEY, Entry, Merged, MergedSurface, ScopePolicy, compose, merge,
};
use crate::index::Index;
use crate::surface::Family;
use crate::{
    Action, Candidate, Origin, Pattern, PatternContext, Policy, is_path_surface, nearest,
    needs_home,
};

/// The surfaces that exist without any extension.
const SURFACES: [&str; 15] = [
    "bash",
    "edit",
    "external_directory",
    "external_directory_read",
    "external_directory_write",
    "find",
    "grep",
    "ls",
    "mcp",
    "path",
    "path_read",
    "path_write",
    "read",
    "skill",
    "write",
];

/// Stands for what a wildcard could be.
const FILLER: &str = "\u{1}";

/// Looks over a policy, scopes lowest first. `cwd` is the workspace, where one
/// is known.
#[must_use]
pub fn lint(scopes: &[ScopePolicy], ctx: &PatternContext, cwd: Option<&str>) -> Vec<Diagnostic> {
    let merged = merge(scopes);
    let mut out = Vec::new();
    for scope in scopes {
        for surface in &scope.surfaces {
            let at = |span: Span, diagnostic: Diagnostic, label: &str| {
                placed(diagnostic, scope.path.as_ref(), span, label)
            };
            out.extend(
                surface_name(&surface.surface).map(|d| at(surface.span, d, "no such surface")),
            );
            if surface.surface == DEFAULT_KEY && matches!(surface.body, Body::Map(_)) {
                let diagnostic = warning(
                    "policy/default-map",
                    "patterns under `*` have no effect: the default is one action",
                )
                .help("write the patterns under the surface they are meant for, such as `bash`");
                out.push(at(surface.span, diagnostic, "ignored"));
                continue;
            }
            for entry in surface.body.entries() {
                for (diagnostic, label) in pattern(&surface.surface, entry, surface) {
                    out.push(at(entry.span, diagnostic, label));
                }
            }
        }
        directions(scope, ctx, &mut out);
    }
    replaced(scopes, &mut out);
    for surface in merged.iter().filter(|s| s.surface != DEFAULT_KEY) {
        order(surface, scopes, ctx, &mut out);
    }
    out.extend(permissive_bash(&merged));
    unopened(scopes, &merged, ctx, cwd, &mut out);
    dedup(out)
}

/// The warning for a universal `allow` that shell commands inherit
/// (spec 01 §7.1).
#[must_use]
pub fn permissive_bash(merged: &[MergedSurface]) -> Option<Diagnostic> {
    let default = merged.iter().find(|s| s.surface == DEFAULT_KEY && s.bare)?;
    let stated = default
        .entries
        .first()
        .filter(|m| m.entry.action == Action::Allow)?;
    let covered = merged.iter().any(|s| {
        s.surface == "bash" && (s.bare || s.entries.iter().any(|m| m.entry.pattern == DEFAULT_KEY))
    });
    if covered {
        return None;
    }
    let diagnostic = warning(
        "policy/permissive-bash",
        "`permission[\"*\"]` is `allow` and `bash` says nothing about commands in general: \
         every shell command is allowed",
    )
    .help("say what you want of shell commands, for example \"bash\": { \"*\": \"ask\" }");
    Some(located(
        diagnostic,
        &stated.origin,
        stated.entry.span,
        "shell commands inherit this",
    ))
}

fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message)
}

fn note(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Note, message)
}

fn placed(diagnostic: Diagnostic, path: Option<&Arc<str>>, span: Span, label: &str) -> Diagnostic {
    let diagnostic = diagnostic.label(span, label);
    match path {
        Some(path) => diagnostic.at(&**path),
        None => diagnostic,
    }
}

fn located(diagnostic: Diagnostic, origin: &Origin, span: Span, label: &str) -> Diagnostic {
    placed(diagnostic, origin.path.as_ref(), span, label)
}

/// Where a rule stands, for messages about another one.
fn whereabouts(origin: &Origin) -> String {
    match (&origin.path, origin.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        _ => origin.scope.as_str().to_owned(),
    }
}

fn dedup(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    let mut seen = std::collections::HashSet::new();
    for diagnostic in diagnostics {
        let place = diagnostic.labels.first().map(|label| label.span);
        if seen.insert((diagnostic.code, diagnostic.path.clone(), place)) {
            out.push(diagnostic);
        }
    }
    out
}

fn surface_name(name: &str) -> Option<Diagnostic> {
    if name == DEFAULT_KEY || name.contains(['*', '?']) || SURFACES.contains(&name) {
        return None;
    }
    let near = nearest(name, SURFACES)?;
    let diagnostic = warning(
        "policy/unknown-surface",
        format!("`{name}` is no built-in surface: it speaks only of a tool of that name"),
    );
    Some(diagnostic.help(format!("did you mean `{near}`?")))
}

/// What one pattern says about itself.
fn pattern(
    surface: &str,
    entry: &Entry,
    all: &crate::compose::SurfaceEntry,
) -> Vec<(Diagnostic, &'static str)> {
    let text = entry.pattern.as_str();
    let mut out = Vec::new();
    if surface == "bash"
        && let Some(operator) = chain_operator(text)
    {
        let never = entry.action == Action::Allow;
        let message = if never {
            format!(
                "`{operator}` never appears in what a rule is compared with: each command of a line is judged alone"
            )
        } else {
            format!("`{operator}` joins commands, and each command of a line is judged alone")
        };
        let diagnostic =
            warning("policy/chain-operator", message).help("write one rule for each command");
        out.push((diagnostic, "compared with single commands"));
    }
    if text.contains("**") {
        let tail = text.ends_with(" **");
        let message = if tail {
            "` **` at the end does not match the command alone, as ` *` does"
        } else {
            "`**` means the same as `*`, which already crosses `/`"
        };
        let help = format!("write `{}`", collapse_stars(text));
        let diagnostic = if tail {
            warning("policy/double-star", message)
        } else {
            note("policy/double-star", message)
        };
        out.push((diagnostic.help(help), "two stars"));
    }
    if is_path_surface(surface) {
        if let Some(diagnostic) = not_expanded(text) {
            out.push((diagnostic, "taken literally"));
        }
        if let Some(found) = bare_directory(text, all) {
            out.push(found);
        }
    }
    out
}

fn collapse_stars(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c != '*' || !out.ends_with('*') {
            out.push(c);
        }
    }
    out
}

/// The first operator outside quotes that would separate two commands.
fn chain_operator(text: &str) -> Option<&'static str> {
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '\\') => {
                chars.next();
            }
            (None, _) => {
                let rest = text.get(at..).unwrap_or("");
                let found = ["&&", "||", ";", "| ", "\n"]
                    .into_iter()
                    .find(|op| rest.starts_with(op));
                if let Some(found) = found {
                    return Some(if found == "\n" {
                        "line break"
                    } else {
                        found.trim_end()
                    });
                }
            }
        }
    }
    None
}

/// A beginning that looks as if it were replaced, and is not.
fn not_expanded(text: &str) -> Option<Diagnostic> {
    if needs_home(text) || !text.starts_with(['~', '$']) {
        return None;
    }
    let diagnostic = warning(
        "policy/not-expanded",
        "only `~`, `$HOME` and `${HOME}` stand for a directory, and only before a `/`",
    );
    Some(diagnostic.help("write the path out"))
}

/// File names without a dot that are no directories.
const PLAIN_FILES: [&str; 8] = [
    "Makefile",
    "Dockerfile",
    "LICENSE",
    "README",
    "Justfile",
    "justfile",
    "hosts",
    "passwd",
];

fn bare_directory(
    text: &str,
    all: &crate::compose::SurfaceEntry,
) -> Option<(Diagnostic, &'static str)> {
    if text.contains(['*', '?']) {
        return None;
    }
    if let Some(directory) = text.strip_suffix('/').filter(|d| !d.is_empty()) {
        let diagnostic = warning(
            "policy/bare-directory",
            "a path is compared without a separator at its end, so this never matches",
        )
        .help(format!(
            "write `{directory}/*` for what is in it, and `{directory}` for itself"
        ));
        return Some((diagnostic, "ends with a separator"));
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let stem = name.strip_prefix('.').unwrap_or(name);
    let file = stem.is_empty()
        || stem.contains('.')
        || stem.ends_with("rc")
        || stem.ends_with("profile")
        || PLAIN_FILES.contains(&name);
    let below = format!("{text}/*");
    let has_below = all.body.entries().iter().any(|e| e.pattern == below);
    if file || has_below {
        return None;
    }
    let diagnostic = note(
        "policy/bare-directory",
        format!(
            "`{text}` covers this one path; if it is a directory, what is in it is not covered"
        ),
    )
    .help(format!("add `{below}`"));
    Some((diagnostic, "this path alone"))
}

/// Denials of a lower scope that a bare action of a higher one takes out with
/// the whole map.
fn replaced(scopes: &[ScopePolicy], out: &mut Vec<Diagnostic>) {
    for (at, scope) in scopes.iter().enumerate() {
        for surface in scope.surfaces.iter().filter(|s| s.surface != DEFAULT_KEY) {
            let higher = || scopes.iter().skip(at + 1);
            let by = higher().find_map(|other| {
                let found = other
                    .surfaces
                    .iter()
                    .find(|s| s.surface == surface.surface)?;
                match &found.body {
                    Body::State(entry) if entry.action != Action::Deny => Some((other, entry)),
                    _ => None,
                }
            });
            let Some((other, entry)) = by else { continue };
            let denials = surface.body.entries().iter();
            for denial in denials.filter(|e| e.action == Action::Deny) {
                let place = match (&other.path, entry.line) {
                    (Some(path), Some(line)) => format!("{path}:{line}"),
                    _ => other.scope.as_str().to_owned(),
                };
                let action = entry.action.as_str();
                let diagnostic = warning(
                    "policy/denial-lifted",
                    format!(
                        "this denial never applies: `{}: {action}` ({place}) replaces every pattern of it",
                        surface.surface
                    ),
                )
                .help(format!(
                    "write `{}` there with patterns, \"*\": \"{action}\" first, to keep those of the lower files",
                    surface.surface
                ));
                out.push(placed(
                    diagnostic,
                    scope.path.as_ref(),
                    denial.span,
                    "never decides",
                ));
            }
        }
    }
}

/// A direction's own `allow` that undoes a `deny` of the bare name, because it
/// comes after it wherever it is written (spec 02 §4.2).
fn directions(scope: &ScopePolicy, ctx: &PatternContext, out: &mut Vec<Diagnostic>) {
    for family in Family::ALL {
        let find = |name: &str| scope.surfaces.iter().find(|s| s.surface == name);
        let Some(bare) = find(family.bare()) else {
            continue;
        };
        let denials = || {
            bare.body
                .entries()
                .iter()
                .filter(|e| e.action == Action::Deny)
        };
        for member in [family.read(), family.write()] {
            let own = find(member).map_or(&[][..], |s| s.body.entries());
            for entry in own.iter().filter(|e| e.action == Action::Allow) {
                let pattern = Pattern::new(&entry.pattern, ctx, true);
                let undone = denials().find(|d| {
                    !own.iter().any(|o| o.pattern == d.pattern)
                        && pattern.overlaps(&Pattern::new(&d.pattern, ctx, true))
                });
                let Some(denial) = undone else { continue };
                let diagnostic = warning(
                    "policy/direction-undoes-denial",
                    format!(
                        "this allows what `{}` denies with `{}`: a direction's own patterns come after those of the bare name",
                        family.bare(), denial.pattern
                    ),
                )
                .help(format!("repeat \"{}\": \"deny\" under `{member}` after this pattern", denial.pattern));
                let diagnostic = placed(diagnostic, scope.path.as_ref(), entry.span, "comes last");
                out.push(diagnostic.label(denial.span, "does not hold for it"));
            }
        }
    }
}

/// Rules of one surface against those that come after them.
fn order(
    surface: &MergedSurface,
    scopes: &[ScopePolicy],
    ctx: &PatternContext,
    out: &mut Vec<Diagnostic>,
) {
    let is_path = is_path_surface(&surface.surface);
    let patterns: Vec<Pattern> = surface
        .entries
        .iter()
        .map(|m| Pattern::new(&m.entry.pattern, ctx, is_path))
        .collect();
    let index = Index::new(patterns.iter());
    for (at, (merged, own)) in surface.entries.iter().zip(&patterns).enumerate() {
        let later = || surface.entries.iter().zip(&patterns).skip(at + 1);
        if let Some(below) = overridden_from(surface, merged, scopes) {
            // Someone below has this pattern too, so it stands in their place.
            let still = later().find(|(other, pattern)| {
                other.entry.action != merged.entry.action
                    && other.origin.scope != merged.origin.scope
                    && pattern.overlaps(own)
            });
            if let Some((other, _)) = still {
                let message = format!(
                    "`{}` keeps the place it has in {below}, so `{}` ({}) comes after it and wins where both match",
                    merged.entry.pattern,
                    other.entry.pattern,
                    whereabouts(&other.origin)
                );
                let diagnostic = warning("policy/overridden-in-place", message)
                    .help("repeat the later pattern here, before this one, or use a pattern that is not in the lower file");
                out.push(located(
                    diagnostic,
                    &merged.origin,
                    merged.entry.span,
                    "does not come last",
                ));
                continue;
            }
        }
        let value = own.folded(&own.instance(FILLER)).into_owned();
        let winner = index
            .candidates(&value)
            .into_iter()
            .map(|found| found as usize)
            .take_while(|found| *found > at)
            .filter_map(|found| Some((surface.entries.get(found)?, patterns.get(found)?)))
            .find(|(_, pattern)| pattern.covers_pattern(own));
        let Some((winner, _)) = winner else { continue };
        out.extend(shadowed(merged, winner));
    }
}

fn shadowed(merged: &Merged, winner: &Merged) -> Option<Diagnostic> {
    let same_file = merged.origin.scope == winner.origin.scope;
    let same_action = merged.entry.action == winner.entry.action;
    let (pattern, by) = (&merged.entry.pattern, &winner.entry.pattern);
    let place = whereabouts(&winner.origin);
    let diagnostic = match (same_file, same_action) {
        (true, false) => warning(
            "policy/shadowed",
            format!("`{pattern}` never applies: `{by}` comes later and matches all of it"),
        )
        .help(format!("move it below `{by}`")),
        (true, true) => note(
            "policy/redundant",
            format!("`{pattern}` changes nothing: `{by}` comes later and says the same"),
        )
        .help("remove it"),
        // A higher scope decides over a lower one: that is what it is for.
        // That it lifts a denial deserves to be seen.
        (false, false) if merged.entry.action == Action::Deny => warning(
            "policy/denial-lifted",
            format!("this denial never applies: `{by}` ({place}) lifts it"),
        )
        .help("if that is not meant, deny it there too, after that pattern"),
        (false, _) => return None,
    };
    let diagnostic = located(
        diagnostic,
        &merged.origin,
        merged.entry.span,
        "never decides",
    );
    Some(if same_file {
        diagnostic.label(winner.entry.span, "always wins")
    } else {
        diagnostic
    })
}

/// The lower scope whose place a pattern has taken, in words.
fn overridden_from(
    surface: &MergedSurface,
    merged: &Merged,
    scopes: &[ScopePolicy],
) -> Option<String> {
    scopes
        .iter()
        .take_while(|scope| scope.scope != merged.origin.scope)
        .find(|scope| {
            scope.surfaces.iter().any(|s| {
                let named = s.surface == surface.surface
                    || Family::of(&s.surface).is_some_and(|family| {
                        s.surface == family.bare()
                            && [family.read(), family.write()].contains(&surface.surface.as_str())
                    });
                named
                    && s.body
                        .entries()
                        .iter()
                        .any(|e| e.pattern == merged.entry.pattern)
            })
        })
        .map(|scope| format!("the {} policy", scope.scope.as_str()))
}

/// `allow` on a path outside the workspace that `external_directory` does not
/// let through (spec 02 §3.6).
fn unopened(
    scopes: &[ScopePolicy],
    merged: &[MergedSurface],
    ctx: &PatternContext,
    cwd: Option<&str>,
    out: &mut Vec<Diagnostic>,
) {
    let allows = || {
        merged
            .iter()
            .filter(|s| Family::of(&s.surface) == Some(Family::Path))
            .flat_map(|s| s.entries.iter().map(move |m| (s, m)))
            .filter(|(_, m)| m.entry.action == Action::Allow)
    };
    if allows().next().is_none() {
        return;
    }
    let policy = Policy::compile(compose(scopes, false), ctx);
    let sides = merged;
    for (_, merged) in allows() {
        let pattern = Pattern::new(&merged.entry.pattern, ctx, true);
        let value = pattern.instance("x");
        let inside = cwd.is_some_and(|cwd| value.starts_with(cwd));
        if !value.starts_with('/') || inside || pattern.is_catch_all() {
            continue;
        }
        let twin = |name: &str| {
            let side = sides.iter().find(|s| s.surface == name);
            side.is_some_and(|s| {
                s.entries
                    .iter()
                    .any(|m| m.origin == merged.origin && m.entry.span == merged.entry.span)
            })
        };
        let (family, outside) = (Family::Path, Family::ExternalDirectory);
        // Written under the bare name, it stands in both directions.
        let external = match (twin(family.read()), twin(family.write())) {
            (true, true) => outside.bare(),
            (true, false) => outside.read(),
            (false, _) => outside.write(),
        };
        let said = policy.evaluate(external, &[Candidate::plain(&value)]);
        if said.action == Action::Allow {
            continue;
        }
        let message = format!(
            "this does not open a directory outside the workspace: `external_directory` still says `{}`",
            said.action.as_str()
        );
        let diagnostic = warning("policy/path-is-not-external", message).help(format!(
            "add \"{}\": \"allow\" under `{external}`",
            merged.entry.pattern
        ));
        out.push(located(
            diagnostic,
            &merged.origin,
            merged.entry.span,
            "not enough alone",
        ));
    }
}

#[cfg(test)]
mod tests;
