//! What the machine is told, and what it wants done.

use std::sync::Arc;

use serde_json::Value;

use super::Waiting;
use crate::liveness::ProcessState;
use crate::sign::Digest;
use crate::wire::{AnswerState, Decider, Process, Request, Response};

/// What a serving session says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub state: AnswerState,
    /// Why it is no, where there is something to say.
    pub denial_reason: Option<String>,
    /// Who decided.
    pub decided_by: Decider,
}

impl Verdict {
    /// Yes to this one call.
    #[must_use]
    pub fn approved(decided_by: Decider) -> Self {
        Self {
            state: AnswerState::Approved,
            denial_reason: None,
            decided_by,
        }
    }

    /// No, with the reason where there is one.
    #[must_use]
    pub fn denied(decided_by: Decider, reason: Option<String>) -> Self {
        Self {
            state: match &reason {
                Some(_) => AnswerState::DeniedWithReason,
                None => AnswerState::Denied,
            },
            denial_reason: reason,
            decided_by,
        }
    }

    /// Nobody could be asked. The requester reports it as such, not as a
    /// refusal.
    #[must_use]
    pub fn unavailable(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            state: AnswerState::Denied,
            denial_reason: Some(reason.clone()),
            decided_by: Decider::Unavailable { reason },
        }
    }
}

/// What the serving session's own rules say to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// They decide.
    Answer(Verdict),
    /// Somebody has to be asked.
    Ask,
}

/// What has to be done, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Remove a request that is not served.
    Remove {
        /// Its id.
        id: String,
    },
    /// Deliver an answer, then tell [`Server::delivered`](super::Server::delivered).
    Deliver(Box<Answer>),
    /// Put a question to somebody.
    Ask(Box<Waiting>),
    /// The askers of a question that is already put have changed. Whoever
    /// shows it tells [`Server::shown`](super::Server::shown) once the change is on the screen.
    Changed(Box<Waiting>),
    /// A question needs no answer any more.
    Gone {
        /// The question's id.
        id: String,
        /// Why.
        why: Gone,
    },
    /// Write to the review log.
    Log(&'static str, Value),
}

/// Why a question needs no answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gone {
    /// Its requester withdrew it: gave up, or was cancelled.
    Withdrawn,
    /// Its requester's process is gone.
    RequesterDied,
    /// A rule or a grant answers it now.
    Settled,
    /// This session stops serving.
    Stopped,
}

impl Gone {
    /// The word in logs and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Withdrawn => "withdrawn",
            Self::RequesterDied => "requester_died",
            Self::Settled => "settled",
            Self::Stopped => "stopped",
        }
    }
}

/// An answer to be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The request it answers.
    pub request: Arc<Request>,
    /// The digest of the request file's bytes.
    pub digest: Digest,
    /// The answer, without the time.
    pub response: Response,
}

/// What one look at a request in the inbox found.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The name of the file without its ending.
    pub id: &'a str,
    /// Its content; `None` where it cannot be read.
    pub bytes: Option<&'a [u8]>,
    /// Whether an answer lies beside it.
    pub answered: bool,
    /// The present time, in milliseconds since 1970.
    pub wall: u64,
    /// The present time of the clock that never jumps, in milliseconds.
    pub now: u64,
}

/// Why an answer of a person was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnswered {
    /// No such question waits: it was answered, withdrawn, or its asker died.
    #[error("no such question is waiting")]
    NotWaiting,
}

/// Decides by the serving session's rules and grants.
pub type Decide<'a> = &'a dyn Fn(&Request) -> Ruling;

/// Judges the process that waits for an answer.
pub type Judge<'a> = &'a dyn Fn(&Process) -> ProcessState;
