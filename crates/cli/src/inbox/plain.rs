//! The inbox line by line: for scripts, slow terminals and screen readers.

use std::process::ExitCode;

use countersign_host::dialog::visible;
use countersign_host::session::Via;

use super::answer;
use super::serve::{Event, Inbox, NOT_WAITING, Waiting, decided};
use crate::exit::{ASK, Outcome};
use crate::terminal::say;

/// Serves until the end of standard input, `quit`, or an interrupt.
pub fn run(inbox: Inbox) -> Outcome {
    say(&format!("serving questions to `{}`", inbox.session.id()))?;
    say(&format!("answer with: {}", answer::WORDS))?;
    say(
        "an answer goes to the oldest question, or to the one of its number: `2 y`; `list`, `quit`",
    )?;
    inbox.listen();
    let mut waiting = Numbered::default();
    while let Ok(event) = inbox.events.recv() {
        match event {
            Event::Asked(question) => {
                let number = waiting.add((*question).clone());
                show(number, &question)?;
            }
            Event::Gone(id) => waiting.remove(&id),
            Event::Decided(payload) => say(&decided(&payload))?,
            Event::Notice(text) => say(&format!("note: {}", visible(&text)))?,
            Event::Line(Some(line)) if line.trim() == "quit" => break,
            Event::Line(Some(line)) => obey(&inbox, &waiting, &line)?,
            Event::Line(None) | Event::Interrupt => break,
        }
    }
    let unanswered = waiting.0.len();
    drop(inbox);
    if unanswered == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("ended with {unanswered} unanswered"))?;
    Ok(ASK.into())
}

/// The questions that wait, each with the number it was shown with.
#[derive(Default)]
struct Numbered(Vec<(u64, Waiting)>);

impl Numbered {
    fn add(&mut self, question: Waiting) -> u64 {
        // Numbers are not used again while later ones are on the screen.
        let number = self.0.last().map_or(1, |(number, _)| number + 1);
        self.0.push((number, question));
        number
    }

    fn remove(&mut self, id: &str) {
        self.0.retain(|(_, it)| it.question.request_id != id);
    }

    fn find(&self, number: Option<u64>) -> Option<&Waiting> {
        match number {
            None => self.0.first(),
            Some(wanted) => self.0.iter().find(|(number, _)| *number == wanted),
        }
        .map(|(_, question)| question)
    }
}

fn obey(inbox: &Inbox, waiting: &Numbered, line: &str) -> std::io::Result<()> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(());
    }
    if line == "list" {
        for (number, question) in &waiting.0 {
            show(*number, question)?;
        }
        return say(&format!("{} waiting", waiting.0.len()));
    }
    let (number, rest) = match line.split_once(char::is_whitespace) {
        Some((first, rest)) => match first.parse::<u64>() {
            Ok(number) => (Some(number), rest),
            Err(_) => (None, line),
        },
        None => (None, line),
    };
    let Some(answer) = answer::parse(rest) else {
        return say(&format!("not an answer; {}", answer::WORDS));
    };
    match waiting.find(number) {
        Some(question) if !answer::offered(&question.question.offers, &answer) => {
            say(answer::NOT_OFFERED)
        }
        Some(question) => {
            let id = question.question.request_id.as_str();
            match inbox.session.answer(id, answer, Via::Select) {
                true => Ok(()),
                false => say(NOT_WAITING),
            }
        }
        None => say("no such question waits"),
    }
}

fn show(number: u64, question: &Waiting) -> std::io::Result<()> {
    let waited = question.since.elapsed().as_secs();
    say(&format!(
        "[{number}] {} in session {} asks{}",
        visible(question.agent()),
        visible(question.session()),
        if waited > 0 {
            format!(", {waited} s ago")
        } else {
            String::new()
        }
    ))?;
    for line in visible(&question.question.text).lines() {
        say(&format!("    {line}"))?;
    }
    Ok(())
}
