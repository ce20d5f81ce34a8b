use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use countersign_forward::detect::TargetSource;
use countersign_forward::ids::{adopt_request_id, usable_session_id};
use countersign_forward::limits;
use countersign_forward::liveness::{HeartbeatWatch, ServingState};
use countersign_forward::mailbox::{Clock as _, Mailbox as _};
use countersign_forward::requester::{
    Asking, Cause, Outcome, ParentLost, Reply, Requester, Step, Trust, Unavailable,
};
use countersign_forward::sign::{InheritedKey, Refused};
use countersign_forward::wire::Request;
use serde_json::{Value, json};

use super::{CancelToken, Log, SystemClock, keys};
use crate::mailbox::{FileMailbox, Heartbeats, Signal, Subscription, subscribe};
use crate::process;

/// Where it is looked up whether the target serves.
#[derive(Clone)]
pub enum LivenessChannel {
    /// In this process.
    Registry {
        /// Whether the session of this id serves.
        is_serving: Arc<dyn Fn(&str) -> bool + Send + Sync>,
        /// All that do, for the log.
        serving: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    },
    /// In its heartbeat file.
    Heartbeat,
    /// Nowhere: it is waited for until the timeout.
    None,
}

impl LivenessChannel {
    fn source(&self) -> Option<TargetSource> {
        match self {
            Self::Registry { .. } => Some(TargetSource::Registry),
            Self::Heartbeat => Some(TargetSource::Variable),
            Self::None => None,
        }
    }
}

/// One question to another session.
#[derive(Clone)]
pub struct AskOptions {
    /// The root of the mailbox.
    pub mailbox_root: PathBuf,
    /// The question. What [`prepare`] fills in need not be set.
    pub request: Request,
    /// Where it is looked up whether the target serves.
    pub channel: LivenessChannel,
    /// How long to wait for a target that serves.
    pub timeout: Duration,
    /// How long the target may be continuously not serving.
    pub grace: Duration,
    /// What to do after that.
    pub parent_lost: ParentLost,
    /// Calls the question off.
    pub cancel: CancelToken,
    /// The key that was inherited for this target.
    pub key: InheritedKey,
    /// Whether an answer counts only with a signature.
    pub require_signed: bool,
    /// The review log.
    pub log: Log,
}

impl AskOptions {
    /// A question with everything else as usual.
    #[must_use]
    pub fn new(mailbox_root: impl Into<PathBuf>, request: Request, log: Log) -> Self {
        Self {
            mailbox_root: mailbox_root.into(),
            request,
            channel: LivenessChannel::Heartbeat,
            timeout: Duration::from_millis(limits::TIMEOUT_MS),
            grace: Duration::from_millis(limits::GRACE_MS),
            parent_lost: ParentLost::Fail,
            cancel: CancelToken::new(),
            key: InheritedKey::None,
            require_signed: false,
            log,
        }
    }
}

/// Fills in what every request of this process carries: a usable id, the
/// process that waits, a number used once, the key the answer needs, and when
/// nobody waits any more.
///
/// # Errors
///
/// When the system has no randomness to give.
pub fn prepare(options: &mut AskOptions) -> Result<(), getrandom::Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    let request = &mut options.request;
    request.id = adopt_request_id(&request.id, random);
    request.process = Some(process::own());
    request.nonce = Some(keys::nonce()?);
    request.answer_key = match options.key {
        InheritedKey::Key(key) => Some(key),
        InheritedKey::None | InheritedKey::Broken => None,
    };
    let timeout = u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX);
    // A little more than the wait itself: only for a requester that cannot be
    // judged otherwise.
    let end = SystemClock.wall().saturating_add(timeout);
    request.expires_at = Some(end.saturating_add(limits::UNCOLLECTED_MS));
    Ok(())
}

/// Asks, and waits for the outcome. Blocks its thread.
#[must_use]
pub fn ask(mut options: AskOptions) -> Outcome {
    let target = options.request.target_session_id.clone();
    let (log, id) = (Arc::clone(&options.log), options.request.id.clone());
    let give_up = |unavailable: Unavailable| {
        let fields = json!({
            "message": unavailable.reason,
            "requestId": id,
            "targetSessionId": target,
        });
        log("permission_forwarding.error", fields);
        Outcome::Unavailable(unavailable)
    };
    if usable_session_id(&target).is_none() {
        return give_up(Unavailable::no_target());
    }
    let mailbox = match FileMailbox::new(&options.mailbox_root, &target) {
        Ok(mailbox) => mailbox,
        Err(_) => return give_up(Unavailable::directories(&target)),
    };
    let trust = match (options.key, options.require_signed) {
        (InheritedKey::Key(key), _) => Trust::Key(key),
        (InheritedKey::None, false) => Trust::Unsigned,
        (InheritedKey::None, true) | (InheritedKey::Broken, _) => Trust::Nothing,
    };
    if trust == Trust::Nothing {
        // Nothing that could come would count, so nobody is bothered.
        return give_up(Unavailable {
            cause: Cause::Refused(Refused::Unsigned),
            reason: format!(
                "Answers must be signed, and no key of session '{target}' was inherited"
            ),
            state: None,
        });
    }
    if prepare(&mut options).is_err() {
        return give_up(Unavailable::not_written(&target));
    }
    Driver::new(options, mailbox, trust).run()
}

struct Driver {
    options: AskOptions,
    mailbox: FileMailbox,
    machine: Requester,
    bytes: Vec<u8>,
    watch: HeartbeatWatch,
    signal: Arc<Signal>,
    subscription: Option<Subscription>,
    state: Option<ServingState>,
    begun: u64,
}

