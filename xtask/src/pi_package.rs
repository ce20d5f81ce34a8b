//! Builds the installable Pi package, and the npm packages it is published as.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

use crate::run::{cargo, root, run as run_program};

/// The platforms that an addon is published for: what npm calls them, and
/// Rust's name.
const PLATFORMS: [Platform; 8] = [
    Platform::new("linux", "x64", "gnu", "x86_64-unknown-linux-gnu"),
    Platform::new("linux", "x64", "musl", "x86_64-unknown-linux-musl"),
    Platform::new("linux", "arm64", "gnu", "aarch64-unknown-linux-gnu"),
    Platform::new("linux", "arm64", "musl", "aarch64-unknown-linux-musl"),
    Platform::new("darwin", "x64", "", "x86_64-apple-darwin"),
    Platform::new("darwin", "arm64", "", "aarch64-apple-darwin"),
    Platform::new("win32", "x64", "msvc", "x86_64-pc-windows-msvc"),
    Platform::new("win32", "arm64", "msvc", "aarch64-pc-windows-msvc"),
];

/// The addon's name inside a package.
const ADDON: &str = "countersign.node";

struct Platform {
    os: &'static str,
    cpu: &'static str,
    abi: &'static str,
    target: &'static str,
}

impl Platform {
    const fn new(
        os: &'static str,
        cpu: &'static str,
        abi: &'static str,
        target: &'static str,
    ) -> Self {
        Self {
            os,
            cpu,
            abi,
            target,
        }
    }

    /// The name of the package with this platform's addon, below `main`'s.
    fn package(&self, main: &str) -> String {
        let abi = if self.abi.is_empty() { "" } else { "-" };
        format!("{main}-{}-{}{abi}{}", self.os, self.cpu, self.abi)
    }
}

/// Files of the package that come from elsewhere in the repository.
const ALONGSIDE: [(&str, &str); 5] = [
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("docs/pi.md", "docs/pi.md"),
    ("docs/subagents.md", "docs/subagents.md"),
    ("docs/extension-api.md", "docs/extension-api.md"),
];

/// Builds `target/pi-package/`, and the same as `target/pi-package.tgz`, for
/// this machine's platform; returns where the folder is.
pub fn run() -> Result<PathBuf> {
    let target = target();
    let package = target.join("pi-package");
    let built = addon(None)?;

    // Built beside and moved into place, so that a session that loads the
    // package meanwhile sees the old one or the new one, never half of it.
    let fresh = target.join("pi-package.new");
    remove(&fresh)?;
    copy_tree(&root().join("packages").join("pi"), &fresh)?;
    alongside(&fresh)?;
    copy(&built, &fresh.join("addon").join(ADDON))?;
    pack(&fresh, &target.join("pi-package.tgz"))?;
    remove(&package)?;
    std::fs::rename(&fresh, &package)
        .with_context(|| format!("cannot move the package to {}", package.display()))?;
    Ok(package)
}

