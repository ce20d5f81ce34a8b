//! A throw-away agent directory and project.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign_host::paths::AgentPaths;

use crate::exit::Failure;

/// What the demonstration may do.
const POLICY: &str = r#"{
  "permission": {
    "*": "ask",
    "bash": {
      "*": "ask",
      "git status*": "allow",
      "rm *": { "action": "deny", "reason": "nothing is removed in a demonstration" }
    }
  }
}
"#;

/// How long a question waits where nobody answers.
pub const PATIENCE_SECONDS: u64 = 3;

/// Removed with everything in it when dropped.
pub struct World {
    root: PathBuf,
}

impl World {
    /// Makes the directories and writes the policy. With `impatient`, a
    /// question waits for seconds instead of minutes.
    pub fn new(impatient: bool) -> anyhow::Result<Self> {
        let world = Self { root: fresh()? };
        let config = world.paths().config();
        if let Some(folder) = config.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::create_dir_all(world.project())?;
        let mut file = std::fs::File::create(config)?;
        let text = if impatient {
            let timeout = PATIENCE_SECONDS * 1000;
            POLICY.replacen(
                '{',
                &format!("{{\n  \"forwardingTimeoutMs\": {timeout},"),
                1,
            )
        } else {
            POLICY.to_owned()
        };
        file.write_all(text.as_bytes())?;
        Ok(world)
    }

    pub fn agent_dir(&self) -> PathBuf {
        self.root.join("agent")
    }

    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub fn paths(&self) -> AgentPaths {
        AgentPaths::new(self.agent_dir())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// A new directory that nobody else can enter.
fn fresh() -> anyhow::Result<PathBuf> {
    let place = std::env::temp_dir();
    for attempt in 0..100 {
        let path = place.join(format!("countersign-demo-{}-{attempt}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => return Ok(real(&path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Failure::new(format!(
                    "cannot make a directory in `{}`: {error}",
                    place.display()
                ))
                .help("set `TMPDIR` to a directory you can write to")
                .into());
            }
        }
    }
    Err(Failure::new(format!(
        "`{}` is full of old demonstrations",
        place.display()
    ))
    .into())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
