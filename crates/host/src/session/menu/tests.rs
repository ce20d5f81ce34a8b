use super::super::tests::{Seat, World};
use super::super::{Answer, Settled, Via};
use super::*;
use crate::dialog::Reach;
use serde_json::json;

fn labels(page: &Page) -> Vec<&str> {
    page.options.iter().map(|o| o.label.as_str()).collect()
}

/// Chooses the first option whose label starts like this.
fn choose(session: &Session, page: &Page, start: &str) -> Page {
    let found = page.options.iter().find(|o| o.label.starts_with(start));
    let found = found.unwrap_or_else(|| panic!("no {start} in {page:?}"));
    session.menu(found.step.as_deref().unwrap(), None)
}

fn config(world: &World) -> std::path::PathBuf {
    crate::paths::AgentPaths::new(world.root.path().join("agent")).config()
}

fn approve(seat: &Seat, command: &str, reach: Reach) {
    let settled = seat.ask(command);
    let question = seat.question();
    let answer = Answer::Approved {
        reach,
        both_directions: false,
    };
    seat.session
        .answer(&question.request_id, answer, Via::Select);
    assert_eq!(settled.recv().unwrap(), Settled::Allowed);
}

#[test]
fn the_policy_is_shown_with_its_origins() {
    let world = World::new(json!({"permission": {
        "*": "ask",
        "bash": {"ls *": "allow", "rm *": {"action": "deny", "reason": "keep\nit"}},
    }}));
    let seat = world.seat("menu-rules", true, &[]);
    let page = choose(
        &seat.session,
        &seat.session.command("permissions", ""),
        "Policy: 3 rules",
    );
    assert_eq!(labels(&page)[0], "bash \"rm *\": deny (global)");
    let page = choose(&seat.session, &page, "bash \"rm *\"");
    assert!(page.title.contains("reason: keep\\nit"), "{}", page.title);
    assert!(page.title.contains("config.json, line 1"), "{}", page.title);
}

#[test]
fn approvals_are_taken_back_one_by_one() {
    let world = World::new(json!({"permission": {"*": "ask"}}));
    let seat = world.seat("menu-grants", true, &[]);
    approve(&seat, "git status", Reach::Session);
    approve(&seat, "npm test", Reach::Everywhere);

    let page = choose(
        &seat.session,
        &seat.session.command("permissions", ""),
        "Approvals: 2",
    );
    assert_eq!(
        labels(&page),
        [
            "bash \"npm test*\" — everywhere",
            "bash \"git status*\" — this session",
            "Back"
        ]
    );
    let sure = choose(&seat.session, &page, "bash \"npm");
    let page = choose(&seat.session, &sure, "Take it back");
    assert_eq!(
        labels(&page),
        ["bash \"git status*\" — this session", "Back"]
    );
    // Once more, from a page that was drawn before.
    let again = choose(&seat.session, &sure, "Take it back");
    assert_eq!(again.notice.as_ref().unwrap().0, Level::Error);
    let page = choose(&seat.session, &page, "bash \"git");
    let page = choose(&seat.session, &page, "Take it back");
    assert_eq!(labels(&page), ["Back"]);
    assert_eq!(world.entries("permission_grant.taken_back").len(), 2);

    let _asked = (seat.ask("git status"), seat.ask("npm test"));
    assert_eq!(seat.session.status().as_deref(), Some("2 questions wait"));
}

#[test]
fn decisions_are_told_with_their_reasons() {
    let world = World::new(json!({"permission": {"*": "ask", "bash": {
        "*": "ask", "rm *": {"action": "deny", "reason": "keep it"}, "ls *": "allow"}}}));
    let seat = world.seat("menu-decisions", true, &[]);
    let _refused = seat.ask("rm x");
    let settled = seat.ask("npm test");
    let question = seat.question();
    let no = Answer::Denied {
        reason: Some("not today".to_owned()),
    };
    seat.session.answer(&question.request_id, no, Via::Select);
    assert!(matches!(settled.recv(), Ok(Settled::Blocked(_))));

    let page = seat.session.command("permissions", " Decisions ");
    assert_eq!(
        labels(&page),
        [
            "denied: bash npm test — by you",
            "denied: bash rm x — by the policy",
            "Back"
        ]
    );
    let mine = choose(&seat.session, &page, "denied: bash npm");
    assert!(mine.title.contains("reason: not today"), "{}", mine.title);
    let rule = choose(&seat.session, &page, "denied: bash rm");
    assert!(rule.title.contains("reason: keep it") && rule.title.contains("rule: rm *"));
}

