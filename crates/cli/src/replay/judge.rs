//! Deciding recorded calls under a policy, each different one once.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::rc::Rc;

use countersign_host::check::{CheckRequest, Checked, Checker};
use countersign_host::engine::{DecidedBy, Decision};
use countersign_host::policy::Action;
use countersign_host::text::Severity;
use countersign_host::workspace::Source;
use serde_json::{Value, json};

use super::recorded::Call;
use crate::policy::one_line;

/// Different calls that are remembered. Beyond, they are decided again.
const REMEMBERED: usize = 100_000;

/// Faults of the configuration that are told.
const PROBLEMS: usize = 20;

/// The policy that calls are held against.
#[derive(Clone, Debug, Default)]
pub struct Against {
    pub config: Option<Source>,
    pub project_config: Option<Source>,
    pub agent_dir: Option<PathBuf>,
}

/// What settles a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Why {
    /// For people.
    pub words: String,
    /// For programs.
    pub json: Value,
}

impl Why {
    fn of(decision: &Decision) -> Self {
        let deciding = &decision.deciding;
        let action = deciding.action.as_str();
        let surface = &deciding.surface;
        let origin = &deciding.origin;
        let place = match (&origin.path, origin.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            (Some(path), None) => path.to_string(),
            (None, _) => origin.scope.as_str().to_owned(),
        };
        let pattern = deciding.pattern.as_deref();
        let words = match deciding.decided_by {
            DecidedBy::Rule => format!(
                "rule {surface} {{ {}: \"{action}\" }} in {place}",
                Value::from(pattern.unwrap_or("*"))
            ),
            DecidedBy::Default => format!("no rule on {surface}; the default ({place})"),
            DecidedBy::Floor => format!("floor {}", pattern.unwrap_or("?")),
            DecidedBy::SelfProtection => "countersign's own files".to_owned(),
            DecidedBy::Grant => format!("approval {surface} {}", pattern.unwrap_or("*")),
            DecidedBy::Yolo => "yolo mode".to_owned(),
            DecidedBy::Infrastructure => "Pi's own files".to_owned(),
            DecidedBy::Malformed => "no such tool".to_owned(),
        };
        Self {
            words: one_line(&words),
            json: json!({
                "decidedBy": word(deciding.decided_by),
                "surface": surface,
                "pattern": pattern,
                "action": action,
                "origin": origin.scope.as_str(),
                "file": origin.path.as_deref(),
                "line": origin.line,
            }),
        }
    }
}

fn word(decided_by: DecidedBy) -> &'static str {
    match decided_by {
        DecidedBy::Rule => "rule",
        DecidedBy::Default => "default",
        DecidedBy::Floor => "floor",
        DecidedBy::SelfProtection => "own-files",
        DecidedBy::Grant => "approval",
        DecidedBy::Yolo => "yolo",
        DecidedBy::Infrastructure => "infrastructure",
        DecidedBy::Malformed => "no-such-tool",
    }
}

/// Decides calls, and remembers what it decided.
pub struct Judge {
    checker: Checker,
    against: Against,
    known: HashMap<u128, (Action, Rc<Why>)>,
    /// As many as there are rules.
    whys: HashMap<String, Rc<Why>>,
    hashers: (RandomState, RandomState),
    /// What is wrong with the configuration: it asks more than it says.
    problems: BTreeSet<String>,
}

impl Judge {
    pub fn new(against: Against) -> Self {
        Self {
            checker: Checker::default(),
            against,
            known: HashMap::new(),
            whys: HashMap::new(),
            hashers: Default::default(),
            problems: BTreeSet::new(),
        }
    }

    /// A number for a call; another call has another one.
    pub fn key(&self, call: &Call) -> u128 {
        let text = (
            &call.tool,
            call.input.to_string(),
            &call.cwd,
            &call.agent,
            call.trusted,
        );
        let half = |hasher: &RandomState| u128::from(hasher.hash_one(&text));
        half(&self.hashers.0) << 64 | half(&self.hashers.1)
    }

    /// Decides a call, with everything there is to know about it.
    pub fn check(&mut self, call: &Call) -> anyhow::Result<Checked> {
        let request = CheckRequest {
            tool: call.tool.clone(),
            input: call.input.clone(),
            cwd: Some(call.cwd.clone()),
            agent: call.agent.clone(),
            untrusted: !call.trusted,
            config: self.against.config.clone(),
            project_config: self.against.project_config.clone(),
            agent_dir: self.against.agent_dir.clone(),
            ..CheckRequest::default()
        };
        let checked = self.checker.check(&request)?;
        for problem in checked.diagnostics() {
            if problem.severity == Severity::Error && self.problems.len() < PROBLEMS {
                let file = problem.path.as_deref().unwrap_or("configuration");
                self.problems.insert(format!("{file}: {}", problem.message));
            }
        }
        Ok(checked)
    }

    /// Says on standard error what is wrong with the configuration.
    pub fn complain(&self) {
        for problem in &self.problems {
            crate::terminal::complain(&format!("warning: {}", one_line(problem)));
        }
    }

    /// The verdict on a call, and what settles it.
    pub fn verdict(&mut self, call: &Call) -> anyhow::Result<(Action, Rc<Why>)> {
        let key = self.key(call);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let decision = self.check(call)?.decision;
        let why = Why::of(&decision);
        let why = self
            .whys
            .entry(why.words.clone())
            .or_insert_with(|| Rc::new(why));
        let found = (decision.verdict, Rc::clone(why));
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(key, found.clone());
        Ok(found)
    }
}
