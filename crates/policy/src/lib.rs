//! Rules, patterns, composition, evaluation and grants: what the user said,
//! and what it says about one value. Pure.
//!
//! The way through this crate: `config` reads files into [`compose::ScopePolicy`]
//! values, [`compose::compose`] turns them into one ordered list of [`Rule`]s,
//! [`Policy::compile`] makes that list fast to ask, and [`Policy::evaluate`]
//! answers. What a person approves becomes a [`Grant`].

mod arity;
pub mod compose;
mod evaluate;
mod grants;
mod index;
pub mod lint;
mod pattern;
mod rule;
mod surface;
mod vocabulary;
mod words;

pub use evaluate::{Candidate, Evaluation, Policy, Trust};
pub use grants::{CommandShape, Grant, GrantScope, GrantSet, suggest, suggest_command};
pub use pattern::{Flavour, Pattern, PatternContext, needs_home};
pub use rule::Rule;
pub use surface::{
    DIRECTIONAL, ExactSurface, Family, family_members, is_path_surface, unknown_directional,
};
pub use vocabulary::*;
pub use words::nearest;
