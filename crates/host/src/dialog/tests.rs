use super::*;

fn fact(label: &str, text: &str, core: bool) -> Fact {
    Fact {
        label: label.into(),
        text: text.into(),
        detail: None,
        core,
        flagged: label == "command",
    }
}

fn content() -> Content {
    Content {
        title: "Permission Required".into(),
        facts: vec![
            fact("tool", "bash", true),
            fact("rule", "git push *", true),
            fact("command", "git push origin main", true),
            fact("full command", "cd repo && git push origin main", false),
        ],
        session_label: Some("Yes, allow bash \"git push *\" for this session".into()),
        family_label: None,
        lasting: Lasting::default(),
        subagent: None,
    }
}

fn dialog(content: Content) -> Dialog {
    Dialog::new(content, Bindings::default(), true, Budget::default())
}

fn press(dialog: &mut Dialog, keys: &[&str]) {
    for key in keys {
        dialog.key(&Key::parse(key));
    }
}

fn screen(dialog: &Dialog, width: usize) -> String {
    let rows: Vec<String> = dialog
        .render(width)
        .into_iter()
        .map(|row| row.text)
        .collect();
    rows.join("\n")
}

const YES: Choice = Choice::Approve {
    reach: Reach::Once,
    both_directions: false,
};

#[test]
fn the_facts_stand_in_order_and_the_options_follow() {
    let text = screen(&dialog(content()), 80);
    assert_eq!(
        text,
        "Permission Required\n\
         tool         : bash\n\
         rule         : git push *\n\
         command      : git push origin main\n\
         full command : cd repo && git push origin main\n\
         \n\
         › y  Yes\n\
         \u{20} s  Yes, allow bash \"git push *\" for this session\n\
         \u{20} n  No\n\
         \u{20} r  No, provide reason\n\
         \n\
         ↑/↓ move · enter confirm · esc deny · press a letter, then again to confirm"
    );
}

#[test]
fn a_letter_decides_only_when_pressed_twice() {
    let mut d = dialog(content());
    press(&mut d, &["y"]);
    assert_eq!(d.choice(), None);
    assert!(screen(&d, 80).contains("Press y again to approve."));
    press(&mut d, &["n"]);
    assert_eq!(d.choice(), None);
    assert!(screen(&d, 80).contains("Press n again to deny."));
    press(&mut d, &["down", "n"]);
    assert_eq!(d.choice(), None, "an arrow takes the arming back");
    press(&mut d, &["y", "y"]);
    assert_eq!(d.choice(), Some(&YES));
    press(&mut d, &["n", "n", "escape"]);
    assert_eq!(d.choice(), Some(&YES), "the first decision stands");
}

#[test]
fn a_paste_never_decides() {
    let mut d = dialog(content());
    press(&mut d, &["paste:y", "paste:yy", "yy"]);
    assert_eq!(d.choice(), None);
}

#[test]
fn escape_denies_and_enter_takes_the_highlight() {
    let mut d = dialog(content());
    press(&mut d, &["escape"]);
    assert_eq!(d.choice(), Some(&Choice::Deny { reason: None }));
    let mut d = dialog(content());
    press(&mut d, &["up", "up", "enter"]);
    assert_eq!(d.choice(), Some(&Choice::Deny { reason: None }));
}

#[test]
fn a_reason_is_required_and_pasted_lines_become_one() {
    let mut d = dialog(content());
    press(&mut d, &["r", "r", "enter"]);
    assert!(screen(&d, 80).contains("A reason is required."));
    press(&mut d, &["paste:a\n\nb", "c", "left", "backspace", "enter"]);
    assert_eq!(
        d.choice(),
        Some(&Choice::Deny {
            reason: Some("a c".into())
        })
    );
}

#[test]
fn a_grant_on_a_forwarded_question_asks_for_its_reach() {
    let mut forwarded = content();
    forwarded.subagent = Some(Subagent {
        name: "explorer".into(),
        grant: "bash \"git push *\"".into(),
    });
    let mut d = dialog(forwarded.clone());
    press(&mut d, &["s", "s"]);
    assert!(screen(&d, 90).contains("› This subagent ('explorer') only"));
    press(&mut d, &["escape", "s", "s", "down", "enter"]);
    assert_eq!(
        d.choice(),
        Some(&Choice::Approve {
            reach: Reach::Session,
            both_directions: false
        })
    );
    let d = dialog(forwarded);
    let session = "Yes, allow bash \"git push *\" for this session";
    let reach = d.reach_labels();
    assert!(d.wants_reach(session));
    assert_eq!(
        d.choose(Some(session), reach.first().map(String::as_str), None),
        Choice::Approve {
            reach: Reach::Subagent,
            both_directions: false
        }
    );
    assert_eq!(
        d.choose(Some(session), None, None),
        Choice::Deny { reason: None },
        "a dismissed second list is a denial"
    );
}

