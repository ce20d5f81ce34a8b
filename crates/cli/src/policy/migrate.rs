//! `countersign policy migrate`

use std::path::PathBuf;
use std::process::ExitCode;

use countersign_host::config::migrate::{Layout, detect, migrate};

use crate::exit::{Failure, Outcome};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// An older configuration, an `opencode.json`, or a Claude Code `settings.json`
    file: PathBuf,
    /// What the file is; found out without
    #[arg(long, value_enum)]
    from: Option<From>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum From {
    /// A layout before the predecessor's fourth version
    Legacy,
    /// OpenCode
    Opencode,
    /// Claude Code
    Claude,
}

/// Prints the configuration, and on standard error what it could not say.
pub fn run(args: &Args) -> Outcome {
    let name = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::new(format!("`{name}`: {error}")))?;
    let layout = match args.from {
        Some(From::Legacy) => Some(Layout::Legacy),
        Some(From::Opencode) => Some(Layout::OpenCode),
        Some(From::Claude) => Some(Layout::ClaudeCode),
        None => detect(&text),
    };
    let layout = layout.ok_or_else(|| {
        Failure::new(format!("`{name}` has no layout that is known"))
            .help("say which with --from legacy, opencode or claude")
    })?;
    let migrated =
        migrate(&text, layout).map_err(|error| Failure::new(format!("`{name}`: {error}")))?;
    terminal::say(&serde_json::to_string_pretty(&migrated.config)?)?;
    for note in &migrated.notes {
        terminal::complain(&format!("note: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}
