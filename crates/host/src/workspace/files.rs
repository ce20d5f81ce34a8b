//! Reading files that a stranger may have put there.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use countersign_config::MAX_BYTES;

/// What a path holds.
#[derive(Debug)]
pub(super) enum Loaded {
    /// Nothing is there.
    Absent,
    /// A text.
    Text(String),
    /// Something is there that cannot be read as one, and why.
    Bad(String),
}

/// The identity of what a path holds, to notice changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Missing,
    Unreadable(ErrorKind),
    File {
        modified: Option<SystemTime>,
        changed: i64,
        length: u64,
        device: u64,
        inode: u64,
    },
}

/// File systems keep time in ticks of a few milliseconds: two changes within
/// one leave the same stamp.
const TICK: Duration = Duration::from_millis(50);

impl Stamp {
    /// Whether the file changed so recently that another change may be to
    /// come under the same stamp.
    pub(super) fn may_hide_a_change(&self) -> bool {
        let Self::File {
            modified: Some(modified),
            ..
        } = self
        else {
            return false;
        };
        // A time in the future proves nothing, but would make every call read.
        modified.elapsed().is_ok_and(|age| age < TICK)
    }
}

/// One look at what a path holds; a second one only where it is a link.
pub(super) fn stamp(path: &Path) -> Stamp {
    let data = match fs::symlink_metadata(path) {
        Ok(data) => data,
        Err(error) if is_absent(error.kind()) => return Stamp::Missing,
        Err(error) => return Stamp::Unreadable(error.kind()),
    };
    if !data.is_symlink() {
        return of(&data);
    }
    match fs::metadata(path) {
        Ok(data) => of(&data),
        Err(error) => Stamp::Unreadable(error.kind()),
    }
}

#[cfg(unix)]
fn of(data: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    Stamp::File {
        modified: data.modified().ok(),
        changed: data
            .ctime()
            .wrapping_mul(1_000_000_000)
            .wrapping_add(data.ctime_nsec()),
        length: data.len(),
        device: data.dev(),
        inode: data.ino(),
    }
}

#[cfg(not(unix))]
fn of(data: &Metadata) -> Stamp {
    Stamp::File {
        modified: data.modified().ok(),
        changed: 0,
        length: data.len(),
        device: 0,
        inode: 0,
    }
}

fn is_absent(kind: ErrorKind) -> bool {
    // A file where a directory should be on the way: nothing is there either.
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Reads a text of limited size. A link is followed; one that leads nowhere is
/// bad, not absent: somebody meant something to be there.
pub(super) fn load(path: &Path) -> Loaded {
    match bytes(path) {
        Ok(Some(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => Loaded::Text(text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Loaded::Bad(format!("not UTF-8 text (byte {at})"))
            }
        },
        Ok(None) => Loaded::Absent,
        Err(why) => Loaded::Bad(why),
    }
}

/// [`load`] for an agent's file, of which only the frontmatter matters: what
/// follows it may be in any encoding.
pub(super) fn load_agent(path: &Path) -> Loaded {
    let bytes = match bytes(path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Loaded::Absent,
        Err(why) => return Loaded::Bad(why),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Loaded::Text(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let valid = bytes
                .get(..at)
                .and_then(|b| std::str::from_utf8(b).ok())
                .unwrap_or("");
            let has_frontmatter = bytes.starts_with(b"---\n") || bytes.starts_with(b"---\r\n");
            if !has_frontmatter || valid.get(4..).is_some_and(|rest| rest.contains("\n---")) {
                Loaded::Text(valid.to_owned())
            } else {
                Loaded::Bad(format!("not UTF-8 text (byte {at})"))
            }
        }
    }
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    // Looked at before it is opened: opening a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => return Err("not a regular file".to_owned()),
        Ok(_) => {}
        Err(error) if is_absent(error.kind()) => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err("a link that leads nowhere".to_owned()),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(error.to_string()),
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("larger than {MAX_BYTES} bytes"));
    }
    Ok(Some(bytes))
}
