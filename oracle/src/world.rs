//! The scratch tree that programs run in, and the trace of what they did.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

/// The user that programs run as when the oracle runs as root.
const NOBODY: u32 = 65534;

/// Names that a program may call and that must harm nothing: each is a script
/// that only succeeds, so that the trace shows the call and nothing happens.
const STUBS: &[&str] = &[
    "rm", "curl", "deploy", "publish", "tool", "sudo", "ssh", "npm",
];

pub struct World {
    _root: tempfile::TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
    bin: PathBuf,
    log: PathBuf,
    /// A repository's `.git`, copied into every new tree.
    repository: PathBuf,
}

/// What one program did.
#[derive(Debug, Default)]
pub struct Trace {
    /// Programs started, as argument lists.
    pub executed: Vec<Vec<String>>,
    /// Paths opened for reading, below the scratch tree.
    pub read: Vec<PathBuf>,
    /// Paths opened for writing, made, moved or removed, below the scratch tree.
    pub written: Vec<PathBuf>,
}

impl World {
    pub fn new() -> Result<Self> {
        let root = tempfile::Builder::new().prefix("oracle").tempdir()?;
        let base = root.path().canonicalize()?;
        let world = Self {
            home: base.join("home"),
            project: base.join("home/project"),
            bin: base.join("bin"),
            log: base.join("log"),
            repository: base.join("repository"),
            _root: root,
        };
        std::fs::create_dir_all(&world.bin)?;
        std::fs::create_dir_all(&world.log)?;
        for name in STUBS {
            let path = world.bin.join(name);
            std::fs::write(&path, "#!/bin/true\n")?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
        // Outside the home directory: what git reads of its own accord is not
        // the program's doing.
        let identity = "[user]\n\tname = a\n\temail = a@b.c\n[safe]\n\tdirectory = *\n";
        std::fs::write(base.join("gitconfig"), identity)?;
        std::fs::set_permissions(&base, std::fs::Permissions::from_mode(0o755))?;
        world.reset()?;
        world.commit()?;
        world.reset()?;
        Ok(world)
    }

    /// Makes the repository that every tree starts with: two commits.
    fn commit(&self) -> Result<()> {
        let script = "git init -q && git add a.txt notes && git commit -qm one && \
            git add src Makefile && git commit -qm two";
        let status = Command::new("bash")
            .args(["-c", script])
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("GIT_CONFIG_GLOBAL", self.bin.with_file_name("gitconfig"))
            .status()?;
        anyhow::ensure!(status.success(), "git must be installed");
        std::fs::rename(self.project.join(".git"), &self.repository)?;
        Ok(())
    }

    /// Lays the tree anew.
    pub fn reset(&self) -> Result<()> {
        if self.home.exists() {
            std::fs::remove_dir_all(&self.home)?;
        }
        let project = &self.project;
        for directory in ["src", "conf", "secret", "out"] {
            std::fs::create_dir_all(project.join(directory))?;
        }
        for (file, text) in [
            ("a.txt", "a\nb\n"),
            ("src/b.ts", "x\n"),
            (".env", "A=1\n"),
            ("conf/.env", "B=2\n"),
            ("notes", "n\n"),
            ("secret/key", "k\n"),
            ("Makefile", "test:\n\t@echo tested\n"),
        ] {
            std::fs::write(project.join(file), text)?;
        }
        std::fs::write(self.home.join(".netrc"), "n\n")?;
        symlink("secret/key", project.join("link"))?;
        symlink("secret", project.join("linkdir"))?;
        if self.repository.exists() {
            copy_tree(&self.repository, &project.join(".git"))?;
        }
        if is_root() {
            own_tree(&self.home)?;
            own_tree(&self.log)?;
        }
        Ok(())
    }

    /// Runs `program` and returns what it did. `None` when it could not be
    /// traced (it ran too long).
    pub fn run(&self, program: &str) -> Result<Option<Trace>> {
        self.reset()?;
        let log = self.log.join("trace");
        let _ = std::fs::remove_file(&log);
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        let mut command = Command::new("timeout");
        command.args([
            "-s", "KILL", "10", "strace", "-f", "-qq", "-s", "8192", "-xx",
        ]);
        command.args(["-e", "signal=none", "-e"]);
        command.arg(
            "trace=execve,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,\
             mkdirat,rmdir,truncate,symlink,symlinkat,link,linkat,chdir,fchdir",
        );
        command.arg("-y").arg("-o").arg(&log);
        command.args(["bash", "--norc", "--noprofile", "-c"]);
        // Limits keep a fork bomb of the generator's own making small.
        command.arg(format!("ulimit -t 5 -f 2000 -n 256\n{program}"));
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_GLOBAL", self.bin.with_file_name("gitconfig"))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if is_root() {
            use std::os::unix::process::CommandExt as _;
            command.uid(NOBODY).gid(NOBODY);
        }
        let status = command.status().context("strace must be installed")?;
        let killed = status.code().is_none() || status.code() == Some(137);
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        if killed || text.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.parse(&text)))
    }

    fn parse(&self, text: &str) -> Trace {
        let mut trace = Trace::default();
        // `-y` prints the directory of a descriptor; a relative path of a call
        // that names none belongs to the process's own directory, which
        // `chdir` moves.
        let mut directories: std::collections::HashMap<&str, PathBuf> = Default::default();
        let mut first = true;
        // A call that another process interrupts stands in two lines.
        let mut begun: std::collections::HashMap<&str, &str> = Default::default();
        let mut in_git: std::collections::HashSet<&str> = Default::default();
        for line in text.lines() {
            let Some((pid, call)) = line.split_once(' ') else {
                continue;
            };
            let call = call.trim_start();
            if let Some(start) = call.strip_suffix("<unfinished ...>") {
                begun.insert(pid, start);
                continue;
            }
            let joined;
            let call = match call.split_once(" resumed>") {
                Some((_, end)) if call.starts_with("<... ") => {
                    joined = format!("{}{end}", begun.remove(pid).unwrap_or(""));
                    joined.as_str()
                }
                _ => call,
            };
            let Some((name, rest)) = call.split_once('(') else {
                continue;
            };
            let failed = rest.contains(") = -1 ");
            let strings = strings(rest);
            let from_descriptor = rest
                .split_once('<')
                .filter(|(before, _)| !before.contains('"'))
                .and_then(|(_, after)| after.split_once('>'))
                .map(|(directory, _)| PathBuf::from(unescape(directory)));
            let base = from_descriptor
                .or_else(|| directories.get(pid).cloned())
                .unwrap_or_else(|| self.project.clone());
            let resolve = |text: &String| normalise(&base.join(text));
            match name {
                "execve" if !failed => {
                    let argv: Vec<String> = strings.iter().skip(1).cloned().collect();
                    match strings.first().is_some_and(|path| path.ends_with("/git")) {
                        true => in_git.insert(pid),
                        false => in_git.remove(pid),
                    };
                    if first {
                        first = false;
                    } else if !argv.is_empty() {
                        trace.executed.push(argv);
                    }
                }
                "chdir" if !failed => {
                    if let Some(to) = strings.first() {
                        directories.insert(pid, resolve(to));
                    }
                }
                "openat" | "open" | "creat" => {
                    let Some(path) = strings.first().map(resolve) else {
                        continue;
                    };
                    let writes = name == "creat"
                        || ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]
                            .iter()
                            .any(|flag| rest.contains(flag));
                    if failed || !path.starts_with(&self.home) || rest.contains("O_DIRECTORY") {
                        continue;
                    }
                    if writes {
                        trace.written.push(path);
                    } else if !(in_git.contains(pid) && is_gits_own(&path)) {
                        trace.read.push(path);
                    }
                }
                _ if !failed => {
                    for path in strings.iter().map(resolve) {
                        if path.starts_with(&self.home) {
                            trace.written.push(path);
                        }
                    }
                }
                _ => {}
            }
        }
        trace
    }
}

