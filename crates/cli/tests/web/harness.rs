//! A running inbox, requests to it over real sockets, and headless runs that
//! ask it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

/// No step takes longer; over it, the test fails instead of hanging.
pub const LIMIT: Duration = Duration::from_secs(30);

/// A throw-away agent directory with a running inbox.
pub struct Inbox {
    pub world: tempfile::TempDir,
    pub process: Child,
    pub input: ChildStdin,
    pub lines: Mutex<Receiver<String>>,
    pub port: u16,
}

impl Inbox {
    pub fn start(extra: &[&str]) -> Self {
        let world = tempfile::tempdir().unwrap();
        let folder = world.path().join("agent/extensions/pi-permission-system");
        std::fs::create_dir_all(&folder).unwrap();
        let policy = json!({"permission": {"*": "ask", "bash": {"*": "ask", "true": "allow"}}});
        std::fs::write(folder.join("config.json"), policy.to_string()).unwrap();
        let mut process = command(world.path())
            .args(["inbox", "--web", "--port", "0"])
            .args(extra)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = read_lines(process.stdout.take().unwrap());
        let input = process.stdin.take().unwrap();
        Self {
            world,
            process,
            input,
            lines: Mutex::new(lines),
            port: 0,
        }
    }

    /// Starts one and waits for its first link; its token.
    pub fn with_token(extra: &[&str]) -> (Self, String) {
        let mut inbox = Self::start(extra);
        let (port, token) = inbox.link();
        inbox.port = port;
        (inbox, token)
    }

    /// Starts one and opens its link in a browser.
    pub fn with_browser() -> (Self, Browser) {
        let (inbox, token) = Self::with_token(&[]);
        let browser = inbox.open(&token);
        (inbox, browser)
    }

    /// Waits for a link: port and token.
    pub fn link(&self) -> (u16, String) {
        loop {
            let line = self.lines.lock().unwrap().recv_timeout(LIMIT).unwrap();
            if let Some((_, rest)) = line.split_once("http://127.0.0.1:") {
                let (port, token) = rest.split_once("/#").unwrap();
                return (port.parse().unwrap(), token.to_owned());
            }
        }
    }

    pub fn another_link(&mut self) -> String {
        writeln!(self.input).unwrap();
        self.link().1
    }

    pub fn open(&self, token: &str) -> Browser {
        let said = self.post("/open", &[], &json!({ "token": token }));
        assert_eq!(said.status, 200, "{}", said.body);
        let cookie = said.header("set-cookie").unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        Browser {
            cookie: cookie.split(';').next().unwrap().to_owned(),
            secret: said.json()["secret"].as_str().unwrap().to_owned(),
        }
    }

    pub fn ours(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads to the end.
    pub fn raw(&self, bytes: &[u8]) -> Said {
        let mut stream = self.connect();
        // The server may stop reading before all of it is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Said::read(&String::from_utf8(answer).unwrap())
    }

    /// A request with these headers besides `Host`, unless they name one.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Said {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|it| it.0 == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.ours()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    /// A request as our own page makes it, with these headers added.
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Said {
        let origin = format!("http://{}", self.ours());
        let mut all = vec![
            ("Origin", origin.as_str()),
            ("Content-Type", "application/json"),
        ];
        all.extend_from_slice(headers);
        self.request("POST", path, &all, &body.to_string())
    }

    pub fn answer(&self, browser: &Browser, question: &Value, answer: &str) -> Said {
        let body = json!({
            "questions": [{"id": question["id"], "digest": question["digest"]}],
            "answer": answer,
        });
        self.post("/answer", &browser.headers(), &body)
    }

    /// A headless run that makes these calls, one after the other.
    pub fn run(&self, name: &str, calls: &[&str]) -> Run {
        let agent_dir = self.world.path().join("agent");
        let mut process = command(self.world.path())
            .args(["demo-child", "--name", name, "--agent-dir"])
            .arg(agent_dir)
            .arg("--cwd")
            .arg(self.world.path())
            .env("PI_SUBAGENT_PARENT_SESSION", "countersign-inbox")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = process.stdin.take().unwrap();
        writeln!(input, "{}", calls.join("\n")).unwrap();
        let lines = read_lines(process.stdout.take().unwrap());
        Run { process, lines }
    }

    pub fn listen(&self, browser: &Browser) -> Page {
        let mut stream = self.connect();
        write!(
            stream,
            "GET /events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nX-Countersign-Secret: {}\r\n\r\n",
            self.ours(),
            browser.cookie,
            browser.secret
        )
        .unwrap();
        let mut page = Page {
            reader: BufReader::new(stream),
        };
        assert!(page.line().starts_with("HTTP/1.1 200"));
        page
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn command(home: &std::path::Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env("HOME", home)
        .env("PI_CODING_AGENT_DIR", home.join("agent"))
        .env_remove("PI_SUBAGENT_PARENT_SESSION");
    command
}

pub fn read_lines(out: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

pub struct Browser {
    pub cookie: String,
    pub secret: String,
}

impl Browser {
    pub fn headers(&self) -> [(&str, &str); 2] {
        [
            ("Cookie", self.cookie.as_str()),
            ("X-Countersign-Secret", self.secret.as_str()),
        ]
    }
}

/// A headless run.
pub struct Run {
    pub process: Child,
    pub lines: Receiver<String>,
}

impl Run {
    /// What became of its next call.
    pub fn result(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(LIMIT).unwrap()).unwrap()
    }

    pub fn allowed(&self) -> bool {
        self.result()["allowed"].as_bool().unwrap()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page that listens.
pub struct Page {
    reader: BufReader<TcpStream>,
}

impl Page {
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line
    }

    /// The next event of this name.
    pub fn event(&mut self, wanted: &str) -> Value {
        let until = Instant::now() + LIMIT;
        while Instant::now() < until {
            if self.line().trim_end() == format!("event: {wanted}") {
                let data = self.line();
                return serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            }
        }
        panic!("no event `{wanted}`");
    }
}

/// A response.
#[derive(Debug)]
pub struct Said {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Said {
    pub fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// What became of the first question that was answered.
    pub fn outcome(&self) -> String {
        let said = self.json();
        said["results"][0]["outcome"].as_str().unwrap().to_owned()
    }
}
