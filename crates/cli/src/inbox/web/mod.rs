//! The inbox as a page for a browser, on loopback.

mod board;
mod guard;
mod http;

use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign_host::dialog::visible;
use serde::Deserialize;
use serde_json::json;

use self::board::{Board, Wanted};
use self::guard::{Guard, Keys, LINK_LIFETIME, secret};
use self::http::{Handler, Reply, Request, Response, Server, Stream};
use super::bell::Bell;
use super::serve::{Event, Inbox};
use crate::exit::{ASK, Failure, Outcome};
use crate::terminal::{complain, say};

/// A page that hears nothing else is sent a comment this often, so that a
/// connection that broke is noticed on both ends.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// What the page consists of.
const FILES: [(&str, &str, &str); 5] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("page/inbox.html"),
    ),
    (
        "/inbox.css",
        "text/css; charset=utf-8",
        include_str!("page/inbox.css"),
    ),
    (
        "/inbox.js",
        "text/javascript; charset=utf-8",
        include_str!("page/inbox.js"),
    ),
    (
        "/parts.js",
        "text/javascript; charset=utf-8",
        include_str!("page/parts.js"),
    ),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

/// Takes the port, before anything is served.
pub fn bind(port: u16) -> anyhow::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let failure = match error.kind() {
            std::io::ErrorKind::AddrInUse => Failure::new(format!("port {port} is in use"))
                .help("choose another one with `--port`, or any that is free with `--port 0`"),
            std::io::ErrorKind::PermissionDenied => {
                Failure::new(format!("port {port} is not for everyone"))
                    .help("choose one above 1023 with `--port`")
            }
            _ => Failure::new(format!("cannot listen on port {port}: {error}")),
        };
        failure.into()
    })
}

/// Serves until `quit` or an interrupt.
pub fn run(inbox: Inbox, listener: TcpListener, names: &[String], bell: Bell) -> Outcome {
    let port = listener.local_addr()?.port();
    let site = Arc::new(Site {
        board: Board::new(Arc::clone(&inbox.session)),
        guard: Mutex::new(Guard::new(port, names)),
        names: names.to_vec(),
        port,
    });
    let server = Server::start(listener, Arc::new(Arc::clone(&site)))?;
    say(&format!("serving questions to `{}`", inbox.session.id()))?;
    invite(&site)?;
    if std::io::stdin().is_terminal() {
        say("press enter for a link for another browser; type `quit` to end")?;
    }
    inbox.listen();
    while let Ok(event) = inbox.events.recv() {
        match event {
            Event::Asked(question) => {
                bell.ring(&inbox.session, question.agent());
                site.board.add(*question);
            }
            Event::Gone(id) => site.board.remove(&id),
            Event::Decided(payload) => site.board.decided(&payload),
            Event::Notice(text) => {
                complain(&format!("note: {}", visible(&text)));
                site.board.notice(&text);
            }
            Event::Line(Some(line)) => match line.trim() {
                "quit" => break,
                "" => invite(&site)?,
                _ => say("enter gives a link for another browser; `quit` ends")?,
            },
            // Without a terminal there is nothing to read, and it goes on.
            Event::Line(None) => {}
            Event::Interrupt => break,
        }
    }
    site.board.end();
    server.stop();
    drop(inbox);
    match site.board.waiting() {
        0 => Ok(ExitCode::SUCCESS),
        unanswered => {
            say(&format!("ended with {unanswered} unanswered"))?;
            Ok(ASK.into())
        }
    }
}

/// Prints a link. The token stands behind `#`, so that it reaches no log of a
/// tunnel and no other site.
fn invite(site: &Site) -> anyhow::Result<()> {
    let token = site
        .token()
        .map_err(|error| Failure::new(format!("cannot make a link: {error}")))?;
    let minutes = LINK_LIFETIME.as_secs() / 60;
    let port = site.port;
    say(&format!(
        "open within {minutes} minutes, once: http://127.0.0.1:{port}/#{token}"
    ))?;
    for name in &site.names {
        say(&format!("through your tunnel: https://{name}/#{token}"))?;
    }
    Ok(())
}

/// The server's side of the page.
struct Site {
    board: Board,
    guard: Mutex<Guard>,
    names: Vec<String>,
    port: u16,
}

