//! How a question ends.

use crate::liveness::ServingState;
use crate::sign::Refused;
use crate::wire::{Decider, Response};

/// Why no answer was had. None of these is a refusal by anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// There is nobody to ask.
    NoTarget,
    /// The inbox could not be prepared.
    Directories,
    /// The request could not be written.
    NotWritten,
    /// The target does not drain its inbox.
    NotServing,
    /// It does, and did not answer in time.
    TimedOut,
    /// Its answer could not be read.
    Unreadable,
    /// The answers that came were not its own.
    Refused(Refused),
    /// The question was removed without an answer, again and again.
    Removed,
    /// The asker called the question off.
    Cancelled,
    /// The target, or somebody behind it, had nobody to ask.
    Remote,
    /// The question would come back to a session it already passed.
    Loop,
}

impl Cause {
    /// The word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoTarget => "no_target",
            Self::Directories => "directories",
            Self::NotWritten => "not_written",
            Self::NotServing => "not_serving",
            Self::TimedOut => "timed_out",
            Self::Unreadable => "unreadable",
            Self::Refused(_) => "refused_answer",
            Self::Removed => "removed",
            Self::Cancelled => "cancelled",
            Self::Remote => "remote",
            Self::Loop => "loop",
        }
    }
}

/// Approval is unavailable, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// Why.
    pub cause: Cause,
    /// The same for the model, without a full stop.
    pub reason: String,
    /// What was last found of the target, where that is why.
    pub state: Option<ServingState>,
}

impl Unavailable {
    /// There is no session to ask.
    #[must_use]
    pub fn no_target() -> Self {
        Self {
            cause: Cause::NoTarget,
            reason: "Could not resolve a parent session to forward this permission request to"
                .to_owned(),
            state: None,
        }
    }

    pub(super) fn of(cause: Cause, target: &str, timeout_ms: u64) -> Self {
        let reason = match cause {
            Cause::NoTarget => return Self::no_target(),
            Cause::Directories => format!(
                "Permission forwarding directories could not be prepared for session '{target}'"
            ),
            Cause::NotWritten => "The forwarded permission request could not be written".to_owned(),
            Cause::NotServing => {
                format!("Session '{target}' is not serving forwarded permission requests")
            }
            Cause::TimedOut => format!(
                "Session '{target}' did not answer within {}s",
                seconds(timeout_ms)
            ),
            Cause::Unreadable => {
                "The parent session's permission response could not be read".to_owned()
            }
            Cause::Refused(why) => {
                format!("The answer in the name of session '{target}' was not accepted: {why}")
            }
            Cause::Removed => {
                format!("The permission request to session '{target}' was removed unanswered")
            }
            Cause::Cancelled => "The permission request was cancelled".to_owned(),
            Cause::Remote => format!("Session '{target}' had nobody to ask"),
            Cause::Loop => {
                format!("The permission request to session '{target}' would go in a circle")
            }
        };
        Self {
            cause,
            reason,
            state: None,
        }
    }

    /// The question cannot be handed on to `target`.
    #[must_use]
    pub fn in_a_circle(target: &str) -> Self {
        Self::of(Cause::Loop, target, 0)
    }

    /// The inbox of `target` could not be made usable.
    #[must_use]
    pub fn directories(target: &str) -> Self {
        Self::of(Cause::Directories, target, 0)
    }

    /// The request could not be written.
    #[must_use]
    pub fn not_written(target: &str) -> Self {
        Self::of(Cause::NotWritten, target, 0)
    }
}

fn seconds(millis: u64) -> String {
    let (whole, rest) = (millis / 1_000, millis % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    let fraction = format!("{rest:03}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

/// What an answer's proof was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofState {
    /// Signed with the key that was inherited.
    Signed,
    /// Signed with a key nobody vouches for: none was inherited.
    Unproven,
    /// Not signed, and no key was inherited.
    Unsigned,
}

impl ProofState {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signed => "signed",
            Self::Unproven => "unproven",
            Self::Unsigned => "unsigned",
        }
    }
}

/// An answer that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub response: Response,
    /// Who decided, as the asker records it: the answer's decider in a
    /// `forwarded` frame.
    pub decided_by: Decider,
    /// What its proof was worth.
    pub proof: ProofState,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With an answer.
    Answered(Box<Answered>),
    /// Without one.
    Unavailable(Unavailable),
}

impl Outcome {
    /// Whether the call may run.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        match self {
            Self::Answered(answered) => answered.response.is_approval(),
            Self::Unavailable(_) => false,
        }
    }
}
