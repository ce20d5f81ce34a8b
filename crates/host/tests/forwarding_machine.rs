//! Real processes on a machine whose clock jumps and whose directories are
//! read-only.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

mod support;

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use countersign_host::forwarding::wire::{Decider, Request, Via};
use countersign_host::forwarding::{
    ANSWER_KEY_VARIABLE, AskOptions, Gone, Handler, Outcome, ParentLost, Ruling, Server,
    ServerHandle, ServerOptions, Verdict, Waiting, answer_key_value, ask, inherited_key,
};
use serde_json::Value;
use support::{files_below, question};

const ROLE: &str = "COUNTERSIGN_TEST_ROLE";
/// Long enough for a machine under any load: a bound, not an expectation.
const PATIENCE: Duration = Duration::from_secs(120);
/// An unprivileged user.
const NOBODY: u32 = 65534;

#[test]
fn helper() {
    match std::env::var(ROLE).as_deref() {
        Ok("parent") => serve(),
        Ok("child") => child(),
        _ => {}
    }
}

fn root() -> PathBuf {
    PathBuf::from(std::env::var("COUNTERSIGN_TEST_ROOT").unwrap())
}

fn append(name: &str, line: &str) {
    let mut options = std::fs::OpenOptions::new();
    let path = root().join(name);
    let mut file = options.create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn child() {
    let request = question("perm-1", "C", "P", "rm -rf build");
    let mut options = AskOptions::new(root().join("mailbox"), request, Arc::new(|_, _| {}));
    if let Ok(key) = std::env::var(ANSWER_KEY_VARIABLE) {
        options.key = inherited_key(Some(&key), "P");
        options.parent_lost = ParentLost::Wait;
    }
    let outcome = ask(options);
    let word = match &outcome {
        Outcome::Answered(answered) if answered.response.is_approval() => "approved",
        Outcome::Answered(_) => "denied",
        Outcome::Unavailable(unavailable) => unavailable.cause.as_str(),
    };
    append("outcome", word);
}

/// A person who waits for the file `answer`, and says yes.
struct Slow(Mutex<Option<ServerHandle>>);

impl Handler for Slow {
    fn decide(&self, _request: &Request) -> Ruling {
        Ruling::Ask
    }

    fn ask(&self, question: Waiting) {
        append("asked", &question.id);
        let handle = self.0.lock().unwrap().clone().unwrap();
        thread::spawn(move || {
            waits_for(&root().join("answer"));
            let decider = Decider::User { via: Via::Dialog };
            let _ = handle.answer(&question.id, &Verdict::approved(decider));
        });
    }

    fn gone(&self, _question_id: &str, _why: Gone) {}

    fn log(&self, event: &str, _fields: Value) {
        append("log", event);
    }
}

fn serve() {
    let handler = Arc::new(Slow(Mutex::default()));
    let options = ServerOptions {
        mailbox_root: root().join("mailbox"),
        session_id: "P".into(),
    };
    let mut seat = handler.0.lock().unwrap();
    let server = Server::start(options, Arc::clone(&handler) as Arc<_>).unwrap();
    *seat = Some(server.handle());
    drop(seat);
    append("keys", &answer_key_value(None, "P", server.public_key()));
    // Until the test lets go.
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest).unwrap();
    server.stop();
}

fn waits_for(path: &Path) {
    let end = Instant::now() + PATIENCE;
    while !path.exists() {
        assert!(Instant::now() < end, "no {}", path.display());
        thread::sleep(Duration::from_millis(2));
    }
}

struct World(tempfile::TempDir);

