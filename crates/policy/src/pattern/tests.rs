use proptest::prelude::*;

use super::*;

fn posix() -> PatternContext {
    PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: Flavour::Posix,
    }
}

fn hit(pattern: &str, value: &str) -> bool {
    Pattern::new(pattern, &posix(), true).matches(value)
}

#[test]
fn table_of_the_specification() {
    for (pattern, value, expected) in [
        ("git *", "git", true),
        ("git *", "git push origin", true),
        ("git *", "git ", true),
        ("git *", "git  status", true),
        ("git *", "gitk", false),
        ("git*", "gitk", true),
        ("git **", "git", false),
        ("git * *", "git", false),
        ("git * *", "git x", true),
        ("x? *", "xy", true),
        ("* *", "", true),
        (" *", "", true),
        ("rm -rf *", "rm -rf\n/", false),
        ("rm *", "rm\t-rf /", false),
        ("rm -rf *", "rm  -rf /", false),
        ("*.env", "a/b/.env", true),
        ("*.env", ".env.local", false),
        ("src/*", "src/a/b.ts", true),
        ("src/*", "src", false),
        ("a?c", "a/c", true),
        ("a?c", "a\nc", true),
        ("a?", "a😀", true),
        ("a.c", "abc", false),
        ("[ab]", "a", false),
        ("[ab]", "[ab]", true),
        ("a\\?c", "a\\xc", true),
        ("a\\*c", "a\\zzc", true),
        ("GIT *", "git x", false),
        ("", "", true),
        ("", "x", false),
        ("*", "several\nlines", true),
        ("~/.ssh/*", "/home/u/.ssh/id", true),
        ("~/x/*", "~/x/y", false),
        ("$HOME", "/home/u", true),
        ("${HOME}/x", "/home/u/x", true),
        ("$HOMEDIR/x", "/home/u/x", false),
        ("${HOMEDIR}/x", "/home/u/x", false),
        ("${HOME:-/x}/y", "/home/u/y", false),
        ("~root/x", "~root/x", true),
        ("~/../v/*", "/home/v/x", true),
        ("~//a", "/home/u/a", true),
        ("~/a/", "/home/u/a/", true),
        ("~/a/", "/home/u/a", false),
        ("~/a *", "/home/u/a", true),
        ("a*b*c", "a1b2b3c", true),
        ("a*b*c", "acb", false),
        ("ab*ba", "aba", false),
        ("*?*", "", false),
        ("*?*", "é", true),
    ] {
        assert_eq!(hit(pattern, value), expected, "{pattern:?} on {value:?}");
    }
}

#[test]
fn windows_folds_paths_only() {
    let ctx = PatternContext {
        home: Some("C:\\Users\\U".to_owned()),
        flavour: Flavour::Windows,
    };
    let path = |p: &str, v: &str| Pattern::new(p, &ctx, true).matches(v);
    assert!(path("/tmp/*", "/tmp/a"));
    assert!(path("C:/Work/*", "c:\\work\\A"));
    assert!(path("~/x", "c:\\users\\u\\x"));
    assert!(path("~\\x", "C:/Users/U/x"));
    assert!(!Pattern::new("GIT *", &ctx, false).matches("git x"));
    assert!(!Pattern::new("a/b", &ctx, false).matches("a\\b"));
}

#[test]
fn many_stars_on_a_long_value_are_quick() {
    let pattern = format!("{}b", "a*".repeat(40));
    let value = "a".repeat(200_000);
    assert!(!hit(&pattern, &value));
    let pattern = format!("{}b", "?a*".repeat(40));
    assert!(!hit(&pattern, &value));
}

#[test]
fn globs_meet_patterns() {
    let meets = |p: &str, g: &str| Pattern::new(p, &posix(), true).may_match_glob(g);
    assert!(meets("*.env", ".en?"));
    assert!(meets("*.env", ".e*"));
    assert!(meets("*.env", "[.]env"));
    assert!(meets("*.env", "*"));
    assert!(meets("*.env", "src/*"));
    assert!(meets("*.env", "@(.env|x)"));
    assert!(meets("*.env", "[.[:alpha:]]env"));
    assert!(!meets("*.env", "*.ts"));
    assert!(!meets("*.env", ".en\\?"));
    assert!(meets("*.en\\?", ".en\\\\?"));
    assert!(!meets("secrets/*", "*.ts"));
    assert!(!meets("secrets/*", "*"));
    assert!(meets("secrets/*", "**"));
    assert!(meets("secrets/*", "s*/x"));
    assert!(meets("/etc/*", "/e??/passwd"));
    assert!(!meets("/etc/*", "/usr/*"));
    assert!(meets("git *", "gi?"));
    assert!(meets("a?b", "a[xy]b"));
}

