//! Any two texts as pattern and value: the policy with an index says what the
//! pattern alone says, and a glob is at least as strict as its own text.

#![no_main]

use countersign_policy::{
    Action, Candidate, Flavour, Layer, Origin, Pattern, PatternContext, Policy, Rule, Scope,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, bool)| {
    let (pattern, value, windows) = input;
    let ctx = PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: if windows {
            Flavour::Windows
        } else {
            Flavour::Posix
        },
    };
    let compiled = Pattern::new(pattern, &ctx, true);
    // A denial holds for its pattern as typed as well, `~` included.
    let as_typed = Pattern::verbatim(pattern, ctx.flavour, true);
    let matches = compiled.matches(value) || as_typed.matches(value);
    if compiled.covers_glob(value) {
        assert!(compiled.may_match_glob(value));
    }
    // Enough other rules for the index to be used.
    let rule = |pattern: &str, action| Rule {
        surface: "path_read".to_owned(),
        pattern: pattern.to_owned(),
        action,
        reason: None,
        layer: Layer::Config,
        origin: Origin::of(Scope::Global),
    };
    let mut rules = vec![rule("*", Action::Ask)];
    rules.extend((0..30).map(|n| rule(&format!("\u{1}{n} *"), Action::Ask)));
    rules.push(rule(pattern, Action::Deny));
    let policy = Policy::compile(rules, &ctx);
    let said = policy.evaluate("path_read", &[Candidate::plain(value)]);
    assert_eq!(said.action == Action::Deny, matches);
});
