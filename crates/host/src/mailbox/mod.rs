//! The mailbox as files (spec 05 §7): owner-only, whole or not at all, and
//! nothing left behind.
//!
//! Nothing here is flushed to the disk: a mailbox serves processes that run at
//! the same time, and after a crash of the machine none of them does.

mod files;
mod sweep;
mod watch;

use std::io;
use std::path::{Path, PathBuf};

use countersign_forward::ids::{is_request_id, session_file_name};
use countersign_forward::limits::{HEARTBEAT_BYTES, REQUEST_BYTES, RESPONSE_BYTES};
use countersign_forward::mailbox::{Fault, Mailbox};
use countersign_forward::wire::Heartbeat;

pub use sweep::{Swept, sweep, sweep_with};
pub use watch::{Signal, Subscription, subscribe};

/// Turns a session id into the name of its files, or explains why it cannot.
fn name_of(session_id: &str) -> Result<String, Fault> {
    session_file_name(session_id).ok_or_else(|| Fault {
        operation: "name the session's files",
        message: "the session id cannot be a file name".to_owned(),
    })
}

/// The inbox of one session below a mailbox root.
#[derive(Clone, Debug)]
pub struct FileMailbox {
    root: PathBuf,
    sessions: PathBuf,
    session: PathBuf,
    requests: PathBuf,
    responses: PathBuf,
}

impl FileMailbox {
    /// The inbox of `session_id`. Nothing is created yet.
    ///
    /// # Errors
    ///
    /// When the id cannot be a file name.
    pub fn new(root: impl Into<PathBuf>, session_id: &str) -> Result<Self, Fault> {
        let root = root.into();
        let sessions = root.join("sessions");
        let session = sessions.join(name_of(session_id)?);
        Ok(Self {
            requests: session.join("requests"),
            responses: session.join("responses"),
            root,
            sessions,
            session,
        })
    }

    /// The directory of pending requests.
    #[must_use]
    pub fn requests_dir(&self) -> &Path {
        &self.requests
    }

    /// The directory of all inboxes.
    #[must_use]
    pub fn sessions_dir(&self) -> &Path {
        &self.sessions
    }

    /// The file of a request, or `None` where the id cannot be one's name.
    #[must_use]
    pub fn request_path(&self, id: &str) -> Option<PathBuf> {
        is_request_id(id).then(|| self.requests.join(format!("{id}.json")))
    }

    /// The file of an answer, or `None` where the id cannot be one's name.
    #[must_use]
    pub fn response_path(&self, id: &str) -> Option<PathBuf> {
        is_request_id(id).then(|| self.responses.join(format!("{id}.json")))
    }

    fn request(&self, id: &str) -> Result<PathBuf, Fault> {
        self.request_path(id).ok_or_else(|| bad_id(id))
    }

    fn response(&self, id: &str) -> Result<PathBuf, Fault> {
        self.response_path(id).ok_or_else(|| bad_id(id))
    }

    /// Writes a file; where another process removed the directories as empty
    /// in that moment, makes them again.
    fn write<T>(&self, path: &Path, write: impl Fn(&Path) -> io::Result<T>) -> Result<T, Fault> {
        let mut attempts = 0;
        loop {
            match write(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && attempts < 20 => {
                    attempts += 1;
                    self.prepare()?;
                }
                other => return other.map_err(|error| files::fault("write", path, &error)),
            }
        }
    }
}

fn bad_id(id: &str) -> Fault {
    Fault {
        operation: "name the request's file",
        message: format!("`{}` cannot be a file name", id.escape_debug()),
    }
}

impl Mailbox for FileMailbox {
    fn prepare(&self) -> Result<(), Fault> {
        let mut attempts = 0;
        loop {
            let dirs = [
                &self.root,
                &self.sessions,
                &self.session,
                &self.requests,
                &self.responses,
            ];
            let made = dirs.into_iter().try_for_each(|dir| {
                files::own_dir(dir)
                    .map_err(|error| (error.kind(), files::fault("create", dir, &error)))
            });
            match made {
                // Removed as empty between two of these.
                Err((std::io::ErrorKind::NotFound, _)) if attempts < 20 => attempts += 1,
                other => return other.map_err(|(_, fault)| fault),
            }
        }
    }

    fn requests(&self) -> Result<Vec<String>, Fault> {
        files::json_stems(&self.requests)
            .map_err(|error| files::fault("list", &self.requests, &error))
    }

