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

    pub(crate) fn may_match(&self, glob: &Glob) -> bool {
        let prefix = self.full.prefix();
        // The optional tail may cut the prefix short by its blank.
        let prefix = if self.bare.is_some() {
            prefix.trim_end_matches(' ')
        } else {
            prefix
        };
        let shared = prefix.len().min(glob.prefix.len());
        if prefix.as_bytes().get(..shared) != glob.prefix.as_bytes().get(..shared) {
            return false;
        }
        // Folding has turned every separator into the one of Windows.
        let separator = if self.folds() { '\\' } else { '/' };
        // A glob that matches no file is handed on as it stands.
        self.matches_folded(&glob.unexpanded)
            || self
                .variants()
                .any(|s| meets(&s.symbols(), &glob.atoms, separator))
    }

    pub(crate) fn covers(&self, glob: &Glob) -> bool {
        self.matches_folded(&glob.unexpanded)
            && self.variants().any(|s| includes(&s.symbols(), &glob.atoms))
    }
}

/// A shell glob, read once for many patterns.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    atoms: Vec<Atom>,
    /// The text before the first wildcard.
    prefix: String,
    /// The text bash uses when no file matches.
    unexpanded: String,
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
        let prefix = atoms
            .iter()
            .map_while(|a| match a {
                Atom::Char(c) => Some(*c),
                _ => None,
            })
            .collect();
        Self {
            atoms,
            prefix,
            unexpanded,
        }
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
