//! Builtins that run a text or other words: `eval`, `trap`, `command`.

use super::super::Walker;
use super::super::bases::{Bases, Flow};
use super::super::simple::Around;
use super::super::words::Item;
use crate::analysis::{Context, Direction, Exemption, FloorCause, PathRole, Proof};

impl Walker<'_, '_> {
    pub(super) fn eval(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
        let words = match items.get(1).and_then(Item::exact) {
            Some("--") => items.get(2..),
            _ => items.get(1..),
        }
        .unwrap_or_default();
        let Some(first) = words.first() else {
            return Flow::same(start);
        };
        let span = words
            .iter()
            .map(|i| i.span)
            .fold(first.span, |a, b| a.cover(b));
        let text: Option<Vec<&str>> = words.iter().map(Item::exact).collect();
        self.floor(
            unit,
            FloorCause::OpaqueWrapper,
            span,
            "runs a text as a program",
        );
        match text {
            Some(words) => {
                let text = words.join(" ");
                self.executed(unit, &text, span);
                let flow = self.payload(&text, span, Context::Payload, start);
                flow.map_or_else(|| Flow::same(&Bases::unknown()), |ran| ran.flow)
            }
            None => Flow::same(&Bases::unknown()),
        }
    }

    pub(super) fn source_file(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
        let operand = items.iter().skip(1).find(|item| item.exact() != Some("--"));
        if let Some(item) = operand {
            self.floor(
                unit,
                FloorCause::OpaqueWrapper,
                item.span,
                format!("runs the commands in `{}`", item.source),
            );
            self.emit_path(
                &item.value,
                0,
                item.span,
                (Direction::Read, Proof::Core),
                PathRole::File,
                Some(unit),
                start,
            );
        }
        Flow::same(&Bases::unknown())
    }

    pub(super) fn trap(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
        let words = items.get(1..).unwrap_or_default();
        let first = words.iter().find(|item| item.exact() != Some("--"));
        let Some(action) = first else {
            return Flow::same(start);
        };
        if matches!(action.exact(), Some("-" | "" | "-l" | "-p" | "-P" | "-lp")) {
            return Flow::same(start);
        }
        let bases = if self.names.moves {
            Bases::unknown()
        } else {
            start.clone()
        };
        match action.exact() {
            Some(text) => {
                let text = text.to_owned();
                self.executed(unit, &text, action.span);
                let ran = self.payload(&text, action.span, Context::Payload, &bases);
                if ran.is_none_or(|ran| ran.moves) {
                    // It may run between any two commands from here on.
                    return Flow::same(&Bases::unknown());
                }
                Flow::same(start)
            }
            None => {
                self.floor(
                    unit,
                    FloorCause::OpaqueWrapper,
                    action.span,
                    "runs a text that is known only at run time",
                );
                Flow::same(&Bases::unknown())
            }
        }
    }

    /// `command`, `builtin` and `exec`, which run their operands.
    pub(super) fn seen_through(
        &mut self,
        name: &str,
        items: &[Item],
        unit: usize,
        around: Around<'_>,
        start: &Bases,
    ) -> Flow {
        let mut at = 1;
        while let Some(text) = items.get(at).and_then(Item::exact) {
            match (name, text) {
                (_, "--") => {
                    at += 1;
                    break;
                }
                ("command", text) if text.starts_with('-') && text.contains(['v', 'V']) => {
                    return Flow::same(start);
                }
                ("command", "-p") | ("exec", "-c" | "-l" | "-cl" | "-lc") => at += 1,
                ("exec", "-a" | "-ca" | "-la" | "-cla" | "-lca") => at += 2,
                ("exec", text) if text.starts_with("-a") => at += 1,
                (_, text) if text.starts_with('-') && text.len() > 1 => {
                    let span = items.get(at).map(|i| i.span).unwrap_or_default();
                    self.floor(
                        unit,
                        FloorCause::IndirectionWrapper,
                        span,
                        format!("`{name}` with an unknown option"),
                    );
                    at += 1;
                }
                _ => break,
            }
        }
        let inner = items.get(at..).unwrap_or_default();
        if inner.is_empty() {
            return Flow::same(start);
        }
        if let Some(unit) = self.out.analysis.units.get_mut(unit) {
            unit.exemption = Some(Exemption::ExecutionModifier);
        }
        let flow = self.wrapped(inner, unit, around, start);
        if name == "exec" {
            return Flow {
                ok: Bases::nowhere(),
                failed: start.clone(),
            };
        }
        flow
    }

    pub(super) fn alias(&mut self, items: &[Item], unit: usize, start: &Bases) {
        for item in items.iter().skip(1) {
            let Some((name, value)) = item.exact().and_then(|t| t.split_once('=')) else {
                if item.exact().is_none() {
                    self.floor(
                        unit,
                        FloorCause::OpaqueWrapper,
                        item.span,
                        "gives a name to a text that is known only at run time",
                    );
                }
                continue;
            };
            self.floor(
                unit,
                FloorCause::OpaqueWrapper,
                item.span,
                format!("`{name}` may mean another command from here on"),
            );
            let value = value.to_owned();
            self.payload(&value, item.span, Context::Payload, start);
        }
    }

    /// `mapfile -C callback`.
    pub(super) fn callback(&mut self, items: &[Item], unit: usize, start: &Bases) {
        for (i, item) in items.iter().enumerate().skip(1) {
            let Some(text) = item.exact() else { continue };
            if !text.starts_with('-') || !text.contains('C') {
                continue;
            }
            let value = items.get(i + 1).and_then(Item::exact).map(str::to_owned);
            self.floor(
                unit,
                FloorCause::OpaqueWrapper,
                item.span,
                "runs a callback for what it reads",
            );
            if let Some(value) = value {
                self.payload(&value, item.span, Context::Payload, start);
            }
        }
    }
}
