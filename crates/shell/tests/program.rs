//! Runs `cases/program/*.jsonl`: what single commands run, read and write.
//!
//! A case is a command split as a shell would split its plain words (quotes
//! are honoured; an unquoted or double-quoted `$` makes the rest of a word
//! unknown), and what must be found in it. Fields that are absent must be
//! empty, except `operands`, which is only compared when present.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test may panic, and reads its cases from files"
)]

use countersign_shell::program::{Arg, Facts, Run, facts};
use countersign_shell::{Direction, FloorCause, Proof};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    command: String,
    /// What it runs.
    #[serde(default)]
    runs: Vec<String>,
    /// `r:`, `w:` or `rw:` and a path.
    #[serde(default)]
    paths: Vec<String>,
    /// `opaque`, `indirection`, `teeth` or `unguarded`.
    #[serde(default)]
    floors: BTreeSet<String>,
    /// `core-reader` or `execution-modifier`.
    exemption: Option<String>,
    /// `read`, `retracted` or `none`.
    operands: Option<String>,
    /// Words that are known to be no paths, where that matters.
    not_paths: Option<Vec<String>>,
    /// A redirect writes a file.
    #[serde(default)]
    writes: bool,
    /// Paths named only at run time.
    #[serde(default)]
    computed: bool,
    why: String,
}

struct Word {
    source: String,
    value: String,
    known: bool,
    quoted: bool,
}

fn split(command: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        if quote.is_none() && c == ' ' {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert(Word {
            source: String::new(),
            value: String::new(),
            known: true,
            quoted: false,
        });
        word.source.push(c);
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.value.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.quoted = true;
            }
            (_, '\\') => {
                let next = chars.next().unwrap_or('\\');
                word.source.push(next);
                if quote.is_some() && !"\"$`\\".contains(next) {
                    word.value.push('\\');
                }
                if word.known {
                    word.value.push(next);
                }
                word.quoted = true;
            }
            (_, '$' | '`') => word.known = false,
            (None, '*' | '?') => word.known = false,
            (_, c) if word.known => word.value.push(c),
            _ => {}
        }
    }
    words.extend(word);
    words
}

fn analyse(words: &[Word], writes: bool) -> Facts {
    let args: Vec<Arg<'_>> = words
        .iter()
        .map(|word| Arg {
            source: &word.source,
            value: word.known.then_some(word.value.as_str()),
            known_prefix: &word.value,
            quoted: word.quoted,
        })
        .collect();
    facts(&args, writes)
}

fn runs(words: &[Word], facts: &Facts) -> Vec<String> {
    facts
        .runs
        .iter()
        .map(|run| match run {
            Run::Words { start, end } => words[*start..*end]
                .iter()
                .map(|word| {
                    if word.known {
                        word.value.as_str()
                    } else {
                        word.source.as_str()
                    }
                })
                .collect::<Vec<_>>()
                .join(" "),
            Run::Script { arg, offset } => words[*arg].value[*offset..].to_owned(),
            Run::Text(text) => text.clone(),
        })
        .collect()
}

fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "r",
        Direction::Write => "w",
        Direction::Both => "rw",
    }
}

fn paths(words: &[Word], facts: &Facts) -> BTreeSet<String> {
    let args = facts.paths.iter().map(|path| {
        let text = words[path.arg].value.get(path.offset..).unwrap_or("");
        format!("{}:{text}", arrow(path.direction))
    });
    let texts = facts
        .texts
        .iter()
        .map(|path| format!("{}:{}", arrow(path.direction), path.text));
    args.chain(texts).collect()
}

fn floor(cause: FloorCause) -> String {
    match cause {
        FloorCause::OpaqueWrapper => "opaque",
        FloorCause::IndirectionWrapper => "indirection",
        FloorCause::Teeth => "teeth",
        FloorCause::UnguardedChild => "unguarded",
        other => other.sentinel(),
    }
    .to_owned()
}

fn check(case: &Case) -> Result<(), String> {
    let words = split(&case.command);
    let facts = analyse(&words, case.writes);
    let mut wrong = Vec::new();
    let mut compare = |name: &str, found: String, expected: String| {
        if found != expected {
            wrong.push(format!("  {name}: found {found}, expected {expected}"));
        }
    };
    compare(
        "runs",
        format!("{:?}", runs(&words, &facts)),
        format!("{:?}", case.runs),
    );
    compare(
        "paths",
        format!("{:?}", paths(&words, &facts)),
        format!("{:?}", case.paths.iter().cloned().collect::<BTreeSet<_>>()),
    );
    let floors: BTreeSet<String> = facts
        .floors
        .iter()
        .map(|(cause, _)| floor(*cause))
        .collect();
    compare(
        "floors",
        format!("{floors:?}"),
        format!("{:?}", case.floors),
    );
    compare(
        "exemption",
        format!("{:?}", facts.exemption.map(|e| e.as_str().to_owned())),
        format!("{:?}", case.exemption),
    );
    compare(
        "computed",
        format!("{}", !facts.computed_paths.is_empty()),
        format!("{}", case.computed),
    );
    if let Some(operands) = &case.operands {
        let found = match facts.operands {
            None => "none",
            Some((Direction::Read, Proof::Core)) => "read",
            Some((_, Proof::Retracted)) => "retracted",
            Some(_) => "other",
        };
        compare("operands", found.to_owned(), operands.clone());
    }
    if let Some(expected) = &case.not_paths {
        let found: BTreeSet<String> = facts
            .not_paths
            .iter()
            .filter_map(|index| words.get(*index))
            .map(|word| word.value.clone())
            .collect();
        let expected: BTreeSet<String> = expected.iter().cloned().collect();
        compare("not_paths", format!("{found:?}"), format!("{expected:?}"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} `{}` ({})\n{}",
        case.id,
        case.command,
        case.why,
        wrong.join("\n")
    ))
}

