//! Rules that would have answered what was approved, the fewest that are worth
//! their place.

use std::collections::{BTreeMap, BTreeSet};

use countersign_host::policy::is_path_surface;
use countersign_host::suggest::Asked;

use super::evidence::Evidence;

/// A rule that could be written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub surface: String,
    pub pattern: String,
}

/// A rule with what speaks for it.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub rule: Rule,
    /// The pattern of the rule that asks now.
    pub after: Option<String>,
    /// Prompts of the calls that would need no answer with it, and with the
    /// rules beside it.
    pub prompts: u64,
    /// Different things it was approved for.
    pub values: BTreeSet<String>,
    /// Ids of such calls.
    pub examples: Vec<String>,
    /// Whether it covers more than exactly one value.
    pub wide: bool,
}

/// Values and ids that are kept to be shown.
const SHOWN: usize = 5;

/// The rules that a call needs, each with whether it is wide.
struct Needs<'e> {
    prompts: u64,
    example: &'e str,
    rules: Vec<(&'e Asked, Rule, bool)>,
}

/// The fewest rules: a pattern where several different values were approved,
/// the value itself where it is always the same or the pattern is `barred`.
pub fn choose(
    evidence: &Evidence,
    barred: &BTreeSet<Rule>,
    min: u64,
    most: usize,
) -> Vec<Candidate> {
    let mut groups: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for unit in units(evidence) {
        if let Some(wide) = wide(unit) {
            let values = groups.entry((&unit.surface, wide)).or_default();
            values.insert(&unit.value);
        }
    }
    let patterns: BTreeMap<(&str, &str), String> = groups
        .into_iter()
        .filter(|(_, values)| values.len() > 1)
        .map(|((surface, wide), values)| {
            let pattern = match surface {
                "bash" => narrowed(wide, &values),
                _ => wide.to_owned(),
            };
            ((surface, wide), pattern)
        })
        .collect();
    let rule_for = |unit: &Asked| -> Option<(Rule, bool)> {
        let rule = |pattern: &str| Rule {
            surface: unit.surface.clone(),
            pattern: pattern.to_owned(),
        };
        let pattern = wide(unit).and_then(|wide| patterns.get(&(unit.surface.as_str(), wide)));
        if let Some(pattern) = pattern {
            let rule = rule(pattern);
            if !barred.contains(&rule) {
                return Some((rule, true));
            }
        }
        let rule = is_literal(unit).then(|| rule(&unit.value))?;
        (!barred.contains(&rule)).then_some((rule, false))
    };
    // Which rules each call needs; a call with something no rule can answer
    // is left out.
    let calls: Vec<Needs<'_>> = evidence
        .approved
        .iter()
        .filter_map(|call| {
            let rules: Option<Vec<_>> = call
                .units
                .iter()
                .map(|unit| rule_for(unit).map(|(rule, wide)| (unit, rule, wide)))
                .collect();
            Some(Needs {
                prompts: call.prompts,
                example: &call.example,
                rules: rules?,
            })
        })
        .collect();
    let mut dropped: BTreeSet<Rule> = BTreeSet::new();
    loop {
        let mut chosen: BTreeMap<Rule, Candidate> = BTreeMap::new();
        for Needs {
            prompts,
            example,
            rules,
        } in &calls
        {
            if rules.iter().any(|(_, rule, _)| dropped.contains(rule)) {
                continue;
            }
            let distinct: BTreeSet<&Rule> = rules.iter().map(|(_, rule, _)| rule).collect();
            for (unit, rule, wide) in rules {
                let candidate = chosen.entry(rule.clone()).or_insert_with(|| Candidate {
                    rule: rule.clone(),
                    after: unit.asks.clone(),
                    prompts: 0,
                    values: BTreeSet::new(),
                    examples: Vec::new(),
                    wide: *wide,
                });
                if candidate.values.len() < SHOWN {
                    candidate.values.insert(unit.value.clone());
                }
                if candidate.examples.len() < SHOWN
                    && !candidate.examples.iter().any(|it| it == example)
                {
                    candidate.examples.push((*example).to_owned());
                }
            }
            for rule in distinct {
                if let Some(candidate) = chosen.get_mut(rule) {
                    candidate.prompts += prompts;
                }
            }
        }
        // Leaving one out never makes another save more, so those that save
        // too little go together; of too many, the weaker half of the rest.
        let mut ranked: Vec<(u64, &Rule)> =
            chosen.values().map(|it| (it.prompts, &it.rule)).collect();
        ranked.sort();
        let weak = ranked.partition_point(|(prompts, _)| *prompts < min);
        let spare = (ranked.len() - weak).saturating_sub(most).div_ceil(2);
        if weak + spare == 0 {
            let mut chosen: Vec<Candidate> = chosen.into_values().collect();
            chosen.sort_by(|a, b| (b.prompts.cmp(&a.prompts)).then_with(|| a.rule.cmp(&b.rule)));
            return chosen;
        }
        let left_out = if weak > 0 { weak } else { spare };
        dropped.extend(
            ranked
                .into_iter()
                .take(left_out)
                .map(|(_, rule)| rule.clone()),
        );
    }
}

fn units(evidence: &Evidence) -> impl Iterator<Item = &Asked> {
    evidence.approved.iter().flat_map(|call| &call.units)
}

/// The pattern an approval would record, for what patterns speak of.
fn wide(unit: &Asked) -> Option<&str> {
    unit.wide.as_deref().filter(|_| is_told_apart(unit))
}

