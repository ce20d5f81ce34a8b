//! Build tools and package managers.

use super::super::row::Does;
use super::super::walk::Walk;
use super::super::{Arg, Run, effects, name};
use crate::{Direction, FloorCause, PathRole, variable_with_teeth};

pub(super) fn check_make(walk: &mut Walk<'_, '_>) {
    for index in walk.operands.clone() {
        let Some((key, value)) = walk.text(index).split_once('=') else {
            continue;
        };
        walk.no_path(index);
        walk.facts.holds.push(index);
        let known = walk.value(index).is_some();
        let shell = value.contains(['`', ';', '|', '&', '\n']) || value.contains("$(");
        let key = key.trim_end_matches([':', '?', '+', '!']);
        if key != "PATH"
            && let Some(what) = variable_with_teeth(key, known.then_some(value))
        {
            walk.teeth(format!("`{key}` {what}"));
        } else if shell {
            walk.teeth(format!("`{key}=` puts commands into the recipes"));
        }
        let runs = matches!(key, ".SHELLFLAGS" | "PATH")
            || key.ends_with('!')
            || value.contains("$(shell")
            || value.contains("${shell");
        if runs {
            walk.teeth(format!("`{key}=` changes what runs the recipes"));
        }
    }
    walk.unseen_program(&["f", "file", "makefile"]);
}

/// Settings of a package manager that name programs.
pub(super) fn check_package(walk: &mut Walk<'_, '_>) {
    let words: Vec<&str> = walk
        .operands
        .iter()
        .map(|index| walk.text(*index))
        .collect();
    if words.first() == Some(&"set") || words.first().is_some_and(|word| word.contains('=')) {
        let hazards = [
            "registry",
            "script-shell",
            "shell",
            "git",
            "editor",
            "node-options",
            "prefix",
            "userconfig",
            "globalconfig",
            "ignore-scripts",
            "viewer",
            "init-module",
        ];
        let named = words.iter().any(|word| {
            let key = word.split('=').next().unwrap_or("");
            let key = key.rsplit(':').next().unwrap_or(key);
            hazards.contains(&key)
        });
        if named {
            walk.teeth("changes a setting that decides what is run or installed later");
        }
    }
}

/// `cmake -E env cmd`, `cmake -E rm x`.
pub(super) fn check_cmake(walk: &mut Walk<'_, '_>) {
    let at = (1..walk.args.len()).find(|index| walk.value(*index) == Some("-E"));
    let Some(at) = at else { return };
    match walk.value(at + 1) {
        Some(
            "echo" | "echo_append" | "capabilities" | "environment" | "sleep" | "true" | "false",
        ) => {}
        Some("env" | "time" | "chdir") => {
            walk.facts.runs.push(Run::Words {
                start: at + 1,
                end: walk.args.len(),
            });
            let note = "`cmake -E` runs another command".to_owned();
            walk.facts
                .floors
                .push((FloorCause::IndirectionWrapper, note));
        }
        _ => {
            // `rm`, `copy`, `tar` and the like do what those programs do.
            walk.facts.runs.push(Run::Words {
                start: at + 1,
                end: walk.args.len(),
            });
            walk.teeth("`cmake -E` acts as another program");
        }
    }
}

/// Cargo's toolchain, the compiler's options behind `--`, and the words that
/// belong to the program it runs.
pub(super) fn check_cargo(walk: &mut Walk<'_, '_>) {
    check_settings(walk);
    let own = name::base(walk.text(0));
    let dashes = (1..walk.args.len()).find(|index| walk.value(*index) == Some("--"));
    if own == "cargo" {
        let toolchain = walk.operands.iter().map(|index| walk.text(*index));
        if toolchain
            .take(1)
            .any(|text| text.starts_with('+') && text.contains('/'))
        {
            walk.teeth("runs a toolchain from a directory");
        }
        let subcommand = walk
            .operands
            .iter()
            .find(|index| !walk.text(**index).starts_with('+'));
        if let Some(at) = subcommand.copied()
            && walk
                .value(at)
                .is_none_or(|word| name::subcommand("cargo", word).is_none())
        {
            // Another program, or an alias; or a script.
            walk.facts.unknown = Some(at + 1);
            if walk.text(at).ends_with(".rs") {
                walk.path((at, 0), Direction::Read, PathRole::Script);
            }
        }
        return;
    }
    let behind = dashes.filter(|at| at + 1 < walk.args.len());
    match own {
        "rustc" | "rustdoc" | "clippy" => {
            let Some(at) = behind else { return };
            let mut words = vec![Arg {
                source: "rustc",
                value: Some("rustc"),
                known_prefix: "rustc",
                quoted: false,
            }];
            words.extend(walk.args.iter().skip(at + 1).copied());
            let floors = effects::analyse(&words, false, 0).facts.floors;
            walk.facts.floors.extend(floors);
        }
        "run" | "r" => walk.facts.unknown = walk.operands.first().copied(),
        _ => walk
            .facts
            .holds
            .extend(behind.map_or(walk.args.len(), |at| at + 1)..walk.args.len()),
    }
}

/// Settings of compilers that are known to run and load nothing.
pub(super) fn check_settings(walk: &mut Walk<'_, '_>) {
    const RUSTC: &str = "opt-level debuginfo target-cpu target-feature lto codegen-units panic \
        overflow-checks debug-assertions embed-bitcode metadata extra-filename \
        force-frame-pointers strip prefer-dynamic relocation-model code-model no-prepopulate-passes \
        split-debuginfo symbol-mangling-version rpath inline-threshold instrument-coverage";
    const CARGO: &str = "net. build.jobs build.target profile. term. http. future-incompat-report. \
        registries.crates-io.protocol resolver. unstable.";
    let name = walk.row.names.split(' ').next().unwrap_or("");
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.does == Does::Setting) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        let (key, _) = text.split_once('=').unwrap_or((text, ""));
        let known = match name {
            "rustc" => {
                taken.name != "Z" && RUSTC.split_ascii_whitespace().any(|known| known == key)
            }
            _ if name.starts_with("cargo") => {
                CARGO
                    .split_ascii_whitespace()
                    .any(|known| key.trim().starts_with(known))
                    && !key.contains("target-dir")
                    && text.contains('=')
            }
            _ => !["extld", "toolexec", "plugin", "-o", "B", "linkmode", "@"]
                .iter()
                .any(|hazard| text.contains(hazard)),
        };
        if !all || !known {
            walk.teeth(format!("the setting `{key}` can run or load something"));
        }
    }
}

/// `cargo watch -x 'run -- x'` runs cargo's own subcommands.
pub(super) fn check_cargo_watch(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| matches!(taken.name, "x" | "exec")) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        if all {
            walk.facts.runs.push(Run::Text(format!("cargo {text}")));
        } else {
            walk.teeth("runs a text that is known only at run time");
        }
    }
}
