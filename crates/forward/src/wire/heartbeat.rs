use serde_json::{Map, Value, json};

use super::process::read_pid;
use super::read::{millis, object, string};
use super::{OWN_KEY, Process, Unreadable};
use crate::limits::HEARTBEAT_BYTES;
use crate::sign::PublicKey;

/// What a serving session publishes, so that a child in another process knows
/// somebody drains the inbox (spec 05 §9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// The session that serves.
    pub session_id: String,
    /// The process it runs in. Only the number is required on the wire.
    pub process: Process,
    /// When this was written, in milliseconds since 1970.
    pub updated_at: u64,
    /// The key it signs answers with. Whoever can write the file can put any
    /// key here, so it informs and proves nothing.
    pub key: Option<PublicKey>,
}

impl Heartbeat {
    /// Reads the content of a heartbeat file.
    ///
    /// # Errors
    ///
    /// When a required field is missing or mistyped, or the number of the
    /// process cannot be one.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let map = object(bytes, HEARTBEAT_BYTES)?;
        let pid = read_pid(&map).ok_or(Unreadable::Field("pid"))?;
        let own = map.get(OWN_KEY).and_then(Value::as_object);
        // A process that contradicts the record's own number is dropped: the
        // number is what everybody else judges by.
        let process = Process::read(own.and_then(|own| own.get("process")))
            .filter(|process| process.pid == pid)
            .unwrap_or_else(|| Process::of(pid));
        Ok(Self {
            session_id: string(&map, "sessionId")?,
            process,
            updated_at: millis(map.get("updatedAt")).ok_or(Unreadable::Field("updatedAt"))?,
            key: own
                .and_then(|own| own.get("key"))
                .and_then(Value::as_str)
                .and_then(PublicKey::parse),
        })
    }

    /// The content of the heartbeat file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut own = Map::new();
        own.insert("v".into(), json!(1));
        own.insert("process".into(), self.process.write());
        if let Some(key) = &self.key {
            own.insert("key".into(), json!(key.to_text()));
        }
        let value = json!({
            "sessionId": self.session_id,
            "pid": self.process.pid,
            "updatedAt": self.updated_at,
            OWN_KEY: own,
        });
        value.to_string().into_bytes()
    }
}
