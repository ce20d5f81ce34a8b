//! `/permissions`: the policy in force, the approvals and a way to take each
//! back, what was decided lately, and who is served.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use countersign_forward::wire::Request;
use countersign_policy::{Grant, GrantScope, Rule};
use serde_json::{Value, json};

use super::super::asks::About;
use super::super::{Session, lock};
use super::words::{self, count, line};
use super::{Approval, Lasting, Level, Page, Step};
use crate::registry;
use crate::review_log::masked;

/// Decisions that are remembered.
const DECISIONS: usize = 200;

/// Children that are remembered as served.
const SERVED: usize = 200;

const USAGE: &str = "Usage: /permissions [rules|approvals|decisions|served]";

/// What a session remembers for its person.
#[derive(Debug, Default)]
pub(in super::super) struct Recent {
    decisions: VecDeque<Past>,
    next: u64,
    /// The agent's name of each child that asked, by its session.
    served: BTreeMap<String, String>,
}

/// One decision that was made.
#[derive(Clone, Debug)]
struct Past {
    id: u64,
    /// The event that told it.
    event: Value,
    /// Why, where somebody said.
    reason: Option<String>,
}

impl Recent {
    /// Remembers a decision.
    pub(in super::super) fn decided(&mut self, event: Value, reason: Option<String>) {
        let id = self.next;
        self.next += 1;
        self.decisions.push_front(Past { id, event, reason });
        self.decisions.truncate(DECISIONS);
    }

    /// Remembers a child that asked.
    pub(in super::super) fn served(&mut self, request: &Request) {
        let id = &request.requester_session_id;
        if self.served.len() >= SERVED && !self.served.contains_key(id) {
            return;
        }
        let agent = request.requester_agent_name.clone();
        self.served.insert(id.clone(), agent);
    }
}

impl Past {
    fn text(&self, key: &str) -> Option<&str> {
        self.event.get(key).and_then(Value::as_str)
    }

    fn summary(&self) -> String {
        let verdict = match self.text("result") {
            Some("allow") => "allowed",
            _ => "denied",
        };
        let surface = self.text("surface").unwrap_or_default();
        let value = masked(self.text("value").unwrap_or_default().to_owned());
        let how = self.text("resolution").map_or("", how);
        format!("{verdict}: {surface} {value} — {how}")
    }
}

/// A resolution (spec 04 §6) in words.
fn how(resolution: &str) -> &str {
    match resolution {
        "policy_allow" | "policy_deny" => "by the policy",
        "session_approved" => "by an earlier approval",
        "infrastructure_auto_allowed" => "reads the host's own files",
        "user_approved" | "user_denied" => "by you",
        "user_approved_for_session" => "by you, and remembered",
        "auto_approved" => "by yolo mode",
        "authorizer_allowed" | "authorizer_denied" => "by an authorizer link",
        "confirmation_unavailable" => "nobody could be asked",
        "gate_error" => "it could not be judged",
        other => other,
    }
}

impl Approval {
    fn of(grant: &Grant) -> Self {
        Self {
            surface: grant.surface.clone(),
            pattern: grant.pattern.clone(),
            scope: match grant.scope {
                GrantScope::Project => Some(Lasting::Project),
                GrantScope::Global => Some(Lasting::Everywhere),
                GrantScope::Once | GrantScope::Subagent | GrantScope::Session => None,
            },
        }
    }

    fn words(&self) -> String {
        let reach = match self.scope {
            None => "this session",
            Some(Lasting::Project) => "this project",
            Some(Lasting::Everywhere) => "everywhere",
        };
        format!(
            "{} {} — {reach}",
            self.surface,
            words::quoted(&self.pattern)
        )
    }
}

impl Session {
    pub(super) fn permissions_command(&self, word: &str) -> Page {
        match word {
            "" => self.overview(),
            "rules" => self.rules_page(0),
            "approvals" => self.approvals_page(0),
            "decisions" => self.decisions_page(0),
            "served" => self.served_page(0),
            "help" => Page::notice(Level::Info, USAGE),
            _ => Page::notice(Level::Warning, USAGE),
        }
    }

