//! A tool call as the effects it would have: what kind of tool it is, which
//! shell command it runs, which paths it names, which MCP targets it reaches.
//! Pure: the file system is asked later, by the engine.

mod call;
pub mod glob;
pub mod mcp;
pub mod path;
mod shell;
mod token;

pub use call::{
    Intent, IntentSettings, Kind, MissingCommand, ShellCommand, ShellTool, ToolCall, read,
};
pub use countersign_policy::Flavour;
pub use shell::quote_words;
pub use token::{Shape, classify};
