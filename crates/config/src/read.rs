//! One configuration file to its scope and settings, strictly.

use std::collections::HashMap;
use std::sync::Arc;

use countersign_policy::compose::{Body, Entry, ScopePolicy, SurfaceEntry};
use countersign_policy::{Action, DIRECTIONAL, Family, Scope, nearest, unknown_directional};
use countersign_text::{Diagnostic, LineIndex, Severity, Span};
use jsonc_parser::ast::{Object, Value};

use crate::Parsed;
use crate::dialog_keys::{self, Decision};
use crate::json::{self, span_of, type_name};
use crate::keys::{self, KEYS, Kind, OLD_LAYOUT, PREVIEW_REPLACEMENTS};
use crate::settings::{DialogKeys, Settings, ShellTool};

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

    fn setting(&mut self, name: &str, kind: Kind, value: &Value<'_>, settings: &mut Settings) {
        match kind {
            Kind::Flag => {
                let flag = self.flag(name, value);
                match name {
                    "debugLog" => settings.debug_log = flag,
                    "permissionReviewLog" => settings.permission_review_log = flag,
                    "yoloMode" => settings.yolo_mode = flag,
                    "doublePressToConfirm" => settings.double_press_to_confirm = flag,
                    "requireSignedAnswers" => settings.require_signed_answers = flag,
                    "exportSession" => settings.export_session = flag,
                    "waitForLostParent" => settings.wait_for_lost_parent = flag,
                    _ => {}
                }
            }
            Kind::Count => {
                let count = self.count(name, value);
                match name {
                    "forwardingTimeoutMs" => settings.forwarding_timeout_ms = count,
                    "promptMaxRows" => settings.prompt_max_rows = count,
                    "promptFieldMaxWidth" => settings.prompt_field_max_width = count,
                    "reviewLogFieldMaxWidth" => settings.review_log_field_max_width = count,
                    "logFileMaxMegabytes" => settings.log_file_max_megabytes = count,
                    _ => {}
                }
            }
            Kind::Texts => {
                let texts = self.texts(name, value);
                match name {
                    "piInfrastructureReadPaths" => settings.pi_infrastructure_read_paths = texts,
                    "authorizerChain" => settings.authorizer_chain = texts,
                    "inboxNotifications" => settings.inbox_notifications = texts,
                    _ => {}
                }
            }
            Kind::Text => {
                self.text(name, value);
            }
            Kind::DialogKeys => settings.permission_dialog_keys = self.dialog_keys(name, value),
            Kind::Trust => settings.authorizer_trust = self.trust(name, value),
            Kind::ShellTools => settings.shell_tools = self.shell_tools(name, value),
            Kind::Permission => {}
        }
    }

    fn flag(&mut self, at: &str, value: &Value<'_>) -> Option<bool> {
        match value {
            Value::BooleanLit(lit) => Some(lit.value),
            other => {
                self.wrong_type(at, "boolean", other);
                None
            }
        }
    }

    fn text(&mut self, at: &str, value: &Value<'_>) -> Option<String> {
        match value {
            Value::StringLit(lit) => Some(lit.value.clone().into_owned()),
            other => {
                self.wrong_type(at, "string", other);
                None
            }
        }
    }

    fn filled_text(&mut self, at: &str, value: &Value<'_>) -> Option<String> {
        let text = self.text(at, value)?;
        if text.is_empty() {
            let detail = "Too small: expected string to have >=1 characters";
            self.invalid(at, detail, span_of(value), "empty", None);
            return None;
        }
        Some(text)
    }

    fn count(&mut self, at: &str, value: &Value<'_>) -> Option<u64> {
        let Value::NumberLit(lit) = value else {
            self.wrong_type(at, "number", value);
            return None;
        };
        let number: f64 = lit.value.parse().unwrap_or(f64::NAN);
        let detail = if !number.is_finite() || number.fract() != 0.0 {
            "Invalid input: expected int, received number"
        } else if number < 1.0 {
            "Too small: expected number to be >=1"
        } else if number > MAX_INTEGER {
            "Too big: expected int to be <=9007199254740991"
        } else {
            // Whole, positive and below 2^53: its decimal form is a `u64`.
            return format!("{number:.0}").parse().ok();
        };
        let help = Some("a whole number from 1".to_owned());
        self.invalid(at, detail, span_of(value), "out of range", help);
        None
    }

    fn texts(&mut self, at: &str, value: &Value<'_>) -> Option<Vec<String>> {
        let Value::Array(array) = value else {
            self.wrong_type(at, "array", value);
            return None;
        };
        let elements = array.elements.iter().enumerate();
        let texts: Vec<Option<String>> = elements
            .map(|(index, element)| self.filled_text(&format!("{at}.{index}"), element))
            .collect();
        texts.into_iter().collect()
    }

    fn dialog_keys(&mut self, at: &str, value: &Value<'_>) -> Option<DialogKeys> {
        let Value::Object(object) = value else {
            self.wrong_type(at, "object", value);
            return None;
        };
        let mut overrides = Vec::new();
        let mut places = Vec::new();
        for member in self.members(object) {
            let decision = Decision::ALL
                .into_iter()
                .find(|d| d.as_str() == member.name);
            let Some(decision) = decision else {
                let known = Decision::ALL.map(Decision::as_str);
                self.unknown_key(&member.name, member.span, known);
                continue;
            };
            if let Some(text) = self.text(&format!("{at}.{}", member.name), member.value) {
                overrides.push((decision, text));
                places.push((decision, span_of(member.value)));
            }
        }
        let (keys, issues) = dialog_keys::resolve(&overrides);
        for (decision, sentence) in issues {
            let mut diagnostic = Diagnostic::new("config/dialog-key", Severity::Warning, sentence);
            if let Some((_, span)) = places.iter().find(|(d, _)| *d == decision) {
                diagnostic = diagnostic.label(self.place(*span), "not used");
            }
            self.say(diagnostic);
        }
        Some(keys)
    }

    fn trust(&mut self, at: &str, value: &Value<'_>) -> Option<Vec<(String, Vec<Family>)>> {
        let Value::Object(object) = value else {
            self.wrong_type(at, "record", value);
            return None;
        };
        let mut out = Vec::new();
        for member in self.members(object) {
            let at = format!("{at}.{}", member.name);
            if member.name.is_empty() {
                self.invalid(&at, "Invalid key in record", member.span, "empty", None);
            }
            let Value::Array(array) = member.value else {
                self.wrong_type(&at, "array", member.value);
                continue;
            };
            let mut families = Vec::new();
            for (index, element) in array.elements.iter().enumerate() {
                let family = match element {
                    Value::StringLit(lit) => {
                        Family::ALL.into_iter().find(|f| f.bare() == lit.value)
                    }
                    _ => None,
                };
                match family {
                    Some(family) => families.push(family),
                    None => self.invalid(
                        &format!("{at}.{index}"),
                        "Invalid option: expected one of \"path\"|\"external_directory\"",
                        span_of(element),
                        "no family",
                        Some("a family covers both directions; use its bare name".to_owned()),
                    ),
                }
            }
            out.push((member.name, families));
        }
        Some(out)
    }

    fn shell_tools(&mut self, at: &str, value: &Value<'_>) -> Vec<(String, ShellTool)> {
        let Value::Object(object) = value else {
            self.wrong_type(at, "record", value);
            return Vec::new();
        };
        let mut out = Vec::new();
        for member in self.members(object) {
            let at = format!("{at}.{}", member.name);
            if member.name.is_empty() {
                self.invalid(&at, "Invalid key in record", member.span, "empty", None);
            }
            if let Some(tool) = self.shell_tool(&at, &member) {
                out.push((member.name, tool));
            }
        }
        out
    }

    fn shell_tool(&mut self, at: &str, member: &Member<'_, '_>) -> Option<ShellTool> {
        let Value::Object(object) = member.value else {
            self.wrong_type(at, "object", member.value);
            return None;
        };
        let (mut command, mut workdir) = (None, None);
        let mut named = false;
        for part in self.members(object) {
            let at = format!("{at}.{}", part.name);
            match part.name.as_str() {
                "commandArgument" => {
                    named = true;
                    command = self.filled_text(&at, part.value);
                }
                "workdirArgument" => workdir = self.filled_text(&at, part.value),
                other => {
                    self.unknown_key(other, part.span, ["commandArgument", "workdirArgument"]);
                }
            }
        }
        if !named {
            self.invalid(
                &format!("{at}.commandArgument"),
                "Invalid input: expected string, received undefined",
                span_of(member.value),
                "names no argument",
                Some(
                    "name the argument that holds the command: \"commandArgument\": \"cmd\""
                        .to_owned(),
                ),
            );
        }
        Some(ShellTool {
            command_argument: command?,
            workdir_argument: workdir,
        })
    }

    fn permission(&mut self, value: &Value<'_>) -> Vec<SurfaceEntry> {
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

#[cfg(test)]
mod tests;
