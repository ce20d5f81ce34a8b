//! What can be said on the command line, and the help that teaches it.

use clap::{Parser, Subcommand};

use crate::help::TEMPLATE;
use crate::{check, demo, doctor, explain, generate, inbox, init, log, policy, replay, suggest};

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
  countersign demo                       see it work, without an agent
  countersign init                       start with a commented policy
  countersign log tail --follow          what is decided, as it happens
  countersign check --tool bash --input '{\"command\":\"git push\"}'
                                         what would happen to this call, and why

Deciding:
  check       Decide tool calls as the Pi extension would
  explain     Show why a call is judged as it is, and what would change that
  policy      Show, lint, test and move the policy

Trying it:
  demo        See a question travel from a subagent to you

Answering:
  inbox       Answer the questions of headless runs in one place

Looking back:
  log         Read the record of every question and decision
  replay      Decide the recorded calls again under another policy
  suggest     Propose rules for what you always approve

Setting up:
  init        Write a commented policy to start from
  doctor      Look whether everything that should gate is gating
  completions Print a completion script for your shell
  man         Print or write the manual pages
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
    /// Show why a call is judged as it is, and what would change that
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign explain --tool bash --input '{\"command\":\"git push && curl x\"}'
  countersign explain --tool write --input '{\"path\":\"/etc/hosts\"}' --json
",
        after_help = "\
Exit status:
  0  allow
  1  an error, or wrong usage
  2  deny
  3  ask"
    )]
    Explain(explain::Args),
    /// Show, lint, test and move the policy
    #[command(
        help_template = TEMPLATE,
        disable_help_subcommand = true,
        before_help = "\
Examples:
  countersign policy show --agent reviewer   the rules in force, and where they stand
  countersign policy lint                    mistakes, and what is probably not meant
  countersign policy test expectations.jsonl
  countersign policy migrate ~/.claude/settings.json > config.json
  countersign policy revoke bash 'git push *'
"
    )]
    Policy(policy::Args),
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
    /// See a question travel from a subagent to you
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign demo                       you answer in the terminal
  countersign demo --answer session      nobody has to be there
  countersign demo --answer none         what a subagent is told when nobody answers

Starts three processes in a throw-away directory. Nothing is run, and none of
your own files is read or written.
",
        after_help = "\
Exit status:
  0    shown
  1    an error, or wrong usage
  130  interrupted"
    )]
    Demo(demo::Args),
    /// Answer the questions of headless runs in one place
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign inbox                      a screen with all waiting questions
  eval \"$(countersign inbox --id)\"      point what this shell starts at it
  countersign inbox --web                a page for a browser on this machine
  countersign inbox --plain              line by line
  countersign inbox --exec ./answer.sh   a program answers

A program gets each question as one JSON object on its standard input and
prints its answer: `approve`, `subagent`, `session`, `everywhere`, `deny`, or
`{\"answer\":\"deny\",\"reason\":\"...\"}`. If it fails or says something else, the
question counts as not answered.
",
        after_help = "\
Exit status:
  0  ended, nothing waited
  1  an error, or wrong usage
  3  ended while questions waited"
    )]
    Inbox(inbox::Args),
    #[command(hide = true)]
    DemoChild(demo::ChildArgs),
    /// Read the record of every question and decision
    #[command(
        help_template = TEMPLATE,
        disable_help_subcommand = true,
        before_help = "\
Examples:
  countersign log tail --follow                    what is decided, as it happens
  countersign log show perm-1f3                    the whole story of one question
  countersign log query --since 2h --verdict denied
  countersign log query --agent reviewer --by user --json
  countersign log stats --since 7d                 what asks most, and how long it waits
  countersign log verify                           whether lines are missing or were changed
",
        after_help = "\
Exit status:
  0  done, also where nothing fits
  1  an error, or wrong usage
  2  `verify`: lines are missing or were changed"
    )]
    Log(log::Args),
    /// Decide the recorded calls again under another policy
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign replay --config new.json           what a new policy would change
  countersign replay --since 7d --json           against the policy in force
  countersign replay --config new.json --fail-on newly-runs --fail-on newly-blocked

A call is decided as the log has it, in its directory as that is now, without
the approvals that held for a session. A call that the log has masked, cut or
not recorded is counted and not guessed at. What a rule allowed is not in the
log.
",
        after_help = "\
Exit status:
  0  nothing that `--fail-on` names
  1  an error, or wrong usage
  2  something it names: without it, a call would run that did not"
    )]
    Replay(replay::Args),
    /// Propose rules for what you always approve
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign suggest                    the fewest rules, as a difference to the file
  countersign suggest --apply            the same, and write it after asking
  countersign suggest --scope project --min 5 --json

A rule covers nothing that was denied, nothing that another rule denies, and
none of a list of dangerous calls; where a pattern would, the exact command is
proposed if it was approved often enough. Only answers of a person count.
",
        after_help = "\
Exit status:
  0  printed or written, also where there is nothing to propose
  1  an error, or wrong usage"
    )]
    Suggest(suggest::Args),
    /// Look whether everything that should gate is gating
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign doctor                     looks, and makes a canary call through Pi
  countersign doctor --no-canary --json  for scripts
  countersign doctor --clean             removes what killed processes left
",
        after_help = "\
Exit status:
  0  nothing is wrong
  1  something is, or wrong usage"
    )]
    Doctor(doctor::Args),
    /// Print a completion script for your shell
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign completions bash > ~/.local/share/bash-completion/completions/countersign
  countersign completions zsh > ~/.zfunc/_countersign
  countersign completions fish > ~/.config/fish/completions/countersign.fish
"
    )]
    Completions(generate::CompletionsArgs),
    /// Print or write the manual pages
    #[command(
        help_template = TEMPLATE,
        before_help = "\
Examples:
  countersign man | man -l -
  countersign man --out ~/.local/share/man/man1
"
    )]
    Man(generate::ManArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// Every command with its help, as `docs/cli.md` has it.
    fn reference() -> String {
        let mut command = Arguments::command().term_width(80);
        command.build();
        let mut text = String::from(
            "# The `countersign` program\n\nGenerated from the definitions: \
             `UPDATE=1 cargo test -p countersign-cli reference`.\n",
        );
        describe(&mut command, "countersign", &mut text);
        text
    }

    fn describe(command: &mut clap::Command, name: &str, text: &mut String) {
        let help = command.render_help().to_string();
        let trimmed: Vec<&str> = help.lines().map(str::trim_end).collect();
        text.push_str(&format!(
            "\n## `{name}`\n\n```text\n{}\n```\n",
            trimmed.join("\n").trim_end()
        ));
        for subcommand in command.get_subcommands_mut() {
            if !subcommand.is_hide_set() {
                let name = format!("{name} {}", subcommand.get_name());
                describe(subcommand, &name, text);
            }
        }
    }

    #[test]
    fn the_reference_is_what_the_program_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
        let expected = reference();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap();
        assert!(found == expected, "docs/cli.md is old: run with UPDATE=1");
    }

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
            let line = format!("  {:<11} {about}\n", command.get_name());
            assert!(MAIN_BEFORE.contains(&line), "missing: {line}");
        }
    }
}
