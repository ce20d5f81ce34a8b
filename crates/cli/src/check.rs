//! `countersign check`: the stable machine interface for decisions.

use std::path::PathBuf;
use std::process::ExitCode;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tool that is called, such as `bash`
    #[arg(long, value_name = "NAME", required_unless_present = "batch")]
    pub tool: Option<String>,
    /// Its input as JSON
    #[arg(long, value_name = "JSON", required_unless_present = "batch")]
    pub input: Option<String>,
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
    /// Answer with one JSON object
    #[arg(long)]
    pub json: bool,
    /// One JSON object a line on standard input, one answer a line
    #[arg(long, conflicts_with_all = ["tool", "input"])]
    pub batch: bool,
}

/// Decides one call or, with `--batch`, one call a line.
pub fn run(_args: Args) -> ExitCode {
    crate::exit::report(Err(crate::exit::Failure::new("not built yet")
        .help("`countersign --help` lists the commands")
        .into()))
}
