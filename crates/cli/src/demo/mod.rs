//! `countersign demo`: a parent session and three subagents, each a process of
//! its own, over the real mailbox. No agent and no model is needed: the calls
//! are written down here, and nothing is run.

mod child;
mod parent;
mod world;

use std::process::ExitCode;

use crate::exit::Outcome;

pub use child::ChildArgs;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Answer without asking you
    #[arg(long, value_enum, value_name = "ANSWER")]
    answer: Option<Unattended>,
}

/// An answer given without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Unattended {
    /// Yes, this once
    Approve,
    /// No
    Deny,
    /// Yes, for the whole session
    Session,
    /// Nobody answers
    None,
}

/// Runs the parent.
pub fn run(args: &Args) -> Outcome {
    parent::run(args.answer)
}

/// Runs one subagent; started by the parent.
pub fn run_child(args: ChildArgs) -> Outcome {
    child::run(args).map(|()| ExitCode::SUCCESS)
}
