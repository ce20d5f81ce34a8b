//! More programs that run what they are given: terminals, debuggers and
//! profilers, version managers, clusters, schedulers, remote machines, and
//! languages given program text.

use super::super::row::Does::{
    Code, Flag, Help, Path, Payload, Read, Rest, Script, Teeth, TeethOptional, TeethValue, Value,
    Write,
};
use super::super::row::{Check, Operands, Opt, Row, Style, Wrap, o, row, wrapper};

const fn command(skip: u8) -> Operands {
    Operands::Command {
        skip,
        assigns: false,
    }
}

const fn dashes(skip: u8) -> Operands {
    Operands::Dashes { skip }
}

const TERMINAL: Wrap = Wrap::Power("runs a command in another terminal");
const MACHINE: Wrap = Wrap::Power("runs a command on another machine");
const CONTAINER: Wrap = Wrap::Power("runs a command in a container");
const LATER: Wrap = Wrap::Power("runs a command out of sight");
const ROOT: Wrap = Wrap::Power("runs a command in another root, or with other privileges");
const DEBUGGER: &str = "runs debugger commands, which can run programs";

const HELP: &[Opt] = &[o("h help V version", Help)];

/// A program whose `-e` (or its like) takes program text.
const fn language(names: &'static str, options: &'static [Opt]) -> Row {
    row(names, options, Operands::Interpreter)
        .style(Style::Words)
        .check(Check::Interpreter)
}

