//! `$'…'` strings.

use std::borrow::Cow;

/// What `$'text'` yields; `None` when it is cut short by a NUL or is not
/// valid text.
pub(crate) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied();
    let mut i = 0;
    while let Some(byte) = at(i) {
        i += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = at(i) else {
            out.push(b'\\');
            break;
        };
        i += 1;
        let simple = match escape {
            b'a' => Some(7),
            b'b' => Some(8),
            b'e' | b'E' => Some(27),
            b'f' => Some(12),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(11),
            b'\\' | b'\'' | b'"' | b'?' => Some(escape),
            _ => None,
        };
        if let Some(value) = simple {
            out.push(value);
            continue;
        }
        match escape {
            b'0'..=b'7' => {
                let (value, next) = number(bytes, i - 1, 8, 3);
                i = next;
                out.push(u8::try_from(value & 0xff).ok().filter(|v| *v != 0)?);
            }
            b'x' => {
                let (start, limit) = if at(i) == Some(b'{') {
                    (i + 1, 8)
                } else {
                    (i, 2)
                };
                let (value, next) = number(bytes, start, 16, limit);
                if next == start {
                    out.extend(b"\\x");
                    continue;
                }
                i = next;
                if start > 0 && at(start - 1) == Some(b'{') {
                    // Rarely used and differs between versions.
                    return None;
                }
                out.push(u8::try_from(value & 0xff).ok().filter(|v| *v != 0)?);
            }
            b'u' | b'U' => {
                let limit = if escape == b'u' { 4 } else { 8 };
                let (value, next) = number(bytes, i, 16, limit);
                if next == i {
                    out.extend([b'\\', escape]);
                    continue;
                }
                i = next;
                let character = char::from_u32(value).filter(|c| *c != '\0')?;
                out.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'c' => {
                let control = at(i)?;
                i += 1;
                if control == b'\\' || !control.is_ascii() {
                    return None;
                }
                let value = if control == b'?' {
                    0x7f
                } else {
                    control & 0x1f
                };
                if value == 0 {
                    return None;
                }
                out.push(value);
            }
            _ => {
                out.push(b'\\');
                out.push(escape);
            }
        }
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

/// The number in `bytes` from `start`, at most `limit` digits, and its end.
fn number(bytes: &[u8], start: usize, radix: u32, limit: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut i = start;
    while i - start < limit {
        let digit = bytes.get(i).and_then(|b| char::from(*b).to_digit(radix));
        let Some(digit) = digit else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        i += 1;
    }
    (value, i)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_like_bash() {
        let cases = [
            (r"\x72m", Some("rm")),
            (r"\162\155", Some("rm")),
            (r"\u0072m", Some("rm")),
            (r"a\'b", Some("a'b")),
            (r"\q", Some(r"\q")),
            (r"\n\t", Some("\n\t")),
            (r"\cA", Some("\u{1}")),
            (r"a\x00b", None),
            (r"\xff", None),
            (r"\", Some("\\")),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
        }
    }
}