impl Driver {
    fn new(options: AskOptions, mailbox: FileMailbox, trust: Trust) -> Self {
        let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let machine = Requester::new(Asking {
            request: options.request.clone(),
            timeout_ms: millis(options.timeout),
            grace_ms: millis(options.grace),
            parent_lost: options.parent_lost,
            trust,
            channel: options.channel.source(),
            poll_ms: limits::WATCHED_POLL_MS,
        });
        Self {
            bytes: options.request.write(),
            options,
            mailbox,
            machine,
            watch: HeartbeatWatch::default(),
            signal: Arc::default(),
            subscription: None,
            state: None,
            begun: SystemClock.now(),
        }
    }

    fn run(mut self) -> Outcome {
        self.options.cancel.wakes(&self.signal);
        let mut reply = Reply::Begin;
        loop {
            let step = self.machine.next(reply, SystemClock.now());
            reply = match step {
                Step::Finish(outcome) => return *outcome,
                other => self.perform(other),
            };
        }
    }

    fn perform(&mut self, step: Step) -> Reply {
        let id = self.machine.request().id.clone();
        match step {
            Step::Prepare => Reply::Done(self.mailbox.prepare()),
            Step::WriteRequest => {
                let written = self.mailbox.write_request(&id, &self.bytes);
                if written.is_ok() {
                    self.watch_for_answer(&id);
                }
                Reply::Done(written)
            }
            Step::LookAtTarget => {
                self.state = self.look_at_target();
                Reply::Liveness(self.state)
            }
            Step::LookForRequest => {
                let path = self.mailbox.request_path(&id);
                let there = path.is_some_and(|path| std::fs::symlink_metadata(path).is_ok());
                Reply::Present(there)
            }
            Step::ReadResponse => Reply::Read(self.mailbox.read_response(&id)),
            Step::RemoveResponse => Reply::Removed(self.mailbox.remove_response(&id)),
            Step::RemoveRequest => Reply::Removed(self.mailbox.remove_request(&id)),
            Step::CleanUp => {
                // A session that serves keeps its inbox until it stops.
                if self.state != Some(ServingState::Alive) {
                    self.mailbox.clean_up();
                }
                Reply::Done(Ok(()))
            }
            Step::WaitUntil(until) => {
                let mut wait = until.saturating_sub(SystemClock.now());
                if self.subscription.is_none() {
                    let asked_for = SystemClock.now().saturating_sub(self.begun);
                    wait = wait.min(limits::unwatched_poll_ms(asked_for));
                }
                self.signal.wait(Duration::from_millis(wait));
                Reply::Woken {
                    cancelled: self.options.cancel.is_cancelled(),
                }
            }
            Step::Log(event, fields) => {
                self.log(event, fields, &id);
                Reply::Done(Ok(()))
            }
            Step::Finish(_) => Reply::Begin,
        }
    }

    /// A server removes the request once the answer is written, and that wakes
    /// the one requester concerned; watching the directory of answers would
    /// wake all of them for every answer.
    fn watch_for_answer(&mut self, id: &str) {
        self.subscription = None;
        let path = self.mailbox.request_path(id);
        self.subscription = path.and_then(|path| subscribe(&path, &self.signal));
        // Gone already means answered already.
        self.signal.raise();
    }

    fn look_at_target(&mut self) -> Option<ServingState> {
        let target = &self.options.request.target_session_id;
        match &self.options.channel {
            LivenessChannel::None => None,
            LivenessChannel::Registry { is_serving, .. } => Some(if is_serving(target) {
                ServingState::Alive
            } else {
                ServingState::Absent
            }),
            LivenessChannel::Heartbeat => {
                let found = Heartbeats::new(&self.options.mailbox_root).read(target);
                let clock = SystemClock;
                let now = (clock.wall(), clock.now());
                let judge = process::state;
                Some(
                    self.watch
                        .judge(target, found.as_ref(), now.0, now.1, judge),
                )
            }
        }
    }

    fn log(&self, event: &str, mut fields: Value, id: &str) {
        let Some(map) = fields.as_object_mut() else {
            return;
        };
        let path = |path: Option<PathBuf>| json!(path.map(|path| path.display().to_string()));
        if event == "forwarded_permission.request_created" {
            map.insert("requestPath".into(), path(self.mailbox.request_path(id)));
        }
        if matches!(
            event,
            "forwarded_permission.request_created"
                | "forwarded_permission.response_received"
                | "forwarded_permission.response_timed_out"
        ) {
            map.insert("responsePath".into(), path(self.mailbox.response_path(id)));
        }
        if event == "forwarded_permission.no_serving_session" {
            let ids = match &self.options.channel {
                LivenessChannel::Registry { serving, .. } => serving(),
                LivenessChannel::Heartbeat => {
                    Heartbeats::new(&self.options.mailbox_root).session_ids()
                }
                LivenessChannel::None => Vec::new(),
            };
            map.insert("servingSessionIds".into(), json!(ids));
        }
        (self.options.log)(event, fields);
    }
}

/// Whether a session in another process drains its inbox, at one look.
#[must_use]
pub fn is_serving(mailbox_root: &std::path::Path, session_id: &str) -> bool {
    let found = Heartbeats::new(mailbox_root).read(session_id);
    let clock = SystemClock;
    let state = HeartbeatWatch::default().judge(
        session_id,
        found.as_ref(),
        clock.wall(),
        clock.now(),
        process::state,
    );
    state == ServingState::Alive
}
