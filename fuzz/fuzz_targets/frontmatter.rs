//! Any text as an agent's file: always read, with places inside it.

#![no_main]

use countersign_config::parse_agent;
use countersign_policy::{Action, Scope};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = parse_agent(text, "a", Scope::Agent);
    for surface in parsed.scope.iter().flat_map(|scope| &scope.surfaces) {
        for entry in surface.body.entries() {
            assert!(entry.span.of(text).is_some());
            assert!(entry.action != Action::Allow || text.contains("allow"));
        }
    }
});
