//! Where the files of a session live (spec 01 §1). The names are those of the
//! predecessor: a user swaps the package and keeps the files.

use std::path::{Path, PathBuf};

/// The identity under which files, logs and messages appear.
pub const EXTENSION: &str = "pi-permission-system";

/// The directories and files below one agent directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPaths {
    root: PathBuf,
}

impl AgentPaths {
    /// The layout below `agent_dir`.
    #[must_use]
    pub fn new(agent_dir: impl Into<PathBuf>) -> Self {
        Self {
            root: agent_dir.into(),
        }
    }

    /// The agent directory of this process: `PI_CODING_AGENT_DIR` where set
    /// and not blank, else `~/.pi/agent`. `None` without a home directory.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        let set = std::env::var_os("PI_CODING_AGENT_DIR").filter(|value| !value.is_empty());
        let root = match set {
            Some(value) => match value.to_str().and_then(|text| text.strip_prefix("~/")) {
                Some(rest) => home_dir()?.join(rest),
                None => PathBuf::from(value),
            },
            None => home_dir()?.join(".pi").join("agent"),
        };
        Some(Self::new(root))
    }

    /// The agent directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of this system's own files.
    #[must_use]
    pub fn extension(&self) -> PathBuf {
        self.root.join("extensions").join(EXTENSION)
    }

    /// The global configuration file.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.extension().join("config.json")
    }

    /// The directory of the logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.extension().join("logs")
    }

    /// The record of every ask and decision.
    #[must_use]
    pub fn review_log(&self) -> PathBuf {
        self.logs()
            .join("pi-permission-system-permission-review.jsonl")
    }

    /// The log for finding faults.
    #[must_use]
    pub fn debug_log(&self) -> PathBuf {
        self.logs().join("pi-permission-system-debug.jsonl")
    }

    /// The root of the mailbox.
    #[must_use]
    pub fn mailbox(&self) -> PathBuf {
        self.root.join("sessions").join("permission-forwarding")
    }

    /// A session below this directory is a subagent's (spec 05 §4).
    #[must_use]
    pub fn subagent_sessions(&self) -> PathBuf {
        self.root.join("subagent-sessions")
    }
}

/// The project's configuration file below `cwd`.
#[must_use]
pub fn project_config(cwd: &Path) -> PathBuf {
    cwd.join(".pi")
        .join("extensions")
        .join(EXTENSION)
        .join("config.json")
}

/// The user's home directory: `HOME` (or `USERPROFILE`) where set and not
/// empty.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    ["HOME", "USERPROFILE"]
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty())
        .map(PathBuf::from)
}
