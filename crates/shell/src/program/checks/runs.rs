//! Shells, interpreters and other programs that run what they are given.

use super::super::Run;
use super::super::effects::script;
use super::super::name;
use super::super::row::{Check, Does};
use super::super::walk::{Walk, known};
use super::path_text;
use crate::{Direction, FloorCause, Proof};

pub(super) fn check_find(walk: &mut Walk<'_, '_>) {
    let execs: Vec<(usize, Option<(usize, usize)>)> = walk
        .options
        .iter()
        .filter(|taken| taken.does == Does::Exec)
        .map(|taken| (taken.arg, taken.value))
        .collect();
    if walk.row.check == Check::Find {
        // The expression's other words are tests; only what stands before it
        // is a starting point, but a test's value may name a file as well.
        let expression = |index: &usize| matches!(walk.value(*index), Some("(" | ")" | "!" | ","));
        let marks: Vec<usize> = walk.operands.iter().copied().filter(expression).collect();
        walk.facts.not_paths.extend(marks);
    }
    if execs.is_empty() {
        return;
    }
    for (arg, value) in execs {
        let long = walk.text(arg);
        if let Some((name, _)) = long.split_once('=').filter(|_| walk.row.check == Check::Fd) {
            // `fd --exec=cmd`: the command is attached.
            script(walk, (arg, name.len() + 1));
        } else if let Some((start, end)) = value
            && start < end
        {
            walk.facts.runs.push(Run::Words { start, end });
        }
    }
    walk.facts.operands = Some((Direction::Both, Proof::Retracted));
}

/// Whether a path stands for something that is open already, such as a text or
/// what another command prints.
fn is_descriptor(path: &str) -> bool {
    ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"]
        .iter()
        .any(|open| path.starts_with(open))
}

pub(super) fn check_shell(walk: &mut Walk<'_, '_>) {
    const VALUES: &[&str] = &["--rcfile", "--init-file"];
    let (mut command, mut standard_input, mut unsure, mut help) = (false, false, false, false);
    let mut index = 1;
    walk.facts.paths.clear();
    walk.facts.not_paths.clear();
    walk.facts.floors.clear();
    while let Some(arg) = walk.args.get(index).copied() {
        let text = known(&arg);
        if arg.value.is_none() && !text.starts_with(['-', '+']) {
            // Could be an option, or the script.
            unsure |= super::super::walk::may_be_option(&arg);
            break;
        }
        unsure |= arg.value.is_none();
        if text == "--" || text == "-" {
            index += 1;
            break;
        }
        let Some(body) = text
            .strip_prefix(['-', '+'])
            .filter(|body| !body.is_empty())
        else {
            break;
        };
        index += 1;
        if VALUES.contains(&text) {
            walk.file((index, 0), Direction::Both);
            walk.teeth(format!("`{text}` names a file to run"));
            index += 1;
        } else if let Some(long) = body.strip_prefix('-') {
            help |= matches!(long, "version" | "help");
        } else {
            if text.starts_with('-') {
                command |= body.contains('c');
                standard_input |= body.contains('s');
            }
            // `-o name`, `-O name`, also at the end of a cluster.
            let values = body.chars().filter(|c| matches!(c, 'o' | 'O')).count();
            for _ in 0..values {
                walk.no_path(index);
                index += 1;
            }
        }
    }
    if help {
        return;
    }
    let note = "hands text to a shell";
    if command {
        walk.no_path(index);
        script(walk, (index, 0));
        let floor = (FloorCause::OpaqueWrapper, note.to_owned());
        walk.facts.floors.push(floor);
        walk.facts.wrapper = true;
    } else if standard_input || index >= walk.args.len() {
        walk.facts.reads_program_from_stdin = true;
        let note = "runs what it reads from standard input".to_owned();
        walk.facts.floors.push((FloorCause::OpaqueWrapper, note));
        walk.facts.wrapper = true;
    } else if unsure {
        let floor = (FloorCause::OpaqueWrapper, "may be given `-c`".to_owned());
        walk.facts.floors.push(floor);
        walk.facts.wrapper = true;
    } else {
        if walk.value(index).is_some_and(is_descriptor) {
            walk.facts.reads_program_from_stdin = true;
            let note = "runs what it reads from standard input".to_owned();
            walk.facts.floors.push((FloorCause::OpaqueWrapper, note));
        }
        // A script that does not exist beforehand: `bash <(…)`.
        let made = walk
            .args
            .get(index)
            .is_some_and(|arg| arg.source.starts_with("<(") || arg.source.starts_with("=("));
        if made {
            let note = "runs what another command prints".to_owned();
            walk.facts.floors.push((FloorCause::OpaqueWrapper, note));
        }
        walk.file((index, 0), Direction::Both);
    }
}

