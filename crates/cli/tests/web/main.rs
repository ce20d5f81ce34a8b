//! The inbox in a browser, over real sockets, with real forwarded questions:
//! what a stranger, a hostile page and a second browser get.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod harness;

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::json;

use harness::{Inbox, Run};

#[test]
fn a_run_is_answered_from_a_page() {
    let (inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    assert_eq!(page.event("all")["waiting"], json!([]));
    let run = inbox.run("ci", &["make one", "make two", "true"]);
    let first = page.event("asked");
    assert_eq!(first["agent"], "ci");
    assert_eq!(first["value"], "make one");
    let cwd = inbox.world.path().canonicalize().unwrap();
    assert_eq!(first["cwd"], cwd.to_str().unwrap());
    assert_eq!(inbox.answer(&browser, &first, "once").outcome(), "answered");
    assert!(run.allowed());
    assert_eq!(page.event("gone")["words"], "yes, once");
    assert_eq!(page.event("decided")["word"], "allowed");
    let second = page.event("asked");
    let body = json!({
        "questions": [{"id": second["id"], "digest": second["digest"]}],
        "answer": "deny",
        "reason": "not today",
    });
    let said = inbox.post("/answer", &browser.headers(), &body);
    assert_eq!(said.status, 200, "{said:?}");
    let message = run.result()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("not today"), "{message}");
    assert!(run.allowed(), "a rule allows it");
}

