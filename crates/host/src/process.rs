//! Processes, named so that a recycled number is not taken for the one that
//! had it before.

use std::sync::OnceLock;

use countersign_forward::liveness::{FoundProcess, ProcessState, same_process};
use countersign_forward::wire::Process;

/// This process.
#[must_use]
pub fn own() -> Process {
    static OWN: OnceLock<Process> = OnceLock::new();
    let own = OWN.get_or_init(|| {
        let pid = std::process::id();
        Process {
            pid,
            start: find(pid).and_then(|found| found.start),
            space: space(),
        }
    });
    // After a fork without exec the number is another one.
    if own.pid == std::process::id() {
        own.clone()
    } else {
        Process::of(std::process::id())
    }
}

/// What the system says about a recorded process.
#[must_use]
pub fn state(process: &Process) -> ProcessState {
    let own = own();
    if process.pid == own.pid && process.start == own.start && process.space == own.space {
        return ProcessState::Running;
    }
    same_process(process, own.space.as_deref(), find(process.pid).as_ref())
}

#[cfg(target_os = "linux")]
fn find(pid: u32) -> Option<FoundProcess> {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse_stat(&stat),
        Err(_) => exists(pid).then_some(FoundProcess {
            start: None,
            stopped: false,
        }),
    }
}

/// Reads `/proc/<pid>/stat`: the state is the third field, the start time in
/// clock ticks since the machine started the twenty-second. The second is a
/// name in parentheses that may hold anything.
#[cfg(target_os = "linux")]
fn parse_stat(stat: &str) -> Option<FoundProcess> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    // A dead process that its parent has not collected yet does nothing more.
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    Some(FoundProcess {
        start: fields.nth(18).map(str::to_owned),
        stopped: matches!(state, "T" | "t"),
    })
}

#[cfg(all(unix, not(target_os = "linux")))]
fn find(pid: u32) -> Option<FoundProcess> {
    exists(pid).then_some(FoundProcess {
        start: None,
        stopped: false,
    })
}

#[cfg(not(unix))]
fn find(_pid: u32) -> Option<FoundProcess> {
    // Without a way to ask, a process counts as running: its heartbeat goes
    // stale, and its request expires.
    Some(FoundProcess {
        start: None,
        stopped: false,
    })
}

/// Signal 0: a process we may not signal exists all the same.
#[cfg(unix)]
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let Some(pid) = pid else {
        return false;
    };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    }
}

/// The machine run and the space process numbers count in here.
#[cfg(target_os = "linux")]
fn space() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let numbers = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let boot = boot.trim().get(..8)?.to_owned();
    let numbers = numbers.to_str()?;
    let inode: String = numbers.chars().filter(char::is_ascii_digit).collect();
    Some(format!("{boot}-{inode}"))
}

#[cfg(not(target_os = "linux"))]
fn space() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs() {
        assert_eq!(state(&own()), ProcessState::Running);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_with_parentheses_and_blanks() {
        let stat = "7 (a) b ( c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20";
        let found = parse_stat(stat).unwrap();
        assert_eq!(found.start.as_deref(), Some("4242"));
        assert!(!found.stopped);
        assert!(parse_stat(&stat.replace(" S ", " T ")).unwrap().stopped);
        assert_eq!(parse_stat(&stat.replace(" S ", " Z ")), None);
        assert_eq!(parse_stat("nonsense"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_recycled_number_is_gone() {
        let mut other = own();
        other.start = Some("1".into());
        assert_eq!(state(&other), ProcessState::Gone);
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_ended_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let process = Process::of(child.id());
        child.wait().unwrap();
        assert_eq!(state(&process), ProcessState::Gone);
    }
}
