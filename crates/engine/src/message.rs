//! What the agent is told when a call does not run (base 04 §8, seed 000).

use countersign_policy::Action;

use crate::decision::{DecidedBy, Decision};
use crate::need::Need;
use crate::payload::{AskKind, AskPayload};
use crate::preview::cut;
use crate::refusal::Refusal;

const TAG: &str = "[pi-permission-system]";

/// More of a value than this is not repeated to the agent, in characters.
const VALUE_MAX: usize = 400;

pub(crate) const NO_TOOL_NAME: &str = "Tool call was blocked because no tool name was provided. Use a registered tool name from pi.getAllTools().";

pub(crate) fn unregistered(name: &str, registered: &[String]) -> String {
    let mut names: Vec<&str> = registered.iter().map(String::as_str).collect();
    names.sort_unstable();
    let list = if names.is_empty() {
        "none".to_owned()
    } else {
        let more = if names.len() > 10 { ", ..." } else { "" };
        names.truncate(10);
        format!("{}{more}", names.join(", "))
    };
    let hint = if name == "mcp" {
        ""
    } else {
        " To reach a tool of an MCP server, call the registered 'mcp' tool with {\"tool\":\"server:tool\"}."
    };
    format!(
        "Tool '{}' is not registered in this runtime and was blocked before permission checks.{hint} Registered tools: {list}.",
        cut(name, VALUE_MAX)
    )
}

/// The message for a gate that failed: the call is blocked.
#[must_use]
pub fn gate_error_message(error: &str) -> String {
    format!("Permission gate failed and blocked the tool call (fail-closed): {error}")
}

/// The message for the agent. It identifies what was refused by what the agent
/// wrote itself, and names the rule; a second line says what is missing.
#[must_use]
pub fn denial_message(decision: &Decision, refusal: &Refusal) -> String {
    if let Some(message) = &decision.message {
        return message.clone();
    }
    let told = told(decision, refusal);
    match Need::refused(decision, refusal) {
        Some(need) => format!("{told}\n{}", need.line()),
        None => told,
    }
}

fn told(decision: &Decision, refusal: &Refusal) -> String {
    let Some(ask) = decision.payload.as_deref() else {
        let tool = &decision.deciding.surface;
        return match refusal {
            Refusal::Unavailable { reason } => with_reason(
                format!(
                    "{TAG} Using tool '{tool}' requires approval, but no interactive UI is available."
                ),
                reason.as_deref(),
            ),
            _ => format!("{TAG} is not permitted to run '{tool}'."),
        };
    };
    match refusal {
        Refusal::Policy => with_reason(
            format!("{TAG} {}", policy(decision, ask)),
            decision.deciding.reason.as_deref(),
        ),
        Refusal::User { reason } => with_reason(
            format!("{TAG} User denied {}.", denied(ask)),
            reason.as_deref(),
        ),
        Refusal::Authority { name, reason } => with_reason(
            format!("{TAG} {name} denied {}.", denied(ask)),
            reason.as_deref(),
        ),
        Refusal::Unavailable { reason } => {
            with_reason(format!("{TAG} {}", unavailable(ask)), reason.as_deref())
        }
    }
}

fn with_reason(text: String, reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|r| !r.is_empty()) {
        None => text,
        Some(reason) if reason.ends_with(['.', '!', '?']) => format!("{text} Reason: {reason}"),
        Some(reason) => format!("{text} Reason: {reason}."),
    }
}

fn shown(value: &str) -> String {
    cut(value, VALUE_MAX)
}

fn tool(ask: &AskPayload) -> &str {
    ask.tool_name.as_deref().unwrap_or(&ask.surface)
}

/// ` (resolves to 'x')` for a path that leads elsewhere.
fn resolved(decision: &Decision) -> String {
    decision
        .deciding_effect
        .and_then(|at| decision.effects.get(at)?.resolved.as_deref())
        .map_or_else(String::new, |real| {
            format!(" (resolves to '{}')", shown(real))
        })
}

