//! Directories of which everything below is read.

use countersign_intent::path;
use countersign_policy::{Action, Candidate};
use countersign_shell::{Below, Direction};

use super::paths::Use;
use super::shell::{Start, escape};
use crate::decide::Judge;
use crate::facts::Entry;
use crate::subject::{Subject, is_explicit};
use crate::tree;

impl<'a> Judge<'a> {
    /// Everything below a directory is read too. What is there now, and what
    /// the command itself may put there, is judged; where that is too much to
    /// look through, it is asked about if a rule could be about it.
    pub(super) fn below(
        &mut self,
        start: &Start<'_, 'a>,
        judged: &Use<'_>,
        directory: &str,
        below: &Below,
    ) {
        let flavour = self.scene.settings.flavour;
        let real = self.facts.real_path(directory);
        let real = real.unwrap_or_else(|_| directory.to_owned());
        let relative = |path: &str| {
            let scene = self.scene;
            path::below(scene.cwd, path, flavour)
                .or_else(|| path::below(scene.real_cwd, path, flavour))
                .map(str::to_owned)
        };
        let mut globs = Vec::new();
        let names: Vec<String> = if below.include.is_empty() {
            vec!["**".to_owned()]
        } else {
            let deep = below.include.iter().map(|name| format!("**/{name}"));
            deep.chain(below.include.iter().cloned()).collect()
        };
        let mut roots = vec![directory, real.as_str()];
        roots.dedup();
        for root in roots {
            let inside = relative(root).map(|root| escape(&root));
            for name in &names {
                globs.push(format!("{}/{name}", escape(root.trim_end_matches('/'))));
                globs.extend(inside.as_deref().map(|root| match root {
                    "" => name.clone(),
                    root => path::join(root, name, flavour),
                }));
            }
        }
        let judged = Use {
            direction: Direction::Read,
            proof: None,
            ..*judged
        };
        if !self.could_object(&globs) {
            return;
        }
        let Some(mut files) = tree::files(self.facts, &real, below) else {
            self.unknown_path(&judged, &globs, false);
            return;
        };
        if real != directory {
            for file in &mut files {
                if let Some(rest) = path::below(&real, file, flavour) {
                    *file = format!("{}/{rest}", directory.trim_end_matches('/'));
                }
            }
        }
        let planned = self.planned(start);
        files.extend(planned.into_iter().filter(|path| {
            path::below(directory, path, flavour).is_some_and(|rest| !rest.is_empty())
        }));
        let subjects: Vec<Subject> = files
            .iter()
            .filter(|file| self.may_object(file, directory, &real))
            .map(|file| self.subject(file, &start.directory))
            .collect();
        self.found_below(&judged, &subjects);
    }

    /// Whether a rule says anything but yes to this file, by its name alone.
    fn may_object(&self, file: &str, directory: &str, real: &str) -> bool {
        let flavour = self.scene.settings.flavour;
        let relative = path::below(self.scene.cwd, file, flavour);
        let elsewhere = path::below(directory, file, flavour)
            .filter(|_| real != directory)
            .map(|rest| path::join(real, rest, flavour));
        let inside = elsewhere
            .as_deref()
            .and_then(|file| path::below(self.scene.real_cwd, file, flavour));
        let texts = [Some(file), relative, elsewhere.as_deref(), inside];
        let entry = || self.facts.entry(file) == Entry::Link;
        [self.scene.policy, self.scene.resolved]
            .iter()
            .any(|policy| {
                texts.iter().flatten().any(|text| {
                    let said = policy.evaluate("path_read", &[Candidate::plain(text)]);
                    said.action != Action::Allow && is_explicit(policy, &said)
                })
            })
            || entry()
    }
}
