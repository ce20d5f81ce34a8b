//! Bringing an ask to the parent, and its answer back.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use countersign_engine::Decision;
use countersign_forward::detect::{Target, TargetSource};
use countersign_forward::wire::{
    AccessIntent, AnswerState, AskingUnit, Principal, Request, SessionApproval, Source,
};
use serde_json::{Map, Value, json};

use crate::dialog::Reach;
use crate::forwarding::{
    self, ANSWER_KEY_VARIABLE, AskOptions, CancelToken, InheritedKey, LivenessChannel, Outcome,
    ParentLost, relay,
};
use crate::process;
use crate::registry;

use super::asks::{About, Ending};
use super::{Session, lock};

impl Session {
    /// Hands an ask to the session that can answer it. Returns at once: the
    /// wait has a thread of its own.
    pub(super) fn hand_on(&self, request_id: &str, about: &About, target: Target) {
        let request = match self.request(request_id, about, &target) {
            Ok(request) => request,
            Err(reason) => return self.end_unavailable(request_id, &reason),
        };
        let cancel = CancelToken::new();
        {
            let mut asks = lock(&self.asks);
            let Some(pending) = asks.get_mut(request_id) else {
                return;
            };
            pending.cancel = Some(cancel.clone());
        }
        let options = self.ask_options(request, &target, cancel);
        let Some(session) = self.me.upgrade() else {
            return;
        };
        let id = request_id.to_owned();
        let spawned = std::thread::Builder::new()
            .name("countersign-ask".to_owned())
            .spawn(move || {
                let outcome = forwarding::ask(options);
                session.answered(&id, outcome);
            });
        if let Err(error) = spawned {
            let reason =
                format!("The thread that forwards the request could not be started: {error}");
            self.end_unavailable(request_id, &reason);
        }
    }

    fn ask_options(&self, request: Request, target: &Target, cancel: CancelToken) -> AskOptions {
        let view = self.view();
        let settings = &view.snapshot.settings;
        let log = self.me.clone();
        let log: forwarding::Log = Arc::new(move |event: &str, fields: Value| {
            if let Some(session) = log.upgrade() {
                session.log_review(event, fields);
            }
        });
        let mut options = AskOptions::new(self.paths.mailbox(), request, log);
        options.channel = match target.source {
            TargetSource::Registry => LivenessChannel::Registry {
                is_serving: Arc::new(|id: &str| registry::serving(id).is_some()),
                serving: Arc::new(registry::serving_ids),
            },
            TargetSource::Variable => LivenessChannel::Heartbeat,
        };
        options.timeout = Duration::from_millis(settings.forwarding_timeout_ms());
        options.cancel = cancel;
        options.key = self.answer_trust(target);
        options.require_signed = settings.require_signed_answers();
        if settings.wait_for_lost_parent() {
            options.parent_lost = ParentLost::Wait;
        }
        options
    }

    /// The key of the session that is asked, as far as it reached this one in
    /// a way that its agent could not change.
    fn answer_trust(&self, target: &Target) -> InheritedKey {
        match target.source {
            // The target's key lies in this process whether it serves just now
            // or not: between two sessions, too, nothing unsigned counts.
            TargetSource::Registry => forwarding::session_key(&target.session_id)
                .map_or(InheritedKey::Broken, |key| InheritedKey::Key(key.public())),
            TargetSource::Variable => {
                let value = self.options.environment.get(ANSWER_KEY_VARIABLE);
                forwarding::inherited_key(value.map(String::as_str), &target.session_id)
            }
        }
    }

