//! What bash's own builtins do, and shells that read programs.

use countersign_text::Span;

use super::bases::{Bases, Flow};
use super::simple::Around;
use super::words::Item;
use super::{Place, Walker, variable_with_teeth};
use crate::analysis::{Base, Context, Direction, Exemption, FloorCause, PathRole, Proof, TOPLEVEL};
use crate::tree::{RedirectKind, Target, WordId};
use crate::value::Value;

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
                self.declaration(items, unit, place);
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

    fn change_directory(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
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
    pub(super) fn git_is_git(&self) -> bool {
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

    fn directory(&mut self, value: &Value, span: Span, unit: usize, start: &Bases) {
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

    fn eval(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
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

    fn source_file(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
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

    fn trap(&mut self, items: &[Item], unit: usize, start: &Bases) -> Flow {
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
    fn seen_through(
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

    fn alias(&mut self, items: &[Item], unit: usize, start: &Bases) {
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

    /// `export` and its like: variables with teeth, and names with subscripts.
    fn declaration(&mut self, items: &[Item], unit: usize, place: Place) {
        let mut previous: Option<WordId> = None;
        let mut integer = false;
        for item in items.iter().skip(1) {
            if previous == Some(item.word) && !item.alone {
                continue;
            }
            previous = Some(item.word);
            let tree = self.tree;
            let assignment = tree
                .word(item.word)
                .and_then(|word| word.assignment.as_ref());
            if let Some(assignment) = assignment {
                self.teeth(assignment, unit, place);
                if integer && !self.names.harmless_number(&assignment.name) {
                    self.floor(unit, FloorCause::Unmodelled, item.span, INTEGER);
                }
                continue;
            }
            if let Some(letters) = item.exact().and_then(|text| text.strip_prefix('-')) {
                integer |= letters.contains('i');
                if letters.contains('n') {
                    self.floor(
                        unit,
                        FloorCause::Unmodelled,
                        item.span,
                        "makes a name stand for another variable",
                    );
                }
                continue;
            }
            let Some(text) = item.exact() else {
                let known = item.value.known_prefix().split_once('=');
                match known {
                    Some((name, _)) if !name.contains('[') => {
                        if let Some(what) = variable_with_teeth(name, None) {
                            let note = format!("`{name}` {what}");
                            self.floor(unit, FloorCause::Teeth, item.span, note);
                        }
                    }
                    _ => self.floor(
                        unit,
                        FloorCause::Teeth,
                        item.span,
                        "sets variables that are known only at run time",
                    ),
                }
                continue;
            };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            if value.is_some()
                && let Some(what) = variable_with_teeth(name.trim_end_matches('+'), value)
            {
                let note = format!("`{name}` {what}");
                self.floor(unit, FloorCause::Teeth, item.span, note);
            }
            let text = text.to_owned();
            if integer && !self.names.harmless_number(name) {
                self.floor(unit, FloorCause::Unmodelled, item.span, INTEGER);
            }
            self.evaluated_text(&text, item, unit);
        }
    }

    /// A text that bash evaluates (a subscript, arithmetic): what it would
    /// run if it held an expansion.
    fn evaluated_text(&mut self, text: &str, item: &Item, unit: usize) {
        if !text.contains(['$', '`']) {
            return;
        }
        self.floor(
            unit,
            FloorCause::Unmodelled,
            item.span,
            "this text is expanded again when it is evaluated",
        );
        let program = format!(": \"{}\"", text.replace('"', ""));
        self.payload(&program, item.span, Context::Payload, &Bases::unknown());
    }

    /// A word whose value is evaluated as arithmetic, or as a variable's name.
    pub(super) fn evaluated_word(&mut self, id: WordId, unit: usize, place: Place) {
        let tree = self.tree;
        let Some(word) = tree.word(id) else { return };
        let value = self.expanding(place, |e| e.single(word));
        let span = self.outer(place, word.span);
        let item = Item {
            source: tree.slice(place.source, word.span).to_owned(),
            value,
            span,
            local: word.span,
            word: id,
            alone: true,
        };
        match item.exact() {
            Some(text) => {
                let text = text.to_owned();
                if let Some(note) = self.names.unsafe_names(&text) {
                    self.floor(unit, FloorCause::Unmodelled, span, note);
                }
                self.evaluated_text(&text, &item, unit);
            }
            None => {
                if let Some((span, note)) =
                    self.names
                        .unsafe_arithmetic(tree, place.source, &word.pieces)
                {
                    let span = self.outer(place, span);
                    self.floor(unit, FloorCause::Unmodelled, span, note);
                }
            }
        }
    }

    /// Builtins whose arguments may be `name[subscript]`.
    fn names_as_arguments(&mut self, name: &str, items: &[Item], unit: usize) {
        let relevant: Vec<&Item> = match name {
            "printf" => match items.get(1).and_then(Item::exact) {
                Some("-v") => items.iter().skip(2).take(1).collect(),
                Some(text) if text.starts_with("-v") => items.iter().skip(1).take(1).collect(),
                None => items
                    .iter()
                    .skip(1)
                    .take(1)
                    .filter(|i| i.value.splits)
                    .collect(),
                _ => Vec::new(),
            },
            _ => items.iter().skip(1).collect(),
        };
        for item in relevant {
            match item.exact() {
                Some(text) => {
                    let text = text.to_owned();
                    let sets = !matches!(name, "unset" | "test" | "[");
                    let variable = text.strip_prefix("-v").unwrap_or(&text);
                    if let Some(what) = variable_with_teeth(variable, None).filter(|_| sets) {
                        let note = format!("`{variable}` {what}");
                        self.floor(unit, FloorCause::Teeth, item.span, note);
                    }
                    if text.contains('[') && text.len() > 1 {
                        self.evaluated_text(&text, item, unit);
                    }
                }
                None if matches!(name, "test" | "[") => {
                    let variable = items.iter().any(|i| i.exact() == Some("-v"));
                    if variable || self.names.suspicious {
                        self.floor(
                            unit,
                            FloorCause::Unmodelled,
                            item.span,
                            "a test may evaluate a value that is known only at run time",
                        );
                    }
                }
                None => self.floor(
                    unit,
                    FloorCause::Unmodelled,
                    item.span,
                    "the name of a variable is known only at run time",
                ),
            }
        }
    }

    /// `mapfile -C callback`.
    fn callback(&mut self, items: &[Item], unit: usize, start: &Bases) {
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

    /// A shell: `-c text`, a script, or a program on its standard input.
    fn shell(&mut self, items: &[Item], unit: usize, around: Around<'_>, start: &Bases) {
        let span = items
            .iter()
            .map(|i| i.span)
            .reduce(|a, b| a.cover(b))
            .unwrap_or_default();
        let mut at = 1;
        let mut command = false;
        let mut input = false;
        while let Some(item) = items.get(at) {
            let Some(text) = item.exact() else { break };
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if !text.starts_with(['-', '+']) || text.len() < 2 {
                break;
            }
            at += 1;
            match text {
                "--version" | "--help" if items.len() == 2 => return,
                "--rcfile" | "--init-file" => {
                    self.floor(
                        unit,
                        FloorCause::OpaqueWrapper,
                        item.span,
                        "runs the commands in a file",
                    );
                    at += 1;
                }
                _ if text.starts_with("--") => {}
                _ => {
                    let letters = text.get(1..).unwrap_or("");
                    command |= text.starts_with('-') && letters.contains('c');
                    input |= letters.contains('s');
                    at += letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
                }
            }
        }
        let operand = items.get(at);
        if command {
            self.floor(
                unit,
                FloorCause::OpaqueWrapper,
                span,
                "runs a text as a program",
            );
            let Some(item) = operand else { return };
            if let Some(text) = item.exact() {
                let text = text.to_owned();
                self.executed(unit, &text, item.span);
                self.payload(&text, item.span, Context::Payload, start);
            }
            self.operands(items.get(at..).unwrap_or_default(), unit, None, start);
            return;
        }
        match operand {
            Some(item) if !input => {
                let hidden = match item.exact() {
                    Some(text) => text.starts_with("/dev/") || text.starts_with("/proc/"),
                    None => true,
                };
                if hidden {
                    self.floor(
                        unit,
                        FloorCause::OpaqueWrapper,
                        item.span,
                        "runs commands that are known only at run time",
                    );
                }
                self.emit_path(
                    &item.value,
                    0,
                    item.span,
                    (Direction::Read, Proof::Core),
                    PathRole::File,
                    Some(unit),
                    start,
                );
                self.operands(items.get(at..).unwrap_or_default(), unit, None, start);
            }
            _ => {
                self.floor(
                    unit,
                    FloorCause::OpaqueWrapper,
                    span,
                    "runs the commands that come in on its standard input",
                );
                self.input_program(around, start);
            }
        }
        if operand.is_some() {
            self.input_program(around, start);
        }
    }

    /// A here-document or here-string fed to a shell, as the program it is.
    fn input_program(&mut self, around: Around<'_>, start: &Bases) {
        let tree = self.tree;
        for redirect in around.redirects {
            match (redirect.kind, redirect.target) {
                (RedirectKind::Heredoc, Target::Heredoc(id)) => {
                    let Some(heredoc) = tree.heredoc(id) else {
                        continue;
                    };
                    let text = tree.slice(heredoc.source, heredoc.body).to_owned();
                    let span = tree.outer(heredoc.source, heredoc.body);
                    self.payload(&text, span, Context::Payload, start);
                }
                (RedirectKind::HereString, Target::Word(id)) => {
                    let Some(word) = tree.word(id) else { continue };
                    let value = self.expanding(around.place, |e| e.single(word));
                    let span = self.outer(around.place, word.span);
                    if let Some(text) = value.exact().map(str::to_owned) {
                        self.payload(&text, span, Context::Payload, start);
                    }
                }
                _ => {}
            }
        }
    }
}

const INTEGER: &str = "makes every value of the variable arithmetic, which may run commands";

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