#[test]
fn long_lists_come_in_pages_and_every_label_differs() {
    let world = World::new(json!({"permission": {"*": "ask"}}));
    let seat = world.seat("menu-pages", true, &[]);
    for _ in 0..20 {
        let asked = seat.ask("same");
        let question = seat.question();
        seat.session.answer(
            &question.request_id,
            Answer::Denied { reason: None },
            Via::Select,
        );
        assert!(matches!(asked.recv(), Ok(Settled::Blocked(_))));
    }
    let page = seat.session.command("permissions", "decisions");
    let mut seen = labels(&page);
    assert_eq!(seen.len(), PAGE + 2);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), PAGE + 2);
    let more = choose(&seat.session, &page, "More (2 of 2)");
    assert_eq!(labels(&more).len(), 5 + 2);
    assert_eq!(choose(&seat.session, &more, "Before (1 of 2)"), page);
}

#[test]
fn settings_are_changed_without_touching_the_rest() {
    let world = World::new(json!({}));
    let text = "{\n  // mine\n  \"permission\": { \"*\": \"ask\" }, // and this\n  \"promptMaxRows\": 9\n}\n";
    std::fs::write(config(&world), text).unwrap();
    let seat = world.seat("menu-settings", true, &[]);
    let session = &seat.session;

    let page = choose(
        session,
        &session.command("permission-system", ""),
        "debugLog: off",
    );
    assert_eq!(
        page.notice,
        Some((Level::Info, "debugLog is now on".to_owned()))
    );
    let sure = choose(session, &page, "yoloMode: off");
    assert!(!session.snapshot().settings.yolo_mode(), "asked first");
    let page = choose(session, &sure, "Turn yolo mode on");
    assert_eq!(session.status().as_deref(), Some("yolo"));
    let input = choose(session, &page, "promptMaxRows: 9").input.unwrap();
    let wrong = session.menu(&input, Some("none"));
    assert_eq!(wrong.notice.unwrap().0, Level::Warning);
    let page = session.menu(&input, Some(" 12 "));
    assert!(
        labels(&page)
            .iter()
            .any(|l| l.starts_with("promptMaxRows: 12"))
    );

    let edited = std::fs::read_to_string(config(&world)).unwrap();
    assert!(
        edited.contains("// mine") && edited.contains("// and this"),
        "{edited}"
    );
    let reset = session.command("permission-system", "reset");
    let page = choose(session, &reset, "Reset");
    assert_eq!(page.options, []);
    let after = std::fs::read_to_string(config(&world)).unwrap();
    assert!(
        after.contains("// mine") && !after.contains("yolo") && !after.contains("promptMaxRows")
    );
    assert_eq!(session.status(), None);
}

#[test]
fn a_file_that_does_not_parse_is_left_alone_and_told_about() {
    let world = World::new(json!({}));
    let text = "{\n  \"permission\": { \"bash\": \"deny\" },\n  \"yoloMode\": false,\n}\n";
    std::fs::write(config(&world), text).unwrap();
    let seat = world.seat("menu-broken", true, &[]);
    let session = &seat.session;
    let page = session.command("permission-system", "");
    assert!(
        page.title.contains("nothing can be changed"),
        "{}",
        page.title
    );
    for page in [
        choose(session, &page, "debugLog"),
        choose(
            session,
            &choose(session, &page, "yoloMode"),
            "Turn yolo mode on",
        ),
        choose(
            session,
            &session.command("permission-system", "reset"),
            "Reset",
        ),
    ] {
        let (level, why) = page.notice.unwrap();
        assert_eq!(level, Level::Error);
        assert!(
            why.contains("at line 3") && why.contains("mend it"),
            "{why}"
        );
        assert_eq!(page.options, [], "the command is over");
    }
    assert_eq!(std::fs::read_to_string(config(&world)).unwrap(), text);
    assert_eq!(session.status().as_deref(), Some("invalid configuration"));
}

#[test]
fn without_a_screen_pages_are_told() {
    let world = World::new(json!({"permission": {"*": "ask"}}));
    let seat = world.seat("menu-told", false, &[]);
    let page = seat.session.command("permissions", "rules");
    let (level, text) = page.notice.unwrap();
    assert_eq!((level, page.options.len()), (Level::Info, 0));
    assert!(text.contains("*: ask (global)"), "{text}");
    let usage = seat.session.command("permissions", "what").notice.unwrap();
    assert_eq!(usage.0, Level::Warning);
    assert_eq!(
        seat.session.menu("nonsense", None).notice.unwrap().0,
        Level::Error
    );
}