pub(super) fn check_interpreter(walk: &mut Walk<'_, '_>) {
    let settled = walk.has(|does| {
        matches!(
            does,
            Does::Code
                | Does::Module
                | Does::Help
                | Does::Pattern
                | Does::PatternFile
                | Does::Payload
                | Does::TeethValue(_)
        )
    });
    let first = walk.operands.first().copied();
    let dash = first
        .and_then(|index| walk.value(index))
        .is_some_and(|text| text == "-" || is_descriptor(text));
    let made = first
        .and_then(|index| walk.args.get(index))
        .is_some_and(|arg| arg.source.starts_with("<("));
    let reads = walk.has(|does| does == Does::Stdin) || (first.is_none() && !settled);
    if dash || reads || made {
        walk.facts.reads_program_from_stdin = true;
        walk.teeth("runs what it reads from standard input");
    } else if walk.computed.is_some_and(|index| Some(index) == first) {
        walk.teeth("its first word is known only at run time and could be an option");
    }
    let code = walk.has(|does| matches!(does, Does::Code | Does::Payload));
    if let Some(script) = first.filter(|_| !settled && !dash && !made) {
        walk.facts.unknown = Some(script + 1);
    } else if !code {
        walk.facts.holds.extend(walk.operands.iter().copied());
    }
    let code_modules = [
        "timeit", "pdb", "code", "IPython", "trace", "runpy", "cProfile",
    ];
    let module = walk.options.iter().find(|taken| taken.does == Does::Module);
    if let Some(at) = module.and_then(|taken| taken.value) {
        let (name, all) = walk.value_text(at);
        let own_words = walk
            .operands
            .iter()
            .any(|index| walk.text(*index).starts_with("-c"));
        if !all || name == "timeit" || code_modules.contains(&name) && own_words {
            walk.teeth("runs program text given on the command line");
        }
    }
    if walk.named("i") && !walk.row.names.starts_with("python") {
        let code = walk.has(|does| does == Does::Code);
        let files: Vec<usize> = walk
            .operands
            .iter()
            .skip(usize::from(!code))
            .copied()
            .collect();
        super::text::backups(walk, &files);
    }
    // How Django and Laravel run code given on the command line.
    let script = first.and_then(|index| walk.value(index));
    let words = walk.operands.iter().skip(1);
    let values: Vec<&str> = words.filter_map(|index| walk.value(*index)).collect();
    let shell = match script.map(name::base) {
        Some("manage.py") => matches!(values.first(), Some(&("shell" | "shell_plus" | "dbshell"))),
        Some("artisan") => values.first() == Some(&"tinker"),
        _ => false,
    };
    if shell {
        walk.teeth("runs program text given on the command line");
    }
}

/// `env -S`, `sudo -e`: what a refused option does hold.
pub(super) fn check_split(walk: &mut Walk<'_, '_>) {
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.does == Does::RefuseSplit) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        if at.1 == 0 {
            walk.no_path(at.0);
        }
        if all {
            let rest: Option<Vec<&str>> = walk
                .operands
                .iter()
                .map(|index| walk.value(*index))
                .collect();
            let rest = rest.unwrap_or_default().join(" ");
            let line = format!("{text} {rest}");
            walk.facts.runs.push(Run::Text(line.trim().to_owned()));
        }
    }
    let cuts = walk.options.iter().any(|taken| {
        matches!(taken.name, "u" | "unset")
            && taken
                .value
                .is_some_and(|at| walk.value_text(at).0.starts_with("PI_SUBAGENT"))
    });
    if cuts && walk.row.check == Check::Environment {
        let note = "cuts a child session off its guard".to_owned();
        walk.facts.floors.push((FloorCause::UnguardedChild, note));
    }
    let edits = walk.named("e") || walk.named("edit");
    if edits && name::base(walk.text(0)) == "sudo" || name::base(walk.text(0)) == "sudoedit" {
        for index in walk.operands.clone() {
            walk.file((index, 0), Direction::Both);
        }
    }
}

