use serde_json::{Map, Value, json};

use super::read::{millis, nullable, object, string, text, texts};
use super::{OWN_KEY, Process, Unreadable};
use crate::limits::{HOPS, REQUEST_BYTES};
use crate::sign::PublicKey;

/// What led to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Source {
    /// A tool call.
    #[default]
    ToolCall,
    /// A skill the user or model asked for.
    SkillInput,
    /// A skill's file was read.
    SkillRead,
}

impl Source {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::SkillInput => "skill_input",
            Self::SkillRead => "skill_read",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "tool_call" => Self::ToolCall,
            "skill_input" => Self::SkillInput,
            "skill_read" => Self::SkillRead,
            _ => return None,
        })
    }
}

/// One asking unit of a chain of commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AskingUnit {
    /// The unit's text.
    pub command: String,
    /// The floor that holds for it.
    pub floor: Option<String>,
}

/// Whom the facts speak of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The requesting session.
    pub session_id: String,
    /// Its agent.
    pub agent_name: String,
}

/// The facts as the requester fixed them, for the serving session to judge by
/// its own rules (spec 05 §8.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccessIntent {
    /// The surface of the gate that asks.
    pub surface: String,
    /// The spellings to match; never empty.
    pub match_values: Vec<String>,
    /// The real path, for paths.
    pub boundary_value: Option<String>,
    /// Where the requester works. Shown, never resolved against.
    pub requester_cwd: Option<String>,
    /// Whom the facts speak of.
    pub principal: Option<Principal>,
    /// The floor that holds for the whole ask.
    pub floor: Option<String>,
    /// Every asking unit of a chain; `None` where there is no chain, never
    /// empty.
    pub asking_units: Option<Vec<AskingUnit>>,
}

impl AccessIntent {
    /// Reads the facts. What would loosen them by being dropped makes all of
    /// them unusable: `None` is asked about.
    fn read(value: &Value) -> Option<Self> {
        let map = value.as_object()?;
        let match_values = texts(map.get("matchValues"))?;
        if match_values.is_empty() {
            return None;
        }
        Some(Self {
            surface: text(map.get("surface")).filter(|surface| !surface.is_empty())?,
            match_values,
            boundary_value: nullable(map.get("boundaryValue")).ok()?,
            requester_cwd: text(map.get("requesterCwd")),
            principal: read_principal(map.get("principal")),
            floor: nullable(map.get("floor")).ok()?,
            asking_units: match map.get("askingUnits") {
                None | Some(Value::Null) => None,
                Some(units) => Some(read_units(units)?),
            },
        })
    }

    fn write(&self, rest: &Map<String, Value>) -> Value {
        let mut map = Map::new();
        map.insert("surface".into(), json!(self.surface));
        map.insert("matchValues".into(), json!(self.match_values));
        map.insert("boundaryValue".into(), json!(self.boundary_value));
        if let Some(cwd) = &self.requester_cwd {
            map.insert("requesterCwd".into(), json!(cwd));
        }
        if let Some(principal) = &self.principal {
            let value = json!({
                "sessionId": principal.session_id,
                "agentName": principal.agent_name,
            });
            map.insert("principal".into(), value);
        }
        if let Some(floor) = &self.floor {
            map.insert("floor".into(), json!(floor));
        }
        if let Some(units) = &self.asking_units {
            let units = units.iter().map(|unit| match &unit.floor {
                Some(floor) => json!({ "command": unit.command, "floor": floor }),
                None => json!({ "command": unit.command }),
            });
            map.insert("askingUnits".into(), units.collect());
        }
        map.extend(rest.clone());
        Value::Object(map)
    }
}

fn read_principal(value: Option<&Value>) -> Option<Principal> {
    let map = value?.as_object()?;
    Some(Principal {
        session_id: text(map.get("sessionId"))?,
        agent_name: text(map.get("agentName"))?,
    })
}

fn read_units(value: &Value) -> Option<Vec<AskingUnit>> {
    let units: Option<Vec<AskingUnit>> = value.as_array()?.iter().map(read_unit).collect();
    units.filter(|units| !units.is_empty())
}

fn read_unit(value: &Value) -> Option<AskingUnit> {
    let map = value.as_object()?;
    Some(AskingUnit {
        command: text(map.get("command"))?,
        floor: nullable(map.get("floor")).ok()?,
    })
}

