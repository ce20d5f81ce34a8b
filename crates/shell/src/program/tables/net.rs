//! Programs that talk to other machines.

use super::super::row::Does::{
    Flag, Help, Maybe, Names, Optional, Path, Pattern, Read, Script, Setting, Teeth, TeethOptional,
    TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, o, row};

const OPTIONS: &str = "reads further options from a file";

pub(super) static ROWS: &[Row] = &[
    row("curl", &[
        o("o output D dump-header c cookie-jar trace trace-ascii etag-save stderr hsts alt-svc", Write), o("K config", TeethValue(OPTIONS)), o("output-dir", Path), o("egd-file", Path), o("T upload-file b cookie E cert key cacert capath crlfile netrc-file etag-compare proxy-cacert proxy-cert proxy-key pubkey random-file unix-socket abstract-unix-socket", Path), o("engine", TeethValue("loads a library")), o("libcurl", Write),
        o("d data data-raw data-ascii data-binary data-urlencode json F form form-string url-query", Value), o("H header proxy-header", Value), o("w write-out", Value),
        o("A user-agent e referer m max-time connect-timeout X request x proxy u user U proxy-user r range Y speed-limit y speed-time z time-cond C continue-at Q quote t telnet-option retry retry-delay retry-max-time limit-rate max-filesize max-redirs interface resolve connect-to cert-type key-type ciphers tls-max dns-servers local-port proto proto-default proto-redir oauth2-bearer aws-sigv4 url noproxy socks5 socks5-hostname socks4 socks4a P ftp-port parallel-max rate keepalive-time tlsv1 request-target curves pass service-name login-options krb delegation mail-from mail-rcpt mail-auth", Value),
        o("O remote-name remote-name-all J remote-header-name create-dirs s silent S show-error L location location-trusted f fail fail-with-body I head k insecure v verbose i include show-headers g globoff G get N no-buffer compressed # progress-bar 0 1 2 3 4 6 a append B j l list-only n netrc p proxytunnel q R remote-time Z parallel http1.1 http2 http3 http2-prior-knowledge no-progress-meter next ssl ssl-reqd tcp-nodelay tcp-fastopen path-as-is post301 post302 raw anyauth basic digest ntlm negotiate no-keepalive no-sessionid no-alpn xattr metalink styled-output no-clobber skip-existing false-start", Flag), o("V version h help M manual", Help),
    ], Operands::Shape).check(Check::RemoteName).guarded(),
    row("wget wget2", &[
        o("O output-document o output-file a append-output save-cookies warc-file hsts-file rejected-log", Write), o("P directory-prefix", Path), o("i input-file", Read), o("config", TeethValue(OPTIONS)), o("use-askpass", Script), o("e execute", TeethValue("sets an option as a settings file would")), o("load-cookies ca-certificate certificate private-key post-file body-file ca-directory crl-file", Path), o("post-data body-data header U user-agent user password t tries T timeout w wait Q quota l level A accept R reject D domains I X referer method limit-rate B base cut-dirs max-redirect http-user http-password secure-protocol bind-address dns-timeout connect-timeout read-timeout waitretry regex-type accept-regex reject-regex progress report-speed restrict-file-names default-page", Value),
        o("q quiet v nv no-verbose c continue N timestamping nc no-clobber r recursive p page-requisites k convert-links m mirror np no-parent nd no-directories x nH E K L H S server-response spider no-check-certificate content-disposition b background 4 6 F d", Flag), o("V version h help", Help),
    ], Operands::Nothing).check(Check::RemoteName).guarded(),
    row("aria2c axel", &[
        o("o out l log d dir save-session", Path), o("i input-file", Read), o("conf-path", TeethValue(OPTIONS)), o("on-download-complete on-download-error on-download-start on-download-stop on-download-pause on-bt-download-complete", Script), o("x s j k header", Value),
    ], Operands::Nothing),
    row("http https xh httpie", &[o("o output", Write), o("d download", Flag), o("session session-read-only", Path), o("a auth s style p print proxy verify cert cert-key timeout", Value)], Operands::Shape),
    row("lftp ftp sftp ncftp tftp", &[o("e c", TeethValue("runs commands of its own")), o("f b", TeethValue("reads commands from a file")), o("o", Setting), o("S D s", Script), o("F i", Path), o("P p u B l R", Value), o("N n v a A C r q 4 6 J", Flag)], Operands::Shape).check(Check::Ssh),
    row("scp", &[o("o", Setting), o("S D", Script), o("F", TeethValue(OPTIONS)), o("i", Path), o("J c l P X", Value), o("3 4 6 A B C O p q R r s T v", Flag)], Operands::Last).check(Check::Ssh).guarded(),
    row("rsync", &[
        o("e rsh rsync-path", Script), o("M remote-option", Value), o("files-from", Names), o("exclude-from include-from password-file early-input", Read), o("log-file write-batch only-write-batch", Write), o("read-batch config", Path), o("T temp-dir compare-dest copy-dest link-dest backup-dir partial-dir", Path), o("daemon", Teeth("serves files")), o("dparam", TeethValue("changes settings")), o("exclude include f filter max-size min-size bwlimit timeout contimeout chmod chown usermap groupmap B block-size suffix port address out-format log-file-format max-delete modify-window skip-compress compress-level iconv info debug protocol sockopts outbuf checksum-choice compress-choice stop-after stop-at", Value),
        o("a archive v verbose z compress r recursive n dry-run delete delete-after delete-excluded progress P h human-readable l L k K p E A X o g t O J u i itemize-changes c checksum x q quiet R relative b backup inplace append W H D S I C m 0 s y 4 6 8 stats partial existing ignore-existing remove-source-files", Flag),
    ], Operands::Last).check(Check::Rsync).guarded(),
    row("rclone", &[o("config cache-dir temp-dir", Path), o("log-file", Write), o("password-command metadata-mapper", Script), o("files-from", Names)], Operands::Shape),
    row("nc ncat netcat nc.openbsd nc.traditional", &[
        o("e exec c sh-exec lua-exec", Script), o("g G i I M m O P p q s T V w X x z", Value), o("o output hex-dump", Write), o("ssl-cert ssl-key ssl-trustfile", Path), o("l k u v n 4 6 d h D N r S t U C", Flag),
    ], Operands::Nothing).guarded(),
    row("socat", &[o("lf", Write), o("d v x u U s t T b", Flag)], Operands::Shape).style(Style::Words).check(Check::Socat),
    row("telnet", &[o("n", Write), o("l e b X S", Value)], Operands::Nothing),
    row("tcpdump dumpcap tshark", &[
        o("w", Write), o("z postrotate-command", Script), o("r V F", Path), o("X", TeethOptional("may load a Lua program")), o("i c C G W s y T e Y f D B j E M Z n O b a t N d", Maybe),
    ], Operands::Nothing),
    row("nmap", &[
        o("oN oX oS oG oA stylesheet", Write), o("script", TeethOptional("runs a script")), o("script-args script-args-file datadir servicedb versiondb", Path), o("iL excludefile", Read), o("p D e g S T exclude max-retries host-timeout min-rate max-rate", Value), o("sS sT sU sV sn sP sC A O Pn F n R v d 6 open reason", Flag), o("resume", Path), o("interactive", Teeth("takes commands")),
    ], Operands::Nothing).style(Style::Words),
    row("iptables ip6tables nft ebtables", &[o("f file", TeethValue("reads rules from a file")), o("modprobe M", Script)], Operands::Nothing),
    row("iptables-restore", &[o("M modprobe", Script)], Operands::Shape),
    row("ping dig host nslookup traceroute whois arp netstat", &[o("f", Read)], Operands::Nothing),
    row("ss", &[o("F filter", Read), o("D diag", Write), o("A query socket f family N net", Value)], Operands::Nothing),
    row("mail mailx mutt sendmail msmtp", &[o("a A i H F C rcfile file", Path), o("f", Path), o("e", TeethValue("runs commands of its own")), o("s c b r q S X", Value), o("O o", TeethValue("changes settings"))], Operands::Nothing).check(Check::Mail),
    row("psql", &[
        o("c command", Pattern), o("f file", TeethValue("reads commands from a file")), o("o output L log-file", Write), o("v set variable", Value), o("d dbname h host p port U username P pset F field-separator R record-separator T table-attr", Value), o("l list A a b e E n q s S t w W X x z 0 1 H csv no-psqlrc", Flag), o("V version help", Help),
    ], Operands::Nothing).check(Check::Database),
    row("mysql mariadb", &[
        o("e execute", Pattern), o("tee", Write), o("pager", Script), o("defaults-file defaults-extra-file", TeethValue(OPTIONS)), o("init-command", Pattern), o("h host u user P port D database S socket protocol default-character-set", Value), o("p password", Optional), o("A B N s t v E H X n f", Flag), o("V version help", Help), o("plugin-dir", TeethValue("loads a library")),
    ], Operands::Nothing).check(Check::Database),
    row("mysqldump pg_dump pg_dumpall pg_restore mongodump", &[o("r result-file f file o out", Write), o("T tab", Path), o("defaults-file defaults-extra-file", TeethValue(OPTIONS)), o("h host u U user username P p port d dbname t table n schema F format j jobs", Value)], Operands::Shape),
    row("sqlite3 sqlite", &[
        o("cmd", Pattern), o("init", TeethValue("runs commands from a file")), o("separator nullvalue newline mmap vfs maxsize lookaside pagecache heap", Value), o("A", Flag), o("json csv column header noheader line list html readonly batch bail echo table box markdown quote ascii interactive", Flag), o("version help", Help),
    ], Operands::Shape).style(Style::Words).check(Check::Database),
    row("duckdb", &[o("c cmd s", Pattern), o("f init", TeethValue("runs commands from a file")), o("json csv column header readonly", Flag)], Operands::Shape).style(Style::Words).check(Check::Database),
    row("gh glab", &[o("pager editor", Script)], Operands::Shape).check(Check::Subcommands).style(Style::Ordered),
    row("gh/alias gh/extension", &[], Operands::Nothing).check(Check::Evaluates),
    row("gh/config", &[], Operands::Nothing).check(Check::Package),
    row("youtube-dl yt-dlp", &[o("exec exec-before-download external-downloader downloader use-postprocessor", Script), o("o output P paths cache-dir", Path), o("config-location config-locations", TeethValue(OPTIONS)), o("plugin-dirs", TeethValue("loads program text")), o("cookies batch-file a load-info-json", Path), o("f format S", Value)], Operands::Nothing),
];
