use super::*;

const FILE: &str = r#"{
  // my policy
  "permission": {
    "*": "ask",
    "bash": {
      "*": "ask", // careful
      "git status": "allow"
      /* the end */
    },
    "read": "allow"
  }
}
"#;

#[test]
fn a_rule_is_added_at_the_end_of_its_surface() {
    let edited = add_rule(FILE, "bash", "npm run \"x\" *", Action::Allow).unwrap();
    assert!(edited.contains("// my policy") && edited.contains("// careful"));
    assert!(edited.contains("/* the end */"));
    let last = rules(&edited)
        .unwrap()
        .into_iter()
        .rfind(|r| r.surface == "bash")
        .unwrap();
    assert_eq!(last.pattern, "npm run \"x\" *");
    assert_eq!(
        remove_rule(&edited, "bash", "npm run \"x\" *").map(|t| rules(&t)),
        Ok(rules(FILE))
    );
}

#[test]
fn a_bare_action_becomes_the_first_pattern() {
    let edited = add_rule(FILE, "read", "*.env", Action::Deny).unwrap();
    let read: Vec<(String, Action)> = rules(&edited)
        .unwrap()
        .into_iter()
        .filter(|r| r.surface == "read")
        .map(|r| (r.pattern, r.action))
        .collect();
    assert_eq!(
        read,
        [
            ("*".to_owned(), Action::Allow),
            ("*.env".to_owned(), Action::Deny)
        ]
    );
}

#[test]
fn an_empty_file_gets_its_first_rule() {
    let edited = add_rule(EMPTY, "mcp", "exa:*", Action::Allow).unwrap();
    assert_eq!(rules(&edited).unwrap().len(), 1);
    assert_eq!(
        rules(&remove_rule(&edited, "mcp", "exa:*").unwrap()),
        Ok(Vec::new())
    );
}

#[test]
fn a_broken_file_is_left_alone() {
    assert!(matches!(
        add_rule("{ bad", "bash", "x", Action::Allow),
        Err(EditError::Invalid(_))
    ));
    assert!(matches!(
        add_rule("{ \"foo\": 1 }", "bash", "x", Action::Allow),
        Err(EditError::Invalid(_))
    ));
    assert!(matches!(
        add_rule("{}", "path_wirte", "x", Action::Allow),
        Err(EditError::Invalid(_))
    ));
    assert!(matches!(
        add_rule("{}", "bash", "", Action::Allow),
        Err(EditError::Invalid(_))
    ));
    assert_eq!(
        remove_rule(FILE, "bash", "nothing"),
        Err(EditError::Nothing)
    );
    assert_eq!(remove_rule(FILE, "edit", "*"), Err(EditError::Nothing));
}

#[test]
fn a_setting_is_changed_in_place_and_taken_out_again() {
    let on = Some(SettingValue::Flag(true));
    let edited = set_setting(FILE, "yoloMode", on).unwrap();
    assert!(edited.contains("\"yoloMode\": true") && edited.contains("// careful"));
    let edited = set_setting(&edited, "yoloMode", Some(SettingValue::Flag(false))).unwrap();
    assert!(edited.contains("\"yoloMode\": false"));
    let edited = set_setting(&edited, "promptMaxRows", Some(SettingValue::Count(7))).unwrap();
    assert!(edited.contains("\"promptMaxRows\": 7"));
    let edited = set_setting(&edited, "promptMaxRows", None).unwrap();
    assert!(!edited.contains("promptMaxRows") && edited.contains("// my policy"));
    assert_eq!(set_setting(FILE, "yoloMode", None).as_deref(), Ok(FILE));

    for (key, value) in [
        ("foo", on),
        ("promptMaxRows", on),
        ("promptMaxRows", Some(SettingValue::Count(0))),
        ("yoloMode", Some(SettingValue::Count(1))),
        ("permission", on),
        ("permission", None),
    ] {
        assert!(set_setting(FILE, key, value).is_err(), "{key}");
    }
    let broken = "{ \"yoloMode\": false, }";
    assert!(matches!(
        set_setting(broken, "yoloMode", on),
        Err(EditError::Invalid(_))
    ));
}

#[test]
fn every_flag_and_number_can_be_adjusted() {
    for setting in crate::adjustable() {
        let value = match setting.default {
            SettingValue::Flag(on) => SettingValue::Flag(!on),
            SettingValue::Count(number) => SettingValue::Count(number + 1),
        };
        let edited = set_setting(FILE, setting.name, Some(value)).unwrap();
        assert_eq!(
            set_setting(&edited, setting.name, None).map(|t| rules(&t)),
            Ok(rules(FILE))
        );
        let unset = crate::Settings::default();
        assert_eq!(unset.adjustable(setting.name), None, "{}", setting.name);
    }
}

proptest::proptest! {
    #[test]
    fn any_rule_can_be_added_and_taken_back(surface in "[a-z*\"\\\\\n]{1,6}", pattern in "[\\PC\n\t\"\\\\]{1,12}") {
        // A name that looks like a direction is refused, as in any file.
        if let Ok(edited) = add_rule(FILE, &surface, &pattern, Action::Deny) {
            let all = rules(&edited).unwrap();
            let same = |r: &Flat| r.surface == surface && r.pattern == pattern;
            proptest::prop_assert!(all.iter().any(same));
            let back = remove_rule(&edited, &surface, &pattern).unwrap();
            proptest::prop_assert!(!rules(&back).unwrap().iter().any(same));
            proptest::prop_assert!(back.contains("// careful"));
        } else {
            proptest::prop_assert!(surface.starts_with("path_"));
        }
    }
}

#[test]
fn an_allow_is_inserted_where_what_follows_still_wins() {
    let order = |text: &str| -> Vec<(String, Action)> {
        rules(text)
            .unwrap()
            .into_iter()
            .filter(|r| r.surface == "bash")
            .map(|r| (r.pattern, r.action))
            .collect()
    };
    let allow = |pattern: &str| (pattern.to_owned(), Action::Allow);
    let ask = || ("*".to_owned(), Action::Ask);
    let after = insert_allow(FILE, "bash", "make *", Some("*")).unwrap();
    assert_eq!(order(&after), [ask(), allow("make *"), allow("git status")]);
    assert!(after.contains("// careful") && after.contains("/* the end */"));
    // Nothing to stand below: every other rule wins.
    for unknown in [None, Some("other")] {
        let first = insert_allow(FILE, "bash", "make *", unknown).unwrap();
        assert_eq!(order(&first), [allow("make *"), ask(), allow("git status")]);
    }
    // In its place, where the pattern is there already.
    let same = insert_allow(FILE, "bash", "*", None).unwrap();
    assert_eq!(order(&same), [allow("*"), allow("git status")]);
    let new = insert_allow(EMPTY, "bash", "make *", Some("*")).unwrap();
    assert_eq!(order(&new), [allow("make *")]);
    let bare = r#"{"permission": {"bash": "ask"}}"#;
    let bare = insert_allow(bare, "bash", "make *", Some("*")).unwrap();
    assert_eq!(order(&bare), [ask(), allow("make *")]);
    let denied = r#"{"permission": {"bash": {"make *": "deny"}}}"#;
    let refused = insert_allow(denied, "bash", "make *", None);
    assert_eq!(refused, Err(EditError::Unproven));
    assert!(insert_allow("{", "bash", "make *", None).is_err());
}
