//! Every interleaving of a child, a serving session, its person, crashes,
//! restarts and time, up to a depth, over the real machines.
//!
//! The world is one request and its answer. At each point every actor may do
//! its next smallest step: one file operation, one decision. States already
//! seen are not entered again. From every state the world must be able to come
//! to rest, and at rest:
//!
//! * the question has one outcome,
//! * an approval was given by the person, to the question as it was asked,
//! * a refusal was theirs too; nobody's silence is told as one,
//! * an answer the server calls delivered is the outcome,
//! * nobody was asked the same question twice by one run of the server,
//! * no file is left.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use countersign_forward::delivery::{Deliver, Delivery, DeliveryReply, DeliveryStep};
use countersign_forward::detect::TargetSource;
use countersign_forward::liveness::{ProcessState, ServingState};
use countersign_forward::requester::{
    Asking, Cause, Outcome, ParentLost, Reply, Requester, Step, Trust,
};
use countersign_forward::server::{Answer, Effect, Found, Ruling, Server, Verdict};
use countersign_forward::sign::{Digest, SessionKey};
use countersign_forward::wire::{
    AccessIntent, AnswerState, Decider, Process, Request, Response, ResponseFile, Via,
};

const TICK: u64 = 1_000;
const TIMEOUT: u64 = 8_000;
const GRACE: u64 = 2_000;

type Bytes = Rc<Vec<u8>>;

/// What may happen besides the ordinary.
#[derive(Clone, Copy, Hash)]
struct Faults {
    server_crashes: u8,
    child_crashes: u8,
    attacks: u8,
    cancels: u8,
}

const QUIET: Faults = Faults {
    server_crashes: 0,
    child_crashes: 0,
    attacks: 0,
    cancels: 0,
};

#[derive(Clone)]
struct Setup {
    name: &'static str,
    faults: Faults,
    keyed: bool,
    parent_lost: ParentLost,
    /// Whether a restarted server has another key.
    new_key: bool,
    depth: usize,
}

#[derive(Clone)]
struct Child {
    machine: Requester,
    step: Step,
}

#[derive(Clone)]
struct Serving {
    machine: Server,
    key: u8,
    effects: VecDeque<Effect>,
    delivering: Option<(Box<Answer>, Deliver)>,
    reading: Option<Reading>,
    question: bool,
    asked: u8,
}

#[derive(Clone, Hash)]
enum Reading {
    Listed,
    Read(Bytes),
}

#[derive(Clone)]
struct World {
    now: u64,
    beat: u64,
    request: Option<Bytes>,
    response: Option<Bytes>,
    child: Option<Child>,
    child_died: bool,
    server: Option<Serving>,
    faults: Faults,
    cancel: bool,
    approved_true_facts: bool,
    denied: bool,
    delivered: bool,
    late: bool,
    /// Whether it ended with an answer.
    ends: Option<bool>,
}

struct Search {
    setup: Setup,
    keys: [SessionKey; 2],
    request: Request,
    written: Bytes,
    edited: Bytes,
    forged: Bytes,
    replayed: Bytes,
}

fn facts(command: &str) -> Request {
    let mut request = Request::new("perm-1", 0, "C", "P");
    request.process = Some(Process::of(7));
    request.access_intent = Some(AccessIntent {
        surface: "bash".into(),
        match_values: vec![command.into()],
        boundary_value: None,
        requester_cwd: None,
        principal: None,
        floor: None,
        asking_units: None,
    });
    request
}

fn response(state: AnswerState) -> Response {
    Response {
        state,
        denial_reason: None,
        responder_session_id: "P".into(),
        responded_at: 1,
        decided_by: Some(Decider::User { via: Via::Dialog }),
    }
}

impl Search {
    fn new(setup: Setup) -> Self {
        let keys = [
            SessionKey::from_secret(&[1; 32]),
            SessionKey::from_secret(&[2; 32]),
        ];
        let mut request = facts("rm -rf build");
        request.answer_key = setup.keyed.then(|| keys[0].public());
        let mut edited = facts("ls");
        edited.answer_key = request.answer_key;
        let other = facts("echo harmless");
        let yes = response(AnswerState::Approved);
        let unsigned = ResponseFile {
            response: yes.clone(),
            proof: None,
            requester: None,
        };
        let digest = Digest::of(&other.write());
        let replayed = ResponseFile {
            proof: Some(keys[0].sign(&other, digest, &yes)),
            ..unsigned.clone()
        };
        Self {
            written: Rc::new(request.write()),
            edited: Rc::new(edited.write()),
            forged: Rc::new(unsigned.write()),
            replayed: Rc::new(replayed.write()),
            request,
            keys,
            setup,
        }
    }

