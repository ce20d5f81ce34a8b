//! The keys of the dialog.

/// The letters that decide (spec 01 §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bindings {
    /// Approve once.
    pub approve: char,
    /// Approve for the session.
    pub approve_session: char,
    /// Approve both directions for the session.
    pub approve_session_both: char,
    /// Deny.
    pub deny: char,
    /// Deny and say why.
    pub deny_with_reason: char,
}

impl Default for Bindings {
    fn default() -> Self {
        Self {
            approve: 'y',
            approve_session: 's',
            approve_session_both: 'b',
            deny: 'n',
            deny_with_reason: 'r',
        }
    }
}

impl Bindings {
    fn taken(&self, key: char) -> bool {
        [
            self.approve,
            self.approve_session,
            self.approve_session_both,
            self.deny,
            self.deny_with_reason,
            'j',
            'k',
        ]
        .contains(&key)
    }

    fn first_free(&self, candidates: &[char]) -> char {
        let free = candidates.iter().copied().find(|key| !self.taken(*key));
        free.unwrap_or(' ')
    }

    /// The letter of the grant for the project: `p`, or the first free
    /// substitute where the user bound `p` to something else.
    #[must_use]
    pub fn approve_project(&self) -> char {
        self.first_free(&['p', 'o', 'c', 'd', 'f', 'h', 'i'])
    }

    /// The letter of the grant for everywhere: `e`, or a free substitute.
    #[must_use]
    pub fn approve_everywhere(&self) -> char {
        self.first_free(&['e', 'v', 'w', 'a', 'g', 'l', 'm'])
    }
}

/// A key as the front end names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A printable character.
    Char(char),
    /// Text that arrived in one piece.
    Paste(String),
    /// Confirm.
    Enter,
    /// Back, or deny.
    Escape,
    /// One up.
    Up,
    /// One down.
    Down,
    /// One left.
    Left,
    /// One right.
    Right,
    /// Remove the character before the cursor.
    Backspace,
    /// Show everything, or less again.
    Expand,
    /// Any other key.
    Other,
}

impl Key {
    /// Reads the front end's name of a key; text that is no name is a
    /// character or a paste.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        match name {
            "enter" | "return" => Self::Enter,
            "escape" | "esc" => Self::Escape,
            "up" => Self::Up,
            "down" => Self::Down,
            "left" => Self::Left,
            "right" => Self::Right,
            "backspace" => Self::Backspace,
            "expand" => Self::Expand,
            "" | "other" => Self::Other,
            text => {
                let text = text
                    .strip_prefix("paste:")
                    .map_or((text, false), |t| (t, true));
                let mut chars = text.0.chars();
                match (chars.next(), chars.next(), text.1) {
                    (Some(one), None, false) if !one.is_control() => Self::Char(one),
                    _ => Self::Paste(text.0.to_owned()),
                }
            }
        }
    }
}
