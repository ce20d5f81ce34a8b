//! A mailbox somebody else writes into, breaks and takes away; and a crowd.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

mod support;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use countersign_host::forwarding::wire::{
    AnswerState, Decider, Heartbeat, Process, Request, Response, ResponseFile, Via,
};
use countersign_host::forwarding::{
    AskOptions, Cause, InheritedKey, Outcome, ParentLost, Ruling, Server, ServerOptions, Verdict,
    ask, session_key,
};
use countersign_host::mailbox::{Heartbeats, sweep, sweep_with};
use countersign_host::process;
use support::{Log, Person, Reaction, files_below, question};

fn by_person() -> Decider {
    Decider::User { via: Via::Dialog }
}

fn yes() -> Verdict {
    Verdict::approved(by_person())
}

struct World {
    place: tempfile::TempDir,
    log: Log,
}

impl World {
    fn new() -> Self {
        Self {
            place: tempfile::tempdir().unwrap(),
            log: Log::default(),
        }
    }

    fn mailbox(&self) -> PathBuf {
        self.place.path().join("mailbox")
    }

    fn inbox(&self, what: &str) -> PathBuf {
        self.mailbox().join("sessions/P").join(what)
    }

    fn serve(&self, person: &Arc<Person>) -> Server {
        let options = ServerOptions {
            mailbox_root: self.mailbox(),
            session_id: "P".into(),
        };
        let server = Server::start(options, Arc::clone(person) as Arc<_>).unwrap();
        person.sits_at(&server);
        server
    }

    /// A question of a child that inherited the key of session `P`.
    fn keyed(&self, id: &str) -> AskOptions {
        let mut options = self.unkeyed(id);
        options.key = InheritedKey::Key(session_key("P").unwrap().public());
        options
    }

    fn unkeyed(&self, id: &str) -> AskOptions {
        let request = question(id, "C", "P", "rm -rf build");
        AskOptions::new(self.mailbox(), request, self.log.as_log())
    }
}

fn approval() -> Response {
    Response {
        state: AnswerState::Approved,
        denial_reason: None,
        responder_session_id: "P".into(),
        responded_at: 1,
        decided_by: Some(by_person()),
    }
}

fn forged() -> Vec<u8> {
    let file = ResponseFile {
        response: approval(),
        proof: None,
        requester: None,
    };
    file.write()
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn waits_for(path: &Path) {
    while !path.exists() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn cause(outcome: Outcome) -> Cause {
    match outcome {
        Outcome::Unavailable(unavailable) => unavailable.cause,
        Outcome::Answered(answered) => panic!("{answered:?}"),
    }
}

#[test]
fn a_forged_answer_is_thrown_away_and_the_true_one_counts() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let options = world.keyed("perm-1");
    let asking = thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    write(&world.inbox("responses/perm-1.json"), &forged());
    world.log.waits_for("the refusal", |entries| {
        let refused = "forwarded_permission.answer_refused";
        entries.iter().any(|(event, _)| event == refused)
    });
    server
        .answer("perm-1", &Verdict::denied(by_person(), None))
        .unwrap();
    let Outcome::Answered(answered) = asking.join().unwrap() else {
        panic!("not answered");
    };
    assert_eq!(answered.response.state, AnswerState::Denied);
}

#[test]
fn forging_without_end_ends_the_question_without_an_approval() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let options = world.keyed("perm-1");
    let done = Arc::new(AtomicBool::new(false));
    let path = world.inbox("responses/perm-1.json");
    let attacker = {
        let done = Arc::clone(&done);
        thread::spawn(move || {
            while !done.load(Ordering::SeqCst) {
                let _ = std::fs::write(&path, forged());
                thread::sleep(Duration::from_millis(1));
            }
        })
    };
    let outcome = ask(options);
    done.store(true, Ordering::SeqCst);
    attacker.join().unwrap();
    assert!(matches!(
        cause(outcome),
        Cause::Refused(_) | Cause::Unreadable
    ));
    drop(server);
}

