//! A waiting ask as a question to a person (spec 04 §4).

use countersign_config::dialog_keys::Decision as DialogKey;
use countersign_engine::{AskPayload, Decision};
use countersign_forward::wire::{Decider, Hop, LinkVerdict};
use countersign_policy::Scope;
use serde_json::Value;

use crate::dialog::{Bindings, Budget, Content, Dialog, Fact, Lasting, Subagent};
use crate::forwarding::Waiting;

use super::api::{Forwarding, Question};
use super::asks::About;
use super::{Session, View, lock};

/// The dialog of an ask, and what a front end that can only offer a list
/// shows instead.
pub(super) fn make(
    request_id: &str,
    about: &About,
    view: &View,
    session: &Session,
) -> (Dialog, Question) {
    let settings = &view.snapshot.settings;
    let content = match about {
        About::Own(own) => {
            let suggestions = &own.decision.suggestions;
            let pairs: Vec<(&str, &str)> = suggestions
                .iter()
                .map(|s| (s.surface.as_str(), s.pattern.as_str()))
                .collect();
            Content {
                title: "Permission Required".to_owned(),
                facts: own_facts(&own.decision),
                session_label: session_label(&pairs),
                family_label: family_label(&pairs),
                lasting: lasting(session, view),
                subagent: None,
            }
        }
        About::Child(question) => {
            let request = &question.request;
            let suggestions = super::serve::suggestions(request);
            let pairs: Vec<(&str, &str)> = suggestions
                .iter()
                .map(|s| (s.surface.as_str(), s.pattern.as_str()))
                .collect();
            let subagent = pairs.first().map(|_| Subagent {
                name: request.requester_agent_name.clone(),
                grant: in_words(&pairs),
            });
            Content {
                title: "Permission Required (Subagent)".to_owned(),
                facts: child_facts(question),
                session_label: session_label(&pairs),
                family_label: None,
                lasting: lasting(session, view),
                subagent,
            }
        }
    };
    let forwarding = match about {
        About::Own(_) => None,
        About::Child(question) => Some(Forwarding {
            requester_agent_name: question.request.requester_agent_name.clone(),
            requester_session_id: question.request.requester_session_id.clone(),
            through: through(&question.request.lineage),
            cwd: (question.request.access_intent.as_ref()).and_then(|it| it.requester_cwd.clone()),
        }),
    };
    let keys = settings.permission_dialog_keys();
    let bindings = Bindings {
        approve: keys.key(DialogKey::Approve),
        approve_session: keys.key(DialogKey::ApproveSession),
        approve_session_both: keys.key(DialogKey::ApproveSessionBoth),
        deny: keys.key(DialogKey::Deny),
        deny_with_reason: keys.key(DialogKey::DenyWithReason),
    };
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let budget = Budget {
        rows: size(settings.prompt_max_rows()),
        field: size(settings.prompt_field_max_width()),
    };
    let title = content.title.clone();
    let facts = content.facts.clone();
    let grant = content.subagent.as_ref().map(|it| it.grant.clone());
    let dialog = Dialog::new(
        content,
        bindings,
        settings.double_press_to_confirm(),
        budget,
    );
    let question = Question {
        request_id: request_id.to_owned(),
        title,
        text: dialog.text(),
        options: dialog.labels(),
        reach_options: dialog.reach_labels(),
        facts,
        grant,
        offers: dialog.offers(),
        forwarding,
    };
    (dialog, question)
}

fn through(lineage: &[Hop]) -> Vec<(String, Option<String>)> {
    let hop = |hop: &Hop| (hop.session_id.clone(), hop.agent_name.clone());
    lineage.iter().map(hop).collect()
}

/// Lasting grants are offered where the scope that would take them is valid,
/// and in a project only where it is trusted.
fn lasting(session: &Session, view: &View) -> Lasting {
    let trusted = lock(&session.context).trusted;
    let invalid = &view.snapshot.invalid;
    Lasting {
        project: trusted && !invalid.contains(&Scope::Project),
        everywhere: !invalid.contains(&Scope::Global),
    }
}

