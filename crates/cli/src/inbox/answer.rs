//! Answers as people and programs write them.

use countersign_host::dialog::{Offer, Reach};
use countersign_host::session::Answer;

/// The words of an answer, for help texts.
pub const WORDS: &str =
    "y yes, once · s this subagent · a whole session · e everywhere · n no · r REASON";

/// Reads `y`, `s`, `a`, `e`, `n`, `r a reason`, or their long words.
pub fn parse(text: &str) -> Option<Answer> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let reason = Some(rest.trim().to_owned()).filter(|it| !it.is_empty());
    if reason.is_some() && !matches!(word, "r" | "reason" | "n" | "no" | "deny") {
        return None;
    }
    Some(match word {
        "y" | "yes" | "approve" | "once" => approved(Reach::Once),
        "s" | "subagent" => approved(Reach::Subagent),
        "a" | "session" => approved(Reach::Session),
        "e" | "everywhere" => approved(Reach::Everywhere),
        "n" | "no" | "deny" => Answer::Denied { reason },
        "r" | "reason" if reason.is_some() => Answer::Denied { reason },
        _ => return None,
    })
}

/// What an approval is told that reaches further than can be granted.
pub const NOT_OFFERED: &str = "this question does not offer that";

/// Whether a question with these offers can be answered so: what would be
/// remembered must be something.
pub fn offered(offers: &[Offer], answer: &Answer) -> bool {
    match answer {
        Answer::Approved {
            reach,
            both_directions,
        } => offers
            .iter()
            .any(|it| it.reach == *reach && it.both_directions == *both_directions),
        Answer::Denied { .. } | Answer::Unavailable { .. } => true,
    }
}

/// An approval that reaches this far.
pub fn approved(reach: Reach) -> Answer {
    Answer::Approved {
        reach,
        both_directions: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_answers() {
        let denied = |reason: Option<&str>| {
            Some(Answer::Denied {
                reason: reason.map(str::to_owned),
            })
        };
        assert_eq!(parse(" y "), Some(approved(Reach::Once)));
        assert_eq!(parse("session"), Some(approved(Reach::Session)));
        assert_eq!(parse("s"), Some(approved(Reach::Subagent)));
        assert_eq!(parse("e"), Some(approved(Reach::Everywhere)));
        assert_eq!(parse("n"), denied(None));
        assert_eq!(parse("no  use pnpm "), denied(Some("use pnpm")));
        assert_eq!(parse("r use pnpm"), denied(Some("use pnpm")));
        // What is not clearly a yes is no answer.
        for unclear in ["", "r", "yy", "yes please", "y n", "Y", "maybe", "1"] {
            assert_eq!(parse(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn only_what_is_offered_can_be_chosen() {
        let offers = [Offer {
            reach: Reach::Session,
            both_directions: true,
            label: String::new(),
        }];
        let yes = |reach, both_directions| Answer::Approved {
            reach,
            both_directions,
        };
        assert!(offered(&offers, &yes(Reach::Session, true)));
        assert!(!offered(&offers, &yes(Reach::Session, false)));
        assert!(!offered(&offers, &yes(Reach::Everywhere, true)));
        assert!(offered(&offers, &Answer::Denied { reason: None }));
    }
}
