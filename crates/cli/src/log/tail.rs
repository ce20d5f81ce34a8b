//! `countersign log tail`: the last entries, and new ones as they come.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::entry::Entry;
use super::read::{is_same, open, parts};
use super::{colour, line_for_people};
use crate::exit::Outcome;

/// How often the file is looked at. A person does not notice less.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// An entry takes less than this on average; enough of the file's end is read
/// for the number of entries asked for, doubling where it was not enough.
const GENEROUS_ENTRY: u64 = 4096;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many of the last entries to begin with
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    lines: usize,
    /// Go on with new entries until interrupted
    #[arg(short, long)]
    follow: bool,
    /// Print the entries as they are in the file, one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Prints the end of the log and, where asked, what is added.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let colour = colour();
    let mut out = std::io::stdout().lock();
    let mut print = |line: &[u8]| -> std::io::Result<()> {
        if args.json {
            out.write_all(line)?;
            out.write_all(b"\n")?;
        } else {
            match Entry::parse(line) {
                Some(entry) => writeln!(out, "{}", line_for_people(&entry, colour))?,
                None => writeln!(out, "(not readable as an entry)")?,
            }
        }
        out.flush()
    };
    let mut follower = match last_of_parts(path, args.lines) {
        Ok((lines, follower)) => {
            for line in &lines {
                print(line)?;
            }
            follower
        }
        // Following a log that has not begun is fine.
        Err(_) if args.follow && !path.exists() => Follower::default(),
        Err(error) => return Err(error),
    };
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        std::thread::sleep(LOOK_EVERY);
        follower.look(path, &mut print)?;
    }
}

/// The last `count` whole lines of all files, and where to go on.
fn last_of_parts(path: &Path, count: usize) -> anyhow::Result<(VecDeque<Vec<u8>>, Follower)> {
    let mut parts = parts(path)?;
    let mut follower = Follower::default();
    let mut lines = VecDeque::new();
    while let Some(part) = parts.pop() {
        let wanted = count - lines.len();
        let (found, end) = last_lines(&part.file, wanted)?;
        if part.path == path {
            follower = Follower {
                file: Some(part.file),
                position: end,
            };
        }
        for line in found.into_iter().rev() {
            lines.push_front(line);
        }
        if lines.len() >= count {
            break;
        }
    }
    Ok((lines, follower))
}

/// The last `count` whole lines of a file and where they end.
fn last_lines(mut file: &File, count: usize) -> anyhow::Result<(VecDeque<Vec<u8>>, u64)> {
    let size = file.metadata()?.len();
    let wanted = u64::try_from(count).unwrap_or(u64::MAX);
    let mut window = wanted.saturating_mul(GENEROUS_ENTRY).max(GENEROUS_ENTRY);
    loop {
        let start = size.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(file);
        let mut at = start;
        let mut lines: VecDeque<Vec<u8>> = VecDeque::new();
        let mut first = start > 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            if line.pop() != Some(b'\n') {
                break;
            }
            at += u64::try_from(read).unwrap_or(0);
            // The window begins somewhere inside its first line.
            if !std::mem::take(&mut first) {
                lines.push_back(line.clone());
                if lines.len() > count {
                    lines.pop_front();
                }
            }
        }
        if lines.len() >= count || start == 0 {
            return Ok((lines, at));
        }
        window = window.saturating_mul(2);
    }
}

/// The file that is followed, and how much of it was printed.
#[derive(Default)]
struct Follower {
    file: Option<File>,
    position: u64,
}

impl Follower {
    /// Prints what is new. A file that was moved aside is read to its end
    /// before the one that took its place.
    fn look(
        &mut self,
        path: &Path,
        print: &mut impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> anyhow::Result<()> {
        let now = open(path).ok();
        if let Some(file) = &self.file {
            self.position = follow(file, self.position, print)?;
        }
        let same = match (&self.file, &now) {
            (Some(file), Some(now)) => is_same(file, now),
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if !same && let Some(file) = now {
            self.position = follow(&file, 0, print)?;
            self.file = Some(file);
        }
        Ok(())
    }
}

/// Prints the whole lines after `position`, and tells where they end; a file
/// that became shorter was emptied.
fn follow(
    mut file: &File,
    position: u64,
    print: &mut impl FnMut(&[u8]) -> std::io::Result<()>,
) -> anyhow::Result<u64> {
    let size = file.metadata()?.len();
    let mut position = if size < position { 0 } else { position };
    if size == position {
        return Ok(position);
    }
    file.seek(SeekFrom::Start(position))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Ok(position);
        }
        position += u64::try_from(read).unwrap_or(0);
        print(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_host::review_log::older;

    #[test]
    fn the_last_lines_reach_into_older_files_and_following_over_to_newer_ones() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log.jsonl");
        std::fs::write(older(&path, 1), "a\nb\n").unwrap();
        std::fs::write(&path, "c\nhalf").unwrap();
        for (count, expected) in [(0, ""), (1, "c"), (2, "bc"), (3, "abc"), (9, "abc")] {
            let (lines, _) = last_of_parts(&path, count).unwrap();
            let lines: Vec<Vec<u8>> = lines.into();
            assert_eq!(String::from_utf8(lines.concat()).unwrap(), expected);
        }
        let (_, mut follower) = last_of_parts(&path, 0).unwrap();
        let mut seen = Vec::new();
        let mut look = |seen: &mut Vec<String>| {
            let mut print = |line: &[u8]| {
                seen.push(String::from_utf8(line.to_vec()).unwrap());
                Ok(())
            };
            follower.look(&path, &mut print).unwrap();
        };
        look(&mut seen);
        assert!(seen.is_empty());
        // Begun anew between two looks.
        std::fs::write(&path, "c\nhalf a line\n").unwrap();
        std::fs::rename(&path, older(&path, 1)).unwrap();
        look(&mut seen);
        std::fs::write(&path, "next\n").unwrap();
        look(&mut seen);
        look(&mut seen);
        assert_eq!(seen, ["half a line", "next"]);
    }
}
