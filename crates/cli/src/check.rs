//! `countersign check`: the stable machine interface for decisions.

use std::path::PathBuf;
use std::process::ExitCode;

use countersign_host::check::{self, CheckRequest, Checker};
use countersign_host::engine::{DecidedBy, Decision};
use countersign_host::policy::{Action, Grant, GrantScope};
use countersign_host::workspace::Source;

use crate::exit::{self, Failure, Outcome};
use crate::terminal;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tool that is called, such as `bash`
    #[arg(long, value_name = "NAME", required_unless_present = "batch")]
    pub tool: Option<String>,
    /// Its input as JSON
    #[arg(long, value_name = "JSON", required_unless_present = "batch")]
    pub input: Option<String>,
    #[command(flatten)]
    pub place: Place,
    /// Answer with one JSON object
    #[arg(long)]
    pub json: bool,
    /// One JSON object a line on standard input, one answer a line; the other
    /// options hold for lines that say nothing else
    #[arg(long, conflicts_with_all = ["tool", "input"])]
    pub batch: bool,
}

/// Where and under what a call is judged.
#[derive(Debug, clap::Args)]
pub struct Place {
    /// The directory the tool is called in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A configuration file instead of the user's own
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A configuration file instead of the project's
    #[arg(long, value_name = "FILE")]
    pub project_config: Option<PathBuf>,
    /// The agent whose rules apply as well
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Treat the project as not trusted: its files contribute nothing
    #[arg(long)]
    pub untrusted: bool,
    /// An approval given earlier; may be repeated
    #[arg(long, value_name = "SURFACE=PATTERN")]
    pub grant: Vec<String>,
}

/// One call, and where it is judged.
#[derive(Debug, clap::Args)]
pub struct Call {
    /// The tool that is called, such as `bash`
    #[arg(long, value_name = "NAME")]
    pub tool: String,
    /// Its input as JSON
    #[arg(long, value_name = "JSON")]
    pub input: String,
    #[command(flatten)]
    pub place: Place,
}

impl Call {
    /// The call as a request.
    pub fn request(&self) -> anyhow::Result<CheckRequest> {
        request(&self.tool, &self.input, &self.place)
    }
}

/// Decides one call or, with `--batch`, one call a line.
pub fn run(args: &Args) -> Outcome {
    let tool = args.tool.as_deref().unwrap_or_default();
    let input = args.input.as_deref().unwrap_or("null");
    let request = request(tool, input, &args.place)?;
    if args.batch {
        let mut input = std::io::stdin().lock();
        let mut out = std::io::stdout().lock();
        Checker::for_batch(request).batch(&mut input, &mut out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let checked = Checker::default().check(&request)?;
    let decision = &checked.decision;
    for problem in checked.diagnostics() {
        terminal::complain(&format!(
            "{}: {}",
            problem.path.as_deref().unwrap_or("configuration"),
            problem.message
        ));
    }
    if args.json {
        terminal::say(&check::answer(serde_json::Value::Null, decision).to_string())?;
    } else {
        for line in explain(decision) {
            terminal::say(&line)?;
        }
    }
    Ok(match decision.verdict {
        Action::Allow => ExitCode::SUCCESS,
        Action::Ask => exit::ASK.into(),
        Action::Deny => exit::DENY.into(),
    })
}

fn request(tool: &str, input: &str, place: &Place) -> anyhow::Result<CheckRequest> {
    let input = serde_json::from_str(input).map_err(|error| {
        Failure::new(format!("`--input` is no JSON: {error}"))
            .help("quote it for your shell: --input '{\"command\":\"ls\"}'")
    })?;
    let grants = place
        .grant
        .iter()
        .map(|text| {
            let (surface, pattern) = text.split_once('=').ok_or_else(|| {
                Failure::new(format!("`--grant {text}` names no pattern"))
                    .help("write it as SURFACE=PATTERN, such as bash='npm *'")
            })?;
            Ok(Grant {
                surface: surface.to_owned(),
                pattern: pattern.to_owned(),
                scope: GrantScope::Session,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let file = |path: &Option<PathBuf>| path.clone().map(Source::File);
    Ok(CheckRequest {
        tool: tool.to_owned(),
        input,
        cwd: place.cwd.clone(),
        agent: place.agent.clone(),
        untrusted: place.untrusted,
        config: file(&place.config),
        project_config: file(&place.project_config),
        grants,
        ..CheckRequest::default()
    })
}

/// The verdict in one line, and why in the next.
pub fn explain(decision: &Decision) -> Vec<String> {
    let deciding = &decision.deciding;
    let verdict = decision.verdict.as_str();
    let value = one_line(&deciding.value);
    let mut lines = vec![if value.is_empty() || value == deciding.surface {
        format!("{verdict}: {}", deciding.surface)
    } else {
        format!("{verdict}: {} `{value}`", deciding.surface)
    }];
    let place = match (&deciding.origin.path, deciding.origin.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.to_string(),
        (None, _) => deciding.origin.scope.as_str().to_owned(),
    };
    let pattern = deciding.pattern.as_deref().unwrap_or("*");
    let why = match deciding.decided_by {
        DecidedBy::Rule => format!(
            "rule {}: {{ \"{pattern}\": \"{}\" }} in {place}",
            deciding.surface,
            deciding.action.as_str()
        ),
        DecidedBy::Default => format!("no rule speaks of it; the default ({place}) decides"),
        DecidedBy::Floor => decision
            .floors
            .iter()
            .find(|floor| Some(floor.sentinel) == deciding.floor && !floor.note.is_empty())
            .map_or_else(|| pattern.to_owned(), |floor| floor.note.clone()),
        DecidedBy::SelfProtection => deciding.reason.clone().unwrap_or_default(),
        DecidedBy::Grant => format!("approved before: {pattern}"),
        DecidedBy::Yolo => "yolo mode answers every question with yes".to_owned(),
        DecidedBy::Infrastructure => "Pi's own files may be read".to_owned(),
        DecidedBy::Malformed => deciding.reason.clone().unwrap_or_default(),
    };
    let reason = match (deciding.decided_by, &deciding.reason) {
        (DecidedBy::Rule, Some(reason)) => format!(" ({})", one_line(reason)),
        _ => String::new(),
    };
    lines.push(format!("  {}{reason}", one_line(&why)));
    lines
}

/// A text that cannot break out of its line.
fn one_line(text: &str) -> String {
    const MAX: usize = 300;
    let mut out: String = text
        .chars()
        .take(MAX)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MAX).is_some() {
        out.push('…');
    }
    out
}
