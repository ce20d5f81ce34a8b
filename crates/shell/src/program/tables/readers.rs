//! Programs that only read, and what takes that away.

use super::super::row::Does::{
    Exec, Flag, Glob, Help, Maybe, Names, NoPattern, Optional, Path, Pattern, PatternFile, Read,
    Script, Teeth, TeethOptional, TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Opt, Row, Style, Wrap, o, row};

const fn core(names: &'static str, options: &'static [Opt]) -> Row {
    row(names, options, Operands::Core)
}

const fn files(names: &'static str, options: &'static [Opt]) -> Row {
    row(names, options, Operands::CoreFiles)
}

const fn search(names: &'static str, options: &'static [Opt]) -> Row {
    row(names, options, Operands::CorePattern(1))
}

const WRITES: &str = "writes a file";
const DELETES: &str = "deletes what it finds";

pub(super) static ROWS: &[Row] = &[
    core(": true false pwd", &[]).check(Check::Silent),
    core("which cd", &[]),
    row("printf", &[], Operands::Shape).check(Check::Silent),
    core(
        "basename",
        &[o("s suffix", Value), o("a z multiple zero", Flag)],
    ),
    core(
        "dirname realpath",
        &[o("relative-to relative-base", Path), o("z zero", Flag)],
    ),
    files("cat", &[o("A b e E n s t T u v", Flag)]),
    core("echo", &[o("n e E", Flag)]).check(Check::Silent),
    files("head", &[o("n lines c bytes", Value), o("q v z", Flag)]),
    files(
        "tail",
        &[
            o(
                "n lines c bytes s sleep-interval max-unchanged-stats pid",
                Value,
            ),
            o("f F q v z r retry", Flag),
            o("follow", Optional),
        ],
    ),
    files("stat", &[o("c format printf", Value), o("f L t x", Flag)]),
    files("wc", &[o("files0-from", Names), o("c m l w L", Flag)]),
    files(
        "ls",
        &[
            o(
                "I ignore hide T tabsize w width block-size sort time time-style format quoting-style indicator-style",
                Value,
            ),
            o(
                "a A b B c C d D f F g G h H i k l L m n N o p q Q r R s S t u U v x X Z 1",
                Flag,
            ),
            o("color hyperlink classify", Optional),
        ],
    ),
    files(
        "diff",
        &[
            o(
                "I ignore-matching-lines x exclude label L F show-function-line width W horizon-lines tabsize line-format old-line-format new-line-format unchanged-line-format old-group-format new-group-format unchanged-group-format changed-group-format LTYPE-line-format",
                Value,
            ),
            o("X exclude-from S from-file to-file", Read),
            o(
                "a b B c d D e E i l n N p q r s t T u w y 0 1 2 3 4 5 6 7 8 9",
                Flag,
            ),
            o("U C", Value),
            o("unified context", Optional),
        ],
    ),
    search(
        "grep egrep fgrep rgrep zgrep zegrep zfgrep bzgrep xzgrep",
        GREP,
    ),
    search("rg", RIPGREP).guarded(),
    row("sed", SED, Operands::CorePattern(1))
        .check(Check::Sed)
        .guarded(),
    row("awk", AWK, Operands::CorePattern(1))
        .check(Check::Awk)
        .style(Style::Ordered)
        .guarded(),
    row("nawk gawk mawk", AWK, Operands::Pattern(1))
        .check(Check::Awk)
        .style(Style::Ordered)
        .guarded(),
    files(
        "sort",
        &[
            o("o output", Write),
            o("compress-program", Script),
            o("files0-from", Names),
            o("random-source", Read),
            o("T temporary-directory", Path),
            o(
                "k key t field-separator S buffer-size batch-size parallel",
                Value,
            ),
            o("sort", Value),
            o("check", Optional),
            o("b d f g h i M n R r V c C m s u z", Flag),
        ],
    )
    .guarded(),
    find_row(),
    fd_row(),
];

const fn find_row() -> Row {
    let mut row = row("find", FIND, Operands::Core);
    row.wrap = Wrap::Spec;
    row.style = Style::Words;
    row.check = Check::Find;
    row.guarded = true;
    row
}

const fn fd_row() -> Row {
    let mut row = row("fd fdfind", FD, Operands::CorePattern(1));
    row.wrap = Wrap::Spec;
    row.check = Check::Fd;
    row.guarded = true;
    row
}

