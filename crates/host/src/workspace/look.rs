//! Looking a snapshot over: what is probably not meant in it, and what other
//! rules would make of it.

use std::collections::BTreeSet;
use std::path::Path;

use countersign_policy::compose::merge;
use countersign_policy::{Action, Layer, Origin, Pattern, Policy, Rule, Scope, lint};
use countersign_text::{Diagnostic, Severity};

use super::{Snapshot, Workspace, is_file_name, links};
use crate::paths::AgentPaths;

impl Workspace {
    /// The agents that have a file of their own, the user's and, where it is
    /// trusted, the project's.
    #[must_use]
    pub fn agents(&self) -> Vec<String> {
        let options = self.options();
        let own = AgentPaths::new(&options.agent_dir).root().join("agents");
        let projects = options
            .trusted
            .then(|| options.cwd.join(".pi").join("agents"));
        let entries = [Some(own), projects]
            .into_iter()
            .flatten()
            .filter_map(|directory| std::fs::read_dir(directory).ok())
            .flatten();
        let names: BTreeSet<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()))
            .filter(|name| is_file_name(name))
            .collect();
        names.into_iter().collect()
    }

    /// What [`Snapshot::lint`] says of the files without an agent, and what
    /// each agent's own files add to it.
    #[must_use]
    pub fn lint(&self) -> Vec<Diagnostic> {
        let cwd = self.options().cwd;
        let mut out = self.snapshot(None).lint(&cwd);
        for agent in self.agents() {
            for diagnostic in self.snapshot(Some(&agent)).lint(&cwd) {
                if !out.contains(&diagnostic) {
                    out.push(diagnostic);
                }
            }
        }
        out
    }
}

impl Snapshot {
    /// Everything worth saying: about the files, and about rules that do not
    /// mean what they seem to.
    #[must_use]
    pub fn lint(&self, cwd: &Path) -> Vec<Diagnostic> {
        let mut out = self.diagnostics.clone();
        let found = lint::lint(&self.scopes, self.policy.context(), cwd.to_str());
        for diagnostic in found.into_iter().chain(self.idle_allows()) {
            let known = out.iter().any(|d| {
                d.code == diagnostic.code
                    && d.path == diagnostic.path
                    && d.labels == diagnostic.labels
            });
            if !known {
                out.push(diagnostic);
            }
        }
        out
    }

    /// `allow` rules for commands that carry a floor whatever follows them.
    fn idle_allows(&self) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for surface in merge(&self.scopes).iter().filter(|s| s.surface == "bash") {
            for merged in &surface.entries {
                let pattern = Pattern::new(&merged.entry.pattern, self.policy.context(), false);
                if merged.entry.action != Action::Allow || pattern.is_catch_all() {
                    continue;
                }
                let command = pattern.instance("x");
                let analysis = countersign_shell::analyze(&command);
                let floor = analysis
                    .units
                    .iter()
                    .filter(|unit| unit.text == command)
                    .find_map(|unit| unit.floors.first());
                let Some(floor) = floor else { continue };
                let message = format!(
                    "`{}` asks in spite of this `allow`: {}",
                    merged.entry.pattern, floor.note
                );
                let mut diagnostic =
                    Diagnostic::new("policy/idle-allow", Severity::Warning, message)
                        .label(merged.entry.span, "does not take effect")
                        .help("a person can approve such a command; a pattern cannot");
                diagnostic.path = merged.origin.path.as_deref().map(str::to_owned);
                out.push(diagnostic);
            }
        }
        out
    }

    /// The same snapshot with further rules of the user's, which come last.
    #[must_use]
    pub fn with_rules(&self, further: &[(String, String, Action)], cwd: &Path) -> Self {
        let mut rules = self.policy.rules().to_vec();
        rules.extend(further.iter().map(|(surface, pattern, action)| Rule {
            surface: surface.clone(),
            pattern: pattern.clone(),
            action: *action,
            reason: None,
            layer: Layer::Config,
            origin: Origin::of(Scope::Global),
        }));
        let policy = Policy::compile(rules, self.policy.context());
        let resolved = links::resolved(&policy, cwd);
        Self {
            policy,
            resolved,
            ..self.clone()
        }
    }
}
