//! Beginning a new file before a log grows past its size.
//!
//! The file is renamed, so a process that still holds it loses nothing: its
//! entry goes to the older file, and its next one to the new.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::same_file;

/// How many older files of a log are kept, beside the one that is written.
pub const KEPT: u32 = 9;

/// Where the older file number `number` of the log at `path` is; 1 is the
/// newest of them.
#[must_use]
pub fn older(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Moves the log at `path`, open as `file`, aside where it has reached `limit`
/// bytes; the oldest file kept goes. True where the log has to be opened anew.
///
/// A failure only means that the log grows on, so it is not reported. Of
/// several processes one does the work: the file itself is the lock.
pub(super) fn rotate(file: &File, path: &Path, limit: u64) -> bool {
    let full = |file: &File| file.metadata().is_ok_and(|data| data.len() >= limit);
    if !full(file) || file.try_lock().is_err() {
        return false;
    }
    // Another process may have been first, between the open and the lock.
    let done = same_file(file, path) && shift(path).is_ok();
    let _ = file.unlock();
    done
}

fn shift(path: &Path) -> std::io::Result<()> {
    for number in (1..KEPT).rev() {
        match std::fs::rename(older(path, number), older(path, number + 1)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::rename(path, older(path, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_file_goes_and_gaps_stay_gaps() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.jsonl");
        for number in [1, 2, 5, KEPT - 1, KEPT] {
            std::fs::write(older(&path, number), number.to_string()).unwrap();
        }
        std::fs::write(&path, "now").unwrap();
        let file = File::open(&path).unwrap();
        assert!(!rotate(&file, &path, 4));
        assert!(rotate(&file, &path, 3));
        let read = |number| std::fs::read_to_string(older(&path, number)).ok();
        assert_eq!(read(1).as_deref(), Some("now"));
        assert_eq!(read(2).as_deref(), Some("1"));
        assert_eq!(read(3).as_deref(), Some("2"));
        assert_eq!(read(6).as_deref(), Some("5"));
        assert_eq!(read(KEPT), Some((KEPT - 1).to_string()));
        assert!(!path.exists());
        assert!(!rotate(&file, &path, 3), "it was moved already");
    }
}
