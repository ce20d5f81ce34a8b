//! What the model is told of: skills that are denied are kept from it
//! (spec 02 §6.4).

use std::path::Path;

use countersign_engine::SkillEntry;
use countersign_policy::{Action, Candidate, Policy};

use super::{Session, lock};
use crate::facts::real_path;

const OPEN: &str = "<available_skills>";
const CLOSE: &str = "</available_skills>";

/// A skill that the host has loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
}

impl Session {
    /// Takes note of the skills that the host has loaded, so that reading
    /// their files is gated, and names those that the model must not be told
    /// of. Approvals of the session do not reveal one.
    pub fn set_skills(&self, skills: &[Skill]) -> Vec<String> {
        let entries: Vec<SkillEntry> = skills.iter().flat_map(entries).collect();
        lock(&self.context).skills = entries;
        let snapshot = self.snapshot();
        let hidden = skills.iter().filter(|s| denied(&snapshot.policy, &s.name));
        hidden.map(|skill| skill.name.clone()).collect()
    }

    /// A prompt without the denied skills of its `<available_skills>` blocks.
    /// `None` where nothing in it is denied.
    #[must_use]
    pub fn without_denied_skills(&self, prompt: &str) -> Option<String> {
        let snapshot = self.snapshot();
        without(prompt, &|name| denied(&snapshot.policy, name))
    }
}

fn denied(policy: &Policy, name: &str) -> bool {
    policy.evaluate("skill", &[Candidate::plain(name)]).action == Action::Deny
}

/// A skill as the host names its file, and where that really is.
fn entries(skill: &Skill) -> Vec<SkillEntry> {
    let entry = |file: &Path| SkillEntry {
        name: skill.name.clone(),
        location: file.to_string_lossy().into_owned(),
        directory: file
            .parent()
            .map(|directory| directory.to_string_lossy().into_owned())
            .unwrap_or_default(),
    };
    let named = Path::new(&skill.file);
    let mut entries = vec![entry(named)];
    match real_path(named) {
        Ok(real) if real != named => entries.push(entry(&real)),
        _ => {}
    }
    entries
}

fn without(prompt: &str, denied: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = prompt;
    let mut changed = false;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((block, after)) = after.split_once(CLOSE) else {
            break;
        };
        out.push_str(before);
        match narrowed(block, denied) {
            Narrowed::Same => {
                out.push_str(OPEN);
                out.push_str(block);
                out.push_str(CLOSE);
            }
            Narrowed::Some(kept) => {
                changed = true;
                out.push_str(OPEN);
                out.push_str(&kept);
                out.push_str(CLOSE);
            }
            Narrowed::Empty => {
                changed = true;
                out.truncate(out.trim_end_matches('\n').len());
            }
        }
        rest = after;
    }
    out.push_str(rest);
    changed.then_some(out)
}

enum Narrowed {
    Same,
    Some(String),
    Empty,
}

/// Takes the denied entries out of a block. What is no entry stays.
fn narrowed(block: &str, denied: &dyn Fn(&str) -> bool) -> Narrowed {
    let mut out = String::new();
    let mut rest = block;
    let (mut kept, mut gone) = (0, 0);
    while let Some((before, after)) = rest.split_once("<skill>") {
        let Some((entry, after)) = after.split_once("</skill>") else {
            break;
        };
        let name = between(entry, "<name>", "</name>").map(decoded);
        if name.is_some_and(|name| denied(name.trim())) {
            gone += 1;
            out.push_str(before.trim_end_matches([' ', '\t', '\n', '\r']));
        } else {
            kept += 1;
            out.push_str(before);
            out.push_str("<skill>");
            out.push_str(entry);
            out.push_str("</skill>");
        }
        rest = after;
    }
    out.push_str(rest);
    match (kept, gone) {
        (_, 0) => Narrowed::Same,
        (0, _) => Narrowed::Empty,
        _ => Narrowed::Some(out),
    }
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    Some(text.split_once(open)?.1.split_once(close)?.0)
}

/// The five entities of XML. `&amp;` last, so that nothing is decoded twice.
fn decoded(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(names: &[&str]) -> String {
        let entry = |name: &&str| {
            format!(
                "\n  <skill>\n    <name>{name}</name>\n    <description>d</description>\n    \
                 <location>/s/{name}/SKILL.md</location>\n  </skill>"
            )
        };
        let entries: String = names.iter().map(entry).collect();
        format!("{OPEN}{entries}\n{CLOSE}")
    }

    #[test]
    fn denied_skills_leave_the_prompt() {
        let denied = |name: &str| name == "ops" || name == "a&b";
        let around = |skills: &str| format!("You are\n\n{skills}\n\nthe end");
        for (names, expected) in [
            (vec!["pdf"], None),
            (vec![], None),
            (vec!["ops"], Some("You are\n\nthe end".to_owned())),
            (vec!["pdf", "ops"], Some(around(&block(&["pdf"])))),
            (vec!["ops", "pdf"], Some(around(&block(&["pdf"])))),
            (vec!["x", "a&amp;b", "y"], Some(around(&block(&["x", "y"])))),
        ] {
            let prompt = around(&block(&names));
            let narrowed = without(&prompt, &denied);
            assert_eq!(narrowed, expected, "{names:?}");
            let again = narrowed.and_then(|text| without(&text, &denied));
            assert_eq!(again, None, "stable");
        }
        for open in [OPEN, "<available_skills><skill><name>ops</name>"] {
            assert_eq!(without(open, &denied), None, "what is not closed stays");
        }
        let two = format!("{}{}", block(&["ops", "pdf"]), block(&["ops"]));
        assert_eq!(without(&two, &denied), Some(block(&["pdf"])));
    }
}
