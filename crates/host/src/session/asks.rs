//! The asks of a session: each has exactly one end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use countersign_engine::{Decision, GrantSuggestion};
use countersign_forward::wire::Decider;
use countersign_intent::ToolCall;

use crate::dialog::Dialog;
use crate::forwarding::{CancelToken, Waiting};

use super::api::{CallContext, Settled};
use super::attention::Attention;

/// Called with the end of an ask.
pub(super) type Done = Box<dyn FnOnce(Settled) + Send>;

/// How many ends are remembered for a caller that has not yet asked.
const REMEMBERED: usize = 256;

/// An ask that has no end yet.
pub(super) struct Pending {
    pub(super) about: About,
    /// The suggestions a grant would record.
    pub(super) suggestions: Vec<GrantSuggestion>,
    /// The links still to be consulted, in order.
    pub(super) links: VecDeque<String>,
    /// The link that is being consulted.
    pub(super) consulting: Option<String>,
    /// The dialog, while the question is on the screen.
    pub(super) dialog: Option<Dialog>,
    /// Whether the person looks at it.
    pub(super) attention: Attention,
    /// Ends the wait for the parent.
    pub(super) cancel: Option<CancelToken>,
    pub(super) done: Vec<Done>,
}

/// What an ask is about.
#[derive(Clone)]
pub(super) enum About {
    /// A tool call of this session.
    Own(Arc<OwnCall>),
    /// A question of one or more children.
    Child(Arc<Waiting>),
}

/// A tool call of this session that is asked about.
pub(super) struct OwnCall {
    pub(super) call: ToolCall,
    pub(super) context: CallContext,
    pub(super) agent: Option<String>,
    pub(super) cwd: String,
    pub(super) trusted: bool,
    pub(super) decision: Decision,
}

/// The asks of one session.
#[derive(Default)]
pub(super) struct Asks {
    pending: BTreeMap<String, Pending>,
    /// Those that wait for the screen, the oldest first.
    queue: VecDeque<String>,
    /// Those that are on it.
    screen: BTreeSet<String>,
    /// Those that are ending, and who waits for their end: no longer waiting,
    /// not yet remembered.
    ending: BTreeMap<String, Vec<Done>>,
    ended: VecDeque<(String, Settled)>,
}

impl Asks {
    pub(super) fn insert(&mut self, id: &str, pending: Pending) {
        self.pending.insert(id.to_owned(), pending);
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Pending> {
        self.pending.get_mut(id)
    }

    /// Takes an ask out, to end it. Only the first caller gets it.
    pub(super) fn take(&mut self, id: &str) -> Option<Pending> {
        self.queue.retain(|waiting| waiting != id);
        self.screen.remove(id);
        self.pending.remove(id)
    }

    /// Takes an ask out, as [`take`](Self::take) does, and lets callers still
    /// wait for its end until [`finish`](Self::finish).
    pub(super) fn begin_end(&mut self, id: &str) -> Option<Pending> {
        let mut pending = self.take(id)?;
        let waiting = std::mem::take(&mut pending.done);
        self.ending.insert(id.to_owned(), waiting);
        Some(pending)
    }

    /// Adds a caller that waits for the end of an ask; gives it back where
    /// there is no such ask.
    pub(super) fn wait(&mut self, id: &str, done: Done) -> Result<(), Done> {
        let waiting = match self.pending.get_mut(id) {
            Some(pending) => Some(&mut pending.done),
            None => self.ending.get_mut(id),
        };
        match waiting {
            Some(waiting) => {
                waiting.push(done);
                Ok(())
            }
            None => Err(done),
        }
    }

    /// Who waits for an end. Where nobody does yet, the end is remembered.
    pub(super) fn finish(&mut self, id: &str, settled: Option<&Settled>) -> Vec<Done> {
        let waiting = self.ending.remove(id).unwrap_or_default();
        if let (true, Some(settled)) = (waiting.is_empty(), settled) {
            self.remember(id, settled.clone());
        }
        waiting
    }

    /// Lets an ask wait for the screen.
    pub(super) fn enqueue(&mut self, id: &str) {
        let known = self.screen.contains(id) || self.queue.iter().any(|q| q == id);
        if !known {
            self.queue.push_back(id.to_owned());
        }
    }

    /// Whether an ask is on the screen.
    pub(super) fn on_screen(&self, id: &str) -> bool {
        self.screen.contains(id)
    }

    /// The asks that wait for the screen.
    pub(super) fn queued(&self) -> Vec<String> {
        self.queue.iter().cloned().collect()
    }

    /// Takes a place on a screen of `places` for an ask that waits for one.
    /// `None` when all are taken, or the ask is gone.
    pub(super) fn take_screen(&mut self, id: &str, places: usize) -> Option<About> {
        if self.screen.len() >= places {
            return None;
        }
        let about = self.pending.get(id)?.about.clone();
        self.queue.retain(|waiting| waiting != id);
        self.screen.insert(id.to_owned());
        Some(about)
    }

    /// How many wait: this session's own, and children's.
    pub(super) fn waiting(&self) -> (usize, usize) {
        let own = |pending: &&Pending| matches!(pending.about, About::Own(_));
        let own = self.pending.values().filter(own).count();
        (own, self.pending.len() - own)
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.pending.keys().cloned().collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Pending)> {
        self.pending.iter()
    }

    /// Remembers an end for a caller that has not asked for it yet.
    fn remember(&mut self, id: &str, settled: Settled) {
        self.ended.push_back((id.to_owned(), settled));
        while self.ended.len() > REMEMBERED {
            self.ended.pop_front();
        }
    }

    /// The end of an ask, once.
    pub(super) fn recall(&mut self, id: &str) -> Option<Settled> {
        let at = self.ended.iter().position(|(known, _)| known == id)?;
        self.ended.remove(at).map(|(_, settled)| settled)
    }
}

/// How an ask ended.
pub(super) struct Ending {
    /// Whether the call may run.
    pub(super) approved: bool,
    /// The word in the log's `resolution`.
    pub(super) state: &'static str,
    /// Why not, where somebody said.
    pub(super) reason: Option<String>,
    /// Who decided.
    pub(super) decider: Decider,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between leaving the waiting ones and being remembered, an ask must not
    /// look as if it had never been.
    #[test]
    fn an_end_reaches_whoever_asks_for_it_meanwhile() {
        let mut asks = Asks::default();
        assert!(asks.wait("a", Box::new(drop)).is_err(), "never asked");

        asks.ending.insert("a".into(), Vec::new());
        assert!(asks.wait("a", Box::new(drop)).is_ok());
        assert_eq!(asks.finish("a", Some(&Settled::Allowed)).len(), 1);
        assert_eq!(asks.recall("a"), None, "it was told");

        asks.ending.insert("b".into(), Vec::new());
        assert!(asks.finish("b", Some(&Settled::Allowed)).is_empty());
        assert_eq!(asks.recall("b"), Some(Settled::Allowed));
        assert_eq!(asks.recall("b"), None, "once");
    }
}
