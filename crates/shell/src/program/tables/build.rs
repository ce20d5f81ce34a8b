//! Compilers, build tools and package managers.

use super::super::row::Does::{
    Directory, Flag, Help, Maybe, Optional, Path, Read, Script, Setting, Teeth, TeethOptional,
    TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, Wrap, o, row, wrapper};

const LOADS: &str = "loads code into the program";

pub(super) static ROWS: &[Row] = &[
    row("make gmake bmake mingw32-make remake", &[
        o("f file makefile", Read), o("C directory", Directory), o("I include-dir", Path), o("o old-file assume-old W what-if new-file assume-new", Value), o("eval E", TeethValue("runs program text")),
        o("j jobs l load-average max-load O output-sync debug", Optional), o("B b d e i k L m n p q R r S s t w no-print-directory always-make keep-going dry-run just-print silent quiet question touch trace ignore-errors", Flag), o("v version h help", Help),
    ], Operands::Nothing).check(Check::Make).guarded(),
    row("task rake mage ninja samu scons waf bazel bazelisk buck buck2 pants gradle gradlew mvn mvnw ant sbt mill lein", &[
        o("f justfile file taskfile Rakefile b build-file s settings c", Path), o("C d working-directory dir directory", Directory), o("e execute eval init-script I", TeethValue("runs program text")), o("shell", Script),
    ], Operands::Shape),
    row("cmake", &[
        o("S B", Path), o("C", TeethValue("runs a script")), o("P", Read), o("D U G T A t target config j parallel preset", Value), o("build install open", Path), o("trace-redirect graphviz", Write), o("help version", Help),
    ], Operands::Shape).check(Check::Cmake),
    row("gcc cc c++ g++ clang clang++ cpp c89 c99 tcc icc zigcc gfortran", &[
        o("o", Write), o("I L isystem idirafter iquote include imacros isysroot sysroot F", Path), o("B", TeethValue("changes which programs it runs")), o("wrapper", TeethValue("runs another program")), o("fplugin fplugin-arg specs load-pass-plugin fpass-plugin load", TeethOptional(LOADS)), o("Xclang Xlinker Xassembler Xpreprocessor x D U l std march mtune target e u z T G", Value), o("MF dumpbase dumpdir serialize-diagnostics", Write), o("MT MQ", Value), o("fuse-ld ld-path", TeethOptional("changes the linker it runs")), o("c S E g O v w Wall Wextra pedantic M MM MD MMD MP MG pipe s static shared", Flag), o("version help", Help), o("Wl,-plugin", TeethOptional(LOADS)),
    ], Operands::Shape).style(Style::Words).check(Check::Compiler),
    row("ld gold lld mold ld.bfd ld.gold ld.lld", &[o("o Map", Write), o("L T rpath dynamic-linker", Path), o("plugin", TeethValue(LOADS)), o("l e m z", Value)], Operands::Shape).style(Style::Words).check(Check::Compiler),
    row("as nasm yasm", &[o("o l MF", Write), o("I i", Path), o("f D p", Value)], Operands::Shape).style(Style::Words),
    row("ar ranlib llvm-ar gcc-ar", &[o("plugin", TeethValue(LOADS))], Operands::Shape).check(Check::Archive),
    row("strip objcopy", &[o("o output-file", Write), o("K N R j", Value)], Operands::Files),
    row("rustc", &[
        o("o emit", Path), o("out-dir", Path), o("C codegen Z", Setting), o("L extern sysroot", Path), o("crate-name crate-type edition target cfg check-cfg l print explain A W D F cap-lints color error-format", Value), o("g O v test", Flag), o("V version h help", Help),
    ], Operands::Shape).check(Check::Settings).guarded(),
    row("cargo", &[
        o("config", Setting), o("C", Directory), o("Z color", Value), o("v verbose q quiet offline locked frozen list", Flag), o("V version h help", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Cargo),
    row("cargo/build cargo/run cargo/test cargo/check cargo/bench cargo/doc cargo/clippy cargo/install cargo/rustc cargo/fix cargo/add cargo/b cargo/r cargo/t cargo/c cargo/fmt cargo/clean cargo/update cargo/publish cargo/package cargo/vendor cargo/metadata cargo/tree cargo/new cargo/init cargo/nextest", &[
        o("config", Setting), o("manifest-path lockfile-path", Path), o("target-dir artifact-dir root", Path), o("path", Path), o("p package F features j jobs target profile bin example bench color Z message-format exclude e edges depth format-version git branch tag rev index registry version", Value), o("r release v verbose q quiet workspace all all-features no-default-features locked offline frozen lib bins tests all-targets D dev no-deps d i", Flag), o("test", Optional), o("h help", Help),
    ], Operands::Nothing).style(Style::Ordered).check(Check::Cargo),
    row("go", &[o("C", Directory)], Operands::Nothing).style(Style::Ordered).check(Check::Subcommands),
    row("go/build go/run go/test go/vet go/install go/get go/generate go/list go/clean go/fix go/tool", &[
        o("o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir", Write), o("exec toolexec vettool", Script), o("C", Directory), o("overlay modfile pgo pkgdir", Path), o("run bench count timeout tags p mod covermode coverpkg cpu parallel benchtime skip fuzz fuzztime f", Value), o("v x a n race cover json short work m u failfast i benchmem", Flag), o("ldflags gcflags asmflags gccgoflags compiler", Setting),
    ], Operands::Shape).style(Style::Words).check(Check::Go),
    row("go/env", &[o("w", Teeth("changes settings that decide what is run later")), o("u json", Flag)], Operands::Nothing).style(Style::Words),
    row("npm", &[
        o("prefix C", Directory), o("script-shell shell", Script), o("userconfig globalconfig cache", Path), o("w workspace registry loglevel tag otp", Value), o("s silent q quiet d ws workspaces if-present g global", Flag), o("node-options", TeethValue("gives Node.js options")), o("git editor viewer browser", Script), o("v version h help", Help),
    ], Operands::Nothing).check(Check::Subcommands),
    row("npm/install npm/i npm/ci npm/add npm/run npm/run-script npm/test npm/t npm/start npm/publish npm/pack npm/link npm/uninstall npm/update npm/version npm/audit npm/ls npm/view npm/outdated npm/init npm/create npm/innit npm/rum npm/urn npm/pkg npm/set-script", &[
        o("script-shell shell", Script), o("prefix C", Directory), o("pack-destination cache userconfig", Path), o("node-options", TeethValue("gives Node.js options")), o("git editor viewer browser", Script), o("w workspace registry tag otp access omit include depth message m loglevel", Value), o("D S E O g save-dev save production silent s json force f no-save save-exact legacy-peer-deps ignore-scripts if-present dry-run", Flag),
    ], Operands::Shape).check(Check::Scripts),
    row("pnpm/run pnpm/create yarn/run yarn/create bun/run bun/create yarn/workspaces/run", &[
        o("C dir cwd prefix", Directory), o("script-shell shell", Script), o("F filter", Value), o("T B s silent if-present parallel", Flag),
    ], Operands::Shape).style(Style::Ordered).check(Check::Scripts),
    row("yarn/workspaces", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("yarn/workspaces/foreach", &[
        o("j jobs from include exclude", Value), o("since", Optional), o("A all R recursive W worktree v verbose p parallel i interlaced t topological topological-dev no-private n dry-run", Flag),
    ], Operands::Nothing).style(Style::Ordered).check(Check::Workspace),
    row("yarn/workspace", &[], Operands::Nothing).style(Style::Ordered).check(Check::Workspace),
    wrapper("bun/exec", &[], Operands::Line { skip: 0 }, Wrap::Strict),
    row("npm/config npm/set npm/c pnpm/config yarn/config", &[o("location L", Value), o("g global json", Flag)], Operands::Nothing).check(Check::Package),
    row("npm/explore", &[], Operands::Nothing).check(Check::Evaluates),
    row("pnpm yarn", &[
        o("C dir cwd prefix", Directory), o("script-shell shell", Script), o("F filter", Value), o("r recursive s silent", Flag), o("v version h help", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("uv", &[o("directory project", Directory), o("config-file cache-dir", Path), o("color python p", Value), o("q quiet v verbose offline no-cache n", Flag), o("V version h help", Help)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("uv/tool", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("poetry bundle bundler", &[o("C directory project P gemfile", Directory), o("v q quiet no-interaction n", Flag), o("V version h help", Help)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("pip pip3", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("pip/install pip/download pip/wheel", &[
        o("r requirement c constraint", Read), o("t target prefix root src d dest download w wheel-dir log cache-dir report", Path), o("e editable f find-links", Path), o("i index-url extra-index-url platform python-version implementation abi no-binary only-binary progress-bar upgrade-strategy timeout retries trusted-host", Value), o("config-settings global-option install-option C", Value), o("U upgrade user q v quiet pre no-deps force-reinstall I ignore-installed break-system-packages no-cache-dir disable-pip-version-check no-build-isolation dry-run", Flag), o("h help", Help), o("python", Script),
    ], Operands::Shape),
    row("gem", &[], Operands::Shape),
    row("composer", &[o("d working-dir", Directory)], Operands::Shape),
    row("dotnet nuget msbuild", &[o("o output", Path), o("f r c v framework runtime configuration verbosity logger", Value)], Operands::Shape),
    row("tsc esbuild rollup webpack vite swc", &[o("outDir outFile outfile outdir d o declarationDir output-path", Path), o("p project c config", Path)], Operands::Shape).style(Style::Words),
    row("protoc", &[o("I proto_path descriptor_set_out o", Path), o("plugin", TeethOptional("runs a plugin")), o("dependency_out", Write)], Operands::Shape).check(Check::Compiler),
    row("bison yacc flex lex", &[o("o output header-file defines", Write), o("p b P", Value), o("S skeleton", Read)], Operands::Shape),
    row("cppcheck clang-tidy clang-format", &[o("export-fixes output-file", Write), o("load", TeethOptional(LOADS)), o("addon", TeethOptional("runs another program"))], Operands::Shape),
    row("prettier eslint stylelint biome ruff black isort gofmt rustfmt mypy flake8 pylint", &[o("c config rulesdir resolve-plugins-relative-to ignore-path cache-location", Path), o("o output-file log-file", Write), o("plugin", Path), o("cpuprofile", Write)], Operands::Shape),
    row("pytest py.test", &[
        o("c rootdir basetemp confcutdir junitxml junit-xml log-file", Path), o("p", Value), o("k m n x maxfail tb W o r cov-report durations color", Maybe), o("q s v l lf ff sw exitfirst", Flag), o("pdbcls", TeethValue("loads a debugger")),
    ], Operands::Shape),
    row("terraform tofu", &[o("chdir", Directory), o("out state state-out backup", Path), o("var-file", Read), o("var target", Value), o("plugin-dir", Path)], Operands::Shape).style(Style::Words),
    row("helm", &[o("post-renderer", Script), o("f values", Read), o("output-dir", Path), o("n namespace set version repo kube-context", Value)], Operands::Shape),
    row("ansible-playbook", &[o("i inventory", Path), o("e extra-vars m a args u user l limit t tags", Value), o("ssh-common-args ssh-extra-args", TeethValue("gives `ssh` options")), o("M module-path", Path)], Operands::Shape),
    row("brew apt apt-get dpkg yum dnf pacman zypper apk", &[o("o option c config-file hooks-dir pre-invoke post-invoke", TeethValue("changes settings, which can run programs")), o("y q yes quiet f", Flag), o("root installroot R r prefix", Path)], Operands::Shape),
    row("nix", &[o("expr E", TeethValue("runs program text")), o("f file o out-link I", Path), o("c command", TeethValue("runs a command")), o("extra-experimental-features", Value)], Operands::Shape),
];
