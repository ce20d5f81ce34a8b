//! Paths, from tools and from commands: the rules on the path surfaces, the
//! border of the workspace, and this system's own files.

use countersign_intent::{Intent, Kind, path};
use countersign_policy::{Action, Evaluation, Family, Flavour, Pattern, Policy, Rule};
use countersign_shell::{Direction, FloorCause, Proof};
use countersign_text::Span;

use crate::decide::Judge;
use crate::decision::{
    DecidedBy, FloorNote, Gate, Grantable, JudgedEffect, OWN_FILES, UNKNOWN_PATH,
};
use crate::protect;
use crate::scene::Infrastructure;
use crate::subject::{Dots, Subject, is_catch_all, is_explicit, stricter};

/// One use of one path, or of everything a glob stands for.
pub(super) struct Use<'s> {
    /// As typed.
    pub typed: &'s str,
    pub direction: Direction,
    pub proof: Option<Proof>,
    pub span: Option<Span>,
    pub gates: Gates,
    /// A tool that only reads: the infrastructure list applies.
    pub reader: bool,
    /// A command word: bash opens it, in places where programs live too.
    pub program: bool,
}

/// Where the effects of a use are reported.
#[derive(Clone, Copy)]
pub(super) struct Gates {
    pub path: Gate,
    pub external: Gate,
}

/// Where programs are installed: running one is no visit to a foreign
/// directory.
const PROGRAM_DIRECTORIES: [&str; 8] = [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/usr/lib",
];

fn members(family: Family, direction: Direction) -> &'static [&'static str] {
    match (family, direction) {
        (Family::Path, Direction::Read) => &["path_read"],
        (Family::Path, Direction::Write) => &["path_write"],
        (Family::Path, Direction::Both) => &["path_read", "path_write"],
        (Family::ExternalDirectory, Direction::Read) => &["external_directory_read"],
        (Family::ExternalDirectory, Direction::Write) => &["external_directory_write"],
        (Family::ExternalDirectory, Direction::Both) => {
            &["external_directory_read", "external_directory_write"]
        }
    }
}

/// The surface a question about this use is put on.
fn asked(family: Family, direction: Direction) -> &'static str {
    match direction {
        Direction::Read => family.read(),
        Direction::Write => family.write(),
        Direction::Both => family.bare(),
    }
}

