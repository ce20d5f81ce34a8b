//! What the pages show, and what an answer from one of them makes of it. The
//! first answer to a question counts; every other browser is told of it.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use countersign_host::dialog::{Reach, visible};
use countersign_host::session::{Answer, Session, Via};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::super::answer::{NOT_OFFERED, offered};
use super::super::serve::{Decision, NOT_WAITING, Waiting};

/// Decisions kept to look back at.
const HISTORY: usize = 500;

/// Ends kept to tell a browser whose answer came second.
const ENDS: usize = 1000;

/// Messages that may wait for a page; one that falls further behind is cut
/// off, and gets everything anew when it comes back.
const BEHIND: usize = 512;

/// Pages that listen at a time.
const PAGES: usize = 32;

/// Characters of one fact on a page.
const FACT_CHARACTERS: usize = 20_000;

/// Longest reason, in characters.
const REASON_CHARACTERS: usize = 2000;

/// Questions that one request may answer.
const AT_ONCE: usize = 200;

/// An answer as a page sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The questions it is for.
    pub questions: Vec<Named>,
    /// `once`, `subagent`, `session`, `project`, `everywhere` or `deny`.
    pub answer: String,
    /// Whether a grant covers both directions.
    #[serde(default)]
    pub both: bool,
    /// Why not.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A question as the page showed it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// The digest of what was shown.
    pub digest: String,
}

/// A question on the pages.
struct Shown {
    waiting: Waiting,
    json: Value,
    digest: String,
}

#[derive(Default)]
struct State {
    waiting: Vec<Shown>,
    /// Who answered what, the newest last.
    ends: VecDeque<(String, End)>,
    history: VecDeque<Value>,
    /// The pages that listen.
    pages: Vec<SyncSender<Arc<str>>>,
}

/// How a question was answered from a page.
#[derive(Clone)]
struct End {
    browser: u64,
    words: String,
}

/// The questions that wait, the history, and the pages that listen.
pub struct Board {
    session: Arc<Session>,
    state: Mutex<State>,
}

impl Board {
    /// An empty board of a serving session.
    pub fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many questions wait.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// A question arrived.
    pub fn add(&self, waiting: Waiting) {
        let json = question(&waiting);
        let digest = digest(&json);
        let mut state = self.lock();
        let shown = Shown {
            waiting,
            json,
            digest,
        };
        let data = with_age(&shown);
        state.waiting.push(shown);
        state.tell("asked", &data);
    }

    /// A question is answered, or nobody waits for its answer any more.
    pub fn remove(&self, id: &str) {
        let mut state = self.lock();
        let before = state.waiting.len();
        state
            .waiting
            .retain(|it| it.waiting.question.request_id != id);
        if state.waiting.len() < before {
            state.tell("gone", &json!({ "id": id }));
        }
    }

    /// Something was decided; the event's payload.
    pub fn decided(&self, payload: &Value) {
        let decision = Decision::of(payload);
        let mut state = self.lock();
        let id = payload.get("requestId").and_then(Value::as_str);
        let end = id.and_then(|id| state.end_of(id));
        let entry = json!({
            "at": unix_millis(),
            "word": decision.word,
            "by": decision.by,
            "browser": end.map(|it| it.browser),
            "what": decision.what,
            "agent": decision.agent,
        });
        state.history.push_front(entry.clone());
        state.history.truncate(HISTORY);
        state.tell("decided", &entry);
    }

    /// The session has something to say.
    pub fn notice(&self, text: &str) {
        self.lock()
            .tell("notice", &json!({ "text": visible(text) }));
    }

    /// The inbox ends; the pages are told so.
    pub fn end(&self) {
        let mut state = self.lock();
        state.tell("ended", &json!({}));
        state.pages.clear();
    }

    /// Listens from now on: everything there is, then what changes. `None`
    /// where too many do.
    pub fn listen(&self, browser: u64) -> Option<(String, Receiver<Arc<str>>)> {
        let mut state = self.lock();
        // Told a comment, those that are gone are noticed.
        state.send(&Arc::from(":\n\n"));
        if state.pages.len() >= PAGES {
            return None;
        }
        let (sender, receiver) = sync_channel(BEHIND);
        state.pages.push(sender);
        let waiting: Vec<Value> = state.waiting.iter().map(with_age).collect();
        let all = json!({
            "session": visible(self.session.id()),
            "browser": browser,
            "waiting": waiting,
            "history": state.history,
        });
        Some((event("all", &all), receiver))
    }

