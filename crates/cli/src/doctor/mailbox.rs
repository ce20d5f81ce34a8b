//! Can questions travel?

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use countersign_host::mailbox::{Heartbeats, Signal, subscribe, sweep};
use countersign_host::paths::AgentPaths;

use super::Finding;

/// A watcher that takes longer is no better than looking now and then.
const WATCH_LIMIT: Duration = Duration::from_secs(1);

/// Tries to write and watch, and counts who serves.
pub fn check(paths: &AgentPaths, clean: bool) -> Vec<Finding> {
    let root = paths.mailbox();
    let mut findings = vec![try_out(&root)];
    if clean {
        let swept = sweep(&root);
        let count = swept.heartbeats + swept.requests + swept.responses + swept.partial;
        findings.push(Finding::good(format!(
            "removed {count} files that killed processes left"
        )));
    }
    let beats = Heartbeats::new(&root);
    let (alive, dead): (Vec<String>, Vec<String>) = beats
        .session_ids()
        .into_iter()
        .partition(|id| countersign_host::forwarding::is_serving(&root, id));
    if !dead.is_empty() {
        findings.push(Finding::note(
            format!(
                "{} serving {} of sessions that do not serve: {}",
                dead.len(),
                if dead.len() == 1 { "record" } else { "records" },
                short_list(&dead)
            ),
            "they do no harm; `countersign doctor --clean` removes those of dead processes",
        ));
    }
    findings.push(Finding::good(match alive.as_slice() {
        [] => "no session serves questions at the moment".to_owned(),
        ids => format!("serving questions: {}", short_list(ids)),
    }));
    findings
}

fn short_list(ids: &[String]) -> String {
    let mut list: Vec<&str> = ids.iter().take(5).map(String::as_str).collect();
    if ids.len() > list.len() {
        list.push("…");
    }
    list.join(", ")
}

/// Writes into the mailbox the way a question does, and waits to be woken.
fn try_out(root: &Path) -> Finding {
    let folder = root
        .join("sessions")
        .join(format!("doctor-{}", std::process::id()));
    let made = make(&folder);
    let finding = match made {
        Err(error) => Finding::bad(
            format!(
                "the mailbox `{}` cannot be written: {error}",
                root.display()
            ),
            "questions of subagents cannot travel; check its owner, its rights and the disk",
        ),
        Ok(()) => try_watch(&folder),
    };
    let _ = std::fs::remove_dir_all(&folder);
    // Empty directories would look like a session's.
    let _ = std::fs::remove_dir(root.join("sessions"));
    finding
}

fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    drop_in(folder, "first")
}

fn drop_in(folder: &Path, name: &str) -> std::io::Result<()> {
    let partial = folder.join(format!("{name}.tmp"));
    std::fs::write(&partial, "{}")?;
    std::fs::rename(&partial, folder.join(format!("{name}.json")))
}

fn try_watch(folder: &Path) -> Finding {
    let signal = Arc::new(Signal::default());
    let subscription = subscribe(folder, &signal);
    let woken =
        subscription.is_some() && drop_in(folder, "second").is_ok() && signal.wait(WATCH_LIMIT);
    if woken {
        Finding::good("the mailbox can be written, and is watched")
    } else {
        Finding::note(
            "the mailbox can be written, but not watched: questions take up to a quarter second",
            "raise the system's limit of watched files (on Linux fs.inotify.max_user_watches)",
        )
    }
}
