//! The life of an ask: begun, brought to an authority, ended once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use countersign_engine::{Decision, Refusal, denial_message};
use countersign_forward::detect::{Authority, NOBODY};
use countersign_forward::wire::{self, Decider, LinkVerdict};
use countersign_intent::ToolCall;
use countersign_policy::{Action, Family};
use serde_json::{Value, json};

use crate::dialog::{Choice, Key, Reach, Row, Style};
use crate::review_log::masked;

use super::api::{Answer, CallContext, Gate, Level, Settled, Via};
use super::asks::{About, Done, Ending, OwnCall, Pending};
use super::attention::Attention;
use super::{Session, View, lock, question};

/// Said while keys do not count.
const TYPED_ON: &str = "You were typing. Pause a moment, then press.";

/// What an authorizer link said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkAnswer {
    /// Allow this one call.
    Allow,
    /// Refuse it.
    Deny(Option<String>),
    /// No opinion, or none in time.
    Defer,
}

impl Session {
    /// Begins to ask about a call.
    pub(super) fn begin_ask(
        &self,
        view: &View,
        decision: Decision,
        call: &ToolCall,
        context: &CallContext,
    ) -> Gate {
        let request_id = new_request_id();
        let about = About::Own(Arc::new(OwnCall {
            call: call.clone(),
            context: context.clone(),
            agent: view.agent.clone(),
            cwd: view.cwd.clone(),
            trusted: view.trusted,
            decision,
        }));
        self.log_waiting(&request_id, &about);
        self.put(&request_id, about);
        self.advance(&request_id);
        match lock(&self.asks).recall(&request_id) {
            Some(Settled::Allowed) => Gate::Allow,
            Some(Settled::Blocked(message)) => Gate::Block(message),
            None => Gate::Waiting(request_id),
        }
    }

    /// Puts an ask among the waiting ones, with the links it will be shown to
    /// first.
    pub(super) fn put(&self, request_id: &str, about: About) {
        let suggestions = match &about {
            About::Own(own) => own.decision.suggestions.clone(),
            About::Child(question) => super::serve::suggestions(&question.request),
        };
        let links = self.chain(request_id);
        let pending = Pending {
            about,
            suggestions,
            links,
            consulting: None,
            dialog: None,
            attention: Attention::default(),
            cancel: None,
            done: Vec::new(),
        };
        lock(&self.asks).insert(request_id, pending);
        self.front.changed();
    }

    /// The links to consult, in the order of the configuration. A node that
    /// hands its asks on consults none: an ask is judged by one chain only.
    fn chain(&self, request_id: &str) -> VecDeque<String> {
        let view = self.view();
        let configured = view.snapshot.settings.authorizer_chain();
        if configured.is_empty() {
            return VecDeque::new();
        }
        if matches!(self.authority(), Authority::Parent(_)) {
            let fields = json!({"requestId": request_id, "links": configured});
            self.log_review("authorizer_chain_delegated", fields);
            return VecDeque::new();
        }
        let registered = lock(&self.context).links.clone();
        let (known, unknown): (Vec<String>, Vec<String>) = configured
            .iter()
            .cloned()
            .partition(|name| registered.contains(name));
        for name in unknown {
            let fields = json!({"requestId": request_id, "name": name});
            self.log_review("authorizer_chain_unregistered_link", fields);
            self.notice_once(&format!(
                "pi-permission-system: the authorizer chain names '{name}', but no extension \
                 registered it; such asks go to you instead."
            ));
        }
        if !known.is_empty() {
            let fields = json!({"requestId": request_id, "links": known});
            self.log_review("authorizer_chain_resolved", fields);
        }
        known.into()
    }

    fn notice_once(&self, text: &str) {
        let fresh = {
            let mut context = lock(&self.context);
            let fresh = !context.shown.iter().any(|shown| shown == text);
            if fresh {
                context.shown.push(text.to_owned());
            }
            fresh
        };
        if fresh {
            self.front.notice(Level::Warning, text);
        }
    }

