//! `check`: decisions without a session, one call at a time (design §5.5).
//! The same files, the same rules and the same gate as in a session.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign_engine::{
    Decision, FloorNote, GateSettings, Need, Scene, SkillEntry, ToolCall, decide,
};
use countersign_intent::path;
use countersign_policy::{Grant, GrantScope, GrantSet};
use countersign_text::{Diagnostic, Span};
use serde_json::{Map, Value, json};

use crate::facts::{RealFacts, real_path};
use crate::gate::{Places, gate_settings};
use crate::paths::{AgentPaths, home_dir};
use crate::workspace::{Snapshot, Source, Workspace, WorkspaceOptions};

/// A longer line of a batch is refused.
pub const MAX_LINE: usize = 16 << 20;

/// As many workspaces are kept open between the lines of a batch.
const MAX_WORKSPACES: usize = 32;

/// As many of them whose configuration was given as text.
const MAX_TEXTS: usize = 8;

/// How the keys of those begin.
const TEXT: &str = "text ";

/// One call to check, with what it is checked against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckRequest {
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// The session's directory; the process's without.
    pub cwd: Option<PathBuf>,
    /// The user's home directory; the process's without.
    pub home: Option<PathBuf>,
    /// Pi's agent directory; below a given home, else the process's.
    pub agent_dir: Option<PathBuf>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The project is not trusted.
    pub untrusted: bool,
    /// Configuration in place of the user's file.
    pub config: Option<Source>,
    /// Configuration in place of the project's file.
    pub project_config: Option<Source>,
    /// Approvals given before.
    pub grants: Vec<Grant>,
    /// Configured MCP servers; those of the files without.
    pub mcp_servers: Option<Vec<String>>,
    /// The registered tools; any tool is taken as registered without.
    pub tools: Option<Vec<String>>,
    /// Skills the agent has been told of: name and file.
    pub skills: Vec<(String, PathBuf)>,
}

/// Why a call could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The request is no JSON object.
    #[error("not a JSON object: {0}")]
    NotAnObject(String),
    /// A member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member is of another kind.
    #[error("`{member}` must be {expected}")]
    Kind {
        /// The member.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// The line is too long.
    #[error("line longer than {MAX_LINE} bytes")]
    TooLong,
    /// There is no directory to decide in.
    #[error("the current directory is not known: {0}")]
    NoDirectory(std::io::Error),
    /// A path is not UTF-8 text.
    #[error("`{0}` is not UTF-8 text")]
    NotText(PathBuf),
    /// There is neither a home directory nor an agent directory.
    #[error("no home directory: set HOME, or name `agent_dir`")]
    NoHome,
    /// A fault of ours.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    /// The decision.
    pub decision: Decision,
    /// What is to be said about the configuration.
    pub snapshot: Arc<Snapshot>,
}

impl Checked {
    /// What is wrong with the configuration files.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.snapshot.diagnostics
    }
}

/// What calls are checked against.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) snapshot: Arc<Snapshot>,
    settings: GateSettings,
    pub(crate) cwd: PathBuf,
    home: Option<PathBuf>,
}

impl Prepared {
    /// Decides the call of `request` under a snapshot, this one's or a variant
    /// of it.
    pub(crate) fn decide(
        &self,
        request: &CheckRequest,
        snapshot: &Snapshot,
    ) -> Result<Decision, CheckError> {
        decide_at(
            request,
            snapshot,
            &self.settings,
            &self.cwd,
            self.home.as_deref(),
        )
    }
}

/// Checks calls; keeps the configurations it has read while they are the same.
#[derive(Debug, Default)]
pub struct Checker {
    workspaces: HashMap<String, Workspace>,
    /// What holds for every line of a batch that does not say otherwise.
    common: CheckRequest,
}

impl Checker {
    /// A checker for a batch: the directory, agent and configuration files of
    /// `common` hold for lines that name none, its approvals for all, and where
    /// it says untrusted no line can say trusted.
    #[must_use]
    pub fn for_batch(common: CheckRequest) -> Self {
        Self {
            workspaces: HashMap::new(),
            common,
        }
    }

