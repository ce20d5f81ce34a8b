//! Forwarding at run time: asking another session, and answering others.
//!
//! The machines are those of `countersign_forward`; here they meet files,
//! clocks, threads and processes.

mod ask;
mod cancel;
mod clock;
mod keys;
mod serve;
mod worker;

use std::sync::Arc;

use serde_json::Value;

pub use ask::{AskOptions, LivenessChannel, ask, is_serving, prepare};
pub use cancel::CancelToken;
pub use clock::SystemClock;
pub(crate) use clock::system_time;
pub use keys::{nonce, session_key, session_public_key};
pub use serve::{Handler, Server, ServerHandle, ServerOptions, StartError};

pub use countersign_forward::detect;
pub use countersign_forward::relay;
pub use countersign_forward::requester::{
    Answered, Cause, Outcome, ParentLost, ProofState, Unavailable,
};
pub use countersign_forward::server::{Asker, Gone, Group, NotAnswered, Ruling, Verdict, Waiting};
pub use countersign_forward::sign::{
    ANSWER_KEY_VARIABLE, InheritedKey, PublicKey, answer_key_value, inherited_key,
};
pub use countersign_forward::wire;

/// The digest that binds an answer to the bytes of a request file.
#[must_use]
pub fn digest_of(request_file: &[u8]) -> countersign_forward::sign::Digest {
    countersign_forward::sign::Digest::of(request_file)
}

/// Where the review-log entries of forwarding go: the event and its fields.
pub type Log = Arc<dyn Fn(&str, Value) + Send + Sync>;
