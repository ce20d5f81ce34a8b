//! Judging another session's question by this session's rules (spec 05
//! §10.2): whether it needs a person here, or a rule answers it.

use countersign_intent::path;
use countersign_policy::{Action, Candidate, Evaluation, Flavour, is_path_surface};

use crate::decide::Judge;
use crate::decision::{DecidedBy, Deciding, Gate, Grantable, JudgedEffect};
use crate::facts::Facts;
use crate::scene::Scene;
use crate::subject::stricter;

/// The facts of a forwarded question, fixed by the session that asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardedAsk {
    /// The surface.
    pub surface: String,
    /// The spellings to match, used as they are.
    pub match_values: Vec<String>,
    /// The real path, for paths.
    pub boundary: Option<String>,
    /// The lower bound the asking session put on it.
    pub floor: Option<String>,
    /// Everything that asks there, each judged on its own. Empty in requests
    /// of older sessions.
    pub units: Vec<ForwardedUnit>,
}

/// One thing a forwarded question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardedUnit {
    /// The surface, where it is not that of the question.
    pub surface: Option<String>,
    /// The command, or another value.
    pub value: String,
    /// The lower bound on it.
    pub floor: Option<String>,
    /// The spellings to match; empty for the value alone.
    pub match_values: Vec<String>,
    /// The real path, for paths.
    pub boundary: Option<String>,
}

/// What this session says without asking anybody.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardedVerdict {
    /// `Ask`: a person here must answer.
    pub verdict: Action,
    /// What settled it.
    pub deciding: Deciding,
}

/// Judges a forwarded question. The ladder is that of [`crate::decide`]: deny,
/// floor, ask, grant, yolo; every unit must be allowed for the question to be.
pub fn judge_forwarded(
    ask: &ForwardedAsk,
    scene: &Scene<'_>,
    facts: &dyn Facts,
) -> ForwardedVerdict {
    let judge = Judge::new(scene, facts);
    let mut worst: Option<JudgedEffect> = None;
    let mut keep = |effect: JudgedEffect| {
        if worst
            .as_ref()
            .is_none_or(|seen| effect.verdict > seen.verdict)
        {
            worst = Some(effect);
        }
    };
    if ask.units.is_empty() {
        keep(judge_one(
            &judge,
            &ask.surface,
            ask.match_values.first().map_or("", String::as_str),
            &ask.match_values,
            ask.boundary.as_deref(),
            ask.floor.as_deref(),
        ));
    }
    for unit in &ask.units {
        let own = [unit.value.clone()];
        let values = match unit.match_values.as_slice() {
            [] => &own,
            values => values,
        };
        keep(judge_one(
            &judge,
            unit.surface.as_deref().unwrap_or(&ask.surface),
            &unit.value,
            values,
            unit.boundary.as_deref(),
            unit.floor.as_deref(),
        ));
    }
    let effect = worst.unwrap_or_else(|| {
        let mut effect = JudgedEffect::new(Gate::Tool, ask.surface.as_str(), "");
        effect.verdict = Action::Ask;
        effect
    });
    ForwardedVerdict {
        verdict: effect.verdict,
        deciding: Deciding {
            surface: effect.surface,
            value: effect.value,
            pattern: effect.pattern,
            action: effect.action,
            origin: effect.origin,
            floor: effect.floor,
            reason: effect.reason,
            decided_by: effect.decided_by,
        },
    }
}

fn judge_one(
    judge: &Judge<'_>,
    surface: &str,
    value: &str,
    values: &[String],
    boundary: Option<&str>,
    floor: Option<&str>,
) -> JudgedEffect {
    let scene = judge.scene;
    let is_path = is_path_surface(surface);
    let candidates: Vec<Candidate<'_>> = values
        .iter()
        .map(|value| {
            if is_path && path::climbs(value, Flavour::Posix) {
                Candidate::tighten(value)
            } else {
                Candidate::plain(value)
            }
        })
        .collect();
    let spelled = scene.policy.evaluate(surface, &candidates);
    // The real file must be allowed too; a relative spelling speaks of it
    // where it is its end.
    let ends = |text: &str| {
        boundary.is_some_and(|real| {
            real == text
                || real
                    .strip_suffix(text)
                    .is_some_and(|head| head.ends_with('/'))
        })
    };
    let real = boundary.filter(|_| is_path).map(|real| {
        let mut forms = vec![Candidate::plain(real)];
        forms.extend(
            values
                .iter()
                .filter(|v| ends(v))
                .map(|v| Candidate::plain(v)),
        );
        scene.resolved.evaluate(surface, &forms)
    });
    let said: Evaluation = stricter(Some(spelled), real).unwrap_or(spelled);
    let mut effect = JudgedEffect::new(Gate::Tool, surface, value);
    judge.rule(&mut effect, &said);
    if let Some(member) = said.member {
        member.clone_into(&mut effect.surface);
    }
    if let Some(floor) = floor {
        if effect.verdict == Action::Allow {
            effect.pattern = Some(floor.to_owned());
            effect.verdict = Action::Ask;
            effect.action = Action::Ask;
            effect.decided_by = DecidedBy::Floor;
            effect.reason = None;
        }
        effect.grantable = Grantable::Exact;
    }
    judge.answer(&mut effect, || {
        let exactly = floor.is_some();
        match boundary.filter(|_| is_path) {
            Some(real) => {
                let mut texts = vec![real];
                texts.extend(values.iter().map(String::as_str).filter(|v| ends(v)));
                judge.grant_for(surface, &texts, exactly)
            }
            None => {
                let texts: Vec<&str> = values.iter().map(String::as_str).collect();
                judge.grant_for(surface, &texts, exactly)
            }
        }
    });
    effect
}
