//! The languages of text tools.

use super::super::name;
use super::super::row::Does;
use super::super::walk::Walk;
use super::super::{Run, awk, sed};
use super::path_text;
use crate::{Direction, Proof};

/// The literal scripts of an interpreter: option values, or the first operand.
/// `None` where one is known only at run time.
pub(super) fn scripts<'a>(walk: &Walk<'a, '_>) -> Option<Vec<(usize, &'a str)>> {
    let mut found = Vec::new();
    let mut given = false;
    for taken in &walk.options {
        match taken.does {
            Does::Pattern => {
                given = true;
                let at = taken.value?;
                let (text, all) = walk.value_text(at);
                if !all {
                    return None;
                }
                found.push((at.0, text));
            }
            Does::PatternFile => given = true,
            _ => {}
        }
    }
    if !given && let Some(first) = walk.operands.first().copied() {
        found.push((first, walk.value(first)?));
    }
    Some(found)
}

pub(super) fn check_sed(walk: &mut Walk<'_, '_>) {
    walk.unseen_program(&["f", "file"]);
    let in_place = walk.named("i") || walk.named("in-place") || walk.named("I");
    let from_file = walk.has(|does| does == Does::PatternFile);
    // BSD `sed -i '' …`: the empty word is the suffix.
    let empty = walk
        .options
        .iter()
        .find(|taken| taken.name == "i" && taken.value.is_none())
        .map(|taken| taken.arg + 1)
        .filter(|index| walk.value(*index) == Some("") && walk.operands.contains(index));
    if let Some(index) = empty {
        walk.operands.retain(|operand| *operand != index);
        walk.facts.not_paths.clear();
        walk.no_path(index);
        let given = walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile));
        let values: Vec<usize> = walk
            .options
            .iter()
            .filter(|taken| taken.does == Does::Pattern)
            .filter_map(|taken| taken.value)
            .filter(|value| value.1 == 0)
            .map(|value| value.0)
            .collect();
        walk.facts.not_paths.extend(values);
        if let Some(first) = walk.operands.first().copied().filter(|_| !given) {
            walk.no_path(first);
            walk.facts.paths.retain(|path| path.arg != first);
        }
    }
    let mut proven = !in_place && !from_file && walk.unknown.is_none() && walk.computed.is_none();
    // `-e` after an operand: the operand is a file, not the script.
    let first = walk.operands.first().copied().unwrap_or(usize::MAX);
    let late = |does: Does| does == Does::Pattern;
    proven &= !walk
        .options
        .iter()
        .any(|taken| late(taken.does) && taken.arg > first);
    match scripts(walk) {
        None => {
            proven = false;
            walk.teeth("the script is known only at run time");
        }
        Some(found) => {
            let joined: Vec<&str> = found.iter().map(|(_, text)| *text).collect();
            let arg = found.first().map_or(0, |(arg, _)| *arg);
            match sed::read(&joined.join("\n")) {
                None => {
                    proven = false;
                    walk.teeth("the script cannot be read");
                }
                Some(usage) => {
                    proven &= usage.proven;
                    for command in usage.runs {
                        match command {
                            Some(command) => {
                                walk.facts.runs.push(Run::Text(command));
                                walk.teeth("the script runs a command");
                            }
                            None => walk.teeth("the script runs its input as commands"),
                        }
                    }
                    for file in usage.reads {
                        path_text(walk, arg, file, Direction::Read);
                    }
                    for file in usage.writes {
                        path_text(walk, arg, file, Direction::Write);
                    }
                }
            }
        }
    }
    if !proven {
        walk.facts.operands = Some((Direction::Both, Proof::Retracted));
    }
    if in_place {
        let given = walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile));
        let files: Vec<usize> = walk
            .operands
            .iter()
            .skip(usize::from(!given))
            .copied()
            .collect();
        backups(walk, &files);
        for index in files {
            walk.file((index, 0), Direction::Both);
        }
    }
}

/// `-i.bak` keeps a copy; a suffix with a `/` or `*` puts it elsewhere.
pub(super) fn backups(walk: &mut Walk<'_, '_>, files: &[usize]) {
    let suffix = walk
        .options
        .iter()
        .filter(|taken| matches!(taken.name, "i" | "in-place" | "I"))
        .find_map(|taken| taken.value);
    let Some(at) = suffix else {
        return;
    };
    let (suffix, all) = walk.value_text(at);
    if !all || suffix.contains(['/', '*']) {
        walk.teeth("the copy it keeps may be put elsewhere");
        return;
    }
    for index in files.iter().copied() {
        if let Some(file) = walk.value(index) {
            path_text(walk, index, format!("{file}{suffix}"), Direction::Write);
        }
    }
}

