//! System administration.

use super::super::row::Does::{Flag, Help, Maybe, Path, Read, Script, Teeth, TeethValue, Value};
use super::super::row::{Check, Operands, Row, o, row};

pub(super) static ROWS: &[Row] = &[
    row(
        "systemctl loginctl",
        &[
            o("root image", Path),
            o("H host M machine", TeethValue("acts on another machine")),
            o(
                "p property t type s signal n lines o output state job-mode",
                Value,
            ),
        ],
        Operands::Shape,
    )
    .check(Check::Systemctl),
    row("launchctl", &[], Operands::Shape).check(Check::Launchctl),
    row(
        "journalctl",
        &[
            o("D directory root file", Path),
            o(
                "u unit n lines S since U until o output p priority t identifier b boot g grep",
                Value,
            ),
        ],
        Operands::Nothing,
    ),
    row("service rc-service initctl", &[], Operands::Shape),
    row(
        "sysctl",
        &[
            o("w write", Teeth("changes how the kernel works")),
            o("p load", TeethValue("reads kernel settings from a file")),
            o("a n e N q", Flag),
        ],
        Operands::Nothing,
    )
    .check(Check::Sysctl),
    row(
        "modprobe insmod kmod rmmod",
        &[o("C config d dirname", Path)],
        Operands::Shape,
    )
    .check(Check::Runs),
    row(
        "useradd usermod userdel groupadd passwd chpasswd visudo vipw adduser deluser",
        &[o("s shell d home R root P prefix k skel", Path)],
        Operands::Nothing,
    ),
    row(
        "chsh",
        &[o("s shell", TeethValue("changes the shell of a user"))],
        Operands::Nothing,
    ),
    row("update-alternatives alternatives", &[], Operands::Shape),
    row("ldconfig", &[o("f C r", Path)], Operands::Shape),
    row(
        "lsof fuser",
        &[o("i p u c d g", Maybe), o("t n P l", Flag)],
        Operands::Shape,
    ),
    row(
        "ps top htop free vmstat iostat w who last history",
        &[],
        Operands::Nothing,
    ),
    row(
        "dmesg lsblk lscpu lsusb lspci",
        &[o("F file s sysroot", Path)],
        Operands::Nothing,
    ),
    row("defaults plutil dscl csrutil spctl", &[], Operands::Shape),
    row(
        "reg regedit schtasks wmic sc cmd",
        &[o("c C k K", TeethValue("hands text to a shell"))],
        Operands::Shape,
    )
    .check(Check::Runs),
    row(
        "wsl",
        &[o("e exec", Flag), o("d distribution u user", Value)],
        Operands::Shape,
    )
    .check(Check::Runs),
    row("ldd", &[o("v u d r", Flag)], Operands::Shape).check(Check::Runs),
    row(
        "run-parts",
        &[o("test list", Help), o("regex a arg u umask", Value)],
        Operands::Files,
    )
    .check(Check::Runs),
    row(
        "supervisord supervisorctl",
        &[o("c configuration", Path)],
        Operands::Shape,
    ),
    row(
        "logger write",
        &[o("f file", Read), o("t p i n", Value)],
        Operands::Nothing,
    ),
    row(
        "wg-quick openvpn",
        &[o(
            "up down script-security plugin config",
            TeethValue("runs scripts"),
        )],
        Operands::Shape,
    ),
    row(
        "dhclient udhcpc",
        &[o("sf s script", Script), o("cf lf pf", Path)],
        Operands::Nothing,
    ),
    row(
        "debugfs",
        &[
            o("R f", TeethValue("runs commands of its own")),
            o("w", Flag),
        ],
        Operands::Shape,
    ),
    row(
        "apachectl nginx httpd haproxy",
        &[
            o("c f p", Path),
            o("g", TeethValue("changes settings")),
            o("t T v V", Flag),
        ],
        Operands::Shape,
    ),
    row(
        "dpkg-deb rpm rpm2cpio",
        &[
            o("E eval pipe", TeethValue("runs program text")),
            o("root dbpath", Path),
        ],
        Operands::Shape,
    ),
    row("wall", &[o("g t", Value), o("n", Flag)], Operands::Files),
    row("yes", &[], Operands::Nothing),
];
