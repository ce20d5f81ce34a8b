//! What the host says of a call, as facts of the question.

use std::collections::VecDeque;

use countersign_engine::{Decision, Evidence};
use countersign_intent::ToolCall;

use super::api::CallContext;
use super::{Session, lock};

/// Calls that are remembered, to name one when it makes others.
const REMEMBERED: usize = 256;

/// The last calls: id and tool.
#[derive(Debug, Default)]
pub(super) struct Callers(VecDeque<(String, String)>);

impl Callers {
    fn saw(&mut self, id: &str, tool: &str) {
        if id.is_empty() || self.0.iter().any(|(known, _)| known == id) {
            return;
        }
        self.0.push_front((id.to_owned(), tool.to_owned()));
        self.0.truncate(REMEMBERED);
    }

    fn tool(&self, id: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == id);
        found.map(|(_, tool)| tool.as_str())
    }
}

impl Session {
    /// Adds to a question which call made this one, and what the tool's maker
    /// says of it. A maker can say anything, so neither decides.
    pub(super) fn add_context(
        &self,
        decision: &mut Decision,
        call: &ToolCall,
        context: &CallContext,
    ) {
        let parent = {
            let mut callers = lock(&self.callers);
            callers.saw(&context.tool_call_id, &call.name);
            context.parent_tool_call_id.as_deref().map(|id| {
                let tool = callers.tool(id).unwrap_or("unknown");
                format!("{tool} · {id}")
            })
        };
        let Some(payload) = decision.payload.as_deref_mut() else {
            return;
        };
        let hints: Vec<String> = context
            .hints
            .iter()
            .filter_map(|(name, holds)| in_words(name, *holds))
            .collect();
        if !hints.is_empty() {
            let text = format!("{} (not verified)", hints.join(", "));
            payload.evidence.insert(0, Evidence::new("tool says", text));
        }
        if let Some(parent) = parent {
            payload
                .evidence
                .insert(0, Evidence::new("called by", parent));
        }
    }
}

/// A hint of the MCP specification; others mean nothing here.
fn in_words(name: &str, holds: bool) -> Option<String> {
    let (yes, no) = match name {
        "readOnlyHint" => ("only reads", "may change things"),
        "destructiveHint" => ("may destroy", "destroys nothing"),
        "idempotentHint" => ("may be repeated", "has an effect each time"),
        "openWorldHint" => ("reaches the outside", "stays inside"),
        _ => return None,
    };
    Some(if holds { yes } else { no }.to_owned())
}