/// The facts of the invariant core, in the order of spec 04 §4.1.
struct Core<'a> {
    kind: &'a str,
    who: Option<(&'static str, String)>,
    tool: Option<&'a str>,
    invoked: Option<&'a str>,
    surface: &'a str,
    rule: Option<&'a str>,
    value: &'a str,
    runs: Option<&'a str>,
    context: Option<&'a str>,
}

impl Core<'_> {
    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut push = |label: &str, text: String, flagged: bool| {
            facts.push(Fact {
                label: label.to_owned(),
                text,
                detail: None,
                core: true,
                flagged,
            });
        };
        if let Some((label, text)) = &self.who {
            push(label, text.clone(), false);
        }
        if let Some(tool) = self.tool {
            let text = match self.invoked.filter(|invoked| *invoked != tool) {
                Some(invoked) => format!("{tool} (invoked as {invoked})"),
                None => tool.to_owned(),
            };
            push("tool", text, false);
        }
        let value_label = match self.kind {
            "bash" | "bash_external_directory" => "command",
            "mcp" => "target",
            "tool" => "tool",
            "path" | "external_directory" => "path",
            "skill" | "skill_read" => "skill",
            _ if self.surface == "bash" => "command",
            _ => "value",
        };
        if Some(self.surface) != self.tool && self.surface != value_label {
            push("surface", self.surface.to_owned(), false);
        }
        if let Some(rule) = self.rule {
            push("rule", rule.to_owned(), false);
        }
        if !self.value.is_empty() && Some(self.value) != self.tool {
            let flagged = self.kind != "bash_external_directory";
            push(value_label, self.value.to_owned(), flagged);
        }
        if let Some(runs) = self.runs {
            push("runs", runs.to_owned(), false);
        }
        if let Some(context) = self.context {
            push("context", context.replace('_', " "), false);
        }
        facts
    }
}

fn own_facts(decision: &Decision) -> Vec<Fact> {
    let mut facts = decision
        .payload
        .as_deref()
        .map(payload_facts)
        .unwrap_or_default();
    for unit in &decision.asking {
        show_unit(&mut facts, &unit.surface, &unit.value, unit.floor);
    }
    facts
}

/// Whatever an approval answers for must be seen: a unit that no other fact
/// shows becomes one of its own, which is never left out.
fn show_unit(facts: &mut Vec<Fact>, surface: &str, value: &str, floor: Option<&str>) {
    let seen = |fact: &Fact| {
        fact.core && (fact.text == value || fact.text.split('\n').any(|line| line == value))
            || fact.label == "external path" && fact.text == value
    };
    if value.is_empty() || facts.iter().any(seen) {
        return;
    }
    let text = match surface {
        "bash" => value.to_owned(),
        surface => format!("{surface} {value}"),
    };
    facts.push(Fact {
        label: "also".to_owned(),
        text,
        detail: floor.map(str::to_owned),
        core: true,
        flagged: true,
    });
}

fn payload_facts(payload: &AskPayload) -> Vec<Fact> {
    let core = Core {
        kind: payload.kind.as_str(),
        who: payload.agent_name.clone().map(|name| ("agent", name)),
        tool: payload.tool_name.as_deref(),
        invoked: payload.invoked_tool_name.as_deref(),
        surface: &payload.surface,
        rule: payload.matched_pattern.as_deref(),
        value: &payload.value,
        runs: payload.executed_unit.as_deref(),
        context: payload.command_context.as_deref(),
    };
    let mut facts = core.facts();
    facts.extend(payload.evidence.iter().map(|evidence| Fact {
        label: evidence.label.clone(),
        text: evidence.text.clone(),
        detail: evidence.detail.clone(),
        core: false,
        flagged: evidence.label == "external path",
    }));
    facts
}

