use super::*;
use crate::compose::SurfaceEntry;
use crate::{Flavour, Scope};
use Action::{Allow, Ask, Deny};

type Said<'a> = &'a [(&'a str, &'a [(&'a str, Action)])];

/// A scope whose spans number its entries, so that labels can be told apart.
fn scope(scope: Scope, surfaces: Said<'_>) -> ScopePolicy {
    let mut next = 0;
    let mut span = || {
        next += 1;
        Span::new(next, next + 1)
    };
    let surfaces = surfaces
        .iter()
        .map(|(surface, entries)| {
            let entry = |(pattern, action): &(&str, Action), span| Entry {
                pattern: (*pattern).to_owned(),
                action: *action,
                reason: None,
                span,
                line: Some(1),
            };
            let body = match entries {
                [only] if only.0.is_empty() => Body::State(entry(&("*", only.1), span())),
                many => Body::Map(many.iter().map(|e| entry(e, span())).collect()),
            };
            SurfaceEntry {
                surface: (*surface).to_owned(),
                span: span(),
                body,
            }
        })
        .collect();
    ScopePolicy {
        scope,
        path: Some(Arc::from(scope.as_str())),
        surfaces,
    }
}

fn codes(scopes: &[ScopePolicy]) -> Vec<&'static str> {
    let ctx = PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: Flavour::Posix,
    };
    lint(scopes, &ctx, Some("/w/p"))
        .into_iter()
        .map(|d| d.code)
        .collect()
}

fn global(surfaces: Said<'_>) -> Vec<&'static str> {
    codes(&[scope(Scope::Global, surfaces)])
}

#[test]
fn a_good_policy_is_silent() {
    assert_eq!(
        global(&[
            ("*", &[("", Ask)]),
            ("path", &[("*", Allow), ("*.env", Deny), ("~/.ssh/*", Deny)]),
            (
                "bash",
                &[
                    ("*", Ask),
                    ("git *", Allow),
                    ("git push *", Ask),
                    ("grep 'a|b;c' *", Allow)
                ]
            ),
            ("mcp", &[("exa:*", Allow)]),
            ("external_directory", &[("*", Ask), ("~/.cargo/*", Allow)]),
            ("my_tool", &[("", Allow)]),
        ]),
        [""; 0]
    );
}

#[test]
fn rules_that_never_win() {
    assert_eq!(
        global(&[("bash", &[("git *", Deny), ("*", Ask)])]),
        ["policy/shadowed"]
    );
    assert_eq!(
        global(&[("bash", &[("git status", Allow), ("git *", Allow)])]),
        ["policy/redundant"]
    );
    assert_eq!(
        global(&[("bash", &[("git *", Allow), ("git ?*", Ask)])]),
        [""; 0]
    );
    let below = scope(Scope::Global, &[("bash", &[("rm *", Deny)])]);
    let above = scope(Scope::Project, &[("bash", &[("*", Allow)])]);
    assert_eq!(codes(&[below, above]), ["policy/denial-lifted"]);
}

#[test]
fn an_override_that_does_not_come_last() {
    let below = scope(Scope::Global, &[("bash", &[("git *", Ask), ("*", Allow)])]);
    let above = scope(Scope::Project, &[("bash", &[("git *", Deny)])]);
    assert_eq!(
        codes(&[below.clone(), above]),
        ["policy/shadowed", "policy/overridden-in-place"][1..]
    );
    let agrees = scope(Scope::Project, &[("bash", &[("git *", Allow)])]);
    assert_eq!(codes(&[below, agrees]), [""; 0]);
    let below = scope(
        Scope::Global,
        &[("path", &[("a/*", Ask), ("a/b/*", Allow)])],
    );
    let above = scope(Scope::Project, &[("path_write", &[("a/*", Deny)])]);
    assert_eq!(codes(&[below, above]), ["policy/overridden-in-place"]);
}

#[test]
fn patterns_that_do_not_mean_what_they_seem() {
    assert_eq!(
        global(&[("bash", &[("cd * && rm *", Allow)])]),
        ["policy/chain-operator"]
    );
    assert_eq!(
        global(&[("bash", &[("a | b", Ask)])]),
        ["policy/chain-operator"]
    );
    assert_eq!(
        global(&[("bash", &[("git **", Allow)])]),
        ["policy/double-star"]
    );
    assert_eq!(
        global(&[("read", &[("src/**/*.ts", Allow)])]),
        ["policy/double-star"]
    );
    assert_eq!(
        global(&[("path", &[("~root/*", Deny)])]),
        ["policy/not-expanded"]
    );
    assert_eq!(
        global(&[("path", &[("src/", Deny)])]),
        ["policy/bare-directory"]
    );
    assert_eq!(
        global(&[("path", &[("~/.ssh", Deny)])]),
        ["policy/bare-directory"]
    );
    assert_eq!(
        global(&[("path", &[("~/.ssh", Deny), ("~/.ssh/*", Deny)])]),
        [""; 0]
    );
    assert_eq!(
        global(&[("path", &[("~/.bashrc", Deny), ("a.txt", Deny)])]),
        [""; 0]
    );
}

#[test]
fn paths_outside_need_the_outside_opened() {
    let path: (&str, &[(&str, Action)]) = ("path", &[("/data/*", Allow)]);
    assert_eq!(global(&[path]), ["policy/path-is-not-external"]);
    assert_eq!(
        global(&[path, ("external_directory", &[("/data/*", Allow)])]),
        [""; 0]
    );
    assert_eq!(global(&[("path", &[("/w/p/src/*", Allow)])]), [""; 0]);
}

#[test]
fn surfaces_and_defaults() {
    assert_eq!(
        global(&[("bsh", &[("", Deny)])]),
        ["policy/unknown-surface"]
    );
    assert_eq!(
        global(&[("path-read", &[("", Deny)])]),
        ["policy/unknown-surface"]
    );
    assert_eq!(
        global(&[("*", &[("x", Allow), ("y", Ask)])]),
        ["policy/default-map"]
    );
    assert_eq!(global(&[("*", &[("", Allow)])]), ["policy/permissive-bash"]);
    assert_eq!(
        global(&[("*", &[("", Allow)]), ("bash", &[("rm *", Deny)])]),
        ["policy/permissive-bash"]
    );
    assert_eq!(
        global(&[("*", &[("", Allow)]), ("bash", &[("", Allow)])]),
        [""; 0]
    );
    assert_eq!(
        global(&[
            ("external_directory_read", &[("/d/*", Allow)]),
            ("external_directory", &[("*", Ask), ("/d/secret/*", Deny)]),
        ]),
        ["policy/direction-undoes-denial", "policy/shadowed"]
    );
}

#[test]
fn ten_thousand_rules_are_looked_over_quickly() {
    let names: Vec<String> = (0..10_000).map(|n| format!("tool{n} sub *")).collect();
    let entries: Vec<(&str, Action)> = names.iter().map(|n| (n.as_str(), Ask)).collect();
    assert!(global(&[("bash", &entries)]).is_empty());
}
