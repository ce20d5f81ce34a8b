//! What the review log and the event bus are told (spec 04 §6 and §8, spec 06
//! §3). An entry and the event about the same ask share its id.

use countersign_engine::{DecidedBy, Deciding, Decision, Gate, Need, Refusal};
use countersign_forward::wire::{Decider, Request};
use countersign_intent::ToolCall;
use countersign_policy::Action;
use serde_json::{Map, Value, json};

use crate::dialog::Reach;
use crate::review_log::{CALL_MEMBER, CALL_PARTIAL};

use super::asks::{About, Ending, OwnCall, Pending};
use super::forward::session_approval;
use super::{Session, View};

/// Who decided a call that needed no answer.
pub(super) fn decider_of(deciding: &Deciding) -> Decider {
    match deciding.decided_by {
        DecidedBy::Grant => Decider::SessionApproval {
            surface: deciding.surface.clone(),
            pattern: deciding.pattern.clone(),
        },
        DecidedBy::Yolo => Decider::Yolo {
            pattern: deciding.pattern.clone(),
        },
        DecidedBy::Infrastructure => Decider::InfrastructureRead,
        DecidedBy::Malformed => Decider::GateError {
            reason: "the call names no registered tool".to_owned(),
        },
        DecidedBy::Rule | DecidedBy::Default | DecidedBy::Floor | DecidedBy::SelfProtection => {
            Decider::Rule {
                surface: deciding.surface.clone(),
                pattern: deciding.pattern.clone(),
                origin: Some(deciding.origin.scope.as_str().to_owned()),
                reason: deciding.reason.clone(),
            }
        }
    }
}

/// The word in the event's `resolution` (spec 04 §6).
fn resolution(decider: &Decider, approved: bool, granted: bool) -> &'static str {
    match decider {
        Decider::Rule { .. } if approved => "policy_allow",
        Decider::Rule { .. } => "policy_deny",
        Decider::SessionApproval { .. } => "session_approved",
        Decider::InfrastructureRead => "infrastructure_auto_allowed",
        Decider::Yolo { .. } => "auto_approved",
        Decider::Authorizer { .. } if approved => "authorizer_allowed",
        Decider::Authorizer { .. } => "authorizer_denied",
        Decider::Unavailable { .. } => "confirmation_unavailable",
        Decider::GateError { .. } => "gate_error",
        Decider::Forwarded { .. } => match decider.effective() {
            Some(inner) => resolution(inner, approved, granted),
            None => user_resolution(approved, granted),
        },
        Decider::User { .. } => user_resolution(approved, granted),
    }
}

fn user_resolution(approved: bool, granted: bool) -> &'static str {
    match (approved, granted) {
        (true, true) => "user_approved_for_session",
        (true, false) => "user_approved",
        (false, _) => "user_denied",
    }
}

/// The members that say what a call is about. Absent ones are null.
fn call_facts(call: &ToolCall, decision: &Decision) -> Map<String, Value> {
    let payload = decision.payload.as_deref();
    let kind = payload.map(|p| p.kind.as_str()).unwrap_or_default();
    let value = &decision.deciding.value;
    let command = call.input.get("command").and_then(Value::as_str);
    let path = match kind {
        "path" | "external_directory" => Some(value.clone()),
        _ => call
            .input
            .get("path")
            .and_then(Value::as_str)
            .map(str::to_owned),
    };
    let preview = payload.and_then(|payload| {
        let input = payload
            .evidence
            .iter()
            .find(|evidence| evidence.label == "input");
        input.map(|evidence| evidence.text.clone())
    });
    let mut map = Map::new();
    map.insert("surface".into(), json!(decision.deciding.surface));
    map.insert("matchedPattern".into(), json!(decision.deciding.pattern));
    map.insert(
        "origin".into(),
        json!(decision.deciding.origin.scope.as_str()),
    );
    if let Some(payload) = payload {
        for (key, value) in [
            ("executedUnit", &payload.executed_unit),
            ("commandContext", &payload.command_context),
            ("invokedToolName", &payload.invoked_tool_name),
        ] {
            if let Some(value) = value {
                map.insert(key.into(), json!(value));
            }
        }
    }
    if let Some(floor) = decision.deciding.floor {
        map.insert("floor".into(), json!(floor));
    }
    let skill = matches!(kind, "skill" | "skill_read").then(|| value.clone());
    let target = (kind == "mcp").then(|| value.clone());
    map.insert("toolName".into(), json!(call.name));
    map.insert("skillName".into(), json!(skill));
    map.insert("path".into(), json!(path));
    map.insert("command".into(), json!(command));
    map.insert("target".into(), json!(target));
    map.insert("toolInputPreview".into(), json!(preview));
    let paths: Vec<&str> = decision
        .effects
        .iter()
        .filter(|effect| effect.verdict != Action::Allow)
        .filter_map(|effect| effect.lexical.as_deref())
        .collect();
    if paths.len() > 1 {
        map.insert("externalPaths".into(), json!(paths));
    }
    map
}

