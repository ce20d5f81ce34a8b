//! Programs that write a file and then run it: what is in it was not judged.

use std::collections::HashSet;
use std::iter;

use super::builtins::{INTERPRETERS, SHELLS};
use crate::analysis::{
    Analysis, Certainty, Direction, Floor, FloorCause, PathRole, PathUse, UnitKind,
};

/// Puts a floor on every unit that runs a file which may be one that the same
/// program writes. Files are compared by their last part alone: a link or
/// another directory must not hide that they are the same.
pub(super) fn floors(analysis: &mut Analysis) {
    moved_hooks(analysis);
    let mut written: HashSet<&str> = HashSet::new();
    let mut paths: Vec<&PathUse> = Vec::new();
    let mut anything = false;
    for path in &analysis.paths {
        // An unproven direction alone is no sign of writing, except for the
        // programs that put files somewhere.
        let writes = path.direction == Direction::Write
            || path.direction == Direction::Both && places(analysis, path);
        if !writes || path.text == "/dev/null" {
            continue;
        }
        match path.certainty {
            Certainty::Literal => {
                written.insert(last(&path.text));
                paths.push(path);
            }
            Certainty::Glob | Certainty::Computed => anything = true,
        }
    }
    if written.is_empty() && !anything {
        return;
    }
    let mut found = Vec::new();
    for path in &analysis.paths {
        if runs(analysis, path) && (anything || written.contains(last(&path.text))) {
            found.push((path.unit, path.span, path.text.clone()));
        }
    }
    for (unit, file) in untold(analysis, &paths) {
        let span = analysis.units.get(unit).map(|unit| unit.span);
        found.push((Some(unit), span.unwrap_or_default(), file));
    }
    for (unit, span, text) in found {
        let Some(unit) = unit.and_then(|i| analysis.units.get_mut(i)) else {
            continue;
        };
        let floor = Floor {
            cause: FloorCause::OpaqueWrapper,
            span,
            note: format!("runs `{text}`, which this program may have written"),
        };
        if !unit.floors.contains(&floor) {
            unit.floors.push(floor);
        }
    }
}

/// Hooks of a directory that the same program makes git look in.
fn moved_hooks(analysis: &mut Analysis) {
    let moves = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.split_once("core.hookspath").is_some_and(|(_, to)| {
            let to = to.trim_matches([' ', '=', '\'', '"']).trim_end_matches('/');
            program(&text) == "git"
                && !matches!(
                    to,
                    "" | "/dev/null" | ".husky" | ".husky/_" | ".githooks" | ".git/hooks"
                )
        })
    };
    let Some(at) = analysis.units.iter().position(|unit| moves(&unit.text)) else {
        return;
    };
    for unit in analysis.units.iter_mut().skip(at + 1) {
        if program(&unit.text) == "git" {
            unit.floors.push(Floor {
                cause: FloorCause::OpaqueWrapper,
                span: unit.span,
                note: "may run hooks from another directory".to_owned(),
            });
        }
    }
}

fn last(text: &str) -> &str {
    text.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(text)
}

/// Other programs that run what is in a file they are given.
const RUNNERS: &str = "source . make gmake m4 dc gnuplot expect tsx ts-node deno bun osascript \
    tclsh wish Rscript julia lua luajit guile racket sbcl elixir escript groovy scala kotlin swift \
    octave runghc runhaskell ocaml swipl nim crystal dart raku janet just task rake ansible-playbook";