/// True answers to other questions, and answers in another key.
#[test]
fn replayed_and_foreign_answers_are_never_an_approval() {
    let world = World::new();
    let key = session_key("P").unwrap();
    let other = question("perm-1", "C", "P", "echo harmless");
    let digest = countersign_host::forwarding::digest_of(&other.write());
    let replayed = ResponseFile {
        response: approval(),
        proof: Some(key.sign(&other, digest, &approval())),
        requester: None,
    };
    let attacker_key = session_key("attacker").unwrap();
    let foreign = ResponseFile {
        proof: Some(attacker_key.sign(&other, digest, &approval())),
        ..replayed.clone()
    };
    // The attacker's key in the heartbeat does not make it the session's.
    let heartbeats = Heartbeats::new(world.mailbox());
    let beat = Heartbeat {
        session_id: "P".into(),
        process: process::own(),
        updated_at: u64::MAX / 4,
        key: Some(attacker_key.public()),
    };
    for file in [replayed, foreign] {
        let mut options = world.keyed("perm-1");
        options.timeout = Duration::from_secs(2);
        heartbeats.write(&beat).unwrap();
        write(&world.inbox("responses/perm-1.json"), &file.write());
        let outcome = ask(options);
        assert!(!outcome.is_approval(), "{outcome:?}");
        assert!(world.log.has("forwarded_permission.answer_refused"));
    }
}

#[test]
fn an_edited_question_is_not_the_one_that_was_asked() {
    let world = World::new();
    let mut options = world.keyed("perm-1");
    options.parent_lost = ParentLost::Wait;
    options.grace = Duration::from_millis(1);
    let asking = thread::spawn(move || ask(options));
    let path = world.inbox("requests/perm-1.json");
    waits_for(&path);
    let mut request = Request::read(&std::fs::read(&path).unwrap()).unwrap();
    let facts = request.access_intent.as_mut().unwrap();
    facts.match_values = vec!["echo harmless".into()];
    std::fs::write(&path, request.write()).unwrap();
    // The person approves what they are shown as long as it is harmless.
    let person = Person::new(Reaction::Nothing);
    *person.rulings.lock().unwrap() = Some(Arc::new(|request: &Request| {
        let facts = request.access_intent.as_ref().unwrap();
        if facts.match_values == ["echo harmless"] {
            Ruling::Answer(yes())
        } else {
            Ruling::Answer(Verdict::denied(by_person(), None))
        }
    }));
    let server = world.serve(&person);
    let outcome = asking.join().unwrap();
    assert!(!outcome.is_approval(), "{outcome:?}");
    drop(server);
}

#[test]
fn odd_things_in_the_place_of_an_answer() {
    type Place = fn(&Path);
    let places: [(&str, Place); 5] = [
        ("a link", |path| {
            let target = path.with_file_name("elsewhere");
            std::fs::write(&target, forged()).unwrap();
            symlink(&target, path).unwrap();
        }),
        ("a pipe", |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }),
        ("a directory", |path| std::fs::create_dir(path).unwrap()),
        ("a huge file", |path| {
            std::fs::write(path, vec![b' '; 3 << 20]).unwrap();
        }),
        ("a torn file", |path| {
            std::fs::write(path, b"{\"approved\":true").unwrap();
        }),
    ];
    for (what, place) in places {
        let world = World::new();
        let path = world.inbox("responses/perm-1.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        place(&path);
        let person = Person::new(Reaction::Nothing);
        let server = world.serve(&person);
        let mut options = world.unkeyed("perm-1");
        options.timeout = Duration::from_secs(2);
        let outcome = ask(options);
        assert_eq!(cause(outcome), Cause::Unreadable, "{what}");
        drop(server);
    }
}

#[test]
fn odd_things_in_the_inbox_cost_nobody_an_answer() {
    let world = World::new();
    let requests = world.inbox("requests");
    std::fs::create_dir_all(requests.join("directory.json")).unwrap();
    std::fs::write(requests.join("torn.json"), b"{\"id\":").unwrap();
    std::fs::write(requests.join("huge.json"), vec![b' '; 2 << 20]).unwrap();
    std::fs::write(requests.join("a b.json"), b"{}").unwrap();
    std::fs::write(requests.join(".json"), b"{}").unwrap();
    std::fs::write(requests.join("null.json"), b"null").unwrap();
    symlink("/etc/hostname", requests.join("link.json")).unwrap();
    let evil = question("../../evil", "C", "P", "x");
    std::fs::write(requests.join("evil.json"), evil.write()).unwrap();
    let elsewhere = question("elsewhere", "C", "Q", "x");
    std::fs::write(requests.join("elsewhere.json"), elsewhere.write()).unwrap();
    let person = Person::new(Reaction::Answer(yes()));
    let server = world.serve(&person);
    assert!(ask(world.keyed("perm-1")).is_approval());
    person.log.waits_for("the odd ones to be gone", |_| {
        let left: Vec<_> = std::fs::read_dir(&requests).unwrap().collect();
        left.len() == 1
    });
    // A directory stays: it is not ours to empty.
    assert!(requests.join("directory.json").is_dir());
    assert!(Path::new("/etc/hostname").exists());
    assert!(!world.mailbox().join("evil.json").exists());
    drop(server);
}

