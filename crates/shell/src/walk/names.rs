//! What the whole text says about names: which variables are set where, and
//! whether their values can be trusted.

use std::collections::{HashMap, HashSet};

use countersign_text::Span;

use crate::tree::{
    AssignedValue, Assignment, CommandKind, Piece, PieceKind, ProgramId, RedirectKind, Simple,
    SourceId, TestItem, Tree, Word, WordId,
};

/// One variable as the whole text treats it.
#[derive(Clone, Copy, Debug)]
struct Sites {
    count: u32,
    /// Every value set here is a number.
    number: bool,
    /// Every value set here is a name or a number.
    name: bool,
}

/// Facts about all names of one text.
#[derive(Debug, Default)]
pub(super) struct Names {
    sites: HashMap<String, Sites>,
    /// Something may set any variable.
    pub wild: bool,
    /// Something may change the directory.
    pub moves: bool,
    /// The positional parameters may be anything.
    pub positional: bool,
    /// The last stage of a pipeline may run in this shell.
    pub last_in_shell: bool,
    /// Patterns may match more than usual.
    pub odd_globs: bool,
    /// Some quoted text would run something if it were evaluated.
    pub suspicious: bool,
    pub functions: HashSet<String>,
}

/// Builtins that set the variables their arguments name.
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "wait",
    "shift",
];

/// Variables whose value bash itself changes.
const SPECIAL: &[&str] = &[
    "IFS", "PWD", "OLDPWD", "HOME", "PATH", "REPLY", "OPTARG", "OPTIND", "LINENO", "SECONDS",
    "RANDOM", "_",
];

/// Parameters that are always numbers.
const NUMBERS: &[&str] = &[
    "#",
    "?",
    "$",
    "!",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
    "EPOCHSECONDS",
    "BASHPID",
];

