//! Knowledge of single programs that does not fit a table.

mod build;
mod files;
mod media;
mod packages;
mod runs;
mod text;

use super::row::{Check, Does};
use super::walk::Walk;
use super::{PathText, git, name};
use crate::{Direction, FloorCause};

/// Runs the row's check.
pub(super) fn run(walk: &mut Walk<'_, '_>) {
    match walk.row.check {
        Check::No | Check::Subcommands | Check::Launcher | Check::BareShell | Check::BareStdin => {}
        Check::Sed => text::check_sed(walk),
        Check::Awk => text::check_awk(walk),
        Check::Find | Check::Fd => runs::check_find(walk),
        Check::Git => git::check(walk),
        Check::Shell => runs::check_shell(walk),
        Check::Interpreter => runs::check_interpreter(walk),
        Check::Tar => files::check_tar(walk),
        Check::Xargs | Check::Privileged | Check::Environment => runs::check_split(walk),
        Check::Flock => runs::check_flock(walk),
        Check::Volumes => files::check_volumes(walk),
        Check::Sums => {
            if walk.named("c") || walk.named("check") {
                let note = "the list names the files to read".to_owned();
                walk.facts.computed_paths.push((Direction::Read, note));
            }
        }
        Check::Patch => {
            if walk.operands.is_empty() || walk.operands.len() == 2 {
                path_text(walk, 0, ".".to_owned(), Direction::Write);
            }
        }
        Check::Unpack => files::check_unpack(walk),
        Check::StdinCommands => {
            if !walk.has(|does| does == Does::Help) {
                walk.teeth("runs commands it reads from standard input");
            }
        }
        Check::Pandoc => text::check_pandoc(walk),
        Check::Beside => {
            if !walk.named("c") && !walk.named("stdout") && !walk.named("l") && !walk.named("t") {
                for index in walk.operands.clone() {
                    if walk.value(index) != Some("-") {
                        walk.file((index, 0), Direction::Both);
                    }
                }
            }
        }
        Check::Evaluates => walk.teeth("runs program text given on the command line"),
        Check::Fetches => packages::check_fetches(walk),
        Check::Go => {
            build::check_settings(walk);
            if name::base(walk.text(0)) == "run" {
                packages::check_fetches(walk);
            }
        }
        Check::Scripts => packages::check_scripts(walk),
        Check::Workspace => packages::check_workspace(walk),
        Check::Pictures => media::check_pictures(walk),
        Check::Ghostscript => media::check_ghostscript(walk),
        Check::Film => media::check_film(walk),
        Check::Tex => media::check_tex(walk),
        Check::Openssl => media::check_openssl(walk),
        Check::Yq => media::check_yq(walk),
        Check::Redis => media::check_redis(walk),
        Check::Pi => {
            if walk.named("no-extensions") || walk.named("ne") {
                let note = "starts an agent that is not guarded".to_owned();
                walk.facts.floors.push((FloorCause::UnguardedChild, note));
            }
        }
        Check::Silent => {
            // It opens none of its operands, whatever they turn out to be.
            for index in walk.operands.clone() {
                let source = walk.args.get(index).map_or("", |arg| arg.source);
                let home = matches!(source.trim_matches('"'), "$HOME" | "${HOME}" | "$PWD");
                if walk.value(index).is_none() || home {
                    walk.no_path(index);
                }
            }
        }
        Check::GitDestroys => {
            git::check(walk);
            let word = |word: &str| {
                walk.operands
                    .iter()
                    .any(|index| walk.value(*index) == Some(word))
            };
            let name = name::base(walk.text(0)).to_owned();
            let destroys = match name.as_str() {
                "update-ref" => walk.named("d") || walk.named("stdin"),
                "reflog" => word("expire") || word("delete"),
                _ => walk.named("prune") || name == "prune",
            };
            if destroys {
                walk.teeth("destroys history that cannot be restored");
            }
        }
        Check::Runs if walk.has(|does| does == Does::Help) => {}
        Check::Runs => walk.teeth("runs, loads or serves what it is given"),
        Check::Systemctl => word_check(
            walk,
            "edit link set-environment import-environment set-property revert",
            "changes what runs later",
        ),
        Check::Launchctl => word_check(
            walk,
            "load bootstrap submit setenv config asuser bsexec",
            "changes what runs later",
        ),
        Check::Sysctl => {
            if walk
                .operands
                .iter()
                .any(|index| walk.text(*index).contains('='))
            {
                walk.teeth("changes how the kernel works");
            }
        }
        Check::GitPager => {
            git::check(walk);
            let bare = |name: &str| {
                walk.options
                    .iter()
                    .any(|taken| taken.name == name && taken.value.is_none())
            };
            if bare("O") || bare("open-files-in-pager") {
                walk.teeth("opens the files in the pager");
            }
        }
        Check::GitClone => {
            git::check(walk);
            git::destination(walk);
        }
        Check::GitWorktree => {
            let operands = walk.operands.clone();
            if operands.first().and_then(|index| walk.value(*index)) != Some("list") {
                for index in operands.into_iter().skip(1).take(1) {
                    walk.file((index, 0), Direction::Both);
                }
            }
        }
        Check::Mail => walk.teeth("can run commands it reads from standard input"),
        Check::Zip => files::check_zip(walk),
        Check::SevenZip => files::check_seven_zip(walk),
        Check::Rename => {
            let inert = walk
                .operands
                .first()
                .and_then(|index| walk.value(*index))
                .is_some_and(super::code::is_plain_perl);
            if !inert {
                walk.teeth("renames by an expression that can run anything");
            }
            for index in walk.operands.clone().into_iter().skip(1) {
                walk.file((index, 0), Direction::Both);
            }
        }
        Check::Opens => {
            let runs = walk.operands.iter().any(|index| {
                let text = walk.text(*index);
                walk.value(*index).is_none() || text.contains("://") && !text.starts_with("http")
            });
            if runs {
                walk.teeth("starts a program that depends on what it is given");
            }
        }
        Check::Remove => {
            let name = name::base(walk.text(0));
            if matches!(name, "rimraf" | "del" | "del-cli") {
                walk.teeth("deletes whole trees");
            }
        }
        Check::Debugger => runs::check_debugger(walk),
        Check::Feeds => runs::check_feeds(walk),
        Check::Remote => runs::check_remote(walk),
        Check::CargoWatch => build::check_cargo_watch(walk),
        Check::Rsync => files::check_rsync(walk),
        Check::Cmake => build::check_cmake(walk),
        Check::Archive => {
            for index in walk.operands.clone() {
                walk.file((index, 0), Direction::Both);
            }
        }
        Check::Cargo => build::check_cargo(walk),
        Check::Settings => build::check_settings(walk),
        Check::Package => build::check_package(walk),
        Check::Ssh => runs::check_ssh(walk),
        Check::RemoteName => files::check_remote_name(walk),
        Check::Make => build::check_make(walk),
        Check::Copy => files::check_copy(walk),
        Check::Database => text::check_database(walk),
        Check::Agent if walk.has(|does| does == Does::Help) => {}
        Check::Agent => {
            let note = "starts an agent that is not guarded".to_owned();
            walk.facts.floors.push((FloorCause::UnguardedChild, note));
        }
        Check::Editor => text::check_editor(walk),
        Check::Compiler => files::check_compiler(walk),
        Check::Dd => files::check_dd(walk),
        Check::Socat => runs::check_socat(walk),
        Check::Schedule => runs::check_schedule(walk),
        Check::Multicall => runs::check_multicall(walk),
        Check::Multiplexer => runs::check_multiplexer(walk),
    }
}

/// Adds a path that stands inside a word.
pub(super) fn path_text(walk: &mut Walk<'_, '_>, arg: usize, text: String, direction: Direction) {
    walk.facts.texts.push(PathText {
        arg,
        text,
        direction,
    });
}

/// A floor when the first operand is one of `words`, or is not known.
fn word_check(walk: &mut Walk<'_, '_>, words: &str, note: &str) {
    let Some(first) = walk.operands.first().copied() else {
        return;
    };
    let named = walk
        .value(first)
        .is_none_or(|word| words.split(' ').any(|listed| listed == word));
    if named {
        walk.teeth(note);
    }
}
