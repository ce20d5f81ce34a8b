//! Programs that make, move, change and pack files.

use super::super::row::Does::{
    Directory, Flag, Help, Maybe, Names, Optional, Path, PatternFile, Read, Script, Teeth,
    TeethValue, Value, Write,
};
use super::super::row::{Check, Operands, Row, Style, o, row};

pub(super) static ROWS: &[Row] = &[
    row("cp mv", &[
        o("t target-directory", Path), o("S suffix", Value), o("backup preserve no-preserve reflink sparse context update", Optional), o("a b d f H i l L n p P r R s T u v x Z recursive force archive no-clobber no-target-directory verbose interactive link symbolic-link dereference", Flag),
    ], Operands::Files).check(Check::Copy),
    row("ln", &[o("t target-directory", Path), o("S suffix", Value), o("backup", Optional), o("b d f F i L n P r s T v symbolic force no-dereference relative logical physical", Flag)], Operands::Files),
    row("link", &[], Operands::Files),
    row("install ginstall", &[
        o("t target-directory", Path), o("strip-program", Script), o("g group m mode o owner S suffix", Value), o("backup", Optional), o("b c C D d p s T v Z directory", Flag),
    ], Operands::Files),
    row("rm rmdir unlink shred mkfifo mkdir touch truncate srm trash trash-put rimraf del del-cli", &[
        o("s size n iterations", Value), o("m mode d date t", Maybe), o("r reference R", Maybe), o("random-source", Read), o("i f v p x u z a c h P", Flag),
    ], Operands::Files).check(Check::Remove),
    row("mknod", &[o("m mode", Value)], Operands::Shape),
    row("chmod chown chgrp chattr chflags chcon", &[
        o("reference", PatternFile), o("from", Value), o("R v f c h H L P recursive", Flag),
    ], Operands::FilesAfter(1)),
    row("setfacl xattr", &[
        o("m modify x remove set", Value), o("M X modify-file remove-file restore", Path), o("b k R v d n L P recursive default", Flag),
    ], Operands::Files),
    row("mktemp", &[o("p tmpdir", Path), o("suffix", Value), o("d q u t", Flag)], Operands::Shape),
    row("tar bsdtar", TAR, Operands::Shape).check(Check::Tar).guarded(),
    row("star pax", &[o("f", Path), o("s", Value), o("compress-program I", Script), o("C", Directory), o("r w a v z", Flag)], Operands::Shape).check(Check::Unpack),
    row("cpio", &[
        o("F I O file", Path), o("D directory", Directory), o("E pattern-file", Read), o("rsh-command", Script), o("H format R owner C io-size M message", Value), o("t list", Flag), o("i o p d m u v a B c l 0", Flag),
    ], Operands::Shape).check(Check::Unpack),
    row("zip", &[
        o("T test", Flag), o("TT unzip-command", Script), o("O out output-file", Write), o("b temp-path", Path), o("lf logfile-path", Write), o("n suffixes s split-size x exclude i include t tt P password Z", Maybe), o("r q u m 9 0 1 j y e d f", Flag),
    ], Operands::Shape).style(Style::Words).check(Check::Zip),
    row("unzip", &[
        o("d", Directory), o("l list t test v z p c", Flag), o("P", Value), o("x", Maybe), o("q o n j a u f C L X K", Flag),
    ], Operands::Shape).check(Check::Unpack),
    row("gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 compress uncompress brotli pigz", &[
        o("o output", Write), o("S suffix T threads", Maybe), o("D", Path), o("output-dir-flat output-dir-mirror", Path), o("filelist", Names), o("files files0", Names), o("c stdout to-stdout l list t test", Flag), o("d f k n q r v z 0 1 2 3 4 5 6 7 8 9 e decompress keep force recursive", Flag),
    ], Operands::Shape).check(Check::Beside),
    row("zcat gzcat bzcat xzcat zstdcat lzcat", &[], Operands::Shape),
    row("7z 7za 7zr 7zz", &[], Operands::Shape).style(Style::Words).check(Check::SevenZip),
    row("unrar rar unar", &[o("op o output-directory", Path)], Operands::Shape).style(Style::Words).check(Check::Unpack),
    row("dd", &[], Operands::Shape).style(Style::Keys).check(Check::Dd),
    row("rename prename perl-rename", &[o("e", TeethValue("runs program text"))], Operands::Pattern(1)).check(Check::Rename),
    row("du df", &[o("X exclude-from", Read), o("files0-from", Names), o("d max-depth exclude t type x-type B block-size threshold time-style", Maybe), o("time", Optional), o("a b c h k m s x L", Flag)], Operands::Shape),
    row("tree", &[o("o", Write), o("L I P H T filelimit charset timefmt sort", Value), o("fromfile", Flag), o("gitfile infofile", Read), o("a d f i l p s h u g D F q N Q r t x J X C A S n", Flag)], Operands::Shape),
    row("file", &[o("f files-from", Names), o("m magic-file", Path), o("C compile", Teeth("writes a compiled table")), o("F separator e exclude P parameter", Value), o("b i k L h N n p r s z Z 0", Flag)], Operands::Shape),
    row("readlink", &[o("e f m n q s v z", Flag)], Operands::Shape),
    row("locate plocate mlocate", &[o("d database", Path), o("l limit n", Value)], Operands::Nothing),
    row("updatedb", &[o("o output", Write), o("U database-root", Path)], Operands::Nothing),
    row("xdg-open open gio wslview explorer start", &[o("a b", TeethValue("starts a program")), o("args", Flag)], Operands::Shape).check(Check::Opens),
    row("logrotate", &[o("s state l log", Path), o("m mail", Script)], Operands::Files),
    row("mount umount losetup mkfs fsck fdisk parted", &[o("o t L U", Value)], Operands::Shape),
    row("openssl", &[
        o("out keyout CAout writerand sigout", Write), o("in inkey key CA CAkey CAfile CApath cert certfile config extfile rand content recip signer untrusted kfile sess_in psk_file", Path), o("engine provider provider-path", TeethValue("loads a library")), o("passin passout pass k K iv subj days addext newkey set_serial inform outform keyform digest md cipher connect servername port accept starttls name host", Value),
    ], Operands::Shape).style(Style::Words).check(Check::Openssl),
    row("gpg gpg2", &[
        o("o output", Write), o("log-file status-file logger-file attribute-file", Write), o("homedir keyring secret-keyring trustdb-name options passphrase-file", Path), o("photo-viewer exec-path agent-program dirmngr-program keyserver-options gpgconf-path", TeethValue("changes which programs it runs")), o("r recipient u local-user default-key passphrase passphrase-fd cipher-algo digest-algo compress-algo keyserver pinentry-mode command-fd status-fd s2k-mode", Value),
    ], Operands::Shape),
    row("age minisign signify cosign", &[o("o output", Write), o("i identity R recipients-file x m s", Path), o("r recipient", Value)], Operands::Shape),
    row("ssh-keygen", &[o("f", Path), o("D", TeethValue("loads a library")), o("t b C N P m I n V z O", Value), o("E", Value), o("w", TeethValue("loads a library")), o("s", Path)], Operands::Shape),
    row("ssh-add", &[o("s e S", TeethValue("loads a library")), o("t E", Value)], Operands::Shape),
    row("ssh-copy-id", &[o("i F", Path), o("o", TeethValue("can run a command")), o("p", Value)], Operands::Nothing),
];

const TAR: &[super::super::row::Opt] = &[
    o("f file", Path),
    o("C directory cd", Directory),
    o("checkpoint-action", Value),
    o(
        "to-command use-compress-program I rsh-command rmt-command info-script new-volume-script",
        Script,
    ),
    o("F", Script),
    o("T files-from", Names),
    o("X exclude-from", Read),
    o("g listed-incremental", Path),
    o("index-file volno-file", Write),
    o("newer-mtime N newer after-date", Value),
    o(
        "exclude b blocking-factor strip-components transform xform owner group mode mtime sort format H tape-length L record-size V label suffix level starting-file K hole-detection pax-option s exclude-tag exclude-ignore options uid gid uname gname",
        Value,
    ),
    o(
        "checkpoint backup atime-preserve warning one-top-level quoting-style",
        Optional,
    ),
    o(
        "c create x extract get t list r append u update d diff compare A concatenate delete v verbose z gzip j bzip2 J xz Z compress a auto-compress p k keep-old-files w h P absolute-names O to-stdout m o l n S W B i zstd lzma lzip lzop force-local no-same-owner same-permissions",
        Flag,
    ),
    o("help version usage", Help),
];
