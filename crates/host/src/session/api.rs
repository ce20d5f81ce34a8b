//! What a front end (the addon, the program) and a session say to each other.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::dialog::{Fact, Offer, Reach};

/// What a session is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The agent directory.
    pub agent_dir: PathBuf,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The user's home directory, for `~` in patterns and commands.
    pub home: Option<String>,
    /// The session's id, as the host names it.
    pub session_id: String,
    /// The directory of the session's file, where the host says.
    pub session_dir: Option<PathBuf>,
    /// Whether a person sits at this session.
    pub has_ui: bool,
    /// Whether the project's files count.
    pub trusted: bool,
    /// The environment the process was started with, before any session
    /// changed it.
    pub environment: BTreeMap<String, String>,
    /// Directories of the host itself that tools may read (spec 02 §8).
    pub host_directories: Vec<PathBuf>,
    /// The directory this system is installed in, which it protects.
    pub install_directory: Option<PathBuf>,
}

/// What changed about a session; absent members stay as they are.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// Whether a person sits at this session.
    pub has_ui: Option<bool>,
    /// Whether the project's files count.
    pub trusted: Option<bool>,
    /// The active agent; `Some(None)` means that there is none.
    pub agent: Option<Option<String>>,
    /// The names of all registered tools.
    pub tools: Option<Vec<String>>,
    /// Whether the host hides the sessions made in its own process.
    pub unguarded: Option<bool>,
    /// The names of the authorizer links that are registered.
    pub links: Option<Vec<String>>,
}

/// What the host says of a tool call besides the call. None of it decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallContext {
    /// The host's id of the call.
    pub tool_call_id: String,
    /// The call that made this one, where a tool calls others.
    pub parent_tool_call_id: Option<String>,
    /// What the tool's maker says of it (MCP annotations): a name such as
    /// `readOnlyHint`, and whether it holds.
    pub hints: Vec<(String, bool)>,
}

/// A front end: where questions are shown and events go. Every method may be
/// called from any thread and must return at once.
pub trait Front: Send + Sync {
    /// How many questions fit on the screen at a time.
    fn at_once(&self) -> usize {
        1
    }
    /// Show this question. The answer comes back through
    /// [`Session::answer`](super::Session::answer) or the dialog.
    fn question(&self, question: Question);
    /// Take the question off the screen: it is answered, or nobody waits for
    /// its answer any more.
    fn question_gone(&self, request_id: &str);
    /// Broadcast an event.
    fn event(&self, channel: &str, payload: Value);
    /// What [`Session::status`](super::Session::status) says has changed.
    fn changed(&self) {}
    /// Tell the user something.
    fn notice(&self, level: Level, text: &str);
    /// Ask an authorizer link. The verdict comes back through
    /// [`Session::link_verdict`](super::Session::link_verdict).
    fn consult(&self, request_id: &str, link: &str, details: Value) {
        let _ = (request_id, link, details);
    }
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}

impl Level {
    /// The host's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A question to the person at this session.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The id that the review log, the events and the mailbox share.
    pub request_id: String,
    /// The heading.
    pub title: String,
    /// The facts as plain text, for a front end that can only offer a list.
    pub text: String,
    /// The labels of the options, in order.
    pub options: Vec<String>,
    /// The labels of the second list, which follows a grant on a forwarded
    /// question.
    pub reach_options: Vec<String>,
    /// The facts behind the text, for a front end with a layout of its own.
    /// What is shown of them must go through [`visible`](crate::dialog::visible).
    pub facts: Vec<Fact>,
    /// What an approval that is remembered would grant, in words.
    pub grant: Option<String>,
    /// The approvals that can be given.
    pub offers: Vec<Offer>,
    /// Who asks, where the question was forwarded.
    pub forwarding: Option<Forwarding>,
}

/// Who asks a forwarded question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forwarding {
    /// Its agent name, or `unknown`.
    pub requester_agent_name: String,
    /// Its session id, or `unknown`.
    pub requester_session_id: String,
    /// The sessions that handed the question on, the first one first: each
    /// with its agent, where it has one.
    pub through: Vec<(String, Option<String>)>,
    /// The directory it works in, as it says.
    pub cwd: Option<String>,
}

/// An answer of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run it, and remember that this far.
    Approved {
        /// How far the approval reaches.
        reach: Reach,
        /// Whether a grant covers both directions of a path family.
        both_directions: bool,
    },
    /// Do not run it.
    Denied {
        /// What to tell the model.
        reason: Option<String>,
    },
    /// There was no one to answer, or the question could not be shown.
    Unavailable {
        /// Why.
        reason: String,
    },
}

/// Through which kind of control a person answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The dialog of this system.
    Dialog,
    /// A plain list of the host.
    Select,
}

impl Via {
    /// The word in `decidedBy`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dialog => "dialog",
            Self::Select => "select",
        }
    }
}

/// What the gate says of a tool call.
#[must_use = "a call that is not allowed must not run"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Run it.
    Allow,
    /// Do not run it, and tell the model why.
    Block(String),
    /// Not decided yet: [`Session::when_settled`](super::Session::when_settled)
    /// tells.
    Waiting(String),
}

/// The end of an ask.
#[must_use = "a call that is not allowed must not run"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Run it.
    Allowed,
    /// Do not run it, and tell the model why.
    Blocked(String),
}
