//! HTTP, as much of it as a page on loopback needs: one request on each
//! connection, everything limited, so that a slow or hostile peer costs
//! nobody else anything.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest request line with its headers.
const HEAD_BYTES: usize = 16 << 10;

/// Most headers of a request.
const HEADERS: usize = 64;

/// Longest body: 200 answers with their digests and a reason.
const BODY_BYTES: usize = 64 << 10;

/// A whole request must be there by then.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// A peer that does not read is given up after this.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// Connections at a time. When all are taken, the one whose request has been
/// coming for longest makes room: a request that is sent at once never waits.
const CONNECTIONS: usize = 64;

/// What is read of a refused request, so that the peer sees the answer and
/// not a reset.
const DRAIN_BYTES: usize = 256 << 10;

/// A request.
#[derive(Debug)]
pub struct Request {
    /// Its method.
    pub method: String,
    /// Its path, without the query.
    pub path: String,
    headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Request {
    /// A header by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A response.
#[derive(Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// The type of its body.
    pub kind: &'static str,
    /// A cookie to set.
    pub cookie: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Response {
    /// A response in JSON.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            kind: "application/json",
            cookie: None,
            body: body.to_string().into_bytes(),
        }
    }

    /// A refusal that says why.
    pub fn refused(status: u16, why: &str) -> Self {
        Self::json(status, &serde_json::json!({ "error": why }))
    }

    fn head(&self, length: Option<usize>) -> String {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in FIXED_HEADERS {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Type: {}\r\n", self.kind));
        if let Some(length) = length {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        if let Some(cookie) = &self.cookie {
            head.push_str(&format!("Set-Cookie: {cookie}\r\n"));
        }
        head.push_str("\r\n");
        head
    }
}

/// With every response. The page takes everything from its own address, makes
/// no markup from text (`require-trusted-types-for`), stands in no frame, and
/// is kept by no cache.
const FIXED_HEADERS: [(&str, &str); 9] = [
    ("Connection", "close"),
    ("Cache-Control", "no-store"),
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
        "Permissions-Policy",
        "camera=(), microphone=(), geolocation=()",
    ),
];

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    }
}

/// Where a handler sends what it has to say as long as the peer listens.
pub struct Stream<'a>(&'a mut TcpStream);

impl Stream<'_> {
    /// Sends a piece.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        self.0.flush()
    }
}

/// Sends events as long as it runs.
pub type Sending = Box<dyn FnOnce(&mut Stream<'_>) -> io::Result<()> + Send>;

/// What a request is answered with.
pub enum Reply {
    /// All of it at once.
    Whole(Response),
    /// Server-sent events.
    Events(Sending),
}

/// Answers requests; called from the thread of each connection.
pub trait Handler: Send + Sync + 'static {
    /// Answers one.
    fn handle(&self, request: &Request) -> Reply;
}

/// The connections that are open: those whose request is still coming can be
/// closed to make room.
#[derive(Default)]
struct Open {
    next: u64,
    all: BTreeMap<u64, Option<TcpStream>>,
}

/// A running server.
pub struct Server {
    open: Arc<Mutex<Open>>,
    ending: Arc<AtomicBool>,
    port: u16,
}

impl Server {
    /// Serves what comes to `listener` from threads of its own.
    pub fn start(listener: TcpListener, handler: Arc<dyn Handler>) -> io::Result<Self> {
        let server = Self {
            open: Arc::default(),
            ending: Arc::default(),
            port: listener.local_addr()?.port(),
        };
        let open = Arc::clone(&server.open);
        let ending = Arc::clone(&server.ending);
        std::thread::Builder::new()
            .name("web".to_owned())
            .spawn(move || accept(&listener, &handler, &open, &ending))?;
        Ok(server)
    }

