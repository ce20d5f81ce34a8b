//! Edits of a configuration file that keep its comments, order and layout.
//!
//! Every edit proves itself: the new text is read again, and only if it says
//! exactly what was intended is it handed out.

use std::fmt;

use countersign_policy::compose::Body;
use countersign_policy::{Action, Scope};
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

use crate::{json, parse_config};

/// Why an edit was not made. The file is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The file does not parse, or is not a valid configuration.
    Invalid(String),
    /// There is nothing there to change.
    Nothing,
    /// The edited text would not say what was intended.
    Unproven,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(why) => write!(f, "the file is not valid: {why}"),
            Self::Nothing => f.write_str("there is no such rule"),
            Self::Unproven => f.write_str("the edit would not have the intended effect"),
        }
    }
}

impl std::error::Error for EditError {}

/// The text of a file that says nothing yet.
pub const EMPTY: &str = "{}\n";

/// Adds a rule as the last one of its surface, where it wins. A bare action
/// on the surface becomes a map that starts with it; a rule for the same
/// pattern is moved to the end.
///
/// # Errors
///
/// When `text` is no valid configuration.
pub fn add_rule(
    text: &str,
    surface: &str,
    pattern: &str,
    action: Action,
) -> Result<String, EditError> {
    let (root, bom) = open(text)?;
    let permission = child_object(&root, "permission")?;
    let map = surface_map(&permission, surface)?;
    if let Some(old) = map.get(pattern) {
        old.remove();
    }
    map.append(pattern, action.as_str().into());
    let edited = close(&root, bom);
    let last = rules(&edited)?
        .into_iter()
        .rfind(|rule| rule.surface == surface);
    match last {
        Some(last) if last.pattern == pattern && last.action == action => Ok(edited),
        _ => Err(EditError::Unproven),
    }
}

/// Adds an `allow` where it changes the least: right after the rule `after` of
/// its surface, else as the first one, so that every rule below still wins. A
/// rule for the same pattern is changed in its place, unless it denies.
///
/// # Errors
///
/// When `text` is no valid configuration, or denies the pattern.
pub fn insert_allow(
    text: &str,
    surface: &str,
    pattern: &str,
    after: Option<&str>,
) -> Result<String, EditError> {
    let same = |rule: &Flat| rule.surface == surface && rule.pattern == pattern;
    let before = rules(text)?;
    if before.iter().any(|r| same(r) && r.action == Action::Deny) {
        return Err(EditError::Unproven);
    }
    let (root, bom) = open(text)?;
    let permission = child_object(&root, "permission")?;
    let map = surface_map(&permission, surface)?;
    let allow = Action::Allow.as_str();
    match map.get(pattern) {
        Some(old) => old.set_value(allow.into()),
        None => {
            let at = after
                .and_then(|after| map.get(after))
                .map_or(0, |rule| rule.property_index() + 1);
            map.insert(at, pattern, allow.into());
        }
    }
    let edited = close(&root, bom);
    let now = rules(&edited)?;
    let others =
        |rules: &[Flat]| -> Vec<Flat> { rules.iter().filter(|r| !same(r)).cloned().collect() };
    let mine: Vec<&Flat> = now.iter().filter(|r| same(r)).collect();
    match mine.as_slice() {
        [rule] if rule.action == Action::Allow && others(&now) == others(&before) => Ok(edited),
        _ => Err(EditError::Unproven),
    }
}

/// Takes a rule out. A surface left without rules goes with it.
///
/// # Errors
///
/// When `text` is no valid configuration, or has no such rule.
pub fn remove_rule(text: &str, surface: &str, pattern: &str) -> Result<String, EditError> {
    let before = rules(text)?;
    let (root, bom) = open(text)?;
    let object = root.object_value().ok_or(EditError::Nothing)?;
    let permission = object
        .object_value("permission")
        .ok_or(EditError::Nothing)?;
    let entry = permission.get(surface).ok_or(EditError::Nothing)?;
    match entry.object_value() {
        Some(map) => {
            map.get(pattern).ok_or(EditError::Nothing)?.remove();
            if map.properties().is_empty() {
                entry.remove();
            }
        }
        None if pattern == "*" => entry.remove(),
        None => return Err(EditError::Nothing),
    }
    let edited = close(&root, bom);
    let gone = |rule: &Flat| rule.surface == surface && rule.pattern == pattern;
    let expected: Vec<Flat> = before.into_iter().filter(|rule| !gone(rule)).collect();
    if rules(&edited)? == expected {
        Ok(edited)
    } else {
        Err(EditError::Unproven)
    }
}

