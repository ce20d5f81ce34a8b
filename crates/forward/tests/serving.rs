//! The answering side, without files: coalescing, order, re-deciding, and what
//! it does with requests nobody should be asked about.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use countersign_forward::delivery::Delivery;
use countersign_forward::liveness::ProcessState;
use countersign_forward::relay::{Relay, backward, onward};
use countersign_forward::requester::{Cause, Outcome, Unavailable};
use countersign_forward::server::{Answer, Effect, Found, Gone, Ruling, Server, Verdict, Waiting};
use countersign_forward::sign::SessionKey;
use countersign_forward::wire::{
    AccessIntent, AnswerState, Decider, Principal, Process, Request, SessionApproval, Via,
};

fn request(id: &str, child: &str, command: &str) -> Request {
    let mut request = Request::new(id, 0, child, "P");
    request.requester_agent_name = format!("agent of {child}");
    request.process = Some(Process::of(7));
    request.access_intent = Some(AccessIntent {
        surface: "bash".into(),
        match_values: vec![command.into()],
        boundary_value: None,
        requester_cwd: Some("/w".into()),
        principal: Some(Principal {
            session_id: child.into(),
            agent_name: "a".into(),
        }),
        floor: None,
        asking_units: None,
    });
    request.session_approval = Some(SessionApproval {
        surface: "bash".into(),
        patterns: vec![command.into()],
        rest: serde_json::Map::new(),
    });
    request
}

fn server() -> Server {
    Server::new("P", SessionKey::from_secret(&[1; 32]).public())
}

fn found(server: &mut Server, request: &Request) -> Vec<Effect> {
    found_with(server, request, &|_| Ruling::Ask)
}

fn found_with(
    server: &mut Server,
    request: &Request,
    decide: &dyn Fn(&Request) -> Ruling,
) -> Vec<Effect> {
    let bytes = request.write();
    let found = Found {
        id: &request.id,
        bytes: Some(&bytes),
        answered: false,
        wall: 1_000,
        now: 1_000,
    };
    server.found(&found, decide, &|_| ProcessState::Running)
}

fn yes() -> Verdict {
    Verdict::approved(Decider::User { via: Via::Dialog })
}

fn answers(effects: &[Effect]) -> Vec<(String, AnswerState)> {
    let answer = |effect: &Effect| match effect {
        Effect::Deliver(answer) => Some((answer.request.id.clone(), answer.response.state)),
        _ => None,
    };
    effects.iter().filter_map(answer).collect()
}

fn asks(effects: &[Effect]) -> Vec<(String, usize)> {
    let ask = |effect: &Effect| match effect {
        Effect::Ask(waiting) => Some((waiting.id.clone(), waiting.askers.len())),
        _ => None,
    };
    effects.iter().filter_map(ask).collect()
}

fn events(effects: &[Effect]) -> Vec<&'static str> {
    let event = |effect: &Effect| match effect {
        Effect::Log(event, _) => Some(*event),
        _ => None,
    };
    effects.iter().filter_map(event).collect()
}

#[test]
fn identical_questions_become_one_that_names_all() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    let effects = found(&mut server, &request("2", "B", "npm test"));
    let Some(Effect::Changed(waiting)) = effects.last() else {
        panic!("{effects:?}");
    };
    let askers: Vec<_> = waiting
        .askers
        .iter()
        .map(|asker| &asker.session_id)
        .collect();
    assert_eq!(askers, ["A", "B"]);
    server.shown("1", waiting.revision);
    let effects = server.answer("1", &yes(), &|_| Ruling::Ask).unwrap();
    let expected = [
        ("1".into(), AnswerState::Approved),
        ("2".into(), AnswerState::Approved),
    ];
    assert_eq!(answers(&effects), expected);
}

#[test]
fn who_was_not_shown_is_asked_about_afterwards() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    found(&mut server, &request("2", "B", "npm test"));
    found(&mut server, &request("3", "C", "npm test"));
    // The screen still shows the first one only.
    let effects = server.answer("1", &yes(), &|_| Ruling::Ask).unwrap();
    assert_eq!(answers(&effects), [("1".into(), AnswerState::Approved)]);
    assert_eq!(asks(&effects), [("2".into(), 1)]);
    assert_eq!(server.waiting()[0].askers.len(), 2);
}

