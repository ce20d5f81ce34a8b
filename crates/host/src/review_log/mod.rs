//! The append-only record of every ask and decision (spec 04 §8).
//!
//! One JSON object a line, written with one `write` on a file opened for
//! appending, so that lines of several processes do not mix. Files and
//! directory are for their owner only. Secrets are masked before a line is
//! cut to length, so a cut never reveals half of one. A log that reaches its
//! size is moved aside and begun anew; [`KEPT`] older files stay.

mod call;
mod chain;
mod mask;
mod rotate;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde_json::{Map, Value};

pub use call::{MEMBER as CALL_MEMBER, PARTIAL as CALL_PARTIAL};
use chain::Chain;
pub use chain::{MEMBER as CHAIN_MEMBER, hash as chain_hash};
pub use mask::{mask, masked};
pub use rotate::{KEPT, older};

use crate::paths::{AgentPaths, EXTENSION};

/// Bytes at which a log is begun anew where no setting says otherwise.
const DEFAULT_FILE_SIZE: u64 = 64 << 20;

/// Which of the two logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Asks and decisions; on by default.
    Review,
    /// For finding faults; off by default.
    Debug,
}

impl Stream {
    fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Debug => "debug",
        }
    }
}

/// Writes both logs of one agent directory.
#[derive(Debug)]
pub struct ReviewLog {
    review: LogFile,
    debug: LogFile,
    field_width: AtomicUsize,
    failed: AtomicBool,
    session_id: String,
}

/// The switches and limits of the logs.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// Whether the review log is written: `permissionReviewLog`.
    pub review: bool,
    /// Whether the debug log is written: `debugLog`.
    pub debug: bool,
    /// Characters kept of each text in the review log:
    /// `reviewLogFieldMaxWidth`.
    pub field_width: usize,
    /// Bytes at which a log is begun anew: `logFileMaxMegabytes`.
    pub file_size: u64,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    enabled: AtomicBool,
    limit: AtomicU64,
    open: Mutex<Option<(File, Chain)>>,
}

impl LogFile {
    fn new(path: PathBuf, enabled: bool) -> Self {
        Self {
            path,
            enabled: AtomicBool::new(enabled),
            limit: AtomicU64::new(DEFAULT_FILE_SIZE),
            open: Mutex::new(None),
        }
    }

    /// Appends an entry, with its place in the chain.
    fn append(&self, mut entry: Map<String, Value>) -> std::io::Result<()> {
        // Held until the line is written: the chain's order is the file's.
        let mut open = self
            .open
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // A log that was moved or removed under us gets a new file rather
        // than losing lines into the old inode.
        let limit = self.limit.load(Ordering::Relaxed);
        let usable = open.as_ref().is_some_and(|(file, _)| {
            same_file(file, &self.path) && !rotate::rotate(file, &self.path, limit)
        });
        if !usable {
            *open = Some((open_owner_only(&self.path)?, Chain::begin(&self.path)));
        }
        let Some((file, chain)) = open.as_mut() else {
            return Ok(());
        };
        chain.mark(&mut entry);
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        file.write_all(&line)?;
        line.pop();
        chain.advance(&line);
        Ok(())
    }
}

impl ReviewLog {
    /// Logs below `paths`, with the default switches: review on, debug off,
    /// 1000 characters a field. Nothing is created before the first line.
    #[must_use]
    pub fn new(paths: &AgentPaths, session_id: impl Into<String>) -> Self {
        Self {
            review: LogFile::new(paths.review_log(), true),
            debug: LogFile::new(paths.debug_log(), false),
            field_width: AtomicUsize::new(1000),
            failed: AtomicBool::new(false),
            session_id: session_id.into(),
        }
    }

    /// Applies the settings.
    pub fn configure(&self, options: LogOptions) {
        self.review.enabled.store(options.review, Ordering::Relaxed);
        self.debug.enabled.store(options.debug, Ordering::Relaxed);
        self.field_width
            .store(options.field_width, Ordering::Relaxed);
        for log in [&self.review, &self.debug] {
            log.limit.store(options.file_size, Ordering::Relaxed);
        }
    }