/// Builds the npm packages into `target/npm/`: the main one, which has no
/// addon of its own, and the one with the addon of the Rust target `triple`
/// (this machine's without one). Returns where they are.
pub fn publish(triple: Option<&str>) -> Result<PathBuf> {
    let triple = match triple {
        Some(triple) => triple.to_owned(),
        None => host_triple()?,
    };
    let Some(platform) = PLATFORMS.iter().find(|each| each.target == triple) else {
        let known: Vec<&str> = PLATFORMS.iter().map(|each| each.target).collect();
        bail!(
            "no package for {triple}: there are those of {}",
            known.join(", ")
        );
    };
    let built = addon(Some(&triple))?;
    let npm = target().join("npm");
    let source = root().join("packages").join("pi");
    let mut manifest: Map<String, Value> =
        serde_json::from_slice(&std::fs::read(source.join("package.json"))?)?;
    let text = |manifest: &Map<String, Value>, key: &str| {
        manifest
            .get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .with_context(|| format!("package.json has no `{key}`"))
    };
    let (name, version) = (text(&manifest, "name")?, text(&manifest, "version")?);

    let main = npm.join("pi");
    remove(&main)?;
    copy_tree(&source, &main)?;
    alongside(&main)?;
    // Of one exact version each, so that both sides always fit together.
    let addons = PLATFORMS
        .iter()
        .map(|platform| (platform.package(&name), json!(version)));
    manifest.insert(
        "optionalDependencies".into(),
        Value::Object(addons.collect()),
    );
    write_json(&main.join("package.json"), &Value::Object(manifest.clone()))?;

    let package = platform.package(&name);
    let folder = npm.join(file_name(&package));
    remove(&folder)?;
    copy(&built, &folder.join(ADDON))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root().join(licence), &folder.join(licence))?;
    }
    let mut addon = json!({
        "name": package,
        "version": version,
        "description": format!("The addon of {name} for {}-{}.", platform.os, platform.cpu),
        "license": manifest.get("license"),
        "main": ADDON,
        "files": [ADDON],
        "os": [platform.os],
        "cpu": [platform.cpu],
    });
    let libc = match platform.abi {
        "gnu" => Some("glibc"),
        "musl" => Some("musl"),
        _ => None,
    };
    if let (Some(libc), Some(addon)) = (libc, addon.as_object_mut()) {
        addon.insert("libc".into(), json!([libc]));
    }
    write_json(&folder.join("package.json"), &addon)?;

    for (folder, name) in [(main, name), (folder, package)] {
        let packed = format!("{}-{version}.tgz", file_name(&name));
        pack(&folder, &npm.join(packed))?;
    }
    Ok(npm)
}

/// A package's name as npm names its packed file.
fn file_name(package: &str) -> String {
    package.trim_start_matches('@').replace('/', "-")
}

/// Builds the addon, with optimisation: it runs inside the host's process.
fn addon(triple: Option<&str>) -> Result<PathBuf> {
    let mut build = cargo(&["build", "--release", "-p", "countersign-node"]);
    let mut folder = target();
    let this_machine = host_triple()?;
    // Without `--target` for this machine, so that nothing is built twice.
    let foreign = triple.filter(|triple| *triple != this_machine);
    if let Some(triple) = foreign {
        build.args(["--target", triple]);
        folder.push(triple);
    }
    run_program(&mut build)?;
    let built = folder
        .join("release")
        .join(library(foreign.unwrap_or(&this_machine)));
    if !built.exists() {
        bail!("the addon was not built at {}", built.display());
    }
    Ok(built)
}

/// The Rust target that this machine's compiler builds for.
fn host_triple() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc)
        .arg("-vV")
        .output()
        .context("cannot start rustc")?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("rustc does not say for which target it builds")
}

fn alongside(package: &Path) -> Result<()> {
    for (from, to) in ALONGSIDE {
        copy(&root().join(from), &package.join(to))?;
    }
    Ok(())
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Packs a folder the way npm does: everything below `package/`.
fn pack(folder: &Path, file: &Path) -> Result<()> {
    let fresh = file.with_extension("tgz.new");
    let out = File::create(&fresh).with_context(|| format!("cannot make {}", fresh.display()))?;
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(
        out,
        flate2::Compression::best(),
    ));
    // No owner and no time of this machine.
    archive.mode(tar::HeaderMode::Deterministic);
    archive.append_dir_all("package", folder)?;
    archive.into_inner()?.finish()?;
    std::fs::rename(&fresh, file).with_context(|| format!("cannot make {}", file.display()))
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |set| root().join(set))
}

/// What cargo calls the addon that it built for `triple`.
fn library(triple: &str) -> &'static str {
    if triple.contains("windows") {
        "countersign_node.dll"
    } else if triple.contains("apple") {
        "libcountersign_node.dylib"
    } else {
        "libcountersign_node.so"
    }
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
