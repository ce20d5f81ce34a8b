//! `countersign suggest`: rules for what is always approved.

mod candidates;
mod diff;
mod evidence;
mod probes;
mod verify;

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use countersign_host::config::edit::{EMPTY, insert_allow};
use countersign_host::paths::AgentPaths;
use countersign_host::policy::GrantScope;
use countersign_host::workspace::{Source, Workspace, WorkspaceOptions};
use serde_json::json;

use self::candidates::{Candidate, Rule, choose};
use self::evidence::{Evidence, collect};
use crate::exit::{Failure, Outcome};
use crate::log::log_path;
use crate::policy::one_line;
use crate::replay::judge::{Against, Judge};
use crate::terminal::{complain, say};

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where the rules are to hold
    #[arg(long, value_enum, default_value = "global")]
    scope: ScopeName,
    /// The directory of the project
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A configuration file instead of the user's own
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Treat the project as not trusted: nothing is proposed for its file
    #[arg(long)]
    untrusted: bool,
    /// A log instead of the user's own
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Prompts that a rule must save
    #[arg(long, value_name = "N", default_value_t = 3)]
    min: u64,
    /// As many rules at most, those that save most
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Write the rules into the file, after asking
    #[arg(long)]
    apply: bool,
    /// Do not ask
    #[arg(long, requires = "apply")]
    yes: bool,
    /// Answer with one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ScopeName {
    /// This project, from what was approved in it
    Project,
    /// Everywhere, from what was approved anywhere
    Global,
}

/// The file that would be changed.
struct Target {
    workspace: Workspace,
    scope: GrantScope,
    path: PathBuf,
    text: Option<String>,
    /// The project whose calls count; all do without.
    project: Option<PathBuf>,
}

impl Target {
    fn open(args: &Args) -> anyhow::Result<Self> {
        let agent_dir = AgentPaths::from_environment().ok_or_else(|| {
            Failure::new("there is no home directory").help("set HOME, or PI_CODING_AGENT_DIR")
        })?;
        let here = std::env::current_dir()?;
        let cwd = args.cwd.as_ref().map_or(here.clone(), |cwd| here.join(cwd));
        let workspace = Workspace::open(WorkspaceOptions {
            trusted: !args.untrusted,
            config_override: args.config.clone().map(Source::File),
            ..WorkspaceOptions::new(agent_dir.root(), cwd.clone())
        });
        let (scope, project) = match args.scope {
            ScopeName::Project => (GrantScope::Project, Some(cwd)),
            ScopeName::Global => (GrantScope::Global, None),
        };
        let (path, text) = workspace.read_config(scope)?;
        Ok(Self {
            workspace,
            scope,
            path,
            text,
            project,
        })
    }

    /// The policy, with another text for the file where one is given.
    fn against(&self, args: &Args, text: Option<&str>) -> Against {
        let replaced = text.map(|text| Source::Text {
            name: self.path.display().to_string(),
            text: text.to_owned(),
        });
        let mut against = Against {
            config: args.config.clone().map(Source::File),
            ..Against::default()
        };
        if replaced.is_some() {
            match self.scope {
                GrantScope::Project => against.project_config = replaced,
                _ => against.config = replaced,
            }
        }
        against
    }

    fn old(&self) -> &str {
        self.text.as_deref().unwrap_or(EMPTY)
    }

    /// The text with the rules.
    fn with(&self, rules: &[Candidate]) -> anyhow::Result<String> {
        let mut text = self.old().to_owned();
        // Each goes right below the rule that asks: the last one ends up on top.
        for it in rules.iter().rev() {
            let after = it.after.as_deref();
            text = insert_allow(&text, &it.rule.surface, &it.rule.pattern, after)
                .map_err(|error| Failure::new(format!("`{}`: {error}", self.path.display())))?;
        }
        Ok(text)
    }
}

/// What is proposed.
struct Proposal {
    rules: Vec<Candidate>,
    text: String,
    saved: u64,
    evidence: Evidence,
    /// Rules that would have gone too far.
    barred: BTreeSet<Rule>,
}

