//! Looking a snapshot over: what is probably not meant in it, and what other
//! rules would make of it.

use std::path::Path;

use countersign_policy::compose::merge;
use countersign_policy::{Action, Layer, Origin, Pattern, Policy, Rule, Scope, lint};
use countersign_text::{Diagnostic, Severity};

use super::{Snapshot, links};

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
