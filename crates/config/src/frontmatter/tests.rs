use super::*;

fn shown(text: &str) -> Vec<String> {
    let scope = parse_agent(text, "a.md", Scope::Agent).scope.unwrap();
    scope
        .surfaces
        .iter()
        .flat_map(|s| {
            s.body.entries().iter().map(move |e| {
                let reason = e
                    .reason
                    .as_ref()
                    .map(|r| format!(" ({r})"))
                    .unwrap_or_default();
                format!("{}[{}]={}{reason}", s.surface, e.pattern, e.action.as_str())
            })
        })
        .collect()
}

fn agent(permission: &str) -> String {
    format!("---\nname: rev\npermission:\n{permission}---\nbody\n")
}

#[test]
fn what_users_write_today() {
    let text = agent(
        "  read: allow\n  # a comment\n\n  bash:\n    *: ask\n    \"git push *\": deny\n    'npm test': allow\n    \"npm *\":\n      action: deny\n      reason: Use pnpm instead\n  write: 'deny'\n",
    );
    assert_eq!(
        shown(&text),
        [
            "read[*]=allow",
            "bash[*]=ask",
            "bash[git push *]=deny",
            "bash[npm test]=allow",
            "bash[npm *]=deny (Use pnpm instead)",
            "write[*]=deny"
        ]
    );
    assert_eq!(shown(&text.replace('\n', "\r\n")), shown(&text));
}

#[test]
fn what_ends_a_block() {
    assert_eq!(shown("---\npermission:\n  a: ask\n----\nb\n"), ["a[*]=ask"]);
    assert!(shown("---\npermission:\n  a: ask\n").is_empty(), "no end");
    assert!(
        shown("--- \npermission:\n  a: ask\n---\n").is_empty(),
        "a blank behind the dashes"
    );
    assert!(shown(" ---\npermission:\n  a: ask\n---\n").is_empty());
    assert!(shown("---\n---\n").is_empty());
    assert!(shown("").is_empty());
    assert!(shown("---").is_empty());
    assert!(shown("no frontmatter\n").is_empty());
}

#[test]
fn what_is_left_out_is_said() {
    let said = |permission: &str| {
        let parsed = parse_agent(&agent(permission), "a.md", Scope::Agent);
        parsed.diagnostics.len()
    };
    assert_eq!(said("  read: alow\n"), 1);
    assert_eq!(said("  read: ask\n"), 0);
    assert_eq!(said("  bash:\n    x:\n      action: allow\n"), 1);
    assert!(shown(&agent("  read: alow\n  write: deny\n")) == ["write[*]=deny"]);
    assert!(shown("---\npermission: {bash: ask}\n---\n").is_empty());
    // The first colon splits: a pattern with one cannot be written here.
    assert!(shown(&agent("  mcp:\n    'exa:*': allow\n")).is_empty());
    assert_eq!(said("  mcp:\n    'exa:*': allow\n"), 1);
}

#[test]
fn a_comment_behind_a_denial_does_not_lose_it() {
    assert_eq!(
        shown(&agent("  bash: deny # no\n  read: allow # yes\n")),
        ["bash[*]=deny"]
    );
}

#[test]
fn a_repeated_key_starts_over() {
    let text = agent("  bash:\n    a: ask\n    a: deny\n  bash:\n    b: ask\n");
    assert_eq!(shown(&text), ["bash[b]=ask"]);
}

#[test]
fn lines_and_spans_are_those_of_the_file() {
    let text = agent("  bash:\n    git *: ask\n");
    let scope = parse_agent(&text, "a.md", Scope::Agent).scope.unwrap();
    let entry = &scope.surfaces[0].body.entries()[0];
    assert_eq!(entry.line, Some(5));
    assert_eq!(entry.span.of(&text), Some("git *"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "(---\n)?[\\PC\n\r\t :#*'\"-]{0,80}(\n---)?") {
        let parsed = parse_agent(&text, "a", Scope::Agent);
        proptest::prop_assert!(!parsed.is_invalid());
        let scope = parsed.scope.unwrap();
        for surface in &scope.surfaces {
            proptest::prop_assert!(surface.span.of(&text).is_some());
            for entry in surface.body.entries() {
                proptest::prop_assert!(entry.span.of(&text).is_some());
                if entry.action == Action::Allow {
                    proptest::prop_assert!(text.contains("allow"));
                }
            }
        }
    }
}

#[test]
fn a_large_block_is_read_quickly() {
    let mut text = String::from("---\npermission:\n  bash:\n");
    for n in 0..60_000 {
        text.push_str(&format!("    cmd{n} *: ask\n"));
    }
    text.push_str("---\n");
    assert_eq!(shown(&text).len(), 60_000);
}
