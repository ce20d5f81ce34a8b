//! `git`: its settings, and the words its subcommands run.

use super::effects::script;
use super::row::Does;
use super::walk::Walk;
use super::{PathText, Run};
use crate::{Direction, FloorCause};

/// Settings given by `git -c` that run nothing, load nothing and open
/// nothing. `*` ends a section.
const SETTINGS: &str = "advice.* color.* column.* user.name user.email author.name author.email \
    committer.name committer.email core.quotepath core.autocrlf core.eol core.safecrlf \
    core.filemode core.ignorecase core.precomposeunicode core.longpaths core.abbrev \
    core.commentchar core.symlinks core.compression core.bigfilethreshold core.preloadindex \
    core.untrackedcache core.whitespace core.logallrefupdates core.protectntfs core.protecthfs \
    commit.gpgsign tag.gpgsign commit.verbose commit.cleanup tag.sort branch.sort \
    init.defaultbranch diff.renames diff.algorithm diff.context diff.colormoved \
    diff.noprefix diff.mnemonicprefix diff.submodule diff.wserrorhighlight diff.renamelimit \
    merge.conflictstyle merge.ff merge.renames merge.renamelimit merge.stat pull.rebase pull.ff \
    push.default push.autosetupremote push.followtags fetch.prune fetch.parallel fetch.prunetags \
    log.date log.decorate log.follow log.abbrevcommit format.pretty http.sslverify \
    http.extraheader http.postbuffer http.version http.lowspeedlimit http.lowspeedtime \
    http.followredirects http.useragent safe.directory rebase.autostash rebase.autosquash \
    rebase.updaterefs submodule.recurse submodule.fetchjobs status.* pack.threads \
    pack.windowmemory gc.auto gc.autodetach maintenance.auto rerere.enabled grep.linenumber \
    grep.patterntype grep.threads blame.date checkout.defaultremote checkout.guess \
    protocol.version transfer.fsckobjects index.threads index.version feature.manyfiles \
    stash.showpatch versionsort.suffix i18n.commitencoding i18n.logoutputencoding \
    apply.whitespace am.threeway clone.defaultremotename remote.pushdefault worktree.guessremote";

/// Settings that name a program to run, or a file with settings. Writing them
/// prepares a later command.
const PROGRAMS: &str = "alias.* core.pager core.editor core.sshcommand core.fsmonitor \
    core.askpass core.gitproxy core.alternaterefscommand core.worktree core.attributesfile \
    sequence.editor gpg.* diff.external difftool.* mergetool.* filter.* credential.* pager.* \
    protocol.* uploadpack.packobjectshook browser.* web.browser man.* help.browser instaweb.* \
    sendemail.* trailer.* include.* includeif.* init.templatedir tar.* interactive.difffilter \
    url.* gc.recentobjectshook hook.* merge.tool diff.tool receive.* remote.* gui.* guitool.* imap.* lfs.* submodule.*";

/// Parts of a key's last name that mark a program in sections with names of
/// the user's choice (`merge.NAME.driver`, `diff.NAME.textconv`).
const LAST: &str = "command cmd textconv driver program helper clean smudge process uploadpack \
    receivepack vcs proxy path update";

/// Subcommands that change nothing.
const LOOKS: &str = "status log diff show blame shortlog describe rev-parse ls-files reflog";

/// Values that are harmless for any setting that names a program.
const QUIET: &str = "cat less true false : /dev/null always never auto 0 1";

