//! Handing a question on.
//!
//! A session between a child and the person serves the child's inbox and asks
//! its own parent. The question stays the child's: its id, its requester and
//! its facts travel unchanged, and the hop is added to its lineage. What
//! changes is whom it is addressed to, and whose process waits.

use crate::limits::HOPS;
use crate::requester::{Outcome, Unavailable};
use crate::server::Verdict;
use crate::sign::PublicKey;
use crate::wire::{AnswerState, Hop, Process, Request};

/// The session that hands a question on.
#[derive(Clone, Debug)]
pub struct Relay<'a> {
    /// Its id.
    pub session_id: &'a str,
    /// Its agent, where it has one.
    pub agent_name: Option<&'a str>,
    /// Its process.
    pub process: Process,
    /// Whom it asks.
    pub target: &'a str,
    /// The key the target's answer must be signed with.
    pub answer_key: Option<PublicKey>,
    /// A number used once.
    pub nonce: &'a str,
    /// When it stops waiting, in milliseconds since 1970.
    pub expires_at: Option<u64>,
}

/// The request to put to the next session.
///
/// # Errors
///
/// When the question has passed this session, the next one or too many
/// already.
pub fn onward(request: &Request, relay: &Relay<'_>) -> Result<Request, Unavailable> {
    let mut passed = request.lineage.iter().map(|hop| hop.session_id.as_str());
    let circle = request.requester_session_id == relay.target
        || relay.session_id == relay.target
        || passed.any(|id| id == relay.target || id == relay.session_id);
    if circle || request.lineage.len() >= HOPS {
        return Err(Unavailable::in_a_circle(relay.target));
    }
    let mut next = request.clone();
    next.target_session_id = relay.target.to_owned();
    next.process = Some(relay.process.clone());
    next.answer_key = relay.answer_key;
    next.nonce = Some(relay.nonce.to_owned());
    next.expires_at = relay.expires_at;
    next.lineage.push(Hop {
        session_id: relay.session_id.to_owned(),
        agent_name: relay.agent_name.map(str::to_owned),
    });
    Ok(next)
}

/// What to tell the child, given how the question ended further up.
#[must_use]
pub fn backward(outcome: &Outcome) -> Verdict {
    match outcome {
        Outcome::Answered(answered) => Verdict {
            // A grant for the session further up is that session's; a session
            // of another make may still say so.
            state: match answered.response.state {
                AnswerState::ApprovedForServingSession => AnswerState::Approved,
                other => other,
            },
            denial_reason: answered.response.denial_reason.clone(),
            decided_by: answered.decided_by.clone(),
        },
        Outcome::Unavailable(unavailable) => Verdict::unavailable(unavailable.reason.clone()),
    }
}
