//! Places where a test can make a process die, and its clock jump.
//!
//! Compiled only with the feature `fault-points`; otherwise nothing is left of
//! them.

/// Names a place between two steps that touch the world.
#[macro_export]
#[doc(hidden)]
macro_rules! fault_point {
    ($name:literal) => {
        #[cfg(feature = "fault-points")]
        $crate::fault_point::reached($name);
    };
}

/// Dies or stops here if the environment says so: `COUNTERSIGN_FAULT` is
/// `<place>:<how often it was reached>:<kill|stop|exit>`.
#[cfg(feature = "fault-points")]
#[doc(hidden)]
pub fn reached(name: &str) {
    use std::sync::Mutex;
    static HITS: Mutex<u64> = Mutex::new(0);
    let Ok(wanted) = std::env::var("COUNTERSIGN_FAULT") else {
        return;
    };
    let mut parts = wanted.splitn(3, ':');
    if parts.next() != Some(name) {
        return;
    }
    let hit = {
        let mut hits = HITS
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *hits += 1;
        *hits
    };
    if parts.next().and_then(|text| text.parse().ok()) != Some(hit) {
        return;
    }
    #[cfg(unix)]
    {
        let signal = match parts.next() {
            Some("stop") => rustix::process::Signal::STOP,
            _ => rustix::process::Signal::KILL,
        };
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
    #[cfg(not(unix))]
    std::process::abort();
}

/// A time of the machine's clock, moved by the milliseconds in the file that
/// `COUNTERSIGN_CLOCK` names.
#[cfg(feature = "fault-points")]
#[doc(hidden)]
#[must_use]
pub fn shifted(time: std::time::SystemTime) -> std::time::SystemTime {
    let Some(path) = std::env::var_os("COUNTERSIGN_CLOCK") else {
        return time;
    };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let millis: i64 = text.trim().parse().unwrap_or(0);
    let by = std::time::Duration::from_millis(millis.unsigned_abs());
    let moved = if millis < 0 {
        time.checked_sub(by)
    } else {
        time.checked_add(by)
    };
    moved.unwrap_or(time)
}
