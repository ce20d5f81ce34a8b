//! The inbox as a terminal interface.

mod model;
mod view;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use countersign_host::session::Via;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, KeyCode, KeyEventKind, KeyModifiers,
    MouseButton, MouseEventKind,
};
use ratatui::crossterm::execute;

use self::model::{Effect, Key, Model};
use super::bell::Bell;
use super::serve::{Event, Inbox, NOT_WAITING, decided};
use crate::exit::{ASK, Outcome};

/// How often the screen looks for something new.
const LOOK_EVERY: Duration = Duration::from_millis(40);

/// Waiting times on the screen are in seconds.
const REDRAW_EVERY: Duration = Duration::from_secs(1);

/// Serves until the user ends.
pub fn run(inbox: Inbox, bell: Bell) -> Outcome {
    let mut terminal = ratatui::try_init()?;
    let mouse = execute!(std::io::stdout(), EnableMouseCapture);
    let outcome = show(&inbox, &mut terminal, bell);
    if mouse.is_ok() {
        let _ = execute!(std::io::stdout(), DisableMouseCapture);
    }
    ratatui::restore();
    let unanswered = outcome?;
    drop(inbox);
    if unanswered == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    crate::terminal::say(&format!("ended with {unanswered} unanswered"))?;
    Ok(ASK.into())
}

fn show(
    inbox: &Inbox,
    terminal: &mut ratatui::DefaultTerminal,
    bell: Bell,
) -> anyhow::Result<usize> {
    let mut model = Model::new(inbox.session.id(), Instant::now());
    let mut drawn = view::Drawn::default();
    let mut last = None::<Instant>;
    let mut changed = true;
    loop {
        while let Ok(event) = inbox.events.try_recv() {
            changed = true;
            let now = Instant::now();
            match event {
                Event::Asked(question) => {
                    bell.ring(&inbox.session, question.agent());
                    model.add(*question, now);
                }
                Event::Gone(id) => model.remove(&id, now),
                Event::Decided(payload) => model.record(decided(&payload)),
                Event::Notice(text) => model.notice = Some(text),
                Event::Line(_) => {}
                Event::Interrupt => return Ok(model.waiting.len()),
            }
        }
        if changed || last.is_none_or(|last| last.elapsed() >= REDRAW_EVERY) {
            let now = Instant::now();
            terminal.draw(|frame| drawn = view::draw(frame, &model, now))?;
            last = Some(now);
            changed = false;
        }
        if !event::poll(LOOK_EVERY)? {
            continue;
        }
        changed = true;
        let now = Instant::now();
        for effect in input(&mut model, &event::read()?, drawn, now) {
            match effect {
                Effect::Answer(id, answer) => {
                    if !inbox.session.answer(&id, answer, Via::Dialog) {
                        model.notice = Some(NOT_WAITING.to_owned());
                    }
                }
                Effect::Quit => return Ok(model.waiting.len()),
            }
        }
    }
}

fn input(model: &mut Model, event: &event::Event, drawn: view::Drawn, now: Instant) -> Vec<Effect> {
    match event {
        event::Event::Key(key) if key.kind != KeyEventKind::Release => {
            if key.modifiers.contains(KeyModifiers::CONTROL) {
                return match key.code {
                    KeyCode::Char('c') => vec![Effect::Quit],
                    _ => Vec::new(),
                };
            }
            translate(key.code).map_or_else(Vec::new, |key| model.key(key, now))
        }
        event::Event::Mouse(mouse) => {
            match mouse.kind {
                MouseEventKind::Down(MouseButton::Left)
                    if drawn.list.contains((mouse.column, mouse.row).into()) =>
                {
                    let row = usize::from(mouse.row - drawn.list.y);
                    model.click(drawn.first_row + row, now);
                }
                MouseEventKind::ScrollUp => return model.key(Key::Up, now),
                MouseEventKind::ScrollDown => return model.key(Key::Down, now),
                _ => {}
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn translate(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
