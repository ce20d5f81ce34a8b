//! The policy of a file.

use countersign_policy::compose::{Body, Entry, SurfaceEntry};
use countersign_policy::{Action, DIRECTIONAL, nearest, unknown_directional};
use countersign_text::Span;
use jsonc_parser::ast::Value;

use super::{MAX_REASON, Member, Reader};
use crate::json::{span_of, type_name};

impl Reader<'_> {
    pub(super) fn permission(&mut self, value: &Value<'_>) -> Vec<SurfaceEntry> {
        let Value::Object(object) = value else {
            self.wrong_type("permission", "record", value);
            return Vec::new();
        };
        let mut out = Vec::new();
        for member in self.members(object) {
            let at = format!("permission.{}", member.name);
            if member.name.is_empty() {
                self.invalid(&at, "Invalid key in record", member.span, "empty", None);
                continue;
            }
            if unknown_directional(&member.name) {
                let legal = DIRECTIONAL.join(", ");
                let detail = format!(
                    "Unknown directional surface key \"{}\". The legal spellings are {legal}.",
                    member.name
                );
                let near = nearest(&member.name, DIRECTIONAL);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.invalid(&at, &detail, member.span, "would never apply", help);
                continue;
            }
            let body = self.surface(&at, &member);
            if let Some(body) = body {
                out.push(SurfaceEntry {
                    span: self.place(member.span),
                    surface: member.name,
                    body,
                });
            }
        }
        out
    }

    fn surface(&mut self, at: &str, member: &Member<'_, '_>) -> Option<Body> {
        match member.value {
            Value::StringLit(lit) => {
                let action = self.action(at, &lit.value, span_of(lit))?;
                Some(Body::State(self.entry("*", action, None, member.span)))
            }
            Value::Object(object) => {
                let mut entries = Vec::with_capacity(object.properties.len());
                for pattern in self.members(object) {
                    if pattern.name.is_empty() {
                        let help = Some(
                            "an empty pattern matches nothing useful; did you mean `*`?".to_owned(),
                        );
                        self.invalid(at, "Invalid input", pattern.span, "an empty pattern", help);
                        continue;
                    }
                    if let Some((action, reason)) = self.verdict(at, &pattern) {
                        entries.push(self.entry(&pattern.name, action, reason, pattern.span));
                    }
                }
                Some(Body::Map(entries))
            }
            other => {
                let label = format!("a {} is no policy", type_name(other));
                let help = Some("an action, or an object from patterns to actions".to_owned());
                self.invalid(at, "Invalid input", span_of(other), &label, help);
                None
            }
        }
    }

    fn entry(&self, pattern: &str, action: Action, reason: Option<String>, span: Span) -> Entry {
        Entry {
            pattern: pattern.to_owned(),
            action,
            reason,
            span: self.place(span),
            line: self.line(span),
        }
    }

    fn action(&mut self, at: &str, word: &str, span: Span) -> Option<Action> {
        let action = Action::parse(word);
        if action.is_none() {
            let help = match nearest(word, ["allow", "ask", "deny"]) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "an action is \"allow\", \"ask\" or \"deny\"".to_owned(),
            };
            self.invalid(at, "Invalid input", span, "no such action", Some(help));
        }
        action
    }

    /// What a pattern's value says: an action, or a denial with its reason.
    fn verdict(&mut self, at: &str, pattern: &Member<'_, '_>) -> Option<(Action, Option<String>)> {
        let object = match pattern.value {
            Value::StringLit(lit) => {
                return Some((self.action(at, &lit.value, span_of(lit))?, None));
            }
            Value::Object(object) => object,
            other => {
                let label = format!("a {} is no action", type_name(other));
                let help = Some("an action is \"allow\", \"ask\" or \"deny\"".to_owned());
                self.invalid(at, "Invalid input", span_of(other), &label, help);
                return None;
            }
        };
        let (mut denies, mut reason, mut fine) = (false, None, true);
        for part in self.members(object) {
            match (part.name.as_str(), part.value) {
                ("action", Value::StringLit(lit)) if lit.value == "deny" => denies = true,
                ("action", other) => {
                    fine = false;
                    let help = Some(
                        "only a denial is written as an object; write the action alone".to_owned(),
                    );
                    self.invalid(at, "Invalid input", span_of(other), "not \"deny\"", help);
                }
                ("reason", Value::StringLit(lit)) => {
                    if lit.value.encode_utf16().count() > MAX_REASON {
                        fine = false;
                        let at = format!("{at}.{}.reason", pattern.name);
                        let detail =
                            format!("Too big: expected string to have <={MAX_REASON} characters");
                        self.invalid(
                            &at,
                            &detail,
                            span_of(lit),
                            "too long",
                            Some("shorten it".to_owned()),
                        );
                    }
                    reason = Some(lit.value.clone().into_owned());
                }
                ("reason", other) => {
                    fine = false;
                    self.invalid(
                        at,
                        "Invalid input",
                        span_of(other),
                        "a reason is a string",
                        Some("write a text in quotes".to_owned()),
                    );
                }
                (other, _) => {
                    fine = false;
                    self.unknown_key(other, part.span, ["action", "reason"]);
                }
            }
        }
        if fine && !denies {
            let help = Some("write { \"action\": \"deny\", \"reason\": \"…\" }".to_owned());
            self.invalid(
                at,
                "Invalid input",
                span_of(pattern.value),
                "names no action",
                help,
            );
        }
        (fine && denies).then_some((Action::Deny, reason))
    }
}
