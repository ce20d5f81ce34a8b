//! Everything a decision depends on besides the call.

use countersign_intent::IntentSettings;
use countersign_policy::{Flavour, GrantSet, Pattern, Policy};

/// The settings a decision depends on. Made once per configuration.
#[derive(Clone, Debug, Default)]
pub struct GateSettings {
    /// Every question is answered with yes (it never lifts a `deny`).
    pub yolo: bool,
    /// How calls are read.
    pub intent: IntentSettings,
    /// Where the path tools may read outside the workspace without asking.
    pub infrastructure: Vec<Infrastructure>,
    /// Directories that are never infrastructure, whatever else contains them.
    pub infrastructure_excluded: Vec<String>,
    /// The tools the host has registered; `None` when that is not known.
    pub registered: Option<Vec<String>>,
    /// Whether the host hides the sessions that its tools make in its own
    /// process, so that a tool which launches one launches it unguarded.
    pub unguarded: bool,
    /// This system's own files.
    pub protected: Vec<Protected>,
    /// How paths are written.
    pub flavour: Flavour,
}

/// One location of the infrastructure list (spec 02 §8).
#[derive(Clone, Debug)]
pub enum Infrastructure {
    /// A directory and all below it, or one file; in real form.
    Below(String),
    /// Paths that match a pattern.
    Matching(Pattern),
}

/// A file or directory of this system's own that only a person may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protected {
    /// Its real path; a directory stands for all below it.
    pub path: String,
    /// What it is, for the question.
    pub what: &'static str,
}

/// A skill the agent has been told of (spec 02 §6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry {
    /// Its name.
    pub name: String,
    /// Its file, absolute and normal.
    pub location: String,
    /// The directory of that file.
    pub directory: String,
}

/// The session as one decision sees it.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The session's directory, absolute and normal.
    pub cwd: &'a str,
    /// Where that really is.
    pub real_cwd: &'a str,
    /// The agent's name, for texts.
    pub agent: Option<&'a str>,
    /// The rules.
    pub policy: &'a Policy,
    /// The same rules, each also covering its pattern with the directory part
    /// resolved (see [`Policy::with_resolved_directories`]); used for what a
    /// path really leads to. The same policy where nothing differs.
    pub resolved: &'a Policy,
    /// The settings.
    pub settings: &'a GateSettings,
    /// What a person has approved for longer than one call.
    pub grants: &'a GrantSet,
    /// The skills on offer.
    pub skills: &'a [SkillEntry],
}
