//! Any text as a configuration file: read or refused, with places inside it;
//! an edit that is made means what it should.

#![no_main]

use countersign_config::{edit, parse_config};
use countersign_policy::{Action, PatternContext, Scope, compose, lint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = parse_config(text, "c", Scope::Global);
    assert_eq!(parsed.is_invalid(), parsed.settings.is_none());
    for label in parsed.diagnostics.iter().flat_map(|d| &d.labels) {
        assert!(label.span.of(text).is_some());
    }
    let edited = edit::add_rule(text, "bash", "x *", Action::Deny);
    assert!(!parsed.is_invalid() || edited.is_err());
    if let Some(scope) = parsed.scope {
        let scopes = [scope];
        let _ = lint::lint(&scopes, &PatternContext::default(), None);
        for rule in compose::compose(&scopes, true) {
            assert_ne!(rule.action, Action::Allow);
        }
    }
});
