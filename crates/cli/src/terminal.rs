//! Writing to the terminal: never panics where a reader went away.

use std::io::{self, Write as _};

/// Writes one line to standard output.
pub fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Writes one line to standard error; there is nowhere to report a failure.
pub fn complain(line: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(line.as_bytes());
    let _ = err.write_all(b"\n");
}
