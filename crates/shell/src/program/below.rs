//! Programs that read everything below the directories they are given.

use super::name;
use super::row::Does;
use super::walk::Walk;
use super::{PathText, known};
use crate::{Below, Direction};

/// What is read below which words.
struct Found {
    below: Below,
    /// The words that may be directories.
    words: Vec<usize>,
    /// Without such a word it reads the directory it starts in.
    here: bool,
}

/// Notes whether the command reads below its operands.
pub(super) fn note(walk: &mut Walk<'_, '_>) {
    let Some(mut found) = find(walk) else { return };
    if found.words.is_empty() && found.here {
        walk.facts.texts.push(PathText {
            arg: 0,
            text: ".".to_owned(),
            direction: Direction::Read,
        });
        found.words.push(0);
    }
    walk.facts.below = Some((found.below, found.words));
}

fn find(walk: &Walk<'_, '_>) -> Option<Found> {
    let row = walk.row.names.split(' ').next().unwrap_or("");
    let own = name::base(walk.text(0));
    let any = |names: &[&str]| names.iter().any(|name| walk.named(name));
    let times = |name: &str| walk.options.iter().filter(|t| t.name == name).count();
    let mut below = Below {
        hidden: true,
        ignores: false,
        include: Vec::new(),
        exclude: Vec::new(),
    };
    let patterns = usize::from(
        !walk.has(|does| matches!(does, Does::Pattern | Does::PatternFile | Does::NoPattern)),
    );
    let after = |skip: usize| walk.operands.iter().skip(skip).copied().collect::<Vec<_>>();
    let (words, here) = match row {
        "grep" => {
            let recurses = any(&["r", "R", "recursive", "dereference-recursive"])
                || values(walk, &["d", "directories"])
                    .iter()
                    // Shortened as far as it stays clear.
                    .any(|how| how.len() > 1 && "recurse".starts_with(how.as_str()))
                || own == "rgrep";
            if !recurses {
                return None;
            }
            below.include = values(walk, &["include"]);
            below.exclude = values(walk, &["exclude", "exclude-dir"]);
            (after(patterns), true)
        }
        "rg" => {
            if any(&["files", "type-list"]) {
                return None;
            }
            let unlimited = times("u") + times("unrestricted");
            below.hidden = any(&["hidden", "."]) || unlimited > 1;
            below.ignores = unlimited == 0 && !any(&["no-ignore", "no-ignore-vcs"]);
            let globs = values(walk, &["g", "glob", "iglob"]);
            for glob in globs {
                match glob.strip_prefix('!') {
                    Some(not) => below.exclude.push(not.to_owned()),
                    None => below.include.push(glob),
                }
            }
            (after(patterns), true)
        }
        "ag" => {
            below.hidden = any(&["hidden", "u", "a", "unrestricted", "all-types"]);
            below.ignores = !any(&["u", "unrestricted", "skip-vcs-ignores", "U"]);
            (after(patterns), true)
        }
        "ugrep" if own == "ug" || any(&["r", "R", "recursive"]) => (after(patterns), true),
        "git/grep" if any(&["no-index", "untracked"]) => (after(patterns), true),
        "git/log" if own == "diff" && any(&["no-index"]) => (after(0), false),
        "diff" if any(&["r", "recursive"]) => (after(0), false),
        "tar" => {
            let first = walk.text(1);
            let cluster = if first.starts_with("--") { "" } else { first };
            let makes = cluster.contains(['c', 'r', 'u']) && !cluster.contains(['x', 't']);
            if !makes && !any(&["c", "create", "r", "append", "u", "update"]) {
                return None;
            }
            below.exclude = values(walk, &["exclude"]);
            (after(0), false)
        }
        "zip" => {
            let joined = walk.args.iter().skip(1).map(known).any(|text| {
                text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R'])
            });
            if !joined && !any(&["recurse-paths", "recurse-patterns"]) {
                return None;
            }
            (after(1), false)
        }
        "7z" if walk
            .operands
            .first()
            .is_some_and(|index| matches!(walk.value(*index), Some("a" | "u"))) =>
        {
            (after(2), true)
        }
        "gzip" if any(&["r", "recursive"]) => (after(0), false),
        "cp" if own != "mv" && any(&["r", "R", "a", "recursive", "archive"]) => {
            let mut words = after(0);
            if !any(&["t", "target-directory"]) {
                words.pop();
            }
            (words, false)
        }
        "rsync" | "scp" if any(&["r", "a", "recursive", "archive"]) => {
            let mut words = after(0);
            if words.len() > 1 {
                words.pop();
            }
            below.exclude = values(walk, &["exclude"]);
            (words, false)
        }
        _ => return None,
    };
    // A name that is known only in part leaves nothing out.
    let partial = |list: &[String]| list.iter().any(|text| text.contains('/'));
    if partial(&below.include) {
        below.include.clear();
    }
    below
        .exclude
        .retain(|text| !text.trim_end_matches('/').contains('/'));
    for text in &mut below.exclude {
        text.truncate(text.trim_end_matches('/').len());
    }
    Some(Found { below, words, here })
}

/// The values of options, as far as they are known.
fn values(walk: &Walk<'_, '_>, names: &[&str]) -> Vec<String> {
    walk.options
        .iter()
        .filter(|taken| names.contains(&taken.name))
        .filter_map(|taken| {
            let (text, all) = walk.value_text(taken.value?);
            // What is not known includes everything and excludes nothing.
            let include = taken.name.starts_with("include") || taken.name == "g";
            match (all, include) {
                (true, _) => Some(text.to_owned()),
                (false, true) => Some("*".to_owned()),
                (false, false) => None,
            }
        })
        .collect()
}