/// `-o Key=value` settings that neither run nor load anything.
const SSH_SETTINGS: &str = "addressfamily addkeystoagent batchmode bindaddress bindinterface \
    canonicaldomains canonicalizefallbacklocal canonicalizehostname casignaturealgorithms \
    checkhostip ciphers clearallforwardings compression connectionattempts connecttimeout \
    controlmaster controlpersist dynamicforward enableescapecommandline escapechar \
    exitonforwardfailure fingerprinthash forkafterauthentication forwardagent forwardx11 \
    gatewayports gssapiauthentication hashknownhosts hostbasedauthentication hostkeyalgorithms \
    hostkeyalias hostname identitiesonly ipqos kbdinteractiveauthentication kexalgorithms \
    localforward loglevel macs nohostauthenticationforlocalhost numberofpasswordprompts \
    passwordauthentication port preferredauthentications pubkeyauthentication \
    pubkeyacceptedalgorithms rekeylimit remoteforward requesttty serveralivecountmax \
    serveraliveinterval sessiontype stricthostkeychecking tcpkeepalive tunnel updatehostkeys \
    user verifyhostkeydns visualhostkey";

pub(super) fn check_ssh(walk: &mut Walk<'_, '_>) {
    if walk.row.names.starts_with("lftp") {
        walk.teeth("runs commands it reads from standard input");
    }
    for taken in walk.options.clone() {
        let Some(at) = taken.value.filter(|_| taken.does == Does::Setting) else {
            continue;
        };
        let (text, all) = walk.value_text(at);
        let (key, value) = text
            .split_once(['=', ' '])
            .map_or((text, ""), |(key, value)| (key.trim(), value.trim()));
        let key = key.to_ascii_lowercase();
        if matches!(
            key.as_str(),
            "userknownhostsfile"
                | "globalknownhostsfile"
                | "identityfile"
                | "certificatefile"
                | "controlpath"
        ) && all
        {
            for file in value
                .split_ascii_whitespace()
                .filter(|file| *file != "none")
            {
                path_text(walk, at.0, file.to_owned(), Direction::Both);
            }
            continue;
        }
        let known = SSH_SETTINGS
            .split_ascii_whitespace()
            .any(|known| known == key);
        if known && (all || text.contains(['=', ' '])) {
            continue;
        }
        if matches!(
            key.as_str(),
            "proxycommand" | "localcommand" | "knownhostscommand"
        ) && all
            && value != "none"
        {
            walk.facts.runs.push(Run::Text(value.to_owned()));
        }
        walk.teeth(format!("`-o {key}` can run a command"));
    }
    if walk
        .computed
        .is_some_and(|index| walk.operands.first().is_none_or(|first| index <= *first))
    {
        walk.teeth("a word known only at run time could be an option that runs something");
    }
}

pub(super) fn check_socat(walk: &mut Walk<'_, '_>) {
    for index in walk.operands.clone() {
        walk.no_path(index);
        let text = walk.text(index);
        let kind = text
            .split([':', ','])
            .next()
            .unwrap_or("")
            .to_ascii_lowercase();
        let rest = text.split_once(':').map_or("", |(_, rest)| rest);
        match kind.as_str() {
            "exec" | "system" | "shell" => {
                walk.facts
                    .runs
                    .push(Run::Text(rest.split(',').next().unwrap_or("").to_owned()));
                walk.teeth("an address runs a command");
            }
            "-" | "stdio" | "stdin" | "stdout" | "tcp" | "tcp4" | "tcp6" | "tcp-listen"
            | "tcp-l" | "tcp4-listen" | "udp" | "udp-listen" | "openssl" => {}
            _ => walk.teeth("an address may open files or run a command"),
        }
    }
}

/// `crontab`, `at`, `batch`: what is given runs later, out of sight.
pub(super) fn check_schedule(walk: &mut Walk<'_, '_>) {
    let lists = walk.named("l") || walk.named("q") && walk.operands.is_empty();
    if lists || walk.has(|does| does == Does::Help) {
        return;
    }
    for index in walk.operands.clone() {
        if name::base(walk.text(0)) == "crontab" && walk.value(index) != Some("-") {
            walk.file((index, 0), Direction::Read);
        }
    }
    walk.facts.reads_program_from_stdin = true;
    let note = "runs commands later".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
}

/// `busybox rm x`: the first operand is the program; alone it lists them.
pub(super) fn check_multicall(walk: &mut Walk<'_, '_>) {
    if walk.operands.is_empty() {
        walk.facts.runs.clear();
    }
}

