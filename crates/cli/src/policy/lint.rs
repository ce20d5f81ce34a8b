//! `countersign policy lint`

use std::process::ExitCode;

use countersign_host::text::Severity;

use super::Files;
use crate::diagnostics::{Sources, as_json, render, renderer};
use crate::exit::{self, Outcome};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// Answer with one JSON list
    #[arg(long)]
    json: bool,
}

/// Prints what is wrong; status 1 where something is, notes aside.
pub fn run(args: &Args) -> Outcome {
    let workspace = args.files.open()?;
    let agent = args.files.agent.as_deref();
    let snapshot = workspace.snapshot(agent);
    let (found, agents) = match agent {
        Some(_) => (snapshot.lint(&args.files.directory()?), 0),
        None => (workspace.lint(), workspace.agents().len()),
    };
    let mut sources = Sources::default();
    if args.json {
        let list: Vec<_> = found.iter().map(|d| as_json(d, &mut sources)).collect();
        terminal::say(&serde_json::to_string(&list)?)?;
    } else {
        let renderer = renderer();
        for diagnostic in &found {
            terminal::say(&format!(
                "{}\n",
                render(diagnostic, &mut sources, &renderer)
            ))?;
        }
        let count = |severity| found.iter().filter(|d| d.severity == severity).count();
        let looked_at = match agents {
            0 => String::new(),
            agents => format!(" and {}", counted(agents, "agent")),
        };
        terminal::say(&format!(
            "{}{looked_at}: {}, {}, {}",
            counted(snapshot.policy.rules().len(), "rule"),
            counted(count(Severity::Error), "error"),
            counted(count(Severity::Warning), "warning"),
            counted(count(Severity::Note), "note")
        ))?;
    }
    let serious = found.iter().any(|d| d.severity > Severity::Note);
    Ok(if serious {
        exit::ERROR.into()
    } else {
        ExitCode::SUCCESS
    })
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
