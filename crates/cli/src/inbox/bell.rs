//! Telling a person who looks elsewhere that a question arrived.

use std::io::Write as _;

/// Bell, and a notification where the terminal knows OSC 9 or 777. The text is
/// ours: a question's own words must not reach the terminal's control channel.
pub fn ring(agent: &str) {
    let agent: String = agent
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
        .take(40)
        .collect();
    let mut out = std::io::stdout().lock();
    let _ = write!(
        out,
        "\x07\x1b]9;{agent} asks for permission\x07\x1b]777;notify;countersign;{agent} asks for permission\x07"
    );
    let _ = out.flush();
}
