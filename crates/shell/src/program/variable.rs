//! Variables that make ordinary programs run or load something.

/// What setting a variable to a value can do, if it can make a command run
/// or load something else than itself. `value` is `None` where it is known
/// only at run time.
///
/// `PATH` and the loader's variables change which program or library is used;
/// the others name a program that some tool runs, or options for it. A value
/// that is known to be harmless (`GIT_PAGER=cat`) is no hazard.
#[must_use]
pub fn variable_hazard(name: &str, value: Option<&str>) -> Option<&'static str> {
    let name = name.strip_suffix('+').unwrap_or(name);
    if name.starts_with("LD_") || name.starts_with("DYLD_") || name.starts_with("BASH_FUNC_") {
        return Some("changes which code is loaded");
    }
    if name.starts_with("GIT_CONFIG")
        || name.starts_with("npm_config_")
        || name.starts_with("NPM_CONFIG_")
    {
        return Some("changes settings, which may name programs to run");
    }
    let found = VARIABLES
        .iter()
        .find(|(names, _)| names.split(' ').any(|listed| listed == name))?;
    if value.is_some_and(|value| is_harmless(name, value)) {
        return None;
    }
    Some(found.1)
}

fn is_harmless(name: &str, value: &str) -> bool {
    let listed = |values: &str| values.split(' ').any(|known| known == value);
    match name {
        _ if name.ends_with("PAGER") => value.is_empty() || listed("cat less more true :"),
        "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" => listed("true : cat"),
        "GIT_TRACE" | "GIT_TRACE2" => listed("0 1 2 true false"),
        "GIT_ASKPASS" | "SSH_ASKPASS" => value.is_empty() || listed("true echo"),
        "CC" | "CXX" | "CPP" | "LD" | "AR" => {
            listed("cc gcc clang c++ g++ clang++ cpp ld lld ar llvm-ar gcc-ar")
        }
        "NODE_OPTIONS" => words_start_with(
            value,
            "--max-old-space-size= --max_old_space_size= --max-semi-space-size= --no-warnings \
             --no-deprecation --trace-warnings --trace-deprecation --enable-source-maps \
             --experimental-vm-modules --unhandled-rejections= --stack-trace-limit= \
             --openssl-legacy-provider --experimental-strip-types",
        ),
        "MAKEFLAGS" => words_start_with(value, "-j -k -s --no-print-directory"),
        "RUSTFLAGS" => {
            !value.contains("linker")
                && words_start_with(value, "-D -W -A -F --cfg warnings unsafe_code unused")
        }
        "GOFLAGS" => words_start_with(value, "-mod= -count= -race -v -tags= -trimpath"),
        "LESS" => {
            value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-') && !value.contains('k')
        }
        "PYTHONWARNINGS" => listed("ignore error always default module once"),
        _ => false,
    }
}

fn words_start_with(value: &str, starts: &str) -> bool {
    value.split_ascii_whitespace().all(|word| {
        starts
            .split_ascii_whitespace()
            .any(|start| word.starts_with(start))
    })
}

