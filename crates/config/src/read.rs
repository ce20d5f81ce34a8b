//! One configuration file to its scope and settings, strictly.

mod permission;
mod settings;

use std::collections::HashMap;
use std::sync::Arc;

use countersign_policy::compose::ScopePolicy;
use countersign_policy::{Scope, nearest};
use countersign_text::{Diagnostic, LineIndex, Severity, Span};
use jsonc_parser::ast::{Object, Value};

use crate::Parsed;
use crate::json::{self, span_of, type_name};
use crate::keys::{self, KEYS, Kind, OLD_LAYOUT, PREVIEW_REPLACEMENTS};
use crate::settings::Settings;

/// Larger files are invalid: nobody writes them, and they would be read again
/// at every change.
pub const MAX_BYTES: usize = 4 << 20;

/// Characters (UTF-16 units, as the predecessor counts) of a deny reason.
const MAX_REASON: usize = 500;

/// The largest integer a number of JavaScript holds exactly.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The issue of a file that exists and cannot be read.
#[must_use]
pub fn unreadable(path: &str, error: &str) -> Diagnostic {
    Diagnostic::new(
        "config/unreadable",
        Severity::Error,
        format!("Failed to read config at '{path}': {error}"),
    )
    .at(path)
}

/// Reads the text of a configuration file as the scope it belongs to.
///
/// Strict (spec 01 §2.2): one violation, and the file contributes nothing. The
/// messages are those of the predecessor; places and ways out are added.
#[must_use]
pub fn parse_config(text: &str, path: &str, scope: Scope) -> Parsed {
    if text.len() > MAX_BYTES {
        let error = format!("larger than {MAX_BYTES} bytes");
        return Parsed::invalid(vec![unreadable(path, &error)]);
    }
    let (body, shift) = json::without_bom(text);
    let value = match json::parse(body) {
        Ok(value) => value,
        Err(broken) => return Parsed::invalid(vec![broken.into_diagnostic(path, shift)]),
    };
    let mut reader = Reader {
        path,
        text: body,
        shift,
        lines: LineIndex::new(body),
        diagnostics: Vec::new(),
    };
    reader.refuse_control_characters(&value);
    let read = match &value {
        Value::Object(root) => reader.root(root, scope),
        other => {
            reader.wrong_type("(root)", "object", other);
            (ScopePolicy::empty(scope, None), Settings::default())
        }
    };
    let diagnostics = reader.diagnostics;
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Parsed::invalid(diagnostics);
    }
    Parsed {
        scope: Some(read.0),
        settings: Some(read.1),
        diagnostics,
    }
}

struct Reader<'t> {
    path: &'t str,
    text: &'t str,
    /// Bytes before `text` in the file.
    shift: u32,
    lines: LineIndex,
    diagnostics: Vec<Diagnostic>,
}

/// One member of an object after duplicates are settled.
struct Member<'v, 't> {
    name: String,
    span: Span,
    value: &'v Value<'t>,
}

