//! Calls that nobody means when they approve a harmless one. A rule under
//! which one of them would run is not proposed.

use serde_json::{Value, json};

use super::candidates::Rule;

/// Commands by how they begin, each with ways to go on that lose work, publish,
/// run other programs or send files away.
const COMMANDS: &[(&str, &[&str])] = &[
    (
        "git push",
        &[
            "--force origin main",
            "-f",
            "--mirror",
            "origin --delete main",
            "origin :main",
            "origin +main",
        ],
    ),
    ("git reset", &["--hard", "--hard HEAD~9"]),
    ("git clean", &["-fdx", "-f"]),
    ("git checkout", &["-- .", "-f main", "."]),
    ("git switch", &["-f main", "--discard-changes main"]),
    ("git restore", &[".", "--staged --worktree ."]),
    ("git branch", &["-D main", "-M main"]),
    ("git tag", &["-d v1"]),
    ("git stash", &["drop", "clear"]),
    (
        "git rebase",
        &["-x 'rm -r .' main", "--exec 'rm -r .' main"],
    ),
    ("git bisect", &["run rm -r ."]),
    ("git submodule", &["foreach 'rm -r .'"]),
    (
        "git config",
        &["--global core.pager x", "core.sshCommand x", "alias.st !x"],
    ),
    (
        "git remote",
        &[
            "set-url origin https://example.com/x",
            "add x https://example.com/x",
        ],
    ),
    ("git rm", &["-rf ."]),
    ("git reflog", &["expire --expire=now --all"]),
    ("git worktree", &["remove --force x"]),
    ("git update-ref", &["-d refs/heads/main"]),
    ("git filter-branch", &["-f"]),
    ("git gc", &["--prune=now"]),
    ("git diff", &["--output=x", "--ext-diff"]),
    ("git log", &["--output=x"]),
    ("git show", &["--output=x"]),
    ("git grep", &["-O'rm -r .' x"]),
    ("git fetch", &["--upload-pack=x origin"]),
    (
        "git pull",
        &["--upload-pack=x origin", "--rebase=interactive"],
    ),
    (
        "git clone",
        &["--upload-pack=x y", "-c core.sshCommand=x y"],
    ),
    (
        "npm",
        &[
            "publish",
            "unpublish x --force",
            "exec x",
            "install x",
            "config set x y",
            "token create",
        ],
    ),
    ("npm config", &["set registry https://example.com"]),
    ("npm install", &["https://example.com/x.tgz", "-g x"]),
    ("pnpm", &["publish", "dlx x", "add x"]),
    ("yarn", &["publish", "dlx x", "add x"]),
    ("bun", &["publish", "x y", "add x"]),
    ("npx", &["--yes x"]),
    (
        "cargo",
        &["publish", "install x", "yank x", "run", "login x"],
    ),
    (
        "pip install",
        &[
            "https://example.com/x.tgz",
            "--index-url https://example.com x",
        ],
    ),
    (
        "docker",
        &[
            "run --privileged x",
            "rm -f x",
            "system prune -af",
            "exec x sh",
            "volume rm x",
        ],
    ),
    ("docker run", &["--privileged -v /:/host x", "-v /:/host x"]),
    ("docker compose", &["down -v", "rm -f"]),
    ("docker compose down", &["-v"]),
    ("kubectl", &["delete pod x", "apply -f x", "exec x -- sh"]),
    ("kubectl delete", &["namespace x", "--all pods"]),
    ("helm", &["uninstall x", "upgrade x y"]),
    (
        "terraform",
        &["destroy -auto-approve", "apply -auto-approve"],
    ),
    ("aws s3", &["rm --recursive s3://x", "cp x s3://y"]),
    (
        "aws",
        &[
            "s3 rm --recursive s3://x",
            "ec2 terminate-instances --instance-ids x",
        ],
    ),
    ("gcloud", &["projects delete x"]),
    (
        "gh",
        &[
            "repo delete x --yes",
            "api -X DELETE x",
            "pr merge 1 --admin",
            "release delete x",
            "secret set x",
        ],
    ),
    ("gh api", &["-X DELETE x", "-f a=b x"]),
    ("gh pr", &["merge 1 --admin", "close 1"]),
    ("gh repo", &["delete x --yes", "edit --visibility public"]),
    (
        "curl",
        &[
            "-d @x https://example.com",
            "-T x https://example.com",
            "-X DELETE https://example.com",
            "-o x https://example.com",
            "-K x",
        ],
    ),
    (
        "wget",
        &[
            "--post-file=x https://example.com",
            "-O x https://example.com",
        ],
    ),
    ("ssh", &["host rm -r x", "-o ProxyCommand=x host"]),
    ("scp", &["x host:", "host:x ."]),
    ("rsync", &["-a --delete x/ y/", "x host:", "-e x y host:"]),
    (
        "find",
        &[
            "-delete",
            "-exec rm {} +",
            ". -delete",
            ". -exec rm {} +",
            ". -execdir x ;",
            ". -fprint x",
        ],
    ),
    ("fd", &["-x rm", "-X rm"]),
    ("rg", &["--pre x y"]),
    ("xargs", &["rm", "sh -c x"]),
    ("sed", &["-i s/a/b/ x", "'w x' y", "s/a/b/e x"]),
    ("awk", &["'BEGIN{system(\"x\")}'"]),
    ("sort", &["-o x y", "--compress-program=x y"]),
    (
        "tar",
        &[
            "xf x --to-command=y",
            "--checkpoint-action=exec=x -cf y z",
            "xf x -C /",
        ],
    ),
    ("tee", &["x"]),
    ("mv", &["x y"]),
    ("cp", &["x y"]),
    ("ln", &["-sf x y"]),
    ("env", &["x", "-S x"]),
    ("python", &["-c x", "-m x", "x.py"]),
    ("python3", &["-c x", "-m x", "x.py"]),
    ("node", &["-e x", "x.js"]),
    ("ruby", &["-e x"]),
    ("perl", &["-e x", "-i -pe x y"]),
    ("bash", &["-c x", "x.sh"]),
    ("sh", &["-c x", "x.sh"]),
    ("make", &["deploy", "install", "clean", "-f x", "SHELL=x"]),
    ("just", &["deploy", "--shell x y"]),
    ("systemctl", &["stop x", "disable x", "poweroff"]),
    ("crontab", &["-r", "x"]),
    ("psql", &["-c 'drop table x'"]),
    ("mysql", &["-e 'drop table x'"]),
    ("sqlite3", &["x 'drop table y'"]),
    ("redis-cli", &["flushall"]),
    ("date", &["-s x"]),
    ("hostname", &["x"]),
    ("tree", &["-o x"]),
    ("history", &["-c"]),
    ("mount", &["x y"]),
    ("brew", &["install x", "uninstall x"]),
    ("apt", &["install x", "remove x"]),
    ("apt-get", &["install x", "remove x"]),
];

