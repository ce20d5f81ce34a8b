//! The side that asks.
//!
//! [`Requester`] is a machine: it is handed the result of its last effect and
//! names the next one. It reads no clock and touches no file, so a test can
//! stop it, kill it or let others act between any two of its effects.
//!
//! One removal makes an exchange have one outcome: an answer counts when the
//! requester *removed the response*. A requester that gives up removes the
//! request first and then looks once more; what a server writes after that
//! look, the server takes back when it finds the request gone. Either the
//! requester removes the response or the server does, and each knows by that
//! what became of the answer.

mod outcome;
mod step;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::detect::TargetSource;
use crate::limits;
use crate::liveness::ServingState;
use crate::mailbox::Fault;
use crate::sign::{self, Digest, Refused};
use crate::wire::{Decider, Request, ResponseFile};

pub use outcome::{Answered, Cause, Outcome, ProofState, Unavailable};
pub use step::{Asking, ParentLost, Reply, Step, Trust};

/// What the machine does once the step it waits for is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Starting,
    Preparing,
    Writing,
    Looking,
    LookingForRequest,
    Reading,
    Waiting,
    /// Removing an answer that counts; with a cause, at the last look.
    Claiming(Option<Cause>),
    /// Removing an answer that does not.
    Discarding(Refused),
    /// Removing the request of a question that is given up.
    Withdrawing(Cause),
    /// The request is out: an answer may have come in that moment.
    LastLook(Cause),
    /// Everything is decided; only tidying is left.
    Closing,
}

/// The machine of one question. See the module.
#[derive(Clone, Debug)]
pub struct Requester {
    asking: Asking,
    digest: Digest,
    phase: Phase,
    after: VecDeque<Step>,
    deadline: u64,
    begun: bool,
    cancelled: bool,
    state: Option<ServingState>,
    idle_since: Option<u64>,
    lost_logged: bool,
    next_liveness: u64,
    missing_since: Option<u64>,
    present: bool,
    rewrites: u32,
    refused: u32,
    torn: u32,
    claimed: Option<Box<Answered>>,
    outcome: Option<Outcome>,
}

impl Requester {
    /// A question that is not asked yet.
    #[must_use]
    pub fn new(asking: Asking) -> Self {
        let digest = Digest::of(&asking.request.write());
        Self {
            asking,
            digest,
            phase: Phase::Starting,
            after: VecDeque::new(),
            deadline: 0,
            begun: false,
            cancelled: false,
            state: None,
            idle_since: None,
            lost_logged: false,
            next_liveness: 0,
            missing_since: None,
            present: true,
            rewrites: 0,
            refused: 0,
            torn: 0,
            claimed: None,
            outcome: None,
        }
    }