fn qualifier(decision: &Decision, ask: &AskPayload) -> String {
    let rule = ask
        .matched_pattern
        .as_deref()
        .map(|pattern| format!("matched '{}'", shown(pattern)));
    let context = ask
        .command_context
        .as_deref()
        .map(|context| format!("inside {}", context.replace('_', " ")));
    let line = decision
        .deciding
        .origin
        .path
        .as_deref()
        .filter(|_| decision.deciding.decided_by == DecidedBy::Rule)
        .map(|_| format!("{} rule", decision.deciding.origin.scope.as_str()));
    let parts: Vec<String> = [rule, context, line].into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

fn working_directory(ask: &AskPayload) -> &str {
    ask.evidence
        .iter()
        .find(|e| e.label == "working directory")
        .map_or("", |e| e.text.as_str())
}

fn external_paths(ask: &AskPayload) -> String {
    let paths: Vec<String> = ask
        .evidence
        .iter()
        .filter(|e| e.label == "external path")
        .map(|e| match &e.detail {
            Some(real) => format!("'{}' (resolves to '{}')", shown(&e.text), shown(real)),
            None => format!("'{}'", shown(&e.text)),
        })
        .collect();
    paths.join(", ")
}

fn policy(decision: &Decision, ask: &AskPayload) -> String {
    debug_assert!(decision.verdict != Action::Allow);
    let subject = ask
        .agent_name
        .as_deref()
        .map_or_else(String::new, |agent| format!("Agent '{agent}' "));
    let value = shown(&ask.value);
    let tool = tool(ask);
    let qualifier = qualifier(decision, ask);
    let what = match ask.kind {
        AskKind::Bash => format!("run 'bash' command '{value}'"),
        AskKind::Mcp => format!("run MCP target '{value}'"),
        AskKind::Tool => format!("run '{tool}'"),
        AskKind::Path => format!(
            "access path '{value}'{} via tool '{tool}'",
            resolved(decision)
        ),
        AskKind::ExternalDirectory => format!(
            "run tool '{tool}' for path '{value}'{} outside working directory '{}'",
            resolved(decision),
            working_directory(ask)
        ),
        AskKind::BashExternalDirectory => format!(
            "run bash command '{value}' which references path(s) outside working directory '{}': {}",
            working_directory(ask),
            external_paths(ask)
        ),
        AskKind::Skill => format!("access skill '{value}'"),
        AskKind::SkillRead => format!(
            "access skill '{value}' via '{}'",
            ask.evidence.first().map_or("", |e| e.text.as_str())
        ),
    };
    format!("{subject}is not permitted to {what}{qualifier}.")
}

fn denied(ask: &AskPayload) -> String {
    let value = shown(&ask.value);
    let tool = tool(ask);
    match ask.kind {
        AskKind::Bash if value.is_empty() => "tool 'bash'".to_owned(),
        AskKind::Bash => format!("bash command '{value}'"),
        AskKind::Mcp => format!("MCP target '{value}'"),
        AskKind::Tool => format!("tool '{tool}'"),
        AskKind::Path if tool == "bash" => {
            format!("path access for a bash command (path '{value}')")
        }
        AskKind::Path => format!("access to path '{value}'"),
        AskKind::ExternalDirectory => {
            format!("external directory access for tool '{tool}' path '{value}'")
        }
        AskKind::BashExternalDirectory => {
            format!("external directory access for bash command '{value}'")
        }
        AskKind::Skill | AskKind::SkillRead => format!("access to skill '{value}'"),
    }
}

fn unavailable(ask: &AskPayload) -> String {
    let value = shown(&ask.value);
    let tool = tool(ask);
    let what = match ask.kind {
        AskKind::Bash if value.is_empty() => "Using tool 'bash'".to_owned(),
        AskKind::Bash => format!("Running bash command '{value}'"),
        AskKind::Mcp | AskKind::Tool => format!("Using tool '{tool}'"),
        AskKind::Path if tool == "bash" => {
            return format!(
                "A bash command accesses path '{value}' which requires approval, but no interactive UI is available."
            );
        }
        AskKind::Path => format!("Accessing '{value}'"),
        AskKind::ExternalDirectory => {
            format!("Accessing '{value}' outside the working directory")
        }
        AskKind::BashExternalDirectory => {
            return format!(
                "Bash command '{value}' references path(s) outside the working directory and requires approval, but no interactive UI is available."
            );
        }
        AskKind::Skill | AskKind::SkillRead => format!("Accessing skill '{value}'"),
    };
    format!("{what} requires approval, but no interactive UI is available.")
}
