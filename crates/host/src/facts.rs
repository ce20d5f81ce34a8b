//! The file system as the gate asks about it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use countersign_engine::{Entry, FactError, Facts};

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// The real file system. Nothing is remembered between two questions: the
/// answer is about now.
#[derive(Clone, Debug, Default)]
pub struct RealFacts {
    home: Option<String>,
}

impl RealFacts {
    /// The file system as seen by a user with this home directory.
    #[must_use]
    pub fn new(home: Option<String>) -> Self {
        Self { home }
    }
}

impl Facts for RealFacts {
    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    fn entry(&self, path: &str) -> Entry {
        match fs::symlink_metadata(path) {
            Ok(data) if data.is_symlink() => Entry::Link,
            Ok(data) if data.is_dir() => Entry::Directory,
            Ok(_) => Entry::File,
            Err(_) => Entry::Missing,
        }
    }

    fn real_path(&self, path: &str) -> Result<String, FactError> {
        real_path(Path::new(path)).and_then(|real| {
            // A name that is no text cannot be matched, so it is not known.
            real.into_os_string()
                .into_string()
                .map_err(|_| FactError::Other)
        })
    }

    fn list(&self, directory: &str, limit: usize) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(directory).ok()? {
            if names.len() >= limit {
                return None;
            }
            names.push(entry.ok()?.file_name().into_string().ok()?);
        }
        names.sort_unstable();
        Some(names)
    }
}

/// Where an absolute path leads, every link followed. What does not exist is
/// kept by name, so a link to a file that is yet to be made leads there.
///
/// # Errors
/// When a link leads in circles or a directory on the way is closed.
pub fn real_path(path: &Path) -> Result<PathBuf, FactError> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => follow(path),
            ErrorKind::PermissionDenied => Err(FactError::Denied),
            _ if error.raw_os_error() == Some(ELOOP) => Err(FactError::Loop),
            _ => Err(FactError::Other),
        },
    }
}

/// `ELOOP` on the systems we know; elsewhere the loop is found by counting.
const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

fn follow(path: &Path) -> Result<PathBuf, FactError> {
    let mut at = PathBuf::new();
    let mut todo: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = todo.pop() {
        match part.components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::RootDir | Component::Prefix(_)) => at.push(&part),
            Some(Component::Normal(name)) => {
                at.push(name);
                let Ok(target) = fs::read_link(&at) else {
                    continue;
                };
                links += 1;
                if links > MAX_LINKS {
                    return Err(FactError::Loop);
                }
                at.pop();
                todo.extend(parts(&target));
            }
        }
    }
    Ok(at)
}

/// The components, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path
        .components()
        .map(|component| PathBuf::from(component.as_os_str()))
        .collect();
    parts.reverse();
    parts
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_is_yet_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("none/../new", root.join("dangling")).unwrap();
        symlink("a/b", root.join("deep")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let facts = RealFacts::new(None);
        let real = |name: &str| {
            let path = format!("{}/{name}", root.display());
            let real = facts.real_path(&path)?;
            Ok(real
                .strip_prefix(root.to_str().unwrap())
                .unwrap()
                .to_owned())
        };
        assert_eq!(real("dangling"), Ok("/new".to_owned()));
        assert_eq!(real("deep/../x"), Ok("/a/x".to_owned()));
        assert_eq!(real("deep/x/y"), Ok("/a/b/x/y".to_owned()));
        assert_eq!(real("a/none/../b"), Ok("/a/b".to_owned()));
        assert_eq!(real("loop"), Err(FactError::Loop));
        assert_eq!(
            facts.entry(&format!("{}/loop", root.display())),
            Entry::Link
        );
        let listed = facts.list(root.to_str().unwrap(), 10).unwrap();
        assert_eq!(listed, ["a", "dangling", "deep", "loop"]);
        assert_eq!(facts.list(root.to_str().unwrap(), 2), None);
    }
}