/// Proposes rules and, where asked, writes them.
pub fn run(args: &Args) -> Outcome {
    let log = log_path(args.file.as_ref())?;
    let target = Target::open(args)?;
    let proposal = propose(args, &target, &log)?;
    let name = target.path.display().to_string();
    let diff = diff::unified(
        &name,
        &name,
        target.text.as_deref().unwrap_or(""),
        &proposal.text,
    );
    if args.json {
        say(&as_json(&proposal, &target, &diff).to_string())?;
    } else {
        print(&proposal, &diff)?;
    }
    if !args.apply || proposal.rules.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !confirmed(&name)? {
        complain("nothing was written");
        return Ok(ExitCode::SUCCESS);
    }
    let old = target.text.as_deref();
    let path = target
        .workspace
        .replace_config(target.scope, old, &proposal.text)?;
    complain(&format!("written: {}", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn confirmed(name: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new("there is no terminal to ask on")
            .help("look at the difference, then add `--yes`")
            .into());
    }
    write!(std::io::stderr().lock(), "write this to {name}? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Finds rules, and takes away whatever goes too far until nothing does.
fn propose(args: &Args, target: &Target, log: &Path) -> anyhow::Result<Proposal> {
    let project = target.project.as_deref();
    // Found out before the log is read, where it is long.
    target.with(&[])?;
    let snapshot = target.workspace.snapshot(None);
    let mut base = Judge::new(target.against(args, None));
    let evidence = collect(log, project, &mut base)?;
    if snapshot.clamped || evidence.clamped {
        base.complain();
        return Err(Failure::new(
            "a configuration file is invalid, so every rule that allows asks",
        )
        .help("mend it first: countersign policy lint")
        .into());
    }
    if project.is_some() && evidence.trusted == Some(false) {
        return Err(
            Failure::new("the project was not trusted when it was last worked in")
                .help("trust it in Pi first; nothing is written into a project that is not trusted")
                .into(),
        );
    }
    let mut barred: BTreeSet<Rule> = BTreeSet::new();
    loop {
        let rules = choose(&evidence, &barred, args.min.max(1), args.limit);
        let text = match rules.as_slice() {
            [] => target.text.clone().unwrap_or_default(),
            rules => match writable(target, rules) {
                Ok(text) => text,
                Err(unwritable) => {
                    barred.insert(unwritable);
                    continue;
                }
            },
        };
        let plain: Vec<Rule> = rules.iter().map(|it| it.rule.clone()).collect();
        let mut pass = verify::Pass::default();
        if !plain.is_empty() {
            let mut with = Judge::new(target.against(args, Some(&text)));
            pass.offending = verify::dangerous(&plain, &evidence, &mut base, &mut with)?;
            if pass.offending.is_empty() {
                pass = verify::replay(log, project, &plain, &mut base, &mut with)?;
            }
        }
        if pass.offending.is_empty() {
            return Ok(Proposal {
                rules,
                text,
                saved: pass.saved,
                evidence,
                barred,
            });
        }
        // Each round takes one rule away at least.
        barred.extend(pass.offending);
    }
}

/// The text with all rules, or the first rule that cannot be written.
fn writable(target: &Target, rules: &[Candidate]) -> Result<String, Rule> {
    if let Ok(text) = target.with(rules) {
        return Ok(text);
    }
    let alone = |it: &&Candidate| target.with(std::slice::from_ref(*it)).is_err();
    let first = rules.iter().find(alone).or(rules.last());
    Err(first.map_or_else(
        || Rule {
            surface: String::new(),
            pattern: String::new(),
        },
        |it| it.rule.clone(),
    ))
}

fn print(proposal: &Proposal, diff: &str) -> std::io::Result<()> {
    let evidence = &proposal.evidence;
    if proposal.rules.is_empty() {
        say(&format!(
            "nothing to propose; {} prompts were answered with yes",
            evidence.prompts
        ))?;
    } else {
        let rules = proposal.rules.len();
        let noun = if rules == 1 { "rule" } else { "rules" };
        say(&format!(
            "{rules} {noun} would have saved {} of the {} prompts that were answered with yes",
            proposal.saved, evidence.prompts
        ))?;
    }
    let rest = [
        (evidence.settled, "are not asked about any more"),
        (evidence.unanswerable, "no rule can answer"),
        (evidence.lost, "are not whole in the log"),
    ];
    for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
        say(&format!("  {count} {what}"))?;
    }
    for it in &proposal.rules {
        say("")?;
        say(&format!(
            "{} {}  ({} prompts)",
            one_line(&it.rule.surface),
            one_line(&it.rule.pattern),
            it.prompts
        ))?;
        if it.wide {
            for value in &it.values {
                say(&format!("  approved: {}", one_line(value)))?;
            }
        }
    }
    if !proposal.barred.is_empty() {
        say("\nnot proposed, because they would allow more than was approved:")?;
        for rule in &proposal.barred {
            say(&format!(
                "  {} {}",
                one_line(&rule.surface),
                one_line(&rule.pattern)
            ))?;
        }
    }
    if !proposal.rules.is_empty() {
        say("")?;
        say(diff)?;
    }
    Ok(())
}

fn as_json(proposal: &Proposal, target: &Target, diff: &str) -> serde_json::Value {
    let evidence = &proposal.evidence;
    let rules: Vec<_> = proposal
        .rules
        .iter()
        .map(|it| {
            json!({
                "surface": it.rule.surface,
                "pattern": it.rule.pattern,
                "prompts": it.prompts,
                "approved": it.values,
                "examples": it.examples,
            })
        })
        .collect();
    let barred: Vec<_> = proposal
        .barred
        .iter()
        .map(|rule| json!({"surface": rule.surface, "pattern": rule.pattern}))
        .collect();
    json!({
        "file": target.path.display().to_string(),
        "rules": rules,
        "notProposed": barred,
        "prompts": evidence.prompts,
        "promptsSaved": proposal.saved,
        "settled": evidence.settled,
        "unanswerable": evidence.unanswerable,
        "notWhole": evidence.lost,
        "diff": if proposal.rules.is_empty() { "" } else { diff },
    })
}
