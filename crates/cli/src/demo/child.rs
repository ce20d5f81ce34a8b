//! A subagent of the demonstration: a headless session in a process of its
//! own. Calls come in as lines of JSON, results go out the same way.

use std::io::BufRead as _;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use countersign_host::intent::ToolCall;
use countersign_host::session::{
    self, Front, Gate, Level, Options, Question, Session, Settled, Update,
};
use countersign_host::workspace::UNTRUSTED;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::terminal::say;

/// How the parent starts a subagent.
#[derive(Debug, clap::Args)]
pub struct ChildArgs {
    /// The subagent's name
    #[arg(long)]
    name: String,
    /// The agent directory
    #[arg(long)]
    agent_dir: PathBuf,
    /// The directory it works in
    #[arg(long)]
    cwd: PathBuf,
}

/// What became of a call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Result {
    /// Whether it may run.
    pub allowed: bool,
    /// What the model is told where it may not.
    pub message: Option<String>,
    /// Who decided, in the words of the event.
    pub resolution: String,
    /// The pattern that matched.
    pub pattern: Option<String>,
    /// Where its rule is written.
    pub origin: Option<String>,
    /// From the call to its decision, in milliseconds.
    pub millis: f64,
}

/// Keeps the last decision: it names who decided.
#[derive(Default)]
struct Notes(Mutex<Value>);

impl Front for Notes {
    fn question(&self, _: Question) {}

    fn question_gone(&self, _: &str) {}

    fn event(&self, channel: &str, payload: Value) {
        if channel == "permissions:decision" {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = payload;
        }
    }

    fn notice(&self, _: Level, text: &str) {
        // The demonstration has no project that could be trusted.
        if text == UNTRUSTED {
            return;
        }
        crate::terminal::complain(text);
    }
}

impl Notes {
    fn text(&self, key: &str) -> Option<String> {
        let payload = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        payload.get(key).and_then(Value::as_str).map(str::to_owned)
    }
}

/// Takes calls until standard input ends: when the parent goes, so does the
/// child.
pub fn run(args: ChildArgs) -> anyhow::Result<()> {
    let notes = Arc::new(Notes::default());
    let session = Session::open(
        Options {
            agent_dir: args.agent_dir,
            cwd: args.cwd,
            home: None,
            session_id: format!("demo-{}-{}", args.name, std::process::id()),
            session_dir: None,
            has_ui: false,
            trusted: false,
            environment: session::environment(),
            host_directories: Vec::new(),
            install_directory: None,
        },
        Arc::clone(&notes) as Arc<dyn Front>,
    );
    session.update(Update {
        agent: Some(Some(args.name)),
        tools: Some(vec!["bash".to_owned()]),
        ..Update::default()
    });
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let call = ToolCall::new("bash", json!({ "command": line? }));
        let began = Instant::now();
        let settled = match session.gate(&call, &format!("call-{number}")) {
            Gate::Allow => Settled::Allowed,
            Gate::Block(message) => Settled::Blocked(message),
            Gate::Waiting(id) => wait(&session, &id),
        };
        let millis = began.elapsed().as_secs_f64() * 1000.0;
        let (allowed, message) = match settled {
            Settled::Allowed => (true, None),
            Settled::Blocked(message) => (false, Some(message)),
        };
        let result = Result {
            allowed,
            message,
            resolution: notes.text("resolution").unwrap_or_default(),
            pattern: notes.text("matchedPattern"),
            origin: notes.text("origin"),
            millis,
        };
        say(&serde_json::to_string(&result)?)?;
    }
    session.shutdown();
    Ok(())
}

fn wait(session: &Session, id: &str) -> Settled {
    let (tell, hear) = mpsc::channel();
    session.when_settled(id, move |settled| {
        let _ = tell.send(settled);
    });
    hear.recv().unwrap_or_else(|_| {
        Settled::Blocked("the question was lost, so the call was blocked".to_owned())
    })
}
