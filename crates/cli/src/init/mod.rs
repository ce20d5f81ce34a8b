//! `countersign init`: a commented policy to start from.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, BufRead, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use countersign_host::paths::{AgentPaths, project_config};

use crate::exit::{Failure, Outcome};
use crate::terminal::{complain, say};

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How careful the policy is
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// Where it applies: in all your projects, or in this one
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Whose build and test commands run without asking; may be repeated
    #[arg(long, value_enum, value_delimiter = ',')]
    toolchain: Vec<Toolchain>,
    /// Print the policy instead of writing it
    #[arg(long)]
    print: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    /// Everything asks, except reading
    Cautious,
    /// Everyday work runs, what leaves the project or cannot be undone asks
    Balanced,
    /// Looking is allowed, changing anything is denied
    ReadOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scope {
    /// All your projects
    User,
    /// The project in this directory
    Project,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Toolchain {
    /// None
    None,
    /// npm, pnpm, yarn: run, test
    Node,
    /// cargo: build, check, test, clippy, fmt
    Rust,
    /// pytest, ruff, mypy
    Python,
    /// go: build, test, vet
    Go,
}

/// Files that hold secrets, in every preset.
const SECRETS: &[&str] = &[
    "*.env",
    "*.env.*",
    "*.pem",
    "*id_rsa*",
    "*id_ed25519*",
    "~/.ssh/*",
    "~/.aws/*",
    "~/.gnupg/*",
    "~/.kube/*",
    "~/.netrc",
    "~/.config/gh/*",
];

/// Exceptions to them: files that only look like secrets.
const NOT_SECRET: &[&str] = &["*.env.example", "*.env.sample"];

/// Commands that no preset lets run.
const DENIED: &[(&str, &str)] = &[
    ("rm -rf /*", "would remove far more than the project"),
    ("rm -rf ~*", "would remove far more than the project"),
    ("sudo *", "agents do not act as root"),
    ("git push --force *", "rewrites what others have"),
    ("git push -f *", "rewrites what others have"),
];

impl Preset {
    fn text(self) -> &'static str {
        match self {
            Self::Cautious => include_str!("cautious.jsonc"),
            Self::Balanced => include_str!("balanced.jsonc"),
            Self::ReadOnly => include_str!("read-only.jsonc"),
        }
    }
}

impl Toolchain {
    fn commands(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Node => &[
                "npm test*",
                "npm run *",
                "npm ls *",
                "pnpm test*",
                "pnpm run *",
                "yarn test*",
                "yarn run *",
            ],
            Self::Rust => &[
                "cargo build*",
                "cargo check*",
                "cargo test*",
                "cargo clippy*",
                "cargo fmt*",
                "cargo tree*",
            ],
            Self::Python => &[
                "pytest *",
                "python -m pytest*",
                "python3 -m pytest*",
                "ruff *",
                "mypy *",
            ],
            Self::Go => &["go build*", "go test*", "go vet*", "gofmt *"],
        }
    }
}

/// Writes the policy, or says why not.
pub fn run(args: &Args) -> Outcome {
    let plan = resolve(args, &mut io::stdin().lock())?;
    let text = compose(plan.preset, &plan.toolchains);
    if args.print {
        io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = target(plan.scope)?;
    write_new(&path, &text)?;
    say(&format!("wrote {}", path.display()))?;
    say("try it: countersign check --tool bash --input '{\"command\":\"git push\"}'")?;
    Ok(ExitCode::SUCCESS)
}

struct Plan {
    preset: Preset,
    scope: Scope,
    toolchains: Vec<Toolchain>,
}

/// Asks for what was not said. Nothing is asked before it is known that the
/// answer can be used, and nothing is written before all is answered.
fn resolve(args: &Args, answers: &mut impl BufRead) -> anyhow::Result<Plan> {
    let scope = match (args.scope, args.print) {
        (Some(scope), _) => scope,
        (None, true) => Scope::User,
        (None, false) => ask(answers, "Where should it apply?", Scope::User)?,
    };
    if !args.print {
        refuse_existing(&target(scope)?)?;
    }
    let preset = match args.preset {
        Some(preset) => preset,
        None => ask(answers, "How careful should it be?", Preset::Balanced)?,
    };
    let toolchains = if args.toolchain.is_empty() && !args.print {
        ask_several(
            answers,
            "Whose build and test commands may run without asking?",
        )?
    } else {
        args.toolchain.clone()
    };
    Ok(Plan {
        preset,
        scope,
        toolchains,
    })
}

/// Puts one question with numbered options; an empty line takes the default.
fn ask<T: clap::ValueEnum + PartialEq>(
    answers: &mut impl BufRead,
    question: &str,
    default: T,
) -> anyhow::Result<T> {
    loop {
        let line = put(answers, question, Some(&default))?;
        if line.is_empty() {
            return Ok(default);
        }
        match choice::<T>(&line) {
            Some(found) => return Ok(found),
            None => complain(&format!("`{line}` is not one of the options")),
        }
    }
}

/// Like [`ask`], for any number of options.
fn ask_several<T: clap::ValueEnum + PartialEq>(
    answers: &mut impl BufRead,
    question: &str,
) -> anyhow::Result<Vec<T>> {
    loop {
        let line = put::<T>(answers, question, None)?;
        let words: Vec<&str> = line
            .split([',', ' '])
            .filter(|word| !word.is_empty())
            .collect();
        let found: Vec<T> = words.iter().filter_map(|word| choice(word)).collect();
        if found.len() == words.len() {
            return Ok(found);
        }
        complain(&format!("`{line}` is not a list of the options"));
    }
}

fn put<T: clap::ValueEnum + PartialEq>(
    answers: &mut impl BufRead,
    question: &str,
    default: Option<&T>,
) -> anyhow::Result<String> {
    complain(question);
    for (index, option) in T::value_variants().iter().enumerate() {
        let Some(value) = option.to_possible_value() else {
            continue;
        };
        let help = value
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let mark = if default == Some(option) {
            " (default)"
        } else {
            ""
        };
        complain(&format!(
            "  {} {:<10} {help}{mark}",
            index + 1,
            value.get_name()
        ));
    }
    let several = default.is_none();
    let prompt = if several {
        "numbers or names, with commas: "
    } else {
        "number or name: "
    };
    if io::stdin().is_terminal() {
        let _ = write!(io::stderr().lock(), "{prompt}");
    }
    let mut line = String::new();
    if answers.read_line(&mut line)? == 0 {
        return Err(Failure::new("the questions were not answered, nothing was written")
            .help("say it all at once: countersign init --scope user --preset balanced --toolchain none")
            .into());
    }
    Ok(line.trim().to_owned())
}

fn choice<T: clap::ValueEnum>(word: &str) -> Option<T> {
    let by_number = word
        .parse::<usize>()
        .ok()
        .and_then(|number| T::value_variants().get(number.checked_sub(1)?).cloned());
    by_number.or_else(|| T::from_str(word, true).ok())
}

fn target(scope: Scope) -> anyhow::Result<PathBuf> {
    match scope {
        Scope::User => AgentPaths::from_environment()
            .map(|paths| paths.config())
            .ok_or_else(|| {
                Failure::new("there is no home directory")
                    .help("set `HOME`, or `PI_CODING_AGENT_DIR` to Pi's agent directory")
                    .into()
            }),
        Scope::Project => Ok(project_config(&std::env::current_dir()?)),
    }
}

fn refuse_existing(path: &Path) -> anyhow::Result<()> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            Err(Failure::new(format!("cannot look at `{}`: {error}", path.display())).into())
        }
        Ok(_) => Err(Failure::new(format!(
            "`{}` exists, and is not overwritten",
            path.display()
        ))
        .help("print a policy to copy from: countersign init --print --preset balanced")
        .into()),
    }
}

