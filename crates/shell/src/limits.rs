/// The budgets of one analysis. Exceeding one is reported as a floor with the
/// cause [`crate::FloorCause::Limit`], never as an error and never silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source that are parsed; what follows is opaque.
    pub input_bytes: usize,
    /// Nesting of all constructs together.
    pub depth: u32,
    /// Nodes of the tree (commands, words, pieces), payloads included.
    pub nodes: usize,
    /// Bytes of decoded text parsed again (backquotes, payloads).
    pub decoded_bytes: usize,
    /// Payloads within payloads, and wrappers within wrappers.
    pub layers: u32,
    /// Units reported.
    pub units: usize,
    /// Path uses reported.
    pub paths: usize,
    /// Words one brace expansion may yield.
    pub braces: usize,
    /// Directories a command may be in before they count as unknown.
    pub bases: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 256 * 1024,
            depth: 128,
            nodes: 60_000,
            decoded_bytes: 256 * 1024,
            layers: 8,
            units: 2_000,
            paths: 4_000,
            braces: 64,
            bases: 4,
        }
    }
}
