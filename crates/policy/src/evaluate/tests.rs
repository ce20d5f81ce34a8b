use proptest::prelude::*;

use super::*;
use crate::{Layer, Origin, Scope};

fn rule(surface: &str, pattern: &str, action: Action) -> Rule {
    Rule {
        surface: surface.to_owned(),
        pattern: pattern.to_owned(),
        action,
        reason: None,
        layer: Layer::Config,
        origin: Origin::of(Scope::Global),
    }
}

fn policy(rules: &[(&str, &str, Action)]) -> Policy {
    let ctx = PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: Flavour::Posix,
    };
    let rules = rules.iter().map(|(s, p, a)| rule(s, p, *a)).collect();
    Policy::compile(rules, &ctx)
}

use Action::{Allow, Ask, Deny};

fn says(policy: &Policy, surface: &str, value: &str) -> Action {
    policy.evaluate(surface, &[Candidate::plain(value)]).action
}

#[test]
fn the_last_match_wins() {
    let p = policy(&[("bash", "*", Allow), ("bash", "git *", Deny)]);
    assert_eq!(says(&p, "bash", "git status"), Deny);
    assert_eq!(says(&p, "bash", "ls"), Allow);
    let p = policy(&[("bash", "git *", Deny), ("bash", "*", Allow)]);
    assert_eq!(says(&p, "bash", "git status"), Allow);
}

#[test]
fn nothing_said_is_ask() {
    let nothing = policy(&[]).evaluate("bash", &[Candidate::plain("ls")]);
    assert_eq!((nothing.action, nothing.rule), (Ask, None));
    assert_eq!(
        policy(&[("*", "*", Allow)]).evaluate("bash", &[]).action,
        Ask
    );
}

#[test]
fn surfaces_are_patterns() {
    let p = policy(&[("*", "*", Allow), ("mcp*", "*", Deny), ("mcp_ok", "*", Ask)]);
    assert_eq!(says(&p, "mcp_foo", "*"), Deny);
    assert_eq!(says(&p, "mcp", "mcp_status"), Deny);
    assert_eq!(says(&p, "mcp_ok", "*"), Ask);
    assert_eq!(says(&p, "bash", "ls"), Allow);
}

#[test]
fn aliases_share_the_order_of_the_rules() {
    let p = policy(&[("mcp", "exa:*", Deny), ("mcp", "search", Allow)]);
    let texts = ["exa_search", "exa:search", "exa", "search"].map(Candidate::plain);
    let said = p.evaluate("mcp", &texts);
    assert_eq!(
        (said.action, said.rule, said.candidate),
        (Allow, Some(1), Some(3))
    );
}

#[test]
fn extra_spellings_only_tighten() {
    let p = policy(&[
        ("bash", "*", Ask),
        ("bash", "git *", Allow),
        ("bash", "rm *", Deny),
    ]);
    let judged = |plain: &str, extra: &str| {
        p.evaluate(
            "bash",
            &[Candidate::plain(plain), Candidate::tighten(extra)],
        )
        .action
    };
    assert_eq!(judged("r\\m x", "rm x"), Deny);
    assert_eq!(judged("g\\it x", "git x"), Ask);
    assert_eq!(judged("git x", "g x"), Allow);
    assert_eq!(judged("rm x", "git x"), Deny);
    let p = policy(&[("bash", "/bin/rm *", Deny), ("bash", "rm *", Ask)]);
    let said = p.evaluate(
        "bash",
        &[Candidate::plain("/bin/rm x"), Candidate::tighten("rm x")],
    );
    assert_eq!(said.action, Deny, "a later ask does not lift a denial");
}

#[test]
fn a_bare_family_is_its_stricter_direction() {
    let p = policy(&[("*", "*", Allow), ("path_write", "dist/*", Deny)]);
    let said = p.evaluate("path", &[Candidate::plain("dist/x")]);
    assert_eq!((said.action, said.member), (Deny, Some("path_write")));
    let said = p.evaluate("path", &[Candidate::plain("src/x")]);
    assert_eq!((said.action, said.member), (Allow, Some("path_read")));
}

