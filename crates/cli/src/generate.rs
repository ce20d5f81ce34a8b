//! `countersign completions` and `countersign man`: generated from the
//! definitions in `args`, so they cannot disagree with the program.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::exit::{Failure, Outcome};
use crate::terminal::say;

/// What the user said to `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell to write for
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// What the user said to `man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Write one page for each command into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a completion script for the program's `command`.
pub fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "countersign", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page of the program's `command`, or writes the pages of all.
pub fn man(args: &ManArgs, mut command: clap::Command) -> Outcome {
    command.build();
    let Some(folder) = &args.out else {
        std::io::stdout().lock().write_all(&page(&command)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut count = 1;
    write_page(&command, &folder.join("countersign.1"))?;
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let name = format!("countersign-{}", subcommand.get_name());
        let subcommand = subcommand.clone().name(name.clone()).bin_name(&name);
        write_page(&subcommand, &folder.join(format!("{name}.1")))?;
        count += 1;
    }
    say(&format!("wrote {count} pages to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The examples stand before the usage in the help; a manual page has them
    // in its text.
    let mut described = command.clone();
    let texts = [
        command.get_about(),
        command.get_before_help(),
        command.get_after_help(),
    ];
    let long: Vec<String> = texts
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    described = described
        .long_about(long.join("\n"))
        .before_help("")
        .after_help("");
    clap_mangen::Man::new(described).render(&mut page)?;
    Ok(page)
}

fn write_page(command: &clap::Command, path: &Path) -> anyhow::Result<()> {
    let page = page(command)?;
    std::fs::write(path, page).map_err(|error| cannot_write(path, &error))?;
    Ok(())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`: {error}", path.display()))
}
