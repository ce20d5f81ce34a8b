//! Guards: a warm decision inside the host's process, analysis, rules and file
//! system included, takes at most 20 µs for a typical command. Baseline: the
//! analysis alone, in the same run.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign_engine::{Scene, ToolCall, decide};
use countersign_host::facts::RealFacts;
use countersign_host::gate::{Places, gate_settings};
use countersign_host::workspace::{Workspace, WorkspaceOptions};
use countersign_policy::GrantSet;
use serde_json::json;

const COMMANDS: [&str; 10] = [
    "git status",
    "git log --oneline | head -5",
    "ls -la src",
    "cat package.json",
    "grep -rn TODO src",
    "cd src && npm test -- --watch=false",
    "FOO=1 cargo build --release 2>&1 | tail -20",
    "find . -name '*.ts' -not -path './node_modules/*'",
    "for f in src/*.ts; do wc -l \"$f\"; done",
    "git add -A && git commit -m 'fix: the thing' && git push origin main",
];

const ROUNDS: usize = 2000;

fn main() {
    let home = std::env::temp_dir().join(format!("countersign-decide-{}", std::process::id()));
    let cwd = home.join("code/app");
    let config = home.join(".pi/agent/extensions/pi-permission-system/config.json");
    let made = fs::create_dir_all(cwd.join("src"))
        .and_then(|()| fs::create_dir_all(config.parent().unwrap_or(&config)))
        .and_then(|()| fs::write(&config, include_str!("../../../bench/policy.json")))
        .and_then(|()| fs::write(cwd.join("src/a.ts"), "x"))
        .and_then(|()| fs::write(cwd.join("package.json"), "{}"));
    if let Err(error) = made {
        eprintln!("cannot prepare {}: {error}", home.display());
        return;
    }
    let agent_dir = home.join(".pi/agent");
    let workspace = Workspace::open(WorkspaceOptions {
        home: Some(home.clone()),
        ..WorkspaceOptions::new(agent_dir.clone(), cwd.clone())
    });
    let snapshot = workspace.snapshot(None);
    let settings = gate_settings(
        &snapshot.settings,
        &snapshot.mcp_servers,
        &Places {
            agent_dir,
            cwd: cwd.clone(),
            ..Places::default()
        },
        snapshot.policy.context(),
        None,
    );
    let cwd = cwd.to_string_lossy();
    let facts = RealFacts::new(home.to_str().map(str::to_owned));
    let grants = GrantSet::default();
    let scene = Scene {
        cwd: &cwd,
        real_cwd: &cwd,
        agent: None,
        policy: &snapshot.policy,
        resolved: &snapshot.resolved,
        settings: &settings,
        grants: &grants,
        skills: &[],
    };
    println!(
        "{:>10} {:>10} {:>7}  command",
        "decision", "analysis", "ratio"
    );
    for command in COMMANDS {
        let call = ToolCall::new("bash", json!({ "command": command }));
        let whole = median(|| {
            black_box(decide(black_box(&call), &scene, &facts).verdict);
        });
        let part = median(|| {
            black_box(countersign_shell::analyze(black_box(command)));
        });
        println!(
            "{whole:>10.1?} {part:>10.1?} {:>6.2}×  {command}",
            whole.as_secs_f64() / part.as_secs_f64().max(1e-12)
        );
    }
    let _ = fs::remove_dir_all(&home);
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}