impl Judge<'_> {
    /// The paths a tool names.
    pub(super) fn tool_paths(&mut self, intent: &Intent) {
        let home = self.facts.home();
        for raw in &intent.paths {
            let Some(typed) = path::clean(raw, home) else {
                continue;
            };
            let subject = Subject::new(
                self.scene,
                self.facts,
                &typed,
                self.scene.cwd,
                Dots::Lexical,
            );
            let used = Use {
                typed: &typed,
                direction: intent.direction,
                proof: None,
                span: None,
                gates: Gates {
                    path: Gate::Path,
                    external: Gate::External,
                },
                reader: intent.kind == Kind::Reader,
                program: false,
            };
            self.path_use(&used, &[subject]);
        }
    }

    /// Judges one use against the path rules, the border and the own files.
    pub(super) fn path_use(&mut self, used: &Use<'_>, subjects: &[Subject]) {
        self.path_rules(used, subjects);
        self.border(used, subjects);
        self.own_files(used, subjects);
    }

    /// Only a rule somebody wrote fires here: a universal default must not
    /// start asking about every file (spec 02 §3.4).
    fn path_rules(&mut self, used: &Use<'_>, subjects: &[Subject]) {
        let mut worst: Option<(JudgedEffect, usize)> = None;
        for member in members(Family::Path, used.direction) {
            for (at, subject) in subjects.iter().enumerate() {
                let Some(said) = subject.judge(self.scene, member, true) else {
                    continue;
                };
                let effect =
                    self.judged(used, Family::Path, used.gates.path, member, &said, subject);
                keep_stricter(&mut worst, effect, at);
            }
        }
        self.report(worst, subjects);
    }

    /// Geometry fires here: the default counts (spec 02 §3.5).
    fn border(&mut self, used: &Use<'_>, subjects: &[Subject]) {
        let mut worst: Option<(JudgedEffect, usize)> = None;
        let gate = used.gates.external;
        for (at, subject) in subjects.iter().enumerate().filter(|(_, s)| s.outside) {
            if used.program && self.is_installed_program(subject) {
                continue;
            }
            for member in members(Family::ExternalDirectory, used.direction) {
                let Some(said) = subject.judge(self.scene, member, false) else {
                    continue;
                };
                let mut effect = self.judged(
                    used,
                    Family::ExternalDirectory,
                    gate,
                    member,
                    &said,
                    subject,
                );
                if used.reader && !self.is_targeted_deny(&said) && self.is_infrastructure(subject) {
                    effect.verdict = Action::Allow;
                    effect.decided_by = DecidedBy::Infrastructure;
                }
                keep_stricter(&mut worst, effect, at);
            }
        }
        self.report(worst, subjects);
    }

    fn judged(
        &self,
        used: &Use<'_>,
        family: Family,
        gate: Gate,
        member: &'static str,
        said: &Evaluation,
        subject: &Subject,
    ) -> JudgedEffect {
        let mut effect = JudgedEffect::new(gate, member, used.typed);
        effect.asked_surface = asked(family, used.direction).to_owned();
        effect.direction = Some(used.direction);
        effect.proof = used.proof;
        effect.span = used.span;
        self.rule(&mut effect, said);
        self.answer(&mut effect, || self.path_grant(member, &[subject]));
        effect
    }

    fn report(&mut self, worst: Option<(JudgedEffect, usize)>, subjects: &[Subject]) {
        let Some((mut effect, at)) = worst else {
            return;
        };
        if let Some(subject) = subjects.get(at) {
            self.describe(&mut effect, subject);
        }
        self.effects.push(effect);
    }

    /// Notes where a path lies, for the question and for other nodes.
    pub(super) fn describe(&self, effect: &mut JudgedEffect, subject: &Subject) {
        effect.lexical = Some(subject.lexical.clone());
        if effect.verdict != Action::Allow {
            effect.resolved = subject.resolved().map(str::to_owned);
            effect.match_values = subject.match_values();
            effect.boundary = subject.canonical.first().cloned();
        }
    }

    /// The pattern of a grant that covers these paths.
    pub(super) fn path_grant(&self, surface: &str, subjects: &[&Subject]) -> Option<String> {
        let grants = self.scene.grants;
        let covers = |values: &[&str]| grants.covers(surface, values, false).is_some();
        if !subjects.iter().all(|s| s.covered_by(self.scene, &covers)) {
            return None;
        }
        let first = subjects.first()?;
        let text = first.canonical.first().unwrap_or(&first.lexical);
        let shown = grants.covers(surface, &[text.as_str()], false);
        Some(shown.map_or_else(String::new, |grant| grant.pattern.clone()))
    }

    fn is_targeted_deny(&self, said: &Evaluation) -> bool {
        said.action == Action::Deny
            && is_explicit(self.scene.policy, said)
            && said
                .rule
                .and_then(|at| self.scene.policy.rules().get(at))
                .is_some_and(|rule| !is_catch_all(&rule.pattern))
    }

    fn is_infrastructure(&self, subject: &Subject) -> bool {
        let settings = self.scene.settings;
        let within =
            |dir: &String, path: &String| path::below(dir, path, settings.flavour).is_some();
        !subject.canonical.is_empty()
            && subject.canonical.iter().all(|real| {
                !settings
                    .infrastructure_excluded
                    .iter()
                    // Neither the directory nor anything around it.
                    .any(|dir| within(dir, real) || within(real, dir))
                    && settings.infrastructure.iter().any(|place| match place {
                        Infrastructure::Below(dir) => within(dir, real),
                        Infrastructure::Matching(pattern) => pattern.matches(real),
                    })
            })
    }

    fn is_installed_program(&self, subject: &Subject) -> bool {
        PROGRAM_DIRECTORIES.iter().any(|dir| {
            path::below(dir, &subject.lexical, self.scene.settings.flavour)
                .is_some_and(|name| !name.is_empty())
        })
    }

    /// This system's own files (rung 3).
    fn own_files(&mut self, used: &Use<'_>, subjects: &[Subject]) {
        if used.direction == Direction::Read || used.program {
            return;
        }
        let touched = subjects
            .iter()
            .find_map(|s| Some((s, protect::touched(self.scene, self.facts, s)?)));
        let Some((subject, what)) = touched else {
            return;
        };
        let said = subject.judge(self.scene, "path_write", true);
        if said.is_some_and(|said| protect::lifted(self.scene, &said)) {
            return;
        }
        let mut effect = JudgedEffect::new(used.gates.path, "path_write", used.typed);
        effect.direction = Some(used.direction);
        effect.proof = used.proof;
        effect.span = used.span;
        effect.verdict = Action::Ask;
        effect.action = Action::Ask;
        effect.decided_by = DecidedBy::SelfProtection;
        effect.pattern = Some(OWN_FILES.to_owned());
        effect.floor = Some(OWN_FILES);
        effect.reason = Some(format!("this is {what}"));
        effect.origin = countersign_policy::Origin::of(countersign_policy::Scope::SelfProtection);
        effect.grantable = Grantable::Never;
        self.answer(&mut effect, || None);
        self.describe(&mut effect, subject);
        self.effects.push(effect);
    }

    /// A path that is known only in part: where rules on a surface could say
    /// anything but yes to what it may turn out to be, it is asked about
    /// (design §6).
    pub(super) fn unknown_path(&mut self, used: &Use<'_>, globs: &[String], outside: bool) {
        let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
        let mut families = vec![(Family::Path, used.gates.path, true)];
        if outside {
            families.push((Family::ExternalDirectory, used.gates.external, false));
        }
        for (family, gate, explicit) in families {
            let mut worst: Option<(JudgedEffect, usize)> = None;
            for member in members(family, used.direction) {
                let Some(said) = could_say(self.scene.policy, member, &globs, explicit) else {
                    continue;
                };
                let mut effect = JudgedEffect::new(gate, *member, used.typed);
                effect.asked_surface = asked(family, used.direction).to_owned();
                effect.direction = Some(used.direction);
                effect.proof = used.proof;
                effect.span = used.span;
                self.rule(&mut effect, &said);
                if said.action != Action::Allow {
                    // A rule that might apply denies nothing for certain.
                    effect.verdict = Action::Allow;
                    self.floor(&mut effect, UNKNOWN_PATH);
                    effect.grantable = Grantable::Never;
                }
                self.answer(&mut effect, || None);
                keep_stricter(&mut worst, effect, 0);
            }
            if let Some((effect, _)) = worst {
                self.effects.push(effect);
            }
        }
    }

    /// A part of a word that may or may not be a path: a rule about it in
    /// particular asks.
    pub(super) fn embedded(&mut self, used: &Use<'_>, subject: &Subject) {
        let judged = members(Family::Path, used.direction)
            .iter()
            .filter(|member| {
                let said = subject.judge(self.scene, member, true);
                said.is_some_and(|said| said.action != Action::Allow)
            })
            .filter_map(|member| Some((*member, subject.particular(self.scene, member)?)))
            .filter(|(_, said)| said.action != Action::Allow)
            .max_by_key(|(_, said)| said.action);
        let Some((member, said)) = judged else { return };
        let mut effect = self.judged(used, Family::Path, used.gates.path, member, &said, subject);
        if said.action == Action::Deny {
            let note = format!("`{}` in this word may be a file", used.typed);
            self.ask_instead(&mut effect, used, &note);
        }
        self.describe(&mut effect, subject);
        self.effects.push(effect);
    }

    /// A denial of what may not be touched at all asks: only a person can tell.
    fn ask_instead(&mut self, effect: &mut JudgedEffect, used: &Use<'_>, note: &str) {
        effect.verdict = Action::Allow;
        let span = used.span.unwrap_or_default();
        self.floors
            .push(FloorNote::new(FloorCause::ComputedPath, note, span));
        self.floor(effect, UNKNOWN_PATH);
        effect.grantable = Grantable::Never;
        self.answer(effect, || None);
    }

    /// Files that are read because they lie below a directory. A program may
    /// leave some out for reasons of its own: what a rule denies is asked
    /// about.
    pub(super) fn found_below(&mut self, used: &Use<'_>, subjects: &[Subject]) {
        let surface = Family::Path.read();
        let judged = subjects
            .iter()
            .filter_map(|subject| Some((subject, subject.judge(self.scene, surface, true)?)))
            .filter(|(_, said)| said.action != Action::Allow)
            .max_by_key(|(_, said)| said.action);
        let Some((subject, said)) = judged else {
            return;
        };
        let flavour = self.scene.settings.flavour;
        let file = &subject.lexical;
        let file = path::below(self.scene.cwd, file, flavour).unwrap_or(file);
        let used = Use {
            typed: file,
            ..*used
        };
        let mut effect = self.judged(
            &used,
            Family::Path,
            used.gates.path,
            surface,
            &said,
            subject,
        );
        if said.action == Action::Deny {
            let note = format!("reads everything below the directory, and with it `{file}`");
            self.ask_instead(&mut effect, &used, &note);
        }
        self.describe(&mut effect, subject);
        self.effects.push(effect);
    }

    /// Whether a rule somebody wrote could say anything but yes to reading
    /// what these globs stand for.
    pub(super) fn could_object(&self, globs: &[String]) -> bool {
        let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
        [self.scene.policy, self.scene.resolved]
            .into_iter()
            .filter_map(|policy| could_say(policy, Family::Path.read(), &globs, true))
            .any(|said| said.action != Action::Allow)
    }
}

