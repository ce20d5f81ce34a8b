//! Whether a pattern and a shell glob speak of the same files: `cat .en?` must
//! not slip past `*.env: deny`.

use super::segment::{Segments, Symbol};
use super::{Pattern, fold_text};

/// One symbol of a shell glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    Char(char),
    /// One character that is no separator: `?` or `[…]`.
    One,
    /// One character, a separator too.
    AnyOne,
    /// Any run without a separator.
    Run,
    /// Any run at all: what is not modelled.
    Anything,
}

/// More steps than this are not worth their time: the careful answer is given
/// unseen.
const MAX_STEPS: usize = 16 << 20;

impl Pattern {
    /// Whether some string could match both this pattern and the shell glob.
    /// In doubt yes. In `glob`, `\` takes the next character's meaning away.
    #[must_use]
    pub fn may_match_glob(&self, glob: &str) -> bool {
        let parsed = Glob::new(glob, self.folds());
        self.may_match(&parsed)
    }

    /// Whether every string the shell glob could stand for matches this
    /// pattern. In doubt no.
    #[must_use]
    pub fn covers_glob(&self, glob: &str) -> bool {
        let parsed = Glob::new(glob, self.folds());
        self.covers(&parsed)
    }

    /// Whether some value matches both patterns.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.variants().any(|mine| {
            other
                .variants()
                .any(|theirs| meets(&mine.symbols(), &atoms_of(theirs), '\0'))
        })
    }

    /// Whether every value that matches `other` matches this pattern. In doubt
    /// no.
    #[must_use]
    pub fn covers_pattern(&self, other: &Self) -> bool {
        other.variants().all(|theirs| {
            let theirs = atoms_of(theirs);
            self.variants()
                .any(|mine| includes(&mine.symbols(), &theirs))
        })
    }

    /// A value that matches, with `filler` in place of each wildcard.
    #[must_use]
    pub fn instance(&self, filler: &str) -> String {
        self.full
            .symbols()
            .into_iter()
            .map(|symbol| match symbol {
                Symbol::Char(c) => c.to_string(),
                Symbol::One => filler.chars().next().unwrap_or('x').to_string(),
                Symbol::Star => filler.to_owned(),
            })
            .collect()
    }

    /// The pattern, and without its optional tail where it has one.
    fn variants(&self) -> impl Iterator<Item = &Segments> {
        std::iter::once(&self.full).chain(&self.bare)
    }

    /// The text every matching value starts with.
    pub(crate) fn prefix(&self) -> &str {
        let prefix = self.full.prefix();
        // The optional tail may cut the prefix short by its blank.
        if self.bare.is_some() {
            prefix.trim_end_matches(' ')
        } else {
            prefix
        }
    }

    pub(crate) fn may_match(&self, glob: &Glob) -> bool {
        let prefix = self.prefix();
        let shared = prefix.len().min(glob.prefix.len());
        if prefix.as_bytes().get(..shared) != glob.prefix.as_bytes().get(..shared) {
            return false;
        }
        // An optional tail ends in a star, so nothing is known of the end.
        let suffix = self.full.suffix();
        let shared = suffix.len().min(glob.suffix.len());
        if ending(suffix, shared) != ending(&glob.suffix, shared) {
            return false;
        }
        // Folding has turned every separator into the one of Windows.
        let separator = if self.folds() { '\\' } else { '/' };
        // A glob that matches no file is handed on as it stands.
        if self.matches_folded(&glob.unexpanded) {
            return true;
        }
        let possible = |text: &str| match &glob.runs {
            Some(runs) => runs.may_contain(text, separator),
            None => true,
        };
        self.required().all(|(text, ..)| possible(text))
            && self
                .variants()
                .any(|s| meets(&s.symbols(), &glob.atoms, separator))
    }

    pub(crate) fn covers(&self, glob: &Glob) -> bool {
        self.matches_folded(&glob.unexpanded)
            && self.variants().any(|s| includes(&s.symbols(), &glob.atoms))
    }
}

fn ending(text: &str, length: usize) -> &[u8] {
    let bytes = text.as_bytes();
    bytes.get(bytes.len() - length..).unwrap_or(bytes)
}

/// A shell glob, read once for many patterns.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    atoms: Vec<Atom>,
    /// The text before the first wildcard.
    prefix: String,
    /// The text after the last wildcard.
    suffix: String,
    /// What tells quickly which texts it cannot contain.
    runs: Option<Runs>,
    /// The text bash uses when no file matches.
    unexpanded: String,
}

