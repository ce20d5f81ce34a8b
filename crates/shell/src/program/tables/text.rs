//! Tools that work on text and structured data.

use super::super::row::Does::{
    Directory, Flag, Help, Maybe, Optional, OptionalWrite, Pair, PairRead, Path, Pattern,
    PatternFile, Read, Script, Teeth, TeethOptional, TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, o, row};

pub(super) static ROWS: &[Row] = &[
    row("uniq", &[o("f skip-fields s skip-chars w check-chars", Value), o("all-repeated group", Optional), o("c d D i u z 0 1 2 3 4 5 6 7 8 9", Flag)], Operands::InOut),
    row("cut", &[o("b bytes c characters d delimiter f fields output-delimiter", Value), o("n s z complement", Flag)], Operands::Shape),
    row("tr", &[o("c C d s t", Flag)], Operands::Nothing),
    row("seq sleep kill pkill killall pgrep expr", &[], Operands::Nothing),
    row("paste", &[o("d delimiters", Value), o("s z", Flag)], Operands::Shape),
    row("join", &[o("a e i j o t v 1 2", Value), o("z", Flag)], Operands::Shape),
    row("comm", &[o("output-delimiter", Value), o("1 2 3 z", Flag)], Operands::Shape),
    row("column", &[o("c output-width d N table-columns s separator o output-separator R table-right T table-truncate H table-hide W table-wrap n table-name O table-order", Value), o("t x e J L", Flag)], Operands::Shape),
    row("pr", &[o("h header l length w width W page-width o indent s separator S sep-string D date-format N first-line-number", Value), o("a c d f F m r t T v", Flag)], Operands::Shape),
    row("nl fold fmt expand unexpand rev tac", &[o("b d f h i l n s v w t p g width tabs prefix separator", Maybe)], Operands::Shape),
    row("split", &[o("filter", Script), o("a suffix-length b bytes C line-bytes l lines n number t separator additional-suffix", Value), o("numeric-suffixes hex-suffixes", Optional), o("d e u x verbose", Flag)], Operands::Last),
    row("csplit", &[o("f prefix", Path), o("b suffix-format n digits", Value), o("k s z q quiet silent keep-files elide-empty-files suppress-matched", Flag)], Operands::Shape),
    row("tee", &[o("a i p append", Flag), o("output-error", Optional)], Operands::Files),
    row("sponge", &[o("a", Flag)], Operands::Files),
    row("sd", &[o("f flags n max-replacements", Value), o("s F p A string-mode fixed-strings preview across", Flag)], Operands::Pattern(2)),
    row("ag ack ack-grep", &[
        o("pager", Script), o("A after B before C context G file-search-regex g m max-count depth ignore ignore-dir W width type T path-to-ignore p", Value), o("ackrc", TeethValue("reads further options from a file")), o("f", Flag), o("x", Flag), o("output", TeethValue("evaluates Perl text")),
    ], Operands::Pattern(1)).guarded(),
    row("ugrep ug", &[o("e regexp", Pattern), o("f file", PatternFile), o("filter view", Script), o("config", TeethOptional("reads further options from a file")), o("save-config", OptionalWrite), o("A B C m max-count g glob t file-type", Value)], Operands::Pattern(1)),
    row("git-grep", &[], Operands::Pattern(1)),
    row("jq gojq jaq", &[
        o("f from-file", PatternFile), o("L library-path", Path), o("indent tab-width", Value), o("slurpfile rawfile", PairRead), o("arg argjson", Pair), o("args jsonargs", Flag), o("r raw-output c compact-output s slurp n null-input e exit-status S sort-keys C M a j R g h tab stream seq unbuffered 0 raw-output0 raw-input", Flag),
    ], Operands::Pattern(1)),
    row("yq", &[
        o("i inplace in-place", Flag), o("from-file", PatternFile), o("s split-exp", TeethValue("names files to write by an expression")), o("split-exp-file", TeethValue("names files to write by an expression")),
        o("o output-format p input-format I indent f front-matter", Value), o("e exit-status n null-input P prettyPrint r unwrapScalar C colors M no-colors N no-doc j tojson c y Y", Flag),
    ], Operands::Pattern(1)),
    row("xmllint", &[o("output o", Write), o("xpath encode pattern maxmem", Value), o("schema dtdvalid relaxng schematron path catalogs", Path), o("shell", Teeth("reads commands from standard input"))], Operands::Shape).style(Style::Words),
    row("xsltproc", &[o("output o", Write), o("param stringparam", Pair), o("path writesubtree", Path)], Operands::Shape).style(Style::Words),
    row("iconv", &[o("o output", Write), o("f from-code t to-code", Value), o("c s l list", Flag)], Operands::Shape),
    row("xxd", &[o("c cols g groupsize l len n name o s seek R", Value), o("a b d e E i p ps r u C", Flag)], Operands::InOut).style(Style::Words),
    row("od hexdump hd strings nm objdump readelf", &[o("A address-radix j skip-bytes N read-bytes t format e n s w S C l M m b T", Value), o("f", Read)], Operands::Shape),
    row("base64 base32 basenc", &[o("w wrap b break", Value), o("o output", Write), o("i", Maybe), o("d D decode ignore-garbage", Flag)], Operands::Shape),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum md5 shasum", &[o("c check", Flag), o("a algorithm l length", Value), o("b t z w q s tag ignore-missing quiet status strict warn", Flag)], Operands::Shape).check(Check::Sums),
    row("shuf", &[o("o output", Write), o("random-source", Read), o("i input-range n head-count", Value), o("e r z echo", Flag)], Operands::Shape),
    row("ptx tsort look dict factor", &[], Operands::Shape),
    row("patch", &[o("o output r reject-file", Write), o("i input", Read), o("d directory", Directory), o("p strip F fuzz D ifdef B prefix V version-control Y basename-prefix z suffix g get", Value), o("e ed", Teeth("can hand the patch to an editor")), o("b c E f l n N R s t T u Z v", Flag)], Operands::Files).check(Check::Patch),
    row("diff3 sdiff cmp", &[o("diff-program", Script), o("o output", Write), o("i n w", Maybe)], Operands::Shape),
    row("dos2unix unix2dos", &[o("n newfile", Flag), o("c convmode i info", Value), o("k q f b o", Flag)], Operands::Files),
    row("envsubst", &[], Operands::Nothing),
    row("date", &[o("f file", Read), o("r reference", Read), o("s set", TeethValue("sets the clock")), o("d date", Value), o("I rfc-3339", Optional), o("u R", Flag)], Operands::Nothing),
    row("printenv hostname uname whoami id groups tty nproc uptime", &[o("F file", Read)], Operands::Nothing),
    row("less zless", &[
        o("o O log-file LOG-FILE", Write), o("k lesskey-file lesskey-src lesskey-content", TeethValue("reads key bindings, which can run programs")),
        o("p pattern P prompt x tabs y z window j jump-target b buffers h t tag", Value), o("T tag-file", Path),
        o("E F f g G i I J K L M N n q Q R S s u U V w W X e A d a", Flag),
    ], Operands::Shape).check(Check::Editor).guarded(),
    row("more most pg zmore", &[o("n lines", Maybe)], Operands::Shape).check(Check::Editor),
    row("bat batcat delta", &[
        o("pager", Script), o("l language m map-syntax H highlight-line r line-range style theme wrap color tabs file-name terminal-width italic-text decorations paging", Value), o("p plain A n number P u", Flag),
    ], Operands::Shape).guarded(),
    row("man apropos whatis info", &[o("P pager", Script), o("H html browser", Script), o("C config-file M manpath", Path), o("T troff-device p preprocessor R recode L locale S s sections e extension E encoding", Value), o("l local-file", Flag)], Operands::Shape).guarded(),
    row("vim vi nvim view ex rvim vimdiff nvimdiff gvim mvim", &[
        o("c", TeethValue("runs editor commands")), o("cmd", TeethValue("runs editor commands")), o("S", TeethValue("runs editor commands from a file")), o("u U i", Path), o("s", TeethValue("types keys from a file")), o("w W", Write), o("T t q", Value), o("e E s R b d n N m M Z v y", Flag), o("startuptime", Write), o("listen server", Value), o("remote-expr remote-send", TeethValue("runs editor commands")), o("l", TeethValue("runs program text")),
        o("h help version", Help),
    ], Operands::Shape).check(Check::Editor).guarded(),
    row("emacs emacsclient", &[
        o("eval execute e", TeethValue("runs program text")), o("l load script f funcall", TeethValue("runs program text")), o("a alternate-editor", Script), o("batch Q q nw n t c no-window-system", Flag), o("help version", Help),
    ], Operands::Shape).style(Style::Words),
    row("ed red", &[o("p prompt", Value), o("s G l r v E", Flag)], Operands::Files).check(Check::StdinCommands),
    row("nano pico micro kak hx", &[o("e", TeethValue("runs editor commands")), o("s speller", Script), o("C backupdir f rcfile", Path), o("T r Y Q o", Value)], Operands::Shape).check(Check::Editor),
    row("code cursor codium subl zed idea", &[o("g goto d diff n new-window r reuse-window w wait a add", Flag), o("install-extension uninstall-extension", TeethValue("installs program text")), o("user-data-dir extensions-dir", Path), o("command", TeethValue("runs editor commands"))], Operands::Shape),
    row("pandoc", &[
        o("o output", Write), o("F filter", Script), o("L lua-filter", TeethValue("runs program text")), o("pdf-engine", Script), o("d defaults", TeethValue("reads further options from a file")), o("template css c bibliography csl H include-in-header B A metadata-file syntax-definition highlight-style reference-doc data-dir resource-path extract-media log", Path), o("t to w write f from r read", Value), o("V variable M metadata shift-heading-level-by columns dpi wrap toc-depth", Value), o("s N p standalone toc", Flag),
    ], Operands::Shape).check(Check::Pandoc),
    row("tex latex pdflatex xelatex lualatex luatex pdftex", &[o("shell-escape enable-write18", Teeth("lets the document run programs")), o("output-directory aux-directory", Path), o("jobname interaction", Value), o("halt-on-error file-line-error draftmode no-shell-escape", Flag)], Operands::Shape).style(Style::Words),
    row("latexmk", &[o("e latex pdflatex", TeethValue("runs program text")), o("r", TeethValue("runs a settings file")), o("shell-escape", Teeth("lets the document run programs")), o("outdir auxdir output-directory", Path)], Operands::Shape).style(Style::Words),
    row("gnuplot", &[o("e", TeethValue("runs program text")), o("c p persist d default-settings", Flag)], Operands::Files).style(Style::Words),
    row("dot neato circo fdp sfdp twopi", &[o("o", Write), o("T K G N E A", Value)], Operands::Shape),
    row("groff troff nroff", &[o("U", Teeth("lets the document run programs")), o("F I M", Path), o("T m o r d w W f P L K", Value)], Operands::Shape),
    row("ffmpeg", &[
        o("i", Read), o("f c codec vf af filter_complex ss t to r s b:v b:a c:v c:a map preset crf pix_fmt vcodec acodec loglevel v aspect vframes frames:v metadata threads", Value), o("y n an vn sn hide_banner nostdin shortest", Flag), o("filter_script filter_complex_script", Read), o("report progress vstats_file passlogfile", Path), o("version h help", Help),
    ], Operands::Files).style(Style::Words),
    row("ffprobe ffplay", &[], Operands::Shape).style(Style::Words),
    row("convert magick mogrify montage compare composite identify", &[o("write", Write), o("resize crop quality density format font pointsize fill geometry gravity background", Value)], Operands::Last).style(Style::Words),
    row("gs ghostscript", &[o("sOutputFile o", Write), o("c", TeethValue("runs program text")), o("dNOSAFER dDELAYSAFER", Teeth("lets the document open files and run programs")), o("sDEVICE r q dBATCH dNOPAUSE dSAFER", Flag)], Operands::Shape).style(Style::Words),
];
