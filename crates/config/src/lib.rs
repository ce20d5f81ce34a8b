//! Configuration text to typed scopes, settings and diagnostics.
//!
//! A configuration file is JSON with comments, read strictly: any violation
//! and the whole file contributes nothing (spec 01 §2.2). An agent's
//! frontmatter is read tolerantly: what cannot be understood is left out, one
//! entry at a time (spec 01 §4.5). Everything left out is reported with its
//! place in the text. Pure: text comes in, values go out.

pub mod dialog_keys;
pub mod edit;
mod frontmatter;
mod json;
mod keys;
mod mcp;
pub mod migrate;
mod read;
mod schema;
mod settings;

use std::sync::Arc;

use countersign_policy::Scope;
use countersign_policy::compose::ScopePolicy;
use countersign_text::Diagnostic;

pub use frontmatter::parse_agent;
pub use keys::{Adjustable, adjustable};
pub use mcp::mcp_server_names;
pub use read::{MAX_BYTES, parse_config, unreadable};
pub use schema::{SCHEMA_ID, schema};
pub use settings::{Authority, DialogKeys, Settings, ShellTool};

/// What one file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Its policy; `None` when the file is invalid and contributes nothing.
    pub scope: Option<ScopePolicy>,
    /// Its settings; `None` when the file is invalid.
    pub settings: Option<Settings>,
    /// Everything worth saying about it. An invalid file has at least one
    /// error here.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the file could not be read as configuration.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.scope.is_none()
    }

    /// An absent file: valid, and silent.
    #[must_use]
    pub fn absent(scope: Scope, path: Option<Arc<str>>) -> Self {
        Self {
            scope: Some(ScopePolicy::empty(scope, path)),
            settings: Some(Settings::default()),
            diagnostics: Vec::new(),
        }
    }

    fn invalid(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            scope: None,
            settings: None,
            diagnostics,
        }
    }
}