#[test]
fn patterns_cover_globs() {
    let covers = |p: &str, g: &str| Pattern::new(p, &posix(), true).covers_glob(g);
    assert!(covers("src/*", "src/*.ts"));
    assert!(covers("*", "anything*"));
    assert!(covers("*.ts", "src/*.ts"));
    assert!(!covers("src/a*", "src/*"));
    assert!(!covers("a?c", "a*c"));
    assert!(covers("a?c", "a?c"));
    assert!(!covers("a?c", "a[bd]c"), "an unmatched glob stays as it is");
}

#[test]
fn patterns_cover_patterns() {
    let covers = |a: &str, b: &str| {
        Pattern::new(a, &posix(), true).covers_pattern(&Pattern::new(b, &posix(), true))
    };
    assert!(covers("*", "git *"));
    assert!(covers("git *", "git status"));
    assert!(covers("git *", "git push *"));
    assert!(covers("git *", "git"));
    assert!(!covers("git push *", "git *"));
    assert!(!covers("git ?*", "git *"));
    assert!(covers("git*", "git *"));
    assert!(covers("a?c", "abc"));
    assert!(!covers("a?c", "a*c"));
    assert!(covers("*.env", "*/x.env"));
}

/// The reading of a pattern as a regular expression.
fn model(pattern: &str) -> regex::Regex {
    let escaped = |text: &str| {
        text.split('*')
            .map(|part| {
                part.split('?')
                    .map(regex::escape)
                    .collect::<Vec<_>>()
                    .join(".")
            })
            .collect::<Vec<_>>()
            .join(".*")
    };
    let source = match pattern.strip_suffix(" *") {
        Some(head) => format!("^(?s:{}(?: .*)?)$", escaped(head)),
        None => format!("^(?s:{})$", escaped(pattern)),
    };
    regex::Regex::new(&source).unwrap()
}

/// One word that a simple glob stands for, made by filling its wildcards.
fn instance(glob: &str, fill: &str) -> String {
    let mut out = String::new();
    for c in glob.chars() {
        match c {
            '*' => out.push_str(fill),
            '?' => out.push(fill.chars().next().unwrap_or('a')),
            c => out.push(c),
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_the_regex_model(pattern in "[ab *?/é\n]{0,9}", value in "[ab /é\n]{0,12}") {
        let compiled = Pattern::verbatim(&pattern, Flavour::Posix, false);
        prop_assert_eq!(compiled.matches(&value), model(&pattern).is_match(&value));
    }

    #[test]
    fn patterns_agree_with_their_values(a in "[ab*? ]{0,6}", b in "[ab*? ]{0,6}", value in "[ab ]{0,7}") {
        let (a, b) = (Pattern::verbatim(&a, Flavour::Posix, true), Pattern::verbatim(&b, Flavour::Posix, true));
        if b.matches(&value) {
            prop_assert!(a.matches(&value) || !a.covers_pattern(&b));
            prop_assert!(!a.matches(&value) || a.overlaps(&b));
        }
        prop_assert!(b.matches(&b.instance("x")));
    }

    #[test]
    fn any_text_compiles_and_matches(pattern: String, value: String, path: bool) {
        let ctx = PatternContext { home: Some("/h".to_owned()), flavour: Flavour::Windows };
        let compiled = Pattern::new(&pattern, &ctx, path);
        let _ = compiled.matches(&value);
        let _ = compiled.may_match_glob(&value);
        let _ = compiled.covers_glob(&value);
    }

    #[test]
    fn a_glob_that_matches_is_met(
        pattern in "[ab*?. ]{0,6}", glob in "[ab*?. ]{0,6}", fill in "[ab.]{1,3}",
    ) {
        let word = instance(&glob, &fill);
        let compiled = Pattern::verbatim(&pattern, Flavour::Posix, true);
        if compiled.matches(&word) {
            prop_assert!(compiled.may_match_glob(&glob), "{pattern:?} {glob:?} {word:?}");
        } else {
            prop_assert!(!compiled.covers_glob(&glob), "{pattern:?} {glob:?} {word:?}");
        }
    }
}
