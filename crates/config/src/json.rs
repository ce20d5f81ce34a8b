//! JSON with comments, and nothing else that is lax.

use countersign_text::{Diagnostic, Severity, Span};
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The reading of configuration files: JSON, comments, nothing more.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The text without a byte-order mark, and the bytes taken off.
pub(crate) fn without_bom(text: &str) -> (&str, u32) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, 3),
        None => (text, 0),
    }
}

/// What is wrong with the text, where, and the way out.
pub(crate) struct Broken {
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) label: &'static str,
    pub(crate) help: Option<&'static str>,
}

/// Parses one value.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, Broken> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options())
        .map_err(|error| broken(&error, text))?;
    let Some(value) = parsed.value else {
        return Err(Broken {
            message: "Unexpected end of JSON input".to_owned(),
            span: Span::new(0, text.len()),
            label: "no value here",
            help: Some("write at least `{}`, or delete the file"),
        });
    };
    // Other readers of the same file take only these four for blanks.
    if let Some(span) = foreign_blank(text) {
        return Err(Broken {
            message: "Unexpected character".to_owned(),
            span,
            label: "looks like a blank and is none",
            help: Some("type a space instead"),
        });
    }
    Ok(value)
}

/// The first character of a text that was parsed which counts as a blank in
/// Unicode and not in JSON, outside strings and comments.
fn foreign_blank(text: &str) -> Option<Span> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                while let Some((_, c)) = chars.next()
                    && c != '"'
                {
                    if c == '\\' {
                        chars.next();
                    }
                }
            }
            '/' if chars.next_if(|(_, c)| *c == '/').is_some() => {
                while chars.next_if(|(_, c)| !matches!(c, '\n' | '\r')).is_some() {}
            }
            '/' => {
                chars.next();
                let mut star = false;
                while let Some((_, c)) = chars.next()
                    && !(star && c == '/')
                {
                    star = c == '*';
                }
            }
            ' ' | '\t' | '\n' | '\r' => {}
            c if c.is_whitespace() => return Some(Span::new(at, at + c.len_utf8())),
            _ => {}
        }
    }
    None
}

fn broken(error: &ParseError, text: &str) -> Broken {
    let range = error.range();
    let start = range.start.min(text.len());
    let end = range.end.clamp(start, text.len());
    let (label, help) = match error.kind() {
        ParseErrorKind::TrailingCommasNotAllowed => ("this comma", Some("remove the comma")),
        ParseErrorKind::ExpectedComma => ("expected a comma before this", Some("add a comma")),
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            ("single quotes", Some("use double quotes"))
        }
        ParseErrorKind::ExpectedStringObjectProperty
        | ParseErrorKind::UnexpectedWord
        | ParseErrorKind::UnexpectedTokenInObject => (
            "not a string in double quotes",
            Some("put names in double quotes"),
        ),
        ParseErrorKind::UnterminatedCommentBlock => {
            ("this comment never ends", Some("close it with `*/`"))
        }
        ParseErrorKind::UnterminatedObject => ("this is never closed", Some("close it with `}`")),
        ParseErrorKind::UnterminatedArray => ("this is never closed", Some("close it with `]`")),
        ParseErrorKind::NestingDepthExceeded => ("nested too deeply", None),
        ParseErrorKind::MultipleRootJsonValues => {
            ("a second value", Some("a file holds one object"))
        }
        _ => ("here", None),
    };
    Broken {
        message: error.kind().to_string(),
        span: Span::new(start, end),
        label,
        help,
    }
}

/// The name of a value's type in messages.
pub(crate) fn type_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "string",
        Value::NumberLit(_) => "number",
        Value::BooleanLit(_) => "boolean",
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::NullKeyword(_) => "null",
    }
}

/// The place of a node in the text it was parsed from.
pub(crate) fn span_of(node: &impl Ranged) -> Span {
    let range = node.range();
    Span::new(range.start, range.end)
}

impl Broken {
    /// The diagnostic for a file that could not be read as JSON.
    pub(crate) fn into_diagnostic(self, path: &str, shift: u32) -> Diagnostic {
        let message = format!("Failed to read config at '{path}': {}", self.message);
        let diagnostic = Diagnostic::new("config/syntax", Severity::Error, message)
            .label(self.span.shift(shift), self.label)
            .at(path);
        match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
