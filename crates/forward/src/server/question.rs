use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::sign::Digest;
use crate::wire::{Hop, Request};

/// A request that waits for somebody.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) request: Arc<Request>,
    pub(super) digest: Digest,
    pub(super) question: String,
    pub(super) order: u64,
}

/// What somebody is asked: one request, or several that ask the same.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) id: String,
    pub(super) key: Option<String>,
    /// The requests, by order of arrival.
    pub(super) members: BTreeMap<u64, String>,
    /// Members up to this order are on the screen.
    pub(super) shown_up_to: u64,
    pub(super) revision: u64,
}

impl Question {
    pub(super) fn new(id: String, key: Option<String>, order: u64) -> Self {
        Self {
            id,
            key,
            members: BTreeMap::new(),
            shown_up_to: order,
            revision: 0,
        }
    }
}

/// One of those who ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The id of its request.
    pub request_id: String,
    /// The session that asks.
    pub session_id: String,
    /// Its agent, or `unknown`.
    pub agent_name: String,
    /// The sessions that handed its request on.
    pub lineage: Vec<Hop>,
}

/// By what a burst of questions can be grouped on a screen. Grouping shows
/// them together; each is still answered by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// The session that asks.
    pub session_id: String,
    /// The surface it asks about.
    pub surface: String,
    /// The first word of what it asks about.
    pub head: String,
}

/// A question that waits for somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its id: that of the first request that asked it.
    pub id: String,
    /// Grows whenever its askers change.
    pub revision: u64,
    /// The request as its first asker put it.
    pub request: Arc<Request>,
    /// All who ask it, the first one first.
    pub askers: Vec<Asker>,
    /// By what it can be grouped with others.
    pub group: Group,
    /// Its place in the order of arrival.
    pub order: u64,
}

pub(super) fn waiting(id: &str, revision: u64, held: &[&Held]) -> Waiting {
    let first = held.first();
    let request = first.map_or_else(
        || Arc::new(Request::new(id, 0, "", "")),
        |held| Arc::clone(&held.request),
    );
    let asker = |held: &&Held| Asker {
        request_id: held.request.id.clone(),
        session_id: held.request.requester_session_id.clone(),
        agent_name: held.request.requester_agent_name.clone(),
        lineage: held.request.lineage.clone(),
    };
    Waiting {
        id: id.to_owned(),
        revision,
        group: group(&request),
        askers: held.iter().map(asker).collect(),
        order: first.map_or(0, |held| held.order),
        request,
    }
}

fn group(request: &Request) -> Group {
    let intent = request.access_intent.as_ref();
    let surface = intent
        .map(|intent| intent.surface.as_str())
        .or(request.surface.as_deref());
    let value = intent
        .and_then(|intent| intent.match_values.first())
        .map(String::as_str)
        .or(request.value.as_deref());
    let head = value.unwrap_or_default().split_whitespace().next();
    Group {
        session_id: request.requester_session_id.clone(),
        surface: surface.unwrap_or_default().to_owned(),
        head: head.unwrap_or_default().to_owned(),
    }
}

/// What has to be equal for two requests to be one question: everything that
/// is shown or judged, except who asks. `None` where there is too little to
/// tell, and the request is a question of its own.
pub(super) fn key(request: &Request) -> Option<String> {
    if request.payload.is_none() && request.access_intent.is_none() && request.message.is_none() {
        return None;
    }
    let mut payload = request.payload.clone();
    if let Some(inner) = payload
        .as_mut()
        .and_then(|payload| payload.get_mut("request"))
        .and_then(Value::as_object_mut)
    {
        inner.remove("requester");
    }
    // A fixed stand-in for everything that names the asker; the rest as it
    // would be written.
    let mut plain = Request::new("", 0, "", "");
    plain.payload = payload;
    plain.message = request.message.clone();
    plain.source = request.source;
    plain.surface = request.surface.clone();
    plain.value = request.value.clone();
    plain.session_approval = request.session_approval.clone();
    plain.access_intent = request.access_intent.clone();
    plain.rest = request.rest.clone();
    plain.intent_rest = request.intent_rest.clone();
    if let Some(intent) = plain.access_intent.as_mut() {
        intent.principal = None;
    }
    let written = serde_json::from_slice::<Map<String, Value>>(&plain.write()).ok()?;
    Some(sorted(&Value::Object(written)).to_string())
}

/// The same value with its keys in order: two writers may differ in that.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<&String, Value> = map
                .iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            json!(ordered)
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