impl Reader<'_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(self.path));
    }

    fn place(&self, span: Span) -> Span {
        span.shift(self.shift)
    }

    fn line(&self, span: Span) -> Option<u32> {
        Some(self.lines.line(span.start))
    }

    /// A violation in the predecessor's words, with the place and the way out.
    fn invalid(&mut self, at: &str, detail: &str, span: Span, label: &str, help: Option<String>) {
        let message = format!("Invalid config value at '{at}': {detail}");
        let mut diagnostic = Diagnostic::new("config/invalid-value", Severity::Error, message)
            .label(self.place(span), label);
        diagnostic.help = help;
        self.say(diagnostic);
    }

    fn wrong_type(&mut self, at: &str, expected: &str, found: &Value<'_>) {
        let found_name = type_name(found);
        let detail = format!("Invalid input: expected {expected}, received {found_name}");
        let help = match (expected, found) {
            ("boolean", Value::StringLit(lit)) if ["true", "false"].contains(&&*lit.value) => {
                Some(format!("write {} without quotes", lit.value))
            }
            ("boolean", _) => Some("write true or false".to_owned()),
            ("number", _) => Some("write a number, without quotes".to_owned()),
            ("string", _) => Some("write a text in quotes".to_owned()),
            ("array", _) => Some("write a list: [ … ]".to_owned()),
            _ => Some("write an object: { … }".to_owned()),
        };
        self.invalid(
            at,
            &detail,
            span_of(found),
            &format!("a {found_name}"),
            help,
        );
    }

    fn unknown_key<'k>(
        &mut self,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let message = format!("Unrecognized config key '{name}'.");
        let mut diagnostic = Diagnostic::new("config/unknown-key", Severity::Error, message)
            .label(self.place(span), "no such key");
        diagnostic.help = Some(match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it; `countersign policy schema` has every key".to_owned(),
        });
        self.say(diagnostic);
    }

    /// The members of an object: a repeated name takes the later value and
    /// keeps the earlier place.
    fn members<'v, 't>(&mut self, object: &'v Object<'t>) -> Vec<Member<'v, 't>> {
        let mut out: Vec<Member<'v, 't>> = Vec::with_capacity(object.properties.len());
        let mut places: HashMap<&str, usize> = HashMap::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let span = match &property.name {
                jsonc_parser::ast::ObjectPropName::String(lit) => span_of(lit),
                jsonc_parser::ast::ObjectPropName::Word(lit) => span_of(lit),
            };
            let known = places.get(name).copied();
            match known.and_then(|at| out.get_mut(at)) {
                Some(earlier) => {
                    let message = format!(
                        "duplicate key `{name}`: the later value counts, in the earlier place"
                    );
                    let diagnostic =
                        Diagnostic::new("config/duplicate-key", Severity::Warning, message)
                            .label(self.place(span), "this value counts")
                            .label(self.place(earlier.span), "this one does not")
                            .help("remove one of the two");
                    earlier.value = &property.value;
                    earlier.span = span;
                    self.say(diagnostic);
                }
                None => {
                    places.insert(name, out.len());
                    out.push(Member {
                        name: name.to_owned(),
                        span,
                        value: &property.value,
                    });
                }
            }
        }
        out
    }

    /// JSON has no raw control characters in strings; the parser lets them by.
    fn refuse_control_characters(&mut self, value: &Value<'_>) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let span = match value {
                Value::StringLit(lit) => span_of(lit),
                Value::Object(object) => {
                    for property in &object.properties {
                        open.push(&property.value);
                        if let jsonc_parser::ast::ObjectPropName::String(lit) = &property.name {
                            self.refuse_control_characters_in(span_of(lit));
                        }
                    }
                    continue;
                }
                Value::Array(array) => {
                    open.extend(&array.elements);
                    continue;
                }
                _ => continue,
            };
            self.refuse_control_characters_in(span);
        }
    }

    fn refuse_control_characters_in(&mut self, span: Span) {
        let raw = span.of(self.text).unwrap_or("");
        let Some(at) = raw.find(|c: char| c < ' ') else {
            return;
        };
        let start = span.start as usize + at;
        let message = format!(
            "Failed to read config at '{}': Bad control character in string literal",
            self.path
        );
        let diagnostic = Diagnostic::new("config/syntax", Severity::Error, message)
            .label(self.place(Span::new(start, start + 1)), "this character")
            .help("write it as an escape, such as `\\n` or `\\t`");
        self.say(diagnostic);
    }

    fn root(&mut self, root: &Object<'_>, scope: Scope) -> (ScopePolicy, Settings) {
        let path = Some(Arc::from(self.path));
        let mut policy = ScopePolicy::empty(scope, path);
        let mut settings = Settings::default();
        let mut retired: Vec<(&str, Span)> = Vec::new();
        for member in self.members(root) {
            let Some(key) = keys::find(&member.name) else {
                self.unknown_root_key(&member);
                continue;
            };
            match key.kind {
                Kind::Permission => policy.surfaces = self.permission(member.value),
                _ => self.setting(key.name, key.kind, member.value, &mut settings),
            }
            if key.deprecated.is_some() {
                retired.push((key.name, member.span));
            }
            self.warn_of_a_lowered_guard(&member, scope);
        }
        self.warn_of_retired_keys(&retired);
        (policy, settings)
    }

    fn unknown_root_key(&mut self, member: &Member<'_, '_>) {
        if OLD_LAYOUT.contains(&member.name.as_str()) {
            let message = format!("Unrecognized config key '{}'.", member.name);
            let help = format!(
                "surfaces stand under `permission`; `countersign policy migrate {}` rewrites old layouts",
                self.path
            );
            let diagnostic = Diagnostic::new("config/unknown-key", Severity::Error, message)
                .label(
                    self.place(member.span),
                    "a key of an old layout, or a surface in the wrong place",
                )
                .help(help);
            self.say(diagnostic);
        } else {
            self.unknown_key(&member.name, member.span, KEYS.iter().map(|k| k.name));
        }
    }

    fn warn_of_retired_keys(&mut self, retired: &[(&str, Span)]) {
        let Some((_, first)) = retired.first() else {
            return;
        };
        let names: Vec<String> = retired
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let message = format!("{} {verb} no effect any more", names.join(" and "));
        let mut diagnostic = Diagnostic::new("config/deprecated-key", Severity::Warning, message)
            .label(self.place(*first), "ignored")
            .help(format!("use {PREVIEW_REPLACEMENTS} instead"));
        for (_, span) in retired.iter().skip(1) {
            diagnostic = diagnostic.label(self.place(*span), "ignored");
        }
        self.say(diagnostic);
    }

    /// Only the user's own file may turn this off.
    fn warn_of_a_lowered_guard(&mut self, member: &Member<'_, '_>, scope: Scope) {
        let guard = matches!(
            member.name.as_str(),
            "requireSignedAnswers" | "exportSession"
        );
        let off = matches!(member.value, Value::BooleanLit(lit) if !lit.value);
        if guard && off && scope != Scope::Global {
            let message = format!("a project cannot turn `{}` off", member.name);
            let diagnostic =
                Diagnostic::new("config/guard-not-lowered", Severity::Warning, message)
                    .label(self.place(member.span), "ignored here")
                    .help("set it in your own file, if at all");
            self.say(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests;
