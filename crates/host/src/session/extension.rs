//! What an extension in a host needs besides the gate: the variables that
//! child processes inherit, skills started by name, and questions of other
//! extensions about the policy.

use countersign_engine::{AskingUnit, Decision, JudgedEffect, judge_skill};
use countersign_forward::sign::ANSWER_KEY_VARIABLE;
use countersign_intent::ToolCall;
use countersign_policy::{Action, Family};
use serde_json::{Value, json};

use super::{CallContext, Gate, Session, View};

/// The variable by which a child process finds its parent (seed 000).
const PARENT_VARIABLE: &str = "PI_SUBAGENT_PARENT_SESSION";

/// Surfaces whose value is a path, by the tool that reads or writes it.
const PATH_TOOLS: [&str; 6] = ["read", "write", "edit", "grep", "find", "ls"];

impl Session {
    /// What child processes shall inherit: this session as their parent, and
    /// the key of its answers. Nothing while it does not serve, or where the
    /// user turned it off.
    #[must_use]
    pub fn exports(&self) -> Vec<(&'static str, String)> {
        if !self.snapshot().settings.export_session() {
            return Vec::new();
        }
        match self.answer_key() {
            Some(key) => vec![
                (PARENT_VARIABLE, self.id().to_owned()),
                (ANSWER_KEY_VARIABLE, key),
            ],
            None => Vec::new(),
        }
    }

    /// Decides an input of the person that may start a skill
    /// (`/skill:<name> …`); any other input is allowed.
    pub fn gate_input(&self, text: &str) -> Gate {
        let Some(name) = skill_name(text) else {
            return Gate::Allow;
        };
        let view = self.view();
        let decision = judge_skill(name, &view.scene(), &self.facts);
        let call = ToolCall::new("skill", json!({ "name": name }));
        self.conclude(&view, decision, &call, &CallContext::default())
    }

    /// What the policy says of a surface and a value, for another extension
    /// (spec 06 §2.1). Nothing is recorded, and nobody is asked.
    #[must_use]
    pub fn query(&self, surface: &str, value: Option<&str>, agent: Option<&str>) -> Value {
        let own = self.view();
        let view = match agent {
            Some(agent) => self.view_for(Some(agent.to_owned())),
            None => own,
        };
        let call = match value {
            Some(value) if surface == "bash" => {
                Some(ToolCall::new("bash", json!({ "command": value })))
            }
            Some(value) if PATH_TOOLS.contains(&surface) => {
                Some(ToolCall::new(surface, json!({ "path": value })))
            }
            _ => None,
        };
        if let Some(call) = call {
            return described(surface, &self.decide_with(&view, &call));
        }
        if let (Some(value), Some(family)) = (value, Family::of(surface)) {
            return self.described_path(surface, family, value, &view);
        }
        if let Some(target) = value.filter(|_| surface == "mcp") {
            let call = ToolCall::new("mcp", json!({ "tool": target }));
            return described(surface, &self.decide_with(&view, &call));
        }
        if let Some(name) = value.filter(|_| surface == "skill") {
            return described(surface, &judge_skill(name, &view.scene(), &self.facts));
        }
        let policy = &view.snapshot.policy;
        let said = policy.surface_state(surface);
        let rule = said.rule.and_then(|at| policy.rules().get(at));
        json!({
            "toolName": surface,
            "state": said.action.as_str(),
            "source": if rule.is_some() { source(surface) } else { "default" },
            "origin": rule.map(|rule| rule.origin.scope.as_str()),
            "matchedPattern": rule.map(|rule| rule.pattern.clone()),
        })
    }

