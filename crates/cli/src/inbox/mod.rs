//! `countersign inbox`: a session without an agent, where the questions of
//! headless runs arrive and are answered.

mod answer;
mod exec;
mod plain;
mod serve;
mod tui;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use crate::exit::{Failure, Outcome};
use crate::terminal::{complain, say};

/// The session id children name as their parent, unless another is said. It is
/// the same every time, so that a cron job can be pointed at it for good.
const DEFAULT_ID: &str = "countersign-inbox";

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Line by line, without taking over the terminal
    #[arg(long, conflicts_with_all = ["exec", "id"])]
    plain: bool,
    /// Give each question as JSON to this shell command and take its answer
    #[arg(long, value_name = "COMMAND", conflicts_with = "id")]
    exec: Option<String>,
    /// Print how to point a child at this inbox, and end
    #[arg(long)]
    id: bool,
    /// Ring the bell and notify (OSC 9, OSC 777) when a question arrives
    #[arg(long, conflicts_with_all = ["plain", "exec", "id"])]
    bell: bool,
    /// The session id to serve
    #[arg(long, value_name = "ID", default_value = DEFAULT_ID)]
    session: String,
}

/// Serves until told to end.
pub fn run(args: &Args) -> Outcome {
    refuse_strange(&args.session)?;
    if args.id {
        return point(&args.session);
    }
    let inbox = serve::Inbox::open(&args.session)?;
    if let Some(command) = &args.exec {
        return exec::run(inbox, command);
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if args.plain || !terminal {
        if !args.plain {
            complain("note: this is no terminal, so questions come line by line as with `--plain`");
        }
        return plain::run(inbox);
    }
    tui::run(inbox, args.bell)
}

/// Ids travel in environment variables and become file names.
fn refuse_strange(id: &str) -> Result<(), Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let usual = !id.is_empty()
        && id.len() <= 100
        && !id.starts_with('.')
        && id.chars().all(plain)
        && !id.eq_ignore_ascii_case("unknown");
    if usual {
        Ok(())
    } else {
        Err(Failure::new("this is not a usable session id")
            .help("use up to 100 letters, digits, `.`, `_` and `-`"))
    }
}

/// Prints what a shell can evaluate; the explanation goes to standard error.
fn point(id: &str) -> Outcome {
    say(&format!("export PI_SUBAGENT_PARENT_SESSION={id}"))?;
    complain("Headless runs with this variable put their questions to the inbox:");
    complain(&format!(
        "  PI_SUBAGENT_PARENT_SESSION={id} pi -p \"run the tests\""
    ));
    complain("or for everything in this shell:");
    let flag = if id == DEFAULT_ID {
        String::new()
    } else {
        format!(" --session {id}")
    };
    complain(&format!("  eval \"$(countersign inbox --id{flag})\""));
    Ok(ExitCode::SUCCESS)
}