/// The atoms of a short glob as bits, to ask for a text in a step a character.
#[derive(Clone, Debug)]
struct Runs {
    chars: Vec<(char, u64)>,
    one: u64,
    run: u64,
}

impl Runs {
    /// `None` for a glob of which too little is known, or that is too long.
    fn new(atoms: &[Atom]) -> Option<Self> {
        let mut out = Self {
            chars: Vec::new(),
            one: 0,
            run: 0,
        };
        for (at, atom) in atoms.iter().enumerate() {
            let bit = 1_u64.checked_shl(u32::try_from(at).ok()?)?;
            match atom {
                Atom::Char(c) => match out.chars.iter_mut().find(|(known, _)| known == c) {
                    Some((_, bits)) => *bits |= bit,
                    None => out.chars.push((*c, bit)),
                },
                Atom::One => out.one |= bit,
                Atom::Run => out.run |= bit,
                Atom::AnyOne | Atom::Anything => return None,
            }
        }
        Some(out)
    }

    /// Whether something it could stand for contains `text`.
    fn may_contain(&self, text: &str, separator: char) -> bool {
        // The atoms that may have given the last character.
        let mut last = None;
        for c in text.chars() {
            let own = self.chars.iter().find(|(known, _)| *known == c);
            let wild = if c == separator {
                0
            } else {
                self.one | self.run
            };
            let gives = own.map_or(0, |(_, bits)| *bits) | wild;
            let now = match last {
                None => gives,
                Some(last) => {
                    let after = last << 1;
                    // A run goes on, or is empty; two never stand together.
                    gives & (after | (last & self.run) | ((after & self.run) << 1))
                }
            };
            if now == 0 {
                return false;
            }
            last = Some(now);
        }
        true
    }
}

impl Glob {
    pub(crate) fn new(text: &str, fold: bool) -> Self {
        let mut atoms = Vec::new();
        let mut unexpanded = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    let c = chars.next().unwrap_or('\\');
                    atoms.push(Atom::Char(c));
                    unexpanded.push(c);
                    continue;
                }
                '*' if atoms.last() == Some(&Atom::Run) => {
                    // `**` crosses directories where globstar is set.
                    atoms.pop();
                    atoms.push(Atom::Anything);
                }
                '*' if atoms.last() == Some(&Atom::Anything) => {}
                '*' => atoms.push(Atom::Run),
                '?' => atoms.push(Atom::One),
                '[' => match bracket(chars.as_str()) {
                    Some(rest) => {
                        atoms.push(Atom::One);
                        let taken = chars.as_str().len() - rest.len();
                        unexpanded.push('[');
                        unexpanded.push_str(chars.as_str().get(..taken).unwrap_or(""));
                        chars = rest.chars();
                        continue;
                    }
                    None => {
                        // Where it ends, and so what follows, is not certain.
                        atoms.push(Atom::Anything);
                        unexpanded.push('[');
                        unexpanded.push_str(chars.as_str());
                        break;
                    }
                },
                // An extended glob: its prefix character was read as a
                // wildcard or a literal of no consequence.
                '(' if text_before_allows_extglob(&unexpanded) => {
                    atoms.pop();
                    atoms.push(Atom::Anything);
                    unexpanded.push('(');
                    // Whatever stands inside is unknown in shape.
                    unexpanded.push_str(chars.as_str());
                    break;
                }
                c => atoms.push(Atom::Char(c)),
            }
            unexpanded.push(c);
        }
        if fold {
            let folded = atoms.into_iter().flat_map(fold_atom).collect();
            atoms = folded;
            unexpanded = fold_text(&unexpanded);
        }
        let literal = |atom: &Atom| match atom {
            Atom::Char(c) => Some(*c),
            _ => None,
        };
        let prefix = atoms.iter().map_while(literal).collect();
        let backwards: Vec<char> = atoms.iter().rev().map_while(literal).collect();
        Self {
            prefix,
            suffix: backwards.into_iter().rev().collect(),
            runs: Runs::new(&atoms),
            atoms,
            unexpanded,
        }
    }

    /// The text everything it could stand for starts with.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }
}

fn atoms_of(pattern: &Segments) -> Vec<Atom> {
    pattern
        .symbols()
        .into_iter()
        .map(|symbol| match symbol {
            Symbol::Char(c) => Atom::Char(c),
            Symbol::One => Atom::AnyOne,
            Symbol::Star => Atom::Anything,
        })
        .collect()
}

