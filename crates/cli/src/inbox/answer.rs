//! Answers as people and programs write them.

use countersign_host::dialog::Reach;
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
}
