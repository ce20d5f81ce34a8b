//! `countersign log stats`: how much is asked, by what, and how fast it is
//! answered.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::entry::Entry;
use super::filter::Conditions;
use super::{each_entry, mention_unreadable, one_line, time};
use crate::exit::Outcome;
use crate::terminal::say;

/// Questions waiting for their answer at the same time. More than this means
/// they are never answered, and are not worth the memory.
const MOST_OPEN: usize = 100_000;

/// Different keys of one table; the rest is counted together.
const MOST_KEYS: usize = 10_000;

/// Rows of a table for people.
const ROWS: usize = 10;

/// Columns of the longest bar.
const BAR: u64 = 40;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Days that are printed for people, the last ones.
const DAYS: usize = 14;

/// Upper ends of the answer times that are counted together, in milliseconds.
const STEPS: [(u32, &str); 7] = [
    (1_000, "under 1 s"),
    (5_000, "1 to 5 s"),
    (15_000, "5 to 15 s"),
    (60_000, "15 to 60 s"),
    (300_000, "1 to 5 min"),
    (1_800_000, "5 to 30 min"),
    (u32::MAX, "longer"),
];

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    conditions: Conditions,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Counts and prints.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let filter = args.conditions.resolve()?;
    let mut counts = Counts::default();
    let unreadable = each_entry(path, |entry, _| {
        if filter.accepts(entry) {
            counts.add(entry);
        }
        Ok(())
    })?;
    counts.answer_times.sort_unstable();
    if args.json {
        say(&counts.json(unreadable).to_string())?;
    } else {
        counts.print()?;
    }
    mention_unreadable(unreadable);
    Ok(ExitCode::SUCCESS)
}

#[derive(Default)]
struct Table(HashMap<String, u64>);

impl Table {
    fn add(&mut self, key: &str) {
        if let Some(count) = self.0.get_mut(key) {
            *count += 1;
        } else if self.0.len() < MOST_KEYS {
            self.0.insert(key.to_owned(), 1);
        } else {
            *self.0.entry("(others)".to_owned()).or_default() += 1;
        }
    }

    /// Most frequent first; equal ones by name.
    fn sorted(&self) -> Vec<(&str, u64)> {
        let mut rows: Vec<(&str, u64)> =
            self.0.iter().map(|(key, count)| (&**key, *count)).collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        rows
    }

    fn json(&self) -> Value {
        let map: Map<String, Value> = self
            .sorted()
            .into_iter()
            .map(|(key, count)| (key.to_owned(), count.into()))
            .collect();
        map.into()
    }
}

#[derive(Default)]
struct Counts {
    entries: u64,
    verdicts: Table,
    deciders: Table,
    questions: u64,
    questions_by_rule: Table,
    questions_by_agent: Table,
    questions_by_hour: [u64; 24],
    /// By day since 1970.
    questions_by_day: BTreeMap<i64, u64>,
    open: HashMap<String, i64>,
    answer_times: Vec<u32>,
}

impl Counts {
    fn add(&mut self, entry: &Entry<'_>) {
        self.entries += 1;
        let at = entry.timestamp.get().and_then(time::millis);
        if entry.event.get() == Some("permission_request.waiting") {
            self.questions += 1;
            let surface = entry.surface.get().unwrap_or("?");
            let pattern = entry.pattern().unwrap_or("(no rule)");
            self.questions_by_rule.add(&format!("{surface} {pattern}"));
            self.questions_by_agent
                .add(entry.agent().unwrap_or("(none)"));
            if let Some(at) = at {
                let hour = usize::try_from(at.div_euclid(3_600_000).rem_euclid(24)).unwrap_or(0);
                if let Some(count) = self.questions_by_hour.get_mut(hour) {
                    *count += 1;
                }
                *self.questions_by_day.entry(at.div_euclid(DAY)).or_default() += 1;
                if self.questions_by_day.len() > MOST_KEYS {
                    self.questions_by_day.pop_first();
                }
                if let Some(id) = entry.request_id.get()
                    && self.open.len() < MOST_OPEN
                {
                    self.open.insert(id.to_owned(), at);
                }
            }
        }
        if !entry.is_final() {
            return;
        }
        if let Some(verdict) = entry.verdict() {
            self.verdicts.add(verdict.word());
        }
        if let Some(decider) = &entry.decided_by {
            self.deciders.add(decider.effective_kind());
        }
        let asked = entry.request_id.get().and_then(|id| self.open.remove(id));
        if let (Some(asked), Some(at)) = (asked, at) {
            let took = u32::try_from(at.saturating_sub(asked).max(0)).unwrap_or(u32::MAX);
            self.answer_times.push(took);
        }
    }

