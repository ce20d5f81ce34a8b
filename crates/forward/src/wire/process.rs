use serde_json::{Map, Value, json};

use super::read::text;

/// A process, named so that another one with the same number is not taken for
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in a form that only means something to compare.
    pub start: Option<String>,
    /// The machine run and process-number space the number belongs to. A
    /// number of another one says nothing here.
    pub space: Option<String>,
}

impl Process {
    /// A process of which only the number is known.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        Self {
            pid,
            start: None,
            space: None,
        }
    }

    pub(super) fn read(value: Option<&Value>) -> Option<Self> {
        let map = value?.as_object()?;
        Some(Self {
            pid: read_pid(map)?,
            start: text(map.get("start")),
            space: text(map.get("space")),
        })
    }

    pub(super) fn write(&self) -> Value {
        let mut map = Map::new();
        map.insert("pid".into(), json!(self.pid));
        if let Some(start) = &self.start {
            map.insert("start".into(), json!(start));
        }
        if let Some(space) = &self.space {
            map.insert("space".into(), json!(space));
        }
        Value::Object(map)
    }
}

/// A positive integer that the system could have given.
pub(super) fn read_pid(map: &Map<String, Value>) -> Option<u32> {
    let pid = map.get("pid")?.as_u64()?;
    let pid = u32::try_from(pid).ok()?;
    (pid > 0 && i32::try_from(pid).is_ok()).then_some(pid)
}