    /// The question.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.asking.request
    }

    /// Everything that decides what the machine does next, for a search over
    /// its states.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        format!(
            "{:?}",
            (
                &self.phase,
                &self.after,
                self.cancelled,
                self.state,
                self.idle_since,
                self.missing_since,
                (self.present, self.rewrites, self.refused, self.torn),
                self.next_liveness,
                self.claimed.is_some(),
                self.outcome.is_some(),
            )
        )
    }

    /// The next step, given the result of the last one and the present time of
    /// the clock that never jumps.
    ///
    /// A reply that does not belong to the last step ends the question without
    /// an answer: it must never be taken for one.
    pub fn next(&mut self, reply: Reply, now: u64) -> Step {
        // While something is queued, the reply is to a step whose result
        // changes nothing (log lines, tidying).
        if let Some(step) = self.after.pop_front() {
            return step;
        }
        match (self.phase, reply) {
            (Phase::Starting, Reply::Begin) => {
                self.deadline = now.saturating_add(self.asking.timeout_ms);
                self.phase = Phase::Preparing;
                self.after.push_back(Step::Prepare);
                self.log_created()
            }
            (Phase::Preparing, Reply::Done(Ok(()))) => {
                self.phase = Phase::Writing;
                Step::WriteRequest
            }
            (Phase::Preparing, Reply::Done(Err(fault))) => self.fail(Cause::Directories, &fault),
            (Phase::Writing, Reply::Done(Ok(()))) => {
                self.begun = true;
                self.present = true;
                self.missing_since = None;
                self.look(now)
            }
            (Phase::Writing, Reply::Done(Err(fault))) if !self.begun => {
                self.fail(Cause::NotWritten, &fault)
            }
            // A request that cannot be put back: the answer may still come.
            (Phase::Writing, Reply::Done(Err(_))) => self.look(now),
            (Phase::Looking, Reply::Liveness(state)) => {
                self.note_liveness(state, now);
                self.look_for_request()
            }
            (Phase::LookingForRequest, Reply::Present(present)) => {
                self.present = present;
                self.phase = Phase::Reading;
                Step::ReadResponse
            }
            (Phase::Reading, Reply::Read(read)) => self.judge(read, now, None),
            (Phase::LastLook(cause), Reply::Read(read)) => self.judge(read, now, Some(cause)),
            (Phase::Waiting, Reply::Woken { cancelled }) => {
                self.cancelled |= cancelled;
                self.look(now)
            }
            (Phase::Claiming(_), Reply::Removed(Ok(true))) => self.accept(),
            // Somebody took the answer back before it was ours: as if it had
            // never come.
            (Phase::Claiming(last_look), Reply::Removed(Ok(false))) => {
                self.claimed = None;
                match last_look {
                    Some(cause) => self.unavailable(cause),
                    None => self.look(now),
                }
            }
            // It is there, it counts, and it cannot be removed (a read-only
            // directory): it was answered nevertheless, and once.
            (Phase::Claiming(_), Reply::Removed(Err(_))) => self.accept(),
            (Phase::Discarding(why), Reply::Removed(_)) => {
                self.refused += 1;
                self.torn = 0;
                if self.refused >= limits::REFUSED_ANSWERS {
                    self.withdraw(refusal(why))
                } else {
                    self.look(now)
                }
            }
            (Phase::Withdrawing(cause), Reply::Removed(_)) => {
                self.phase = Phase::LastLook(cause);
                Step::ReadResponse
            }
            (Phase::Closing, _) => self.finish(),
            (_, _) => self.unavailable(Cause::Unreadable),
        }
    }

    fn log_created(&self) -> Step {
        let request = &self.asking.request;
        Step::Log(
            "forwarded_permission.request_created",
            json!({
                "requestId": request.id,
                "requesterAgentName": request.requester_agent_name,
                "requesterSessionId": request.requester_session_id,
                "targetSessionId": request.target_session_id,
            }),
        )
    }

    /// One round: is the target there, is the request there, is the answer
    /// there. In this order: a server writes the answer before it removes the
    /// request, so a missing request without an answer was not answered.
    fn look(&mut self, now: u64) -> Step {
        if self.asking.channel.is_some() && now >= self.next_liveness {
            self.next_liveness = now.saturating_add(limits::LIVENESS_POLL_MS);
            self.phase = Phase::Looking;
            return Step::LookAtTarget;
        }
        self.look_for_request()
    }

    fn look_for_request(&mut self) -> Step {
        self.phase = Phase::LookingForRequest;
        Step::LookForRequest
    }

    fn note_liveness(&mut self, state: Option<ServingState>, now: u64) {
        self.state = state;
        match state {
            None | Some(ServingState::Alive) => {
                self.idle_since = None;
                self.lost_logged = false;
            }
            Some(_) => {
                self.idle_since.get_or_insert(now);
            }
        }
    }

    fn judge(
        &mut self,
        read: Result<Option<Vec<u8>>, Fault>,
        now: u64,
        last_look: Option<Cause>,
    ) -> Step {
        let file = match read {
            Ok(None) => {
                self.torn = 0;
                return match last_look {
                    Some(cause) => self.unavailable(cause),
                    None => self.no_answer(now),
                };
            }
            Ok(Some(bytes)) => ResponseFile::read(&bytes, 0).ok(),
            Err(_) => None,
        };
        match file {
            Some(file) => match self.weigh(file) {
                Ok(answered) => self.claim(answered, last_look),
                Err(why) => self.refuse(why, last_look),
            },
            None => {
                // It may be in the middle of being written by one that does
                // not rename into place.
                self.torn += 1;
                if last_look.is_none() && self.torn < limits::TORN_READS {
                    self.phase = Phase::Waiting;
                    let wait = limits::TORN_RETRY_MS << self.torn;
                    return Step::WaitUntil(now.saturating_add(wait));
                }
                self.refuse(Refused::Unreadable, last_look)
            }
        }
    }

    /// Whether an answer counts, and what it says: where it is signed, only
    /// what is signed.
    fn weigh(&self, file: ResponseFile) -> Result<Answered, Refused> {
        let request = &self.asking.request;
        let verify = |key| match &file.proof {
            Some(proof) => sign::verify(proof, key, request, self.digest),
            None => Err(Refused::Unsigned),
        };
        let (response, proof) = match (self.asking.trust, &file.proof) {
            (Trust::Key(key), _) => (verify(key)?, ProofState::Signed),
            (Trust::Nothing, _) => return Err(Refused::Unsigned),
            (Trust::Unsigned, Some(proof)) => (verify(proof.key)?, ProofState::Unproven),
            (Trust::Unsigned, None) => (file.response, ProofState::Unsigned),
        };
        let decided_by =
            Decider::forwarded(&response.responder_session_id, response.decided_by.clone());
        Ok(Answered {
            response,
            decided_by,
            proof,
        })
    }

    fn claim(&mut self, answered: Answered, last_look: Option<Cause>) -> Step {
        self.phase = Phase::Claiming(last_look);
        self.claimed = Some(Box::new(answered));
        Step::RemoveResponse
    }

    fn accept(&mut self) -> Step {
        let Some(answered) = self.claimed.take() else {
            return self.unavailable(Cause::Unreadable);
        };
        let request = &self.asking.request;
        let response = &answered.response;
        let log = Step::Log(
            "forwarded_permission.response_received",
            json!({
                "requestId": request.id,
                "approved": response.is_approval(),
                "state": response.state.as_str(),
                "denialReason": response.denial_reason,
                "responderSessionId": response.responder_session_id,
                "targetSessionId": request.target_session_id,
                "decidedBy": answered.decided_by.to_json(),
                "proof": answered.proof.as_str(),
            }),
        );
        let outcome = match answered.decided_by.effective() {
            // Nobody over there could decide: that is not a refusal.
            Some(Decider::Unavailable { reason }) if !response.is_approval() => {
                Outcome::Unavailable(Unavailable {
                    cause: Cause::Remote,
                    reason: reason.clone(),
                    state: None,
                })
            }
            _ => Outcome::Answered(answered),
        };
        self.close(outcome, [Step::RemoveRequest, Step::CleanUp, log])
    }

    fn refuse(&mut self, why: Refused, last_look: Option<Cause>) -> Step {
        let request = &self.asking.request;
        let log = Step::Log(
            "forwarded_permission.answer_refused",
            json!({
                "requestId": request.id,
                "requesterSessionId": request.requester_session_id,
                "targetSessionId": request.target_session_id,
                "why": why.to_string(),
            }),
        );
        if let Some(cause) = last_look {
            self.after.push_back(Step::RemoveResponse);
            self.after.push_back(log);
            return self.unavailable(cause);
        }
        // Without a key nothing better can come: an answer that cannot be read
        // is the answer.
        let final_word = matches!(self.asking.trust, Trust::Unsigned | Trust::Nothing);
        if final_word {
            self.after.push_back(Step::RemoveResponse);
            self.after.push_back(received_nothing(request));
            let cause = refusal(why);
            let outcome = self.outcome_of(cause);
            let steps = [log, Step::RemoveRequest, Step::CleanUp];
            return self.close(outcome, steps);
        }
        self.phase = Phase::Discarding(why);
        self.after.push_back(Step::RemoveResponse);
        log
    }

    fn no_answer(&mut self, now: u64) -> Step {
        if self.cancelled {
            return self.withdraw(Cause::Cancelled);
        }
        if now >= self.deadline {
            return self.withdraw(Cause::TimedOut);
        }
        let grace_ends = self
            .idle_since
            .map(|since| since.saturating_add(self.asking.grace_ms));
        if grace_ends.is_some_and(|end| now >= end) {
            match self.asking.parent_lost {
                ParentLost::Fail => return self.withdraw(Cause::NotServing),
                ParentLost::Wait if !self.lost_logged => {
                    self.lost_logged = true;
                    let log = self.log_not_serving(true);
                    self.after.push_back(log);
                }
                ParentLost::Wait => {}
            }
        }
        // Where nobody serves, that is the reason, and the grace window ends
        // the wait: a parent of older make removes what it cannot read.
        let spent = self.rewrites >= limits::REWRITES + self.refused;
        let nobody_serves = grace_ends.is_some() && self.asking.parent_lost == ParentLost::Fail;
        if self.present || (spent && nobody_serves) {
            self.missing_since = None;
        } else {
            let since = *self.missing_since.get_or_insert(now);
            if now >= since.saturating_add(limits::REWRITE_AFTER_MS) {
                if spent {
                    return self.withdraw(Cause::Removed);
                }
                self.rewrites += 1;
                self.phase = Phase::Writing;
                self.after.push_back(Step::WriteRequest);
                return self.pop();
            }
        }
        let mut until = now.saturating_add(self.asking.poll_ms).min(self.deadline);
        if let Some(end) = grace_ends.filter(|end| *end > now) {
            until = until.min(end);
        }
        if let Some(since) = self.missing_since {
            until = until.min(since.saturating_add(limits::REWRITE_AFTER_MS));
        }
        self.phase = Phase::Waiting;
        self.after.push_back(Step::WaitUntil(until.max(now + 1)));
        self.pop()
    }

    fn pop(&mut self) -> Step {
        match self.after.pop_front() {
            Some(step) => step,
            None => self.finish(),
        }
    }

    fn withdraw(&mut self, cause: Cause) -> Step {
        self.phase = Phase::Withdrawing(cause);
        let request = &self.asking.request;
        match cause {
            Cause::NotServing => {
                let log = self.log_not_serving(false);
                self.after.push_back(log);
            }
            Cause::TimedOut => self.after.push_back(Step::Log(
                "forwarded_permission.response_timed_out",
                json!({
                    "requestId": request.id,
                    "requesterAgentName": request.requester_agent_name,
                    "targetSessionId": request.target_session_id,
                }),
            )),
            _ => {}
        }
        self.after.push_back(Step::RemoveRequest);
        self.pop()
    }

    fn log_not_serving(&self, waiting: bool) -> Step {
        let request = &self.asking.request;
        let channel = self.asking.channel.map_or("none", TargetSource::channel);
        let mut fields = json!({
            "requestId": request.id,
            "requesterSessionId": request.requester_session_id,
            "targetSessionId": request.target_session_id,
            "servingChannel": channel,
            "servingState": self.state.map(ServingState::as_str),
        });
        if waiting && let Some(map) = fields.as_object_mut() {
            map.insert("waiting".into(), Value::Bool(true));
        }
        Step::Log("forwarded_permission.no_serving_session", fields)
    }

    /// A question that could not even be put.
    fn fail(&mut self, cause: Cause, fault: &Fault) -> Step {
        let outcome = self.outcome_of(cause);
        let reason = match &outcome {
            Outcome::Unavailable(unavailable) => unavailable.reason.clone(),
            Outcome::Answered(_) => String::new(),
        };
        let log = Step::Log(
            "permission_forwarding.error",
            json!({
                "message": reason,
                "requestId": self.asking.request.id,
                "error": fault.to_string(),
            }),
        );
        self.close(outcome, [log, Step::CleanUp])
    }

    fn outcome_of(&self, cause: Cause) -> Outcome {
        let target = &self.asking.request.target_session_id;
        let mut unavailable = Unavailable::of(cause, target, self.asking.timeout_ms);
        if cause == Cause::NotServing {
            unavailable.state = self.state;
        }
        Outcome::Unavailable(unavailable)
    }

    /// Whatever is answered from here on is the server's to take back.
    fn unavailable(&mut self, cause: Cause) -> Step {
        let outcome = self.outcome_of(cause);
        self.close(outcome, [Step::CleanUp])
    }

    fn close(&mut self, outcome: Outcome, steps: impl IntoIterator<Item = Step>) -> Step {
        self.outcome.get_or_insert(outcome);
        self.phase = Phase::Closing;
        self.after.extend(steps);
        self.pop()
    }

    fn finish(&mut self) -> Step {
        let outcome = self.outcome.clone();
        let outcome = outcome.unwrap_or_else(|| self.outcome_of(Cause::Unreadable));
        Step::Finish(Box::new(outcome))
    }
}

fn refusal(why: Refused) -> Cause {
    match why {
        Refused::Unreadable => Cause::Unreadable,
        other => Cause::Refused(other),
    }
}

fn received_nothing(request: &Request) -> Step {
    Step::Log(
        "forwarded_permission.response_received",
        json!({
            "requestId": request.id,
            "approved": null,
            "state": null,
            "denialReason": null,
            "responderSessionId": null,
            "targetSessionId": request.target_session_id,
            "decidedBy": null,
        }),
    )
}
