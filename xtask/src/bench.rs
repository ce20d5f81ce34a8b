//! Benchmarks: each prints a ratio against a baseline of the same run.

use std::process::Command;

use anyhow::Result;

use crate::run::{cargo, root, run as run_program};

/// The host whose numbers count.
const HOST: &str = "hosts/pi-1.6.0/node_modules";

/// What is measured.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum What {
    /// A forwarded question between two real Pi processes, ours and the
    /// predecessor's; then with 1, 10 and 100 children waiting, as processes and
    /// in one process, and how long a killed parent goes unnoticed
    Forward,
    /// A thousand processes that ask at once, and a hundred questions a second
    /// for a minute: every question accounted for
    Rate,
    /// What the extension costs inside the Pi process, ours and the predecessor's:
    /// loading, the first decision, later ones, resident memory
    Pi,
    /// Analysing shell commands, short ones and hostile megabytes
    Shell,
    /// Policies of 10 to 10,000 rules
    Policy,
    /// `countersign check` as a whole process
    Check,
    /// The commands that read the review log, over 500 MB of it
    Log,
}

/// Measures and prints.
pub fn run(what: What) -> Result<()> {
    match what {
        What::Forward => {
            in_pi("forward.mjs")?;
            forwarding(&["--in-process", "--lost", "5"])
        }
        What::Rate => forwarding(&["--waiting", "", "--burst", "1000", "--steady", "60"]),
        What::Pi => in_pi("pi.mjs"),
        What::Shell => in_rust("shell"),
        What::Policy => in_rust("policy"),
        What::Check => in_rust("check"),
        What::Log => in_rust("log"),
    }
}

fn forwarding(arguments: &[&str]) -> Result<()> {
    let example = [
        "run",
        "--quiet",
        "--release",
        "-p",
        "countersign-host",
        "--example",
        "bench_forward",
        "--",
    ];
    run_program(cargo(&example).args(arguments))
}

fn in_rust(bench: &str) -> Result<()> {
    run_program(&mut cargo(&[
        "bench",
        "--quiet",
        "-p",
        "countersign-cli",
        "--bench",
        bench,
    ]))
}

fn in_pi(script: &str) -> Result<()> {
    let ours = crate::pi_package::run()?;
    let e2e = root().join("e2e");
    let node = crate::e2e::install(&e2e)?;
    let host = e2e.join(HOST);
    run_program(
        Command::new(node)
            .arg("--no-warnings")
            .arg(root().join("bench").join(script))
            .arg("--ours")
            .arg(ours)
            .arg("--theirs")
            .arg(host.join("@gotgenes").join("pi-permission-system"))
            .arg("--host")
            .arg(host),
    )
}
