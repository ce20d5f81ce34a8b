//! The Node addon that the Pi extension loads: conversion only.
//!
//! Everything crosses as JSON text: one parse on either side costs less than
//! a property at a time, and both sides can be read in a log.

mod active_agent;
mod convert;
mod front;

use std::sync::Arc;

use countersign_host::dialog::Key;
use countersign_host::registry::{self, Detection};
use countersign_host::session::{Answer, FollowUp, LinkAnswer, Skill, Via};
use napi::bindgen_prelude::{Env, FnArgs, Function, Object};
use napi_derive::napi;
use serde_json::json;

/// The version of the interface to the JavaScript side, which refuses another.
const INTERFACE: u32 = 1;

/// The version of the interface.
#[napi]
pub fn interface_version() -> u32 {
    INTERFACE
}

/// A child was announced, before its own copy of the extension loads.
#[napi(catch_unwind)]
pub fn child_created(session_id: String, parent: Option<String>) {
    registry::add_child(&session_id, parent.as_deref(), Detection::Announced);
}

/// An announced child ended.
#[napi(catch_unwind)]
pub fn child_disposed(session_id: String) {
    registry::remove_child(&session_id);
}

/// The session that a child of this process forwards to, where it is known.
#[napi(catch_unwind)]
pub fn parent_of(session_id: String) -> Option<String> {
    registry::child(&session_id)?.parent
}

/// Opens a session.
#[napi(catch_unwind)]
pub fn open_session(
    options: String,
    listener: Function<FnArgs<(String, String)>, ()>,
) -> napi::Result<Session> {
    let options: convert::OpenOptions = convert::read("the session's options", &options)?;
    if options.guest {
        let parent = registry::session_beside(options.session_id());
        registry::add_child(options.session_id(), parent.as_deref(), Detection::Wrapped);
    }
    let listener = listener
        .build_threadsafe_function()
        .weak::<true>()
        .build_callback(|context| Ok(context.value))?;
    let front = Arc::new(front::ScriptFront::new(Arc::new(listener)));
    let inner = countersign_host::Session::open(options.into_options()?, front);
    Ok(Session { inner })
}

/// A running session.
#[napi]
pub struct Session {
    inner: Arc<countersign_host::Session>,
}

#[napi]
impl Session {
    /// The session's id.
    #[napi(catch_unwind)]
    pub fn id(&self) -> String {
        self.inner.id().to_owned()
    }

    /// Takes note of what changed.
    #[napi(catch_unwind)]
    pub fn set_context(&self, update: String) -> napi::Result<()> {
        let update: convert::ContextUpdate = convert::read("the context", &update)?;
        self.inner.update(update.into());
        Ok(())
    }

    /// Decides a tool call, or begins to ask about it.
    #[napi(catch_unwind)]
    pub fn gate(&self, call: String) -> napi::Result<String> {
        let call: convert::Call = convert::read("the tool call", &call)?;
        let gate = self.inner.gate_in(&call.tool_call(), &call.context());
        Ok(convert::gate(gate).to_string())
    }