/// Programs that run files whose names they are not told: which, and the names
/// of the files. `*` stands for any start, or any end, of a name.
const UNTOLD: &[(&str, &str)] = &[
    (
        "make gmake bmake remake mingw32-make",
        "Makefile makefile GNUmakefile *.mk *.mak Makefile.*",
    ),
    ("just", "justfile Justfile .justfile *.just"),
    ("task", "Taskfile.* taskfile.*"),
    ("rake", "Rakefile rakefile Rakefile.rb *.rake"),
    ("direnv", ".envrc"),
    (
        "npm pnpm yarn bun npx bunx pnpx corepack node lerna nx turbo rush",
        "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml \
         nx.json turbo.json lerna.json project.json package-lock.json yarn.lock pnpm-lock.yaml",
    ),
    (
        "npm pnpm yarn bun npx bunx pnpx jest vitest eslint prettier webpack rollup vite babel tsc \
         mocha ava playwright cypress next nuxt astro svelte-kit gulp grunt stylelint lint-staged \
         commitlint semantic-release karma nyc ts-node tsx storybook nx turbo",
        "*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts .eslintrc* \
         .babelrc* .mocharc* .prettierrc* .stylelintrc* .lintstagedrc* Gruntfile* Gulpfile* \
         gulpfile* babel.config.json",
    ),
    (
        "cargo",
        "Cargo.toml Cargo.lock build.rs config.toml rust-toolchain rust-toolchain.toml",
    ),
    (
        "pytest py.test tox nox pip pip3 uv poetry pdm hatch rye pipenv python python3 twine build",
        "conftest.py setup.py setup.cfg pyproject.toml pytest.ini tox.ini noxfile.py \
         sitecustomize.py usercustomize.py *.pth requirements*.txt uv.toml Pipfile pip.conf",
    ),
    ("go", "go.mod go.work main.go"),
    (
        "bundle bundler rake rspec gem rails ruby",
        "Gemfile gems.rb *.gemspec Rakefile .rspec spec_helper.rb .irbrc",
    ),
    (
        "cmake ctest cpack",
        "CMakeLists.txt *.cmake CMakePresets.json CMakeUserPresets.json",
    ),
    ("meson ninja samu", "meson.build build.ninja"),
    ("gradle gradlew", "*.gradle *.gradle.kts gradle.properties"),
    ("mvn mvnw", "pom.xml maven.config jvm.config extensions.xml"),
    ("ant", "build.xml"),
    ("sbt mill", "*.sbt build.sc"),
    (
        "docker podman docker-compose podman-compose buildah nerdctl skaffold tilt",
        "Dockerfile Dockerfile.* *.Dockerfile Containerfile docker-compose* compose.y* Tiltfile",
    ),
    (
        "pre-commit lefthook",
        ".pre-commit-config.yaml lefthook.y* .lefthook.y*",
    ),
    (
        "bazel bazelisk buck buck2 pants",
        "BUILD BUILD.bazel WORKSPACE *.bzl MODULE.bazel .bazelrc BUCK",
    ),
    (
        "mix iex elixir",
        "mix.exs .iex.exs .formatter.exs config.exs",
    ),
    ("zig", "build.zig"),
    ("swift xcodebuild", "Package.swift"),
    (
        "dotnet msbuild nuget",
        "*.csproj *.fsproj *.targets *.props *.sln NuGet.Config nuget.config global.json",
    ),
    (
        "composer php phpunit artisan",
        "composer.json phpunit.xml* php.ini artisan",
    ),
    ("deno", "deno.json deno.jsonc import_map.json"),
    ("terraform tofu terragrunt", "*.tf *.tf.json terragrunt.hcl"),
    ("ansible ansible-playbook", "ansible.cfg"),
    ("vagrant", "Vagrantfile"),
    ("scons", "SConstruct"),
    ("waf", "wscript"),
    ("fab invoke inv", "fabfile.py tasks.py"),
    (
        "foreman honcho overmind hivemind heroku goreman",
        "Procfile Procfile.*",
    ),
    ("lein clj clojure bb", "project.clj deps.edn bb.edn"),
    ("perl cpanm prove", "Makefile.PL Build.PL"),
    (
        "vim nvim vi ex",
        ".vimrc .exrc .nvimrc .nvim.lua init.vim init.lua",
    ),
    ("emacs", ".emacs init.el .dir-locals.el"),
    ("gdb lldb", ".gdbinit .lldbinit"),
    ("tmux", ".tmux.conf tmux.conf"),
    ("screen", ".screenrc"),
    (
        "bash sh zsh fish ksh",
        ".bashrc .bash_profile .profile .zshrc .zshenv .bash_logout config.fish",
    ),
    ("ssh scp sftp rsync git", "ssh_config .ssh/config"),
    ("hg", "hgrc .hgrc"),
    ("nix nix-shell nix-build", "flake.nix shell.nix default.nix"),
    ("mise asdf rtx", ".mise.toml mise.toml .tool-versions"),
    ("snakemake", "Snakefile"),
    ("jupyter", "*.ipynb"),
    ("latexmk", ".latexmkrc latexmkrc"),
    ("guard", "Guardfile"),
    ("cap", "Capfile"),
    ("pod", "Podfile"),
    ("fastlane", "Fastfile"),
    ("earthly", "Earthfile"),
];

