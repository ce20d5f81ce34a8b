//! Waking whoever waits for a file to change.
//!
//! One watcher for the whole process, whatever the number of asks: systems
//! allow few of them. Where watching fails, those who wait poll.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Something to wait for.
#[derive(Debug, Default)]
pub struct Signal {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// Wakes whoever waits, or whoever waits next.
    pub fn raise(&self) {
        *lock(&self.raised) = true;
        self.changed.notify_all();
    }

    /// Waits until the signal is raised, at most this long; whether it was.
    pub fn wait(&self, at_most: Duration) -> bool {
        let end = Instant::now() + at_most;
        let mut raised = lock(&self.raised);
        loop {
            if std::mem::take(&mut *raised) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            raised = self
                .changed
                .wait_timeout(raised, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Listeners = BTreeMap<PathBuf, Vec<Arc<Signal>>>;

struct Hub {
    watching: Mutex<Watching>,
    listeners: Arc<Mutex<Listeners>>,
}

#[derive(Default)]
struct Watching {
    watcher: Option<RecommendedWatcher>,
    tried: Option<Instant>,
}

/// How long to wait before a watcher that could not be had is asked for again:
/// systems allow a user only so many, and others may give theirs back.
const TRY_AGAIN: Duration = Duration::from_secs(1);

impl Hub {
    fn watch(&self, path: &Path) -> bool {
        let mut watching = lock(&self.watching);
        let rest = watching.tried.map(|tried| tried.elapsed());
        if watching.watcher.is_none() && rest.is_none_or(|rest| rest >= TRY_AGAIN) {
            watching.tried = Some(Instant::now());
            let heard = Arc::clone(&self.listeners);
            let watcher = notify::recommended_watcher(move |event| hear(&lock(&heard), event));
            watching.watcher = watcher.ok();
        }
        let watcher = watching.watcher.as_mut();
        watcher.is_some_and(|watcher| watcher.watch(path, RecursiveMode::NonRecursive).is_ok())
    }

    fn unwatch(&self, path: &Path) {
        if let Some(watcher) = lock(&self.watching).watcher.as_mut() {
            // It may be gone with the file it watched.
            let _ = watcher.unwatch(path);
        }
    }
}

fn hub() -> &'static Hub {
    static HUB: OnceLock<Hub> = OnceLock::new();
    HUB.get_or_init(|| Hub {
        watching: Mutex::default(),
        listeners: Arc::default(),
    })
}

fn hear(listeners: &Listeners, event: notify::Result<notify::Event>) {
    let Ok(event) = event else {
        // Events may have been lost: everybody looks for themselves.
        listeners
            .values()
            .flatten()
            .for_each(|signal| signal.raise());
        return;
    };
    // Reading changes nothing; our own reading would wake us for ever.
    if matches!(event.kind, EventKind::Access(_)) {
        return;
    }
    if event.need_rescan() {
        listeners
            .values()
            .flatten()
            .for_each(|signal| signal.raise());
        return;
    }
    for path in &event.paths {
        let parent = path.parent().map(Path::to_path_buf);
        for place in [Some(path), parent.as_ref()].into_iter().flatten() {
            let signals = listeners.get(place).into_iter().flatten();
            signals.for_each(|signal| signal.raise());
        }
    }
}

/// Wakes a signal while it lives.
#[derive(Debug)]
pub struct Subscription {
    path: PathBuf,
    signal: Arc<Signal>,
}

/// Raises `signal` whenever the file at `path`, or something in the directory
/// at `path`, changes. `None` where that cannot be watched.
#[must_use]
pub fn subscribe(path: &Path, signal: &Arc<Signal>) -> Option<Subscription> {
    let hub = hub();
    lock(&hub.listeners)
        .entry(path.to_path_buf())
        .or_default()
        .push(Arc::clone(signal));
    let subscription = Subscription {
        path: path.to_path_buf(),
        signal: Arc::clone(signal),
    };
    let watched = hub.watch(path);
    watched.then_some(subscription)
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let hub = hub();
        let mut listeners = lock(&hub.listeners);
        let Some(signals) = listeners.get_mut(&self.path) else {
            return;
        };
        let own = signals
            .iter()
            .position(|signal| Arc::ptr_eq(signal, &self.signal));
        if let Some(own) = own {
            signals.swap_remove(own);
        }
        if !signals.is_empty() {
            return;
        }
        listeners.remove(&self.path);
        drop(listeners);
        hub.unwatch(&self.path);
    }
}
