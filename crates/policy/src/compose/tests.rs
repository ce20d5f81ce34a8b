use proptest::prelude::*;

use super::*;
use Action::{Allow, Ask, Deny};

fn entry(pattern: &str, action: Action) -> Entry {
    Entry {
        pattern: pattern.to_owned(),
        action,
        reason: None,
        span: Span::default(),
        line: None,
    }
}

fn state(surface: &str, action: Action) -> SurfaceEntry {
    SurfaceEntry {
        surface: surface.to_owned(),
        span: Span::default(),
        body: Body::State(entry("*", action)),
    }
}

fn map(surface: &str, entries: &[(&str, Action)]) -> SurfaceEntry {
    SurfaceEntry {
        surface: surface.to_owned(),
        span: Span::default(),
        body: Body::Map(entries.iter().map(|(p, a)| entry(p, *a)).collect()),
    }
}

fn scope(scope: Scope, surfaces: Vec<SurfaceEntry>) -> ScopePolicy {
    ScopePolicy {
        scope,
        path: None,
        surfaces,
    }
}

/// Rules as `surface[pattern]=action(origin)`.
fn shown(scopes: &[ScopePolicy], clamped: bool) -> Vec<String> {
    compose(scopes, clamped)
        .into_iter()
        .map(|r| {
            let (action, origin) = (r.action.as_str(), r.origin.scope.as_str());
            format!("{}[{}]={action}({origin})", r.surface, r.pattern)
        })
        .collect()
}

#[test]
fn an_overridden_pattern_keeps_its_place() {
    let global = scope(
        Scope::Global,
        vec![map("bash", &[("git *", Ask), ("*", Allow)])],
    );
    let project = scope(
        Scope::Project,
        vec![map("bash", &[("git *", Deny), ("ls", Ask)])],
    );
    assert_eq!(
        shown(&[global, project], false),
        [
            "*[*]=ask(builtin)",
            "bash[git *]=deny(project)",
            "bash[*]=allow(global)",
            "bash[ls]=ask(project)"
        ]
    );
}

#[test]
fn a_bare_action_replaces_a_map_and_a_map_a_bare_action() {
    let global = scope(
        Scope::Global,
        vec![map("bash", &[("*", Allow)]), state("read", Allow)],
    );
    let project = scope(
        Scope::Project,
        vec![state("bash", Ask), map("read", &[("a", Deny)])],
    );
    assert_eq!(
        shown(&[global, project], false),
        [
            "*[*]=ask(builtin)",
            "bash[*]=ask(project)",
            "read[a]=deny(project)"
        ]
    );
}

#[test]
fn the_default_is_no_rule_of_the_configuration() {
    let global = scope(Scope::Global, vec![state("*", Allow)]);
    assert_eq!(
        shown(std::slice::from_ref(&global), false),
        ["*[*]=allow(global)"]
    );
    let mapped = scope(Scope::Project, vec![map("*", &[("x", Allow)])]);
    assert_eq!(
        shown(&[global, mapped.clone()], false),
        ["*[*]=ask(builtin)"]
    );
    let denied = scope(Scope::Global, vec![state("*", Deny)]);
    assert_eq!(shown(&[denied, mapped], false), ["*[*]=deny(global)"]);
}

#[test]
fn families_expand_per_scope_before_merging() {
    let global = scope(
        Scope::Global,
        vec![map("path", &[("*", Allow), ("*.env", Deny)])],
    );
    let project = scope(Scope::Project, vec![map("path_write", &[("dist/*", Deny)])]);
    assert_eq!(
        shown(&[global, project], false),
        [
            "*[*]=ask(builtin)",
            "path_read[*]=allow(global)",
            "path_read[*.env]=deny(global)",
            "path_write[*]=allow(global)",
            "path_write[*.env]=deny(global)",
            "path_write[dist/*]=deny(project)"
        ]
    );
}

#[test]
fn a_direction_follows_its_family_whatever_the_order_of_the_keys() {
    let one = scope(
        Scope::Global,
        vec![
            map("external_directory_read", &[("/data/*", Allow)]),
            map(
                "external_directory",
                &[("*", Ask), ("/data/secret/*", Deny)],
            ),
        ],
    );
    assert_eq!(
        shown(&[one], false),
        [
            "*[*]=ask(builtin)",
            "external_directory_read[*]=ask(global)",
            "external_directory_read[/data/secret/*]=deny(global)",
            "external_directory_read[/data/*]=allow(global)",
            "external_directory_write[*]=ask(global)",
            "external_directory_write[/data/secret/*]=deny(global)"
        ]
    );
}

