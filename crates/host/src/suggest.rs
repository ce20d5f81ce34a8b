//! Rules that would have answered a question: what may be proposed for a call
//! that was asked about, and what must not be.

use countersign_engine::{DecidedBy, Decision, Grantable, JudgedEffect};
use countersign_policy::{
    Action, CommandShape, Flavour, Pattern, family_members, is_path_surface, suggest,
    suggest_command,
};

use crate::workspace::Snapshot;

/// One thing that was asked about, and the rules that would allow it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The surface a rule has to be on.
    pub surface: String,
    /// What is asked about: a command, or an absolute path.
    pub value: String,
    /// The pattern an approval would record, where that is wider.
    pub wide: Option<String>,
    /// The pattern of the rule that asks, where one does.
    pub asks: Option<String>,
}

/// Everything a decision asks about. `None` where a rule cannot be the answer:
/// there is a floor, the text can only be granted as it is, or a path leads
/// elsewhere than it says.
#[must_use]
pub fn asked(decision: &Decision, flavour: Flavour) -> Option<Vec<Asked>> {
    let mut out: Vec<Asked> = Vec::new();
    for effect in &decision.effects {
        match effect.verdict {
            Action::Allow => continue,
            Action::Deny => return None,
            Action::Ask => {}
        }
        let ruled = matches!(effect.decided_by, DecidedBy::Rule | DecidedBy::Default);
        let plain = effect.floor.is_none()
            && effect.grantable == Grantable::Pattern
            && effect.resolved.is_none();
        if !ruled || !plain {
            return None;
        }
        let unit = of(effect, flavour)?;
        if !out.contains(&unit) {
            out.push(unit);
        }
    }
    (!out.is_empty()).then_some(out)
}

fn of(effect: &JudgedEffect, flavour: Flavour) -> Option<Asked> {
    let surface = effect.asked_surface.as_str();
    let value = effect.lexical.as_ref().unwrap_or(&effect.value);
    let wide = match (surface, &effect.executed) {
        ("bash", Some(inner)) => suggest_command(value, CommandShape::Wrapper { inner }),
        ("bash", None) => suggest_command(value, CommandShape::Plain),
        _ => suggest(surface, value, flavour),
    };
    (!value.is_empty()).then(|| Asked {
        surface: surface.to_owned(),
        value: value.clone(),
        wide: wide.filter(|wide| wide != value),
        asks: effect.pattern.clone(),
    })
}

/// Whether an `allow` for `pattern`, as it stands in the composed policy of
/// `snapshot`, could take a value away from a denial that is written before
/// it. In doubt yes; also where there is no such rule.
#[must_use]
pub fn may_lift_a_denial(snapshot: &Snapshot, surface: &str, pattern: &str) -> bool {
    let members = family_members(surface);
    let surfaces = members.map_or_else(|| vec![surface], |members| members.to_vec());
    surfaces
        .into_iter()
        .any(|surface| lifts_on(snapshot, surface, pattern))
}

fn lifts_on(snapshot: &Snapshot, surface: &str, pattern: &str) -> bool {
    let policy = &snapshot.resolved;
    let context = policy.context();
    let is_path = is_path_surface(surface);
    let compiled = |text: &str| Pattern::new(text, context, is_path);
    let rules = policy.rules();
    let at = rules
        .iter()
        .position(|rule| rule.surface == surface && rule.pattern == pattern);
    let Some(at) = at else {
        return true;
    };
    let mine = compiled(pattern);
    let applies =
        |of: &str| of == surface || Pattern::verbatim(of, Flavour::Posix, false).matches(surface);
    let mut lifted = false;
    for (index, rule) in rules.iter().enumerate().take(at) {
        if !applies(&rule.surface) {
            continue;
        }
        let texts = std::iter::once(rule.pattern.as_str())
            .chain(policy.resolved_patterns(index).iter().map(String::as_str));
        match rule.action {
            Action::Deny => lifted |= texts.map(compiled).any(|theirs| theirs.overlaps(&mine)),
            // What was denied before it, it asks about already.
            Action::Ask => lifted &= !compiled(&rule.pattern).covers_pattern(&mine),
            Action::Allow => {}
        }
    }
    lifted
}
