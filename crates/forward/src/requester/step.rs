//! What the machine is given, what it wants done, and what it is told of it.

use serde_json::Value;

use super::Outcome;
use crate::detect::TargetSource;
use crate::liveness::ServingState;
use crate::mailbox::Fault;
use crate::sign::PublicKey;
use crate::wire::Request;

/// What to do while the target is not serving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ParentLost {
    /// Give up after the grace window.
    #[default]
    Fail,
    /// Wait for it to come back, until the timeout.
    Wait,
}

/// Which answers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Those signed with the key that was inherited.
    Key(PublicKey),
    /// All of them: no key was inherited.
    Unsigned,
    /// None: a signature is required, and no usable key was inherited.
    Nothing,
}

/// How one question is asked.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The question.
    pub request: Request,
    /// How long to wait for a target that serves, in milliseconds.
    pub timeout_ms: u64,
    /// How long a target may be not serving, in milliseconds.
    pub grace_ms: u64,
    /// What to do after that.
    pub parent_lost: ParentLost,
    /// Which answers count.
    pub trust: Trust,
    /// Where the target's liveness is looked up; `None` where it cannot be.
    pub channel: Option<TargetSource>,
    /// How often to look for the answer, in milliseconds.
    pub poll_ms: u64,
}

/// What the machine wants done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Make the inbox usable. Reply: [`Reply::Done`].
    Prepare,
    /// Put the request in. Reply: [`Reply::Done`].
    WriteRequest,
    /// Judge whether the target serves. Reply: [`Reply::Liveness`].
    LookAtTarget,
    /// Whether the request is still there. Reply: [`Reply::Present`].
    LookForRequest,
    /// Read the answer. Reply: [`Reply::Read`].
    ReadResponse,
    /// Remove the answer. Reply: [`Reply::Removed`].
    RemoveResponse,
    /// Remove the request. Reply: [`Reply::Removed`].
    RemoveRequest,
    /// Remove what is empty. Reply: [`Reply::Done`].
    CleanUp,
    /// Wait for this time of the clock that never jumps, or until something
    /// happens. Reply: [`Reply::Woken`].
    WaitUntil(u64),
    /// Write to the review log. Reply: [`Reply::Done`].
    Log(&'static str, Value),
    /// The one outcome. Nothing follows.
    Finish(Box<Outcome>),
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The beginning: no step came before.
    Begin,
    /// Done, or not.
    Done(Result<(), Fault>),
    /// What was found; `None` where the target cannot be judged.
    Liveness(Option<ServingState>),
    /// Whether it is there.
    Present(bool),
    /// What was read.
    Read(Result<Option<Vec<u8>>, Fault>),
    /// Whether there was something to remove.
    Removed(Result<bool, Fault>),
    /// The wait is over; whether the asker called off its question.
    Woken {
        /// Whether it did.
        cancelled: bool,
    },
}