/// `tmux new-session 'cmd'`, `tmux send-keys`, `screen -X`.
pub(super) fn check_multiplexer(walk: &mut Walk<'_, '_>) {
    const LOOKS: &str = "ls list-sessions lsw list-windows lsp list-panes lsc list-clients \
        has has-session info display display-message capturep capture-pane kill-session \
        kill-window kill-pane kill-server showenv show-environment show show-options lsk list-keys";
    let first = walk.operands.first().and_then(|index| walk.value(*index));
    let looks = first.is_some_and(|word| LOOKS.split_ascii_whitespace().any(|look| look == word))
        && !walk
            .operands
            .iter()
            .any(|index| walk.value(*index) == Some(";"))
        && !walk
            .operands
            .iter()
            .any(|index| walk.text(*index).contains("#("));
    if looks || walk.has(|does| does == Does::Help) {
        return;
    }
    for index in walk.operands.clone().into_iter().skip(1) {
        // Any word may be the command: each is looked at, so that a rule
        // against it holds.
        if walk.text(index).contains(' ') {
            walk.no_path(index);
            script(walk, (index, 0));
        }
    }
    let note = "runs commands in another terminal".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
}

/// `flock file -c command`, and the lock file, which is made.
pub(super) fn check_flock(walk: &mut Walk<'_, '_>) {
    let Some(lock) = walk.operands.first().copied() else {
        return;
    };
    let descriptor = walk
        .value(lock)
        .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    if !descriptor {
        walk.file((lock, 0), Direction::Both);
    }
    if matches!(walk.value(lock + 1), Some("-c" | "--command")) {
        walk.facts.runs.clear();
        walk.no_path(lock + 2);
        script(walk, (lock + 2, 0));
    }
}

/// Without a debugger's own commands on the command line, they come from
/// standard input.
pub(super) fn check_debugger(walk: &mut Walk<'_, '_>) {
    if walk.has(|does| does == Does::Help) {
        return;
    }
    let dashes = (1..walk.args.len()).find(|index| walk.value(*index) == Some("--"));
    if let Some(at) = dashes.filter(|at| at + 1 < walk.args.len()) {
        walk.facts.runs.push(Run::Words {
            start: at + 1,
            end: walk.args.len(),
        });
    }
    walk.teeth("runs debugger commands, which can run programs");
}

/// A program that takes its commands from standard input when it is given no
/// file.
pub(super) fn check_feeds(walk: &mut Walk<'_, '_>) {
    let file = walk
        .operands
        .iter()
        .any(|index| walk.value(*index).is_some_and(|text| text != "-"));
    let given = file || walk.has(|does| matches!(does, Does::Help | Does::TeethValue(_)));
    let feeds = walk.named("f") || walk.named("file");
    if !given && !feeds {
        walk.teeth("runs commands it reads from standard input");
    }
}

/// Words after which a program that manages machines, jobs or containers runs
/// what it is given there.
const ELSEWHERE: &str = "ssh scp exec exec-out shell exec-command execute-command send-command \
    start-session run-command invoke cmd.run cmd.shell cmd.script cmd.exec_code state.single rsh \
    console run task command script add start trigger cloud-shell winrm";

/// `gcloud compute ssh h --command x`, `adb shell x`, `nomad alloc exec x`.
pub(super) fn check_remote(walk: &mut Walk<'_, '_>) {
    if walk.has(|does| does == Does::Help) {
        return;
    }
    let always = matches!(
        name::base(walk.text(0)),
        "salt" | "salt-call" | "salt-ssh" | "wine" | "wine64"
    ) || name::base(walk.text(0)).starts_with("qemu-");
    let words = ELSEWHERE.split_ascii_whitespace();
    let named: Vec<&str> = words.collect();
    let at = walk
        .operands
        .iter()
        .copied()
        .find(|index| walk.value(*index).is_none_or(|word| named.contains(&word)));
    let dashes = (1..walk.args.len()).find(|index| walk.value(*index) == Some("--"));
    if at.is_none() && dashes.is_none() && !always {
        return;
    }
    let start = match (dashes, at) {
        (Some(dashes), _) => dashes + 1,
        (None, Some(at)) => at + 1,
        (None, None) => 1,
    };
    let texts: Vec<usize> = (start..walk.args.len())
        .filter(|index| walk.value(*index).is_some_and(|text| text.contains(' ')))
        .collect();
    for index in texts {
        walk.no_path(index);
        script(walk, (index, 0));
    }
    if start < walk.args.len() && !walk.text(start).starts_with('-') {
        walk.facts.runs.push(Run::Words {
            start,
            end: walk.args.len(),
        });
    }
    walk.facts.wrapper = true;
    let note = "runs a command somewhere else".to_owned();
    walk.facts
        .floors
        .push((FloorCause::IndirectionWrapper, note));
}
