//! The language of `sed`, as far as needed to know what a script runs,
//! reads and writes.
//!
//! Whether a delimiter inside a bracket expression ends a pattern differs
//! between GNU and BSD `sed`, so a script is read both ways.

/// What a script does beyond transforming its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SedUse {
    /// Commands it runs; `None` where the text comes from the input.
    pub runs: Vec<Option<String>>,
    /// Files it writes.
    pub writes: Vec<String>,
    /// Files it reads.
    pub reads: Vec<String>,
    /// It only uses the commands on the list of proven ones.
    pub proven: bool,
}

/// Reads a script; `None` when it cannot be read.
pub(super) fn read(script: &str) -> Option<SedUse> {
    let plain = Parser::new(script, false).script();
    let brackets = Parser::new(script, true).script();
    let (mut found, other) = match (plain, brackets) {
        (Some(found), Some(other)) => (found, other),
        // What one of them cannot read, it does not run.
        (Some(one), None) | (None, Some(one)) => (one, SedUse::default()),
        (None, None) => return None,
    };
    if found != other {
        found.proven = false;
        found.runs.extend(other.runs);
        found.writes.extend(other.writes);
        found.reads.extend(other.reads);
    }
    Some(found)
}

struct Parser<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    brackets: bool,
    found: SedUse,
}

impl<'a> Parser<'a> {
    fn new(script: &'a str, brackets: bool) -> Self {
        Self {
            rest: script.chars().peekable(),
            brackets,
            found: SedUse {
                proven: true,
                ..SedUse::default()
            },
        }
    }

