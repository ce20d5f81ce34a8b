//! The call an entry is about, recorded so that it can be decided again under
//! another policy.
//!
//! A call that was masked or cut is not the call that was decided. It says so
//! in `partial`, and is never taken for the whole.

use serde_json::{Map, Value};

use super::{cap, mask};

/// The member of an entry that holds the call.
pub const MEMBER: &str = "call";

/// The member of a call that says why it is not the whole call.
pub const PARTIAL: &str = "partial";

/// Bytes of an input, as JSON. Of a larger one nothing is kept: most of the
/// log would be inputs.
const MAX_INPUT: usize = 16 << 10;

/// Masks and cuts the call of an entry, and notes whether that changed it.
pub(super) fn settle(fields: &mut Map<String, Value>, width: usize) {
    let Some(Value::Object(call)) = fields.get_mut(MEMBER) else {
        return;
    };
    let long = call
        .get("input")
        .is_some_and(|input| input.to_string().len() > MAX_INPUT);
    if long {
        call.insert("input".into(), Value::Null);
        note(call, "cut");
    }
    let mut settled = Value::Object(call.clone());
    mask(&mut settled);
    let masked = settled != Value::Object(call.clone());
    let uncut = settled.clone();
    cap(&mut settled, width);
    let cut = settled != uncut;
    if let Value::Object(settled) = settled {
        *call = settled;
    }
    if masked {
        note(call, "masked");
    } else if cut {
        note(call, "cut");
    }
}

/// The first reason stays.
fn note(call: &mut Map<String, Value>, why: &str) {
    call.entry(PARTIAL).or_insert_with(|| why.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_that_was_changed_says_so() {
        let long = "x".repeat(MAX_INPUT);
        for (call, expected) in [
            (
                json!({"input": {"command": "ls -l"}, "cwd": "/p"}),
                json!({"input": {"command": "ls -l"}, "cwd": "/p"}),
            ),
            (
                json!({"input": {"command": "TOKEN=a ls"}}),
                json!({"input": {"command": "TOKEN=[redacted] ls"}, "partial": "masked"}),
            ),
            (
                json!({"input": {"command": "echo a very long text"}}),
                json!({"input": {"command": "echo a very long tex…"}, "partial": "cut"}),
            ),
            (
                json!({"input": {"password": "x"}}),
                json!({"input": {"password": "[redacted]"}, "partial": "masked"}),
            ),
            (
                json!({"input": {"command": long}}),
                json!({"input": null, "partial": "cut"}),
            ),
            (
                json!({"input": {}, "partial": "skill"}),
                json!({"input": {}, "partial": "skill"}),
            ),
        ] {
            let mut fields = Map::new();
            fields.insert(MEMBER.into(), call.clone());
            settle(&mut fields, 20);
            assert_eq!(fields.get(MEMBER), Some(&expected), "{call}");
        }
    }
}
