//! Runs random and hand-written bash programs with real bash, traces what they
//! start and touch, and holds that against the verdicts: whatever a program
//! judged `allow` starts or touches must be allowed when asked about alone.

mod generate;
mod judge;
mod random;
mod templates;
mod world;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use serde_json::{Value, json};

use crate::judge::Judge;
use crate::random::Random;
use crate::world::{Trace, World};

/// Checks verdicts against what real bash runs and touches.
#[derive(Parser)]
struct Args {
    /// The program under test.
    #[arg(long, default_value = "../target/release/countersign")]
    program: PathBuf,
    /// Random programs to run, over all tiers.
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this tier, 0 to 4.
    #[arg(long)]
    tier: Option<usize>,
    /// A file of programs, one a line (`⏎` for a line end), to run first.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Print every program and its verdict.
    #[arg(long)]
    verbose: bool,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    programs: usize,
    allowed: usize,
    harmless_asked: usize,
    harmless: usize,
    untraced: usize,
}

fn policies() -> Vec<Value> {
    vec![
        json!({"permission": {"*": "allow",
            "bash": {"*": "allow", "rm *": "deny", "curl *": "deny", "deploy*": "ask",
                     "publish*": "deny", "git push*": "ask"},
            "path": {"*": "allow", "*.env": "deny", "secret/*": "deny", "~/.netrc": "ask"}}}),
        json!({"permission": {"*": "allow",
            "bash": {"*": "ask", "ls*": "allow", "cat *": "allow", "echo *": "allow",
                     "head *": "allow", "git status*": "allow", "wc *": "allow", "true": "allow",
                     "cd *": "allow", "grep *": "allow", "find *": "allow", "sort *": "allow",
                     "sed *": "allow", "awk *": "allow", "cp *": "allow"},
            "path_write": {"*": "allow", "out/*": "deny", "a.txt": "ask"},
            "path_read": {"*": "allow", "*.env": "deny"}}}),
        json!({"permission": {"*": "allow", "bash": "allow",
            "path": {"*": "allow", "*.env": "deny", "secret/*": "deny", "out/*": "deny",
                     "new.*": "ask", "*.bak": "deny"},
            "external_directory": "ask"}}),
    ]
}

fn main() -> Result<()> {
    let args = Args::parse();
    let world = World::new()?;
    let mut judge = Judge::start(&args.program)?;
    let policies = policies();
    let mut random = Random::new(args.seed);
    let mut violations = 0;
    let mut tallies = [Tally::default(); 6];
    println!("seed {} · {} programs", args.seed, args.count);
    let mut programs: Vec<(usize, String)> = Vec::new();
    if let Some(corpus) = &args.corpus {
        let text = std::fs::read_to_string(corpus)?;
        programs.extend(
            text.lines()
                .filter(|line| !line.is_empty() && !line.starts_with("##"))
                .map(|line| (5, line.replace('⏎', "\n"))),
        );
    }
    for n in 0..args.count {
        let tier = args.tier.unwrap_or(n % generate::TIERS.len());
        programs.push((tier, generate::program(&mut random, tier)));
    }
    for (number, (tier, program)) in programs.iter().enumerate() {
        let tally = &mut tallies[*tier];
        tally.programs += 1;
        let mut trace: Option<Option<Trace>> = None;
        for policy in &policies {
            world.reset()?;
            let input = json!({"command": program});
            let (verdict, answer) = judge.verdict(&world, policy, "bash", input)?;
            if args.verbose {
                println!("{verdict}\t{program:?}");
            }
            if verdict == "error" {
                violations += 1;
                println!("ERROR {program:?}: {answer}");
                continue;
            }
            // A refused program is run only now and then, to count how many
            // refusals were needless.
            if verdict != "allow" && trace.is_none() && number % 8 != 0 {
                continue;
            }
            if trace.is_none() {
                world.reset()?;
                trace = Some(world.run(program)?);
            }
            let Some(Some(trace)) = &trace else {
                tally.untraced += 1;
                continue;
            };
            let found = violation(&mut judge, &world, policy, trace)?;
            tally.allowed += usize::from(verdict == "allow");
            match found {
                Some(found) if verdict == "allow" => {
                    violations += 1;
                    println!("VIOLATION (tier {tier}) {program:?}\n    {found}");
                }
                None => {
                    tally.harmless += 1;
                    tally.harmless_asked += usize::from(verdict != "allow");
                }
                Some(_) => {}
            }
        }
    }
    for (tally, name) in tallies
        .iter()
        .zip(generate::TIERS.iter().chain(&["corpus"]))
    {
        if tally.programs > 0 {
            println!(
                "{name}: {} programs, {} allowed, {} of {} harmless runs not allowed, {} untraced",
                tally.programs, tally.allowed, tally.harmless_asked, tally.harmless, tally.untraced
            );
        }
    }
    println!("{} passed, {violations} failed", programs.len());
    std::process::exit(i32::from(violations > 0));
}

/// The first thing the program did that the policy, asked about that alone,
/// would not allow.
fn violation(
    judge: &mut Judge,
    world: &World,
    policy: &Value,
    trace: &Trace,
) -> Result<Option<String>> {
    for argv in &trace.executed {
        let Some(program) = argv.first() else {
            continue;
        };
        // Programs are asked about by the name a rule would use.
        let name = program.rsplit('/').next().unwrap_or(program);
        let mut words = vec![name.to_owned()];
        words.extend(argv.iter().skip(1).map(|word| quote(word)));
        let command = words.join(" ");
        let answer = judge.verdict(world, policy, "bash", json!({"command": command}))?;
        let surface = answer.1["deciding"]["surface"].as_str().unwrap_or("");
        let floored = !answer.1["deciding"]["floor"].is_null();
        // A floor says that the analysis cannot see inside; the trace can, and
        // lists what ran inside by itself. Paths are judged from the trace.
        if answer.0 != "allow" && !floored && surface == "bash" {
            return Ok(Some(format!("ran {command:?}: {}", answer.1["deciding"])));
        }
    }
    for (tool, paths) in [("read", &trace.read), ("write", &trace.written)] {
        for path in paths {
            let mut input = json!({"path": path});
            if tool == "write" {
                input["content"] = "".into();
            }
            let answer = judge.verdict(world, policy, tool, input)?;
            if answer.0 != "allow" {
                return Ok(Some(format!("{tool} {path:?}: {}", answer.1["deciding"])));
            }
        }
    }
    Ok(None)
}

/// A word as bash would read it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
