//! What all sessions of one process know of each other.
//!
//! A child session created inside its parent's process is announced by name
//! before it exists as an instance of ours (seed 000), so the announcement
//! must outlive and precede the instances. The addon is loaded once a process,
//! so a static of this crate is the process-global store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How a child became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// Its maker announced it.
    Announced,
    /// The environment names its parent, or marks it as a child.
    Variable,
    /// The host's session class was seen creating it.
    Wrapped,
    /// It started without a screen beside a session that has one.
    Inferred,
    /// Its session directory lies among those of subagents.
    Directory,
}

impl Detection {
    /// The word in logs and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Announced => "announced",
            Self::Variable => "variable",
            Self::Wrapped => "wrapped",
            Self::Inferred => "inferred",
            Self::Directory => "directory",
        }
    }
}

/// A child session of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The session it forwards to, where its maker said.
    pub parent: Option<String>,
    /// How it became known.
    pub detection: Detection,
}

#[derive(Debug, Default)]
struct State {
    children: BTreeMap<String, Child>,
    serving: BTreeMap<String, Serving>,
    running: BTreeMap<String, Running>,
}

/// A session of this process that serves its inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serving {
    /// The public half of the key it signs its answers with.
    pub public_key: Option<[u8; 32]>,
}

/// A session of this process that has an instance of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Running {
    has_ui: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(use_state: impl FnOnce(&mut State) -> T) -> T {
    let mut guard: MutexGuard<'_, Option<State>> =
        STATE.lock().unwrap_or_else(PoisonError::into_inner);
    use_state(guard.get_or_insert_default())
}

/// Records a child. An announced parent wins over an inferred one; otherwise
/// the last write wins (spec 05 §3).
pub fn add_child(session_id: &str, parent: Option<&str>, detection: Detection) {
    with(|state| {
        let known = state.children.get(session_id);
        let keep = known.is_some_and(|child| {
            child.detection == Detection::Announced && detection != Detection::Announced
        });
        if !keep {
            let child = Child {
                parent: parent.map(str::to_owned),
                detection,
            };
            state.children.insert(session_id.to_owned(), child);
        }
    });
}

/// Forgets a child. Its siblings stay.
pub fn remove_child(session_id: &str) {
    with(|state| state.children.remove(session_id));
}

/// The child of this name, when one is known.
#[must_use]
pub fn child(session_id: &str) -> Option<Child> {
    with(|state| state.children.get(session_id).cloned())
}

/// The children of this process that forward to a session.
#[must_use]
pub fn children_of(session_id: &str) -> Vec<String> {
    with(|state| {
        let children = state.children.iter();
        let own = children.filter(|(_, child)| child.parent.as_deref() == Some(session_id));
        own.map(|(id, _)| id.clone()).collect()
    })
}

/// Records that a session of this process drains its inbox, or no longer does.
pub fn set_serving(session_id: &str, serving: Option<Serving>) {
    with(|state| match serving {
        Some(serving) => {
            state.serving.insert(session_id.to_owned(), serving);
        }
        None => {
            state.serving.remove(session_id);
        }
    });
}

/// Whether a session of this process drains its inbox, and with which key.
#[must_use]
pub fn serving(session_id: &str) -> Option<Serving> {
    with(|state| state.serving.get(session_id).copied())
}

/// The sessions of this process that drain their inboxes.
#[must_use]
pub fn serving_ids() -> Vec<String> {
    let ids: BTreeSet<String> = with(|state| state.serving.keys().cloned().collect());
    ids.into_iter().collect()
}

/// Records that a session has an instance of ours, or no longer has.
pub fn set_running(session_id: &str, has_ui: Option<bool>) {
    with(|state| match has_ui {
        Some(has_ui) => {
            state
                .running
                .insert(session_id.to_owned(), Running { has_ui });
        }
        None => {
            state.running.remove(session_id);
        }
    });
}

/// Whether the session of this name has an instance of ours in this process.
#[must_use]
pub fn is_running(session_id: &str) -> bool {
    with(|state| state.running.contains_key(session_id))
}

/// The session of this process that has a screen, other than `session_id`: the
/// parent of a session that starts without a screen beside it and was
/// announced by nobody.
#[must_use]
pub fn session_with_ui(session_id: &str) -> Option<String> {
    with(|state| {
        let mut others = state
            .running
            .iter()
            .filter(|(id, running)| running.has_ui && id.as_str() != session_id);
        others.next().map(|(id, _)| id.clone())
    })
}

/// The session of this process that a child without an instance of its own
/// asks: the one with a screen, else one that is no child of another here.
#[must_use]
pub fn session_beside(session_id: &str) -> Option<String> {
    session_with_ui(session_id).or_else(|| {
        with(|state| {
            let mut others = state
                .running
                .keys()
                .filter(|id| id.as_str() != session_id && !state.children.contains_key(*id));
            others.next().cloned()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announced_parent_wins_over_an_inferred_one() {
        add_child("r-c1", Some("p"), Detection::Announced);
        add_child("r-c1", Some("q"), Detection::Inferred);
        add_child("r-c2", None, Detection::Inferred);
        let parent = |id| child(id).and_then(|child| child.parent);
        assert_eq!(parent("r-c1"), Some("p".into()));
        remove_child("r-c2");
        assert_eq!(parent("r-c1"), Some("p".into()), "siblings stay");
        remove_child("r-c1");
        assert_eq!(child("r-c1"), None);
    }

    #[test]
    fn a_session_without_a_screen_finds_one_that_has_it() {
        set_running("r-root", Some(true));
        set_running("r-headless", Some(false));
        assert_eq!(session_with_ui("r-headless"), Some("r-root".into()));
        set_running("r-root", None);
        set_running("r-headless", None);
    }
}
