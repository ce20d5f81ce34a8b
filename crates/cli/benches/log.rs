//! The commands that read the review log, over a generated log of 500 MB
//! (`COUNTERSIGN_BENCH_MEGABYTES` for another size): time, against reading the
//! same bytes and nothing else, and the most memory each had.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark fails by panicking, and prints"
)]

use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign_host::review_log::chain_hash;
use serde_json::{Map, Value, json};

const CONFIG: &str = r#"{ "permission": {
  "*": "ask",
  "path": { "*.env": "deny" },
  "bash": { "*": "ask", "ls *": "allow", "rm *": "deny", "git push * --force*": "deny" }
} }"#;

const OTHER: &str = r#"{ "permission": {
  "*": "ask",
  "bash": { "*": "ask", "git *": "allow", "npm *": "allow", "cargo test*": "allow" }
} }"#;

const STARTS: [&str; 12] = [
    "git add",
    "git commit -m",
    "git push origin",
    "npm run build --",
    "npm test --",
    "cargo test -p",
    "cargo build -p",
    "make",
    "rg -n",
    "docker build -t",
    "cat",
    "rm",
];

/// Entries of one session.
const SESSION: u64 = 2_000;

fn main() {
    let megabytes: u64 = std::env::var("COUNTERSIGN_BENCH_MEGABYTES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(500);
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let logs = home.join(".pi/agent/extensions/pi-permission-system");
    std::fs::create_dir_all(logs.join("logs")).unwrap();
    std::fs::write(logs.join("config.json"), CONFIG).unwrap();
    std::fs::write(home.join("other.json"), OTHER).unwrap();
    let log = logs.join("logs/pi-permission-system-permission-review.jsonl");
    let (bytes, entries, middle) = generate(&log, megabytes << 20);
    println!("{} MB, {entries} entries\n", bytes >> 20);

    // Once to have it in the cache, as it is for the commands.
    read_only(&log);
    let baseline = read_only(&log);
    println!("{:<34} {:>8} {:>8} {:>10}", "", "time", "ratio", "memory");
    println!(
        "{:<34} {:>6.2} s {:>8}",
        "reading the bytes",
        baseline.as_secs_f64(),
        "1.0"
    );
    for arguments in [
        &["log", "tail"][..],
        &["log", "show", middle.as_str()],
        &["log", "query", "--verdict", "denied", "--limit", "5"],
        &["log", "query", "--text", "nowhere"],
        &["log", "stats", "--json"],
        &["log", "verify"],
        &["replay", "--json", "--fail-on", "nothing"],
        &["replay", "--config", "other.json", "--fail-on", "nothing"],
        &["suggest", "--json"],
    ] {
        let (time, memory) = measure(home, arguments);
        println!(
            "{:<34} {:>6.2} s {:>8.1} {:>7} MB",
            arguments.join(" ").chars().take(34).collect::<String>(),
            time.as_secs_f64(),
            time.as_secs_f64() / baseline.as_secs_f64(),
            memory >> 10,
        );
    }
}

fn read_only(path: &Path) -> Duration {
    let start = Instant::now();
    let mut file = File::open(path).unwrap();
    let mut buffer = vec![0; 1 << 20];
    while file.read(&mut buffer).unwrap() > 0 {}
    start.elapsed()
}

/// The time of a command and the most memory it had, in kilobytes: the
/// system's own high-water mark, looked at until the end.
fn measure(home: &Path, arguments: &[&str]) -> (Duration, u64) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(arguments)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("PI_CODING_AGENT_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        });
        memory = memory.max(peak.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{arguments:?}");
            return (start.elapsed(), memory);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A generator of numbers (splitmix64): the same log every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn of<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[usize::try_from(self.below(u64::try_from(list.len()).unwrap())).unwrap()]
    }
}

/// Writes a log of `size` bytes; its real size, its entries, and the id of a
/// question in the middle.
fn generate(path: &Path, size: u64) -> (u64, u64, String) {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    let mut numbers = Numbers(8);
    let (mut bytes, mut entries) = (0, 0);
    let mut middle = String::new();
    let mut before: Option<String> = None;
    while bytes < size {
        for entry in call(&mut numbers, entries) {
            let mut entry = entry;
            let (session, number) = (entries / SESSION, entries % SESSION);
            let place = match number {
                0 => json!({"id": format!("{session:016x}"), "n": 0, "after": before}),
                n => json!({"id": format!("{session:016x}"), "n": n, "prev": before}),
            };
            entry.insert("sessionId".into(), format!("session-{session}").into());
            entry.insert("pid".into(), (session % 30_000).into());
            entry.insert("chain".into(), place);
            if middle.is_empty() && bytes > size / 2 {
                middle = entry["requestId"].as_str().unwrap().to_owned();
            }
            let line = serde_json::to_vec(&entry).unwrap();
            out.write_all(&line).unwrap();
            out.write_all(b"\n").unwrap();
            before = Some(chain_hash(&line));
            bytes += u64::try_from(line.len()).unwrap() + 1;
            entries += 1;
        }
    }
    out.flush().unwrap();
    (bytes, entries, middle)
}

/// The entries of one call: asked and answered, or settled at once.
fn call(numbers: &mut Numbers, at: u64) -> Vec<Map<String, Value>> {
    // Most commands come again and again; one in twenty is new.
    let word = match numbers.below(20) {
        0 => format!("new-{at}"),
        _ => {
            let first = numbers.below(30) + 1;
            format!("part{}", numbers.below(first))
        }
    };
    let command = format!("{} {word}", numbers.of(&STARTS));
    let agent = numbers.of(&["", "reviewer", "builder", "tester"]);
    let cwd = numbers.of(&["/srv/app", "/srv/site", "/srv/tool", "/home/u/lab"]);
    let facts = |event: &str, seconds: u64| -> Map<String, Value> {
        let time = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            seconds / 2_419_200 % 12 + 1,
            seconds / 86_400 % 28 + 1,
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60,
            at % 1000
        );
        let entry = json!({
            "timestamp": time, "extension": "pi-permission-system", "stream": "review",
            "event": format!("permission_request.{event}"), "requestId": format!("perm-{at:x}"),
            "source": "tool_call", "agentName": Some(agent).filter(|it| !it.is_empty()),
            "toolCallId": format!("toolu_{at:024x}"), "surface": "bash", "matchedPattern": "*",
            "origin": "global", "toolName": "bash", "skillName": null, "path": null,
            "command": command, "target": null, "toolInputPreview": null, "denialReason": null,
        });
        serde_json::from_value(entry).unwrap()
    };
    let settled = |event: &str, after: u64, decider: Value| {
        let mut entry = facts(event, at * 20 + after);
        entry.insert("decidedBy".into(), decider);
        entry.insert(
            "call".into(),
            json!({"input": {"command": command}, "cwd": cwd}),
        );
        entry
    };
    let user = || json!({"kind": "user", "via": "dialog"});
    if command.starts_with("rm ") {
        let rule =
            json!({"kind": "rule", "surface": "bash", "pattern": "rm *", "origin": "global"});
        return vec![settled("blocked", 0, rule)];
    }
    match numbers.below(40) {
        0 => vec![facts("waiting", at * 20), settled("denied", 4, user())],
        1..=10 => {
            let grant = json!({"kind": "session_approval", "surface": "bash", "pattern": "git *"});
            vec![settled("session_approved", 0, grant)]
        }
        _ => {
            let after = 1 + numbers.below(15);
            vec![
                facts("waiting", at * 20),
                settled("approved", after, user()),
            ]
        }
    }
}
