//! The question, complete and untrimmed (spec 04 §2): every renderer is a
//! projection of it.

use serde_json::{Value, json};

/// What kind of question it is. The words are those of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskKind {
    /// A command.
    Bash,
    /// An MCP target.
    Mcp,
    /// A tool.
    Tool,
    /// A path.
    Path,
    /// A tool's path outside the workspace.
    ExternalDirectory,
    /// A command's paths outside the workspace.
    BashExternalDirectory,
    /// A skill.
    Skill,
    /// Reading a skill's files.
    SkillRead,
}

impl AskKind {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Mcp => "mcp",
            Self::Tool => "tool",
            Self::Path => "path",
            Self::ExternalDirectory => "external_directory",
            Self::BashExternalDirectory => "bash_external_directory",
            Self::Skill => "skill",
            Self::SkillRead => "skill_read",
        }
    }
}

/// One more fact for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What it is.
    pub label: String,
    /// The fact.
    pub text: String,
    /// More of it, such as where a path leads.
    pub detail: Option<String>,
}

impl Evidence {
    /// A fact without a detail.
    #[must_use]
    pub fn new(label: &str, text: impl Into<String>) -> Self {
        Self {
            label: label.to_owned(),
            text: text.into(),
            detail: None,
        }
    }
}

/// The question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskPayload {
    /// What kind of question it is.
    pub kind: AskKind,
    /// The agent's name.
    pub agent_name: Option<String>,
    /// The surface of the gate.
    pub surface: String,
    /// The tool as policies name it.
    pub tool_name: Option<String>,
    /// The tool as it was called, where that differs.
    pub invoked_tool_name: Option<String>,
    /// The command, path, target or name.
    pub value: String,
    /// The pattern that decided, sentinels included.
    pub matched_pattern: Option<String>,
    /// How the command is nested.
    pub command_context: Option<String>,
    /// What a wrapper really runs.
    pub executed_unit: Option<String>,
    /// Further facts, in order.
    pub evidence: Vec<Evidence>,
}

impl AskPayload {
    /// The payload as it travels and is broadcast. The requester is this
    /// session: `session_id` where it is known.
    #[must_use]
    pub fn to_json(&self, session_id: Option<&str>) -> Value {
        let evidence: Vec<Value> = self
            .evidence
            .iter()
            .map(|e| json!({"label": e.label, "text": e.text, "detail": e.detail}))
            .collect();
        json!({
            "kind": self.kind.as_str(),
            "request": {
                "requester": {
                    "agentName": self.agent_name,
                    "forwarded": false,
                    "sessionId": session_id,
                },
                "surface": self.surface,
                "toolName": self.tool_name,
                "invokedToolName": self.invoked_tool_name,
                "value": self.value,
                "matchedPattern": self.matched_pattern,
                "commandContext": self.command_context,
                "executedUnit": self.executed_unit,
            },
            "evidence": evidence,
            "annotations": [],
        })
    }
}
