//! Measures a forwarded ask: from the moment the child asks to the moment it
//! has the answer, with others waiting meanwhile.
//!
//! `bench_forward [--asks N] [--waiting N,N,…] [--in-process] [--lost N]
//! [--burst N] [--steady SECONDS] [--json]`
//!
//! For each number of children, one of them asks again and again and is
//! answered by rule, while the others' questions wait for a person who does
//! not answer: processes, and with `--in-process` children in the parent's
//! process as well. `--lost` kills a parent that many times, and measures until
//! its child is told; `--burst` has that many processes ask once, all at once;
//! `--steady` has ten processes ask ten times a second each.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign_host::forwarding::wire::{Decider, Request};
use countersign_host::forwarding::{
    ANSWER_KEY_VARIABLE, AskOptions, Gone, Handler, InheritedKey, LivenessChannel, Outcome,
    ProofState, Ruling, Server, ServerOptions, Verdict, Waiting, answer_key_value, ask,
    inherited_key,
};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["child", root, id, asks, pace] => child(Path::new(root), id, asks, pace),
        ["serve", root] => serve_until_killed(Path::new(root)),
        other => parent(other),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench_forward: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Allows what a measured child asks, and leaves the rest waiting.
struct Rules;

impl Handler for Rules {
    fn decide(&self, request: &Request) -> Ruling {
        if request.value.as_deref() == Some("wait") {
            return Ruling::Ask;
        }
        Ruling::Answer(Verdict::approved(Decider::Rule {
            surface: "bash".into(),
            pattern: Some("*".into()),
            origin: Some("global".into()),
            reason: None,
        }))
    }

    fn ask(&self, _question: Waiting) {}

    fn gone(&self, _question_id: &str, _why: Gone) {}

    fn log(&self, _event: &str, _fields: Value) {}
}

fn child(root: &Path, id: &str, asks: &str, pace: &str) -> Result<(), Failure> {
    let asks: usize = asks.parse()?;
    let pace = Duration::from_millis(pace.parse()?);
    let variable = std::env::var(ANSWER_KEY_VARIABLE).ok();
    let key = inherited_key(variable.as_deref(), "P");
    let waits = asks == 0;
    println!("ready");
    std::io::stdout().flush()?;
    if !waits {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
    }
    let mut out = std::io::stdout().lock();
    for number in 0..asks.max(1) {
        let name = format!("{id}-{number}");
        let mut request = Request::new(name, 0, id, "P");
        request.surface = Some("bash".into());
        request.value = Some(if waits { "wait" } else { "ls" }.into());
        request.message = Some(format!("May {id} run this?"));
        let mut options = AskOptions::new(root, request, Arc::new(|_, _| {}));
        options.key = key;
        let start = Instant::now();
        let outcome = ask(options);
        let taken = start.elapsed();
        let signed = matches!(
            &outcome,
            Outcome::Answered(answered) if answered.proof == ProofState::Signed
        );
        if outcome.is_approval() && signed {
            writeln!(out, "{}", taken.as_nanos())?;
        } else {
            writeln!(out, "lost {outcome:?}")?;
        }
        std::thread::sleep(pace.saturating_sub(taken));
    }
    Ok(())
}

struct Asker {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Asker {
    fn start(root: &Path, id: &str, asks: usize, pace: u64, key: &str) -> Result<Self, Failure> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("child")
            .arg(root)
            .args([id, &asks.to_string(), &pace.to_string()])
            .env(ANSWER_KEY_VARIABLE, key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = process.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(out).lines();
        lines.next().ok_or("the child did not start")??;
        Ok(Self { process, lines })
    }

