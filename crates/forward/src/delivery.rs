//! Getting one answer to its requester, or finding that nobody waits for it.
//!
//! The removal of the request decides (see [`crate::requester`]): where the
//! server removes it, the answer is delivered; where it was gone already, the
//! requester either has the answer or has withdrawn the question, and the
//! response file that is left over tells which.

use crate::mailbox::{Fault, Mailbox};
use crate::sign::Digest;

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It lies where its requester finds it, or has been collected.
    Delivered,
    /// Nobody waits for it.
    Late,
    /// Another answer lies there: of a second session with this id, or one that
    /// somebody forged and its requester will throw away.
    Occupied,
    /// It could not be written; it is still due.
    Failed(Fault),
}

/// What the delivery wants done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStep {
    /// Read the request. Reply: [`DeliveryReply::Request`].
    CheckRequest,
    /// Write the response, unless there is one. Reply: [`DeliveryReply::Done`],
    /// whether it was written.
    WriteResponse,
    /// Remove the request. Reply: [`DeliveryReply::Done`], whether it was
    /// there.
    RemoveRequest,
    /// Remove the response. Reply: [`DeliveryReply::Done`], whether it was
    /// there.
    TakeBack,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryReply {
    /// What request is there now.
    Request(Result<Option<Digest>, Fault>),
    /// Whether there was something to do, and it was done.
    Done(Result<bool, Fault>),
}

/// The delivery of one answer: a machine that names one step at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deliver {
    digest: Digest,
    step: DeliveryStep,
}

impl Deliver {
    /// The delivery of an answer to the request with this digest.
    #[must_use]
    pub fn new(digest: Digest) -> Self {
        Self {
            digest,
            step: DeliveryStep::CheckRequest,
        }
    }

    /// The step to do now.
    #[must_use]
    pub fn step(&self) -> DeliveryStep {
        self.step
    }

    /// Takes the result of the step; `Some` is the end.
    pub fn reply(&mut self, reply: DeliveryReply) -> Option<Delivery> {
        let next = match (self.step, reply) {
            (DeliveryStep::CheckRequest, DeliveryReply::Request(Ok(found))) => {
                // Another request under the same id is not the one that was
                // answered: the answer to that one comes too late.
                if found != Some(self.digest) {
                    return Some(Delivery::Late);
                }
                DeliveryStep::WriteResponse
            }
            (DeliveryStep::CheckRequest, DeliveryReply::Request(Err(fault)))
            | (DeliveryStep::WriteResponse, DeliveryReply::Done(Err(fault))) => {
                return Some(Delivery::Failed(fault));
            }
            (DeliveryStep::WriteResponse, DeliveryReply::Done(Ok(false))) => {
                return Some(Delivery::Occupied);
            }
            (DeliveryStep::WriteResponse, DeliveryReply::Done(Ok(true))) => {
                DeliveryStep::RemoveRequest
            }
            (DeliveryStep::RemoveRequest, DeliveryReply::Done(Ok(false))) => DeliveryStep::TakeBack,
            // Still there, so nobody had collected it: withdrawn.
            (DeliveryStep::TakeBack, DeliveryReply::Done(Ok(true))) => return Some(Delivery::Late),
            // A request that stays (a read-only directory) is collected by its
            // requester like any other answer.
            (_, _) => return Some(Delivery::Delivered),
        };
        self.step = next;
        None
    }
}

/// Runs a delivery against a mailbox.
pub fn deliver(mailbox: &dyn Mailbox, id: &str, digest: Digest, response: &[u8]) -> Delivery {
    let mut delivery = Deliver::new(digest);
    loop {
        let reply = match delivery.step() {
            DeliveryStep::CheckRequest => DeliveryReply::Request(
                mailbox
                    .read_request(id)
                    .map(|bytes| bytes.map(|bytes| Digest::of(&bytes))),
            ),
            DeliveryStep::WriteResponse => {
                DeliveryReply::Done(mailbox.write_response(id, response))
            }
            DeliveryStep::RemoveRequest => DeliveryReply::Done(mailbox.remove_request(id)),
            DeliveryStep::TakeBack => DeliveryReply::Done(mailbox.remove_response(id)),
        };
        if let Some(end) = delivery.reply(reply) {
            return end;
        }
    }
}