/// The call itself, for `countersign replay`: what the gate reads of it, where
/// it was made, and whether it can be made again from that.
fn recorded_call(call: &ToolCall, decision: &Decision, cwd: &str, trusted: bool) -> Value {
    let mut map = Map::new();
    // Of the file tools only the path is judged; what is written would fill
    // the log.
    let input = match (call.name.as_str(), &call.input) {
        ("read" | "write" | "edit" | "grep" | "find" | "ls", Value::Object(input)) => input
            .iter()
            .filter(|(name, _)| matches!(name.as_str(), "path" | "file_path"))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into(),
        (_, input) => input.clone(),
    };
    map.insert("input".into(), input);
    map.insert("cwd".into(), json!(cwd));
    if !trusted {
        map.insert("trusted".into(), json!(false));
    }
    // What these were judged by is in the session, not in the call.
    if decision.effects.iter().any(|e| e.gate == Gate::SkillRead) {
        map.insert(CALL_PARTIAL.into(), json!("skill"));
    } else if call.extracted_path.is_some() {
        map.insert(CALL_PARTIAL.into(), json!("extractor"));
    }
    map.into()
}

/// The members that say what a child's question is about.
fn request_facts(request: &Request) -> Map<String, Value> {
    let fact = |key: &str| {
        let request = request.payload.as_ref().and_then(|p| p.get("request"));
        request
            .and_then(|r| r.get(key))
            .cloned()
            .unwrap_or(Value::Null)
    };
    let mut map = Map::new();
    map.insert("forwarded".into(), json!(true));
    map.insert(
        "requesterSessionId".into(),
        json!(request.requester_session_id),
    );
    map.insert(
        "requesterAgentName".into(),
        json!(request.requester_agent_name),
    );
    map.insert("targetSessionId".into(), json!(request.target_session_id));
    map.insert("surface".into(), json!(request.surface));
    map.insert("value".into(), json!(request.value));
    map.insert("toolName".into(), fact("toolName"));
    map.insert("matchedPattern".into(), fact("matchedPattern"));
    map
}

fn source(about: &About) -> &'static str {
    match about {
        About::Own(own) => match own.decision.payload.as_deref().map(|p| p.kind.as_str()) {
            Some("skill") => "skill_input",
            Some("skill_read") => "skill_read",
            _ => "tool_call",
        },
        About::Child(question) => question.request.source.unwrap_or_default().as_str(),
    }
}

fn about_facts(request_id: &str, about: &About) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("requestId".into(), json!(request_id));
    map.insert("source".into(), json!(source(about)));
    match about {
        About::Own(own) => {
            map.insert("agentName".into(), json!(own.agent));
            map.insert("toolCallId".into(), json!(own.context.tool_call_id));
            if let Some(parent) = &own.context.parent_tool_call_id {
                map.insert("parentToolCallId".into(), json!(parent));
            }
            map.extend(call_facts(&own.call, &own.decision));
        }
        About::Child(question) => {
            let request = &question.request;
            map.insert("agentName".into(), json!(request.requester_agent_name));
            map.extend(request_facts(request));
            if question.askers.len() > 1 {
                let ids: Vec<&str> = question
                    .askers
                    .iter()
                    .map(|a| a.request_id.as_str())
                    .collect();
                map.insert("requestIds".into(), json!(ids));
            }
        }
    }
    map
}

