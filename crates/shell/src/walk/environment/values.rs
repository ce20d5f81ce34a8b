//! Values that variables with teeth are commonly set to, and that do nothing.

/// Whether the value is one of those.
pub(super) fn harmless(name: &str, value: &str) -> bool {
    let words = |fits: fn(&str) -> bool| value.split(' ').all(|word| word.is_empty() || fits(word));
    match name {
        _ if name.ends_with("PAGER") => matches!(value, "" | "cat"),
        _ if name.ends_with("EDITOR") => matches!(value, "true" | ":" | "cat"),
        _ if name.ends_with("_ASKPASS") => matches!(value, "" | "true" | "echo"),
        _ if name.ends_with("_WRAPPER") || name.ends_with("_LAUNCHER") => {
            matches!(value, "" | "sccache" | "ccache")
        }
        // As running a script of the workspace is no more than that.
        "PYTHONPATH" => !value.is_empty() && value.split(':').all(is_inside),
        "CARGO_TARGET_DIR"
        | "TF_DATA_DIR"
        | "VIRTUAL_ENV"
        | "BUNDLE_PATH"
        | "TS_NODE_PROJECT"
        | "COVERAGE_PROCESS_START"
        | "COMPOSER" => is_inside(value),
        "CC" | "CXX" | "CPP" | "HOSTCC" | "HOSTCXX" | "FC" | "F77" | "AR" | "AS" | "LD" | "NM"
        | "RANLIB" | "STRIP" | "OBJCOPY" | "LEX" | "YACC" | "M4" | "MAKE" | "PKG_CONFIG"
        | "SED" | "CMAKE_C_COMPILER" | "CMAKE_CXX_COMPILER" | "RUSTC_LINKER" => is_tool(value),
        _ if name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER") => is_tool(value),
        "CFLAGS" | "CXXFLAGS" | "CPPFLAGS" | "LDFLAGS" | "CGO_CFLAGS" | "CGO_CXXFLAGS"
        | "CGO_CPPFLAGS" | "CGO_LDFLAGS" => words(is_compiler_flag),
        _ if name.ends_with("RUSTFLAGS") || name == "RUSTDOCFLAGS" => words(|word| {
            matches!(
                word,
                "-D" | "-W" | "-A" | "warnings" | "-Dwarnings" | "unused" | "dead_code"
            )
        }),
        "MAKEFLAGS" => value
            .strip_prefix("-j")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())),
        "RUSTUP_TOOLCHAIN" => !value.contains('/'),
        "GIT_TRACE" => matches!(value, "0" | "1" | "2" | "true" | "false"),
        "GIT_ALLOW_PROTOCOL" => value
            .split(':')
            .all(|protocol| matches!(protocol, "file" | "git" | "http" | "https" | "ssh")),
        "SHELL" => matches!(
            value,
            "bash" | "sh" | "/bin/bash" | "/bin/sh" | "/usr/bin/bash" | "/usr/bin/env bash"
        ),
        "CROSS_COMPILE" => !value.contains(['/', ' ']),
        "BROWSER" => matches!(value, "none" | "true" | ""),
        "NODE_OPTIONS" | "BUN_OPTIONS" => words(is_node_option),
        "GOFLAGS" => words(is_go_flag),
        "GOWORK" => matches!(value, "off" | "auto"),
        "PYTEST_ADDOPTS" => words(is_pytest_option),
        // A category with a dot is a module that is loaded.
        "PYTHONWARNINGS" => !value.contains('.'),
        "TF_CLI_ARGS" => words(|word| matches!(word, "-no-color" | "-input=false")),
        _ if name.starts_with("TF_CLI_ARGS_") => {
            words(|word| matches!(word, "-no-color" | "-input=false" | "-auto-approve"))
        }
        "LESS" | "MORE" => value
            .bytes()
            .all(|byte| b"-FRXSMNiIJQqEerKw ".contains(&byte)),
        "LESSHISTFILE" => matches!(value, "" | "-" | "/dev/null"),
        "XZ_OPT" | "XZ_DEFAULTS" => words(|word| {
            word.starts_with('-') && word.bytes().all(|b| b"-eT0123456789".contains(&b))
        }),
        _ if name.ends_with("SAN_OPTIONS") => !value.contains("path") && !value.contains("log"),
        _ if name.starts_with("MAVEN_")
            || name.starts_with("GRADLE_")
            || name.ends_with("_OPTS") =>
        {
            words(is_java_option)
        }
        _ if name.starts_with("yarn_") => matches!(value, "true" | "false" | "0" | "1"),
        "IFS" => value.is_empty() || value.chars().all(|c| " \t\n,:;|".contains(c)),
        _ => false,
    }
}

/// A directory below the present one.
fn is_inside(directory: &str) -> bool {
    !directory.starts_with(['/', '~']) && !directory.contains("..")
}

/// A tool of the usual name, of some version and for some machine.
fn is_tool(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let last = name.rsplit(['-', '.']).next().unwrap_or(name);
    !value.contains(|c: char| !c.is_ascii_alphanumeric() && !"-+._".contains(c))
        && matches!(
            last,
            "ar" | "as"
                | "bison"
                | "c++"
                | "cc"
                | "clang"
                | "clang++"
                | "config"
                | "cpp"
                | "flex"
                | "g++"
                | "gcc"
                | "gfortran"
                | "gmake"
                | "ld"
                | "lex"
                | "lld"
                | "m4"
                | "make"
                | "mold"
                | "nm"
                | "objcopy"
                | "ranlib"
                | "gsed"
                | "sed"
                | "strip"
                | "yacc"
        )
}

/// An option of a compiler that neither runs nor loads anything.
fn is_compiler_flag(word: &str) -> bool {
    let plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_=+./,".contains(&byte));
    let family = [
        "-O", "-g", "-W", "-std=", "-D", "-U", "-f", "-m", "-I", "-L", "-l", "-p",
    ];
    plain
        && family.iter().any(|start| word.starts_with(start))
        && !word.contains("plugin")
        && !["-Wa,", "-Wp,", "-fuse-ld", "-fload"]
            .iter()
            .any(|hazard| word.starts_with(hazard))
}

fn is_node_option(word: &str) -> bool {
    let number = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
    word.strip_prefix("--max-old-space-size=")
        .or_else(|| word.strip_prefix("--max_old_space_size="))
        .is_some_and(number)
        || matches!(
            word,
            "--experimental-vm-modules"
                | "--no-warnings"
                | "--trace-warnings"
                | "--no-deprecation"
                | "--enable-source-maps"
        )
}

fn is_go_flag(word: &str) -> bool {
    matches!(word, "-v" | "-race" | "-trimpath")
        || ["-mod=", "-tags=", "-count=", "-buildvcs=", "-p="]
            .iter()
            .any(|start| word.starts_with(start))
}

/// Options but those that load plugins or settings.
fn is_pytest_option(word: &str) -> bool {
    let hazards = ["-p", "-c", "-o", "--p", "--c", "--o", "--r", "--i"];
    let fine = matches!(
        word,
        "--color=yes" | "--color=no" | "--co" | "--collect-only"
    );
    word.starts_with('-') && (fine || !hazards.iter().any(|hazard| word.starts_with(hazard)))
}

fn is_java_option(word: &str) -> bool {
    [
        "-Xm",
        "-Xss",
        "-Dfile.encoding=",
        "-Dorg.gradle.daemon=",
        "-XX:Max",
        "-XX:+Use",
    ]
    .iter()
    .any(|start| word.starts_with(start))
}