const GREP: &[Opt] = &[
    o("e regexp", Pattern),
    o("f file", PatternFile),
    o(
        "A after-context B before-context C context m max-count d directories D devices label exclude exclude-dir group-separator binary-files",
        Value,
    ),
    // It names the files that are read, whatever the operands are.
    o("include", Read),
    o("exclude-from", Read),
    o("include include-dir", Glob),
    o("color colour", Optional),
    o(
        "recursive dereference-recursive no-messages line-number with-filename no-filename ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match only-matching quiet silent extended-regexp fixed-strings basic-regexp perl-regexp null null-data text line-buffered initial-tab byte-offset",
        Flag,
    ),
    o("help version", Help),
    o(
        "E F G P i v w x y c l L n o q s b H h r R T U z Z a I u 0 1 2 3 4 5 6 7 8 9",
        Flag,
    ),
];

const RIPGREP: &[Opt] = &[
    o("e regexp", Pattern),
    o("f file", PatternFile),
    o("files type-list", NoPattern),
    o("pre hostname-bin", Script),
    o("ignore-file", Read),
    o(
        "A after-context B before-context C context m max-count g glob iglob t type T type-not j threads M max-columns r replace E encoding d max-depth maxdepth color colors engine sort sortr max-filesize type-add type-clear path-separator context-separator field-context-separator field-match-separator dfa-size-limit regex-size-limit pre-glob hyperlink-format generate stop-on-nonmatch",
        Value,
    ),
    o(
        "i s S v w x c l n N o q U z u L p P F H I a b 0 . V h no-config hidden unrestricted no-ignore no-ignore-vcs no-hidden ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches files-with-matches files-without-match line-number no-line-number only-matching quiet multiline fixed-strings pcre2 pretty no-heading heading with-filename no-filename json vimgrep trim column stats null follow no-messages text",
        Flag,
    ),
];

const SED: &[Opt] = &[
    o("e expression", Pattern),
    o("f file", PatternFile),
    o(
        "n E r s u z quiet silent regexp-extended separate unbuffered null-data posix debug sandbox",
        Flag,
    ),
    o("i in-place I", Optional),
    o("l line-length", Value),
    o("a b follow-symlinks binary", Flag),
    o("help version", Help),
];

const AWK: &[Opt] = &[
    o("F field-separator v assign", Value),
    o("e source", Pattern),
    o("f file E exec", PatternFile),
    o("i include", Value),
    o("l load", TeethValue("loads a library")),
    o(
        "d dump-variables o pretty-print p profile D debug",
        TeethOptional(WRITES),
    ),
    o("W", Maybe),
    o(
        "b c C g h L M n N O P r s S t V characters-as-bytes traditional posix re-interval non-decimal-data bignum use-lc-numeric optimize sandbox lint csv",
        Flag,
    ),
    o("help version", Help),
];

const FIND: &[Opt] = &[
    o("exec execdir ok okdir", Exec),
    o("delete", Teeth(DELETES)),
    o("fprint fprint0 fls fprintf", Write),
    o("files0-from", Names),
    o(
        "amin cmin mmin atime ctime mtime fstype gid group ilname iname inum ipath iregex iwholename links lname maxdepth mindepth name path perm printf regex regextype size type uid used user wholename xtype context D newermt newerat newerct flags Bmin Btime",
        Value,
    ),
    o(
        "anewer cnewer newer samefile neweraa neweram newerac newerma newermm newermc newerca newercm newercc newerBB newerBm",
        Read,
    ),
    o(
        "H L P O0 O1 O2 O3 E X d x f s a and o or not daystart depth mount noleaf xdev ignore_readdir_race noignore_readdir_race warn nowarn empty executable false nogroup nouser readable writable true ls print print0 prune quit follow help version",
        Flag,
    ),
];

const FD: &[Opt] = &[
    o("x exec X exec-batch", Exec),
    o("base-directory", Path),
    o("search-path", Path),
    o("ignore-file", Read),
    o(
        "and d max-depth min-depth exact-depth E exclude t type e extension S size changed-within changed-before newer older change-newer-than change-older-than o owner format batch-size c color j threads max-buffer-time max-results path-separator gen-completions",
        Value,
    ),
    o(
        "H I u s i g F a l L p 0 1 q hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details follow full-path print0 quiet show-errors one-file-system no-ignore-global-exclude-file prune strip-cwd-prefix hyperlink",
        Flag,
    ),
    o("h help V version", Help),
];
