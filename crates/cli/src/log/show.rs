//! `countersign log show`: the whole story of a question, across sessions.

use std::path::Path;
use std::process::ExitCode;

use super::entry::{Entry, Verdict};
use super::{each_entry, mention_unreadable, one_line, time};
use crate::exit::{Failure, Outcome};
use crate::terminal::say;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The id of the question, or its beginning
    id: String,
    /// Print the entries as they are in the file, one JSON object a line
    #[arg(long)]
    json: bool,
}

/// So many ids are named where a beginning is not enough.
const MOST_IDS: usize = 8;

/// Finds the entries of one question and prints them in order.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let mut ids: Vec<String> = Vec::new();
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let unreadable = each_entry(path, |entry, line| {
        if let Some(id) = entry.request_id.get().filter(|id| id.starts_with(&args.id)) {
            let new = !ids.iter().any(|known| known == id);
            if new && (ids.len() <= MOST_IDS || id == args.id) {
                ids.push(id.to_owned());
            }
            if ids.len() <= MOST_IDS || id == args.id {
                lines.push(line.to_vec());
            }
        }
        Ok(())
    })?;
    // An exact id is meant even where a longer one begins with it.
    if ids.contains(&args.id) {
        lines.retain(|line| {
            Entry::parse(line).is_some_and(|entry| entry.request_id.get() == Some(&args.id))
        });
        ids = vec![args.id.clone()];
    }
    match ids.as_slice() {
        [] => {
            return Err(
                Failure::new(format!("no question has the id `{}`", args.id))
                    .help("find ids with: countersign log query --verdict asked")
                    .into(),
            );
        }
        [_] => {}
        [..] => {
            return Err(Failure::new(format!("`{}` begins several ids", args.id))
                .help(format!("one of: {}", ids.join(", ")))
                .into());
        }
    }
    let mut began = None;
    for line in &lines {
        if args.json {
            say(&String::from_utf8_lossy(line))?;
            continue;
        }
        if let Some(entry) = Entry::parse(line) {
            tell(&entry, &mut began)?;
        }
    }
    mention_unreadable(unreadable);
    Ok(ExitCode::SUCCESS)
}

fn tell(entry: &Entry<'_>, began: &mut Option<i64>) -> std::io::Result<()> {
    let at = entry.timestamp.get().and_then(time::millis);
    let after = match (*began, at) {
        (Some(start), Some(at)) => format!("+{}", time::span(at.saturating_sub(start))),
        _ => {
            *began = at;
            say(&format!(
                "question {}",
                one_line(entry.request_id.get().unwrap_or("?"))
            ))?;
            entry.timestamp.get().map(one_line).unwrap_or_default()
        }
    };
    say(&format!("{after:<24} {}", sentence(entry)))?;
    let fact = |label: &str, value: Option<&str>| match value {
        Some(value) => say(&format!("{:24}   {label}: {}", "", one_line(value))),
        None => Ok(()),
    };
    if entry.verdict() == Some(Verdict::Asked) {
        fact("surface", entry.surface.get())?;
        fact("about", entry.subject())?;
        fact("rule", entry.matched_pattern.get())?;
        fact("agent", entry.agent())?;
    }
    fact("from session", entry.requester_session_id.get())?;
    fact("to session", entry.target_session_id.get())?;
    fact("state of that session", entry.serving_state.get())?;
    fact(
        "decided by",
        entry.decided_by.as_ref().map(|it| it.words()).as_deref(),
    )?;
    fact("reason", entry.denial_reason.get())?;
    fact("message", entry.message.get())
}

/// What an entry means, in words.
fn sentence(entry: &Entry<'_>) -> String {
    let session = entry.session_id.get().map(one_line);
    let by = session
        .map(|it| format!(" (session {it})"))
        .unwrap_or_default();
    let event = entry.event.get().unwrap_or("?");
    let what = match event {
        "permission_request.waiting" => "asked",
        "permission_request.approved" => "allowed",
        "permission_request.denied" if entry.verdict() == Some(Verdict::Unavailable) => {
            "not answered: approval was unavailable"
        }
        "permission_request.denied" => "denied",
        "permission_request.blocked" => "blocked",
        "permission_request.session_approved" => "allowed by a grant",
        "permission_request.auto_approved" => "allowed by yolo",
        "forwarded_permission.request_created" => "forwarded to the parent",
        "forwarded_permission.prompted" => "shown to a person",
        "forwarded_permission.auto_approved" => "allowed by a rule of the parent",
        "forwarded_permission.auto_denied" => "denied by a rule of the parent",
        "forwarded_permission.approved" => "answered: allowed",
        "forwarded_permission.denied" => "answered: denied",
        "forwarded_permission.session_recorded" => "remembered for the whole session",
        "forwarded_permission.response_received" => "the answer arrived",
        "forwarded_permission.no_serving_session" => "given up: nobody serves that session",
        "forwarded_permission.response_timed_out" => "given up: no answer in time",
        other => return format!("{}{by}", one_line(other)),
    };
    format!("{what}{by}")
}
