//! Is the Pi extension installed, whole, and alone?

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use countersign_host::paths::AgentPaths;
use serde_json::Value;

use super::{Finding, on_path};

/// Our package's name on npm and in its manifest.
const OURS: &str = "@countersign/pi";

/// The package this one takes the place of.
const PREDECESSOR: &str = "@gotgenes/pi-permission-system";

/// What was found.
pub struct Installed {
    pub findings: Vec<Finding>,
    /// Whether Pi would load our extension.
    pub found: bool,
}

/// Looks through the packages that Pi would load.
pub fn check(paths: &AgentPaths, cwd: &Path) -> Installed {
    let mut findings = Vec::new();
    let mut ours: Vec<PathBuf> = Vec::new();
    for folder in [paths.root().to_path_buf(), cwd.join(".pi")] {
        let settings = folder.join("settings.json");
        let text = match std::fs::read_to_string(&settings) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                findings.push(Finding::bad(
                    format!("`{}` cannot be read: {error}", settings.display()),
                    "Pi loads no package it names",
                ));
                continue;
            }
        };
        let Ok(parsed) = serde_json::from_str::<Value>(&text) else {
            findings.push(Finding::bad(
                format!("`{}` is not valid JSON", settings.display()),
                "Pi loads no package it names",
            ));
            continue;
        };
        for source in sources(&parsed) {
            let place = place(&source, &folder, paths);
            match name_of(&source, place.as_deref()).as_deref() {
                Some(OURS) => ours.extend(place),
                Some(PREDECESSOR) => findings.push(Finding::bad(
                    format!("`{PREDECESSOR}` is installed as well: two gates ask twice"),
                    format!("pi remove {source}"),
                )),
                _ => {}
            }
        }
    }
    let extensions = paths.root().join("extensions");
    for entry in std::fs::read_dir(extensions)
        .into_iter()
        .flatten()
        .flatten()
    {
        match manifest_name(&entry.path()).as_deref() {
            Some(OURS) => ours.push(entry.path()),
            Some(PREDECESSOR) => findings.push(Finding::bad(
                format!("`{PREDECESSOR}` is installed as well: two gates ask twice"),
                format!("remove '{}'", entry.path().display()),
            )),
            _ => {}
        }
    }
    if ours.is_empty() {
        findings.push(Finding::bad(
            "the extension is not installed in Pi: nothing is gated",
            "cargo xtask pi-package && pi install ./target/pi-package",
        ));
    }
    let found = !ours.is_empty();
    findings.extend(ours.iter().map(|place| whole(place)));
    Installed { findings, found }
}

/// The sources in a settings file's `packages`.
fn sources(settings: &Value) -> Vec<String> {
    let packages = settings.get("packages").and_then(Value::as_array);
    packages
        .into_iter()
        .flatten()
        .filter(|it| {
            // `"extensions": []` takes the package without its extension.
            it.get("extensions")
                .and_then(Value::as_array)
                .is_none_or(|list| !list.is_empty())
        })
        .filter_map(|it| {
            let source = it.get("source").unwrap_or(it);
            source.as_str().map(str::to_owned)
        })
        .collect()
}

/// Where the package lies on this machine, where that can be told.
fn place(source: &str, settings_folder: &Path, paths: &AgentPaths) -> Option<PathBuf> {
    if let Some(spec) = source.strip_prefix("npm:") {
        let place = paths
            .root()
            .join("npm")
            .join("node_modules")
            .join(without_version(spec));
        return place.is_dir().then_some(place);
    }
    if source.contains("://") || source.starts_with("git:") {
        return None;
    }
    // Pi writes it from the agent directory, with `..`.
    let place = std::fs::canonicalize(settings_folder.join(source)).ok()?;
    place.is_dir().then_some(place)
}

fn without_version(spec: &str) -> &str {
    match spec.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => spec.get(..at).unwrap_or(spec),
        None => spec,
    }
}

fn name_of(source: &str, place: Option<&Path>) -> Option<String> {
    match source.strip_prefix("npm:") {
        Some(spec) => Some(without_version(spec).to_owned()),
        None => manifest_name(place?),
    }
}

fn manifest_name(place: &Path) -> Option<String> {
    let text = std::fs::read_to_string(place.join("package.json")).ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    manifest.get("name")?.as_str().map(str::to_owned)
}

/// Whether the package at `place` can load: its addon is there, and Node
/// takes it.
fn whole(place: &Path) -> Finding {
    let shown = place.display();
    let addon = place.join("addon").join("countersign.node");
    if !addon.is_file() {
        return Finding::bad(
            format!("the package at `{shown}` has no addon: Pi blocks every tool call"),
            "build it anew: cargo xtask pi-package",
        );
    }
    let Some(node) = on_path(if cfg!(windows) { "node.exe" } else { "node" }) else {
        return Finding::note(
            format!("the package at `{shown}` is there; its addon was not tried"),
            "there is no `node` on the program path",
        );
    };
    let script = "const addon = require(process.argv[1]); \
                  if (typeof addon.interfaceVersion !== 'function') throw new Error('another addon')";
    let tried = Command::new(node)
        .args(["-e", script])
        .arg(&addon)
        .stdin(Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() => Finding::good(format!(
            "the extension at `{shown}` is installed and its addon loads"
        )),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let why = said
                .lines()
                .find(|line| line.contains("Error"))
                .unwrap_or("no reason given");
            Finding::bad(
                format!("the addon at `{}` does not load: {why}", addon.display()),
                "build it anew on this machine: cargo xtask pi-package",
            )
        }
        Err(error) => Finding::note(
            format!("the package at `{shown}` is there; its addon was not tried"),
            format!("`node` could not be started: {error}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sources_are_those_whose_extensions_load() {
        let settings = json!({"packages": [
            "npm:@countersign/pi@0.1.0",
            {"source": "./a"},
            {"source": "./b", "extensions": []},
            {"source": "./c", "skills": []},
            7
        ]});
        assert_eq!(
            sources(&settings),
            ["npm:@countersign/pi@0.1.0", "./a", "./c"]
        );
        assert_eq!(without_version("@countersign/pi@0.1.0"), "@countersign/pi");
        assert_eq!(without_version("@countersign/pi"), "@countersign/pi");
        assert_eq!(without_version("plain@1"), "plain");
    }
}
