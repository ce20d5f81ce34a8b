use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use countersign_forward::limits::HEARTBEAT_MS;
use countersign_forward::mailbox::{Clock as _, Fault};
use countersign_forward::server::{
    Effect, Gone, NotAnswered, Ruling, Server as Machine, Verdict, Waiting,
};
use countersign_forward::sign::{PublicKey, SessionKey};
use countersign_forward::wire::{Heartbeat, Request};
use serde_json::{Value, json};

use super::worker::Worker;
use super::{SystemClock, keys};
use crate::mailbox::{FileMailbox, Heartbeats, Signal};
use crate::process;

/// What a serving session does with questions.
///
/// All calls come from one thread of the server, except [`Handler::decide`],
/// which also comes from whoever calls [`ServerHandle::answer`] or
/// [`ServerHandle::recheck`]. None of them may wait for a person: who is asked is
/// remembered, and answers through [`ServerHandle::answer`].
pub trait Handler: Send + Sync {
    /// What the session's own rules and grants say. Must not call the server.
    fn decide(&self, request: &Request) -> Ruling;

    /// A question for somebody. It waits until [`ServerHandle::answer`].
    fn ask(&self, question: Waiting);

    /// The askers of a question changed. `true` says that whoever answers sees
    /// the change (or has not been shown the question yet), so that the answer
    /// may count for new askers; with `false` they are asked about afterwards.
    fn changed(&self, question: Waiting) -> bool {
        let _ = question;
        false
    }

    /// A question needs no answer any more.
    fn gone(&self, question_id: &str, why: Gone);

    /// A review-log entry.
    fn log(&self, event: &str, fields: Value);

    /// The parent another session was announced under, for the entry about
    /// requests that came the wrong way.
    fn parent_of(&self, session_id: &str) -> Option<String> {
        let _ = session_id;
        None
    }
}

/// How a session serves.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The root of the mailbox.
    pub mailbox_root: PathBuf,
    /// The session that serves.
    pub session_id: String,
}

/// Why a session cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its id cannot be a file name.
    #[error("session `{session_id}` cannot serve: {fault}")]
    Id {
        /// The session.
        session_id: String,
        /// What is wrong with its id.
        fault: Fault,
    },
    /// There is no key to sign with.
    #[error("no randomness for a key: {0}")]
    Key(getrandom::Error),
    /// There is no thread to serve on.
    #[error("no thread to serve on")]
    Thread(#[source] std::io::Error),
}

pub(super) struct Shared {
    pub(super) options: ServerOptions,
    pub(super) mailbox: FileMailbox,
    pub(super) key: Arc<SessionKey>,
    pub(super) handler: Arc<dyn Handler>,
    pub(super) machine: Mutex<Machine>,
    /// What is to be done, in order. Only the worker does it.
    pub(super) effects: Mutex<std::collections::VecDeque<Effect>>,
    pub(super) wake: Arc<Signal>,
    pub(super) stopping: AtomicBool,
    heart: Signal,
}

impl Shared {
    pub(super) fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, effects: Vec<Effect>) {
        let mut queue = self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        queue.extend(effects);
    }

    pub(super) fn pop(&self) -> Option<Effect> {
        let mut queue = self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        queue.pop_front()
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Asks the machine for effects and queues them as one step, so that the
    /// effects of two threads keep the order in which the machine saw them.
    pub(super) fn step<T>(&self, step: impl FnOnce(&mut Machine) -> (T, Vec<Effect>)) -> T {
        let mut machine = self.machine();
        let (result, effects) = step(&mut machine);
        self.push(effects);
        result
    }
}

/// A session that drains its inbox, and says so once a second whatever else
/// happens.
pub struct Server {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Server")
            .field("session_id", &self.shared.options.session_id)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Starts to serve. The first heartbeat is written before this returns, if
    /// it can be; what cannot be done is logged and tried again.
    ///
    /// # Errors
    ///
    /// When the session's id cannot be a file name, or the system gives no
    /// randomness or no thread.
    pub fn start(options: ServerOptions, handler: Arc<dyn Handler>) -> Result<Self, StartError> {
        let session_id = options.session_id.trim().to_owned();
        let options = ServerOptions {
            session_id: session_id.clone(),
            ..options
        };
        let mailbox = FileMailbox::new(&options.mailbox_root, &session_id).map_err(|fault| {
            StartError::Id {
                session_id: session_id.clone(),
                fault,
            }
        })?;
        let key = keys::session_key(&session_id).map_err(StartError::Key)?;
        let shared = Arc::new(Shared {
            machine: Mutex::new(Machine::new(session_id.clone(), key.public())),
            options,
            mailbox,
            key,
            handler,
            effects: Mutex::default(),
            wake: Arc::default(),
            stopping: AtomicBool::new(false),
            heart: Signal::default(),
        });
        let started = json!({ "sessionId": session_id });
        shared
            .handler
            .log("forwarded_permission.serving_started", started);
        warn_of_another(&shared);
        let mut heart = Heart::new(Arc::clone(&shared));
        heart.beat();
        let server = Self {
            shared: Arc::clone(&shared),
            threads: Mutex::default(),
        };
        server.spawn("countersign-heartbeat", move || heart.run())?;
        server.spawn("countersign-serve", move || Worker::new(shared).run())?;
        Ok(server)
    }