    fn serving(&self, key: u8) -> Serving {
        Serving {
            machine: Server::new("P", self.keys[usize::from(key)].public()),
            key,
            effects: VecDeque::new(),
            delivering: None,
            reading: None,
            question: false,
            asked: 0,
        }
    }

    fn start(&self) -> World {
        let mut machine = Requester::new(Asking {
            request: self.request.clone(),
            timeout_ms: TIMEOUT,
            grace_ms: GRACE,
            parent_lost: self.setup.parent_lost,
            trust: if self.setup.keyed {
                Trust::Key(self.keys[0].public())
            } else {
                Trust::Unsigned
            },
            channel: Some(TargetSource::Variable),
            poll_ms: TICK,
        });
        let step = machine.next(Reply::Begin, 0);
        World {
            now: 0,
            beat: 0,
            request: None,
            response: None,
            child: Some(Child { machine, step }),
            child_died: false,
            server: Some(self.serving(0)),
            faults: self.setup.faults,
            cancel: false,
            approved_true_facts: false,
            denied: false,
            delivered: false,
            late: false,
            ends: None,
        }
    }

    fn fingerprint(&self, world: &World) -> u64 {
        let mut hash = DefaultHasher::new();
        (world.now, world.beat, &world.request, &world.response).hash(&mut hash);
        (world.faults, world.cancel, world.child_died).hash(&mut hash);
        (world.approved_true_facts, world.denied).hash(&mut hash);
        (world.delivered, world.late, world.ends).hash(&mut hash);
        if let Some(child) = &world.child {
            child.machine.fingerprint().hash(&mut hash);
            format!("{:?}", child.step).hash(&mut hash);
        }
        if let Some(server) = &world.server {
            server.machine.fingerprint().hash(&mut hash);
            let effects: Vec<_> = server.effects.iter().map(effect_name).collect();
            (effects, server.key, server.question, server.asked).hash(&mut hash);
            server.reading.hash(&mut hash);
            let delivering = server.delivering.as_ref();
            delivering.map(|(_, deliver)| deliver).hash(&mut hash);
        }
        hash.finish()
    }

    /// Every world that can be next, with what happened.
    fn next(&self, world: &World) -> Vec<(&'static str, World)> {
        let mut next = Vec::new();
        let mut add = |name, change: &dyn Fn(&mut World)| {
            let mut world = world.clone();
            change(&mut world);
            if let Some(server) = &mut world.server {
                // What nobody else can see happens at once.
                server
                    .effects
                    .retain(|effect| !matches!(effect, Effect::Log(..) | Effect::Changed(_)));
            }
            next.push((name, world));
        };
        if world.child.is_some() {
            add("child steps", &|world| self.child_steps(world));
            if world.faults.child_crashes > 0 {
                add("child dies", &|world| {
                    world.faults.child_crashes -= 1;
                    world.child = None;
                    world.child_died = true;
                });
            }
            if world.faults.cancels > 0 {
                add("child is cancelled", &|world| {
                    world.faults.cancels -= 1;
                    world.cancel = true;
                });
            }
        }
        match &world.server {
            Some(server) => {
                add("server steps", &|world| self.server_steps(world));
                if world.beat != world.now {
                    add("server beats", &|world| world.beat = world.now);
                }
                if server.question {
                    add("person approves", &|world| self.person(world, true));
                    add("person denies", &|world| self.person(world, false));
                }
                if world.faults.server_crashes > 0 {
                    add("server dies", &|world| {
                        world.faults.server_crashes -= 1;
                        world.server = None;
                    });
                }
            }
            None => {
                let key = u8::from(self.setup.new_key);
                add("server restarts", &|world| {
                    world.server = Some(self.serving(key));
                    world.beat = world.now;
                });
            }
        }
        if world.faults.attacks > 0 {
            for (name, bytes) in [("forges", &self.forged), ("replays", &self.replayed)] {
                add(name, &|world| {
                    world.faults.attacks -= 1;
                    world.response = Some(Rc::clone(bytes));
                });
            }
            if world.request.is_some() {
                add("edits", &|world| {
                    world.faults.attacks -= 1;
                    world.request = Some(Rc::clone(&self.edited));
                });
                add("deletes", &|world| {
                    world.faults.attacks -= 1;
                    world.request = None;
                });
            }
        }
        if world.now < TIMEOUT + 2 * TICK {
            add("time passes", &|world| world.now += TICK);
        }
        next
    }

