//! Whether somebody drains an inbox (seed 000, spec 05 §9).

use crate::ids::usable_session_id;
use crate::limits::STALE_MS;
use crate::wire::{Heartbeat, Process};

/// What a child finds when it looks for the session it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServingState {
    /// It drains its inbox.
    Alive,
    /// There is no usable record.
    Absent,
    /// There is one that nobody refreshes, or its process is stopped.
    Stale,
    /// There is one of a process that is gone.
    DeadPid,
}

impl ServingState {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Absent => "absent",
            Self::Stale => "stale",
            Self::DeadPid => "dead_pid",
        }
    }
}

/// What the system says about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// It runs, or may be running: a process that cannot be judged is not
    /// gone.
    Running,
    /// It exists and is stopped.
    Stopped,
    /// It is gone, or its number now belongs to another one.
    Gone,
}

/// Compares a recorded process with what now has its number. `found` is `None`
/// when nothing has it; `here` is the space of the one who looks.
#[must_use]
pub fn same_process(
    recorded: &Process,
    here: Option<&str>,
    found: Option<&FoundProcess>,
) -> ProcessState {
    // A number of another machine run or container says nothing here.
    if let (Some(there), Some(here)) = (recorded.space.as_deref(), here)
        && there != here
    {
        return ProcessState::Running;
    }
    let Some(found) = found else {
        return ProcessState::Gone;
    };
    match (&recorded.start, &found.start) {
        (Some(then), Some(now)) if then != now => ProcessState::Gone,
        _ if found.stopped => ProcessState::Stopped,
        _ => ProcessState::Running,
    }
}

/// What has a process number now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProcess {
    /// When it started, in the form of [`Process::start`].
    pub start: Option<String>,
    /// Whether it is stopped.
    pub stopped: bool,
}

/// Judges one target's heartbeat over time.
///
/// A record's time is that of another clock reading than ours, and clocks
/// jump. So from the second look on it counts when the record last *changed*,
/// by our own monotonic clock; its own time counts only at first sight.
#[derive(Clone, Debug, Default)]
pub struct HeartbeatWatch {
    last: Option<Beat>,
}

#[derive(Clone, Debug)]
struct Beat {
    updated_at: u64,
    process: Process,
    /// When it was first seen, or `None` for the first one ever seen.
    changed: Option<u64>,
    /// When the first look at this record was.
    since: u64,
}

impl HeartbeatWatch {
    /// Judges what one look found. `wall` is milliseconds since 1970, `now`
    /// milliseconds of a clock that never jumps. `process` is asked about the
    /// process a usable record names.
    pub fn judge(
        &mut self,
        target: &str,
        found: Option<&Heartbeat>,
        wall: u64,
        now: u64,
        process: impl FnOnce(&Process) -> ProcessState,
    ) -> ServingState {
        let ours = found.filter(|beat| {
            let named = usable_session_id(&beat.session_id);
            named.is_some() && named == usable_session_id(target)
        });
        let Some(beat) = ours else {
            return ServingState::Absent;
        };
        match process(&beat.process) {
            ProcessState::Gone => return ServingState::DeadPid,
            ProcessState::Stopped => return ServingState::Stale,
            ProcessState::Running => {}
        }
        let known = self
            .last
            .as_ref()
            .filter(|last| last.updated_at == beat.updated_at && last.process == beat.process);
        let (changed, since) = match known {
            Some(last) => (last.changed, last.since),
            None => (self.last.is_some().then_some(now), now),
        };
        self.last = Some(Beat {
            updated_at: beat.updated_at,
            process: beat.process.clone(),
            changed,
            since,
        });
        let fresh = match changed {
            Some(changed) => now.saturating_sub(changed) < STALE_MS,
            None => {
                let by_its_own_time = wall.saturating_sub(beat.updated_at) < STALE_MS;
                by_its_own_time && now.saturating_sub(since) < STALE_MS
            }
        };
        if fresh {
            ServingState::Alive
        } else {
            ServingState::Stale
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(session: &str, updated_at: u64) -> Heartbeat {
        Heartbeat {
            session_id: session.into(),
            process: Process::of(7),
            updated_at,
            key: None,
        }
    }

    fn running(_: &Process) -> ProcessState {
        ProcessState::Running
    }

    #[test]
    fn the_four_ways_of_not_draining() {
        let mut watch = HeartbeatWatch::default();
        let absent = watch.judge("P", None, 10_000, 0, running);
        assert_eq!(absent, ServingState::Absent);
        let other = watch.judge("P", Some(&beat("Q", 10_000)), 10_000, 0, running);
        assert_eq!(other, ServingState::Absent);
        let dead = watch.judge("P", Some(&beat("P", 10_000)), 10_000, 0, |_| {
            ProcessState::Gone
        });
        assert_eq!(dead, ServingState::DeadPid);
        let stale = watch.judge("P", Some(&beat("P", 5_000)), 10_000, 0, running);
        assert_eq!(stale, ServingState::Stale);
        let stopped = watch.judge("P", Some(&beat("P", 10_000)), 10_000, 0, |_| {
            ProcessState::Stopped
        });
        assert_eq!(stopped, ServingState::Stale);
    }

    #[test]
    fn just_under_five_seconds_is_fresh() {
        let mut watch = HeartbeatWatch::default();
        let state = watch.judge("P", Some(&beat("P", 5_001)), 10_000, 0, running);
        assert_eq!(state, ServingState::Alive);
    }

    #[test]
    fn a_clock_that_jumps_ahead_does_not_kill_a_session_that_refreshes() {
        let mut watch = HeartbeatWatch::default();
        let hour = 3_600_000;
        watch.judge("P", Some(&beat("P", 10_000)), 10_000, 0, running);
        // Our clock is an hour ahead of the refreshed record.
        let state = watch.judge("P", Some(&beat("P", 11_000)), hour, 1_000, running);
        assert_eq!(state, ServingState::Alive);
    }

    #[test]
    fn a_record_from_the_future_goes_stale_when_nobody_refreshes_it() {
        let mut watch = HeartbeatWatch::default();
        let future = beat("P", 9_999_999);
        let first = watch.judge("P", Some(&future), 10_000, 0, running);
        assert_eq!(first, ServingState::Alive);
        let later = watch.judge("P", Some(&future), 15_000, 5_000, running);
        assert_eq!(later, ServingState::Stale);
    }

    #[test]
    fn a_recycled_number_is_another_process() {
        let recorded = Process {
            pid: 7,
            start: Some("100".into()),
            space: Some("boot/ns".into()),
        };
        let found = |start: &str| FoundProcess {
            start: Some(start.into()),
            stopped: false,
        };
        let judge = |here, found: Option<&FoundProcess>| same_process(&recorded, here, found);
        assert_eq!(judge(Some("boot/ns"), None), ProcessState::Gone);
        assert_eq!(
            judge(Some("boot/ns"), Some(&found("100"))),
            ProcessState::Running
        );
        assert_eq!(
            judge(Some("boot/ns"), Some(&found("101"))),
            ProcessState::Gone
        );
        // Another container: its numbers cannot be looked up here.
        assert_eq!(judge(Some("boot/other"), None), ProcessState::Running);
    }
}