    fn script(mut self) -> Option<SedUse> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';');
            if self.rest.peek().is_none() {
                return Some(self.found);
            }
            self.command()?;
        }
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        while self.rest.next_if(|c| what(*c)).is_some() {}
    }

    fn blanks(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    fn command(&mut self) -> Option<()> {
        if self.address()? {
            self.blanks();
            if self.rest.next_if_eq(&',').is_some() {
                self.blanks();
                if self.rest.next_if(|c| *c == '+' || *c == '~').is_some() {
                    self.number();
                } else if !self.address()? {
                    return None;
                }
            }
        }
        self.skip(|c| c == ' ' || c == '\t' || c == '!');
        match self.rest.next()? {
            '#' => {
                self.line();
            }
            ':' => {
                self.blanks();
                self.label();
            }
            '{' => {}
            '}' => self.end()?,
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()?;
            }
            'l' | 'q' | 'Q' | 'L' => {
                self.blanks();
                self.number();
                self.end()?;
            }
            'b' | 't' | 'T' => {
                self.blanks();
                self.label();
            }
            'a' | 'i' | 'c' => {
                self.found.proven = false;
                self.text();
            }
            'v' => {
                self.found.proven = false;
                self.blanks();
                self.label();
            }
            'r' | 'R' => {
                self.found.proven = false;
                let file = self.file();
                self.found.reads.extend(file);
            }
            'w' | 'W' => {
                self.found.proven = false;
                let file = self.file();
                self.found.writes.extend(file);
            }
            'e' => {
                self.found.proven = false;
                let command = self.line().trim().to_owned();
                let command = (!command.is_empty()).then_some(command);
                self.found.runs.push(command);
            }
            'y' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter, false)?;
                self.until(delimiter, false)?;
                self.end()?;
            }
            's' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter, true)?;
                self.until(delimiter, false)?;
                self.flags()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// An address; whether there was one.
    fn address(&mut self) -> Option<bool> {
        match self.rest.peek().copied() {
            Some('0'..='9') => {
                self.number();
                self.blanks();
                if self.rest.next_if_eq(&'~').is_some() {
                    self.blanks();
                    self.number();
                }
            }
            Some('$') => {
                self.rest.next();
            }
            Some('/') => {
                self.rest.next();
                self.until('/', true)?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            Some('\\') => {
                self.rest.next();
                let delimiter = self.delimiter()?;
                self.until(delimiter, true)?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn number(&mut self) {
        self.skip(|c| c.is_ascii_digit());
    }

    fn delimiter(&mut self) -> Option<char> {
        let delimiter = self.rest.next()?;
        if !delimiter.is_ascii_punctuation() {
            self.found.proven = false;
        }
        (delimiter != '\\' && delimiter != '\n').then_some(delimiter)
    }

    /// Skips up to and including an unescaped delimiter.
    fn until(&mut self, delimiter: char, pattern: bool) -> Option<()> {
        let mut bracket = false;
        let mut start = false;
        loop {
            let c = self.rest.next()?;
            let first = std::mem::take(&mut start);
            if pattern && self.brackets && bracket {
                // `]` right after `[` or `[^` is itself.
                if c == ']' && !first {
                    bracket = false;
                }
                start = first && c == '^';
                if c == '\n' {
                    return None;
                }
                continue;
            }
            match c {
                '\\' => {
                    self.rest.next()?;
                }
                '\n' => return None,
                _ if c == delimiter => return Some(()),
                '[' => {
                    bracket = true;
                    start = true;
                }
                _ => {}
            }
        }
    }

    fn flags(&mut self) -> Option<()> {
        loop {
            match self.rest.peek().copied() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.rest.next();
                }
                Some('e') => {
                    self.rest.next();
                    self.found.proven = false;
                    self.found.runs.push(None);
                }
                Some('w') => {
                    self.rest.next();
                    self.found.proven = false;
                    let file = self.file();
                    self.found.writes.extend(file);
                    return Some(());
                }
                _ => return self.end(),
            }
        }
    }

    /// What may stand after a command.
    fn end(&mut self) -> Option<()> {
        self.blanks();
        match self.rest.peek() {
            None | Some('\n' | ';' | '}' | '#') => Some(()),
            Some('\r') => {
                self.rest.next();
                Some(())
            }
            Some(_) => None,
        }
    }

    fn label(&mut self) {
        self.skip(|c| !c.is_whitespace() && c != ';');
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        for c in self.rest.by_ref() {
            if c == '\n' {
                break;
            }
            line.push(c);
        }
        line
    }

    fn file(&mut self) -> Option<String> {
        self.blanks();
        let file = self.line();
        let device = matches!(file.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/stdin");
        (!file.is_empty() && !device).then_some(file)
    }

    /// The text of `a`, `i` and `c`: up to a line end that is not escaped.
    fn text(&mut self) {
        self.blanks();
        if self.rest.next_if_eq(&'\\').is_some() {
            self.blanks();
            self.rest.next_if_eq(&'\n');
        }
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn plain_scripts_are_proven() {
        for script in [
            "1,80p",
            "s/a/b/g",
            "/x/,/y/p",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "y/abc/xyz/",
            "s|/etc/x|/opt/y|g",
            "\\,x,d",
            "0~3d",
            "/a/I{p;d}",
            "# note\np",
            "1!G;h;$!d",
            "/foo/,+3p",
            "s/a/\\\nb/",
            "10q",
            "5,10!d",
        ] {
            assert!(read(script).is_some_and(|u| u.proven), "{script}");
        }
    }

    #[test]
    fn what_runs_or_writes_is_found() {
        assert_eq!(read("s/b/w out/").map(|u| u.writes.len()), Some(0));
        assert_eq!(
            read("s/a/b/w out").map(|u| u.writes),
            Some(vec!["out".to_owned()])
        );
        assert_eq!(
            read("1e id").map(|u| u.runs),
            Some(vec![Some("id".to_owned())])
        );
        assert_eq!(read("s/a/b/e").map(|u| u.runs), Some(vec![None]));
        assert_eq!(
            read("r /etc/x\np").map(|u| u.reads),
            Some(vec!["/etc/x".to_owned()])
        );
        assert_eq!(read("a hello\ne id").map(|u| u.runs.len()), Some(1));
        assert_eq!(read("a\\\nhello\ne id").map(|u| u.runs.len()), Some(1));
        // One reading hides the `w`, the other does not.
        assert_eq!(
            read("s/[/]/w x/p").map(|u| u.writes),
            Some(vec!["x/p".to_owned()])
        );
        assert_eq!(
            read("s/[/]/x/").map(|u| (u.proven, u.runs.len())),
            Some((false, 0))
        );
        assert_eq!(read("s/a"), None);
        assert_eq!(read("k"), None);
    }
}
