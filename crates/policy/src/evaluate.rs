//! Asking a policy about values.

use std::collections::HashMap;
use std::sync::Arc;

use crate::index::{Index, Prefixes};
use crate::pattern::Glob;
use crate::surface::path_surfaces;
use crate::{
    Action, ExactSurface, Flavour, Pattern, PatternContext, Rule, family_members, is_path_surface,
};

/// Below this many patterns, trying them all is quicker than looking up.
/// In tests every list is looked up, so that small random policies try it.
const INDEX_FROM: usize = if cfg!(test) { 1 } else { 24 };

/// Which rules a candidate text may be matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Every rule.
    Plain,
    /// `deny` and `ask` rules only: the text may tighten, never loosen.
    TightenOnly,
}

/// One text under which a value is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The text to match.
    pub text: &'a str,
    /// Which rules may match it.
    pub trust: Trust,
}

impl<'a> Candidate<'a> {
    /// A text every rule may match.
    #[must_use]
    pub fn plain(text: &'a str) -> Self {
        Self {
            text,
            trust: Trust::Plain,
        }
    }

    /// A text that may only tighten.
    #[must_use]
    pub fn tighten(text: &'a str) -> Self {
        Self {
            text,
            trust: Trust::TightenOnly,
        }
    }
}

/// What the policy says about a value.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The verdict.
    pub action: Action,
    /// The rule that decided, an index into [`Policy::rules`]. `None` is the
    /// built-in `ask` for a value no rule speaks of.
    pub rule: Option<usize>,
    /// The candidate the rule matched, the first of several.
    pub candidate: Option<usize>,
    /// The direction that decided, where a bare family was asked about.
    pub member: Option<&'static str>,
}

impl Evaluation {
    const BUILTIN: Self = Self {
        action: Action::Ask,
        rule: None,
        candidate: None,
        member: None,
    };
}

/// An ordered list of rules, ready to be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Policy {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    rules: Vec<Rule>,
    ctx: PatternContext,
    /// Per rule, further patterns of the path surfaces: its directory resolved.
    resolved: HashMap<usize, Vec<String>>,
    /// One group for each surface that is named or holds paths.
    named: HashMap<String, Group>,
    /// The rules whose surface is a wildcard, for every other surface.
    other: Group,
}

/// The patterns that can apply to one surface, in rule order.
#[derive(Debug, Default)]
struct Group {
    entries: Vec<Entry>,
    index: Option<Index>,
    prefixes: Option<Prefixes>,
    fold: bool,
}

#[derive(Debug)]
struct Entry {
    rule: usize,
    action: Action,
    pattern: Arc<Pattern>,
    /// The rule's surface, where it is still to be compared.
    surface: Option<Arc<Pattern>>,
}

/// One candidate as a group compares it.
struct Prepared<'a> {
    text: std::borrow::Cow<'a, str>,
    trust: Trust,
}

impl Policy {
    /// Compiles rules, lowest first.
    #[must_use]
    pub fn compile(rules: Vec<Rule>, ctx: &PatternContext) -> Self {
        Self::build(rules, ctx.clone(), HashMap::new())
    }

    fn build(rules: Vec<Rule>, ctx: PatternContext, resolved: HashMap<usize, Vec<String>>) -> Self {
        let wild: Vec<Option<Arc<Pattern>>> = rules
            .iter()
            .map(|rule| match ExactSurface::new(&rule.surface) {
                Some(_) => None,
                None => Some(Arc::new(Pattern::verbatim(
                    &rule.surface,
                    Flavour::Posix,
                    false,
                ))),
            })
            .collect();
        let plain: Vec<Vec<Arc<Pattern>>> = rules
            .iter()
            .map(|rule| compile_rule(rule, &ctx, &[], false))
            .collect();

        let mut by_surface: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            if let Some(surface) = ExactSurface::new(&rule.surface) {
                by_surface.entry(surface.name()).or_default().push(at);
            }
        }
        for surface in path_surfaces() {
            by_surface.entry(surface).or_default();
        }
        let wild_at: Vec<(usize, &Arc<Pattern>)> = wild
            .iter()
            .enumerate()
            .filter_map(|(at, surface)| Some((at, surface.as_ref()?)))
            .collect();

