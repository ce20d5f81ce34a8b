//! Holding proposed rules against everything they must not allow.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_host::check::Checked;
use countersign_host::engine::DecidedBy;
use countersign_host::policy::{Action, family_members};
use countersign_host::suggest::may_lift_a_denial;
use serde_json::json;

use super::candidates::Rule;
use super::evidence::{Evidence, in_scope};
use super::probes::probes;
use crate::log::each_entry;
use crate::log::entry::Entry;
use crate::replay::judge::Judge;
use crate::replay::recorded::{Call, Outcome, call};

/// Directories the probes are tried in.
const DIRECTORIES: usize = 4;

/// What a pass over the log found.
#[derive(Debug, Default)]
pub struct Pass {
    /// Rules under which something would run that must not.
    pub offending: BTreeSet<Rule>,
    /// Prompts that would not have been needed.
    pub saved: u64,
}

/// Rules under which a dangerous call would run, or a denial be lifted.
pub fn dangerous(
    rules: &[Rule],
    evidence: &Evidence,
    base: &mut Judge,
    with: &mut Judge,
) -> anyhow::Result<BTreeSet<Rule>> {
    let mut offending = BTreeSet::new();
    let mut directories: Vec<&PathBuf> = evidence.directories.iter().collect();
    directories.truncate(DIRECTORIES);
    let nothing = json!({"command": "true"});
    for (at, cwd) in directories.iter().enumerate() {
        let call = |tool: String, input, agent| Call {
            tool,
            input,
            cwd: (*cwd).clone(),
            agent,
            trusted: true,
        };
        for agent in &evidence.agents {
            let look = call("bash".to_owned(), nothing.clone(), agent.clone());
            let snapshot = with.check(&look)?.snapshot;
            let lifts = rules
                .iter()
                .filter(|rule| may_lift_a_denial(&snapshot, &rule.surface, &rule.pattern));
            offending.extend(lifts.cloned());
        }
        // What a policy says of a probe hardly depends on the directory, but
        // for the agents only the first is worth the time.
        let agents: Vec<&Option<String>> = match at {
            0 => evidence.agents.iter().collect(),
            _ => evidence.agents.iter().take(1).collect(),
        };
        for agent in agents {
            for (tool, input) in probes(rules) {
                let probe = call(tool, input, agent.clone());
                // What is known of the policy in force is known to it already.
                if base.verdict(&probe)?.0 == Action::Allow {
                    continue;
                }
                let after = with.check(&probe)?;
                if after.decision.verdict == Action::Allow {
                    offending.extend(blamed(rules, &after));
                }
            }
        }
    }
    Ok(offending)
}

/// Replays the whole log under the policy with the rules.
pub fn replay(
    log: &Path,
    project: Option<&Path>,
    rules: &[Rule],
    base: &mut Judge,
    with: &mut Judge,
) -> anyhow::Result<Pass> {
    let mut pass = Pass::default();
    each_entry(log, |entry, line| {
        let Some(then) = Outcome::of(entry) else {
            return Ok(());
        };
        let call = match call(entry, line, None) {
            Ok(call) if in_scope(&call, project) => call,
            Ok(_) => return Ok(()),
            Err(_) => {
                if then.refused {
                    let maybe = rules.iter().filter(|rule| may_cover(rule, entry));
                    pass.offending.extend(maybe.cloned());
                }
                return Ok(());
            }
        };
        let counts = then.refused || then.prompted && then.ran;
        if !counts || with.verdict(&call)?.0 != Action::Allow {
            return Ok(());
        }
        if base.verdict(&call)?.0 == Action::Allow {
            return Ok(());
        }
        if then.refused {
            pass.offending.extend(blamed(rules, &with.check(&call)?));
        } else {
            pass.saved += 1;
        }
        Ok(())
    })?;
    Ok(pass)
}

/// The rules that let a call run; all of them where it is not clear.
fn blamed(rules: &[Rule], checked: &Checked) -> BTreeSet<Rule> {
    let settles = |rule: &&Rule| {
        let members = family_members(&rule.surface);
        checked.decision.effects.iter().any(|effect| {
            let on = effect.surface == rule.surface
                || members.is_some_and(|members| members.contains(&effect.surface.as_str()));
            on && effect.decided_by == DecidedBy::Rule
                && effect.pattern.as_deref() == Some(&*rule.pattern)
        })
    };
    let found: BTreeSet<Rule> = rules.iter().filter(settles).cloned().collect();
    if found.is_empty() {
        rules.iter().cloned().collect()
    } else {
        found
    }
}

/// Whether a rule may cover a refused call of which the log holds only a part.
fn may_cover(rule: &Rule, entry: &Entry<'_>) -> bool {
    let is_command = entry.tool_name.get() == Some("bash") || entry.command.get().is_some();
    let is_rule_of_commands = rule.surface == "bash";
    if !is_rule_of_commands {
        // A command has paths as well, and a path may have been cut.
        return true;
    }
    let first = rule.pattern.split([' ', '*']).next().unwrap_or_default();
    let text = entry.command.get();
    // What was cut off may name the program too.
    is_command && text.is_none_or(|text| text.ends_with('…') || text.contains(first))
}
