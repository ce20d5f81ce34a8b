//! How the help of every command is laid out.

/// Examples first, then the way to call it, then the details.
pub const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";
