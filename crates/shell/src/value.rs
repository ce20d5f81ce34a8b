//! What a word's expansions leave for certain.

use countersign_text::Span;

use crate::analysis::Certainty;
use crate::limits::Limits;
use crate::tree::{CommandKind, Piece, PieceKind, ProgramId, SourceId, Target, Tree, Word};

/// What is known of a variable where a word is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It has one of these values (one, for a plain assignment).
    Values(Vec<Vec<Atom>>),
    /// The home directory.
    Home,
    /// The current directory.
    Here,
    /// Digits, perhaps with a sign.
    Number,
    /// Anything.
    Nothing,
}

/// One character of a value, or something known only at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    Char(char, Mark),
    /// The home directory, from `~` or `$HOME`.
    Home,
    /// The current directory, from `$PWD` or `~+`.
    Here,
    Unknown {
        /// Inside quotes: yields exactly one piece of text.
        quoted: bool,
        /// Only digits (or a sign).
        number: bool,
        /// As typed.
        source: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Unquoted in the source.
    Bare,
    /// Quoted, escaped, or come from an expansion inside quotes.
    Quoted,
    /// Not quoted, but come from an expansion: a pattern, never a brace.
    Active,
}

/// One word a command may receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// As in [`crate::PathUse::text`].
    pub text: String,
    pub certainty: Certainty,
    /// Length of the part of `text` before anything unknown.
    pub known: usize,
    /// Whether any part was quoted or escaped.
    pub quoted: bool,
    /// The value as a shell pattern: `**` stands for what is not known.
    pub open: String,
    /// May be no word or several.
    pub splits: bool,
    /// Where in `text` a `~` stands that means the home directory.
    pub home: Option<usize>,
    /// Nothing but a process substitution.
    pub pipe: bool,
    /// Nothing but a number.
    pub number: bool,
}

impl Value {
    pub(crate) fn literal(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            certainty: Certainty::Literal,
            known: text.len(),
            quoted: false,
            open: escaped(text),
            splits: false,
            home: None,
            pipe: false,
            number: false,
        }
    }

    /// The text, when it is known for certain.
    pub(crate) fn exact(&self) -> Option<&str> {
        (self.certainty == Certainty::Literal).then_some(self.text.as_str())
    }

    pub(crate) fn known_prefix(&self) -> &str {
        self.text.get(..self.known).unwrap_or("")
    }
}

/// Looks a variable up; the flag tells whether the reference is quoted.
pub(crate) type Lookup<'l> = dyn Fn(&str) -> Known + 'l;

/// Expands words of one source.
pub(crate) struct Expander<'t, 'l> {
    pub tree: &'t Tree<'t>,
    pub source: SourceId,
    pub limits: Limits,
    pub lookup: &'l Lookup<'l>,
    /// `cat` may mean something else here.
    pub shadowed: bool,
}

impl Expander<'_, '_> {
    /// The text of a word that has no special character at all.
    fn raw(&self, span: Span) -> &str {
        self.tree.slice(self.source, span)
    }

    /// What `word` may become: one value per word after brace expansion.
    pub(crate) fn words(&self, word: &Word) -> Vec<Value> {
        if word.plain {
            return vec![Value::literal(self.raw(word.span))];
        }
        let atoms = self.atoms(&word.pieces, 0);
        let spread = if atoms.contains(&Atom::Char('{', Mark::Bare)) {
            match crate::braces::expand(&atoms, self.limits.braces) {
                Some(words) => words,
                None => {
                    return vec![self.unknown(word)];
                }
            }
        } else {
            vec![atoms]
        };
        let quoted = is_quoted(&word.pieces);
        let pipe =
            matches!(word.pieces.as_slice(), [one] if matches!(one.kind, PieceKind::Process(_)));
        spread
            .into_iter()
            .map(|atoms| Value {
                pipe,
                ..assemble(&atoms, quoted)
            })
            .collect()
    }

    /// The same without brace expansion: redirect targets of here-strings,
    /// subjects, operands of tests.
    pub(crate) fn single(&self, word: &Word) -> Value {
        if word.plain {
            return Value::literal(self.raw(word.span));
        }
        assemble(&self.atoms(&word.pieces, 0), is_quoted(&word.pieces))
    }

    /// The alternatives that variables with several known values yield.
    pub(crate) fn alternatives(&self, word: &Word) -> Vec<Value> {
        if word.plain {
            return self.words(word);
        }
        let Some(count) = self.choices(&word.pieces) else {
            return self.words(word);
        };
        let mut out = Vec::new();
        for choice in 1..=count.min(self.limits.braces) {
            let atoms = self.atoms(&word.pieces, choice);
            let spread = crate::braces::expand(&atoms, self.limits.braces);
            let quoted = is_quoted(&word.pieces);
            match spread {
                Some(words) => out.extend(words.iter().map(|a| assemble(a, quoted))),
                None => out.push(self.unknown(word)),
            }
        }
        out
    }

