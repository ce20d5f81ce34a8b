//! From a command word to its row.

use super::row::Row;
use super::tables;
use std::collections::HashMap;
use std::sync::OnceLock;

/// GNU tools that carry a `g` before their name where the system has tools
/// of its own.
const GNU: &str = "awk base64 cat chmod chown cp csplit cut date dd df du echo env expr find \
    grep head install join ln ls make mkdir mktemp mv nice nl nohup od paste patch printf \
    readlink realpath rm rmdir sed seq shuf shred sleep sort split stat stdbuf tac tail tar tee \
    test time timeout touch tr truncate uniq wc which xargs";

/// The base name of a command word.
pub(super) fn base(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The row for a command word.
pub(super) fn row(word: &str) -> Option<&'static Row> {
    let name = base(word);
    if let Some(row) = find(name) {
        return Some(row);
    }
    // `python3.12`, `clang-17`, `lua5.4`.
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if unversioned.len() < name.len()
        && !unversioned.is_empty()
        && let Some(row) = find(unversioned)
    {
        return Some(row);
    }
    let plain = name.strip_prefix('g')?;
    if GNU.split_ascii_whitespace().any(|gnu| gnu == plain) {
        return find(plain);
    }
    None
}

/// The row of a subcommand, such as `git log`.
pub(super) fn subcommand(program: &str, name: &str) -> Option<&'static Row> {
    find(&format!("{program}/{name}"))
}

fn find(name: &str) -> Option<&'static Row> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = HashMap::new();
        for table in tables::ALL {
            for row in *table {
                for name in row.names.split(' ') {
                    index.insert(name, row);
                }
            }
        }
        index
    });
    index.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::super::tables;
    use std::collections::BTreeMap;

    #[test]
    fn every_name_has_one_row_and_every_row_says_something() {
        let mut rows = BTreeMap::new();
        for row in tables::ALL.iter().copied().flatten() {
            for name in row.names.split(' ') {
                assert!(!name.is_empty(), "an empty name in `{}`", row.names);
                *rows.entry(name).or_insert(0) += 1;
            }
            for opt in row.options {
                assert!(
                    opt.names.split(' ').all(|name| !name.is_empty()),
                    "{}: `{}`",
                    row.names,
                    opt.names
                );
            }
        }
        let twice: Vec<_> = rows.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(rows.len() > 600, "{}", rows.len());
    }
}
