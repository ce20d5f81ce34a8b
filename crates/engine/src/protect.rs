//! This system's own files: its configuration, logs, mailbox and code.
//! An agent that could rewrite them would decide for itself.

use countersign_intent::path;
use countersign_policy::{Action, Evaluation, Scope};

use crate::facts::{Entry, Facts};
use crate::scene::Scene;
use crate::subject::Subject;

/// What of this system's own a write to this path would change.
pub(crate) fn touched(
    scene: &Scene<'_>,
    facts: &dyn Facts,
    subject: &Subject,
) -> Option<&'static str> {
    let flavour = scene.settings.flavour;
    let places = || subject.canonical.iter().chain([&subject.lexical]);
    scene
        .settings
        .protected
        .iter()
        .find(|own| {
            places().any(|place| {
                let inside = path::below(&own.path, place, flavour).is_some();
                // Moving or removing a directory around it. The workspace and
                // what contains it are left out: naming them is everyday work
                // (`git add .`).
                let around = || {
                    path::below(place, &own.path, flavour).is_some()
                        && path::below(place, scene.real_cwd, flavour).is_none()
                        && facts.entry(&own.path) != Entry::Missing
                };
                inside || around()
            })
        })
        .map(|own| own.what)
}

/// Whether the user's own file allows exactly this path: the documented way to
/// let an agent change it.
pub(crate) fn lifted(scene: &Scene<'_>, said: &Evaluation) -> bool {
    let rule = said.rule.and_then(|at| scene.policy.rules().get(at));
    rule.is_some_and(|rule| {
        said.action == Action::Allow
            && rule.action == Action::Allow
            && rule.origin.scope == Scope::Global
            && !rule.pattern.contains(['*', '?'])
    })
}
