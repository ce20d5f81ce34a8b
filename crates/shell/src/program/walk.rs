//! Reads a command's arguments by its row: which words are options, which
//! are values, which are operands.

use super::row::{Does, Opt, Row, Style, Wrap};
use super::{Arg, Facts, PathArg};
use crate::{Direction, FloorCause, PathRole, Proof};

/// One use of an option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<'a> {
    /// The name as it stands in the table or as typed.
    pub name: &'a str,
    /// What it does.
    pub does: Does,
    /// The word with the option.
    pub arg: usize,
    /// Its value: word and byte offset in it.
    pub value: Option<(usize, usize)>,
}

/// A command's arguments as its row reads them.
#[derive(Debug)]
pub(super) struct Walk<'a, 'b> {
    /// The words.
    pub args: &'b [Arg<'a>],
    /// The row.
    pub row: &'static Row,
    /// Indices of operands, in order. For an ordered program, everything
    /// from the first operand on.
    pub operands: Vec<usize>,
    /// Options, in order.
    pub options: Vec<Taken<'a>>,
    /// A word that could be an option nobody can know.
    pub computed: Option<usize>,
    /// A word that is an option the row does not list.
    pub unknown: Option<usize>,
    /// What was found.
    pub facts: Facts,
}

impl<'a, 'b> Walk<'a, 'b> {
    /// Reads all words after the command word.
    pub(super) fn new(args: &'b [Arg<'a>], row: &'static Row) -> Self {
        let mut walk = Self {
            args,
            row,
            operands: Vec::new(),
            options: Vec::new(),
            computed: None,
            unknown: None,
            facts: Facts::default(),
        };
        walk.read();
        walk
    }

    /// What is known of a word's start.
    pub(super) fn text(&self, index: usize) -> &'a str {
        self.args.get(index).map_or("", known)
    }

    /// The whole value of a word, when known.
    pub(super) fn value(&self, index: usize) -> Option<&'a str> {
        self.args.get(index).and_then(|arg| arg.value)
    }

    /// The known text of an option's value, and whether that is all of it.
    pub(super) fn value_text(&self, at: (usize, usize)) -> (&'a str, bool) {
        let text = self.text(at.0).get(at.1..).unwrap_or("");
        (text, self.value(at.0).is_some())
    }

    /// Adds a floor where one of these options names a file of program text
    /// that is known only at run time: standard input, a substitution.
    pub(super) fn unseen_program(&mut self, options: &[&str]) {
        let unseen = self.options.iter().any(|taken| {
            options.contains(&taken.name)
                && taken.value.is_some_and(|at| {
                    let (text, known) = self.value_text(at);
                    !known || text == "-" || text == "/dev/stdin" || text.starts_with("/dev/fd/")
                })
        });
        if unseen {
            self.teeth("runs program text that is known only at run time");
        }
    }

    /// Adds a floor for teeth.
    pub(super) fn teeth(&mut self, note: impl Into<String>) {
        self.facts.floors.push((FloorCause::Teeth, note.into()));
    }

    /// Adds a path that is certainly one.
    pub(super) fn file(&mut self, at: (usize, usize), direction: Direction) {
        self.path(at, direction, PathRole::File);
    }

    /// Adds a path.
    pub(super) fn path(&mut self, at: (usize, usize), direction: Direction, role: PathRole) {
        let proof = match direction {
            Direction::Both => Proof::Unproven,
            Direction::Read | Direction::Write => Proof::Core,
        };
        let path = PathArg {
            arg: at.0,
            offset: at.1,
            direction,
            proof,
            role,
        };
        let same = self
            .facts
            .paths
            .iter_mut()
            .find(|known| (known.arg, known.offset) == at);
        match same {
            Some(known) if known.direction != direction => {
                known.direction = Direction::Both;
                known.proof = Proof::Unproven;
            }
            Some(_) => {}
            None => self.facts.paths.push(path),
        }
    }

    /// Marks a word as no path, where it is there: an option at the end may
    /// lack its value.
    pub(super) fn no_path(&mut self, index: usize) {
        if index < self.args.len() {
            self.facts.not_paths.push(index);
        }
    }

    /// Whether an option that does this was given.
    pub(super) fn has(&self, does: impl Fn(Does) -> bool) -> bool {
        self.options.iter().any(|taken| does(taken.does))
    }

    /// Whether an option of this name was given.
    pub(super) fn named(&self, name: &str) -> bool {
        self.options.iter().any(|taken| taken.name == name)
    }

    fn read(&mut self) {
        let mut index = 1;
        while index < self.args.len() {
            index = match self.row.style {
                Style::Keys => {
                    self.operands.push(index);
                    index + 1
                }
                Style::Words => self.word_option(index),
                Style::Permuted | Style::Ordered => self.option(index),
            };
        }
    }

    /// Everything from `index` on is operands.
    fn rest(&mut self, index: usize) -> usize {
        self.operands.extend(index..self.args.len());
        self.args.len()
    }

    fn operand(&mut self, index: usize) -> usize {
        if self.row.style == Style::Ordered {
            return self.rest(index);
        }
        self.operands.push(index);
        index + 1
    }

    /// Reads the word at `index`, and returns the next one to read.
    fn option(&mut self, index: usize) -> usize {
        let Some(arg) = self.args.get(index) else {
            return index + 1;
        };
        if may_be_option(arg) {
            self.computed.get_or_insert(index);
            return self.operand(index);
        }
        let text = known(arg);
        if text == "--" && arg.value.is_some() {
            return self.rest(index + 1);
        }
        if text == "-" && arg.value.is_some() && self.row.names == "env" {
            return self.rest(index + 1);
        }
        let Some(body) = text.strip_prefix('-').filter(|body| !body.is_empty()) else {
            return self.operand(index);
        };
        match body.strip_prefix('-') {
            Some(long) => self.long(index, long),
            None => self.cluster(index),
        }
    }

    fn long(&mut self, index: usize, long: &'a str) -> usize {
        let open = self.args.get(index).is_some_and(|arg| arg.value.is_none());
        let (name, attached) = match long.split_once('=') {
            Some((name, _)) => (name, Some((index, 2 + name.len() + 1))),
            None => (long, None),
        };
        if open && attached.is_none() {
            // The rest of the name is known only at run time.
            self.computed.get_or_insert(index);
            return index + 1;
        }
        let Some((listed, does)) = self.find_long(name) else {
            self.unknown.get_or_insert(index);
            if let Some(at) = attached {
                self.facts_embedded(at);
            }
            return index + 1;
        };
        self.take(listed, does, index, attached, true)
    }

    fn cluster(&mut self, index: usize) -> usize {
        let Some(arg) = self.args.get(index) else {
            return index + 1;
        };
        let text = known(arg);
        let open = arg.value.is_none();
        let mut sure = true;
        let mut digits = false;
        for (at, letter) in text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            let Some(name) = text.get(at..end) else {
                continue;
            };
            let Some(opt) = self.row.options.iter().find(|opt| opt.is(name)) else {
                if digits && letter.is_ascii_digit() {
                    continue;
                }
                if self.row.wrap == Wrap::No {
                    if at == 1 {
                        self.glued(index, end);
                    }
                    // From here on the letters may be a value.
                    sure = false;
                }
                self.unknown.get_or_insert(index);
                continue;
            };
            if digits && letter.is_ascii_digit() {
                continue;
            }
            digits = opt.does == Does::Digits;
            let rest = (end < text.len() || open).then_some((index, end));
            if takes_value(opt.does) || (rest.is_some() && takes_attached(opt.does)) {
                return self.take(name, opt.does, index, rest, sure);
            }
            self.note(name, opt.does, index, None);
            if opt.does == Does::Exec {
                if rest.is_some() {
                    // A glued command name.
                    self.unknown.get_or_insert(index);
                }
                return self.exec(index + 1);
            }
        }
        if open {
            self.computed.get_or_insert(index);
        }
        index + 1
    }

    /// A glued short value of an option the table does not know, when it has
    /// the shape of a path.
    fn glued(&mut self, index: usize, offset: usize) {
        let rest = self.text(index).get(offset..).unwrap_or("");
        let shaped = ["/", "~/", "./", "../"]
            .iter()
            .any(|start| rest.len() > start.len() && rest.starts_with(start));
        if shaped {
            self.path((index, offset), Direction::Both, PathRole::Operand);
        }
    }

    fn word_option(&mut self, index: usize) -> usize {
        let Some(arg) = self.args.get(index) else {
            return index + 1;
        };
        if may_be_option(arg) {
            self.computed.get_or_insert(index);
            self.operands.push(index);
            return index + 1;
        }
        let text = known(arg);
        let Some(body) = text
            .strip_prefix("--")
            .or_else(|| text.strip_prefix('-'))
            .filter(|body| !body.is_empty())
        else {
            self.operands.push(index);
            return index + 1;
        };
        let dashes = text.len() - body.len();
        let (name, attached) = match body.split_once('=') {
            Some((name, _)) => (name, Some((index, dashes + name.len() + 1))),
            None => (body, None),
        };
        if let Some(opt) = self.row.options.iter().find(|opt| opt.is(name)) {
            return self.take(name, opt.does, index, attached, true);
        }
        // One letter with its value glued on (`-Idir`, `-ofile`).
        let first = body.chars().next().map_or(0, char::len_utf8);
        let glued = body.get(..first).and_then(|name| {
            let opt = self.row.options.iter().find(|opt| opt.is(name))?;
            takes_value(opt.does).then_some((name, opt.does))
        });
        if let Some((name, does)) = glued.filter(|_| dashes == 1) {
            return self.take(name, does, index, Some((index, dashes + first)), true);
        }
        self.unknown.get_or_insert(index);
        match attached {
            Some(at) => self.facts_embedded(at),
            None => self.glued(index, dashes + first),
        }
        index + 1
    }

    /// `--name=value` of an unknown option: the value is judged by shape.
    fn facts_embedded(&mut self, at: (usize, usize)) {
        if !self.value_text(at).0.is_empty() || !self.value_text(at).1 {
            self.path(at, Direction::Both, PathRole::Operand);
        }
    }

    fn find_long(&self, name: &'a str) -> Option<(&'a str, Does)> {
        let exact = self.row.options.iter().find(|opt| opt.is(name));
        if let Some(opt) = exact.filter(|_| name.len() > 1) {
            return Some((name, opt.does));
        }
        if name.is_empty() {
            return None;
        }
        let listed = self.row.options.iter().flat_map(|opt| {
            opt.names
                .split(' ')
                .filter(|listed| listed.len() > 1 && listed.starts_with(name))
                .map(|listed| (listed, opt.does))
        });
        if self.row.wrap != Wrap::No {
            let mut listed = listed;
            let found = listed.next()?;
            return listed.next().is_none().then_some(found);
        }
        // The table need not be complete: fear the worst that is listed.
        let mut found = None;
        for candidate in listed {
            if found.is_none() || !is_plain(candidate.1) {
                found = Some(candidate);
                if !is_plain(candidate.1) {
                    break;
                }
            }
        }
        found
    }

    /// Records an option and its value, and returns the next word to read.
    fn take(
        &mut self,
        name: &'a str,
        does: Does,
        index: usize,
        attached: Option<(usize, usize)>,
        sure: bool,
    ) -> usize {
        if let Some(at) = attached {
            let at_is_used = takes_value(does) || takes_attached(does);
            self.note(name, does, index, at_is_used.then_some(at));
            return self.after(does, index + 1);
        }
        if takes_value(does) {
            let next = index + 1;
            let value = (next < self.args.len()).then_some((next, 0));
            self.note(name, does, index, value);
            if !sure || does == Does::Maybe {
                return next;
            }
            if matches!(does, Does::Pair | Does::PairRead) {
                if let Some(taken) = self.options.last_mut() {
                    taken.value = (next + 1 < self.args.len()).then_some((next + 1, 0));
                }
                self.no_path(next);
                return next + 2;
            }
            return self.after(does, next + 1);
        }
        self.note(name, does, index, None);
        self.after(does, index + 1)
    }

    fn after(&mut self, does: Does, next: usize) -> usize {
        match does {
            Does::Module => self.rest(next),
            Does::Rest
                if self
                    .options
                    .last()
                    .is_some_and(|taken| taken.value.is_some_and(|at| at.1 == 0)) =>
            {
                self.args.len()
            }
            Does::Exec => self.exec(next),
            _ => next,
        }
    }

    /// Skips a command that ends with `;` or `+`, and records it.
    fn exec(&mut self, start: usize) -> usize {
        let mut end = start;
        while let Some(arg) = self.args.get(end) {
            let text = arg.value.unwrap_or("");
            if text == ";" || (text == "+" && self.text(end.saturating_sub(1)) == "{}") {
                break;
            }
            end += 1;
        }
        if let Some(taken) = self.options.last_mut() {
            taken.value = Some((start, end));
        }
        end + 1
    }

    fn note(&mut self, name: &'a str, does: Does, arg: usize, value: Option<(usize, usize)>) {
        self.options.push(Taken {
            name,
            does,
            arg,
            value,
        });
    }
}

