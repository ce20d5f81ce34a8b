//! Places where a test can make a process die.
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
