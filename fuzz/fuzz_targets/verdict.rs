//! Any command under any policy of a few rules: one more denial never loosens
//! the verdict, and neither does one more question.

#![no_main]

use countersign_engine::{Entry, FactError, Facts, GateSettings, Scene, ToolCall, decide};
use countersign_policy::{
    Action, Flavour, GrantSet, Layer, Origin, PatternContext, Policy, Rule, Scope,
};
use libfuzzer_sys::{arbitrary, fuzz_target};

/// A file system where names with a dot are files.
struct Files;

impl Facts for Files {
    fn home(&self) -> Option<&str> {
        Some("/home/u")
    }

    fn entry(&self, path: &str) -> Entry {
        match path.rsplit('/').next() {
            Some(name) if name.contains('.') => Entry::File,
            Some("src" | "w" | "") => Entry::Directory,
            _ => Entry::Missing,
        }
    }

    fn real_path(&self, path: &str) -> Result<String, FactError> {
        Ok(path.to_owned())
    }

    fn list(&self, _directory: &str, _limit: usize) -> Option<Vec<String>> {
        Some(vec![".env".to_owned(), "a.txt".to_owned()])
    }
}

#[derive(arbitrary::Arbitrary, Debug)]
struct Input<'a> {
    command: &'a str,
    rules: Vec<(bool, u8, &'a str)>,
    more: (bool, bool, &'a str),
}

fn rule(path: bool, action: u8, pattern: &str) -> Vec<Rule> {
    let action = [Action::Allow, Action::Ask, Action::Deny][usize::from(action % 3)];
    let surfaces: &[&str] = if path {
        &["path_read", "path_write"]
    } else {
        &["bash"]
    };
    surfaces
        .iter()
        .map(|surface| Rule {
            surface: (*surface).to_owned(),
            pattern: pattern.to_owned(),
            action,
            reason: None,
            layer: Layer::Config,
            origin: Origin::of(Scope::Global),
        })
        .collect()
}

fuzz_target!(|input: Input<'_>| {
    let ctx = PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: Flavour::Posix,
    };
    let mut rules = vec![Rule {
        layer: Layer::Default,
        surface: "*".to_owned(),
        ..rule(false, 0, "*").remove(0)
    }];
    for (path, action, pattern) in input.rules.iter().take(6) {
        rules.extend(rule(*path, *action, pattern));
    }
    let call = ToolCall::new("bash", serde_json::json!({ "command": input.command }));
    let settings = GateSettings::default();
    let grants = GrantSet::default();
    let verdict = |rules: Vec<Rule>| {
        let policy = Policy::compile(rules, &ctx);
        let scene = Scene {
            cwd: "/w",
            real_cwd: "/w",
            agent: None,
            policy: &policy,
            resolved: &policy,
            settings: &settings,
            grants: &grants,
            skills: &[],
        };
        decide(&call, &scene, &Files).verdict
    };
    let before = verdict(rules.clone());
    // The last matching rule counts, so a rule at the end is one that counts.
    let (path, deny, pattern) = input.more;
    rules.extend(rule(path, if deny { 2 } else { 1 }, pattern));
    let after = verdict(rules);
    // A question may stand where a denial stood before: that is what the user
    // wrote. An allow must not become one.
    if deny {
        assert!(after >= before, "{before:?} became {after:?}");
    } else {
        assert!(
            after != Action::Allow || before == Action::Allow,
            "{before:?} became {after:?}"
        );
    }
});
