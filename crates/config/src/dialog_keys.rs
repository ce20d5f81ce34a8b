//! The keys of the permission dialog (spec 01 §3.4).

use crate::DialogKeys;

/// What a key of the dialog decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Approve once.
    Approve,
    /// Approve for this session.
    ApproveSession,
    /// Approve for this session, both directions.
    ApproveSessionBoth,
    /// Deny.
    Deny,
    /// Deny with a reason.
    DenyWithReason,
}

impl Decision {
    /// All, in the order in which overrides are considered.
    pub const ALL: [Self; 5] = [
        Self::Approve,
        Self::ApproveSession,
        Self::ApproveSessionBoth,
        Self::Deny,
        Self::DenyWithReason,
    ];

    /// The property in configuration files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::ApproveSession => "approveSession",
            Self::ApproveSessionBoth => "approveSessionBoth",
            Self::Deny => "deny",
            Self::DenyWithReason => "denyWithReason",
        }
    }

    /// The key without configuration.
    #[must_use]
    pub fn default_key(self) -> char {
        match self {
            Self::Approve => 'y',
            Self::ApproveSession => 's',
            Self::ApproveSessionBoth => 'b',
            Self::Deny => 'n',
            Self::DenyWithReason => 'r',
        }
    }

    pub(crate) fn index(self) -> usize {
        match self {
            Self::Approve => 0,
            Self::ApproveSession => 1,
            Self::ApproveSessionBoth => 2,
            Self::Deny => 3,
            Self::DenyWithReason => 4,
        }
    }
}

const SYMBOLS: &str = "`-=[]\\;',./!@#$%^&*()_|~{}:<>?";

/// The only character of `text`, where the dialog can bind it.
fn bindable(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let only = chars.next().filter(|_| chars.next().is_none())?;
    let fits = only.is_ascii_lowercase() || only.is_ascii_digit() || SYMBOLS.contains(only);
    fits.then_some(only)
}

/// The keys in force for the overrides given, and a sentence for each override
/// that was dropped.
#[must_use]
pub fn resolve(overrides: &[(Decision, String)]) -> (DialogKeys, Vec<(Decision, String)>) {
    let mut issues = Vec::new();
    let mut accepted: Vec<(Decision, char)> = Vec::new();
    let issue = |decision: Decision, text: &str, problem: &str| {
        let (name, default) = (decision.as_str(), decision.default_key());
        let sentence = format!(
            "permissionDialogKeys.{name}: \"{text}\" {problem}; keeping the default \"{default}\"."
        );
        (decision, sentence)
    };
    for decision in Decision::ALL {
        let Some((_, text)) = overrides.iter().find(|(d, _)| *d == decision) else {
            continue;
        };
        match bindable(text) {
            None => issues.push(issue(
                decision,
                text,
                "is not a bindable key. Use one lowercase letter, digit, or symbol",
            )),
            Some('j' | 'k') => issues.push(issue(
                decision,
                text,
                "is reserved for moving the dialog's highlight",
            )),
            Some(key) => accepted.push((decision, key)),
        }
    }
    // Dropping an override can put a default back that another one took.
    for _ in Decision::ALL {
        let rebound = |d: Decision| accepted.iter().any(|(other, _)| *other == d);
        let contested = accepted.iter().position(|(decision, key)| {
            let by_override = accepted.iter().any(|(d, k)| d != decision && k == key);
            let by_default = Decision::ALL
                .iter()
                .any(|d| d != decision && !rebound(*d) && d.default_key() == *key);
            by_override || by_default
        });
        let Some(at) = contested else { break };
        let (decision, key) = accepted.remove(at);
        issues.push(issue(
            decision,
            key.encode_utf8(&mut [0; 4]),
            "is already bound to another decision",
        ));
    }
    let mut keys = DialogKeys::default();
    for (decision, key) in accepted {
        keys.set(decision, key);
    }
    (keys, issues)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effective(overrides: &[(Decision, &str)]) -> (String, usize) {
        let overrides: Vec<(Decision, String)> = overrides
            .iter()
            .map(|(d, k)| (*d, (*k).to_owned()))
            .collect();
        let (keys, issues) = resolve(&overrides);
        (
            Decision::ALL.iter().map(|d| keys.key(*d)).collect(),
            issues.len(),
        )
    }

    #[test]
    fn table_of_the_specification() {
        use Decision::{Approve, ApproveSession, Deny};
        for (overrides, keys, issues) in [
            (&[(Approve, "a")][..], "asbnr", 0),
            (&[(Approve, "n")], "ysbnr", 1),
            (&[(Approve, "n"), (Deny, "y")], "nsbyr", 0),
            (&[(Approve, "j")], "ysbnr", 1),
            (&[(Approve, "Y")], "ysbnr", 1),
            (&[(Approve, "xy")], "ysbnr", 1),
            (&[(Approve, "")], "ysbnr", 1),
            (&[(Approve, "+")], "ysbnr", 1),
            (&[(Approve, "\\")], "\\sbnr", 0),
            (&[(Approve, "x"), (Deny, "x")], "ysbxr", 1),
            // Dropping `approve` gives `y` back, which then contests `deny`.
            (&[(Approve, "s"), (Deny, "y")], "ysbnr", 2),
            (&[(Approve, "s"), (ApproveSession, "y")], "sybnr", 0),
        ] {
            assert_eq!(
                effective(overrides),
                (keys.to_owned(), issues),
                "{overrides:?}"
            );
        }
    }

    #[test]
    fn wording() {
        let (_, issues) = resolve(&[(Decision::Approve, "n".to_owned())]);
        assert_eq!(
            issues.first().map(|(_, text)| text.as_str()),
            Some(
                "permissionDialogKeys.approve: \"n\" is already bound to another decision; \
                 keeping the default \"y\"."
            )
        );
    }
}