    /// Answers questions. For each, what became of it.
    pub fn answer(&self, browser: u64, wanted: &Wanted) -> Result<Vec<Value>, &'static str> {
        if wanted.questions.is_empty() || wanted.questions.len() > AT_ONCE {
            return Err("name 1 to 200 questions");
        }
        let answer = read(wanted)?;
        let result = |named: &Named| {
            let (outcome, told) = self.answer_one(browser, named, &answer);
            json!({ "id": named.id, "outcome": outcome, "told": told })
        };
        Ok(wanted.questions.iter().map(result).collect())
    }

    /// The lock is held while the session takes the answer, so that nobody is
    /// told of an answer that did not count in the end.
    fn answer_one(&self, browser: u64, named: &Named, answer: &Answer) -> (&'static str, String) {
        let mut state = self.lock();
        let found = state
            .waiting
            .iter()
            .position(|it| it.waiting.question.request_id == named.id);
        let Some(shown) = found.and_then(|at| state.waiting.get(at)) else {
            return match state.end_of(&named.id) {
                Some(end) if end.browser == browser => (
                    "already",
                    format!("this browser answered it: {}", end.words),
                ),
                Some(end) => (
                    "already",
                    format!("browser {} answered it first: {}", end.browser, end.words),
                ),
                None => ("gone", NOT_WAITING.to_owned()),
            };
        };
        if shown.digest != named.digest {
            return ("changed", "the question is not the one you saw".to_owned());
        }
        if !offered(&shown.waiting.question.offers, answer) {
            return ("not-offered", NOT_OFFERED.to_owned());
        }
        let counted = self.session.answer(&named.id, answer.clone(), Via::Dialog);
        state
            .waiting
            .retain(|it| it.waiting.question.request_id != named.id);
        if !counted {
            state.tell("gone", &json!({ "id": named.id }));
            return ("gone", NOT_WAITING.to_owned());
        }
        let words = words(answer);
        let end = End {
            browser,
            words: words.clone(),
        };
        state.ends.push_back((named.id.clone(), end));
        while state.ends.len() > ENDS {
            state.ends.pop_front();
        }
        state.tell(
            "gone",
            &json!({ "id": named.id, "browser": browser, "words": words }),
        );
        ("answered", words)
    }
}

impl State {
    fn end_of(&self, id: &str) -> Option<End> {
        let found = self.ends.iter().rev().find(|(it, _)| it == id);
        found.map(|(_, end)| end.clone())
    }

    fn tell(&mut self, name: &str, data: &Value) {
        self.send(&Arc::from(event(name, data)));
    }

    fn send(&mut self, message: &Arc<str>) {
        self.pages
            .retain(|page| page.try_send(Arc::clone(message)).is_ok());
    }
}

/// One server-sent event. JSON has no line ends of its own.
fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX))
}

fn read(wanted: &Wanted) -> Result<Answer, &'static str> {
    let reach = match wanted.answer.as_str() {
        "once" => Reach::Once,
        "subagent" => Reach::Subagent,
        "session" => Reach::Session,
        "project" => Reach::Project,
        "everywhere" => Reach::Everywhere,
        "deny" => {
            let reason = wanted.reason.as_deref().map(str::trim).unwrap_or_default();
            if wanted.both {
                return Err("a refusal has no directions");
            }
            if reason.chars().count() > REASON_CHARACTERS {
                return Err("the reason is too long");
            }
            return Ok(Answer::Denied {
                reason: Some(reason.to_owned()).filter(|it| !it.is_empty()),
            });
        }
        _ => return Err("this is no answer"),
    };
    if wanted.reason.is_some() {
        // Something is mixed up.
        return Err("an approval has no reason");
    }
    Ok(Answer::Approved {
        reach,
        both_directions: wanted.both,
    })
}

fn reach_word(reach: Reach) -> &'static str {
    match reach {
        Reach::Once => "once",
        Reach::Subagent => "subagent",
        Reach::Session => "session",
        Reach::Project => "project",
        Reach::Everywhere => "everywhere",
    }
}

