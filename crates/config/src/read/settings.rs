//! The settings of a file.

use countersign_policy::Family;
use countersign_text::{Diagnostic, Severity};
use jsonc_parser::ast::Value;

use super::{MAX_INTEGER, Member, Reader};
use crate::dialog_keys::{self, Decision};
use crate::json::span_of;
use crate::keys::Kind;
use crate::settings::{DialogKeys, Settings, ShellTool};

impl Reader<'_> {
    pub(super) fn setting(
        &mut self,
        name: &str,
        kind: Kind,
        value: &Value<'_>,
        settings: &mut Settings,
    ) {
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
}
