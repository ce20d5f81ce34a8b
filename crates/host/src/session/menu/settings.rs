//! `/permission-system`: the settings, changed in the user's own file without
//! touching what else stands there.

use std::sync::Arc;

use countersign_config::edit::SettingValue;
use countersign_config::{Adjustable, adjustable};
use countersign_policy::Scope;
use countersign_text::{Diagnostic, Severity};

use super::super::{Session, in_words, lock};
use super::words;
use super::{Level, Page, Step, Wanted};

const USAGE: &str = "Usage: /permission-system [show|path|reset|help] (or run /permission-system \
with no arguments to change settings)";

impl From<Wanted> for SettingValue {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Flag(on) => Self::Flag(on),
            Wanted::Count(number) => Self::Count(number),
        }
    }
}

impl Session {
    pub(super) fn settings_command(&self, word: &str) -> Page {
        match word {
            "" => self.settings_page(),
            "show" => Page::notice(Level::Info, self.settings_in_words()),
            "path" => Page::notice(
                Level::Info,
                format!(
                    "permission-system config: {}",
                    self.paths.config().display()
                ),
            ),
            "reset" => self.reset_page(),
            "help" => Page::notice(Level::Info, USAGE),
            _ => Page::notice(Level::Warning, USAGE),
        }
    }

    fn settings_in_words(&self) -> String {
        let snapshot = self.snapshot();
        let settings = &snapshot.settings;
        let mut text = format!(
            "permission-system: yoloMode={}, permissionReviewLog={}, debugLog={}",
            words::on_off(settings.yolo_mode()),
            words::on_off(settings.permission_review_log()),
            words::on_off(settings.debug_log()),
        );
        let rules = snapshot.policy.rules().iter().filter(|r| words::written(r));
        let rules: Vec<String> = rules.map(words::compact).collect();
        if !rules.is_empty() {
            text.push_str(&format!("\n  rules: {}", rules.join(", ")));
        }
        text
    }

    /// The value in force.
    fn in_force(&self, setting: &Adjustable) -> SettingValue {
        let settings = &self.snapshot().settings;
        settings.adjustable(setting.name).unwrap_or(setting.default)
    }

    pub(super) fn settings_page(&self) -> Page {
        let path = self.paths.config();
        let mut title = format!("Permission settings, kept in {}", path.display());
        if let Some(why) = self.broken_file() {
            title.push_str(&format!("\nnothing can be changed: {why}"));
        }
        let mut page = Page::new(title);
        for setting in adjustable() {
            let value = words::value(self.in_force(&setting));
            let label = format!("{}: {value} — {}", setting.name, setting.about);
            page = page.option(label, Some(&Step::Setting(setting.name.to_owned())));
        }
        page.option("Reset all of these", Some(&Step::Reset))
            .option("Close", None)
    }

    pub(super) fn setting_page(&self, key: &str) -> Page {
        let Some(setting) = adjustable().find(|setting| setting.name == key) else {
            return self.settings_page();
        };
        match self.in_force(&setting) {
            SettingValue::Flag(false) if key == "yoloMode" => Page::new(
                "Answer every question with yes, in every session, until you turn it off?\n\
                 Denials still deny.",
            )
            .option("No, keep asking me", Some(&Step::Settings))
            .option(
                "Turn yolo mode on",
                Some(&Step::Set(key.to_owned(), Wanted::Flag(true))),
            )
            .back(&Step::Settings),
            SettingValue::Flag(on) => self.set(key, SettingValue::Flag(!on)),
            SettingValue::Count(number) => Page {
                input: Step::Typed(key.to_owned()).text(),
                ..Page::new(format!(
                    "{key}, now {number}. {} A number from 1:",
                    setting.about
                ))
                .back(&Step::Settings)
            },
        }
    }

    pub(super) fn set_typed(&self, key: &str, typed: &str) -> Page {
        match typed.trim().parse::<u64>() {
            Ok(number) if number > 0 => self.set(key, SettingValue::Count(number)),
            _ => {
                let text = format!("`{}` is no number from 1", words::line(typed));
                self.settings_page().told(Level::Warning, text)
            }
        }
    }

    pub(super) fn set(&self, key: &str, value: SettingValue) -> Page {
        if let Some(refused) = self.write_settings(&[(key, Some(value))]) {
            return refused;
        }
        let now = adjustable()
            .find(|setting| setting.name == key)
            .map(|setting| self.in_force(&setting));
        let text = format!("{key} is now {}", words::value(value));
        let page = self.settings_page();
        if now == Some(value) {
            page.told(Level::Info, text)
        } else {
            let text = format!("{text} in your file, but the project's file says otherwise here");
            page.told(Level::Warning, text)
        }
    }

    pub(super) fn reset_page(&self) -> Page {
        Page::new(
            "Take these settings out of your file, so that the defaults hold?\n\
             Rules and comments stay.",
        )
        .option("Keep them", Some(&Step::Settings))
        .option("Reset", Some(&Step::ResetAll))
        .back(&Step::Settings)
    }

    pub(super) fn reset(&self) -> Page {
        let all: Vec<(&str, Option<SettingValue>)> =
            adjustable().map(|setting| (setting.name, None)).collect();
        let reset = || Page::notice(Level::Info, "Permission system settings reset to defaults.");
        self.write_settings(&all).unwrap_or_else(reset)
    }

    /// Writes settings; the page that says why not, where it fails.
    fn write_settings(&self, settings: &[(&str, Option<SettingValue>)]) -> Option<Page> {
        let workspace = Arc::clone(&lock(&self.context).workspace);
        let written = workspace.set_settings(settings);
        // What follows from it (yolo, a log turned on) holds at once, and is
        // told as after any other change of the file.
        self.announce_configuration(&self.snapshot());
        self.front.changed();
        written.err().map(|error| {
            let path = self.paths.config();
            let why = self.broken_file().unwrap_or_else(|| error.to_string());
            let text = format!(
                "Failed to save permission-system config at '{}': {why}",
                path.display()
            );
            Page::notice(Level::Error, text)
        })
    }

    /// What is wrong with the user's own file, where it does not count, and
    /// how to mend it.
    fn broken_file(&self) -> Option<String> {
        let snapshot = self.snapshot();
        if !snapshot.invalid.contains(&Scope::Global) {
            return None;
        }
        let path = self.paths.config().display().to_string();
        let of_file = |d: &&Diagnostic| d.path.as_deref() == Some(path.as_str());
        let errors = snapshot.diagnostics.iter().filter(of_file);
        let first = errors.into_iter().find(|d| d.severity == Severity::Error)?;
        let text = std::fs::read_to_string(self.paths.config()).unwrap_or_default();
        let place = first.labels.first().map(|label| {
            let index = countersign_text::LineIndex::new(&text);
            format!(", at line {}", index.line(label.span.start))
        });
        Some(format!(
            "{}{}; mend it there (`countersign policy lint` shows the place), then try again",
            in_words(first),
            place.unwrap_or_default()
        ))
    }
}
