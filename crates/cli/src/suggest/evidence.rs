//! What the log says a person always approved.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use countersign_host::policy::Action;
use countersign_host::suggest::{Asked, asked};

use crate::log::each_entry;
use crate::replay::judge::Judge;
use crate::replay::recorded::{Call, Outcome, call};

/// Different approved calls that are considered. More only means that rules
/// for later ones are not found.
const MOST_CALLS: usize = 50_000;

/// Directories and agents that are remembered.
const MOST_PLACES: usize = 16;

/// An approved call, however often it was made.
pub struct Approved {
    /// Prompts that a person answered with yes.
    pub prompts: u64,
    /// What it asks about.
    pub units: Vec<Asked>,
    /// An id to find it by.
    pub example: String,
}

/// What was found in the log.
#[derive(Default)]
pub struct Evidence {
    pub approved: Vec<Approved>,
    /// Prompts that a person answered with yes.
    pub prompts: u64,
    /// Of those, the ones that the policy does not ask about any more.
    pub settled: u64,
    /// Of those, the ones that no rule can answer.
    pub unanswerable: u64,
    /// Of those, the ones that the log does not hold whole.
    pub lost: u64,
    /// Where the calls were made, the first ones.
    pub directories: BTreeSet<PathBuf>,
    /// By whom.
    pub agents: BTreeSet<Option<String>>,
    /// Whether the project was trusted when it was worked in last.
    pub trusted: Option<bool>,
    /// Whether some call was judged with an invalid configuration file.
    pub clamped: bool,
}

/// Whether a call counts: all do, or those of one project.
pub fn in_scope(call: &Call, project: Option<&Path>) -> bool {
    project.is_none_or(|project| call.cwd == project)
}

/// Reads the log once.
pub fn collect(log: &Path, project: Option<&Path>, judge: &mut Judge) -> anyhow::Result<Evidence> {
    let mut found = Evidence::default();
    let mut known: HashMap<u128, Option<usize>> = HashMap::new();
    each_entry(log, |entry, line| {
        let Some(then) = Outcome::of(entry) else {
            return Ok(());
        };
        let prompts = u64::from(then.prompted && then.ran);
        let by_grant = entry.event.get() == Some("permission_request.session_approved");
        let call = call(entry, line, None);
        if let Ok(call) = &call
            && project == Some(call.cwd.as_path())
        {
            found.trusted = Some(call.trusted);
        }
        if prompts == 0 && !by_grant {
            return Ok(());
        }
        let call = match call {
            Ok(call) if in_scope(&call, project) => call,
            Ok(_) => return Ok(()),
            Err(_) => {
                found.prompts += prompts;
                found.lost += prompts;
                return Ok(());
            }
        };
        found.prompts += prompts;
        let key = judge.key(&call);
        if let Some(known) = known.get(&key) {
            match known.and_then(|at| found.approved.get_mut(at)) {
                Some(approved) => approved.prompts += prompts,
                None => found.unanswerable += prompts,
            }
            return Ok(());
        }
        let Ok(checked) = judge.check(&call) else {
            found.lost += prompts;
            return Ok(());
        };
        found.clamped |= checked.snapshot.clamped;
        if checked.decision.verdict != Action::Ask {
            found.settled += prompts;
            return Ok(());
        }
        let flavour = checked.snapshot.policy.context().flavour;
        let units = asked(&checked.decision, flavour).filter(|_| known.len() < MOST_CALLS);
        if found.directories.len() < MOST_PLACES {
            found.directories.insert(call.cwd.clone());
        }
        if found.agents.len() < MOST_PLACES {
            found.agents.insert(call.agent.clone());
        }
        let Some(units) = units else {
            found.unanswerable += prompts;
            if known.len() < MOST_CALLS {
                known.insert(key, None);
            }
            return Ok(());
        };
        known.insert(key, Some(found.approved.len()));
        let example = entry.request_id.get().unwrap_or("?");
        found.approved.push(Approved {
            prompts,
            units,
            example: example.chars().take(200).collect(),
        });
        Ok(())
    })?;
    Ok(found)
}
