//! A session at run time: mailbox, clock, facts, configuration, review log.
//!
//! This crate is the one composition root: the program and the addon convert
//! to and from it and decide nothing themselves.

pub mod check;
pub mod dialog;
pub mod explain;
pub mod facts;
#[doc(hidden)]
pub mod fault_point;
pub mod forwarding;
pub mod gate;
pub mod mailbox;
pub mod paths;
pub mod process;
pub mod registry;
pub mod review_log;
pub mod session;
pub mod suggest;
pub mod workspace;

/// Configuration files, for front ends.
pub use countersign_config as config;
/// The gate, for front ends.
pub use countersign_engine as engine;
/// Tool calls, for front ends.
pub use countersign_intent as intent;
/// Rules and grants, for front ends.
pub use countersign_policy as policy;

/// Diagnostics and places in texts, for front ends.
pub use countersign_text as text;
pub use session::Session;
