//! The permission dialog: layout and keys (spec 04 §4).
//!
//! Everything a person sees and every key they press is decided here; a front
//! end draws the lines and passes keys on. The same facts serve a front end
//! that can only offer a list to choose from ([`Dialog::text`]).

mod keys;
mod layout;
mod offers;

pub use keys::{Bindings, Key};
pub use layout::{Fact, visible};
pub use offers::Offer;

/// How far an approval reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// This one call.
    Once,
    /// The asking subagent, until it ends.
    Subagent,
    /// The session that answers, and all its subagents.
    Session,
    /// This project, written to its file.
    Project,
    /// Everywhere, written to the user's file.
    Everywhere,
}

/// What the person decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Run it.
    Approve {
        /// How far the approval reaches.
        reach: Reach,
        /// Whether the grant covers both directions of a path family
        /// (spec 04 §1.3).
        both_directions: bool,
    },
    /// Do not run it.
    Deny {
        /// What to tell the model.
        reason: Option<String>,
    },
}

/// What a dialog is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The heading.
    pub title: String,
    /// The facts in the order of spec 04 §4.1.
    pub facts: Vec<Fact>,
    /// The label of the grant for the session; `None` where no grant is
    /// offered.
    pub session_label: Option<String>,
    /// The label of the grant for both directions, where it differs.
    pub family_label: Option<String>,
    /// Whether lasting grants (project, everywhere) are offered.
    pub lasting: Lasting,
    /// The asking subagent and the grant in words, for a forwarded question:
    /// a grant then asks for its reach.
    pub subagent: Option<Subagent>,
}

/// Which lasting grants are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lasting {
    /// The project's file may be written (trusted and valid).
    pub project: bool,
    /// The user's file may be written.
    pub everywhere: bool,
}

/// Who asks, where a question was forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent {
    /// Its agent name, or `unknown`.
    pub name: String,
    /// The grant in words, such as `bash "git *"`.
    pub grant: String,
}

/// Budgets of the display (spec 01 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Rows for the facts; only evidence gives way.
    pub rows: usize,
    /// Characters of one field.
    pub field: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            rows: 24,
            field: 400,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Approve,
    Session,
    Family,
    Project,
    Everywhere,
    Deny,
    DenyWithReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Decide {
        armed: Option<char>,
    },
    Reason {
        text: String,
        cursor: usize,
        missing: bool,
    },
    Reach {
        highlight: usize,
        both: bool,
    },
    Done(Choice),
}

/// One open dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    content: Content,
    bindings: Bindings,
    double_press: bool,
    budget: Budget,
    expanded: bool,
    highlight: usize,
    step: Step,
}

/// One drawn row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The text, without control characters.
    pub text: String,
    /// How to paint it.
    pub style: Style,
}

/// How a row is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The heading.
    Title,
    /// A fact.
    Plain,
    /// The fact that is decided about.
    Flagged,
    /// An option.
    Option,
    /// The option under the highlight.
    Highlight,
    /// Something is missing or armed.
    Warning,
    /// Help about keys.
    Hint,
}

impl Style {
    /// The word the front end knows it by.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Plain => "plain",
            Self::Flagged => "flagged",
            Self::Option => "option",
            Self::Highlight => "highlight",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

impl Dialog {
    /// Opens a dialog.
    #[must_use]
    pub fn new(content: Content, bindings: Bindings, double_press: bool, budget: Budget) -> Self {
        Self {
            content,
            bindings,
            double_press,
            budget,
            expanded: false,
            highlight: 0,
            step: Step::Decide { armed: None },
        }
    }

