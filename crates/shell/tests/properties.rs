//! Properties that hold for every text.

use countersign_shell::{Analysis, Limits, analyze, analyze_with};
use proptest::prelude::*;

/// Fragments that bash gives a meaning to.
const PARTS: &[&str] = &[
    "rm x",
    "echo",
    " ",
    "\n",
    ";",
    ";;",
    ";&",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{ ",
    "; }",
    "}",
    "$(",
    "${",
    "${x:-",
    "${#x}",
    "$((",
    "`",
    "\"",
    "'",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "<",
    ">",
    ">>",
    ">|",
    "<>",
    "<<E",
    "<<-E",
    "<<'E'",
    "\nE\n",
    "<<<",
    "&>",
    ">&2",
    "2>&1",
    "{fd}>",
    "<(",
    ">(",
    "if ",
    "then ",
    "elif ",
    "else ",
    "fi",
    "while ",
    "until ",
    "do ",
    "done",
    "for ",
    "x in ",
    "select ",
    "case ",
    "esac",
    "in ",
    "function ",
    "f() ",
    "coproc ",
    "time ",
    "! ",
    "[[ ",
    " ]]",
    "-eq",
    "=~",
    "a=",
    "a+=",
    "a=(",
    "a[",
    "]=",
    "]",
    "[",
    "*",
    "?",
    "~",
    "~/",
    "{a,b}",
    "{1..3}",
    "@(",
    "!(",
    "#",
    "# c\n",
    "é",
    "\u{202e}",
    "\r",
    "$x",
    "$1",
    "$@",
    "eval ",
    "trap ",
    "cd ",
    "sudo ",
    "bash -c ",
    "command ",
    "export ",
    "=",
    "/",
    "..",
];

fn bashlike() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => prop::sample::select(PARTS).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn spans_are_valid(text: &str, analysis: &Analysis) {
    for unit in &analysis.units {
        assert!(unit.span.of(text).is_some(), "{text:?}: {unit:?}");
        for floor in &unit.floors {
            assert!(floor.span.of(text).is_some(), "{text:?}: {floor:?}");
        }
    }
    for floor in &analysis.floors {
        assert!(floor.span.of(text).is_some(), "{text:?}: {floor:?}");
    }
    for path in &analysis.paths {
        assert!(path.span.of(text).is_some(), "{text:?}: {path:?}");
        assert!(path.unit.is_none_or(|i| i < analysis.units.len()));
    }
    for fact in &analysis.facts {
        assert!(fact.span.of(text).is_some(), "{text:?}: {fact:?}");
    }
}

/// Every byte that is no blank and no comment belongs to some unit, to a
/// redirect or an assignment beside one, or is an operator.
fn something_is_said(text: &str, analysis: &Analysis) {
    let only_blank = text.lines().all(|line| {
        let line = line.trim_matches([' ', '\t']);
        line.is_empty() || line.starts_with('#')
    });
    if !only_blank && !text.contains("\\\n") {
        assert!(
            !analysis.units.is_empty() || !analysis.floors.is_empty(),
            "{text:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn any_text_is_analysed(text in any::<String>()) {
        let analysis = analyze(&text);
        spans_are_valid(&text, &analysis);
    }

    #[test]
    fn bash_like_text_is_analysed(text in bashlike()) {
        let analysis = analyze(&text);
        spans_are_valid(&text, &analysis);
        something_is_said(&text, &analysis);
    }

    #[test]
    fn the_same_text_says_the_same(text in bashlike()) {
        prop_assert_eq!(analyze(&text), analyze(&text));
    }

    #[test]
    fn small_budgets_only_add_floors(text in bashlike()) {
        let limits = Limits {
            input_bytes: 30,
            depth: 3,
            nodes: 10,
            decoded_bytes: 20,
            layers: 1,
            units: 3,
            paths: 2,
            braces: 2,
            bases: 1,
        };
        let analysis = analyze_with(&text, &limits);
        spans_are_valid(&text, &analysis);
        something_is_said(&text, &analysis);
    }
}