    /// The request for an ask: this session's own, or a child's on its way.
    fn request(&self, request_id: &str, about: &About, target: &Target) -> Result<Request, String> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        match about {
            About::Own(own) => {
                let mut request = Request::new(request_id, now, self.id(), &target.session_id);
                request.requester_agent_name =
                    own.agent.clone().unwrap_or_else(|| "unknown".to_owned());
                request.source = Some(
                    match own.decision.payload.as_deref().map(|p| p.kind.as_str()) {
                        Some("skill") => Source::SkillInput,
                        Some("skill_read") => Source::SkillRead,
                        _ => Source::ToolCall,
                    },
                );
                let payload = own.decision.payload.as_ref();
                request.payload = payload.and_then(|p| match p.to_json(Some(self.id())) {
                    Value::Object(map) => Some(map),
                    _ => None,
                });
                let event = self.ui_prompt_event(request_id, about);
                let text = |key: &str| event.get(key).and_then(Value::as_str).map(str::to_owned);
                request.surface = text("surface");
                request.value = text("value");
                request.child_by = self.detection().map(|by| by.as_str().to_owned());
                request.session_approval = session_approval(&own.decision);
                request.access_intent = self.access_intent(own);
                Ok(request)
            }
            About::Child(question) => {
                let agent = lock(&self.context).agent.clone();
                let hop = relay::Relay {
                    session_id: self.id(),
                    agent_name: agent.as_deref(),
                    process: process::own(),
                    target: &target.session_id,
                    // The rest is filled in when the request is put.
                    answer_key: None,
                    nonce: "",
                    expires_at: None,
                };
                let mut request =
                    relay::onward(&question.request, &hop).map_err(|error| error.reason)?;
                request.created_at = now;
                Ok(request)
            }
        }
    }

    fn access_intent(&self, own: &super::asks::OwnCall) -> Option<AccessIntent> {
        let intent = own.decision.access_intent()?;
        let bash = intent.surface == "bash";
        let units = own.decision.asking.iter().map(|unit| AskingUnit {
            command: unit.value.clone(),
            floor: unit.floor.map(str::to_owned),
        });
        Some(AccessIntent {
            surface: intent.surface,
            match_values: intent.match_values,
            boundary_value: intent.boundary,
            requester_cwd: Some(own.cwd.clone()),
            principal: Some(Principal {
                session_id: self.id().to_owned(),
                agent_name: own.agent.clone().unwrap_or_else(|| "unknown".to_owned()),
            }),
            floor: intent.floor.map(str::to_owned),
            asking_units: bash.then(|| units.collect()),
        })
    }

    /// The end of a forwarded ask.
    fn answered(self: &Arc<Self>, request_id: &str, outcome: Outcome) {
        match outcome {
            Outcome::Answered(answered) => {
                let response = answered.response;
                let approved = response.is_approval();
                // A session between a child and its answer keeps no grant: it
                // passes on that the child shall.
                let grant = (response.state == AnswerState::ApprovedForSession)
                    .then_some((Reach::Subagent, false));
                let ending = Ending {
                    approved,
                    state: match response.state {
                        AnswerState::ApprovedForServingSession => "approved",
                        state => state.as_str(),
                    },
                    reason: response.denial_reason,
                    decider: answered.decided_by,
                };
                self.end(request_id, ending, grant);
            }
            Outcome::Unavailable(unavailable) => {
                let has_ui = lock(&self.context).has_ui;
                match self.about(request_id) {
                    // A person sits here after all: they are asked instead.
                    Some(_) if has_ui => self.enqueue(request_id),
                    _ => self.end_unavailable(request_id, &unavailable.reason),
                }
            }
        }
    }

    fn about(&self, request_id: &str) -> Option<About> {
        let mut asks = lock(&self.asks);
        asks.get_mut(request_id)
            .map(|pending| pending.about.clone())
    }
}

/// The grant suggested to the session that answers: one surface and its
/// patterns as everybody reads it, and all pairs for who can.
pub(super) fn session_approval(decision: &Decision) -> Option<SessionApproval> {
    let first = decision.suggestions.first()?;
    let same: Vec<String> = decision
        .suggestions
        .iter()
        .filter(|s| s.surface == first.surface)
        .map(|s| s.pattern.clone())
        .collect();
    let mut rest = Map::new();
    if same.len() != decision.suggestions.len() {
        let pairs: Vec<Value> = decision
            .suggestions
            .iter()
            .map(|s| json!({"surface": s.surface, "pattern": s.pattern}))
            .collect();
        rest.insert("grants".into(), json!(pairs));
    }
    Some(SessionApproval {
        surface: first.surface.clone(),
        patterns: same,
        rest,
    })
}
