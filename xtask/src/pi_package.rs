//! Builds the installable Pi package.

use std::path::PathBuf;

use anyhow::{Result, bail};

/// Builds `target/pi-package/` and returns where it is.
pub fn run() -> Result<PathBuf> {
    bail!("the Pi package is not built yet")
}
