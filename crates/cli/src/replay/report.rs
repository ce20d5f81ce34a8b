//! What a replay found, counted by what settles the calls now.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use countersign_host::policy::Action;
use serde_json::{Map, Value, json};

use super::judge::Why;
use super::newly_runs;
use super::recorded::{Lost, Outcome};
use crate::log::entry::Entry;
use crate::policy::one_line;
use crate::terminal::say;

/// Calls that are named for a group.
const EXAMPLES: usize = 3;

/// Newly running calls that are named; the rest is counted.
const NAMED: usize = 50;

/// Groups that are printed for people.
const GROUPS: usize = 30;

/// Counts of one replay.
#[derive(Default)]
pub struct Report {
    replayed: u64,
    unchanged: u64,
    prompts: u64,
    saved: u64,
    pub newly_runs: u64,
    pub newly_blocked: u64,
    pub newly_asked: u64,
    lost: BTreeMap<Lost, u64>,
    groups: HashMap<(Action, Action, String), Group>,
    runs: Vec<Example>,
}

struct Group {
    why: Rc<Why>,
    calls: u64,
    saved: u64,
    newly_runs: u64,
    examples: Vec<Example>,
}

struct Example {
    id: String,
    tool: String,
    subject: String,
    /// Why it did not run.
    by: Option<String>,
}

impl Example {
    fn of(entry: &Entry<'_>) -> Self {
        let text = |text: Option<&str>| text.unwrap_or("?").chars().take(200).collect();
        Self {
            id: text(entry.request_id.get()),
            tool: text(entry.tool_name.get()),
            subject: text(entry.subject().or(entry.surface.get())),
            by: entry.decided_by.as_ref().map(|it| it.words()),
        }
    }

    /// Joins the list, unless it is full or has the same call.
    fn join(self, list: &mut Vec<Self>, most: usize) {
        let known = |it: &Self| it.tool == self.tool && it.subject == self.subject;
        if list.len() < most && !list.iter().any(known) {
            list.push(self);
        }
    }

    fn line(&self) -> String {
        let by = self.by.as_ref().map(|by| format!(", {}", one_line(by)));
        format!(
            "{}  {} `{}`{}",
            one_line(&self.id),
            one_line(&self.tool),
            one_line(&self.subject),
            by.unwrap_or_default()
        )
    }

    fn json(&self) -> Value {
        json!({"requestId": self.id, "tool": self.tool, "subject": self.subject, "was": self.by})
    }
}

impl Report {
    /// Counts a call that could not be decided again.
    pub fn lost(&mut self, lost: Lost) {
        *self.lost.entry(lost).or_default() += 1;
    }

    /// So many could not.
    pub fn not_replayed(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Counts a call that could.
    pub fn add(&mut self, entry: &Entry<'_>, then: Outcome, now: Action, why: &Rc<Why>) {
        self.replayed += 1;
        self.prompts += u64::from(then.prompted);
        if then.before == now {
            self.unchanged += 1;
            return;
        }
        let saved = then.prompted && now != Action::Ask;
        let runs = newly_runs(then, now);
        self.saved += u64::from(saved);
        self.newly_runs += u64::from(runs);
        self.newly_blocked += u64::from(then.ran && now == Action::Deny);
        self.newly_asked += u64::from(now == Action::Ask);
        if runs {
            Example::of(entry).join(&mut self.runs, NAMED);
        }
        let key = (then.before, now, why.words.clone());
        let group = self.groups.entry(key).or_insert_with(|| Group {
            why: Rc::clone(why),
            calls: 0,
            saved: 0,
            newly_runs: 0,
            examples: Vec::new(),
        });
        group.calls += 1;
        group.saved += u64::from(saved);
        group.newly_runs += u64::from(runs);
        Example::of(entry).join(&mut group.examples, EXAMPLES);
    }

    /// The groups, the largest first.
    fn sorted(&self) -> Vec<(&(Action, Action, String), &Group)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by(|a, b| {
            (b.1.calls.cmp(&a.1.calls))
                .then_with(|| a.0.2.cmp(&b.0.2))
                .then_with(|| (a.0.0, a.0.1).cmp(&(b.0.0, b.0.1)))
        });
        groups
    }

    pub fn json(&self, unreadable: u64) -> Value {
        let lost: Map<String, Value> = self
            .lost
            .iter()
            .map(|(why, count)| (why.word().to_owned(), (*count).into()))
            .collect();
        let groups: Vec<Value> = self
            .sorted()
            .into_iter()
            .map(|((from, to, _), group)| {
                json!({
                    "from": from.as_str(),
                    "to": to.as_str(),
                    "why": group.why.json,
                    "calls": group.calls,
                    "promptsSaved": group.saved,
                    "newlyRun": group.newly_runs,
                    "examples": group.examples.iter().map(Example::json).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "replayed": self.replayed,
            "unchanged": self.unchanged,
            "notReplayed": lost,
            "unreadable": unreadable,
            "prompts": self.prompts,
            "promptsSaved": self.saved,
            "newlyRun": self.newly_runs,
            "newlyBlocked": self.newly_blocked,
            "newlyAsked": self.newly_asked,
            "changes": groups,
            "newlyRunning": self.runs.iter().map(Example::json).collect::<Vec<_>>(),
        })
    }

    pub fn print(&self) -> std::io::Result<()> {
        say(&format!(
            "{} calls decided again, {} as before",
            self.replayed, self.unchanged
        ))?;
        let lost: Vec<String> = self
            .lost
            .iter()
            .map(|(why, count)| format!("{count} {}", why.word()))
            .collect();
        if !lost.is_empty() {
            say(&format!(
                "{} cannot be decided again: {}",
                self.not_replayed(),
                lost.join(", ")
            ))?;
        }
        say(&format!(
            "prompts saved {} of {}, newly asked {}, newly blocked {}, newly run {}",
            self.saved, self.prompts, self.newly_asked, self.newly_blocked, self.newly_runs
        ))?;
        let groups = self.sorted();
        for ((from, to, words), group) in groups.iter().take(GROUPS) {
            say("")?;
            let calls = if group.calls == 1 { "call" } else { "calls" };
            say(&format!(
                "{} -> {}: {} {calls} by {words}",
                from.as_str(),
                to.as_str(),
                group.calls
            ))?;
            for example in &group.examples {
                say(&format!("  {}", example.line()))?;
            }
        }
        if groups.len() > GROUPS {
            say(&format!("\nand {} more groups", groups.len() - GROUPS))?;
        }
        if self.runs.is_empty() {
            return Ok(());
        }
        say("\nnewly run:")?;
        for example in &self.runs {
            say(&format!("  {}", example.line()))?;
        }
        if self.runs.len() == NAMED {
            say(&format!("  and others, {} in all", self.newly_runs))?;
        }
        Ok(())
    }
}
