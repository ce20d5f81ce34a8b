//! What an entry of the log says of a call: what became of it, and the call
//! itself where it is recorded whole.

use std::path::{Path, PathBuf};

use countersign_host::policy::Action;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::log::entry::{Entry, Verdict};

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the policy said then, before anybody answered.
    pub before: Action,
    /// Whether it ran.
    pub ran: bool,
    /// Whether a person answered.
    pub prompted: bool,
    /// Whether a rule, a link or a person refused it.
    pub refused: bool,
}

impl Outcome {
    /// The outcome of an entry that ends a call where it was made; `None` for
    /// all others.
    pub fn of(entry: &Entry<'_>) -> Option<Self> {
        if !entry.is_final() {
            return None;
        }
        let verdict = entry.verdict()?;
        let decider = entry.decided_by.as_ref().map(|it| it.effective_kind());
        let before = match entry.event.get()? {
            "permission_request.blocked" => Action::Deny,
            "permission_request.infrastructure_auto_allowed" | "permission_request.allowed" => {
                Action::Allow
            }
            _ => Action::Ask,
        };
        let ran = verdict == Verdict::Allowed;
        // Entries of another make may not say who decided.
        let answered = decider == Some("user")
            || decider.is_none() && entry.event.get() == Some("permission_request.approved");
        Some(Self {
            before,
            ran,
            prompted: before == Action::Ask && answered,
            refused: verdict == Verdict::Denied,
        })
    }
}

/// A call as it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub tool: String,
    pub input: Value,
    pub cwd: PathBuf,
    pub agent: Option<String>,
    pub trusted: bool,
}

/// Why a call cannot be decided again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lost {
    /// The log does not hold the call: an older version wrote it.
    NotRecorded,
    /// A secret in it was masked.
    Masked,
    /// It was longer than the log keeps.
    Cut,
    /// It depended on the skills of its session.
    Skill,
    /// An extension's extractor found its path.
    Extractor,
    /// It depended on where Pi's own files were.
    Infrastructure,
    /// Deciding it failed.
    Failed,
}

impl Lost {
    /// The word for it, in JSON and for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotRecorded => "not recorded",
            Self::Masked => "masked",
            Self::Cut => "cut",
            Self::Skill => "of a skill",
            Self::Extractor => "with a path from an extension",
            Self::Infrastructure => "to Pi's own files",
            Self::Failed => "failed",
        }
    }
}

#[derive(Deserialize)]
struct Line {
    call: Option<Value>,
}

/// The call of an entry. `assumed` is the directory of shell commands that
/// were recorded without one.
pub fn call(entry: &Entry<'_>, line: &[u8], assumed: Option<&Path>) -> Result<Call, Lost> {
    if entry.event.get() == Some("permission_request.infrastructure_auto_allowed") {
        return Err(Lost::Infrastructure);
    }
    let tool = entry.tool_name.get().ok_or(Lost::NotRecorded)?;
    let agent = entry.agent_name.get().map(str::to_owned);
    let recorded = serde_json::from_slice::<Line>(line)
        .ok()
        .and_then(|line| line.call);
    let Some(recorded) = recorded else {
        let cwd = assumed.ok_or(Lost::NotRecorded)?.to_owned();
        let input = json!({"command": whole_command(entry, tool)?});
        return Ok(Call {
            tool: tool.to_owned(),
            input,
            cwd,
            agent,
            trusted: true,
        });
    };
    match recorded.get("partial").map(Value::as_str) {
        None => {}
        Some(Some("masked")) => return Err(Lost::Masked),
        Some(Some("skill")) => return Err(Lost::Skill),
        Some(Some("extractor")) => return Err(Lost::Extractor),
        Some(_) => return Err(Lost::Cut),
    }
    let input = recorded.get("input").cloned().ok_or(Lost::NotRecorded)?;
    let cwd = recorded.get("cwd").and_then(Value::as_str);
    let cwd = cwd.map(Path::new).filter(|cwd| cwd.is_absolute());
    Ok(Call {
        tool: tool.to_owned(),
        input,
        cwd: cwd.ok_or(Lost::NotRecorded)?.to_owned(),
        agent,
        trusted: recorded.get("trusted") != Some(&Value::Bool(false)),
    })
}

/// The command of an entry without a call, unless it shows that it is not
/// whole.
fn whole_command<'e>(entry: &'e Entry<'_>, tool: &str) -> Result<&'e str, Lost> {
    let command = entry.command.get().filter(|_| tool == "bash");
    match command {
        None => Err(Lost::NotRecorded),
        Some(text) if text.ends_with('…') => Err(Lost::Cut),
        Some(text) if text.contains("[redacted]") => Err(Lost::Masked),
        Some(text) => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: &str, more: &str) -> String {
        format!(r#"{{"event":"permission_request.{event}","toolName":"bash"{more}}}"#)
    }

    #[test]
    fn outcomes() {
        let user = r#","decidedBy":{"kind":"user"}"#;
        let parent =
            r#","decidedBy":{"kind":"forwarded","decision":{"kind":"rule","surface":"bash"}}"#;
        let nobody = r#","resolution":"confirmation_unavailable""#;
        for (event, more, expected) in [
            ("waiting", "", None),
            ("approved", user, Some((Action::Ask, true, true, false))),
            ("approved", parent, Some((Action::Ask, true, false, false))),
            ("denied", user, Some((Action::Ask, false, true, true))),
            ("denied", nobody, Some((Action::Ask, false, false, false))),
            ("blocked", "", Some((Action::Deny, false, false, true))),
            (
                "session_approved",
                "",
                Some((Action::Ask, true, false, false)),
            ),
            ("auto_approved", "", Some((Action::Ask, true, false, false))),
        ] {
            let line = line(event, more);
            let entry = Entry::parse(line.as_bytes()).unwrap();
            let found = Outcome::of(&entry).map(|it| (it.before, it.ran, it.prompted, it.refused));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn only_a_whole_call_is_one() {
        let here = Some(Path::new("/p"));
        for (more, assumed, expected) in [
            (
                r#","call":{"input":{"command":"ls"},"cwd":"/p"}"#,
                None,
                Ok(("ls", true)),
            ),
            (
                r#","call":{"input":{"command":"ls"},"cwd":"/p","trusted":false}"#,
                None,
                Ok(("ls", false)),
            ),
            (
                r#","call":{"input":{"command":"ls"},"cwd":"p"}"#,
                here,
                Err(Lost::NotRecorded),
            ),
            (
                r#","call":{"cwd":"/p"},"command":"ls""#,
                here,
                Err(Lost::NotRecorded),
            ),
            (
                r#","call":{"input":{},"cwd":"/p","partial":"masked"}"#,
                here,
                Err(Lost::Masked),
            ),
            (
                r#","call":{"input":{},"cwd":"/p","partial":1}"#,
                here,
                Err(Lost::Cut),
            ),
            (r#","command":"ls""#, None, Err(Lost::NotRecorded)),
            (r#","command":"ls""#, here, Ok(("ls", true))),
            (r#","command":"l…""#, here, Err(Lost::Cut)),
            (
                r#","command":"TOKEN=[redacted] ls""#,
                here,
                Err(Lost::Masked),
            ),
            ("", here, Err(Lost::NotRecorded)),
        ] {
            let line = line("approved", more);
            let entry = Entry::parse(line.as_bytes()).unwrap();
            let found = call(&entry, line.as_bytes(), assumed);
            let found = found
                .as_ref()
                .map(|it| (it.input["command"].as_str().unwrap(), it.trusted));
            assert_eq!(found, expected.as_ref().map(|it| *it), "{line}");
        }
    }
}