#[test]
fn offers_are_what_the_options_lead_to() {
    let reaches = |content: Content| -> Vec<(Reach, bool)> {
        let offers = dialog(content).offers().into_iter();
        offers.map(|it| (it.reach, it.both_directions)).collect()
    };
    let mut c = content();
    assert_eq!(
        reaches(c.clone()),
        [(Reach::Once, false), (Reach::Session, false)]
    );
    c.family_label = Some("both".into());
    c.lasting.everywhere = true;
    c.subagent = Some(Subagent {
        name: "explorer".into(),
        grant: "path \"x\"".into(),
    });
    assert_eq!(
        reaches(c.clone()),
        [
            (Reach::Once, false),
            (Reach::Subagent, false),
            (Reach::Session, false),
            (Reach::Subagent, true),
            (Reach::Session, true),
            (Reach::Everywhere, false),
        ]
    );
    // Nothing can be granted, so nothing can last.
    c.session_label = None;
    c.family_label = None;
    assert_eq!(reaches(c), [(Reach::Once, false)]);
}

#[test]
fn text_can_neither_hide_nor_pose_as_a_fact() {
    let mut c = content();
    let padding = "x".repeat(20);
    c.facts = vec![fact(
        "command",
        &format!("echo {padding}\u{202e}\u{200b}\u{1b}[2J\rrule : *\nrule : *"),
        true,
    )];
    let rows = dialog(c).render(30);
    let facts: Vec<&str> = rows
        .iter()
        .skip(1)
        .take_while(|row| !row.text.is_empty())
        .map(|row| row.text.as_str())
        .collect();
    assert!(facts.len() > 2);
    for row in facts.iter().skip(1) {
        assert!(row.starts_with("          "), "{row:?}");
    }
    let all = facts.join("");
    for escape in ["\\u{202e}", "\\u{200b}", "\\e", "\\r"] {
        assert!(all.replace(' ', "").contains(escape), "{escape} in {all}");
    }
}

#[test]
fn only_evidence_gives_way_and_the_whole_is_one_key_away() {
    let mut c = content();
    for n in 0..40 {
        c.facts
            .push(fact("external path", &format!("/tmp/{n}"), false));
    }
    let budget = Budget {
        rows: 12,
        field: 60,
    };
    let mut d = Dialog::new(c, Bindings::default(), true, budget);
    let text = screen(&d, 60);
    assert!(text.contains("command       : git push origin main"));
    assert!(text.contains("\n…\n") && text.contains("ctrl+o full request"));
    assert!(!text.contains("/tmp/39"));
    press(&mut d, &["expand"]);
    assert!(screen(&d, 60).contains("/tmp/39"));
}

#[test]
fn lasting_grants_take_free_letters() {
    let mut c = content();
    c.lasting = Lasting {
        project: true,
        everywhere: true,
    };
    let bindings = Bindings {
        deny: 'p',
        ..Bindings::default()
    };
    let mut d = Dialog::new(c, bindings, false, Budget::default());
    assert!(screen(&d, 80).contains("o  Yes, and remember it for this project"));
    press(&mut d, &["p"]);
    assert_eq!(d.choice(), Some(&Choice::Deny { reason: None }));
}

#[test]
fn every_width_is_kept() {
    let mut c = content();
    c.facts
        .push(fact("input", &"日本語テキスト".repeat(30), false));
    c.title = "Permission Required (Subagent)".into();
    c.subagent = Some(Subagent {
        name: "explorer".repeat(9),
        grant: "bash \"git push *\"".into(),
    });
    for keys in [
        &[][..],
        &["y"],
        &["r", "r", "paste:long reason ", "enter"],
        &["s", "s"],
    ] {
        for width in 20..120 {
            let mut d = dialog(c.clone());
            press(&mut d, keys);
            for row in d.render(width) {
                let columns = unicode_width::UnicodeWidthStr::width(row.text.as_str());
                assert!(columns <= width, "{columns} > {width}: {:?}", row.text);
            }
        }
    }
}
