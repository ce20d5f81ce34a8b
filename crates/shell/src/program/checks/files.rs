//! Archives, copies, downloads: where files go.

use super::super::effects::script;
use super::super::name;
use super::super::row::Does;
use super::super::walk::Walk;
use super::path_text;
use crate::Direction;

pub(super) fn check_tar(walk: &mut Walk<'_, '_>) {
    // The first word may be a cluster without a dash: `tar xzf a.tgz`.
    if let Some(first) = walk.operands.first().copied().filter(|index| *index == 1) {
        let letters = walk.text(first);
        walk.operands.remove(0);
        walk.no_path(first);
        if walk.value(first).is_none() {
            walk.teeth("its options are known only at run time");
            return;
        }
        let mut next = 0;
        for letter in letters.chars() {
            let mut buffer = [0; 4];
            let does =
                super::super::walk::option_of(walk.row.options, letter.encode_utf8(&mut buffer));
            let takes = matches!(
                does,
                Some(
                    Does::Path
                        | Does::Directory
                        | Does::Value
                        | Does::Script
                        | Does::Read
                        | Does::PatternFile
                        | Does::TeethValue(_)
                )
            );
            if !takes {
                continue;
            }
            let Some(value) = walk.operands.get(next).copied() else {
                break;
            };
            next += 1;
            match does {
                Some(Does::Script | Does::TeethValue(_)) => {
                    walk.no_path(value);
                    script(walk, (value, 0));
                    walk.teeth(format!("`{letter}` names a command to run"));
                }
                Some(Does::Value) => walk.no_path(value),
                Some(Does::Read | Does::PatternFile) => walk.file((value, 0), Direction::Read),
                Some(Does::Directory) => {
                    walk.file((value, 0), Direction::Both);
                    walk.facts.starts_in = Some((value, 0));
                }
                _ if walk.value(value) == Some("-") => walk.no_path(value),
                _ => walk.file((value, 0), Direction::Both),
            }
        }
        walk.operands.drain(..next);
    }
    let extracts = walk.value(1).is_some_and(|word| {
        let cluster = word.strip_prefix('-').unwrap_or(word);
        !word.starts_with("--") && cluster.contains('x')
    }) || walk.named("x")
        || walk.named("extract")
        || walk.named("get");
    if extracts && walk.facts.starts_in.is_none() {
        // What is extracted lands in the directory it starts in.
        path_text(walk, 0, ".".to_owned(), Direction::Write);
    }
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.name == "checkpoint-action") else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        if let Some(command) = text.strip_prefix("exec=") {
            script(walk, (at.0, at.1 + "exec=".len()));
            let _ = command;
            walk.teeth("`--checkpoint-action` runs a command");
        } else if !all
            || !["dot", "echo", "bell", "totals", "ttyout", "sleep"]
                .iter()
                .any(|known| text.starts_with(known))
        {
            walk.teeth("`--checkpoint-action` may run a command");
        }
    }
    // `host:file` is reached by running a remote shell.
    let remote = walk.options.iter().any(|taken| {
        taken.does == Does::Path
            && taken
                .value
                .is_some_and(|at| is_remote(walk.value_text(at).0))
    });
    if remote && !walk.named("force-local") {
        walk.teeth("an archive on another machine is reached by a remote shell");
    }
}