impl World {
    /// A place that the unprivileged user may use.
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let world = Self(place);
        world.give(world.path(""));
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn give(&self, path: PathBuf) {
        if rustix::process::geteuid().is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    fn directory(&self, name: &str, mode: u32) {
        let mut path = self.0.path().to_path_buf();
        for part in name.split('/') {
            path.push(part);
            if !path.exists() {
                std::fs::create_dir(&path).unwrap();
                mode_of(&path, 0o700);
                self.give(path.clone());
            }
        }
        mode_of(&path, mode);
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn start(&self, role: &str, unprivileged: bool) -> Child {
        self.start_with(role, unprivileged, None)
    }

    /// Starts a process, with the answer key it inherits.
    fn start_with(&self, role: &str, unprivileged: bool, key: Option<&str>) -> Child {
        let mut program = std::env::current_exe().unwrap();
        if unprivileged {
            // That user may not look into the build directory.
            let copy = self.path("program");
            if !copy.exists() {
                std::fs::copy(program, &copy).unwrap();
                mode_of(&copy, 0o755);
            }
            program = copy;
        }
        let mut command = Command::new(program);
        command
            .args(["--exact", "helper", "--nocapture", "--test-threads=1"])
            .current_dir("/")
            .env(ROLE, role)
            .env("COUNTERSIGN_TEST_ROOT", self.0.path())
            .env("COUNTERSIGN_CLOCK", self.path(&format!("clock-{role}")))
            .env_remove(ANSWER_KEY_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        if let Some(key) = key {
            command.env(ANSWER_KEY_VARIABLE, key);
        }
        if unprivileged && rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        loop {
            match command.spawn() {
                Ok(child) => return child,
                // Another test was starting a process while the copy was open.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                    thread::sleep(Duration::from_millis(2));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn clock(&self, role: &str, millis: i64) {
        std::fs::write(self.path(&format!("clock-{role}")), millis.to_string()).unwrap();
    }

    /// The outcome, once the child has ended.
    fn outcome(&self, mut child: Child) -> String {
        let end = Instant::now() + PATIENCE;
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "an ask that never ends");
            thread::sleep(Duration::from_millis(2));
        }
        self.read("outcome").trim().to_owned()
    }
}

fn mode_of(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn stop(mut process: Child) {
    drop(process.stdin.take());
    let _ = process.wait();
}

const HOUR: i64 = 3_600_000;

/// Who, off by how much at the start, and by how much after a while.
const JUMPS: [(&str, i64, i64); 8] = [
    ("child", HOUR, HOUR),
    ("child", -HOUR, -HOUR),
    ("child", 0, HOUR),
    ("child", 0, -HOUR),
    ("parent", HOUR, HOUR),
    ("parent", 0, HOUR),
    ("parent", 0, -HOUR),
    ("parent", -HOUR, HOUR),
];

/// A parent that lives is waited for, longer than the grace window, whatever
/// the clocks say.
#[test]
fn a_clock_that_jumps_loses_no_answer() {
    in_parallel(|(who, before, after)| {
        let world = World::new();
        world.clock(who, before);
        let parent = world.start("parent", false);
        waits_for(&world.path("mailbox/serving/P.json"));
        let child = world.start("child", false);
        waits_for(&world.path("asked"));
        world.clock(who, after);
        thread::sleep(Duration::from_secs(4));
        std::fs::write(world.path("answer"), b"").unwrap();
        let outcome = world.outcome(child);
        assert_eq!(outcome, "approved", "{who} {before} {after}");
        assert_eq!(world.read("asked"), "perm-1\n", "{who} {before} {after}");
        stop(parent);
        let left = files_below(&world.path("mailbox"));
        assert_eq!(left, Vec::<String>::new(), "{who} {before} {after}");
    });
}

/// A parent that died is noticed, whatever the clocks say.
#[test]
fn a_clock_that_jumps_keeps_no_dead_parent_alive() {
    in_parallel(|(who, before, after)| {
        let world = World::new();
        world.clock(who, before);
        let mut parent = world.start("parent", false);
        waits_for(&world.path("mailbox/serving/P.json"));
        let child = world.start("child", false);
        waits_for(&world.path("asked"));
        parent.kill().unwrap();
        parent.wait().unwrap();
        world.clock(who, after);
        assert_eq!(
            world.outcome(child),
            "not_serving",
            "{who} {before} {after}"
        );
    });
}

fn in_parallel(case: impl Fn((&'static str, i64, i64)) + Sync) {
    let case = &case;
    thread::scope(|scope| {
        for jump in JUMPS {
            scope.spawn(move || case(jump));
        }
    });
}

/// The directory that is read-only, and what the child is told.
#[test]
fn a_read_only_mailbox_is_approval_unavailable() {
    let places = [
        ("mailbox", "directories"),
        ("mailbox/sessions", "directories"),
        ("mailbox/sessions/P", "directories"),
        ("mailbox/sessions/P/requests", "not_written"),
    ];
    for (place, cause) in places {
        let world = World::new();
        world.directory("mailbox/sessions/P/responses", 0o700);
        world.directory(place, 0o500);
        // Where the inbox is whole, only the request cannot be written.
        if cause == "directories" && place != "mailbox/sessions/P" {
            std::fs::remove_dir_all(world.path("mailbox/sessions/P")).unwrap();
        }
        if place == "mailbox" {
            std::fs::remove_dir_all(world.path("mailbox/sessions")).unwrap();
        }
        let outcome = world.outcome(world.start("child", true));
        assert_eq!(outcome, cause, "{place}");
        let left = files_below(&world.path("mailbox"));
        assert_eq!(left, Vec::<String>::new(), "{place}");
    }
}

#[test]
fn an_answer_into_a_read_only_directory_is_kept_until_it_can_be_written() {
    let world = World::new();
    let parent = world.start("parent", true);
    waits_for(&world.path("mailbox/serving/P.json"));
    let child = world.start("child", true);
    waits_for(&world.path("asked"));
    let responses = world.path("mailbox/sessions/P/responses");
    mode_of(&responses, 0o500);
    std::fs::write(world.path("answer"), b"").unwrap();
    let end = Instant::now() + PATIENCE;
    while !world.read("log").contains("permission_forwarding.error") {
        assert!(Instant::now() < end, "the answer could be written");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(world.read("outcome"), "");
    mode_of(&responses, 0o700);
    assert_eq!(world.outcome(child), "approved");
    assert_eq!(world.read("asked"), "perm-1\n", "nobody is asked again");
    stop(parent);
    assert_eq!(files_below(&world.path("mailbox")), Vec::<String>::new());
}

/// A parent that comes back as another process has another key. A child that
/// waits with the old one is told so, and the person is not asked in vain.
#[test]
fn a_restarted_parent_cannot_prove_its_answers_and_asks_nobody() {
    let world = World::new();
    let mut parent = world.start("parent", false);
    waits_for(&world.path("keys"));
    let key = world.read("keys");
    let child = world.start_with("child", false, Some(key.trim()));
    waits_for(&world.path("asked"));
    parent.kill().unwrap();
    parent.wait().unwrap();
    std::fs::write(world.path("answer"), b"").unwrap();
    let parent = world.start("parent", false);
    assert_eq!(world.outcome(child), "refused_answer");
    assert_eq!(
        world.read("asked"),
        "perm-1\n",
        "asked by the first one only"
    );
    let keys = world.read("keys");
    let keys: Vec<&str> = keys.lines().collect();
    assert!(
        matches!(keys.as_slice(), [old, new] if old != new),
        "{keys:?}"
    );
    stop(parent);
    assert_eq!(files_below(&world.path("mailbox")), Vec::<String>::new());
}
