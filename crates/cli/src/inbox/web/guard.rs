//! Who may come in: one-time links, the browsers that opened one, and the
//! names this server goes by. Pure: time and randomness are handed in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::http::Request;

/// How long a link can be opened.
pub const LINK_LIFETIME: Duration = Duration::from_secs(600);

/// Links that can be opened at a time; a further one retires the oldest.
const LINKS: usize = 8;

/// A browser that has not been heard of for this long must open a new link.
const IDLE_LIMIT: Duration = Duration::from_secs(12 * 60 * 60);

/// Browsers at a time; a further one retires the one not heard of for longest.
const BROWSERS: usize = 16;

/// The header the page's own secret comes in. A cookie alone proves little:
/// browsers send it to every port of this machine.
pub const SECRET_HEADER: &str = "x-countersign-secret";

/// A secret of 256 bits.
pub fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Secrets are kept and compared as hashes, so that neither memory nor the
/// time of a comparison tells one.
type Hash = [u8; 32];

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

/// A browser that opened a link.
struct Browser {
    number: u64,
    cookie: Hash,
    secret: Hash,
    heard: Instant,
}

/// What a browser holds after it opened a link.
#[derive(Debug)]
pub struct Keys {
    /// The value of its cookie.
    pub cookie: String,
    /// What its page sends along with every request.
    pub secret: String,
}

/// Why a request is refused: the status, and what to say.
pub type Refusal = (u16, &'static str);

/// Links and browsers.
pub struct Guard {
    cookie_name: String,
    /// The names a tunnel gives this server, in small letters.
    names: Vec<String>,
    links: VecDeque<(Hash, Instant)>,
    browsers: Vec<Browser>,
    next: u64,
}

impl Guard {
    /// A guard for the server on `port`, which is also known by `names`.
    pub fn new(port: u16, names: &[String]) -> Self {
        Self {
            // Cookies do not know ports: two inboxes must not share one.
            cookie_name: format!("countersign_{port}"),
            names: names.iter().map(|it| it.to_ascii_lowercase()).collect(),
            links: VecDeque::new(),
            browsers: Vec::new(),
            next: 1,
        }
    }

    /// Lets one browser in that has this token.
    pub fn add_link(&mut self, token: &str, now: Instant) {
        self.links.push_back((hash(token), now));
        while self.links.len() > LINKS {
            self.links.pop_front();
        }
    }

    /// Whether a request came to one of our names, and from one of our pages
    /// where it says where it comes from. Another name means that a page of a
    /// stranger had its own name point here.
    pub fn check_address(&self, request: &Request) -> Result<(), Refusal> {
        let host = request
            .header("host")
            .ok_or((400, "there is no Host header"))?;
        if !self.is_ours(host) {
            return Err((
                421,
                "this server does not go by that name; `--allow-host` gives it one",
            ));
        }
        if let Some(site) = request.header("sec-fetch-site")
            && !matches!(site, "same-origin" | "none")
            && request.method != "GET"
        {
            return Err((403, "this comes from another page"));
        }
        match request.header("origin") {
            Some(origin) if !same_origin(origin, host) => {
                Err((403, "this comes from another page"))
            }
            None if request.method != "GET" => Err((403, "there is no Origin header")),
            _ => Ok(()),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = match host.rsplit_once(':') {
            Some((name, port))
                if !name.is_empty() && port.bytes().all(|it| it.is_ascii_digit()) =>
            {
                name
            }
            Some(_) => return false,
            None => host.as_str(),
        };
        // Any port: a tunnel may end on another one.
        name == "127.0.0.1" || name == "localhost" || self.names.iter().any(|it| it == name)
    }

    /// Consumes a link; the keys of the browser that opened it.
    pub fn open(&mut self, token: &str, keys: &Keys, now: Instant) -> Result<u64, Refusal> {
        let wanted = hash(token);
        self.links
            .retain(|(_, made)| now.saturating_duration_since(*made) < LINK_LIFETIME);
        let at = self.links.iter().position(|(it, _)| *it == wanted);
        if at.and_then(|at| self.links.remove(at)).is_none() {
            return Err((403, "this link was opened before, or is too old"));
        }
        if self.browsers.len() >= BROWSERS {
            let quiet = self.browsers.iter().enumerate().min_by_key(|it| it.1.heard);
            if let Some(at) = quiet.map(|it| it.0) {
                self.browsers.remove(at);
            }
        }
        let number = self.next;
        self.next += 1;
        self.browsers.push(Browser {
            number,
            cookie: hash(&keys.cookie),
            secret: hash(&keys.secret),
            heard: now,
        });
        Ok(number)
    }

    /// The cookie to set. Over a tunnel with encryption it never leaves that.
    pub fn cookie(&self, request: &Request, keys: &Keys) -> String {
        let origin = request.header("origin").unwrap_or_default();
        let secure = if origin.starts_with("https://") {
            "; Secure"
        } else {
            ""
        };
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict{secure}",
            self.cookie_name, keys.cookie
        )
    }

    /// The number of the browser a request comes from.
    pub fn browser(&mut self, request: &Request, now: Instant) -> Result<u64, Refusal> {
        self.browsers
            .retain(|it| now.saturating_duration_since(it.heard) < IDLE_LIMIT);
        let cookies = request.header("cookie").unwrap_or_default();
        let cookie = cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.cookie_name)
            .map(|(_, value)| hash(value))
            .ok_or((401, "this browser has not opened a link"))?;
        let browser = self
            .browsers
            .iter_mut()
            .find(|it| it.cookie == cookie)
            .ok_or((401, "this browser must open a new link"))?;
        let secret = request.header(SECRET_HEADER).unwrap_or_default();
        if hash(secret) != browser.secret {
            return Err((403, "the secret of the page is missing or wrong"));
        }
        browser.heard = now;
        Ok(browser.number)
    }

    /// Whether a browser may still listen; counts as hearing of it.
    pub fn still_here(&mut self, number: u64, now: Instant) -> bool {
        let browser = self.browsers.iter_mut().find(|it| it.number == number);
        browser.is_some_and(|it| {
            it.heard = now;
            true
        })
    }
}

