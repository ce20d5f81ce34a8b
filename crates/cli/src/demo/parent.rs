//! The parent of the demonstration: serves its subagents and puts their
//! questions to the person at the terminal.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use countersign_host::dialog::{Reach, visible};
use countersign_host::session::{Answer, Front, Level, Options, Question, Session, Via};
use countersign_host::workspace::UNTRUSTED;
use serde_json::Value;

use super::Unattended;
use super::child::Result as CallResult;
use super::world::{PATIENCE_SECONDS, World};
use crate::exit::{Failure, Outcome};
use crate::terminal::{complain, say};

/// No step of the demonstration takes longer without a person thinking.
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// Status after an interrupt, as shells have it.
const INTERRUPTED: u8 = 130;

/// What can happen to the parent.
enum Event {
    Question(Question),
    Gone(String),
    Result(usize, CallResult),
    /// A subagent's process ended.
    Ended(usize),
    /// A line the person typed; `None` at the end of standard input.
    Line(Option<String>),
    Interrupt,
}

/// Brings what the session says into the parent's one queue.
struct Screen(Sender<Event>);

impl Front for Screen {
    fn question(&self, question: Question) {
        let _ = self.0.send(Event::Question(question));
    }

    fn question_gone(&self, request_id: &str) {
        let _ = self.0.send(Event::Gone(request_id.to_owned()));
    }

    fn event(&self, _: &str, _: Value) {}

    fn notice(&self, _: Level, text: &str) {
        // The demonstration has no project that could be trusted.
        if text == UNTRUSTED {
            return;
        }
        complain(text);
    }
}

/// A subagent: its name and process.
struct Subagent {
    name: &'static str,
    process: Child,
    calls: Option<ChildStdin>,
}