fn fold_atom(atom: Atom) -> Vec<Atom> {
    match atom {
        Atom::Char(c) => fold_text(c.encode_utf8(&mut [0; 4]))
            .chars()
            .map(Atom::Char)
            .collect(),
        other => vec![other],
    }
}

fn text_before_allows_extglob(before: &str) -> bool {
    before.ends_with(['?', '*', '+', '@', '!'])
}

/// What follows a plain bracket expression whose `[` was just read. `None`
/// where bash might read it in more than one way.
fn bracket(after: &str) -> Option<&str> {
    let body = after.strip_prefix(['!', '^']).unwrap_or(after);
    // A `]` in first place is a member.
    let skip = usize::from(body.starts_with(']'));
    let end = skip + body.get(skip..)?.find(']')?;
    let members = body.get(..end)?;
    if members.contains(['/', '[', '\\']) {
        return None;
    }
    body.get(end + 1..)
}

/// Steps a set of positions in `pattern` over the glob's atoms. Position `i`
/// is in the set when some string read so far can end there.
fn meets(pattern: &[Symbol], glob: &[Atom], separator: char) -> bool {
    if pattern.len().saturating_mul(glob.len()) > MAX_STEPS {
        return true;
    }
    let mut now = vec![false; pattern.len() + 1];
    mark(&mut now, 0);
    skip_stars(pattern, &mut now);
    for atom in glob {
        let mut next = vec![false; pattern.len() + 1];
        for (at, symbol) in pattern.iter().enumerate() {
            if !is_set(&now, at) {
                continue;
            }
            match (symbol, atom) {
                (Symbol::Star, Atom::Char(_) | Atom::One | Atom::AnyOne) => mark(&mut next, at),
                (Symbol::Star | Symbol::One, Atom::Run | Atom::Anything) => {
                    mark(&mut next, at);
                    mark(&mut next, at + 1);
                    mark(&mut now, at + 1);
                }
                (Symbol::Char(c), Atom::Run) if *c == separator => mark(&mut next, at),
                (Symbol::Char(_), Atom::Run | Atom::Anything) => {
                    mark(&mut next, at);
                    mark(&mut next, at + 1);
                    mark(&mut now, at + 1);
                }
                (Symbol::One, Atom::Char(_) | Atom::One | Atom::AnyOne)
                | (Symbol::Char(_), Atom::AnyOne) => mark(&mut next, at + 1),
                (Symbol::Char(c), Atom::One) => {
                    if *c != separator {
                        mark(&mut next, at + 1);
                    }
                }
                (Symbol::Char(c), Atom::Char(d)) => {
                    if c == d {
                        mark(&mut next, at + 1);
                    }
                }
            }
        }
        if is_set(&now, pattern.len()) && matches!(atom, Atom::Run | Atom::Anything) {
            mark(&mut next, pattern.len());
        }
        skip_stars(pattern, &mut next);
        now = next;
    }
    is_set(&now, pattern.len())
}

/// Position `i` is in the set when every string read so far matches the first
/// `i` symbols: a wildcard of the glob is only taken by one as wide.
fn includes(pattern: &[Symbol], glob: &[Atom]) -> bool {
    if pattern.len().saturating_mul(glob.len()) > MAX_STEPS {
        return false;
    }
    let mut now = vec![false; pattern.len() + 1];
    mark(&mut now, 0);
    skip_stars(pattern, &mut now);
    for atom in glob {
        let mut next = vec![false; pattern.len() + 1];
        for (at, symbol) in pattern.iter().enumerate() {
            if !is_set(&now, at) {
                continue;
            }
            match (symbol, atom) {
                (Symbol::Star, _) => mark(&mut next, at),
                (Symbol::One, Atom::Char(_) | Atom::One | Atom::AnyOne) => {
                    mark(&mut next, at + 1);
                }
                (Symbol::Char(c), Atom::Char(d)) if c == d => mark(&mut next, at + 1),
                _ => {}
            }
        }
        skip_stars(pattern, &mut next);
        now = next;
    }
    is_set(&now, pattern.len())
}

fn skip_stars(pattern: &[Symbol], set: &mut [bool]) {
    for (at, symbol) in pattern.iter().enumerate() {
        if *symbol == Symbol::Star && is_set(set, at) {
            mark(set, at + 1);
        }
    }
}

fn mark(set: &mut [bool], at: usize) {
    if let Some(slot) = set.get_mut(at) {
        *slot = true;
    }
}

fn is_set(set: &[bool], at: usize) -> bool {
    set.get(at).copied().unwrap_or(false)
}