    /// Checks one call.
    ///
    /// # Errors
    /// When there is no directory or home to check in.
    pub fn check(&mut self, request: &CheckRequest) -> Result<Checked, CheckError> {
        let prepared = self.prepare(request)?;
        let decision = prepared.decide(request, &prepared.snapshot)?;
        Ok(Checked {
            decision,
            snapshot: prepared.snapshot,
        })
    }

    /// Reads what a call is checked against.
    pub(crate) fn prepare(&mut self, request: &CheckRequest) -> Result<Prepared, CheckError> {
        let home = request.home.clone().or_else(home_dir);
        let agent_dir = match (&request.agent_dir, &request.home) {
            (Some(dir), _) => dir.clone(),
            (None, Some(home)) => home.join(".pi").join("agent"),
            (None, None) => AgentPaths::from_environment()
                .ok_or(CheckError::NoHome)?
                .root()
                .to_owned(),
        };
        let here = || std::env::current_dir().map_err(CheckError::NoDirectory);
        let cwd = match &request.cwd {
            Some(cwd) if cwd.is_absolute() => cwd.clone(),
            Some(cwd) => here()?.join(cwd),
            None => here()?,
        };
        let options = WorkspaceOptions {
            home: home.clone(),
            trusted: !request.untrusted,
            config_override: request.config.clone(),
            project_override: request.project_config.clone(),
            ..WorkspaceOptions::new(agent_dir.clone(), cwd.clone())
        };
        let snapshot = self.workspace(options).snapshot(request.agent.as_deref());
        let places = Places {
            agent_dir,
            cwd: cwd.clone(),
            own: [&request.config, &request.project_config]
                .into_iter()
                .filter_map(|source| match source {
                    Some(Source::File(path)) => Some(path.clone()),
                    _ => None,
                })
                .collect(),
            ..Places::default()
        };
        let servers = match &request.mcp_servers {
            Some(servers) => longest_first(servers),
            None => snapshot.mcp_servers.clone(),
        };
        let settings = gate_settings(
            &snapshot.settings,
            &servers,
            &places,
            snapshot.policy.context(),
            request.tools.clone(),
        );
        Ok(Prepared {
            snapshot,
            settings,
            cwd,
            home,
        })
    }

    fn workspace(&mut self, options: WorkspaceOptions) -> &Workspace {
        let texts = [&options.config_override, &options.project_override];
        let given = texts
            .into_iter()
            .any(|source| matches!(source, Some(Source::Text { .. })));
        let mut key = format!("{options:?}");
        if given {
            key.insert_str(0, TEXT);
        }
        // Configuration given as text is often new with every request.
        let is_text = |key: &String| key.starts_with(TEXT);
        if given
            && !self.workspaces.contains_key(&key)
            && self.workspaces.keys().filter(|key| is_text(key)).count() >= MAX_TEXTS
        {
            self.workspaces.retain(|key, _| !is_text(key));
        }
        if self.workspaces.len() >= MAX_WORKSPACES && !self.workspaces.contains_key(&key) {
            self.workspaces.clear();
        }
        self.workspaces
            .entry(key)
            .or_insert_with(|| Workspace::open(options))
    }

    /// Answers one line of a batch: always one JSON object, whatever the line.
    #[must_use]
    pub fn answer(&mut self, line: &[u8]) -> Value {
        let parsed: Value = match serde_json::from_slice(line) {
            Ok(parsed) => parsed,
            Err(error) => {
                return error_answer(Value::Null, &CheckError::NotAnObject(error.to_string()));
            }
        };
        let id = parsed.get("id").cloned().unwrap_or(Value::Null);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let request = parse(&parsed, &self.common)?;
            self.check(&request)
        }));
        match checked {
            Ok(Ok(checked)) => answer(id, &checked.decision),
            Ok(Err(error)) => error_answer(id, &error),
            Err(panic) => {
                // The workspaces may be half changed.
                self.workspaces.clear();
                error_answer(id, &CheckError::Internal(panic_text(panic.as_ref())))
            }
        }
    }

    /// Answers every line of `input`, in order, each at once.
    ///
    /// # Errors
    /// When reading or writing fails.
    pub fn batch(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> std::io::Result<()> {
        let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = Read::take(&mut *input, limit + 1).read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(());
            }
            let too_long = line.len() > MAX_LINE && line.last() != Some(&b'\n');
            let answer = if too_long {
                skip_line(input)?;
                error_answer(Value::Null, &CheckError::TooLong)
            } else if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            } else {
                self.answer(&line)
            };
            serde_json::to_writer(&mut *out, &answer)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
    }
}