/// A value of an adjustable setting (see [`crate::adjustable`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// On or off.
    Flag(bool),
    /// A number from 1.
    Count(u64),
}

/// Sets an adjustable setting, or takes it out where `value` is `None`.
///
/// # Errors
///
/// When `text` is no valid configuration, or the edit would not do just that.
pub fn set_setting(
    text: &str,
    key: &str,
    value: Option<SettingValue>,
) -> Result<String, EditError> {
    let before = rules(text)?;
    let (root, bom) = open(text)?;
    let object = root.object_value().ok_or(EditError::Unproven)?;
    let input = value.map(|value| match value {
        SettingValue::Flag(on) => CstInputValue::from(on),
        SettingValue::Count(number) => CstInputValue::Number(number.to_string()),
    });
    match (object.get(key), input) {
        (Some(property), Some(input)) => property.set_value(input),
        (Some(property), None) => property.remove(),
        (None, Some(input)) => {
            object.append(key, input);
        }
        (None, None) => {}
    }
    let edited = close(&root, bom);
    let settings = parse_config(&edited, "config", Scope::Global).settings;
    let says = settings.ok_or(EditError::Unproven)?.adjustable(key);
    if rules(&edited)? == before && says == value {
        Ok(edited)
    } else {
        Err(EditError::Unproven)
    }
}

/// A rule without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Flat {
    surface: String,
    pattern: String,
    action: Action,
    reason: Option<String>,
}

fn rules(text: &str) -> Result<Vec<Flat>, EditError> {
    let parsed = parse_config(text, "config", Scope::Global);
    let Some(scope) = parsed.scope else {
        let first = parsed.diagnostics.first().map(|d| d.message.clone());
        return Err(EditError::Invalid(first.unwrap_or_default()));
    };
    let flat = scope.surfaces.into_iter().flat_map(|surface| {
        let name = surface.surface;
        let entries = match surface.body {
            Body::State(entry) => vec![entry],
            Body::Map(entries) => entries,
        };
        entries.into_iter().map(move |entry| Flat {
            surface: name.clone(),
            pattern: entry.pattern,
            action: entry.action,
            reason: entry.reason,
        })
    });
    Ok(flat.collect())
}

/// The tree of a valid file, and whether it starts with a byte-order mark.
fn open(text: &str) -> Result<(CstRootNode, bool), EditError> {
    rules(text)?;
    let (body, shift) = json::without_bom(text);
    let root = CstRootNode::parse(body, &json::options())
        .map_err(|error| EditError::Invalid(error.to_string()))?;
    Ok((root, shift > 0))
}

fn close(root: &CstRootNode, bom: bool) -> String {
    let text = root.to_string();
    if bom { format!("\u{feff}{text}") } else { text }
}

fn child_object(root: &CstRootNode, name: &str) -> Result<CstObject, EditError> {
    root.object_value_or_create()
        .and_then(|object| object.object_value_or_create(name))
        .ok_or(EditError::Unproven)
}

/// The map of a surface; what the surface said as a bare action becomes the
/// map's first entry.
fn surface_map(permission: &CstObject, surface: &str) -> Result<CstObject, EditError> {
    let Some(entry) = permission.get(surface) else {
        return permission
            .object_value_or_create(surface)
            .ok_or(EditError::Unproven);
    };
    if let Some(map) = entry.object_value() {
        return Ok(map);
    }
    let bare = entry
        .value()
        .and_then(|value| value.as_string_lit()?.decoded_value().ok())
        .ok_or(EditError::Unproven)?;
    let first = ("*".to_owned(), CstInputValue::String(bare));
    entry.set_value(CstInputValue::Object(vec![first]));
    entry.object_value().ok_or(EditError::Unproven)
}

#[cfg(test)]
mod tests;