    /// What the gates of a path family say of one path, as a tool of that
    /// direction would meet them.
    fn described_path(&self, surface: &str, family: Family, path: &str, view: &View) -> Value {
        let tool = match surface {
            _ if surface == family.read() => "read",
            _ if surface == family.write() => "write",
            _ => "edit",
        };
        let call = ToolCall::new(tool, json!({ "path": path }));
        let decision = self.decide_with(view, &call);
        let of_family = |effect: &&JudgedEffect| Family::of(&effect.surface) == Some(family);
        let strictest = decision
            .effects
            .iter()
            .filter(of_family)
            .max_by_key(|e| e.verdict);
        match strictest {
            Some(effect) => json!({
                "toolName": effect.surface,
                "state": effect.verdict.as_str(),
                "source": effect.source(),
                "origin": effect.origin.scope.as_str(),
                "matchedPattern": effect.pattern,
            }),
            // No rule speaks of the path, so the gate is silent.
            None => json!({
                "toolName": surface,
                "state": Action::Allow.as_str(),
                "source": "default",
                "origin": "builtin",
            }),
        }
    }

    /// Writes an entry of another extension to the review or the debug log.
    pub fn note(&self, event: &str, fields: Value, debug: bool) {
        if debug {
            self.log_debug(event, || fields);
        } else {
            self.log_review(event, fields);
        }
    }

    /// The tools of `active` that the model need not see, because nothing of
    /// them can be allowed.
    #[must_use]
    pub fn hidden_tools<'a>(&self, active: &'a [String]) -> Vec<&'a str> {
        let hidden = active
            .iter()
            .filter(|tool| self.tool_fully_denied(tool, None));
        hidden.map(String::as_str).collect()
    }
}

fn described(surface: &str, decision: &Decision) -> Value {
    let deciding = &decision.deciding;
    let effect = decision
        .deciding_effect
        .and_then(|at| decision.effects.get(at));
    let mut answer = json!({
        "toolName": surface,
        "state": decision.verdict.as_str(),
        "source": effect.map_or("tool", JudgedEffect::source),
        "origin": deciding.origin.scope.as_str(),
    });
    let mut put = |key: &str, value: Option<&str>| {
        if let (Some(value), Some(members)) = (value, answer.as_object_mut()) {
            members.insert(key.to_owned(), Value::from(value));
        }
    };
    put("matchedPattern", deciding.pattern.as_deref());
    put("floor", deciding.floor);
    if decision.verdict == Action::Deny {
        put("reason", deciding.reason.as_deref());
    }
    if let Some(payload) = &decision.payload {
        put("commandContext", payload.command_context.as_deref());
        put("executedUnit", payload.executed_unit.as_deref());
    }
    if surface == "mcp" {
        put("target", Some(&deciding.value));
    }
    if surface == "bash" {
        put("command", Some(&deciding.value));
        let units: Vec<Value> = decision.asking.iter().map(asking_unit).collect();
        if !units.is_empty()
            && let Some(members) = answer.as_object_mut()
        {
            members.insert("askingUnits".to_owned(), Value::from(units));
        }
    }
    answer
}

fn asking_unit(unit: &AskingUnit) -> Value {
    match unit.floor {
        Some(floor) => json!({ "command": unit.value, "floor": floor }),
        None => json!({ "command": unit.value }),
    }
}

fn source(surface: &str) -> &'static str {
    match surface {
        "bash" => "bash",
        "mcp" => "mcp",
        "skill" => "skill",
        "path"
        | "path_read"
        | "path_write"
        | "external_directory"
        | "external_directory_read"
        | "external_directory_write" => "special",
        _ => "tool",
    }
}

/// The skill that an input starts.
fn skill_name(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix("/skill:")?;
    let name = rest.split_whitespace().next().unwrap_or_default();
    (!name.is_empty() && rest.starts_with(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::skill_name;

    #[test]
    fn an_input_names_the_skill_it_starts() {
        for (text, expected) in [
            ("/skill:librarian", Some("librarian")),
            ("  /skill:librarian find it", Some("librarian")),
            ("/skill:a/b", Some("a/b")),
            ("/skill: librarian", None),
            ("/skill:", None),
            ("use /skill:librarian", None),
        ] {
            assert_eq!(skill_name(text), expected, "{text}");
        }
    }
}
