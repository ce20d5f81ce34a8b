//! What the state machines need from the world. The real ones are files and
//! the system's clocks; the tests' are in memory, so that every interleaving
//! can be tried.

/// Why a mailbox operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation}: {message}")]
pub struct Fault {
    /// What was attempted.
    pub operation: &'static str,
    /// What the system said.
    pub message: String,
}

/// The inbox of one session: its pending requests and the answers to them.
///
/// Removing says whether there was something to remove: the removal of a
/// request is the moment that decides between an answer and a withdrawal.
pub trait Mailbox {
    /// Makes the inbox usable.
    ///
    /// # Errors
    ///
    /// When it cannot be.
    fn prepare(&self) -> Result<(), Fault>;

    /// The ids of the pending requests, in order.
    ///
    /// # Errors
    ///
    /// When the inbox cannot be listed.
    fn requests(&self) -> Result<Vec<String>, Fault>;

    /// Puts a request in, whole or not at all.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn write_request(&self, id: &str, bytes: &[u8]) -> Result<(), Fault>;

    /// The bytes of a request, or `None` where there is none.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read.
    fn read_request(&self, id: &str) -> Result<Option<Vec<u8>>, Fault>;

    /// Takes a request out; whether it was there.
    ///
    /// # Errors
    ///
    /// When it is there and stays.
    fn remove_request(&self, id: &str) -> Result<bool, Fault>;

    /// Puts an answer in, whole or not at all, and never over another one;
    /// whether it is in.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn write_response(&self, id: &str, bytes: &[u8]) -> Result<bool, Fault>;

    /// The bytes of an answer, or `None` where there is none.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read.
    fn read_response(&self, id: &str) -> Result<Option<Vec<u8>>, Fault>;

    /// Takes an answer out; whether it was there.
    ///
    /// # Errors
    ///
    /// When it is there and stays.
    fn remove_response(&self, id: &str) -> Result<bool, Fault>;

    /// Removes what an exchange leaves empty.
    fn clean_up(&self);
}

/// The two clocks.
pub trait Clock {
    /// Milliseconds of a clock that never jumps.
    fn now(&self) -> u64;

    /// Milliseconds since 1970, as other processes see them.
    fn wall(&self) -> u64;
}
