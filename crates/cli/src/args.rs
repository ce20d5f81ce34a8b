//! What can be said on the command line, and the help that teaches it.

use clap::{Parser, Subcommand};

use crate::{check, init};

/// Examples first, then the way to call it, then the details.
const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// Commands are listed in groups, by hand: a test holds the list complete.
const MAIN_TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{options}{after-help}";

#[derive(Debug, Parser)]
#[command(
    name = "countersign",
    version,
    about = "Permission system for coding agents: decides every tool call before it runs, \
             and brings questions to a person.",
    before_help = MAIN_BEFORE,
    after_help = MAIN_AFTER,
    help_template = MAIN_TEMPLATE,
    disable_help_subcommand = true,
    max_term_width = 100,
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const MAIN_BEFORE: &str = "\
Examples:
  countersign check --tool bash --input '{\"command\":\"git push\"}'
                             what would happen to this call, and why

  countersign init           start with a commented policy

Deciding:
  check      Decide tool calls as the Pi extension would

Setting up:
  init       Write a commented policy to start from
";

const MAIN_AFTER: &str = "\
Exit status:
  0  done; allowed
  1  an error, or wrong usage
  2  denied
  3  asked, or nobody answered

`countersign COMMAND --help` explains one command with examples.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide tool calls as the Pi extension would
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign check --tool bash --input '{\"command\":\"git push\"}'
  countersign check --tool read --input '{\"path\":\"~/.ssh/id_ed25519\"}' --json
  countersign check --tool bash --input '{\"command\":\"npm i\"}' --grant 'bash=npm *'
  countersign check --batch < calls.jsonl
",
        after_help = "\
Exit status:
  0  allow
  1  an error, or wrong usage
  2  deny
  3  ask"
    )]
    Check(check::Args),
    /// Write a commented policy to start from
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign init                      asks three questions, then writes the file
  countersign init --scope project --preset cautious --toolchain node,rust
  countersign init --print --preset read-only

An existing file is never overwritten.
",
        after_help = "\
Exit status:
  0  written or printed
  1  an error, wrong usage, or the file exists"
    )]
    Init(init::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_main_help_lists_every_command_with_its_own_words() {
        for command in Arguments::command().get_subcommands() {
            if command.is_hide_set() {
                continue;
            }
            let about = command.get_about().unwrap().to_string();
            let line = format!("  {:<11}{about}\n", command.get_name());
            assert!(MAIN_BEFORE.contains(&line), "missing: {line}");
        }
    }
}
