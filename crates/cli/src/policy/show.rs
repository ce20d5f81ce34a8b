//! `countersign policy show`

use std::process::ExitCode;

use countersign_host::policy::{Origin, Rule};
use countersign_host::workspace::Snapshot;
use serde_json::{Value, json};

use super::Files;
use crate::exit::Outcome;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// Only this surface
    #[arg(long, value_name = "NAME")]
    surface: Option<String>,
    /// Answer with one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the composed policy.
pub fn run(args: &Args) -> Outcome {
    let snapshot = args.files.open()?.snapshot(args.files.agent.as_deref());
    let wanted = |rule: &&Rule| args.surface.as_ref().is_none_or(|s| *s == rule.surface);
    let rules: Vec<&Rule> = snapshot.policy.rules().iter().filter(wanted).collect();
    if args.json {
        terminal::say(&as_json(&snapshot, &rules).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    for line in lines(&snapshot, &rules) {
        terminal::say(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(snapshot: &Snapshot, rules: &[&Rule]) -> Vec<String> {
    let mut out = Vec::new();
    let width = rules
        .iter()
        .map(|r| r.pattern.chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    let mut surface = None;
    for rule in rules {
        if surface != Some(&rule.surface) {
            out.push(rule.surface.clone());
            surface = Some(&rule.surface);
        }
        let action = rule.action.as_str();
        let reason = rule
            .reason
            .as_ref()
            .map(|r| format!("  ({})", one_line(r)))
            .unwrap_or_default();
        out.push(format!(
            "  {action:<5}  {:<width$}  {}{reason}",
            one_line(&rule.pattern),
            place(&rule.origin)
        ));
    }
    if !snapshot.recorded.is_empty() {
        out.push("approvals (they answer questions, denials stay)".to_owned());
        for grant in &snapshot.recorded {
            out.push(format!(
                "  {:<7}  {}  {}",
                grant.scope.as_str(),
                grant.surface,
                one_line(&grant.pattern)
            ));
        }
    }
    if snapshot.settings.yolo_mode() {
        out.push("yolo mode: every question is answered with yes".to_owned());
    }
    if snapshot.withheld {
        out.push("the project is not trusted: its files were not read".to_owned());
    }
    if snapshot.clamped {
        let names: Vec<&str> = snapshot.invalid.iter().map(|s| s.as_str()).collect();
        let names = if names.is_empty() {
            vec!["no home directory"]
        } else {
            names
        };
        out.push(format!(
            "invalid: {}; until it is mended every `allow` asks and no approval counts \
             (`countersign policy lint`)",
            names.join(", ")
        ));
    }
    out
}

/// Where a rule is written.
pub fn place(origin: &Origin) -> String {
    match (&origin.path, origin.line) {
        (Some(path), Some(line)) => format!("{}: {path}:{line}", origin.scope.as_str()),
        (Some(path), None) => format!("{}: {path}", origin.scope.as_str()),
        (None, _) => origin.scope.as_str().to_owned(),
    }
}

/// A text that stays on its line.
pub fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A rule as data.
pub fn rule_json(rule: &Rule) -> Value {
    json!({
        "surface": rule.surface,
        "pattern": rule.pattern,
        "action": rule.action.as_str(),
        "reason": rule.reason,
        "origin": rule.origin.scope.as_str(),
        "file": rule.origin.path.as_deref(),
        "line": rule.origin.line,
    })
}

fn as_json(snapshot: &Snapshot, rules: &[&Rule]) -> Value {
    let grants: Vec<Value> = snapshot
        .recorded
        .iter()
        .map(|g| json!({"surface": g.surface, "pattern": g.pattern, "scope": g.scope.as_str()}))
        .collect();
    let invalid: Vec<&str> = snapshot.invalid.iter().map(|s| s.as_str()).collect();
    json!({
        "rules": rules.iter().map(|rule| rule_json(rule)).collect::<Vec<_>>(),
        "grants": grants,
        "yolo": snapshot.settings.yolo_mode(),
        "trusted": !snapshot.withheld,
        "clamped": snapshot.clamped,
        "invalid": invalid,
        "mcpServers": snapshot.mcp_servers,
    })
}