/// Sources that a program of the same project builds and runs. Only writing one
/// whole counts: an edit of the project's own code is no new program.
const SOURCES: &[(&str, &str)] = &[
    ("cargo", "*.rs"),
    ("go", "*.go"),
    ("pytest py.test", "test_*.py *_test.py"),
];

/// Whether a name is one of those in a list.
fn listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| {
        if let Some(end) = known.strip_prefix('*') {
            match end.strip_suffix('*') {
                Some(inner) => name.contains(inner),
                None => name.len() > end.len() && name.ends_with(end),
            }
        } else if let Some((start, end)) = known.split_once('*') {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        } else {
            known == name
        }
    })
}

fn text(analysis: &Analysis, unit: Option<usize>) -> &str {
    unit.and_then(|i| analysis.units.get(i))
        .map_or("", |unit| unit.text.as_str())
}

/// The base name of the command in a text.
fn program(text: &str) -> &str {
    last(text.split([' ', '\t']).next().unwrap_or(""))
}

/// The base name of the command that uses a path.
fn command<'a>(analysis: &'a Analysis, path: &PathUse) -> &'a str {
    program(text(analysis, path.unit))
}

/// The units that run a written file without naming it: hooks and settings of
/// `git`, the usual files of build tools.
fn untold(analysis: &Analysis, paths: &[&PathUse]) -> Vec<(usize, String)> {
    let hook = |path: &&&PathUse| {
        let inside = |directory: &str| path.text.split('/').any(|part| part == directory);
        inside("hooks")
            || inside(".husky")
            || inside(".githooks")
            || [".git/config", ".gitconfig", ".config/git/config"]
                .iter()
                .any(|end| path.text.ends_with(end))
    };
    let moved = analysis
        .units
        .iter()
        .any(|unit| unit.text.to_ascii_lowercase().contains("core.hookspath"));
    let hook = paths.iter().find(hook).or(paths.first().filter(|_| moved));
    // In a straight line only what stands before can have been written.
    let straight = analysis
        .units
        .iter()
        .all(|unit| unit.kind == UnitKind::Command && unit.context.is_none());
    let mut found = Vec::new();
    for (at, unit) in analysis.units.iter().enumerate() {
        let texts = iter::once(&unit.text).chain(unit.spellings.iter().map(|other| &other.text));
        let mut programs: Vec<&str> = texts.map(|text| program(text)).collect();
        programs.dedup();
        if let Some(hook) = hook.filter(|_| programs.contains(&"git")) {
            found.push((at, hook.text.clone()));
        }
        let file = |table: &[(&str, &str)], whole: bool| {
            table
                .iter()
                .filter(|(runners, _)| programs.iter().any(|program| listed(runners, program)))
                .find_map(|(_, files)| {
                    paths.iter().find(|path| {
                        listed(files, last(&path.text))
                            && !(whole && command(analysis, path) == "sed")
                            && !(straight && path.span.start > unit.span.start)
                            && path.unit != Some(at)
                    })
                })
        };
        if let Some(file) = file(UNTOLD, false).or_else(|| file(SOURCES, true)) {
            found.push((at, file.text.clone()));
        }
    }
    found
}

fn places(analysis: &Analysis, path: &PathUse) -> bool {
    matches!(
        command(analysis, path),
        "cp" | "mv" | "ln" | "install" | "tee" | "dd" | "rsync" | "sed" | "patch" | "curl" | "wget"
    )
}

/// Whether the use of a path runs what is in it.
fn runs(analysis: &Analysis, path: &PathUse) -> bool {
    if matches!(path.role, PathRole::Program | PathRole::Script) {
        return true;
    }
    let command = command(analysis, path);
    // `python3.12` is Python.
    let plain = command.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interpreted = [command, plain].iter().any(|name| {
        SHELLS.contains(name)
            || INTERPRETERS.contains(name)
            || RUNNERS
                .split_ascii_whitespace()
                .any(|runner| runner == *name)
    }) || text(analysis, path.unit).starts_with("go run ");
    interpreted && path.direction != Direction::Write
}