impl Drop for Subagent {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.calls.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Parent {
    session: Arc<Session>,
    subagents: Vec<Subagent>,
    events: Receiver<Event>,
    answer: Option<Unattended>,
    /// Whether standard input is being read.
    listening: bool,
    /// Lines of a script that came before their question. What a person typed
    /// before they saw the question is dropped instead.
    typed: VecDeque<String>,
    /// Whether standard input has ended.
    ended: bool,
    sender: Sender<Event>,
    /// How long the person took for the last question.
    thinking: Duration,
    /// How far the last approval reached.
    reach: Option<Reach>,
    interrupted: bool,
}

/// Runs the demonstration.
pub fn run(answer: Option<Unattended>) -> Outcome {
    let (sender, events) = mpsc::channel();
    let interrupt = sender.clone();
    ctrlc::set_handler(move || {
        let _ = interrupt.send(Event::Interrupt);
    })?;
    let world = World::new(answer == Some(Unattended::None))?;
    let session = Session::open(
        Options {
            agent_dir: world.agent_dir(),
            cwd: world.project(),
            home: None,
            session_id: format!("demo-parent-{}", std::process::id()),
            session_dir: None,
            has_ui: true,
            trusted: false,
            // A parent is nobody's child, whoever started this program.
            environment: std::collections::BTreeMap::new(),
            host_directories: Vec::new(),
            install_directory: None,
        },
        Arc::new(Screen(sender.clone())),
    );
    let mut parent = Parent {
        subagents: Vec::new(),
        events,
        answer,
        listening: false,
        typed: VecDeque::new(),
        ended: false,
        sender,
        thinking: Duration::ZERO,
        reach: None,
        interrupted: false,
        session,
    };
    for name in ["scout", "janitor", "builder"] {
        let subagent = parent.start(name, &world)?;
        parent.subagents.push(subagent);
    }
    let outcome = parent.play();
    parent.subagents.clear();
    parent.session.shutdown();
    if parent.interrupted {
        return Ok(INTERRUPTED.into());
    }
    outcome.map(|()| ExitCode::SUCCESS)
}

impl Parent {
    fn start(&self, name: &'static str, world: &World) -> anyhow::Result<Subagent> {
        let program = std::env::current_exe()?;
        let mut command = Command::new(program);
        command
            .arg("demo-child")
            .args(["--name", name])
            .arg("--agent-dir")
            .arg(world.agent_dir())
            .arg("--cwd")
            .arg(world.project())
            .env("PI_SUBAGENT_PARENT_SESSION", self.session.id())
            .env_remove("PI_AGENT_ROUTER_PARENT_SESSION_ID")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(key) = self.session.answer_key() {
            command.env(countersign_host::forwarding::ANSWER_KEY_VARIABLE, key);
        }
        let mut process = command
            .spawn()
            .map_err(|error| Failure::new(format!("cannot start a subagent: {error}")))?;
        let index = self.subagents.len();
        if let Some(out) = process.stdout.take() {
            let sender = self.sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if let Ok(result) = serde_json::from_str(&line) {
                        let _ = sender.send(Event::Result(index, result));
                    }
                }
                let _ = sender.send(Event::Ended(index));
            });
        }
        Ok(Subagent {
            name,
            calls: process.stdin.take(),
            process,
        })
    }

    fn play(&mut self) -> anyhow::Result<()> {
        say("A parent session and three subagents, each a process of its own. They forward")?;
        say("their questions through the same mailbox as Pi's subagents. Nothing is run.")?;
        self.call(0, "git status")?;
        self.call(1, "rm -rf build")?;
        self.call(2, "npm install left-pad")?;
        match (self.answer, self.reach) {
            (Some(Unattended::None), _) => {
                say("")?;
                say("The parent stops serving. The same question again:")?;
                self.session.shutdown();
                self.call(2, "npm install left-pad")?;
            }
            (_, Some(Reach::Subagent)) => {
                say("")?;
                say("Remembered for builder. It wants something similar:")?;
                self.call(2, "npm install chalk")?;
            }
            (_, Some(Reach::Session)) => {
                say("")?;
                say("Remembered for the whole session. Another subagent wants something similar:")?;
                self.call(0, "npm install chalk")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets a subagent make a call, and shows what becomes of it.
    fn call(&mut self, index: usize, command: &str) -> anyhow::Result<()> {
        if self.interrupted {
            return Ok(());
        }
        let Some(subagent) = self.subagents.get_mut(index) else {
            return Ok(());
        };
        say("")?;
        say(&format!("{:<9} {command}", subagent.name))?;
        self.thinking = Duration::ZERO;
        let sent = subagent
            .calls
            .as_mut()
            .map(|calls| writeln!(calls, "{command}").and_then(|()| calls.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.lost(index).into());
        }
        loop {
            match self.next()? {
                Event::Question(question) => self.put(&question)?,
                Event::Result(from, result) if from == index => return Ok(self.show(&result)?),
                Event::Ended(from) if from == index => return Err(self.lost(index).into()),
                Event::Interrupt => {
                    self.interrupted = true;
                    say("")?;
                    return Ok(());
                }
                Event::Line(None) => self.ended = true,
                Event::Line(Some(line)) if !io::stdin().is_terminal() => {
                    self.typed.push_back(line);
                }
                Event::Result(..) | Event::Ended(_) | Event::Gone(_) | Event::Line(_) => {}
            }
        }
    }

    fn next(&self) -> anyhow::Result<Event> {
        self.events
            .recv_timeout(STEP_LIMIT)
            .map_err(|_| Failure::new("a subagent does not report back").into())
    }

    fn lost(&self, index: usize) -> Failure {
        let name = self.subagents.get(index).map_or("?", |it| it.name);
        Failure::new(format!("the process of subagent `{name}` ended"))
    }

    /// Puts a question to the person, or answers as told.
    fn put(&mut self, question: &Question) -> anyhow::Result<()> {
        let began = Instant::now();
        for line in visible(&question.text).lines() {
            say(&format!("  │ {line}"))?;
        }
        let id = question.request_id.as_str();
        let answer = match self.answer {
            Some(Unattended::Approve) => Some(approved(Reach::Once)),
            Some(Unattended::Session) => Some(approved(Reach::Session)),
            Some(Unattended::Deny) => Some(Answer::Denied { reason: None }),
            Some(Unattended::None) => {
                say(&format!(
                    "  Nobody answers. A question waits {PATIENCE_SECONDS} s here, ten minutes otherwise."
                ))?;
                None
            }
            None => self.ask(id)?,
        };
        self.thinking = began.elapsed();
        self.reach = match &answer {
            Some(Answer::Approved { reach, .. }) => Some(*reach),
            _ => None,
        };
        if let Some(answer) = answer {
            self.session.answer(id, answer, Via::Select);
        }
        Ok(())
    }

    /// The person's answer; `None` where the question went away meanwhile.
    fn ask(&mut self, id: &str) -> anyhow::Result<Option<Answer>> {
        say("  y yes, once · s yes, for this subagent · a yes, for the whole session")?;
        say("  n no · r no, with a reason")?;
        loop {
            prompt("  answer: ")?;
            let Some(line) = self.line(id)? else {
                return Ok(None);
            };
            let Some(line) = line else {
                say("(end of input)")?;
                return Ok(Some(Answer::Unavailable {
                    reason: "The terminal of the parent session was closed".to_owned(),
                }));
            };
            if !io::stdin().is_terminal() {
                say(&line)?;
            }
            let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            let answer = match word {
                "y" | "yes" => approved(Reach::Once),
                "s" => approved(Reach::Subagent),
                "a" => approved(Reach::Session),
                "n" | "no" => Answer::Denied { reason: None },
                "r" => {
                    let mut reason = rest.trim().to_owned();
                    while reason.is_empty() {
                        prompt("  reason: ")?;
                        match self.line(id)? {
                            None => return Ok(None),
                            Some(None) => break,
                            Some(Some(text)) => reason = text,
                        }
                    }
                    let reason = Some(reason).filter(|text| !text.is_empty());
                    Answer::Denied { reason }
                }
                _ => {
                    say("  one of: y, s, a, n, r")?;
                    continue;
                }
            };
            return Ok(Some(answer));
        }
    }

    /// The next line typed, `Some(None)` at the end of input, `None` where the
    /// question `id` went away or the person interrupts.
    fn line(&mut self, id: &str) -> anyhow::Result<Option<Option<String>>> {
        if !self.listening {
            self.listening = true;
            let sender = self.sender.clone();
            // Detached: a read of a terminal cannot be interrupted, and must
            // not keep the program from ending.
            std::thread::spawn(move || {
                for line in io::stdin().lock().lines() {
                    let line = line.ok().map(|text| text.trim().to_owned());
                    let ended = line.is_none();
                    if sender.send(Event::Line(line)).is_err() || ended {
                        return;
                    }
                }
                let _ = sender.send(Event::Line(None));
            });
        }
        if let Some(line) = self.typed.pop_front() {
            return Ok(Some(Some(line)));
        }
        if self.ended {
            return Ok(Some(None));
        }
        loop {
            match self.events.recv_timeout(Duration::from_secs(3600)) {
                Ok(Event::Line(line)) => {
                    self.ended = line.is_none();
                    return Ok(Some(line));
                }
                Ok(Event::Gone(gone)) if gone == id => {
                    say("")?;
                    say("  The question is gone: nobody waits for its answer any more.")?;
                    return Ok(None);
                }
                Ok(Event::Interrupt) => {
                    let _ = self.sender.send(Event::Interrupt);
                    return Ok(None);
                }
                Ok(event @ Event::Result(..)) => {
                    // Its subagent gave up; `call` shows that.
                    let _ = self.sender.send(event);
                    return Ok(None);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Ok(None);
                }
            }
        }
    }

    fn show(&self, result: &CallResult) -> io::Result<()> {
        let word = match (result.allowed, result.resolution.as_str()) {
            (true, _) => "allowed",
            (false, "confirmation_unavailable") => "not answered",
            (false, _) => "denied",
        };
        let total = Duration::from_secs_f64(result.millis.max(0.0) / 1000.0);
        let asked = !self.thinking.is_zero() && result.resolution != "confirmation_unavailable";
        let time = if asked {
            let way = total.saturating_sub(self.thinking);
            format!(
                "{} on the way, {} for the answer",
                short(way),
                short(self.thinking)
            )
        } else {
            short(total)
        };
        let you = if self.answer.is_some() {
            "the answer given with `--answer`"
        } else {
            "you"
        };
        say(&format!("  → {word} by {} ({time})", by(result, you)))?;
        if let Some(message) = &result.message {
            say("    its model is told:")?;
            for line in visible(message).lines() {
                say(&format!("    {line}"))?;
            }
        }
        Ok(())
    }
}

fn approved(reach: Reach) -> Answer {
    Answer::Approved {
        reach,
        both_directions: false,
    }
}

/// Who decided, in words; `you` is who answers.
fn by(result: &CallResult, you: &str) -> String {
    let pattern = result.pattern.as_deref().unwrap_or("*");
    match result.resolution.as_str() {
        "policy_allow" | "policy_deny" => match result.origin.as_deref() {
            Some(origin) => format!("the {origin} rule `{pattern}`"),
            None => format!("the rule `{pattern}`"),
        },
        "session_approved" => "an approval given before".to_owned(),
        "user_approved" | "user_denied" => you.to_owned(),
        "user_approved_for_session" => format!("{you}, and remembered"),
        "confirmation_unavailable" => "anybody".to_owned(),
        other => other.to_owned(),
    }
}

fn short(span: Duration) -> String {
    let millis = span.as_secs_f64() * 1000.0;
    match millis {
        ..1.0 => format!("{:.0} µs", millis * 1000.0),
        ..100.0 => format!("{millis:.1} ms"),
        ..1000.0 => format!("{millis:.0} ms"),
        _ => format!("{:.1} s", millis / 1000.0),
    }
}

fn prompt(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
