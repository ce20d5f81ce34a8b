//! What bash's own builtins do, and shells that read programs.

mod directory;
mod shells;
mod texts;
mod variables;

use super::Walker;
use super::bases::{Bases, Flow};
use super::simple::Around;
use super::words::Item;
use crate::analysis::{Context, Direction, FloorCause, Proof};

/// Programs that run the commands they are given.
pub(super) const SHELLS: &[&str] = &[
    "bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "yash",
    "elvish", "nu", "pwsh", "posh", "lksh", "ksh93", "oksh", "xonsh", "osh",
];

/// Interpreters that read a program from standard input when they get no
/// operand.
pub(super) const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "php",
    "lua",
    "luajit",
    "bun",
    "deno",
    "tclsh",
    "wish",
    "expect",
    "Rscript",
    "R",
    "guile",
    "ghci",
    "julia",
    "ocaml",
    "psql",
    "mysql",
    "sqlite3",
    "bc",
    "gdb",
    "ed",
    "ex",
    "vi",
    "vim",
    "osascript",
    "at",
    "batch",
    "crontab",
    "gnuplot",
    "octave",
    "pypy",
    "pypy3",
];

impl Walker<'_, '_> {
    /// Handles `name` if it is a builtin that needs more than its table row,
    /// or a shell.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        base: &str,
        items: &[Item],
        unit: usize,
        around: Around<'_>,
        start: &Bases,
    ) -> Option<Flow> {
        let place = around.place;
        match name {
            "cd" => return Some(self.change_directory(items, unit, start)),
            "pushd" | "popd" => {
                for item in items.iter().skip(1) {
                    self.directory(&item.value, item.span, unit, start);
                }
                return Some(Flow {
                    ok: Bases::unknown(),
                    failed: start.clone(),
                });
            }
            "exit" | "return" | "break" | "continue" | "logout" if !self.is_function(name) => {
                return Some(Flow {
                    ok: Bases::nowhere(),
                    failed: Bases::nowhere(),
                });
            }
            "true" | ":" => {
                self.operands(items, unit, Some(&quiet()), start);
                return Some(Flow {
                    ok: start.clone(),
                    failed: Bases::nowhere(),
                });
            }
            "false" => {
                return Some(Flow {
                    ok: Bases::nowhere(),
                    failed: start.clone(),
                });
            }
            "eval" => return Some(self.eval(items, unit, start)),
            "source" | "." => return Some(self.source_file(items, unit, start)),
            "trap" => {
                return Some(self.trap(items, unit, start));
            }
            "command" | "builtin" | "exec" => {
                return Some(self.seen_through(name, items, unit, around, start));
            }
            "alias" => {
                self.alias(items, unit, start);
                return Some(Flow::same(start));
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declaration(items, unit, place, start);
                return Some(Flow::same(start));
            }
            "let" => {
                for item in items.iter().skip(1) {
                    self.evaluated_word(item.word, unit, place);
                }
                return Some(Flow::same(start));
            }
            "read" | "unset" | "mapfile" | "readarray" | "getopts" | "wait" | "printf" | "test"
            | "[" => {
                self.names_as_arguments(name, items, unit);
                if matches!(name, "read" | "unset" | "getopts" | "wait") {
                    return Some(Flow::same(start));
                }
                if matches!(name, "mapfile" | "readarray") {
                    self.callback(items, unit, start);
                    return Some(Flow::same(start));
                }
                return None;
            }
            "enable" | "hash" | "fc" | "bind" | "complete" | "compgen" | "jobs" | "history"
            | "set" | "shopt" | "coproc" => {
                self.rare(name, items, unit, around, start);
                return Some(Flow::same(start));
            }
            "shift" | "umask" | "ulimit" | "times" | "type" | "help" | "dirs" | "bg" | "fg"
            | "disown" | "kill" | "caller" | "suspend" => return Some(Flow::same(start)),
            _ => {}
        }
        if SHELLS.contains(&base) {
            self.shell(items, unit, around, start);
            return Some(Flow::same(start));
        }
        if INTERPRETERS.contains(&base) && reads_input(items) {
            let span = items.first().map(|i| i.span).unwrap_or_default();
            self.floor(
                unit,
                FloorCause::Teeth,
                span,
                format!("`{base}` runs what it reads from its standard input"),
            );
        }
        None
    }

    fn is_function(&self, name: &str) -> bool {
        self.names.functions.contains(name)
    }

    /// Builtins that can run something or change what names mean, by an
    /// option.
    fn rare(&mut self, name: &str, items: &[Item], unit: usize, around: Around<'_>, start: &Bases) {
        let texts: Vec<Option<&str>> = items.iter().skip(1).map(Item::exact).collect();
        let option = |letter: char| {
            texts.iter().any(|text| match text {
                Some(text) => {
                    text.starts_with(['-', '+']) && !text.starts_with("--") && text.contains(letter)
                }
                None => true,
            })
        };
        let word = |wanted: &[&str]| {
            texts
                .iter()
                .any(|text| text.is_none_or(|text| wanted.contains(&text)))
        };
        let note = match name {
            "enable" if option('f') || option('n') => "changes the builtins of the shell",
            "hash" if option('p') => "changes which program a name stands for",
            "fc" if !option('l') => "runs commands from the history",
            "history"
                if option('r') || option('n') || option('s') || option('w') || option('a') =>
            {
                "changes the history, or a file of it"
            }
            "bind" | "complete" if items.len() > 1 => "binds a command to a key or a completion",
            "compgen" if option('C') || option('F') || option('W') => {
                "runs a command to complete a word"
            }
            "jobs" if option('x') => "runs a command",
            "set" if word(&["posix", "history", "histexpand"]) || option('H') => {
                "changes how commands are read"
            }
            "shopt" if word(&["nocaseglob"]) => "changes what patterns match",
            "shopt"
                if word(&[
                    "expand_aliases",
                    "sourcepath",
                    "autocd",
                    "cdspell",
                    "cdable_vars",
                    "lastpipe",
                    "compat31",
                    "compat32",
                    "compat40",
                    "compat41",
                    "compat42",
                    "compat43",
                    "compat44",
                ]) =>
            {
                "changes how commands are read"
            }
            _ => return,
        };
        let span = items.first().map(|i| i.span).unwrap_or_default();
        self.floor(unit, FloorCause::Unmodelled, span, note);
        match name {
            "jobs" => {
                let at = items.iter().position(|i| i.exact() == Some("-x"));
                if let Some(inner) = at.and_then(|at| items.get(at + 1..)) {
                    self.wrapped(inner, unit, around, start);
                }
            }
            "compgen" => {
                let at = items.iter().position(|i| i.exact() == Some("-C"));
                let value = at.and_then(|at| items.get(at + 1)).and_then(Item::exact);
                if let Some(value) = value.map(str::to_owned) {
                    self.payload(&value, span, Context::Payload, start);
                }
            }
            _ => {}
        }
    }
}

/// No operand at all, or `-`.
fn reads_input(items: &[Item]) -> bool {
    items
        .iter()
        .skip(1)
        .all(|item| item.exact() == Some("-") || item.exact() == Some("-i"))
}

/// No operand is a path.
fn quiet() -> crate::program::Facts {
    crate::program::Facts {
        operands: Some((Direction::Read, Proof::Core)),
        ..crate::program::Facts::default()
    }
}