    pub(super) fn overview(&self) -> Page {
        let view = self.view();
        let snapshot = &view.snapshot;
        let mut title = vec!["Permissions of this session".to_owned()];
        title.push(match self.status() {
            Some(status) => format!("state: {status}"),
            None => "state: asks you where the policy says so".to_owned(),
        });
        if let Some(agent) = &view.agent {
            title.push(format!("agent: {}", line(agent)));
        }
        if snapshot.withheld {
            title.push("the project is not trusted: its files do not count".to_owned());
        }
        let rules = snapshot.policy.rules().iter().filter(|r| words::written(r));
        let (decisions, served) = {
            let recent = lock(&self.recent);
            (recent.decisions.len(), self.children(&recent).len())
        };
        Page::new(title.join("\n"))
            .option(
                format!("Policy: {}", count(rules.count(), "rule")),
                Some(&Step::Rules(0)),
            )
            .option(
                format!("Approvals: {}", self.approvals().len()),
                Some(&Step::Approvals(0)),
            )
            .option(
                format!("Recent decisions: {decisions}"),
                Some(&Step::Decisions(0)),
            )
            .option(
                format!("Served: {}", count(served, "subagent")),
                Some(&Step::Served(0)),
            )
            .option("Close", None)
    }

    pub(super) fn rules_page(&self, page: usize) -> Page {
        let snapshot = self.snapshot();
        // The rule that wins is the last that matches, so the last is first.
        let rules: Vec<(usize, &Rule)> = snapshot.policy.rules().iter().enumerate().rev().collect();
        let mut title = "Policy: the first rule here that matches decides".to_owned();
        if snapshot.clamped {
            title.push_str("\na file is invalid: until it is mended every `allow` asks");
        }
        Page::new(title).list(
            &rules,
            page,
            Step::Rules,
            |_, (at, rule)| {
                let label = format!("{} ({})", words::rule(rule), rule.origin.scope.as_str());
                (label, Some(Step::Rule(*at)))
            },
            &Step::Overview,
        )
    }

    pub(super) fn rule_page(&self, at: usize) -> Page {
        let snapshot = self.snapshot();
        let Some(rule) = snapshot.policy.rules().get(at) else {
            return self.rules_page(0);
        };
        let mut title = vec![
            line(&words::rule(rule)),
            format!("what it matches {}", words::meaning(rule.action)),
            format!("origin: {}", rule.origin.scope.as_str()),
            format!("written in: {}", words::place(&rule.origin)),
        ];
        if let Some(reason) = &rule.reason {
            title.push(format!("reason: {}", line(reason)));
        }
        let back = Step::Rules(0);
        Page::new(title.join("\n"))
            .option("Back", Some(&back))
            .back(&back)
    }

    /// Approvals that count or are recorded: the lasting ones, then those of
    /// the session only.
    fn approvals(&self) -> Vec<Approval> {
        let snapshot = self.snapshot();
        let mut all: Vec<Approval> = snapshot.recorded.iter().map(Approval::of).collect();
        for grant in self.grants() {
            // A lasting approval also counts in the session it was given in.
            let known = |a: &Approval| a.surface == grant.surface && a.pattern == grant.pattern;
            if !all.iter().any(known) {
                all.push(Approval::of(&grant));
            }
        }
        all
    }

    pub(super) fn approvals_page(&self, page: usize) -> Page {
        let approvals = self.approvals();
        let mut title = match approvals.len() {
            0 => "Nothing is approved beyond the policy".to_owned(),
            _ => "Approvals: they answer questions, denials stay. Choose one to take it back."
                .to_owned(),
        };
        if self.snapshot().clamped {
            title.push_str("\na file is invalid: until it is mended no lasting approval counts");
        }
        Page::new(title).list(
            &approvals,
            page,
            Step::Approvals,
            |_, approval| (approval.words(), Some(Step::Approval(approval.clone()))),
            &Step::Overview,
        )
    }

    pub(super) fn approval_page(&self, approval: &Approval) -> Page {
        let back = Step::Approvals(0);
        let title = format!("Take back this approval?\n{}", line(&approval.words()));
        Page::new(title)
            .option("Keep it", Some(&back))
            .option("Take it back", Some(&Step::TakeBack(approval.clone())))
            .back(&back)
    }