impl Names {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut names = Self {
            moves: tree.moves,
            ..Self::default()
        };
        for source in &tree.sources {
            let text: &str = &source.text;
            names.last_in_shell |= text.contains("lastpipe");
            names.odd_globs |= ["dotglob", "GLOBIGNORE", "nocaseglob", "nullglob"]
                .iter()
                .any(|word| text.contains(word));
        }
        for command in &tree.commands {
            names.command(tree, command.source, &command.kind);
            for redirect in &command.redirects {
                if let Some(variable) = &redirect.variable {
                    names.set(variable, true, false);
                }
                if redirect.kind == RedirectKind::HereString {
                    continue;
                }
            }
        }
        for word in tree.words.iter().filter(|word| !word.plain) {
            names.pieces(tree, word.source, &word.pieces);
        }
        for heredoc in &tree.heredocs {
            names.pieces(tree, heredoc.source, &heredoc.pieces);
        }
        names
    }

    fn set(&mut self, name: &str, number: bool, plain: bool) {
        let name = name.split('[').next().unwrap_or(name);
        let sites = self.sites.entry(name.to_owned()).or_insert(Sites {
            count: 0,
            number: true,
            name: true,
        });
        sites.count += 1;
        sites.number &= number;
        sites.name &= plain;
    }

    /// Whether the text sets `name` anywhere.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.wild || self.sites.contains_key(name)
    }

    /// Whether `name` is set in exactly one place, by something visible.
    pub(super) fn set_once(&self, name: &str) -> bool {
        !self.wild
            && !SPECIAL.contains(&name)
            && !name.starts_with("BASH")
            && !self.sites.contains_key("IFS")
            && self.sites.get(name).is_some_and(|sites| sites.count == 1)
    }

    /// Whether the value of `name` is a number, or comes from the environment.
    pub(super) fn harmless_number(&self, name: &str) -> bool {
        if NUMBERS.contains(&name) {
            return true;
        }
        if matches!(name, "@" | "*" | "_" | "REPLY")
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            return !self.positional && name != "_" && name != "REPLY";
        }
        self.sites.get(name).is_none_or(|sites| sites.number)
    }

    /// Whether the value of `name` can only be a name when it is used as one.
    pub(super) fn harmless_name(&self, name: &str) -> bool {
        if name.starts_with(|c: char| c.is_ascii_digit()) || matches!(name, "@" | "*") {
            return !self.positional;
        }
        self.sites.get(name).is_none_or(|sites| sites.name)
    }

    fn command(&mut self, tree: &Tree<'_>, source: SourceId, kind: &CommandKind) {
        match kind {
            CommandKind::Simple(simple) => self.simple(tree, source, simple),
            CommandKind::For { name, values, .. } => {
                let number = values.as_ref().is_some_and(|values| {
                    values
                        .iter()
                        .all(|v| tree.word(*v).is_some_and(|w| numbers_only(tree, w)))
                });
                if let Some(text) = plain_text(tree, *name) {
                    self.set(text, number, number);
                } else {
                    self.wild = true;
                }
            }
            CommandKind::Test(items) => {
                // `[[ x=1 -eq 1 ]]` assigns.
                for item in items {
                    let TestItem::Word(id) = item else { continue };
                    let text = plain_text(tree, *id).unwrap_or("");
                    if text.contains('=') || text.contains("++") || text.contains("--") {
                        for name in identifiers(text) {
                            self.set(name, true, true);
                        }
                    }
                }
            }
            CommandKind::ForArithmetic { header, .. } => self.arithmetic(tree, source, header),
            CommandKind::Arithmetic(pieces) => self.arithmetic(tree, source, pieces),
            CommandKind::Function { name, .. } => {
                self.positional = true;
                match plain_text(tree, *name) {
                    Some(text) => {
                        self.functions.insert(text.to_owned());
                    }
                    None => self.wild = true,
                }
            }
            CommandKind::Coproc { name, .. } => {
                let name = name.and_then(|name| plain_text(tree, name));
                let name = name.unwrap_or("COPROC").to_owned();
                self.set(&name, true, false);
            }
            _ => {}
        }
    }

    fn simple(&mut self, tree: &Tree<'_>, source: SourceId, simple: &Simple) {
        for assignment in &simple.assignments {
            self.assignment(tree, source, assignment);
        }
        let Some((first, rest)) = simple.words.split_first() else {
            return;
        };
        let Some(name) = plain_text(tree, *first) else {
            self.wild = true;
            return;
        };
        match name {
            "eval" | "source" | "." | "trap" | "alias" | "enable" | "builtin" | "command" => {
                let inner = rest.first().and_then(|word| plain_text(tree, *word));
                self.wild |= name != "command"
                    || inner.is_none_or(|t| {
                        SETTERS.contains(&t) || matches!(t, "eval" | "." | "source" | "trap")
                    });
            }
            "set" => self.positional = true,
            "printf"
                if !rest
                    .first()
                    .and_then(|word| plain_text(tree, *word))
                    .is_none_or(|text| text.starts_with("-v")) => {}
            _ if SETTERS.contains(&name) => self.setter(tree, source, name, rest),
            _ => {}
        }
    }

    /// The arguments of a builtin that sets variables.
    fn setter(&mut self, tree: &Tree<'_>, source: SourceId, builtin: &str, words: &[WordId]) {
        let declares = matches!(
            builtin,
            "declare" | "export" | "local" | "readonly" | "typeset" | "unset"
        );
        for id in words {
            let Some(word) = tree.word(*id) else { continue };
            if let Some(assignment) = &word.assignment {
                self.assignment(tree, source, assignment);
                // An attribute may change the value: not a plain assignment.
                self.set(&assignment.name, true, true);
                continue;
            }
            match plain_text(tree, *id) {
                // A reference lets a name set another.
                Some(text) if text.starts_with('-') => {
                    self.wild |= declares && text.contains('n');
                    // `printf -vname`, `read -aname`
                    if let Some(name) = text.get(2..).filter(|name| !name.is_empty()) {
                        self.set(name, declares, declares);
                    }
                }
                // A declaration alone gives it no value.
                Some(text) => self.set(text, declares, declares),
                None => match literal_start(tree, word) {
                    Some(name) => self.set(&name, false, false),
                    None => self.wild = true,
                },
            }
        }
        self.set("REPLY", false, false);
        self.set("MAPFILE", false, false);
    }

    fn assignment(&mut self, tree: &Tree<'_>, source: SourceId, assignment: &Assignment) {
        let word = |id: &WordId| tree.word(*id);
        let (number, plain) = match &assignment.value {
            AssignedValue::Word(id) => word(id).map_or((false, false), |w| {
                (numbers_only(tree, w), name_only(tree, w))
            }),
            AssignedValue::Array(ids) => (
                ids.iter()
                    .all(|id| word(id).is_some_and(|w| numbers_only(tree, w))),
                ids.iter()
                    .all(|id| word(id).is_some_and(|w| name_only(tree, w))),
            ),
        };
        self.set(&assignment.name, number, plain);
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(tree, source, subscript);
            self.set(&assignment.name, number, plain);
        }
    }

    fn pieces(&mut self, tree: &Tree<'_>, source: SourceId, pieces: &[Piece]) {
        for piece in pieces {
            match &piece.kind {
                PieceKind::Double { pieces, .. } | PieceKind::Extglob(pieces) => {
                    self.pieces(tree, source, pieces);
                }
                PieceKind::Arithmetic(pieces) => self.arithmetic(tree, source, pieces),
                PieceKind::Parameter(parameter) => {
                    if parameter.operator == Some('=') {
                        self.set(&parameter.name, false, false);
                    }
                    if let Some(subscript) = &parameter.subscript {
                        self.arithmetic(tree, source, subscript);
                    }
                    if parameter.substring {
                        self.arithmetic(tree, source, &parameter.rest);
                    } else {
                        self.pieces(tree, source, &parameter.rest);
                    }
                }
                PieceKind::Single | PieceKind::Escaped => {
                    let text = tree.slice(source, piece.span);
                    self.suspicious |= text.contains("$(") || text.contains('`') || text == "\\$";
                }
                PieceKind::AnsiC(text) => {
                    self.suspicious |= text.as_ref().is_none_or(|text| text.contains(['$', '`']));
                }
                PieceKind::Literal | PieceKind::Command(_) | PieceKind::Process(_) => {}
            }
        }
    }

    /// Every identifier in arithmetic may be set there, to a number.
    fn arithmetic(&mut self, tree: &Tree<'_>, source: SourceId, pieces: &[Piece]) {
        for piece in pieces {
            if matches!(piece.kind, PieceKind::Literal) {
                for name in identifiers(tree.slice(source, piece.span)) {
                    self.set(name, true, true);
                }
            }
        }
        self.pieces(tree, source, pieces);
    }

    /// Why evaluating the literal `text` as arithmetic may run something.
    pub(super) fn unsafe_names(&self, text: &str) -> Option<String> {
        identifiers(text)
            .find(|name| !self.harmless_number(name))
            .map(|name| {
                format!("evaluates `{name}` as arithmetic, whose value is not known to be a number")
            })
    }

    /// Why evaluating `pieces` as arithmetic may run something unseen.
    pub(super) fn unsafe_arithmetic(
        &self,
        tree: &Tree<'_>,
        source: SourceId,
        pieces: &[Piece],
    ) -> Option<(Span, String)> {
        for piece in pieces {
            let raw = tree.slice(source, piece.span);
            let problem = match &piece.kind {
                PieceKind::Literal => identifiers(raw)
                    .find(|name| !self.harmless_number(name))
                    .map(|name| format!("evaluates `{name}` as arithmetic, whose value is not known to be a number")),
                PieceKind::Escaped | PieceKind::Single | PieceKind::AnsiC(_) => {
                    Some("quoted text in arithmetic is evaluated again".to_owned())
                }
                PieceKind::Parameter(parameter) => {
                    let known = parameter.length
                        || (!parameter.indirect && self.harmless_number(&parameter.name));
                    if known {
                        self.unsafe_arithmetic(tree, source, &parameter.rest)
                            .map(|(_, note)| note)
                    } else {
                        Some(format!(
                            "evaluates `{raw}` as arithmetic, whose value is not known to be a number"
                        ))
                    }
                }
                PieceKind::Command(program) if !prints_number(tree, *program) => Some(format!(
                    "evaluates the output of `{raw}` as arithmetic"
                )),
                PieceKind::Double { pieces, .. } | PieceKind::Extglob(pieces) => self
                    .unsafe_arithmetic(tree, source, pieces)
                    .map(|(_, note)| note),
                PieceKind::Command(_) | PieceKind::Process(_) | PieceKind::Arithmetic(_) => None,
            };
            if let Some(note) = problem {
                return Some((piece.span, note));
            }
        }
        None
    }
}

