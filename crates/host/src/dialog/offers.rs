//! What a dialog offers, for a front end with controls of its own.

use super::{Action, Dialog, Reach};

/// An approval that a question offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How far it reaches.
    pub reach: Reach,
    /// Whether its grant covers both directions of a path family.
    pub both_directions: bool,
    /// It in words.
    pub label: String,
}

impl Dialog {
    /// The approvals that can be given, from the narrowest on.
    #[must_use]
    pub fn offers(&self) -> Vec<Offer> {
        let mut offers = Vec::new();
        for (action, _, label) in self.options() {
            let mut offer = |reach, both_directions, label| {
                offers.push(Offer {
                    reach,
                    both_directions,
                    label,
                });
            };
            match action {
                Action::Approve => offer(Reach::Once, false, label),
                Action::Project => offer(Reach::Project, false, label),
                Action::Everywhere => offer(Reach::Everywhere, false, label),
                Action::Session | Action::Family => {
                    let both = action == Action::Family;
                    let reaches = self.reach_options();
                    if reaches.is_empty() {
                        offer(Reach::Session, both, label);
                    }
                    for (reach, label) in reaches {
                        offer(reach, both, label);
                    }
                }
                Action::Deny | Action::DenyWithReason => {}
            }
        }
        offers
    }
}