/// Checks the options before the subcommand, and the subcommand's own words.
pub(super) fn check(walk: &mut Walk<'_, '_>) {
    settings(walk);
    let name = walk.row.names;
    if name == "git" {
        if let Some(index) = walk.operands.first().copied()
            && walk.value(index).is_none()
        {
            walk.teeth("the subcommand is known only at run time");
        }
        return;
    }
    for index in walk.operands.clone() {
        transport(walk, index);
    }
    let values: Vec<usize> = walk
        .options
        .iter()
        .filter_map(|taken| taken.value)
        .filter(|at| walk.value_text(*at).0.starts_with("ext::"))
        .map(|at| at.0)
        .collect();
    if !values.is_empty() {
        walk.teeth("the address runs a command");
    }
    strategy(walk);
    let first = name.split(' ').next().unwrap_or("");
    if REVISIONS.contains(&first) {
        revision_paths(walk);
    }
    let pushes = match (super::name::base(walk.text(0)), walk.operands.first()) {
        ("send-pack" | "http-push", _) => Some(1),
        ("subtree", Some(index)) if walk.value(*index) == Some("push") => Some(index + 1),
        _ => None,
    };
    if let Some(from) = pushes {
        let words: Vec<&str> = (from..walk.args.len())
            .map(|index| walk.text(index))
            .collect();
        walk.facts
            .also
            .push(format!("git push {}", words.join(" ")));
    }
    match name {
        "git/config" => config(walk),
        "git/submodule" => submodule(walk),
        "git/bisect" => bisect(walk),
        _ if name.contains("git/merge-index") => merge_index(walk),
        _ => {}
    }
}

/// Subcommands that take `revision:path`.
const REVISIONS: [&str; 6] = [
    "git/log",
    "git/grep",
    "git/archive",
    "git/difftool",
    "git/interpret-trailers",
    "git/format-patch",
];

/// `HEAD:path`, `:path`, `-L 1,5:path`: files as they were.
fn revision_paths(walk: &mut Walk<'_, '_>) {
    let ranges = walk
        .options
        .iter()
        .filter(|taken| taken.name == "L")
        .filter_map(|taken| taken.value);
    let mut found: Vec<(usize, String)> = ranges
        .filter_map(|at| {
            let (_, path) = walk.value_text(at).0.rsplit_once(':')?;
            Some((at.0, path.to_owned()))
        })
        .collect();
    for index in &walk.operands {
        let text = walk.text(*index);
        // `:(exclude)x` and `:!x` are pathspecs, `:1:x` is a stage.
        if text.contains("://") || text.starts_with(":(") || text.starts_with(":!") {
            continue;
        }
        let Some((_, path)) = text.split_once(':') else {
            continue;
        };
        let path = match path.split_once(':') {
            Some((stage, path)) if stage.bytes().all(|byte| byte.is_ascii_digit()) => path,
            _ => path,
        };
        found.push((*index, path.to_owned()));
    }
    for (arg, text) in found.into_iter().filter(|(_, text)| !text.is_empty()) {
        walk.facts.texts.push(PathText {
            arg,
            text,
            direction: Direction::Read,
        });
    }
    if walk.named("batch") || walk.named("batch-command") {
        let note = "standard input names the files to read".to_owned();
        walk.facts.computed_paths.push((Direction::Read, note));
    }
}

/// `-c key=value`.
fn settings(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.does == Does::Setting) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        let (key, value) = text.split_once('=').unwrap_or((text, "true"));
        if !all && !text.contains('=') {
            walk.teeth("the setting is known only at run time");
            continue;
        }
        let key = key.to_ascii_lowercase();
        let quiet = all
            && QUIET.split_ascii_whitespace().any(|quiet| quiet == value)
            && !key.starts_with("protocol.");
        let hooks = key == "core.hookspath" && all && (value.is_empty() || value == "/dev/null");
        if listed(SETTINGS, &key) || quiet || value.is_empty() && all || hooks {
            continue;
        }
        if all {
            shell_value(walk, &key, value, Some((at.0, at.1 + key.len() + 1)));
        }
        walk.teeth(format!("the setting `{key}` can run a program"));
    }
}