    fn child_steps(&self, world: &mut World) {
        let Some(mut child) = world.child.take() else {
            return;
        };
        let reply = match &child.step {
            Step::Prepare | Step::CleanUp | Step::Log(..) => Reply::Done(Ok(())),
            Step::WriteRequest => {
                world.request = Some(Rc::clone(&self.written));
                Reply::Done(Ok(()))
            }
            Step::LookAtTarget => Reply::Liveness(Some(match &world.server {
                None => ServingState::DeadPid,
                Some(_) if world.now - world.beat >= 5_000 => ServingState::Stale,
                Some(_) => ServingState::Alive,
            })),
            Step::LookForRequest => Reply::Present(world.request.is_some()),
            Step::ReadResponse => {
                let bytes = world.response.as_ref();
                Reply::Read(Ok(bytes.map(|bytes| bytes.to_vec())))
            }
            Step::RemoveResponse => Reply::Removed(Ok(world.response.take().is_some())),
            Step::RemoveRequest => Reply::Removed(Ok(world.request.take().is_some())),
            // It may be woken at any time.
            Step::WaitUntil(_) => Reply::Woken {
                cancelled: world.cancel,
            },
            // The process goes on, and asks nothing more.
            Step::Finish(outcome) => return self.ended(world, outcome),
        };
        child.step = child.machine.next(reply, world.now);
        // What nobody else can see happens at once.
        while matches!(child.step, Step::Prepare | Step::CleanUp | Step::Log(..)) {
            child.step = child.machine.next(Reply::Done(Ok(())), world.now);
        }
        world.child = Some(child);
    }

    fn ended(&self, world: &mut World, outcome: &Outcome) {
        assert_eq!(world.ends, None, "two outcomes");
        world.ends = Some(matches!(outcome, Outcome::Answered(_)));
        match outcome {
            Outcome::Answered(answered) if answered.response.is_approval() => {
                assert!(world.approved_true_facts, "approved by nobody");
            }
            Outcome::Answered(_) => assert!(world.denied, "refused by nobody"),
            Outcome::Unavailable(unavailable) => {
                let attacked = self.setup.faults.attacks > 0;
                let lost = unavailable.cause == Cause::Unreadable && !attacked;
                assert!(!lost, "unreadable without an attack");
            }
        }
    }

    fn person(&self, world: &mut World, approves: bool) {
        let Some(server) = world.server.as_mut() else {
            return;
        };
        let decider = Decider::User { via: Via::Dialog };
        let verdict = if approves {
            Verdict::approved(decider)
        } else {
            Verdict::denied(decider, None)
        };
        let shown = server.machine.waiting();
        let mut shown = shown.iter();
        let true_facts =
            shown.all(|question| question.request.access_intent == self.request.access_intent);
        server.question = false;
        // It may be gone in the moment of the answer: then nothing happens.
        if let Ok(effects) = server.machine.answer("perm-1", &verdict, &|_| Ruling::Ask) {
            world.approved_true_facts |= approves && true_facts;
            world.denied |= !approves;
            server.effects.extend(effects);
        }
    }

    fn server_steps(&self, world: &mut World) {
        let state = if world.child_died {
            ProcessState::Gone
        } else {
            ProcessState::Running
        };
        let judge = move |_: &Process| state;
        let Some(mut server) = world.server.take() else {
            return;
        };
        if let Some((answer, deliver)) = server.delivering.take() {
            self.delivery_steps(world, &mut server, answer, deliver);
        } else if let Some(effect) = server.effects.pop_front() {
            self.perform(world, &mut server, effect);
        } else {
            match server.reading.take() {
                None => {
                    let ids = world.request.iter().map(|_| "perm-1".to_owned());
                    let ids: BTreeSet<String> = ids.collect();
                    let effects = server.machine.present(&ids);
                    server.effects.extend(effects);
                    let effects = server.machine.check_requesters(&judge);
                    server.effects.extend(effects);
                    if !ids.is_empty() && server.machine.wants("perm-1") {
                        server.reading = Some(Reading::Listed);
                    }
                }
                Some(Reading::Listed) => {
                    server.reading = world.request.clone().map(Reading::Read);
                }
                Some(Reading::Read(bytes)) => {
                    let found = Found {
                        id: "perm-1",
                        bytes: Some(bytes.as_slice()),
                        answered: world.response.is_some(),
                        wall: world.now,
                        now: world.now,
                    };
                    let effects = server.machine.found(&found, &|_| Ruling::Ask, &judge);
                    server.effects.extend(effects);
                }
            }
        }
        world.server = Some(server);
    }

