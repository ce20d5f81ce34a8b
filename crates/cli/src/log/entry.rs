//! One line of the review log, read tolerantly: a field of an unexpected type
//! counts as absent, so that a line of another make still tells what it can.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text field, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text<'a>(Option<Cow<'a, str>>);

impl Text<'_> {
    /// The text, unless it is absent or empty.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

/// What is read of an entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Entry<'a> {
    #[serde(borrow)]
    pub timestamp: Text<'a>,
    #[serde(borrow)]
    pub event: Text<'a>,
    #[serde(borrow)]
    pub request_id: Text<'a>,
    #[serde(borrow)]
    pub tool_call_id: Text<'a>,
    #[serde(borrow)]
    pub session_id: Text<'a>,
    #[serde(borrow)]
    pub requester_session_id: Text<'a>,
    #[serde(borrow)]
    pub target_session_id: Text<'a>,
    #[serde(borrow)]
    pub responder_session_id: Text<'a>,
    #[serde(borrow)]
    pub agent_name: Text<'a>,
    #[serde(borrow)]
    pub requester_agent_name: Text<'a>,
    #[serde(borrow)]
    pub surface: Text<'a>,
    #[serde(borrow)]
    pub value: Text<'a>,
    #[serde(borrow)]
    pub matched_pattern: Text<'a>,
    #[serde(borrow)]
    pub session_approval_pattern: Text<'a>,
    #[serde(borrow)]
    pub command: Text<'a>,
    #[serde(borrow)]
    pub path: Text<'a>,
    #[serde(borrow)]
    pub target: Text<'a>,
    #[serde(borrow)]
    pub skill_name: Text<'a>,
    #[serde(borrow)]
    pub tool_name: Text<'a>,
    #[serde(borrow)]
    pub resolution: Text<'a>,
    #[serde(borrow)]
    pub state: Text<'a>,
    #[serde(borrow)]
    pub denial_reason: Text<'a>,
    #[serde(borrow)]
    pub serving_state: Text<'a>,
    #[serde(borrow)]
    pub message: Text<'a>,
    #[serde(deserialize_with = "tolerant")]
    pub decided_by: Option<Decider>,
}

/// Who decided.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Decider {
    pub kind: String,
    pub via: Option<String>,
    pub name: Option<String>,
    pub surface: Option<String>,
    pub pattern: Option<String>,
    pub origin: Option<String>,
    pub reason: Option<String>,
    pub responder_session_id: Option<String>,
    pub decision: Option<Box<Self>>,
}

fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decider>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer).map_err(de::Error::custom)?;
    Ok(Decider::deserialize(value).ok())
}

impl Decider {
    /// In a few words: `you`, `rule bash "git *" (global)`, …
    pub fn words(&self) -> String {
        let rule = || {
            let surface = self.surface.as_deref().unwrap_or("?");
            let pattern = self.pattern.as_deref().unwrap_or("*");
            format!("{surface} \"{pattern}\"")
        };
        match self.kind.as_str() {
            "user" => "the user".to_owned(),
            "rule" => match &self.origin {
                Some(origin) => format!("rule {} ({origin})", rule()),
                None => format!("rule {}", rule()),
            },
            "session_approval" => format!("grant {}", rule()),
            "yolo" => "yolo".to_owned(),
            "infrastructure_read" => "infrastructure".to_owned(),
            "unavailable" => "nobody".to_owned(),
            "gate_error" => "an error".to_owned(),
            "authorizer" => format!("link {}", self.name.as_deref().unwrap_or("?")),
            "forwarded" => {
                let inner = self.decision.as_ref().map(|it| it.words());
                let inner = inner.unwrap_or_else(|| "someone".to_owned());
                let session = self.responder_session_id.as_deref().unwrap_or("?");
                format!("{inner} in session {session}")
            }
            other => other.to_owned(),
        }
    }