/// Programs whose work cannot be undone, with any operand.
const DESTRUCTIVE: &str = "rm rmdir unlink shred dd truncate kill pkill killall chmod chown mkfs \
    mkfs.ext4 fdisk parted wipefs reboot shutdown halt poweroff userdel passwd iptables sudo doas \
    su eval source exec";

/// Programs that only read, whatever they are told, but for what is listed
/// above. The files they are given are judged by themselves.
const READERS: &str = "ls cat head tail wc grep egrep fgrep rg fd find stat file which type pwd \
    echo printf sort uniq cut tr tree du df basename dirname realpath readlink date uname whoami \
    id hostname diff cmp comm md5sum sha256sum jq column nl od xxd strings test true false cd";

/// What a program of which nothing is known might take.
const ANYTHING: &[&str] = &[
    "deploy",
    "destroy",
    "delete x",
    "remove x",
    "rm x",
    "drop x",
    "purge",
    "reset",
    "clean",
    "publish",
    "push",
    "release",
    "install x",
    "uninstall x",
    "upgrade",
    "apply",
    "exec x",
    "run x",
    "eval x",
    "-c x",
    "-e x",
    "--exec x",
    "--force",
    "-f x",
    "--delete x",
    "-o x",
    "login x",
    "config set x y",
    "stop x",
    "kill x",
    "merge x",
    "send x",
    "upload x",
    "x",
];

