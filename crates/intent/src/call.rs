//! The tool call itself, and what kind of thing it is (spec 02 §3.3, base 02
//! §6).

use countersign_shell::{Analysis, Direction};
use serde_json::Value;

use crate::mcp;
use crate::shell::quote_words;

/// What an agent wants to do: a tool's name and its input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The name as the agent typed it.
    pub name: String,
    /// The input, whatever it is.
    pub input: Value,
    /// A path that an access extractor of the host found in the input. Where
    /// present it takes the place of `input.path` for extension tools.
    pub extracted_path: Option<String>,
    /// What another extension's formatter makes of the input, for a person to
    /// read (spec 04 §3). Empty: there is nothing to show.
    pub preview: Option<String>,
}

impl ToolCall {
    /// A call without an extracted path.
    #[must_use]
    pub fn new(name: impl Into<String>, input: Value) -> Self {
        Self {
            name: name.into(),
            input,
            extracted_path: None,
            preview: None,
        }
    }
}

/// A tool that runs shell commands under another name (`shellTools`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellTool {
    /// The tool's name.
    pub tool: String,
    /// The member of its input that holds the command.
    pub command_argument: String,
    /// The member that holds the directory to run it in, if any.
    pub workdir_argument: Option<String>,
}

/// What the reading of a call depends on besides the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentSettings {
    /// Shell tools under other names.
    pub shell_tools: Vec<ShellTool>,
    /// Configured MCP servers, longest name first.
    pub mcp_servers: Vec<String>,
}

/// What kind of tool a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `bash`, or an alias of it.
    Shell,
    /// A shell whose language is not bash: its commands cannot be read.
    OtherShell,
    /// Reads files and changes nothing: `read`, `grep`, `find`, `ls`.
    Reader,
    /// `write`.
    Writer,
    /// `edit`, which reads and writes.
    Editor,
    /// The `mcp` umbrella tool.
    Mcp,
    /// A tool of an MCP server under its native name `mcp__server__tool`.
    NativeMcp,
    /// `skill`.
    Skill,
    /// Anything else.
    Extension,
}

/// Why a shell tool's command could not be taken from its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MissingCommand {
    /// The member is not there.
    Absent,
    /// It is neither a text nor a list of texts.
    NotText,
}

/// The command of a shell tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellCommand {
    /// The text handed to the shell. Empty when it is missing.
    pub text: String,
    /// Set when there is no text to judge.
    pub missing: Option<MissingCommand>,
    /// The directory the tool was told to run it in.
    pub workdir: Option<String>,
    /// What it would do.
    pub analysis: Analysis,
}

/// Everything a tool call says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// What kind of tool it is.
    pub kind: Kind,
    /// The surface of the per-tool gate.
    pub surface: String,
    /// The paths named by the input, raw.
    pub paths: Vec<String>,
    /// Which way data flows between the tool and those paths.
    pub direction: Direction,
    /// The command, for shell tools.
    pub command: Option<ShellCommand>,
    /// The MCP targets, most specific first.
    pub targets: Vec<mcp::Target>,
    /// The skill's name, for `skill`.
    pub skill: Option<String>,
}

impl Intent {
    /// Whether the per-tool gate of this kind judges the path it was given
    /// (base 02 §6.2): the six path tools. Everything else is judged by the
    /// value `*`.
    #[must_use]
    pub fn judged_by_path(&self) -> bool {
        matches!(self.kind, Kind::Reader | Kind::Writer | Kind::Editor)
    }
}

/// Reads a tool call. Never fails: whatever is not understood is an extension
/// tool with no path, judged by its name.
#[must_use]
pub fn read(call: &ToolCall, settings: &IntentSettings) -> Intent {
    let name = call.name.trim();
    let input = &call.input;
    let alias = settings.shell_tools.iter().find(|t| t.tool == name);
    let kind = kind_of(name, alias.is_some());
    let mut intent = Intent {
        kind,
        surface: name.to_owned(),
        paths: Vec::new(),
        direction: Direction::Both,
        command: None,
        targets: Vec::new(),
        skill: None,
    };
    match kind {
        Kind::Shell => {
            "bash".clone_into(&mut intent.surface);
            let (member, workdir) = match alias {
                Some(tool) => (
                    tool.command_argument.as_str(),
                    tool.workdir_argument.as_deref(),
                ),
                None => ("command", None),
            };
            intent.command = Some(shell_command(input, member, workdir));
        }
        Kind::OtherShell => {}
        Kind::Reader => {
            intent.direction = Direction::Read;
            intent.paths.extend(file_paths(input));
        }
        Kind::Writer => {
            intent.direction = Direction::Write;
            intent.paths.extend(file_paths(input));
        }
        Kind::Editor => intent.paths.extend(file_paths(input)),
        Kind::Mcp => {
            intent.targets = mcp::targets(input, &settings.mcp_servers);
            intent.paths = mcp::paths(input);
        }
        Kind::NativeMcp => {
            intent.targets = mcp::native_targets(name);
            intent.paths = mcp::argument_paths(input);
        }
        Kind::Skill => intent.skill = text(input, "name"),
        Kind::Extension => {
            let path = call.extracted_path.clone();
            intent.paths.extend(path.or_else(|| text(input, "path")));
        }
    }
    intent
}

fn kind_of(name: &str, is_shell_alias: bool) -> Kind {
    match name {
        _ if is_shell_alias => Kind::Shell,
        "bash" => Kind::Shell,
        "powershell" | "pwsh" | "cmd" => Kind::OtherShell,
        "read" | "grep" | "find" | "ls" => Kind::Reader,
        "write" => Kind::Writer,
        "edit" => Kind::Editor,
        "mcp" => Kind::Mcp,
        "skill" => Kind::Skill,
        _ if mcp::native_parts(name).is_some() => Kind::NativeMcp,
        _ => Kind::Extension,
    }
}

/// The paths of a file tool. Some hosts name the member otherwise.
fn file_paths(input: &Value) -> impl Iterator<Item = String> + '_ {
    ["path", "file_path"]
        .into_iter()
        .filter_map(|member| text(input, member))
}

/// A member that is a text with something in it.
fn text(input: &Value, member: &str) -> Option<String> {
    input
        .get(member)
        .and_then(Value::as_str)
        .filter(|t| !t.trim().is_empty())
        .map(str::to_owned)
}

fn shell_command(input: &Value, member: &str, workdir: Option<&str>) -> ShellCommand {
    let (command, missing) = match input.get(member) {
        Some(Value::String(text)) => (text.clone(), None),
        // A list of words is a command that no shell splits again.
        Some(Value::Array(words)) if words.iter().all(Value::is_string) => {
            (quote_words(words.iter().filter_map(Value::as_str)), None)
        }
        None | Some(Value::Null) => (String::new(), Some(MissingCommand::Absent)),
        Some(_) => (String::new(), Some(MissingCommand::NotText)),
    };
    ShellCommand {
        analysis: countersign_shell::analyze(&command),
        text: command,
        missing,
        workdir: workdir.and_then(|member| text(input, member)),
    }
}
