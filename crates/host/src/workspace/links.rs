//! A rule about a directory is also about where that directory really is.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_policy::{Action, Policy, Rule};

/// The policy in which each path rule also covers its literal directory
/// resolved. An `allow` follows only links the agent is unlikely to have made:
/// none inside the workspace, and none in a directory everybody may write to.
pub(super) fn resolved(policy: &Policy, cwd: &Path) -> Policy {
    let real_cwd = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    policy.with_resolved_rules(&|rule: &Rule, directory: &str| {
        let written = cwd.join(directory);
        if rule.action == Action::Allow
            && (written.starts_with(cwd)
                || written.starts_with(&real_cwd)
                || passes_a_doubtful_link(&written))
        {
            return None;
        }
        let real = real_directory(&written)?;
        (real != written).then(|| real.to_str().map(str::to_owned))?
    })
}

/// The real path of a directory; the part that does not exist is kept.
fn real_directory(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|ancestor| {
        let real = fs::canonicalize(ancestor).ok()?;
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        })
    })
}

/// Whether a link on the way stands where everybody may write.
#[cfg(unix)]
fn passes_a_doubtful_link(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o002;
    path.ancestors().any(|step| {
        let is_link = fs::symlink_metadata(step).is_ok_and(|data| data.is_symlink());
        let open = || {
            step.parent()
                .and_then(|parent| fs::metadata(parent).ok())
                .is_none_or(|data| data.mode() & OTHERS_WRITE != 0)
        };
        is_link && open()
    })
}

#[cfg(not(unix))]
fn passes_a_doubtful_link(path: &Path) -> bool {
    path.ancestors()
        .any(|step| fs::symlink_metadata(step).is_ok_and(|data| data.is_symlink()))
}