#[test]
fn an_old_revision_shows_nothing_new() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    let old = server.waiting()[0].revision;
    found(&mut server, &request("2", "B", "npm test"));
    server.shown("1", old);
    let effects = server.answer("1", &yes(), &|_| Ruling::Ask).unwrap();
    assert_eq!(answers(&effects).len(), 1);
}

#[test]
fn what_differs_in_anything_shown_is_another_question() {
    let base = || request("1", "A", "npm test");
    type Change = fn(&mut Request);
    let changes: [(&str, Change); 7] = [
        ("command", |r| {
            r.access_intent.as_mut().unwrap().match_values = vec!["npm run".into()];
        }),
        ("directory", |r| {
            r.access_intent.as_mut().unwrap().requester_cwd = Some("/other".into());
        }),
        ("floor", |r| {
            r.access_intent.as_mut().unwrap().floor = Some("<x>".into())
        }),
        ("grant", |r| {
            r.session_approval
                .as_mut()
                .unwrap()
                .patterns
                .push("*".into());
        }),
        ("message", |r| r.message = Some("x".into())),
        ("value", |r| r.value = Some("x".into())),
        ("unknown field", |r| {
            drop(r.rest.insert("x".into(), 1.into()))
        }),
    ];
    for (what, change) in changes {
        let mut server = server();
        found(&mut server, &base());
        let mut other = request("2", "B", "npm test");
        change(&mut other);
        let effects = found(&mut server, &other);
        assert_eq!(asks(&effects), [("2".into(), 1)], "{what}");
        let effects = server.answer("1", &yes(), &|_| Ruling::Ask).unwrap();
        assert_eq!(answers(&effects).len(), 1, "{what}");
    }
    // Requests that say nothing are never the same.
    let mut server = server();
    for id in ["1", "2"] {
        let mut bare = Request::new(id, 0, "A", "P");
        bare.process = Some(Process::of(7));
        assert_eq!(asks(&found(&mut server, &bare)).len(), 1);
    }
}

#[test]
fn a_question_disappears_with_its_last_asker() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    found(&mut server, &request("2", "B", "npm test"));
    let effects = server.present(&BTreeSet::from(["2".to_owned()]));
    assert!(matches!(&effects[..], [Effect::Changed(waiting)] if waiting.askers.len() == 1));
    // It keeps its name although its first asker left.
    let effects = server.check_requesters(&|_| ProcessState::Gone);
    let gone = Effect::Gone {
        id: "1".into(),
        why: Gone::RequesterDied,
    };
    assert!(effects.contains(&gone));
    assert!(effects.contains(&Effect::Remove { id: "2".into() }));
    assert!(server.answer("1", &yes(), &|_| Ruling::Ask).is_err());
}

#[test]
fn a_request_that_comes_again_with_other_facts_is_another_question() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    found(&mut server, &request("2", "B", "npm test"));
    server.present(&BTreeSet::from(["2".to_owned()]));
    let effects = found(&mut server, &request("1", "A", "rm -rf /"));
    let [(second, 1)] = &asks(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_ne!(second, "1");
    let first = server
        .waiting()
        .into_iter()
        .find(|question| question.id == "1");
    server.shown("1", first.unwrap().revision);
    let effects = server.answer("1", &yes(), &|_| Ruling::Ask).unwrap();
    assert_eq!(answers(&effects), [("2".into(), AnswerState::Approved)]);
    let effects = server.answer(second, &yes(), &|_| Ruling::Ask).unwrap();
    assert_eq!(answers(&effects), [("1".into(), AnswerState::Approved)]);
}

