use serde_json::{Map, Value};

/// Why a message cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Over the size bound of its kind.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The bound.
        limit: usize,
    },
    /// Not JSON, or cut off.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// JSON, but no object.
    #[error("it is not an object")]
    NotAnObject,
    /// A required field is missing or of another type.
    #[error("`{0}` is missing or of the wrong type")]
    Field(&'static str),
    /// Two fields contradict each other.
    #[error("`approved` and `state` contradict each other")]
    Contradiction,
}

pub(super) fn object(bytes: &[u8], limit: usize) -> Result<Map<String, Value>, Unreadable> {
    if bytes.len() > limit {
        return Err(Unreadable::TooLarge { limit });
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Unreadable::NotAnObject),
        Err(error) => Err(Unreadable::NotJson(error.to_string())),
    }
}

pub(super) fn string(map: &Map<String, Value>, key: &'static str) -> Result<String, Unreadable> {
    text(map.get(key)).ok_or(Unreadable::Field(key))
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

/// Milliseconds: any JSON number, as JavaScript writes them; fractions are cut.
pub(super) fn millis(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        let whole = number.is_finite() && (0.0..9_007_199_254_740_992.0).contains(&number);
        // Within the range in which a float holds every integer exactly.
        whole.then_some(number as u64)
    })
}

/// A field that may be a text, `null`, or absent; anything else is an error to
/// its caller.
pub(super) fn nullable(value: Option<&Value>) -> Result<Option<String>, ()> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(()),
    }
}

pub(super) fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    let items = value?.as_array()?;
    items.iter().map(|item| text(Some(item))).collect()
}
