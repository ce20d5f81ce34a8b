//! Forwarding: how a question reaches the session that can answer it, and how
//! the answer comes back.
//!
//! The messages ([`wire`]), the proof of an answer ([`sign`]), whom to ask
//! ([`detect`]), whether anybody is there ([`liveness`]), and three machines:
//! the one that asks ([`requester`]), the one that answers ([`server`]) and
//! the one that hands on ([`relay`]). Nothing here touches a file, a clock or
//! a process: see [`mailbox`].

pub mod delivery;
pub mod detect;
pub mod ids;
pub mod limits;
pub mod liveness;
pub mod mailbox;
pub mod relay;
pub mod requester;
pub mod server;
pub mod sign;
pub mod wire;

pub use wire::{Decider, Request, Response};
