//! Chaining entries by hash, so that removing or changing one shows.
//!
//! Several processes append to one file, so there is a chain for each writer:
//! an entry carries the chain's id, its number in it, and the hash of the
//! entry before. The first entry of a chain carries the hash of the log's
//! last line at that time, which ties the chains to each other, and a file
//! that was begun anew to the one before it.
//!
//! Nothing here is secret: whoever may write the file can write a new history.
//! What shows is a history that was changed without care, and lines that were
//! lost.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// The member of an entry that holds its place in the chain.
pub const MEMBER: &str = "chain";

/// The end of a file that is searched for its last line. An entry is shorter.
const TAIL: u64 = 1 << 20;

/// The place of a writer in its chain.
#[derive(Debug, Default)]
pub(super) struct Chain {
    id: Option<String>,
    number: u64,
    before: Option<String>,
    /// The last line others had written when the chain began.
    after: Option<String>,
}

impl Chain {
    /// Begins anew at the end of the file at `path`.
    pub(super) fn begin(path: &Path) -> Self {
        let mut random = [0_u8; 8];
        Self {
            // Without randomness there is no chain, but there is a log.
            id: getrandom::fill(&mut random).ok().map(|()| hex(&random)),
            number: 0,
            before: None,
            after: last_line(path)
                .or_else(|| last_line(&super::older(path, 1)))
                .map(|line| hash(&line)),
        }
    }

    /// Adds the place of the next entry.
    pub(super) fn mark(&self, entry: &mut Map<String, Value>) {
        let Some(id) = &self.id else {
            return;
        };
        let place = match self.number {
            0 => json!({"id": id, "n": 0, "after": self.after}),
            number => json!({"id": id, "n": number, "prev": self.before}),
        };
        entry.insert(MEMBER.to_owned(), place);
    }

    /// The entry was written; `line` is without its line end.
    pub(super) fn advance(&mut self, line: &[u8]) {
        self.before = Some(hash(line));
        self.number += 1;
    }
}

/// The hash of a line (without its end), as the chain has it: the first 128
/// bits of its SHA-256, in hexadecimal.
#[must_use]
pub fn hash(line: &[u8]) -> String {
    let digest = Sha256::digest(line);
    hex(digest.get(..16).unwrap_or_default())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The last whole line of a file.
fn last_line(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n')?;
    bytes.truncate(end);
    let start = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    Some(bytes.split_off(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_line_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        for (text, last) in [
            ("", None),
            ("half", None),
            ("one\n", Some("one")),
            ("one\ntwo\n", Some("two")),
            ("one\ntwo\nhalf", Some("two")),
            ("\n", Some("")),
        ] {
            std::fs::write(&path, text).unwrap();
            let found = last_line(&path).map(|line| String::from_utf8(line).unwrap());
            assert_eq!(found.as_deref(), last, "{text:?}");
        }
        assert_eq!(last_line(&dir.path().join("none")), None);
    }
}
