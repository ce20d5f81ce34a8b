//! Finds the patterns that could match a value without trying them all.
//!
//! Every pattern without a wildcard is looked up whole. Every other pattern is
//! filed under the rarest three bytes that each value it matches must contain
//! (the borders of the value count as bytes); only patterns whose three bytes
//! occur in the value are tried. The index only selects: whether a pattern
//! matches, and which of several wins, is decided by the caller.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::Pattern;

/// Bytes that never occur in UTF-8, as the borders of a value.
const START: u8 = 0xFE;
const END: u8 = 0xFF;

const COUNTERS: usize = 1 << 15;
const FILTER_WORDS: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Index {
    exact: HashMap<String, Vec<u32>>,
    /// Three bytes to a list in `lists`.
    grams: HashMap<u32, u32, BuildHasherDefault<GramHasher>>,
    lists: Vec<Vec<u32>>,
    /// One bit for each hash of a gram in use, asked before the map.
    filter: Vec<u64>,
    /// Patterns too short to be filed, always tried.
    rest: Vec<u32>,
}

impl Index {
    /// Files the patterns under their position in `patterns`.
    pub(crate) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern> + Clone) -> Self {
        let mut counts = vec![0_u32; COUNTERS];
        for pattern in patterns.clone().filter(|p| p.literal().is_none()) {
            for gram in required_grams(pattern) {
                if let Some(count) = counts.get_mut(slot(gram, COUNTERS)) {
                    *count = count.saturating_add(1);
                }
            }
        }
        let rarity = |gram: &u32| counts.get(slot(*gram, COUNTERS)).copied().unwrap_or(0);
        let mut index = Self {
            filter: vec![0; FILTER_WORDS],
            ..Self::default()
        };
        for (pattern, at) in patterns.zip(0_u32..) {
            if let Some(literal) = pattern.literal() {
                index.exact.entry(literal.to_owned()).or_default().push(at);
                continue;
            }
            match required_grams(pattern).min_by_key(rarity) {
                Some(gram) => index.file(gram, at),
                None => index.rest.push(at),
            }
        }
        index
    }

    fn file(&mut self, gram: u32, at: u32) {
        let next = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
        let list = *self.grams.entry(gram).or_insert(next);
        if list == next {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.get_mut(list as usize) {
            list.push(at);
        }
        let bit = slot(gram, FILTER_WORDS * 64);
        if let Some(word) = self.filter.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// The positions of all patterns that could match `value` (folded as the
    /// patterns are), latest first.
    pub(crate) fn candidates(&self, value: &str) -> Vec<u32> {
        let mut out = self.rest.clone();
        if let Some(exact) = self.exact.get(value) {
            out.extend(exact);
        }
        if !self.lists.is_empty() {
            // A value may repeat the same three bytes a million times.
            let mut seen = vec![0_u64; self.lists.len().div_ceil(64)];
            for gram in value_grams(value.as_bytes()) {
                let bit = slot(gram, FILTER_WORDS * 64);
                let maybe = self.filter.get(bit / 64).copied().unwrap_or(0) >> (bit % 64) & 1;
                if maybe == 0 {
                    continue;
                }
                let Some(&list) = self.grams.get(&gram) else {
                    continue;
                };
                let Some(word) = seen.get_mut(list as usize / 64) else {
                    continue;
                };
                let mask = 1 << (list % 64);
                if *word & mask == 0 {
                    *word |= mask;
                    out.extend(self.lists.get(list as usize).into_iter().flatten());
                }
            }
        }
        out.sort_unstable_by(|a, b| b.cmp(a));
        out
    }
}

/// Finds the patterns that could share a value with a shell glob, by the text
/// before the first wildcard of each. Like [`Index`] it only selects.
#[derive(Debug)]
pub(crate) struct Prefixes(Vec<(String, u32)>);

impl Prefixes {
    /// Files the patterns under their position in `patterns`.
    pub(crate) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let mut sorted: Vec<(String, u32)> = patterns
            .zip(0_u32..)
            .map(|(pattern, at)| (pattern.prefix().to_owned(), at))
            .collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// The positions of all patterns whose beginning goes with one of these,
    /// latest first.
    pub(crate) fn candidates<'g>(&self, beginnings: impl Iterator<Item = &'g str>) -> Vec<u32> {
        let mut out = Vec::new();
        for beginning in beginnings {
            // Shorter than the glob's: one lookup for each length.
            for (at, _) in beginning.char_indices() {
                let shorter = beginning.get(..at).unwrap_or("");
                out.extend(self.from(shorter).take_while(|(p, _)| p == shorter));
            }
            out.extend(
                self.from(beginning)
                    .take_while(|(p, _)| p.starts_with(beginning)),
            );
        }
        let mut out: Vec<u32> = out.into_iter().map(|(_, at)| *at).collect();
        out.sort_unstable_by(|a, b| b.cmp(a));
        out.dedup();
        out
    }

    fn from(&self, beginning: &str) -> impl Iterator<Item = &(String, u32)> {
        let first = self.0.partition_point(|(p, _)| p.as_str() < beginning);
        self.0.iter().skip(first)
    }
}

fn gram(a: u8, b: u8, c: u8) -> u32 {
    u32::from_be_bytes([0, a, b, c])
}

/// The three-byte runs that every value matching `pattern` contains.
fn required_grams(pattern: &Pattern) -> impl Iterator<Item = u32> {
    pattern.required().flat_map(|(text, at_start, at_end)| {
        let start = at_start.then_some(START);
        let end = at_end.then_some(END);
        windows(start.into_iter().chain(text.bytes()).chain(end))
    })
}

fn value_grams(value: &[u8]) -> impl Iterator<Item = u32> {
    windows(
        std::iter::once(START)
            .chain(value.iter().copied())
            .chain(std::iter::once(END)),
    )
}

fn windows(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u32> {
    let mut held = (None, None);
    bytes.filter_map(move |c| {
        let full = match held {
            (Some(a), Some(b)) => Some(gram(a, b, c)),
            _ => None,
        };
        held = (held.1, Some(c));
        full
    })
}

fn mix(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

fn slot(gram: u32, slots: usize) -> usize {
    (mix(gram) >> 12) as usize % slots
}

/// Grams are already small numbers: one multiplication spreads them.
#[derive(Default)]
struct GramHasher(u64);

impl Hasher for GramHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u32(&mut self, gram: u32) {
        self.0 = u64::from(gram).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