    /// The decision, once there is one.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        match &self.step {
            Step::Done(choice) => Some(choice),
            _ => None,
        }
    }

    fn options(&self) -> Vec<(Action, char, String)> {
        let keys = &self.bindings;
        let content = &self.content;
        let mut options = vec![(Action::Approve, keys.approve, "Yes".to_owned())];
        if let Some(label) = &content.session_label {
            options.push((Action::Session, keys.approve_session, label.clone()));
        }
        if let Some(label) = &content.family_label {
            options.push((Action::Family, keys.approve_session_both, label.clone()));
        }
        if content.session_label.is_some() {
            if content.lasting.project {
                let label = "Yes, and remember it for this project".to_owned();
                options.push((Action::Project, keys.approve_project(), label));
            }
            if content.lasting.everywhere {
                let label = "Yes, and remember it everywhere".to_owned();
                options.push((Action::Everywhere, keys.approve_everywhere(), label));
            }
        }
        options.push((Action::Deny, keys.deny, "No".to_owned()));
        let label = "No, provide reason".to_owned();
        options.push((Action::DenyWithReason, keys.deny_with_reason, label));
        options
    }

    fn reach_options(&self) -> Vec<(Reach, String)> {
        let Some(subagent) = &self.content.subagent else {
            return Vec::new();
        };
        vec![
            (
                Reach::Subagent,
                format!("This subagent ('{}') only", visible(&subagent.name)),
            ),
            (
                Reach::Session,
                format!(
                    "The whole session — allow {} for parent and all subagents",
                    visible(&subagent.grant)
                ),
            ),
        ]
    }

    /// The facts as plain text at a nominal width of 80, for a front end that
    /// can only offer a list.
    #[must_use]
    pub fn text(&self) -> String {
        let (rows, _) = layout::facts(&self.content.facts, 80, self.budget, false);
        let rows: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        rows.join("\n")
    }

    /// The labels of the options, in order, for a front end that can only
    /// offer a list.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.options().into_iter().map(|option| option.2).collect()
    }

    /// The labels of the second list, which follows a grant on a forwarded
    /// question; empty where there is none.
    #[must_use]
    pub fn reach_labels(&self) -> Vec<String> {
        self.reach_options().into_iter().map(|o| o.1).collect()
    }

    /// What choosing `label` (and `reach` from the second list, and a typed
    /// `reason`) means. A label that is not offered is a denial, as is a
    /// dismissed list.
    #[must_use]
    pub fn choose(&self, label: Option<&str>, reach: Option<&str>, reason: Option<&str>) -> Choice {
        let action = self
            .options()
            .into_iter()
            .find(|option| Some(option.2.as_str()) == label)
            .map(|option| option.0);
        let grant = |both_directions| {
            let reaches = self.reach_options();
            if reaches.is_empty() {
                return approve(Reach::Session, both_directions);
            }
            match reaches.into_iter().find(|o| Some(o.1.as_str()) == reach) {
                Some((reach, _)) => approve(reach, both_directions),
                None => Choice::Deny { reason: None },
            }
        };
        match action {
            Some(Action::Approve) => approve(Reach::Once, false),
            Some(Action::Session) => grant(false),
            Some(Action::Family) => grant(true),
            Some(Action::Project) => approve(Reach::Project, false),
            Some(Action::Everywhere) => approve(Reach::Everywhere, false),
            Some(Action::DenyWithReason) => Choice::Deny {
                reason: reason.and_then(reason_text),
            },
            Some(Action::Deny) | None => Choice::Deny { reason: None },
        }
    }

    /// Whether `label` asks for a reason to be typed.
    #[must_use]
    pub fn wants_reason(&self, label: &str) -> bool {
        let wanted = |option: &(Action, char, String)| {
            option.0 == Action::DenyWithReason && option.2 == label
        };
        self.options().iter().any(wanted)
    }

    /// Whether `label` is followed by the second list.
    #[must_use]
    pub fn wants_reach(&self, label: &str) -> bool {
        let wanted = |option: &(Action, char, String)| {
            matches!(option.0, Action::Session | Action::Family) && option.2 == label
        };
        self.content.subagent.is_some() && self.options().iter().any(wanted)
    }

    /// Handles one key (or pasted text). Keys after the decision change
    /// nothing.
    pub fn key(&mut self, key: &Key) {
        if matches!(key, Key::Expand) {
            if !matches!(self.step, Step::Reason { .. }) {
                self.expanded = !self.expanded;
            }
            return;
        }
        let step = std::mem::replace(&mut self.step, Step::Decide { armed: None });
        self.step = match step {
            Step::Decide { armed } => self.decide(key, armed),
            Step::Reason { text, cursor, .. } => self.reason(key, text, cursor),
            Step::Reach { highlight, both } => self.reach(key, highlight, both),
            Step::Done(choice) => Step::Done(choice),
        };
    }

    fn decide(&mut self, key: &Key, armed: Option<char>) -> Step {
        let options = self.options();
        match key {
            Key::Up | Key::Char('k') => {
                self.highlight = step_back(self.highlight, options.len());
                Step::Decide { armed: None }
            }
            Key::Down | Key::Char('j') => {
                self.highlight = step_on(self.highlight, options.len());
                Step::Decide { armed: None }
            }
            Key::Enter => match options.get(self.highlight) {
                Some(option) => self.commit(option.0),
                None => Step::Decide { armed: None },
            },
            Key::Escape => Step::Done(Choice::Deny { reason: None }),
            Key::Char(typed) => {
                let found = options.iter().position(|option| option.1 == *typed);
                match found.and_then(|at| options.get(at).map(|option| (at, option.0))) {
                    Some((at, action)) => {
                        self.highlight = at;
                        if !self.double_press || armed == Some(*typed) {
                            self.commit(action)
                        } else {
                            Step::Decide {
                                armed: Some(*typed),
                            }
                        }
                    }
                    None => Step::Decide { armed: None },
                }
            }
            // A paste is never a decision: it may hold any letter twice.
            Key::Paste(_) | Key::Backspace | Key::Left | Key::Right | Key::Expand | Key::Other => {
                Step::Decide { armed: None }
            }
        }
    }

    fn commit(&self, action: Action) -> Step {
        let forwarded = self.content.subagent.is_some();
        let grant = |both| {
            if forwarded {
                Step::Reach { highlight: 0, both }
            } else {
                Step::Done(approve(Reach::Session, both))
            }
        };
        match action {
            Action::Approve => Step::Done(approve(Reach::Once, false)),
            Action::Session => grant(false),
            Action::Family => grant(true),
            Action::Project => Step::Done(approve(Reach::Project, false)),
            Action::Everywhere => Step::Done(approve(Reach::Everywhere, false)),
            Action::Deny => Step::Done(Choice::Deny { reason: None }),
            Action::DenyWithReason => Step::Reason {
                text: String::new(),
                cursor: 0,
                missing: false,
            },
        }
    }

    fn reason(&self, key: &Key, mut text: String, mut cursor: usize) -> Step {
        // `cursor` counts characters, so that it can never split one.
        let byte = |text: &str, at: usize| {
            text.char_indices()
                .nth(at)
                .map_or(text.len(), |(byte, _)| byte)
        };
        match key {
            Key::Enter => match reason_text(&text) {
                Some(reason) => {
                    return Step::Done(Choice::Deny {
                        reason: Some(reason),
                    });
                }
                None => {
                    return Step::Reason {
                        text,
                        cursor,
                        missing: true,
                    };
                }
            },
            Key::Escape => return Step::Decide { armed: None },
            Key::Char(c) => {
                text.insert(byte(&text, cursor), *c);
                cursor += 1;
            }
            Key::Paste(pasted) => {
                let one_line = one_line(pasted);
                text.insert_str(byte(&text, cursor), &one_line);
                cursor += one_line.chars().count();
            }
            Key::Backspace if cursor > 0 => {
                cursor -= 1;
                text.remove(byte(&text, cursor));
            }
            Key::Left => cursor = cursor.saturating_sub(1),
            Key::Right => cursor = (cursor + 1).min(text.chars().count()),
            Key::Up | Key::Down | Key::Backspace | Key::Expand | Key::Other => {}
        }
        Step::Reason {
            text,
            cursor,
            missing: false,
        }
    }

    fn reach(&self, key: &Key, highlight: usize, both: bool) -> Step {
        let options = self.reach_options();
        let highlight = match key {
            Key::Up | Key::Char('k') => step_back(highlight, options.len()),
            Key::Down | Key::Char('j') => step_on(highlight, options.len()),
            Key::Enter => match options.get(highlight) {
                Some((reach, _)) => return Step::Done(approve(*reach, both)),
                None => highlight,
            },
            Key::Escape => return Step::Decide { armed: None },
            _ => highlight,
        };
        Step::Reach { highlight, both }
    }

    /// Draws the dialog at `width` columns.
    #[must_use]
    pub fn render(&self, width: usize) -> Vec<Row> {
        let width = width.max(20);
        let mut rows = vec![Row {
            text: visible(&self.content.title),
            style: Style::Title,
        }];
        let (facts, elided) = layout::facts(&self.content.facts, width, self.budget, self.expanded);
        rows.extend(facts);
        let blank = || Row {
            text: String::new(),
            style: Style::Plain,
        };
        rows.push(blank());
        let hint = |text: &str| Row {
            text: text.to_owned(),
            style: Style::Hint,
        };
        match &self.step {
            Step::Decide { armed } => {
                for (at, (action, key, label)) in self.options().into_iter().enumerate() {
                    rows.extend(self.option_row(at, key, &label, width));
                    if *armed == Some(key) {
                        rows.push(Row {
                            text: format!("  Press {key} again to {}.", verb(action)),
                            style: Style::Warning,
                        });
                    }
                }
                rows.push(blank());
                let press = if self.double_press {
                    "press a letter, then again to confirm"
                } else {
                    "press a letter to confirm"
                };
                let mut keys = format!("↑/↓ move · enter confirm · esc deny · {press}");
                if self.expanded {
                    keys.push_str(" · ctrl+o collapse");
                } else if elided {
                    keys.push_str(" · ctrl+o full request");
                }
                rows.push(hint(&keys));
            }
            Step::Reason {
                text,
                cursor,
                missing,
            } => {
                let before: String = text.chars().take(*cursor).collect();
                let after: String = text.chars().skip(*cursor).collect();
                let line = format!("reason: {}▏{}", visible(&before), visible(&after));
                let plain = |text| Row {
                    text,
                    style: Style::Plain,
                };
                rows.extend(layout::wrap(&line, width, 8).into_iter().map(plain));
                if *missing {
                    rows.push(Row {
                        text: "A reason is required.".to_owned(),
                        style: Style::Warning,
                    });
                }
                rows.push(blank());
                rows.push(hint("enter submit · esc back"));
            }
            Step::Reach { highlight, .. } => {
                for (at, (_, label)) in self.reach_options().into_iter().enumerate() {
                    let chosen = at == *highlight;
                    let mark = if chosen { "› " } else { "  " };
                    let style = if chosen {
                        Style::Highlight
                    } else {
                        Style::Option
                    };
                    let wrapped = layout::wrap(&format!("{mark}{label}"), width, 2);
                    rows.extend(wrapped.into_iter().map(|text| Row { text, style }));
                }
                rows.push(blank());
                rows.push(hint("↑/↓ move · enter confirm · esc back"));
            }
            Step::Done(_) => {}
        }
        // Hosts end the session over a row wider than the terminal.
        let fit = |row: Row| {
            let style = row.style;
            let wrapped = layout::wrap(&row.text, width, 2).into_iter();
            wrapped.map(move |text| Row { text, style })
        };
        rows.into_iter().flat_map(fit).collect()
    }

    fn option_row(&self, at: usize, key: char, label: &str, width: usize) -> Vec<Row> {
        let chosen = at == self.highlight;
        let style = if chosen {
            Style::Highlight
        } else {
            Style::Option
        };
        let mark = if chosen { "› " } else { "  " };
        let text = format!("{mark}{key}  {}", visible(label));
        let rows = layout::wrap(&text, width, 5).into_iter();
        rows.map(|text| Row { text, style }).collect()
    }
}

fn approve(reach: Reach, both_directions: bool) -> Choice {
    Choice::Approve {
        reach,
        both_directions,
    }
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Approve => "approve",
        Action::Session | Action::Family => "approve for this session",
        Action::Project => "approve for this project",
        Action::Everywhere => "approve everywhere",
        Action::Deny => "deny",
        Action::DenyWithReason => "deny with a reason",
    }
}

fn step_on(at: usize, count: usize) -> usize {
    if at + 1 >= count { 0 } else { at + 1 }
}

fn step_back(at: usize, count: usize) -> usize {
    match at {
        0 => count.saturating_sub(1),
        _ => at - 1,
    }
}

fn reason_text(text: &str) -> Option<String> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// Pasted text as one line: every run of line ends becomes one blank.
fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
