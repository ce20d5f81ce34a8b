//! Documents, pictures, sound and data: formats and addresses that run
//! something, and names inside of words.

use super::super::walk::Walk;
use super::super::{Run, name};
use super::path_text;
use crate::Direction;

/// ImageMagick: `|command`, `msl:file`, `@file`, `format:file`.
pub(super) fn check_pictures(walk: &mut Walk<'_, '_>) {
    const SCRIPTS: &[&str] = &["msl", "ephemeral", "mvg", "mpr", "show", "win", "x"];
    for index in walk.operands.clone() {
        let text = walk.text(index);
        let (format, file) = text.split_once(':').unwrap_or(("", text));
        let plain = format.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if let Some(command) = file.strip_prefix('|').filter(|_| plain) {
            walk.no_path(index);
            if walk.value(index).is_some() {
                walk.facts.runs.push(Run::Text(command.to_owned()));
            }
            walk.teeth("the picture is what a command prints");
        } else if SCRIPTS.contains(&format.to_ascii_lowercase().as_str()) {
            walk.teeth("the format runs commands of its own, or removes the file");
        }
        if !format.is_empty() && plain && !file.starts_with("//") {
            let file = file.trim_start_matches('@').to_owned();
            path_text(walk, index, file, Direction::Both);
        } else if let Some(list) = text.strip_prefix('@').filter(|list| !list.is_empty()) {
            path_text(walk, index, list.to_owned(), Direction::Read);
            let note = "a list names further files to read".to_owned();
            walk.facts.computed_paths.push((Direction::Read, note));
        }
    }
}

/// `-sOutputFile=%pipe%command`.
pub(super) fn check_ghostscript(walk: &mut Walk<'_, '_>) {
    let piped = walk.args.iter().find_map(|arg| {
        let text = super::super::walk::known(arg);
        let (_, command) = text.split_once("%pipe%")?;
        Some(command.to_owned()).filter(|_| arg.value.is_some())
    });
    if let Some(command) = piped {
        walk.facts.runs.push(Run::Text(command));
        walk.teeth("writes to a command");
    }
}

/// FFmpeg: addresses that join files, and lists of files.
pub(super) fn check_film(walk: &mut Walk<'_, '_>) {
    let inputs: Vec<usize> = walk
        .options
        .iter()
        .filter(|taken| taken.name == "i")
        .filter_map(|taken| taken.value)
        .map(|at| at.0)
        .chain(walk.operands.iter().copied())
        .collect();
    for index in inputs {
        let text = walk.text(index);
        let Some((protocol, rest)) = text.split_once(':').filter(|_| !text.contains("://")) else {
            continue;
        };
        if protocol.is_empty() || !protocol.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let files: Vec<String> = rest.split(['|', ':', ',']).map(str::to_owned).collect();
        for file in files.into_iter().filter(|file| !file.is_empty()) {
            path_text(walk, index, file, Direction::Both);
        }
    }
    let listed = walk.options.iter().any(|taken| {
        taken.name == "f"
            && taken
                .value
                .is_some_and(|at| walk.value_text(at).0 == "concat")
    });
    if listed {
        let note = "a list names further files to read".to_owned();
        walk.facts.computed_paths.push((Direction::Read, note));
    }
}

/// TeX given on the command line instead of a file.
pub(super) fn check_tex(walk: &mut Walk<'_, '_>) {
    let commands = walk
        .operands
        .iter()
        .any(|index| walk.text(*index).contains('\\') || walk.value(*index).is_none());
    if commands {
        walk.teeth("runs program text given on the command line");
    }
}

/// `openssl engine LIBRARY`, and passwords kept in a file.
pub(super) fn check_openssl(walk: &mut Walk<'_, '_>) {
    let first = walk.operands.first().and_then(|index| walk.value(*index));
    if first == Some("engine") && walk.operands.len() > 1 {
        walk.teeth("loads a library");
    }
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.name.starts_with("pass")) else {
            continue;
        };
        if let Some(file) = walk.value_text(at).0.strip_prefix("file:") {
            path_text(walk, at.0, file.to_owned(), Direction::Read);
        }
    }
}

/// `yq 'load("file")'`.
pub(super) fn check_yq(walk: &mut Walk<'_, '_>) {
    let script = walk.operands.first().copied();
    let loads = script.is_some_and(|index| {
        let text = walk.text(index);
        text.contains("load") && text.contains('(')
    });
    if loads {
        walk.teeth("the expression reads files of its own");
    }
}

/// The files that DuckDB reads and writes are named in its commands.
pub(super) fn duckdb(walk: &mut Walk<'_, '_>, at: (usize, usize)) {
    let (text, _) = walk.value_text(at);
    let quoted = text.split('\'').skip(1).step_by(2);
    let files: Vec<String> = quoted
        .filter(|part| part.contains(['.', '/', '*']) && !part.contains(char::is_whitespace))
        .filter(|part| !part.contains("://"))
        .map(str::to_owned)
        .collect();
    for file in files {
        path_text(walk, at.0, file, Direction::Both);
    }
    let lower = text.to_ascii_lowercase();
    let hazards = ["install ", "load ", "getenv", "shellfs", "|'"];
    let dots = lower.trim_start().starts_with('.') || lower.contains("\n.");
    if dots || hazards.iter().any(|hazard| lower.contains(hazard)) {
        walk.teeth("the commands given can run programs or open files");
    }
}

/// Redis commands that load code, or make the server write a file.
pub(super) fn check_redis(walk: &mut Walk<'_, '_>) {
    let hazards = "eval evalsha function module config debug slaveof replicaof script";
    let own = name::base(walk.text(0)) == "redis-cli";
    let hazard = walk.operands.iter().any(|index| {
        let word = walk.text(*index).to_ascii_lowercase();
        walk.value(*index).is_none() || hazards.split(' ').any(|hazard| hazard == word)
    });
    if own && hazard {
        walk.teeth("runs program text, or changes what the server runs or writes");
    }
}
