//! The language of `awk`, as far as needed to know what a program runs,
//! reads and writes.

/// What a program does beyond reading its operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AwkUse {
    /// Commands it runs; `None` where the text is computed.
    pub runs: Vec<Option<String>>,
    /// Files it writes; `None` where the name is computed.
    pub writes: Vec<Option<String>>,
    /// Files it reads; `None` where the name is computed.
    pub reads: Vec<Option<String>>,
    /// It uses a feature that can do any of these.
    pub opaque: bool,
}

impl AwkUse {
    /// Whether it does nothing but read its operands.
    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Number,
    Text(&'a str),
    Pattern,
    Mark(&'a str),
    Line,
}

/// Reads a program.
pub(super) fn read(program: &str) -> AwkUse {
    let Some(tokens) = lex(program) else {
        // A slash that may divide or start a pattern: fear all that the
        // characters could mean.
        let hazards = ["system", "getline", "@", "|", ">", "<", "ARGV"];
        return AwkUse {
            opaque: hazards.iter().any(|hazard| program.contains(hazard)),
            ..AwkUse::default()
        };
    };
    let mut found = AwkUse::default();
    let mut depth = 0_usize;
    // The depth of parentheses at which a `print` is being read.
    let mut printing: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        let next = |by: usize| tokens.get(at + by).copied();
        let before = |by: usize| at.checked_sub(by).and_then(|at| tokens.get(at)).copied();
        match *token {
            Token::Word("print" | "printf") => printing = Some(depth),
            Token::Word("system") => {
                let command = match (next(1), next(2), next(3)) {
                    (Some(Token::Mark("(")), Some(Token::Text(text)), Some(Token::Mark(")"))) => {
                        plain(text)
                    }
                    _ => None,
                };
                found.runs.push(command);
            }
            Token::Word("getline") => {
                let file = match (next(1), next(2)) {
                    (Some(Token::Mark("<")), _) => Some(2),
                    (Some(Token::Word(_)), Some(Token::Mark("<"))) => Some(3),
                    (Some(Token::Mark("$")) | Some(Token::Word(_)), _) => {
                        // `getline $1 < f`, `getline a[i] < f`.
                        tokens
                            .iter()
                            .skip(at)
                            .take(12)
                            .any(|t| *t == Token::Mark("<"))
                            .then_some(0)
                    }
                    _ => None,
                };
                match file {
                    Some(by) if by > 0 => found.reads.push(literal(next(by), next(by + 1))),
                    Some(_) => found.reads.push(None),
                    None => {}
                }
            }
            Token::Word("ARGV" | "ARGC" | "PROCINFO" | "SYMTAB" | "FUNCTAB") => {
                let compared = matches!(
                    next(1),
                    Some(Token::Mark(
                        "==" | "<" | ">" | "!=" | ">=" | "<=" | ")" | "-" | ";"
                    ))
                );
                if *token != Token::Word("ARGC") || !compared {
                    found.opaque = true;
                }
            }
            Token::Mark("@") => found.opaque = true,
            Token::Mark("|" | "|&") => {
                let command = if next(1) == Some(Token::Word("getline")) {
                    match (before(1), before(2)) {
                        (
                            Some(Token::Text(text)),
                            None | Some(Token::Line | Token::Mark("(" | ";" | "{" | "}")),
                        ) => plain(text),
                        _ => None,
                    }
                } else {
                    literal(next(1), next(2))
                };
                found.runs.push(command);
            }
            Token::Mark(">" | ">>") if printing.is_some_and(|at| at == depth) => {
                found.writes.push(literal(next(1), next(2)));
            }
            Token::Mark("(" | "[") => depth += 1,
            Token::Mark(")" | "]") => {
                depth = depth.saturating_sub(1);
                if printing.is_some_and(|at| at > depth) {
                    printing = None;
                }
            }
            Token::Mark(";" | "{" | "}") | Token::Line => printing = None,
            _ => {}
        }
    }
    let devices = ["/dev/stdout", "/dev/stderr", "/dev/stdin", "-"];
    found
        .writes
        .retain(|file| !file.as_deref().is_some_and(|file| devices.contains(&file)));
    found
        .reads
        .retain(|file| !file.as_deref().is_some_and(|file| devices.contains(&file)));
    let network = |file: &Option<String>| {
        file.as_deref()
            .is_some_and(|file| file.starts_with("/inet"))
    };
    found.opaque |= found.reads.iter().chain(&found.writes).any(network);
    found
}

/// A string that is surely the whole operand.
fn literal(text: Option<Token<'_>>, after: Option<Token<'_>>) -> Option<String> {
    match (text, after) {
        (Some(Token::Text(text)), None | Some(Token::Line | Token::Mark(";" | "}" | ")"))) => {
            plain(text)
        }
        _ => None,
    }
}

/// A string without escapes.
fn plain(text: &str) -> Option<String> {
    (!text.contains('\\')).then(|| text.to_owned())
}

/// Splits a program into tokens; `None` where a slash is ambiguous.
fn lex(program: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut chars = program.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        match c {
            '\n' => tokens.push(Token::Line),
            _ if c.is_whitespace() => {}
            '\\' => {
                // Only a line continuation is meant to stand here.
                chars.next_if(|(_, c)| *c == '\r');
                chars.next_if(|(_, c)| *c == '\n')?;
            }
            '#' => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '"' => {
                let mut end = None;
                while let Some((at, c)) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '"' => {
                            end = Some(at);
                            break;
                        }
                        _ => {}
                    }
                }
                tokens.push(Token::Text(program.get(start + 1..end?)?));
            }
            '/' => match tokens.last() {
                Some(Token::Word(word)) if !KEYWORDS.contains(word) => {
                    chars.next_if(|(_, c)| *c == '=');
                    tokens.push(Token::Mark("/"));
                }
                Some(Token::Number | Token::Text(_) | Token::Mark("]" | "$")) => {
                    chars.next_if(|(_, c)| *c == '=');
                    tokens.push(Token::Mark("/"));
                }
                Some(Token::Mark(")" | "++" | "--")) => return None,
                _ => {
                    let mut bracket = false;
                    loop {
                        let (_, c) = chars.next()?;
                        match c {
                            '\\' => {
                                chars.next()?;
                            }
                            '\n' => return None,
                            // Implementations differ on `[/]`.
                            '[' => bracket = true,
                            ']' => bracket = false,
                            '/' if bracket => return None,
                            '/' => break,
                            _ => {}
                        }
                    }
                    tokens.push(Token::Pattern);
                }
            },
            _ if c.is_ascii_digit() || c == '.' => {
                while chars
                    .next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '.')
                    .is_some()
                {}
                tokens.push(Token::Number);
            }
            _ if c.is_ascii_alphabetic() || c == '_' => {
                while chars
                    .next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '_')
                    .is_some()
                {}
                let end = chars.peek().map_or(program.len(), |(at, _)| *at);
                tokens.push(Token::Word(program.get(start..end)?));
            }
            _ => {
                let two = [
                    "||", "|&", "&&", ">>", ">=", "<=", "==", "!=", "++", "--", "+=", "-=", "*=",
                    "%=", "^=", "!~",
                ];
                let rest = program.get(start..)?;
                if let Some(mark) = two.iter().find(|mark| rest.starts_with(**mark)) {
                    chars.next();
                    tokens.push(Token::Mark(mark));
                } else {
                    let end = start + c.len_utf8();
                    tokens.push(Token::Mark(program.get(start..end)?));
                }
            }
        }
    }
    Some(tokens)
}

