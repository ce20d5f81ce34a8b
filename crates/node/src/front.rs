//! Where a session's questions and events go: one JavaScript function.

use std::sync::Arc;

use countersign_host::session::{Front, Level, Question};
use napi::Status;
use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use serde_json::{Value, json};

/// The JavaScript function `(kind, payload) => void`. It does not keep the
/// process alive: a session that waits for nothing may end.
pub type Listener =
    ThreadsafeFunction<FnArgs<(String, String)>, (), FnArgs<(String, String)>, Status, false, true>;

/// Passes everything on, in order, to the JavaScript thread.
pub struct ScriptFront {
    listener: Arc<Listener>,
}

impl ScriptFront {
    /// A front that calls `listener`.
    pub fn new(listener: Arc<Listener>) -> Self {
        Self { listener }
    }

    fn tell(&self, kind: &str, payload: &Value) {
        // The queue has no bound, so the call fails only where the JavaScript
        // side is going away; then nobody is left to be told.
        let _ = self.listener.call(
            (kind.to_owned(), payload.to_string()).into(),
            ThreadsafeFunctionCallMode::NonBlocking,
        );
    }
}

impl Front for ScriptFront {
    fn question(&self, question: Question) {
        self.tell("question", &crate::convert::question(&question));
    }

    fn question_gone(&self, request_id: &str) {
        self.tell("gone", &json!({ "id": request_id }));
    }

    fn event(&self, channel: &str, payload: Value) {
        self.tell("event", &json!({ "channel": channel, "data": payload }));
    }

    fn changed(&self) {
        self.tell("changed", &json!({}));
    }

    fn notice(&self, level: Level, text: &str) {
        self.tell("notice", &json!({ "level": level.as_str(), "text": text }));
    }

    fn consult(&self, request_id: &str, link: &str, details: Value) {
        self.tell(
            "consult",
            &json!({ "id": request_id, "link": link, "details": details }),
        );
    }
}