    fn spawn(&self, name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StartError> {
        let thread = std::thread::Builder::new().name(name.to_owned());
        match thread.spawn(run) {
            Ok(thread) => {
                let threads = self.threads.lock();
                threads.unwrap_or_else(PoisonError::into_inner).push(thread);
                Ok(())
            }
            Err(error) => {
                self.end();
                Err(StartError::Thread(error))
            }
        }
    }

    /// The key that verifies this session's answers.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.shared.key.public()
    }

    /// The session that serves.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.shared.options.session_id
    }

    /// A way to answer that can be kept anywhere: it does not keep the server
    /// alive.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle {
            shared: Arc::downgrade(&self.shared),
        }
    }

    /// See [`ServerHandle::answer`].
    ///
    /// # Errors
    ///
    /// When no such question waits.
    pub fn answer(&self, question_id: &str, verdict: &Verdict) -> Result<(), NotAnswered> {
        self.handle().answer(question_id, verdict)
    }

    /// See [`ServerHandle::shown`].
    pub fn shown(&self, question_id: &str, revision: u64) {
        self.handle().shown(question_id, revision);
    }

    /// See [`ServerHandle::recheck`].
    pub fn recheck(&self) {
        self.handle().recheck();
    }

    /// See [`ServerHandle::waiting`].
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        self.handle().waiting()
    }

    /// Stops serving: the heartbeat is withdrawn, questions that wait are
    /// gone, and their requests stay for a session of the same id that comes
    /// after.
    pub fn stop(self) {
        self.end();
    }

    fn end(&self) {
        if self.shared.stopping.swap(true, Ordering::SeqCst) {
            return;
        }
        self.shared.wake.raise();
        self.shared.heart.raise();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // Called from a handler, this is one of the threads itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
        Heartbeats::new(&self.shared.options.mailbox_root)
            .withdraw(self.session_id(), &process::own());
        let stopped = json!({ "sessionId": self.session_id() });
        let handler = &self.shared.handler;
        handler.log("forwarded_permission.serving_stopped", stopped);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Answers the questions of a [`Server`] that still serves.
#[derive(Clone)]
pub struct ServerHandle {
    shared: Weak<Shared>,
}

impl std::fmt::Debug for ServerHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ServerHandle")
            .finish_non_exhaustive()
    }
}

impl ServerHandle {
    /// Somebody answered a question: the answer counts for every asker they
    /// were shown. Returns at once; the answer is delivered by the server's
    /// own thread.
    ///
    /// A grant for the session has to be recorded before, so that
    /// [`Handler::decide`] knows it: every waiting question it covers is
    /// released.
    ///
    /// # Errors
    ///
    /// When no such question waits: it was answered, withdrawn, or its asker
    /// is gone. Nothing happens then.
    pub fn answer(&self, question_id: &str, verdict: &Verdict) -> Result<(), NotAnswered> {
        let shared = self.shared.upgrade().ok_or(NotAnswered::NotWaiting)?;
        let decide = |request: &Request| shared.handler.decide(request);
        let result = shared.step(
            |machine| match machine.answer(question_id, verdict, &decide) {
                Ok(effects) => (Ok(()), effects),
                Err(error) => (Err(error), Vec::new()),
            },
        );
        shared.wake.raise();
        result
    }

    /// The question as of `revision` is on the screen: an answer now counts
    /// for every asker it names.
    pub fn shown(&self, question_id: &str, revision: u64) {
        if let Some(shared) = self.shared.upgrade() {
            shared.machine().shown(question_id, revision);
        }
    }

    /// Rules or grants have changed: whatever they answer now is answered.
    pub fn recheck(&self) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        let decide = |request: &Request| shared.handler.decide(request);
        shared.step(|machine| ((), machine.recheck(&decide)));
        shared.wake.raise();
    }

    /// What waits for somebody, in the order that is fair between children.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        let shared = self.shared.upgrade();
        shared.map_or_else(Vec::new, |shared| shared.machine().waiting())
    }
}

fn warn_of_another(shared: &Shared) {
    let id = &shared.options.session_id;
    if !super::is_serving(&shared.options.mailbox_root, id) {
        return;
    }
    let found = Heartbeats::new(&shared.options.mailbox_root).read(id);
    let Some(other) = found.filter(|found| found.process.pid != std::process::id()) else {
        return;
    };
    let message = format!(
        "Process {} serves session '{id}' as well; each answers what it sees first",
        other.process.pid
    );
    let fields = json!({ "message": message });
    shared.handler.log("permission_forwarding.warning", fields);
}

/// Says once a second that the session serves. It has a thread of its own, so
/// nothing that happens in the session can make it look dead.
struct Heart {
    shared: Arc<Shared>,
    failing: bool,
}

impl Heart {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            failing: false,
        }
    }

    fn run(&mut self) {
        loop {
            self.shared.heart.wait(Duration::from_millis(HEARTBEAT_MS));
            if self.shared.is_stopping() {
                return;
            }
            self.beat();
        }
    }

    fn beat(&mut self) {
        let written = Heartbeats::new(&self.shared.options.mailbox_root).write(&Heartbeat {
            session_id: self.shared.options.session_id.clone(),
            process: process::own(),
            updated_at: SystemClock.wall(),
            key: Some(self.shared.key.public()),
        });
        match written {
            Ok(()) => self.failing = false,
            // Once, not once a second.
            Err(_) if self.failing => {}
            Err(fault) => {
                self.failing = true;
                let fields = json!({
                    "message": "The serving heartbeat could not be written",
                    "error": fault.to_string(),
                });
                let handler = &self.shared.handler;
                handler.log("permission_forwarding.warning", fields);
            }
        }
    }
}
