use serde_json::{Map, Value, json};

use super::read::{millis, object, string, text};
use super::{Decider, OWN_KEY, Process, Unreadable};
use crate::limits::{REASON_BYTES, RESPONSE_BYTES};
use crate::sign::PublicKey;

/// What an answer says (spec 05 §8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerState {
    /// This one call may run.
    Approved,
    /// It may run, and the requester records its own suggestion as a grant.
    ApprovedForSession,
    /// It may run, and the serving session records the grant. Read, never
    /// written: the server says `approved` to the child.
    ApprovedForServingSession,
    /// It may not run.
    Denied,
    /// It may not run, and somebody said why.
    DeniedWithReason,
}

impl AnswerState {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ApprovedForSession => "approved_for_session",
            Self::ApprovedForServingSession => "approved_for_serving_session",
            Self::Denied => "denied",
            Self::DeniedWithReason => "denied_with_reason",
        }
    }

    /// Reads the word on the wire.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "approved" => Self::Approved,
            "approved_for_session" => Self::ApprovedForSession,
            "approved_for_serving_session" => Self::ApprovedForServingSession,
            "denied" => Self::Denied,
            "denied_with_reason" => Self::DeniedWithReason,
            _ => return None,
        })
    }

    /// Whether the call may run.
    #[must_use]
    pub fn is_approval(self) -> bool {
        match self {
            Self::Approved | Self::ApprovedForSession | Self::ApprovedForServingSession => true,
            Self::Denied | Self::DeniedWithReason => false,
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// What it says.
    pub state: AnswerState,
    /// Why it says no, where somebody said.
    pub denial_reason: Option<String>,
    /// The session that answered.
    pub responder_session_id: String,
    /// When, in milliseconds since 1970.
    pub responded_at: u64,
    /// Who decided there. `None` from an older session.
    pub decided_by: Option<Decider>,
}

impl Response {
    /// Whether the call may run.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.state.is_approval()
    }

    pub(crate) fn from_map(map: &Map<String, Value>, now: u64) -> Result<Self, Unreadable> {
        let approved = map
            .get("approved")
            .and_then(Value::as_bool)
            .ok_or(Unreadable::Field("approved"))?;
        let state = map
            .get("state")
            .and_then(Value::as_str)
            .and_then(AnswerState::parse)
            .ok_or(Unreadable::Field("state"))?;
        // One writer says yes and no at once: nobody can know what was meant.
        if approved != state.is_approval() {
            return Err(Unreadable::Contradiction);
        }
        Ok(Self {
            state,
            denial_reason: text(map.get("denialReason")),
            responder_session_id: string(map, "responderSessionId")?,
            responded_at: millis(map.get("respondedAt")).unwrap_or(now),
            decided_by: map.get("decidedBy").and_then(Decider::read),
        })
    }

    pub(crate) fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("approved".into(), json!(self.is_approval()));
        map.insert("state".into(), json!(self.state.as_str()));
        if let Some(reason) = &self.denial_reason {
            map.insert("denialReason".into(), json!(cut(reason)));
        }
        let responder = json!(self.responder_session_id);
        map.insert("responderSessionId".into(), responder);
        map.insert("respondedAt".into(), json!(self.responded_at));
        if let Some(decider) = &self.decided_by {
            map.insert("decidedBy".into(), decider.to_json());
        }
        map
    }
}

fn cut(reason: &str) -> &str {
    let mut end = reason.len().min(REASON_BYTES);
    while !reason.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    reason.get(..end).unwrap_or_default()
}

/// What proves an answer: a JSON text that repeats it together with what it
/// answers, and a signature over exactly these bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The signed text.
    pub payload: String,
    /// The key that signed it.
    pub key: PublicKey,
    /// The signature.
    pub signature: [u8; 64],
}

/// The content of a response file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseFile {
    /// The answer as every implementation reads it.
    pub response: Response,
    /// What proves it, where its writer signs.
    pub proof: Option<Proof>,
    /// The process it is for, so that an answer nobody can collect is found.
    pub requester: Option<Process>,
}

impl ResponseFile {
    /// Reads the content of a response file. `now` stands in for a missing
    /// time, in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// When a required field is missing or mistyped, or the answer contradicts
    /// itself.
    pub fn read(bytes: &[u8], now: u64) -> Result<Self, Unreadable> {
        let map = object(bytes, RESPONSE_BYTES)?;
        let own = map.get(OWN_KEY).and_then(Value::as_object);
        Ok(Self {
            response: Response::from_map(&map, now)?,
            proof: own.and_then(|own| read_proof(own.get("proof"))),
            requester: Process::read(own.and_then(|own| own.get("requester"))),
        })
    }

    /// The process a response is for, read from a file whose answer may be
    /// unreadable.
    #[must_use]
    pub fn read_requester(bytes: &[u8]) -> Option<Process> {
        let map = object(bytes, RESPONSE_BYTES).ok()?;
        Process::read(map.get(OWN_KEY)?.get("requester"))
    }

    /// The content of the response file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut map = self.response.to_map();
        let mut own = Map::new();
        own.insert("v".into(), json!(1));
        if let Some(requester) = &self.requester {
            own.insert("requester".into(), requester.write());
        }
        if let Some(proof) = &self.proof {
            let value = json!({
                "payload": proof.payload,
                "key": proof.key.to_text(),
                "signature": crate::sign::to_text(&proof.signature),
            });
            own.insert("proof".into(), value);
        }
        map.insert(OWN_KEY.into(), Value::Object(own));
        Value::Object(map).to_string().into_bytes()
    }
}

fn read_proof(value: Option<&Value>) -> Option<Proof> {
    let map = value?.as_object()?;
    let signature = crate::sign::from_text(map.get("signature")?.as_str()?)?;
    Some(Proof {
        payload: text(map.get("payload"))?,
        key: PublicKey::parse(map.get("key")?.as_str()?)?,
        signature: signature.try_into().ok()?,
    })
}
