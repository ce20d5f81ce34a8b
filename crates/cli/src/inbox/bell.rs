//! Telling a person who looks elsewhere that a question arrived.

use std::io::{IsTerminal as _, Write as _};

use countersign_host::session::Session;

/// What a terminal may understand, by the words of `inboxNotifications`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Bell,
    Osc9,
    Osc777,
}

const SIGNALS: [(&str, Signal); 3] = [
    ("bell", Signal::Bell),
    ("osc9", Signal::Osc9),
    ("osc777", Signal::Osc777),
];

/// How new questions are told of.
#[derive(Clone, Copy, Debug)]
pub struct Bell {
    /// In every way, whatever the configuration says.
    pub always: bool,
}

impl Bell {
    /// The words of the configuration that mean nothing.
    pub fn unknown(session: &Session) -> Vec<String> {
        let snapshot = session.snapshot();
        let words = snapshot.settings.inbox_notifications().iter();
        words
            .filter(|word| !SIGNALS.iter().any(|(name, _)| name == word))
            .cloned()
            .collect()
    }

    /// Rings, as `--bell` or the configuration of this moment says. Output
    /// that is no terminal gets nothing.
    pub fn ring(self, session: &Session, agent: &str) {
        let snapshot = session.snapshot();
        let text = self.text(snapshot.settings.inbox_notifications(), agent);
        let mut out = std::io::stdout();
        if text.is_empty() || !out.is_terminal() {
            return;
        }
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }

    fn text(self, words: &[String], agent: &str) -> String {
        SIGNALS
            .iter()
            .filter(|(name, _)| self.always || words.iter().any(|word| word == name))
            .map(|(_, signal)| sequence(*signal, agent))
            .collect()
    }
}

/// What makes a terminal notice. The text is ours: a question's own words must
/// not reach the terminal's control channel.
fn sequence(signal: Signal, agent: &str) -> String {
    let agent: String = agent
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
        .take(40)
        .collect();
    match signal {
        Signal::Bell => "\x07".to_owned(),
        Signal::Osc9 => format!("\x1b]9;{agent} asks for permission\x07"),
        Signal::Osc777 => {
            format!("\x1b]777;notify;countersign;{agent} asks for permission\x07")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_or_the_configuration_chooses() {
        let words = ["osc9", "smoke", "bell"].map(str::to_owned);
        let text = |always, words: &[String]| Bell { always }.text(words, "a");
        assert_eq!(text(false, &[]), "");
        assert_eq!(text(false, &words), "\x07\x1b]9;a asks for permission\x07");
        assert!(text(true, &[]).ends_with("\x1b]777;notify;countersign;a asks for permission\x07"));
    }

    #[test]
    fn names_cannot_end_or_add_a_sequence() {
        for (signal, expected) in [
            (Signal::Bell, "\x07"),
            (Signal::Osc9, "\x1b]9;a-b 0x asks for permission\x07"),
            (
                Signal::Osc777,
                "\x1b]777;notify;countersign;a-b 0x asks for permission\x07",
            ),
        ] {
            assert_eq!(sequence(signal, "a-b \x07\x1b]0;\u{202e}x"), expected);
        }
    }
}