/// `host:path`.
pub(super) fn is_remote(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// `curl -O`, `wget`: the file is named after the last part of the URL.
pub(super) fn check_remote_name(walk: &mut Walk<'_, '_>) {
    let curl = name::base(walk.text(0)) == "curl";
    if curl {
        sent_files(walk);
    }
    let named = if curl {
        walk.named("O") || walk.named("remote-name") || walk.named("remote-name-all")
    } else {
        !(walk.named("O") || walk.named("output-document") || walk.named("spider"))
    };
    if !named {
        return;
    }
    if walk.named("J") || walk.named("remote-header-name") || walk.named("content-disposition") {
        walk.teeth("the server chooses the name of the file it writes");
    }
    for index in walk.operands.clone() {
        let text = walk.text(index);
        let path = text.split(['?', '#']).next().unwrap_or(text);
        let after = path
            .split_once("://")
            .map_or(0, |(scheme, _)| scheme.len() + 3);
        let last = path.rsplit('/').next().unwrap_or("");
        if path.len() > after
            && path.get(after..).is_some_and(|rest| rest.contains('/'))
            && !last.is_empty()
        {
            path_text(walk, index, last.to_owned(), Direction::Write);
        }
    }
}

/// The last operand of `cp` and its like is certainly a file, also when it
/// does not exist yet.
pub(super) fn check_copy(walk: &mut Walk<'_, '_>) {
    let target = walk.named("t") || walk.named("target-directory");
    if target || walk.named("d") || walk.operands.len() < 2 {
        return;
    }
    if let Some(index) = walk.operands.last().copied() {
        walk.file((index, 0), Direction::Both);
    }
}

pub(super) fn check_compiler(walk: &mut Walk<'_, '_>) {
    for index in walk.operands.clone() {
        let text = walk.text(index);
        if let Some(file) = text.strip_prefix('@').filter(|file| !file.is_empty()) {
            let _ = file;
            walk.file((index, 1), Direction::Read);
            walk.teeth("takes further options from a file");
        }
    }
}

pub(super) fn check_dd(walk: &mut Walk<'_, '_>) {
    for index in walk.operands.clone() {
        let text = walk.text(index);
        match text.split_once('=') {
            Some(("if", _)) => walk.file((index, 3), Direction::Read),
            Some(("of", _)) => walk.file((index, 3), Direction::Write),
            Some(_) => walk.no_path(index),
            None if walk.value(index).is_none() => {
                walk.teeth("an operand known only at run time could name a file");
            }
            None => {}
        }
    }
}

/// `docker run -v host:inside`, `--mount source=host`.
pub(super) fn check_volumes(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let Some(at) = taken.value else { continue };
        let (text, all) = walk.value_text(at);
        let host = match taken.name {
            "v" | "volume" => text.split(':').next(),
            "build-context" => text.split_once('=').map(|(_, path)| path),
            "secret" | "ssh" | "o" | "output" | "cache-from" | "cache-to" => {
                let parts = text.split(',').filter_map(|part| part.split_once('='));
                let files: Vec<String> = parts
                    .filter(|(key, _)| matches!(*key, "src" | "source" | "dest" | "default"))
                    .map(|(_, file)| file.to_owned())
                    .collect();
                for file in files {
                    path_text(walk, at.0, file, Direction::Both);
                }
                continue;
            }
            "mount" => text.split(',').find_map(|part| {
                part.strip_prefix("source=")
                    .or_else(|| part.strip_prefix("src="))
            }),
            _ => continue,
        };
        let shaped = |host: &&str| host.starts_with(['/', '.', '~']);
        if let Some(host) = host.filter(shaped) {
            path_text(walk, at.0, host.to_owned(), Direction::Both);
        } else if !all && text.is_empty() {
            walk.teeth("a directory given to the container is known only at run time");
        }
    }
}

/// Without a directory to unpack into, it is the present one.
pub(super) fn check_unpack(walk: &mut Walk<'_, '_>) {
    let only_looks = ["l", "list", "t", "test", "v", "p", "z", "c"]
        .iter()
        .any(|name| walk.named(name));
    if walk.facts.starts_in.is_none() && !only_looks {
        path_text(walk, 0, ".".to_owned(), Direction::Write);
    }
}

/// The archive is written; `-TT` names the program that tests it.
pub(super) fn check_zip(walk: &mut Walk<'_, '_>) {
    if let Some(archive) = walk.operands.first().copied()
        && walk.value(archive) != Some("-")
    {
        walk.file((archive, 0), Direction::Both);
    }
    // Options of `zip` may be joined: `-rTT`.
    let joined = (1..walk.args.len()).any(|index| {
        let text = walk.text(index);
        text.starts_with('-') && !text.starts_with("--") && text.contains("TT")
    });
    if joined {
        walk.teeth("`-TT` names a command to run");
    }
}

/// `7z x`, `-oDIR`, and the archive.
pub(super) fn check_seven_zip(walk: &mut Walk<'_, '_>) {
    let command = walk.operands.first().and_then(|index| walk.value(*index));
    if let Some(archive) = walk.operands.get(1).copied() {
        walk.file((archive, 0), Direction::Both);
    }
    let mut placed = false;
    for index in 1..walk.args.len() {
        if walk.text(index).starts_with("-o") {
            placed = true;
            walk.file((index, 2), Direction::Both);
        }
    }
    if matches!(command, Some("x" | "e")) && !placed {
        path_text(walk, 0, ".".to_owned(), Direction::Write);
    }
}

/// A source on another machine is reached by a remote shell; that is what
/// `rsync` is for. Only the destination is surely written.
pub(super) fn check_rsync(walk: &mut Walk<'_, '_>) {
    if walk.named("M") || walk.named("remote-option") {
        walk.teeth("gives the other side an option");
    }
}

/// `curl -d @file`, `-F name=@file`, `-H @file`: files that are sent.
fn sent_files(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let Some(at) = taken.value else { continue };
        let (text, _) = walk.value_text(at);
        let start = match taken.name {
            "d" | "data" | "data-ascii" | "data-binary" | "json" | "H" | "header"
            | "proxy-header" | "w" | "write-out" | "variable" => text.starts_with('@').then_some(1),
            "data-urlencode" | "url-query" => text.find('@').map(|mark| mark + 1),
            "F" | "form" => text.find('=').and_then(|equals| {
                let rest = text.get(equals + 1..)?;
                rest.starts_with(['@', '<']).then_some(equals + 2)
            }),
            _ => None,
        };
        let Some(start) = start else { continue };
        let file = text.get(start..).unwrap_or("");
        let end = file
            .find([';', ','])
            .filter(|_| matches!(taken.name, "F" | "form"));
        match end {
            Some(end) => {
                let file = file.get(..end).unwrap_or("").to_owned();
                path_text(walk, at.0, file, Direction::Read);
            }
            None if file == "-" => {}
            None => walk.file((at.0, at.1 + start), Direction::Read),
        }
    }
}