#[test]
fn globs_get_the_strictest_of_what_they_could_be() {
    let p = policy(&[
        ("*", "*", Ask),
        ("path_read", "*", Allow),
        ("path_read", "*.env", Deny),
        ("path_read", "public/*", Allow),
    ]);
    let said = |glob: &str| p.evaluate_glob("path_read", &[glob]).action;
    assert_eq!(said(".en?"), Deny);
    assert_eq!(said("src/*.ts"), Allow);
    assert_eq!(said("public/*"), Allow);
    assert_eq!(said("*"), Deny);
}

#[test]
fn a_tool_is_hidden_when_all_of_it_is_denied() {
    let hidden = |rules: &[(&str, &str, Action)]| policy(rules).fully_denied("bash");
    assert!(hidden(&[("bash", "*", Deny)]));
    assert!(!hidden(&[("bash", "*", Deny), ("bash", "git *", Ask)]));
    assert!(hidden(&[("bash", "git *", Ask), ("bash", "*", Deny)]));
    assert!(!hidden(&[("bash", "*", Allow), ("bash", "rm *", Deny)]));
    assert!(hidden(&[("*", "*", Deny)]));
    assert!(!hidden(&[]));
}

#[test]
fn rules_follow_their_directory_through_links() {
    let p = policy(&[
        ("*", "*", Ask),
        ("path_read", "/tmp/*", Allow),
        ("path_read", "~/l/s", Deny),
    ]);
    let resolve = |dir: &str| match dir {
        "/tmp" => Some("/private/tmp".to_owned()),
        "/home/u/l" => Some("/data".to_owned()),
        _ => None,
    };
    let p = p.with_resolved_directories(&resolve);
    assert_eq!(says(&p, "path_read", "/private/tmp/x"), Allow);
    assert_eq!(says(&p, "path_read", "/tmp/x"), Allow);
    assert_eq!(says(&p, "path_read", "/data/s"), Deny);
    assert_eq!(says(&p, "bash", "/private/tmp/x"), Ask);
}

#[test]
fn a_command_rule_with_a_home_sees_both_spellings_when_it_tightens() {
    let p = policy(&[
        ("*", "*", Ask),
        ("bash", "~/t *", Deny),
        ("bash", "~/ok", Allow),
    ]);
    assert_eq!(says(&p, "bash", "~/t x"), Deny);
    assert_eq!(says(&p, "bash", "/home/u/t x"), Deny);
    assert_eq!(says(&p, "bash", "~/ok"), Ask);
}

/// What `evaluate` must compute, written down without any index.
fn naive(rules: &[Rule], surface: &str, candidates: &[(String, bool)]) -> Action {
    let ctx = PatternContext::default();
    let last = |values: &[&str], allow: bool| {
        rules.iter().rposition(|r| {
            (allow || r.action != Allow)
                && Pattern::new(&r.surface, &ctx, false).matches(surface)
                && values
                    .iter()
                    .any(|v| Pattern::new(&r.pattern, &ctx, true).matches(v))
        })
    };
    let plain: Vec<&str> = candidates
        .iter()
        .filter(|c| c.1)
        .map(|c| c.0.as_str())
        .collect();
    let base = last(&plain, true);
    candidates
        .iter()
        .filter(|c| !c.1)
        .filter_map(|c| last(&[&c.0], false))
        .filter(|at| base.is_none_or(|b| *at > b))
        .chain(base)
        .filter_map(|at| rules.get(at).map(|r| r.action))
        .max()
        .unwrap_or(Ask)
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![Just(Allow), Just(Ask), Just(Deny)]
}

fn rules(max: usize) -> impl Strategy<Value = Vec<Rule>> {
    let surface = prop_oneof![
        Just("bash"),
        Just("path_read"),
        Just("*"),
        Just("b*"),
        Just("x")
    ];
    let pattern = prop_oneof![
        "[ab]{1,3}",
        "[ab *?]{0,6}",
        "[abc]{1,2} [abc]{1,3}( \\*)?",
        "\\*[abc]{1,3}\\*?",
        "[abc]{1,3} \\*",
        "[abc?]{1,3}\\*[abc?]{1,3}( \\*)?"
    ];
    prop::collection::vec((surface, pattern, action()), 0..max)
        .prop_map(|rules| rules.into_iter().map(|(s, p, a)| rule(s, &p, a)).collect())
}

