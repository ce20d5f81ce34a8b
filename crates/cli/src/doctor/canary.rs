//! A canary: a call that must not run unasked, made through real Pi with the
//! user's own settings. A model of our own on loopback makes it, so no
//! provider is contacted and nothing is spent.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Finding, on_path};

/// The analysis cannot know what this runs, so it is at least asked about,
/// whatever the policy; and should it run, it does nothing.
const CALL: &str = "eval \"$COUNTERSIGN_CANARY\"";

/// How every refusal of ours begins.
const PREFIX: &str = "[pi-permission-system]";

/// Starting Pi takes a few seconds on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most of a request that is read.
const LONGEST_REQUEST: u64 = 8 << 20;

/// Variables that would bring the canary's question to a real person.
const PARENTS: &[&str] = &[
    "PI_SUBAGENT_PARENT_SESSION",
    "PI_AGENT_ROUTER_PARENT_SESSION_ID",
];

/// Makes the call and says what became of it.
pub fn check(cwd: &Path) -> Vec<Finding> {
    let Some(pi) = on_path(if cfg!(windows) { "pi.cmd" } else { "pi" }) else {
        return vec![Finding::note(
            "no canary call was made: there is no `pi` on the program path",
            "install Pi, or put it on the path",
        )];
    };
    let finding = match call(&pi, cwd) {
        Ok(result) if result.contains(PREFIX) => {
            Finding::good("a canary call through real Pi was stopped, as it should be")
        }
        Ok(result) if result.contains("not found") => Finding::note(
            "no canary call could be made: Pi offers no `bash` tool",
            "nothing to do, if that is how you set it up",
        ),
        Ok(_) => Finding::bad(
            "a canary call through real Pi RAN: nothing gates it",
            "if `yoloMode` is on, that is why; otherwise start `pi` and look for an error of the extension",
        ),
        Err(why) => Finding::note(
            format!("no canary call could be made: {why}"),
            "countersign doctor --no-canary leaves it out",
        ),
    };
    vec![finding]
}

/// The result of the canary's tool call, as the model is told it.
fn call(pi: &Path, cwd: &Path) -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|it| it.to_string())?;
    let address = listener.local_addr().map_err(|it| it.to_string())?;
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let tell = tell.clone();
            std::thread::spawn(move || {
                let _ = answer(stream, &tell);
            });
        }
    });
    let extension =
        Extension::write(&format!("http://{address}/v1")).map_err(|it| it.to_string())?;
    let mut command = Command::new(pi);
    command
        .args(["-p", "--no-session", "--provider", "countersign-canary"])
        .args(["--model", "canary", "-e"])
        .arg(&extension.0)
        .arg("canary")
        .current_dir(cwd)
        .env("PI_OFFLINE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    for name in PARENTS {
        command.env_remove(name);
    }
    let mut process = Killed(
        command
            .spawn()
            .map_err(|error| format!("`{}` cannot be started: {error}", pi.display()))?,
    );
    let errors = process.0.stderr.take().map(|mut stderr| {
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        })
    });
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Ok(result) = hear.recv_timeout(Duration::from_millis(50)) {
            return Ok(result);
        }
        if matches!(process.0.try_wait(), Ok(Some(_))) {
            // It may have reported right before its end.
            if let Ok(result) = hear.recv_timeout(Duration::from_millis(200)) {
                return Ok(result);
            }
            let said = errors.and_then(|it| it.join().ok()).unwrap_or_default();
            // A stack trace begins with where, not with what.
            let lines = || said.lines().filter(|line| !line.trim().is_empty());
            let line = lines()
                .find(|line| line.contains("Error"))
                .or(lines().next());
            return Err(format!(
                "Pi ended: {}",
                line.unwrap_or("without a word").trim()
            ));
        }
    }
    Err(format!("Pi took longer than {} s", PATIENCE.as_secs()))
}

/// Ended when dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A file that gives Pi our model; removed when dropped.
struct Extension(PathBuf);

impl Extension {
    fn write(url: &str) -> io::Result<Self> {
        let path =
            std::env::temp_dir().join(format!("countersign-canary-{}.mjs", std::process::id()));
        let model = json!({
            "id": "canary", "name": "Canary", "reasoning": false, "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 32_000, "maxTokens": 1_000,
        });
        let provider = json!({
            "baseUrl": url, "apiKey": "none", "api": "openai-completions", "models": [model],
        });
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let made = Self(path);
        writeln!(
            file,
            "export default (pi) => pi.registerProvider(\"countersign-canary\", {provider});"
        )?;
        Ok(made)
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Answers one request: with the call, or, once its result is in the
/// conversation, with a last word.
fn answer(stream: TcpStream, tell: &Sender<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(LONGEST_REQUEST));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = body
        .get("messages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .rfind(|it| it.get("role").and_then(Value::as_str) == Some("tool"))
        .and_then(|it| it.get("content"));
    let delta = match result {
        Some(content) => {
            let _ = tell.send(content.to_string());
            json!({"role": "assistant", "content": "done"})
        }
        None => json!({"role": "assistant", "tool_calls": [{
            "index": 0, "id": "call_canary", "type": "function",
            "function": {"name": "bash", "arguments": json!({"command": CALL}).to_string()},
        }]}),
    };
    let reason = if result.is_some() {
        "stop"
    } else {
        "tool_calls"
    };
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({
            "id": "canary", "object": "chat.completion.chunk", "created": 0, "model": "canary",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        });
        format!("data: {chunk}\n\n")
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{}{}data: [DONE]\n\n",
        chunk(delta, Value::Null),
        chunk(json!({}), json!(reason))
    )?;
    stream.flush()
}
