//! Programs that run another command given to them.

use super::super::row::Does::{
    Directory, Flag, Help, Optional, Path, Payload, Read, Refuse, RefuseDirectory, RefuseSplit,
    RefuseValue, Script, Setting, Teeth, TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, Wrap, o, row, wrapper};

const fn command(skip: u8) -> Operands {
    Operands::Command {
        skip,
        assigns: false,
    }
}

const ASSIGNS: Operands = Operands::Command {
    skip: 0,
    assigns: true,
};

const USER: Wrap = Wrap::Power("runs a command as another user");
const ROOT: Wrap = Wrap::Power("runs a command in another root, or with other privileges");
const MACHINE: Wrap = Wrap::Power("runs a command on another machine");
const CONTAINER: Wrap = Wrap::Power("runs a command in a container");
const SERVICE: Wrap = Wrap::Power("runs a command out of sight");

pub(super) static ROWS: &[Row] = &[
    // The wrappers that have always been floored.
    wrapper(
        "sudo sudoedit",
        &[
            o("A B b E H K k n P S askpass background bell no-update N non-interactive preserve-env preserve-groups remove-timestamp reset-timestamp set-home stdin", Flag),
            o("l v list validate", Flag),
            o("V help version", Help),
            o("C close-from g group p prompt T command-timeout U other-user u user", Value),
            o("D chdir", RefuseDirectory),
            o("h host R chroot", RefuseValue),
            o("e edit i login s shell", Refuse),
        ],
        ASSIGNS,
        Wrap::Spec,
    )
    .check(Check::Privileged),
    wrapper(
        "doas",
        &[o("L n", Flag), o("u", Value), o("C", RefuseValue), o("s", Refuse)],
        command(0),
        Wrap::Spec,
    )
    .check(Check::Privileged),
    wrapper(
        "env",
        &[
            o("0 i v debug ignore-environment null list-signal-handling", Flag),
            o("help version", Help),
            o("u unset", Value),
            o("block-signal default-signal ignore-signal", Optional),
            o("a argv0 P", RefuseValue),
            o("C chdir", RefuseDirectory),
            o("S split-string", RefuseSplit),
            o("env0-from", RefuseValue),
        ],
        ASSIGNS,
        Wrap::Spec,
    )
    .check(Check::Environment),
    wrapper(
        "xargs",
        &[
            o("0 o p r t x exit interactive no-run-if-empty null open-tty show-limits verbose", Flag),
            o("help version", Help),
            o("a arg-file", Read),
            o("d delimiter E I L n max-args P max-procs R S s max-chars process-slot-var", Value),
            o("e eof i replace l max-lines", Optional),
            o("J", RefuseValue),
        ],
        command(0),
        Wrap::Spec,
    )
    .check(Check::Xargs),
    wrapper(
        "time",
        &[
            o("o output", Write),
            o("f format", Value),
            o("a append p portability q quiet v verbose l h", Flag),
            o("V version help", Help),
        ],
        command(0),
        Wrap::Modifier { flags: "-p -l -h", values: "-f --format" },
    ),
    wrapper(
        "timeout",
        &[
            o("s signal k kill-after", Value),
            o("f foreground p preserve-status v verbose", Flag),
            o("help version", Help),
        ],
        command(1),
        Wrap::Modifier {
            flags: "-f --foreground -p --preserve-status -v --verbose",
            values: "-s -k --signal --kill-after",
        },
    ),
    wrapper(
        "nice",
        &[
            o("n adjustment", Value),
            o("0 1 2 3 4 5 6 7 8 9", Flag),
            o("help version", Help),
        ],
        command(0),
        Wrap::Modifier { flags: "", values: "-n --adjustment" },
    ),
    wrapper(
        "stdbuf",
        &[o("i input o output e error", Value), o("help version", Help)],
        command(0),
        Wrap::Modifier { flags: "", values: "-i -o -e --input --output --error" },
    ),
    wrapper(
        "setsid",
        &[o("c ctty f fork w wait", Flag), o("h help V version", Help)],
        command(0),
        Wrap::Modifier { flags: "", values: "" },
    ),
    wrapper("nohup", &[o("help version", Help)], command(0), Wrap::Spec),
    wrapper(
        "watch",
        &[
            o("n interval", Value),
            o("b e g p t w c C x r beep errexit chgexit precise no-title no-wrap color no-color exec no-rerun", Flag),
            o("q equexit s shotsdir", Value),
            o("d differences", Optional),
            o("h help v version", Help),
        ],
        Operands::Line { skip: 0 },
        Wrap::Strict,
    ),
    wrapper(
        "flock",
        &[
            o("w wait timeout E conflict-exit-code", Value),
            o("c command", Payload),
            o("s shared x e exclusive u unlock n nb nonblock o close F no-fork verbose", Flag),
            o("h help V version", Help),
        ],
        command(1),
        Wrap::Spec,
    )
    .check(Check::Flock),
    wrapper(
        "parallel rust-parallel rush",
        &[
            o("a arg-file", Read),
            o("joblog results", Write),
            o("S sshlogin sshloginfile slf", TeethValue("runs commands on other machines")),
            o("j jobs P max-procs n max-args N L l max-lines I d delimiter C colsep halt timeout delay retries load memfree tmpdir workdir wd tagstring block recstart recend s max-chars E shuf env basefile return nice U arg-sep arg-file-sep i D e T eta-format c w A f F b p q r R v", Value),
            o("k keep-order t verbose u ungroup dry-run dryrun bar eta progress will-cite no-notice X m xargs pipe pipepart tag lb line-buffer group 0 null x exit quote interactive shebang rpl linebuffer semaphore trim results-header", Flag),
            o("V version help h", Help),
        ],
        Operands::Line { skip: 0 },
        Wrap::Strict,
    )
    .check(Check::BareStdin),
    // Wrappers that change nothing about the command they run.
    wrapper(
        "ionice",
        &[
            o("c class n classdata P pgid u uid", Value),
            o("p pid", Value),
            o("t ignore", Flag),
            o("h help V version", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "chrt",
        &[
            o("T sched-runtime P sched-period D sched-deadline", Value),
            o("b batch d deadline f fifo i idle o other r rr R reset-on-fork a all-tasks v verbose", Flag),
            o("m max p pid", Refuse),
            o("h help V version", Help),
        ],
        command(1),
        Wrap::Thin,
    ),
    wrapper(
        "taskset",
        &[o("c cpu-list", Flag), o("a all-tasks p pid", Refuse), o("h help V version", Help)],
        command(1),
        Wrap::Thin,
    ),
    wrapper(
        "numactl",
        &[
            o("i interleave N cpunodebind m membind p preferred C physcpubind", Value),
            o("l localalloc a all b balancing", Flag),
            o("H hardware s show", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "prlimit",
        &[
            o("as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack", Optional),
            o("c d e f i l m n q r s t u v x y", Optional),
            o("noheadings raw verbose", Flag),
            o("p pid o output", Refuse),
            o("h help V version", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "strace ltrace",
        &[
            o("o output", Write),
            o("e trace s string-limit a columns A O p attach b I U u user E env P S l x X D w", Value),
            o("c f ff F i k q qq r t tt ttt T v y yy z Z C n d L h seccomp-bpf follow-forks output-separately summary summary-only demangle", Flag),
            o("V version help", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "catchsegv unbuffer nocache eatmydata proxychains proxychains4 torsocks torify tsocks chronic cgexec rlwrap dbus-run-session xvfb-run faketime caffeinate arch",
        &[o("a auto-servernum n q s e p f", Flag), o("help version", Help)],
        command(0),
        Wrap::Spec,
    ),
    wrapper(
        "setarch linux32 linux64 i386 i486 i586 i686 x86_64 amd64 aarch64 arm64 uname26",
        &[
            o("B 32bit F fdpic-funcptrs I short-inode L addr-compat-layout R addr-no-randomize S whole-seconds T sticky-timeouts X read-implies-exec Z mmap-page-zero 3 3gb 4gb uname-2.6 v verbose", Flag),
            o("h help V version list show", Help),
        ],
        command(0),
        Wrap::Spec,
    ),
    wrapper(
        "choom",
        &[o("n adjust", Value), o("p pid", Refuse), o("h help V version", Help)],
        command(0),
        Wrap::Spec,
    ),
    wrapper(
        "cpulimit",
        &[o("l limit c cpu", Value), o("p pid e exe P path", Refuse), o("z lazy i include-children q quiet v verbose b background f foreground", Flag), o("h help", Help)],
        command(0),
        Wrap::Spec,
    ),
    wrapper(
        "tini dumb-init catatonit",
        &[o("p e r rewrite", Value), o("s v g w c single-child verbose", Flag), o("h help V version l", Help)],
        command(0),
        Wrap::Spec,
    ),
    wrapper("sg", &[o("c", Payload)], Operands::Line { skip: 1 }, USER).style(Style::Permuted),
    wrapper(
        "hyperfine",
        &[
            o("w warmup m min-runs M max-runs r runs n command-name style sort time-unit u i-ignore-failure L parameter-list P parameter-scan D parameter-step-size reference-name", Value),
            o("p prepare s setup c cleanup conclude reference C", Script),
            o("S shell", Script),
            o("export-json export-csv export-markdown export-asciidoc export-orgmode", Write),
            o("output input", Path),
            o("i ignore-failure N show-output", Flag),
            o("h help V version", Help),
        ],
        Operands::Scripts,
        Wrap::Strict,
    ),
    wrapper(
        "entr",
        &[o("a c d n p r s z", Flag)],
        Operands::Line { skip: 0 },
        Wrap::Strict,
    ),
    wrapper(
        "watchexec cargo-watch nodemon chokidar reflex",
        &[
            o("w watch e exts i ignore f filter d debounce s signal delay ext o on-busy-update", Value),
            o("x exec c command shell", Script),
            o("q quiet r restart n v verbose N notify", Flag),
            o("h help V version", Help),
        ],
        Operands::Line { skip: 0 },
        Wrap::Strict,
    ),
    // The loader run by hand.
    wrapper(
        "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1 ld-linux-riscv64-lp64d.so.1",
        &[
            o("library-path glibc-hwcaps-prepend glibc-hwcaps-mask inhibit-rpath argv0", Value),
            o("preload audit", TeethValue("changes which code is loaded")),
            o("inhibit-cache list verify", Flag),
            o("help version list-tunables list-diagnostics", Help),
        ],
        command(0),
        Wrap::Spec,
    ),
    // Another user, another root, another machine, a container.
    wrapper(
        "su",
        &[
            o("c command session-command", Payload),
            o("s shell", Script),
            o("g group G supp-group w whitelist-environment", Value),
            o("l login f fast m p preserve-environment P pty T no-pty", Flag),
            o("h help V version", Help),
        ],
        Operands::Nothing,
        USER,
    )
    .style(Style::Permuted),
    wrapper(
        "runuser",
        &[
            o("u user g group G supp-group w whitelist-environment", Value),
            o("c command session-command", Payload),
            o("s shell", Script),
            o("l login f fast m p preserve-environment P pty T no-pty", Flag),
            o("h help V version", Help),
        ],
        command(0),
        USER,
    ),
    wrapper("pkexec", &[o("u user", Value), o("disable-internal-agent keep-cwd", Flag), o("help version", Help)], command(0), USER),
    wrapper("gosu su-exec chpst setuidgid", &[o("u U b e n l L m d o p f c r t", Value)], command(1), USER),
    wrapper(
        "setpriv",
        &[
            o("groups inh-caps ambient-caps bounding-set ruid euid rgid egid reuid regid selinux-label apparmor-profile pdeathsig securebits landlock-access landlock-rule seccomp-filter ptracer", Value),
            o("clear-groups keep-groups init-groups nnp no-new-privs reset-env", Flag),
            o("d dump h help V version", Help),
        ],
        command(0),
        ROOT,
    ),
    wrapper("capsh", &[], command(0), ROOT),
    wrapper(
        "chroot",
        &[o("groups userspec", Value), o("skip-chdir", Flag), o("help version", Help)],
        command(1),
        ROOT,
    )
    .check(Check::BareShell),
    wrapper(
        "unshare",
        &[
            o("map-user map-group map-users map-groups propagation setgroups S setuid G setgid l load-interp monotonic boottime", Value),
            o("R root w wd", Path),
            o("i m n p u U C T ipc mount net pid uts user cgroup time kill-child mount-proc mount-binfmt", Optional),
            o("f fork r map-root-user c map-current-user map-auto keep-caps", Flag),
            o("h help V version", Help),
        ],
        command(0),
        ROOT,
    )
    .check(Check::BareShell),
    wrapper(
        "nsenter",
        &[
            o("t target S setuid G setgid", Value),
            o("m u i n p U C T r w W mount uts ipc net pid user cgroup time root wd wdns", Optional),
            o("a all F no-fork Z follow-context preserve-credentials e env keep-caps", Flag),
            o("h help V version", Help),
        ],
        command(0),
        ROOT,
    )
    .check(Check::BareShell),
    wrapper("bwrap firejail fakeroot fakechroot proot systemd-nspawn flatpak-spawn toolbox distrobox distrobox-enter", &[o("help version", Help)], command(0), CONTAINER),
    wrapper(
        "systemd-run",
        &[
            o("u unit p property description slice uid gid nice E setenv on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property socket-property service-type H host M machine background", Value),
            o("working-directory", RefuseDirectory),
            o("scope user system remain-after-exit send-sighup no-block wait t pty P pipe S shell q quiet G collect d same-dir no-ask-password r slice-inherit on-clock-change on-timezone-change expand-environment", Flag),
            o("h help version", Help),
        ],
        ASSIGNS,
        SERVICE,
    ),
    wrapper("machinectl run0 dbus-launch start-stop-daemon daemonize", &[o("h help version", Help)], command(1), SERVICE),
    wrapper(
        "ssh autossh",
        &[
            o("o", Setting),
            o("F i E", Path),
            o("S", Path),
            o("I", TeethValue("loads a library")),
            o("b B c D e J l L m M O p P Q R w W", Value),
            o("4 6 A a C f G g K k N n q s T t v X x Y y", Flag),
            o("V", Help),
        ],
        Operands::Line { skip: 1 },
        MACHINE,
    )
    .check(Check::Ssh),
    wrapper("mosh et dsh pdsh clush rsh rexec", &[o("ssh server client", Script), o("p a w g l P f u", Value), o("version help", Help)], Operands::Line { skip: 1 }, MACHINE),
    // Others that run what they are given.
    wrapper(
        "script",
        &[
            o("c command", Payload),
            o("E echo m logging-format o output-limit", Value),
            o("I log-in O log-out B log-io T log-timing", Write),
            o("t timing", Optional),
            o("a append e return f flush q quiet force r d F k p", Flag),
            o("h help V version", Help),
        ],
        Operands::Files,
        Wrap::Power("runs a shell or a command and records it"),
    )
    .style(Style::Permuted),
    wrapper("expect", &[o("c", TeethValue("runs program text")), o("f b", Read), o("d D i N n", Flag), o("v", Help)], Operands::Interpreter, Wrap::Power("runs and controls other programs")),
    wrapper("valgrind", &[
        o("tool leak-check show-leak-kinds track-origins error-exitcode num-callers track-fds trace-children read-inline-info read-var-info keep-stacktraces", Optional), o("v q verbose quiet", Flag),
        o("log-file xml-file callgrind-out-file massif-out-file cachegrind-out-file", Write),
        o("db-command", Script),
        o("suppressions", Read),
        o("version help h", Help),
    ], command(0), Wrap::Thin),
    row("perf", &[o("h help v version", Help)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("perf/stat perf/record perf/trace perf/mem perf/c2c perf/lock perf/kmem perf/sched", &[
        o("o output log-fd", Write), o("e event F freq c count r repeat C cpu I interval-print p pid t tid u uid G cgroup M metrics j call-graph d D delay", Value),
        o("a all-cpus g v verbose q quiet n no-inherit B no-scale A per-thread null sync", Flag),
        o("pre post", Script),
    ], command(0), Wrap::Thin),
    // Multi-call binaries and terminal multiplexers.
    wrapper("busybox toybox", &[o("list help version install", Help)], command(0), Wrap::Thin).check(Check::Multicall),
    wrapper("tmux byobu zellij", &[o("c", Payload), o("f L S T", Value), o("2 C D l N u v", Flag), o("V h", Help)], Operands::Nothing, Wrap::No).check(Check::Multiplexer),
    wrapper("screen", &[o("c L Logfile", Value), o("S e h p s t T X", Value), o("d D m r R a A i q U x", Flag), o("ls list v", Help)], command(0), SERVICE),
    wrapper("dtach abduco nohup-run", &[o("A c n a e r E z", Value)], command(0), SERVICE),
    row("crontab", &[o("l", Flag), o("u", Value), o("e", Teeth("edits what runs later")), o("r i", Flag)], Operands::Nothing).check(Check::Schedule),
    row("at batch", &[o("f", Read), o("l", Flag), o("q t", Value), o("m M v b k d r c", Flag), o("V", Help)], Operands::Nothing).check(Check::Schedule),
    // Package managers' runners: the inner command is what counts.
    wrapper(
        "npx bunx pnpx",
        &[
            o("p package w workspace", Value),
            o("c call shell-auto-fallback", Payload),
            o("y yes no q quiet n ignore-existing no-install workspaces ws include-workspace-root prefer-offline bun offline silent verbose", Flag),
            o("cache userconfig", Path),
            o("script-shell shell", Script),
            o("v version h help", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "uvx pipx/run uv/tool/run",
        &[
            o("from with with-editable python p index-url i index extra-index-url isolated-env spec pip-args c constraints b build-constraints overrides refresh-package", Value),
            o("with-requirements env-file", Read),
            o("isolated offline q quiet v verbose no-cache refresh n no-config no-progress U upgrade no-env-file", Flag),
            o("directory project", RefuseDirectory),
            o("V version h help", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper(
        "uv/run",
        &[
            o("with with-editable extra no-extra group no-group only-group package p python index default-index i index-url extra-index-url f find-links P upgrade-package color link-mode resolution prerelease exclude-newer w", Value),
            o("with-requirements env-file config-file", Read),
            o("m module", RefuseValue),
            o("s script gui-script", Flag),
            o("isolated offline q quiet v verbose no-cache n frozen locked no-sync no-dev dev only-dev all-extras all-groups no-default-groups active exact no-project no-config no-progress U upgrade refresh reinstall no-env-file all-packages native-tls managed-python no-editable compile-bytecode", Flag),
            o("directory project", RefuseDirectory),
            o("V version h help", Help),
        ],
        command(0),
        Wrap::Thin,
    ),
    wrapper("poetry/run pdm/run pipenv/run rye/run hatch/run pixi/run conda/run micromamba/run", &[
        o("n name p prefix e environment", Value), o("cwd", RefuseDirectory), o("v no-capture-output live-stream q no-interaction C", Flag),
    ], command(0), Wrap::Thin),
    wrapper("bundle/exec rbenv/exec pyenv/exec volta/run fnm/exec", &[o("keep-file-descriptors", Flag), o("gemfile", Path), o("using", Value)], command(0), Wrap::Thin),
    wrapper("npm/exec npm/x", &[
        o("p package w workspace", Value), o("c call", Payload), o("y yes no q ws workspaces", Flag),
        o("script-shell", Script), o("prefix", Directory),
    ], command(0), Wrap::Thin),
    wrapper("pnpm/exec pnpm/dlx yarn/exec yarn/dlx bun/x deno/x", &[
        o("package filter F p", Value), o("c shell-mode", Refuse), o("r recursive parallel q quiet silent no-bail", Flag), o("resume-from", Value),
    ], command(0), Wrap::Thin),
    wrapper("cross-env dotenvx/run with-env env-cmd dotenvx", &[
        o("e f v p", Read), o("o override q quiet", Flag), o("h help V version", Help),
    ], ASSIGNS, Wrap::Thin),
    wrapper("cross-env-shell concurrently run-p run-s npm-run-all shx", &[
        o("n names c prefix-colors p prefix", Value), o("k r l s kill-others raw", Flag),
    ], Operands::Scripts, Wrap::Spec),
    wrapper("direnv/exec op/run aws-vault/exec sops/exec-env chamber/exec teller/run vault/exec", &[o("env-file", Read), o("no-masking", Flag)], command(0), Wrap::Spec),
    row("direnv op doppler aws-vault sops infisical chamber teller asdf mise volta fnm rbenv pyenv conda micromamba pixi hatch rye pdm pipenv pipx", &[], Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    wrapper("nix-shell", &[
        o("run command", Script), o("p packages I A attr argstr arg", Value), o("pure impure keep", Flag), o("E expr", TeethValue("runs program text")), o("version help", Help),
    ], Operands::Shape, Wrap::No),
    // Containers and clusters.
    row("docker podman nerdctl", &[
        o("H host c context l log-level url connection identity", Value), o("config tlscacert tlscert tlskey root runroot", Path), o("D debug tls tlsverify r remote", Flag), o("v version help h", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("docker/compose docker/container", &[
        o("f file env-file", Path), o("project-directory", Directory), o("p project-name profile ansi parallel progress", Value), o("compatibility dry-run", Flag),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("docker-compose podman-compose", &[
        o("f file env-file", Path), o("project-directory", Directory), o("p project-name profile ansi parallel progress H host", Value), o("compatibility dry-run verbose", Flag), o("v version help", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("docker/exec docker/compose/exec docker-compose/exec docker/container/exec", &[
        o("e env u user detach-keys index", Value), o("env-file", Read), o("w workdir", Value), o("d detach i interactive t tty privileged T no-TTY", Flag),
    ], command(1), CONTAINER),
    wrapper("docker/run docker/create docker/container/run docker/container/create docker/compose/run docker-compose/run", &[
        o("v volume", Value), o("mount a attach add-host annotation blkio-weight cap-add cap-drop cgroup-parent cgroupns cpu-period cpu-quota cpus c cpu-shares cpuset-cpus device dns e env entrypoint expose gpus group-add h hostname health-cmd init-path ip ipc isolation l label link log-driver log-opt m memory memory-swap name net network network-alias oom-score-adj p publish pid pids-limit platform pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit u user userns uts volume-driver volumes-from w workdir arch os", Value),
        o("env-file label-file", Read), o("cidfile", Write),
        o("d detach i interactive t tty rm init privileged read-only no-healthcheck P publish-all q quiet oom-kill-disable disable-content-trust sig-proxy T no-TTY no-deps service-ports use-aliases build remove-orphans", Flag),
    ], command(1), CONTAINER).check(Check::Volumes),
    row("docker/buildx docker/builder docker/image", &[o("builder", Value)], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    row("docker/build docker/buildx/build docker/builder/build docker/image/build", &[
        o("f file", Path), o("secret ssh o output build-context cache-from cache-to", Value), o("iidfile metadata-file cidfile", Write),
        o("t tag build-arg target platform network progress label add-host annotation attest builder cgroup-parent isolation m memory c cpu-shares security-opt shm-size ulimit allow call", Value),
        o("q quiet pull no-cache push load rm force-rm squash compress check D debug", Flag), o("h help", Help),
    ], Operands::Shape).check(Check::Volumes),
    row("kubectl oc k3s microk8s", &[
        o("n namespace context cluster user s server token as as-group request-timeout v", Value), o("kubeconfig", Path), o("insecure-skip-tls-verify", Flag), o("h help", Help),
    ], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("kubectl/exec kubectl/debug kubectl/run", &[
        o("c container n namespace context pod-running-timeout image target copy-to env overrides restart l labels profile", Value), o("f filename kubeconfig", Read), o("i stdin t tty q quiet it rm command attach", Flag),
    ], Operands::Command { skip: 1, assigns: false }, CONTAINER).style(Style::Permuted),
    wrapper("vagrant/ssh gcloud/compute/ssh multipass/exec lxc/exec lxc-attach incus/exec fly/ssh heroku/run heroku/run:detached heroku/ps:exec limactl/shell", &[o("c command", Payload), o("n name z zone p project", Value)], command(1), MACHINE),
    row("vagrant multipass lxc incus limactl heroku", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("ip/netns", &[], command(2), ROOT),
    row("ip", &[o("n netns f family", Value), o("b batch", TeethValue("reads further commands from a file")), o("V", Help), o("4 6 a d s o r j p c br color json brief all", Flag)], Operands::Nothing).style(Style::Ordered).check(Check::Subcommands),
];
