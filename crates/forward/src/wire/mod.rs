//! The messages, as they lie in the files (spec 05 §8 and §9).
//!
//! Reading is tolerant: a malformed optional field is dropped on its own, a
//! missing required one makes the message unreadable. What would loosen a
//! judgement by being dropped (a floor, the units of a chain) takes the whole
//! access facts with it instead, and a request without facts is asked about.
//!
//! Writing is additive: our own fields lie under one key, `countersign`, which
//! other implementations ignore.

mod decider;
mod heartbeat;
mod process;
mod read;
mod request;
mod response;

pub use decider::{Decider, LinkVerdict, Via};
pub use heartbeat::Heartbeat;
pub use process::Process;
pub use read::Unreadable;
pub use request::{AccessIntent, AskingUnit, Hop, Principal, Request, SessionApproval, Source};
pub use response::{AnswerState, Proof, Response, ResponseFile};

/// The key of our own fields in every message.
pub const OWN_KEY: &str = "countersign";