    /// Appends one entry to the review log. The first failure is returned as
    /// a message for the user; later ones are silent. A failure never changes
    /// a decision.
    pub fn review(&self, event: &str, fields: Value) -> Option<String> {
        self.write(Stream::Review, event, fields)
    }

    /// Appends one entry to the debug log; otherwise like [`Self::review`].
    pub fn debug(&self, event: &str, fields: Value) -> Option<String> {
        self.write(Stream::Debug, event, fields)
    }

    /// Whether the debug log is on, so that nothing is made for it in vain.
    #[must_use]
    pub fn writes_debug(&self) -> bool {
        self.debug.enabled.load(Ordering::Relaxed)
    }

    fn write(&self, stream: Stream, event: &str, fields: Value) -> Option<String> {
        let file = match stream {
            Stream::Review => &self.review,
            Stream::Debug => &self.debug,
        };
        if !file.enabled.load(Ordering::Relaxed) {
            return None;
        }
        let width = match stream {
            Stream::Review => self.field_width.load(Ordering::Relaxed),
            Stream::Debug => usize::MAX,
        };
        let mut line = Map::new();
        line.insert("timestamp".into(), Value::String(now_iso8601()));
        line.insert("extension".into(), EXTENSION.into());
        line.insert("stream".into(), stream.as_str().into());
        line.insert("event".into(), event.into());
        let mut fields = fields;
        if let Value::Object(fields) = &mut fields {
            call::settle(fields, width);
        }
        mask(&mut fields);
        cap(&mut fields, width);
        if let Value::Object(fields) = fields {
            for (key, value) in fields {
                line.insert(key, value);
            }
        }
        line.entry("sessionId")
            .or_insert_with(|| self.session_id.clone().into());
        line.insert("pid".into(), std::process::id().into());
        match file.append(line) {
            Ok(()) => None,
            Err(error) => self.report(stream, &file.path, &error.to_string()),
        }
    }

    fn report(&self, stream: Stream, path: &Path, error: &str) -> Option<String> {
        if self.failed.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(format!(
            "Failed to write {EXTENSION} {} log '{}': {error}",
            stream.as_str(),
            path.display()
        ))
    }
}

