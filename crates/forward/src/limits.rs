//! Every bound and interval of forwarding, in one place. The figures marked
//! spec are those of every other implementation of this wire.

/// How long a requester waits for the answer of a target that is serving, in
/// milliseconds, unless `forwardingTimeoutMs` says otherwise (spec 05 §9).
pub const TIMEOUT_MS: u64 = 600_000;

/// How long a target may be continuously not serving before the requester
/// gives up, in milliseconds (seed 000).
pub const GRACE_MS: u64 = 2_000;

/// How often a serving session refreshes its heartbeat, in milliseconds
/// (spec 05 §9).
pub const HEARTBEAT_MS: u64 = 1_000;

/// A heartbeat this old, in milliseconds, is stale (spec 05 §9).
pub const STALE_MS: u64 = 5_000;

/// How often a serving session looks at its inbox where nothing wakes it, in
/// milliseconds (spec 05 §9).
pub const SERVE_POLL_MS: u64 = 250;

/// How often a requester looks for its answer where something wakes it, in
/// milliseconds.
pub const WATCHED_POLL_MS: u64 = 250;

/// How often a requester or a server looks at first where nothing wakes it, in
/// milliseconds.
pub const UNWATCHED_POLL_MS: u64 = 20;

/// How often it looks when nothing has happened for long, in milliseconds.
pub const UNWATCHED_IDLE_POLL_MS: u64 = 100;

/// How long is long, in milliseconds.
pub const UNWATCHED_IDLE_AFTER_MS: u64 = 10_000;

/// How often to look where nothing wakes: often while something happens, less
/// often after a while.
#[must_use]
pub fn unwatched_poll_ms(quiet_for_ms: u64) -> u64 {
    if quiet_for_ms < UNWATCHED_IDLE_AFTER_MS {
        UNWATCHED_POLL_MS
    } else {
        UNWATCHED_IDLE_POLL_MS
    }
}

/// How often a requester looks at its target's heartbeat, in milliseconds.
pub const LIVENESS_POLL_MS: u64 = 250;

/// The first wait before a file that could not be read whole is read again, in
/// milliseconds.
pub const TORN_RETRY_MS: u64 = 20;

/// How often a file that cannot be read whole is read before it counts as
/// unreadable. Writers rename into place, so one retry is usually one too many.
pub const TORN_READS: u32 = 4;

/// How many answers without the expected proof a requester discards before it
/// gives up.
pub const REFUSED_ANSWERS: u32 = 3;

/// How many times a requester puts back a request that somebody removed
/// without answering it.
pub const REWRITES: u32 = 3;

/// How long a request has to be missing, in milliseconds, before it is put
/// back: a server removes it in the moment after it answers.
pub const REWRITE_AFTER_MS: u64 = 100;

/// How long a request has to stay beside a collected answer, in milliseconds,
/// before a server answers it again.
pub const REANSWER_AFTER_MS: u64 = 500;

/// How many answers a server remembers, to give the same one again instead of
/// asking twice.
pub const REMEMBERED_ANSWERS: usize = 4_096;

/// How long a response whose requester is unknown may lie uncollected, in
/// milliseconds.
pub const UNCOLLECTED_MS: u64 = 600_000;

/// How long a request of a requester that cannot be judged may lie, in
/// milliseconds, where it names no end of its own.
pub const UNCLAIMED_MS: u64 = 24 * 60 * 60 * 1_000;

/// The largest request that is written or read, in bytes.
pub const REQUEST_BYTES: usize = 1 << 20;

/// The largest response that is written or read, in bytes.
pub const RESPONSE_BYTES: usize = 256 << 10;

/// The largest heartbeat that is read, in bytes.
pub const HEARTBEAT_BYTES: usize = 16 << 10;

/// The longest denial reason that travels, in bytes.
pub const REASON_BYTES: usize = 16 << 10;

/// How deep the frames of a forwarded decider nest (spec 05 §8.3).
pub const FORWARDED_FRAMES: usize = 4;

/// How many sessions may hand one request on.
pub const HOPS: usize = 8;

/// The longest encoded id that becomes part of a file name, in bytes. File
/// systems allow 255; the rest is for `.json` and the names of partial files.
pub const NAME_BYTES: usize = 200;

/// The waits before a file operation that failed for a passing reason is tried
/// again, in milliseconds (spec 05 §7).
pub const FILE_RETRIES_MS: [u64; 3] = [10, 20, 30];