    fn perform(&self, world: &mut World, server: &mut Serving, effect: Effect) {
        match effect {
            Effect::Remove { .. } => world.request = None,
            Effect::Deliver(answer) => {
                let deliver = Deliver::new(answer.digest);
                server.delivering = Some((answer, deliver));
            }
            Effect::Ask(_) => {
                server.question = true;
                server.asked += 1;
                let edits = self.setup.faults.attacks;
                assert!(server.asked <= 1 + edits, "asked twice");
            }
            Effect::Gone { .. } => server.question = false,
            Effect::Changed(_) | Effect::Log(..) => {}
        }
    }

    fn delivery_steps(
        &self,
        world: &mut World,
        server: &mut Serving,
        answer: Box<Answer>,
        mut deliver: Deliver,
    ) {
        let reply = match deliver.step() {
            DeliveryStep::CheckRequest => {
                let bytes = world.request.as_ref();
                DeliveryReply::Request(Ok(bytes.map(|bytes| Digest::of(bytes))))
            }
            DeliveryStep::WriteResponse => {
                let key = &self.keys[usize::from(server.key)];
                let file = ResponseFile {
                    proof: Some(key.sign(&answer.request, answer.digest, &answer.response)),
                    response: answer.response.clone(),
                    requester: None,
                };
                let free = world.response.is_none();
                if free {
                    world.response = Some(Rc::new(file.write()));
                }
                DeliveryReply::Done(Ok(free))
            }
            DeliveryStep::RemoveRequest => DeliveryReply::Done(Ok(world.request.take().is_some())),
            DeliveryStep::TakeBack => DeliveryReply::Done(Ok(world.response.take().is_some())),
        };
        match deliver.reply(reply) {
            None => server.delivering = Some((answer, deliver)),
            Some(delivery) => {
                let effects = server.machine.delivered(&answer, &delivery);
                server.effects.extend(effects);
                match delivery {
                    Delivery::Delivered => world.delivered = true,
                    Delivery::Late => world.late = true,
                    Delivery::Occupied => {}
                    Delivery::Failed(fault) => panic!("{fault}"),
                }
            }
        }
    }

    /// Nothing more goes wrong, and everybody does what is theirs to do.
    fn come_to_rest(&self, world: &World) -> World {
        let mut world = world.clone();
        world.faults = QUIET;
        let mut quiet = 0;
        for round in 1..4_000 {
            if world.server.is_none() {
                world.server = Some(self.serving(u8::from(self.setup.new_key)));
            }
            self.child_steps(&mut world);
            self.server_steps(&mut world);
            self.server_steps(&mut world);
            if round % 20 == 0 {
                world.now += TICK;
                world.beat = world.now;
            }
            quiet = if world.child.is_none() { quiet + 1 } else { 0 };
            if quiet > 100 {
                break;
            }
        }
        world
    }

    fn check(&self, world: &World) {
        let rest = self.come_to_rest(world);
        assert!(
            rest.ends.is_some() || rest.child_died,
            "an ask that never ends"
        );
        assert_eq!(rest.request, None, "a request is left");
        let attacked = self.setup.faults.attacks > 0;
        // What an attacker writes after the end, or a server for a child that
        // died, is the sweep's; and what a server that died did not take back.
        if attacked || rest.child_died {
            return;
        }
        if self.setup.faults.server_crashes == 0 {
            assert_eq!(rest.response, None, "a response is left");
        }
        if rest.delivered {
            let keyed_to_another = self.setup.keyed && self.setup.new_key;
            assert!(
                rest.ends == Some(true) || keyed_to_another,
                "a delivered answer was lost"
            );
        }
        if rest.late && !rest.delivered && self.setup.faults.server_crashes == 0 {
            assert_eq!(rest.ends, Some(false), "a late answer was used");
        }
    }