/// Surface and value as they are shown (spec 06 §3.2), which may differ from
/// the surface of the gate.
fn display(call: &ToolCall, decision: &Decision) -> (String, String) {
    let payload = decision.payload.as_deref();
    let kind = payload.map(|p| p.kind.as_str()).unwrap_or_default();
    if matches!(kind, "skill" | "skill_read") {
        return ("skill".to_owned(), decision.deciding.value.clone());
    }
    let tool = payload.and_then(|p| p.tool_name.clone());
    let input = |key: &str| {
        call.input
            .get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let surface = tool.unwrap_or_else(|| call.name.clone());
    let value = input("command")
        .or_else(|| input("path"))
        .unwrap_or_else(|| decision.deciding.value.clone());
    (surface, value)
}

/// Adds what a call lacks that does not run.
fn add_need(fields: &mut Map<String, Value>, need: Option<Need>) {
    if let Some(need) = need {
        fields.insert("needsCapability".into(), need.to_json());
    }
}

/// What a call of this session lacks after its question ended.
fn need_after(own: &OwnCall, ending: &Ending) -> Option<Need> {
    (!ending.approved)
        .then(|| Need::refused(&own.decision, &super::asking::refusal(ending)))
        .flatten()
}

impl Session {
    pub(super) fn log_waiting(&self, request_id: &str, about: &About) {
        let mut fields = about_facts(request_id, about);
        fields.insert("resolution".into(), Value::Null);
        fields.insert("denialReason".into(), Value::Null);
        if let Some(detection) = self.detection() {
            fields.insert("childBy".into(), json!(detection.as_str()));
        }
        self.log_review("permission_request.waiting", Value::Object(fields));
    }

    pub(super) fn log_ended(
        &self,
        request_id: &str,
        pending: &Pending,
        ending: &Ending,
        grant: Option<(Reach, bool)>,
    ) {
        // What becomes of a child's question is in the server's own entries.
        let About::Own(own) = &pending.about else {
            return;
        };
        let word = if ending.approved {
            "approved"
        } else {
            "denied"
        };
        let mut fields = about_facts(request_id, &pending.about);
        fields.insert("resolution".into(), json!(ending.state));
        fields.insert("denialReason".into(), json!(ending.reason));
        fields.insert("decidedBy".into(), ending.decider.to_json());
        add_need(&mut fields, need_after(own, ending));
        if let Some((reach, both)) = grant
            && reach != Reach::Once
            && !pending.suggestions.is_empty()
        {
            let patterns: Vec<&str> = pending
                .suggestions
                .iter()
                .map(|s| s.pattern.as_str())
                .collect();
            fields.insert("sessionApprovalPattern".into(), json!(patterns.join(", ")));
            let width = if both { "family" } else { "proven" };
            fields.insert("sessionGrantWidth".into(), json!(width));
        }
        if let About::Own(own) = &pending.about {
            let call = recorded_call(&own.call, &own.decision, &own.cwd, own.trusted);
            fields.insert(CALL_MEMBER.into(), call);
        }
        self.log_review(&format!("permission_request.{word}"), Value::Object(fields));
    }

    /// A call that needed no answer. A plain rule leaves no entry, as ever.
    pub(super) fn record_allowed(
        &self,
        view: &View,
        decision: &Decision,
        call: &ToolCall,
        tool_call_id: &str,
    ) {
        let deciding = &decision.deciding;
        let word = match deciding.decided_by {
            DecidedBy::Grant => Some("session_approved"),
            DecidedBy::Yolo => Some("auto_approved"),
            DecidedBy::Infrastructure => Some("infrastructure_auto_allowed"),
            _ => None,
        };
        let request_id = if tool_call_id.is_empty() {
            super::asking::new_request_id()
        } else {
            format!("perm-{tool_call_id}")
        };
        if let Some(word) = word {
            let mut fields = self.settled_facts(&request_id, view, decision, call, tool_call_id);
            fields.insert("resolution".into(), json!(word));
            if deciding.decided_by == DecidedBy::Grant {
                fields.insert("sessionApprovalPattern".into(), json!(deciding.pattern));
            }
            fields.insert("decidedBy".into(), decider_of(deciding).to_json());
            let event = format!("permission_request.{word}");
            self.log_review(&event, Value::Object(fields));
        }
        let event = self.settled_event(&request_id, view, decision, call);
        self.tell_decision(event, None);
    }

    /// Broadcasts a decision, and remembers it for the person.
    pub(super) fn tell_decision(&self, event: Value, reason: Option<String>) {
        super::lock(&self.recent).decided(event.clone(), reason);
        self.front.event("permissions:decision", event);
    }

    /// A call that a rule refuses. The message for the model.
    pub(super) fn record_refused(
        &self,
        view: &View,
        decision: &Decision,
        call: &ToolCall,
        tool_call_id: &str,
    ) -> String {
        let request_id = super::asking::new_request_id();
        if decision.deciding.decided_by != DecidedBy::Malformed {
            let mut fields = self.settled_facts(&request_id, view, decision, call, tool_call_id);
            fields.insert("resolution".into(), json!("policy_denied"));
            fields.insert("decidedBy".into(), decider_of(&decision.deciding).to_json());
            add_need(&mut fields, Need::of(decision));
            self.log_review("permission_request.blocked", Value::Object(fields));
        }
        let event = self.settled_event(&request_id, view, decision, call);
        self.tell_decision(event, decision.deciding.reason.clone());
        super::asking::message(decision, &Refusal::Policy)
    }

    fn settled_facts(
        &self,
        request_id: &str,
        view: &View,
        decision: &Decision,
        call: &ToolCall,
        tool_call_id: &str,
    ) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("requestId".into(), json!(request_id));
        fields.insert("source".into(), json!("tool_call"));
        fields.insert("toolCallId".into(), json!(tool_call_id));
        fields.insert("agentName".into(), json!(view.agent));
        fields.extend(call_facts(call, decision));
        let recorded = recorded_call(call, decision, &view.cwd, view.trusted);
        fields.insert(CALL_MEMBER.into(), recorded);
        fields
    }

    fn settled_event(
        &self,
        request_id: &str,
        view: &View,
        decision: &Decision,
        call: &ToolCall,
    ) -> Value {
        let (surface, value) = display(call, decision);
        let allowed = decision.verdict == Action::Allow;
        let decider = decider_of(&decision.deciding);
        let mut event = json!({
            "requestId": request_id,
            "surface": surface,
            "value": value,
            "result": if allowed { "allow" } else { "deny" },
            "resolution": resolution(&decider, allowed, false),
            "origin": decision.deciding.origin.scope.as_str(),
            "agentName": view.agent,
            "matchedPattern": decision.deciding.pattern,
        });
        if let Some(fields) = event.as_object_mut() {
            add_need(fields, Need::of(decision));
        }
        event
    }

    /// Told right before a person is asked.
    pub(super) fn ui_prompt_event(&self, request_id: &str, about: &About) -> Value {
        match about {
            About::Own(own) => {
                let (surface, value) = display(&own.call, &own.decision);
                let payload = own.decision.payload.as_ref();
                let facts = payload.map(|p| p.to_json(Some(self.id())));
                let facts = facts.and_then(|mut p| p.get_mut("request").map(Value::take));
                json!({
                    "requestId": request_id,
                    "source": source(about),
                    "surface": surface,
                    "value": value,
                    "agentName": own.agent,
                    "request": facts,
                    "forwarding": null,
                })
            }
            About::Child(question) => {
                let request = &question.request;
                let facts = request.payload.as_ref().and_then(|p| p.get("request"));
                json!({
                    "requestId": request_id,
                    "source": source(about),
                    "surface": request.surface,
                    "value": request.value,
                    "agentName": request.requester_agent_name,
                    "request": facts.map(|facts| with_requester(facts, request)),
                    "forwarding": forwarding(request),
                })
            }
        }
    }

    /// Told when an ask has ended.
    pub(super) fn decision_event(
        &self,
        request_id: &str,
        pending: &Pending,
        ending: &Ending,
        grant: Option<(Reach, bool)>,
    ) -> Value {
        let granted =
            !pending.suggestions.is_empty() && grant.is_some_and(|(reach, _)| reach != Reach::Once);
        let word = resolution(&ending.decider, ending.approved, granted);
        let result = if ending.approved { "allow" } else { "deny" };
        match &pending.about {
            About::Own(own) => {
                let (surface, value) = display(&own.call, &own.decision);
                let mut event = json!({
                    "requestId": request_id,
                    "surface": surface,
                    "value": value,
                    "result": result,
                    "resolution": word,
                    "origin": own.decision.deciding.origin.scope.as_str(),
                    "agentName": own.agent,
                    "matchedPattern": own.decision.deciding.pattern,
                });
                if let Some(fields) = event.as_object_mut() {
                    add_need(fields, need_after(own, ending));
                }
                event
            }
            About::Child(question) => json!({
                "requestId": request_id,
                "surface": question.request.surface.as_deref().unwrap_or("unknown"),
                "value": question.request.value.as_deref().unwrap_or(""),
                "result": result,
                "resolution": word,
                "origin": null,
                "agentName": question.request.requester_agent_name,
                "matchedPattern": null,
                "forwarding": forwarding(&question.request),
            }),
        }
    }
}