/// Why a request is refused, as a response.
fn refused((status, why): guard::Refusal) -> Response {
    Response::refused(status, why)
}

impl Site {
    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token of a link that lets one browser in.
    fn token(&self) -> Result<String, getrandom::Error> {
        let token = secret()?;
        self.guard().add_link(&token, Instant::now());
        Ok(token)
    }

    fn route(self: &Arc<Self>, request: &Request) -> Result<Reply, Response> {
        self.guard().check_address(request).map_err(refused)?;
        let whole = |response| Ok(Reply::Whole(response));
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", path) if FILES.iter().any(|(it, ..)| *it == path) => whole(file(path)),
            ("GET", "/events") => self.events(request),
            ("POST", "/open") => self.open(request).and_then(whole),
            ("POST", "/answer") => self.answer(request).and_then(whole),
            ("POST", "/link") => {
                self.browser(request)?;
                let token = self.token().map_err(no_randomness)?;
                let link = json!({ "token": token, "names": self.names });
                whole(Response::json(200, &link))
            }
            (_, "/" | "/inbox.css" | "/inbox.js" | "/parts.js" | "/icon.svg")
            | (_, "/events" | "/open" | "/answer" | "/link") => {
                Err(Response::refused(405, "not with this method"))
            }
            _ => Err(Response::refused(404, "there is nothing here")),
        }
    }

    fn browser(&self, request: &Request) -> Result<u64, Response> {
        self.guard()
            .browser(request, Instant::now())
            .map_err(refused)
    }

    fn open(&self, request: &Request) -> Result<Response, Response> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Opening {
            token: String,
        }
        let opening: Opening = body(request)?;
        let keys = Keys {
            cookie: secret().map_err(no_randomness)?,
            secret: secret().map_err(no_randomness)?,
        };
        let mut guard = self.guard();
        let number = guard
            .open(&opening.token, &keys, Instant::now())
            .map_err(refused)?;
        let mut response =
            Response::json(200, &json!({ "browser": number, "secret": keys.secret }));
        response.cookie = Some(guard.cookie(request, &keys));
        Ok(response)
    }

    fn answer(&self, request: &Request) -> Result<Response, Response> {
        let browser = self.browser(request)?;
        let wanted: Wanted = body(request)?;
        let results = self
            .board
            .answer(browser, &wanted)
            .map_err(|why| Response::refused(400, why))?;
        let all = results.iter().all(|it| it["outcome"] == "answered");
        let status = if all { 200 } else { 409 };
        Ok(Response::json(status, &json!({ "results": results })))
    }

    fn events(self: &Arc<Self>, request: &Request) -> Result<Reply, Response> {
        let browser = self.browser(request)?;
        let (all, changes) = self
            .board
            .listen(browser)
            .ok_or_else(|| Response::refused(503, "too many pages are open"))?;
        let site = Arc::clone(self);
        let run = move |stream: &mut Stream<'_>| {
            stream.send(&all)?;
            loop {
                match changes.recv_timeout(COMMENT_EVERY) {
                    Ok(message) => stream.send(&message)?,
                    Err(RecvTimeoutError::Timeout) => stream.send(":\n\n")?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
                if !site.guard().still_here(browser, Instant::now()) {
                    return Ok(());
                }
            }
        };
        Ok(Reply::Events(Box::new(run)))
    }
}

impl Handler for Arc<Site> {
    fn handle(&self, request: &Request) -> Reply {
        self.route(request).unwrap_or_else(Reply::Whole)
    }
}

fn no_randomness(_: getrandom::Error) -> Response {
    Response::refused(503, "the system gives no randomness")
}

fn file(path: &str) -> Response {
    let found = FILES.iter().find(|(it, ..)| *it == path);
    found.map_or_else(
        || Response::refused(404, "there is nothing here"),
        |(_, kind, text)| Response {
            status: 200,
            kind,
            cookie: None,
            body: text.as_bytes().to_vec(),
        },
    )
}

/// A body in JSON. Another type is what forms of other sites can send.
fn body<T: for<'de> Deserialize<'de>>(request: &Request) -> Result<T, Response> {
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Response::refused(415, "the body must be JSON"));
    }
    serde_json::from_slice(&request.body)
        .map_err(|_| Response::refused(400, "the body says something else"))
}