    /// Takes no more connections, and waits a moment for those that are open
    /// to end by themselves.
    pub fn stop(&self) {
        self.ending.store(true, Ordering::SeqCst);
        // The thread that accepts is waiting for one.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        for _ in 0..50 {
            if lock(&self.open).all.is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(
    listener: &TcpListener,
    handler: &Arc<dyn Handler>,
    open: &Arc<Mutex<Open>>,
    ending: &AtomicBool,
) {
    for stream in listener.incoming() {
        if ending.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else {
            // Out of file descriptors, most likely; that passes.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let Some(id) = admit(open, &stream) else {
            continue;
        };
        let handler = Arc::clone(handler);
        let place = Place {
            id,
            open: Arc::clone(open),
        };
        // Where no thread can be had, the connection and its place end here.
        let _ = std::thread::Builder::new()
            .name("web connection".to_owned())
            .spawn(move || serve(stream, handler.as_ref(), &place));
    }
}

/// A place for a connection, made free where all are taken.
fn admit(open: &Mutex<Open>, stream: &TcpStream) -> Option<u64> {
    let closer = stream.try_clone().ok()?;
    let mut open = lock(open);
    if open.all.len() >= CONNECTIONS {
        let slowest = open
            .all
            .iter()
            .find(|(_, it)| it.is_some())
            .map(|it| *it.0)?;
        if let Some(Some(closer)) = open.all.remove(&slowest) {
            let _ = closer.shutdown(Shutdown::Both);
        }
    }
    let id = open.next;
    open.next += 1;
    open.all.insert(id, Some(closer));
    Some(id)
}

/// The place of a connection, given back when dropped.
struct Place {
    id: u64,
    open: Arc<Mutex<Open>>,
}

impl Place {
    /// The request is complete: from now on nobody closes the connection.
    fn keep(&self) {
        if let Some(closer) = lock(&self.open).all.get_mut(&self.id) {
            *closer = None;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.open).all.remove(&self.id);
    }
}

fn serve(mut stream: TcpStream, handler: &dyn Handler, place: &Place) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(WRITE_LIMIT));
    let reply = match read(&mut stream) {
        Ok(Some(request)) => {
            place.keep();
            handler.handle(&request)
        }
        Ok(None) => return,
        Err(refusal) => {
            if write(&mut stream, &refusal).is_ok() {
                drain(&mut stream);
            }
            return;
        }
    };
    match reply {
        Reply::Whole(response) => {
            let _ = write(&mut stream, &response);
        }
        Reply::Events(run) => {
            let head = Response {
                status: 200,
                kind: "text/event-stream",
                cookie: None,
                body: Vec::new(),
            };
            if stream.write_all(head.head(None).as_bytes()).is_ok() {
                // A peer that went away is the usual end.
                let _ = run(&mut Stream(&mut stream));
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn write(stream: &mut TcpStream, response: &Response) -> io::Result<()> {
    let mut all = response.head(Some(response.body.len())).into_bytes();
    all.extend_from_slice(&response.body);
    stream.write_all(&all)?;
    stream.flush()
}

fn drain(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let until = Instant::now() + Duration::from_secs(1);
    let mut left = DRAIN_BYTES;
    let mut piece = [0; 8192];
    while let Ok(read) = read_some(stream, &mut piece, until) {
        left = left.saturating_sub(read);
        if read == 0 || left == 0 {
            return;
        }
    }
}

/// Reads with a limit to the whole, not to each piece: a byte now and then
/// does not keep a connection.
fn read_some(stream: &mut TcpStream, piece: &mut [u8], until: Instant) -> io::Result<usize> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    stream.set_read_timeout(Some(left))?;
    stream.read(piece)
}

/// Reads a request; `None` where the peer sent nothing at all.
fn read(stream: &mut TcpStream) -> Result<Option<Request>, Response> {
    let until = Instant::now() + REQUEST_LIMIT;
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    let mut found = None;
    loop {
        let read = match read_some(stream, &mut piece, until) {
            Ok(0) if bytes.is_empty() => return Ok(None),
            Ok(0) => return Err(Response::refused(400, "the request ended early")),
            Ok(read) => read,
            Err(_) if bytes.is_empty() => return Ok(None),
            Err(_) => return Err(Response::refused(408, "the request took too long")),
        };
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        if found.is_none() {
            found = head(&bytes)?;
        }
        match &found {
            Some((_, start, length)) if bytes.len() >= start + length => break,
            Some(_) => {}
            None if bytes.len() > HEAD_BYTES => {
                return Err(Response::refused(431, "the headers are too long"));
            }
            None => {}
        }
    }
    Ok(found.map(|(request, start, length)| Request {
        body: bytes
            .get(start..start + length)
            .unwrap_or_default()
            .to_vec(),
        ..request
    }))
}

/// The head of a request, where its body starts, and how long that is;
/// `None` while the head is not complete.
fn head(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Response> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let start = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(start)) => start,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Response::refused(431, "there are too many headers"));
        }
        Err(_) => return Err(Response::refused(400, "this is no HTTP request")),
    };
    if start > HEAD_BYTES {
        return Err(Response::refused(431, "the headers are too long"));
    }
    let target = parsed.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Err(Response::refused(400, "the target is no path"));
    }
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    for header in parsed.headers.iter() {
        let Ok(value) = std::str::from_utf8(header.value) else {
            return Err(Response::refused(400, "a header is not text"));
        };
        let name = header.name.to_ascii_lowercase();
        // Which of two counts is where others have been deceived.
        if request.header(&name).is_some() {
            return Err(Response::refused(400, "a header stands twice"));
        }
        request.headers.push((name, value.trim().to_owned()));
    }
    if request.header("transfer-encoding").is_some() {
        return Err(Response::refused(411, "the body must come in one piece"));
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) => {
            digits.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(Response::refused(400, "the length is no number")),
    };
    if length > BODY_BYTES {
        return Err(Response::refused(413, "the body is too long"));
    }
    Ok(Some((request, start, length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of these bytes: the path and the length of the body, or
    /// the status of the refusal.
    fn told(bytes: &str) -> Result<Option<(String, usize)>, u16> {
        match head(bytes.as_bytes()) {
            Ok(found) => Ok(found.map(|(request, _, length)| (request.path, length))),
            Err(refusal) => Err(refusal.status),
        }
    }

    #[test]
    fn reads_heads() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(HEAD_BYTES));
        let many: String = (0..=HEADERS).map(|at| format!("h{at}: 1\r\n")).collect();
        let many = format!("GET / HTTP/1.1\r\n{many}\r\n");
        let found = |path: &str, length| Ok(Some((path.to_owned(), length)));
        for (bytes, expected) in [
            ("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n", found("/a", 0)),
            (
                "POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\n",
                found("/", 7),
            ),
            ("GET / HTTP/1.1\r\nHost: x\r\n", Ok(None)),
            ("", Ok(None)),
            ("GET http://x/ HTTP/1.1\r\n\r\n", Err(400)),
            ("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", Err(400)),
            ("\u{0}\u{1}\u{2}\r\n\r\n", Err(400)),
            ("POST / HTTP/1.1\r\nContent-Length: +7\r\n\r\n", Err(400)),
            ("POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", Err(413)),
            (
                "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                Err(413),
            ),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                Err(411),
            ),
            (long.as_str(), Err(431)),
            (many.as_str(), Err(431)),
        ] {
            let shown: String = bytes.chars().take(60).collect();
            assert_eq!(told(bytes), expected, "{shown:?}");
        }
    }
}
