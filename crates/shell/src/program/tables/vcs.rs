//! Version control.

use super::super::row::Does::{
    Directory, Flag, Help, Optional, OptionalScript, Path, Pattern, Read, Script, Setting, Teeth,
    TeethOptional, TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, o, row};

const REMOTE: &str = "names the program to run on the other side";

const fn git(names: &'static str, options: &'static [super::super::row::Opt]) -> Row {
    row(names, options, Operands::Shape).check(Check::Git)
}

pub(super) static ROWS: &[Row] = &[
    row("git", &[
        o("c", Setting), o("C", Directory), o("git-dir work-tree", Path), o("exec-path", TeethOptional("changes which programs git runs")), o("config-env", TeethValue("takes a setting from a variable")), o("namespace super-prefix attr-source list-cmds", Value), o("p P paginate no-pager bare no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-advice no-lazy-fetch", Flag), o("v version h help html-path man-path info-path", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Git),
    git("git/log git/diff git/show git/whatchanged git/stash git/diff-tree git/diff-index git/diff-files git/range-diff git/rev-list git/shortlog git/cherry", &[
        o("output", Write), o("ext-diff", Teeth("runs the configured diff program")), o("O", Path), o("format pretty date author committer grep since until after before max-count skip S G diff-filter stat U unified word-diff word-diff-regex color-words find-renames find-copies ignore-submodules submodule diff-algorithm anchored inter-hunk-context dirstat abbrev encoding decorate-refs decorate-refs-exclude src-prefix dst-prefix line-prefix ws-error-highlight exclude branches tags remotes glob notes relative output-indicator-new output-indicator-old color decorate M C B", Optional), o("n L m message", Value), o("pathspec-from-file", Read), o("p patch oneline graph all name-only name-status cached staged no-color raw numstat shortstat summary no-index no-ext-diff textconv no-textconv stat-only w b z R a u s q i k", Flag),
    ]).guarded(),
    git("git/grep", &[
        o("O open-files-in-pager", OptionalScript), o("f", Read), o("e", Pattern), o("A B C m max-depth threads max-count after-context before-context context", Value), o("ext-grep", Teeth("runs the system's `grep`")), o("n i l c v w E F G P h H L q o p W r z a I cached untracked no-index recurse-submodules", Flag),
    ]).operands(Operands::Pattern(1)).check(Check::GitPager).guarded(),
    git("git/archive", &[o("o output", Write), o("remote", Value), o("exec", TeethValue(REMOTE)), o("prefix format mtime add-virtual-file", Value), o("add-file", Read)]).guarded(),
    git("git/fetch git/pull git/push git/ls-remote git/fetch-pack git/send-pack git/remote", &[
        o("upload-pack receive-pack exec", Script), o("c config", Setting), o("template separate-git-dir reference reference-if-able bundle-uri", Path), o("b branch o origin depth since j jobs server-option filter recurse-submodules-default shallow-since shallow-exclude push-option s strategy X strategy-option t m refmap negotiation-tip sort", Value), o("recurse-submodules signed force-with-lease rebase", Optional), o("q v n f a p all prune tags force set-upstream delete dry-run bare mirror local no-checkout progress ff-only no-rebase squash no-tags heads get-url no-edit", Flag),
    ]).guarded(),
    git("git/clone", &[
        o("u upload-pack", Script),
        o("c config", Setting),
        o("template separate-git-dir reference reference-if-able bundle-uri", Path),
        o("b branch o origin depth j jobs server-option filter shallow-since shallow-exclude ref-format revision", Value),
        o("recurse-submodules recursive sparse", Optional),
        o("q quiet v verbose n no-checkout l local no-local no-hardlinks s shared bare mirror progress single-branch no-single-branch no-tags dissociate remote-submodules shallow-submodules reject-shallow also-filter-submodules", Flag),
    ]).check(Check::GitClone).guarded(),
    git("git/rebase", &[o("x exec", Script), o("onto s strategy X strategy-option C whitespace empty", Value), o("r rebase-merges S gpg-sign", Optional), o("i q v n m f k interactive continue abort skip autosquash autostash root keep-base update-refs quit", Flag)]).guarded(),
    git("git/difftool git/mergetool", &[o("x extcmd", Script), o("t tool", Value), o("y d g dir-diff gui no-prompt tool-help cached", Flag), o("O", Path)]).guarded(),
    git("git/filter-branch", &[o("setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter", Script), o("subdirectory-filter original d state-branch", Value), o("f force prune-empty", Flag)]).guarded(),
    git("git/filter-repo", &[o("blob-callback commit-callback tag-callback message-callback filename-callback name-callback email-callback refname-callback reset-callback file-info-callback", TeethValue("runs program text")), o("mailmap paths-from-file replace-text replace-message", Read)]),
    git("git/submodule", &[o("b branch name depth j jobs reference", Value), o("q f init recursive remote merge rebase checkout cached quiet force", Flag)]).style(Style::Ordered),
    git("git/bisect", &[o("no-checkout first-parent term-old term-new term-good term-bad", Flag)]).style(Style::Ordered),
    git("git/config", &[
        o("f file blob", Path), o("type default comment value url", Value), o("global system local worktree show-origin show-scope name-only z null includes no-includes bool int path bool-or-int add replace-all all fixed-value", Flag), o("get get-all get-regexp get-urlmatch l list get-color get-colorbool unset unset-all remove-section rename-section e edit", Flag),
    ]),
    git("git/commit git/tag git/notes git/merge git/revert git/cherry-pick", &[
        o("F file", Read), o("t template", Read), o("m message author date C reuse-message c reedit-message fixup squash cleanup trailer s strategy X strategy-option mainline into-name sort format points-at contains merged", Value), o("pathspec-from-file", Read), o("S gpg-sign u untracked-files", Optional), o("a p q v n e i o l d f amend no-edit allow-empty all no-verify signoff dry-run no-ff ff-only abort continue skip no-commit list delete annotate sign", Flag),
    ]),
    git("git/reflog git/update-ref git/gc git/prune", &[o("d delete stdin n no-deref create-reflog expire-unreachable all stale-fix updateref rewrite verbose dry-run", Flag), o("prune expire", Optional), o("m", Value), o("aggressive auto quiet force keep-largest-pack", Flag)]).check(Check::GitDestroys),
    git("git/format-patch git/request-pull", &[o("o output-directory", Path), o("output", Write), o("ext-diff", Teeth("runs the configured diff program")), o("signature-file", Read), o("n N s k q", Flag)]),
    git("git/bundle git/fast-export git/fast-import git/pack-objects git/index-pack", &[o("export-marks o", Write), o("import-marks import-marks-if-exists", Read), o("rewrite-submodules-from rewrite-submodules-to", Path)]).operands(Operands::Files),
    git("git/apply git/am", &[o("directory", Path), o("build-fake-ancestor", Write), o("p C include exclude whitespace patch-format S", Value), o("R q v 3 check stat numstat summary cached index reverse 3way", Flag)]),
    git("git/worktree", &[o("b B reason", Value), o("f q d force detach lock", Flag)]).check(Check::GitWorktree),
    git("git/init", &[o("template separate-git-dir", Path), o("b initial-branch shared object-format", Value), o("q bare", Flag)]).operands(Operands::Files),
    git("git/checkout-index", &[o("prefix", Path), o("stage", Value), o("temp", Flag)]),
    git("git/checkout git/switch git/restore", &[o("b B c C orphan s source conflict", Value), o("pathspec-from-file", Read), o("f q t p d m W S", Flag)]),
    git("git/http-push git/subtree", &[o("P prefix b branch m message onto", Value), o("q d all dry-run force squash rejoin", Flag)]),
    git("git/mv git/rm git/add git/clean git/update-index", &[o("e exclude chmod", Value), o("pathspec-from-file", Read), o("f n q r k v A u p i d x X all cached force", Flag)]),
    git("git/send-email", &[o("smtp-server sendmail-cmd to-cmd cc-cmd header-cmd batch-cmd", Script), o("to cc bcc from subject smtp-user smtp-pass", Value)]),
    git("git/instaweb git/daemon git/web--browse git/http-backend git/shell git/for-each-repo git/p4 git/svn git/cvsimport git/cvsserver git/gui git/citool git/credential git/remote-ext git/upload-pack git/receive-pack", &[o("h help", Help)]).check(Check::Runs),
    git("git/help", &[o("w m i web man info", Flag), o("a all g guides c config", Flag)]),
    git("git/interpret-trailers git/merge-file git/merge-index git/rerere git/mailsplit git/mailinfo git/hash-object git/cat-file git/blame git/annotate git/ls-files git/ls-tree git/check-ignore git/check-attr", &[o("contents X exclude-from from-file", Read), o("o", Path), o("trailer S C M format batch batch-command batch-check", Optional), o("L", Value), o("x exclude", Value)]),
    row("hg", &[o("config", TeethValue("a setting can run a program")), o("R repository cwd", Directory), o("e ssh remotecmd", Script), o("o output", Path), o("q v y pager color", Flag)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands).guarded(),
    row("hg/bisect", &[o("c command", Script), o("g good b bad s skip r reset e extend U noupdate", Flag)], Operands::Nothing),
    row("hg/diff hg/log hg/status hg/st hg/commit hg/ci hg/add hg/update hg/up hg/push hg/pull hg/clone hg/merge hg/cat hg/revert", &[o("config", TeethValue("a setting can run a program")), o("e ssh remotecmd", Script), o("t tool", TeethValue("names the program that merges")), o("R repository cwd", Directory), o("o output", Path), o("r rev m message u user d date limit b branch", Value), o("l logfile", Path)], Operands::Shape).guarded(),
    row("svn", &[o("config-option config-dir", TeethValue("a setting can run a program")), o("diff-cmd diff3-cmd editor-cmd", Script), o("F file targets", Read), o("m message r revision username password depth", Value)], Operands::Shape),
    row("jj sl", &[o("config config-file config-toml", TeethValue("a setting can run a program")), o("R repository", Directory), o("tool", Value)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("cvs", &[o("e", Script), o("d", TeethValue("names how the repository is reached"))], Operands::Shape),
    row("pre-commit lefthook husky", &[o("c config", Path)], Operands::Shape),
    row("git-lfs lazygit tig gitk gitui", &[], Operands::Shape),
];
