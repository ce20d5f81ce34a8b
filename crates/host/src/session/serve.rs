//! Serving the asks of children (spec 05 §10.2).

use std::sync::{Arc, Weak};

use countersign_engine::{ForwardedAsk, ForwardedUnit, GrantSuggestion, judge_forwarded};
use countersign_forward::detect::{Target, TargetSource};
use countersign_forward::wire::{AnswerState, Decider, Request};
use countersign_policy::Action;
use serde_json::Value;

use crate::forwarding::{
    self, Gone, Handler, Ruling, Server, ServerOptions, Verdict, Waiting, answer_key_value,
};
use crate::registry::{self, Serving};

use super::api::Level;
use super::asks::{About, Ending};
use super::{Session, lock};

/// Gives a server's calls to its session.
struct Inbox(Weak<Session>);

impl Handler for Inbox {
    fn decide(&self, request: &Request) -> Ruling {
        match self.0.upgrade().and_then(|session| session.rule(request)) {
            Some(verdict) => Ruling::Answer(verdict),
            None => Ruling::Ask,
        }
    }

    fn ask(&self, question: Waiting) {
        if let Some(session) = self.0.upgrade() {
            session.asked(question);
        }
    }

    fn changed(&self, question: Waiting) -> bool {
        self.0
            .upgrade()
            .is_some_and(|session| session.askers_changed(question))
    }

    fn gone(&self, question_id: &str, _why: Gone) {
        if let Some(session) = self.0.upgrade() {
            session.askers_gone(question_id);
        }
    }

    fn log(&self, event: &str, fields: Value) {
        if let Some(session) = self.0.upgrade() {
            session.log_review(event, fields);
        }
    }

    fn parent_of(&self, session_id: &str) -> Option<String> {
        registry::child(session_id)?.parent
    }
}

impl Session {
    /// Starts or stops serving: a session with a screen serves whatever its
    /// environment says; one without serves when it can hand on.
    pub(super) fn adjust_serving(&self) {
        let has_ui = lock(&self.context).has_ui;
        let should = has_ui || self.target().is_some();
        let mut server = lock(&self.server);
        if !should {
            let stopped = server.take();
            drop(server);
            self.stop_server(stopped);
            return;
        }
        if server.is_some() {
            return;
        }
        let options = ServerOptions {
            mailbox_root: self.paths.mailbox(),
            session_id: self.id().to_owned(),
        };
        match Server::start(options, Arc::new(Inbox(self.me.clone()))) {
            Ok(started) => {
                let public_key = Some(started.public_key().to_bytes());
                registry::set_serving(self.id(), Some(Serving { public_key }));
                *server = Some(started);
            }
            Err(error) => {
                drop(server);
                let text = format!(
                    "pi-permission-system: questions of subagents cannot arrive here: {error}"
                );
                self.front.notice(Level::Warning, &text);
            }
        }
    }

    pub(super) fn stop_server(&self, server: Option<Server>) {
        if let Some(server) = server {
            registry::set_serving(self.id(), None);
            server.stop();
        }
    }

    /// The value of the variable that hands this session's key to the
    /// processes it starts, added to what was inherited. `None` while it does
    /// not serve.
    #[must_use]
    pub fn answer_key(&self) -> Option<String> {
        let server = lock(&self.server);
        let key = server.as_ref()?.public_key();
        let inherited = self
            .options
            .environment
            .get(forwarding::ANSWER_KEY_VARIABLE);
        Some(answer_key_value(
            inherited.map(String::as_str),
            self.id(),
            key,
        ))
    }

    pub(super) fn is_serving(&self, target: &Target) -> bool {
        match target.source {
            TargetSource::Registry => registry::serving(&target.session_id).is_some(),
            TargetSource::Variable => {
                forwarding::is_serving(&self.paths.mailbox(), &target.session_id)
            }
        }
    }

    /// What this session's own rules and grants say of a child's question:
    /// whether it may run, who decided, and the rule's reason. `None` where a
    /// person must be asked.
    pub(super) fn judge(&self, request: &Request) -> Option<(bool, Decider, Option<String>)> {
        let intent = request.access_intent.as_ref()?;
        let unit = |unit: &forwarding::wire::AskingUnit| ForwardedUnit {
            value: unit.command.clone(),
            floor: unit.floor.clone(),
            ..ForwardedUnit::default()
        };
        let ask = ForwardedAsk {
            surface: intent.surface.clone(),
            match_values: intent.match_values.clone(),
            boundary: intent.boundary_value.clone(),
            floor: intent.floor.clone(),
            units: intent.asking_units.iter().flatten().map(unit).collect(),
        };
        let agent = match request.requester_agent_name.as_str() {
            "unknown" | "" => None,
            name => Some(name.to_owned()),
        };
        let view = self.view_for(agent);
        let verdict = judge_forwarded(&ask, &view.scene(), &self.facts);
        let decider = super::events::decider_of(&verdict.deciding);
        match verdict.verdict {
            Action::Allow => Some((true, decider, None)),
            Action::Deny => Some((false, decider, verdict.deciding.reason)),
            Action::Ask => None,
        }
    }

