//! Package managers: scripts of a package, and packages that are fetched to be
//! run.

use super::super::walk::Walk;
use super::super::{Run, name};
use super::path_text;
use crate::{Direction, PathRole};

/// What a package manager runs besides the scripts of the package.
pub(super) fn check_scripts(walk: &mut Walk<'_, '_>) {
    let own = name::base(walk.text(0));
    let first = walk.operands.first().copied();
    match own {
        // `env` is a script that every package has.
        "run" | "run-script" | "rum" | "urn" => {
            if let Some(at) = first.filter(|at| walk.value(*at) == Some("env")) {
                walk.facts.runs.push(Run::Words {
                    start: at,
                    end: walk.args.len(),
                });
            }
            walk.facts.unknown = first.map(|at| at + 1);
        }
        "create" | "init" | "innit" => {
            let Some(at) = first else { return };
            let Some(package) = walk.value(at) else {
                walk.teeth("runs a package that is known only at run time");
                return;
            };
            let rest: Vec<&str> = (at + 1..walk.args.len())
                .map(|index| walk.text(index))
                .collect();
            let text = format!("{} {}", initializer(package), rest.join(" "));
            walk.facts.runs.push(Run::Text(text.trim().to_owned()));
        }
        "pkg" if first.is_some_and(|at| walk.value(at) != Some("get")) => {
            path_text(walk, 0, "package.json".to_owned(), Direction::Both);
            for index in walk.operands.clone().into_iter().skip(1) {
                new_script(walk, index);
            }
        }
        "set-script" => walk.teeth("changes what a script of the package runs"),
        _ => {}
    }
}

/// `npm pkg set scripts.NAME=command`.
fn new_script(walk: &mut Walk<'_, '_>, index: usize) {
    walk.no_path(index);
    let (key, command) = walk.text(index).split_once('=').unwrap_or_default();
    let runs = key.starts_with("scripts") || key.starts_with("bin");
    if walk.value(index).is_none() {
        if runs || key.is_empty() {
            walk.teeth("changes what a script of the package runs");
        }
    } else if runs {
        if key.contains('.') && key.starts_with("scripts") {
            walk.facts.runs.push(Run::Text(command.to_owned()));
        } else {
            walk.teeth("changes what a script of the package runs");
        }
    }
}

/// The package that `npm init NAME` runs.
fn initializer(package: &str) -> String {
    let (scope, name) = match package.split_once('/') {
        Some((scope, name)) if scope.starts_with('@') => (format!("{scope}/"), name),
        _ if package.starts_with('@') => return format!("{package}/create"),
        _ => (String::new(), package),
    };
    let name = name.split('@').next().unwrap_or(name);
    format!("{scope}create-{name}")
}

/// `yarn workspace NAME command`, which is `yarn command`.
pub(super) fn check_workspace(walk: &mut Walk<'_, '_>) {
    let skip = usize::from(name::base(walk.text(0)) == "workspace");
    let words: Option<Vec<&str>> = walk
        .operands
        .iter()
        .skip(skip)
        .map(|index| walk.value(*index))
        .collect();
    match words {
        Some(words) if words.is_empty() => {}
        Some(words) => {
            for index in walk.operands.clone() {
                walk.no_path(index);
            }
            walk.facts
                .runs
                .push(Run::Text(format!("yarn {}", words.join(" "))));
        }
        None => walk.teeth("runs a command that is known only at run time"),
    }
}

/// Packages and addresses that are fetched and run.
pub(super) fn check_fetches(walk: &mut Walk<'_, '_>) {
    let own = name::base(walk.text(0));
    let Some(at) = walk.operands.first().copied() else {
        return;
    };
    let Some(text) = walk.value(at) else {
        walk.teeth("runs what cannot be known before");
        return;
    };
    let program = match walk.row.names.split('/').next() {
        Some("deno") => denos(walk, text),
        Some("nix") if own == "run" => text.rsplit(['#', ':', '/']).next(),
        Some("go") if own == "run" => gos(walk, at, text),
        _ => None,
    };
    if walk.facts.unknown.is_none() && own != "test" {
        walk.facts.unknown = Some(at + 1);
    }
    if let Some(program) = program.filter(|program| !program.is_empty()) {
        let rest = (at + 1..walk.args.len()).map(|index| walk.text(index));
        let rest: Vec<&str> = rest.filter(|word| *word != "--").collect();
        let text = format!("{program} {}", rest.join(" "));
        walk.facts.runs.push(Run::Text(text.trim().to_owned()));
    }
}

/// `deno run npm:NAME`, `deno run https://…`.
fn denos<'a>(walk: &mut Walk<'a, '_>, text: &'a str) -> Option<&'a str> {
    if text == "-" {
        walk.teeth("runs what cannot be known before");
    } else if let Some(package) = text.strip_prefix("npm:").or(text.strip_prefix("jsr:")) {
        let path = package.trim_start_matches('/');
        let scope = path
            .strip_prefix('@')
            .and_then(|scoped| scoped.split('/').nth(1));
        return scope.unwrap_or(path).split(['@', '/']).next();
    } else if text.contains("://") || text.starts_with("data:") {
        walk.teeth("runs a program from an address");
    }
    None
}

/// `go run example.com/x/cmd/name@latest`.
fn gos<'a>(walk: &mut Walk<'a, '_>, at: usize, text: &'a str) -> Option<&'a str> {
    let Some((path, _)) = text.split_once('@') else {
        if text.ends_with(".go") {
            walk.path((at, 0), Direction::Read, PathRole::Script);
        }
        return None;
    };
    let version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    path.rsplit('/').find(|part| !version(part))
}
