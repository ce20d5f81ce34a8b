//! The gates of a command: each unit of it, and each path it may use.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;

use countersign_intent::path::{self, Msys};
use countersign_intent::{Flavour, Shape, ShellCommand, classify, glob};
use countersign_policy::{Action, Candidate};
use countersign_shell::{
    Base, Certainty, Direction, FloorCause, PathRole, PathUse, Proof, TOPLEVEL, Trust, Unit,
    UnitKind,
};

use super::paths::{Gates, Use};
use crate::decide::Judge;
use crate::decision::{FloorNote, Gate, Grantable, JudgedEffect};
use crate::expand::{self, Expander};
use crate::facts::Entry;
use crate::subject::{Dots, Subject, is_catch_all, is_explicit, particular};

/// More paths than this in one command are not judged one by one.
const MAX_PATHS: usize = 1024;
/// More units than this in one command are not judged one by one.
const MAX_UNITS: usize = 2048;

const GATES: Gates = Gates {
    path: Gate::ShellPath,
    external: Gate::ShellExternal,
};

/// Where a command starts, and how its globs are read.
pub(super) struct Start<'c, 'f> {
    command: &'c ShellCommand,
    pub(super) directory: String,
    /// Made when the first glob is met.
    expander: RefCell<Option<Expander<'f>>>,
}

/// A base as the gate uses it.
enum From {
    Directory(String),
    Unknown,
}

impl<'a> Judge<'a> {
    /// Every path of the command.
    pub(super) fn shell_paths(&mut self, command: &ShellCommand) {
        let start = self.start(command);
        if let Some(workdir) = &command.workdir {
            let typed = path::clean(workdir, self.facts.home()).unwrap_or_default();
            let subject = self.subject(&typed, self.scene.cwd);
            let used = Use {
                typed: &typed,
                direction: Direction::Both,
                proof: Some(Proof::Unproven),
                span: None,
                gates: GATES,
                reader: false,
                // A directory to stand in is no use of what lies there.
                program: true,
            };
            self.path_use(&used, &[subject]);
        }
        let paths = &command.analysis.paths;
        let mut seen = HashSet::new();
        for used in paths {
            let key = (
                &used.text,
                &used.base,
                used.direction,
                used.role,
                used.certainty,
                &used.below,
            );
            if paths.len() > 1 && !seen.insert(key) {
                continue;
            }
            if seen.len() > MAX_PATHS {
                self.too_much(command, "paths");
                return;
            }
            self.shell_path(&start, used);
        }
    }

