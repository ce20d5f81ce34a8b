//! Real processes that die, stop and come back at every step.
//!
//! Each run is drawn from a seed: who serves, who hands on, who asks, whether
//! keys were inherited, what the person says, and one accident: a process
//! killed or stopped at a named place of the code, or at a random time.
//! Afterwards, whatever happened:
//!
//! * a child that lives has one outcome,
//! * nothing is approved that the person did not approve, and no refusal is
//!   reported that they did not speak,
//! * after a sweep no file is left.
//!
//! `COUNTERSIGN_KILL_RUNS` sets the number of runs, `COUNTERSIGN_KILL_SEED`
//! the first seed; a failure names its seed.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use countersign_host::forwarding::relay::{Relay, backward, onward};
use countersign_host::forwarding::wire::{Decider, Request, Via};
use countersign_host::forwarding::{
    ANSWER_KEY_VARIABLE, AskOptions, Gone, Handler, InheritedKey, Outcome, ParentLost, Ruling,
    Server, ServerHandle, ServerOptions, Verdict, Waiting, answer_key_value, ask, inherited_key,
};
use countersign_host::mailbox::sweep_with;
use countersign_host::process;
use serde_json::Value;
use support::{files_below, question};

const ROLE: &str = "COUNTERSIGN_TEST_ROLE";
const PATIENCE: Duration = Duration::from_secs(90);

/// The places where a process can be made to die, by what it does.
const SERVING: [&str; 8] = [
    "response.before_write",
    "response.after_write",
    "request.before_remove",
    "request.after_remove",
    "heartbeat.before_write",
    "file.partial",
    "serve.before_ask",
    "cleanup.before",
];
const ASKING: [&str; 8] = [
    "request.before_write",
    "request.after_write",
    "file.partial",
    "response.before_remove",
    "response.after_remove",
    "request.before_remove",
    "request.after_remove",
    "cleanup.before",
];

#[test]
fn helper() {
    match std::env::var(ROLE).as_deref() {
        Ok("parent") => serve(None),
        Ok("relay") => serve(Some("P")),
        Ok("child") => child(),
        _ => {}
    }
}

fn root() -> PathBuf {
    PathBuf::from(std::env::var("COUNTERSIGN_TEST_ROOT").unwrap())
}

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn append(name: &str, line: &str) {
    let path = root().join(name);
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn key_of(target: &str) -> InheritedKey {
    inherited_key(std::env::var(ANSWER_KEY_VARIABLE).ok().as_deref(), target)
}

fn options(request: Request) -> AskOptions {
    let target = request.target_session_id.clone();
    let mut options = AskOptions::new(root().join("mailbox"), request, Arc::new(|_, _| {}));
    options.key = key_of(&target);
    options.timeout = Duration::from_secs(4);
    options.grace = Duration::from_millis(400);
    if setting("COUNTERSIGN_TEST_LOST") == "wait" {
        options.parent_lost = ParentLost::Wait;
    }
    options
}

fn child() {
    let target = setting("COUNTERSIGN_TEST_TARGET");
    let outcome = ask(options(question("perm-1", "C", &target, "rm -rf build")));
    let word = match &outcome {
        Outcome::Answered(answered) if answered.response.is_approval() => "approved".to_owned(),
        Outcome::Answered(_) => "denied".to_owned(),
        Outcome::Unavailable(unavailable) => format!("unavailable {}", unavailable.reason),
    };
    append("outcome", &word);
}

/// Serves: the person's answers are those of the run; a relay asks further up.
struct Serving {
    further: Option<&'static str>,
    handle: Mutex<Option<ServerHandle>>,
}

impl Handler for Serving {
    fn decide(&self, _request: &Request) -> Ruling {
        Ruling::Ask
    }

    fn ask(&self, question: Waiting) {
        let handle = loop {
            let handle = self.handle.lock().unwrap().clone();
            match handle {
                Some(handle) => break handle,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let further = self.further;
        std::thread::spawn(move || {
            let verdict = match further {
                Some(target) => relay(&question.request, target),
                None => person(),
            };
            if let Some(verdict) = verdict {
                let _ = handle.answer(&question.id, &verdict);
            }
        });
    }

    fn gone(&self, _question_id: &str, _why: Gone) {}

    fn log(&self, _event: &str, _fields: Value) {}
}

fn relay(request: &Request, target: &str) -> Option<Verdict> {
    let key = key_of(target);
    let onward = onward(
        request,
        &Relay {
            session_id: "M",
            agent_name: None,
            process: process::own(),
            target,
            answer_key: None,
            nonce: "n",
            expires_at: None,
        },
    );
    let mut options = options(onward.unwrap());
    options.key = key;
    Some(backward(&ask(options)))
}

fn person() -> Option<Verdict> {
    let millis = setting("COUNTERSIGN_TEST_THINKS").parse().unwrap_or(0);
    std::thread::sleep(Duration::from_millis(millis));
    let decider = Decider::User { via: Via::Dialog };
    let says = setting("COUNTERSIGN_TEST_SAYS");
    // Recorded before it is said: what is not recorded was not said.
    append("said", &says);
    match says.as_str() {
        "approved" => Some(Verdict::approved(decider)),
        "denied" => Some(Verdict::denied(decider, None)),
        _ => None,
    }
}

fn serve(further: Option<&'static str>) {
    let session_id = if further.is_some() { "M" } else { "P" };
    let handler = Arc::new(Serving {
        further,
        handle: Mutex::default(),
    });
    let options = ServerOptions {
        mailbox_root: root().join("mailbox"),
        session_id: session_id.into(),
    };
    let server = Server::start(options, Arc::clone(&handler) as Arc<_>).unwrap();
    *handler.handle.lock().unwrap() = Some(server.handle());
    println!("key {}", server.public_key().to_text());
    std::io::stdout().flush().unwrap();
    // Until the harness lets go.
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest).unwrap();
    server.stop();
}

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.roll(u64::try_from(from.len()).unwrap());
        from[usize::try_from(index).unwrap()]
    }
}

