//! Forwarding over real files, with both sides in this process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use countersign_host::forwarding::wire::{AnswerState, Decider, Request, Via};
use countersign_host::forwarding::{
    AskOptions, CancelToken, Cause, InheritedKey, LivenessChannel, Outcome, ParentLost, ProofState,
    Server, ServerOptions, Verdict, ask,
};
use support::{Log, Person, Reaction, files_below, question};

fn by_person() -> Decider {
    Decider::User { via: Via::Dialog }
}

struct World {
    root: tempfile::TempDir,
    log: Log,
}

impl World {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            log: Log::default(),
        }
    }

    fn serve(&self, session_id: &str, reaction: Reaction) -> (Server, Arc<Person>) {
        let person = Person::new(reaction);
        let server = Server::start(
            ServerOptions {
                mailbox_root: self.root.path().join("mailbox"),
                session_id: session_id.into(),
            },
            Arc::clone(&person) as Arc<_>,
        )
        .unwrap();
        person.sits_at(&server);
        (server, person)
    }

    fn options(&self, request: Request) -> AskOptions {
        AskOptions::new(self.root.path().join("mailbox"), request, self.log.as_log())
    }
}

#[test]
fn a_question_is_answered_and_nothing_is_left() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Answer(Verdict::approved(by_person())));
    let mut options = world.options(question("perm-1", "C", "P", "npm test"));
    options.key = InheritedKey::Key(server.public_key());
    let Outcome::Answered(answered) = ask(options) else {
        panic!("not answered");
    };
    assert_eq!(answered.response.state, AnswerState::Approved);
    assert_eq!(answered.proof, ProofState::Signed);
    assert_eq!(
        answered.decided_by,
        Decider::forwarded("P", Some(by_person()))
    );
    server.stop();
    assert_eq!(files_below(world.root.path()), Vec::<String>::new());
    assert!(world.log.has("forwarded_permission.request_created"));
    assert!(world.log.has("forwarded_permission.response_received"));
    for event in ["serving_started", "prompted", "approved", "serving_stopped"] {
        let event = format!("forwarded_permission.{event}");
        assert!(person.log.has(&event), "{event}");
    }
}

#[test]
fn a_denial_carries_its_reason() {
    let world = World::new();
    let verdict = Verdict::denied(by_person(), Some("use a pull request".into()));
    let (server, _person) = world.serve("P", Reaction::Answer(verdict));
    let outcome = ask(world.options(question("perm-1", "C", "P", "git push")));
    let Outcome::Answered(answered) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(answered.response.state, AnswerState::DeniedWithReason);
    let reason = answered.response.denial_reason.as_deref();
    assert_eq!(reason, Some("use a pull request"));
    assert_eq!(answered.proof, ProofState::Unproven);
    drop(server);
}

#[test]
fn a_rule_answers_without_anybody_being_asked() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Rule);
    let outcome = ask(world.options(question("perm-1", "C", "P", "ls")));
    assert!(outcome.is_approval());
    assert!(person.log.has("forwarded_permission.auto_approved"));
    assert!(!person.log.has("forwarded_permission.prompted"));
    drop(server);
}

fn unavailable(outcome: Outcome) -> (Cause, String, Option<&'static str>) {
    match outcome {
        Outcome::Unavailable(unavailable) => (
            unavailable.cause,
            unavailable.reason,
            unavailable.state.map(|state| state.as_str()),
        ),
        Outcome::Answered(answered) => panic!("{answered:?}"),
    }
}

#[test]
fn nobody_there() {
    let world = World::new();
    let mut options = world.options(question("perm-1", "C", "abc123", "pwd"));
    options.grace = Duration::from_millis(50);
    let (cause, reason, state) = unavailable(ask(options));
    assert_eq!(cause, Cause::NotServing);
    assert_eq!(
        reason,
        "Session 'abc123' is not serving forwarded permission requests"
    );
    assert_eq!(state, Some("absent"));
    let entry = world.log.find("forwarded_permission.no_serving_session");
    assert_eq!(entry["servingChannel"], "heartbeat");
    assert_eq!(entry["servingState"], "absent");
    assert_eq!(files_below(world.root.path()), Vec::<String>::new());
}

#[test]
fn no_target_and_impossible_targets() {
    let world = World::new();
    for target in ["", " ", "unknown", "..", &"x".repeat(10_000)] {
        let (cause, _, _) = unavailable(ask(world.options(question("perm-1", "C", target, "pwd"))));
        let expected = match target {
            "" | " " | "unknown" => Cause::NoTarget,
            _ => Cause::Directories,
        };
        assert_eq!(cause, expected, "{target:.20}");
    }
    assert_eq!(files_below(world.root.path()), Vec::<String>::new());
}

