//! One path as rules see it: its spellings, where it really leads, and whether
//! that is outside the workspace.

use countersign_intent::path::{self, Form};
use countersign_policy::{Candidate, Evaluation, Flavour, Policy};

use crate::facts::{Entry, Facts};
use crate::scene::Scene;

/// One path, ready to be judged.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// The normal absolute form.
    pub lexical: String,
    /// Where it leads. More than one where the text and the file system
    /// disagree about a `..`.
    pub canonical: Vec<String>,
    /// Every spelling.
    all: Vec<Form>,
    /// The spellings of the real file.
    real: Vec<Form>,
    /// Outside the workspace.
    pub outside: bool,
}

/// How `..` after a link is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dots {
    /// By the text alone, as tools resolve their input.
    Lexical,
    /// By the file system, as commands do; and by the text, as `cd` does.
    Both,
}

impl Subject {
    /// Reads `typed` as seen from the absolute directory `base`.
    pub fn new(scene: &Scene<'_>, facts: &dyn Facts, typed: &str, base: &str, dots: Dots) -> Self {
        let flavour = scene.settings.flavour;
        let raw = path::join(base, typed, flavour);
        let lexical = path::normalize(&raw, flavour);
        let mut canonical = vec![real(scene, facts, &lexical)];
        if dots == Dots::Both && path::climbs(&raw, flavour) {
            let physical = facts.real_path(&raw);
            if let Ok(physical) = physical
                && !canonical.contains(&physical)
            {
                canonical.push(physical);
            }
        }
        let from_cwd = base == scene.cwd;
        let mut all = path::spellings(typed, &lexical, scene.cwd, from_cwd, flavour);
        let mut spelled_real = Vec::new();
        let mut directory = typed.ends_with('/');
        for canonical in &canonical {
            for form in path::real_spellings(canonical, scene.real_cwd, flavour) {
                if !all.iter().any(|f| f.text == form.text) {
                    all.push(form.clone());
                }
                spelled_real.push(form);
            }
            directory |= facts.entry(canonical) == Entry::Directory;
        }
        if directory {
            path::add_directory_spellings(&mut all, flavour);
            path::add_directory_spellings(&mut spelled_real, flavour);
        }
        let inside = |c: &String| path::below(scene.real_cwd, c, flavour).is_some();
        let device = path::is_device(&lexical) || canonical.iter().all(|c| path::is_device(c));
        Self {
            outside: !device && !canonical.iter().all(inside),
            lexical,
            canonical,
            all,
            real: spelled_real,
        }
    }

    /// A path whose directory is not known: only its text can be matched, and
    /// only to tighten.
    pub fn unplaced(typed: &str) -> Self {
        let form = Form {
            text: typed.to_owned(),
            may_allow: false,
        };
        Self {
            lexical: typed.to_owned(),
            canonical: Vec::new(),
            all: vec![form],
            real: Vec::new(),
            outside: false,
        }
    }

    /// A path of Windows that only POSIX knows: always outside.
    pub fn foreign(typed: &str) -> Self {
        let mut out = Self::unplaced(typed);
        for form in &mut out.all {
            form.may_allow = true;
        }
        out.outside = true;
        out
    }

    /// Where it leads, when that is not what it says.
    pub fn resolved(&self) -> Option<&str> {
        self.canonical
            .iter()
            .find(|c| **c != self.lexical)
            .map(String::as_str)
    }

    /// The spellings, for another node.
    pub fn match_values(&self) -> Vec<String> {
        self.all
            .iter()
            .filter(|f| f.may_allow)
            .map(|f| f.text.clone())
            .collect()
    }

    /// Whether grants cover the path: the place it really leads to, so that a
    /// link made later does not carry a grant elsewhere.
    pub fn covered_by(&self, scene: &Scene<'_>, covers: &dyn Fn(&[&str]) -> bool) -> bool {
        if self.canonical.is_empty() {
            return covers(&texts(&self.all));
        }
        self.canonical.iter().all(|canonical| {
            let flavour = scene.settings.flavour;
            covers(&texts(&path::real_spellings(
                canonical,
                scene.real_cwd,
                flavour,
            )))
        })
    }

