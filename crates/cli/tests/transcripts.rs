//! Runs the transcripts: Markdown files whose `console` blocks are commands
//! and what they must print. The same runner checks the README, so its
//! examples cannot rot.
//!
//! In a block, a line `$ command` is run by `sh`, `> ` continues it, and the
//! lines after it are its standard output, then its standard error (each line
//! after `! `), then `[exit N]` unless N is 0. `[..]` stands for any text
//! within a line, a line `...` for any lines. A block whose fence says
//! `jsonc PATH` (or any other language and a path) writes that file first.
//! All blocks of one file share a throw-away home with a project in it.
//!
//! `UPDATE=1 cargo test -p countersign-cli --test transcripts` writes what was
//! printed into the files.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};

/// A command that takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let arguments = Arguments::from_args();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![repository.join("README.md")];
    for folder in [
        repository.join("docs"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts"),
    ] {
        if let Ok(entries) = fs::read_dir(folder) {
            files.extend(
                entries
                    .map(|entry| entry.unwrap().path())
                    .filter(|path| path.extension().is_some_and(|it| it == "md")),
            );
        }
    }
    files.sort();
    let trials = files
        .into_iter()
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            Trial::test(format!("transcript_{name}"), move || check(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let sandbox = Sandbox::new();
    let mut updated = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(updated, "{line}");
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match info.split_once(' ') {
            None if info == "console" => {
                for step in steps(&block) {
                    updated.push_str(&step.check(&sandbox));
                }
            }
            Some((_, path)) => {
                sandbox.write(path, &block.join("\n"));
                let _ = writeln!(updated, "{}", block.join("\n"));
            }
            None => {
                for line in &block {
                    let _ = writeln!(updated, "{line}");
                }
            }
        }
        updated.push_str("```\n");
    }
    if updated == text {
        return Ok(());
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, updated)?;
        return Ok(());
    }
    Err(difference(&text, &updated).into())
}

struct Step {
    command: Vec<String>,
    expected: Vec<String>,
}

fn steps(block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: vec![command.to_owned()],
                expected: Vec::new(),
            });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("> ") {
                Some(more) if step.expected.is_empty() => step.command.push(more.to_owned()),
                _ => step.expected.push((*line).to_owned()),
            }
        }
    }
    steps
}

impl Step {
    /// Runs the command; the step as it should stand in the file.
    fn check(&self, sandbox: &Sandbox) -> String {
        let actual = sandbox.run(&self.command.join("\n"));
        let agreed = matches(&self.expected, &actual);
        let shown = if agreed { &self.expected } else { &actual };
        let mut text = String::new();
        for (index, line) in self.command.iter().enumerate() {
            let _ = writeln!(text, "{} {line}", if index == 0 { "$" } else { ">" });
        }
        for line in shown {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

fn matches(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..]))
        }
        Some((first, rest)) => actual
            .split_first()
            .is_some_and(|(line, more)| line_matches(first, line) && matches(rest, more)),
    }
}

fn line_matches(expected: &str, actual: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == actual,
        Some((before, after)) => actual.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|at| rest.is_char_boundary(*at))
                .any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

struct Sandbox {
    _root: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl Sandbox {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap().join("me");
        let project = home.join("project");
        fs::create_dir_all(&project).unwrap();
        Self {
            _root: root,
            home,
            project,
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.join(path),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    fn run(&self, command: &str) -> Vec<String> {
        let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
        let mut path = program.parent().unwrap().as_os_str().to_owned();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("TMPDIR", std::env::temp_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = reader(child.stdout.take().unwrap());
        let stderr = reader(child.stderr.take().unwrap());
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                let _ = child.kill();
                return vec![format!("[hangs: `{command}`]")];
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let mut lines: Vec<String> = Vec::new();
        for line in self.redact(&stdout.join().unwrap()).lines() {
            lines.push(line.to_owned());
        }
        for line in self.redact(&stderr.join().unwrap()).lines() {
            lines.push(format!("! {line}").trim_end().to_owned());
        }
        match status.code() {
            Some(0) => {}
            Some(code) => lines.push(format!("[exit {code}]")),
            None => lines.push("[killed]".to_owned()),
        }
        lines
    }

    fn redact(&self, text: &str) -> String {
        text.replace(&*self.home.to_string_lossy(), "/home/me")
    }
}

fn reader(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Both sides around the first line that differs.
fn difference(expected: &str, actual: &str) -> String {
    let at = expected
        .lines()
        .zip(actual.lines())
        .take_while(|(left, right)| left == right)
        .count();
    let part = |text: &str| -> String {
        text.lines()
            .skip(at.saturating_sub(3))
            .take(30)
            .fold(String::new(), |mut part, line| {
                let _ = writeln!(part, "    {line}");
                part
            })
    };
    format!(
        "line {}\n  expected:\n{}  got:\n{}",
        at + 1,
        part(expected),
        part(actual)
    )
}
