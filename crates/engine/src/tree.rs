//! What lies below a directory.

use countersign_intent::glob::{Options, Pattern};
use countersign_shell::Below;

use crate::facts::{Entry, Facts};

/// More names than this are not looked through.
const MAX_NAMES: usize = 8192;
/// More directories than this are not opened.
const MAX_DIRECTORIES: usize = 512;

/// Directories that every ignore file lists, and that are too large to look
/// through for nothing.
const IGNORED: [&str; 2] = ["node_modules", "target"];

/// The files below an absolute directory that a program reads. `None` when
/// there are too many to tell.
pub(crate) fn files(facts: &dyn Facts, directory: &str, below: &Below) -> Option<Vec<String>> {
    let options = Options {
        dots: true,
        fold_case: false,
    };
    let patterns = |globs: &[String]| -> Vec<Pattern> {
        globs
            .iter()
            .map(|glob| Pattern::new(glob, options))
            .collect()
    };
    let (include, exclude) = (patterns(&below.include), patterns(&below.exclude));
    let matches = |list: &[Pattern], name: &str| list.iter().any(|pattern| pattern.matches(name));
    let root = directory.trim_end_matches('/');
    let ignores = below.ignores && facts.entry(&format!("{root}/.gitignore")) != Entry::Missing;
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    let (mut names, mut directories) = (0, 0);
    while let Some(directory) = todo.pop() {
        directories += 1;
        let listed = facts.list(
            if directory.is_empty() {
                "/"
            } else {
                &directory
            },
            MAX_NAMES,
        );
        let Some(listed) = listed else {
            // What cannot be listed cannot be read either, unless it is large.
            if facts.entry(&directory) == Entry::Directory {
                return None;
            }
            continue;
        };
        names += listed.len();
        if names > MAX_NAMES || directories > MAX_DIRECTORIES {
            return None;
        }
        for name in listed {
            let hidden = name.starts_with('.') && !below.hidden;
            if hidden || matches(&exclude, &name) {
                continue;
            }
            let path = format!("{directory}/{name}");
            match facts.entry(&path) {
                Entry::Directory if ignores && IGNORED.contains(&name.as_str()) => {}
                Entry::Directory => todo.push(path),
                Entry::File | Entry::Link if include.is_empty() || matches(&include, &name) => {
                    found.push(path);
                }
                Entry::File | Entry::Link | Entry::Missing => {}
            }
        }
    }
    Some(found)
}
