//! `countersign log tail`: the last entries, and new ones as they come.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::entry::Entry;
use super::{colour, line_for_people, open};
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
    let mut position = match last_lines(path, args.lines) {
        Ok((lines, end)) => {
            for line in &lines {
                print(line)?;
            }
            end
        }
        // Following a log that has not begun is fine.
        Err(_) if args.follow && !path.exists() => 0,
        Err(error) => return Err(error),
    };
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        std::thread::sleep(LOOK_EVERY);
        position = follow(path, position, &mut print)?;
    }
}

/// The last `count` whole lines and where they end.
fn last_lines(path: &Path, count: usize) -> anyhow::Result<(VecDeque<Vec<u8>>, u64)> {
    let mut file = open(path)?;
    let size = file.metadata()?.len();
    let wanted = u64::try_from(count).unwrap_or(u64::MAX);
    let mut window = wanted.saturating_mul(GENEROUS_ENTRY).max(GENEROUS_ENTRY);
    loop {
        let start = size.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(&mut file);
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

/// Prints the whole lines after `position`; a file that became shorter is
/// another file.
fn follow(
    path: &Path,
    position: u64,
    print: &mut impl FnMut(&[u8]) -> std::io::Result<()>,
) -> anyhow::Result<u64> {
    let Ok(mut file) = open(path) else {
        return Ok(0);
    };
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
