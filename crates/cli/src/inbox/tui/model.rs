//! What the screen shows, and what a key or a click makes of it. Pure: time is
//! handed in.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use countersign_host::dialog::Reach;
use countersign_host::session::Answer;

use super::super::answer::{NOT_OFFERED, approved, offered};
use super::super::serve::Waiting;

/// A key pressed before a question was on the screen this long was meant for
/// something else.
const UNREAD: Duration = Duration::from_millis(600);

/// Decisions kept to look back at.
const HISTORY: usize = 500;

/// Longest reason or filter.
const LONGEST_TEXT: usize = 500;

/// A key, as far as the screen knows keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Up,
    Down,
    PageUp,
    PageDown,
    Enter,
    Escape,
    Backspace,
}

/// What is typed into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Keys are commands.
    Commands,
    /// Keys make a reason; the ids it is for.
    Reason(String, Vec<String>),
    /// Keys make a filter.
    Filter,
}

/// What to do outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Answer a question.
    Answer(String, Answer),
    /// End.
    Quit,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A session, with its agent.
    Session(String, String),
    /// A question of it, an index into the waiting ones.
    Question(usize),
}

/// Everything the screen shows.
pub struct Model {
    pub id: String,
    pub waiting: Vec<Waiting>,
    /// Sessions in the order they appeared, so that an answer moves nothing.
    sessions: Vec<String>,
    /// The question under the cursor, by its id, so that it stays the same
    /// when others come and go.
    pub current: Option<String>,
    /// Since when that one is on the screen.
    shown: Instant,
    pub marked: BTreeSet<String>,
    pub history: VecDeque<String>,
    pub looking_back: bool,
    pub filter: String,
    pub mode: Mode,
    pub scroll: usize,
    pub notice: Option<String>,
    quitting: bool,
}

impl Model {
    pub fn new(id: &str, now: Instant) -> Self {
        Self {
            id: id.to_owned(),
            waiting: Vec::new(),
            sessions: Vec::new(),
            current: None,
            shown: now,
            marked: BTreeSet::new(),
            history: VecDeque::new(),
            looking_back: false,
            filter: String::new(),
            mode: Mode::Commands,
            scroll: 0,
            notice: None,
            quitting: false,
        }
    }

    /// A question arrived.
    pub fn add(&mut self, question: Waiting, now: Instant) {
        if !self.sessions.iter().any(|it| it == question.session()) {
            self.sessions.push(question.session().to_owned());
        }
        self.waiting.push(question);
        self.settle(now);
    }

    /// A question is answered or gone.
    pub fn remove(&mut self, id: &str, now: Instant) {
        let before: Vec<String> = self
            .order()
            .iter()
            .filter_map(|it| self.id_of(*it))
            .collect();
        self.waiting.retain(|it| it.question.request_id != id);
        let waiting = &self.waiting;
        self.sessions
            .retain(|session| waiting.iter().any(|it| it.session() == session));
        self.marked.remove(id);
        if let Mode::Reason(_, ids) = &mut self.mode {
            ids.retain(|it| it != id);
            if ids.is_empty() {
                self.mode = Mode::Commands;
                self.notice = Some("the question is gone".to_owned());
            }
        }
        if self.current.as_deref() == Some(id) {
            // The neighbour that took its place.
            let at = before.iter().position(|it| it == id).unwrap_or(0);
            let after = before.iter().skip(at + 1);
            let next = after.chain(before.iter().take(at).rev()).next();
            self.current = next.cloned();
            self.shown = now;
            self.scroll = 0;
        }
        self.settle(now);
    }

    /// Notes a decision.
    pub fn record(&mut self, line: String) {
        self.history.push_front(line);
        self.history.truncate(HISTORY);
    }

