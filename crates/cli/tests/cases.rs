//! Runs the case files: what the product decides, as data. Every case is run
//! against the library and against `countersign check --batch`, which must
//! agree. `cases/README.md` describes the format.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use countersign_host::check::Checker;
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a folder promises about the verdicts in it.
const FOLDERS: [(&str, &[&str]); 6] = [
    ("must-allow", &["allow"]),
    ("must-ask", &["ask"]),
    ("must-block", &["deny"]),
    ("bypass", &["ask", "deny"]),
    ("odd", &["allow", "ask", "deny"]),
    ("crash", &["answered"]),
];

/// Whether a test of another crate names the folder: some have a format and a
/// runner of their own.
fn is_run_elsewhere(folder: &str) -> bool {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut todo = vec![crates];
    while let Some(path) = todo.pop() {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name != "target" && name != "node_modules" {
                todo.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            let named = format!("cases/{folder}");
            if fs::read_to_string(path).unwrap().contains(&named) {
                return true;
            }
        }
    }
    false
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// Why the expected verdict is right.
    why: String,
    /// The user's file: an object, or its text.
    config: Option<Value>,
    /// The project's file.
    project: Option<Value>,
    /// Files of the project (or absolute ones): a text, or `null` for a
    /// directory.
    #[serde(default)]
    files: BTreeMap<String, Option<String>>,
    /// Links, with where they lead.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Members of the request besides the call.
    #[serde(default)]
    request: Map<String, Value>,
    calls: Vec<Call>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    /// The tool; `bash` without.
    tool: Option<String>,
    /// Its input.
    input: Option<Value>,
    /// Short for the input of `bash`.
    run: Option<String>,
    /// `allow`, `ask`, `deny`, or `answered`: anything but an error.
    expect: String,
    /// The pattern that decides.
    pattern: Option<String>,
    /// The surface that decides.
    surface: Option<String>,
    /// The value that decides.
    value: Option<String>,
    /// Members of what is missing.
    needs: Option<Value>,
    /// Whether the approval, if asked for, is remembered for later calls.
    #[serde(default)]
    remember: bool,
}

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let program = Arc::new(Mutex::new(Program::start()));
    let mut trials = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for entry in fs::read_dir(&root).unwrap() {
        let entry = entry.unwrap();
        if !entry.file_type().unwrap().is_dir() {
            continue;
        }
        let folder = entry.file_name().into_string().unwrap();
        let allowed = FOLDERS.iter().find(|(name, _)| *name == folder);
        if allowed.is_none() && is_run_elsewhere(&folder) {
            continue;
        }
        let (_, verdicts) = *allowed.unwrap_or_else(|| panic!("cases/{folder} is not run"));
        for file in fs::read_dir(entry.path()).unwrap() {
            let path = file.unwrap().path();
            assert!(
                path.extension().is_some_and(|e| e == "jsonl"),
                "{} is not run",
                path.display()
            );
            for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
                if line.trim().is_empty() {
                    continue;
                }
                let case: Case = serde_json::from_str(line)
                    .unwrap_or_else(|e| panic!("{}:{}: {e}", path.display(), number + 1));
                assert!(seen.insert(case.id.clone()), "two cases are {}", case.id);
                assert!(!case.why.is_empty(), "{} does not say why", case.id);
                for call in &case.calls {
                    // A sequence may have steps of every kind.
                    let step = case.calls.len() > 1;
                    assert!(
                        step || verdicts.contains(&call.expect.as_str()),
                        "{} does not belong into {folder}",
                        case.id
                    );
                }
                let program = Arc::clone(&program);
                let name = format!("{folder}/{}", case.id);
                trials.push(Trial::test(name, move || run(&case, &program)));
            }
        }
    }
    assert!(trials.len() > 100, "the case files are missing");
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(program);
    conclusion.exit();
}