#[test]
fn a_denied_direction_is_denied_whole() {
    let one = scope(
        Scope::Global,
        vec![
            map("path", &[("*", Ask), ("a", Allow)]),
            state("path_write", Deny),
        ],
    );
    assert_eq!(
        shown(&[one], false).get(3..).unwrap(),
        ["path_write[a]=allow(global)", "path_write[*]=deny(global)"]
    );
}

#[test]
fn any_mcp_permission_opens_the_metadata() {
    let one = scope(Scope::Global, vec![map("mcp", &[("exa:*", Allow)])]);
    let rules = shown(&[one], false);
    assert_eq!(rules.len(), 7);
    assert_eq!(rules.get(1).unwrap(), "mcp[mcp_status]=allow(baseline)");
    let none = scope(Scope::Global, vec![map("mcp", &[("exa:*", Ask)])]);
    assert_eq!(shown(&[none], false).len(), 2);
}

#[test]
fn an_invalid_scope_turns_every_allow_into_ask() {
    let global = scope(
        Scope::Global,
        vec![
            state("*", Allow),
            map("bash", &[("*", Allow), ("rm *", Deny), ("x", Ask)]),
        ],
    );
    assert_eq!(
        shown(&[global], true),
        [
            "*[*]=ask(fail-closed)",
            "bash[*]=ask(fail-closed)",
            "bash[rm *]=deny(global)",
            "bash[x]=ask(global)"
        ]
    );
}

/// A merged policy as one scope, to merge it again.
fn again(merged: Vec<MergedSurface>) -> ScopePolicy {
    let surfaces = merged
        .into_iter()
        .map(|m| {
            let mut entries: Vec<Entry> = m.entries.into_iter().map(|e| e.entry).collect();
            let body = match (m.bare, entries.pop()) {
                (true, Some(only)) => Body::State(only),
                (_, last) => {
                    entries.extend(last);
                    Body::Map(entries)
                }
            };
            SurfaceEntry {
                surface: m.surface,
                span: Span::default(),
                body,
            }
        })
        .collect();
    scope(Scope::Global, surfaces)
}

/// Rules in order, without their origins.
fn plain(merged: Vec<MergedSurface>) -> Vec<(String, bool, String, Action)> {
    merged
        .into_iter()
        .flat_map(|m| {
            let (surface, bare) = (m.surface, m.bare);
            m.entries
                .into_iter()
                .map(move |e| (surface.clone(), bare, e.entry.pattern, e.entry.action))
        })
        .collect()
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![Just(Allow), Just(Ask), Just(Deny)]
}

fn scopes(bare: bool) -> impl Strategy<Value = ScopePolicy> {
    let name = prop_oneof![Just("bash"), Just("path"), Just("path_read"), Just("x")];
    let entries = prop::collection::vec(("[ab*]{1,2}", action()), 1..4);
    let surface = (
        name,
        entries,
        prop::bool::weighted(if bare { 0.3 } else { 0.0 }),
    );
    prop::collection::vec(surface, 0..4).prop_map(|surfaces| {
        let mut out: Vec<SurfaceEntry> = Vec::new();
        for (name, entries, is_bare) in surfaces {
            if out.iter().any(|s| s.surface == name) {
                continue;
            }
            let mut unique: Vec<(&str, Action)> = Vec::new();
            for (pattern, action) in &entries {
                if !unique.iter().any(|(known, _)| known == pattern) {
                    unique.push((pattern, *action));
                }
            }
            out.push(match (is_bare, unique.first()) {
                (true, Some((_, action))) => state(name, *action),
                _ => map(name, &unique),
            });
        }
        scope(Scope::Global, out)
    })
}

proptest! {
    #[test]
    fn merging_can_be_done_step_by_step(a in scopes(true), b in scopes(true), c in scopes(true)) {
        let at_once = merge(&[a.clone(), b.clone(), c.clone()]);
        let stepwise = merge(&[again(merge(&[a, b])), c]);
        prop_assert_eq!(plain(at_once), plain(stepwise));
    }

    #[test]
    fn merging_maps_is_associative(a in scopes(false), b in scopes(false), c in scopes(false)) {
        let left = merge(&[again(merge(&[a.clone(), b.clone()])), c.clone()]);
        let right = merge(&[a, again(merge(&[b, c]))]);
        prop_assert_eq!(plain(left), plain(right));
    }

    #[test]
    fn a_clamp_only_tightens(a in scopes(true), b in scopes(true)) {
        let scopes = [a, b];
        for (open, clamped) in compose(&scopes, false).iter().zip(compose(&scopes, true)) {
            prop_assert_eq!(&open.pattern, &clamped.pattern);
            prop_assert_eq!(clamped.action, open.action.max(Ask));
        }
    }
}
