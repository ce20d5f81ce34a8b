//! `countersign log`: reads the review log.
//!
//! Every subcommand streams: the file is never held in memory.

mod entry;
mod filter;
mod show;
mod stats;
mod tail;
mod time;
mod verify;

use std::fs::File;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use countersign_host::dialog::visible;
use countersign_host::paths::AgentPaths;

use self::entry::{Entry, Verdict};
use crate::exit::{Failure, Outcome};

/// A line longer than this is not ours; it is skipped without being held.
const LONGEST_LINE: usize = 4 << 20;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// A log instead of the user's own
    #[arg(long, global = true, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the last entries, and new ones as they come
    Tail(tail::Args),
    /// Tell the whole story of one question
    Show(show::Args),
    /// Print the entries that fit
    Query(filter::QueryArgs),
    /// Count questions, deciders and answer times
    Stats(stats::Args),
    /// Tell whether lines are missing or were changed
    Verify(verify::Args),
}

/// Reads the log as asked.
pub fn run(args: &Args) -> Outcome {
    let path = match &args.file {
        Some(path) => path.clone(),
        None => AgentPaths::from_environment()
            .map(|paths| paths.review_log())
            .ok_or_else(|| {
                Failure::new("there is no home directory").help("name the log with `--file`")
            })?,
    };
    match &args.what {
        What::Tail(args) => tail::run(args, &path),
        What::Show(args) => show::run(args, &path),
        What::Query(args) => filter::run(args, &path),
        What::Stats(args) => stats::run(args, &path),
        What::Verify(args) => verify::run(args, &path),
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    if path.is_dir() {
        return Err(Failure::new(format!("`{}` is a directory", path.display())));
    }
    File::open(path).map_err(|error| {
        let failure = Failure::new(format!("cannot read `{}`: {error}", path.display()));
        if error.kind() == std::io::ErrorKind::NotFound {
            failure.help("the log begins with the first question; name another with `--file`")
        } else {
            failure
        }
    })
}

/// Calls `each` with every line (without its end), showing how far it is
/// where a person waits for a big file.
fn each_line(path: &Path, mut each: impl FnMut(&[u8]) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let file = open(path)?;
    let size = file.metadata().map(|data| data.len()).unwrap_or(0);
    let mut progress = Progress::new(size);
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    let mut skipping = false;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let (part, used, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(at) => (chunk.get(..at).unwrap_or_default(), at + 1, true),
            None => (chunk, chunk.len(), false),
        };
        if line.len() + part.len() > LONGEST_LINE {
            skipping = true;
            line.clear();
        }
        if line.is_empty() && ended && !skipping {
            each(part)?;
        } else if !skipping {
            line.extend_from_slice(part);
            if ended {
                each(&line)?;
                line.clear();
            }
        }
        if ended {
            skipping = false;
        }
        reader.consume(used);
        progress.add(used);
    }
    if !line.is_empty() {
        each(&line)?;
    }
    Ok(())
}

/// Calls `each` with every entry and its line; returns how many lines were no
/// entries.
fn each_entry(
    path: &Path,
    mut each: impl FnMut(&Entry<'_>, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut unreadable = 0;
    each_line(path, |line| {
        match Entry::parse(line) {
            Some(entry) => each(&entry, line)?,
            None if line.iter().all(u8::is_ascii_whitespace) => {}
            None => unreadable += 1,
        }
        Ok(())
    })?;
    Ok(unreadable)
}

/// Says on standard error that lines were left out.
fn mention_unreadable(count: u64) {
    if count > 0 {
        let noun = if count == 1 { "line is" } else { "lines are" };
        crate::terminal::complain(&format!("warning: {count} {noun} not readable as an entry"));
    }
}

/// How far a big file is read, on standard error of a terminal.
struct Progress {
    size: u64,
    done: u64,
    shown: u64,
    enabled: bool,
}

impl Progress {
    /// Below this, reading takes no noticeable time.
    const WORTH_SHOWING: u64 = 32 << 20;

    fn new(size: u64) -> Self {
        let enabled = size >= Self::WORTH_SHOWING && std::io::stderr().is_terminal();
        Self {
            size,
            done: 0,
            shown: 0,
            enabled,
        }
    }

    fn add(&mut self, bytes: usize) {
        if !self.enabled {
            return;
        }
        self.done += u64::try_from(bytes).unwrap_or(0);
        let percent = (self.done * 100 / self.size.max(1)).min(100);
        if percent > self.shown {
            self.shown = percent;
            let filled = usize::try_from(percent / 4).unwrap_or(0);
            let bar = "█".repeat(filled);
            let _ = write!(std::io::stderr().lock(), "\r{bar:<25} {percent:3} %");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.enabled {
            let _ = write!(std::io::stderr().lock(), "\r{:32}\r", "");
        }
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
