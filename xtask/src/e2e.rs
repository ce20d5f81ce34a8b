//! Runs the tests with real Pi processes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::run::{Tally, cargo, root, run as run_program, tests};

/// The folders of `e2e/` with npm packages of their own: the Node that runs
/// the tests, and one for each supported host.
const FOLDERS: [&str; 4] = ["", "hosts/pi-1.6.0", "hosts/pi-0.87.1", "hosts/pi-0.79.1"];

/// Test files that run at the same time. Each holds a few Pi processes that
/// mostly wait.
const FILES_AT_ONCE: &str = "2";

/// Builds the package, installs what `e2e/` needs, runs the test files whose
/// name contains `filter` (all of them without one) and counts the tests.
pub fn run(filter: Option<&str>) -> Result<Tally> {
    let package = crate::pi_package::run()?;
    let npm_packages = crate::pi_package::publish(None)?;
    // The inbox is the program's; its own tests have built it already.
    run_program(&mut cargo(&["build", "--quiet", "-p", "countersign-cli"]))?;
    let program = crate::pi_package::target()
        .join("debug")
        .join(format!("countersign{}", std::env::consts::EXE_SUFFIX));
    let e2e = root().join("e2e");
    let node = install(&e2e)?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(e2e.join("tests"))?
        .collect::<std::io::Result<Vec<_>>>()?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str()?.strip_suffix(".test.mjs"))
                .is_some_and(|name| filter.is_none_or(|filter| name.contains(filter)))
        })
        .collect();
    files.sort();

    let mut command = Command::new(node);
    command
        .current_dir(&e2e)
        .env("COUNTERSIGN_PI_PACKAGE", package)
        .env("COUNTERSIGN_NPM_PACKAGES", npm_packages)
        .env("COUNTERSIGN_PROGRAM", program)
        .arg("--test")
        .arg(format!("--test-concurrency={FILES_AT_ONCE}"))
        .arg("--test-reporter=spec");
    if let Some(chromium) = chromium() {
        command.env("COUNTERSIGN_CHROMIUM", chromium);
    }
    tests(command.args(files))
}

/// What installs a browser where there is none.
const INSTALL_CHROMIUM: &str =
    "apt-get update && apt-get install -y --no-install-recommends chromium";

/// The browser of the system for the inbox's tests; installed where this is
/// Debian and we may. The one of the distribution has a fixed place and is
/// kept up with it; those that test tools download are for few systems. Where
/// there is none, those tests fail, and name the command to run.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("COUNTERSIGN_CHROMIUM") {
        return Some(named.into());
    }
    let found = find_chromium();
    if found.is_some() {
        return found;
    }
    let root = on_path("id").is_some_and(|id| {
        let output = Command::new(id).arg("-u").output();
        output.is_ok_and(|it| it.stdout.trim_ascii() == b"0")
    });
    if root && on_path("apt-get").is_some() {
        let command = format!("export DEBIAN_FRONTEND=noninteractive; {INSTALL_CHROMIUM}");
        if let Err(error) = run_program(Command::new("sh").args(["-c", &command])) {
            eprintln!("cannot install Chromium for the tests of the inbox: {error:#}");
        }
    }
    find_chromium()
}

fn find_chromium() -> Option<PathBuf> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let installed = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    let found = names.into_iter().find_map(on_path);
    found.or_else(|| installed.exists().then(|| installed.to_path_buf()))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|it| it.is_file())
}

/// Installs the npm packages where the lock file is newer than what is
/// there, and returns the Node program to run the tests with.
pub fn install(e2e: &Path) -> Result<PathBuf> {
    for folder in FOLDERS {
        let folder = e2e.join(folder);
        let lock = folder.join("package-lock.json");
        let installed = folder.join("node_modules").join(".package-lock.json");
        if modified(&installed).is_some_and(|there| Some(there) >= modified(&lock)) {
            continue;
        }
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        run_program(
            Command::new(npm)
                .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
                .current_dir(&folder),
        )?;
    }
    let package = e2e.join("node_modules").join("node");
    let node = package
        .join("bin")
        .join(if cfg!(windows) { "node.exe" } else { "node" });
    if !node.exists() {
        // npm may be set up not to run install scripts; this one only fetches
        // the program for this platform.
        let script = "installArchSpecificPackage.js";
        run_program(Command::new("node").arg(script).current_dir(&package))
            .context("cannot install Node 22 from npm")?;
    }
    if !node.exists() {
        bail!("no Node at {}", node.display());
    }
    Ok(node)
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}