    pub(super) fn take_back(&self, approval: &Approval) -> Page {
        let lasting = approval.scope.map(|scope| Grant {
            surface: approval.surface.clone(),
            pattern: approval.pattern.clone(),
            scope: match scope {
                Lasting::Project => GrantScope::Project,
                Lasting::Everywhere => GrantScope::Global,
            },
        });
        // The session's copy goes in any case: less is approved, not more.
        let mut gone = self.revoke(&approval.surface, &approval.pattern);
        let mut failed = None;
        if let Some(grant) = lasting {
            let workspace = Arc::clone(&lock(&self.context).workspace);
            match workspace.revoke(&grant) {
                Ok(_) => gone = true,
                Err(error) => failed = Some(error.to_string()),
            }
        }
        if gone {
            let scope = match approval.scope {
                None => "session",
                Some(Lasting::Project) => "project",
                Some(Lasting::Everywhere) => "global",
            };
            self.log_review(
                "permission_grant.taken_back",
                json!({"surface": approval.surface, "pattern": approval.pattern, "scope": scope}),
            );
        }
        let (level, text) = match failed {
            Some(why) => (
                Level::Error,
                format!("the approval could not be taken out of its file: {why}"),
            ),
            None if gone => (
                Level::Info,
                format!("taken back: {}", line(&approval.words())),
            ),
            None => (Level::Warning, "that approval is gone already".to_owned()),
        };
        self.approvals_page(0).told(level, text)
    }

    pub(super) fn decisions_page(&self, page: usize) -> Page {
        let decisions: Vec<Past> = lock(&self.recent).decisions.iter().cloned().collect();
        let title = match decisions.len() {
            0 => "Nothing was decided yet",
            _ => "Recent decisions, the newest first",
        };
        Page::new(title).list(
            &decisions,
            page,
            Step::Decisions,
            |_, past| (past.summary(), Some(Step::Decision(past.id))),
            &Step::Overview,
        )
    }

    pub(super) fn decision_page(&self, id: u64) -> Page {
        let past = lock(&self.recent)
            .decisions
            .iter()
            .find(|past| past.id == id)
            .cloned();
        let Some(past) = past else {
            return self.decisions_page(0);
        };
        let mut title = vec![line(&past.summary())];
        let mut say = |label: &str, text: Option<&str>| {
            if let Some(text) = text {
                title.push(format!("{label}: {}", line(&masked(text.to_owned()))));
            }
        };
        say("reason", past.reason.as_deref());
        say("rule", past.text("matchedPattern"));
        say("origin", past.text("origin"));
        say("agent", past.text("agentName"));
        let asker = past.event.get("forwarding");
        let session = asker.and_then(|from| from.get("requesterSessionId"));
        say("subagent's session", session.and_then(Value::as_str));
        say("request", past.text("requestId"));
        let back = Step::Decisions(0);
        Page::new(title.join("\n"))
            .option("Back", Some(&back))
            .back(&back)
    }

    /// Who is served here: children of this process, and those that asked.
    fn children(&self, recent: &super::Recent) -> Vec<String> {
        let waiting = |id: &str| {
            let asks = lock(&self.asks);
            let of = |about: &About| match about {
                About::Own(_) => false,
                About::Child(question) => question.askers.iter().any(|a| a.session_id == id),
            };
            asks.iter()
                .filter(|(_, pending)| of(&pending.about))
                .count()
        };
        let mut lines: Vec<String> = recent
            .served
            .iter()
            .map(|(id, agent)| {
                let now = match waiting(id) {
                    0 => "no question waits".to_owned(),
                    1 => "1 question waits".to_owned(),
                    number => format!("{number} questions wait"),
                };
                format!("{agent} · session {id}: {now}")
            })
            .collect();
        let silent = registry::children_of(self.id());
        let silent = silent.iter().filter(|id| !recent.served.contains_key(*id));
        lines.extend(silent.map(|id| format!("session {id}: asked nothing yet")));
        lines
    }

    pub(super) fn served_page(&self, page: usize) -> Page {
        let served = {
            let recent = lock(&self.recent);
            self.children(&recent)
        };
        let serving = lock(&self.server).is_some();
        let title = match (serving, served.is_empty()) {
            (false, _) => "This session answers nobody but itself",
            (true, true) => "No subagent has asked this session yet",
            (true, false) => "Subagents whose questions arrive here",
        };
        Page::new(title).list(
            &served,
            page,
            Step::Served,
            |_, text| (text.clone(), None),
            &Step::Overview,
        )
    }
}
