use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_forward::sign::{PublicKey, SessionKey};

static KEYS: Mutex<BTreeMap<String, Arc<SessionKey>>> = Mutex::new(BTreeMap::new());

/// The key of a session of this process, made on first use. It outlives a
/// restart of the session within the process, so that children started before
/// it still believe its answers; it never leaves memory.
///
/// # Errors
///
/// When the system has no randomness to give.
pub fn session_key(session_id: &str) -> Result<Arc<SessionKey>, getrandom::Error> {
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = keys.get(session_id) {
        return Ok(Arc::clone(key));
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    let key = Arc::new(SessionKey::from_secret(&secret));
    keys.insert(session_id.to_owned(), Arc::clone(&key));
    Ok(key)
}

/// The public half of the key of a session of this process, where it has one:
/// what a child in the same process is handed in memory.
#[must_use]
pub fn session_public_key(session_id: &str) -> Option<PublicKey> {
    let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    keys.get(session_id).map(|key| key.public())
}

/// A number used once, as text.
///
/// # Errors
///
/// When the system has no randomness to give.
pub fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(countersign_forward::ids::adopt_request_id("", bytes))
}