        let mut named = HashMap::new();
        for (surface, mut at) in by_surface {
            at.extend(
                wild_at
                    .iter()
                    .filter(|(_, p)| p.matches(surface))
                    .map(|(at, _)| *at),
            );
            at.sort_unstable();
            let is_path = is_path_surface(surface);
            let entries = at.into_iter().flat_map(|at| {
                let rule = rules.get(at);
                let own = plain.get(at).cloned().unwrap_or_default();
                let further = resolved.get(&at).map_or(&[][..], Vec::as_slice);
                let patterns = match rule {
                    Some(rule)
                        if is_path && (ctx.flavour == Flavour::Windows || !further.is_empty()) =>
                    {
                        compile_rule(rule, &ctx, further, true)
                    }
                    _ => own,
                };
                patterns.into_iter().filter_map(move |pattern| {
                    Some(Entry {
                        rule: at,
                        action: rule?.action,
                        pattern,
                        surface: None,
                    })
                })
            });
            let fold = is_path && ctx.flavour == Flavour::Windows;
            named.insert(surface.to_owned(), Group::new(entries.collect(), fold));
        }
        let entries = wild_at.iter().flat_map(|(at, surface)| {
            let rule = rules.get(*at);
            plain
                .get(*at)
                .into_iter()
                .flatten()
                .filter_map(move |pattern| {
                    Some(Entry {
                        rule: *at,
                        action: rule?.action,
                        pattern: Arc::clone(pattern),
                        surface: Some(Arc::clone(surface)),
                    })
                })
        });
        let other = Group::new(entries.collect(), false);
        Self {
            inner: Arc::new(Inner {
                rules,
                ctx,
                resolved,
                named,
                other,
            }),
        }
    }

    /// The rules, lowest first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.inner.rules
    }

    /// What the patterns were compiled with.
    #[must_use]
    pub fn context(&self) -> &PatternContext {
        &self.inner.ctx
    }

    /// The verdict about one value under all its texts.
    ///
    /// The last rule that matches any text wins, wherever among the texts it
    /// matched (the alias rule). Texts of [`Trust::TightenOnly`] are invisible
    /// to `allow` rules, and each of them can only make the verdict of the
    /// plain texts stricter. A bare family is judged in both directions; the
    /// stricter one counts, reads on a tie (spec 02 §4.3).
    pub fn evaluate(&self, surface: &str, candidates: &[Candidate<'_>]) -> Evaluation {
        self.per_member(surface, |surface| self.evaluate_one(surface, candidates))
    }

    /// The strictest verdict any string that one of these shell globs (all of
    /// them spellings of the same glob) could stand for would get.
    pub fn evaluate_glob(&self, surface: &str, glob_candidates: &[&str]) -> Evaluation {
        self.per_member(surface, |surface| {
            self.evaluate_glob_one(surface, glob_candidates)
        })
    }

    fn per_member(&self, surface: &str, one: impl Fn(&str) -> Evaluation) -> Evaluation {
        let Some([read, write]) = family_members(surface) else {
            return one(surface);
        };
        let on_read = Evaluation {
            member: Some(read),
            ..one(read)
        };
        let on_write = Evaluation {
            member: Some(write),
            ..one(write)
        };
        if on_write.action > on_read.action {
            on_write
        } else {
            on_read
        }
    }

    fn group(&self, surface: &str) -> &Group {
        self.inner.named.get(surface).unwrap_or(&self.inner.other)
    }

    fn evaluate_one(&self, surface: &str, candidates: &[Candidate<'_>]) -> Evaluation {
        let group = self.group(surface);
        let prepared: Vec<Prepared<'_>> = candidates.iter().map(|c| group.prepare(c)).collect();
        let plain = prepared
            .iter()
            .filter(|c| c.trust == Trust::Plain)
            .filter_map(|c| group.last_match(surface, &c.text, false))
            .max();
        let tightened = prepared
            .iter()
            .filter(|c| c.trust == Trust::TightenOnly)
            .filter_map(|c| group.last_match(surface, &c.text, true))
            .filter(|at| plain.is_none_or(|plain| *at > plain));
        // Strictness first; among equals the plain match, then the later rule.
        let winner = plain
            .into_iter()
            .map(|at| (at, true))
            .chain(tightened.map(|at| (at, false)))
            .filter_map(|(at, plain)| Some((self.rules().get(at)?.action, plain, at)))
            .max();
        let Some((action, _, rule)) = winner else {
            return Evaluation::BUILTIN;
        };
        let candidate = prepared.iter().position(|c| {
            (action != Action::Allow || c.trust == Trust::Plain)
                && group.rule_matches(rule, surface, &c.text)
        });
        Evaluation {
            action,
            rule: Some(rule),
            candidate,
            member: None,
        }
    }

    fn evaluate_glob_one(&self, surface: &str, globs: &[&str]) -> Evaluation {
        let group = self.group(surface);
        let globs: Vec<Glob> = globs.iter().map(|g| Glob::new(g, group.fold)).collect();
        let mut strictest: Option<(Action, usize, usize)> = None;
        let mut covered = false;
        for entry in group.beginning_like(&globs) {
            if !entry.on(surface) {
                continue;
            }
            let Some(candidate) = globs.iter().position(|g| entry.pattern.may_match(g)) else {
                continue;
            };
            if strictest.is_none_or(|(action, ..)| entry.action > action) {
                strictest = Some((entry.action, entry.rule, candidate));
            }
            if globs.iter().any(|g| entry.pattern.covers(g)) {
                covered = true;
                break;
            }
        }
        match strictest {
            Some((action, rule, candidate)) if covered || action >= Action::Ask => Evaluation {
                action,
                rule: Some(rule),
                candidate: Some(candidate),
                member: None,
            },
            _ => Evaluation::BUILTIN,
        }
    }

    /// The rules that match any of the texts, the deciding order last, for
    /// explanations. Bare families list both members' rules.
    #[must_use]
    pub fn matching(&self, surface: &str, candidates: &[Candidate<'_>]) -> Vec<usize> {
        let members = family_members(surface);
        let surfaces: Vec<&str> = members.map_or_else(|| vec![surface], |m| m.to_vec());
        let mut out = Vec::new();
        for surface in surfaces {
            let group = self.group(surface);
            let prepared: Vec<Prepared<'_>> = candidates.iter().map(|c| group.prepare(c)).collect();
            out.extend(
                group
                    .entries
                    .iter()
                    .filter(|entry| {
                        entry.on(surface)
                            && prepared.iter().any(|c| {
                                (entry.action != Action::Allow || c.trust == Trust::Plain)
                                    && entry.pattern.matches_folded(&c.text)
                            })
                    })
                    .map(|entry| entry.rule),
            );
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether nothing on this surface could ever be allowed or asked about,
    /// so that a tool may be hidden (spec 02 §6.1).
    #[must_use]
    pub fn fully_denied(&self, surface: &str) -> bool {
        let one = |surface: &str| {
            for entry in self
                .group(surface)
                .entries
                .iter()
                .rev()
                .filter(|e| e.on(surface))
            {
                if entry.action != Action::Deny {
                    return false;
                }
                if entry.pattern.is_catch_all() {
                    return true;
                }
            }
            false
        };
        match family_members(surface) {
            // Something of the family is possible while one direction is.
            Some([read, write]) => one(read) && one(write),
            None => one(surface),
        }
    }

    /// What the surface says about itself: the verdict on the literal value
    /// `*` (the predecessor's `getToolPermission`).
    pub fn surface_state(&self, surface: &str) -> Evaluation {
        self.evaluate(surface, &[Candidate::plain("*")])
    }

    /// The same policy, in which a rule on a path surface also covers its
    /// pattern with the literal directory part replaced by what `resolve` says
    /// of it, so that `/tmp/*` covers `/private/tmp/x` where `/tmp` is a link.
    ///
    /// `resolve` is asked about directories without a trailing separator, for
    /// rules that tighten about relative ones too, and answers `None` where
    /// there is nothing to add. It must not follow links the agent could have
    /// made: an `allow` would follow.
    #[must_use]
    pub fn with_resolved_directories(&self, resolve: &dyn Fn(&str) -> Option<String>) -> Self {
        self.with_resolved_rules(&|_, directory| resolve(directory))
    }

    /// [`Self::with_resolved_directories`], where `resolve` also sees the rule.
    #[must_use]
    pub fn with_resolved_rules(&self, resolve: &dyn Fn(&Rule, &str) -> Option<String>) -> Self {
        let ctx = &self.inner.ctx;
        let mut resolved: HashMap<usize, Vec<String>> = HashMap::new();
        for (at, rule) in self.rules().iter().enumerate() {
            if ExactSurface::new(&rule.surface).is_some_and(|s| !is_path_surface(s.name())) {
                continue;
            }
            let expanded = crate::pattern::expand_home(&rule.pattern, ctx);
            // An `allow` on a relative path speaks of the workspace as it is.
            let relative = rule.action != Action::Allow;
            let Some((directory, rest)) = literal_directory(&expanded, ctx.flavour, relative)
            else {
                continue;
            };
            let Some(real) = resolve(rule, directory) else {
                continue;
            };
            let widened = real.contains(['*', '?']) && rule.action == Action::Allow;
            if real != directory && !widened {
                let real = real.trim_end_matches('/');
                resolved
                    .entry(at)
                    .or_default()
                    .push(format!("{real}{rest}"));
            }
        }
        if resolved.is_empty() {
            return self.clone();
        }
        Self::build(self.inner.rules.clone(), ctx.clone(), resolved)
    }

    /// The patterns [`Self::with_resolved_directories`] added to a rule.
    #[must_use]
    pub fn resolved_patterns(&self, rule: usize) -> &[String] {
        self.inner.resolved.get(&rule).map_or(&[], Vec::as_slice)
    }
}

impl Group {
    fn new(entries: Vec<Entry>, fold: bool) -> Self {
        let patterns = || entries.iter().map(|e| e.pattern.as_ref());
        let indexed = entries.len() >= INDEX_FROM;
        let index = indexed.then(|| Index::new(patterns()));
        let prefixes = indexed.then(|| Prefixes::new(patterns()));
        Self {
            entries,
            index,
            prefixes,
            fold,
        }
    }

    /// The entries that could match one of the globs by their beginning, the
    /// latest first.
    fn beginning_like<'s>(&'s self, globs: &[Glob]) -> Box<dyn Iterator<Item = &'s Entry> + 's> {
        match &self.prefixes {
            Some(prefixes) => {
                let found = prefixes.candidates(globs.iter().map(Glob::prefix));
                let entry = |at: u32| self.entries.get(at as usize);
                Box::new(found.into_iter().filter_map(entry))
            }
            None => Box::new(self.entries.iter().rev()),
        }
    }

    fn prepare<'a>(&self, candidate: &Candidate<'a>) -> Prepared<'a> {
        Prepared {
            text: if self.fold {
                crate::pattern::fold_text(candidate.text).into()
            } else {
                candidate.text.into()
            },
            trust: candidate.trust,
        }
    }

    /// The last rule that matches `value`; allows can be left out.
    fn last_match(&self, surface: &str, value: &str, no_allow: bool) -> Option<usize> {
        let fits = |entry: &&Entry| {
            !(no_allow && entry.action == Action::Allow)
                && entry.on(surface)
                && entry.pattern.matches_folded(value)
        };
        match &self.index {
            None => self.entries.iter().rev().find(fits).map(|e| e.rule),
            Some(index) => index
                .candidates(value)
                .into_iter()
                .filter_map(|at| self.entries.get(at as usize))
                .find(fits)
                .map(|e| e.rule),
        }
    }

    fn rule_matches(&self, rule: usize, surface: &str, value: &str) -> bool {
        let from = self.entries.partition_point(|e| e.rule < rule);
        self.entries
            .iter()
            .skip(from)
            .take_while(|e| e.rule == rule)
            .any(|e| e.on(surface) && e.pattern.matches_folded(value))
    }
}

impl Entry {
    fn on(&self, surface: &str) -> bool {
        self.surface.as_ref().is_none_or(|p| p.matches(surface))
    }
}

/// All patterns of one rule on a path surface or another one.
fn compile_rule(
    rule: &Rule,
    ctx: &PatternContext,
    further: &[String],
    path: bool,
) -> Vec<Arc<Pattern>> {
    let own = Pattern::new(&rule.pattern, ctx, path);
    // A value that is no path, or that could not be resolved, keeps its `~`:
    // without this, a rule about `~/bin/tool` would never see that spelling. An
    // allow does not follow: what `~` is when the command runs is not known.
    let as_typed = (rule.action != Action::Allow
        && crate::pattern::expand_home(&rule.pattern, ctx) != rule.pattern)
        .then(|| Pattern::verbatim(&rule.pattern, ctx.flavour, path));
    let further = further
        .iter()
        .map(|text| Pattern::verbatim(text, ctx.flavour, path));
    std::iter::once(own)
        .chain(as_typed)
        .chain(further)
        .map(Arc::new)
        .collect()
}

/// The directory part of a pattern before its first wildcard, and the rest
/// with its separator. `None` for a relative pattern unless those are wanted.
fn literal_directory(pattern: &str, flavour: Flavour, relative: bool) -> Option<(&str, &str)> {
    let is_sep = |c: char| c == '/' || (flavour == Flavour::Windows && c == '\\');
    let absolute = match flavour {
        Flavour::Posix => pattern.starts_with('/'),
        Flavour::Windows => {
            pattern.starts_with(is_sep)
                || (pattern.as_bytes().get(1) == Some(&b':')
                    && pattern
                        .get(2..)
                        .is_some_and(|rest| rest.starts_with(is_sep)))
        }
    };
    if !absolute && !relative {
        return None;
    }
    let literal = pattern.split(['*', '?']).next()?;
    let cut = literal.rfind(is_sep).filter(|cut| *cut > 0)?;
    Some((pattern.get(..cut)?, pattern.get(cut..)?))
}

#[cfg(test)]
mod tests;
