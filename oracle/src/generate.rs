//! Random bash programs in tiers, from plain chains to programs with teeth.

use crate::random::Random;
use crate::templates::{TEETH, TRICKS, WRAPPERS};

/// What a tier adds to the ones below it.
pub const TIERS: [&str; 5] = [
    "chains",
    "substitutions and redirects",
    "control flow and tricks",
    "wrappers",
    "programs with teeth",
];

const FILES: &[&str] = &[
    "a.txt",
    "src/b.ts",
    ".env",
    "conf/.env",
    "notes",
    "secret/key",
    "./a.txt",
    "src/../.env",
    "link",
    "linkdir/key",
    "new.txt",
    "out/new",
    ".e*",
    "*.txt",
    ".en?",
    "{a.txt,.env}",
    "~/.netrc",
    "$HOME/.netrc",
    "\"$PWD\"/.env",
    "secret/*",
    "s*/key",
];
const TAME: &[&str] = &["a.txt", "src/b.ts", "notes", "./a.txt", "*.txt", "new.txt"];
const PLAIN: &[&str] = &[
    "ls",
    "cat",
    "head -n1",
    "wc -l",
    "git status",
    "git log",
    "make test",
    "stat",
    "grep x",
    "tool",
];
const HARM: &[&str] = &["rm", "rm -rf", "git push", "curl", "deploy", "publish now"];

/// One program of `tier` (0 to 4).
pub fn program(random: &mut Random, tier: usize) -> String {
    // In most programs what is forbidden hides in a trick: a plain one would
    // be refused, and show nothing.
    let sly = random.chance(65);
    let mut g = Gen { random, tier, sly };
    let mut text = g.list(3);
    if g.random.chance(10) {
        text.push('\n');
    }
    text
}

struct Gen<'a> {
    random: &'a mut Random,
    tier: usize,
    sly: bool,
}

