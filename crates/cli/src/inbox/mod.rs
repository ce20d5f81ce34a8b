//! `countersign inbox`: a session without an agent, where the questions of
//! headless runs arrive and are answered.

mod answer;
mod bell;
mod exec;
mod plain;
mod serve;
mod tui;
mod web;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use countersign_host::dialog::visible;

use crate::exit::{Failure, Outcome};
use crate::terminal::{complain, say};

/// The session id children name as their parent, unless another is said. It is
/// the same every time, so that a cron job can be pointed at it for good.
const DEFAULT_ID: &str = "countersign-inbox";

/// The port of the page, always the same for the sake of tunnels.
const DEFAULT_PORT: u16 = 8417;

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
    /// Serve a page for a browser on this machine, opened by a one-time link
    #[arg(long, conflicts_with_all = ["plain", "exec", "id"])]
    web: bool,
    /// The port of the page; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT, requires = "web")]
    port: u16,
    /// Also answer to this name: that of your own tunnel (repeatable)
    #[arg(long, value_name = "NAME", requires = "web", value_parser = host_name)]
    allow_host: Vec<String>,
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
    // The port first: where it is taken, nothing is served for a moment.
    let listener = match args.web {
        true => Some(web::bind(args.port)?),
        false => None,
    };
    let inbox = serve::Inbox::open(&args.session)?;
    let bell = bell::Bell { always: args.bell };
    for word in bell::Bell::unknown(&inbox.session) {
        complain(&format!(
            "note: `inboxNotifications` knows `bell`, `osc9` and `osc777`, not `{}`",
            visible(&word)
        ));
    }
    if let Some(listener) = listener {
        return web::run(inbox, listener, &args.allow_host, bell);
    }
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
    tui::run(inbox, bell)
}

/// A name as it stands in a browser's address line, without the port.
fn host_name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    match !text.is_empty() && text.len() <= 253 && text.chars().all(plain) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err("give the name only, such as `box.example.net`".to_owned()),
    }
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
