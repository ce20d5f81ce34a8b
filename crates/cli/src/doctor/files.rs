//! Whose files these are, and who may change them.

use std::path::Path;

use countersign_host::paths::AgentPaths;

use super::Finding;

/// The directories and files that decide what runs.
pub fn check(paths: &AgentPaths) -> Vec<Finding> {
    let looked_at = [
        (paths.root().to_path_buf(), false),
        (paths.root().join("settings.json"), false),
        (paths.extension(), false),
        (paths.config(), false),
        (paths.logs(), true),
        (paths.review_log(), true),
        (paths.mailbox(), true),
    ];
    let open: Vec<Finding> = looked_at
        .iter()
        .filter_map(|(path, private)| open_to_others(path, *private))
        .collect();
    if open.is_empty() {
        return vec![Finding::good("no file that decides is open to others")];
    }
    open
}

/// Whether others may write it or, where it is private, read it.
#[cfg(unix)]
fn open_to_others(path: &Path, private: bool) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = path.metadata().ok()?.permissions().mode();
    let forbidden = if private { 0o077 } else { 0o022 };
    (mode & forbidden != 0).then(|| {
        let what = if mode & 0o022 != 0 { "changed" } else { "read" };
        let rights = if private { "go-rwx" } else { "go-w" };
        Finding::bad(
            format!("`{}` can be {what} by other users", path.display()),
            format!("chmod {rights} '{}'", path.display()),
        )
    })
}

#[cfg(not(unix))]
fn open_to_others(_: &Path, _: bool) -> Option<Finding> {
    None
}