    fn go(&mut self) -> Result<(), Failure> {
        if let Some(mut input) = self.process.stdin.take() {
            writeln!(input)?;
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<Vec<Duration>, Failure> {
        let mut taken = Vec::new();
        for line in self.lines.by_ref() {
            let line = line?;
            let nanos = line.parse().map_err(|_| line)?;
            taken.push(Duration::from_nanos(nanos));
        }
        self.process.wait()?;
        Ok(taken)
    }

    fn end(mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn parent(words: &[&str]) -> Result<(), Failure> {
    let option = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1).copied()
    };
    let asks: usize = option("--asks").unwrap_or("200").parse()?;
    let burst: usize = option("--burst").unwrap_or("0").parse()?;
    let steady: usize = option("--steady").unwrap_or("0").parse()?;
    let lost: usize = option("--lost").unwrap_or("0").parse()?;
    let waiting = option("--waiting").unwrap_or("1,10,100").split(',');
    let waiting: Vec<usize> = waiting
        .filter(|text| !text.is_empty())
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let mut results = Vec::new();
    for children in waiting.iter().copied() {
        let name = format!("{children} processes waiting");
        let taken = one(children, asks)?;
        results.push(summary(&name, taken, None));
    }
    if words.contains(&"--in-process") {
        for children in waiting {
            let name = format!("{children} in-process waiting");
            results.push(summary(&name, in_process(children, asks)?, None));
        }
    }
    if lost > 0 {
        let taken = (0..lost).map(|_| notice()).collect::<Result<_, _>>()?;
        results.push(summary("a killed parent noticed", taken, None));
    }
    if burst > 0 {
        let (taken, all) = together(burst, 1, 0)?;
        let name = format!("{burst} processes at once");
        results.push(summary(&name, taken, Some(all)));
    }
    if steady > 0 {
        let (taken, all) = together(10, steady * 10, 100)?;
        results.push(summary("100 asks a second", taken, Some(all)));
    }
    if words.contains(&"--json") {
        println!("{}", Value::Array(results));
        return Ok(());
    }
    for result in &results {
        let number = |key: &str| result.get(key).and_then(Value::as_f64).unwrap_or_default();
        println!(
            "{:<24} median {:>8.3} ms   p99 {:>8.3} ms   max {:>8.3} ms   ({} asks{})",
            result.get("name").and_then(Value::as_str).unwrap_or("?"),
            number("median_ms"),
            number("p99_ms"),
            number("max_ms"),
            number("asks"),
            match result.get("asks_per_second").and_then(Value::as_f64) {
                Some(rate) => format!(
                    ", {rate:.1}/s, none lost, server {:.1} MB",
                    number("server_memory_kb") / 1024.0
                ),
                None => String::new(),
            },
        );
    }
    Ok(())
}

struct Place(PathBuf);

impl Place {
    fn new() -> Result<Self, Failure> {
        let name = format!("countersign-bench-{}", std::process::id());
        let place = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&place)?;
        Ok(Self(place))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn serve(root: &Path) -> Result<(Server, String), Failure> {
    let options = ServerOptions {
        mailbox_root: root.to_path_buf(),
        session_id: "P".into(),
    };
    let server = Server::start(options, Arc::new(Rules))?;
    let key = answer_key_value(None, "P", server.public_key());
    Ok((server, key))
}

fn one(children: usize, asks: usize) -> Result<Vec<Duration>, Failure> {
    let place = Place::new()?;
    let (server, key) = serve(&place.0)?;
    let mut others = Vec::new();
    for number in 1..children {
        let id = format!("waiting-{number}");
        others.push(Asker::start(&place.0, &id, 0, 0, &key)?);
    }
    while server.waiting().len() + 1 < children {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut measured = Asker::start(&place.0, "measured", asks, 0, &key)?;
    measured.go()?;
    let taken = measured.collect();
    others.into_iter().for_each(Asker::end);
    server.stop();
    taken
}

/// A question of a child in this process, which knows its parent in memory.
fn from_within(root: &Path, id: String, value: &str, server: &Server) -> AskOptions {
    let mut request = Request::new(id.clone(), 0, &id, "P");
    request.surface = Some("bash".into());
    request.value = Some(value.into());
    request.message = Some(format!("May {id} run this?"));
    let mut options = AskOptions::new(root, request, Arc::new(|_, _| {}));
    options.key = InheritedKey::Key(server.public_key());
    options.channel = LivenessChannel::Registry {
        is_serving: Arc::new(|id| id == "P"),
        serving: Arc::new(|| vec!["P".into()]),
    };
    options
}

fn in_process(children: usize, asks: usize) -> Result<Vec<Duration>, Failure> {
    let place = Place::new()?;
    let (server, _) = serve(&place.0)?;
    let mut others = Vec::new();
    for number in 1..children {
        let options = from_within(&place.0, format!("waiting-{number}"), "wait", &server);
        let cancel = options.cancel.clone();
        others.push((cancel, std::thread::spawn(move || ask(options))));
    }
    while server.waiting().len() + 1 < children {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut taken = Vec::new();
    for number in 0..asks {
        let options = from_within(&place.0, format!("measured-{number}"), "ls", &server);
        let start = Instant::now();
        let outcome = ask(options);
        taken.push(start.elapsed());
        if !outcome.is_approval() {
            return Err(format!("lost {outcome:?}").into());
        }
    }
    for (cancel, thread) in others {
        cancel.cancel();
        let _ = thread.join();
    }
    server.stop();
    Ok(taken)
}

fn serve_until_killed(root: &Path) -> Result<(), Failure> {
    let (_server, _) = serve(root)?;
    println!("ready");
    std::io::stdout().flush()?;
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

/// From the death of a parent to the end of its child's question.
fn notice() -> Result<Duration, Failure> {
    let place = Place::new()?;
    let mut parent = Command::new(std::env::current_exe()?)
        .arg("serve")
        .arg(&place.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = parent.stdout.take().ok_or("no output")?;
    BufReader::new(out).lines().next().ok_or("no parent")??;
    let mut request = Request::new("lost", 0, "C", "P");
    request.value = Some("wait".into());
    request.message = Some("May it?".into());
    let options = AskOptions::new(&place.0, request, Arc::new(|_, _| {}));
    let asking = std::thread::spawn(move || (ask(options), Instant::now()));
    std::thread::sleep(Duration::from_millis(600));
    let killed = Instant::now();
    parent.kill()?;
    parent.wait()?;
    let (outcome, told) = asking.join().map_err(|_| "the child panicked")?;
    match outcome {
        Outcome::Unavailable(_) => Ok(told - killed),
        Outcome::Answered(answered) => Err(format!("answered: {answered:?}").into()),
    }
}

fn together(children: usize, asks: usize, pace: u64) -> Result<(Vec<Duration>, Duration), Failure> {
    let place = Place::new()?;
    let (server, key) = serve(&place.0)?;
    let mut askers = Vec::new();
    for number in 0..children {
        let id = format!("child-{number}");
        askers.push(Asker::start(&place.0, &id, asks, pace, &key)?);
    }
    let start = Instant::now();
    for asker in &mut askers {
        asker.go()?;
    }
    let mut taken = Vec::new();
    for asker in &mut askers {
        taken.extend(asker.collect()?);
    }
    let all = start.elapsed();
    server.stop();
    let due = children * asks;
    if taken.len() != due {
        return Err(format!("{} of {due} asks answered", taken.len()).into());
    }
    Ok((taken, all))
}

/// The most memory this process, the server, has used.
fn memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn summary(name: &str, mut taken: Vec<Duration>, all: Option<Duration>) -> Value {
    taken.sort();
    let millis = |taken: Option<&Duration>| taken.map(|taken| taken.as_secs_f64() * 1e3);
    let at = |percent: usize| millis(taken.get((taken.len() * percent / 100).min(taken.len() - 1)));
    json!({
        "name": name,
        "asks": taken.len(),
        "median_ms": at(50),
        "p99_ms": at(99),
        "max_ms": millis(taken.last()),
        "all_ms": millis(all.as_ref()),
        "asks_per_second": all.map(|all| f64::from(u32::try_from(taken.len()).unwrap_or(u32::MAX)) / all.as_secs_f64()),
        "server_memory_kb": memory_kb(),
    })
}