/// Who asks, in words.
fn asker(agent: &str, session_id: &str, lineage: &[Hop]) -> String {
    let session = match session_id {
        "unknown" | "" => String::new(),
        id => format!(" · session {id}"),
    };
    let through = match lineage {
        [] => String::new(),
        hops => {
            let names = hops
                .iter()
                .map(|hop| hop.agent_name.as_deref().unwrap_or(&hop.session_id));
            format!(" · through {}", names.collect::<Vec<_>>().join(" → "))
        }
    };
    format!("{agent}{session}{through}")
}

/// The facts of a child's question, from its payload where it sent one.
fn child_facts(question: &Waiting) -> Vec<Fact> {
    let request = &question.request;
    let who = asker(
        &request.requester_agent_name,
        &request.requester_session_id,
        &request.lineage,
    );
    let empty = Value::Null;
    let payload = request.payload.as_ref();
    let fact = |key: &str| {
        payload
            .and_then(|p| p.get("request"))
            .and_then(|r| r.get(key))
    };
    let text = |key: &str| fact(key).and_then(Value::as_str);
    let core = match payload {
        Some(payload) => Core {
            kind: payload
                .get("kind")
                .and_then(Value::as_str)
                .unwrap_or("forwarded"),
            who: Some(("subagent", who)),
            tool: text("toolName"),
            invoked: text("invokedToolName"),
            surface: text("surface")
                .or(request.surface.as_deref())
                .unwrap_or("unknown"),
            rule: text("matchedPattern"),
            value: text("value").or(request.value.as_deref()).unwrap_or(""),
            runs: text("executedUnit"),
            context: text("commandContext"),
        },
        None => Core {
            kind: "forwarded",
            who: Some(("subagent", who)),
            tool: None,
            invoked: None,
            surface: request.surface.as_deref().unwrap_or("unknown"),
            rule: None,
            value: request.value.as_deref().unwrap_or(""),
            runs: None,
            context: None,
        },
    };
    let mut facts = core.facts();
    // The answer counts for all of them, so all of them are named.
    for other in question.askers.iter().skip(1) {
        facts.push(Fact {
            label: "subagent".to_owned(),
            text: asker(&other.agent_name, &other.session_id, &other.lineage),
            detail: None,
            core: true,
            flagged: false,
        });
    }
    let evidence = payload.and_then(|p| p.get("evidence")).unwrap_or(&empty);
    for item in evidence.as_array().into_iter().flatten() {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        if let (Some(label), Some(value)) = (text("label"), text("text")) {
            // A child fixes its facts; it may not name one of its own lines
            // like a line of the core.
            facts.push(Fact {
                label: crate::dialog::visible(&label.replace('\n', " ")),
                text: value.to_owned(),
                detail: text("detail").map(str::to_owned),
                core: false,
                flagged: label == "external path",
            });
        }
    }
    if let Some(by) = request.child_by.as_deref() {
        facts.push(Fact {
            label: "child".to_owned(),
            text: recognised_by(by),
            detail: None,
            core: false,
            flagged: false,
        });
    }
    let intent = request.access_intent.as_ref();
    for unit in intent
        .and_then(|i| i.asking_units.as_ref())
        .into_iter()
        .flatten()
    {
        show_unit(&mut facts, "bash", &unit.command, unit.floor.as_deref());
    }
    if payload.is_none()
        && let Some(message) = &request.message
    {
        facts.push(Fact {
            label: "message".to_owned(),
            text: message.clone(),
            detail: None,
            core: false,
            flagged: false,
        });
    }
    facts
}

/// How a child was recognised, and whether it guards itself, in words.
fn recognised_by(word: &str) -> String {
    match word {
        "announced" => "announced by its maker".to_owned(),
        "variable" => "its environment names its parent".to_owned(),
        "wrapped" => "made in this process; it has no copy of this extension".to_owned(),
        "inferred" => "started beside this session, announced by nobody".to_owned(),
        "directory" => "its session lies among those of subagents".to_owned(),
        other => other.to_owned(),
    }
}