/// The text of a word without any special character.
pub(super) fn plain_text<'t>(tree: &'t Tree<'_>, id: WordId) -> Option<&'t str> {
    let word = tree.word(id)?;
    if !word.plain {
        return None;
    }
    Some(tree.slice(word.source, word.span))
}

/// The name before the first `[` or `=` of a word that starts literally.
fn literal_start(tree: &Tree<'_>, word: &Word) -> Option<String> {
    let first = word.pieces.first()?;
    if !matches!(first.kind, PieceKind::Literal) {
        return None;
    }
    let raw = tree.slice(word.source, first.span);
    let end = raw.find(['[', '='])?;
    let name = raw.get(..end)?;
    identifiers(name)
        .next()
        .filter(|n| *n == name)
        .map(str::to_owned)
}

/// The identifiers in an arithmetic text.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c == '_' || c.is_ascii_alphanumeric()))
        .filter(|part| part.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()))
}

fn numbers_only(tree: &Tree<'_>, word: &Word) -> bool {
    let digits = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'{' | b'}' | b'.' | b','))
    };
    if word.plain {
        return digits(tree.slice(word.source, word.span));
    }
    number_pieces(tree, word.source, &word.pieces, &digits)
}

fn number_pieces(
    tree: &Tree<'_>,
    source: SourceId,
    pieces: &[Piece],
    digits: &dyn Fn(&str) -> bool,
) -> bool {
    pieces.iter().all(|piece| match &piece.kind {
        PieceKind::Literal => digits(tree.slice(source, piece.span)),
        PieceKind::Single => digits(tree.slice(source, piece.span).trim_matches('\'')),
        PieceKind::Double { pieces, .. } => number_pieces(tree, source, pieces, digits),
        PieceKind::Arithmetic(_) => true,
        PieceKind::Parameter(parameter) => {
            (parameter.length && parameter.operator.is_none())
                || (parameter.bare && NUMBERS.contains(&parameter.name.as_str()))
        }
        PieceKind::Command(program) => prints_number(tree, *program),
        _ => false,
    })
}