#[test]
fn several_are_answered_at_once_and_a_grant_reaches_the_next() {
    let (inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    let runs = [inbox.run("a", &["git push"]), inbox.run("b", &["git pull"])];
    let asked = [page.event("asked"), page.event("asked")];
    let named = asked.map(|it| json!({"id": it["id"], "digest": it["digest"]}));
    let body = json!({"questions": named, "answer": "session"});
    let said = inbox.post("/answer", &browser.headers(), &body);
    assert_eq!(said.status, 200, "{said:?}");
    assert!(runs.iter().all(Run::allowed));
    assert!(inbox.run("c", &["git push"]).allowed(), "it was granted");
}

#[test]
fn without_a_link_there_is_only_the_empty_page() {
    let (inbox, _token) = Inbox::with_token(&[]);
    let page = inbox.request("GET", "/", &[], "");
    assert_eq!(page.status, 200);
    assert!(
        page.body
            .contains("<script src=\"/inbox.js\" defer></script>")
    );
    let policy = page.header("content-security-policy").unwrap();
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(rule), "{rule} in {policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(inbox.request("GET", "/events", &[], "").status, 401);
    let answer = json!({"questions": [{"id": "x", "digest": "y"}], "answer": "once"});
    assert_eq!(inbox.post("/answer", &[], &answer).status, 401);
    assert_eq!(inbox.post("/link", &[], &json!({})).status, 401);
    let guess = json!({"token": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"});
    assert_eq!(inbox.post("/open", &[], &guess).status, 403);
    assert_eq!(inbox.request("GET", "/etc/passwd", &[], "").status, 404);
    assert_eq!(inbox.request("GET", "/answer", &[], "").status, 405);
}

#[test]
fn a_link_opens_one_browser_and_another_link_another() {
    let (mut inbox, token) = Inbox::with_token(&[]);
    let first = inbox.open(&token);
    let again = inbox.post("/open", &[], &json!({ "token": token }));
    assert_eq!(again.status, 403);
    assert!(again.header("set-cookie").is_none());
    let typed = inbox.another_link();
    inbox.open(&typed);
    let said = inbox.post("/link", &first.headers(), &json!({}));
    let third = inbox.open(said.json()["token"].as_str().unwrap());
    assert_eq!(inbox.listen(&third).event("all")["browser"], 3);
}

/// Each changes one thing about a request that would be answered.
#[test]
fn an_answer_needs_cookie_secret_origin_and_host() {
    let (mut inbox, browser) = Inbox::with_browser();
    let token = inbox.another_link();
    let other = inbox.open(&token);
    let mut page = inbox.listen(&browser);
    let run = inbox.run("ci", &["make it"]);
    let question = page.event("asked");
    let body = json!({
        "questions": [{"id": question["id"], "digest": question["digest"]}],
        "answer": "once",
    })
    .to_string();
    let ours = inbox.ours();
    let origin = format!("http://{ours}");
    let right = [
        ("Host", ours.as_str()),
        ("Origin", origin.as_str()),
        ("Content-Type", "application/json"),
        ("Cookie", browser.cookie.as_str()),
        ("X-Countersign-Secret", browser.secret.as_str()),
    ];
    let wrong_cookie = format!("{}x", browser.cookie);
    for (header, value, expected) in [
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1.evil.example", 421),
        ("Host", "", 421),
        ("Origin", "http://evil.example", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Origin", "null", 403),
        ("Origin", "-", 403),
        ("Content-Type", "text/plain", 415),
        ("Content-Type", "application/x-www-form-urlencoded", 415),
        ("Cookie", "-", 401),
        ("Cookie", wrong_cookie.as_str(), 401),
        ("Cookie", "countersign=1", 401),
        ("X-Countersign-Secret", "-", 403),
        ("X-Countersign-Secret", "guess", 403),
        ("X-Countersign-Secret", other.secret.as_str(), 403),
    ] {
        let headers: Vec<(&str, &str)> = right
            .iter()
            .map(|it| if it.0 == header { (header, value) } else { *it })
            .filter(|it| it.1 != "-")
            .collect();
        let said = inbox.request("POST", "/answer", &headers, &body);
        assert_eq!(said.status, expected, "{header}: {value}: {said:?}");
        assert!(said.header("access-control-allow-origin").is_none());
    }
    // A page under another name that was made to point here.
    let rebound = [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Cookie", browser.cookie.as_str()),
    ];
    assert_eq!(inbox.request("GET", "/", &rebound, "").status, 421);
    assert_eq!(
        inbox.request("POST", "/answer", &rebound, &body).status,
        421
    );
    let listening = [("Cookie", browser.cookie.as_str())];
    assert_eq!(inbox.request("GET", "/events", &listening, "").status, 403);
    // All of it right: the question still waits.
    assert_eq!(inbox.request("POST", "/answer", &right, &body).status, 200);
    assert!(run.allowed());
}

#[test]
fn an_answer_counts_once_and_for_what_was_shown() {
    let (mut inbox, browser) = Inbox::with_browser();
    let token = inbox.another_link();
    let other = inbox.open(&token);
    let mut page = inbox.listen(&browser);
    let run = inbox.run("ci", &["make one", "make two"]);
    let first = page.event("asked");
    let mut changed = first.clone();
    changed["digest"] = json!("0".repeat(64));
    assert_eq!(
        inbox.answer(&browser, &changed, "once").outcome(),
        "changed"
    );
    for never in ["project", "yes", "", "Once"] {
        assert_ne!(inbox.answer(&browser, &first, never).status, 200, "{never}");
    }
    assert_eq!(inbox.answer(&browser, &first, "deny").outcome(), "answered");
    assert!(!run.allowed());
    let second = page.event("asked");
    // The same request once more, from either browser, answers nothing.
    let replayed = inbox.answer(&browser, &first, "once");
    assert_eq!(
        (replayed.status, replayed.outcome().as_str()),
        (409, "already")
    );
    let late = inbox.answer(&other, &first, "once");
    assert_eq!(late.outcome(), "already");
    assert!(
        late.body.contains("browser 1 answered it first: no"),
        "{late:?}"
    );
    // The digest of one question is not good for another.
    let mut crossed = second.clone();
    crossed["digest"] = first["digest"].clone();
    assert_eq!(
        inbox.answer(&browser, &crossed, "once").outcome(),
        "changed"
    );
    assert_eq!(inbox.answer(&other, &second, "once").outcome(), "answered");
    assert!(run.allowed());
}

#[test]
fn of_two_browsers_at_the_same_time_one_is_told_of_the_other() {
    let (mut inbox, browser) = Inbox::with_browser();
    let token = inbox.another_link();
    let other = inbox.open(&token);
    let mut page = inbox.listen(&browser);
    let calls = ["make a", "make b", "make c", "make d"];
    let run = inbox.run("ci", &calls);
    for _ in calls {
        let question = page.event("asked");
        let [one, two] = std::thread::scope(|scope| {
            let yes = scope.spawn(|| inbox.answer(&browser, &question, "once"));
            let no = scope.spawn(|| inbox.answer(&other, &question, "deny"));
            [yes.join().unwrap(), no.join().unwrap()]
        });
        let mut outcomes = [one.outcome(), two.outcome()];
        // What the winner was told is what the run was told.
        assert_eq!(run.allowed(), outcomes[0] == "answered");
        outcomes.sort();
        assert_eq!(outcomes, ["already", "answered"]);
    }
}

#[test]
fn a_question_nobody_waits_for_is_not_said_to_be_answered() {
    let (inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    let run = inbox.run("ci", &["make it"]);
    let question = page.event("asked");
    drop(run);
    page.event("gone");
    assert_eq!(inbox.answer(&browser, &question, "once").outcome(), "gone");
}

#[test]
fn what_hides_is_written_out() {
    let (inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    let _run = inbox.run("ci", &["echo '\u{202e}fdp.exe\u{200b}<b>'"]);
    let question = page.event("asked");
    assert_eq!(question["value"], "echo '\\u{202e}fdp.exe\\u{200b}<b>'");
}

#[test]
fn requests_that_are_too_much_are_refused() {
    let (inbox, browser) = Inbox::with_browser();
    let big = json!({"token": "x".repeat(70_000)});
    assert_eq!(inbox.post("/open", &browser.headers(), &big).status, 413);
    let long = "x".repeat(20_000);
    assert_eq!(inbox.request("GET", "/", &[("X", &long)], "").status, 431);
    let endless = format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000));
    assert_eq!(inbox.raw(endless.as_bytes()).status, 431);
    let chunked = [("Transfer-Encoding", "chunked"), ("Origin", "null")];
    assert_eq!(inbox.request("POST", "/open", &chunked, "").status, 411);
    assert_eq!(inbox.raw(b"\x16\x03\x01\x02\x00\x01\r\n\r\n").status, 400);
    let deep = format!("{{\"token\":{}1", "[".repeat(30_000));
    let origin = format!("http://{}", inbox.ours());
    let json = [
        ("Origin", origin.as_str()),
        ("Content-Type", "application/json"),
    ];
    assert_eq!(inbox.request("POST", "/open", &json, &deep).status, 400);
    assert_eq!(inbox.request("GET", "/", &[], "").status, 200, "it goes on");
}

/// Connections that send a byte and then nothing hold no place against a
/// request that is sent.
#[test]
fn slow_connections_hold_up_nobody() {
    let (inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = inbox.connect();
            let _ = stream.write_all(b"POST /answer HT");
            stream
        })
        .collect();
    let run = inbox.run("ci", &["make it"]);
    let question = page.event("asked");
    assert_eq!(
        inbox.answer(&browser, &question, "once").outcome(),
        "answered"
    );
    assert!(run.allowed());
    drop(slow);
}

#[test]
fn a_name_of_the_users_tunnel_counts_when_it_is_given() {
    let (inbox, token) = Inbox::with_token(&["--allow-host", "Box.example.net"]);
    let headers = [
        ("Host", "box.example.net"),
        ("Origin", "https://box.example.net"),
        ("Content-Type", "application/json"),
    ];
    let body = json!({ "token": token }).to_string();
    let said = inbox.request("POST", "/open", &headers, &body);
    assert_eq!(said.status, 200, "{said:?}");
    assert!(said.header("set-cookie").unwrap().ends_with("; Secure"));
}

#[test]
fn the_pages_are_told_of_the_end() {
    let (mut inbox, browser) = Inbox::with_browser();
    let mut page = inbox.listen(&browser);
    let _run = inbox.run("ci", &["make it"]);
    page.event("asked");
    writeln!(inbox.input, "quit").unwrap();
    page.event("ended");
    assert_eq!(inbox.process.wait().unwrap().code(), Some(3));
    let last = inbox.lines.lock().unwrap().iter().last().unwrap();
    assert_eq!(last, "ended with 1 unanswered");
}
