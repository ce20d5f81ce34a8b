//! Benchmarks: each prints a ratio against a baseline of the same run.

use anyhow::{Result, bail};

/// What is measured.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum What {
    /// A forwarded question between two real Pi processes, ours and the predecessor's
    Forward,
    /// A decision inside the Pi process, ours and the predecessor's
    Decide,
    /// Analysing shell commands
    Shell,
    /// Policies of 10 to 10,000 rules
    Policy,
}

/// Measures and prints.
pub fn run(what: What) -> Result<()> {
    bail!("the benchmark {what:?} is not built yet")
}
