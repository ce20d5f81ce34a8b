use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::mailbox::Signal;

/// Calls a question off, from any thread.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    waiting: Mutex<Option<Arc<Signal>>>,
}

impl CancelToken {
    /// A token nobody has used.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls the question off.
    pub fn cancel(&self) {
        self.inner.cancelled.store(true, Ordering::SeqCst);
        let waiting = self.inner.waiting.lock();
        if let Some(signal) = waiting.unwrap_or_else(PoisonError::into_inner).as_ref() {
            signal.raise();
        }
    }

    /// Whether the question was called off.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancelled.load(Ordering::SeqCst)
    }

    pub(super) fn wakes(&self, signal: &Arc<Signal>) {
        let waiting = self.inner.waiting.lock();
        *waiting.unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(signal));
    }
}
