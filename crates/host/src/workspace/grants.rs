//! What is written for a person: approvals that outlive a session, and
//! settings.
//!
//! The approvals are kept in a file of their own beside the configuration, in the same
//! format, because they are no rules: whatever its place among the rules, an
//! approval answers questions and never lifts a denial.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_config::edit::{self, EditError, SettingValue};
use countersign_config::parse_config;
use countersign_policy::{Action, Grant, GrantScope, Scope};
use countersign_text::Diagnostic;

use super::files::{self, Loaded};
use super::{Source, Workspace, as_grants};
use crate::paths::{AgentPaths, project_config};

const NAME: &str = "grants.json";

/// What a new file starts as.
const FRESH: &str = "// Approvals given with \"this project\" or \"everywhere\". They answer\n\
// questions; a denial in config.json still denies. Take one back by deleting\n\
// its line or with `countersign policy revoke`.\n{}\n";

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// This scope has no file.
    #[error("an approval of this scope is not kept in a file")]
    NotLasting,
    /// The project is not trusted, so nothing is written into it.
    #[error("the project is not trusted")]
    Untrusted,
    /// The file leads out of the project.
    #[error("`{0}` leads out of the project")]
    Escapes(PathBuf),
    /// The file cannot be read, so it is left alone.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The edit was not made.
    #[error("`{path}` was not changed: {source}")]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: EditError,
    },
    /// Another process held the file too long.
    #[error("`{0}` is being written by another process")]
    Busy(PathBuf),
    /// The file is not as it was when the edit was made.
    #[error("`{0}` has changed meanwhile")]
    Changed(PathBuf),
    /// The system refused.
    #[error("`{path}` cannot be written: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A file that was edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    /// The file.
    pub path: PathBuf,
    /// The text it has now.
    pub text: String,
}

pub(super) fn global_file(agent_dir: &Path) -> PathBuf {
    AgentPaths::new(agent_dir).extension().join(NAME)
}

pub(super) fn project_file(cwd: &Path) -> PathBuf {
    project_config(cwd).with_file_name(NAME)
}

/// The approvals in a file, and what is to be said about it. An unreadable
/// file approves nothing.
pub(super) fn read(path: &Path, scope: GrantScope) -> (Vec<Grant>, Vec<Diagnostic>) {
    let shown = path.display().to_string();
    match files::load(path) {
        Loaded::Absent => (Vec::new(), Vec::new()),
        Loaded::Bad(why) => (
            Vec::new(),
            vec![countersign_config::unreadable(&shown, &why)],
        ),
        Loaded::Text(text) => as_grants(parse_config(&text, &shown, Scope::Global), &shown, scope),
    }
}

impl Workspace {
    /// Records an approval for this project or everywhere. It counts from the
    /// next snapshot on.
    ///
    /// The file is edited under a lock, so that its comments and order stay,
    /// and replaced whole, so that no reader sees half of it.
    ///
    /// # Errors
    ///
    /// When the scope is no lasting one, the project is not trusted, or the
    /// file cannot be read or written. Nothing is changed then.
    pub fn grant(&self, grant: &Grant) -> Result<EditedFile, FileError> {
        self.edit_grants(grant.scope, |text| {
            edit::add_rule(text, &grant.surface, &grant.pattern, Action::Allow)
        })
    }

    /// Takes a lasting approval back.
    ///
    /// # Errors
    ///
    /// As for [`Self::grant`], and when there is no such approval.
    pub fn revoke(&self, grant: &Grant) -> Result<EditedFile, FileError> {
        self.edit_grants(grant.scope, |text| {
            edit::remove_rule(text, &grant.surface, &grant.pattern)
        })
    }

    /// Sets settings in the user's own file, or takes them out where the value
    /// is `None`, keeping its comments. A file that is not valid is left alone:
    /// the rules in it are worth more than a setting.
    ///
    /// # Errors
    ///
    /// When the file is not valid, or cannot be read or written. Nothing is
    /// changed then.
    pub fn set_settings(
        &self,
        settings: &[(&str, Option<SettingValue>)],
    ) -> Result<EditedFile, FileError> {
        let path = AgentPaths::new(&self.options().agent_dir).config();
        edit_file(&path, None, edit::EMPTY, |text| {
            settings
                .iter()
                .try_fold(text.to_owned(), |text, (key, value)| {
                    edit::set_setting(&text, key, *value)
                })
        })
    }

    fn edit_grants(
        &self,
        scope: GrantScope,
        change: impl FnOnce(&str) -> Result<String, EditError>,
    ) -> Result<EditedFile, FileError> {
        let options = self.options();
        let (path, root) = match scope {
            GrantScope::Global => (global_file(&options.agent_dir), None),
            GrantScope::Project if !options.trusted => return Err(FileError::Untrusted),
            GrantScope::Project => (project_file(&options.cwd), Some(options.cwd)),
            GrantScope::Once | GrantScope::Subagent | GrantScope::Session => {
                return Err(FileError::NotLasting);
            }
        };
        edit_file(&path, root.as_deref(), FRESH, change)
    }