    /// The rows of the list: each session, then its questions.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for session in &self.sessions {
            let mut questions = self
                .waiting
                .iter()
                .enumerate()
                .filter(|(_, it)| it.session() == session && self.fits(it))
                .peekable();
            if let Some((_, first)) = questions.peek() {
                rows.push(Row::Session(session.clone(), first.agent().to_owned()));
            }
            rows.extend(questions.map(|(index, _)| Row::Question(index)));
        }
        rows
    }

    /// The question under the cursor.
    pub fn current(&self) -> Option<&Waiting> {
        let id = self.current.as_deref()?;
        self.waiting.iter().find(|it| it.question.request_id == id)
    }

    /// A key was pressed.
    pub fn key(&mut self, key: Key, now: Instant) -> Vec<Effect> {
        self.notice = None;
        if key != Key::Char('q') {
            self.quitting = false;
        }
        match self.mode.clone() {
            Mode::Commands => self.command(key, now),
            Mode::Filter => {
                self.edit_filter(key);
                self.settle(now);
                Vec::new()
            }
            Mode::Reason(text, ids) => self.edit_reason(key, text, ids),
        }
    }

    /// A click on a row of the list, or a turn of the wheel.
    pub fn click(&mut self, row: usize, now: Instant) {
        if let Some(Row::Question(index)) = self.rows().get(row) {
            self.go_to(*index, now);
        }
    }

    fn command(&mut self, key: Key, now: Instant) -> Vec<Effect> {
        match key {
            Key::Up | Key::Char('k') => self.step(-1, now),
            Key::Down | Key::Char('j') => self.step(1, now),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Key::PageDown => self.scroll = self.scroll.saturating_add(10),
            Key::Char(' ') => self.mark(),
            Key::Char('h') => self.looking_back = !self.looking_back,
            Key::Char('/') => self.mode = Mode::Filter,
            Key::Escape => {
                self.filter.clear();
                self.marked.clear();
                self.looking_back = false;
                self.settle(now);
            }
            Key::Char('y') => return self.answer(&approved(Reach::Once), now),
            Key::Char('s') => return self.answer(&approved(Reach::Subagent), now),
            Key::Char('a') => return self.answer(&approved(Reach::Session), now),
            Key::Char('e') => return self.answer(&approved(Reach::Everywhere), now),
            Key::Char('n') => return self.answer(&Answer::Denied { reason: None }, now),
            Key::Char('r') => {
                let ids = self.chosen(now);
                if !ids.is_empty() {
                    self.mode = Mode::Reason(String::new(), ids);
                }
            }
            Key::Char('q') => return self.quit(),
            Key::Char(_) | Key::Enter | Key::Backspace => {}
        }
        Vec::new()
    }

    /// The marked questions, or the one under the cursor; none while it is too
    /// new to have been read.
    fn chosen(&mut self, now: Instant) -> Vec<String> {
        if self.looking_back {
            return Vec::new();
        }
        if !self.marked.is_empty() {
            return self.marked.iter().cloned().collect();
        }
        if now.saturating_duration_since(self.shown) < UNREAD {
            self.notice = Some("the question just changed: look, then press again".to_owned());
            return Vec::new();
        }
        self.current.iter().cloned().collect()
    }

    fn answer(&mut self, answer: &Answer, now: Instant) -> Vec<Effect> {
        let chosen = self.chosen(now);
        let offering = |id: &String| {
            let waiting = self.waiting.iter();
            let mut those = waiting.filter(|it| it.question.request_id == *id);
            those.any(|it| offered(&it.question.offers, answer))
        };
        if !chosen.iter().all(offering) {
            self.notice = Some(match chosen.len() {
                1 => NOT_OFFERED.to_owned(),
                _ => "not all of the marked questions offer that".to_owned(),
            });
            return Vec::new();
        }
        chosen
            .into_iter()
            .map(|id| Effect::Answer(id, answer.clone()))
            .collect()
    }

    fn quit(&mut self) -> Vec<Effect> {
        if self.waiting.is_empty() || self.quitting {
            return vec![Effect::Quit];
        }
        self.quitting = true;
        self.notice = Some(format!(
            "{} unanswered: press q again to leave them",
            self.waiting.len()
        ));
        Vec::new()
    }

    fn edit_reason(&mut self, key: Key, mut text: String, ids: Vec<String>) -> Vec<Effect> {
        match key {
            Key::Escape => {
                self.mode = Mode::Commands;
                return Vec::new();
            }
            Key::Enter if text.trim().is_empty() => {
                self.notice = Some("a reason is required; esc goes back".to_owned());
            }
            Key::Enter => {
                self.mode = Mode::Commands;
                let reason = Some(text.trim().to_owned());
                return ids
                    .into_iter()
                    .map(|id| {
                        Effect::Answer(
                            id,
                            Answer::Denied {
                                reason: reason.clone(),
                            },
                        )
                    })
                    .collect();
            }
            key => edit(&mut text, key),
        }
        self.mode = Mode::Reason(text, ids);
        Vec::new()
    }

    fn edit_filter(&mut self, key: Key) {
        match key {
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::Commands;
            }
            Key::Enter => self.mode = Mode::Commands,
            key => edit(&mut self.filter, key),
        }
        // What cannot be seen must not be answered.
        let hidden: Vec<String> = self
            .waiting
            .iter()
            .filter(|it| !self.fits(it))
            .map(|it| it.question.request_id.clone())
            .collect();
        for id in hidden {
            self.marked.remove(&id);
        }
    }

    fn mark(&mut self) {
        if let Some(id) = self.current.clone()
            && !self.marked.remove(&id)
        {
            self.marked.insert(id);
        }
    }

    fn fits(&self, it: &Waiting) -> bool {
        let wanted = self.filter.to_lowercase();
        wanted.is_empty()
            || [it.agent(), it.session(), &it.question.text]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
    }

    /// Indices of the questions in the order of the list.
    fn order(&self) -> Vec<usize> {
        self.rows()
            .into_iter()
            .filter_map(|row| match row {
                Row::Question(index) => Some(index),
                Row::Session(..) => None,
            })
            .collect()
    }

    fn id_of(&self, index: usize) -> Option<String> {
        self.waiting
            .get(index)
            .map(|it| it.question.request_id.clone())
    }

    fn position(&self) -> Option<usize> {
        let current = self.current.as_deref()?;
        self.order()
            .into_iter()
            .position(|index| self.id_of(index).as_deref() == Some(current))
    }

    fn step(&mut self, by: isize, now: Instant) {
        let order = self.order();
        if order.is_empty() {
            return;
        }
        let next = match self.position() {
            Some(at) => at.saturating_add_signed(by).min(order.len() - 1),
            None => 0,
        };
        if let Some(index) = order.get(next) {
            self.go_to(*index, now);
        }
    }

    fn go_to(&mut self, index: usize, now: Instant) {
        let id = self.id_of(index);
        if id != self.current {
            self.current = id;
            // The user moved here, so the question is what they look at; a
            // key that was already pressed still comes too early.
            self.shown = now.checked_sub(UNREAD / 2).unwrap_or(now);
            self.scroll = 0;
        }
    }

    /// Puts the cursor on a visible question.
    fn settle(&mut self, now: Instant) {
        if self.position().is_some() {
            return;
        }
        self.current = self.order().first().and_then(|index| self.id_of(*index));
        self.shown = now;
        self.scroll = 0;
    }
}

fn edit(text: &mut String, key: Key) {
    match key {
        Key::Char(c) if text.len() < LONGEST_TEXT && !c.is_control() => text.push(c),
        Key::Backspace => {
            text.pop();
        }
        _ => {}
    }
}
