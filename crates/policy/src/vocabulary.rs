//! The words of the policy: actions, scopes, layers, rules.

use std::sync::Arc;

/// What a rule says, and what a verdict is. Ordered from the loosest to the
/// strictest, so that the most restrictive of several is their maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Run it.
    Allow,
    /// A person decides.
    Ask,
    /// Never run it.
    Deny,
}

impl Action {
    /// The word in configuration files and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the word of a configuration file. Exact: no case folding, no
    /// blanks.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// Where a rule comes from. The words are those of the predecessor's `origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The user's own file.
    Global,
    /// The project's file, in a trusted project.
    Project,
    /// An agent definition of the user.
    Agent,
    /// An agent definition of a trusted project.
    ProjectAgent,
    /// No file: the default that applies where nothing is said.
    Builtin,
    /// The metadata targets of MCP that any MCP permission implies.
    Baseline,
    /// A grant of this session.
    Session,
    /// An `ask` answered by yolo mode.
    Yolo,
    /// An `allow` turned into `ask` because a file above the global one is
    /// invalid.
    FailClosed,
    /// The built-in rules for this system's own files.
    SelfProtection,
}

impl Scope {
    /// The word in logs, events and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Agent => "agent",
            Self::ProjectAgent => "project-agent",
            Self::Builtin => "builtin",
            Self::Baseline => "baseline",
            Self::Session => "session",
            Self::Yolo => "yolo",
            Self::FailClosed => "fail-closed",
            Self::SelfProtection => "self-protection",
        }
    }
}

/// Where exactly a rule is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The scope that supplied the rule's value.
    pub scope: Scope,
    /// The file, for scopes that are files.
    pub path: Option<Arc<str>>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
}

impl Origin {
    /// An origin that is no file.
    #[must_use]
    pub fn of(scope: Scope) -> Self {
        Self {
            scope,
            path: None,
            line: None,
        }
    }
}

/// How low a rule lies: later layers win over earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The universal default (`permission["*"]`). Never yields a matched
    /// pattern (spec 02 §1.4).
    Default,
    /// The MCP metadata baseline.
    Baseline,
    /// A rule somebody wrote.
    Config,
    /// A grant of this session.
    Session,
}
