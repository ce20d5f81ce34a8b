//! `cd` and its like.

use countersign_text::Span;

use super::super::Walker;
use super::super::bases::{Bases, Flow};
use super::super::words::Item;
use crate::analysis::{Base, Direction, PathRole, Proof, TOPLEVEL};
use crate::value::Value;

impl Walker<'_, '_> {
    pub(super) fn change_directory(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
        let mut operand = None;
        let mut physical = false;
        let mut options = true;
        for item in items.iter().skip(1) {
            match item.exact() {
                Some("--") if options => options = false,
                Some("-L" | "-e" | "-Le" | "-@") if options => {}
                Some("-P" | "-Pe" | "-eP") if options => physical = true,
                _ => {
                    operand = Some(item);
                    break;
                }
            }
        }
        let unknown = Flow {
            ok: Bases::unknown(),
            failed: start.clone(),
        };
        let Some(operand) = operand else {
            let span = items.first().map(|item| item.span).unwrap_or_default();
            self.home_directory(span, unit, start);
            return if self.names.sets("HOME") {
                unknown
            } else {
                Flow {
                    ok: start.entered("~"),
                    failed: start.clone(),
                }
            };
        };
        if operand.exact() == Some("-") {
            return unknown;
        }
        let targets = self.variants(operand);
        let mut entered = Bases::nowhere();
        let limit = self.out.limits.bases;
        let mut known = !self.names.sets("CDPATH");
        for value in &targets {
            self.directory(value, operand.span, unit, start);
            match value.exact() {
                Some(target) if !(physical && target.split('/').any(|part| part == "..")) => {
                    entered = entered.or(&start.entered(target), limit);
                }
                None if self.is_in_toplevel(value, start) => {
                    entered = entered.or(&start.entered(&value.text), limit);
                }
                _ => known = false,
            }
        }
        if !known {
            return unknown;
        }
        Flow {
            ok: entered,
            failed: start.clone(),
        }
    }

    /// Whether the value is the root of the repository the program starts in,
    /// or a directory below it.
    fn is_in_toplevel(&self, value: &Value, start: &Bases) -> bool {
        let begins = start.iter().all(|base| base == Base::Known(String::new()));
        let below = value.text.strip_prefix(TOPLEVEL);
        begins
            && !value.splits
            && self.git_is_git()
            && below.is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with('/') && !rest.contains(['$', '`', '*', '?', '['])
            })
    }

    /// Whether `git` is the program, and finds the repository by itself.
    pub(in crate::walk) fn git_is_git(&self) -> bool {
        !self.names.wild
            && !self.names.functions.contains("git")
            && ![
                "GIT_DIR",
                "GIT_WORK_TREE",
                "GIT_CEILING_DIRECTORIES",
                "PATH",
            ]
            .iter()
            .any(|name| self.names.sets(name))
    }

    pub(super) fn directory(&mut self, value: &Value, span: Span, unit: usize, start: &Bases) {
        if value.exact().is_some_and(|t| t.starts_with(['-', '+'])) {
            return;
        }
        self.emit_path(
            value,
            0,
            span,
            (Direction::Read, Proof::Core),
            PathRole::Directory,
            Some(unit),
            start,
        );
    }
}
