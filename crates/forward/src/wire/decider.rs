use serde_json::{Map, Value, json};

use super::read::{nullable, text};
use crate::limits::FORWARDED_FRAMES;

/// How a person was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Our own dialog.
    Dialog,
    /// The host's list of choices.
    Select,
}

/// What a link of the authorizer chain said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkVerdict {
    /// Allow this one call.
    Allow,
    /// Refuse it.
    Deny,
}

/// Who decided (spec 04 §6). Travels with every answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decider {
    /// A person.
    User {
        /// How they were asked.
        via: Via,
    },
    /// A link of the authorizer chain.
    Authorizer {
        /// The link's name.
        name: String,
        /// What it said.
        verdict: LinkVerdict,
        /// Why, where it said.
        reason: Option<String>,
    },
    /// A rule.
    Rule {
        /// The surface the rule speaks of.
        surface: String,
        /// Its pattern; `None` for the default.
        pattern: Option<String>,
        /// The scope it comes from.
        origin: Option<String>,
        /// The reason written beside it.
        reason: Option<String>,
    },
    /// A grant of the session.
    SessionApproval {
        /// The surface granted.
        surface: String,
        /// The pattern; `None` where several were needed.
        pattern: Option<String>,
    },
    /// Yolo mode.
    Yolo {
        /// The pattern that asked.
        pattern: Option<String>,
    },
    /// A read of the host's own files.
    InfrastructureRead,
    /// Nobody: there was nobody to ask.
    Unavailable {
        /// What was missing.
        reason: String,
    },
    /// Nobody: the gate failed and blocked the call.
    GateError {
        /// What failed.
        reason: String,
    },
    /// Another session.
    Forwarded {
        /// The session that answered.
        responder_session_id: Option<String>,
        /// Who decided there, where that is known.
        decision: Option<Box<Decider>>,
    },
}

impl Decider {
    /// Reads a decider. All or nothing: an unknown kind, a missing or mistyped
    /// field or too many frames make it `None`, and never the message it came
    /// with (spec 05 §8.3).
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        Self::read_within(value, FORWARDED_FRAMES)
    }

    fn read_within(value: &Value, frames: usize) -> Option<Self> {
        let map = value.as_object()?;
        let optional = |key: &str| nullable(map.get(key)).ok();
        Some(match map.get("kind")?.as_str()? {
            "user" => Self::User {
                via: match map.get("via")?.as_str()? {
                    "dialog" => Via::Dialog,
                    "select" => Via::Select,
                    _ => return None,
                },
            },
            "authorizer" => Self::Authorizer {
                name: text(map.get("name"))?,
                verdict: match map.get("verdict")?.as_str()? {
                    "allow" => LinkVerdict::Allow,
                    "deny" => LinkVerdict::Deny,
                    _ => return None,
                },
                reason: optional("reason")?,
            },
            "rule" => Self::Rule {
                surface: text(map.get("surface"))?,
                pattern: optional("pattern")?,
                origin: optional("origin")?,
                reason: optional("reason")?,
            },
            "session_approval" => Self::SessionApproval {
                surface: text(map.get("surface"))?,
                pattern: optional("pattern")?,
            },
            "yolo" => Self::Yolo {
                pattern: optional("pattern")?,
            },
            "infrastructure_read" => Self::InfrastructureRead,
            "unavailable" => Self::Unavailable {
                reason: text(map.get("reason"))?,
            },
            "gate_error" => Self::GateError {
                reason: text(map.get("reason"))?,
            },
            "forwarded" => {
                let inner = frames.checked_sub(1)?;
                Self::Forwarded {
                    responder_session_id: optional("responderSessionId")?,
                    decision: match map.get("decision") {
                        None | Some(Value::Null) => None,
                        Some(value) => Some(Box::new(Self::read_within(value, inner)?)),
                    },
                }
            }
            _ => return None,
        })
    }

    /// The decider of an answer that came from `responder`. One frame too many
    /// drops what lies inside, and keeps the hop.
    #[must_use]
    pub fn forwarded(responder: &str, decision: Option<Self>) -> Self {
        Self::Forwarded {
            responder_session_id: Some(responder.to_owned()),
            decision: decision
                .filter(|inner| inner.frames() < FORWARDED_FRAMES)
                .map(Box::new),
        }
    }

    fn frames(&self) -> usize {
        match self {
            Self::Forwarded { decision, .. } => {
                1 + decision.as_ref().map_or(0, |inner| inner.frames())
            }
            _ => 0,
        }
    }

    /// The decider inside all frames, where it is known.
    #[must_use]
    pub fn effective(&self) -> Option<&Self> {
        match self {
            Self::Forwarded { decision, .. } => decision.as_ref()?.effective(),
            other => Some(other),
        }
    }

    /// The word for its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Authorizer { .. } => "authorizer",
            Self::Rule { .. } => "rule",
            Self::SessionApproval { .. } => "session_approval",
            Self::Yolo { .. } => "yolo",
            Self::InfrastructureRead => "infrastructure_read",
            Self::Unavailable { .. } => "unavailable",
            Self::GateError { .. } => "gate_error",
            Self::Forwarded { .. } => "forwarded",
        }
    }

    /// The decider as it travels and is logged.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("kind".into(), json!(self.kind()));
        match self {
            Self::User { via } => {
                let word = match via {
                    Via::Dialog => "dialog",
                    Via::Select => "select",
                };
                map.insert("via".into(), json!(word));
            }
            Self::Authorizer {
                name,
                verdict,
                reason,
            } => {
                let word = match verdict {
                    LinkVerdict::Allow => "allow",
                    LinkVerdict::Deny => "deny",
                };
                map.insert("name".into(), json!(name));
                map.insert("verdict".into(), json!(word));
                map.insert("reason".into(), json!(reason));
            }
            Self::Rule {
                surface,
                pattern,
                origin,
                reason,
            } => {
                map.insert("surface".into(), json!(surface));
                map.insert("pattern".into(), json!(pattern));
                map.insert("origin".into(), json!(origin));
                if let Some(reason) = reason {
                    map.insert("reason".into(), json!(reason));
                }
            }
            Self::SessionApproval { surface, pattern } => {
                map.insert("surface".into(), json!(surface));
                map.insert("pattern".into(), json!(pattern));
            }
            Self::Yolo { pattern } => {
                map.insert("pattern".into(), json!(pattern));
            }
            Self::InfrastructureRead => {}
            Self::Unavailable { reason } | Self::GateError { reason } => {
                map.insert("reason".into(), json!(reason));
            }
            Self::Forwarded {
                responder_session_id,
                decision,
            } => {
                map.insert("responderSessionId".into(), json!(responder_session_id));
                let inner = decision
                    .as_ref()
                    .map_or(Value::Null, |inner| inner.to_json());
                map.insert("decision".into(), inner);
            }
        }
        Value::Object(map)
    }
}
