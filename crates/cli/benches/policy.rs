//! Guards: the time of a decision grows far less than the number of rules.
//! Baseline: the same rules tried one after the other, in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign_policy::{
    Action, Candidate, Flavour, Layer, Origin, Pattern, PatternContext, Policy, Rule, Scope,
};

/// Everyday commands; some are matched by a rule, most fall to the general one.
const COMMANDS: &str = include_str!("../../../bench/commands.txt");

/// Times are the best of so many tries: what the code takes, without what the
/// machine was doing meanwhile.
const TRIES: u32 = 7;

fn main() {
    let context = PatternContext {
        home: Some("/home/me".to_owned()),
        flavour: Flavour::Posix,
    };
    let commands: Vec<&str> = COMMANDS.lines().collect();
    println!(
        "{:>7} {:>13} {:>15} {:>18} {:>8}",
        "rules", "compile", "a decision", "one by one", "ratio"
    );
    let mut times = Vec::new();
    for count in [10, 100, 1_000, 10_000] {
        let rules = rules(count);
        let compile = best(|| {
            let _ = black_box(Policy::compile(rules.clone(), &context));
        });
        let policy = Policy::compile(rules.clone(), &context);
        let indexed = per(commands.len(), || {
            for command in &commands {
                let _ = black_box(policy.evaluate("bash", &[Candidate::plain(command)]));
            }
        });
        let patterns: Vec<(Pattern, Action)> = rules
            .iter()
            .filter(|rule| rule.surface == "bash")
            .map(|rule| (Pattern::new(&rule.pattern, &context, false), rule.action))
            .collect();
        let linear = per(commands.len(), || {
            for command in &commands {
                let _ = black_box(
                    patterns
                        .iter()
                        .rev()
                        .find(|(pattern, _)| pattern.matches(command)),
                );
            }
        });
        println!(
            "{count:>7} {compile:>13.1?} {indexed:>15.1?} {linear:>18.1?} {:>7.1}×",
            linear.as_secs_f64() / indexed.as_secs_f64()
        );
        times.push(indexed);
    }
    if let (Some(first), Some(last)) = (times.first(), times.last()) {
        println!(
            "1000× the rules take {:.1}× the time",
            last.as_secs_f64() / first.as_secs_f64()
        );
    }
}

/// A general rule and exceptions, most on `bash`, in the shapes people write.
fn rules(count: usize) -> Vec<Rule> {
    (0..count)
        .map(|index| {
            let (surface, pattern) = match index % 10 {
                _ if index == 0 => ("bash", "*".to_owned()),
                0 => ("path", format!("src/generated-{index}/*")),
                1 => ("bash", format!("git sub{index}*")),
                2 => ("bash", format!("* --flag{index}")),
                3 => ("bash", format!("./scripts/run-{index}.sh *")),
                4 => ("bash", format!("*/bin/tool{index} *")),
                _ => ("bash", format!("tool{index} *")),
            };
            Rule {
                surface: surface.to_owned(),
                pattern,
                action: if index % 3 == 0 {
                    Action::Ask
                } else {
                    Action::Allow
                },
                reason: None,
                layer: Layer::Config,
                origin: Origin::of(Scope::Global),
            }
        })
        .collect()
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