pub(super) static ROWS: &[Row] = &[
    // Terminals.
    wrapper("xterm uxterm lxterm rxvt urxvt urxvtc eterm aterm st x-terminal-emulator konsole alacritty ghostty foot footclient kitty xfce4-terminal lxterminal mate-terminal terminator tilix terminology guake tilda yakuake cool-retro-term sakura qterminal terminix roxterm hyper tabby contour rio warp-terminal kgx ptyxis deepin-terminal", &[
        o("e x command execute", Rest), o("T title name class g geometry bg fg fn fa fs font D working-directory workdir d profile p", Value), o("hold", Flag), o("h help v version", Help),
    ], command(0), TERMINAL).style(Style::Words),
    wrapper("gnome-terminal gnome-console", &[o("e x command", Rest), o("h help version", Help)], dashes(0), TERMINAL).style(Style::Words),
    row("wezterm", HELP, Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("wezterm/start wezterm/ssh wezterm/connect", &[o("cwd class workspace position domain", Value)], dashes(0), TERMINAL),
    wrapper("ttyd gotty websocketd shellinabox", &[o("p port i interface c credential", Value), o("W w writable", Flag), o("h help v version", Help)], command(0), LATER),
    wrapper("asciinema", &[o("c command", Script), o("h help version", Help)], Operands::Shape, TERMINAL).style(Style::Permuted),
    wrapper("termtosvg ttyrec ipbt t-rec", &[o("c e command", Script)], Operands::Shape, TERMINAL).style(Style::Permuted),
    wrapper("xinit startx cage weston gamescope sway-launch", HELP, dashes(0), TERMINAL),
    row("xdotool i3-msg swaymsg hyprctl riverctl bspc awesome-client rofi dmenu_run wmctrl ydotool wtype", HELP, Operands::Nothing).check(Check::Runs),
    // Debuggers, tracers, profilers.
    row("gdb lldb cgdb rust-gdb rust-lldb rust-gdbgui cuda-gdb pwndbg", &[
        o("ex eval-command iex init-eval-command o one-line O one-line-before-file", TeethValue(DEBUGGER)),
        o("x command ix init-command s source S source-before-file", TeethValue("reads debugger commands, which can run programs, from a file")),
        o("args", Rest), o("batch q quiet nx n tui nh", Flag),
        o("p pid c core e exec se symbols d directory cd tty data-directory f file n attach-name", Path),
        o("v version help h", Help),
    ], Operands::Shape).style(Style::Words).check(Check::Debugger),
    wrapper("gdbserver lldb-server", &[o("attach", Value), o("multi once remote-debug wrapper", Flag), o("version help", Help)], command(1), Wrap::Strict),
    row("rr dlv uftrace samply memray nsys vtune apitrace py-spy clinic rbspy", HELP, Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    wrapper("rr/record rr/replay uftrace/record uftrace/live samply/record nsys/profile apitrace/trace vtune/collect py-spy/record py-spy/top rbspy/record clinic/doctor clinic/flame clinic/bubbleprof", &[
        o("o output d data", Write), o("r rate n", Value), o("h help", Help),
    ], dashes(0), Wrap::Thin),
    wrapper("dlv/debug dlv/test dlv/exec dlv/attach dlv/dap dlv/trace dlv/connect", &[o("init", TeethValue(DEBUGGER)), o("backend", TeethValue("changes which programs it runs")), o("output log-dest", Write), o("headless listen l api-version accept-multiclient log build-flags", Flag)], dashes(0), Wrap::Strict),
    row("bpftrace dtrace stap", &[o("c", Script), o("e n", Code), o("s f", Read), o("o", Write), o("unsafe w g", Teeth("lets the program run commands")), o("h help V version", Help)], Operands::Interpreter),
    wrapper("dtruss truss ktrace sotruss memusage xtrace ftrace multitime heaptrack ncu nvprof compute-sanitizer cuda-memcheck kernprof c8 0x likwid-perfctr", &[
        o("o output-file f", Write), o("n repeat", Value), o("reporter r", Value), o("h help V version", Help),
    ], dashes(0), Wrap::Thin),
    wrapper("nyc", &[o("reporter temp-dir report-dir", Value), o("silent all check-coverage", Flag), o("r require", TeethValue("loads program text")), o("h help version", Help)], command(0), Wrap::Thin),
    wrapper("kcov", &[o("include-path exclude-path include-pattern exclude-pattern", Value), o("h help version", Help)], command(1), Wrap::Thin),
    // Compilers' companions.
    wrapper("ccache sccache distcc icecc colorgcc", &[o("s show-stats z zero-stats C clear c cleanup stop-server start-server show-adv-stats p show-config", Flag), o("h help V version", Help)], command(0), Wrap::Thin),
    wrapper("bear intercept-build scan-build compiledb cov-build build-wrapper-linux-x86-64", &[o("output o cdb out-dir dir", Write), o("append v", Flag), o("h help version", Help)], dashes(0), Wrap::Thin),
    wrapper("libtool", &[o("mode tag", Value), o("quiet silent verbose dry-run n", Flag), o("h help version", Help)], command(0), Wrap::Thin),
    // Wrappers that change little about the command they run.
    wrapper("run-one run-this-one keep-one-running run-one-constantly retry setproctitle gamemoderun mangohud primusrun optirun prime-run vglrun zrun ifne ledit rlfe graftcp socksify tsp nq torify-cmd cowdancer fakeuname autoexpect checkinstall pgrphack fghack lima tmpreaper-run progress-run wait-on-run", HELP, dashes(0), Wrap::Thin),
    wrapper("setlock lckdo with-lock-ex envdir argv0 envuidgid s6-setuidgid s6-envdir", HELP, command(1), Wrap::Thin),
    wrapper("softlimit trickle timelimit schedtool hwloc-bind likwid-pin cputhrottle lockrun nsjail minijail0 sandbox-exec aa-exec runcon newrole rootlesskit pasta slirp4netns k5start sudo-rs userdbctl", HELP, dashes(0), Wrap::Strict),
    wrapper("ssh-agent gpg-agent dbus-run", &[o("a t E O P", Value), o("c s k D d daemon", Flag), o("h help", Help)], dashes(0), Wrap::Thin),
    wrapper("pagsh ysh oils-for-unix rc es murex ngs execlineb oil", &[o("c e", Payload), o("h help version", Help)], Operands::Shape, Wrap::Strict).style(Style::Permuted),
    wrapper("viddy hwatch gitwatch", &[o("n interval", Value), o("d differences p precise", Flag), o("h help v version", Help)], Operands::Line { skip: 0 }, Wrap::Strict),
    wrapper("pee mispipe bench poop mprocs sem", &[o("j jobs id", Value)], Operands::Scripts, Wrap::Strict).style(Style::Permuted),
    wrapper("tcpserver tcpsvd tcplog inetd xinetd s6-tcpserver ucspi-tcp", HELP, command(2), LATER),
    wrapper("wait-for-it wait-for-it.sh dockerize wait-for", &[o("h host p port t timeout wait template", Value), o("s strict q quiet", Flag)], dashes(1), Wrap::Thin),
    wrapper("onchange gow reflex-run", &[o("e exclude d delay", Value)], dashes(1), Wrap::Strict),
    wrapper("watchman-make", &[o("p t target", Value), o("run", Script)], Operands::Shape, Wrap::Strict).style(Style::Permuted),
    row("watchman", HELP, Operands::Shape).check(Check::Remote),
    row("restic unison borg", &[o("password-command rsh sshcmd", Script), o("o option", TeethValue("changes settings, which can run programs")), o("h help version", Help)], Operands::Shape).style(Style::Words).check(Check::Launcher),
    row("fzf sk", &[
        o("preview execute cmd filter-command", Script), o("bind", TeethValue("can run commands when a key is pressed")), o("q query n nth with-nth d delimiter height layout prompt pointer marker header border margin preview-window m multi tiebreak color f filter", Value), o("1 select-1 0 exit-0 reverse ansi i e exact no-sort tac cycle", Flag), o("h help version", Help),
    ], Operands::Nothing),
    row("peco percol", &[o("exec", Script)], Operands::Shape),
    // Version and environment managers.
    row("rtx nvm n nodenv goenv jenv proto devbox devenv guix rvm mamba tox opam esy stack cabal dune meson spack nx lerna terragrunt saml2aws granted berglas rebar3 yadm", HELP, Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    wrapper("mise/x mise/exec rtx/x rtx/exec asdf/exec asdf/env", &[o("c command", Payload), o("C cd", Value), o("j jobs", Value), o("raw", Flag)], dashes(0), Wrap::Thin),
    wrapper("nodenv/exec goenv/exec jenv/exec opam/exec stack/exec cabal/exec dune/exec meson/devenv jj/util/exec nx/exec lerna/exec terragrunt/exec mamba/run tox/exec devbox/run devenv/shell guix/shell guix/environment guix/time-machine saml2aws/exec granted/exec berglas/exec rvm/exec rvm/do", &[
        o("n name p prefix e C root package packages", Value), o("c command", Payload), o("h help", Help),
    ], dashes(0), Wrap::Thin),
    row("jj/util", &[], Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("nvm/exec nvm/run n/exec spack/build-env proto/run", &[o("silent", Flag)], dashes(1), Wrap::Thin).check(Check::Launcher),
    wrapper("chruby-exec pkgx envchain envconsul summon chamber-run direnv-run lmod envmgr", &[o("f e", Read)], dashes(1), Wrap::Strict),
    wrapper("dotenv", &[o("e f file v p", Read), o("o override q quote quiet c", Flag), o("h help V version", Help)], dashes(0), Wrap::Thin).check(Check::Subcommands),
    wrapper("dotenv/run", &[o("override no-override", Flag), o("h help", Help)], dashes(0), Wrap::Thin),
    wrapper("assume", &[o("exec", Script), o("p profile", Value)], Operands::Shape, Wrap::Strict).style(Style::Permuted),
    wrapper("sops/exec-file", &[], Operands::Line { skip: 1 }, Wrap::Spec),
    row("nix/run nix/develop nix/shell", &[o("c command", Rest), o("f file", Path), o("extra-experimental-features", Value)], Operands::Nothing).style(Style::Ordered).check(Check::Fetches),
    // Task runners given a command.
    row("just", &[
        o("c command", Rest), o("f justfile", Read), o("d working-directory", Path), o("chooser shell", Script), o("shell-arg", TeethValue("gives the shell options")), o("dotenv-path dotenv-filename", Value), o("l list summary evaluate dump fmt q quiet n dry-run show s v verbose yes u unsorted", Flag), o("h help V version", Help),
    ], Operands::Nothing),
    wrapper("cargo/watch", &[
        o("s shell", Script), o("x exec", Value), o("w watch i ignore d delay use-shell C workdir B E features", Value), o("c clear q quiet N notify poll why postpone", Flag), o("h help V version", Help),
    ], dashes(0), Wrap::Strict).check(Check::CargoWatch),
    wrapper("foreman/run honcho/run goreman/run heroku/local:run railway/run dvc/run dagger/run esy/x symfony/run lando/exec ddev/exec mr/run meta/exec gita/shell gita/super", &[o("e env f procfile n name d o O m p", Value), o("h help", Help)], dashes(0), Wrap::Strict),
    row("foreman honcho goreman overmind hivemind railway dvc dagger lando ddev mr meta gita symfony", &[o("c f procfile e env", Path), o("h help version", Help)], Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    row("repo", &[o("c command", Script), o("h help", Help)], Operands::Shape),
    wrapper("pueue pm2 forever start-stop supervisor", &[o("h help version", Help)], Operands::Shape, Wrap::No).check(Check::Remote),
    wrapper("doppler/run infisical/run", &[o("command", Script), o("p project c config env", Value), o("h help", Help)], dashes(0), Wrap::Spec),
    // Clusters and batch systems.
    wrapper("mpirun mpiexec orterun prun horovodrun torchrun deepspeed", &[o("n np c N map-by bind-to host hostfile machinefile H x nproc_per_node nnodes", Value), o("oversubscribe allow-run-as-root report-bindings", Flag), o("h help V version", Help)], command(0), Wrap::Thin),
    wrapper("srun salloc sbatch qsub bsub condor_run condor_submit oarsub", &[o("wrap", Script), o("n N c p t J o e A w ntasks nodes partition time job-name output error account mem gres", Value), o("pty", Flag), o("h help V version", Help)], command(0), LATER),
    // Other machines.
    wrapper("pssh parallel-ssh prsh pslurp", &[o("h hosts l user p par o outdir e errdir t timeout H host", Value), o("O x extra-args", TeethValue("gives `ssh` options")), o("i inline v verbose A P", Flag), o("help version", Help)], Operands::Line { skip: 0 }, MACHINE),
    wrapper("plink dbclient putty", &[o("P l pw i p J", Value), o("m", Read), o("ssh batch A a T t N", Flag), o("V h help", Help)], Operands::Line { skip: 1 }, MACHINE),
    wrapper("sshpass", &[o("p d P", Value), o("f", Read), o("e v", Flag), o("h V", Help)], command(0), Wrap::Thin),
    wrapper("adb", &[o("s t H P L", Value), o("d e a", Flag), o("help version", Help)], Operands::Line { skip: 1 }, Wrap::No).check(Check::Remote),
    row("ansible ansible-console ansible-pull", &[o("i inventory", Path), o("a args", Script), o("e extra-vars m module-name u user l limit t tags f forks", Value), o("ssh-common-args ssh-extra-args", TeethValue("gives `ssh` options")), o("M module-path", Path), o("h help version", Help)], Operands::Nothing).check(Check::Runs),
    row("salt salt-call salt-ssh knife bolt fab cap pyinfra mcollective mco capistrano dsh-run teleport tsh boundary tailscale cloudflared", HELP, Operands::Nothing).check(Check::Remote),
    row("gcloud aws az fly flyctl railway-ssh render cf eb doctl hcloud linode-cli oci ibmcloud scw civo vultr-cli", &[
        o("cli-input-json cli-input-yaml template-file template-body flags-file", Path), o("ca-bundle", Path), o("command exec-command C ssh-command", Script),
    ], Operands::Shape).check(Check::Remote),
    row("gitlab-runner nomad crictl ctr runc crun minikube colima kind k9s k3d kubeadm docker-machine lando-ssh vcluster", &[o("config", Path), o("h help version", Help)], Operands::Shape).check(Check::Remote),
    row("flatpak-run snap-run wine wine64 wine-stable box64 box86 qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-x86_64-static qemu-arm-static qemu-aarch64-static", HELP, Operands::Nothing).check(Check::Remote),
    row("flatpak snap", &[o("y assumeyes", Flag), o("h help version", Help)], Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    row("flatpak/run snap/run", &[o("command", Script), o("shell devel", Teeth("starts a shell"))], Operands::Nothing),
    wrapper("oc/rsh", &[o("c container n namespace", Value)], command(1), CONTAINER),
    wrapper("singularity/exec apptainer/exec udocker/run", &[o("B bind env H home pwd app", Value), o("nv e cleanenv c contain", Flag)], command(1), CONTAINER),
    row("singularity apptainer udocker", HELP, Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    wrapper("ch-run shifter lxc-execute schroot dchroot arch-chroot pbuilder cowbuilder mock", &[o("c n chroot name d directory", Value), o("shell", Rest), o("execute", Rest), o("h help V version", Help)], dashes(1), ROOT),
    wrapper("ip/vrf", &[], command(2), ROOT),
    row("gh/codespace gh/cs", HELP, Operands::Shape).style(Style::Ordered).check(Check::Subcommands),
    wrapper("gh/codespace/ssh gh/cs/ssh", &[o("c codespace R repo profile server-port", Value), o("d debug config", Flag), o("h help", Help)], dashes(0), MACHINE),
    wrapper("vagrant/winrm", &[o("c command", Payload)], command(1), MACHINE),
    // Programs that take commands on standard input.
    row("dc", &[o("e expression", TeethValue("runs program text")), o("f file", Read), o("h help V version", Help)], Operands::Files).check(Check::Feeds),
    row("m4", &[o("o debugfile F freeze-state", Write), o("R reload-state", Read), o("I include", Path), o("D define U undefine", Value), o("P s E e g G Q", Flag), o("help version", Help)], Operands::Files).check(Check::Feeds),
    row("pftp psftp smbclient cadaver kermit minicom", &[o("b", Read), o("c e f", TeethValue("runs commands of its own")), o("P l i F o J u U p", Value), o("h help V version", Help)], Operands::Nothing).check(Check::StdinCommands),
    row("gnuplot", &[o("e", TeethValue("runs program text")), o("c p persist d default-settings", Flag), o("h help V version", Help)], Operands::Files).style(Style::Words).check(Check::Feeds),
    row("redis-cli mongosh mongo cqlsh clickhouse-client mycli pgcli litecli usql", &[o("eval e execute", TeethValue("runs program text")), o("f file", TeethValue("runs commands from a file")), o("h host p port u user a pass n db", Value)], Operands::Nothing).check(Check::Redis),
    // Languages.
    language("octave octave-cli matlab scilab scilab-cli maxima gp sage magma mathematica wolframscript wolfram math gap polymake", &[
        o("eval e r batch c code batch-string run", Code), o("f p path addpath", Path), o("q quiet W no-gui silent nodisplay nosplash very-quiet", Flag), o("v version h help", Help),
    ]),
    row("ghc", &[o("e", Code), o("o odir hidir outputdir", Path), o("F pgmF pgmL pgmP pgmc pgml", TeethOptional("runs another program")), o("h help version V", Help)], Operands::Shape).style(Style::Words),
    language("utop ocamlrun nbb planck lumo amm scala-cli jrunscript jjs nashorn gomacro yaegi rust-script evcxr irb js gjs rhino hhvm zx livescript lsc ls-node babel-node swift-run pypy2 stackless bsh beanshell io ioke pike squirrel wren chibi-scheme biwas newlisp picolisp arc hy lfe cljs joker let-go frege idris agda-run swift", &[
        o("e eval c x code execute r run", Code), o("l load require", TeethValue("loads program text from a file or module")), o("q", Flag), o("v version V h help", Help),
    ]),
    row("mix rails wp drush artisan manage.py django-admin flask", HELP, Operands::Shape).style(Style::Ordered).check(Check::Launcher),
    row("mix/run", &[o("e eval", Code), o("r require", TeethValue("loads program text"))], Operands::Shape),
    wrapper("mix/cmd", &[o("app", Value), o("cd", Path)], command(0), Wrap::Thin),
    row("rails/runner rails/r wp/eval drush/ev drush/eval drush/php:eval drush/php-eval crystal/eval", &[], Operands::Nothing).check(Check::Evaluates),
    row("rails/console rails/c rails/dbconsole rails/db wp/shell drush/sql-cli drush/sqlc drush/php artisan/tinker manage.py/shell manage.py/dbshell django-admin/shell flask/shell", &[o("h help", Help)], Operands::Nothing).check(Check::Runs),
];
