//! Any text as a bash program: it is analysed in time that its length bounds,
//! every place lies inside it on character borders, and the same text says the
//! same.

#![no_main]

use countersign_shell::{Analysis, analyze};
use libfuzzer_sys::fuzz_target;

fn places_are_valid(text: &str, analysis: &Analysis) {
    let inside = |span: countersign_text::Span| assert!(span.of(text).is_some(), "{span:?}");
    for unit in &analysis.units {
        inside(unit.span);
        unit.floors.iter().for_each(|floor| inside(floor.span));
    }
    analysis.floors.iter().for_each(|floor| inside(floor.span));
    analysis.facts.iter().for_each(|fact| inside(fact.span));
    for path in &analysis.paths {
        inside(path.span);
        assert!(path.unit.is_none_or(|at| at < analysis.units.len()));
    }
}

fuzz_target!(|text: &str| {
    let analysis = analyze(text);
    places_are_valid(text, &analysis);
    // A text that is not only blanks and comments says something.
    let silent = text
        .lines()
        .map(|line| line.trim_matches([' ', '\t']))
        .all(|line| line.is_empty() || line.starts_with('#'));
    if !silent && !text.contains("\\\n") {
        assert!(!analysis.units.is_empty() || !analysis.floors.is_empty());
    }
});