fn words(answer: &Answer) -> String {
    match answer {
        Answer::Approved { reach, .. } => match reach {
            Reach::Once => "yes, once".to_owned(),
            Reach::Subagent => "yes, for the subagent".to_owned(),
            Reach::Session => "yes, for the session".to_owned(),
            Reach::Project => "yes, for the project".to_owned(),
            Reach::Everywhere => "yes, everywhere".to_owned(),
        },
        Answer::Denied { reason: Some(why) } => format!("no: {}", visible(why)),
        Answer::Denied { reason: None } | Answer::Unavailable { .. } => "no".to_owned(),
    }
}

/// A question as pages get it: every text with what hides or reorders written
/// out. The page shows it as text, never as markup.
fn question(it: &Waiting) -> Value {
    let question = &it.question;
    let forwarding = question.forwarding.as_ref();
    let through: Vec<Value> = forwarding
        .map(|it| it.through.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|(session, agent)| {
            json!({
                "session": visible(session),
                "agent": agent.as_deref().map(visible),
            })
        })
        .collect();
    let facts: Vec<Value> = question
        .facts
        .iter()
        .map(|fact| {
            json!({
                "label": shown(&fact.label),
                "text": shown(&fact.text),
                "detail": fact.detail.as_deref().map(shown),
                "flagged": fact.flagged,
            })
        })
        .collect();
    let offers: Vec<Value> = question
        .offers
        .iter()
        .map(|offer| {
            json!({
                "reach": reach_word(offer.reach),
                "both": offer.both_directions,
                "label": shown(&offer.label),
            })
        })
        .collect();
    let fact = |key: &str| it.facts.get(key).and_then(Value::as_str).map(shown);
    json!({
        "id": question.request_id,
        "agent": shown(it.agent()),
        "asker": shown(it.session()),
        "through": through,
        "cwd": forwarding.and_then(|it| it.cwd.as_deref()).map(shown),
        "surface": fact("surface"),
        "value": fact("value"),
        "facts": facts,
        "grant": question.grant.as_deref().map(shown),
        "offers": offers,
    })
}

/// Text for a page. What is too long for one says how much is missing.
fn shown(text: &str) -> String {
    match text.char_indices().nth(FACT_CHARACTERS) {
        Some((at, _)) => {
            let (kept, rest) = text.split_at(at);
            let more = rest.chars().count();
            format!("{}\n… and {more} more characters", visible(kept))
        }
        None => visible(text),
    }
}

/// What an answer refers to: everything that was shown of a question.
fn digest(question: &Value) -> String {
    let hash = Sha256::digest(question.to_string().as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The question with its digest and how long it has been waiting: clocks of
/// other machines do not matter then.
fn with_age(shown: &Shown) -> Value {
    let mut json = shown.json.clone();
    if let Some(map) = json.as_object_mut() {
        let waited = shown.waiting.since.elapsed().as_millis();
        map.insert("digest".into(), json!(shown.digest));
        map.insert(
            "waited".into(),
            json!(u64::try_from(waited).unwrap_or(u64::MAX)),
        );
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(answer: &str, both: bool, reason: Option<&str>) -> Wanted {
        Wanted {
            questions: Vec::new(),
            answer: answer.to_owned(),
            both,
            reason: reason.map(str::to_owned),
        }
    }

    #[test]
    fn reads_answers() {
        let approved = |reach, both_directions| {
            Ok(Answer::Approved {
                reach,
                both_directions,
            })
        };
        let denied = |reason: Option<&str>| {
            Ok(Answer::Denied {
                reason: reason.map(str::to_owned),
            })
        };
        let long = "x".repeat(REASON_CHARACTERS + 1);
        assert_eq!(
            read(&wanted("once", false, None)),
            approved(Reach::Once, false)
        );
        assert_eq!(
            read(&wanted("session", true, None)),
            approved(Reach::Session, true)
        );
        assert_eq!(read(&wanted("deny", false, Some(" "))), denied(None));
        assert_eq!(read(&wanted("deny", false, Some(" a "))), denied(Some("a")));
        for (answer, both, reason) in [
            ("", false, None),
            ("yes", false, None),
            ("Once", false, None),
            ("once", false, Some("because")),
            ("deny", true, None),
            ("deny", false, Some(long.as_str())),
        ] {
            assert!(read(&wanted(answer, both, reason)).is_err(), "{answer}");
        }
    }

    #[test]
    fn long_and_hidden_text_is_told() {
        assert_eq!(shown("a\u{202e}b"), "a\\u{202e}b");
        let long = "é".repeat(FACT_CHARACTERS + 7);
        assert!(shown(&long).ends_with("é\n… and 7 more characters"));
    }
}
