//! Why a call is judged as it is, and what would change that.

use std::sync::Arc;

use countersign_engine::{Decision, Grantable, JudgedEffect};
use countersign_policy::{Action, Candidate, CommandShape, suggest, suggest_command};

use crate::check::{CheckError, CheckRequest, Checker, Prepared};
use crate::workspace::Snapshot;

/// A rule that could be written.
pub type NewRule = (String, String, Action);

/// A decision with what stands around it.
#[derive(Debug)]
pub struct Explanation {
    /// The decision, grants included.
    pub decision: Decision,
    /// The same call without any grant, where there are grants and they matter.
    pub without_grants: Option<Action>,
    /// For each effect, the rules that match it, as indexes into the policy,
    /// the deciding one last.
    pub considered: Vec<Vec<usize>>,
    /// The fewest rules found that would allow the call; `None` where it is
    /// allowed, or where no rule can allow it.
    pub to_allow: Option<Vec<NewRule>>,
    /// A rule that would deny the call; `None` where it is denied.
    pub to_deny: Option<NewRule>,
    /// The configuration it was judged under.
    pub snapshot: Arc<Snapshot>,
}

/// Explains the call of `request`. What is proposed has been tried: the call
/// was judged again with it.
///
/// # Errors
///
/// As for [`Checker::check`].
pub fn explain(checker: &mut Checker, request: &CheckRequest) -> Result<Explanation, CheckError> {
    let prepared = checker.prepare(request)?;
    let snapshot = Arc::clone(&prepared.snapshot);
    let decision = prepared.decide(request, &snapshot)?;
    let bare = CheckRequest {
        grants: Vec::new(),
        ..request.clone()
    };
    let ungranted = prepared.decide(
        &bare,
        &Snapshot {
            grants: Vec::new(),
            ..(*snapshot).clone()
        },
    )?;
    let considered = decision
        .effects
        .iter()
        .map(|effect| considered(&snapshot, effect))
        .collect();
    let to_allow = allowing(&prepared, request, &decision)?;
    let to_deny = denying(&prepared, request, &decision)?;
    Ok(Explanation {
        without_grants: (ungranted.verdict != decision.verdict).then_some(ungranted.verdict),
        decision,
        considered,
        to_allow,
        to_deny,
        snapshot,
    })
}

fn considered(snapshot: &Snapshot, effect: &JudgedEffect) -> Vec<usize> {
    let typed = std::iter::once(effect.value.as_str());
    let texts: Vec<Candidate<'_>> = typed
        .chain(effect.match_values.iter().map(String::as_str))
        .map(Candidate::plain)
        .collect();
    snapshot.policy.matching(&effect.surface, &texts)
}

/// Rules for everything that is not allowed yet: first the patterns an
/// approval would record, then the exact texts.
fn allowing(
    prepared: &Prepared,
    request: &CheckRequest,
    decision: &Decision,
) -> Result<Option<Vec<NewRule>>, CheckError> {
    if decision.verdict == Action::Allow {
        return Ok(None);
    }
    let closed = || {
        decision
            .effects
            .iter()
            .filter(|effect| effect.verdict != Action::Allow)
    };
    if closed().any(|effect| effect.grantable == Grantable::Never) {
        return Ok(None);
    }
    for exact in [false, true] {
        let mut rules: Vec<NewRule> = Vec::new();
        for effect in closed() {
            // A denial was meant: only the very value is proposed against it.
            let exact = exact || effect.verdict == Action::Deny;
            let Some(pattern) = pattern_for(prepared, effect, exact) else {
                continue;
            };
            let rule = (effect.asked_surface.clone(), pattern, Action::Allow);
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if verdict_with(prepared, request, &rules)? == Action::Allow {
            return Ok(Some(without_needless(prepared, request, rules)?));
        }
    }
    Ok(None)
}

/// Leaves out rules without which the call is allowed just the same.
fn without_needless(
    prepared: &Prepared,
    request: &CheckRequest,
    mut rules: Vec<NewRule>,
) -> Result<Vec<NewRule>, CheckError> {
    let mut at = 0;
    while at < rules.len() && rules.len() > 1 {
        let mut fewer = rules.clone();
        fewer.remove(at);
        if verdict_with(prepared, request, &fewer)? == Action::Allow {
            rules = fewer;
        } else {
            at += 1;
        }
    }
    Ok(rules)
}

fn denying(
    prepared: &Prepared,
    request: &CheckRequest,
    decision: &Decision,
) -> Result<Option<NewRule>, CheckError> {
    if decision.verdict == Action::Deny {
        return Ok(None);
    }
    let deciding = decision
        .deciding_effect
        .and_then(|at| decision.effects.get(at))
        .or(decision.effects.last());
    for effect in deciding.into_iter().chain(&decision.effects) {
        for exact in [false, true] {
            let Some(pattern) = pattern_for(prepared, effect, exact) else {
                continue;
            };
            let rule = (effect.asked_surface.clone(), pattern, Action::Deny);
            if verdict_with(prepared, request, std::slice::from_ref(&rule))? == Action::Deny {
                return Ok(Some(rule));
            }
        }
    }
    Ok(None)
}

fn pattern_for(prepared: &Prepared, effect: &JudgedEffect, exact: bool) -> Option<String> {
    let value = effect.lexical.as_ref().unwrap_or(&effect.value);
    if exact {
        return (!value.is_empty()).then(|| value.clone());
    }
    if effect.asked_surface == "bash" {
        return suggest_command(&effect.value, CommandShape::Plain);
    }
    let flavour = prepared.snapshot.policy.context().flavour;
    suggest(&effect.asked_surface, value, flavour)
}

fn verdict_with(
    prepared: &Prepared,
    request: &CheckRequest,
    rules: &[NewRule],
) -> Result<Action, CheckError> {
    let rules: Vec<NewRule> = rules.iter().flat_map(both_directions).collect();
    let snapshot = prepared.snapshot.with_rules(&rules, &prepared.cwd);
    Ok(prepared.decide(request, &snapshot)?.verdict)
}

/// A bare family is written as one rule and holds for both directions.
fn both_directions(rule: &NewRule) -> Vec<NewRule> {
    let (surface, pattern, action) = rule;
    match countersign_policy::family_members(surface) {
        Some(members) => members
            .into_iter()
            .map(|member| (member.to_owned(), pattern.clone(), *action))
            .collect(),
        None => vec![rule.clone()],
    }
}
