//! Dependencies point only downwards, and the pure crates stay pure.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Who may depend on whom. The edges see the lower crates through `host`.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("shell", &["text"]),
    ("policy", &["text"]),
    ("config", &["policy", "text"]),
    ("intent", &["shell", "policy", "text"]),
    ("engine", &["intent", "policy", "shell", "text"]),
    ("forward", &["text"]),
    (
        "host",
        &[
            "engine", "intent", "policy", "config", "shell", "forward", "text",
        ],
    ),
    ("cli", &["host"]),
    ("node", &["host"]),
    ("xtask", &[]),
];

/// The crates that may touch files, clocks and processes. They have a
/// `clippy.toml` of their own; every other crate gets the bans of the root.
const EDGES: &[&str] = &["host", "cli", "node", "xtask"];

/// What a pure crate may take from outside: data formats and mathematics.
const PURE_DEPENDENCIES: &[&str] = &[
    "serde",
    "serde_json",
    "thiserror",
    "jsonc-parser",
    "ed25519-dalek",
    "sha2",
    "base64",
    "unicode-width",
];

fn workspace() -> BTreeMap<String, Value> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let name = package["name"].as_str().unwrap();
            (short(name).to_owned(), package.clone())
        })
        .collect()
}

fn short(package: &str) -> &str {
    package.strip_prefix("countersign-").unwrap_or(package)
}

/// The dependencies of a package that are built into it (not those of its
/// tests).
fn dependencies(package: &Value) -> Vec<&str> {
    package["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"].as_str() != Some("dev"))
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

#[test]
fn every_crate_has_its_place() {
    let known: Vec<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    for name in workspace().keys() {
        assert!(known.contains(&name.as_str()), "`{name}` has no arrows");
    }
}

#[test]
fn arrows_point_downwards() {
    let workspace = workspace();
    for (name, allowed) in ARROWS {
        for dependency in dependencies(&workspace[*name]) {
            let ours = workspace.contains_key(short(dependency));
            assert!(
                !ours || allowed.contains(&short(dependency)),
                "`{name}` must not depend on `{dependency}`"
            );
        }
    }
}

#[test]
fn pure_crates_take_nothing_that_reaches_the_world() {
    for (name, package) in workspace() {
        if EDGES.contains(&name.as_str()) {
            continue;
        }
        for dependency in dependencies(&package) {
            assert!(
                dependency.starts_with("countersign-") || PURE_DEPENDENCIES.contains(&dependency),
                "`{name}` is pure and must not depend on `{dependency}`"
            );
        }
    }
}

#[test]
fn only_edges_have_lints_of_their_own() {
    for (name, package) in workspace() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let own = manifest.with_file_name("clippy.toml").exists();
        assert_eq!(
            own,
            EDGES.contains(&name.as_str()),
            "clippy.toml of `{name}`"
        );
        let text = std::fs::read_to_string(manifest).unwrap();
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "`{name}` must take the lints of the workspace"
        );
    }
}
