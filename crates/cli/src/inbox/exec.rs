//! The inbox with a program that answers.

use std::collections::HashSet;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use countersign_host::dialog::{Reach, visible};
use countersign_host::session::{Answer, Session, Via};
use serde_json::Value;

use super::answer;
use super::serve::{Event, Inbox, Waiting, decided};
use crate::exit::Outcome;
use crate::terminal::{complain, say};

/// Programs that run at the same time; more questions wait their turn.
const AT_ONCE: usize = 8;

/// Most of what a program may say; an answer is a line.
const LONGEST_ANSWER: usize = 64 << 10;

/// Serves until interrupted, handing each question to `command`.
pub fn run(inbox: Inbox, command: &str) -> Outcome {
    say(&format!("serving questions to `{}`", inbox.session.id()))?;
    let (finished, ended) = std::sync::mpsc::channel::<String>();
    let command: Arc<str> = command.into();
    let mut queue: std::collections::VecDeque<Waiting> = std::collections::VecDeque::new();
    let mut running: HashSet<String> = HashSet::new();
    while let Ok(event) = inbox.events.recv() {
        match event {
            Event::Asked(question) => queue.push_back(*question),
            Event::Gone(id) => queue.retain(|it| it.question.request_id != id),
            Event::Decided(payload) => say(&decided(&payload))?,
            Event::Notice(text) => complain(&format!("note: {}", visible(&text))),
            Event::Line(_) => {}
            Event::Interrupt => break,
        }
        while let Ok(id) = ended.try_recv() {
            running.remove(&id);
        }
        while running.len() < AT_ONCE
            && let Some(question) = queue.pop_front()
        {
            running.insert(question.question.request_id.clone());
            let session = Arc::clone(&inbox.session);
            let command = Arc::clone(&command);
            let finished = finished.clone();
            let wake = inbox.sender.clone();
            std::thread::spawn(move || {
                let id = question.question.request_id.clone();
                let answer = consult(&command, &question).map(|answer| {
                    match answer::offered(&question.question.offers, &answer) {
                        true => answer,
                        // It approved this call at least.
                        false => answer::approved(Reach::Once),
                    }
                });
                settle(&session, &id, answer);
                let _ = finished.send(id);
                // The loop waits for events only.
                let _ = wake.send(Event::Line(None));
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A program that fails or says something else than an answer leaves the
/// question unanswered: that is never a yes, and never the user's no.
fn settle(session: &Session, id: &str, answer: Result<Answer, String>) {
    let answer = answer.unwrap_or_else(|why| {
        complain(&format!("no answer for {id}: {why}"));
        Answer::Unavailable {
            reason: format!("The program that answers for the inbox gave no answer: {why}"),
        }
    });
    session.answer(id, answer, Via::Select);
}

fn consult(command: &str, question: &Waiting) -> Result<Answer, String> {
    let mut child = Command::new(if cfg!(windows) { "cmd" } else { "sh" })
        .args([if cfg!(windows) { "/C" } else { "-c" }, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it could not be started ({error})"))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not want the question may not read it.
        let _ = writeln!(input, "{}", question.json());
    }
    let output = child
        .wait_with_output()
        .map_err(|error| format!("its output could not be read ({error})"))?;
    if !output.status.success() {
        return Err(format!("it failed ({})", output.status));
    }
    if output.stdout.len() > LONGEST_ANSWER {
        return Err("it said too much".to_owned());
    }
    read(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| "it said something else".to_owned())
}

/// An answer: a line as a person would type it, or
/// `{"answer": "approve|subagent|session|everywhere|deny", "reason"?}`.
fn read(text: &str) -> Option<Answer> {
    let text = text.trim();
    if !text.starts_with('{') {
        return answer::parse(text);
    }
    let said: Value = serde_json::from_str(text).ok()?;
    let word = said.get("answer")?.as_str()?;
    match (answer::parse(word)?, said.get("reason")) {
        (Answer::Denied { .. }, Some(Value::String(reason))) => Some(Answer::Denied {
            reason: Some(reason.clone()).filter(|it| !it.trim().is_empty()),
        }),
        (answer, None | Some(Value::Null)) => Some(answer),
        (Answer::Denied { .. }, _) => Some(Answer::Denied { reason: None }),
        // An approval has no reason; something is mixed up.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_answers_of_programs() {
        let denied = |reason: Option<&str>| {
            Some(Answer::Denied {
                reason: reason.map(str::to_owned),
            })
        };
        assert_eq!(read("approve\n"), Some(answer::approved(Reach::Once)));
        assert_eq!(
            read(r#"{"answer":"session"}"#),
            Some(answer::approved(Reach::Session))
        );
        assert_eq!(
            read(r#"{"answer":"deny","reason":"not now"}"#),
            denied(Some("not now"))
        );
        assert_eq!(read(r#"{"answer":"deny","reason":7}"#), denied(None));
        for unclear in [
            "",
            "approved by policy",
            "{}",
            r#"{"answer":"approve","reason":"because"}"#,
            r#"{"answer":true}"#,
            r#"{"answer":"approve""#,
        ] {
            assert_eq!(read(unclear), None, "{unclear}");
        }
    }
}
