//! Removing what killed processes left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_forward::limits::{
    HEARTBEAT_BYTES, REQUEST_BYTES, RESPONSE_BYTES, UNCLAIMED_MS, UNCOLLECTED_MS,
};
use countersign_forward::liveness::ProcessState;
use countersign_forward::wire::{Heartbeat, Process, Request, ResponseFile};

use super::files;
use crate::forwarding::system_time;
use crate::process;

/// How many entries one sweep looks at, over all inboxes.
const ENTRIES: usize = 100_000;

/// How old, in milliseconds, a partial file without a usable name has to be.
const PARTIAL_MS: u64 = 60_000;

/// How old, in milliseconds, a heartbeat has to be before it is removed: the
/// children of a session that was killed are told so only while it is there.
const DEAD_HEARTBEAT_MS: u64 = 60_000;

/// What a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Heartbeats of processes that are gone.
    pub heartbeats: usize,
    /// Requests nobody waits for.
    pub requests: usize,
    /// Answers nobody collects.
    pub responses: usize,
    /// Files that were never finished.
    pub partial: usize,
}

/// Removes what killed processes left below a mailbox root, in every inbox.
/// Whatever might still be of use to a process that runs stays.
pub fn sweep(root: &Path) -> Swept {
    sweep_with(root, Duration::from_millis(DEAD_HEARTBEAT_MS))
}

/// The same, with the age a heartbeat of a killed process has to have.
pub fn sweep_with(root: &Path, heartbeat_age: Duration) -> Swept {
    let mut swept = Swept::default();
    let mut left = ENTRIES;
    let serving = root.join("serving");
    let mut alive = BTreeSet::new();
    for path in entries(&serving, &mut left) {
        if partial(&path, &mut swept) {
            continue;
        }
        if heartbeat_is_dead(&path, heartbeat_age) && files::remove(&path).unwrap_or(false) {
            swept.heartbeats += 1;
        } else if let Some(stem) = path.file_stem() {
            alive.insert(stem.to_owned());
        }
    }
    for session in entries(&root.join("sessions"), &mut left) {
        // Only real directories: a link leads somewhere that is not ours.
        if !std::fs::symlink_metadata(&session).is_ok_and(|found| found.is_dir()) {
            continue;
        }
        sweep_inbox(&session, &mut swept, &mut left);
        // A session that serves watches its inbox, and keeps it until it stops.
        if !session.file_name().is_some_and(|name| alive.contains(name)) {
            files::remove_empty(&session);
        }
    }
    swept
}

fn sweep_inbox(session: &Path, swept: &mut Swept, left: &mut usize) {
    for path in entries(&session.join("requests"), left) {
        if !partial(&path, swept) && request_is_dead(&path) && files::remove(&path).unwrap_or(false)
        {
            swept.requests += 1;
        }
    }
    for path in entries(&session.join("responses"), left) {
        if !partial(&path, swept)
            && response_is_dead(&path, session)
            && files::remove(&path).unwrap_or(false)
        {
            swept.responses += 1;
        }
    }
}

fn entries(dir: &Path, left: &mut usize) -> Vec<PathBuf> {
    let real = std::fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir());
    if !real {
        return Vec::new();
    }
    let found = std::fs::read_dir(dir).into_iter().flatten();
    let paths: Vec<PathBuf> = found
        .filter_map(|entry| Some(entry.ok()?.path()))
        .take(*left)
        .collect();
    *left = left.saturating_sub(paths.len());
    paths
}

/// Whether this is a partial file; removes it when its writer is gone.
fn partial(path: &Path, swept: &mut Swept) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(rest) = name.and_then(|name| name.strip_suffix(".tmp")) else {
        return false;
    };
    // `<file>.<pid>.<ms>.tmp`
    let writer = rest
        .rsplit_once('.')
        .and_then(|(rest, _)| rest.rsplit_once('.'))
        .and_then(|(_, pid)| pid.parse().ok())
        .filter(|pid| *pid > 0);
    let dead = match writer {
        Some(pid) => gone(&Process::of(pid)),
        None => older_than(path, PARTIAL_MS),
    };
    // A number that was given again, to a process that writes nothing here.
    if (dead || older_than(path, UNCOLLECTED_MS)) && files::remove(path).unwrap_or(false) {
        swept.partial += 1;
    }
    true
}

fn gone(process: &Process) -> bool {
    process::state(process) == ProcessState::Gone
}

fn heartbeat_is_dead(path: &Path, age: Duration) -> bool {
    let Ok(Some(bytes)) = files::read_capped(path, HEARTBEAT_BYTES) else {
        return false;
    };
    match Heartbeat::read(&bytes) {
        Ok(beat) => gone(&beat.process) && (age.is_zero() || older_than_span(path, age)),
        Err(_) => older_than(path, DEAD_HEARTBEAT_MS),
    }
}

fn request_is_dead(path: &Path) -> bool {
    let Ok(Some(bytes)) = files::read_capped(path, REQUEST_BYTES) else {
        return false;
    };
    match Request::read(&bytes) {
        Ok(Request {
            process: Some(process),
            ..
        }) => gone(&process),
        // Of a requester that cannot be judged: its own end plus a day, or a
        // day.
        _ => older_than(path, UNCLAIMED_MS),
    }
}

fn response_is_dead(path: &Path, session: &Path) -> bool {
    let Ok(Some(bytes)) = files::read_capped(path, RESPONSE_BYTES) else {
        return false;
    };
    if let Some(process) = ResponseFile::read_requester(&bytes) {
        return gone(&process);
    }
    let name = path.file_name().unwrap_or_default();
    let request = session.join("requests").join(name);
    !request.exists() && older_than(path, UNCOLLECTED_MS)
}

fn older_than(path: &Path, millis: u64) -> bool {
    older_than_span(path, Duration::from_millis(millis))
}

fn older_than_span(path: &Path, span: Duration) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    modified.is_ok_and(|modified| {
        let age = system_time().duration_since(modified);
        age.is_ok_and(|age| age > span)
    })
}