    fn unknown(&self, word: &Word) -> Value {
        Value {
            text: self.raw(word.span).to_owned(),
            certainty: Certainty::Computed,
            known: 0,
            quoted: false,
            open: UNKNOWN.to_owned(),
            splits: true,
            home: None,
            pipe: false,
            number: false,
        }
    }

    /// How many values the one variable has that has several; `None` when
    /// there is no such variable, or more than one.
    fn choices(&self, pieces: &[Piece]) -> Option<usize> {
        let mut found: Option<(String, usize)> = None;
        let mut clash = false;
        self.find_choices(pieces, &mut found, &mut clash);
        found.filter(|_| !clash).map(|(_, count)| count)
    }

    fn find_choices(
        &self,
        pieces: &[Piece],
        found: &mut Option<(String, usize)>,
        clash: &mut bool,
    ) {
        for piece in pieces {
            match &piece.kind {
                PieceKind::Double { pieces, .. } => self.find_choices(pieces, found, clash),
                PieceKind::Parameter(parameter) if parameter.bare => {
                    let Known::Values(values) = (self.lookup)(&parameter.name) else {
                        continue;
                    };
                    if values.len() < 2 {
                        continue;
                    }
                    match found {
                        Some((name, _)) if *name != parameter.name => *clash = true,
                        _ => *found = Some((parameter.name.clone(), values.len())),
                    }
                }
                _ => {}
            }
        }
    }

    /// `choice` 0 leaves variables with several values unknown; `n` takes the
    /// `n`th.
    pub(crate) fn atoms(&self, pieces: &[Piece], choice: usize) -> Vec<Atom> {
        let mut out = Vec::new();
        self.collect(pieces, false, choice, &mut out);
        tildes(&mut out);
        out
    }

    fn collect(&self, pieces: &[Piece], quoted: bool, choice: usize, out: &mut Vec<Atom>) {
        let mark = if quoted { Mark::Quoted } else { Mark::Bare };
        for piece in pieces {
            let raw = self.raw(piece.span);
            match &piece.kind {
                PieceKind::Literal => out.extend(raw.chars().map(|c| Atom::Char(c, mark))),
                PieceKind::Escaped => {
                    out.extend(raw.chars().skip(1).map(|c| Atom::Char(c, Mark::Quoted)));
                }
                PieceKind::Single => {
                    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
                    out.extend(inner.chars().map(|c| Atom::Char(c, Mark::Quoted)));
                }
                PieceKind::AnsiC(Some(text)) => {
                    out.extend(text.chars().map(|c| Atom::Char(c, Mark::Quoted)));
                }
                PieceKind::Double { pieces, .. } => self.collect(pieces, true, choice, out),
                PieceKind::Parameter(parameter) => {
                    let known = if parameter.bare {
                        (self.lookup)(&parameter.name)
                    } else if parameter.length && parameter.operator.is_none() {
                        Known::Number
                    } else {
                        Known::Nothing
                    };
                    self.parameter(known, raw, quoted, choice, out);
                }
                PieceKind::Arithmetic(_) => out.push(Atom::Unknown {
                    quoted,
                    number: true,
                    source: raw.to_owned(),
                }),
                PieceKind::Extglob(_) => out.push(Atom::Unknown {
                    quoted: false,
                    number: false,
                    source: raw.to_owned(),
                }),
                PieceKind::Command(program) if quoted && self.printed(*program).is_some() => {
                    let text = self.printed(*program).unwrap_or_default();
                    out.extend(text.chars().map(|c| Atom::Char(c, Mark::Quoted)));
                }
                PieceKind::Command(program)
                    if let Some(text) = self
                        .part_of_name(*program)
                        .filter(|text| quoted || text.chars().all(is_plain)) =>
                {
                    out.extend(text.chars().map(|c| Atom::Char(c, Mark::Quoted)));
                }
                PieceKind::AnsiC(None) | PieceKind::Command(_) | PieceKind::Process(_) => {
                    out.push(Atom::Unknown {
                        quoted: quoted || matches!(piece.kind, PieceKind::Process(_)),
                        number: false,
                        source: raw.to_owned(),
                    });
                }
            }
        }
    }

