//! Variables that make other programs run something, load something, or
//! look elsewhere.

/// What setting the variable `name` can do, when it has teeth; `value` is its
/// new value where that is known. Shared with the option tables of wrappers
/// such as `env NAME=value`.
#[must_use]
pub fn variable_with_teeth(name: &str, value: Option<&str>) -> Option<&'static str> {
    // An element of an array is the array.
    let name = name.split('[').next().unwrap_or(name);
    if value.is_some_and(|value| harmless(name, value)) {
        return None;
    }
    let exact = TEETH.iter().find(|(n, _)| *n == name);
    let found = exact.or_else(|| {
        PREFIXES
            .iter()
            .find(|(prefix, _)| name.len() > prefix.len() && name.starts_with(prefix))
    });
    found.map(|(_, what)| *what)
}

/// Values that are commonly set and do nothing.
fn harmless(name: &str, value: &str) -> bool {
    match name {
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "GH_PAGER" | "SYSTEMD_PAGER" | "DELTA_PAGER"
        | "BAT_PAGER" | "AWS_PAGER" => matches!(value, "" | "cat"),
        "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" => {
            matches!(value, "true" | ":" | "cat")
        }
        "GIT_ASKPASS" | "SSH_ASKPASS" => matches!(value, "" | "true" | "echo"),
        // As running a script of the workspace is no more than that.
        "PYTHONPATH" => {
            !value.is_empty()
                && value.split(':').all(|directory| {
                    !directory.starts_with(['/', '~']) && !directory.contains("..")
                })
        }
        "CC" | "CXX" | "CPP" => matches!(
            value,
            "cc" | "gcc" | "clang" | "c++" | "g++" | "clang++" | "cpp"
        ),
        "RUSTFLAGS" | "RUSTDOCFLAGS" => value.split(' ').all(|word| {
            matches!(
                word,
                "" | "-D" | "-W" | "-A" | "warnings" | "-Dwarnings" | "unused" | "dead_code"
            )
        }),
        "MAKEFLAGS" => value
            .strip_prefix("-j")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())),
        "RUSTUP_TOOLCHAIN" => !value.contains('/'),
        "GIT_TRACE" => matches!(value, "0" | "1" | "2" | "true" | "false"),
        "BROWSER" => matches!(value, "none" | "true" | ""),
        "NODE_OPTIONS" => value.split(' ').all(|word| {
            word.is_empty()
                || word
                    .strip_prefix("--max-old-space-size=")
                    .or_else(|| word.strip_prefix("--max_old_space_size="))
                    .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
                || matches!(
                    word,
                    "--experimental-vm-modules"
                        | "--no-warnings"
                        | "--trace-warnings"
                        | "--no-deprecation"
                        | "--enable-source-maps"
                )
        }),
        "IFS" => value.is_empty() || value.chars().all(|c| " \t\n,:;|".contains(c)),
        _ => false,
    }
}

const RUNS: &str = "makes other programs run a command";
const LOADS: &str = "makes other programs load code";
const FINDS: &str = "changes which program a name stands for";
const GUARD: &str = "takes this guard, or its parent, away from an agent";
const CONFIG: &str = "makes other programs read another configuration";