    /// Brings an ask to the next one who may answer it.
    pub(super) fn advance(&self, request_id: &str) {
        let (about, link) = {
            let mut asks = lock(&self.asks);
            let Some(pending) = asks.get_mut(request_id) else {
                return;
            };
            pending.consulting = pending.links.pop_front();
            (pending.about.clone(), pending.consulting.clone())
        };
        if let Some(link) = link {
            let details = self.link_details(request_id, &about);
            self.front.consult(request_id, &link, details);
            return;
        }
        match self.authority() {
            Authority::Local => self.enqueue(request_id),
            Authority::Parent(target) => self.hand_on(request_id, &about, target),
            Authority::Nobody => {
                let reason = self.nobody_reason();
                self.end_unavailable(request_id, &reason);
            }
        }
    }

    fn nobody_reason(&self) -> String {
        if self.detection().is_some() {
            "Could not resolve a parent session to forward this permission request to".to_owned()
        } else {
            NOBODY.to_owned()
        }
    }

    /// What an authorizer link said. Answers of links that are not being
    /// consulted change nothing.
    pub fn link_verdict(&self, request_id: &str, link: &str, answer: LinkAnswer) {
        let about = {
            let mut asks = lock(&self.asks);
            let Some(pending) = asks.get_mut(request_id) else {
                return;
            };
            if pending.consulting.as_deref() != Some(link) {
                return;
            }
            pending.consulting = None;
            pending.about.clone()
        };
        let answer = match answer {
            LinkAnswer::Allow if !self.may_delegate(request_id, link, &about) => LinkAnswer::Defer,
            other => other,
        };
        let decider = |verdict, reason: Option<String>| Decider::Authorizer {
            name: link.to_owned(),
            verdict,
            reason,
        };
        let ending = match answer {
            LinkAnswer::Defer => return self.advance(request_id),
            LinkAnswer::Allow => Ending {
                approved: true,
                state: "approved",
                reason: None,
                decider: decider(LinkVerdict::Allow, None),
            },
            LinkAnswer::Deny(reason) => Ending {
                approved: false,
                state: denied_state(reason.as_deref()),
                reason: reason.clone(),
                decider: decider(LinkVerdict::Deny, reason),
            },
        };
        self.end(request_id, ending, None);
    }

    /// Whether a link may allow this ask: never on the path families unless
    /// the user trusts it with them (spec 05 §11.2), and never where a part of
    /// the question has no surface.
    fn may_delegate(&self, request_id: &str, link: &str, about: &About) -> bool {
        let surfaces: Vec<String> = match about {
            About::Own(own) => {
                let asking = own.decision.asking.iter();
                asking.map(|unit| unit.surface.clone()).collect()
            }
            About::Child(question) => {
                let request = &question.request;
                let intent = request.access_intent.as_ref();
                let surface = intent.map(|i| i.surface.clone());
                surface
                    .or_else(|| request.surface.clone())
                    .into_iter()
                    .collect()
            }
        };
        let view = self.view();
        let settings = &view.snapshot.settings;
        let families = surfaces.iter().filter_map(|surface| Family::of(surface));
        let families: Vec<Family> = families.collect();
        let trusted = families
            .iter()
            .all(|family| settings.trusts_authorizer(link, *family));
        if surfaces.is_empty() || !trusted {
            return false;
        }
        if let Some(family) = families.first() {
            self.log_review(
                "authorizer_trusted_allow",
                json!({"requestId": request_id, "link": link, "surfaceFamily": family.bare()}),
            );
        }
        true
    }

    /// Lets a question wait for the screen of this session, which shows as
    /// many at a time as its front end says.
    pub(super) fn enqueue(&self, request_id: &str) {
        lock(&self.asks).enqueue(request_id);
        self.show_next();
    }

