//! Texts of rules, approvals and settings that stay on their line.

use countersign_config::edit::SettingValue;
use countersign_policy::{Action, Layer, Origin, Rule};

use crate::dialog::visible;

/// Characters of one line of a list.
const LINE: usize = 160;

/// A text on one line, with nothing hidden in it and not too long.
pub(super) fn line(text: &str) -> String {
    let text = visible(text).replace('\n', "\\n");
    match text.char_indices().nth(LINE) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// A rule without its place: `bash "git *": allow`.
pub(super) fn rule(rule: &Rule) -> String {
    let what = match rule.pattern.as_str() {
        "*" => rule.surface.clone(),
        pattern => format!("{} {}", rule.surface, quoted(pattern)),
    };
    format!("{what}: {}", rule.action.as_str())
}

/// A rule as `show` prints it (spec 01 §8).
pub(super) fn compact(rule: &Rule) -> String {
    let what = match rule.pattern.as_str() {
        "*" => rule.surface.clone(),
        pattern => format!("{}[{}]", rule.surface, quoted(pattern)),
    };
    let action = rule.action.as_str();
    line(&format!("{what}={action} ({})", rule.origin.scope.as_str()))
}

/// Whether somebody wrote this rule.
pub(super) fn written(rule: &Rule) -> bool {
    rule.layer == Layer::Config || rule.layer == Layer::Default && rule.origin.path.is_some()
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Where a rule is written.
pub(super) fn place(origin: &Origin) -> String {
    match (&origin.path, origin.line) {
        (Some(path), Some(line)) => format!("{}, line {line}", visible(path)),
        (Some(path), None) => visible(path),
        (None, _) => "not written in a file".to_owned(),
    }
}

/// What an action does.
pub(super) fn meaning(action: Action) -> &'static str {
    match action {
        Action::Allow => "runs",
        Action::Ask => "asks you",
        Action::Deny => "is blocked",
    }
}

pub(super) fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

pub(super) fn value(value: SettingValue) -> String {
    match value {
        SettingValue::Flag(on) => on_off(on).to_owned(),
        SettingValue::Count(number) => number.to_string(),
    }
}

/// `1 question`, `2 questions`.
pub(super) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