    /// The kind that counts: inside a forwarded answer, the one that decided
    /// there.
    pub fn effective_kind(&self) -> &str {
        match (&self.decision, self.kind.as_str()) {
            (Some(inner), "forwarded") => inner.effective_kind(),
            _ => &self.kind,
        }
    }
}

/// What an entry says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Verdict {
    /// Asked, not answered yet
    Asked,
    /// It ran
    Allowed,
    /// A rule or a person refused
    Denied,
    /// Nobody could be asked, or nobody answered
    Unavailable,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
        }
    }
}

impl<'a> Entry<'a> {
    /// Reads a line.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// What happened; `None` for entries about something else.
    pub fn verdict(&self) -> Option<Verdict> {
        let event = self.event.get()?;
        let (family, what) = event.split_once('.')?;
        if !matches!(family, "permission_request" | "forwarded_permission") {
            return None;
        }
        Some(match what {
            "waiting" | "prompted" | "request_created" => Verdict::Asked,
            "approved"
            | "session_approved"
            | "auto_approved"
            | "infrastructure_auto_allowed"
            | "allowed" => Verdict::Allowed,
            "denied" if self.nobody_answered() => Verdict::Unavailable,
            "denied" | "blocked" | "auto_denied" => Verdict::Denied,
            "no_serving_session" | "response_timed_out" => Verdict::Unavailable,
            _ => return None,
        })
    }

    fn nobody_answered(&self) -> bool {
        self.resolution.get() == Some("confirmation_unavailable")
            || self
                .decided_by
                .as_ref()
                .is_some_and(|it| it.effective_kind() == "unavailable")
    }

    /// Whether this entry ends a question or decision where it was raised, as
    /// opposed to the serving session's view of the same.
    pub fn is_final(&self) -> bool {
        let here = self
            .event
            .get()
            .is_some_and(|event| event.starts_with("permission_request."));
        here && self.verdict().is_some_and(|it| it != Verdict::Asked)
    }

    /// Who asked, where known.
    pub fn agent(&self) -> Option<&str> {
        self.agent_name
            .get()
            .or_else(|| self.requester_agent_name.get())
    }

    /// What was decided about.
    pub fn subject(&self) -> Option<&str> {
        self.command
            .get()
            .or_else(|| self.path.get())
            .or_else(|| self.target.get())
            .or_else(|| self.skill_name.get())
            .or_else(|| self.value.get())
    }

    /// The pattern that decided.
    pub fn pattern(&self) -> Option<&str> {
        self.matched_pattern
            .get()
            .or_else(|| self.session_approval_pattern.get())
            .or_else(|| self.decided_by.as_ref()?.pattern.as_deref())
    }

    /// The sessions this entry speaks of.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        [
            self.session_id.get(),
            self.requester_session_id.get(),
            self.target_session_id.get(),
            self.responder_session_id.get(),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_absent() {
        let entry = Entry::parse(
            br#"{"event":"permission_request.denied","requestId":7,"command":["x"],"path":{"a":1},
                "target":"t","decidedBy":"someone","resolution":"confirmation_unavailable"}"#,
        )
        .unwrap();
        assert_eq!(entry.request_id.get(), None);
        assert_eq!(entry.subject(), Some("t"));
        assert!(entry.decided_by.is_none());
        assert_eq!(entry.verdict(), Some(Verdict::Unavailable));
        assert!(entry.is_final());
    }

    #[test]
    fn a_forwarded_decider_names_who_decided_there() {
        let entry = Entry::parse(
            br#"{"event":"permission_request.approved","decidedBy":{"kind":"forwarded",
                "responderSessionId":"p","decision":{"kind":"rule","surface":"bash","pattern":"git *","origin":"global"}}}"#,
        )
        .unwrap();
        let decider = entry.decided_by.as_ref().unwrap();
        assert_eq!(
            decider.words(),
            r#"rule bash "git *" (global) in session p"#
        );
        assert_eq!(decider.effective_kind(), "rule");
        assert_eq!(entry.pattern(), None);
    }
}
