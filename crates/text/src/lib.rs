//! Byte spans, line indexes and diagnostics as plain data.
//!
//! Every crate that reads text (bash programs, configuration, frontmatter)
//! speaks of places in it with the types of this one.

mod diagnostic;
mod lines;
mod span;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use lines::{LineIndex, Position};
pub use span::Span;