#[test]
fn cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/program");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let (mut wrong, mut count, mut ids) = (Vec::new(), 0, BTreeSet::new());
    for file in &files {
        for (number, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
            let case: Case = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}:{}: {error}", file.display(), number + 1));
            assert!(ids.insert(case.id.clone()), "two cases {}", case.id);
            count += 1;
            wrong.extend(check(&case).err());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} cases fail:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 300, "only {count} cases were found");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    })]

    /// No list of words makes it panic, and every index and offset holds.
    #[test]
    fn facts_hold_for_any_words(
        program in proptest::sample::select(PROGRAMS.to_vec()),
        words in proptest::collection::vec(word(), 0..8),
    ) {
        let command = std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>();
        let words = plain(&command);
        let facts = analyse(&words, false);
        for path in &facts.paths {
            proptest::prop_assert!(words[path.arg].value.get(path.offset..).is_some());
        }
        for index in &facts.not_paths {
            proptest::prop_assert!(*index <= words.len() + 2);
        }
        for run in &facts.runs {
            match run {
                Run::Words { start, end } => {
                    proptest::prop_assert!(start < end && *end <= words.len());
                }
                Run::Script { arg, offset } => {
                    proptest::prop_assert!(words[*arg].value.get(*offset..).is_some());
                }
                Run::Text(_) => {}
            }
        }
    }

    /// A floor is not lifted by further words, unless these ask for help.
    #[test]
    fn further_words_lift_no_floor(
        program in proptest::sample::select(PROGRAMS.to_vec()),
        words in proptest::collection::vec(word(), 0..5),
        more in proptest::collection::vec("[a-z./]{1,6}", 1..3),
    ) {
        // A last word that waits for its value would take the first of `more`.
        let mut command = std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>();
        command.extend(["x".to_owned(), "x".to_owned()]);
        let before = analyse(&plain(&command), false);
        command.extend(more);
        let after = analyse(&plain(&command), false);
        let lifts = |cause: FloorCause| {
            // A wrapper or a shell that had nothing to run now has.
            cause == FloorCause::Teeth && !before.reads_program_from_stdin
        };
        for (cause, note) in before.floors.iter().filter(|(cause, _)| lifts(*cause)) {
            proptest::prop_assert!(
                after.floors.iter().any(|(after, _)| after == cause),
                "{command:?} lost {cause:?}: {note}"
            );
        }
    }
}

fn plain(command: &[String]) -> Vec<Word> {
    command
        .iter()
        .map(|word| Word {
            source: word.clone(),
            value: word.trim_end_matches('$').to_owned(),
            known: !word.ends_with('$'),
            quoted: false,
        })
        .collect()
}

fn word() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    prop_oneof![
        proptest::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
        "-{0,2}[a-zA-Z]{1,4}(=[a-z/]{0,3})?",
        "[a-z./'\"$@{};|>é]{0,6}",
    ]
}

const PROGRAMS: &[&str] = &[
    "sudo", "env", "xargs", "timeout", "find", "fd", "sed", "awk", "tar", "git", "ssh", "rsync",
    "curl", "wget", "bash", "python", "perl", "node", "make", "sort", "zip", "dd", "docker",
    "kubectl", "npx", "npm", "cargo", "go", "sqlite3", "psql", "vim", "su", "flock", "parallel",
    "busybox", "tmux", "crontab", "watch", "socat", "cp", "gcc", "unknown", "uv", "cmake", "7z",
];

const WORDS: &[&str] = &[
    "-exec",
    "rm",
    "{}",
    ";",
    "+",
    "-delete",
    "-c",
    "-e",
    "-i",
    "--",
    "-",
    "s/a/b/",
    "s/a/b/w x",
    "1e id",
    "BEGIN{system(\"x\")}",
    "{print > \"o\"}",
    "-C",
    "-f",
    "run",
    "exec",
    "config",
    "alias.x",
    "!rm",
    "-o",
    "--output=x",
    "$",
    "--x$",
    "A=1",
    "5",
    "sub",
    "foreach",
    "bisect",
    "host:",
    "-S",
    "x y",
    "-x",
    "-n",
    "log",
    "compose",
    "-xzf",
    "xzf",
    "''",
    "é",
    "-é",
    "--é=",
];