    /// The answer time that `percent` of the answers do not exceed.
    fn answered_within(&self, percent: usize) -> Option<i64> {
        let last = self.answer_times.len().checked_sub(1)?;
        self.answer_times
            .get((self.answer_times.len() * percent / 100).min(last))
            .map(|took| i64::from(*took))
    }

    /// The answers by how long they took.
    fn answers(&self) -> Vec<(&'static str, u64)> {
        let mut from = 0;
        STEPS
            .iter()
            .map(|(below, label)| {
                let to = self.answer_times.partition_point(|took| took < below);
                let count = u64::try_from(to.saturating_sub(from)).unwrap_or(0);
                from = to;
                (*label, count)
            })
            .collect()
    }

    /// The questions of each day that had some.
    fn days(&self) -> Vec<(String, u64)> {
        let named = |(day, count): (&i64, &u64)| (time::date(*day), *count);
        self.questions_by_day.iter().map(named).collect()
    }

    fn json(&self, unreadable: u64) -> Value {
        let days: Map<String, Value> = self
            .days()
            .into_iter()
            .map(|(day, count)| (day, count.into()))
            .collect();
        json!({
            "entries": self.entries,
            "unreadable": unreadable,
            "questions": self.questions,
            "unanswered": self.open.len(),
            "verdicts": self.verdicts.json(),
            "deciders": self.deciders.json(),
            "questionsByRule": self.questions_by_rule.json(),
            "questionsByAgent": self.questions_by_agent.json(),
            "questionsByHourUtc": self.questions_by_hour,
            "questionsByDayUtc": days,
            "answerMillis": {
                "count": self.answer_times.len(),
                "median": self.answered_within(50),
                "p90": self.answered_within(90),
                "p99": self.answered_within(99),
            },
        })
    }

    fn print(&self) -> std::io::Result<()> {
        say(&format!(
            "{} entries, {} questions, {} still open",
            self.entries,
            self.questions,
            self.open.len()
        ))?;
        chart("decisions", &self.verdicts.sorted())?;
        chart("decided by", &self.deciders.sorted())?;
        chart("questions by rule", &self.questions_by_rule.sorted())?;
        chart("questions by agent", &self.questions_by_agent.sorted())?;
        if self.questions > 0 {
            let labels: Vec<String> = (0..24).map(|hour| format!("{hour:02}:00")).collect();
            let rows: Vec<(&str, u64)> = labels
                .iter()
                .map(String::as_str)
                .zip(self.questions_by_hour)
                .filter(|(_, count)| *count > 0)
                .collect();
            bars("questions by hour (UTC)", &rows)?;
            let days = self.days();
            let last = days.get(days.len().saturating_sub(DAYS)..);
            let rows: Vec<(&str, u64)> = last
                .unwrap_or_default()
                .iter()
                .map(|(day, count)| (day.as_str(), *count))
                .collect();
            bars("questions by day (UTC)", &rows)?;
        }
        if !self.answer_times.is_empty() {
            bars("answer times", &self.answers())?;
        }
        if let (Some(median), Some(p90), Some(p99)) = (
            self.answered_within(50),
            self.answered_within(90),
            self.answered_within(99),
        ) {
            say("")?;
            say(&format!(
                "answered within {} (half), {} (90 %), {} (99 %)",
                time::span(median),
                time::span(p90),
                time::span(p99)
            ))?;
        }
        Ok(())
    }
}

fn chart(title: &str, rows: &[(&str, u64)]) -> std::io::Result<()> {
    let shown = rows.get(..ROWS.min(rows.len())).unwrap_or_default();
    bars(title, shown)?;
    if rows.len() > shown.len() {
        say(&format!("  and {} more", rows.len() - shown.len()))?;
    }
    Ok(())
}

fn bars(title: &str, rows: &[(&str, u64)]) -> std::io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    say("")?;
    say(title)?;
    let labels: Vec<String> = rows
        .iter()
        .map(|(label, _)| one_line(label).chars().take(40).collect())
        .collect();
    let width = labels
        .iter()
        .map(|it| it.chars().count())
        .max()
        .unwrap_or(0);
    let most = rows
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(1)
        .max(1);
    for (label, (_, count)) in labels.iter().zip(rows) {
        let length = usize::try_from((count * BAR).div_ceil(most)).unwrap_or(0);
        let bar = "▇".repeat(length);
        say(format!("  {label:<width$} {count:>6} {bar}").trim_end())?;
    }
    Ok(())
}