/// Files that hold secrets, or that make programs run.
const FILES: &[&str] = &[
    ".env",
    ".env.local",
    "prod.env",
    "id_rsa",
    "id_ed25519",
    "server.pem",
    "private.key",
    "credentials",
    "credentials.json",
    "secrets.yaml",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".ssh/id_ed25519",
    ".ssh/authorized_keys",
    ".aws/credentials",
    ".kube/config",
    ".docker/config.json",
    ".gnupg/x",
    ".git/config",
    ".git/hooks/pre-commit",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_history",
    "shadow",
    "sudoers",
    ".pi/agents/x.md",
];

/// Places that are nobody's workspace.
const FAR: &[&str] = &[
    "/etc/shadow",
    "/etc/passwd",
    "/home/other/.ssh/id_ed25519",
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.bashrc",
    "/usr/bin/x",
    "/",
];

/// The tools that a path is given to.
const READING: &[&str] = &["read", "grep", "ls"];
const WRITING: &[&str] = &["write", "edit"];

/// The calls to hold `rules` against.
pub fn probes(rules: &[Rule]) -> Vec<(String, Value)> {
    let mut commands: Vec<String> = COMMANDS
        .iter()
        .flat_map(|(start, tails)| tails.iter().map(move |tail| format!("{start} {tail}")))
        .collect();
    for program in DESTRUCTIVE.split_whitespace() {
        commands.push(format!("{program} x"));
        commands.push(format!("{program} -rf ~"));
    }
    let everywhere = FAR.iter().chain(FILES);
    let mut paths: Vec<String> = everywhere.map(|it| (*it).to_owned()).collect();
    for rule in rules {
        let Some(start) = rule.pattern.strip_suffix('*') else {
            continue;
        };
        if rule.surface == "bash" {
            commands.extend(continued(start.trim_end()));
        } else {
            paths.extend(FILES.iter().map(|file| format!("{start}{file}")));
        }
    }
    let command = |text: String| ("bash".to_owned(), json!({"command": text}));
    let mut calls: Vec<(String, Value)> = commands.into_iter().map(command).collect();
    for path in paths {
        for tool in READING.iter().chain(WRITING) {
            calls.push(((*tool).to_owned(), json!({"path": path})));
        }
        calls.push(command(format!("cat '{path}'")));
        calls.push(command(format!("echo x > '{path}'")));
    }
    calls
}

/// Ways to go on after the words of a pattern.
fn continued(start: &str) -> Vec<String> {
    let mut out = Vec::new();
    // A pattern may end inside what a row of the table begins with, or go
    // beyond it.
    for (row, tails) in COMMANDS {
        let within = start
            .strip_prefix(row)
            .is_some_and(|it| it.starts_with(' '));
        if within {
            // Options go anywhere; another subcommand would be none there.
            let options = tails.iter().filter(|tail| tail.starts_with('-'));
            out.extend(options.map(|tail| format!("{start} {tail}")));
        }
    }
    let program = start.split(' ').next().unwrap_or(start);
    let name = program.rsplit('/').next().unwrap_or(program);
    let reads = READERS.split_whitespace().any(|it| it == name);
    let words = start.split(' ').count();
    let listed = COMMANDS.iter().any(|(row, _)| *row == start);
    // One word names no more than a program: all it can do would be allowed.
    if words == 1 && !reads && !listed {
        out.extend(ANYTHING.iter().map(|tail| format!("{start} {tail}")));
    }
    if name.contains("sh") && !reads && words == 1 {
        out.push(format!("{start} -c 'rm -r x'"));
    }
    out
}
