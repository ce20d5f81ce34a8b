//! Exit statuses and how a failure is told.

use std::process::ExitCode;

/// Something went wrong, or the program was called wrongly.
pub const ERROR: u8 = 1;
/// The verdict is `deny`, or the question was refused.
pub const DENY: u8 = 2;
/// The verdict is `ask`, or the question got no answer.
pub const ASK: u8 = 3;

/// What a command returns: its exit status, or a failure to report.
pub type Outcome = anyhow::Result<ExitCode>;

/// A failure the user can do something about.
#[derive(Debug)]
pub struct Failure {
    message: String,
    help: Option<String>,
}

impl Failure {
    /// A failure: lower case, no full stop, what the user wrote in backticks.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
        }
    }

    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Prints a failure with its causes and the way out; the status to exit with.
/// A reader that went away (`countersign log | head`) is not a failure.
pub fn report(outcome: Outcome) -> ExitCode {
    let error = match outcome {
        Ok(code) => return code,
        Err(error) => error,
    };
    let gone = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe);
    if gone {
        return ExitCode::SUCCESS;
    }
    crate::terminal::complain(&format!("error: {error:#}"));
    for cause in error.chain() {
        if let Some(help) = cause
            .downcast_ref::<Failure>()
            .and_then(|failure| failure.help.as_deref())
        {
            crate::terminal::complain(&format!("help: {help}"));
        }
    }
    ERROR.into()
}