/// The label of the grant for the session (spec 04 §1.7); `None` where
/// nothing can be granted.
fn session_label(pairs: &[(&str, &str)]) -> Option<String> {
    if pairs.is_empty() {
        return None;
    }
    let what = match pairs {
        [(surface, pattern)] => one_label(surface, pattern),
        _ => in_words(pairs),
    };
    Some(format!("Yes, allow {what} for this session"))
}

fn one_label(surface: &str, pattern: &str) -> String {
    match surface {
        "bash" => format!("bash \"{pattern}\""),
        "mcp" => format!("mcp tool \"{pattern}\""),
        "skill" => format!("skill \"{pattern}\""),
        "external_directory" => format!("access to external directory \"{pattern}\""),
        "external_directory_read" => format!("reads of external directory \"{pattern}\""),
        "external_directory_write" => format!("writes to external directory \"{pattern}\""),
        "path" => format!("path \"{pattern}\""),
        "path_read" => format!("reads of \"{pattern}\""),
        "path_write" => format!("writes to \"{pattern}\""),
        tool if pattern == "*" => format!("tool \"{tool}\""),
        tool => format!("{tool} \"{pattern}\""),
    }
}

fn in_words(pairs: &[(&str, &str)]) -> String {
    let each = pairs.iter().map(|(surface, pattern)| match pairs.len() {
        1 if *surface == "bash" => format!("bash \"{pattern}\""),
        _ => one_label(surface, pattern),
    });
    each.collect::<Vec<_>>().join(" and ")
}

/// The label of the grant for both directions, offered only where every grant
/// is for one and the same direction (spec 04 §1.3).
fn family_label(pairs: &[(&str, &str)]) -> Option<String> {
    let (first, _) = pairs.first()?;
    let family = first
        .strip_suffix("_read")
        .or_else(|| first.strip_suffix("_write"))?;
    if !pairs.iter().all(|(surface, _)| surface == first) {
        return None;
    }
    let patterns: Vec<String> = pairs
        .iter()
        .map(|(_, pattern)| format!("\"{pattern}\""))
        .collect();
    let noun = match family {
        "external_directory" => "external directory ",
        _ => "",
    };
    Some(format!(
        "Yes, allow reads and writes of {noun}{} for this session",
        patterns.join(" and ")
    ))
}

/// Who refused, for the model's text, where it was no person.
pub(super) fn decider_in_words(decider: &Decider) -> String {
    match decider {
        Decider::Rule {
            pattern: Some(pattern),
            ..
        } => format!("The rule '{pattern}' of the session that was asked"),
        Decider::Rule { .. } => "The policy of the session that was asked".to_owned(),
        Decider::Authorizer {
            name,
            verdict: LinkVerdict::Deny,
            ..
        } => format!("The authorizer '{name}'"),
        _ => "The session that was asked".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_the_direction() {
        let label = |pairs: &[(&str, &str)]| session_label(pairs).unwrap();
        assert_eq!(
            label(&[("bash", "git *")]),
            "Yes, allow bash \"git *\" for this session"
        );
        assert_eq!(
            label(&[("external_directory_write", "/tmp/*")]),
            "Yes, allow writes to external directory \"/tmp/*\" for this session"
        );
        assert_eq!(
            label(&[("path_read", "/a/*"), ("path_write", "/b/*")]),
            "Yes, allow reads of \"/a/*\" and writes to \"/b/*\" for this session"
        );
        assert_eq!(
            label(&[("deploy", "*")]),
            "Yes, allow tool \"deploy\" for this session"
        );
        assert_eq!(session_label(&[]), None);
    }

    #[test]
    fn both_directions_are_offered_for_one_direction_only() {
        assert_eq!(
            family_label(&[("path_write", "/a/*")]).as_deref(),
            Some("Yes, allow reads and writes of \"/a/*\" for this session")
        );
        assert_eq!(family_label(&[("path", "/a/*")]), None);
        assert_eq!(
            family_label(&[("path_read", "/a"), ("path_write", "/b")]),
            None
        );
        assert_eq!(family_label(&[("bash", "ls")]), None);
    }
}
