//! `countersign policy revoke`

use std::process::ExitCode;

use countersign_host::policy::{Grant, GrantScope};

use super::Files;
use super::show::one_line;
use crate::exit::{Failure, Outcome};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The surface of the approval, such as `bash`; without one, approvals are listed
    #[arg(requires = "pattern")]
    surface: Option<String>,
    /// Its pattern, exactly as listed
    pattern: Option<String>,
    /// Where it was given; both places without
    #[arg(long, value_enum)]
    scope: Option<ScopeName>,
    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ScopeName {
    /// This project
    Project,
    /// Everywhere
    Global,
}

impl ScopeName {
    fn scope(self) -> GrantScope {
        match self {
            Self::Project => GrantScope::Project,
            Self::Global => GrantScope::Global,
        }
    }
}

/// Lists the lasting approvals, or takes back the one named.
pub fn run(args: &Args) -> Outcome {
    let workspace = args.files.open()?;
    let snapshot = workspace.snapshot(None);
    let in_scope = |grant: &&Grant| args.scope.is_none_or(|s| s.scope() == grant.scope);
    let (Some(surface), Some(pattern)) = (&args.surface, &args.pattern) else {
        for grant in snapshot.recorded.iter().filter(in_scope) {
            terminal::say(&format!(
                "{:<7}  {}  {}",
                grant.scope.as_str(),
                grant.surface,
                one_line(&grant.pattern)
            ))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let found: Vec<&Grant> = snapshot
        .recorded
        .iter()
        .filter(in_scope)
        .filter(|grant| grant.surface == *surface && grant.pattern == *pattern)
        .collect();
    if found.is_empty() {
        let failure = Failure::new(format!("there is no approval `{pattern}` on `{surface}`"))
            .help("`countersign policy revoke` lists them");
        return Err(failure.into());
    }
    for grant in found {
        let file = workspace.revoke(grant)?;
        terminal::say(&format!(
            "taken back: {surface} {pattern}, in {}",
            file.path.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
