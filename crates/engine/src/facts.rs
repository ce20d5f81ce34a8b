//! What the gate asks the world.

/// What stands at a path, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Nothing, or nothing that can be seen.
    Missing,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A file of any other kind.
    File,
}

/// Why a path could not be followed to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactError {
    /// Links that lead back to themselves, or too many of them.
    Loop,
    /// A directory on the way cannot be looked into.
    Denied,
    /// Anything else the system said.
    Other,
}

/// The world as the gate sees it: the only way from a decision to the file
/// system. Nothing is cached between two calls of one method.
pub trait Facts {
    /// The user's home directory.
    fn home(&self) -> Option<&str>;

    /// What stands at an absolute path.
    fn entry(&self, path: &str) -> Entry;

    /// Where an absolute path really leads: every link followed, `..` taken
    /// after the links before it as the system does. The part that does not
    /// exist is kept as it is; a link to something that does not exist leads
    /// there all the same.
    ///
    /// # Errors
    /// When a link cannot be followed.
    fn real_path(&self, path: &str) -> Result<String, FactError>;

    /// The names in a directory, dotted ones included. `None` when it cannot
    /// be read or holds more than `limit` names.
    fn list(&self, directory: &str, limit: usize) -> Option<Vec<String>>;
}
