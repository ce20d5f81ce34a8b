//! What an approval for longer than one call records.

use crate::dialog::Reach;
use countersign_engine::GrantSuggestion;
use countersign_policy::{Grant, GrantScope};

use super::api::Level;
use super::asks::{About, Pending};
use super::{Session, lock};

impl Session {
    /// Records the grants of an approval where they belong. Whether this
    /// session now covers more than before.
    pub(super) fn record_grants(
        &self,
        pending: &Pending,
        reach: Reach,
        both_directions: bool,
    ) -> bool {
        let suggestions = widened(&pending.suggestions, both_directions);
        if suggestions.is_empty() {
            return false;
        }
        let childs = matches!(pending.about, About::Child(_));
        match reach {
            Reach::Once => false,
            // The child records it, told so by the answer.
            Reach::Subagent if childs => false,
            Reach::Subagent | Reach::Session => {
                self.add_grants(&suggestions, GrantScope::Session);
                true
            }
            Reach::Project => self.write_grants(&suggestions, GrantScope::Project),
            Reach::Everywhere => self.write_grants(&suggestions, GrantScope::Global),
        }
    }

    pub(super) fn add_grants(&self, suggestions: &[GrantSuggestion], scope: GrantScope) {
        let mut grants = lock(&self.grants);
        for suggestion in suggestions {
            let grant = Grant {
                surface: suggestion.surface.clone(),
                pattern: suggestion.pattern.clone(),
                scope,
            };
            if !grants.contains(&grant) {
                grants.push(grant);
            }
        }
    }

    /// Writes lasting grants to their file. Where that fails the person is
    /// told, and the approval lasts for the session.
    fn write_grants(&self, suggestions: &[GrantSuggestion], scope: GrantScope) -> bool {
        let workspace = std::sync::Arc::clone(&lock(&self.context).workspace);
        for suggestion in suggestions {
            let grant = Grant {
                surface: suggestion.surface.clone(),
                pattern: suggestion.pattern.clone(),
                scope,
            };
            if let Err(error) = workspace.grant(&grant) {
                self.front.notice(
                    Level::Warning,
                    &format!(
                        "pi-permission-system: the approval could not be written ({error}); it \
                         holds for this session only."
                    ),
                );
            }
        }
        self.add_grants(suggestions, GrantScope::Session);
        true
    }

    /// The grants of this session, the oldest first.
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        lock(&self.grants).clone()
    }

    /// Takes a grant of this session back. Whether there was one.
    pub fn revoke(&self, surface: &str, pattern: &str) -> bool {
        let mut grants = lock(&self.grants);
        let before = grants.len();
        grants.retain(|grant| !(grant.surface == surface && grant.pattern == pattern));
        grants.len() != before
    }
}

fn widened(suggestions: &[GrantSuggestion], both_directions: bool) -> Vec<GrantSuggestion> {
    let widen = |suggestion: &GrantSuggestion| {
        let surface = suggestion.surface.as_str();
        let family = surface
            .strip_suffix("_read")
            .or_else(|| surface.strip_suffix("_write"));
        let path_family = |family: &&str| matches!(*family, "path" | "external_directory");
        GrantSuggestion {
            surface: match family.filter(path_family) {
                Some(family) if both_directions => family.to_owned(),
                _ => surface.to_owned(),
            },
            pattern: suggestion.pattern.clone(),
        }
    };
    suggestions.iter().map(widen).collect()
}
