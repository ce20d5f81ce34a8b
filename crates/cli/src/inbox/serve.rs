//! The serving session of an inbox, and what it has to tell.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use countersign_host::paths::AgentPaths;
use countersign_host::session::{Front, Level, Options, Question, Session};
use countersign_host::workspace::UNTRUSTED;
use serde_json::{Value, json};

use crate::exit::Failure;

/// Questions on the screen at a time; more wait their turn. A person reads
/// fewer, and a page or a terminal must stay quick.
const AT_ONCE: usize = 200;

/// What an answer that came too late is told.
pub const NOT_WAITING: &str = "nobody waits for that answer any more";

/// A question that waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub question: Question,
    /// The event that announced it: its facts, for programs.
    pub facts: Value,
    pub since: Instant,
}

impl Waiting {
    /// Who asks.
    pub fn agent(&self) -> &str {
        self.question
            .forwarding
            .as_ref()
            .map_or("unknown", |it| it.requester_agent_name.as_str())
    }

    /// In which session.
    pub fn session(&self) -> &str {
        self.question
            .forwarding
            .as_ref()
            .map_or("unknown", |it| it.requester_session_id.as_str())
    }

    /// The question for a program.
    pub fn json(&self) -> Value {
        json!({
            "id": self.question.request_id,
            "agent": self.agent(),
            "session": self.session(),
            "surface": self.facts.get("surface"),
            "value": self.facts.get("value"),
            "request": self.facts.get("request"),
            "text": self.question.text,
            "options": self.question.options,
        })
    }
}

/// What can happen to an inbox.
#[derive(Debug)]
pub enum Event {
    /// A question arrived that no rule answers.
    Asked(Box<Waiting>),
    /// A question is answered, or nobody waits for its answer any more.
    Gone(String),
    /// Something was decided; the event's payload.
    Decided(Value),
    /// The session has something to say.
    Notice(String),
    /// A line was typed; `None` at the end of standard input.
    Line(Option<String>),
    /// The user wants to end.
    Interrupt,
}

/// Brings what the session says into one queue.
struct Screen {
    sender: Sender<Event>,
    /// A question's facts come in an event right before it.
    facts: Mutex<HashMap<String, Value>>,
}

impl Front for Screen {
    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn question(&self, question: Question) {
        let facts = self
            .facts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&question.request_id)
            .unwrap_or_default();
        let _ = self.sender.send(Event::Asked(Box::new(Waiting {
            question,
            facts,
            since: Instant::now(),
        })));
    }

    fn question_gone(&self, request_id: &str) {
        let _ = self.sender.send(Event::Gone(request_id.to_owned()));
    }

    fn event(&self, channel: &str, payload: Value) {
        match channel {
            "permissions:ui_prompt" => {
                if let Some(id) = payload.get("requestId").and_then(Value::as_str) {
                    let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
                    facts.insert(id.to_owned(), payload);
                }
            }
            "permissions:decision" => {
                let _ = self.sender.send(Event::Decided(payload));
            }
            _ => {}
        }
    }

    fn notice(&self, _: Level, text: &str) {
        // An inbox has no project that could be trusted.
        if text == UNTRUSTED {
            return;
        }
        let _ = self.sender.send(Event::Notice(text.to_owned()));
    }
}

/// A running inbox.
pub struct Inbox {
    pub session: Arc<Session>,
    pub events: Receiver<Event>,
    pub sender: Sender<Event>,
}

impl Inbox {
    /// Starts to serve. Two inboxes with one id would answer each other's
    /// questions, so a second one is refused.
    pub fn open(id: &str) -> anyhow::Result<Self> {
        let paths = AgentPaths::from_environment().ok_or_else(|| {
            Failure::new("there is no home directory")
                .help("set `HOME`, or `PI_CODING_AGENT_DIR` to Pi's agent directory")
        })?;
        if countersign_host::forwarding::is_serving(&paths.mailbox(), id) {
            return Err(
                Failure::new(format!("a session with the id `{id}` is already serving"))
                    .help("end that one, or serve another id with `--session`")
                    .into(),
            );
        }
        let (sender, events) = mpsc::channel();
        let interrupt = sender.clone();
        ctrlc::set_handler(move || {
            let _ = interrupt.send(Event::Interrupt);
        })?;
        let home = countersign_host::paths::home_dir();
        let session = Session::open(
            Options {
                agent_dir: paths.root().to_path_buf(),
                // An inbox has no project: children send their paths resolved.
                cwd: home.clone().unwrap_or_else(|| paths.root().to_path_buf()),
                home: home.map(|it| it.to_string_lossy().into_owned()),
                session_id: id.to_owned(),
                session_dir: None,
                has_ui: true,
                trusted: false,
                // It is nobody's child, whoever started this program.
                environment: std::collections::BTreeMap::new(),
                host_directories: Vec::new(),
                install_directory: None,
            },
            Arc::new(Screen {
                sender: sender.clone(),
                facts: Mutex::default(),
            }),
        );
        Ok(Self {
            session,
            events,
            sender,
        })
    }

    /// Reads standard input line by line from now on.
    pub fn listen(&self) {
        let sender = self.sender.clone();
        // Detached: a read of a terminal cannot be interrupted, and must not
        // keep the program from ending.
        std::thread::spawn(move || {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                if sender.send(Event::Line(Some(line))).is_err() {
                    return;
                }
            }
            let _ = sender.send(Event::Line(None));
        });
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.session.shutdown();
    }
}

/// A decision, in words; nothing in it can hide or move anything.
pub struct Decision {
    /// `allowed`, `denied` or `not answered`.
    pub word: &'static str,
    /// By whom.
    pub by: String,
    /// About what.
    pub what: String,
    /// Who asked.
    pub agent: String,
}

impl Decision {
    /// Reads the payload of a decision event.
    pub fn of(payload: &Value) -> Self {
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        let line = |text: &str| countersign_host::dialog::visible(text).replace('\n', "⏎");
        let word = match (text("result"), text("resolution")) {
            (Some("allow"), _) => "allowed",
            (_, Some("confirmation_unavailable")) => "not answered",
            _ => "denied",
        };
        let by = match text("resolution").unwrap_or("?") {
            "policy_allow" | "policy_deny" => "a rule",
            "session_approved" => "an approval given before",
            "user_approved" | "user_denied" => "you",
            "user_approved_for_session" => "you, and remembered",
            "confirmation_unavailable" => "anybody",
            other => other,
        };
        Self {
            word,
            by: line(by),
            what: line(text("value").unwrap_or("?")),
            agent: line(text("agentName").unwrap_or("unknown")),
        }
    }
}

/// One line about a decision, for people.
pub fn decided(payload: &Value) -> String {
    let Decision {
        word,
        by,
        what,
        agent,
    } = Decision::of(payload);
    format!("{word} by {by}: {what} ({agent})")
}
