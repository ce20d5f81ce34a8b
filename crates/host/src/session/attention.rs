//! Whether a key was meant for the question on the screen: a person may be
//! typing something else when it appears, and the next word may hold any
//! letter twice, or end with Enter.

use std::time::{Duration, Instant};

/// Keys count after a pause this long.
const PAUSE: Duration = Duration::from_millis(500);

/// What is known of a person's attention to one question.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// Where a person was typing: when the question appeared, or the last key
    /// that did not count.
    typed_at: Option<Instant>,
    /// Whether the last key did not count.
    ignored: bool,
}

impl Attention {
    /// The question appears while a person is typing something else.
    pub(super) fn typing(&mut self, now: Instant) {
        self.typed_at = Some(now);
    }

    /// A key is pressed: whether it counts. Once one did, all do.
    pub(super) fn counts(&mut self, now: Instant) -> bool {
        let going_on = |at: Instant| now.saturating_duration_since(at) < PAUSE;
        self.ignored = self.typed_at.is_some_and(going_on);
        self.typed_at = self.ignored.then_some(now);
        !self.ignored
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
    fn keys_count_after_a_pause_of_who_was_typing() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut attention = Attention::default();
        assert!(attention.counts(at(0)), "nobody was typing");
        let mut attention = Attention::default();
        attention.typing(at(0));
        for millis in [10, 400, 890] {
            assert!(!attention.counts(at(millis)), "typed on, at {millis}");
            assert!(attention.ignored());
        }
        assert!(attention.counts(at(1400)));
        assert!(!attention.ignored());
        assert!(attention.counts(at(1401)), "from then on each counts");
    }
}
