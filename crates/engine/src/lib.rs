//! The gate: effects and rules to a verdict with its explanation. Pure: the
//! world is asked through [`Facts`].

mod decide;
mod decision;
mod expand;
mod facts;
mod forwarded;
mod gates;
mod message;
mod need;
mod payload;
mod preview;
mod protect;
mod refusal;
mod scene;
mod subject;
#[cfg(test)]
mod tests;
mod tree;

pub use countersign_intent::{IntentSettings, ShellTool, ToolCall};
pub use decide::{decide, judge_skill};
pub use decision::{
    AccessIntent, AskingUnit, DecidedBy, Deciding, Decision, FloorNote, Gate, GrantSuggestion,
    Grantable, JudgedEffect, OWN_FILES, UNKNOWN_PATH, UNREAD_SHELL,
};
pub use facts::{Entry, FactError, Facts};
pub use forwarded::{ForwardedAsk, ForwardedUnit, ForwardedVerdict, judge_forwarded};
pub use message::{denial_message, gate_error_message};
pub use need::{Again, Grantor, Missing, Need};
pub use payload::{AskKind, AskPayload, Evidence};
pub use preview::preview;
pub use refusal::Refusal;
pub use scene::{GateSettings, Infrastructure, Protected, Scene, SkillEntry};
