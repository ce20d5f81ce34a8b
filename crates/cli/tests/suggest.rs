//! Whatever a log holds, no call that was refused in it is allowed by what
//! `countersign suggest` writes.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const LOGS: u64 = 24;

/// What a policy says before; denials in every place.
const POLICIES: [&str; 4] = [
    r#"{ "permission": { "*": "ask" } }"#,
    r#"{ "permission": { "*": "ask", "bash": { "*": "ask", "git push *": "deny" } } }"#,
    r#"{ "permission": { "bash": { "*--force*": "deny", "git *": "ask", "* b": "deny" } } }"#,
    r#"{ "permission": { "*": "ask", "bash": "ask", "path": { "*.env": "deny" } } }"#,
];

const STARTS: [&str; 9] = [
    "git add",
    "git commit",
    "git push origin",
    "npm run build --",
    "mytool db dump",
    "make",
    "cat",
    "rm",
    "cargo test",
];

const ENDS: [&str; 7] = ["a", "b", "c", "--force", "x.env", "a b", "../a"];

/// A generator of numbers (splitmix64): the same logs every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(limit).unwrap()).unwrap()
    }

    fn call(&mut self) -> (&'static str, Value) {
        let command = |numbers: &mut Self| {
            let start = STARTS[numbers.below(STARTS.len())];
            format!("{start} {}", ENDS[numbers.below(ENDS.len())])
        };
        match self.below(8) {
            0 => {
                let path = format!("src/{}", ENDS[self.below(4)]);
                (
                    ["read", "write", "edit"][self.below(3)],
                    json!({"path": path}),
                )
            }
            1 => {
                let both = format!("{} && {}", command(self), command(self));
                ("bash", json!({"command": both}))
            }
            _ => ("bash", json!({"command": command(self)})),
        }
    }
}

fn entry(event: &str, tool: &str, input: &Value, cwd: &Path, cut: bool) -> Value {
    let command = input["command"].as_str();
    let shown = command.map(|it| {
        if cut {
            it.chars().take(2).chain(['…']).collect()
        } else {
            it.to_owned()
        }
    });
    let mut call = json!({"input": input, "cwd": cwd});
    if cut {
        call = json!({"input": null, "cwd": cwd, "partial": "cut"});
    }
    json!({
        "event": format!("permission_request.{event}"), "requestId": "perm", "toolName": tool,
        "surface": tool, "command": shown, "call": call,
        "decidedBy": {"kind": if event == "blocked" { "rule" } else { "user" }},
    })
}

fn countersign(home: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(arguments)
        .current_dir(home.join("p"))
        .env("HOME", home)
        .env_remove("PI_CODING_AGENT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verdicts on calls under the user's file.
fn verdicts(home: &Path, calls: &[(&str, Value)]) -> Vec<String> {
    let lines: String = calls
        .iter()
        .map(|(tool, input)| {
            let call = json!({"tool": tool, "input": input, "cwd": home.join("p"), "home": home});
            format!("{call}\n")
        })
        .collect();
    countersign(home, &["check", "--batch"], &lines)
        .lines()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).unwrap();
            answer["verdict"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn nothing_that_was_refused_is_allowed_by_a_suggestion() {
    let mut rules = 0;
    let mut saved = 0;
    for seed in 0..LOGS {
        let mut numbers = Numbers(seed);
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let cwd = home.join("p");
        std::fs::create_dir_all(&cwd).unwrap();
        let config = home.join(".pi/agent/extensions/pi-permission-system/config.json");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(
            &config,
            POLICIES[usize::try_from(seed).unwrap() % POLICIES.len()],
        )
        .unwrap();

        let mut log = String::new();
        let mut refused = Vec::new();
        for _ in 0..14 {
            let (tool, input) = numbers.call();
            for _ in 0..=numbers.below(4) {
                log += &format!("{}\n", entry("approved", tool, &input, &cwd, false));
            }
        }
        // Anywhere among the others; some are there only in part.
        for _ in 0..numbers.below(5) {
            let (tool, input) = numbers.call();
            let event = ["denied", "blocked"][numbers.below(2)];
            let cut = numbers.below(6) == 0;
            let line = format!("{}\n", entry(event, tool, &input, &cwd, cut));
            let at = log.match_indices('\n').nth(numbers.below(14)).unwrap().0 + 1;
            log.insert_str(at, &line);
            refused.push((tool, input));
        }
        std::fs::write(home.join("log"), &log).unwrap();

        let before = verdicts(home, &refused);
        let arguments = [
            "suggest", "--file", "../log", "--min", "2", "--apply", "--yes", "--json",
        ];
        let said: Value = serde_json::from_str(&countersign(home, &arguments, "")).unwrap();
        let after = verdicts(home, &refused);
        for ((call, before), after) in refused.iter().zip(before).zip(after) {
            assert!(
                after != "allow" || before == "allow",
                "seed {seed}: {call:?} runs by {}",
                said["rules"]
            );
        }
        rules += said["rules"].as_array().unwrap().len();
        saved += said["promptsSaved"].as_u64().unwrap();
    }
    // Proposing nothing would be easy.
    assert!(rules > 20 && saved > 60, "{rules} rules, {saved} prompts");
}