/// Whether git reads a file of this name of its own accord, wherever it works.
fn is_gits_own(path: &Path) -> bool {
    let named = |name: &str| path.file_name().is_some_and(|it| it == name);
    [".gitignore", ".gitattributes", ".gitmodules", ".gitconfig"]
        .into_iter()
        .any(named)
        || path.parent().is_some_and(|it| it.ends_with(".config/git"))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            // The sample hooks are never run.
            if entry.file_name() != "hooks" {
                copy_tree(&entry.path(), &target)?;
            }
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn own_tree(path: &Path) -> Result<()> {
    chown(path, Some(NOBODY), Some(NOBODY))?;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            own_tree(&entry.path())?;
        } else if !entry.file_type()?.is_symlink() {
            chown(entry.path(), Some(NOBODY), Some(NOBODY))?;
        }
    }
    Ok(())
}

/// The quoted strings of one traced call, before its environment.
fn strings(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    let bytes = rest.as_bytes();
    while let Some(open) = rest[at..].find('"').map(|n| at + n) {
        let Some(close) = rest[open + 1..].find('"').map(|n| open + 1 + n) else {
            break;
        };
        found.push(unescape(&rest[open + 1..close]));
        at = close + 1;
        if bytes.get(at) == Some(&b']') {
            break;
        }
    }
    found
}

/// `-xx` writes every character as `\xNN`.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend_from_slice(before.as_bytes());
        match u8::from_str_radix(after.get(..2).unwrap_or(""), 16) {
            Ok(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            Err(_) => {
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_shows_programs_and_files() {
        let world = World::new().unwrap();
        let program =
            "cat .env; cd secret && cat key; rm x; echo $(curl a) > ../out/x; echo `/bin/ls`";
        let trace = world.run(program).unwrap().unwrap();
        let names: Vec<&str> = trace.executed.iter().map(|argv| argv[0].as_str()).collect();
        assert_eq!(names, ["cat", "cat", "rm", "curl", "/bin/ls"]);
        let below = |path: &PathBuf| path.strip_prefix(&world.project).unwrap().to_owned();
        let read: Vec<PathBuf> = trace.read.iter().map(below).collect();
        let written: Vec<PathBuf> = trace.written.iter().map(below).collect();
        assert_eq!(read, [PathBuf::from(".env"), "secret/key".into()]);
        assert_eq!(written, [PathBuf::from("out/x")]);
    }
}
