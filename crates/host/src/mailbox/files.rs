//! Single files and directories.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use countersign_forward::limits::FILE_RETRIES_MS;
use countersign_forward::mailbox::Fault;

use crate::forwarding::system_time;

pub(super) fn fault(operation: &'static str, path: &Path, error: &io::Error) -> Fault {
    Fault {
        operation,
        message: format!("{}: {error}", path.display()),
    }
}

/// Makes a directory ours: there, a directory and no link, owned by this user,
/// and closed to everybody else.
pub(super) fn own_dir(path: &Path) -> io::Result<()> {
    // Checked first, as it is nearly always there.
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::DirBuilderExt as _;
                builder.mode(0o700);
            }
            patiently(|| builder.create(path))?;
            std::fs::symlink_metadata(path)?
        }
        Err(error) => return Err(error),
    };
    if !found.is_dir() {
        return Err(io::Error::new(
            ErrorKind::NotADirectory,
            "it is not a directory",
        ));
    }
    check_owner(&found)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.permissions().mode();
        if mode & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn check_owner(found: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::PermissionDenied,
        "it belongs to another user",
    ))
}

#[cfg(not(unix))]
fn check_owner(_found: &std::fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Tries again what may fail for a passing reason, mostly a scanner or an
/// indexer that holds the file.
fn patiently<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for wait in FILE_RETRIES_MS {
        match operation() {
            Err(error) if passing(&error) => std::thread::sleep(Duration::from_millis(wait)),
            other => return other,
        }
    }
    operation()
}

/// EPERM and EACCES, and EBUSY.
fn passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ResourceBusy
    )
}

/// Writes a file so that a reader sees all of it or none: beside it first,
/// then renamed over it. What could not be finished is removed.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (partial, mut file) = create_partial(path)?;
    let written = file.write_all(bytes);
    drop(file);
    crate::fault_point!("file.partial");
    let written = written.and_then(|()| patiently(|| std::fs::rename(&partial, path)));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// Like [`write_whole`], but never over another file; whether it was written.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let (partial, mut file) = create_partial(path)?;
    let written = file.write_all(bytes);
    drop(file);
    crate::fault_point!("file.partial");
    let placed = written.and_then(|()| match std::fs::hard_link(&partial, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
        // A file system without a second name for a file: nearly as good.
        Err(_) if path.symlink_metadata().is_ok() => Ok(false),
        Err(_) => patiently(|| std::fs::rename(&partial, path)).map(|()| true),
    });
    let _ = std::fs::remove_file(&partial);
    placed
}

/// The name says who writes and when, so that what a killed process left can
/// be told from what is being written.
fn create_partial(path: &Path) -> io::Result<(PathBuf, File)> {
    let pid = std::process::id();
    let mut millis = system_time()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{pid}.{millis}.tmp"));
        let partial = path.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        match options.open(&partial) {
            Ok(file) => return Ok((partial, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => millis += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Reads at most one byte more than `limit`, so that whoever parses sees that
/// there is more. `None` where there is no such file. Links, pipes and other
/// users' files are refused.
pub(super) fn read_capped(path: &Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Not through a link, and not waiting for the other end of a pipe.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    check_owner(&found)?;
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes a file; whether it was there.
pub(super) fn remove(path: &Path) -> io::Result<bool> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The names of the `.json` entries of a directory without that ending, in
/// order. A directory that is not there has none.
pub(super) fn json_stems(dir: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut stems = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".json")) {
            stems.push(stem.to_owned());
        }
    }
    stems.sort();
    Ok(stems)
}

/// Removes an inbox that is empty. `responses` only once `requests` is gone:
/// removing it under a pending request makes its answer impossible to write
/// for whoever does not make it again.
pub(super) fn remove_empty(session: &Path) {
    let gone = |dir: &Path| match std::fs::remove_dir(dir) {
        Ok(()) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if gone(&session.join("requests")) {
        gone(&session.join("responses"));
        gone(session);
    }
}
