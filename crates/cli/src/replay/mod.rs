//! `countersign replay`: recorded calls against another policy.

pub mod judge;
pub mod recorded;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use countersign_host::policy::Action;
use countersign_host::workspace::Source;

use self::judge::{Against, Judge};
use self::recorded::{Lost, Outcome as Then, call};
use self::report::Report;
use crate::exit::{DENY, Failure, Outcome};
use crate::log::filter::Conditions;
use crate::log::{each_entry, log_path, mention_unreadable};
use crate::terminal;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// A log instead of the user's own
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The directory of shell commands that were recorded without one
    #[arg(long, value_name = "DIR")]
    assume_cwd: Option<PathBuf>,
    /// What ends with exit status 2; may be repeated
    #[arg(long, value_enum, default_value = "newly-runs")]
    fail_on: Vec<FailOn>,
    /// Answer with one JSON object
    #[arg(long)]
    json: bool,
}

/// The policy that recorded calls are held against.
#[derive(Debug, clap::Args)]
pub struct PolicyArgs {
    /// A configuration file instead of the user's own
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A configuration file instead of each project's
    #[arg(long, value_name = "FILE")]
    pub project_config: Option<PathBuf>,
    /// An agent directory instead of the user's own, such as a copy of `~/.pi/agent`
    #[arg(long, value_name = "DIR")]
    pub agent_dir: Option<PathBuf>,
}

impl PolicyArgs {
    /// The policy that is meant. What is named has to be there: a missing file
    /// would be replayed as one that asks about everything.
    pub fn against(&self) -> anyhow::Result<Against> {
        let file = |path: &Option<PathBuf>| match path {
            Some(path) if !path.is_file() => {
                Err(Failure::new(format!("`{}` is no file", path.display())))
            }
            path => Ok(path.clone().map(Source::File)),
        };
        if let Some(dir) = self.agent_dir.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(Failure::new(format!("`{}` is no directory", dir.display())).into());
        }
        Ok(Against {
            config: file(&self.config)?,
            project_config: file(&self.project_config)?,
            agent_dir: self
                .agent_dir
                .as_ref()
                .map(std::path::absolute)
                .transpose()?,
        })
    }
}

/// A difference that fails a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A call that did not run would
    NewlyRuns,
    /// A call that ran would not
    NewlyBlocked,
    /// A call that was not asked about would be
    NewlyAsked,
    /// A call could not be decided again
    NotReplayed,
    /// Nothing: the status is 0
    Nothing,
}

/// Decides every recorded call again and tells what differs.
pub fn run(args: &Args) -> Outcome {
    let path = log_path(args.file.as_ref())?;
    let filter = args.conditions.resolve()?;
    let assumed = args
        .assume_cwd
        .as_ref()
        .map(std::path::absolute)
        .transpose()?;
    let mut judge = Judge::new(args.policy.against()?);
    let mut report = Report::default();
    let unreadable = each_entry(&path, |entry, line| {
        let Some(then) = Then::of(entry).filter(|_| filter.accepts(entry)) else {
            return Ok(());
        };
        match call(entry, line, assumed.as_deref()) {
            Ok(call) => match judge.verdict(&call) {
                Ok((now, why)) => report.add(entry, then, now, &why),
                Err(_) => report.lost(Lost::Failed),
            },
            Err(lost) => report.lost(lost),
        }
        Ok(())
    })?;
    if args.json {
        terminal::say(&report.json(unreadable).to_string())?;
    } else {
        report.print()?;
    }
    mention_unreadable(unreadable);
    judge.complain();
    let fails = args.fail_on.iter().any(|on| match on {
        FailOn::NewlyRuns => report.newly_runs > 0,
        FailOn::NewlyBlocked => report.newly_blocked > 0,
        FailOn::NewlyAsked => report.newly_asked > 0,
        FailOn::NotReplayed => report.not_replayed() > 0,
        FailOn::Nothing => false,
    });
    Ok(if fails {
        DENY.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Whether the call ran then, or would now without anybody being asked.
fn newly_runs(then: Then, now: Action) -> bool {
    !then.ran && now == Action::Allow
}