    /// Puts `new` in place of `old`, the text of the configuration file of a
    /// scope (nothing where there is no file). Where the file has another text
    /// by now, it is left alone.
    ///
    /// # Errors
    ///
    /// As for [`Self::grant`], and when the file has changed.
    pub fn replace_config(
        &self,
        scope: GrantScope,
        old: Option<&str>,
        new: &str,
    ) -> Result<PathBuf, FileError> {
        let (path, root) = self.config_file(scope)?;
        let mut changed = false;
        let written = edit_file(&path, root.as_deref(), "", |text| {
            changed = old.unwrap_or_default() != text;
            if changed {
                Err(EditError::Nothing)
            } else {
                Ok(new.to_owned())
            }
        });
        match written {
            Err(_) if changed => Err(FileError::Changed(path)),
            Err(error) => Err(error),
            Ok(file) => Ok(file.path),
        }
    }

    /// The configuration file of a scope and its text; no text where there is
    /// no file.
    ///
    /// # Errors
    ///
    /// As for [`Self::grant`].
    pub fn read_config(&self, scope: GrantScope) -> Result<(PathBuf, Option<String>), FileError> {
        let (path, root) = self.config_file(scope)?;
        if let Some(root) = root {
            stays_inside(&path, &root)?;
        }
        match files::load(&path) {
            Loaded::Absent => Ok((path, None)),
            Loaded::Text(text) => Ok((path, Some(text))),
            Loaded::Bad(why) => Err(FileError::Unreadable { path, why }),
        }
    }

    /// The file of a scope, and what it must not lead out of.
    fn config_file(&self, scope: GrantScope) -> Result<(PathBuf, Option<PathBuf>), FileError> {
        let options = self.options();
        let given = |source: &Option<Source>, usual: PathBuf| match source {
            Some(Source::File(path)) => path.clone(),
            _ => usual,
        };
        match scope {
            GrantScope::Global => {
                let usual = AgentPaths::new(&options.agent_dir).config();
                Ok((given(&options.config_override, usual), None))
            }
            GrantScope::Project if !options.trusted => Err(FileError::Untrusted),
            GrantScope::Project => {
                let path = given(&options.project_override, project_config(&options.cwd));
                let root = options.project_override.is_none().then_some(options.cwd);
                Ok((path, root))
            }
            GrantScope::Once | GrantScope::Subagent | GrantScope::Session => {
                Err(FileError::NotLasting)
            }
        }
    }
}

fn edit_file(
    path: &Path,
    root: Option<&Path>,
    fresh: &str,
    change: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<EditedFile, FileError> {
    let io = |source| FileError::Io {
        path: path.to_owned(),
        source,
    };
    let directory = path.parent().unwrap_or(path);
    if let Some(root) = root {
        stays_inside(directory, root)?;
    }
    fs::create_dir_all(directory).map_err(io)?;
    let _lock = lock(path)?;
    let text = match files::load(path) {
        Loaded::Absent => fresh.to_owned(),
        Loaded::Text(text) => text,
        Loaded::Bad(why) => {
            return Err(FileError::Unreadable {
                path: path.to_owned(),
                why,
            });
        }
    };
    // A linked file is replaced where it really is, and stays linked.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(root) = root {
        stays_inside(&target, root)?;
    }
    let text = change(&text).map_err(|source| FileError::Edit {
        path: path.to_owned(),
        source,
    })?;
    replace(&target, &text).map_err(io)?;
    Ok(EditedFile {
        path: path.to_owned(),
        text,
    })
}

/// Whether the part of `path` that exists really lies below `root`.
fn stays_inside(path: &Path, root: &Path) -> Result<(), FileError> {
    let real_root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let real = path
        .ancestors()
        .find_map(|step| fs::canonicalize(step).ok());
    match real {
        Some(real) if real.starts_with(&real_root) => Ok(()),
        _ => Err(FileError::Escapes(path.to_owned())),
    }
}

/// Holds the lock file beside `path` until dropped. The lock is the system's,
/// so a process that dies gives it up.
fn lock(path: &Path) -> Result<File, FileError> {
    let lock = path.with_extension("json.lock");
    let io = |source| FileError::Io {
        path: lock.clone(),
        source,
    };
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    owner_only(&mut options);
    let file = options.open(&lock).map_err(io)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(fs::TryLockError::WouldBlock) => return Err(FileError::Busy(path.to_owned())),
            Err(fs::TryLockError::Error(source)) => return Err(io(source)),
        }
    }
}

/// Writes a new file beside the old one and puts it in its place.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("json.{}.tmp", std::process::id()));
    let written = write_new(&temporary, text).and_then(|()| {
        if let Ok(data) = fs::metadata(path) {
            fs::set_permissions(&temporary, data.permissions())?;
        }
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        // What is left of it helps nobody; the first error is the one to tell.
        drop(fs::remove_file(&temporary));
    }
    written
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    owner_only(&mut options);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn owner_only(_options: &mut OpenOptions) {}