    fn start<'c>(&self, command: &'c ShellCommand) -> Start<'c, 'a> {
        let flavour = self.scene.settings.flavour;
        let workdir = command
            .workdir
            .as_deref()
            .and_then(|typed| path::clean(typed, self.facts.home()));
        let directory = match workdir {
            Some(typed) => path::normalize(&path::join(self.scene.cwd, &typed, flavour), flavour),
            None => self.scene.cwd.to_owned(),
        };
        Start {
            directory,
            expander: RefCell::new(None),
            command,
        }
    }

    fn expand(&self, start: &Start<'_, 'a>, pattern: &str) -> Option<Vec<String>> {
        let mut expander = start.expander.borrow_mut();
        expander
            .get_or_insert_with(|| {
                let says = |option: &str| start.command.text.contains(option);
                let options = glob::Options {
                    dots: says("dotglob") || says("GLOBIGNORE"),
                    fold_case: says("nocaseglob"),
                };
                Expander::new(self.facts, options, self.planned(start))
            })
            .expand(pattern)
    }

    pub(super) fn subject(&self, typed: &str, base: &str) -> Subject {
        Subject::new(self.scene, self.facts, typed, base, Dots::Both)
    }

    fn base(&self, start: &Start<'_, 'a>, base: &Base) -> From {
        match base {
            Base::Unknown => From::Unknown,
            Base::Known(text) if text.is_empty() => From::Directory(start.directory.clone()),
            Base::Known(text) if text.starts_with(TOPLEVEL) => {
                let known = self.in_toplevel(start, text);
                known.map_or(From::Unknown, From::Directory)
            }
            Base::Known(text) => {
                let text = path::expand_home(text, self.facts.home());
                let flavour = self.scene.settings.flavour;
                if flavour == Flavour::Windows {
                    match path::msys(&text) {
                        Msys::Native(native) => return From::Directory(native),
                        Msys::PosixAbsolute | Msys::Device => return From::Unknown,
                        Msys::Ordinary => {}
                    }
                }
                From::Directory(path::join(&start.directory, &text, flavour))
            }
        }
    }

    fn shell_path(&mut self, start: &Start<'_, 'a>, used: &PathUse) {
        let flavour = self.scene.settings.flavour;
        let text = used.text.as_str();
        if text.is_empty() {
            return;
        }
        let shape = match used.role {
            PathRole::Operand | PathRole::Embedded => classify(text, flavour),
            PathRole::File | PathRole::Script | PathRole::Directory | PathRole::Program => {
                match classify(text, flavour) {
                    Shape::Strict => Shape::Strict,
                    _ => Shape::Broad,
                }
            }
        };
        if shape == Shape::NoPath {
            return;
        }
        let text = text.strip_prefix("file://").unwrap_or(text);
        let typed = path::expand_home(text, self.facts.home());
        let judged = Use {
            typed: &typed,
            direction: used.direction,
            proof: Some(used.proof),
            span: Some(used.span),
            gates: GATES,
            reader: false,
            program: used.role == PathRole::Program,
        };
        if used.certainty == Certainty::Computed
            && used.base == Base::Known(String::new())
            && let Some(known) = self.in_toplevel(start, text)
        {
            let subject = self.subject(&known, &start.directory);
            self.path_use(&judged, &[subject]);
            if let Some(below) = &used.below {
                self.below(start, &judged, &known, below);
            }
            return;
        }
        if used.certainty == Certainty::Computed {
            self.computed(start, used, &judged);
            return;
        }
        if flavour == Flavour::Windows && used.certainty == Certainty::Literal {
            match path::msys(&typed) {
                Msys::Device | Msys::PosixAbsolute if path::is_device(&typed) => {
                    self.path_use(&judged, &[Subject::unplaced(&typed)]);
                    return;
                }
                Msys::PosixAbsolute => {
                    self.path_use(&judged, &[Subject::foreign(&typed)]);
                    return;
                }
                Msys::Native(native) => {
                    let subject = self.subject(&native, &start.directory);
                    self.path_use(&judged, &[subject]);
                    return;
                }
                Msys::Device | Msys::Ordinary => {}
            }
        }
        let absolute = path::is_absolute(&typed, flavour);
        let base = match self.base(start, &used.base) {
            From::Directory(directory) => directory,
            From::Unknown if absolute => start.directory.clone(),
            From::Unknown if used.role == PathRole::Embedded && shape == Shape::Bare => return,
            From::Unknown => {
                // The end of the path is known, its start is not.
                let mut globs = vec![typed.clone().into_owned(), format!("**/{typed}")];
                and_below(used, &mut globs);
                self.unknown_path(&judged, &globs, shape == Shape::Strict);
                return;
            }
        };
        match used.certainty {
            Certainty::Glob => self.glob(start, &judged, &base, shape),
            Certainty::Literal | Certainty::Computed => {
                // What a pure reader is given is a file; to other programs a
                // bare word may be anything.
                let file = matches!(used.proof, Proof::Core | Proof::Retracted)
                    && used
                        .unit
                        .and_then(|at| start.command.analysis.units.get(at))
                        .is_some_and(|unit| opens_its_operands(&unit.text));
                if shape == Shape::Bare && !file && !self.exists(&typed, &base) {
                    return;
                }
                let subject = self.subject(&typed, &base);
                if used.role == PathRole::Embedded {
                    self.embedded(&judged, &subject);
                    return;
                }
                let directory = subject.lexical.clone();
                self.path_use(&judged, &[subject]);
                if let Some(below) = &used.below {
                    self.below(start, &judged, &directory, below);
                }
            }
        }
        if let (Some(below), Certainty::Glob) = (&used.below, used.certainty) {
            let pattern = path::join(&escape(&base), &typed, flavour);
            for directory in self.expand(start, &pattern).unwrap_or_default() {
                self.below(start, &judged, &directory, below);
            }
        }
    }

    /// A bare word is a path if it names something, links not followed. Both
    /// readings of a `..` in the base count.
    fn exists(&self, typed: &str, base: &str) -> bool {
        let flavour = self.scene.settings.flavour;
        let raw = path::join(base, typed, flavour);
        let lexical = path::normalize(&raw, flavour);
        self.facts.entry(&lexical) != Entry::Missing
            || lexical != raw
                && path::climbs(&raw, flavour)
                && self.facts.entry(&raw) != Entry::Missing
    }

    /// A glob stands for what it matches now, and for what the command itself
    /// may put there; for its own text where it matches nothing.
    fn glob(&mut self, start: &Start<'_, 'a>, judged: &Use<'_>, base: &str, shape: Shape) {
        let flavour = self.scene.settings.flavour;
        // The directory is literal text: its own characters mean themselves.
        let base: Cow<'_, str> = if glob::is_glob(base) || base.contains('\\') {
            Cow::Owned(escape(base))
        } else {
            Cow::Borrowed(base)
        };
        let pattern = path::join(&base, judged.typed, flavour);
        let found = self.expand(start, &pattern);
        match found {
            None => {
                let lexical = path::normalize(&pattern, flavour);
                let relative = path::below(self.scene.cwd, &lexical, flavour).map(str::to_owned);
                let outside = relative.is_none();
                let globs: Vec<String> = [Some(lexical), relative].into_iter().flatten().collect();
                self.unknown_path(judged, &globs, outside);
            }
            Some(found) if found.is_empty() => {
                if shape == Shape::Bare {
                    return;
                }
                let text = glob::unescape(judged.typed);
                let subject = self.subject(&text, &glob::unescape(&base));
                self.path_use(judged, &[subject]);
            }
            Some(found) => {
                let base = glob::unescape(&base);
                let subjects: Vec<Subject> =
                    found.iter().map(|path| self.subject(path, &base)).collect();
                self.path_use(judged, &subjects);
            }
        }
    }

    /// The files this command may make, by name.
    pub(super) fn planned(&self, start: &Start<'_, 'a>) -> Vec<String> {
        let flavour = self.scene.settings.flavour;
        start
            .command
            .analysis
            .paths
            .iter()
            .filter(|p| p.certainty == Certainty::Literal && p.direction != Direction::Read)
            .take(MAX_PATHS)
            .filter_map(|p| match self.base(start, &p.base) {
                From::Directory(directory) => {
                    let text = path::expand_home(&p.text, self.facts.home());
                    Some(path::normalize(
                        &path::join(&directory, &text, flavour),
                        flavour,
                    ))
                }
                From::Unknown => None,
            })
            .collect()
    }

    /// A path in the root of the repository around the directory the command
    /// starts in: the nearest directory that holds a `.git`.
    fn in_toplevel(&self, start: &Start<'_, 'a>, text: &str) -> Option<String> {
        let flavour = self.scene.settings.flavour;
        let rest = text.strip_prefix(TOPLEVEL)?;
        if !(rest.is_empty() || rest.starts_with('/')) || rest.contains(['$', '`', '*', '?', '[']) {
            return None;
        }
        let mut directory = start.directory.as_str();
        loop {
            let git = path::join(directory, ".git", flavour);
            if self.facts.entry(&git) != Entry::Missing {
                if directory.contains(char::is_whitespace) {
                    // Without quotes it would be several words.
                    return None;
                }
                return Some(format!("{}{rest}", directory.trim_end_matches('/')));
            }
            directory = directory.rsplit_once('/').map(|(parent, _)| parent)?;
            if directory.is_empty() {
                return None;
            }
        }
    }

    fn computed(&mut self, start: &Start<'_, 'a>, used: &PathUse, judged: &Use<'_>) {
        let flavour = self.scene.settings.flavour;
        let glob = expand::computed_glob(judged.typed);
        let mut globs = vec![glob.clone()];
        // What starts unknown may start anywhere.
        if !glob.starts_with("**") && !path::is_absolute(&glob, flavour) {
            match self.base(start, &used.base) {
                From::Directory(directory) => {
                    let lexical = path::normalize(&path::join(&directory, &glob, flavour), flavour);
                    let relative = path::below(self.scene.cwd, &lexical, flavour);
                    globs.extend(relative.map(str::to_owned));
                    globs.push(lexical);
                }
                From::Unknown => globs.push(format!("**/{glob}")),
            }
        }
        and_below(used, &mut globs);
        self.unknown_path(judged, &globs, !judged.program);
    }

    /// Every unit of the command.
    pub(super) fn shell_command(&mut self, command: &ShellCommand) {
        let before = self.effects.len();
        if command.missing.is_some() {
            let note = "the command is missing or is no text";
            self.whole(
                command,
                Some((FloorCause::UnparseableCommand.sentinel(), note)),
            );
            return;
        }
        let analysis = &command.analysis;
        for floor in &analysis.floors {
            self.floors
                .push(FloorNote::new(floor.cause, &floor.note, floor.span));
        }
        if let Some(floor) = analysis.floors.first() {
            self.whole(command, Some((floor.cause.sentinel(), "")));
        }
        for unit in analysis.units.iter().take(MAX_UNITS) {
            self.unit(unit);
        }
        if analysis.units.len() > MAX_UNITS {
            self.too_much(command, "commands");
        }
        if self.effects.len() == before {
            // Nothing to run was found: blank, comments, bare arithmetic.
            self.whole(command, None);
        }
    }

    /// The command as one text. With a floor it may only tighten.
    fn whole(&mut self, command: &ShellCommand, floor: Option<(&'static str, &str)>) {
        let text = command.text.as_str();
        let mut effect = JudgedEffect::new(Gate::Tool, "bash", text);
        let candidate = match floor {
            Some(_) => Candidate::tighten(text),
            None => Candidate::plain(text),
        };
        let said = self.scene.policy.evaluate("bash", &[candidate]);
        self.rule(&mut effect, &said);
        if let Some((sentinel, note)) = floor {
            if said.action != Action::Deny && !is_explicit(self.scene.policy, &said) {
                effect.verdict = Action::Allow;
            }
            self.floor(&mut effect, sentinel);
            effect.grantable = Grantable::Exact;
            if !note.is_empty() {
                self.floors.push(FloorNote {
                    sentinel,
                    note: note.to_owned(),
                    span: None,
                });
            }
        }
        let exactly = floor.is_some();
        self.answer(&mut effect, || self.grant_for("bash", &[text], exactly));
        self.effects.push(effect);
    }

    fn too_much(&mut self, command: &ShellCommand, what: &str) {
        let sentinel = FloorCause::Limit.sentinel();
        self.whole(
            command,
            Some((sentinel, &format!("too many {what} to judge"))),
        );
    }

    fn unit(&mut self, unit: &Unit) {
        for floor in &unit.floors {
            self.floors
                .push(FloorNote::new(floor.cause, &floor.note, floor.span));
        }
        let plain = unit.kind == UnitKind::Command;
        let candidates: Vec<Candidate<'_>> = std::iter::once((unit.text.as_str(), Trust::Same))
            .chain(unit.spellings.iter().map(|s| (s.text.as_str(), s.trust)))
            .map(|(text, trust)| match trust {
                Trust::Same if plain => Candidate::plain(text),
                Trust::Same | Trust::TightenOnly => Candidate::tighten(text),
            })
            .collect();
        let said = self.scene.policy.evaluate("bash", &candidates);
        let explicit = is_explicit(self.scene.policy, &said);
        let mut effect = JudgedEffect::new(Gate::Tool, "bash", unit.text.as_str());
        effect.span = Some(unit.span);
        effect.context = unit.context;
        effect.executed.clone_from(&unit.executed);
        effect.exemption = unit.exemption;
        self.rule(&mut effect, &said);
        match unit.kind {
            UnitKind::Command => {}
            UnitKind::Compound => {
                // A rule for everything says nothing about this statement in
                // particular; its parts are judged on their own.
                let particular =
                    explicit && effect.pattern.as_deref().is_some_and(|p| !is_catch_all(p));
                if !particular {
                    if unit.floors.is_empty() {
                        return;
                    }
                    effect.verdict = Action::Allow;
                }
                effect.grantable = Grantable::Exact;
            }
            UnitKind::Opaque => {
                if said.action == Action::Ask && !explicit {
                    effect.verdict = Action::Allow;
                }
                if unit.floors.is_empty() {
                    self.floor(&mut effect, FloorCause::UnparsedSubtree.sentinel());
                }
                effect.grantable = Grantable::Exact;
            }
        }
        // An agent that nobody guards is started by its exact rule only: then
        // the user wrote out what they meant.
        let written_out = said.action == Action::Allow
            && explicit
            && effect.pattern.as_deref() == Some(unit.text.as_str())
            && !unit.text.contains(['*', '?']);
        for floor in &unit.floors {
            if !(written_out && floor.cause == FloorCause::UnguardedChild) {
                self.floor(&mut effect, floor.cause.sentinel());
            }
            effect.grantable = Grantable::Exact;
        }
        for open in &unit.open {
            self.could_be(unit, open, &mut effect);
        }
        for suspect in &unit.suspects {
            self.could_run(unit, suspect, &mut effect);
        }
        let exactly = effect.grantable == Grantable::Exact;
        self.answer(&mut effect, || {
            let same: Vec<&str> = candidates
                .iter()
                .filter(|c| exactly || c.trust == countersign_policy::Trust::Plain)
                .map(|c| c.text)
                .take(if exactly { 1 } else { usize::MAX })
                .collect();
            self.grant_for("bash", &same, exactly)
        });
        self.effects.push(effect);
    }

    /// Whether a rule starts with the name of this command.
    fn has_rule_for(&self, text: &str) -> bool {
        let program = text.split_whitespace().next().unwrap_or_default();
        let rules = self.scene.policy.rules().iter();
        rules
            .filter(|rule| rule.action != Action::Allow)
            .any(|rule| rule.pattern.starts_with(program))
    }

    /// A program nothing is known of may run what its words spell: where a
    /// rule is about that in particular, a person decides.
    fn could_run(&mut self, unit: &Unit, text: &str, effect: &mut JudgedEffect) {
        if effect.verdict != Action::Allow {
            return;
        }
        let policy = self.scene.policy;
        let texts = [Candidate::plain(text)];
        if policy.evaluate("bash", &texts).action == Action::Allow {
            return;
        }
        let said = particular(policy, "bash", &texts);
        let Some(said) = said.filter(|said| said.action != Action::Allow) else {
            return;
        };
        let rule = said.rule.and_then(|i| policy.rules().get(i));
        let about = rule.map_or("", |rule| rule.pattern.as_str());
        let note = format!("may run `{text}`, which the rule for `{about}` is about");
        let cause = FloorCause::IndirectionWrapper;
        self.floors.push(FloorNote::new(cause, &note, unit.span));
        self.floor(effect, cause.sentinel());
        effect.grantable = Grantable::Exact;
    }

    /// A command some of whose words are known only at run time may turn out
    /// to be one that a stricter rule names (`git $X` under `git push *`).
    fn could_be(&mut self, unit: &Unit, open: &str, effect: &mut JudgedEffect) {
        let strictest = self.scene.policy.evaluate_glob("bash", &[open]);
        if effect.verdict != Action::Allow || strictest.action <= effect.verdict {
            return;
        }
        let rule = strictest
            .rule
            .and_then(|i| self.scene.policy.rules().get(i));
        let about = rule.map_or("*", |rule| rule.pattern.as_str());
        if about.starts_with('*') && prints_only(unit) && !self.has_rule_for(&unit.text) {
            return;
        }
        let note = format!("may turn out to be what the rule for `{about}` is about");
        self.floors.push(FloorNote::new(
            FloorCause::ComputedCommand,
            &note,
            unit.span,
        ));
        self.floor(effect, FloorCause::ComputedCommand.sentinel());
        effect.grantable = Grantable::Exact;
    }
}

/// Adds what lies below, where that is read too.
fn and_below(used: &PathUse, globs: &mut Vec<String>) {
    if used.below.is_some() {
        let below: Vec<String> = globs.iter().map(|glob| format!("{glob}/**")).collect();
        globs.extend(below);
    }
}

/// Whether a pure reader's operands are files it opens, and not words it
/// prints or looks up.
fn opens_its_operands(unit: &str) -> bool {
    let program = unit.split_whitespace().next().unwrap_or_default();
    !matches!(
        program,
        "" | ":"
            | "echo"
            | "basename"
            | "dirname"
            | "which"
            | "cd"
            | "fd"
            | "true"
            | "false"
            | "pwd"
    )
}

/// Whether a command prints its words or looks at them, and does nothing else.
fn prints_only(unit: &Unit) -> bool {
    let program = unit.text.split_whitespace().next().unwrap_or_default();
    unit.floors.is_empty() && matches!(program, ":" | "echo" | "printf" | "true" | "false")
}

/// A text in which no character is a wildcard.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
