//! A session at run time: mailbox, clock, facts, configuration, review log.
//!
//! This crate is the one composition root: the program and the addon convert
//! to and from it and decide nothing themselves.

pub mod dialog;
#[doc(hidden)]
pub mod fault_point;
pub mod forwarding;
pub mod mailbox;
pub mod paths;
pub mod process;
pub mod review_log;
pub mod workspace;