/// The program, answering line after line.
struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["check", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        self.input.flush().unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The directories of one case.
struct World {
    root: tempfile::TempDir,
    places: Vec<(&'static str, String)>,
}

impl World {
    fn new(case: &Case) -> Self {
        // Not below `/tmp`, of which rules speak.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let root = tempfile::tempdir_in(target).unwrap();
        let real = fs::canonicalize(root.path()).unwrap();
        let text = |path: PathBuf| path.into_os_string().into_string().unwrap();
        let home = real.join("home");
        let world = Self {
            places: vec![
                ("{{agent}}", text(home.join(".pi/agent"))),
                ("{{project}}", text(home.join("code/app"))),
                ("{{outside}}", text(home.join("code/other"))),
                ("{{home}}", text(home)),
            ],
            root,
        };
        for (_, place) in &world.places {
            fs::create_dir_all(place).unwrap();
        }
        for (name, content) in &case.files {
            let path = world.path(name);
            match content {
                None => fs::create_dir_all(path).unwrap(),
                Some(content) => world.put(&path, &world.fill(content)),
            }
        }
        for (name, target) in &case.links {
            let path = world.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink(world.fill(target), path).unwrap();
            #[cfg(not(unix))]
            let _ = target;
        }
        let own = "extensions/pi-permission-system/config.json";
        let configs = [
            (&case.config, world.path("{{agent}}").join(own)),
            (&case.project, world.path(".pi").join(own)),
        ];
        for (config, path) in configs {
            match config {
                None => {}
                Some(Value::String(text)) => world.put(&path, text),
                Some(object) => world.put(&path, &world.fill(&object.to_string())),
            }
        }
        world
    }

    fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, place) in &self.places {
            text = text.replace(name, place);
        }
        text
    }

    fn place(&self, name: &str) -> &str {
        let found = self.places.iter().find(|(known, _)| *known == name);
        &found.unwrap().1
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(self.place("{{project}}")).join(self.fill(name))
    }

    fn put(&self, path: &Path, content: &str) {
        assert!(path.starts_with(fs::canonicalize(self.root.path()).unwrap()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Whether a value has all members of another one.
fn has(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(name, value)| found.get(name).is_some_and(|found| has(found, value))),
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| has(f, e))
        }
        _ => found == expected,
    }
}

fn run(case: &Case, program: &Mutex<Program>) -> Result<(), Failed> {
    let world = World::new(case);
    let mut checker = Checker::default();
    let mut granted: Vec<Value> = Vec::new();
    for (step, call) in case.calls.iter().enumerate() {
        let tool = call.tool.as_deref().unwrap_or("bash");
        let input = match (&call.run, &call.input) {
            (Some(run), _) => json!({ "command": run }),
            (None, Some(input)) => input.clone(),
            (None, None) => Value::Null,
        };
        let mut request = json!({
            "id": step,
            "tool": tool,
            "input": input,
            "cwd": "{{project}}",
            "home": "{{home}}",
            "agent_dir": "{{agent}}",
        });
        for (member, value) in &case.request {
            request[member] = value.clone();
        }
        if !granted.is_empty() {
            request["grants"] = Value::Array(granted.clone());
        }
        let line = world.fill(&request.to_string());
        let answer = checker.answer(line.as_bytes());
        let request: Value = serde_json::from_str(&line).unwrap();
        let other = program.lock().unwrap().ask(&request);
        if other != answer {
            return Err(
                format!("the program disagrees\nlibrary: {answer}\nprogram: {other}").into(),
            );
        }
        let verdict = answer["verdict"].as_str().unwrap_or("error");
        let met = match call.expect.as_str() {
            "answered" => verdict != "error",
            expected => verdict == expected,
        };
        let deciding = &answer["deciding"];
        let same = |member: &str, expected: &Option<String>| {
            expected
                .as_ref()
                .is_none_or(|e| deciding[member] == world.fill(e))
        };
        if !met
            || !same("pattern", &call.pattern)
            || !same("surface", &call.surface)
            || !same("value", &call.value)
            || !call
                .needs
                .as_ref()
                .map(|needs| {
                    serde_json::from_str::<Value>(&world.fill(&needs.to_string())).unwrap()
                })
                .is_none_or(|needs| has(&answer["needsCapability"], &needs))
        {
            let message = format!(
                "call {step} {input}\nexpected {} {:?} {:?} {:?}\nbecause {}\nanswer {answer:#}",
                call.expect, call.surface, call.value, call.pattern, case.why
            );
            return Err(message.into());
        }
        if call.remember {
            granted.extend(answer["suggestions"].as_array().unwrap().iter().cloned());
        }
    }
    Ok(())
}