#[derive(Debug)]
#[expect(dead_code, reason = "the seed is shown when a run fails")]
struct Plan {
    seed: u64,
    relayed: bool,
    keyed: bool,
    says: &'static str,
    thinks: u64,
    waits_for_parent: bool,
    victim: &'static str,
    fault: Option<String>,
    random_kill: Option<u64>,
    restart: bool,
}

impl Plan {
    fn of(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let relayed = dice.roll(3) == 0;
        let victims: &[&str] = if relayed {
            &["parent", "child", "relay", "relay", "nobody"]
        } else {
            &["parent", "parent", "child", "child", "nobody"]
        };
        let victim = dice.pick(victims);
        let point = match victim {
            "child" => dice.pick(&ASKING),
            "relay" if dice.roll(2) == 0 => dice.pick(&ASKING),
            _ => dice.pick(&SERVING),
        };
        let how = dice.pick(&["kill", "kill", "stop"]);
        let times = if matches!(point, "file.partial" | "heartbeat.before_write") {
            // Stopped at the first heartbeat, it could not say its key.
            let first = if how == "stop" { 2 } else { 1 };
            first + dice.roll(4)
        } else {
            1 + dice.roll(4) / 3
        };
        let by_time = dice.roll(5) == 0;
        let accident = victim != "nobody";
        Self {
            seed,
            relayed,
            keyed: dice.roll(2) == 0,
            says: dice.pick(&["approved", "approved", "denied", "nothing"]),
            thinks: dice.pick(&[0, 0, 20, 200]),
            waits_for_parent: dice.roll(3) == 0,
            victim,
            fault: (accident && !by_time).then(|| format!("{point}:{times}:{how}")),
            random_kill: (accident && by_time).then(|| dice.roll(300)),
            restart: dice.roll(2) == 0,
        }
    }
}

struct Running {
    process: Child,
    input: Option<ChildStdin>,
    key: Option<String>,
    /// Kept, so that the process can go on writing.
    _output: Option<BufReader<ChildStdout>>,
}

struct Stage<'a> {
    plan: &'a Plan,
    root: &'a Path,
}

impl Stage<'_> {
    fn start(&self, role: &str, env: &[(&str, String)], fault: bool) -> Running {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "helper", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .env("COUNTERSIGN_TEST_ROOT", self.root)
            .env("COUNTERSIGN_TEST_SAYS", self.plan.says)
            .env("COUNTERSIGN_TEST_THINKS", self.plan.thinks.to_string())
            .env_remove(ANSWER_KEY_VARIABLE)
            .env_remove("COUNTERSIGN_FAULT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if self.plan.waits_for_parent {
            command.env("COUNTERSIGN_TEST_LOST", "wait");
        }
        if fault && let Some(fault) = &self.plan.fault {
            command.env("COUNTERSIGN_FAULT", fault);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let mut output = process.stdout.take().map(BufReader::new);
        let key = match (role, &mut output) {
            ("child", _) | (_, None) => None,
            // None when it died before it could say so.
            (_, Some(output)) => output.lines().map_while(Result::ok).find_map(|line| {
                let (_, key) = line.split_once("key ")?;
                Some(key.trim().to_owned())
            }),
        };
        Running {
            process,
            input,
            key,
            _output: output,
        }
    }

    fn env_for(&self, target: &str, key: Option<&String>) -> Vec<(&'static str, String)> {
        let mut env = vec![("COUNTERSIGN_TEST_TARGET", target.to_owned())];
        if self.plan.keyed
            && let Some(key) = key
        {
            let key = countersign_host::forwarding::PublicKey::parse(key).unwrap();
            env.push((ANSWER_KEY_VARIABLE, answer_key_value(None, target, key)));
        }
        env
    }
}

