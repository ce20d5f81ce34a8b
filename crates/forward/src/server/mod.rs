//! The side that answers.
//!
//! [`Server`] holds what is waiting and decides nothing itself: rules are
//! asked through a callback, people through effects. It is told what lies in
//! the inbox and says what is to be done, in order.

mod fair;
mod question;
mod remembered;
mod said;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

pub use question::{Asker, Group, Waiting};

use crate::ids::{is_request_id, usable_session_id};
use crate::limits;
use crate::liveness::ProcessState;
use crate::sign::{Digest, PublicKey};
use crate::wire::{AnswerState, Request, Response};
use question::{Held, Question};
use remembered::Remembered;

pub use said::{Answer, Decide, Effect, Found, Gone, Judge, NotAnswered, Ruling, Verdict};

/// The machine of one serving session. See the module.
#[derive(Clone, Debug)]
pub struct Server {
    session_id: String,
    key: PublicKey,
    sequence: u64,
    held: BTreeMap<String, Held>,
    questions: BTreeMap<String, Question>,
    remembered: Remembered,
    /// Requests whose answer is not delivered yet.
    due: BTreeSet<String>,
    torn: BTreeMap<String, u32>,
    turns: BTreeMap<String, u64>,
}

impl Server {
    /// A session that serves, with nothing waiting.
    #[must_use]
    pub fn new(session_id: impl Into<String>, key: PublicKey) -> Self {
        Self {
            session_id: session_id.into(),
            key,
            sequence: 0,
            held: BTreeMap::new(),
            questions: BTreeMap::new(),
            remembered: Remembered::default(),
            due: BTreeSet::new(),
            torn: BTreeMap::new(),
            turns: BTreeMap::new(),
        }
    }