    /// What the rules of one surface say: about every spelling, and about the
    /// real file alone, so that an `allow` counts only if it covers both. The
    /// stricter one is returned; `explicit` leaves out what only a default
    /// says, and is `None` when nothing else does.
    pub fn judge(&self, scene: &Scene<'_>, surface: &str, explicit: bool) -> Option<Evaluation> {
        let one = |policy: &Policy, forms: &[Form]| {
            let candidates: Vec<Candidate<'_>> = forms.iter().map(candidate).collect();
            let said = policy.evaluate(surface, &candidates);
            (!explicit || is_explicit(scene.policy, &said)).then_some(said)
        };
        let spelled = one(scene.policy, &self.all);
        let real = if self.real.is_empty() {
            None
        } else if let [_] | [] = self.canonical.as_slice() {
            one(scene.resolved, &self.real)
        } else {
            // Two readings of a `..`: both must hold on their own.
            self.canonical
                .iter()
                .filter_map(|canonical| {
                    let flavour = scene.settings.flavour;
                    let mut forms = path::real_spellings(canonical, scene.real_cwd, flavour);
                    path::add_directory_spellings(&mut forms, flavour);
                    one(scene.resolved, &forms)
                })
                .max_by_key(|said| said.action)
        };
        stricter(spelled, real)
    }
}

impl Subject {
    /// What the last rule says that somebody wrote about this path in
    /// particular: a rule for everything does not count.
    pub fn particular(&self, scene: &Scene<'_>, surface: &str) -> Option<Evaluation> {
        let spelled: Vec<Candidate<'_>> = self.all.iter().map(candidate).collect();
        let real: Vec<Candidate<'_>> = self.real.iter().map(candidate).collect();
        stricter(
            particular(scene.policy, surface, &spelled),
            particular(scene.resolved, surface, &real),
        )
    }
}

/// What the last rule says that somebody wrote about one of these values in
/// particular.
pub(crate) fn particular(
    policy: &Policy,
    surface: &str,
    candidates: &[Candidate<'_>],
) -> Option<Evaluation> {
    let matching = policy.matching(surface, candidates);
    let rules = matching.into_iter().rev();
    rules
        .filter_map(|at| Some((at, policy.rules().get(at)?)))
        .find(|(_, rule)| rule.is_explicit() && !is_catch_all(&rule.pattern))
        .map(|(at, rule)| Evaluation {
            action: rule.action,
            rule: Some(at),
            candidate: None,
            member: None,
        })
}

fn texts(forms: &[Form]) -> Vec<&str> {
    forms
        .iter()
        .filter(|f| f.may_allow)
        .map(|f| f.text.as_str())
        .collect()
}

fn candidate(form: &Form) -> Candidate<'_> {
    if form.may_allow {
        Candidate::plain(&form.text)
    } else {
        Candidate::tighten(&form.text)
    }
}

/// The stricter of two, the first on a tie.
pub(crate) fn stricter(a: Option<Evaluation>, b: Option<Evaluation>) -> Option<Evaluation> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.action > a.action { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Whether somebody wrote the rule that decided.
pub(crate) fn is_explicit(policy: &Policy, said: &Evaluation) -> bool {
    said.rule
        .and_then(|at| policy.rules().get(at))
        .is_some_and(countersign_policy::Rule::is_explicit)
}

/// Whether a pattern is nothing but stars.
pub(crate) fn is_catch_all(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|b| b == b'*')
}

/// Where a normal absolute path leads. Below the session's directory, whose
/// real place is known, only the names on the way are looked at.
fn real(scene: &Scene<'_>, facts: &dyn Facts, lexical: &str) -> String {
    let flavour = scene.settings.flavour;
    let walked = (flavour == Flavour::Posix)
        .then(|| path::below(scene.cwd, lexical, flavour))
        .flatten()
        .and_then(|rest| walk(scene.real_cwd, facts, rest));
    match walked {
        Some(real) => real,
        // What cannot be followed is taken at its word: neither could the
        // command follow it.
        None => facts
            .real_path(lexical)
            .unwrap_or_else(|_| lexical.to_owned()),
    }
}

/// Follows `rest` below a real directory as long as it meets no link.
fn walk(real_cwd: &str, facts: &dyn Facts, rest: &str) -> Option<String> {
    let mut at = real_cwd.to_owned();
    let mut missing = false;
    for name in rest.split('/').filter(|name| !name.is_empty()) {
        if !at.ends_with('/') {
            at.push('/');
        }
        at.push_str(name);
        if !missing {
            match facts.entry(&at) {
                Entry::Link => return None,
                Entry::Missing => missing = true,
                Entry::Directory | Entry::File => {}
            }
        }
    }
    Some(at)
}
