//! `countersign explain`: why a call is judged as it is.

use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use countersign_host::check::{self, Checker};
use countersign_host::explain::{Explanation, NewRule, explain};
use countersign_host::policy::{Action, Rule};
use serde_json::{Value, json};

use crate::diagnostics::renderer;
use crate::exit::{self, Outcome};
use crate::policy::{one_line, place, rule_json};
use crate::terminal;

/// What the user said.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    call: crate::check::Call,
    /// Answer with one JSON object
    #[arg(long)]
    json: bool,
}

/// Explains one call; the status is the verdict's.
pub fn run(args: &Args) -> Outcome {
    let request = args.call.request()?;
    let mut checker = Checker::default();
    let explanation = explain(&mut checker, &request)?;
    if args.json {
        terminal::say(&as_json(&explanation).to_string())?;
    } else {
        let command = request.input.get("command").and_then(Value::as_str);
        terminal::say(&show(&explanation, command))?;
    }
    Ok(match explanation.decision.verdict {
        Action::Allow => ExitCode::SUCCESS,
        Action::Ask => exit::ASK.into(),
        Action::Deny => exit::DENY.into(),
    })
}

fn show(explanation: &Explanation, command: Option<&str>) -> String {
    let decision = &explanation.decision;
    let mut out = crate::check::explain(decision);
    if let Some(command) = command {
        out.push(String::new());
        out.push(underlined(explanation, command));
    }
    out.push(String::new());
    out.push("Effects:".to_owned());
    for (effect, considered) in decision.effects.iter().zip(&explanation.considered) {
        out.push(format!(
            "  {:<5}  {}  {}",
            effect.verdict.as_str(),
            effect.surface,
            one_line(&effect.value)
        ));
        if let Some(real) = &effect.resolved {
            out.push(format!("         leads to {}", one_line(real)));
        }
        for at in considered {
            let Some(rule) = explanation.snapshot.policy.rules().get(*at) else {
                continue;
            };
            let mark = if decides(effect, rule) { "->" } else { "  " };
            out.push(format!(
                "      {mark} {:<5}  {}  ({})",
                rule.action.as_str(),
                one_line(&rule.pattern),
                place(&rule.origin)
            ));
        }
    }
    if !decision.floors.is_empty() {
        out.push("Cannot be seen through:".to_owned());
        for floor in &decision.floors {
            out.push(format!("  {} {}", floor.sentinel, one_line(&floor.note)));
        }
    }
    if let Some(without) = explanation.without_grants {
        out.push(format!(
            "Approvals: without them the verdict is {}",
            without.as_str()
        ));
    }
    match (&explanation.to_allow, decision.verdict) {
        (Some(rules), _) => {
            out.push("To allow it:".to_owned());
            out.extend(rules.iter().map(written));
        }
        (None, Action::Allow) => {}
        (None, _) => out.push("No rule can allow it; a person can.".to_owned()),
    }
    if let Some(rule) = &explanation.to_deny {
        out.push("To deny it:".to_owned());
        out.push(written(rule));
    }
    out.join("\n")
}

fn decides(effect: &countersign_host::engine::JudgedEffect, rule: &Rule) -> bool {
    effect.origin == rule.origin
        && effect.action == rule.action
        && effect
            .pattern
            .as_ref()
            .is_none_or(|pattern| *pattern == rule.pattern)
}

fn written((surface, pattern, action): &NewRule) -> String {
    format!(
        "  {}: {{ {}: \"{}\" }}",
        Value::from(surface.as_str()),
        Value::from(pattern.as_str()),
        action.as_str()
    )
}

/// The command with every effect and floor marked in it.
fn underlined(explanation: &Explanation, command: &str) -> String {
    let clean: String = command
        .chars()
        // Marks stand by byte, so a replacement must be as long.
        .map(|c| {
            if c.is_ascii_control() && c != '\n' {
                ' '
            } else {
                c
            }
        })
        .collect();
    let mut labels: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for effect in &explanation.decision.effects {
        let Some(span) = effect.span.filter(|span| span.of(&clean).is_some()) else {
            continue;
        };
        let pattern = effect
            .pattern
            .as_deref()
            .map(|p| format!(" `{}`", one_line(p)));
        let label = format!(
            "{}: {}{}",
            effect.verdict.as_str(),
            effect.surface,
            pattern.unwrap_or_default()
        );
        labels.push((span.range(), label));
    }
    for floor in &explanation.decision.floors {
        if let Some(span) = floor.span.filter(|span| span.of(&clean).is_some()) {
            labels.push((span.range(), one_line(&floor.note)));
        }
    }
    labels.dedup();
    let mut snippet = Snippet::source(clean.as_str());
    for (range, label) in &labels {
        snippet = snippet.annotation(
            AnnotationKind::Primary
                .span(range.clone())
                .label(label.as_str()),
        );
    }
    renderer().render(&[Group::with_level(Level::NOTE).element(snippet)])
}

fn as_json(explanation: &Explanation) -> Value {
    let rules = explanation.snapshot.policy.rules();
    let considered: Vec<Value> = explanation
        .considered
        .iter()
        .map(|list| {
            list.iter()
                .filter_map(|at| rules.get(*at))
                .map(rule_json)
                .collect()
        })
        .collect();
    let rule = |(surface, pattern, action): &NewRule| json!({ "surface": surface, "pattern": pattern, "action": action.as_str() });
    let mut answer = check::answer(Value::Null, &explanation.decision);
    if let Some(map) = answer.as_object_mut() {
        map.remove("id");
        map.insert("considered".to_owned(), considered.into());
        map.insert(
            "withoutGrants".to_owned(),
            json!(explanation.without_grants.map(Action::as_str)),
        );
        map.insert(
            "toAllow".to_owned(),
            json!(
                explanation
                    .to_allow
                    .as_ref()
                    .map(|l| l.iter().map(rule).collect::<Vec<_>>())
            ),
        );
        map.insert(
            "toDeny".to_owned(),
            json!(explanation.to_deny.as_ref().map(rule)),
        );
    }
    answer
}