/// What is known of a word: all of it, or its start.
pub(super) fn known<'a>(arg: &Arg<'a>) -> &'a str {
    arg.value.unwrap_or(arg.known_prefix)
}

/// Whether a word could turn out to be an option: it is not known and could
/// begin with a dash, or could be split into several words.
pub(super) fn may_be_option(arg: &Arg<'_>) -> bool {
    if arg.value.is_some() {
        return false;
    }
    arg.known_prefix.is_empty() || arg.known_prefix == "-" || may_split(arg.source)
}

/// Whether bash could split the word: an expansion stands outside quotes.
/// (Braces make several words as well, but their text is in the source.)
fn may_split(source: &str) -> bool {
    let mut quote = None;
    let mut escaped = false;
    for byte in source.bytes() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') => quote = None,
            (Some(b'\''), _) => {}
            (_, b'\\') => escaped = true,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'$' | b'`' | b'{') => return true,
            _ => {}
        }
    }
    false
}

fn is_plain(does: Does) -> bool {
    matches!(
        does,
        Does::Flag
            | Does::Digits
            | Does::Glob
            | Does::Value
            | Does::Optional
            | Does::Help
            | Does::Maybe
    )
}

/// Whether an option takes the next word as its value.
fn takes_value(does: Does) -> bool {
    match does {
        Does::Value
        | Does::Maybe
        | Does::Glob
        | Does::Pair
        | Does::PairRead
        | Does::Read
        | Does::Write
        | Does::Path
        | Does::Directory
        | Does::Pattern
        | Does::PatternFile
        | Does::Names
        | Does::Script
        | Does::Payload
        | Does::Code
        | Does::TeethValue(_)
        | Does::Setting
        | Does::RefuseValue
        | Does::RefuseDirectory
        | Does::RefuseSplit
        | Does::Module
        | Does::Rest => true,
        Does::Flag
        | Does::Digits
        | Does::NoPattern
        | Does::Optional
        | Does::OptionalWrite
        | Does::OptionalScript
        | Does::Teeth(_)
        | Does::TeethOptional(_)
        | Does::Refuse
        | Does::Help
        | Does::Stdin
        | Does::Exec => false,
    }
}

/// Whether an option takes only an attached value.
fn takes_attached(does: Does) -> bool {
    matches!(
        does,
        Does::Optional | Does::OptionalWrite | Does::OptionalScript | Does::TeethOptional(_)
    )
}

/// Options listed for a name, for checks that read words on their own.
pub(super) fn option_of(options: &'static [Opt], name: &str) -> Option<Does> {
    options.iter().find(|opt| opt.is(name)).map(|opt| opt.does)
}