    /// What `$(cat <<'E' … )` yields: the text of the here-document, without
    /// the newlines at its end.
    fn printed(&self, id: ProgramId) -> Option<&str> {
        let program = self.tree.program(id)?;
        let [item] = program.items.as_slice() else {
            return None;
        };
        let command = self.tree.command(item.first)?;
        let CommandKind::Simple(simple) = &command.kind else {
            return None;
        };
        let ([word], [redirect]) = (simple.words.as_slice(), command.redirects.as_slice()) else {
            return None;
        };
        let word = self.tree.word(*word)?;
        let Target::Heredoc(heredoc) = redirect.target else {
            return None;
        };
        let redirect = self.tree.slice(command.source, redirect.span);
        if !word.plain
            || self.tree.slice(word.source, word.span) != "cat"
            || self.shadowed
            || item.background
            || !item.rest.is_empty()
            || !simple.assignments.is_empty()
            || !redirect.starts_with("<<")
        {
            return None;
        }
        let heredoc = self.tree.heredoc(heredoc)?;
        let text = self.tree.slice(heredoc.source, heredoc.body);
        let literal = heredoc
            .pieces
            .iter()
            .all(|piece| matches!(piece.kind, PieceKind::Literal));
        // Tabs and backslashes may be removed from the text.
        let same = !text.contains("\n\t") && !text.starts_with('\t');
        let plain = heredoc.quoted || !text.contains('\\');
        (literal && same && plain).then(|| text.trim_end_matches('\n'))
    }

    /// What `$(dirname a/b)` and `$(basename a/b)` yield.
    fn part_of_name(&self, id: ProgramId) -> Option<String> {
        let program = self.tree.program(id)?;
        let [item] = program.items.as_slice() else {
            return None;
        };
        let command = self.tree.command(item.first)?;
        let CommandKind::Simple(simple) = &command.kind else {
            return None;
        };
        let plain = command.redirects.is_empty()
            && simple.assignments.is_empty()
            && item.rest.is_empty()
            && !item.background
            && !self.shadowed;
        let [name, path] = simple.words.as_slice() else {
            return None;
        };
        let name = self.tree.word(*name).filter(|name| plain && name.plain)?;
        let value = self.single(self.tree.word(*path)?);
        let path = value
            .exact()
            .filter(|_| !value.splits && value.home.is_none())?;
        // `.` may stand for `$PWD`, which has another last part.
        let here = matches!(path, "" | "." | "..");
        if here || path.starts_with(['-', '~']) || path.ends_with(['/', '\n']) {
            return None;
        }
        let (directory, base) = path.rsplit_once('/').unwrap_or((".", path));
        match self.tree.slice(name.source, name.span) {
            "basename" => Some(base.to_owned()),
            "dirname" if directory.is_empty() => Some("/".to_owned()),
            "dirname" => Some(directory.trim_end_matches('/').to_owned())
                .filter(|directory| !directory.is_empty()),
            _ => None,
        }
    }

    fn parameter(&self, known: Known, raw: &str, quoted: bool, choice: usize, out: &mut Vec<Atom>) {
        let unknown = |number| Atom::Unknown {
            quoted,
            number,
            source: raw.to_owned(),
        };
        match known {
            Known::Home if out.is_empty() => out.push(Atom::Home),
            Known::Here if out.is_empty() => out.push(Atom::Here),
            Known::Number => out.push(unknown(true)),
            Known::Values(values) => {
                let at = if values.len() == 1 {
                    Some(0)
                } else {
                    choice.checked_sub(1)
                };
                match at.and_then(|i| values.get(i)) {
                    Some(value) if quoted || splits_nowhere(value) => {
                        // A home directory in the middle of a word is no path.
                        let misplaced = !out.is_empty()
                            && value.iter().any(|a| matches!(a, Atom::Home | Atom::Here));
                        if misplaced {
                            out.push(unknown(false));
                        } else {
                            out.extend(value.iter().cloned());
                        }
                    }
                    _ => out.push(unknown(false)),
                }
            }
            _ => out.push(unknown(false)),
        }
    }
}

/// A character that means itself, quoted or not.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:@%+,=-".contains(c)
}

/// Whether a value stays one word, and the same, when its variable is not
/// quoted.
fn splits_nowhere(value: &[Atom]) -> bool {
    !value.is_empty()
        && value.iter().all(|atom| match atom {
            Atom::Char(c, mark) => *mark != Mark::Active && is_plain(*c),
            Atom::Home | Atom::Here => true,
            Atom::Unknown { .. } => false,
        })
}

pub(crate) fn is_quoted(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| {
        matches!(
            piece.kind,
            PieceKind::Escaped | PieceKind::Single | PieceKind::AnsiC(_) | PieceKind::Double { .. }
        )
    })
}

