//! A bash program's text as what it would do: units, path uses and floors.

mod analysis;
pub mod program;

pub use analysis::*;