    /// Everything that decides what the machine does next, for a search over
    /// its states.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let questions = self.questions.values();
        let questions: Vec<_> = questions
            .map(|question| (&question.id, &question.members, question.shown_up_to))
            .collect();
        let held: Vec<_> = self
            .held
            .iter()
            .map(|(id, held)| (id, held.digest))
            .collect();
        let remembered = self.remembered.fingerprint();
        format!("{:?}", (held, questions, remembered, &self.due, &self.torn))
    }

    /// Whether the file of this request needs to be read: it is neither
    /// waiting nor being answered.
    #[must_use]
    pub fn wants(&self, id: &str) -> bool {
        !self.held.contains_key(id) && !self.due.contains(id)
    }

    /// A request was found that [`Self::wants`].
    pub fn found(
        &mut self,
        found: &Found<'_>,
        decide: Decide<'_>,
        judge: Judge<'_>,
    ) -> Vec<Effect> {
        if !self.wants(found.id) {
            return Vec::new();
        }
        let read = found.bytes.map(|bytes| (bytes, Request::read(bytes)));
        let (bytes, request) = match read {
            Some((bytes, Ok(request))) => (bytes, request),
            other => {
                let why = match other {
                    Some((_, Err(error))) => error.to_string(),
                    _ => "it cannot be read".to_owned(),
                };
                return self.torn(found.id, &why);
            }
        };
        self.torn.remove(found.id);
        if let Some(why) = self.misplaced(found.id, &request) {
            return dropped(found.id, &why);
        }
        if let Some(effects) = nobody_waits(&request, found.wall, judge) {
            return effects;
        }
        // Answered, by us or by a session of this id before us; the requester
        // is about to collect it. If it does not accept it, it removes it.
        if found.answered {
            return Vec::new();
        }
        let digest = Digest::of(bytes);
        if let Some(response) = self.remembered.again(found.id, digest, found.now) {
            return match response {
                remembered::Again::NotYet => Vec::new(),
                remembered::Again::Now(response) => {
                    self.deliver(Arc::new(request), digest, response)
                }
            };
        }
        self.arrived(Arc::new(request), digest, decide)
    }

    fn torn(&mut self, id: &str, why: &str) -> Vec<Effect> {
        let reads = self.torn.entry(id.to_owned()).or_default();
        *reads += 1;
        if *reads < limits::TORN_READS {
            return Vec::new();
        }
        self.torn.remove(id);
        dropped(id, why)
    }

    fn misplaced(&self, id: &str, request: &Request) -> Option<String> {
        if request.id != id || !is_request_id(id) {
            return Some("its id is not that of its file".to_owned());
        }
        let target = usable_session_id(&request.target_session_id);
        if target.is_none() || target != usable_session_id(&self.session_id) {
            return Some(format!(
                "it targets session '{}' instead of '{}'",
                request.target_session_id, self.session_id
            ));
        }
        None
    }

    fn arrived(
        &mut self,
        request: Arc<Request>,
        digest: Digest,
        decide: Decide<'_>,
    ) -> Vec<Effect> {
        if let Some(key) = request.answer_key
            && key != self.key
        {
            // It knows the key of an earlier run of this session. Nothing this
            // run says can be proven to it, so nobody is bothered.
            let reason = "The session that was asked has restarted and cannot prove its answers";
            return self.refuse_to_ask(request, digest, reason);
        }
        let passed = request
            .lineage
            .iter()
            .any(|hop| hop.session_id == self.session_id);
        if passed || request.lineage.len() > limits::HOPS {
            return self.refuse_to_ask(request, digest, "The request went in a circle");
        }
        match decide(&request) {
            Ruling::Answer(verdict) => {
                let mut effects = vec![self.log_ruling(&request, &verdict)];
                effects.extend(self.answer_one(request, digest, &verdict));
                effects
            }
            Ruling::Ask => {
                let mut effects = vec![Effect::Log(
                    "forwarded_permission.prompted",
                    Value::Object(facts(&request)),
                )];
                effects.push(self.hold(request, digest));
                effects
            }
        }
    }

    fn refuse_to_ask(
        &mut self,
        request: Arc<Request>,
        digest: Digest,
        reason: &str,
    ) -> Vec<Effect> {
        let verdict = Verdict::unavailable(reason);
        self.answer_one(request, digest, &verdict)
    }

    fn log_ruling(&self, request: &Request, verdict: &Verdict) -> Effect {
        let mut fields = facts(request);
        fields.insert("decidedBy".into(), verdict.decided_by.to_json());
        let event = if verdict.state.is_approval() {
            "forwarded_permission.auto_approved"
        } else {
            "forwarded_permission.auto_denied"
        };
        Effect::Log(event, Value::Object(fields))
    }

    fn hold(&mut self, request: Arc<Request>, digest: Digest) -> Effect {
        self.sequence += 1;
        let order = self.sequence;
        let key = question::key(&request);
        let id = request.id.clone();
        let open = key.as_ref().and_then(|key| {
            let mut open = self.questions.values();
            let found = open.find(|question| question.key.as_ref() == Some(key))?;
            Some(found.id.clone())
        });
        // A question keeps the name of its first asker when that one leaves. If
        // a request of that name comes again, it is another question.
        let own_id = if self.questions.contains_key(&id) {
            format!("{id}~{order}")
        } else {
            id.clone()
        };
        let question_id = open.clone().unwrap_or(own_id);
        self.held.insert(
            id.clone(),
            Held {
                request,
                digest,
                question: question_id.clone(),
                order,
            },
        );
        let question = self
            .questions
            .entry(question_id.clone())
            .or_insert_with(|| Question::new(question_id.clone(), key, order));
        question.members.insert(order, id);
        question.revision += 1;
        if open.is_none() {
            // Whoever is asked is shown the question as it is now.
            question.shown_up_to = order;
        }
        let waiting = Box::new(self.waiting_of(&question_id));
        match open {
            None => Effect::Ask(waiting),
            Some(_) => Effect::Changed(waiting),
        }
    }

    fn waiting_of(&self, question_id: &str) -> Waiting {
        let question = self.questions.get(question_id);
        let members = question.map(|question| &question.members);
        let held = members.into_iter().flatten();
        let held: Vec<&Held> = held.filter_map(|(_, id)| self.held.get(id)).collect();
        question::waiting(question_id, question.map_or(0, |q| q.revision), &held)
    }

    /// What waits for somebody, in the order that is fair between children:
    /// each in turn, the one answered longest ago first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        let waiting = self.questions.keys().map(|id| self.waiting_of(id));
        fair::order(waiting.collect(), &self.turns)
    }

    /// The question as of `revision` is on the screen: an answer now counts
    /// for every asker it names.
    pub fn shown(&mut self, question_id: &str, revision: u64) {
        if let Some(question) = self.questions.get_mut(question_id)
            && question.revision == revision
            && let Some((last, _)) = question.members.last_key_value()
        {
            question.shown_up_to = *last;
        }
    }

    /// Somebody answered a question. The answer counts for the askers that
    /// were shown; for the others the question is put again, unless a rule or
    /// grant answers it now.
    ///
    /// A grant for the session must be recorded before this is called:
    /// whatever else it covers is released.
    ///
    /// # Errors
    ///
    /// When no such question waits.
    pub fn answer(
        &mut self,
        question_id: &str,
        verdict: &Verdict,
        decide: Decide<'_>,
    ) -> Result<Vec<Effect>, NotAnswered> {
        let question = self
            .questions
            .remove(question_id)
            .ok_or(NotAnswered::NotWaiting)?;
        let mut effects = Vec::new();
        let mut told = verdict.clone();
        if verdict.state == AnswerState::ApprovedForServingSession {
            told.state = AnswerState::Approved;
            effects.extend(self.log_recorded(&question));
        }
        let mut unshown = Vec::new();
        for (order, id) in &question.members {
            let Some(held) = self.held.remove(id) else {
                continue;
            };
            if *order > question.shown_up_to {
                unshown.push(held);
                continue;
            }
            self.sequence += 1;
            let requester = held.request.requester_session_id.clone();
            self.turns.insert(requester, self.sequence);
            effects.extend(self.answer_one(held.request, held.digest, &told));
        }
        for held in unshown {
            effects.extend(self.arrived(held.request, held.digest, decide));
        }
        if verdict.state == AnswerState::ApprovedForServingSession {
            effects.extend(self.recheck(decide));
        }
        Ok(effects)
    }

    fn log_recorded(&self, question: &Question) -> Option<Effect> {
        let (_, id) = question.members.first_key_value()?;
        let request = &self.held.get(id)?.request;
        let approval = request.session_approval.as_ref()?;
        let mut fields = facts(request);
        fields.insert("surface".into(), json!(approval.surface));
        fields.insert("patterns".into(), json!(approval.patterns));
        Some(Effect::Log(
            "forwarded_permission.session_recorded",
            Value::Object(fields),
        ))
    }

    /// Rules or grants have changed: whatever they answer now is answered.
    pub fn recheck(&mut self, decide: Decide<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        let ids: Vec<String> = self.held.keys().cloned().collect();
        for id in ids {
            let Some(held) = self.held.get(&id) else {
                continue;
            };
            let Ruling::Answer(verdict) = decide(&held.request) else {
                continue;
            };
            let (request, digest) = (Arc::clone(&held.request), held.digest);
            effects.push(self.log_ruling(&request, &verdict));
            effects.extend(self.leave(&id, Gone::Settled));
            effects.extend(self.answer_one(request, digest, &verdict));
        }
        effects
    }

    /// The requests that lie in the inbox now. A waiting one that is missing
    /// was withdrawn.
    pub fn present(&mut self, ids: &BTreeSet<String>) -> Vec<Effect> {
        self.torn.retain(|id, _| ids.contains(id));
        self.remembered.present(ids);
        let missing = self.held.keys().filter(|id| !ids.contains(*id));
        let missing: Vec<String> = missing.cloned().collect();
        let mut effects = Vec::new();
        for id in missing {
            effects.extend(self.leave(&id, Gone::Withdrawn));
        }
        effects
    }

    /// Drops what waits for a process that is gone.
    pub fn check_requesters(&mut self, judge: Judge<'_>) -> Vec<Effect> {
        let dead = self.held.iter().filter(|(_, held)| {
            let process = held.request.process.as_ref();
            process.is_some_and(|process| judge(process) == ProcessState::Gone)
        });
        let dead: Vec<(String, Arc<Request>)> = dead
            .map(|(id, held)| (id.clone(), Arc::clone(&held.request)))
            .collect();
        let mut effects = Vec::new();
        for (id, request) in dead {
            effects.extend(self.leave(&id, Gone::RequesterDied));
            effects.extend(requester_gone(&request));
        }
        effects
    }

    /// Takes one asker out of its question.
    fn leave(&mut self, id: &str, why: Gone) -> Vec<Effect> {
        let Some(held) = self.held.remove(id) else {
            return Vec::new();
        };
        let question_id = held.question;
        let Some(question) = self.questions.get_mut(&question_id) else {
            return Vec::new();
        };
        question.members.remove(&held.order);
        question.revision += 1;
        if question.members.is_empty() {
            self.questions.remove(&question_id);
            return vec![Effect::Gone {
                id: question_id,
                why,
            }];
        }
        vec![Effect::Changed(Box::new(self.waiting_of(&question_id)))]
    }

    /// This session stops serving. What waits stays in the inbox, for a
    /// session of the same id that comes after.
    pub fn stop(&mut self) -> Vec<Effect> {
        self.held.clear();
        let questions = std::mem::take(&mut self.questions);
        let gone = |id| Effect::Gone {
            id,
            why: Gone::Stopped,
        };
        questions.into_keys().map(gone).collect()
    }

    fn answer_one(
        &mut self,
        request: Arc<Request>,
        digest: Digest,
        verdict: &Verdict,
    ) -> Vec<Effect> {
        let response = Response {
            state: verdict.state,
            denial_reason: verdict.denial_reason.clone(),
            responder_session_id: self.session_id.clone(),
            responded_at: 0,
            decided_by: Some(verdict.decided_by.clone()),
        };
        let mut fields = facts(&request);
        fields.insert("resolution".into(), json!(response.state.as_str()));
        fields.insert("denialReason".into(), json!(response.denial_reason));
        fields.insert("decidedBy".into(), verdict.decided_by.to_json());
        let event = if response.is_approval() {
            "forwarded_permission.approved"
        } else {
            "forwarded_permission.denied"
        };
        let mut effects = vec![Effect::Log(event, Value::Object(fields))];
        effects.extend(self.deliver(request, digest, response));
        effects
    }

    fn deliver(
        &mut self,
        request: Arc<Request>,
        digest: Digest,
        response: Response,
    ) -> Vec<Effect> {
        self.due.insert(request.id.clone());
        self.remembered.keep(&request.id, digest, response.clone());
        vec![Effect::Deliver(Box::new(Answer {
            request,
            digest,
            response,
        }))]
    }

    /// What became of an answer. One that failed is delivered again later,
    /// without being decided again.
    pub fn delivered(
        &mut self,
        answer: &Answer,
        delivery: &crate::delivery::Delivery,
    ) -> Vec<Effect> {
        use crate::delivery::Delivery;
        let id = &answer.request.id;
        match delivery {
            Delivery::Delivered => {
                self.due.remove(id);
                Vec::new()
            }
            Delivery::Late => {
                self.due.remove(id);
                let mut fields = facts(&answer.request);
                fields.insert("resolution".into(), json!(answer.response.state.as_str()));
                vec![Effect::Log(
                    "forwarded_permission.answer_late",
                    Value::Object(fields),
                )]
            }
            // If its requester throws it away, ours is given again.
            Delivery::Occupied => {
                self.due.remove(id);
                vec![Effect::Log(
                    "permission_forwarding.warning",
                    json!({
                        "message": format!("Another answer to request '{id}' lies there already"),
                        "requestId": id,
                    }),
                )]
            }
            Delivery::Failed(fault) => vec![Effect::Log(
                "permission_forwarding.error",
                json!({
                    "message": format!("The answer to request '{id}' could not be written"),
                    "requestId": id,
                    "error": fault.to_string(),
                }),
            )],
        }
    }
}