/// Whether a value says what the call does. A rule about any other tool, an
/// MCP tool too, would cover every input, those that were never seen as well.
fn is_told_apart(unit: &Asked) -> bool {
    unit.surface == "bash"
        || unit.surface == "skill"
        || is_path_surface(&unit.surface)
        || PATH_TOOLS.contains(&unit.surface.as_str())
}

/// Tools that are judged by the path they are given.
const PATH_TOOLS: [&str; 6] = ["read", "write", "edit", "grep", "find", "ls"];

/// Whether a value can stand as a pattern for itself alone.
fn is_literal(unit: &Asked) -> bool {
    let value = unit.value.as_str();
    is_told_apart(unit)
        && !value.contains(['*', '?', '\n'])
        && value.trim() == value
        && !value.starts_with(['~', '$'])
}

/// The words that all values begin with, then anything: at least as narrow as
/// `wide`, which names the program and what it does.
fn narrowed(wide: &str, values: &BTreeSet<&str>) -> String {
    let split: Vec<Vec<&str>> = values.iter().map(|it| it.split(' ').collect()).collect();
    let Some(first) = split.first() else {
        return wide.to_owned();
    };
    let common = (0..first.len())
        .take_while(|at| {
            let word = first.get(*at);
            split.iter().all(|words| words.get(*at) == word)
        })
        .count();
    let named = wide.trim_end_matches('*').split_whitespace().count();
    let shortest = split.iter().map(Vec::len).min().unwrap_or(0);
    let words = first.get(..common).unwrap_or_default();
    let plain = words
        .iter()
        .all(|word| !word.is_empty() && !word.contains(|c| "'\"\\$`|&;<>(){}[]*?!~#".contains(c)));
    if common > named && common < shortest && plain {
        format!("{} *", words.join(" "))
    } else {
        wide.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suggest::evidence::Approved;

    fn evidence(calls: &[(u64, &[&str])]) -> Evidence {
        Evidence {
            approved: calls
                .iter()
                .map(|(prompts, commands)| Approved {
                    prompts: *prompts,
                    units: commands
                        .iter()
                        .map(|command| Asked {
                            surface: "bash".to_owned(),
                            value: (*command).to_owned(),
                            wide: countersign_host::policy::suggest(
                                "bash",
                                command,
                                countersign_host::policy::Flavour::Posix,
                            ),
                            asks: None,
                        })
                        .collect(),
                    example: "perm".to_owned(),
                })
                .collect(),
            ..Evidence::default()
        }
    }

    fn patterns(evidence: &Evidence, barred: &[&str], min: u64, most: usize) -> Vec<String> {
        let barred = barred
            .iter()
            .map(|pattern| Rule {
                surface: "bash".to_owned(),
                pattern: (*pattern).to_owned(),
            })
            .collect();
        choose(evidence, &barred, min, most)
            .into_iter()
            .map(|it| it.rule.pattern)
            .collect()
    }

    #[test]
    fn rules_are_few_and_no_wider_than_what_was_approved() {
        let two = evidence(&[(2, &["git add a"]), (3, &["git add b"])]);
        assert_eq!(patterns(&two, &[], 3, 9), ["git add *"]);
        // Barred: each by itself, where it is worth it.
        assert_eq!(patterns(&two, &["git add *"], 3, 9), ["git add b"]);
        assert!(patterns(&two, &[], 6, 9).is_empty());
        // Always the same: nothing else.
        let one = evidence(&[(5, &["git add a"])]);
        assert_eq!(patterns(&one, &[], 3, 9), ["git add a"]);
        // What all have in common.
        let common = evidence(&[(2, &["mytool db dump x"]), (2, &["mytool db dump y"])]);
        assert_eq!(patterns(&common, &[], 3, 9), ["mytool db dump *"]);
        // Not undone: only what was approved.
        let rm = evidence(&[(3, &["rm a.txt"]), (3, &["rm b.txt"]), (9, &["rm *.o"])]);
        assert_eq!(patterns(&rm, &[], 3, 9), ["rm a.txt", "rm b.txt"]);
        assert_eq!(patterns(&rm, &[], 3, 1), ["rm b.txt"]);
    }

    #[test]
    fn a_tool_whose_inputs_no_rule_tells_apart_is_not_proposed() {
        for (surface, value, expected) in [
            ("mcp", "db:query", false),
            ("deploy", "*", false),
            ("skill", "librarian", true),
            ("write", "/p/a", true),
            ("path_write", "/p/a", true),
            ("path_write", "~/a", false),
            ("bash", "ls *.o", false),
        ] {
            let mut evidence = evidence(&[(9, &["x"])]);
            evidence.approved[0].units = vec![Asked {
                surface: surface.to_owned(),
                value: value.to_owned(),
                wide: Some("*".to_owned()),
                asks: None,
            }];
            let found = choose(&evidence, &BTreeSet::new(), 3, 9);
            assert_eq!(found.len() == 1, expected, "{surface} {value}");
            assert!(found.iter().all(|it| it.rule.pattern == value));
        }
    }

    #[test]
    fn a_rule_that_is_no_use_without_another_goes_with_it() {
        let both = evidence(&[(4, &["cd x", "rm *.o"]), (3, &["cd x"])]);
        assert_eq!(patterns(&both, &[], 3, 9), ["cd x"]);
        assert!(patterns(&both, &[], 4, 9).is_empty());
        let chain = evidence(&[(4, &["cd x", "ls"]), (1, &["ls"])]);
        assert_eq!(patterns(&chain, &[], 3, 9), ["ls", "cd x"]);
    }
}
