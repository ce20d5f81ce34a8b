//! What a decision says, and why.

use countersign_policy::{Action, Origin, Scope};
use countersign_shell::{Context, Direction, Exemption, FloorCause, Proof};
use countersign_text::Span;

use crate::payload::AskPayload;

/// The sentinel of a question about this system's own files.
pub const OWN_FILES: &str = "<countersign-files>";
/// The sentinel of a command in a language that is not read.
pub const UNREAD_SHELL: &str = "<unread-shell-command>";
/// The sentinel of a path for which no rule could be evaluated.
pub const UNKNOWN_PATH: &str = "<computed-path>";

/// Which gate found an effect (spec 02 §3.2), in the order they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// The call itself: no name, or no such tool.
    Call,
    /// Reading a skill's files.
    SkillRead,
    /// A tool's path, against the path rules.
    Path,
    /// A tool's path outside the workspace.
    External,
    /// A command's paths outside the workspace.
    ShellExternal,
    /// A command's paths, against the path rules.
    ShellPath,
    /// The tool itself: its name, its command, its target.
    Tool,
}

/// Who or what settled an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecidedBy {
    /// A rule somebody wrote.
    Rule,
    /// The universal default, or the metadata baseline.
    Default,
    /// Something that cannot be seen through.
    Floor,
    /// The rules for this system's own files.
    SelfProtection,
    /// A grant.
    Grant,
    /// Yolo.
    Yolo,
    /// The infrastructure list.
    Infrastructure,
    /// The call is no call: no name, or an unregistered tool.
    Malformed,
}

/// A lower bound that was found, whatever became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloorNote {
    /// The sentinel.
    pub sentinel: &'static str,
    /// One line for a person.
    pub note: String,
    /// The source concerned.
    pub span: Option<Span>,
}

impl FloorNote {
    pub(crate) fn new(cause: FloorCause, note: &str, span: Span) -> Self {
        Self {
            sentinel: cause.sentinel(),
            note: note.to_owned(),
            span: Some(span),
        }
    }
}

/// One effect and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedEffect {
    /// The gate that found it.
    pub gate: Gate,
    /// The surface it was judged on; for both directions of a family, the one
    /// that decided.
    pub surface: String,
    /// The surface a question is put and a grant is recorded on: the bare
    /// family where no direction was proved.
    pub asked_surface: String,
    /// The value, as typed.
    pub value: String,
    /// For paths: the normal absolute form.
    pub lexical: Option<String>,
    /// For paths that lead elsewhere than they say: where.
    pub resolved: Option<String>,
    /// For paths: which way data flows.
    pub direction: Option<Direction>,
    /// For paths of commands: what proves that.
    pub proof: Option<Proof>,
    /// The verdict.
    pub verdict: Action,
    /// What settled it.
    pub decided_by: DecidedBy,
    /// The pattern that settled it: a rule's, a grant's or a sentinel. `None`
    /// for defaults.
    pub pattern: Option<String>,
    /// The action of the rule or floor, before grants and yolo.
    pub action: Action,
    /// Where the rule is written.
    pub origin: Origin,
    /// The rule's reason.
    pub reason: Option<String>,
    /// The lower bound on this effect, even where a rule asks anyway.
    pub floor: Option<&'static str>,
    /// Whether only the exact text can be granted, and whether anything can.
    pub grantable: Grantable,
    /// Where it stands in the command.
    pub span: Option<Span>,
    /// How it is nested in the command.
    pub context: Option<Context>,
    /// What a wrapper really runs.
    pub executed: Option<String>,
    /// Why a wrapper's floor was left out.
    pub exemption: Option<Exemption>,
    /// The spellings rules were matched with, for another node to judge.
    pub match_values: Vec<String>,
    /// For paths: the real path, for another node to judge.
    pub boundary: Option<String>,
}

/// What may be recorded from an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grantable {
    /// A pattern.
    Pattern,
    /// The exact text only.
    Exact,
    /// Nothing: it is asked about each time.
    Never,
}