/// The preset with the common parts filled in.
fn compose(preset: Preset, toolchains: &[Toolchain]) -> String {
    let mut text = String::new();
    for line in preset.text().lines() {
        match line.trim() {
            "//SECRETS" => text.push_str(&secrets()),
            "//TOOLCHAINS" => {
                for command in toolchains.iter().flat_map(|it| it.commands()) {
                    text.push_str(&format!("      {}: \"allow\",\n", quoted(command)));
                }
            }
            "//DENIED" => text.push_str(&denied()),
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

fn secrets() -> String {
    let denied = "{ \"action\": \"deny\", \"reason\": \"may hold secrets\" }";
    let lines: Vec<String> = SECRETS
        .iter()
        .map(|pattern| format!("      {}: {denied}", quoted(pattern)))
        .chain(
            NOT_SECRET
                .iter()
                .map(|pattern| format!("      {}: \"allow\"", quoted(pattern))),
        )
        .collect();
    format!("      // Secrets.\n{}\n", lines.join(",\n"))
}

fn denied() -> String {
    let lines: Vec<String> = DENIED
        .iter()
        .map(|(pattern, reason)| {
            format!(
                "      {}: {{ \"action\": \"deny\", \"reason\": {} }}",
                quoted(pattern),
                quoted(reason)
            )
        })
        .collect();
    format!("      // Never.\n{}\n", lines.join(",\n"))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes a file that must not exist, for its owner only.
fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let cannot =
        |error: io::Error| Failure::new(format!("cannot write `{}`: {error}", path.display()));
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .create(folder)
            .map_err(cannot)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return refuse_existing(path),
        Err(error) => return Err(cannot(error).into()),
    };
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Half a policy would be invalid, and would stand in the way of the
        // next try.
        let _ = std::fs::remove_file(path);
        return Err(cannot(error).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use countersign_host::workspace::{Source, Workspace, WorkspaceOptions};

    use super::*;

    #[test]
    fn every_policy_is_valid_and_means_what_it_says() {
        let home = tempfile::tempdir().unwrap();
        for preset in Preset::value_variants() {
            for toolchain in Toolchain::value_variants() {
                let text = compose(*preset, &[*toolchain]);
                for marker in ["//SECRETS", "//TOOLCHAINS", "//DENIED"] {
                    assert!(!text.contains(marker), "{preset:?}");
                }
                let mut options = WorkspaceOptions::new(home.path(), home.path());
                options.config_override = Some(Source::Text {
                    name: format!("{preset:?}"),
                    text: text.clone(),
                });
                let snapshot = Workspace::open(options).snapshot(None);
                assert_eq!(snapshot.diagnostics, [], "{preset:?} {toolchain:?}\n{text}");
                assert!(snapshot.policy.rules().len() > 10);
            }
        }
    }

    #[test]
    fn prohibitions_stand_after_what_they_limit() {
        let text = compose(Preset::Balanced, &[Toolchain::Node]);
        let at = |needle: &str| text.find(needle).unwrap();
        assert!(at("\"npm run *\"") < at("\"sudo *\""));
        assert!(at("\"*.env.*\"") < at("\"*.env.example\""));
    }
}
