//! Project chores: `cargo xtask --help`.

mod bench;
mod e2e;
mod pi_package;
mod run;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Project chores.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Everything that must hold: format, lints, tests, docs, and real Pi
    Test,
    /// What a commit needs: format, lints, tests of the workspace
    CiQuick,
    /// Build the installable Pi package for this machine: `target/pi-package/`
    /// and `target/pi-package.tgz`
    PiPackage {
        /// Build the packages for npm instead, into `target/npm/`: the main one
        /// and the one with the addon of a platform
        #[arg(long)]
        publish: bool,
        /// The platform's Rust target; this machine's without it
        #[arg(long, requires = "publish", value_name = "TRIPLE")]
        target: Option<String>,
    },
    /// The tests with real Pi processes
    E2e {
        /// Only the test files whose name contains this
        filter: Option<String>,
    },
    /// Measure against a baseline of the same run and print the ratio
    Bench {
        #[arg(value_enum)]
        what: bench::What,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Test => test::full(),
        Task::CiQuick => test::quick(),
        Task::PiPackage {
            publish: true,
            target,
        } => pi_package::publish(target.as_deref())
            .map(|packages| println!("{}", packages.display())),
        Task::PiPackage { .. } => {
            pi_package::run().map(|package| println!("{}", package.display()))
        }
        Task::E2e { filter } => e2e::run(filter.as_deref()).and_then(run::Tally::conclude),
        Task::Bench { what } => bench::run(what),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