fn candidates() -> impl Strategy<Value = Vec<(String, bool)>> {
    prop::collection::vec(("[abc ]{0,7}", any::<bool>()), 0..4)
}

fn asked(policy: &Policy, surface: &str, candidates: &[(String, bool)]) -> Action {
    let list: Vec<Candidate<'_>> = candidates
        .iter()
        .map(|(text, plain)| {
            if *plain {
                Candidate::plain(text)
            } else {
                Candidate::tighten(text)
            }
        })
        .collect();
    policy.evaluate(surface, &list).action
}

/// Enough rules for the index, with optional tails that mean nothing to a
/// longer value.
#[test]
fn an_optional_tail_is_found_among_many_rules() {
    let mut rules = vec![rule("bash", "*", Action::Allow)];
    rules.extend((0..40).map(|n| rule("bash", &format!("tool{n} *"), Action::Ask)));
    rules.push(rule("bash", "rm *", Action::Deny));
    let policy = Policy::compile(rules, &PatternContext::default());
    for (value, action) in [
        ("rm", Action::Deny),
        ("rm -rf dist", Action::Deny),
        ("tool7", Action::Ask),
        ("tool7 x", Action::Ask),
        ("rmdir x", Action::Allow),
    ] {
        assert_eq!(says(&policy, "bash", value), action, "{value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_index_changes_nothing(
        rules in rules(120),
        surface in prop_oneof![Just("bash"), Just("path_read"), Just("b2"), Just("zzz")],
        candidates in candidates(),
    ) {
        let compiled = Policy::compile(rules.clone(), &PatternContext::default());
        prop_assert_eq!(asked(&compiled, surface, &candidates), naive(&rules, surface, &candidates));
    }

    #[test]
    fn a_denial_or_an_extra_spelling_never_loosens(
        rules in rules(40),
        at in any::<prop::sample::Index>(),
        pattern in "[ab *?]{0,6}",
        candidates in candidates(),
        extra in "[abc ]{0,7}",
    ) {
        let ctx = PatternContext::default();
        let before = asked(&Policy::compile(rules.clone(), &ctx), "bash", &candidates);
        let mut more = rules.clone();
        more.insert(at.index(rules.len() + 1), rule("bash", &pattern, Deny));
        let after = asked(&Policy::compile(more, &ctx), "bash", &candidates);
        prop_assert!(after >= before);
        let mut wider = candidates.clone();
        wider.push((extra, false));
        let after = asked(&Policy::compile(rules, &ctx), "bash", &wider);
        prop_assert!(after >= before);
    }

    #[test]
    fn a_glob_asks_no_fewer_rules_than_there_are(
        rules in rules(30), glob in "[ab*?/ \\[\\]]{0,6}",
    ) {
        let policy = Policy::compile(rules, &PatternContext::default());
        let one_by_one = |surface: &str| {
            let mut strictest: Option<Action> = None;
            for rule in policy.rules().iter().rev() {
                let pattern = Pattern::new(&rule.pattern, policy.context(), true);
                let about = Pattern::new(&rule.surface, policy.context(), false);
                if !about.matches(surface) || !pattern.may_match_glob(&glob) {
                    continue;
                }
                strictest = strictest.max(Some(rule.action));
                if pattern.covers_glob(&glob) {
                    return strictest.unwrap();
                }
            }
            strictest.max(Some(Action::Ask)).unwrap()
        };
        let said = policy.evaluate_glob("path_read", &[&glob]).action;
        prop_assert_eq!(said, one_by_one("path_read"));
    }

    #[test]
    fn a_glob_is_at_least_as_strict_as_what_it_stands_for(
        rules in rules(30), glob in "[ab*?]{0,5}", fill in "[ab]{1,2}",
    ) {
        let word: String = glob.chars().map(|c| match c {
            '*' => fill.clone(),
            '?' => "a".to_owned(),
            c => c.to_string(),
        }).collect();
        let policy = Policy::compile(rules, &PatternContext::default());
        let one = policy.evaluate("path_read", &[Candidate::plain(&word)]).action;
        prop_assert!(policy.evaluate_glob("path_read", &[&glob]).action >= one);
    }
}