    /// Puts the next questions on the screen while it has room: this session's
    /// own first, then its children's, fair between them.
    pub(super) fn show_next(&self) {
        let places = self.front.at_once();
        loop {
            let order = self.childrens_order();
            let next = {
                let mut asks = lock(&self.asks);
                let queued = asks.queued();
                let childs = |id: &&String| order.iter().any(|waiting| waiting.id == **id);
                let own = queued.iter().find(|id| !childs(id)).cloned();
                let id = own.or_else(|| {
                    let next = order.iter().find(|waiting| queued.contains(&waiting.id));
                    next.map(|waiting| waiting.id.clone())
                });
                id.and_then(|id| asks.take_screen(&id, places).map(|about| (id, about)))
            };
            let Some((id, about)) = next else { return };
            self.show(&id, &about);
        }
    }

    fn show(&self, request_id: &str, about: &About) {
        let view = self.view();
        let (dialog, shown) = question::make(request_id, about, &view, self);
        {
            let mut asks = lock(&self.asks);
            let Some(pending) = asks.get_mut(request_id) else {
                return;
            };
            pending.dialog = Some(dialog);
        }
        if let About::Child(question) = about {
            self.confirm_shown(question);
        }
        let event = self.ui_prompt_event(request_id, about);
        self.front.event("permissions:ui_prompt", event);
        self.front.question(shown);
    }

    /// Draws the dialog of a waiting question. `None` when there is none.
    #[must_use]
    pub fn dialog_rows(&self, request_id: &str, width: usize) -> Option<Vec<Row>> {
        let mut asks = lock(&self.asks);
        let pending = asks.get_mut(request_id)?;
        let mut rows = pending.dialog.as_ref()?.render(width);
        if pending.attention.ignored() {
            rows.push(Row {
                text: TYPED_ON.to_owned(),
                style: Style::Warning,
            });
        }
        Some(rows)
    }

    /// Says that a person was typing something else when the question appeared:
    /// keys count only after a pause.
    pub fn dialog_interrupts(&self, request_id: &str) {
        if let Some(pending) = lock(&self.asks).get_mut(request_id) {
            pending.attention.typing(Instant::now());
        }
    }

    /// Passes a key to the dialog of a waiting question. Whether the dialog is
    /// over. Keys of a person who was typing when the question appeared do not
    /// count until there was a pause.
    pub fn dialog_key(&self, request_id: &str, key: &Key) -> bool {
        let choice = {
            let mut asks = lock(&self.asks);
            let Some(pending) = asks.get_mut(request_id) else {
                return true;
            };
            let Some(dialog) = pending.dialog.as_mut() else {
                return true;
            };
            if !pending.attention.counts(Instant::now()) {
                return false;
            }
            dialog.key(key);
            dialog.choice().cloned()
        };
        match choice {
            Some(choice) => {
                self.answer(request_id, answer_of(choice), Via::Dialog);
                true
            }
            None => false,
        }
    }

    /// What must still be asked after `label` was chosen from the plain list.
    #[must_use]
    pub fn follow_up(&self, request_id: &str, label: &str) -> FollowUp {
        let mut asks = lock(&self.asks);
        match asks.get_mut(request_id).and_then(|p| p.dialog.as_ref()) {
            Some(dialog) if dialog.wants_reason(label) => FollowUp::Reason,
            Some(dialog) if dialog.wants_reach(label) => FollowUp::Reach,
            _ => FollowUp::Nothing,
        }
    }

    /// Answers from a plain list: the label chosen, the one of the second
    /// list, the reason typed. A dismissed list is a denial.
    pub fn choose(
        &self,
        request_id: &str,
        label: Option<&str>,
        reach: Option<&str>,
        reason: Option<&str>,
    ) {
        let choice = {
            let mut asks = lock(&self.asks);
            let dialog = asks.get_mut(request_id).and_then(|p| p.dialog.as_ref());
            dialog.map(|dialog| dialog.choose(label, reach, reason))
        };
        if let Some(choice) = choice {
            self.answer(request_id, answer_of(choice), Via::Select);
        }
    }