/// Cuts every string of `value` to `width` characters, marking the cut.
fn cap(value: &mut Value, width: usize) {
    match value {
        Value::String(text) => {
            if text.len() > width
                && let Some((at, _)) = text.char_indices().nth(width)
            {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cap(item, width)),
        Value::Object(map) => map.values_mut().for_each(|item| cap(item, width)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Opens `path` for appending, readable and writable by its owner only, and
/// tightens a file that was left open to others.
fn open_owner_only(path: &Path) -> std::io::Result<File> {
    if let Some(directory) = path.parent() {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Failing to tighten is no reason to lose the entry.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
        if let Some(directory) = path.parent() {
            let _ = std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700));
        }
    }
    Ok(file)
}

/// The current time as ISO 8601 in UTC with milliseconds.
#[must_use]
pub fn now_iso8601() -> String {
    let since_epoch = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    iso8601(since_epoch.as_millis())
}

fn iso8601(millis: u128) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(0);
    let days = seconds.div_euclid(86_400);
    let second_of_day = seconds.rem_euclid(86_400);
    // Days to a Gregorian date: count from 1 March 0000, so that the leap day
    // is the last of its year (eras of 400 years have 146 097 days).
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second_of_day / 3600,
        second_of_day / 60 % 60,
        second_of_day % 60,
        millis % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const OPTIONS: LogOptions = LogOptions {
        review: true,
        debug: false,
        field_width: 1000,
        file_size: DEFAULT_FILE_SIZE,
    };

    #[test]
    fn timestamps_are_iso8601() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso8601(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(iso8601(1_798_761_599_999), "2026-12-31T23:59:59.999Z");
    }

    #[test]
    fn an_entry_is_one_line_masked_capped_and_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let paths = AgentPaths::new(home.path());
        let log = ReviewLog::new(&paths, "s1");
        log.configure(LogOptions {
            field_width: 10,
            ..OPTIONS
        });
        assert_eq!(log.debug("quiet", json!({})), None);
        let warning = log.review(
            "permission_request.approved",
            json!({"requestId": "perm-1", "command": "a very long command", "token": "t", "nothing": null}),
        );
        assert_eq!(warning, None);
        let text = std::fs::read_to_string(paths.review_log()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["event"], "permission_request.approved");
        assert_eq!(lines[0]["command"], "a very lon…");
        assert_eq!(lines[0]["token"], "[redacted]");
        assert_eq!(lines[0]["sessionId"], "s1");
        assert!(!paths.debug_log().exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&paths.review_log()), 0o600);
            assert_eq!(mode(&paths.logs()), 0o700);
        }
    }

    #[test]
    fn entries_are_chained_by_writer() {
        let home = tempfile::tempdir().unwrap();
        let paths = AgentPaths::new(home.path());
        let (one, two) = (ReviewLog::new(&paths, "s1"), ReviewLog::new(&paths, "s2"));
        one.review("a", json!({"chain": "theirs"}));
        one.review("b", json!({}));
        two.review("c", json!({}));
        one.review("d", json!({}));
        let text = std::fs::read_to_string(paths.review_log()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let places: Vec<Value> = lines
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["chain"].clone())
            .collect();
        let hash = |at: usize| json!(chain_hash(lines[at].as_bytes()));
        assert_eq!(places[0]["n"], 0);
        assert_eq!(places[0]["after"], Value::Null);
        assert_eq!(places[1]["prev"], hash(0));
        assert_eq!(places[2]["after"], hash(1));
        assert_eq!(places[3]["prev"], hash(1));
        assert_eq!(places[3]["n"], 2);
        assert_eq!(places[3]["id"], places[0]["id"]);
        assert_ne!(places[2]["id"], places[0]["id"]);
    }

    #[test]
    fn a_log_that_cannot_be_written_is_reported_once() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("extensions"), "a file in the way").unwrap();
        let log = ReviewLog::new(&AgentPaths::new(home.path()), "s1");
        assert!(log.review("x", json!({})).is_some());
        assert!(log.review("x", json!({})).is_none());
    }

    #[test]
    fn no_entry_is_lost_when_writers_share_a_log_that_is_begun_anew() {
        let home = tempfile::tempdir().unwrap();
        let paths = AgentPaths::new(home.path());
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let log = ReviewLog::new(&paths, format!("s{writer}"));
                log.configure(LogOptions {
                    file_size: 12_000,
                    ..OPTIONS
                });
                scope.spawn(move || {
                    for number in 0..100 {
                        assert_eq!(log.review("a", json!({"number": number})), None);
                    }
                });
            }
        });
        let newest = paths.review_log();
        let files: Vec<PathBuf> = (1..=KEPT)
            .rev()
            .map(|number| older(&newest, number))
            .chain([newest.clone()])
            .filter(|path| path.exists())
            .collect();
        assert!(files.len() > 2, "{files:?}");
        let mut seen = std::collections::BTreeSet::new();
        for (at, file) in files.iter().enumerate() {
            let text = std::fs::read_to_string(file).unwrap();
            let entries: Vec<Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            // A file tells which line it was begun after, except the first.
            assert_eq!(at == 0, entries[0]["chain"]["after"].is_null());
            for entry in &entries {
                let written = (entry["sessionId"].to_string(), entry["number"].to_string());
                assert!(seen.insert(written), "{entry} is there twice");
            }
        }
        assert_eq!(seen.len(), 400);
    }

    #[test]
    fn a_removed_log_is_begun_anew() {
        let home = tempfile::tempdir().unwrap();
        let paths = AgentPaths::new(home.path());
        let log = ReviewLog::new(&paths, "s1");
        log.review("one", json!({}));
        std::fs::remove_file(paths.review_log()).unwrap();
        log.review("two", json!({}));
        let text = std::fs::read_to_string(paths.review_log()).unwrap();
        assert!(text.contains("\"two\"") && !text.contains("\"one\""));
    }
}
