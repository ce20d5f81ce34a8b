//! The shape of a table row.

/// What is known of one program.
#[derive(Debug)]
pub(super) struct Row {
    /// Base names, separated by blanks.
    pub names: &'static str,
    /// How its arguments are read.
    pub style: Style,
    /// Its options. Not complete, unless the row is a wrapper.
    pub options: &'static [Opt],
    /// What its operands are.
    pub operands: Operands,
    /// Whether, and how, it runs another command.
    pub wrap: Wrap,
    /// Knowledge that no table can hold.
    pub check: Check,
    /// Whether an option can make it run something or write where its
    /// operands do not show it, so that an argument known only at run time
    /// must be feared.
    pub guarded: bool,
}

/// How a program reads its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Clusters of short options, long ones with abbreviations, options
    /// anywhere.
    Permuted,
    /// The same, but the first operand ends the options.
    Ordered,
    /// Whole words after one or two dashes (`find -name`), no clusters.
    Words,
    /// `key=value` operands (`dd`).
    Keys,
}

/// One or more options that do the same.
#[derive(Debug)]
pub(super) struct Opt {
    /// Names without dashes, separated by blanks: one letter is a short
    /// option, more are a long one.
    pub names: &'static str,
    /// What they do.
    pub does: Does,
}

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Nothing of interest.
    Flag,
    /// Takes a value that is no path.
    Value,
    /// Takes a value only when attached; it is no path.
    Optional,
    /// Takes attached digits only; other letters go on as options.
    Digits,
    /// What follows may or may not be its value: judged by shape.
    Maybe,
    /// Takes two values, neither a path.
    Pair,
    /// Takes a name and a file it reads.
    PairRead,
    /// Takes a file it reads.
    Read,
    /// Takes a pattern of names that may be a name.
    Glob,
    /// Takes a file it writes.
    Write,
    /// Takes a file or directory; the direction is not known.
    Path,
    /// As `Write`, only when attached.
    OptionalWrite,
    /// Takes a directory that the operands are relative to.
    Directory,
    /// Takes the pattern or script that would otherwise be the first operand.
    Pattern,
    /// Takes a file with that pattern or script.
    PatternFile,
    /// Says that there is no pattern (`rg --files`).
    NoPattern,
    /// Takes a file that names further files to read.
    Names,
    /// Takes text that is run by a shell.
    Script,
    /// As `Script`, only when attached.
    OptionalScript,
    /// Takes the shell script that would otherwise be the operands (`su -c`).
    Payload,
    /// Takes program text in a language this analysis does not read.
    Code,
    /// Has teeth that nothing more can be said of.
    Teeth(&'static str),
    /// As `Teeth`, and takes a value.
    TeethValue(&'static str),
    /// As `Teeth`, and the value is optional and attached.
    TeethOptional(&'static str),
    /// Takes `key=value`; only harmless keys pass (see the row's check).
    Setting,
    /// Changes what a wrapper runs so that it cannot be told.
    Refuse,
    /// As `Refuse`, and takes a value.
    RefuseValue,
    /// As `RefuseValue`, and the value is a directory the command starts in.
    RefuseDirectory,
    /// As `Refuse`, and the value is split into the first words.
    RefuseSplit,
    /// Prints something and ends.
    Help,
    /// Reads the program from standard input.
    Stdin,
    /// Takes the module or script; everything after it belongs to it.
    Module,
    /// The words that follow are a command, up to `;` or `+`.
    Exec,
    /// All words that follow are a command; one alone, or an attached value,
    /// is read by a shell.
    Rest,
}

/// What operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// Judged by shape, nothing proved.
    Shape,
    /// Judged by shape, only ever read.
    Core,
    /// Certainly files, only ever read.
    CoreFiles,
    /// Never paths.
    Nothing,
    /// Certainly files or directories.
    Files,
    /// The first so many are patterns or scripts, the rest by shape.
    Pattern(u8),
    /// As `Pattern`, of a pure reader.
    CorePattern(u8),
    /// The first so many are not paths, the rest are certainly files.
    FilesAfter(u8),
    /// The first is read, the second written.
    InOut,
    /// The last is certainly a file, the others by shape.
    Last,
    /// The first is a script file it runs, the rest belong to that.
    Interpreter,
    /// After so many operands of its own, a command.
    Command {
        /// Operands before the command.
        skip: u8,
        /// Whether `NAME=value` words may stand before the command.
        assigns: bool,
    },
    /// As `Command`, but the words are joined and read by a shell.
    Line {
        /// Operands before the text.
        skip: u8,
    },
    /// As `Command`, but where there is a `--` the command stands behind it.
    Dashes {
        /// Operands before the command when there is no `--`.
        skip: u8,
    },
    /// Every operand is a shell script of its own.
    Scripts,
}

/// How a program that runs another one is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrap {
    /// It is not a wrapper.
    No,
    /// Floored unless the inner command is a pure reader.
    Spec,
    /// As `Spec`, but never exempt.
    Strict,
    /// As `Spec`, and exempt with only the admitted option words.
    Modifier {
        /// Option words that take no value.
        flags: &'static str,
        /// Option words that take the next word.
        values: &'static str,
    },
    /// It gives the inner command powers: floored always.
    Power(&'static str),
    /// It adds nothing: floored only when the inner command cannot be told.
    Thin,
}

/// Knowledge that no table can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// None.
    No,
    /// `sed` scripts.
    Sed,
    /// `awk` programs.
    Awk,
    /// `find` expressions.
    Find,
    /// `fd`.
    Fd,
    /// `git` and its subcommands.
    Git,
    /// Shells with `-c` and `-s`.
    Shell,
    /// Interpreters: inline code, standard input.
    Interpreter,
    /// `tar`.
    Tar,
    /// `xargs`.
    Xargs,
    /// `sudo`, `doas`: floored even without an inner command.
    Privileged,
    /// Without an inner command it starts a shell.
    BareShell,
    /// Without an inner command it reads commands from standard input.
    BareStdin,
    /// `ssh` and friends: `-o` settings.
    Ssh,
    /// Files named after the last part of a URL.
    RemoteName,
    /// `make`: assignments that change its shell.
    Make,
    /// A program with subcommands in the subcommand table.
    Subcommands,
    /// `cp`, `mv`, `ln`: with `-t` every operand is a source.
    Copy,
    /// As `Subcommands`; beside those in the table, any word may be run.
    Launcher,
    /// `sqlite3`, `psql`, `mysql`: command text with escapes to a shell.
    Database,
    /// An agent.
    Agent,
    /// Vim and its like: `+command` operands.
    Editor,
    /// Compilers: `@file`, `-o`.
    Compiler,
    /// `dd`.
    Dd,
    /// `socat` addresses.
    Socat,
    /// `crontab`, `at`, `batch`.
    Schedule,
    /// Multi-call binaries: the first operand is the program.
    Multicall,
    /// Text handed to a running terminal multiplexer.
    Multiplexer,
    /// `env`: `-S`.
    Environment,
    /// `flock file -c command`.
    Flock,
    /// Directories of this machine given to a container.
    Volumes,
    /// Lists of checksums name the files to read.
    Sums,
    /// Patches name the files to change.
    Patch,
    /// Archives write where they are unpacked.
    Unpack,
    /// Editors that read commands from standard input.
    StdinCommands,
    /// Pandoc formats that are Lua programs.
    Pandoc,
    /// Files that the names of the operands give (`gzip`).
    Beside,
    /// Every operand is program text.
    Evaluates,
    /// Fetches what it runs (`deno run npm:x`, `nix run x`).
    Fetches,
    /// `go`: settings, and what `go run` fetches.
    Go,
    /// Scripts of a package, and packages that set up others (`npm init x`).
    Scripts,
    /// `yarn workspace NAME command`.
    Workspace,
    /// ImageMagick.
    Pictures,
    /// Ghostscript.
    Ghostscript,
    /// FFmpeg.
    Film,
    /// TeX.
    Tex,
    /// `openssl`.
    Openssl,
    /// `yq`.
    Yq,
    /// `redis-cli`.
    Redis,
    /// `pi` without its extensions.
    Pi,
    /// `cmake -E command`.
    Cmake,
    /// `ar`: the archive.
    Archive,
    /// `cargo`: settings and subcommands.
    Cargo,
    /// `rustc -C key=value`, `go build -ldflags`.
    Settings,
    /// Whatever it is told, it runs or serves something.
    Runs,
    /// `systemctl link`, `edit`, `set-environment`.
    Systemctl,
    /// `launchctl load`, `submit`.
    Launchctl,
    /// `sysctl name=value`.
    Sysctl,
    /// `git grep -O` alone.
    GitPager,
    /// `git clone url directory`.
    GitClone,
    /// `git worktree add path`.
    GitWorktree,
    /// Mail programs that read `~!command` from standard input.
    Mail,
    /// `zip -T -TT`.
    Zip,
    /// `7z x`, `-o`.
    SevenZip,
    /// A Perl expression that renames.
    Rename,
    /// Starts the program that belongs to a file.
    Opens,
    /// Deletes by name (`rimraf`).
    Remove,
    /// `host:path` operands, `rsync`.
    Rsync,
    /// Opens none of its operands (`echo`).
    Silent,
    /// `git update-ref -d`, `git reflog expire`, `git gc --prune`.
    GitDestroys,
    /// Debuggers read commands from standard input.
    Debugger,
    /// Reads its program from standard input when no file is named.
    Feeds,
    /// One of its words makes it run the others somewhere else.
    Remote,
    /// `cargo watch -x`.
    CargoWatch,
    /// An `npm`-like program's `--script-shell`, `npm pkg`, `npm config`.
    Package,
}

pub(super) const fn o(names: &'static str, does: Does) -> Opt {
    Opt { names, does }
}

pub(super) const fn row(names: &'static str, options: &'static [Opt], operands: Operands) -> Row {
    Row {
        names,
        style: Style::Permuted,
        options,
        operands,
        wrap: Wrap::No,
        check: Check::No,
        guarded: false,
    }
}

pub(super) const fn wrapper(
    names: &'static str,
    options: &'static [Opt],
    operands: Operands,
    wrap: Wrap,
) -> Row {
    Row {
        names,
        style: Style::Ordered,
        options,
        operands,
        wrap,
        check: Check::No,
        guarded: false,
    }
}

impl Row {
    pub(super) const fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }
    pub(super) const fn operands(mut self, operands: Operands) -> Self {
        self.operands = operands;
        self
    }
    pub(super) const fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
    pub(super) const fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }
}

impl Opt {
    /// Whether one of the names is `name`.
    pub(super) fn is(&self, name: &str) -> bool {
        self.names.split(' ').any(|n| n == name)
    }
}
