//! What a call that does not run lacks: which rule or floor stands in the way,
//! who could grant it, and whether asking again can help. One line for the
//! model, and a form for programs.

use countersign_policy::Action;
use serde_json::{Value, json};

use crate::decision::{DecidedBy, Decision, JudgedEffect, OWN_FILES};
use crate::preview::cut;
use crate::refusal::Refusal;

/// More obstacles than this are only counted.
const MISSING_MAX: usize = 16;

/// More of a value than this is not repeated in the form, in characters.
const VALUE_MAX: usize = 400;

/// More of a value than this is not repeated in the line, in characters.
const LINE_VALUE_MAX: usize = 100;

/// Who could grant what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grantor {
    /// A person who is asked, at this session or one above it.
    Person,
    /// The user, by a rule in the configuration.
    Rule,
}

impl Grantor {
    /// The word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Rule => "rule",
        }
    }
}

/// Whether the same call may fare better when it is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Again {
    /// Making the call puts the question.
    Yes,
    /// Not now: nobody could be asked, which may change.
    Later,
    /// It was refused, and will be refused again.
    No,
}

impl Again {
    /// The word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Later => "later",
            Self::No => "no",
        }
    }
}

/// One thing that is not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The surface.
    pub surface: String,
    /// The value, cut to a length that fits a log.
    pub value: String,
    /// What stands in the way: `ask` or `deny`.
    pub action: Action,
    /// The pattern of the rule, a sentinel included; `None` for defaults.
    pub pattern: Option<String>,
    /// The scope of the rule.
    pub origin: &'static str,
    /// The file of the rule.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// The floor below it.
    pub floor: Option<&'static str>,
    /// Who could grant it. Nobody, where the call is no call.
    pub grantors: Vec<Grantor>,
    /// Why it is not granted, in words.
    why: String,
}

/// What a call that does not run lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What is missing, what decided first.
    pub missing: Vec<Missing>,
    /// How many more are missing than are listed.
    pub more: usize,
    /// Whether asking again can help.
    pub again: Again,
    /// Who refused it, where a policy did not.
    refused_by: Option<String>,
}

impl Need {
    /// What a call lacks as far as the policy goes. `None` when it is allowed.
    #[must_use]
    pub fn of(decision: &Decision) -> Option<Self> {
        let again = match decision.verdict {
            Action::Allow => return None,
            Action::Ask => Again::Yes,
            Action::Deny => Again::No,
        };
        let mut stands: Vec<&JudgedEffect> = decision
            .effects
            .iter()
            .filter(|effect| effect.verdict == decision.verdict)
            .collect();
        let more = stands.len().saturating_sub(MISSING_MAX);
        stands.truncate(MISSING_MAX);
        let mut missing: Vec<Missing> = stands
            .into_iter()
            .map(|effect| Missing::of(effect, decision))
            .collect();
        if missing.is_empty() {
            missing.push(Missing::of_call(decision));
        }
        Some(Self {
            missing,
            more,
            again,
            refused_by: None,
        })
    }

    /// What a call lacks after it was refused. `None` when the policy allows
    /// it: then nothing is missing but the reason of the refusal.
    #[must_use]
    pub fn refused(decision: &Decision, refusal: &Refusal) -> Option<Self> {
        let mut need = Self::of(decision)?;
        match refusal {
            Refusal::Policy => need.again = Again::No,
            Refusal::User { .. } => {
                need.again = Again::No;
                need.refused_by = Some("The person who was asked".to_owned());
            }
            Refusal::Authority { name, .. } => {
                need.again = Again::No;
                need.refused_by = Some(name.clone());
            }
            Refusal::Unavailable { .. } => need.again = Again::Later,
        }
        Some(need)
    }