fn forwarding(request: &Request) -> Value {
    let mut value = json!({
        "requesterAgentName": request.requester_agent_name,
        "requesterSessionId": request.requester_session_id,
    });
    if let (Some(map), Some(by)) = (value.as_object_mut(), &request.child_by) {
        map.insert("childBy".into(), json!(by));
    }
    value
}

/// The child's facts, with the requester as this session knows it.
fn with_requester(facts: &Value, request: &Request) -> Value {
    let mut facts = facts.clone();
    if let Some(map) = facts.as_object_mut() {
        map.insert(
            "requester".into(),
            json!({
                "agentName": request.requester_agent_name,
                "forwarded": true,
                "sessionId": request.requester_session_id,
            }),
        );
    }
    facts
}

/// What an authorizer link is told (spec 06 §2.4).
pub(super) fn link_details(session: &Session, request_id: &str, about: &About) -> Value {
    let mut details = about_facts(request_id, about);
    match about {
        About::Own(own) => {
            let (surface, value) = display(&own.call, &own.decision);
            details.insert("surface".into(), json!(surface));
            details.insert("value".into(), json!(value));
            let payload = own.decision.payload.as_ref();
            let payload = payload.map(|p| p.to_json(Some(session.id())));
            details.insert("payload".into(), json!(payload));
            let intent = own.decision.access_intent();
            let intent = intent.map(|i| {
                json!({"surface": i.surface, "matchValues": i.match_values, "boundaryValue": i.boundary})
            });
            details.insert("accessIntent".into(), json!(intent));
            let approval = session_approval(&own.decision);
            details.insert("sessionApproval".into(), json!(approval.map(|a| a.write())));
        }
        About::Child(question) => {
            let request = &question.request;
            details.insert("payload".into(), json!(request.payload));
            details.insert("forwarding".into(), forwarding(request));
            let approval = request.session_approval.as_ref();
            details.insert("sessionApproval".into(), json!(approval.map(|a| a.write())));
        }
    }
    Value::Object(details)
}
