//! The one function that decides.

use countersign_intent::{Intent, ToolCall};
use countersign_policy::{
    Action, CommandShape, Evaluation, Origin, Scope, suggest, suggest_command,
};

use crate::decision::{
    AskingUnit, DecidedBy, Deciding, Decision, FloorNote, Gate, GrantSuggestion, Grantable,
    JudgedEffect,
};
use crate::facts::Facts;
use crate::message;
use crate::payload::{AskKind, AskPayload, Evidence};
use crate::preview::preview;
use crate::scene::Scene;
use crate::subject::is_explicit;

/// Decides one tool call.
///
/// The ladder, for the call and then for each effect found in it:
///
/// 1. A call without a tool name, or of a tool that is not registered, is
///    denied.
/// 2. What a rule denies is denied: no grant, no yolo and no infrastructure
///    list lifts it (a blanket `external_directory` deny excepted, which the
///    infrastructure list passes). An `allow` on a path must cover the path as
///    spelled and the file it leads to.
/// 3. This system's own files are asked about before they are changed, unless
///    the global configuration allows that exact path.
/// 4. A floor turns `allow` into `ask`, whatever pattern allowed it.
/// 5. What a rule asks about is asked about.
/// 6. A grant answers a question with yes; where there is a floor, only a
///    grant for the exact text does.
/// 7. Yolo answers every remaining question with yes.
///
/// The strictest effect decides for the call. Among equals the gates decide in
/// their order ([`Gate`]), so that a denial never waits behind a question, and
/// everything that asks is one question.
pub fn decide(call: &ToolCall, scene: &Scene<'_>, facts: &dyn Facts) -> Decision {
    let name = call.name.trim();
    if name.is_empty() {
        return malformed(name, message::NO_TOOL_NAME.to_owned());
    }
    if let Some(registered) = &scene.settings.registered
        && !registered.iter().any(|tool| tool == name)
    {
        return malformed(name, message::unregistered(name, registered));
    }
    let intent = countersign_intent::read(call, &scene.settings.intent);
    let mut judge = Judge::new(scene, facts);
    judge.call(call, &intent);
    judge.finish(call, &intent)
}

/// Decides whether a person may start a skill by name (`/skill:<name>`).
/// Grants do not count here (spec 02 §6.4).
pub fn judge_skill(name: &str, scene: &Scene<'_>, facts: &dyn Facts) -> Decision {
    let call = ToolCall::new("skill", serde_json::json!({ "name": name }));
    let intent = countersign_intent::read(&call, &scene.settings.intent);
    let none = countersign_policy::GrantSet::default();
    let scene = Scene {
        grants: &none,
        ..*scene
    };
    let mut judge = Judge::new(&scene, facts);
    judge.skill_tool(&intent);
    judge.finish(&call, &intent)
}

/// A decision in the making.
pub(crate) struct Judge<'a> {
    pub scene: &'a Scene<'a>,
    pub facts: &'a dyn Facts,
    pub effects: Vec<JudgedEffect>,
    pub floors: Vec<FloorNote>,
}

impl<'a> Judge<'a> {
    pub fn new(scene: &'a Scene<'a>, facts: &'a dyn Facts) -> Self {
        Self {
            scene,
            facts,
            effects: Vec::new(),
            floors: Vec::new(),
        }
    }

    /// Writes what the rules say into an effect (rungs 2 and 5).
    pub fn rule(&self, effect: &mut JudgedEffect, said: &Evaluation) {
        effect.action = said.action;
        effect.verdict = said.action;
        let rule = said.rule.and_then(|at| self.scene.policy.rules().get(at));
        match rule {
            Some(rule) => {
                effect.origin = rule.origin.clone();
                if is_explicit(self.scene.policy, said) {
                    effect.decided_by = DecidedBy::Rule;
                    effect.pattern = Some(rule.pattern.clone());
                    effect.reason.clone_from(&rule.reason);
                } else {
                    effect.decided_by = DecidedBy::Default;
                    effect.pattern = None;
                }
            }
            None => {
                effect.origin = Origin::of(Scope::Builtin);
                effect.decided_by = DecidedBy::Default;
                effect.pattern = None;
            }
        }
    }

    /// Puts a floor under an effect (rung 4). Remembered even where a rule
    /// asks already: another node may be looser.
    pub fn floor(&self, effect: &mut JudgedEffect, sentinel: &'static str) {
        effect.floor.get_or_insert(sentinel);
        if effect.verdict == Action::Allow {
            effect.verdict = Action::Ask;
            effect.action = Action::Ask;
            effect.decided_by = DecidedBy::Floor;
            effect.pattern = Some(sentinel.to_owned());
            effect.origin = Origin::of(Scope::Builtin);
            effect.reason = None;
        }
    }

