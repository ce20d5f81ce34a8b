//! `countersign doctor`: is everything that should gate really gating?

mod canary;
mod files;
mod mailbox;
mod package;
mod policy;

use std::process::ExitCode;

use countersign_host::dialog::visible;
use countersign_host::paths::AgentPaths;
use serde_json::json;

use crate::exit::{ERROR, Failure, Outcome};
use crate::terminal::say;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Do not start Pi for a canary call
    #[arg(long)]
    no_canary: bool,
    /// Remove what killed processes left in the mailbox
    #[arg(long)]
    clean: bool,
    /// Print one JSON object a finding
    #[arg(long)]
    json: bool,
}

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// As it should be.
    Good,
    /// Works, but worth knowing.
    Note,
    /// Something does not gate, or will not work.
    Bad,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Bad => "bad",
        }
    }
}

/// One thing looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    state: State,
    text: String,
    /// What to do about it.
    fix: Option<String>,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Self {
            state: State::Good,
            text: text.into(),
            fix: None,
        }
    }

    fn note(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            state: State::Note,
            text: text.into(),
            fix: Some(fix.into()),
        }
    }

    fn bad(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            state: State::Bad,
            text: text.into(),
            fix: Some(fix.into()),
        }
    }
}

/// Looks at everything; 1 where something is bad.
pub fn run(args: &Args) -> Outcome {
    let paths = AgentPaths::from_environment().ok_or_else(|| {
        Failure::new("there is no home directory")
            .help("set `HOME`, or `PI_CODING_AGENT_DIR` to Pi's agent directory")
    })?;
    let cwd = std::env::current_dir()?;
    let mut report = Report {
        json: args.json,
        bad: 0,
    };
    report.head(&format!("agent directory {}", paths.root().display()))?;
    if !paths.root().is_dir() {
        report.all(vec![Finding::bad(
            "the agent directory does not exist",
            "start Pi once, or set `PI_CODING_AGENT_DIR` to the one it uses",
        )])?;
        return report.end();
    }
    report.all(files::check(&paths))?;
    let installed = package::check(&paths, &cwd);
    report.all(installed.findings)?;
    report.all(policy::check(&paths, &cwd))?;
    report.all(mailbox::check(&paths, args.clean))?;
    if !args.no_canary && installed.found {
        report.all(canary::check(&cwd))?;
    }
    report.end()
}

struct Report {
    json: bool,
    bad: usize,
}

impl Report {
    fn head(&self, text: &str) -> std::io::Result<()> {
        if self.json { Ok(()) } else { say(text) }
    }

    fn end(&self) -> Outcome {
        if self.bad == 0 {
            self.head("nothing is wrong")?;
            return Ok(ExitCode::SUCCESS);
        }
        self.head(&format!("{} to mend", self.bad))?;
        Ok(ERROR.into())
    }

    fn all(&mut self, findings: Vec<Finding>) -> std::io::Result<()> {
        for finding in findings {
            self.bad += usize::from(finding.state == State::Bad);
            if self.json {
                let line = json!({
                    "state": finding.state.word(),
                    "finding": finding.text,
                    "fix": finding.fix,
                });
                say(&line.to_string())?;
                continue;
            }
            say(&format!(
                "  {:<5}{}",
                finding.state.word(),
                visible(&finding.text)
            ))?;
            for line in finding.fix.iter().flat_map(|fix| fix.lines()) {
                say(&format!("       {}", visible(line)))?;
            }
        }
        Ok(())
    }
}

/// The file of that name on the program path.
fn on_path(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