#[test]
fn a_person_who_does_not_answer_in_time() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Nothing);
    let mut options = world.options(question("perm-1", "C", "P", "pwd"));
    options.timeout = Duration::from_millis(300);
    let (cause, reason, _) = unavailable(ask(options));
    assert_eq!(cause, Cause::TimedOut);
    assert_eq!(reason, "Session 'P' did not answer within 0.3s");
    assert!(world.log.has("forwarded_permission.response_timed_out"));
    // The question disappears from the screen, and its answer does nothing.
    person.waits_for_gone("perm-1");
    let late = server.answer("perm-1", &Verdict::approved(by_person()));
    assert!(late.is_err());
    server.stop();
    assert_eq!(files_below(world.root.path()), Vec::<String>::new());
}

#[test]
fn a_question_that_is_called_off() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Nothing);
    let cancel = CancelToken::new();
    let mut options = world.options(question("perm-1", "C", "P", "pwd"));
    options.cancel = cancel.clone();
    let asking = std::thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    cancel.cancel();
    let (cause, _, _) = unavailable(asking.join().unwrap());
    assert_eq!(cause, Cause::Cancelled);
    person.waits_for_gone("perm-1");
    drop(server);
}

#[test]
fn a_session_that_comes_back_finds_what_is_waited_for() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Nothing);
    let mut options = world.options(question("perm-1", "C", "P", "pwd"));
    options.key = InheritedKey::Key(server.public_key());
    options.parent_lost = ParentLost::Wait;
    options.grace = Duration::from_millis(10);
    let asking = std::thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    server.stop();
    let (server, _person) = world.serve("P", Reaction::Answer(Verdict::approved(by_person())));
    assert!(asking.join().unwrap().is_approval());
    server.stop();
    assert_eq!(files_below(world.root.path()), Vec::<String>::new());
}

#[test]
fn required_signatures_without_a_key() {
    let world = World::new();
    let (server, person) = world.serve("P", Reaction::Answer(Verdict::approved(by_person())));
    let mut options = world.options(question("perm-1", "C", "P", "pwd"));
    options.require_signed = true;
    let (cause, _, _) = unavailable(ask(options));
    assert!(matches!(cause, Cause::Refused(_)));
    let mut options = world.options(question("perm-2", "C", "P", "pwd"));
    options.key = InheritedKey::Broken;
    let (cause, _, _) = unavailable(ask(options));
    assert!(matches!(cause, Cause::Refused(_)));
    assert!(!person.log.has("forwarded_permission.prompted"));
    drop(server);
}

#[test]
fn nobody_to_ask_over_there_is_not_a_refusal() {
    let world = World::new();
    let (server, _person) = world.serve("P", Reaction::Answer(Verdict::unavailable("No screen")));
    let (cause, reason, _) = unavailable(ask(world.options(question("perm-1", "C", "P", "pwd"))));
    assert_eq!(cause, Cause::Remote);
    assert_eq!(reason, "No screen");
    drop(server);
}

#[test]
fn in_process_liveness_is_asked_for() {
    let world = World::new();
    let mut options = world.options(question("perm-1", "C", "P", "pwd"));
    options.grace = Duration::from_millis(50);
    options.channel = LivenessChannel::Registry {
        is_serving: Arc::new(|_| false),
        serving: Arc::new(|| vec!["other".into()]),
    };
    let (cause, _, _) = unavailable(ask(options));
    assert_eq!(cause, Cause::NotServing);
    let entry = world.log.find("forwarded_permission.no_serving_session");
    assert_eq!(entry["servingChannel"], "registry");
    assert_eq!(entry["servingSessionIds"][0], "other");
}

/// Somebody removes the inbox, and the child makes it again before the server
/// notices: the server watches the new one.
#[test]
fn an_inbox_that_was_replaced_is_watched() {
    let world = World::new();
    let (server, _person) = world.serve("P", Reaction::Rule);
    let inbox = world.root.path().join("mailbox/sessions/P");
    for number in 0..20 {
        let _ = std::fs::remove_dir_all(&inbox);
        let id = format!("perm-{number}");
        assert!(ask(world.options(question(&id, "C", "P", "ls"))).is_approval());
    }
    // And a sweep, as any session's server makes them, leaves it alone.
    countersign_host::mailbox::sweep(&world.root.path().join("mailbox"));
    assert!(inbox.join("requests").is_dir());
    server.stop();
    assert!(!inbox.exists());
}
