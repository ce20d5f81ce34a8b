use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use countersign_forward::delivery::{Delivery, deliver};
use countersign_forward::limits::{HEARTBEAT_MS, SERVE_POLL_MS, unwatched_poll_ms};
use countersign_forward::mailbox::{Clock as _, Mailbox as _};
use countersign_forward::server::{Answer, Effect, Found};
use countersign_forward::wire::{Request, ResponseFile};
use serde_json::json;

use super::SystemClock;
use super::serve::Shared;
use crate::mailbox::{Subscription, subscribe, sweep};
use crate::process;

/// How often the mailbox is swept, in milliseconds.
const SWEEP_MS: u64 = 60_000;

/// Drains the inbox and does what the machine says.
pub(super) struct Worker {
    shared: Arc<Shared>,
    subscription: Option<Subscription>,
    /// Which directory is watched: one that was removed and made again by
    /// somebody else has the same name, and no watch.
    watched: Option<Identity>,
    /// Entries that can neither be read nor removed.
    stuck: BTreeSet<String>,
    /// Answers that could not be written.
    due: Vec<Answer>,
    failing: bool,
    next_check: u64,
    next_sweep: u64,
    /// When something was last found or done.
    busy: u64,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            subscription: None,
            watched: None,
            stuck: BTreeSet::new(),
            due: Vec::new(),
            failing: false,
            next_check: 0,
            next_sweep: 0,
            busy: SystemClock.now(),
        }
    }

    pub(super) fn run(&mut self) {
        while !self.shared.is_stopping() {
            self.watch();
            self.perform();
            self.drain();
            self.housekeeping();
            self.perform();
            let wait = match self.subscription {
                Some(_) => SERVE_POLL_MS,
                None => unwatched_poll_ms(SystemClock.now().saturating_sub(self.busy)),
            };
            self.shared.wake.wait(Duration::from_millis(wait));
        }
        // An answer given just before the end is still delivered.
        self.perform();
        self.shared.step(|machine| ((), machine.stop()));
        self.perform();
        self.subscription = None;
        self.shared.mailbox.clean_up();
    }

    /// Makes the inbox and watches it. Both again when somebody removed it.
    fn watch(&mut self) {
        let dir = self.shared.mailbox.requests_dir().to_path_buf();
        let found = identity(&dir);
        if found.is_some() && found == self.watched && self.subscription.is_some() {
            return;
        }
        self.subscription = None;
        match self.shared.mailbox.prepare() {
            Ok(()) => {
                self.failing = false;
                // Read first: if it is replaced in between, that shows at the
                // next look.
                self.watched = identity(&dir);
                self.subscription = subscribe(&dir, &self.shared.wake);
            }
            Err(_) if self.failing => {}
            Err(fault) => {
                self.failing = true;
                let fields = json!({
                    "message": "The inbox of forwarded permission requests could not be prepared",
                    "error": fault.to_string(),
                });
                self.shared
                    .handler
                    .log("permission_forwarding.error", fields);
            }
        }
    }

    fn drain(&mut self) {
        let ids = match self.shared.mailbox.requests() {
            Ok(ids) => ids,
            Err(fault) => {
                if !self.failing {
                    self.failing = true;
                    let fields = json!({
                        "message": "The inbox of forwarded permission requests could not be listed",
                        "error": fault.to_string(),
                    });
                    self.shared
                        .handler
                        .log("permission_forwarding.warning", fields);
                }
                return;
            }
        };
        let present: BTreeSet<String> = ids.iter().cloned().collect();
        self.stuck.retain(|id| present.contains(id));
        self.shared.step(|machine| ((), machine.present(&present)));
        for id in ids {
            if self.stuck.contains(&id) || !self.shared.machine().wants(&id) {
                continue;
            }
            self.found(&id);
            self.perform();
            if self.shared.is_stopping() {
                return;
            }
        }
    }

    fn found(&mut self, id: &str) {
        let mailbox = &self.shared.mailbox;
        let bytes = match mailbox.read_request(id) {
            Ok(Some(bytes)) => Some(bytes),
            // Withdrawn since it was listed.
            Ok(None) => return,
            Err(_) => None,
        };
        let response = mailbox.response_path(id);
        let answered = response.is_some_and(|path| path.symlink_metadata().is_ok());
        let found = Found {
            id,
            bytes: bytes.as_deref(),
            answered,
            wall: SystemClock.wall(),
            now: SystemClock.now(),
        };
        let handler = &self.shared.handler;
        let decide = |request: &Request| {
            self.one_hop(request);
            handler.decide(request)
        };
        self.shared
            .step(|machine| ((), machine.found(&found, &decide, &process::state)));
    }

    /// A child of another session asks here. It is served; the entry helps to
    /// find out why.
    fn one_hop(&self, request: &Request) {
        let parent = self.shared.handler.parent_of(&request.requester_session_id);
        let Some(parent) = parent.filter(|parent| *parent != self.shared.options.session_id) else {
            return;
        };
        if !request.lineage.is_empty() {
            return;
        }
        let message = format!(
            "Request '{}' of session '{}' breaks the one-hop invariant: its parent is '{parent}'",
            request.id, request.requester_session_id
        );
        let fields = json!({ "message": message, "requestId": request.id });
        self.shared
            .handler
            .log("permission_forwarding.warning", fields);
    }

    fn housekeeping(&mut self) {
        let now = SystemClock.now();
        for answer in std::mem::take(&mut self.due) {
            self.deliver(answer, false);
        }
        if now >= self.next_check {
            self.next_check = now.saturating_add(HEARTBEAT_MS);
            self.shared
                .step(|machine| ((), machine.check_requesters(&process::state)));
        }
        if now >= self.next_sweep {
            self.next_sweep = now.saturating_add(SWEEP_MS);
            let swept = sweep(&self.shared.options.mailbox_root);
            if swept != crate::mailbox::Swept::default() {
                let fields = json!({
                    "message": "Removed what killed processes left in the mailbox",
                    "heartbeats": swept.heartbeats,
                    "requests": swept.requests,
                    "responses": swept.responses,
                    "partial": swept.partial,
                });
                self.shared
                    .handler
                    .log("permission_forwarding.swept", fields);
            }
        }
    }

    fn perform(&mut self) {
        while let Some(effect) = self.shared.pop() {
            self.busy = SystemClock.now();
            match effect {
                Effect::Remove { id } => self.remove(&id),
                Effect::Deliver(answer) => self.deliver(*answer, true),
                Effect::Ask(question) => {
                    crate::fault_point!("serve.before_ask");
                    self.shared.handler.ask(*question);
                }
                Effect::Changed(question) => {
                    let (id, revision) = (question.id.clone(), question.revision);
                    if self.shared.handler.changed(*question) {
                        self.shared.machine().shown(&id, revision);
                    }
                }
                Effect::Gone { id, why } => self.shared.handler.gone(&id, why),
                Effect::Log(event, fields) => self.log(event, fields),
            }
        }
    }

    fn log(&self, event: &'static str, mut fields: serde_json::Value) {
        let mailbox = &self.shared.mailbox;
        if let Some(map) = fields.as_object_mut()
            && let Some(id) = map.get("requestId").and_then(serde_json::Value::as_str)
        {
            let answer = event.ends_with(".approved") || event.ends_with(".denied");
            let (key, path) = if answer {
                ("responsePath", mailbox.response_path(id))
            } else {
                ("requestPath", mailbox.request_path(id))
            };
            let path = path.map(|path: PathBuf| path.display().to_string());
            map.insert(key.into(), json!(path));
        }
        self.shared.handler.log(event, fields);
    }

    /// Removes an entry that is not served, whatever its name.
    fn remove(&mut self, id: &str) {
        // The name comes from the listing, so it is a plain one.
        let plain = !id.contains(['/', '\\']);
        let path = self
            .shared
            .mailbox
            .requests_dir()
            .join(format!("{id}.json"));
        let removed = plain && std::fs::remove_file(path).is_ok();
        if !removed {
            self.stuck.insert(id.to_owned());
        }
    }

    fn deliver(&mut self, answer: Answer, first: bool) {
        let mut response = answer.response.clone();
        response.responded_at = SystemClock.wall();
        let file = ResponseFile {
            proof: Some(
                self.shared
                    .key
                    .sign(&answer.request, answer.digest, &response),
            ),
            requester: answer.request.process.clone(),
            response,
        };
        let mailbox = &self.shared.mailbox;
        let delivery = deliver(mailbox, &answer.request.id, answer.digest, &file.write());
        let failed = matches!(delivery, Delivery::Failed(_));
        // One entry for a failure, not one for each attempt.
        if first || !failed {
            self.shared
                .step(|machine| ((), machine.delivered(&answer, &delivery)));
        }
        if failed {
            self.due.push(answer);
        }
    }
}

/// What tells a directory from another one of the same name.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(dir: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let found = dir.symlink_metadata().ok().filter(|found| found.is_dir())?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(dir: &Path) -> Option<Identity> {
    let found = dir.symlink_metadata().ok().filter(|found| found.is_dir())?;
    let made = found.created().ok()?;
    let since = made
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .ok()?;
    Some((since.as_secs(), u64::from(since.subsec_nanos())))
}