    /// The form for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let missing: Vec<Value> = self
            .missing
            .iter()
            .map(|one| {
                let grantors: Vec<&str> = one.grantors.iter().map(|g| g.as_str()).collect();
                json!({
                    "surface": one.surface,
                    "value": one.value,
                    "action": one.action.as_str(),
                    "pattern": one.pattern,
                    "origin": one.origin,
                    "file": one.file,
                    "line": one.line,
                    "floor": one.floor,
                    "grantors": grantors,
                })
            })
            .collect();
        json!({
            "missing": missing,
            "more": self.more,
            "again": self.again.as_str(),
            "text": self.line(),
        })
    }

    /// One line for the model.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(first) = self.missing.first() else {
            return String::new();
        };
        let others = self.missing.len() - 1 + self.more;
        let more = match others {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let line = format!(
            "Missing: approval of {}{more} ({}). {}; {}.",
            first.named(),
            first.why,
            self.who(),
            self.whether(),
        );
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        line.chars().map(clean).collect()
    }

    /// Who could grant all of it.
    fn who(&self) -> &'static str {
        let all = |grantor| self.missing.iter().all(|m| m.grantors.contains(&grantor));
        match (all(Grantor::Person), all(Grantor::Rule)) {
            (true, true) => "A person, or the user by a rule, can grant it",
            (true, false) => "Only a person can grant it, no rule",
            (false, true) => "Only the user can grant it, by changing the configuration",
            (false, false) => "Nobody can grant it as it is",
        }
    }

    fn whether(&self) -> String {
        match (self.again, &self.refused_by) {
            (Again::Yes, _) => "making the call asks for it".to_owned(),
            (Again::Later, _) => {
                "nobody could be asked, so the same call helps only once somebody can answer"
                    .to_owned()
            }
            (Again::No, Some(who)) => format!(
                "{} refused, so the same call again does not help",
                uncapitalised(who)
            ),
            (Again::No, None) => "the same call again does not help".to_owned(),
        }
    }
}

fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

impl Missing {
    fn of(effect: &JudgedEffect, decision: &Decision) -> Self {
        let asked = effect.verdict == Action::Ask;
        // The user may name one of the own files; nothing lifts a floor.
        let by_person_only = effect.floor.is_some() && effect.floor != Some(OWN_FILES);
        let grantors = match (asked, by_person_only) {
            (true, true) => vec![Grantor::Person],
            (true, false) => vec![Grantor::Person, Grantor::Rule],
            (false, _) => vec![Grantor::Rule],
        };
        let scope = effect.origin.scope.as_str();
        let why = match effect.decided_by {
            DecidedBy::Floor => decision
                .floors
                .iter()
                .find(|floor| Some(floor.sentinel) == effect.floor && !floor.note.is_empty())
                .map_or_else(
                    || format!("floor {}", effect.pattern.as_deref().unwrap_or("unknown")),
                    |floor| floor.note.clone(),
                ),
            DecidedBy::SelfProtection => {
                "one of the permission system's own files is asked about by name".to_owned()
            }
            _ => match &effect.pattern {
                Some(pattern) => format!(
                    "{scope} rule '{}' says {}",
                    cut(pattern, LINE_VALUE_MAX),
                    effect.action.as_str()
                ),
                None => format!(
                    "no rule speaks of it, and the default says {}",
                    effect.action.as_str()
                ),
            },
        };
        Self {
            surface: if asked {
                effect.asked_surface.clone()
            } else {
                effect.surface.clone()
            },
            value: cut(&effect.value, VALUE_MAX),
            action: effect.verdict,
            pattern: effect.pattern.clone(),
            origin: scope,
            file: effect.origin.path.as_deref().map(str::to_owned),
            line: effect.origin.line,
            floor: effect.floor,
            grantors,
            why,
        }
    }

    /// For a call in which nothing was judged.
    fn of_call(decision: &Decision) -> Self {
        let deciding = &decision.deciding;
        let malformed = deciding.decided_by == DecidedBy::Malformed;
        Self {
            surface: deciding.surface.clone(),
            value: cut(&deciding.value, VALUE_MAX),
            action: decision.verdict,
            pattern: deciding.pattern.clone(),
            origin: deciding.origin.scope.as_str(),
            file: None,
            line: None,
            floor: deciding.floor,
            grantors: if malformed {
                Vec::new()
            } else {
                vec![Grantor::Person]
            },
            why: if malformed {
                "the call names no registered tool".to_owned()
            } else {
                "nothing in the call could be judged".to_owned()
            },
        }
    }

    fn named(&self) -> String {
        if self.value.is_empty() || self.value == self.surface {
            return format!("'{}'", cut(&self.surface, LINE_VALUE_MAX));
        }
        format!("{} '{}'", self.surface, cut(&self.value, LINE_VALUE_MAX))
    }
}
