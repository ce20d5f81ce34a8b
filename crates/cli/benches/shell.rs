//! Guards: everyday commands take microseconds, and the time for hostile text
//! stays in proportion to its length. Baseline: one pass over the same bytes
//! that only splits words, in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign_shell::analyze;

const COMMANDS: &str = include_str!("../../../bench/commands.txt");

/// Times are the best of so many tries.
const TRIES: u32 = 7;

/// The size of a hostile text.
const MEGABYTE: usize = 1 << 20;

fn main() {
    let commands: Vec<&str> = COMMANDS.lines().collect();
    let all = per(commands.len(), || {
        for command in &commands {
            black_box(analyze(command));
        }
    });
    let split = per(commands.len(), || {
        for command in &commands {
            black_box(words(command));
        }
    });
    println!(
        "{} everyday commands, {} bytes on average",
        commands.len(),
        COMMANDS.len() / commands.len()
    );
    println!(
        "  analysed in {all:.1?} each, {:.0}× the time of splitting words ({split:.1?})",
        ratio(all, split)
    );
    let mut slowest: Vec<(Duration, &str)> = commands
        .iter()
        .map(|command| {
            (
                best(|| {
                    black_box(analyze(command));
                }),
                *command,
            )
        })
        .collect();
    slowest.sort();
    if let Some((time, command)) = slowest.last() {
        println!("  the slowest takes {time:.1?}: {command}");
    }
    println!(
        "\n{:<26} {:>10} {:>12} {:>8} {:>10}",
        "1 MB of", "analysed", "split", "ratio", "64 KB"
    );
    for (name, piece) in HOSTILE {
        let text = piece.repeat(MEGABYTE / piece.len());
        let small: String = piece.repeat((64 << 10) / piece.len());
        let analysed = best(|| {
            black_box(analyze(&text));
        });
        let part = best(|| {
            black_box(analyze(&small));
        });
        let split = best(|| {
            black_box(words(&text));
        });
        println!(
            "{name:<26} {analysed:>10.1?} {split:>12.1?} {:>7.1}× {part:>10.1?}",
            ratio(analysed, split)
        );
    }
}

/// Shapes that made other parsers slow, hungry or dead.
const HOSTILE: &[(&str, &str)] = &[
    ("plain words", "word "),
    ("commands", "git status; "),
    ("pipeline stages", "a | "),
    ("open parentheses", "("),
    ("open braces", "{ "),
    ("open substitutions", "$("),
    ("open arithmetic", "(("),
    ("open cases", "case x in x) "),
    ("redirects", "<"),
    ("here-documents", "<<E "),
    ("here-documents in index", "<<E$[\t\t"),
    ("double quotes", "\""),
    ("backquotes", "`"),
    ("backslashes", "\\"),
    ("brace lists", "{a,b}"),
    ("parameter expansions", "${x:-"),
    ("NUL bytes", "\0"),
];

fn words(text: &str) -> usize {
    text.split_ascii_whitespace().map(str::len).sum()
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-12)
}

fn best(mut run: impl FnMut()) -> Duration {
    (0..TRIES)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn per(count: usize, run: impl FnMut()) -> Duration {
    best(run) / u32::try_from(count).unwrap_or(1)
}