fn is_stopped(process: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id()));
    stat.is_ok_and(|stat| stat.contains(") T "))
}

fn signal(process: &Child, signal: rustix::process::Signal) {
    let pid = i32::try_from(process.id()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let _ = rustix::process::kill_process(pid, signal);
}

fn run(seed: u64) -> (bool, String) {
    let plan = Plan::of(seed);
    let place = tempfile::tempdir().unwrap();
    let stage = Stage {
        plan: &plan,
        root: place.path(),
    };
    let victim = |role: &str| plan.victim == role;
    let mut parent = stage.start("parent", &[], victim("parent"));
    let mut middle = plan.relayed.then(|| {
        let env = stage.env_for("P", parent.key.as_ref());
        stage.start("relay", &env, victim("relay"))
    });
    let env = match &middle {
        Some(middle) => stage.env_for("M", middle.key.as_ref()),
        None => stage.env_for("P", parent.key.as_ref()),
    };
    let mut child = stage.start("child", &env, victim("child"));
    let begun = Instant::now();
    let mut restarted = false;
    let mut stopped_since = None;
    let mut accident = false;
    loop {
        assert!(
            begun.elapsed() < PATIENCE,
            "an ask that never ends: {plan:?}"
        );
        if child.process.try_wait().unwrap().is_some() {
            break;
        }
        let hit = match plan.victim {
            "parent" => Some(&mut parent),
            "relay" => middle.as_mut(),
            "child" => Some(&mut child),
            _ => None,
        };
        if let Some(hit) = hit {
            if let Some(after) = plan.random_kill
                && begun.elapsed() > Duration::from_millis(after)
            {
                let _ = hit.process.kill();
            }
            if is_stopped(&hit.process) {
                accident = true;
                let since = *stopped_since.get_or_insert_with(Instant::now);
                if since.elapsed() > Duration::from_millis(seed % 900) {
                    signal(&hit.process, rustix::process::Signal::CONT);
                }
            }
        }
        let parent_is_dead = parent.process.try_wait().unwrap().is_some();
        if plan.restart && !restarted && parent_is_dead {
            restarted = true;
            parent = stage.start("parent", &[], false);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let child_died = !child.process.wait().unwrap().success();
    accident |= child_died || restarted;
    for serving in [Some(&mut parent), middle.as_mut()].into_iter().flatten() {
        signal(&serving.process, rustix::process::Signal::CONT);
        drop(serving.input.take());
        let end = Instant::now() + Duration::from_secs(10);
        while serving.process.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                let _ = serving.process.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        accident |= !serving.process.wait().unwrap().success();
    }
    (accident, judge(&plan, place.path(), child_died))
}

/// What became of a run, for the summary.
fn judge(plan: &Plan, place: &Path, child_died: bool) -> String {
    let read = |name: &str| std::fs::read_to_string(place.join(name)).unwrap_or_default();
    let (outcome, said) = (read("outcome"), read("said"));
    let outcomes: Vec<&str> = outcome.lines().collect();
    assert!(child_died || outcomes.len() == 1, "{outcomes:?} {plan:?}");
    for outcome in &outcomes {
        match *outcome {
            "approved" | "denied" => {
                let spoken = said.lines().any(|line| line == *outcome);
                assert!(spoken, "{outcome} by nobody: {plan:?}");
            }
            other => assert!(other.starts_with("unavailable "), "{other}"),
        }
    }
    // With nothing in the way, the answer arrives.
    if plan.victim == "nobody" && plan.says != "nothing" {
        assert_eq!(outcomes, [plan.says], "{plan:?}");
    }
    let mailbox = place.join("mailbox");
    sweep_with(&mailbox, Duration::ZERO);
    assert_eq!(files_below(&mailbox), Vec::<String>::new(), "{plan:?}");
    let left: Vec<_> = std::fs::read_dir(mailbox.join("sessions"))
        .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?} {plan:?}");
    match outcomes.first() {
        Some(outcome) => outcome.split(' ').next().unwrap_or_default().to_owned(),
        None => "the child died".to_owned(),
    }
}

#[test]
fn the_kill_matrix() {
    if std::env::var(ROLE).is_ok() {
        return;
    }
    let number = |name: &str, usual: u64| {
        let value = std::env::var(name).ok();
        value.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let runs = number("COUNTERSIGN_KILL_RUNS", 80);
    let first = number("COUNTERSIGN_KILL_SEED", 1);
    let next = AtomicU64::new(first);
    let ends: Mutex<BTreeMap<(bool, String), u64>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + runs {
                        return;
                    }
                    let end = run(seed);
                    *ends.lock().unwrap().entry(end).or_default() += 1;
                }
            });
        }
    });
    for ((accident, end), count) in ends.into_inner().unwrap() {
        let how = if accident { "with" } else { "without" };
        eprintln!("{count:>5} {how} an accident: {end}");
    }
}
