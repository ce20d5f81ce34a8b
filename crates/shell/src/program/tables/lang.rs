//! Interpreters, shells and agents.

use super::super::row::Does::{
    Code, Digits, Flag, Help, Module, Optional, Path, PatternFile, Read, Teeth, TeethOptional,
    TeethValue, Value,
};
use super::super::row::{Check, Operands, Opt, Row, Style, Wrap, o, row, wrapper};

const fn interpreter(names: &'static str, options: &'static [Opt]) -> Row {
    row(names, options, Operands::Interpreter)
        .style(Style::Ordered)
        .check(Check::Interpreter)
}

const fn agent(names: &'static str) -> Row {
    row(names, AGENT, Operands::Shape).check(Check::Agent)
}

const AGENT: &[Opt] = &[o("help version V", Help)];

const LOADS: &str = "loads program text from a file or module";

pub(super) static ROWS: &[Row] = &[
    row("bash sh dash zsh ksh ash mksh rbash rksh lksh pdksh yash posh csh tcsh fish osh", &[], Operands::Shape).check(Check::Shell),
    wrapper("pwsh powershell nu elvish xonsh ion", &[
        o("c command Command EncodedCommand e commands C", TeethValue("hands text to a shell")), o("File f", Path), o("NoProfile NonInteractive NoLogo l i", Flag), o("v version h help Version Help", Help),
    ], Operands::Interpreter, Wrap::No).style(Style::Words).check(Check::Interpreter),
    interpreter("python pypy ipython python2 bpython ptpython micropython", &[
        o("c", Code), o("m", Module), o("W X", Value), o("i", Teeth("reads program text from standard input when it ends")), o("b B d E I O q s S u v x P R t", Flag), o("check-hash-based-pycs", Value), o("V h help version", Help),
    ]),
    interpreter("node nodejs yarn/node", &[
        o("e eval p print pe", Code), o("r require import loader experimental-loader", TeethValue(LOADS)), o("C conditions env-file-if-exists input-type stack-trace-limit title icu-data-dir diagnostic-dir redirect-warnings test-name-pattern test-reporter test-reporter-destination test-concurrency watch-path max-old-space-size es-module-specifier-resolution unhandled-rejections dns-result-order disable-warning max-http-header-size", Value),
        o("env-file", Read), o("c check watch no-warnings enable-source-maps experimental-strip-types experimental-vm-modules prof trace-warnings i interactive inspect inspect-brk expose-gc experimental-test-coverage test-only", Flag), o("experimental-config-file experimental-default-config-file openssl-config", TeethOptional("reads settings from a file")), o("build-snapshot-config", Read), o("run", Value), o("test v version h help v8-options", Help),
    ]),
    interpreter("perl", &[
        o("e E", Code), o("M m", TeethOptional(LOADS)), o("I", Path), o("F i x V", Optional), o("0 C l", Digits), o("D", Teeth("changes how the program is run")), o("a c f n p s S t T u U w W X", Flag), o("d", TeethOptional(LOADS)), o("v h", Help),
    ]),
    interpreter("ruby jruby rbx", &[
        o("e", Code), o("r require", TeethValue(LOADS)), o("I C", Path), o("F i x", Optional), o("0 K T W", Digits), o("E encoding external-encoding internal-encoding", Value), o("a c d l n p s S U w y disable enable jit yjit verbose", Flag), o("v h help version copyright", Help),
    ]),
    interpreter("php", &[
        o("r B R E run process-code process-begin process-end", Code), o("d define", TeethValue("changes settings, which can load program text")), o("c php-ini", Path), o("z zend-extension", TeethValue("loads a library")), o("f file F process-file", PatternFile), o("S server t docroot", Value), o("a interactive", Teeth("reads program text from standard input")), o("C e H l n q s w no-php-ini syntax-check strip syntax-highlight", Flag), o("i info m modules v version h help ini rf rc re", Help),
    ]),
    interpreter("lua luajit luau texlua", &[o("e", Code), o("l", TeethValue(LOADS)), o("j b", Value), o("i", Teeth("reads program text from standard input")), o("E W", Flag), o("v", Help)]),
    interpreter("Rscript R r littler", &[
        o("e", Code), o("f file", PatternFile), o("args", Flag), o("g gui d debugger", Value), o("default-packages encoding", Value), o("q quiet s slave silent vanilla no-save save no-restore no-environ no-site-file no-init-file verbose no-echo", Flag), o("version help", Help),
    ]).style(Style::Words),
    interpreter("osascript", &[o("e", Code), o("l s", Value), o("i", Teeth("reads program text from standard input"))]),
    interpreter("tclsh wish expectk", &[o("encoding", Value)]),
    interpreter("julia", &[
        o("e eval E print", Code), o("L load", TeethValue(LOADS)), o("J sysimage", Path), o("t threads C cpu-target p procs g", Value), o("project O color startup-file compiled-modules check-bounds inline", Optional), o("i q", Flag), o("v version h help", Help),
    ]),
    interpreter("guile racket scheme chez mit-scheme gosh csi sbcl clisp ecl ccl", &[
        o("c e eval", Code), o("l load s f script", PatternFile), o("q no-init non-interactive noinform disable-debugger no-sysinit no-userinit quit", Flag), o("version v help h", Help),
    ]),
    interpreter("clojure clj bb", &[o("e eval M X A T", TeethValue("runs program text")), o("m main", Module), o("cp Sdeps i init", Path), o("version help h", Help)]),
    interpreter("elixir iex erl escript", &[o("e eval rpc-eval run noshell s", Code), o("r require pr", TeethValue(LOADS)), o("pa pz name sname cookie S", Value), o("version help v h", Help)]).style(Style::Words),
    interpreter("groovy scala kotlin kotlinc jshell ocaml ghci runghc runhaskell swipl gforth nim dart raku perl6 janet fennel awkjs qjs d8 jsc coffee ts-node tsx esno bun-run vite-node", &[
        o("e eval execute p print", Code), o("cp classpath I l", Path), o("P project O compilerOptions tsconfig", Path), o("T transpile-only s m watch", Flag), o("v version h help", Help),
    ]),
    row("deno", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("deno/eval", &[], Operands::Nothing).check(Check::Evaluates),
    row("crystal", &[o("v version h help", Help)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("deno/run deno/test deno/serve deno/bench deno/install", &[o("A q r allow-all quiet reload watch no-check no-lock cached-only unstable", Flag), o("allow-read allow-write allow-net allow-env allow-run allow-ffi allow-sys deny-read deny-write R W N E", Optional), o("c config import-map cert lock env-file", Path), o("preload import", TeethValue(LOADS))], Operands::Shape).style(Style::Ordered).check(Check::Fetches),
    row("bun", &[
        o("e eval p print", Code), o("r preload require import", TeethValue(LOADS)), o("c config env-file cwd", Path), o("b bun watch hot smol silent", Flag), o("v version h help revision", Help), o("filter elide-lines conditions d define", Value),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("java", &[
        o("jar cp classpath class-path p module-path", Path), o("m module", Value), o("javaagent agentlib agentpath XX:OnOutOfMemoryError XX:OnError", TeethOptional("loads code or runs a command")), o("version help h showversion", Flag),
    ], Operands::Shape).style(Style::Words).check(Check::Compiler),
    row("javac", &[o("d s h cp classpath class-path p module-path processorpath processor-path sourcepath source-path", Path), o("processor", TeethValue("runs an annotation processor")), o("source target release encoding J", Value)], Operands::Shape).style(Style::Words).check(Check::Compiler),
    // Agents.
    row("pi", &[o("no-extensions ne", Flag), o("e extension", TeethValue(LOADS)), o("p print c continue r resume mode provider model", Flag), o("help h version v", Help)], Operands::Shape).style(Style::Words).check(Check::Pi),
    agent("claude claude-code codex codex-cli gemini gemini-cli opencode-ai opencode aider cursor-agent goose amp crush qwen droid auggie kiro-cli llm mods sgpt open-interpreter plandex kimi grok copilot cline swe-agent mini-swe-agent openhands omp"),
];