/// An origin is a scheme and a host; a tunnel may add encryption.
fn same_origin(origin: &str, host: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        origin
            .strip_prefix(scheme)
            .is_some_and(|it| it.eq_ignore_ascii_case(host))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(name: &str) -> Keys {
        Keys {
            cookie: format!("{name}-cookie"),
            secret: format!("{name}-secret"),
        }
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (one, two) = (secret().unwrap(), secret().unwrap());
        assert_eq!(one.len(), 43);
        assert_ne!(one, two);
    }

    #[test]
    fn a_link_is_opened_once_and_in_time() {
        let start = Instant::now();
        let mut guard = Guard::new(1, &[]);
        guard.add_link("a", start);
        guard.add_link("b", start);
        assert!(guard.open("c", &keys("x"), start).is_err());
        assert_eq!(guard.open("a", &keys("x"), start), Ok(1));
        assert!(guard.open("a", &keys("y"), start).is_err(), "opened before");
        assert!(
            guard.open("b", &keys("y"), start + LINK_LIFETIME).is_err(),
            "too old"
        );
    }

    #[test]
    fn more_links_or_browsers_retire_the_oldest() {
        let start = Instant::now();
        let mut guard = Guard::new(1, &[]);
        for at in 0..=LINKS {
            guard.add_link(&format!("link-{at}"), start);
        }
        assert!(guard.open("link-0", &keys("x"), start).is_err());
        for at in 0..=BROWSERS {
            let token = format!("again-{at}");
            guard.add_link(&token, start);
            let now = start + Duration::from_secs(u64::try_from(at).unwrap());
            guard.open(&token, &keys(&token), now).unwrap();
        }
        let later = start + Duration::from_secs(60);
        assert!(!guard.still_here(1, later));
        assert!(guard.still_here(2, later));
    }

    #[test]
    fn only_our_names_count() {
        let guard = Guard::new(8417, &["Box.tail.ts.net".to_owned()]);
        for host in [
            "127.0.0.1:8417",
            "localhost",
            "LOCALHOST:9000",
            "box.tail.ts.net",
            "box.tail.ts.net:443",
        ] {
            assert!(guard.is_ours(host), "{host}");
        }
        for host in [
            "",
            ":8417",
            "evil.example",
            "evil.example:8417",
            "127.0.0.1.evil.example",
            "localhost.",
            "localhost:8417:8417",
            "localhost:80a",
            "user@localhost",
            "2130706433:8417",
            "box.tail.ts.net.evil.example",
        ] {
            assert!(!guard.is_ours(host), "{host}");
        }
        assert!(same_origin("http://localhost:1", "localhost:1"));
        assert!(same_origin("https://localhost:1", "localhost:1"));
        for origin in [
            "null",
            "localhost:1",
            "http://localhost:2",
            "http://localhost:1.evil",
            "ftp://localhost:1",
        ] {
            assert!(!same_origin(origin, "localhost:1"), "{origin}");
        }
    }
}