impl JudgedEffect {
    /// A settled effect with nothing special about it.
    pub(crate) fn new(gate: Gate, surface: impl Into<String>, value: impl Into<String>) -> Self {
        let surface = surface.into();
        Self {
            gate,
            asked_surface: surface.clone(),
            surface,
            value: value.into(),
            lexical: None,
            resolved: None,
            direction: None,
            proof: None,
            verdict: Action::Allow,
            decided_by: DecidedBy::Default,
            pattern: None,
            action: Action::Allow,
            origin: Origin::of(Scope::Builtin),
            reason: None,
            floor: None,
            grantable: Grantable::Pattern,
            span: None,
            context: None,
            executed: None,
            exemption: None,
            match_values: Vec::new(),
            boundary: None,
        }
    }

    /// The word in the log's `source` (spec 02 §1.4).
    #[must_use]
    pub fn source(&self) -> &'static str {
        match self.decided_by {
            DecidedBy::Grant => return "session",
            DecidedBy::Default if self.is_open_tool() => return "default",
            _ => {}
        }
        match self.gate {
            Gate::Path | Gate::External | Gate::ShellExternal | Gate::ShellPath => "special",
            Gate::SkillRead | Gate::Call => "tool",
            Gate::Tool => match self.surface.as_str() {
                "bash" => "bash",
                "mcp" => "mcp",
                "skill" => "skill",
                _ => "tool",
            },
        }
    }

    fn is_open_tool(&self) -> bool {
        self.gate == Gate::Tool
            && !matches!(
                self.surface.as_str(),
                "bash" | "skill" | "read" | "write" | "edit" | "find" | "grep" | "ls"
            )
    }
}

/// One thing a person would be answering for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskingUnit {
    /// The surface, a bare family where no direction was proved.
    pub surface: String,
    /// The value.
    pub value: String,
    /// The lower bound on it.
    pub floor: Option<&'static str>,
    /// The spellings to match, for another node to judge.
    pub match_values: Vec<String>,
    /// The real path, for paths.
    pub boundary: Option<String>,
}

/// What an approval for longer than one call would record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantSuggestion {
    /// The surface.
    pub surface: String,
    /// The pattern.
    pub pattern: String,
}

/// What settled the whole call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// The surface.
    pub surface: String,
    /// The value.
    pub value: String,
    /// The pattern, a sentinel included; `None` for defaults.
    pub pattern: Option<String>,
    /// What the rule or floor says, before grants and yolo.
    pub action: Action,
    /// Where the rule is written.
    pub origin: Origin,
    /// The lower bound, when one decided or one asks too.
    pub floor: Option<&'static str>,
    /// The rule's reason.
    pub reason: Option<String>,
    /// What settled it.
    pub decided_by: DecidedBy,
}

/// A decision about one tool call, with its reasons.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Action,
    /// What settled it.
    pub deciding: Deciding,
    /// Every effect that was judged.
    pub effects: Vec<JudgedEffect>,
    /// Index of the deciding effect.
    pub deciding_effect: Option<usize>,
    /// Every lower bound that was found.
    pub floors: Vec<FloorNote>,
    /// Everything that asks.
    pub asking: Vec<AskingUnit>,
    /// What an approval for longer would record. Empty where nothing can be.
    pub suggestions: Vec<GrantSuggestion>,
    /// The question, or the facts of the refusal. `None` when allowed.
    pub payload: Option<Box<AskPayload>>,
    /// The whole message for the agent, for calls that are no calls.
    pub message: Option<String>,
}

impl Decision {
    /// The facts that an older node could judge by itself: one surface, one
    /// match set. `None` where the question is about several surfaces or
    /// several paths: such a node would answer for the first alone, so it must
    /// be made to ask its human.
    #[must_use]
    pub fn access_intent(&self) -> Option<AccessIntent> {
        let first = self.asking.first()?;
        let bash = self.asking.iter().all(|u| u.surface == "bash");
        if !(self.asking.len() == 1 || bash) {
            return None;
        }
        // A floor on anything but a command is not understood there.
        if !bash && first.floor.is_some() {
            return None;
        }
        Some(AccessIntent {
            surface: first.surface.clone(),
            match_values: first.match_values.clone(),
            boundary: first.boundary.clone(),
            floor: self.asking.iter().find_map(|u| u.floor),
        })
    }
}

/// What another node is asked to judge (spec 05 §8.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessIntent {
    /// The surface.
    pub surface: String,
    /// The spellings to match.
    pub match_values: Vec<String>,
    /// The real path, for paths.
    pub boundary: Option<String>,
    /// The lower bound.
    pub floor: Option<&'static str>,
}