/// Puts the home directory in the place of an unquoted leading `~`, also
/// after the `=` of `name=~/x` and the colons that follow.
fn tildes(atoms: &mut Vec<Atom>) {
    let mut starts = vec![0];
    let name_end = atoms.iter().position(
        |a| !matches!(a, Atom::Char(c, Mark::Bare) if *c == '_' || c.is_ascii_alphanumeric()),
    );
    if let Some(end) = name_end
        && end > 0
        && atoms.get(end) == Some(&Atom::Char('=', Mark::Bare))
    {
        starts.push(end + 1);
        for (i, atom) in atoms.iter().enumerate().skip(end + 1) {
            if *atom == Atom::Char(':', Mark::Bare) {
                starts.push(i + 1);
            }
        }
    }
    for start in starts.into_iter().rev() {
        if atoms.get(start) != Some(&Atom::Char('~', Mark::Bare)) {
            continue;
        }
        let rest = atoms.get(start + 1..).unwrap_or_default();
        let name: Vec<&Atom> = rest
            .iter()
            .take_while(|a| !matches!(a, Atom::Char('/' | ':', Mark::Bare)))
            .collect();
        let length = name.len();
        let replacement = match name.as_slice() {
            [] => Atom::Home,
            [Atom::Char('+', Mark::Bare)] => Atom::Here,
            name if name.iter().all(|a| matches!(a, Atom::Char(_, Mark::Bare))) => {
                let text: String = name
                    .iter()
                    .filter_map(|a| match a {
                        Atom::Char(c, _) => Some(*c),
                        _ => None,
                    })
                    .collect();
                Atom::Unknown {
                    quoted: true,
                    number: false,
                    source: format!("~{text}"),
                }
            }
            _ => continue,
        };
        atoms.splice(start..start + 1 + length, [replacement]);
    }
}

/// Whether the atom at `i` is a pattern's; `close` is the last place where a
/// bracket could end.
fn is_glob(atoms: &[Atom], i: usize, close: Option<usize>) -> bool {
    match atoms.get(i) {
        Some(Atom::Char('*' | '?', Mark::Bare | Mark::Active)) => true,
        Some(Atom::Char('[', Mark::Bare | Mark::Active)) => close.is_some_and(|close| close > i),
        _ => false,
    }
}

/// What stands for anything in [`Value::open`].
pub(crate) const UNKNOWN: &str = "**";

fn push_unknown(open: &mut String) {
    if !open.ends_with(UNKNOWN) {
        open.push_str(UNKNOWN);
    }
}

/// A character that stands for itself in a shell pattern.
fn push_known(open: &mut String, c: char) {
    if "*?[]()\\".contains(c) {
        open.push('\\');
    }
    open.push(c);
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_known(&mut out, c);
    }
    out
}

/// One word's value from its characters.
pub(crate) fn assemble(atoms: &[Atom], quoted: bool) -> Value {
    let number_only = |a: &Atom| matches!(a, Atom::Unknown { number: true, .. });
    let computed = atoms
        .iter()
        .any(|a| matches!(a, Atom::Unknown { number: false, .. }));
    let close = atoms
        .iter()
        .rposition(|a| matches!(a, Atom::Char(']', _) | Atom::Unknown { .. }));
    let glob = (0..atoms.len()).any(|i| is_glob(atoms, i, close)) || atoms.iter().any(number_only);
    let certainty = match (computed, glob) {
        (true, _) => Certainty::Computed,
        (false, true) => Certainty::Glob,
        (false, false) => Certainty::Literal,
    };
    let mut text = String::new();
    let mut open = String::new();
    let mut known = None;
    let mut home = None;
    let mut splits = false;
    if matches!(atoms.first(), Some(Atom::Char('~', _))) {
        let tail = matches!(atoms.get(1), None | Some(Atom::Char('/', _)));
        if tail {
            text.push_str("./");
        }
    }
    for (i, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Char(c, mark) => {
                if is_glob(atoms, i, close) {
                    known.get_or_insert(text.len());
                    text.push(*c);
                    push_unknown(&mut open);
                    splits |= *mark == Mark::Bare;
                    continue;
                }
                let in_class = *c == ']' && *mark != Mark::Quoted;
                if certainty == Certainty::Glob && "*?[]\\".contains(*c) && !in_class {
                    text.push('\\');
                }
                text.push(*c);
                push_known(&mut open, *c);
            }
            Atom::Home => {
                home = Some(text.len());
                text.push('~');
                open.push('~');
            }
            Atom::Here => {
                text.push('.');
                open.push('.');
            }
            Atom::Unknown {
                quoted,
                number,
                source,
            } => {
                known.get_or_insert(text.len());
                if *number && certainty == Certainty::Glob {
                    text.push('*');
                } else {
                    text.push_str(source);
                }
                push_unknown(&mut open);
                splits |= !quoted && !number;
            }
        }
    }
    let known = known.unwrap_or(text.len());
    Value {
        text,
        certainty,
        known,
        quoted,
        open,
        splits,
        home,
        pipe: false,
        number: matches!(atoms, [one] if number_only(one)),
    }
}