#[test]
fn a_mailbox_that_leads_elsewhere_is_not_used() {
    for place in ["", "sessions", "sessions/P", "sessions/P/requests"] {
        let world = World::new();
        let elsewhere = world.place.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let link = world.mailbox().join(place);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        let link = if place.is_empty() {
            world.mailbox()
        } else {
            link
        };
        symlink(&elsewhere, &link).unwrap();
        let outcome = ask(world.keyed("perm-1"));
        assert_eq!(cause(outcome), Cause::Directories, "{place}");
        assert_eq!(files_below(&elsewhere), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn a_mailbox_that_cannot_be_made() {
    let world = World::new();
    std::fs::write(world.mailbox(), b"a file").unwrap();
    let outcome = ask(world.keyed("perm-1"));
    let Outcome::Unavailable(unavailable) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        unavailable.reason,
        "Permission forwarding directories could not be prepared for session 'P'"
    );
    // A session that cannot write its inbox lives, says so, and goes on.
    let person = Person::new(Reaction::Answer(yes()));
    let server = world.serve(&person);
    person.log.waits_for("the entry", |entries| {
        let error = "permission_forwarding.error";
        entries.iter().any(|(event, _)| event == error)
    });
    std::fs::remove_file(world.mailbox()).unwrap();
    let mut options = world.keyed("perm-2");
    options.grace = Duration::from_secs(60);
    assert!(ask(options).is_approval());
    drop(server);
}

#[test]
fn directories_that_vanish_while_a_question_waits() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let mut options = world.keyed("perm-1");
    options.grace = Duration::from_secs(60);
    let asking = thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    // The heartbeat may write in the middle of it.
    while std::fs::remove_dir_all(world.mailbox()).is_err() {}
    person.waits_for_gone("perm-1");
    // The child puts its question back, and it is asked again.
    let asked = |entries: &[(String, serde_json::Value)]| {
        entries
            .iter()
            .filter(|(event, _)| event == "test.ask")
            .count()
    };
    person
        .log
        .waits_for("the question", |entries| asked(entries) >= 2);
    server.answer("perm-1", &yes()).unwrap();
    assert!(asking.join().unwrap().is_approval());
    drop(server);
}

#[test]
fn an_answer_that_cannot_be_written_is_written_later_without_asking_again() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let options = world.keyed("perm-1");
    let asking = thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    let responses = world.inbox("responses");
    std::fs::remove_dir(&responses).unwrap();
    std::fs::write(&responses, b"in the way").unwrap();
    server.answer("perm-1", &yes()).unwrap();
    person.log.waits_for("the failure", |entries| {
        let error = "permission_forwarding.error";
        entries.iter().any(|(event, _)| event == error)
    });
    std::fs::remove_file(&responses).unwrap();
    let outcome = asking.join().unwrap();
    // A file in the place of the directory is an answer that cannot be read;
    // what may not happen is an approval nobody gave, or a second question.
    let read = matches!(&outcome, Outcome::Answered(answered) if answered.response.is_approval());
    let unreadable = matches!(
        &outcome,
        Outcome::Unavailable(unavailable) if unavailable.cause == Cause::Unreadable
    );
    assert!(read || unreadable, "{outcome:?}");
    assert_eq!(person.log.count("test.ask"), 1);
    drop(server);
}