/// Words after which a slash starts a pattern.
const KEYWORDS: &[&str] = &[
    "print", "printf", "return", "in", "else", "do", "case", "getline", "delete", "exit", "BEGIN",
    "END", "and", "or", "not",
];

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn readers_are_plain() {
        for program in [
            "{print $1}",
            "NR>=10 && NR<=20",
            "$3 > 5",
            "{s+=$1} END {print s}",
            "/a|b/ {print}",
            "/foo\\/bar/ {print}",
            "{print $1/$2}",
            "{ if ($1 > 3) print; else print $2 }",
            "BEGIN{FS=\"|\"} {print (a > b)}",
            "# system(\"x\")\n1",
            "{print \"a > b | c\"}",
            "NR==FNR{a[$1];next} $1 in a",
            "{printf(\"%s\\n\", $1)}",
        ] {
            assert!(read(program).is_plain(), "{program}: {:?}", read(program));
        }
    }

    #[test]
    fn what_runs_reads_or_writes_is_found() {
        let runs = |p: &str| read(p).runs;
        assert_eq!(runs("BEGIN{system(\"rm x\")}"), [Some("rm x".to_owned())]);
        assert_eq!(runs("{system($0)}"), [None]);
        assert_eq!(runs("{print | \"sh\"}"), [Some("sh".to_owned())]);
        assert_eq!(runs("BEGIN{\"id\" | getline x}"), [Some("id".to_owned())]);
        assert_eq!(runs("BEGIN{\"rm \" f | getline}"), [None]);
        assert_eq!(read("{print > \"out\"}").writes, [Some("out".to_owned())]);
        assert_eq!(read("{print > \"out\" $1}").writes, [None]);
        assert_eq!(read("{print $1 > $2}").writes, [None]);
        assert_eq!(read("{print(1)>\"f\"}").writes, [Some("f".to_owned())]);
        assert_eq!(read("{ print \"x\" >> f }").writes, [None]);
        let file = read("BEGIN{while((getline l < \".env\")>0) print l}").reads;
        assert_eq!(file, [Some(".env".to_owned())]);
        assert!(read("@load \"x\"").opaque);
        assert!(read("BEGIN{ARGV[1]=\"/etc/passwd\";ARGC=2}").opaque);
        assert!(read("{ (x)/2 | \"sh\" }").opaque);
        assert!(read("{ print /[/]/ > \"x\" }").opaque);
    }
}
