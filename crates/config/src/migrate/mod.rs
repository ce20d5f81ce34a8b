//! Policies of other layouts in this format.
//!
//! What cannot be said is never guessed at in the loose direction: it is left
//! out, or said more strictly, and a note tells which.

mod claude;
mod legacy;
mod opencode;

use countersign_policy::{Action, unknown_directional};
use jsonc_parser::ast::{Object, Value as Ast};
use serde_json::{Map, Value, json};

use crate::json;

/// Whose layout a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// This system's own, before the predecessor's fourth version.
    Legacy,
    /// OpenCode's `opencode.json`.
    OpenCode,
    /// Claude Code's `settings.json`.
    ClaudeCode,
}

/// A policy in this format, and what it could not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// The configuration.
    pub config: Value,
    /// What is different, or missing, one sentence each.
    pub notes: Vec<String>,
}

/// What layout a text has, as far as its keys tell.
#[must_use]
pub fn detect(text: &str) -> Option<Layout> {
    let Value::Object(root) = read(text).ok()? else {
        return None;
    };
    let has = |names: &[&str]| names.iter().any(|name| root.contains_key(*name));
    let schema = root.get("$schema").and_then(Value::as_str).unwrap_or("");
    if has(&["permissions"]) {
        Some(Layout::ClaudeCode)
    } else if has(&["defaultPolicy", "special", "skills"]) {
        Some(Layout::Legacy)
    } else if schema.contains("opencode") || has(&["agent", "mode", "provider", "model"]) {
        Some(Layout::OpenCode)
    } else if has(&["tools", "bash", "mcp"]) {
        Some(Layout::Legacy)
    } else if has(&["permission"]) {
        Some(Layout::OpenCode)
    } else {
        None
    }
}

/// Says the policy in `text` in this format.
///
/// # Errors
///
/// What is wrong with the text, when it is no JSON object.
pub fn migrate(text: &str, layout: Layout) -> Result<Migration, String> {
    let Value::Object(root) = read(text)? else {
        return Err("the file is no JSON object".to_owned());
    };
    let mut draft = Draft::default();
    match layout {
        Layout::Legacy => legacy::migrate(&root, &mut draft),
        Layout::OpenCode => opencode::migrate(&root, &mut draft),
        Layout::ClaudeCode => claude::migrate(&root, &mut draft),
    }
    Ok(draft.finish())
}

/// JSON with comments, as plain values.
fn read(text: &str) -> Result<Value, String> {
    let (body, _) = json::without_bom(text);
    json::parse(body)
        .map(|value| plain(&value))
        .map_err(|broken| broken.message)
}

/// Depth is bounded by the parser.
fn plain(value: &Ast<'_>) -> Value {
    match value {
        Ast::StringLit(lit) => Value::from(lit.value.as_ref()),
        Ast::NumberLit(lit) => serde_json::from_str(lit.value).unwrap_or(Value::Null),
        Ast::BooleanLit(lit) => Value::from(lit.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(array) => array.elements.iter().map(plain).collect(),
        Ast::Object(object) => Value::Object(members(object)),
    }
}

fn members(object: &Object<'_>) -> Map<String, Value> {
    object
        .properties
        .iter()
        .map(|property| (property.name.as_str().to_owned(), plain(&property.value)))
        .collect()
}

/// The configuration that is being written.
#[derive(Debug, Default)]
struct Draft {
    permission: Map<String, Value>,
    notes: Vec<String>,
}

impl Draft {
    fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Adds a rule as the last of its surface.
    fn rule(&mut self, surface: &str, pattern: &str, action: Action) {
        if surface.is_empty() || pattern.is_empty() || unknown_directional(surface) {
            self.note(format!(
                "`{surface}`: `{pattern}` cannot be a rule and was left out"
            ));
            return;
        }
        let action = Value::from(action.as_str());
        if surface == "*" {
            self.permission.insert("*".to_owned(), action);
            return;
        }
        let entry = self
            .permission
            .entry(surface.to_owned())
            .or_insert_with(|| json!({}));
        if let Value::Object(map) = entry {
            // Moved to the end where it is there already.
            map.shift_remove(pattern);
            map.insert(pattern.to_owned(), action);
        }
    }

    /// Adds what `value` says about a surface: an action, or patterns.
    fn surface(&mut self, surface: &str, value: &Value) {
        match value {
            Value::String(word) => match Action::parse(word) {
                Some(action) => self.rule(surface, "*", action),
                None => self.note(format!(
                    "`{surface}`: `{word}` is no action and was left out"
                )),
            },
            Value::Object(map) => {
                for (pattern, value) in map {
                    match value.as_str().and_then(Action::parse) {
                        Some(action) if !pattern.is_empty() => self.rule(surface, pattern, action),
                        _ => self.note(format!(
                            "`{surface}`: `{pattern}` was left out: {value} is no action"
                        )),
                    }
                }
            }
            other => self.note(format!("`{surface}` was left out: {other} is no policy")),
        }
    }

    fn finish(mut self) -> Migration {
        // The default reads best first.
        let mut permission = Map::new();
        let default = self
            .permission
            .shift_remove("*")
            .unwrap_or_else(|| json!("ask"));
        permission.insert("*".to_owned(), default);
        permission.extend(self.permission);
        Migration {
            config: json!({ "$schema": crate::SCHEMA_ID, "permission": permission }),
            notes: self.notes,
        }
    }
}

#[cfg(test)]
mod tests;
