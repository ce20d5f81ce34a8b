//! The `countersign` program: one file per command.

mod args;
mod check;
mod demo;
mod diagnostics;
mod doctor;
mod exit;
mod explain;
mod generate;
mod help;
mod inbox;
mod init;
mod log;
mod policy;
mod replay;
mod suggest;
mod terminal;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::args::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    exit::report(run(arguments.command))
}

fn run(command: Command) -> exit::Outcome {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Inbox(args) => inbox::run(&args),
        Command::DemoChild(args) => demo::run_child(args),
        Command::Init(args) => init::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Completions(args) => generate::completions(&args, Arguments::command()),
        Command::Man(args) => generate::man(&args, Arguments::command()),
    }
}

/// Help and version are answers; a usage error is exit status 1, because 2
/// means "denied".
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match (error.use_stderr(), printed) {
        (true, _) => exit::ERROR.into(),
        (false, Ok(())) => ExitCode::SUCCESS,
        (false, Err(failure)) => exit::report(Err(failure.into())),
    }
}
