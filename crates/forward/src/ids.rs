//! Session ids and request ids are data, not paths: encoded for file names,
//! and refused where they cannot be.

use crate::limits::NAME_BYTES;

/// The id a session goes by when its host exposes none (spec 05 §8.1).
pub const UNKNOWN: &str = "unknown";

/// The usable form of a session id: trimmed, not empty and not `unknown` in
/// any case (spec 05 §5).
#[must_use]
pub fn usable_session_id(id: &str) -> Option<&str> {
    let trimmed = id.trim();
    let usable = !trimmed.is_empty() && !trimmed.eq_ignore_ascii_case(UNKNOWN);
    usable.then_some(trimmed)
}

/// Percent-encodes like JavaScript's `encodeURIComponent`, which every other
/// implementation of this wire uses for its names.
#[must_use]
pub fn encode_component(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let kept = byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
        if kept {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(hex_digit(byte >> 4));
            encoded.push(hex_digit(byte & 15));
        }
    }
    encoded
}

fn hex_digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

/// The name of a session's files, or `None` where its id cannot be one: not
/// usable, too long, or a name that means a directory.
#[must_use]
pub fn session_file_name(id: &str) -> Option<String> {
    let encoded = encode_component(usable_session_id(id)?);
    let fits = encoded.len() <= NAME_BYTES && encoded != "." && encoded != "..";
    fits.then_some(encoded)
}

/// Whether a request may go by this id: `^[A-Za-z0-9._-]+$`, not `.` or `..`,
/// and short enough for a file name (spec 05 §7).
#[must_use]
pub fn is_request_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !id.is_empty() && id.len() <= NAME_BYTES && id != "." && id != ".." && id.bytes().all(plain)
}

/// The request id to use: the requester's own where it may be one, so that its
/// log and the target's can be joined, else a new one from `random`.
#[must_use]
pub fn adopt_request_id(own: &str, random: [u8; 16]) -> String {
    if is_request_id(own) {
        return own.to_owned();
    }
    let mut id = String::from("perm-");
    for (index, byte) in random.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        id.push(hex_digit(byte >> 4).to_ascii_lowercase());
        id.push(hex_digit(byte & 15).to_ascii_lowercase());
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_encode_uri_component() {
        for (id, name) in [
            (
                "019ff969-c34c-70be-9034-fae19c852932",
                "019ff969-c34c-70be-9034-fae19c852932",
            ),
            ("a b/c", "a%20b%2Fc"),
            ("é", "%C3%A9"),
            ("x:y", "x%3Ay"),
            ("(v1)!", "(v1)!"),
            ("../../etc", "..%2F..%2Fetc"),
            ("nul\0", "nul%00"),
            (" padded ", "padded"),
        ] {
            assert_eq!(session_file_name(id).as_deref(), Some(name), "{id}");
        }
    }

    #[test]
    fn ids_that_cannot_be_names_are_refused() {
        let long = "x".repeat(10_000);
        let encoded_long = "é".repeat(40);
        for id in [
            "",
            "  ",
            ".",
            "..",
            "unknown",
            "UNKNOWN",
            &long,
            &encoded_long,
        ] {
            assert_eq!(session_file_name(id), None, "{id}");
        }
    }

    #[test]
    fn request_ids_are_plain_words() {
        for id in ["perm-1", "1796074998055-8435jrue-14681", "a.b_c-D", "..."] {
            assert!(is_request_id(id), "{id}");
        }
        let long = "x".repeat(10_000);
        for id in [
            "", ".", "..", "../x", "a/b", "a b", "a\0", "é", "a%2F", &long,
        ] {
            assert!(!is_request_id(id), "{id}");
        }
    }

    #[test]
    fn an_id_that_may_not_be_used_is_replaced() {
        assert_eq!(adopt_request_id("perm-1", [0; 16]), "perm-1");
        let minted = adopt_request_id("../evil", [0xab; 16]);
        assert_eq!(minted, "perm-abababab-abab-abab-abab-abababababab");
        assert!(is_request_id(&minted));
    }
}