    fn write_request(&self, id: &str, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() > REQUEST_BYTES {
            return Err(Fault {
                operation: "write the request",
                message: format!("it is larger than {REQUEST_BYTES} bytes"),
            });
        }
        crate::fault_point!("request.before_write");
        self.write(&self.request(id)?, |path| files::write_whole(path, bytes))?;
        crate::fault_point!("request.after_write");
        Ok(())
    }

    fn read_request(&self, id: &str) -> Result<Option<Vec<u8>>, Fault> {
        let path = self.request(id)?;
        files::read_capped(&path, REQUEST_BYTES)
            .map_err(|error| files::fault("read", &path, &error))
    }

    fn remove_request(&self, id: &str) -> Result<bool, Fault> {
        crate::fault_point!("request.before_remove");
        let path = self.request(id)?;
        let removed =
            files::remove(&path).map_err(|error| files::fault("remove", &path, &error))?;
        crate::fault_point!("request.after_remove");
        Ok(removed)
    }

    fn write_response(&self, id: &str, bytes: &[u8]) -> Result<bool, Fault> {
        if bytes.len() > RESPONSE_BYTES {
            return Err(Fault {
                operation: "write the answer",
                message: format!("it is larger than {RESPONSE_BYTES} bytes"),
            });
        }
        crate::fault_point!("response.before_write");
        let written = self.write(&self.response(id)?, |path| files::write_new(path, bytes))?;
        crate::fault_point!("response.after_write");
        Ok(written)
    }

    fn read_response(&self, id: &str) -> Result<Option<Vec<u8>>, Fault> {
        let path = self.response(id)?;
        files::read_capped(&path, RESPONSE_BYTES)
            .map_err(|error| files::fault("read", &path, &error))
    }

    fn remove_response(&self, id: &str) -> Result<bool, Fault> {
        crate::fault_point!("response.before_remove");
        let path = self.response(id)?;
        let removed =
            files::remove(&path).map_err(|error| files::fault("remove", &path, &error))?;
        crate::fault_point!("response.after_remove");
        Ok(removed)
    }

    fn clean_up(&self) {
        crate::fault_point!("cleanup.before");
        files::remove_empty(&self.session);
    }
}

/// The heartbeats below a mailbox root.
#[derive(Clone, Debug)]
pub struct Heartbeats {
    root: PathBuf,
    dir: PathBuf,
}

impl Heartbeats {
    /// The heartbeats of this mailbox.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            dir: root.join("serving"),
            root,
        }
    }

    /// The file of a session's heartbeat.
    ///
    /// # Errors
    ///
    /// When the id cannot be a file name.
    pub fn path(&self, session_id: &str) -> Result<PathBuf, Fault> {
        Ok(self.dir.join(format!("{}.json", name_of(session_id)?)))
    }

    /// A session's heartbeat. Unreadable or malformed is as good as none.
    #[must_use]
    pub fn read(&self, session_id: &str) -> Option<Heartbeat> {
        let path = self.path(session_id).ok()?;
        let bytes = files::read_capped(&path, HEARTBEAT_BYTES).ok()??;
        Heartbeat::read(&bytes).ok()
    }

    /// Publishes a heartbeat.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, heartbeat: &Heartbeat) -> Result<(), Fault> {
        let path = self.path(&heartbeat.session_id)?;
        for dir in [&self.root, &self.dir] {
            files::own_dir(dir).map_err(|error| files::fault("create", dir, &error))?;
        }
        crate::fault_point!("heartbeat.before_write");
        files::write_whole(&path, &heartbeat.write())
            .map_err(|error| files::fault("write", &path, &error))
    }

    /// Takes a session's heartbeat away, if it is still that of `process`: a
    /// session of the same id that came after keeps its own.
    pub fn withdraw(&self, session_id: &str, process: &countersign_forward::wire::Process) {
        let ours = self
            .read(session_id)
            .is_some_and(|found| found.process == *process);
        if ours && let Ok(path) = self.path(session_id) {
            let _ = files::remove(&path);
        }
    }

    /// The ids of the sessions that publish a heartbeat.
    #[must_use]
    pub fn session_ids(&self) -> Vec<String> {
        let stems = files::json_stems(&self.dir).unwrap_or_default();
        let beats = stems.iter().filter_map(|stem| {
            let path = self.dir.join(format!("{stem}.json"));
            let bytes = files::read_capped(&path, HEARTBEAT_BYTES).ok()??;
            Heartbeat::read(&bytes).ok()
        });
        beats.map(|beat| beat.session_id).collect()
    }
}