/// The grant the requester suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionApproval {
    /// The surface to grant.
    pub surface: String,
    /// The patterns to grant.
    pub patterns: Vec<String>,
    /// Fields of newer versions, kept for the next hop.
    pub rest: Map<String, Value>,
}

impl SessionApproval {
    fn read(value: &Value) -> Option<Self> {
        let map = value.as_object()?;
        let mut rest = map.clone();
        rest.remove("surface");
        rest.remove("patterns");
        Some(Self {
            surface: text(map.get("surface")).filter(|surface| !surface.is_empty())?,
            patterns: texts(map.get("patterns"))?,
            rest,
        })
    }

    /// As it travels.
    #[must_use]
    pub fn write(&self) -> Value {
        let mut map = Map::new();
        map.insert("surface".into(), json!(self.surface));
        map.insert("patterns".into(), json!(self.patterns));
        map.extend(self.rest.clone());
        Value::Object(map)
    }
}

/// A session that handed a request on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The session.
    pub session_id: String,
    /// Its agent, where it has one.
    pub agent_name: Option<String>,
}

/// A question on its way to the session that answers it (spec 05 §8.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its id; also the name of its file.
    pub id: String,
    /// When it was asked, in milliseconds since 1970.
    pub created_at: u64,
    /// The session that asks. Over several hops, the first one.
    pub requester_session_id: String,
    /// The session that is asked.
    pub target_session_id: String,
    /// The agent of the session that asks, or `unknown`.
    pub requester_agent_name: String,
    /// The ask payload (spec 04 §2), an object.
    pub payload: Option<Map<String, Value>>,
    /// The question as text, from versions before 26.
    pub message: Option<String>,
    /// What led to the question.
    pub source: Option<Source>,
    /// The surface to show.
    pub surface: Option<String>,
    /// The value to show.
    pub value: Option<String>,
    /// The grant the requester suggests.
    pub session_approval: Option<SessionApproval>,
    /// The facts to judge by.
    pub access_intent: Option<AccessIntent>,
    /// The process that waits for the answer.
    pub process: Option<Process>,
    /// When that process stops waiting, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// A number used once, so that two requests never have the same digest.
    pub nonce: Option<String>,
    /// The key the answer must be signed with.
    pub answer_key: Option<PublicKey>,
    /// How the requester was recognised as a child, in one word.
    pub child_by: Option<String>,
    /// The sessions that handed the request on, the first one first.
    pub lineage: Vec<Hop>,
    /// Fields of newer versions, kept for the next hop.
    pub rest: Map<String, Value>,
    /// The same within the facts.
    pub intent_rest: Map<String, Value>,
}

const KNOWN_FACTS: [&str; 7] = [
    "surface",
    "matchValues",
    "boundaryValue",
    "requesterCwd",
    "principal",
    "floor",
    "askingUnits",
];

/// More than this is no word.
const WORD_BYTES: usize = 32;

const KNOWN: [&str; 13] = [
    "id",
    "createdAt",
    "requesterSessionId",
    "targetSessionId",
    "requesterAgentName",
    "payload",
    "message",
    "source",
    "surface",
    "value",
    "sessionApproval",
    "accessIntent",
    OWN_KEY,
];

