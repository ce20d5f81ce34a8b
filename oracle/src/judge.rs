//! Asks the program under test for verdicts.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::world::World;

pub struct Judge {
    _child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Judge {
    /// Starts `countersign check --batch`.
    pub fn start(program: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["check", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let to = child.stdin.take().context("no stdin")?;
        let from = BufReader::new(child.stdout.take().context("no stdout")?);
        Ok(Self {
            _child: child,
            to,
            from,
            asked: 0,
        })
    }

    /// The verdict on one call under `config`, and the whole answer.
    pub fn verdict(
        &mut self,
        world: &World,
        config: &Value,
        tool: &str,
        input: Value,
    ) -> Result<(String, Value)> {
        self.asked += 1;
        let request = json!({
            "id": self.asked, "tool": tool, "input": input, "cwd": world.project,
            "home": world.home, "agent_dir": world.home.join(".pi/agent"), "config": config,
        });
        writeln!(self.to, "{request}")?;
        self.to.flush()?;
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            bail!("the program under test ended at {request}");
        }
        let answer: Value = serde_json::from_str(&line)?;
        let verdict = answer["verdict"].as_str().unwrap_or("error").to_owned();
        Ok((verdict, answer))
    }
}