const VARIABLES: &[(&str, &str)] = &[
    ("PATH PATHEXT", "changes which programs are found"),
    (
        "BASH_ENV ENV ZDOTDIR PROMPT_COMMAND SHELLOPTS BASHOPTS PS0 PS4 HOSTFILE INPUTRC",
        "changes what a shell runs",
    ),
    (
        "GCONV_PATH LOCPATH NLSPATH HOSTALIASES GETCONF_DIR MALLOC_CONF",
        "changes which code or files the C library loads",
    ),
    (
        "GIT_SSH GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS \
         GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_DIR GIT_ALLOW_PROTOCOL GIT_TRACE \
         GIT_TRACE2 GIT_TRACE2_EVENT GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY \
         GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_ATTR_SOURCE GIT_REDIRECT_STDOUT \
         GIT_REDIRECT_STDERR SSH_ASKPASS SUDO_ASKPASS",
        "names a program or files that git uses",
    ),
    (
        "PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS \
         PYTHONUSERBASE PYTHONPYCACHEPREFIX BROWSER",
        "changes what Python runs",
    ),
    (
        "PERL5OPT PERL5DB PERL5LIB PERLLIB PERL5SHELL PERLIO_DEBUG",
        "changes what Perl runs",
    ),
    (
        "RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH BUNDLE_GEMFILE",
        "changes what Ruby runs",
    ),
    (
        "NODE_PATH NODE_REPL_EXTERNAL_MODULE",
        "changes what Node.js loads",
    ),
    (
        "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS ANT_OPTS",
        "changes what Java runs",
    ),
    (
        "LUA_INIT LUA_PATH LUA_CPATH TCLLIBPATH R_PROFILE R_ENVIRON PHPRC PHP_INI_SCAN_DIR",
        "changes what the interpreter runs",
    ),
    (
        "PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER DELTA_PAGER BAT_PAGER AWS_PAGER GH_PAGER PSQL_PAGER LESSOPEN LESSCLOSE LESSEDIT LESS",
        "names the pager, or what it runs",
    ),
    (
        "EDITOR VISUAL FCEDIT SVN_EDITOR HGEDITOR GH_EDITOR KUBE_EDITOR PSQL_EDITOR SYSTEMD_EDITOR SUDO_EDITOR",
        "names the editor to run",
    ),
    ("SHELL CONFIG_SHELL MAKESHELL", "names the shell to run"),
    (
        "MAKEFLAGS GNUMAKEFLAGS MAKEFILES MFLAGS",
        "gives `make` options",
    ),
    ("TAR_OPTIONS TAPE RSH RMT_COMMAND", "gives `tar` options"),
    (
        "RSYNC_RSH RSYNC_CONNECT_PROG RSYNC_SHELL CVS_RSH SVN_SSH HG RSH_COMMAND",
        "names a program that transfers run",
    ),
    (
        "RIPGREP_CONFIG_PATH ACKRC ACK_PAGER GREP_OPTIONS AWKLIBPATH AWKPATH",
        "gives the program options",
    ),
    (
        "GOFLAGS CC CXX CPP LD AR AS CGO_CFLAGS CGO_LDFLAGS GOROOT GOTOOLDIR COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH",
        "names programs the build runs",
    ),
    (
        "RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO_HOME CARGO \
         RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTUP_HOME",
        "names programs the build runs",
    ),
    (
        "NODE_OPTIONS DENO_DIR BUN_CONFIG",
        "gives the program options",
    ),
    (
        "CURL_HOME WGETRC NETRC SYSTEM_WGETRC",
        "names the settings of transfers",
    ),
    (
        "DOCKER_HOST DOCKER_CONFIG EXINIT VIMINIT VIM VIMRUNTIME MYVIMRC GVIMINIT",
        "changes where or what the program runs",
    ),
    (
        "HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS",
        "changes which settings programs read",
    ),
    (
        "PI_SUBAGENT_PARENT_SESSION PI_CODING_AGENT_DIR",
        "cuts a child session off its guard",
    ),
];

#[cfg(test)]
mod tests {
    use super::variable_hazard;

    #[test]
    fn loaders_and_programs_are_hazards_and_plain_settings_are_not() {
        for name in ["LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "BASH_ENV", "PATH+"] {
            assert!(variable_hazard(name, Some("x")).is_some(), "{name}");
        }
        for name in [
            "FOO",
            "CI",
            "NODE_ENV",
            "RUST_BACKTRACE",
            "TZ",
            "AWS_PROFILE",
            "PYTHONPATH",
        ] {
            assert!(variable_hazard(name, None).is_none(), "{name}");
        }
        assert!(variable_hazard("GIT_PAGER", Some("cat")).is_none());
        assert!(variable_hazard("GIT_PAGER", None).is_some());
        let sizes = "--max-old-space-size=4096";
        assert!(variable_hazard("NODE_OPTIONS", Some(sizes)).is_none());
        assert!(variable_hazard("NODE_OPTIONS", Some("--require=./x")).is_some());
    }
}