impl Request {
    /// A request with its required fields and nothing else.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        created_at: u64,
        requester: impl Into<String>,
        target: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            created_at,
            requester_session_id: requester.into(),
            target_session_id: target.into(),
            requester_agent_name: crate::ids::UNKNOWN.to_owned(),
            payload: None,
            message: None,
            source: None,
            surface: None,
            value: None,
            session_approval: None,
            access_intent: None,
            process: None,
            expires_at: None,
            nonce: None,
            answer_key: None,
            child_by: None,
            lineage: Vec::new(),
            rest: Map::new(),
            intent_rest: Map::new(),
        }
    }

    /// Reads the content of a request file.
    ///
    /// # Errors
    ///
    /// When it is too large, no JSON object, or a required field is missing or
    /// mistyped.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let map = object(bytes, REQUEST_BYTES)?;
        let own = map.get(OWN_KEY).and_then(Value::as_object);
        let own = |key: &str| own.and_then(|own| own.get(key));
        let mut rest = map.clone();
        rest.retain(|key, _| !KNOWN.contains(&key.as_str()));
        let intent = map.get("accessIntent");
        let mut intent_rest = intent.and_then(Value::as_object).cloned();
        if let Some(rest) = &mut intent_rest {
            rest.retain(|key, _| !KNOWN_FACTS.contains(&key.as_str()));
        }
        Ok(Self {
            id: string(&map, "id")?,
            created_at: millis(map.get("createdAt")).ok_or(Unreadable::Field("createdAt"))?,
            requester_session_id: string(&map, "requesterSessionId")?,
            target_session_id: string(&map, "targetSessionId")?,
            requester_agent_name: string(&map, "requesterAgentName")?,
            payload: map.get("payload").and_then(Value::as_object).cloned(),
            message: text(map.get("message")),
            source: map
                .get("source")
                .and_then(Value::as_str)
                .and_then(Source::parse),
            surface: text(map.get("surface")),
            value: text(map.get("value")),
            session_approval: map.get("sessionApproval").and_then(SessionApproval::read),
            access_intent: intent.and_then(AccessIntent::read),
            process: Process::read(own("process")),
            expires_at: millis(own("expiresAt")),
            nonce: text(own("nonce")),
            answer_key: own("answerKey")
                .and_then(Value::as_str)
                .and_then(PublicKey::parse),
            child_by: text(own("childBy")).filter(|word| word.len() <= WORD_BYTES),
            lineage: read_lineage(own("lineage")),
            rest,
            intent_rest: intent_rest.unwrap_or_default(),
        })
    }

    /// The content of the request file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut map = Map::new();
        map.insert("id".into(), json!(self.id));
        map.insert("createdAt".into(), json!(self.created_at));
        map.insert(
            "requesterSessionId".into(),
            json!(self.requester_session_id),
        );
        map.insert("targetSessionId".into(), json!(self.target_session_id));
        map.insert(
            "requesterAgentName".into(),
            json!(self.requester_agent_name),
        );
        if let Some(payload) = &self.payload {
            map.insert("payload".into(), Value::Object(payload.clone()));
        }
        if let Some(message) = &self.message {
            map.insert("message".into(), json!(message));
        }
        let source = self.source.unwrap_or_default();
        map.insert("source".into(), json!(source.as_str()));
        map.insert("surface".into(), json!(self.surface));
        map.insert("value".into(), json!(self.value));
        if let Some(approval) = &self.session_approval {
            map.insert("sessionApproval".into(), approval.write());
        }
        if let Some(intent) = &self.access_intent {
            let intent = intent.write(&self.intent_rest);
            map.insert("accessIntent".into(), intent);
        }
        map.extend(self.rest.clone());
        map.insert(OWN_KEY.into(), Value::Object(self.own_fields()));
        Value::Object(map).to_string().into_bytes()
    }

    fn own_fields(&self) -> Map<String, Value> {
        let mut own = Map::new();
        own.insert("v".into(), json!(1));
        if let Some(process) = &self.process {
            own.insert("process".into(), process.write());
        }
        if let Some(expires_at) = self.expires_at {
            own.insert("expiresAt".into(), json!(expires_at));
        }
        if let Some(nonce) = &self.nonce {
            own.insert("nonce".into(), json!(nonce));
        }
        if let Some(key) = &self.answer_key {
            own.insert("answerKey".into(), json!(key.to_text()));
        }
        if let Some(word) = &self.child_by {
            own.insert("childBy".into(), json!(word));
        }
        if !self.lineage.is_empty() {
            let hops = self.lineage.iter().map(|hop| match &hop.agent_name {
                Some(agent) => json!({ "sessionId": hop.session_id, "agentName": agent }),
                None => json!({ "sessionId": hop.session_id }),
            });
            own.insert("lineage".into(), hops.collect());
        }
        own
    }
}

fn read_lineage(value: Option<&Value>) -> Vec<Hop> {
    let hops = value.and_then(Value::as_array).map(Vec::as_slice);
    let hops = hops.unwrap_or_default().iter();
    let hop = |value: &Value| {
        let map = value.as_object()?;
        Some(Hop {
            session_id: text(map.get("sessionId"))?,
            agent_name: text(map.get("agentName")),
        })
    };
    // One more than allowed is kept, so that the bound is seen to be broken.
    hops.take(HOPS + 1).filter_map(hop).collect()
}
