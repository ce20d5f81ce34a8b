//! Builds the installable Pi package.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::run::{cargo, root, run as run_program};

/// Files of the package that come from elsewhere in the repository.
const ALONGSIDE: [(&str, &str); 4] = [
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("docs/pi.md", "docs/pi.md"),
    ("docs/subagents.md", "docs/subagents.md"),
];

/// Builds `target/pi-package/` and returns where it is.
///
/// The addon is built with optimisation: it runs inside the host's process.
pub fn run() -> Result<PathBuf> {
    let target = target();
    let package = target.join("pi-package");
    run_program(&mut cargo(&[
        "build",
        "--release",
        "-p",
        "countersign-node",
    ]))?;
    let built = target.join("release").join(library());
    if !built.exists() {
        bail!("the addon was not built at {}", built.display());
    }

    // Built beside and moved into place, so that a session that loads the
    // package meanwhile sees the old one or the new one, never half of it.
    let fresh = target.join("pi-package.new");
    remove(&fresh)?;
    copy_tree(&root().join("packages").join("pi"), &fresh)?;
    for (from, to) in ALONGSIDE {
        let from = root().join(from);
        if from.exists() {
            copy(&from, &fresh.join(to))?;
        }
    }
    copy(&built, &fresh.join("addon").join("countersign.node"))?;
    remove(&package)?;
    std::fs::rename(&fresh, &package)
        .with_context(|| format!("cannot move the package to {}", package.display()))?;
    Ok(package)
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |set| root().join(set))
}

fn library() -> String {
    format!(
        "{}countersign_node{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("no {}", from.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "node_modules" || name == "addon" || name == "tests" {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            copy(&entry.path(), &target)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", folder.display())),
    }
}
