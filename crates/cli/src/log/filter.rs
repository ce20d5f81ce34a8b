//! `countersign log query`, and the conditions it shares with `stats`.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use super::entry::{Entry, Verdict};
use super::{colour, each_entry, line_for_people, mention_unreadable, time};
use crate::exit::{Failure, Outcome};

/// Conditions; an entry has to meet all of them.
#[derive(Debug, Default, clap::Args)]
pub struct Conditions {
    /// Not before this time: `2h` ago (s, m, h, d), or `2026-08-20T10:00:00Z`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The session that asked, answered or wrote the entry
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The agent that asked
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The surface that was decided on, such as `bash`
    #[arg(long, value_name = "NAME")]
    surface: Option<String>,
    /// What happened
    #[arg(long, value_enum)]
    verdict: Option<Verdict>,
    /// Who decided: user, rule, session_approval, yolo, authorizer, unavailable, …
    #[arg(long, value_name = "KIND")]
    by: Option<String>,
    /// The rule's or grant's pattern, literally
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<String>,
    /// Text in the command, path or target
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
}

/// Conditions with their times resolved.
pub struct Filter<'a> {
    said: &'a Conditions,
    since: Option<i64>,
    until: Option<i64>,
}

impl Conditions {
    /// Resolves the times.
    pub fn resolve(&self) -> Result<Filter<'_>, Failure> {
        let point = |text: &Option<String>| text.as_deref().map(time::parse_point).transpose();
        Ok(Filter {
            said: self,
            since: point(&self.since)?,
            until: point(&self.until)?,
        })
    }
}

impl Filter<'_> {
    /// Whether `entry` meets all conditions.
    pub fn accepts(&self, entry: &Entry<'_>) -> bool {
        let said = self.said;
        let equal = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let in_time = match (self.since, self.until) {
            (None, None) => true,
            (since, until) => entry
                .timestamp
                .get()
                .and_then(time::millis)
                .is_some_and(|at| {
                    since.is_none_or(|since| at >= since) && until.is_none_or(|until| at < until)
                }),
        };
        in_time
            && said
                .session
                .as_deref()
                .is_none_or(|wanted| entry.sessions().any(|found| found == wanted))
            && equal(&said.agent, entry.agent())
            && equal(&said.surface, entry.surface.get())
            && equal(&said.pattern, entry.pattern())
            && said
                .verdict
                .is_none_or(|wanted| entry.verdict() == Some(wanted))
            && equal(
                &said.by,
                entry.decided_by.as_ref().map(|it| it.effective_kind()),
            )
            && said
                .text
                .as_deref()
                .is_none_or(|wanted| entry.subject().is_some_and(|it| it.contains(wanted)))
    }
}

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct QueryArgs {
    #[command(flatten)]
    conditions: Conditions,
    /// Stop after this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print the entries as they are in the file, one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Prints what fits.
pub fn run(args: &QueryArgs, path: &Path) -> Outcome {
    let filter = args.conditions.resolve()?;
    let colour = colour();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut found: u64 = 0;
    let mut full = false;
    let unreadable = each_entry(path, |entry, line| {
        if full || !filter.accepts(entry) {
            return Ok(());
        }
        if args.limit.is_some_and(|limit| found >= limit) {
            full = true;
            return Ok(());
        }
        found += 1;
        if args.json {
            out.write_all(line)?;
            out.write_all(b"\n")?;
        } else {
            writeln!(out, "{}", line_for_people(entry, colour))?;
        }
        Ok(())
    })?;
    out.flush()?;
    mention_unreadable(unreadable);
    Ok(ExitCode::SUCCESS)
}
