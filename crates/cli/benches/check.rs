//! Guards: `countersign check` as a whole process takes a few milliseconds.
//! Baseline: `countersign --version`, which starts the same program and
//! decides nothing, in the same run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Processes of each kind, alternating.
const RUNS: usize = 100;

fn main() {
    let home = std::env::temp_dir().join(format!("countersign-bench-{}", std::process::id()));
    let config = home.join(".pi/agent/extensions/pi-permission-system");
    let made = std::fs::create_dir_all(&config).and_then(|()| {
        std::fs::write(
            config.join("config.json"),
            include_str!("../../../bench/policy.json"),
        )
    });
    if let Err(error) = made {
        eprintln!("cannot prepare {}: {error}", home.display());
        return;
    }
    let check = [
        "check",
        "--tool",
        "bash",
        "--input",
        r#"{"command":"git log --oneline | head -5"}"#,
    ];
    let mut decided = Vec::new();
    let mut started = Vec::new();
    for _ in 0..RUNS {
        decided.extend(time(&check, &home));
        started.extend(time(&["--version"], &home));
    }
    let _ = std::fs::remove_dir_all(&home);
    let (decided, started) = (median(&mut decided), median(&mut started));
    println!(
        "check: {decided:.2?}, only starting: {started:.2?}, ratio {:.2}×",
        decided.as_secs_f64() / started.as_secs_f64().max(1e-12)
    );
}

fn time(arguments: &[&str], home: &std::path::Path) -> Option<Duration> {
    let began = Instant::now();
    Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(arguments)
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .ok()?;
    Some(began.elapsed())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