    /// Answers a question by a grant, or by yolo (rungs 6 and 7).
    pub fn answer(&self, effect: &mut JudgedEffect, granted: impl FnOnce() -> Option<String>) {
        if effect.verdict != Action::Ask {
            return;
        }
        if effect.grantable != Grantable::Never
            && let Some(pattern) = granted()
        {
            effect.verdict = Action::Allow;
            effect.decided_by = DecidedBy::Grant;
            effect.pattern = Some(pattern);
            effect.origin = Origin::of(Scope::Session);
        } else if self.scene.settings.yolo {
            effect.verdict = Action::Allow;
            effect.decided_by = DecidedBy::Yolo;
            effect.origin = Origin::of(Scope::Yolo);
        }
    }

    /// The pattern of a grant that covers a value of a surface without paths.
    pub fn grant_for(&self, surface: &str, values: &[&str], exactly: bool) -> Option<String> {
        self.scene
            .grants
            .covers(surface, values, exactly)
            .map(|grant| grant.pattern.clone())
    }

    pub fn finish(mut self, call: &ToolCall, intent: &Intent) -> Decision {
        self.effects.sort_by_key(|effect| effect.gate);
        let verdict = self
            .effects
            .iter()
            .map(|effect| effect.verdict)
            .max()
            // No gate looked at it: nothing was allowed.
            .unwrap_or(Action::Ask);
        // A question or refusal is the first of its kind; an allowance is
        // what the tool's own gate says.
        let deciding_effect = match verdict {
            Action::Allow => self
                .effects
                .iter()
                .position(|effect| effect.gate == Gate::Tool),
            _ => self
                .effects
                .iter()
                .position(|effect| effect.verdict == verdict),
        };
        let asking: Vec<&JudgedEffect> = self
            .effects
            .iter()
            .filter(|effect| effect.verdict == Action::Ask)
            .collect();
        let deciding = deciding_effect.and_then(|at| self.effects.get(at));
        let settled = deciding.map_or_else(
            || nothing_judged(&intent.surface),
            |effect| Deciding {
                surface: effect.surface.clone(),
                value: effect.value.clone(),
                pattern: effect.pattern.clone(),
                action: effect.action,
                origin: effect.origin.clone(),
                floor: effect.floor.or_else(|| match verdict {
                    Action::Ask => asking.iter().find_map(|e| e.floor),
                    _ => None,
                }),
                reason: effect.reason.clone(),
                decided_by: effect.decided_by,
            },
        );
        let payload = match (verdict, deciding) {
            (Action::Allow, _) | (_, None) => None,
            (_, Some(effect)) => Some(Box::new(self.payload(call, intent, effect))),
        };
        let suggestions = match verdict {
            Action::Ask => self.suggestions(&asking),
            _ => Vec::new(),
        };
        let asking = match verdict {
            Action::Ask => asking.iter().map(|effect| asking_unit(effect)).collect(),
            _ => Vec::new(),
        };
        Decision {
            verdict,
            deciding: settled,
            deciding_effect,
            floors: self.floors,
            asking,
            suggestions,
            payload,
            message: None,
            effects: self.effects,
        }
    }

    /// What an approval for longer would record: for each question the pattern
    /// that covers it next time.
    fn suggestions(&self, asking: &[&JudgedEffect]) -> Vec<GrantSuggestion> {
        let flavour = self.scene.settings.flavour;
        let mut out: Vec<GrantSuggestion> = Vec::new();
        let mut push = |surface: &str, pattern: Option<String>| {
            let Some(pattern) = pattern else { return };
            let new = GrantSuggestion {
                surface: surface.to_owned(),
                pattern,
            };
            if !out.contains(&new) {
                out.push(new);
            }
        };
        for effect in asking {
            let surface = effect.asked_surface.as_str();
            match effect.grantable {
                Grantable::Never => {}
                Grantable::Exact => {
                    push(
                        surface,
                        suggest_command(&effect.value, CommandShape::Floored),
                    );
                }
                Grantable::Pattern if surface == "bash" => {
                    let shape = match &effect.executed {
                        Some(inner) => CommandShape::Wrapper { inner },
                        None => CommandShape::Plain,
                    };
                    push(surface, suggest_command(&effect.value, shape));
                }
                Grantable::Pattern => {
                    let value = effect.lexical.as_deref().unwrap_or(&effect.value);
                    push(surface, suggest(surface, value, flavour));
                    if let Some(real) = &effect.resolved {
                        push(surface, suggest(surface, real, flavour));
                    }
                }
            }
        }
        out
    }

