//! Showing diagnostics: underlined in the terminal, or as JSON.

use std::collections::HashMap;
use std::io::IsTerminal as _;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use countersign_host::text::{Diagnostic, LineIndex, Severity};
use serde_json::{Value, json};

/// The texts that diagnostics speak of, read once.
#[derive(Default)]
pub struct Sources {
    texts: HashMap<String, Option<String>>,
}

impl Sources {
    fn get(&mut self, path: &str) -> Option<&str> {
        const MAX: u64 = 8 << 20;
        self.texts
            .entry(path.to_owned())
            .or_insert_with(|| {
                let small =
                    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= MAX);
                small
                    .then(|| std::fs::read(path).ok())?
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            })
            .as_deref()
    }
}

/// The renderer for standard output: colour where a person looks on.
pub fn renderer() -> Renderer {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}

/// One diagnostic with its text underlined.
pub fn render(diagnostic: &Diagnostic, sources: &mut Sources, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = printable(&diagnostic.message);
    let title = level.primary_title(message.as_str()).id(diagnostic.code);
    let text = diagnostic
        .path
        .as_deref()
        .and_then(|path| sources.get(path));
    let mut group = annotate_snippets::Group::with_title(title);
    let labels: Vec<String> = diagnostic
        .labels
        .iter()
        .map(|l| printable(&l.text))
        .collect();
    match (text, &diagnostic.path) {
        (Some(text), Some(path)) if !diagnostic.labels.is_empty() => {
            let mut snippet = Snippet::source(text).path(path.as_str());
            for (at, (label, words)) in diagnostic.labels.iter().zip(&labels).enumerate() {
                // A span of another version of the file would underline nonsense.
                if label.span.of(text).is_none() {
                    continue;
                }
                let kind = if at == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                snippet = snippet.annotation(kind.span(label.span.range()).label(words.as_str()));
            }
            group = group.element(snippet);
        }
        (_, Some(path)) => {
            group = group.element(annotate_snippets::Origin::path(path.as_str()));
        }
        (_, None) => {}
    }
    let help = diagnostic.help.as_deref().map(printable);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// A text that cannot move the cursor; line breaks stay.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() && c != '\n' { ' ' } else { c })
        .collect()
}

/// One diagnostic as data, places in lines and columns too.
pub fn as_json(diagnostic: &Diagnostic, sources: &mut Sources) -> Value {
    let text = diagnostic
        .path
        .as_deref()
        .and_then(|path| sources.get(path));
    let lines = text.map(LineIndex::new);
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let position = text
                .zip(lines.as_ref())
                .map(|(text, lines)| lines.position(text, label.span.start));
            json!({
                "start": label.span.start,
                "end": label.span.end,
                "line": position.map(|p| p.line),
                "column": position.map(|p| p.column),
                "source": text.and_then(|text| label.span.of(text)),
                "text": label.text,
            })
        })
        .collect();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message,
        "path": diagnostic.path,
        "labels": labels,
        "help": diagnostic.help,
    })
}

#[cfg(test)]
mod tests {
    use countersign_host::text::Span;

    use super::*;

    #[test]
    fn the_culprit_is_underlined() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("c.json");
        std::fs::write(&path, "{\n  \"a\": 1,\n}\n").unwrap();
        let path = path.display().to_string();
        let diagnostic = Diagnostic::new("config/syntax", Severity::Error, "broken \u{1b}[31m")
            .label(Span::new(10, 11), "this comma")
            .help("remove the comma")
            .at(path.as_str());
        let shown = render(&diagnostic, &mut Sources::default(), &Renderer::plain());
        assert!(
            shown.starts_with("error[config/syntax]: broken  [31m"),
            "{shown}"
        );
        assert!(shown.contains("^ this comma"), "{shown}");
        assert!(shown.contains("help: remove the comma"), "{shown}");
        let data = as_json(&diagnostic, &mut Sources::default());
        assert_eq!(data["labels"][0]["line"], 2);
        assert_eq!(data["labels"][0]["column"], 9);
        assert_eq!(data["labels"][0]["source"], ",");
    }

    #[test]
    fn a_span_of_another_text_is_left_out() {
        let diagnostic = Diagnostic::new("x/y", Severity::Note, "m")
            .label(Span::new(1_000_000, 1_000_001), "gone")
            .at(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let shown = render(&diagnostic, &mut Sources::default(), &Renderer::plain());
        assert!(shown.contains("m"), "{shown}");
    }
}
