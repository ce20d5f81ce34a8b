//! Is the policy in force what the user wrote?

use std::path::Path;

use countersign_host::paths::AgentPaths;
use countersign_host::workspace::{Workspace, WorkspaceOptions};

use super::{Finding, State};

/// Reads the configuration as a session in `cwd` would, the project trusted.
pub fn check(paths: &AgentPaths, cwd: &Path) -> Vec<Finding> {
    let snapshot = Workspace::open(WorkspaceOptions::new(paths.root(), cwd)).snapshot(None);
    let mut findings = Vec::new();
    for diagnostic in &snapshot.diagnostics {
        let place = diagnostic.path.as_deref().unwrap_or("the configuration");
        let text = format!("{place}: {}", diagnostic.message);
        let state = match diagnostic.severity.as_str() {
            "error" => State::Bad,
            _ => State::Note,
        };
        findings.push(Finding {
            state,
            text,
            fix: diagnostic.help.clone(),
        });
    }
    if snapshot.settings.yolo_mode() {
        findings.push(Finding::bad(
            "`yoloMode` is on: every question is answered with yes",
            "remove `yoloMode` from the configuration to be asked again",
        ));
    }
    if !snapshot.settings.permission_review_log() {
        findings.push(Finding::note(
            "`permissionReviewLog` is off: decisions leave no record",
            "remove it from the configuration",
        ));
    }
    let rules = snapshot
        .policy
        .rules()
        .iter()
        .filter(|rule| rule.is_explicit())
        .count();
    if rules == 0 {
        findings.push(Finding::note(
            "no rule is written: everything asks",
            "countersign init",
        ));
    } else {
        let noun = if rules == 1 { "rule is" } else { "rules are" };
        findings.push(Finding::good(format!("{rules} {noun} in force")));
    }
    findings
}
