use std::time::{Duration, Instant};

use countersign_host::dialog::{Offer, Reach};
use countersign_host::session::{Answer, Forwarding, Question};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

use super::super::answer::approved;
use super::super::serve::Waiting;
use super::model::{Effect, Key, Model};
use super::view;

/// Long enough to have read a question.
const LATER: Duration = Duration::from_secs(2);

fn question(id: &str, agent: &str, command: &str, since: Instant) -> Waiting {
    Waiting {
        question: Question {
            request_id: id.to_owned(),
            title: "Permission Required (Subagent)".to_owned(),
            text: format!(
                "subagent          : {agent} · session {agent}-1\ntool              : bash\nrule              : npm *\ncommand           : {command}\nworking directory : /w"
            ),
            options: Vec::new(),
            reach_options: Vec::new(),
            facts: Vec::new(),
            grant: None,
            offers: [Reach::Once, Reach::Subagent, Reach::Session]
                .map(|reach| Offer {
                    reach,
                    both_directions: false,
                    label: String::new(),
                })
                .to_vec(),
            forwarding: Some(Forwarding {
                requester_agent_name: agent.to_owned(),
                requester_session_id: format!("{agent}-1"),
                through: Vec::new(),
                cwd: None,
            }),
        },
        facts: json!({"surface": "bash", "value": command}),
        since,
    }
}

fn filled(start: Instant) -> Model {
    let mut model = Model::new("countersign-inbox", start);
    model.add(
        question("q1", "builder", "npm install left-pad", start),
        start,
    );
    model.add(
        question("q2", "scout", "curl https://example.com", start),
        start,
    );
    model.add(question("q3", "builder", "npm publish", start), start);
    model
}

fn screen(model: &Model, width: u16, height: u16, now: Instant) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            view::draw(frame, model, now);
        })
        .unwrap();
    let buffer = terminal.backend().buffer().clone();
    let mut text = String::new();
    for row in 0..height {
        let line: String = (0..width)
            .map(|column| buffer[(column, row)].symbol())
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Compares with a kept screen; `UPDATE=1` keeps the new one.
fn compare(name: &str, shown: &str) {
    let path = format!(
        "{}/src/inbox/tui/screens/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, shown).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(
        shown == expected,
        "{name}: expected\n{expected}got\n{shown}"
    );
}

#[test]
fn sixty_columns_show_list_over_question() {
    let start = Instant::now();
    let model = filled(start);
    let shown = screen(&model, 60, 20, start + Duration::from_secs(75));
    compare("narrow", &shown);
}

#[test]
fn wide_terminals_show_list_beside_question() {
    let start = Instant::now();
    let mut model = filled(start);
    model.key(Key::Down, start);
    model.key(Key::Char(' '), start);
    let shown = screen(&model, 110, 12, start + Duration::from_secs(5));
    compare("wide", &shown);
}

#[test]
fn a_key_that_was_meant_for_another_question_answers_nothing() {
    let start = Instant::now();
    let mut model = filled(start);
    assert_eq!(model.key(Key::Char('y'), start), []);
    let yes = |id: &str| Effect::Answer(id.to_owned(), approved(Reach::Once));
    assert_eq!(model.key(Key::Char('y'), start + LATER), [yes("q1")]);
    // Its answer takes it away; the next one just appeared under the cursor.
    model.remove("q1", start + LATER);
    assert_eq!(model.key(Key::Char('y'), start + LATER), []);
    assert_eq!(
        model.key(Key::Char('y'), start + LATER + LATER),
        [yes("q3")]
    );
}

#[test]
fn a_new_question_does_not_move_the_cursor() {
    let start = Instant::now();
    let mut model = filled(start);
    model.key(Key::Down, start);
    let before = model.current.clone();
    model.add(question("q4", "aaa", "ls", start), start + LATER);
    assert_eq!(model.current, before);
    let [Effect::Answer(id, _)] = &*model.key(Key::Char('n'), start + LATER) else {
        panic!("not answered");
    };
    assert_eq!(Some(id), before.as_ref());
}

#[test]
fn several_are_answered_at_once_but_none_that_is_hidden() {
    let start = Instant::now();
    let mut model = filled(start);
    model.key(Key::Char(' '), start);
    model.key(Key::Down, start);
    model.key(Key::Char(' '), start);
    assert_eq!(model.marked.len(), 2);
    for key in "/publish".chars().map(Key::Char) {
        model.key(key, start);
    }
    model.key(Key::Enter, start);
    let reason = |c: char| Key::Char(c);
    model.key(Key::Char('r'), start + LATER);
    assert_eq!(
        model.key(Key::Enter, start + LATER),
        [],
        "a reason is required"
    );
    for c in "no, later".chars() {
        model.key(reason(c), start + LATER);
    }
    let denied = Answer::Denied {
        reason: Some("no, later".to_owned()),
    };
    assert_eq!(
        model.key(Key::Enter, start + LATER),
        [Effect::Answer("q3".to_owned(), denied)]
    );
}

#[test]
fn leaving_questions_behind_takes_two_presses() {
    let start = Instant::now();
    let mut model = filled(start);
    assert_eq!(model.key(Key::Char('q'), start), []);
    assert_eq!(model.key(Key::Down, start), []);
    assert_eq!(model.key(Key::Char('q'), start), []);
    assert_eq!(model.key(Key::Char('q'), start), [Effect::Quit]);
    let mut empty = Model::new("x", start);
    assert_eq!(empty.key(Key::Char('q'), start), [Effect::Quit]);
}

#[test]
fn any_size_is_drawn() {
    let start = Instant::now();
    let mut model = filled(start);
    for looking_back in [false, true] {
        model.looking_back = looking_back;
        for width in [1, 2, 10, 60, 200] {
            for height in [1, 2, 3, 7, 50] {
                screen(&model, width, height, start);
            }
        }
    }
}

#[test]
fn what_a_question_does_not_offer_is_refused() {
    let start = Instant::now();
    let mut model = filled(start);
    let now = start + LATER;
    assert_eq!(model.key(Key::Char('e'), now), []);
    assert!(
        model
            .notice
            .as_deref()
            .is_some_and(|it| it.contains("does not offer"))
    );
    assert_eq!(model.key(Key::Char('a'), now).len(), 1);
}