/// The command in a setting's value, so that rules against it hold.
fn shell_value(walk: &mut Walk<'_, '_>, key: &str, value: &str, at: Option<(usize, usize)>) {
    let command = if key.starts_with("alias.") || key.starts_with("credential.") {
        value.strip_prefix('!')
    } else {
        Some(value)
    };
    if let Some(command) = command {
        match at {
            Some((arg, offset)) if command.len() == value.len() => script(walk, (arg, offset)),
            _ => walk.facts.runs.push(Run::Text(command.to_owned())),
        }
    } else if key.starts_with("alias.") {
        walk.facts.runs.push(Run::Text(format!("git {value}")));
    }
}

fn listed(list: &str, key: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|known| match known.strip_suffix('*') {
            Some(section) => key.starts_with(section),
            None => known == key,
        })
}

/// `ext::command` and other transports that run something.
fn transport(walk: &mut Walk<'_, '_>, index: usize) {
    let text = walk.text(index);
    if let Some(command) = text.strip_prefix("ext::") {
        walk.no_path(index);
        if walk.value(index).is_some() {
            let command = command.replace('%', "");
            walk.facts.runs.push(Run::Text(command));
        }
        walk.teeth("the address runs a command");
    } else if let Some((helper, _)) = text.split_once("::") {
        let name = helper
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if name
            && !helper.is_empty()
            && matches!(
                walk.row.names.split(' ').next(),
                Some("git/fetch" | "git/clone")
            )
        {
            walk.teeth(format!("the address runs `git-remote-{helper}`"));
        }
    }
    if text.starts_with("--") {
        return;
    }
    // `ssh://-oProxyCommand=…`.
    if text.contains("://-") {
        walk.teeth("the address could be taken for an option");
    }
}

/// `git config key value`.
fn config(walk: &mut Walk<'_, '_>) {
    if walk.named("e") || walk.named("edit") {
        walk.teeth("opens an editor on the settings");
        return;
    }
    let operands = walk.operands.clone();
    for index in &operands {
        walk.no_path(*index);
    }
    let reads = [
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "list",
        "l",
        "get-color",
        "get-colorbool",
        "unset",
        "unset-all",
        "remove-section",
    ];
    if reads.iter().any(|name| walk.named(name)) {
        return;
    }
    let first = operands.first().and_then(|index| walk.value(*index));
    let skip = match first {
        Some("get" | "list" | "unset" | "remove-section") => return,
        Some("set") => 1,
        Some("edit" | "rename-section") => {
            walk.teeth("changes settings that may name programs to run");
            return;
        }
        _ => 0,
    };
    if walk.named("rename-section") {
        walk.teeth("changes settings that may name programs to run");
        return;
    }
    let key = operands.get(skip).copied();
    let value = operands.get(skip + 1).copied();
    let (Some(key), Some(value)) = (key, value) else {
        return;
    };
    let Some(name) = walk.value(key) else {
        walk.teeth("the setting is known only at run time");
        return;
    };
    let name = name.to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or("");
    let dots = name.matches('.').count();
    let program = listed(PROGRAMS, &name) && !is_plain_remote(&name)
        || name == "core.hookspath" && !walk.value(value).is_some_and(is_hooks)
        || walk.text(value).contains("::")
        || dots > 1 && LAST.split_ascii_whitespace().any(|word| word == last) && last != "path"
        || dots > 1 && last == "path" && !name.starts_with("submodule.");
    if !program {
        return;
    }
    let text = walk.value(value);
    if text.is_some_and(|text| QUIET.split_ascii_whitespace().any(|quiet| quiet == text))
        && !name.starts_with("protocol.")
    {
        return;
    }
    if let Some(text) = text {
        if name != "core.hookspath" {
            shell_value(walk, &name, text, None);
        }
        // An alias for what only looks, whatever is added to it.
        let first = text.split_ascii_whitespace().next().unwrap_or("");
        let looks = LOOKS.split_ascii_whitespace().any(|word| word == first);
        if name.starts_with("alias.") && looks && !text.contains("-c") {
            return;
        }
    }
    walk.teeth(format!("the setting `{name}` can run a program later"));
}