#[test]
fn a_grant_for_the_session_releases_what_it_covers() {
    let mut server = server();
    found(&mut server, &request("1", "A", "npm test"));
    found(&mut server, &request("2", "B", "npm run build"));
    found(&mut server, &request("3", "C", "git push"));
    let mut verdict = yes();
    verdict.state = AnswerState::ApprovedForServingSession;
    let covers = |request: &Request| {
        let intent = request.access_intent.as_ref().unwrap();
        if intent.match_values[0].starts_with("npm") {
            Ruling::Answer(Verdict::approved(Decider::SessionApproval {
                surface: "bash".into(),
                pattern: Some("npm *".into()),
            }))
        } else {
            Ruling::Ask
        }
    };
    let effects = server.answer("1", &verdict, &covers).unwrap();
    let expected = [
        ("1".into(), AnswerState::Approved),
        ("2".into(), AnswerState::Approved),
    ];
    assert_eq!(answers(&effects), expected);
    let gone = Effect::Gone {
        id: "2".into(),
        why: Gone::Settled,
    };
    assert!(effects.contains(&gone));
    assert_eq!(server.waiting().len(), 1);
    let logged = events(&effects);
    assert!(logged.contains(&"forwarded_permission.session_recorded"));
    assert!(logged.contains(&"forwarded_permission.auto_approved"));
}

#[test]
fn each_child_in_turn() {
    let mut server = server();
    for id in ["a1", "a2", "a3"] {
        found(&mut server, &request(id, "A", id));
    }
    found(&mut server, &request("b1", "B", "b1"));
    found(&mut server, &request("c1", "C", "c1"));
    let order = |server: &Server| -> Vec<String> {
        server
            .waiting()
            .into_iter()
            .map(|question| question.id)
            .collect()
    };
    assert_eq!(order(&server), ["a1", "b1", "c1", "a2", "a3"]);
    server.answer("a1", &yes(), &|_| Ruling::Ask).unwrap();
    assert_eq!(order(&server), ["b1", "c1", "a2", "a3"]);
    server.answer("b1", &yes(), &|_| Ruling::Ask).unwrap();
    found(&mut server, &request("b2", "B", "b2"));
    assert_eq!(order(&server), ["c1", "a2", "b2", "a3"]);
}

#[test]
fn nobody_is_asked_for_what_is_not_ours() {
    let mut wrong_target = request("1", "A", "x");
    wrong_target.target_session_id = "Q".into();
    let mut server_ = server();
    let effects = found(&mut server_, &wrong_target);
    assert_eq!(events(&effects), ["permission_forwarding.warning"]);
    assert!(effects.contains(&Effect::Remove { id: "1".into() }));

    let mut renamed = request("1", "A", "x");
    renamed.id = "../evil".into();
    let bytes = renamed.write();
    let named = |id, bytes, now| Found {
        id,
        bytes: Some(bytes),
        answered: false,
        wall: now,
        now,
    };
    let decide = |_: &Request| -> Ruling { panic!("decided") };
    let running = |_: &Process| ProcessState::Running;
    let effects = server_.found(&named("1", &bytes, 0), &decide, &running);
    assert!(effects.contains(&Effect::Remove { id: "1".into() }));

    // Nobody waits for it any more.
    let gone = |_: &Process| ProcessState::Gone;
    let bytes = request("1", "A", "x").write();
    let effects = server_.found(&named("1", &bytes, 0), &decide, &gone);
    assert_eq!(events(&effects), ["forwarded_permission.requester_gone"]);

    let mut unjudged = request("1", "A", "x");
    unjudged.process = None;
    unjudged.expires_at = Some(100);
    let bytes = unjudged.write();
    let effects = server_.found(&named("1", &bytes, 101), &decide, &running);
    assert_eq!(events(&effects), ["forwarded_permission.requester_gone"]);
}

#[test]
fn torn_files_get_some_time() {
    let mut server = server();
    let torn = Found {
        id: "1",
        bytes: Some(b"{\"id\":"),
        answered: false,
        wall: 0,
        now: 0,
    };
    let decide = |_: &Request| Ruling::Ask;
    let judge = |_: &Process| ProcessState::Running;
    for _ in 0..3 {
        assert_eq!(server.found(&torn, &decide, &judge), []);
    }
    let effects = server.found(&torn, &decide, &judge);
    assert!(effects.contains(&Effect::Remove { id: "1".into() }));
}

fn deliver(effects: &[Effect]) -> Answer {
    let answer = |effect: &Effect| match effect {
        Effect::Deliver(answer) => Some((**answer).clone()),
        _ => None,
    };
    effects.iter().find_map(answer).unwrap()
}