pub(super) fn check_awk(walk: &mut Walk<'_, '_>) {
    walk.unseen_program(&["f", "file", "E", "exec", "i", "include"]);
    let included: Vec<&str> = walk
        .options
        .iter()
        .filter(|taken| matches!(taken.name, "i" | "include"))
        .filter_map(|taken| Some(walk.value_text(taken.value?).0))
        .collect();
    if included.contains(&"inplace") {
        let given = walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile));
        let skip = usize::from(!given);
        let files: Vec<usize> = walk.operands.iter().skip(skip).copied().collect();
        for file in files {
            walk.file((file, 0), Direction::Both);
        }
    }
    let from_file = walk.has(|does| does == Does::PatternFile);
    let mut proven = !from_file && included.is_empty() && walk.unknown.is_none();
    // The row is ordered: a computed word counts only before the program.
    let program = walk.operands.first().copied();
    let given = walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile));
    let after = usize::from(!given);
    proven &= !walk
        .operands
        .iter()
        .skip(after)
        .any(|index| walk.text(*index).starts_with('-') && walk.text(*index).len() > 1);
    if !given && program.is_none() {
        return;
    }
    match scripts(walk) {
        None => {
            proven = false;
            walk.teeth("the program is known only at run time");
        }
        Some(found) => {
            proven &= found.len() == 1 && !given;
            let joined: Vec<&str> = found.iter().map(|(_, text)| *text).collect();
            let arg = found.first().map_or(0, |(arg, _)| *arg);
            let usage = awk::read(&joined.join("\n"));
            proven &= usage.is_plain();
            if usage.opaque {
                walk.teeth("the program can run or open what it does not name");
            }
            for command in usage.runs {
                match command {
                    Some(command) => {
                        walk.facts.runs.push(Run::Text(command));
                        walk.teeth("the program runs a command");
                    }
                    None => walk.teeth("the program runs a command it computes"),
                }
            }
            for (files, direction) in [
                (usage.reads, Direction::Read),
                (usage.writes, Direction::Write),
            ] {
                for file in files {
                    match file {
                        Some(file) => path_text(walk, arg, file, direction),
                        None => walk.teeth("the program opens a file it computes"),
                    }
                }
            }
        }
    }
    if !proven && walk.facts.operands.is_some() {
        walk.facts.operands = Some((Direction::Both, Proof::Retracted));
    }
}

/// Escapes to a shell, and files, in the command text of database clients.
pub(super) fn check_database(walk: &mut Walk<'_, '_>) {
    let mut texts: Vec<(usize, usize)> = walk
        .options
        .iter()
        .filter(|taken| taken.does == Does::Pattern)
        .filter_map(|taken| taken.value)
        .collect();
    let lite = name::base(walk.text(0)).starts_with("sqlite");
    let words = walk
        .operands
        .iter()
        .skip(usize::from(lite))
        .map(|index| (*index, 0));
    if lite {
        texts.extend(words);
        // The database, which is made when it does not exist, and what is
        // kept beside it while it changes.
        if let Some(database) = walk.operands.first().copied()
            && walk.value(database) != Some(":memory:")
        {
            walk.file((database, 0), Direction::Both);
        }
    }
    let looks = walk.has(|does| matches!(does, Does::Help | Does::TeethValue(_)))
        || walk.named("l")
        || walk.named("list");
    if texts.is_empty() && !looks {
        walk.teeth("runs commands it reads from standard input");
    }
    for at in texts {
        let (text, all) = walk.value_text(at);
        if at.1 == 0 {
            walk.no_path(at.0);
        }
        if name::base(walk.text(0)) == "duckdb" {
            super::media::duckdb(walk, at);
            continue;
        }
        let lower = text.to_ascii_lowercase();
        let dots = lower.lines().any(|line| line.trim_start().starts_with('.'));
        let safe_dot = [
            "tables",
            "schema",
            "headers",
            "mode",
            "databases",
            "indexes",
            "dbinfo",
            "width",
            "help",
            "show",
            "stats",
            "timer",
            "nullvalue",
            "separator",
        ];
        let harmless_dots = lower
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix('.'))
            .all(|line| safe_dot.iter().any(|safe| line.starts_with(safe)));
        let hazard = if lite {
            dots && !harmless_dots
                || [
                    "load_extension",
                    "writefile",
                    "readfile",
                    "edit(",
                    "attach",
                    "vacuum into",
                ]
                .iter()
                .any(|word| lower.contains(word))
                || lower.contains("vacuum") && lower.contains("into")
        } else {
            lower.contains('\\')
                || [
                    "program",
                    "outfile",
                    "dumpfile",
                    "load_file",
                    "load data",
                    "source ",
                    "system ",
                    "tee ",
                    "pager ",
                    "lo_import",
                    "lo_export",
                    "pg_read_file",
                    "pg_write",
                    "pg_execute",
                ]
                .iter()
                .any(|word| lower.contains(word))
        };
        if hazard {
            walk.teeth("the commands given can run programs or open files");
        } else if !all {
            walk.teeth("the commands given are known only at run time");
        }
    }
}

pub(super) fn check_editor(walk: &mut Walk<'_, '_>) {
    for index in walk.operands.clone() {
        let text = walk.text(index);
        let command = text.strip_prefix('+').unwrap_or("");
        let position = command
            .chars()
            .all(|c| c.is_ascii_digit() || c == ',' || c == ':')
            || matches!(command, "F" | "G" | "g" | "Gg")
            || command.starts_with('/') && !command.contains('|');
        if !position {
            walk.no_path(index);
            walk.teeth("runs editor commands given on the command line");
        }
    }
}

/// `pandoc -t writer.lua`.
pub(super) fn check_pandoc(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let format = matches!(
            taken.name,
            "t" | "to" | "w" | "write" | "f" | "from" | "r" | "read"
        );
        let Some(at) = taken.value.filter(|_| format) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        if !all || text.contains(".lua") {
            walk.teeth("the format may be a program");
        }
    }
}
