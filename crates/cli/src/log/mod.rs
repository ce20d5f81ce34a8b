//! `countersign log`: reads the review log.
//!
//! Every subcommand streams: the log is never held in memory. A log that was
//! begun anew at its size is read with its older files.

pub mod entry;
pub mod filter;
mod read;
mod show;
mod stats;
mod tail;
mod time;
mod verify;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use countersign_host::dialog::visible;
use countersign_host::paths::AgentPaths;

use self::entry::{Entry, Verdict};
pub use self::read::{each_entry, mention_unreadable};
use crate::exit::{Failure, Outcome};
use crate::help::TEMPLATE;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// A log instead of the user's own
    #[arg(long, global = true, value_name = "FILE")]
    file: Option<PathBuf>,
}

const STATUS: &str = "\
Exit status:
  0  done, also where nothing fits
  1  an error, or wrong usage";

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the last entries, and new ones as they come
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign log tail              the last ten entries
  countersign log tail -n 50 --json
  countersign log tail --follow     goes on until interrupted
",
        after_help = STATUS
    )]
    Tail(tail::Args),
    /// Tell the whole story of one question
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign log show perm-1f3     the beginning of an id is enough
  countersign log show perm-1f3 --json
",
        after_help = "\
Exit status:
  0  printed
  1  no question or several have this id, an error, or wrong usage"
    )]
    Show(show::Args),
    /// Print the entries that fit
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign log query --since 2h --verdict denied
  countersign log query --agent reviewer --by user --surface bash
  countersign log query --since 2026-08-20 --until 2026-08-21 --session s1 --json
  countersign log query --pattern 'git push *' --limit 5
",
        after_help = STATUS
    )]
    Query(filter::QueryArgs),
    /// Count questions, deciders and answer times
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign log stats --since 7d  what asks most, when, and how long it waits
  countersign log stats --agent reviewer --json
",
        after_help = STATUS
    )]
    Stats(stats::Args),
    /// Tell whether lines are missing or were changed
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign log verify            prints a hash to keep somewhere else
  countersign log verify --expect 5b6a5ce84404d61312968ea79632c4fa
",
        after_help = "\
Exit status:
  0  nothing is missing or changed, as far as the chains reach
  1  an error, or wrong usage
  2  lines are missing or were changed"
    )]
    Verify(verify::Args),
}

/// The log that was named, or the user's own.
pub fn log_path(named: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    match named {
        Some(path) => Ok(path.clone()),
        None => AgentPaths::from_environment()
            .map(|paths| paths.review_log())
            .ok_or_else(|| {
                Failure::new("there is no home directory").help("name the log with `--file`")
            }),
    }
}

/// Reads the log as asked.
pub fn run(args: &Args) -> Outcome {
    let path = log_path(args.file.as_ref())?;
    match &args.what {
        What::Tail(args) => tail::run(args, &path),
        What::Show(args) => show::run(args, &path),
        What::Query(args) => filter::run(args, &path),
        What::Stats(args) => stats::run(args, &path),
        What::Verify(args) => verify::run(args, &path),
    }
}

/// One entry as one line for people.
fn line_for_people(entry: &Entry<'_>, colour: bool) -> String {
    let time = entry.timestamp.get().unwrap_or("?");
    let (word, paint) = match entry.verdict() {
        Some(verdict @ Verdict::Asked) => (verdict.word(), "33"),
        Some(verdict @ Verdict::Allowed) => (verdict.word(), "32"),
        Some(verdict @ Verdict::Denied) => (verdict.word(), "31"),
        Some(verdict @ Verdict::Unavailable) => (verdict.word(), "35"),
        None => ("·", "2"),
    };
    let word = if colour {
        format!("\x1b[{paint}m{word:<11}\x1b[0m")
    } else {
        format!("{word:<11}")
    };
    let mut line = format!("{} {word}", one_line(time));
    if entry.verdict().is_none() || entry.surface.get().is_none() {
        line.push_str(&format!(" {}", one_line(entry.event.get().unwrap_or("?"))));
    }
    if let Some(surface) = entry.surface.get() {
        line.push_str(&format!(" {}", one_line(surface)));
    }
    if let Some(subject) = entry.subject() {
        line.push_str(&format!(" `{}`", one_line(subject)));
    }
    if let Some(message) = entry.message.get() {
        line.push_str(&format!(" {}", one_line(message)));
    }
    if let Some(decider) = &entry.decided_by {
        line.push_str(&format!(" by {}", one_line(&decider.words())));
    }
    if let Some(reason) = entry.denial_reason.get() {
        line.push_str(&format!(": {}", one_line(reason)));
    }
    if let Some(agent) = entry.agent() {
        line.push_str(&format!(" [{}]", one_line(agent)));
    }
    if let Some(id) = entry.request_id.get() {
        line.push_str(&format!(" {}", one_line(id)));
    }
    line
}

/// Text from a log line, safe for a terminal and on one line.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', "⏎")
}

/// Whether to paint standard output.
fn colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()) && std::io::stdout().is_terminal()
}