    /// A promise of the end of an ask.
    #[napi]
    pub fn settled<'env>(&self, env: &'env Env, request_id: String) -> napi::Result<Object<'env>> {
        let (deferred, promise) =
            env.create_deferred::<String, Box<dyn FnOnce(Env) -> napi::Result<String> + Send>>()?;
        self.inner.when_settled(&request_id, move |settled| {
            let text = convert::settled(settled).to_string();
            deferred.resolve(Box::new(move |_| Ok(text)));
        });
        Ok(promise)
    }

    /// Nobody waits for the answer to an ask any more.
    #[napi(catch_unwind)]
    pub fn cancel(&self, request_id: String) {
        self.inner
            .abandon(&request_id, "The tool call was cancelled");
    }

    /// What must be asked next after `label` was chosen from a plain list:
    /// `reason`, `reach` or nothing.
    #[napi(catch_unwind)]
    pub fn follow_up(&self, request_id: String, label: String) -> Option<String> {
        match self.inner.follow_up(&request_id, &label) {
            FollowUp::Reason => Some("reason".to_owned()),
            FollowUp::Reach => Some("reach".to_owned()),
            FollowUp::Nothing => None,
        }
    }

    /// A person's answer from plain lists.
    #[napi(catch_unwind)]
    pub fn choose(&self, request_id: String, chosen: String) -> napi::Result<()> {
        let chosen: convert::Chosen = convert::read("the answer", &chosen)?;
        self.inner.choose(
            &request_id,
            chosen.label.as_deref(),
            chosen.reach.as_deref(),
            chosen.reason.as_deref(),
        );
        Ok(())
    }

    /// The question could not be shown. That is nobody's no.
    #[napi(catch_unwind)]
    pub fn unanswerable(&self, request_id: String, why: String) {
        let reason = format!("The question could not be shown: {why}");
        self.inner
            .answer(&request_id, Answer::Unavailable { reason }, Via::Select);
    }

    /// Draws the dialog of a question: a JSON list of `{text, style}`, or
    /// `null` where the question is over.
    #[napi(catch_unwind)]
    pub fn dialog_rows(&self, request_id: String, width: u32) -> String {
        let width = usize::try_from(width).unwrap_or(usize::MAX);
        let rows = self.inner.dialog_rows(&request_id, width);
        convert::rows(rows.as_deref()).to_string()
    }

    /// Says that a person was typing when the question appeared.
    #[napi(catch_unwind)]
    pub fn dialog_interrupts(&self, request_id: String) {
        self.inner.dialog_interrupts(&request_id);
    }

    /// Passes a key to the dialog of a question; whether the dialog is over.
    #[napi(catch_unwind)]
    pub fn dialog_key(&self, request_id: String, key: String) -> bool {
        self.inner.dialog_key(&request_id, &Key::parse(&key))
    }

    /// What an authorizer link said. Anything but a clear yes or no is no
    /// opinion.
    #[napi(catch_unwind)]
    pub fn link_verdict(
        &self,
        request_id: String,
        link: String,
        kind: String,
        reason: Option<String>,
    ) {
        let answer = match kind.as_str() {
            "allow" => LinkAnswer::Allow,
            "deny" => LinkAnswer::Deny(reason),
            _ => LinkAnswer::Defer,
        };
        self.inner.link_verdict(&request_id, &link, answer);
    }

    /// Writes an entry of another extension to the review or the debug log.
    #[napi(catch_unwind)]
    pub fn note(&self, event: String, fields: String, debug: bool) -> napi::Result<()> {
        let fields: serde_json::Value = convert::read("the entry", &fields)?;
        self.inner.note(&event, fields, debug);
        Ok(())
    }

    /// Decides an input of the person that may start a skill.
    #[napi(catch_unwind)]
    pub fn gate_input(&self, text: String) -> String {
        convert::gate(self.inner.gate_input(&text)).to_string()
    }

    /// The variables that child processes shall inherit: a JSON list of
    /// `[name, value]`.
    #[napi(catch_unwind)]
    pub fn exports(&self) -> String {
        json!(self.inner.exports()).to_string()
    }

    /// The tools of a JSON list that the model need not see.
    #[napi(catch_unwind)]
    pub fn hidden_tools(&self, active: String) -> napi::Result<Vec<String>> {
        let active: Vec<String> = convert::read("the active tools", &active)?;
        let hidden = self.inner.hidden_tools(&active);
        Ok(hidden.into_iter().map(str::to_owned).collect())
    }

    /// Takes note of the skills that the host has loaded (a JSON list of
    /// `{name, filePath}`), and names those the model must not be told of.
    #[napi(catch_unwind)]
    pub fn hidden_skills(&self, loaded: String) -> napi::Result<Vec<String>> {
        let loaded: Vec<convert::LoadedSkill> = convert::read("the skills", &loaded)?;
        let loaded: Vec<Skill> = loaded.into_iter().map(Skill::from).collect();
        Ok(self.inner.set_skills(&loaded))
    }

    /// A prompt without the skills the model must not be told of; `null` where
    /// it names none of them.
    #[napi(catch_unwind)]
    pub fn without_hidden_skills(&self, prompt: String) -> Option<String> {
        self.inner.without_denied_skills(&prompt)
    }

    /// What the policy says of a surface and a value.
    #[napi(catch_unwind)]
    pub fn query(&self, surface: String, value: Option<String>, agent: Option<String>) -> String {
        let answer = self
            .inner
            .query(&surface, value.as_deref(), agent.as_deref());
        answer.to_string()
    }

    /// Whether nothing of a tool can be allowed to an agent, the active one
    /// without a name.
    #[napi(catch_unwind)]
    pub fn fully_denied(&self, tool: String, agent: Option<String>) -> bool {
        self.inner.tool_fully_denied(&tool, agent.as_deref())
    }

    /// Whether this session is another one's child.
    #[napi(catch_unwind)]
    pub fn is_child(&self) -> bool {
        self.inner.detection().is_some()
    }

    /// Whether questions end here.
    #[napi(catch_unwind)]
    pub fn adjudicates_locally(&self) -> bool {
        self.inner.adjudicates_locally()
    }

    /// The text of the status line; nothing in the ordinary mode.
    #[napi(catch_unwind)]
    pub fn status(&self) -> Option<String> {
        self.inner.status()
    }

    /// Starts a command of the person: its first page.
    #[napi(catch_unwind)]
    pub fn command(&self, name: String, arguments: String) -> String {
        convert::page(&self.inner.command(&name, &arguments)).to_string()
    }

    /// The page after a choice, with the text where one was typed.
    #[napi(catch_unwind)]
    pub fn menu(&self, step: String, typed: Option<String>) -> String {
        convert::page(&self.inner.menu(&step, typed.as_deref())).to_string()
    }

    /// Ends the session.
    #[napi(catch_unwind)]
    pub fn shutdown(&self) {
        self.inner.shutdown();
    }
}
