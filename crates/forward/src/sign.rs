//! Answers are signed (design §7).
//!
//! A serving session holds an Ed25519 key in memory. Its public half reaches a
//! child in a way the child's agent cannot change afterwards: the environment
//! at spawn, or memory where parent and child share a process. What is signed
//! repeats the answer together with the digest of the request file's bytes, so
//! an answer fits one request and one request only, and an edited request fits
//! no answer.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::ids::encode_component;
use crate::wire::{Proof, Request, Response};

/// The variable in which a serving session hands its key to the processes it
/// starts.
pub const ANSWER_KEY_VARIABLE: &str = "COUNTERSIGN_ANSWER_KEY";

/// What is signed begins with this, so that a signature over something else is
/// never taken for one over an answer.
const DOMAIN: &[u8] = b"countersign answer v1\0";

pub(crate) fn to_text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn from_text(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The public half of a session's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key of these bytes. Whether they are one shows when something is
    /// verified.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the key.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The key as it stands in files and variables: unpadded base64url.
    #[must_use]
    pub fn to_text(self) -> String {
        to_text(&self.0)
    }

    /// Reads a key from files and variables.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        from_text(text)?.try_into().ok().map(Self)
    }
}

/// A session's key. Lives in memory only.
pub struct SessionKey(SigningKey);

impl std::fmt::Debug for SessionKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("SessionKey").field(&"…").finish()
    }
}

/// The digest that binds an answer to a request: SHA-256 over the bytes of the
/// request file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl std::fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.to_text())
    }
}

impl Digest {
    /// The digest of a request file's bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest as it stands in a proof: unpadded base64url.
    #[must_use]
    pub fn to_text(self) -> String {
        to_text(&self.0)
    }
}

impl SessionKey {
    /// The key of this secret, which must come from the system's randomness.
    #[must_use]
    pub fn from_secret(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// The half that verifies.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs an answer to exactly this request.
    #[must_use]
    pub fn sign(&self, request: &Request, digest: Digest, response: &Response) -> Proof {
        let mut map = Map::new();
        map.insert("v".into(), json!(1));
        map.insert("requestId".into(), json!(request.id));
        map.insert("requestDigest".into(), json!(digest.to_text()));
        let requester = json!(request.requester_session_id);
        map.insert("requesterSessionId".into(), requester);
        map.insert("targetSessionId".into(), json!(request.target_session_id));
        map.extend(response.to_map());
        let payload = Value::Object(map).to_string();
        let signature = self.0.sign(&signed_bytes(&payload));
        Proof {
            payload,
            key: self.public(),
            signature: signature.to_bytes(),
        }
    }
}

fn signed_bytes(payload: &str) -> Vec<u8> {
    [DOMAIN, payload.as_bytes()].concat()
}

/// Why an answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refused {
    /// A proof was due and there is none.
    #[error("it is not signed")]
    Unsigned,
    /// Signed by somebody else.
    #[error("it is signed with another key")]
    OtherKey,
    /// The signature does not fit.
    #[error("its signature does not fit")]
    BadSignature,
    /// A true answer to another request, or to a request that was edited.
    #[error("it answers another request")]
    OtherRequest,
    /// No answer at all.
    #[error("it cannot be read")]
    Unreadable,
}

/// The answer a proof proves: the signed one, whatever stands beside it.
///
/// # Errors
///
/// When the proof is not one by `key` for exactly this request.
pub fn verify(
    proof: &Proof,
    key: PublicKey,
    request: &Request,
    digest: Digest,
) -> Result<Response, Refused> {
    if proof.key != key {
        return Err(Refused::OtherKey);
    }
    let verifying = VerifyingKey::from_bytes(&key.0).map_err(|_| Refused::BadSignature)?;
    let signature = Signature::from_bytes(&proof.signature);
    verifying
        .verify_strict(&signed_bytes(&proof.payload), &signature)
        .map_err(|_| Refused::BadSignature)?;
    let Ok(Value::Object(map)) = serde_json::from_str(&proof.payload) else {
        return Err(Refused::Unreadable);
    };
    let says = |key: &str, wanted: &str| map.get(key).and_then(Value::as_str) == Some(wanted);
    let version = map.get("v").and_then(Value::as_u64) == Some(1);
    let bound = version
        && says("requestId", &request.id)
        && says("requestDigest", &digest.to_text())
        && says("requesterSessionId", &request.requester_session_id)
        && says("targetSessionId", &request.target_session_id);
    if !bound {
        return Err(Refused::OtherRequest);
    }
    Response::from_map(&map, 0).map_err(|_| Refused::Unreadable)
}

/// The value of [`ANSWER_KEY_VARIABLE`] that adds `session_id` and its key to
/// those the process already hands on. Each key is bound to its session:
/// `<encoded id>=<key>`, separated by commas.
#[must_use]
pub fn answer_key_value(existing: Option<&str>, session_id: &str, key: PublicKey) -> String {
    let name = encode_component(session_id.trim());
    let own = format!("{name}={}", key.to_text());
    let others = entries(existing.unwrap_or_default())
        .filter(|(other, _)| *other != name)
        .map(|(other, key)| format!("{other}={key}"));
    others.chain([own]).collect::<Vec<_>>().join(",")
}

/// What the environment says about the key of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InheritedKey {
    /// Nothing.
    None,
    /// The key.
    Key(PublicKey),
    /// Something that cannot be a key. Nothing may be taken for proven, so
    /// nothing signed or unsigned is accepted.
    Broken,
}

/// The key of `session_id` in the value of [`ANSWER_KEY_VARIABLE`].
#[must_use]
pub fn inherited_key(value: Option<&str>, session_id: &str) -> InheritedKey {
    let name = encode_component(session_id.trim());
    let found = entries(value.unwrap_or_default()).find(|(other, _)| *other == name);
    match found {
        None => InheritedKey::None,
        Some((_, text)) => PublicKey::parse(text).map_or(InheritedKey::Broken, InheritedKey::Key),
    }
}

fn entries(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value
        .split(',')
        .filter_map(|entry| entry.trim().split_once('='))
}
