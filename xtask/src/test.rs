//! `cargo xtask test` and `cargo xtask ci-quick`.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::run::{Tally, cargo, run, tests};

/// Format, lints and the workspace's tests.
pub fn quick() -> Result<()> {
    workspace()?.conclude()
}

/// Everything the README promises. All suites run even where one fails, so
/// that one run shows everything.
pub fn full() -> Result<()> {
    let started = Instant::now();
    let mut tally = workspace()?;
    run(cargo(&["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    let real_pi = crate::e2e::run(None)?;
    // A real-Pi test that did not run proves nothing.
    let left_out = real_pi.skipped;
    tally.add(real_pi);
    eprintln!("took {} s", started.elapsed().as_secs());
    tally.conclude()?;
    if left_out > 0 {
        bail!("{left_out} tests with real Pi were skipped");
    }
    Ok(())
}

fn workspace() -> Result<Tally> {
    run(&mut cargo(&["fmt", "--all", "--", "--check"]))?;
    run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    tests(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))
}