/// Reads on to the end of the line without keeping it.
fn skip_line(input: &mut dyn BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                input.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}

fn decide_at(
    request: &CheckRequest,
    snapshot: &Snapshot,
    settings: &GateSettings,
    cwd: &Path,
    home: Option<&Path>,
) -> Result<Decision, CheckError> {
    let text = |path: &Path| {
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| CheckError::NotText(path.to_owned()))
    };
    let flavour = settings.flavour;
    let real_cwd = text(&real_path(cwd).unwrap_or_else(|_| cwd.to_owned()))?;
    let cwd = path::normalize(&text(cwd)?, flavour);
    let facts = RealFacts::new(home.map(text).transpose()?);
    let grants: Vec<Grant> = snapshot
        .grants
        .iter()
        .chain(&request.grants)
        .cloned()
        .collect();
    let grants = GrantSet::compile(&grants, snapshot.policy.context());
    let mut skills = Vec::new();
    for (name, file) in &request.skills {
        let location = path::normalize(&path::join(&cwd, &text(file)?, flavour), flavour);
        let directory = Path::new(&location).parent().unwrap_or(Path::new("/"));
        skills.push(SkillEntry {
            name: name.clone(),
            directory: text(directory)?,
            location,
        });
    }
    let scene = Scene {
        cwd: &cwd,
        real_cwd: &real_cwd,
        agent: request.agent.as_deref(),
        policy: &snapshot.policy,
        resolved: &snapshot.resolved,
        settings,
        grants: &grants,
        skills: &skills,
    };
    let call = ToolCall::new(request.tool.as_str(), request.input.clone());
    Ok(decide(&call, &scene, &facts))
}

fn longest_first(servers: &[String]) -> Vec<String> {
    let mut servers = servers.to_vec();
    servers.sort_by_key(|name| std::cmp::Reverse(name.len()));
    servers
}

/// Reads a request. Members that are not known are left alone.
fn parse(value: &Value, common: &CheckRequest) -> Result<CheckRequest, CheckError> {
    let Value::Object(map) = value else {
        return Err(CheckError::NotAnObject("another kind of value".to_owned()));
    };
    let path = |member| Ok(text(map, member)?.map(PathBuf::from));
    let trusted = match map.get("trusted") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(trusted)) => *trusted,
        Some(_) => {
            return Err(CheckError::Kind {
                member: "trusted",
                expected: "true or false",
            });
        }
    };
    Ok(CheckRequest {
        tool: text(map, "tool")?.ok_or(CheckError::Missing("tool"))?,
        input: map.get("input").cloned().unwrap_or(Value::Null),
        cwd: path("cwd")?.or_else(|| common.cwd.clone()),
        home: path("home")?,
        agent_dir: path("agent_dir")?,
        agent: text(map, "agent")?
            .filter(|name| !name.trim().is_empty())
            .or_else(|| common.agent.clone()),
        untrusted: !trusted || common.untrusted,
        config: configuration(map, "config")?.or_else(|| common.config.clone()),
        project_config: configuration(map, "project_config")?
            .or_else(|| common.project_config.clone()),
        grants: common.grants.iter().cloned().chain(grants(map)?).collect(),
        mcp_servers: texts(map, "mcp_servers")?,
        tools: texts(map, "tools")?,
        skills: skills(map)?,
    })
}

fn text(map: &Map<String, Value>, member: &'static str) -> Result<Option<String>, CheckError> {
    match map.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(CheckError::Kind {
            member,
            expected: "a text",
        }),
    }
}

fn texts(
    map: &Map<String, Value>,
    member: &'static str,
) -> Result<Option<Vec<String>>, CheckError> {
    let wrong = CheckError::Kind {
        member,
        expected: "a list of texts",
    };
    match map.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => {
            let texts: Option<Vec<String>> = items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect();
            texts.map(Some).ok_or(wrong)
        }
        Some(_) => Err(wrong),
    }
}

