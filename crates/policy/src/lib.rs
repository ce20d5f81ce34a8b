//! Rules, patterns, composition, evaluation and grants: what the user said,
//! and what it says about one value. Pure.

mod vocabulary;

pub use vocabulary::*;