/// A directory of the repository, as `.git/hooks` is one; or none.
fn is_hooks(directory: &str) -> bool {
    directory == "/dev/null"
        || !directory.starts_with(['/', '~']) && !directory.split('/').any(|part| part == "..")
}

/// `git merge -s NAME` runs `git-merge-NAME`.
fn strategy(walk: &mut Walk<'_, '_>) {
    const OWN: &str = "ort recursive resolve octopus ours subtree";
    let own = super::name::base(walk.text(0));
    if !matches!(own, "merge" | "pull" | "rebase" | "cherry-pick" | "revert") {
        return;
    }
    let foreign = walk.options.iter().any(|taken| {
        matches!(taken.name, "s" | "strategy")
            && taken.value.is_some_and(|at| {
                let (text, all) = walk.value_text(at);
                !all || !OWN.split_ascii_whitespace().any(|own| own == text)
            })
    });
    if foreign {
        walk.teeth("the merge strategy is a program of its own");
    }
}

/// `git merge-index program file`.
fn merge_index(walk: &mut Walk<'_, '_>) {
    if super::name::base(walk.text(0)) != "merge-index" {
        return;
    }
    let words = walk.operands.clone();
    runs_words(walk, &words, false);
    let note = "runs a program for every file".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
}

/// `remote.NAME.url` and its like name no program.
fn is_plain_remote(name: &str) -> bool {
    (name.starts_with("remote.") || name.starts_with("submodule."))
        && [
            "url",
            "fetch",
            "pushurl",
            "push",
            "prune",
            "branch",
            "active",
            "recurse",
            "fetchjobs",
            "mirror",
            "tagopt",
        ]
        .iter()
        .any(|last| name.rsplit('.').next() == Some(last))
}

/// `git submodule foreach command`.
fn submodule(walk: &mut Walk<'_, '_>) {
    let operands = walk.operands.clone();
    let Some(at) = operands
        .iter()
        .position(|index| walk.value(*index) == Some("foreach"))
    else {
        return;
    };
    let mut words: Vec<usize> = operands.iter().skip(at + 1).copied().collect();
    while words
        .first()
        .is_some_and(|index| walk.text(*index).starts_with('-'))
    {
        words.remove(0);
    }
    runs_words(walk, &words, true);
    let note = "runs a command in every submodule".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
    walk.facts.changes_directory = true;
}

/// `git bisect run command`.
fn bisect(walk: &mut Walk<'_, '_>) {
    let operands = walk.operands.clone();
    if operands.first().and_then(|index| walk.value(*index)) != Some("run") {
        return;
    }
    let words: Vec<usize> = operands.iter().skip(1).copied().collect();
    runs_words(walk, &words, false);
    let note = "runs a command at every step".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
}

fn runs_words(walk: &mut Walk<'_, '_>, words: &[usize], shell: bool) {
    let (Some(first), Some(last)) = (words.first().copied(), words.last().copied()) else {
        return;
    };
    walk.facts.wrapper = true;
    if shell && words.len() == 1 {
        walk.no_path(first);
        script(walk, (first, 0));
    } else {
        walk.facts.runs.push(Run::Words {
            start: first,
            end: last + 1,
        });
    }
}

/// Where `git clone` puts the copy: named, or after the last part of the
/// address.
pub(super) fn destination(walk: &mut Walk<'_, '_>) {
    if let Some(index) = walk.operands.get(1).copied() {
        walk.file((index, 0), Direction::Both);
        return;
    }
    let Some(index) = walk.operands.first().copied() else {
        return;
    };
    let address = walk.text(index).trim_end_matches('/');
    let last = address.rsplit(['/', ':']).next().unwrap_or("");
    let name = last.strip_suffix(".git").unwrap_or(last);
    if !name.is_empty() && !address.contains("::") && walk.value(index).is_some() {
        walk.facts.texts.push(PathText {
            arg: index,
            text: name.to_owned(),
            direction: Direction::Write,
        });
    }
}
