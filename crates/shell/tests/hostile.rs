//! Texts made to hang, to exhaust or to overflow an analysis.

#![expect(clippy::expect_used, reason = "a helper of tests")]

use countersign_shell::{Analysis, FloorCause, Limits, analyze};

/// What an interpreter's thread may leave us.
const STACK: usize = 512 * 1024;

fn on_small_stack(text: String) -> Analysis {
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || analyze(&text))
        .expect("a thread")
        .join()
        .expect("no overflow and no panic")
}

fn is_floored(analysis: &Analysis) -> bool {
    !analysis.floors.is_empty() || analysis.units.iter().any(|u| !u.floors.is_empty())
}

#[test]
fn deep_nesting_ends_in_a_floor() {
    let closed = [
        ("(", ")"),
        ("( ", " )"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("echo $(", ")"),
        ("echo \"$(", ")\""),
        ("$((", "))"),
        ("((", "))"),
        ("${x:-", "}"),
        ("echo \"${x:-", "}\""),
        ("<(", ")"),
        ("cat <(", ")"),
        ("if ", "; then :; fi"),
        ("if :; then ", "; fi"),
        ("while ", "; do :; done"),
        ("for x in a; do ", "; done"),
        ("case x in x) ", ";; esac"),
        ("f() ", ""),
        ("f() { ", "; }"),
        ("function f { ", "; }"),
        ("coproc ", ""),
        ("coproc { ", "; }"),
        ("! ", ""),
        ("time ", ""),
        ("[[ ( ", " ) ]]"),
        ("@(", ")"),
        ("echo @(", ")"),
        ("a=(", ")"),
        ("a[", "]=1"),
        ("a[$(", ")]=1"),
        ("{a,", "}"),
        ("`", "`"),
        ("eval '", "'"),
        ("sudo ", ""),
        ("command ", ""),
        ("bash -c \"", "\""),
        ("$[", "]"),
        ("cat <<E\n$(", ")\nE\n"),
        ("\"", "\""),
        ("echo $(( $(", ") ))"),
    ];
    for (open, close) in closed {
        for middle in ["x", ""] {
            let text = open.repeat(10_000) + middle + &close.repeat(10_000);
            let analysis = on_small_stack(text);
            assert!(
                !analysis.units.is_empty() || middle.is_empty(),
                "{open:?}: no unit"
            );
            let text = open.repeat(10_000) + middle;
            on_small_stack(text);
        }
    }
}

#[test]
fn an_alternation_of_all_constructs_stays_within_the_stack() {
    let text = "echo \"${x:-$(case y in @(z)) [[ ( -n `(if { coproc f() { a[$((1+$(".repeat(500);
    assert!(is_floored(&on_small_stack(text)));
}

#[test]
fn a_depth_within_the_budget_is_read() {
    let text = "( ".repeat(20) + "rm x" + &")".repeat(20);
    let analysis = analyze(&text);
    assert!(!is_floored(&analysis));
    assert!(analysis.units.iter().any(|unit| unit.text == "rm x"));
}

#[test]
fn a_megabyte_of_anything_ends_in_a_floor() {
    let parts = [
        "<",
        ">",
        "(",
        ")",
        "{",
        "}",
        "$",
        "`",
        "\"",
        "'",
        "\\",
        "|",
        "&",
        ";",
        "\n",
        "a",
        " ",
        "$(",
        "${",
        "$((",
        "((",
        "<<E\n",
        "<<E ",
        "a;",
        "a|",
        "a&&",
        "x=1 ",
        "a=(",
        "[[ ",
        "{a,b}",
        "{",
        "a[",
        "\r",
        "é",
        "$'",
        "!",
        "#",
        "if ",
        "for ",
        "case x in ",
        "function ",
        "f() ",
        "@(",
        "`\\`",
        "\\\n",
        "~",
        "*",
        "[",
        "=",
        "<(",
        "$[",
        "eval '",
        "{1..9}",
        "$x",
        "\"$x\"",
        "cd a;",
        "cd a && ",
        "x=a;",
        "f(){ :;};",
        "echo $((x));",
        "cat <<A <<B\n",
        "2>&1 ",
    ];
    for part in parts {
        let text = part.repeat(1_000_000 / part.len());
        let analysis = on_small_stack(text);
        assert!(is_floored(&analysis), "{part:?}");
        assert!(
            analysis.units.len() <= Limits::default().units + 1,
            "{part:?}"
        );
    }
}

#[test]
fn sixty_thousand_bytes_of_anything_are_survived() {
    let parts = [
        "<",
        ">",
        "(",
        "{",
        "$",
        "`",
        "\"",
        "'",
        "\\",
        "|",
        "a;",
        "a|",
        "a&&",
        "x=1 ",
        "$(",
        "((",
        "$((",
        "{a,b}",
        "{a,",
        "<<E\n",
        "a[",
        "x=a;",
        "cat $x;",
        "echo $((x));",
        "f(){ :;};",
        "`\\`",
        "cd a;cat b;",
        "for x in a b c; do cat $x; done;",
        "\\\n",
        "a\\\nb",
        "$x",
    ];
    for part in parts {
        on_small_stack(part.repeat(60_000 / part.len()));
    }
}

#[test]
fn a_nul_byte_is_a_floor() {
    let analysis = analyze("echo a\0; rm x");
    assert!(analysis.units.iter().any(|unit| {
        unit.floors
            .iter()
            .any(|floor| floor.cause == FloorCause::UnparsedSubtree)
    }));
}
