//! `countersign policy`: look at the policy, test it, move it, take approvals
//! back.

mod lint;
mod migrate;
mod revoke;
mod show;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use countersign_host::paths::AgentPaths;
use countersign_host::workspace::{Source, Workspace, WorkspaceOptions};

use crate::exit::{Failure, Outcome};
use crate::help::TEMPLATE;
use crate::terminal;

pub use show::{one_line, place, rule_json};

/// What to do with the policy.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the rules in force, each with the file and line it comes from
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy show --surface bash
  countersign policy show --agent reviewer --json
",
        after_help = "\
Exit status:
  0  printed
  1  an error, or wrong usage"
    )]
    Show(show::Args),
    /// Find mistakes, and rules that do not mean what they seem to, also in
    /// every agent's files unless one is named
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy lint
  countersign policy lint --config new.json --json
",
        after_help = "\
Exit status:
  0  nothing is wrong; there may be notes
  1  an error or a warning was found, or wrong usage"
    )]
    Lint(lint::Args),
    /// Print the JSON schema of a configuration file
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy schema > permissions.schema.json
"
    )]
    Schema,
    /// Hold the policy to verdicts you expect, for your own tests
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy test expectations.jsonl
  countersign policy test expectations.jsonl --config new.json --json

FILE holds one object a line, or one list of them:
  {\"bash\": \"git push\", \"expect\": \"ask\"}
  {\"read\": \".env\", \"expect\": \"deny\", \"why\": \"secrets stay secret\"}
  {\"tool\": \"mcp\", \"input\": {\"tool\": \"exa:search\"}, \"expect\": \"allow\"}
",
        after_help = "\
Exit status:
  0  every verdict is as expected
  1  one is not, or an error"
    )]
    Test(test::Args),
    /// Print another layout's policy in this format
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy migrate ~/.claude/settings.json > config.json
  countersign policy migrate opencode.json --from opencode

What the other layout says and this one cannot is named on standard error.
",
        after_help = "\
Exit status:
  0  printed
  1  an error, an unknown layout, or wrong usage"
    )]
    Migrate(migrate::Args),
    /// List lasting approvals, or take one back
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign policy revoke                         lists them
  countersign policy revoke bash 'git push *'
  countersign policy revoke bash 'git push *' --scope project
",
        after_help = "\
Exit status:
  0  listed, or taken back
  1  no such approval, an error, or wrong usage"
    )]
    Revoke(revoke::Args),
}

/// Runs one of the commands.
pub fn run(args: &Args) -> Outcome {
    match &args.command {
        Command::Show(args) => show::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Schema => {
            let schema = countersign_host::config::schema();
            terminal::say(&serde_json::to_string_pretty(&schema)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Test(args) => test::run(args),
        Command::Migrate(args) => migrate::run(args),
        Command::Revoke(args) => revoke::run(args),
    }
}

/// Which files count.
#[derive(Debug, clap::Args)]
pub struct Files {
    /// The directory of the project
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
}

impl Files {
    /// The project's directory.
    fn directory(&self) -> anyhow::Result<PathBuf> {
        let here = std::env::current_dir()?;
        Ok(self.cwd.as_ref().map_or(here.clone(), |cwd| here.join(cwd)))
    }

    fn open(&self) -> anyhow::Result<Workspace> {
        let agent_dir = AgentPaths::from_environment().ok_or_else(|| {
            Failure::new("there is no home directory").help("set HOME, or PI_CODING_AGENT_DIR")
        })?;
        let file = |path: &Option<PathBuf>| path.clone().map(Source::File);
        Ok(Workspace::open(WorkspaceOptions {
            trusted: !self.untrusted,
            config_override: file(&self.config),
            project_override: file(&self.project_config),
            ..WorkspaceOptions::new(agent_dir.root(), self.directory()?)
        }))
    }
}