const TEETH: &[(&str, &str)] = &[
    ("AWS_PAGER", RUNS),
    ("BASHOPTS", CONFIG),
    ("BASH_CMDS", FINDS),
    ("BASH_ENV", RUNS),
    ("BASH_LOADABLES_PATH", LOADS),
    ("BAT_PAGER", RUNS),
    ("BROWSER", RUNS),
    ("BUNDLE_GEMFILE", CONFIG),
    ("CARGO_ENCODED_RUSTDOCFLAGS", RUNS),
    ("CARGO_ENCODED_RUSTFLAGS", RUNS),
    ("CARGO_HOME", CONFIG),
    ("CC", RUNS),
    ("CDPATH", "changes where `cd` goes"),
    ("CFLAGS", CONFIG),
    ("CLASSPATH", LOADS),
    ("COMPOSER_HOME", CONFIG),
    ("COUNTERSIGN_ANSWER_KEY", GUARD),
    ("CPP", RUNS),
    ("CURL_HOME", CONFIG),
    ("CVS_RSH", RUNS),
    ("CXX", RUNS),
    ("DELTA_PAGER", RUNS),
    ("DOCKER_CONFIG", CONFIG),
    ("DOCKER_HOST", CONFIG),
    ("EDITOR", RUNS),
    ("EMACSLOADPATH", LOADS),
    ("ENV", RUNS),
    ("EXECIGNORE", FINDS),
    ("FCEDIT", RUNS),
    ("FPATH", LOADS),
    ("FZF_DEFAULT_COMMAND", RUNS),
    ("FZF_DEFAULT_OPTS", RUNS),
    ("GCONV_PATH", LOADS),
    ("GEM_HOME", LOADS),
    ("GEM_PATH", LOADS),
    ("GH_BROWSER", RUNS),
    ("GH_CONFIG_DIR", CONFIG),
    ("GH_EDITOR", RUNS),
    ("GH_PAGER", RUNS),
    ("GIT_ASKPASS", RUNS),
    ("GIT_CONFIG", CONFIG),
    ("GIT_DIR", CONFIG),
    ("GIT_EDITOR", RUNS),
    ("GIT_EXEC_PATH", FINDS),
    ("GIT_EXTERNAL_DIFF", RUNS),
    ("GIT_INDEX_FILE", CONFIG),
    ("GIT_MERGE_AUTOEDIT", CONFIG),
    ("GIT_OBJECT_DIRECTORY", CONFIG),
    ("GIT_PAGER", RUNS),
    ("GIT_PROXY_COMMAND", RUNS),
    ("GIT_SEQUENCE_EDITOR", RUNS),
    ("GIT_SSH", RUNS),
    ("GIT_SSH_COMMAND", RUNS),
    ("GIT_SSL_NO_VERIFY", CONFIG),
    ("GIT_TEMPLATE_DIR", RUNS),
    ("GIT_WORK_TREE", CONFIG),
    ("GLOBIGNORE", "changes what patterns match"),
    ("GNUMAKEFLAGS", RUNS),
    ("GNUPGHOME", CONFIG),
    ("GOFLAGS", RUNS),
    ("GOPROXY", CONFIG),
    ("GROFF_TMAC_PATH", LOADS),
    ("HISTFILE", "names a file that the shell writes"),
    ("HOME", CONFIG),
    ("IFS", "changes how words are split"),
    ("INPUTRC", CONFIG),
    ("JAVA_HOME", FINDS),
    ("JAVA_OPTS", LOADS),
    ("JAVA_TOOL_OPTIONS", LOADS),
    ("JDK_JAVA_OPTIONS", LOADS),
    ("KUBECONFIG", CONFIG),
    ("KUBE_EDITOR", RUNS),
    ("LESSCLOSE", RUNS),
    ("LESSEDIT", RUNS),
    ("LESSKEY", RUNS),
    ("LESSOPEN", RUNS),
    ("LOCPATH", LOADS),
    ("LUA_CPATH", LOADS),
    ("LUA_INIT", RUNS),
    ("LUA_PATH", LOADS),
    ("MAKEFILES", RUNS),
    ("MAKEFLAGS", RUNS),
    ("MANPAGER", RUNS),
    ("MAVEN_ARGS", RUNS),
    ("MAVEN_OPTS", LOADS),
    ("MFLAGS", RUNS),
    ("NODE_OPTIONS", LOADS),
    ("NODE_PATH", LOADS),
    ("OLDPWD", "changes where `cd -` goes"),
    ("OPENSSL_CONF", LOADS),
    ("OPENSSL_ENGINES", LOADS),
    ("OPENSSL_MODULES", LOADS),
    ("PAGER", RUNS),
    ("PATH", FINDS),
    ("PERL5DB", RUNS),
    ("PERL5LIB", LOADS),
    ("PERL5OPT", LOADS),
    ("PERLLIB", LOADS),
    ("PHPRC", CONFIG),
    ("PHP_INI_SCAN_DIR", CONFIG),
    ("PI_AGENT_ROUTER_PARENT_SESSION_ID", GUARD),
    ("PI_CODING_AGENT_DIR", GUARD),
    ("PI_SUBAGENT_PARENT_SESSION", GUARD),
    ("PROMPT_COMMAND", RUNS),
    ("PS0", RUNS),
    ("PS1", RUNS),
    ("PS2", RUNS),
    ("PS4", RUNS),
    ("PYTHONBREAKPOINT", RUNS),
    ("PYTHONHOME", LOADS),
    ("PYTHONINSPECT", RUNS),
    ("PYTHONPATH", LOADS),
    ("PYTHONSTARTUP", RUNS),
    ("RIPGREP_CONFIG_PATH", RUNS),
    ("RSYNC_RSH", RUNS),
    ("RUBYLIB", LOADS),
    ("RUBYOPT", LOADS),
    ("RUSTC", RUNS),
    ("RUSTC_WRAPPER", RUNS),
    ("RUSTDOC", RUNS),
    ("RUSTDOCFLAGS", RUNS),
    ("RUSTFLAGS", RUNS),
    ("RUSTUP_HOME", FINDS),
    ("RUSTUP_TOOLCHAIN", RUNS),
    ("SHELL", RUNS),
    ("SHELLOPTS", CONFIG),
    ("SSH_ASKPASS", RUNS),
    ("SUDO_ASKPASS", RUNS),
    ("SVN_SSH", RUNS),
    ("TAR_OPTIONS", RUNS),
    ("VISUAL", RUNS),
    ("ZDOTDIR", RUNS),
    ("_JAVA_OPTIONS", LOADS),
];

const PREFIXES: &[(&str, &str)] = &[
    ("BASH_FUNC_", RUNS),
    ("CARGO_TARGET_", RUNS),
    ("CARGO_BUILD_RUSTC", RUNS),
    ("CARGO_ALIAS_", RUNS),
    ("DYLD_", LOADS),
    ("GIT_CONFIG_", RUNS),
    ("GIT_TRACE", "makes git write a file"),
    ("LD_", LOADS),
    ("NPM_CONFIG_", RUNS),
    ("npm_config_", RUNS),
    ("PIP_", CONFIG),
    ("UV_", CONFIG),
    ("XDG_CONFIG_", CONFIG),
    ("XDG_DATA_", CONFIG),
];

#[cfg(test)]
mod tests {
    use super::variable_with_teeth;

    #[test]
    fn loader_variables_have_teeth_and_common_settings_do_not() {
        for name in [
            "LD_PRELOAD",
            "PATH",
            "BASH_ENV",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_COUNT",
        ] {
            assert!(variable_with_teeth(name, None).is_some(), "{name}");
        }
        for (name, value) in [
            ("GIT_PAGER", "cat"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("NODE_ENV", "test"),
            ("CI", "1"),
            ("IFS", ","),
        ] {
            assert_eq!(variable_with_teeth(name, Some(value)), None, "{name}");
        }
    }
}
