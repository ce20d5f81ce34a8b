//! Any words as a command: what the tables say of it names words and places
//! that are there.

#![no_main]

use countersign_shell::program::{Arg, facts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<(&str, u8)>, bool)| {
    let (words, writes) = input;
    let args: Vec<Arg<'_>> = words
        .iter()
        .take(64)
        .map(|(text, kind)| Arg {
            source: text,
            value: (kind & 1 == 0).then_some(*text),
            known_prefix: if kind & 1 == 0 {
                text
            } else {
                text.get(..text.len() / 2).unwrap_or_default()
            },
            quoted: kind & 2 != 0,
        })
        .collect();
    let said = facts(&args, writes);
    for path in &said.paths {
        assert!(path.arg < args.len(), "{path:?}");
        let arg = &args[path.arg];
        let known = arg.value.unwrap_or(arg.known_prefix);
        assert!(known.get(path.offset..).is_some(), "{path:?}");
    }
    for index in &said.not_paths {
        assert!(*index < args.len(), "{args:?}: {said:?}");
    }
});