    fn payload(&self, call: &ToolCall, intent: &Intent, effect: &JudgedEffect) -> AskPayload {
        let name = call.name.trim();
        let tool = match &intent.command {
            Some(_) => "bash",
            None => name,
        };
        let kind = match effect.gate {
            Gate::SkillRead => AskKind::SkillRead,
            Gate::Path | Gate::ShellPath => AskKind::Path,
            Gate::External => AskKind::ExternalDirectory,
            Gate::ShellExternal => AskKind::BashExternalDirectory,
            Gate::Call | Gate::Tool => match effect.surface.as_str() {
                "bash" => AskKind::Bash,
                "mcp" => AskKind::Mcp,
                "skill" => AskKind::Skill,
                _ => AskKind::Tool,
            },
        };
        let command = intent.command.as_ref().map(|c| c.text.as_str());
        let value = match (kind, command) {
            (AskKind::BashExternalDirectory, Some(command)) => command.to_owned(),
            _ => effect.value.clone(),
        };
        AskPayload {
            kind,
            agent_name: self.scene.agent.map(str::to_owned),
            surface: effect.asked_surface.clone(),
            tool_name: Some(tool.to_owned()),
            invoked_tool_name: (tool != name).then(|| name.to_owned()),
            matched_pattern: effect.pattern.clone(),
            command_context: effect.context.map(|c| c.as_str().to_owned()),
            executed_unit: effect.executed.clone(),
            evidence: self.evidence(call, intent, effect, &value),
            value,
        }
    }

    fn evidence(
        &self,
        call: &ToolCall,
        intent: &Intent,
        effect: &JudgedEffect,
        value: &str,
    ) -> Vec<Evidence> {
        let mut out = Vec::new();
        match effect.gate {
            Gate::SkillRead => out.push(Evidence::new(
                "read path",
                effect.lexical.clone().unwrap_or_default(),
            )),
            Gate::Path => {
                if let Some(real) = &effect.resolved {
                    out.push(Evidence::new("resolves to", real.as_str()));
                }
            }
            Gate::External => {
                if let Some(real) = &effect.resolved {
                    out.push(Evidence::new("resolves to", real.as_str()));
                }
                out.push(Evidence::new("working directory", self.scene.cwd));
            }
            Gate::ShellExternal => {
                out.push(Evidence::new("working directory", self.scene.cwd));
                for other in self.same_question(effect, Gate::ShellExternal) {
                    let text = other.lexical.as_deref().unwrap_or(&other.value);
                    out.push(Evidence {
                        detail: other.resolved.clone(),
                        ..Evidence::new("external path", text)
                    });
                }
            }
            Gate::ShellPath | Gate::Tool | Gate::Call => {}
        }
        if let Some(command) = &intent.command {
            if command.text.trim() != value.trim() {
                out.push(Evidence::new("full command", command.text.as_str()));
            }
        } else if effect.gate == Gate::Tool
            && effect.surface != "skill"
            && let Some(text) =
                (call.preview.clone()).or_else(|| preview(call.name.trim(), &call.input))
            && !text.is_empty()
        {
            out.push(Evidence::new("input", text));
        }
        // One question for everything that asks: what else it is about.
        for other in &self.effects {
            let shown = std::ptr::eq(other, effect)
                || other.gate == Gate::ShellExternal && effect.gate == Gate::ShellExternal;
            if other.verdict != Action::Ask || effect.verdict != Action::Ask || shown {
                continue;
            }
            out.push(Evidence {
                detail: other.pattern.clone().map(|p| format!("rule {p}")),
                ..Evidence::new(
                    "also asks",
                    format!("{}: {}", other.asked_surface, other.value),
                )
            });
        }
        if let Some(command) = &intent.command {
            for fact in &command.analysis.facts {
                out.push(Evidence::new(&fact.label, fact.text.as_str()));
            }
        }
        for floor in &self.floors {
            if !floor.note.is_empty() {
                out.push(Evidence::new("note", floor.note.as_str()));
            }
        }
        out
    }

    fn same_question<'s>(
        &'s self,
        effect: &'s JudgedEffect,
        gate: Gate,
    ) -> impl Iterator<Item = &'s JudgedEffect> {
        self.effects
            .iter()
            .filter(move |other| other.gate == gate && other.verdict == effect.verdict)
    }
}

fn asking_unit(effect: &JudgedEffect) -> AskingUnit {
    AskingUnit {
        surface: effect.asked_surface.clone(),
        value: effect.value.clone(),
        floor: effect.floor,
        match_values: if effect.match_values.is_empty() {
            vec![effect.value.clone()]
        } else {
            effect.match_values.clone()
        },
        boundary: effect.boundary.clone(),
    }
}

fn nothing_judged(surface: &str) -> Deciding {
    Deciding {
        surface: surface.to_owned(),
        value: String::new(),
        pattern: None,
        action: Action::Ask,
        origin: Origin::of(Scope::Builtin),
        floor: None,
        reason: None,
        decided_by: DecidedBy::Default,
    }
}

/// A call that is no call (rung 1).
fn malformed(name: &str, message: String) -> Decision {
    Decision {
        verdict: Action::Deny,
        deciding: Deciding {
            surface: name.to_owned(),
            value: name.to_owned(),
            pattern: None,
            action: Action::Deny,
            origin: Origin::of(Scope::Builtin),
            floor: None,
            reason: Some(message.clone()),
            decided_by: DecidedBy::Malformed,
        },
        effects: Vec::new(),
        deciding_effect: None,
        floors: Vec::new(),
        asking: Vec::new(),
        suggestions: Vec::new(),
        payload: None,
        message: Some(message),
    }
}