    fn rule(&self, request: &Request) -> Option<Verdict> {
        lock(&self.recent).served(request);
        let (approved, decider, reason) = self.judge(request)?;
        Some(match approved {
            true => Verdict::approved(decider),
            false => Verdict::denied(decider, reason),
        })
    }

    /// A child's question that only a person, or the next session, can answer.
    fn asked(&self, question: Waiting) {
        let id = question.id.clone();
        self.put(&id, About::Child(Arc::new(question)));
        self.advance(&id);
    }

    /// More of the children ask the same, or fewer. A question that is not on
    /// the screen yet takes the change up; one that is stays what was shown.
    fn askers_changed(&self, question: Waiting) -> bool {
        let mut asks = lock(&self.asks);
        let shown = asks.on_screen(&question.id);
        let Some(pending) = asks.get_mut(&question.id) else {
            return false;
        };
        if shown || pending.cancel.is_some() {
            return false;
        }
        pending.about = About::Child(Arc::new(question));
        true
    }

    /// Leaves the questions of children to whoever serves this inbox next.
    pub(super) fn let_go_of_children(&self) {
        let children: Vec<String> = {
            let asks = lock(&self.asks);
            let all = asks.iter();
            let mut children: Vec<String> = all
                .filter(|(_, pending)| matches!(pending.about, About::Child(_)))
                .map(|(id, _)| id.clone())
                .collect();
            // Those on the screen last, so that no other is shown for them.
            children.sort_by_key(|id| asks.on_screen(id));
            children
        };
        for id in children {
            self.askers_gone(&id);
        }
    }

    /// Nobody waits for this answer any more.
    fn askers_gone(&self, id: &str) {
        let (pending, was_shown) = {
            let mut asks = lock(&self.asks);
            let was_shown = asks.on_screen(id);
            (asks.take(id), was_shown)
        };
        if let Some(cancel) = pending.and_then(|pending| pending.cancel) {
            cancel.cancel();
        }
        if was_shown {
            self.front.question_gone(id);
            self.show_next();
        }
        self.front.changed();
    }

    /// Writes the answer to a child's question.
    pub(super) fn reply(&self, question: &Waiting, ending: &Ending) {
        let unavailable = matches!(
            ending.decider.effective(),
            Some(Decider::Unavailable { .. } | Decider::GateError { .. })
        );
        let verdict = Verdict {
            state: match AnswerState::parse(ending.state) {
                Some(state) if state.is_approval() == ending.approved => state,
                _ if ending.approved => AnswerState::Approved,
                _ if unavailable || ending.reason.is_none() => AnswerState::Denied,
                _ => AnswerState::DeniedWithReason,
            },
            denial_reason: ending.reason.clone(),
            decided_by: ending.decider.clone(),
        };
        let handle = lock(&self.server).as_ref().map(Server::handle);
        if let Some(handle) = handle {
            // An asker that is gone by now needs no answer: the server says so
            // in the log.
            let _ = handle.answer(&question.id, &verdict);
        }
    }

    /// Tells the server that rules or grants have changed.
    pub(super) fn recheck_children(&self) {
        let handle = lock(&self.server).as_ref().map(Server::handle);
        if let Some(handle) = handle {
            handle.recheck();
        }
    }

    /// The children's questions that wait, in the order that is fair between
    /// children.
    pub(super) fn childrens_order(&self) -> Vec<Waiting> {
        let handle = lock(&self.server).as_ref().map(Server::handle);
        handle.map_or_else(Vec::new, |handle| handle.waiting())
    }

    /// An answer now counts for every asker that the screen names.
    pub(super) fn confirm_shown(&self, question: &Waiting) {
        let handle = lock(&self.server).as_ref().map(Server::handle);
        if let Some(handle) = handle {
            handle.shown(&question.id, question.revision);
        }
    }
}

/// The grants a child suggests, as far as its request says.
pub(super) fn suggestions(request: &Request) -> Vec<GrantSuggestion> {
    let Some(approval) = &request.session_approval else {
        return Vec::new();
    };
    let pairs = approval.rest.get("grants").and_then(Value::as_array);
    let from_pairs: Vec<GrantSuggestion> = pairs
        .into_iter()
        .flatten()
        .filter_map(|pair| {
            let text = |key: &str| pair.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(GrantSuggestion {
                surface: text("surface")?,
                pattern: text("pattern")?,
            })
        })
        .collect();
    if !from_pairs.is_empty() {
        return from_pairs;
    }
    let of = |pattern: &String| GrantSuggestion {
        surface: approval.surface.clone(),
        pattern: pattern.clone(),
    };
    approval.patterns.iter().map(of).collect()
}