    /// A person's answer. Only the first one to an ask counts; whether this
    /// was it.
    pub fn answer(&self, request_id: &str, answer: Answer, via: Via) -> bool {
        let decider = Decider::User {
            via: match via {
                Via::Dialog => wire::Via::Dialog,
                Via::Select => wire::Via::Select,
            },
        };
        match answer {
            Answer::Approved {
                reach,
                both_directions,
            } => {
                let state = match reach {
                    Reach::Once => "approved",
                    Reach::Subagent => "approved_for_session",
                    Reach::Session if self.is_childs(request_id) => "approved_for_serving_session",
                    Reach::Session => "approved_for_session",
                    Reach::Project | Reach::Everywhere => "approved",
                };
                let ending = Ending {
                    approved: true,
                    state,
                    reason: None,
                    decider,
                };
                self.end(request_id, ending, Some((reach, both_directions)))
            }
            Answer::Denied { reason } => {
                let ending = Ending {
                    approved: false,
                    state: denied_state(reason.as_deref()),
                    reason,
                    decider,
                };
                self.end(request_id, ending, None)
            }
            Answer::Unavailable { reason } => self.end(request_id, unavailable(&reason), None),
        }
    }

    fn is_childs(&self, request_id: &str) -> bool {
        let mut asks = lock(&self.asks);
        let pending = asks.get_mut(request_id);
        pending.is_some_and(|pending| matches!(pending.about, About::Child(_)))
    }

    /// Ends an ask that nobody could answer. That is never a person's no.
    pub(super) fn end_unavailable(&self, request_id: &str, reason: &str) {
        self.end(request_id, unavailable(reason), None);
    }

    /// Ends an ask, once: grants, log, events, and whoever waits for it.
    /// Whether this was the end of it.
    pub(super) fn end(
        &self,
        request_id: &str,
        ending: Ending,
        grant: Option<(Reach, bool)>,
    ) -> bool {
        let Some(pending) = lock(&self.asks).begin_end(request_id) else {
            return false;
        };
        let was_shown = pending.dialog.is_some();
        if was_shown {
            self.front.question_gone(request_id);
        }
        let mut released = false;
        if let (true, Some((reach, both))) = (ending.approved, grant) {
            released = self.record_grants(&pending, reach, both);
        }
        self.log_ended(request_id, &pending, &ending, grant);
        let event = self.decision_event(request_id, &pending, &ending, grant);
        self.tell_decision(event, ending.reason.clone());
        let settled = match &pending.about {
            About::Child(question) => {
                self.reply(question, &ending);
                None
            }
            About::Own(own) => Some(self.settled(own, &ending)),
        };
        let waiting = lock(&self.asks).finish(request_id, settled.as_ref());
        if let Some(settled) = settled {
            self.count(settled == Settled::Allowed);
            for done in waiting {
                done(settled.clone());
            }
        }
        if released {
            self.release_covered();
        }
        if was_shown {
            self.show_next();
        }
        self.front.changed();
        true
    }

    fn settled(&self, own: &OwnCall, ending: &Ending) -> Settled {
        if ending.approved {
            return Settled::Allowed;
        }
        Settled::Blocked(message(&own.decision, &refusal(ending)))
    }

    /// Calls `done` with the end of an ask: now if it has ended, else when it
    /// does. An unknown ask is blocked.
    pub fn when_settled(&self, request_id: &str, done: impl FnOnce(Settled) + Send + 'static) {
        let (done, now) = {
            let mut asks = lock(&self.asks);
            match asks.recall(request_id) {
                Some(settled) => (Box::new(done) as Done, Some(settled)),
                None => match asks.wait(request_id, Box::new(done)) {
                    Ok(()) => return,
                    Err(done) => (done, None),
                },
            }
        };
        done(now.unwrap_or_else(|| {
            Settled::Blocked(format!(
                "[pi-permission-system] The permission request '{request_id}' is not known to \
                 this session, so the call was blocked."
            ))
        }));
    }

