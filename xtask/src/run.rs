//! Running other programs and counting what their tests say.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `cargo`, the one that runs this program.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs to the end; a status other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a test program, passes its output on, and counts the results of
/// every suite in it. A run that counts nothing is an error: tests that were
/// silently skipped must not look like success.
pub fn tests(command: &mut Command) -> Result<Tally> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let mut tally = Tally::default();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            println!("{line}");
            tally.read(&line);
        }
    }
    let status = child.wait()?;
    if !status.success() && tally.failed == 0 {
        bail!("`{shown}` failed ({status})");
    }
    if tally.passed + tally.failed == 0 {
        bail!("`{shown}` ran no test");
    }
    Ok(tally)
}

fn shown(command: &Command) -> String {
    let mut words = vec![
        Path::new(command.get_program())
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    words.join(" ")
}

/// How many tests passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Not run.
    pub skipped: u64,
}

impl Tally {
    /// Adds another run.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// An error where a test failed.
    pub fn conclude(self) -> Result<()> {
        println!("{self}");
        if self.failed > 0 {
            bail!("{} failed", self.failed);
        }
        Ok(())
    }

    /// Adds what one line says: the result line of a Rust test program, or
    /// the summary lines of Node's test runner in either of its formats.
    fn read(&mut self, line: &str) {
        if let Some((_, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        {
            for part in counts.split("; ") {
                match part.split_once(' ') {
                    Some((count, "passed")) => self.passed += number(count),
                    Some((count, "failed")) => self.failed += number(count),
                    Some((count, "ignored")) => self.skipped += number(count),
                    _ => {}
                }
            }
            return;
        }
        let Some(summary) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) else {
            return;
        };
        match summary.split_once(' ') {
            Some(("pass", count)) => self.passed += number(count),
            Some(("fail" | "cancelled", count)) => self.failed += number(count),
            Some(("skipped" | "todo", count)) => self.skipped += number(count),
            _ => {}
        }
    }
}

fn number(text: &str) -> u64 {
    text.trim().parse().unwrap_or(0)
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cargo_and_node() {
        let mut tally = Tally::default();
        for line in [
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured",
            "# pass 4",
            "# fail 1",
            "ℹ skipped 2",
            "# passing by",
            "something else",
        ] {
            tally.read(line);
        }
        assert_eq!(
            tally,
            Tally {
                passed: 8,
                failed: 3,
                skipped: 3
            }
        );
    }
}
