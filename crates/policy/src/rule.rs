use crate::{Action, Layer, Origin};

/// One thing the user said: on this surface, values of this shape are allowed,
/// asked about or denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The surface, itself a wildcard pattern (spec 02 §1.1).
    pub surface: String,
    /// The pattern as written: home is expanded when it is compiled.
    pub pattern: String,
    /// What happens to a value that matches.
    pub action: Action,
    /// Why, for the agent; only denials carry one.
    pub reason: Option<String>,
    /// How low the rule lies.
    pub layer: Layer,
    /// Where it is written.
    pub origin: Origin,
}

impl Rule {
    /// Whether the winning rule is shown as a matched pattern: the default and
    /// the baseline are nobody's words (spec 02 §1.4).
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self.layer, Layer::Config | Layer::Session)
    }
}