impl Gen<'_> {
    fn one_of(&mut self, options: &[&str]) -> String {
        (*self.random.pick(options)).to_owned()
    }

    fn file(&mut self) -> String {
        if self.sly && !self.random.chance(8) {
            return self.one_of(TAME);
        }
        self.one_of(FILES)
    }

    /// A template with its holes filled.
    fn filled(&mut self, templates: &[&str], depth: usize) -> String {
        let harm = self.one_of(&["rm a.txt", "curl x", "deploy now", "cat .env", "git push"]);
        let file = if self.random.chance(50) {
            self.one_of(&[".env", "secret/key", "conf/.env", "link"])
        } else {
            self.one_of(&["a.txt", "notes", "src/b.ts"])
        };
        let plain = self.one_of(&["a.txt", "notes"]);
        let command = if self.random.chance(25) {
            harm.clone()
        } else {
            self.simple(depth)
        };
        self.one_of(templates)
            .replace("{H}", &harm)
            .replace("{F}", &file)
            .replace("{A}", &plain)
            .replace("{C}", &command.replace('\'', ""))
    }

    fn list(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        let mut parts = vec![self.statement(depth)];
        for _ in 1..count {
            let joint = self.one_of(&["; ", " && ", " || ", " | ", "\n", " ; ", "&&", " |& "]);
            parts.push(joint);
            parts.push(self.statement(depth));
        }
        parts.concat()
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let limit = match self.tier {
            0 => 1,
            1 => 3,
            2 => 6,
            3 => 7,
            _ => 8,
        };
        // The tier's own kind comes up often.
        let kind = if self.random.chance(40) {
            limit - 1
        } else {
            self.random.below(limit)
        };
        match kind {
            0 => self.simple(depth),
            1 => self.substituting(depth),
            2 => self.redirected(depth),
            3 => self.compound(depth),
            4 => self.tricky(depth),
            5 => self.assigned(depth),
            6 => self.wrapped(depth),
            _ => self.toothed(depth),
        }
    }

    fn simple(&mut self, _depth: usize) -> String {
        let harm = self.random.chance(if self.sly { 3 } else { 30 });
        let word = if harm {
            self.one_of(HARM)
        } else {
            self.one_of(PLAIN)
        };
        let mut text = word;
        for _ in 0..self.random.below(3) {
            text.push(' ');
            let file = self.file();
            text.push_str(&file);
        }
        text
    }

    fn substituting(&mut self, depth: usize) -> String {
        let inner = self.list(depth - 1);
        let one = inner.replace('\n', ";");
        match self.random.below(16) {
            0 => format!("echo $({inner})"),
            1 => format!("echo \"$({inner})\""),
            2 => format!("echo `{}`", one.replace(['`', '\\', '$'], "")),
            3 => format!("echo ${{nope:-$({inner})}}"),
            4 => format!("echo \"${{nope:=$({inner})}}\""),
            5 => format!("cat <({inner})"),
            6 => format!("echo $(( 1 + $({inner} >/dev/null; echo 2) ))"),
            7 => format!("cat <<EOF\nhi $({inner})\nEOF\n"),
            8 => format!("cat <<'EOF'\nhi $({inner})\nEOF\n"),
            9 => format!("cat <<<\"$({inner})\""),
            10 => format!("cat <<-EOF\n\t${{x:-`ls`}}$({inner})\n\tEOF\n"),
            11 => format!("a[$({inner} >/dev/null; echo 1)]=x"),
            12 => format!("x=$({inner}); echo \"$x\""),
            13 => format!("export V=$({inner})"),
            14 => format!("[[ -n $({inner}) ]]"),
            _ => format!("echo '$({})'", one.replace('\'', "")),
        }
    }

    fn redirected(&mut self, depth: usize) -> String {
        let command = self.simple(depth);
        let operator = self.one_of(&[
            ">",
            ">>",
            "<",
            "2>",
            "&>",
            ">|",
            "<>",
            "2>&1 >",
            "> /dev/null 2>",
        ]);
        let file = self.one_of(&[
            "a.txt",
            ".env",
            "new.txt",
            "out/new",
            "~/.netrc",
            "secret/key",
            "\"a b\"",
            "conf/.env",
            "link",
            "\"$HOME\"/x",
            "./new2",
        ]);
        match self.random.below(4) {
            0 => format!("{operator} {file} {command}"),
            1 => {
                let (word, rest) = command.split_once(' ').unwrap_or((&command, ""));
                format!("{word} {operator} {file} {rest}")
            }
            _ => format!("{command} {operator} {file}"),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let a = self.list(depth - 1);
        let b = self.list(depth - 1);
        match self.random.below(16) {
            0 => format!("if true; then {a}; fi"),
            1 => format!("if {a}; then {b}; else {a}; fi"),
            2 => format!("for f in 1 2; do {a}; done"),
            3 => "for f in *.txt .env; do cat \"$f\"; done".to_owned(),
            4 => format!("while {a}; do {b}; break; done"),
            5 => format!("until {a}; do break; done"),
            6 => format!("case x in y) {a};; *) {b};; esac"),
            7 => format!("({a})"),
            8 => format!("{{ {a}; }}"),
            9 => format!("f() {{ {a}; }}; f"),
            10 => format!("function g {{ {a}; }}; g x"),
            11 => format!("! {a}"),
            12 => format!("time {a}"),
            13 => format!("for ((i=0;i<1;i++)); do {a}; done"),
            14 => format!("[[ -f a.txt ]] && {a}"),
            _ => format!("coproc {{ {a}; }}; wait"),
        }
    }

    fn tricky(&mut self, depth: usize) -> String {
        let target = self.one_of(&["rm", "curl", "deploy", "cat", "ls"]);
        let file = self.file();
        let first = &target[..1];
        let rest = &target[1..];
        let inner = self.list(depth - 1).replace('\'', "");
        if self.random.chance(70) {
            return self.filled(TRICKS, depth);
        }
        match self.random.below(24) {
            0 => format!("{first}\\{rest} {file}"),
            1 => format!("'{target}' {file}"),
            2 => format!("\"{first}\"{rest} {file}"),
            3 => format!("{first}''{rest} {file}"),
            4 => format!("$'\\x{:x}'{rest} {file}", first.as_bytes()[0]),
            5 => format!("{first}\\\n{rest} {file}"),
            6 => format!("\\{target} {file}"),
            7 => format!("/usr/bin/../bin/{target} {file}"),
            8 => format!("X={target}; $X {file}"),
            9 => format!("\"$(echo {target})\" {file}"),
            10 => format!("{{{target},{file}}}"),
            11 => format!("eval '{inner}'"),
            12 => format!("eval \"{target} {file}\""),
            13 => format!("bash -c '{inner}'"),
            14 => format!("sh -c '{target} {file}'"),
            15 => format!("echo '{target} {file}' | sh"),
            16 => format!("command {target} {file}"),
            17 => format!("exec {target} {file}"),
            18 => format!("trap '{target} {file}' EXIT"),
            19 => format!("shopt -s expand_aliases\nalias zz='{target} {file}'\nzz"),
            20 => format!("ls() {{ {target} {file}; }}; ls"),
            21 => format!("{target}   {file}"),
            22 => format!("set -- {target} {file}; \"$@\""),
            _ => format!("source <(echo {target} {file})"),
        }
    }

    fn assigned(&mut self, depth: usize) -> String {
        let file = self.file();
        let inner = self.list(depth - 1);
        match self.random.below(9) {
            0 => format!("FOO=1 BAR=2 {}", self.simple(0)),
            1 => format!("f={file}; cat \"$f\""),
            2 => format!("f=a.txt; f={file}; cat $f"),
            3 => "cd secret && cat key".to_owned(),
            4 => format!("cd secret; cat ../{file}"),
            5 => "(cd secret); cat key".to_owned(),
            6 => "d=secret; cat $d/key".to_owned(),
            7 => format!("arr=($({inner})); echo ${{arr[0]}}"),
            _ => format!("read x < {file}; echo $x"),
        }
    }

    fn wrapped(&mut self, depth: usize) -> String {
        self.filled(WRAPPERS, depth)
    }

    fn toothed(&mut self, depth: usize) -> String {
        self.filled(TEETH, depth)
    }
}
