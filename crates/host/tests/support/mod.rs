//! What the forwarding tests share: a log that can be looked at, a person who
//! reacts, and questions.

#![allow(dead_code, reason = "each test program uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use countersign_host::forwarding::wire::{AccessIntent, Decider, Principal, Request};
use countersign_host::forwarding::{
    self, Gone, Handler, Ruling, Server, ServerHandle, Verdict, Waiting,
};
use serde_json::Value;

/// Long enough for a machine under any load: a bound, not an expectation.
const PATIENCE: Duration = Duration::from_secs(120);

type Entries = Mutex<Vec<(String, Value)>>;

#[derive(Clone, Default)]
pub struct Log {
    entries: Arc<(Entries, Condvar)>,
}

impl Log {
    pub fn as_log(&self) -> forwarding::Log {
        let log = self.clone();
        Arc::new(move |event: &str, fields| log.write(event, fields))
    }

    pub fn write(&self, event: &str, fields: Value) {
        self.entries.0.lock().unwrap().push((event.into(), fields));
        self.entries.1.notify_all();
    }

    pub fn has(&self, event: &str) -> bool {
        self.count(event) > 0
    }

    pub fn count(&self, event: &str) -> usize {
        let entries = self.entries.0.lock().unwrap();
        entries.iter().filter(|(name, _)| name == event).count()
    }

    pub fn find(&self, event: &str) -> Value {
        let entries = self.entries.0.lock().unwrap();
        let found = entries.iter().find(|(name, _)| name == event);
        found.unwrap_or_else(|| panic!("no {event}")).1.clone()
    }

    pub fn waits_for(&self, what: &str, done: impl Fn(&[(String, Value)]) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut entries = self.entries.0.lock().unwrap();
        while !done(&entries) {
            if Instant::now() > end {
                drop(entries);
                panic!("waited in vain for {what}");
            }
            let wait = Duration::from_millis(100);
            entries = self.entries.1.wait_timeout(entries, wait).unwrap().0;
        }
    }
}

pub enum Reaction {
    /// Answers every question like this.
    Answer(Verdict),
    /// Lets questions wait.
    Nothing,
    /// Has a rule that allows everything.
    Rule,
}

pub type Rulings = Arc<dyn Fn(&Request) -> Ruling + Send + Sync>;

pub struct Person {
    reaction: Reaction,
    server: Mutex<Option<ServerHandle>>,
    early: Mutex<Vec<String>>,
    pub log: Log,
    pub shows_changes: bool,
    pub rulings: Mutex<Option<Rulings>>,
}

impl Person {
    pub fn new(reaction: Reaction) -> Arc<Self> {
        Arc::new(Self {
            reaction,
            server: Mutex::default(),
            early: Mutex::default(),
            log: Log::default(),
            shows_changes: false,
            rulings: Mutex::default(),
        })
    }

    /// Gives the person the server to answer through.
    pub fn sits_at(&self, server: &Server) {
        *self.server.lock().unwrap() = Some(server.handle());
        let early = std::mem::take(&mut *self.early.lock().unwrap());
        early.iter().for_each(|id| self.react(id));
    }

    fn react(&self, id: &str) {
        let Reaction::Answer(verdict) = &self.reaction else {
            return;
        };
        let server = self.server.lock().unwrap();
        match server.as_ref() {
            Some(server) => drop(server.answer(id, verdict)),
            None => self.early.lock().unwrap().push(id.into()),
        }
    }

    pub fn waits_for_question(&self, id: &str) {
        self.log.waits_for(id, |entries| {
            let asked = |(event, fields): &(String, Value)| event == "test.ask" && fields == id;
            entries.iter().any(asked)
        });
    }

    pub fn waits_for_gone(&self, id: &str) {
        self.log.waits_for(id, |entries| {
            let gone = |(event, fields): &(String, Value)| event == "test.gone" && fields == id;
            entries.iter().any(gone)
        });
    }
}

impl Handler for Person {
    fn decide(&self, request: &Request) -> Ruling {
        if let Some(rulings) = self.rulings.lock().unwrap().as_ref() {
            return rulings(request);
        }
        match &self.reaction {
            Reaction::Rule => Ruling::Answer(Verdict::approved(Decider::Rule {
                surface: "bash".into(),
                pattern: Some("*".into()),
                origin: Some("global".into()),
                reason: None,
            })),
            Reaction::Answer(_) | Reaction::Nothing => Ruling::Ask,
        }
    }

    fn ask(&self, question: Waiting) {
        self.log.write("test.ask", question.id.clone().into());
        self.react(&question.id);
    }

    fn changed(&self, question: Waiting) -> bool {
        self.log.write("test.changed", question.id.into());
        self.shows_changes
    }

    fn gone(&self, question_id: &str, why: Gone) {
        let _ = why;
        self.log.write("test.gone", question_id.into());
    }

    fn log(&self, event: &str, fields: Value) {
        self.log.write(event, fields);
    }
}

pub fn question(id: &str, requester: &str, target: &str, command: &str) -> Request {
    let mut request = Request::new(id, 1_760_000_000_000, requester, target);
    request.requester_agent_name = "explorer".into();
    request.surface = Some("bash".into());
    request.value = Some(command.into());
    request.access_intent = Some(AccessIntent {
        surface: "bash".into(),
        match_values: vec![command.into()],
        boundary_value: None,
        requester_cwd: Some("/w".into()),
        principal: Some(Principal {
            session_id: requester.into(),
            agent_name: "explorer".into(),
        }),
        floor: None,
        asking_units: None,
    });
    request
}

/// The files below a directory, as paths relative to it.
pub fn files_below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                left.push(path);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                found.push(relative.display().to_string());
            }
        }
    }
    found.sort();
    found
}