fn name_only(tree: &Tree<'_>, word: &Word) -> bool {
    word.plain
        && tree
            .slice(word.source, word.span)
            .bytes()
            .all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

/// Whether the output of a program can only be a number.
fn prints_number(tree: &Tree<'_>, id: ProgramId) -> bool {
    let Some(program) = tree.program(id) else {
        return false;
    };
    let [item] = program.items.as_slice() else {
        return false;
    };
    if !item.rest.is_empty() || item.background {
        return false;
    }
    let mut kind = tree.command(item.first).map(|c| &c.kind);
    if let Some(CommandKind::Pipeline { stages, .. }) = kind {
        kind = stages
            .last()
            .and_then(|s| tree.command(*s))
            .map(|c| &c.kind);
    }
    let Some(CommandKind::Simple(simple)) = kind else {
        return false;
    };
    let words: Vec<Option<&str>> = simple.words.iter().map(|w| plain_text(tree, *w)).collect();
    match words.as_slice() {
        [Some("wc"), options @ ..] => {
            options.len() == 1
                && options
                    .iter()
                    .all(|o| o.is_some_and(|o| o.starts_with('-')))
        }
        [
            Some("date"),
            Some("+%s" | "+%N" | "+%s%N" | "+%Y" | "+%Y%m%d" | "+%s%3N"),
        ]
        | [Some("nproc")]
        | [Some("id"), Some("-u" | "-g")] => true,
        [Some("seq"), ..] => words
            .iter()
            .skip(1)
            .all(|w| w.is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit() || b == b'-'))),
        _ => false,
    }
}
