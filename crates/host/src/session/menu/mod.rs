//! The commands of a session as lists to choose from: what each page shows
//! and what each choice does is decided here; a front end shows a list and
//! gives back what was chosen.

mod permissions;
mod settings;
mod words;

use serde::{Deserialize, Serialize};

use super::Session;
use super::api::Level;

pub(super) use permissions::Recent;

/// Entries of one page: some hosts draw a list whole, however long it is.
const PAGE: usize = 15;

/// What a front end shows: a notice, then a list or a line to type. Without
/// either the command is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What is told beside the list.
    pub notice: Option<(Level, String)>,
    /// The heading; may have several lines.
    pub title: String,
    /// What can be chosen.
    pub options: Vec<Choice>,
    /// The step of a text that is typed, instead of a list.
    pub input: Option<String>,
    /// The step where nothing is chosen; without one the command is over.
    pub back: Option<String>,
}

/// One entry of a page. Labels of one page differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is shown: one line, nothing hidden in it.
    pub label: String,
    /// The step it leads to; without one the command is over.
    pub step: Option<String>,
}

/// Where a command is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    Overview,
    Rules(usize),
    Rule(usize),
    Approvals(usize),
    Approval(Approval),
    TakeBack(Approval),
    Decisions(usize),
    Decision(u64),
    Served(usize),
    Settings,
    Setting(String),
    Set(String, Wanted),
    Typed(String),
    Reset,
    ResetAll,
}

/// An approval that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Approval {
    surface: String,
    pattern: String,
    /// The file it is kept in, where it lasts.
    scope: Option<Lasting>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Lasting {
    Project,
    Everywhere,
}

/// A value for a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Wanted {
    Flag(bool),
    Count(u64),
}

impl Step {
    fn text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

impl Page {
    fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    fn notice(level: Level, text: impl Into<String>) -> Self {
        Self {
            notice: Some((level, text.into())),
            ..Self::default()
        }
    }

    fn told(mut self, level: Level, text: impl Into<String>) -> Self {
        self.notice = Some((level, text.into()));
        self
    }

    fn option(mut self, label: impl AsRef<str>, step: Option<&Step>) -> Self {
        let mut label = words::line(label.as_ref());
        let plain = label.clone();
        let mut copies = 1;
        while self.options.iter().any(|option| option.label == label) {
            copies += 1;
            label = format!("{plain} ({copies})");
        }
        let step = step.and_then(Step::text);
        self.options.push(Choice { label, step });
        self
    }

    fn back(mut self, step: &Step) -> Self {
        self.back = step.text();
        self
    }

    /// Entries of which one page is shown, with the ways to the others and
    /// back.
    fn list<T>(
        mut self,
        entries: &[T],
        page: usize,
        of_page: impl Fn(usize) -> Step,
        entry: impl Fn(usize, &T) -> (String, Option<Step>),
        back: &Step,
    ) -> Self {
        let pages = entries.len().div_ceil(PAGE).max(1);
        let page = page.min(pages - 1);
        let shown = entries.iter().enumerate().skip(page * PAGE).take(PAGE);
        for (at, each) in shown {
            let (label, step) = entry(at, each);
            // An entry that leads nowhere shows its page again.
            let step = step.unwrap_or_else(|| of_page(page));
            self = self.option(label, Some(&step));
        }
        if page + 1 < pages {
            let label = format!("More ({} of {pages})", page + 2);
            self = self.option(label, Some(&of_page(page + 1)));
        }
        if page > 0 {
            let label = format!("Before ({page} of {pages})");
            self = self.option(label, Some(&of_page(page - 1)));
        }
        self.option("Back", Some(back)).back(back)
    }
}

impl Session {
    /// Starts a command of the person: `permissions` or `permission-system`,
    /// with what was typed behind its name.
    #[must_use]
    pub fn command(&self, name: &str, arguments: &str) -> Page {
        let word = arguments.trim().to_lowercase();
        let page = match name {
            "permissions" => self.permissions_command(&word),
            "permission-system" => self.settings_command(&word),
            other => Page::notice(Level::Error, format!("there is no command `{other}`")),
        };
        self.readable(page)
    }

    /// Goes on with a command after a choice, with the text where one was
    /// typed.
    #[must_use]
    pub fn menu(&self, step: &str, typed: Option<&str>) -> Page {
        let Ok(step) = serde_json::from_str::<Step>(step) else {
            return Page::notice(Level::Error, format!("there is no step `{step}`"));
        };
        match step {
            Step::Overview => self.overview(),
            Step::Rules(page) => self.rules_page(page),
            Step::Rule(at) => self.rule_page(at),
            Step::Approvals(page) => self.approvals_page(page),
            Step::Approval(approval) => self.approval_page(&approval),
            Step::TakeBack(approval) => self.take_back(&approval),
            Step::Decisions(page) => self.decisions_page(page),
            Step::Decision(id) => self.decision_page(id),
            Step::Served(page) => self.served_page(page),
            Step::Settings => self.settings_page(),
            Step::Setting(key) => self.setting_page(&key),
            Step::Set(key, value) => self.set(&key, value.into()),
            Step::Typed(key) => self.set_typed(&key, typed.unwrap_or_default()),
            Step::Reset => self.reset_page(),
            Step::ResetAll => self.reset(),
        }
    }

    /// Where nobody can choose, a page is told instead.
    fn readable(&self, page: Page) -> Page {
        if super::lock(&self.context).has_ui || page.options.is_empty() {
            return page;
        }
        let lines: Vec<&str> = std::iter::once(page.title.as_str())
            .chain(page.options.iter().map(|option| option.label.as_str()))
            .collect();
        Page::notice(Level::Info, lines.join("\n"))
    }
}

#[cfg(test)]
mod tests;