/// A configuration object, or the text of a configuration file.
fn configuration(
    map: &Map<String, Value>,
    member: &'static str,
) -> Result<Option<Source>, CheckError> {
    let source = |text| {
        Some(Source::Text {
            name: member.to_owned(),
            text,
        })
    };
    match map.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(object @ Value::Object(_)) => Ok(source(object.to_string())),
        Some(Value::String(text)) => Ok(source(text.clone())),
        Some(_) => Err(CheckError::Kind {
            member,
            expected: "an object",
        }),
    }
}

fn grants(map: &Map<String, Value>) -> Result<Vec<Grant>, CheckError> {
    let wrong = || CheckError::Kind {
        member: "grants",
        expected: "a list of objects with `surface` and `pattern`",
    };
    let items = match map.get("grants") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong()),
    };
    items
        .iter()
        .map(|item| {
            let member = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(Grant {
                surface: member("surface")?,
                pattern: member("pattern")?,
                scope: GrantScope::Session,
            })
        })
        .collect::<Option<Vec<Grant>>>()
        .ok_or_else(wrong)
}

fn skills(map: &Map<String, Value>) -> Result<Vec<(String, PathBuf)>, CheckError> {
    let wrong = || CheckError::Kind {
        member: "skills",
        expected: "a list of objects with `name` and `location`",
    };
    let items = match map.get("skills") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong()),
    };
    items
        .iter()
        .map(|item| {
            let member = |name: &str| item.get(name).and_then(Value::as_str);
            Some((
                member("name")?.to_owned(),
                PathBuf::from(member("location")?),
            ))
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(wrong)
}

/// The answer for a decision (design §5.5).
#[must_use]
pub fn answer(id: Value, decision: &Decision) -> Value {
    let deciding = &decision.deciding;
    let effects: Vec<Value> = decision
        .effects
        .iter()
        .map(|effect| {
            json!({
                "surface": effect.surface,
                "value": effect.value,
                "direction": effect.direction.map(direction_word),
                "verdict": effect.verdict.as_str(),
                "pattern": effect.pattern,
                "span": effect.span.map(span_pair),
            })
        })
        .collect();
    let floors: Vec<Value> = decision.floors.iter().map(floor_object).collect();
    let suggestions: Vec<Value> = decision
        .suggestions
        .iter()
        .map(|grant| json!({"surface": grant.surface, "pattern": grant.pattern}))
        .collect();
    json!({
        "id": id,
        "verdict": decision.verdict.as_str(),
        "deciding": {
            "surface": deciding.surface,
            "value": deciding.value,
            "pattern": deciding.pattern,
            "action": deciding.action.as_str(),
            "origin": deciding.origin.scope.as_str(),
            "floor": deciding.floor,
            "reason": deciding.reason,
            "file": deciding.origin.path.as_deref(),
            "line": deciding.origin.line,
        },
        "effects": effects,
        "floors": floors,
        "suggestions": suggestions,
        "needsCapability": Need::of(decision).map(|need| need.to_json()),
    })
}

fn direction_word(direction: countersign_shell::Direction) -> &'static str {
    use countersign_shell::Direction;
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Both => "both",
    }
}

fn span_pair(span: Span) -> Value {
    json!([span.start, span.end])
}

fn floor_object(floor: &FloorNote) -> Value {
    json!({
        "floor": floor.sentinel,
        "note": floor.note,
        "span": floor.span.map(span_pair),
    })
}

