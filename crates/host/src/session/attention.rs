//! Whether a key was meant for the question on the screen: a person may be
//! typing something else when it appears, and the next word may hold any
//! letter twice, or end with Enter.

use std::time::{Duration, Instant};

/// Keys count after a pause this long.
const PAUSE: Duration = Duration::from_millis(500);

/// What is known of a person's attention to one question.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// When the question was drawn first, or the last key that did not count.
    quiet_since: Option<Instant>,
    /// Whether a key has counted; from then on all do.
    looking: bool,
    /// Whether the last key did not count.
    ignored: bool,
}

impl Attention {
    /// The question is drawn.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.quiet_since.get_or_insert(now);
    }

    /// A key is pressed: whether it counts.
    pub(super) fn counts(&mut self, now: Instant) -> bool {
        let paused = |since: Instant| now.saturating_duration_since(since) >= PAUSE;
        self.looking = self.looking || self.quiet_since.is_some_and(paused);
        self.ignored = !self.looking;
        if self.ignored {
            self.quiet_since = Some(now);
        }
        self.looking
    }

    /// Whether to say that a key did not count.
    pub(super) fn ignored(&self) -> bool {
        self.ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_after_a_pause() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut attention = Attention::default();
        assert!(!attention.counts(at(0)), "nothing is drawn yet");
        let mut attention = Attention::default();
        attention.drawn(at(0));
        for millis in [10, 400, 890] {
            attention.drawn(at(millis));
            assert!(!attention.counts(at(millis)), "typed on, at {millis}");
            assert!(attention.ignored());
        }
        assert!(attention.counts(at(1400)));
        assert!(!attention.ignored());
        assert!(attention.counts(at(1401)), "from then on each counts");
    }
}
