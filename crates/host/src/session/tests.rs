use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::dialog::Reach;
use crate::review_log;
use serde_json::json;

/// Hands everything it is told to the test.
struct Screen(Mutex<mpsc::Sender<Shown>>, usize);

#[derive(Debug)]
enum Shown {
    Question(Question),
    Gone(String),
    Event(String, Value),
    Notice(String),
}

impl Screen {
    fn tell(&self, shown: Shown) {
        let _ = lock(&self.0).send(shown);
    }
}

impl Front for Screen {
    fn at_once(&self) -> usize {
        self.1
    }
    fn question(&self, question: Question) {
        self.tell(Shown::Question(question));
    }
    fn question_gone(&self, request_id: &str) {
        self.tell(Shown::Gone(request_id.to_owned()));
    }
    fn event(&self, channel: &str, payload: Value) {
        self.tell(Shown::Event(channel.to_owned(), payload));
    }
    fn notice(&self, _level: Level, text: &str) {
        self.tell(Shown::Notice(text.to_owned()));
    }
}

pub(super) struct World {
    pub(super) root: tempfile::TempDir,
    /// Sessions of one process find each other, so worlds take turns.
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

pub(super) struct Seat {
    pub(super) session: Arc<Session>,
    screen: mpsc::Receiver<Shown>,
}

/// A session that a failed test leaves behind would be the parent of others.
impl Drop for Seat {
    fn drop(&mut self) {
        self.session.shutdown();
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

impl World {
    pub(super) fn new(config: Value) -> Self {
        let root = tempfile::tempdir().unwrap();
        let paths = AgentPaths::new(root.path().join("agent"));
        std::fs::create_dir_all(paths.extension()).unwrap();
        std::fs::create_dir_all(root.path().join("project")).unwrap();
        std::fs::write(paths.config(), config.to_string()).unwrap();
        Self {
            root,
            _turn: lock(&TURN),
        }
    }

    pub(super) fn seat(&self, id: &str, has_ui: bool, environment: &[(&str, &str)]) -> Seat {
        self.wide_seat(id, has_ui, environment, 1)
    }

    /// A session whose screen shows this many questions at a time.
    fn wide_seat(
        &self,
        id: &str,
        has_ui: bool,
        environment: &[(&str, &str)],
        at_once: usize,
    ) -> Seat {
        let (sender, screen) = mpsc::channel();
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options = Options {
            agent_dir: self.root.path().join("agent"),
            cwd: self.root.path().join("project"),
            home: Some(self.root.path().to_string_lossy().into_owned()),
            session_id: id.to_owned(),
            session_dir: None,
            has_ui,
            trusted: true,
            environment: environment.iter().map(pair).collect(),
            host_directories: Vec::new(),
            install_directory: None,
        };
        Seat {
            session: Session::open(options, Arc::new(Screen(Mutex::new(sender), at_once))),
            screen,
        }
    }

    fn log(&self) -> Vec<Value> {
        let paths = AgentPaths::new(self.root.path().join("agent"));
        let text = std::fs::read_to_string(paths.review_log()).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub(super) fn entries(&self, event: &str) -> Vec<Value> {
        let named = |entry: &Value| entry["event"] == event;
        self.log().into_iter().filter(named).collect()
    }
}

impl Seat {
    pub(super) fn ask(&self, command: &str) -> mpsc::Receiver<Settled> {
        let call = ToolCall::new("bash", json!({ "command": command }));
        let (sender, receiver) = mpsc::channel();
        match self.session.gate(&call, "call-1") {
            Gate::Allow => sender.send(Settled::Allowed).unwrap(),
            Gate::Block(message) => sender.send(Settled::Blocked(message)).unwrap(),
            Gate::Waiting(id) => self
                .session
                .when_settled(&id, move |settled| drop(sender.send(settled))),
        }
        receiver
    }

    pub(super) fn question(&self) -> Question {
        loop {
            if let Shown::Question(question) = self.screen.recv_timeout(PATIENCE).unwrap() {
                return question;
            }
        }
    }

    fn event(&self, channel: &str) -> Value {
        loop {
            if let Shown::Event(name, payload) = self.screen.recv_timeout(PATIENCE).unwrap()
                && name == channel
            {
                return payload;
            }
        }
    }

    fn nothing_shown(&self) -> bool {
        !self
            .screen
            .try_iter()
            .any(|shown| matches!(shown, Shown::Question(_)))
    }

    fn answer(&self, question: &Question, reach: Reach) {
        let answer = Answer::Approved {
            reach,
            both_directions: false,
        };
        self.session
            .answer(&question.request_id, answer, Via::Dialog);
    }

    fn deny(&self, question: &Question, reason: Option<&str>) {
        let answer = Answer::Denied {
            reason: reason.map(str::to_owned),
        };
        self.session
            .answer(&question.request_id, answer, Via::Dialog);
    }
}

fn end(receiver: &mpsc::Receiver<Settled>) -> Settled {
    receiver.recv_timeout(PATIENCE).unwrap()
}

fn policy() -> Value {
    json!({"permission": {"*": "allow", "bash": {"*": "ask", "ls": "allow", "rm *": "deny"}}})
}

fn parent_is(id: &str) -> [(&str, &str); 1] {
    [("PI_SUBAGENT_PARENT_SESSION", id)]
}

#[test]
fn a_person_at_the_session_is_asked_once_at_a_time() {
    let world = World::new(policy());
    let root = world.seat("t1-root", true, &[]);
    assert_eq!(end(&root.ask("ls")), Settled::Allowed);
    assert!(matches!(end(&root.ask("rm x")), Settled::Blocked(m) if m.contains("rm *")));
    let secret = end(&root.ask("rm x; API_TOKEN=hush curl x"));
    assert!(matches!(secret, Settled::Blocked(m) if !m.contains("hush")));
    let first = root.ask("make one");
    let second = root.ask("make two");
    let question = root.question();
    assert!(question.text.contains("make one"), "{}", question.text);
    assert_eq!(question.options.first().map(String::as_str), Some("Yes"));
    assert!(root.nothing_shown(), "the second waits for the screen");
    root.answer(&question, Reach::Once);
    assert_eq!(end(&first), Settled::Allowed);
    let question = root.question();
    root.deny(&question, Some("not now"));
    assert!(matches!(end(&second), Settled::Blocked(m) if m.contains("not now")));
    assert_eq!(world.entries("permission_request.waiting").len(), 2);
    let approved = world.entries("permission_request.approved");
    assert_eq!(
        approved[0]["decidedBy"],
        json!({"kind": "user", "via": "dialog"})
    );
    // Enough to decide it again.
    assert_eq!(approved[0]["call"]["input"], json!({"command": "make one"}));
    assert!(approved[0]["call"]["cwd"].is_string());
    assert_eq!(approved[0]["call"].get("partial"), None);
    let blocked = world.entries("permission_request.blocked");
    let partial = blocked.iter().filter_map(|e| e["call"]["partial"].as_str());
    assert_eq!(partial.collect::<Vec<_>>(), ["masked"]);
    root.session.shutdown();
}

#[test]
fn a_grant_for_the_session_releases_what_it_covers() {
    let world = World::new(policy());
    let root = world.seat("t2-root", true, &[]);
    let first = root.ask("make one");
    let second = root.ask("make two");
    let other = root.ask("curl x");
    let question = root.question();
    root.answer(&question, Reach::Session);
    assert_eq!(end(&first), Settled::Allowed);
    assert_eq!(end(&second), Settled::Allowed);
    assert!(other.try_recv().is_err());
    assert!(root.question().text.contains("curl x"));
    root.session.shutdown();
    assert!(matches!(end(&other), Settled::Blocked(_)));
}

#[test]
fn a_childs_question_reaches_the_person_and_the_answer_comes_back() {
    let world = World::new(policy());
    let root = world.seat("t3-root", true, &[]);
    let child = world.seat("t3-child", false, &parent_is("t3-root"));
    let asked = child.ask("pwd");
    let question = root.question();
    assert_eq!(question.title, "Permission Required (Subagent)");
    assert!(question.text.contains("t3-child"), "{}", question.text);
    assert!(question.text.contains("its environment names its parent"));
    assert_eq!(question.reach_options.len(), 2);
    root.answer(&question, Reach::Once);
    assert_eq!(end(&asked), Settled::Allowed);
    let decision = child.event("permissions:decision");
    assert_eq!(decision["resolution"], "user_approved");
    let approved = world.entries("permission_request.approved");
    assert_eq!(
        approved[0]["decidedBy"],
        json!({
            "kind": "forwarded", "responderSessionId": "t3-root",
            "decision": {"kind": "user", "via": "dialog"}
        })
    );

    let asked = child.ask("pwd");
    root.deny(&root.question(), Some("use ls"));
    let Settled::Blocked(message) = end(&asked) else {
        panic!("a denied call ran");
    };
    assert!(message.contains("use ls"), "{message}");
    child.session.shutdown();
    root.session.shutdown();
}

#[test]
fn a_grant_is_kept_where_the_person_said() {
    let world = World::new(policy());
    let root = world.seat("t4-root", true, &[]);
    let one = world.seat("t4-one", false, &parent_is("t4-root"));
    let two = world.seat("t4-two", false, &parent_is("t4-root"));
    let asked = one.ask("pwd");
    root.answer(&root.question(), Reach::Subagent);
    assert_eq!(end(&asked), Settled::Allowed);
    assert_eq!(end(&one.ask("pwd")), Settled::Allowed, "asked once");
    assert!(root.nothing_shown());

    let asked = two.ask("pwd");
    root.answer(&root.question(), Reach::Session);
    assert_eq!(end(&asked), Settled::Allowed);
    assert!(two.session.grants().is_empty(), "the child records nothing");
    let three = world.seat("t4-three", false, &parent_is("t4-root"));
    assert_eq!(end(&three.ask("pwd")), Settled::Allowed);
    assert!(root.nothing_shown());
    for seat in [one, two, three, root] {
        seat.session.shutdown();
    }
}

#[test]
fn a_session_between_hands_on_and_keeps_the_requester() {
    let world = World::new(policy());
    let root = world.seat("t5-root", true, &[]);
    let middle = world.seat("t5-middle", false, &parent_is("t5-root"));
    let leaf = world.seat("t5-leaf", false, &parent_is("t5-middle"));
    let asked = leaf.ask("pwd");
    let question = root.question();
    assert!(question.text.contains("t5-leaf"), "{}", question.text);
    assert!(
        question.text.contains("through t5-middle"),
        "{}",
        question.text
    );
    root.answer(&question, Reach::Subagent);
    assert_eq!(end(&asked), Settled::Allowed);
    assert_eq!(end(&leaf.ask("pwd")), Settled::Allowed);
    assert!(middle.session.grants().is_empty());
    for seat in [leaf, middle, root] {
        seat.session.shutdown();
    }
}

#[test]
fn nobody_to_ask_is_told_as_such() {
    let world = World::new(policy());
    let lost = world.seat("t6-lost", false, &parent_is("t6-nobody"));
    let Settled::Blocked(message) = end(&lost.ask("pwd")) else {
        panic!("an unanswered call ran");
    };
    assert_eq!(
        message.lines().next().unwrap(),
        "[pi-permission-system] Running bash command 'pwd' requires approval, but no \
         interactive UI is available. Reason: Session 't6-nobody' is not serving forwarded \
         permission requests."
    );
    assert_eq!(
        lost.event("permissions:decision")["resolution"],
        "confirmation_unavailable"
    );
    assert_eq!(
        world.entries("forwarded_permission.no_serving_session")[0]["servingState"],
        "absent"
    );
    let alone = world.seat("t6-alone", false, &[]);
    assert!(
        matches!(end(&alone.ask("pwd")), Settled::Blocked(m) if m.contains("requires approval"))
    );
    lost.session.shutdown();
    alone.session.shutdown();
}

#[test]
fn by_setting_a_child_waits_for_its_parent_to_come_back() {
    let mut config = policy();
    config["waitForLostParent"] = json!(true);
    let world = World::new(config);
    let child = world.seat("t12-child", false, &parent_is("t12-root"));
    let asked = child.ask("pwd");
    // Longer than the grace window of 2 s.
    assert!(asked.recv_timeout(Duration::from_millis(2600)).is_err());
    let root = world.seat("t12-root", true, &[]);
    root.answer(&root.question(), Reach::Once);
    assert_eq!(end(&asked), Settled::Allowed);
    child.session.shutdown();
    root.session.shutdown();
}

#[test]
fn where_the_host_hides_children_their_launchers_are_floored() {
    let world = World::new(json!({"permission": {"*": "allow"}}));
    let root = world.seat("t13-root", true, &[]);
    let call = ToolCall::new("subagent", json!({"agent": "scout", "task": "look"}));
    assert_eq!(root.session.gate(&call, "1"), Gate::Allow);
    root.session.update(Update {
        unguarded: Some(true),
        ..Update::default()
    });
    assert!(matches!(root.session.gate(&call, "2"), Gate::Waiting(_)));
    assert!(root.question().text.contains("<unguarded-child>"));
    let other = ToolCall::new("weather", json!({}));
    assert_eq!(root.session.gate(&other, "3"), Gate::Allow);
    root.session.shutdown();
}

#[test]
fn in_process_children_are_found_and_siblings_do_not_mix() {
    let world = World::new(policy());
    let root = world.seat("t7-root", true, &[]);
    registry::add_child("t7-a", Some("t7-root"), Detection::Announced);
    registry::add_child("t7-b", Some("t7-root"), Detection::Announced);
    let a = world.seat("t7-a", false, &[]);
    let b = world.seat("t7-b", false, &[]);
    assert_eq!(a.session.detection(), Some(Detection::Announced));
    let from_a = a.ask("make a");
    let from_b = b.ask("make b");
    for _ in 0..2 {
        let question = root.question();
        if question.text.contains("make a") {
            root.answer(&question, Reach::Once);
        } else {
            root.deny(&question, None);
        }
    }
    assert_eq!(end(&from_a), Settled::Allowed);
    assert!(matches!(end(&from_b), Settled::Blocked(_)));
    registry::remove_child("t7-a");
    let again = b.ask("make b");
    root.answer(&root.question(), Reach::Once);
    assert_eq!(end(&again), Settled::Allowed);
    registry::remove_child("t7-b");
    for seat in [a, b, root] {
        seat.session.shutdown();
    }
}

#[test]
fn a_question_whose_asker_gave_up_leaves_the_screen() {
    let world = World::new(policy());
    let root = world.seat("t8-root", true, &[]);
    let child = world.seat("t8-child", false, &parent_is("t8-root"));
    let asked = child.ask("pwd");
    let question = root.question();
    child.session.shutdown();
    assert!(matches!(end(&asked), Settled::Blocked(_)));
    let gone = |shown: Shown| matches!(shown, Shown::Gone(id) if id == question.request_id);
    while !gone(root.screen.recv_timeout(PATIENCE).unwrap()) {}
    root.answer(&question, Reach::Session);
    assert!(
        root.session.grants().is_empty(),
        "a late answer does nothing"
    );
    root.session.shutdown();
}

#[test]
fn a_wide_screen_shows_several_questions_and_no_more_than_fit() {
    let world = World::new(policy());
    let root = world.wide_seat("t12-root", true, &[], 2);
    let asked = ["one", "two", "three"].map(|command| root.ask(command));
    let first = root.question();
    let second = root.question();
    assert!(root.nothing_shown());
    let no = || Answer::Denied { reason: None };
    assert!(root.session.answer(&second.request_id, no(), Via::Dialog));
    let third = root.question();
    assert!(third.text.contains("three"));
    assert!(
        !root.session.answer(&second.request_id, no(), Via::Dialog),
        "it was answered before"
    );
    root.answer(&first, Reach::Once);
    root.answer(&third, Reach::Once);
    let ends = asked.map(|asked| end(&asked) == Settled::Allowed);
    assert_eq!(ends, [true, false, true]);
    root.session.shutdown();
}

#[test]
fn a_file_broken_while_running_is_told_about_and_tightens() {
    let world = World::new(policy());
    let root = world.seat("t10-root", true, &[]);
    assert_eq!(end(&root.ask("ls")), Settled::Allowed);
    let paths = AgentPaths::new(world.root.path().join("agent"));
    std::fs::write(paths.config(), "{").unwrap();
    let _asked = root.ask("ls");
    let told = |shown: Shown| matches!(shown, Shown::Notice(text) if text.contains("config.json"));
    while !told(root.screen.recv_timeout(PATIENCE).unwrap()) {}
    assert!(root.question().text.contains("ls"));
    let resolved = world.entries("config.resolved");
    assert_eq!(resolved[0]["globalConfigExists"], true);
    root.session.shutdown();
}

#[test]
fn other_extensions_may_ask_about_the_policy() {
    let world = World::new(json!({"permission": {
        "*": "allow", "bash": {"*": "ask", "ls": "allow"},
        "path": {"*.env": "deny"}, "path_write": {"dist/*": "ask"}, "mcp": {"exa:*": "deny"}
    }}));
    let root = world.seat("t11-root", true, &[]);
    let state = |surface: &str, value: Option<&str>| {
        let said = root.session.query(surface, value, None);
        said["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("bash", Some("ls && rm x")), "ask");
    assert_eq!(state("bash", None), "ask");
    assert_eq!(state("path", Some(".env")), "deny");
    assert_eq!(state("path", Some("dist/a")), "ask");
    assert_eq!(state("path_read", Some("dist/a")), "allow");
    assert_eq!(state("mcp", Some("exa:search")), "deny");
    assert_eq!(state("deploy", Some("x")), "allow");
    root.session.shutdown();
}

#[test]
fn an_invalid_file_is_announced_and_asks() {
    let world = World::new(policy());
    let paths = AgentPaths::new(world.root.path().join("agent"));
    std::fs::write(paths.config(), "{\"permission\": {\"*\": \"allow\",}}").unwrap();
    let root = world.seat("t9-root", true, &[]);
    let told = root
        .screen
        .try_iter()
        .any(|shown| matches!(shown, Shown::Notice(text) if text.contains("config.json")));
    assert!(told);
    let _asked = root.ask("ls");
    assert!(root.question().text.contains("ls"));
    root.session.shutdown();
    assert!(!review_log::now_iso8601().is_empty());
}

#[test]
fn a_refused_call_says_what_is_missing_to_programs() {
    let world = World::new(json!({"permission": {"bash": {"*": "ask", "rm *": "deny"}}}));
    let seat = world.seat("n-root", true, &[]);
    let blocked = seat
        .session
        .gate(&ToolCall::new("bash", json!({"command": "rm x"})), "t1");
    assert!(matches!(blocked, Gate::Block(_)));
    let need = seat.event("permissions:decision")["needsCapability"].clone();
    assert_eq!(need["again"], "no");
    assert_eq!(need["missing"][0]["grantors"], json!(["rule"]));
    assert_eq!(
        world.entries("permission_request.blocked")[0]["needsCapability"],
        need
    );

    let settled = seat.ask("ls");
    let question = seat.question();
    let answer = Answer::Denied { reason: None };
    assert!(
        seat.session
            .answer(&question.request_id, answer, Via::Select)
    );
    let Ok(Settled::Blocked(message)) = settled.recv_timeout(PATIENCE) else {
        panic!("it was denied");
    };
    let need = seat.event("permissions:decision")["needsCapability"].clone();
    assert_eq!(need["again"], "no");
    assert_eq!(need["missing"][0]["grantors"], json!(["person", "rule"]));
    assert_eq!(message.lines().last(), need["text"].as_str());
    assert_eq!(
        world.entries("permission_request.denied")[0]["needsCapability"],
        need
    );

    let settled = seat.ask("ls");
    let question = seat.question();
    let answer = Answer::Approved {
        reach: Reach::Once,
        both_directions: false,
    };
    assert!(
        seat.session
            .answer(&question.request_id, answer, Via::Select)
    );
    assert!(settled.recv_timeout(PATIENCE).is_ok());
    assert_eq!(
        seat.event("permissions:decision").get("needsCapability"),
        None
    );
    seat.session.shutdown();
}