/// Whether the requester is known to be gone, or cannot be judged and has
/// waited longer than it could.
fn nobody_waits(request: &Request, wall: u64, judge: Judge<'_>) -> Option<Vec<Effect>> {
    let gone = match &request.process {
        Some(process) => judge(process) == ProcessState::Gone,
        None => {
            let end = request
                .expires_at
                .unwrap_or_else(|| request.created_at.saturating_add(limits::UNCLAIMED_MS));
            wall > end
        }
    };
    gone.then(|| requester_gone(request))
}

fn requester_gone(request: &Request) -> Vec<Effect> {
    vec![
        Effect::Log(
            "forwarded_permission.requester_gone",
            Value::Object(facts(request)),
        ),
        Effect::Remove {
            id: request.id.clone(),
        },
    ]
}

fn dropped(id: &str, why: &str) -> Vec<Effect> {
    vec![
        Effect::Log(
            "permission_forwarding.warning",
            json!({
                "message": format!("Ignoring forwarded permission request '{id}': {why}"),
                "requestId": id,
            }),
        ),
        Effect::Remove { id: id.to_owned() },
    ]
}

/// The request facts of every entry of a serving session (spec 05 §12).
fn facts(request: &Request) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("requestId".into(), json!(request.id));
    map.insert("source".into(), json!("primary"));
    let agent = json!(request.requester_agent_name);
    map.insert("requesterAgentName".into(), agent);
    let session = json!(request.requester_session_id);
    map.insert("requesterSessionId".into(), session);
    let target = json!(request.target_session_id);
    map.insert("targetSessionId".into(), target);
    if let Some(by) = &request.child_by {
        map.insert("childBy".into(), json!(by));
    }
    if !request.lineage.is_empty() {
        let hops = request.lineage.iter().map(|hop| json!(hop.session_id));
        map.insert("lineage".into(), hops.collect());
    }
    map
}
