//! Reading a log from its oldest file to its newest, a line at a time.

use std::fs::{File, Metadata};
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use countersign_host::review_log::{KEPT, older};

use super::entry::Entry;
use crate::exit::Failure;

/// A line longer than this is not ours; it is skipped without being held.
const LONGEST_LINE: usize = 4 << 20;

/// Opens one file of a log.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    if path.is_dir() {
        return Err(Failure::new(format!("`{}` is a directory", path.display())));
    }
    File::open(path).map_err(|error| {
        let failure = Failure::new(format!("cannot read `{}`: {error}", path.display()));
        if error.kind() == std::io::ErrorKind::NotFound {
            failure.help("the log begins with the first question; name another with `--file`")
        } else {
            failure
        }
    })
}

/// A file of a log, open.
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) file: File,
}

/// The files of the log at `path`, the oldest first.
///
/// The newest is opened first: where the log is begun anew meanwhile, a file
/// is seen twice, which shows, rather than never.
pub(super) fn parts(path: &Path) -> Result<Vec<Part>, Failure> {
    let newest = open(path);
    let mut parts: Vec<Part> = Vec::new();
    let add = |parts: &mut Vec<Part>, path: &Path, file: File| {
        let seen = parts.iter().any(|part| is_same(&part.file, &file));
        if !seen {
            let path = path.to_owned();
            parts.push(Part { path, file });
        }
    };
    let missing = match newest {
        Ok(file) => {
            add(&mut parts, path, file);
            None
        }
        Err(failure) => Some(failure),
    };
    for number in 1..=KEPT {
        let path = older(path, number);
        if let Ok(file) = File::open(&path) {
            add(&mut parts, &path, file);
        }
    }
    match missing {
        Some(failure) if parts.is_empty() || path.exists() => return Err(failure),
        _ => {}
    }
    parts.reverse();
    Ok(parts)
}

/// Whether two handles are of one file.
pub(super) fn is_same(one: &File, other: &File) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => is_same_file(&one, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.ino() == other.ino() && one.dev() == other.dev()
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

/// Where a line stands.
pub(super) struct Place<'a> {
    /// The older file it is in; nothing for the newest.
    pub(super) older: Option<&'a Path>,
    /// Its number in the file, from one.
    pub(super) number: u64,
}

/// Calls `each` with every line (without its end), showing how far it is
/// where a person waits for a big log.
pub(super) fn each_line(
    path: &Path,
    mut each: impl FnMut(&Place<'_>, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let parts = parts(path)?;
    let size = parts
        .iter()
        .filter_map(|part| Some(part.file.metadata().ok()?.len()))
        .sum();
    let mut progress = Progress::new(size);
    for part in parts {
        let mut place = Place {
            older: (part.path != path).then_some(&part.path),
            number: 0,
        };
        each_line_of(part.file, &mut progress, |line| {
            place.number += 1;
            each(&place, line)
        })?;
    }
    Ok(())
}

fn each_line_of(
    file: File,
    progress: &mut Progress,
    mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    let mut skipping = false;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let (part, used, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(at) => (chunk.get(..at).unwrap_or_default(), at + 1, true),
            None => (chunk, chunk.len(), false),
        };
        if line.len() + part.len() > LONGEST_LINE {
            skipping = true;
            line.clear();
        }
        if line.is_empty() && ended && !skipping {
            each(part)?;
        } else if !skipping {
            line.extend_from_slice(part);
            if ended {
                each(&line)?;
                line.clear();
            }
        }
        if ended && std::mem::take(&mut skipping) {
            // Told as a line that is no entry.
            each(b"\0")?;
        }
        reader.consume(used);
        progress.add(used);
    }
    if !line.is_empty() {
        each(&line)?;
    }
    Ok(())
}

/// Calls `each` with every entry and its line; returns how many lines were no
/// entries.
pub fn each_entry(
    path: &Path,
    mut each: impl FnMut(&Entry<'_>, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut unreadable = 0;
    each_line(path, |_, line| {
        match Entry::parse(line) {
            Some(entry) => each(&entry, line)?,
            None if line.iter().all(u8::is_ascii_whitespace) => {}
            None => unreadable += 1,
        }
        Ok(())
    })?;
    Ok(unreadable)
}

/// Says on standard error that lines were left out.
pub fn mention_unreadable(count: u64) {
    if count > 0 {
        let noun = if count == 1 { "line is" } else { "lines are" };
        crate::terminal::complain(&format!("warning: {count} {noun} not readable as an entry"));
    }
}

/// How far a big log is read, on standard error of a terminal.
struct Progress {
    size: u64,
    done: u64,
    shown: u64,
    enabled: bool,
}

impl Progress {
    /// Below this, reading takes no noticeable time.
    const WORTH_SHOWING: u64 = 32 << 20;

    fn new(size: u64) -> Self {
        let enabled = size >= Self::WORTH_SHOWING && std::io::stderr().is_terminal();
        Self {
            size,
            done: 0,
            shown: 0,
            enabled,
        }
    }

    fn add(&mut self, bytes: usize) {
        if !self.enabled {
            return;
        }
        self.done += u64::try_from(bytes).unwrap_or(0);
        let percent = (self.done * 100 / self.size.max(1)).min(100);
        if percent > self.shown {
            self.shown = percent;
            let filled = usize::try_from(percent / 4).unwrap_or(0);
            let bar = "█".repeat(filled);
            let _ = write!(std::io::stderr().lock(), "\r{bar:<25} {percent:3} %");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.enabled {
            let _ = write!(std::io::stderr().lock(), "\r{:32}\r", "");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_log_are_read_oldest_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.jsonl");
        for (file, text) in [
            (path.clone(), "six\nseven"),
            (older(&path, 1), "four\nfive\n"),
            (older(&path, 2), "two\n\nthree\n"),
            (older(&path, 4), "one\n"),
        ] {
            std::fs::write(file, text).unwrap();
        }
        let read = || {
            let mut lines = Vec::new();
            each_line(&path, |place, line| {
                let older = place.older.and_then(|it| it.extension());
                lines.push(format!(
                    "{}:{} {}",
                    older.map_or("-", |it| it.to_str().unwrap()),
                    place.number,
                    String::from_utf8_lossy(line)
                ));
                Ok(())
            })
            .map(|()| lines)
        };
        assert_eq!(
            read().unwrap(),
            [
                "4:1 one",
                "2:1 two",
                "2:2 ",
                "2:3 three",
                "1:1 four",
                "1:2 five",
                "-:1 six",
                "-:2 seven"
            ]
        );
        // Begun anew this moment: the newest is not there yet.
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read().unwrap().len(), 6);
        for number in [1, 2, 4] {
            std::fs::remove_file(older(&path, number)).unwrap();
        }
        assert!(read().is_err());
    }

    #[test]
    fn a_line_without_end_is_one_that_is_no_entry() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.jsonl");
        let mut text = vec![b'x'; LONGEST_LINE + 10];
        text.extend(b"\n{\"event\":\"a\"}\n");
        std::fs::write(&path, text).unwrap();
        let mut entries = 0;
        let unreadable = each_entry(&path, |_, _| {
            entries += 1;
            Ok(())
        });
        assert_eq!((unreadable.unwrap(), entries), (1, 1));
    }
}
