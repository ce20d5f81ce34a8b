//! JSON from and to the JavaScript side.

use std::collections::BTreeMap;
use std::path::PathBuf;

use countersign_host::dialog::Row;
use countersign_host::engine::ToolCall;
use countersign_host::session::{
    CallContext, Gate, Options, Page, Question, Settled, Skill, Update,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a session is opened with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenOptions {
    session_id: String,
    session_dir: Option<PathBuf>,
    agent_dir: Option<PathBuf>,
    package_dir: Option<PathBuf>,
    install_dir: Option<PathBuf>,
    cwd: PathBuf,
    has_ui: bool,
    trusted: bool,
    environment: BTreeMap<String, String>,
    /// Whether the session has no copy of the extension of its own.
    #[serde(default)]
    pub guest: bool,
}

impl OpenOptions {
    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The host's form; an error where the agent directory is unknown.
    pub fn into_options(self) -> napi::Result<Options> {
        let agent_dir = self
            .agent_dir
            .or_else(|| {
                countersign_host::paths::AgentPaths::from_environment()
                    .map(|paths| paths.root().to_owned())
            })
            .ok_or_else(|| napi::Error::from_reason("no agent directory and no home directory"))?;
        Ok(Options {
            agent_dir,
            cwd: self.cwd,
            home: countersign_host::paths::home_dir()
                .map(|home| home.to_string_lossy().into_owned()),
            session_id: self.session_id,
            session_dir: self.session_dir,
            has_ui: self.has_ui,
            trusted: self.trusted,
            environment: self.environment,
            host_directories: self.package_dir.into_iter().collect(),
            install_directory: self.install_dir,
        })
    }
}

/// What changed about a session; absent members stay as they are.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUpdate {
    cwd: Option<PathBuf>,
    has_ui: Option<bool>,
    trusted: Option<bool>,
    system_prompt: Option<String>,
    active_agent: Option<Value>,
    tools: Option<Vec<String>>,
    unguarded: Option<bool>,
    links: Option<Vec<String>>,
}

impl From<ContextUpdate> for Update {
    fn from(update: ContextUpdate) -> Self {
        Self {
            cwd: update.cwd,
            has_ui: update.has_ui,
            trusted: update.trusted,
            agent: crate::active_agent::resolve(
                update.active_agent.as_ref(),
                update.system_prompt.as_deref(),
            ),
            tools: update.tools,
            unguarded: update.unguarded,
            links: update.links,
        }
    }
}

/// One tool call.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The tool.
    pub name: String,
    /// The host's id of the call.
    pub tool_call_id: String,
    /// The tool's input.
    pub input: Value,
    /// The path that another extension read out of the input.
    pub path: Option<String>,
    /// What another extension makes of the input, for a person to read.
    pub preview: Option<String>,
    /// The call that made this one.
    pub parent_tool_call_id: Option<String>,
    /// What the tool's maker says of it; members that are no booleans mean
    /// nothing.
    #[serde(default)]
    pub annotations: BTreeMap<String, Value>,
}

impl Call {
    /// The engine's form.
    pub fn tool_call(&self) -> ToolCall {
        ToolCall {
            name: self.name.clone(),
            input: self.input.clone(),
            extracted_path: self.path.clone(),
            preview: self.preview.clone(),
        }
    }

    /// What the host says of the call.
    pub fn context(&self) -> CallContext {
        let hints = self.annotations.iter();
        CallContext {
            tool_call_id: self.tool_call_id.clone(),
            parent_tool_call_id: self.parent_tool_call_id.clone(),
            hints: hints
                .filter_map(|(name, holds)| Some((name.clone(), holds.as_bool()?)))
                .collect(),
        }
    }
}

/// A skill that the host has loaded.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadedSkill {
    name: String,
    file_path: String,
}

impl From<LoadedSkill> for Skill {
    fn from(skill: LoadedSkill) -> Self {
        Self {
            name: skill.name,
            file: skill.file_path,
        }
    }
}

/// What a person chose from the lists.
#[derive(Deserialize)]
pub struct Chosen {
    /// The label of the first list; `None` where it was dismissed.
    pub label: Option<String>,
    /// The label of the second list.
    pub reach: Option<String>,
    /// The reason that was typed.
    pub reason: Option<String>,
}

/// A question, for the screen.
pub fn question(question: &Question) -> Value {
    json!({
        "id": question.request_id,
        "title": question.title,
        "text": question.text,
        "options": question.options,
        "reachOptions": question.reach_options,
        "forwarding": question.forwarding.as_ref().map(|from| json!({
            "requesterAgentName": from.requester_agent_name,
            "requesterSessionId": from.requester_session_id,
        })),
    })
}

/// The rows of a dialog.
pub fn rows(rows: Option<&[Row]>) -> Value {
    rows.map_or(Value::Null, |rows| {
        rows.iter()
            .map(|row| json!({ "text": row.text, "style": row.style.as_str() }))
            .collect()
    })
}

/// A page of a command.
pub fn page(page: &Page) -> Value {
    let options: Vec<Value> = page
        .options
        .iter()
        .map(|option| json!({ "label": option.label, "step": option.step }))
        .collect();
    json!({
        "notice": page.notice.as_ref().map(|(level, text)| json!({
            "level": level.as_str(),
            "text": text,
        })),
        "title": page.title,
        "options": options,
        "input": page.input,
        "back": page.back,
    })
}

/// The gate's word.
pub fn gate(gate: Gate) -> Value {
    match gate {
        Gate::Allow => json!({ "kind": "allow" }),
        Gate::Block(message) => json!({ "kind": "block", "message": message }),
        Gate::Waiting(id) => json!({ "kind": "waiting", "requestId": id }),
    }
}

/// The end of an ask.
pub fn settled(settled: Settled) -> Value {
    match settled {
        Settled::Allowed => json!({ "kind": "allow" }),
        Settled::Blocked(message) => json!({ "kind": "block", "message": message }),
    }
}

/// Reads what JavaScript handed over.
pub fn read<T: for<'de> Deserialize<'de>>(what: &str, text: &str) -> napi::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| napi::Error::from_reason(format!("{what} cannot be read: {error}")))
}