/// A file system of its own, as small as it gets.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this user may not mount.
    fn at(place: &Path) -> Option<Self> {
        std::fs::create_dir_all(place).unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"])
            .arg(place)
            .stderr(std::process::Stdio::null())
            .status();
        let mounted = mounted.is_ok_and(|status| status.success());
        mounted.then(|| Self(place.to_path_buf()))
    }

    fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("ballast")).unwrap();
        while std::io::Write::write_all(&mut file, &[0; 1024]).is_ok() {}
    }

    fn empty(&self) {
        std::fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk() {
    let world = World::new();
    let Some(disk) = SmallDisk::at(&world.mailbox()) else {
        eprintln!("skipped: this user may not mount a file system");
        return;
    };
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let options = world.keyed("perm-1");
    let asking = thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    disk.fill();
    // Nothing can be asked now, and nobody said no.
    let mut options = world.keyed("perm-2");
    options.grace = Duration::from_secs(60);
    let cause = cause(ask(options));
    assert!(
        matches!(cause, Cause::NotWritten | Cause::Directories),
        "{cause:?}"
    );
    // An answer that does not fit is not lost.
    server.answer("perm-1", &yes()).unwrap();
    person.log.waits_for("the failure", |entries| {
        let error = "permission_forwarding.error";
        entries.iter().any(|(event, _)| event == error)
    });
    disk.empty();
    let outcome = asking.join().unwrap();
    assert!(outcome.is_approval(), "{outcome:?}");
    assert_eq!(person.log.count("test.ask"), 1);
    server.stop();
}

#[test]
fn everything_is_for_its_owner_only() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    let server = world.serve(&person);
    let options = world.keyed("perm-1");
    let asking = thread::spawn(move || ask(options));
    person.waits_for_question("perm-1");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for dir in [
        "",
        "sessions",
        "sessions/P",
        "sessions/P/requests",
        "serving",
    ] {
        assert_eq!(mode(&world.mailbox().join(dir)), 0o700, "{dir}");
    }
    assert_eq!(mode(&world.inbox("requests/perm-1.json")), 0o600);
    assert_eq!(mode(&world.mailbox().join("serving/P.json")), 0o600);
    server.answer("perm-1", &yes()).unwrap();
    asking.join().unwrap();
}

#[test]
fn two_sessions_with_one_id() {
    let world = World::new();
    let people = [
        Person::new(Reaction::Answer(yes())),
        Person::new(Reaction::Answer(yes())),
    ];
    let servers: Vec<Server> = people.iter().map(|person| world.serve(person)).collect();
    for number in 0..20 {
        let outcome = ask(world.keyed(&format!("perm-{number}")));
        assert!(outcome.is_approval(), "{outcome:?}");
    }
    servers.into_iter().for_each(Server::stop);
    sweep(&world.mailbox());
    assert_eq!(files_below(&world.mailbox()), Vec::<String>::new());
}

#[test]
fn a_question_of_a_dead_process_is_never_asked() {
    let world = World::new();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    let mut orphan = question("perm-1", "C", "P", "rm -rf build");
    orphan.process = Some(Process::of(pid));
    let path = world.inbox("requests/perm-1.json");
    write(&path, &orphan.write());
    // A recycled number: this process did not start then.
    let mut recycled = question("perm-2", "C", "P", "rm -rf build");
    recycled.process = Some(Process {
        start: Some("1".into()),
        ..process::own()
    });
    write(&world.inbox("requests/perm-2.json"), &recycled.write());
    let person = Person::new(Reaction::Answer(yes()));
    let server = world.serve(&person);
    assert!(ask(world.keyed("perm-3")).is_approval());
    assert_eq!(person.log.count("test.ask"), 1);
    server.stop();
    assert_eq!(files_below(&world.mailbox()), Vec::<String>::new());
}

