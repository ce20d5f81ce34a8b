use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

use countersign_forward::mailbox::Clock;

/// The clocks of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        let start = START.get_or_init(Instant::now);
        u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn wall(&self) -> u64 {
        let since = system_time().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }
}

/// What the machine's clock says. Tests can make it jump for one process.
pub(crate) fn system_time() -> SystemTime {
    let now = SystemTime::now();
    #[cfg(feature = "fault-points")]
    let now = crate::fault_point::shifted(now);
    now
}