fn keep_stricter(worst: &mut Option<(JudgedEffect, usize)>, effect: JudgedEffect, at: usize) {
    if worst
        .as_ref()
        .is_none_or(|(seen, _)| effect.verdict > seen.verdict)
    {
        *worst = Some((effect, at));
    }
}

/// The strictest that the rules could say about what a glob stands for.
fn could_say(policy: &Policy, surface: &str, globs: &[&str], explicit: bool) -> Option<Evaluation> {
    let said = policy.evaluate_glob(surface, globs);
    if !explicit || is_explicit(policy, &said) {
        return Some(said);
    }
    // The default is the strictest and hides what somebody wrote.
    let on = |rule: &Rule| {
        rule.surface == surface
            || Pattern::verbatim(&rule.surface, Flavour::Posix, false).matches(surface)
    };
    let mut strictest: Option<Evaluation> = None;
    for (at, rule) in policy.rules().iter().enumerate().rev() {
        if !rule.is_explicit() || !on(rule) {
            continue;
        }
        let pattern = Pattern::new(&rule.pattern, policy.context(), true);
        if globs.iter().any(|glob| pattern.may_match_glob(glob)) {
            let found = Evaluation {
                action: rule.action,
                rule: Some(at),
                ..said
            };
            strictest = stricter(strictest, Some(found));
        }
    }
    strictest
}