#[test]
fn a_sweep_takes_what_nobody_needs_and_nothing_else() {
    let world = World::new();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    let dead = Process::of(pid);
    let mailbox = world.mailbox();
    let heartbeat = |id: &str, process: Process| {
        let beat = Heartbeat {
            session_id: id.into(),
            process,
            updated_at: 1,
            key: None,
        };
        write(&mailbox.join(format!("serving/{id}.json")), &beat.write());
    };
    heartbeat("dead", dead.clone());
    heartbeat("alive", process::own());
    let request = |id: &str, process: Process| {
        let mut request = question(id, "C", "Q", "x");
        request.process = Some(process);
        let path = mailbox.join(format!("sessions/Q/requests/{id}.json"));
        write(&path, &request.write());
    };
    request("dead", dead.clone());
    request("alive", process::own());
    let response = |id: &str, requester: Process| {
        let file = ResponseFile {
            response: approval(),
            proof: None,
            requester: Some(requester),
        };
        let path = mailbox.join(format!("sessions/R/responses/{id}.json"));
        write(&path, &file.write());
    };
    response("dead", dead);
    response("alive", process::own());
    let partial = |pid: u32| {
        let name = format!("sessions/S/requests/x.json.{pid}.1760000000000.tmp");
        write(&mailbox.join(name), b"{");
    };
    partial(pid);
    partial(std::process::id());
    // A heartbeat stays for a while: it tells the children how they lost their
    // parent.
    let swept = sweep(&mailbox);
    assert_eq!(swept.heartbeats, 0);
    let later = sweep_with(&mailbox, Duration::ZERO);
    assert_eq!((later.heartbeats, later.requests), (1, 0));
    let counts = (swept.requests, swept.responses, swept.partial);
    assert_eq!(counts, (1, 1, 1));
    let own = std::process::id();
    assert_eq!(
        files_below(&mailbox),
        [
            "serving/alive.json".to_owned(),
            "sessions/Q/requests/alive.json".to_owned(),
            "sessions/R/responses/alive.json".to_owned(),
            format!("sessions/S/requests/x.json.{own}.1760000000000.tmp"),
        ]
    );
}

#[test]
fn a_thousand_at_once() {
    let world = World::new();
    let person = Person::new(Reaction::Nothing);
    *person.rulings.lock().unwrap() = Some(Arc::new(|request: &Request| {
        // A third each by rule, by rule, and by the person.
        match request.id.bytes().map(u32::from).sum::<u32>() % 3 {
            0 => Ruling::Answer(yes()),
            1 => Ruling::Answer(Verdict::denied(by_person(), Some("no".into()))),
            _ => Ruling::Ask,
        }
    }));
    let server = world.serve(&person);
    let asking: Vec<_> = (0..1_000)
        .map(|number| {
            let mut options = world.keyed(&format!("perm-{number}"));
            options.request.requester_session_id = format!("C{number}");
            options.grace = Duration::from_secs(600);
            thread::Builder::new()
                .stack_size(256 << 10)
                .spawn(move || (options.request.id.clone(), ask(options)))
                .unwrap()
        })
        .collect();
    let mut answered = 0;
    while answered < 334 && !asking.iter().all(|thread| thread.is_finished()) {
        for question in server.waiting() {
            answered += question.askers.len();
            server.shown(&question.id, question.revision);
            // New ones may have joined since; they are asked about again.
            let _ = server.answer(&question.id, &yes());
        }
        thread::sleep(Duration::from_millis(5));
    }
    for thread in asking {
        while !thread.is_finished() {
            for question in server.waiting() {
                let _ = server.answer(&question.id, &yes());
            }
            thread::sleep(Duration::from_millis(1));
        }
        let (id, outcome) = thread.join().unwrap();
        let Outcome::Answered(outcome) = outcome else {
            panic!("{id}: {outcome:?}");
        };
        let expected = id.bytes().map(u32::from).sum::<u32>() % 3 != 1;
        assert_eq!(outcome.response.is_approval(), expected, "{id}");
    }
    server.stop();
    assert_eq!(files_below(&world.mailbox()), Vec::<String>::new());
}

#[test]
fn a_hundred_a_second() {
    let world = World::new();
    let person = Person::new(Reaction::Rule);
    let server = world.serve(&person);
    // The full minute is `cargo xtask bench rate`.
    let rounds = 20;
    let answered: usize = thread::scope(|scope| {
        let asking: Vec<_> = (0..10)
            .map(|child| {
                let world = &world;
                scope.spawn(move || {
                    let begun = Instant::now();
                    (0..rounds)
                        .filter(|round| {
                            thread::sleep(
                                (Duration::from_millis(100) * *round)
                                    .saturating_sub(begun.elapsed()),
                            );
                            let mut options = world.keyed(&format!("perm-{child}-{round}"));
                            options.request.requester_session_id = format!("C{child}");
                            options.grace = Duration::from_secs(600);
                            ask(options).is_approval()
                        })
                        .count()
                })
            })
            .collect();
        asking
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(answered, 200, "every question has its answer");
    assert_eq!(person.log.count("forwarded_permission.auto_approved"), 200);
    assert_eq!(
        world.log.count("forwarded_permission.response_received"),
        200
    );
    server.stop();
    assert_eq!(files_below(&world.mailbox()), Vec::<String>::new());
}