fn error_answer(id: Value, error: &CheckError) -> Value {
    json!({ "id": id, "error": error.to_string() })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("a fault").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(input: &[u8]) -> Vec<Value> {
        batch_with(CheckRequest::default(), input)
    }

    fn batch_with(common: CheckRequest, input: &[u8]) -> Vec<Value> {
        let mut out = Vec::new();
        let mut reader = std::io::BufReader::new(input);
        let mut checker = Checker::for_batch(common);
        checker.batch(&mut reader, &mut out).unwrap();
        out.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    fn request(id: i64, more: &str) -> String {
        let dir = std::env::temp_dir();
        format!(
            r#"{{"id":{id},"tool":"bash","input":{{"command":"ls"}},"cwd":{0:?},"home":{0:?},"config":{{}}{more}}}"#,
            dir.to_str().unwrap()
        )
    }

    #[test]
    fn what_holds_for_a_batch_holds_for_lines_that_say_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join(".pi/extensions/pi-permission-system");
        std::fs::create_dir_all(&project).unwrap();
        let allow = r#"{ "permission": { "bash": { "pwd": "allow" } } }"#;
        std::fs::write(project.join("config.json"), allow).unwrap();
        let config = json!({ "permission": { "*": "ask", "bash": { "ls": "allow" } } });
        let common = |untrusted| CheckRequest {
            cwd: Some(home.path().to_owned()),
            config: Some(Source::Text {
                name: "common".to_owned(),
                text: config.to_string(),
            }),
            grants: vec![Grant {
                surface: "bash".to_owned(),
                pattern: "id".to_owned(),
                scope: GrantScope::Session,
            }],
            untrusted,
            ..CheckRequest::default()
        };
        let line = |command: &str, more: Value| {
            let mut line =
                json!({ "tool": "bash", "input": { "command": command }, "home": home.path() });
            let members = more.as_object().cloned().unwrap_or_default();
            line.as_object_mut().unwrap().extend(members);
            line.to_string()
        };
        let lines = [
            line("ls", json!({})),
            line("id", json!({})),
            line("pwd", json!({ "trusted": true })),
            line("ls", json!({ "config": {} })),
        ];
        let verdicts = |untrusted| -> Vec<String> {
            let answers = batch_with(common(untrusted), lines.join("\n").as_bytes());
            let verdict = |answer: &Value| answer["verdict"].as_str().unwrap().to_owned();
            answers.iter().map(verdict).collect()
        };
        assert_eq!(verdicts(false), ["allow", "allow", "allow", "ask"]);
        assert_eq!(verdicts(true), ["allow", "allow", "ask", "ask"]);
    }

    #[test]
    fn one_answer_a_line_in_order_whatever_the_line() {
        let lines = [
            request(1, ""),
            "not json".to_owned(),
            "[1]".to_owned(),
            r#"{"id":"x"}"#.to_owned(),
            r#"{"id":2,"tool":5}"#.to_owned(),
            request(3, r#","grants":[{"surface":"bash"}]"#),
            request(4, r#","trusted":"yes""#),
            request(5, r#","config":[]"#),
            "[".repeat(5000),
            request(6, ""),
        ];
        let answers = batch(lines.join("\n").as_bytes());
        let said: Vec<(String, bool)> = answers
            .iter()
            .map(|a| (a["id"].to_string(), a.get("error").is_some()))
            .collect();
        let expected = [
            ("1", false),
            ("null", true),
            ("null", true),
            ("\"x\"", true),
            ("2", true),
            ("3", true),
            ("4", true),
            ("5", true),
            ("null", true),
            ("6", false),
        ];
        let expected: Vec<(String, bool)> = expected
            .iter()
            .map(|(id, error)| ((*id).to_owned(), *error))
            .collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn bytes_that_are_no_text_and_lines_without_end() {
        let mut input = vec![0xff, 0xfe, b'\n', b'\r', b'\n', b'\n'];
        input.extend(request(1, "").into_bytes());
        input.push(b'\n');
        input.extend(std::iter::repeat_n(b'x', MAX_LINE + 10));
        input.push(b'\n');
        input.extend(request(2, "").into_bytes());
        let answers = batch(&input);
        assert_eq!(answers.len(), 4);
        assert_eq!(answers[1]["verdict"], "ask");
        assert!(answers[2]["error"].as_str().unwrap().contains("longer"));
        assert_eq!(answers[3]["id"], 2);
    }

    #[test]
    fn the_answer_has_every_member() {
        let answers = batch(request(1, "").as_bytes());
        let members: Vec<&String> = answers[0].as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "id",
                "verdict",
                "deciding",
                "effects",
                "floors",
                "suggestions",
                "needsCapability"
            ]
        );
        let deciding: Vec<&String> = answers[0]["deciding"].as_object().unwrap().keys().collect();
        assert_eq!(
            deciding,
            [
                "surface", "value", "pattern", "action", "origin", "floor", "reason", "file",
                "line"
            ]
        );
    }
}
