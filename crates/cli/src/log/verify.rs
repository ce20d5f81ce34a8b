//! `countersign log verify`: is the record whole?

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::process::ExitCode;

use countersign_host::review_log::{KEPT, chain_hash, older};
use serde::Deserialize;

use super::one_line;
use super::read::{Place as At, each_line};
use crate::exit::{DENY, Outcome};
use crate::terminal::say;

/// Findings that are told in full; the rest is counted.
const TOLD: usize = 20;

/// A writer notes the file's last line and writes at once; so many lines of
/// others may come between.
const BETWEEN: usize = 65_536;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The last hash of an earlier run, which has to be in the log still
    #[arg(long, value_name = "HASH")]
    expect: Option<String>,
}

#[derive(Deserialize)]
struct Chained {
    chain: Option<Place>,
}

/// An entry's place in its writer's chain.
#[derive(Deserialize)]
struct Place {
    id: String,
    n: u64,
    prev: Option<String>,
    after: Option<String>,
}

/// Where a chain stands.
struct Head {
    number: u64,
    hash: String,
    line: String,
}

#[derive(Default)]
struct Check {
    chains: HashMap<String, Head>,
    /// The lines that a chain that begins here may have begun after.
    recent: HashSet<u64>,
    order: VecDeque<u64>,
    number: u64,
    /// As many older files are there as are kept: what was before them went.
    earlier_files_gone: bool,
    /// The last line before the oldest file, as its first chain has it.
    before_all: Option<String>,
    unchained: u64,
    unreadable: u64,
    findings: Vec<String>,
    more: u64,
    last: Option<String>,
}

/// Reads the whole log; 2 where something is missing or was changed.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let mut check = Check::default();
    let mut expected = args.expect.is_none();
    check.earlier_files_gone = older(path, KEPT).exists();
    each_line(path, |at, line| {
        check.take(at, line);
        if check.last.is_some() && check.last == args.expect {
            expected = true;
        }
        Ok(())
    })?;
    if !expected {
        check.found("the line of the hash given with `--expect` is not in the log".to_owned());
    }
    say(&format!(
        "{} lines, {} writers, {} without a place in a chain",
        check.number,
        check.chains.len(),
        check.unchained
    ))?;
    for finding in &check.findings {
        say(&format!("  {}", one_line(finding)))?;
    }
    if check.more > 0 {
        say(&format!("  and {} more", check.more))?;
    }
    if check.findings.is_empty() {
        say("nothing is missing or changed, as far as the chains reach")?;
        if let Some(last) = &check.last {
            say(&format!("for later: --expect {last}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(DENY.into())
}

impl Check {
    fn take(&mut self, at: &At<'_>, line: &[u8]) {
        self.number += 1;
        let hash = chain_hash(line);
        let number = match at.older.and_then(|path| path.file_name()) {
            Some(name) => format!("{} of {}", at.number, name.to_string_lossy()),
            None => at.number.to_string(),
        };
        match serde_json::from_slice::<Chained>(line) {
            Ok(Chained { chain: Some(place) }) => self.place(&number, &place, &hash),
            Ok(Chained { chain: None }) => self.unchained += 1,
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => {
                self.unreadable += 1;
                self.found(format!("line {number} is not an entry"));
            }
        }
        self.recent.insert(short(&hash));
        self.order.push_back(short(&hash));
        if self.order.len() > BETWEEN
            && let Some(old) = self.order.pop_front()
        {
            self.recent.remove(&old);
        }
        self.last = Some(hash);
    }

    fn place(&mut self, number: &str, place: &Place, hash: &str) {
        if self.earlier_files_gone && self.order.is_empty() && place.n == 0 {
            self.before_all.clone_from(&place.after);
        }
        let before = self.chains.get(&place.id);
        let finding = match (before, place.n) {
            (None, 0) => {
                let known = place.after.as_deref().is_none_or(|after| {
                    self.recent.contains(&short(after)) || self.before_all.as_deref() == Some(after)
                });
                (!known).then(|| format!("before line {number}: the line it was written after is missing or was changed"))
            }
            (None, n) => Some(format!(
                "before line {number}: {n} entries of its writer are missing"
            )),
            (Some(head), n) if n <= head.number => {
                Some(format!("line {number} is out of order or was copied"))
            }
            (Some(head), n) if n > head.number + 1 => Some(format!(
                "between lines {} and {number}: {} entries are missing",
                head.line,
                n - head.number - 1
            )),
            (Some(head), _) if place.prev.as_deref() != Some(head.hash.as_str()) => {
                Some(format!("line {} was changed", head.line))
            }
            (Some(_), _) => None,
        };
        if let Some(finding) = finding {
            self.found(finding);
        }
        let head = Head {
            number: place.n,
            hash: hash.to_owned(),
            line: number.to_owned(),
        };
        self.chains.insert(place.id.clone(), head);
    }

    fn found(&mut self, finding: String) {
        if self.findings.len() < TOLD {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }
}

/// Enough of a hash to find a line by.
fn short(hash: &str) -> u64 {
    hash.get(..16)
        .and_then(|part| u64::from_str_radix(part, 16).ok())
        .unwrap_or(0)
}