#[test]
fn the_same_answer_again_without_deciding_again() {
    let decisions = Cell::new(0);
    let decide = |_: &Request| {
        decisions.set(decisions.get() + 1);
        Ruling::Answer(yes())
    };
    let mut server = server();
    let request = request("1", "A", "x");
    let effects = found_with(&mut server, &request, &decide);
    let answer = deliver(&effects);
    assert!(!server.wants("1"));
    server.delivered(&answer, &Delivery::Delivered);
    let bytes = request.write();
    let at = |now, answered| Found {
        id: "1",
        bytes: Some(&bytes),
        answered,
        wall: now,
        now,
    };
    let judge = |_: &Process| ProcessState::Running;
    // Being collected; then collected or lost; then due again.
    assert_eq!(server.found(&at(10, true), &decide, &judge), []);
    assert_eq!(server.found(&at(20, false), &decide, &judge), []);
    let effects = server.found(&at(520, false), &decide, &judge);
    assert_eq!(answers(&effects), [("1".into(), AnswerState::Approved)]);
    assert_eq!(decisions.get(), 1);
}

#[test]
fn late_answers_are_logged() {
    let mut server = server();
    let effects = found_with(&mut server, &request("1", "A", "x"), &|_| {
        Ruling::Answer(yes())
    });
    let effects = server.delivered(&deliver(&effects), &Delivery::Late);
    assert_eq!(events(&effects), ["forwarded_permission.answer_late"]);
}

#[test]
fn a_child_that_knows_another_key_is_told_at_once() {
    let mut server = server();
    let mut request = request("1", "A", "x");
    request.answer_key = Some(SessionKey::from_secret(&[9; 32]).public());
    let effects = found_with(&mut server, &request, &|_| panic!("decided"));
    let answer = deliver(&effects);
    assert!(matches!(
        answer.response.decided_by,
        Some(Decider::Unavailable { .. })
    ));
}

fn relay(session_id: &'static str, target: &'static str) -> Relay<'static> {
    Relay {
        session_id,
        agent_name: Some("middle"),
        process: Process::of(9),
        target,
        answer_key: None,
        nonce: "n",
        expires_at: None,
    }
}

#[test]
fn a_relay_keeps_who_asks_and_what() {
    let first = request("1", "A", "x");
    let second = onward(&first, &relay("P", "G")).unwrap();
    assert_eq!(second.id, "1");
    assert_eq!(second.requester_session_id, "A");
    assert_eq!(second.requester_agent_name, "agent of A");
    assert_eq!(second.access_intent, first.access_intent);
    assert_eq!(second.target_session_id, "G");
    assert_eq!(second.process, Some(Process::of(9)));
    assert_eq!(second.lineage[0].session_id, "P");
    let third = onward(&second, &relay("G", "H")).unwrap();
    assert_eq!(third.lineage.len(), 2);
}

#[test]
fn a_relay_never_goes_in_a_circle() {
    let first = request("1", "A", "x");
    for (from, to) in [("P", "A"), ("P", "P")] {
        let refused = onward(&first, &relay(from, to)).unwrap_err();
        assert_eq!(refused.cause, Cause::Loop);
    }
    let second = onward(&first, &relay("P", "G")).unwrap();
    assert!(onward(&second, &relay("G", "P")).is_err());
    let mut far = first.clone();
    for hop in 0..8 {
        let names = [format!("s{hop}"), format!("s{}", hop + 1)];
        far = onward(
            &far,
            &Relay {
                session_id: &names[0],
                target: &names[1],
                ..relay("", "")
            },
        )
        .unwrap();
    }
    assert!(onward(&far, &relay("y", "z")).is_err());
    // And a server that sees itself in the lineage does not ask.
    let mut server = server();
    let mut back = second;
    back.target_session_id = "P".into();
    let effects = found_with(&mut server, &back, &|_| panic!("decided"));
    assert_eq!(answers(&effects).len(), 1);
}