    /// A caller that no longer waits (its call was aborted) takes its ask
    /// back: the question leaves the screen, and a late answer does nothing.
    pub fn abandon(&self, request_id: &str, why: &str) {
        let cancel = {
            let mut asks = lock(&self.asks);
            asks.get_mut(request_id).and_then(|p| p.cancel.clone())
        };
        if let Some(cancel) = cancel {
            cancel.cancel();
        }
        self.end_unavailable(request_id, why);
    }

    pub(super) fn abandon_all(&self, why: &str) -> usize {
        let ids = lock(&self.asks).ids();
        for id in &ids {
            self.abandon(id, why);
        }
        ids.len()
    }

    /// After a new grant: every waiting ask that it covers ends as allowed.
    fn release_covered(&self) {
        let own: Vec<(String, Arc<OwnCall>)> = {
            let asks = lock(&self.asks);
            let own = asks
                .iter()
                .filter_map(|(id, pending)| match &pending.about {
                    About::Own(own) => Some((id.clone(), Arc::clone(own))),
                    About::Child(_) => None,
                });
            own.collect()
        };
        for (id, own) in own {
            let decision = self.decide(&own.call);
            if decision.verdict != Action::Allow {
                continue;
            }
            let ending = Ending {
                approved: true,
                state: "approved",
                reason: None,
                decider: super::events::decider_of(&decision.deciding),
            };
            let cancel = lock(&self.asks).get_mut(&id).and_then(|p| p.cancel.clone());
            self.end(&id, ending, None);
            if let Some(cancel) = cancel {
                cancel.cancel();
            }
        }
        self.recheck_children();
    }

    fn link_details(&self, request_id: &str, about: &About) -> Value {
        super::events::link_details(self, request_id, about)
    }
}

/// What must still be asked after a label was chosen from the plain list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Nothing.
    Nothing,
    /// A reason to type.
    Reason,
    /// How far a grant reaches.
    Reach,
}

/// Why a call does not run that was asked about and not approved.
pub(super) fn refusal(ending: &Ending) -> Refusal {
    let reason = ending.reason.clone();
    match ending.decider.effective() {
        Some(Decider::Unavailable { .. } | Decider::GateError { .. }) => {
            Refusal::Unavailable { reason }
        }
        Some(Decider::User { .. }) | None => Refusal::User { reason },
        Some(other) => Refusal::Authority {
            name: question::decider_in_words(other),
            reason,
        },
    }
}

fn unavailable(reason: &str) -> Ending {
    Ending {
        approved: false,
        state: "confirmation_unavailable",
        reason: Some(reason.to_owned()),
        decider: Decider::Unavailable {
            reason: reason.to_owned(),
        },
    }
}

pub(super) fn denied_state(reason: Option<&str>) -> &'static str {
    match reason {
        Some(_) => "denied_with_reason",
        None => "denied",
    }
}

fn answer_of(choice: Choice) -> Answer {
    match choice {
        Choice::Approve {
            reach,
            both_directions,
        } => Answer::Approved {
            reach,
            both_directions,
        },
        Choice::Deny { reason } => Answer::Denied { reason },
    }
}

/// What the model is told of a refusal. It never repeats a secret.
pub(super) fn message(decision: &Decision, refusal: &Refusal) -> String {
    masked(denial_message(decision, refusal))
}

/// A new id that nobody can guess.
pub(super) fn new_request_id() -> String {
    crate::forwarding::nonce().unwrap_or_else(|_| {
        // Without randomness ids need only be distinct: they name files, and
        // prove nothing.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("perm-{}-{next}", std::process::id())
    })
}