    fn run(&self) -> (usize, usize) {
        let mut seen = HashSet::new();
        let start = self.start();
        seen.insert(self.fingerprint(&start));
        let mut frontier = vec![(start, Rc::new(Path::default()))];
        let mut entered = 0_usize;
        for _ in 0..self.setup.depth {
            let mut next = Vec::new();
            for (world, path) in &frontier {
                let trace = Trace(self.setup.name, path);
                for (name, world) in self.next(world) {
                    if seen.insert(self.fingerprint(&world)) {
                        next.push((world, Rc::new(Path(Some((name, Rc::clone(path)))))));
                    }
                }
                drop(trace);
            }
            // Every state is entered; every eighth is followed to its rest.
            for (world, path) in &next {
                entered += 1;
                if entered.is_multiple_of(8) {
                    let trace = Trace(self.setup.name, path);
                    self.check(world);
                    drop(trace);
                }
            }
            frontier = next;
        }
        (seen.len(), frontier.len())
    }
}

#[derive(Default)]
struct Path(Option<(&'static str, Rc<Path>)>);

/// Says how it came to that when a check fails.
struct Trace<'a>(&'static str, &'a Rc<Path>);

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let mut steps = Vec::new();
        let mut path = self.1;
        while let Some((name, before)) = &path.0 {
            steps.push(*name);
            path = before;
        }
        steps.reverse();
        say(&format!("{}: {steps:?}", self.0));
    }
}

#[expect(clippy::disallowed_macros, reason = "what a test covered or found")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn effect_name(effect: &Effect) -> String {
    match effect {
        Effect::Log(event, _) => format!("log {event}"),
        Effect::Deliver(answer) => format!("deliver {}", answer.response.state.as_str()),
        Effect::Remove { .. } => "remove".into(),
        Effect::Ask(_) => "ask".into(),
        Effect::Changed(_) => "changed".into(),
        Effect::Gone { why, .. } => format!("gone {}", why.as_str()),
    }
}

#[expect(clippy::disallowed_methods, reason = "how deep the test searches")]
fn deeper() -> usize {
    let wanted = std::env::var("COUNTERSIGN_SEARCH_DEEPER").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn explore(setup: Setup) {
    let setup = Setup {
        depth: setup.depth + deeper(),
        ..setup
    };
    let (name, depth) = (setup.name, setup.depth);
    let (states, open) = Search::new(setup).run();
    say(&format!(
        "{name}: {states} states to depth {depth}, {open} at the edge"
    ));
}

const USUAL: Setup = Setup {
    name: "nothing goes wrong",
    faults: QUIET,
    keyed: true,
    parent_lost: ParentLost::Fail,
    new_key: false,
    depth: 17,
};

#[test]
fn nothing_goes_wrong() {
    explore(USUAL);
}

#[test]
fn the_server_dies_and_comes_back() {
    for keyed in [false, true] {
        explore(Setup {
            name: "server dies",
            faults: Faults {
                server_crashes: 1,
                ..QUIET
            },
            keyed,
            new_key: keyed,
            depth: 15,
            ..USUAL
        });
    }
}

#[test]
fn a_lost_parent_is_waited_for() {
    explore(Setup {
        name: "parent waited for",
        faults: Faults {
            server_crashes: 1,
            ..QUIET
        },
        keyed: false,
        parent_lost: ParentLost::Wait,
        depth: 15,
        ..USUAL
    });
}

#[test]
fn the_child_dies_or_is_cancelled() {
    explore(Setup {
        name: "child dies or is cancelled",
        faults: Faults {
            child_crashes: 1,
            cancels: 1,
            ..QUIET
        },
        depth: 15,
        ..USUAL
    });
}

#[test]
fn both_die() {
    explore(Setup {
        name: "both die",
        faults: Faults {
            server_crashes: 1,
            child_crashes: 1,
            ..QUIET
        },
        depth: 15,
        ..USUAL
    });
}

#[test]
fn somebody_writes_into_the_mailbox() {
    explore(Setup {
        name: "attacker",
        faults: Faults {
            attacks: 2,
            ..QUIET
        },
        depth: 12,
        ..USUAL
    });
}