#[test]
fn what_a_relay_tells_its_child() {
    let lost = Outcome::Unavailable(Unavailable::no_target());
    let verdict = backward(&lost);
    assert!(!verdict.state.is_approval());
    assert!(matches!(verdict.decided_by, Decider::Unavailable { .. }));
}

/// What a person saw of each question, and what must follow from it.
#[derive(Default)]
struct Screen {
    shown: BTreeMap<String, BTreeSet<String>>,
    delivered: BTreeSet<String>,
    left: BTreeSet<String>,
}

impl Screen {
    /// Takes the effects in; `answered` is who may be approved now.
    fn take(&mut self, effects: &[Effect], answered: &BTreeSet<String>) {
        let names = |waiting: &Waiting| {
            let askers = waiting.askers.iter();
            askers.map(|asker| asker.request_id.clone()).collect()
        };
        for effect in effects {
            match effect {
                Effect::Ask(waiting) => {
                    let new = self.shown.insert(waiting.id.clone(), names(waiting));
                    assert!(new.is_none(), "asked while it is asked");
                }
                Effect::Deliver(answer) => {
                    let id = &answer.request.id;
                    assert!(answered.contains(id), "{id} was not shown");
                    assert!(self.delivered.insert(id.clone()), "{id} answered twice");
                }
                Effect::Gone { id, .. } => drop(self.shown.remove(id)),
                Effect::Remove { id } => drop(self.left.insert(id.clone())),
                Effect::Changed(_) | Effect::Log(..) => {}
            }
        }
    }
}

/// Many children, few commands, and everything that can happen, at random: an
/// answer reaches those that were shown and nobody else, once, and at the end
/// nobody is forgotten.
#[test]
fn whatever_happens_nobody_is_answered_unseen_or_forgotten() {
    for seed in 0..300_u64 {
        let mut state = seed;
        let mut roll = |sides: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % sides
        };
        let mut server = server();
        let mut screen = Screen::default();
        let mut asked = BTreeSet::new();
        let nobody = BTreeSet::new();
        let ask = |_: &Request| Ruling::Ask;
        for step in 0..60 {
            match roll(6) {
                0..=2 => {
                    let id = format!("r{step}");
                    let (child, command) = (format!("c{}", roll(4)), format!("x{}", roll(3)));
                    let effects = found(&mut server, &request(&id, &child, &command));
                    screen.take(&effects, &nobody);
                    asked.insert(id);
                }
                3 => {
                    // The screen catches up with one question.
                    let waiting = server.waiting();
                    if let Some(question) = waiting.first() {
                        server.shown(&question.id, question.revision);
                        let names = question.askers.iter().map(|a| a.request_id.clone());
                        screen.shown.insert(question.id.clone(), names.collect());
                    }
                }
                4 => {
                    let ids: Vec<String> = screen.shown.keys().cloned().collect();
                    let Some(id) = ids.get(usize::try_from(roll(4)).unwrap()) else {
                        continue;
                    };
                    let names = screen.shown.remove(id).unwrap();
                    let effects = server.answer(id, &yes(), &ask).unwrap();
                    screen.take(&effects, &names);
                }
                _ => {
                    // One of those who wait goes away.
                    let waiting: Vec<String> = asked
                        .iter()
                        .filter(|id| !screen.delivered.contains(*id) && !screen.left.contains(*id))
                        .cloned()
                        .collect();
                    let Some(id) = waiting.get(usize::try_from(roll(8)).unwrap()) else {
                        continue;
                    };
                    screen.left.insert(id.clone());
                    let present = asked
                        .iter()
                        .filter(|other| *other != id && !screen.left.contains(*other))
                        .cloned()
                        .collect();
                    let effects = server.present(&present);
                    screen.take(&effects, &nobody);
                }
            }
        }
        for _ in 0..200 {
            let Some(question) = server.waiting().into_iter().next() else {
                break;
            };
            let names = screen.shown.remove(&question.id).unwrap();
            let effects = server.answer(&question.id, &yes(), &ask).unwrap();
            screen.take(&effects, &names);
        }
        assert!(server.waiting().is_empty());
        for id in asked {
            let settled = screen.delivered.contains(&id) || screen.left.contains(&id);
            assert!(settled, "{id} forgotten, seed {seed}");
        }
    }
}
