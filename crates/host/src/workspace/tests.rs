use std::fs;

use countersign_policy::Candidate;
use tempfile::TempDir;

use super::*;

struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            dir: TempDir::new().unwrap(),
        };
        fs::create_dir_all(place.cwd()).unwrap();
        place
    }

    fn agent_dir(&self) -> PathBuf {
        self.dir.path().join("agent")
    }

    fn cwd(&self) -> PathBuf {
        self.dir.path().join("p")
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn global(&self, text: &str) -> PathBuf {
        self.write("agent/extensions/pi-permission-system/config.json", text)
    }

    fn project(&self, text: &str) -> PathBuf {
        self.write("p/.pi/extensions/pi-permission-system/config.json", text)
    }

    fn open(&self) -> Workspace {
        Workspace::open(WorkspaceOptions {
            home: Some(PathBuf::from("/home/u")),
            ..WorkspaceOptions::new(self.agent_dir(), self.cwd())
        })
    }
}

fn says(snapshot: &Snapshot, command: &str) -> (Action, &'static str) {
    let said = snapshot
        .policy
        .evaluate("bash", &[Candidate::plain(command)]);
    let origin = said
        .rule
        .and_then(|at| snapshot.policy.rules().get(at))
        .map_or("none", |rule| rule.origin.scope.as_str());
    (said.action, origin)
}

use Action::{Allow, Ask, Deny};

#[test]
fn nothing_configured_asks() {
    let place = Place::new();
    let snapshot = place.open().snapshot(None);
    assert_eq!(says(&snapshot, "ls"), (Ask, "builtin"));
    assert!(snapshot.diagnostics.is_empty() && !snapshot.clamped);
}

#[test]
fn scopes_join_and_trust_gates_the_project() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": { "*": "ask", "ls": "allow" } } }"#);
    place.project(r#"{ "yoloMode": true, "permission": { "bash": { "git *": "allow" } } }"#);
    place.write(
        "agent/agents/rev.md",
        "---\npermission:\n  bash:\n    ls: deny\n---\n",
    );
    place.write(
        "p/.pi/agents/rev.md",
        "---\npermission:\n  bash:\n    make: allow\n---\n",
    );
    let workspace = place.open();
    let plain = workspace.snapshot(None);
    assert_eq!(says(&plain, "git status"), (Allow, "project"));
    assert!(plain.settings.yolo_mode());
    let agent = workspace.snapshot(Some("rev"));
    assert_eq!(says(&agent, "ls"), (Deny, "agent"));
    assert_eq!(says(&agent, "make"), (Allow, "project-agent"));
    workspace.reconfigure(|options| options.trusted = false);
    let untrusted = workspace.snapshot(Some("rev"));
    assert_eq!(says(&untrusted, "git status"), (Ask, "global"));
    assert_eq!(says(&untrusted, "make"), (Ask, "global"));
    assert_eq!(says(&untrusted, "ls"), (Deny, "agent"));
    assert!(!untrusted.settings.yolo_mode() && untrusted.withheld);
}

#[test]
fn a_broken_project_turns_allow_into_ask_until_it_is_mended() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": { "*": "allow", "rm *": "deny" } } }"#);
    place.project(r#"{ "permission": { "bash": "dny" } }"#);
    let workspace = place.open();
    let broken = workspace.snapshot(None);
    assert_eq!(says(&broken, "ls"), (Ask, "fail-closed"));
    assert_eq!(says(&broken, "rm x"), (Deny, "global"));
    let notice = broken.diagnostics.last().unwrap();
    assert_eq!(
        notice.message,
        "Invalid project configuration detected — failing closed: 'allow' rules are clamped to \
         'ask' for this session until the configuration is corrected."
    );
    workspace.reconfigure(|options| options.trusted = false);
    assert_eq!(
        says(&workspace.snapshot(None), "ls"),
        (Allow, "global"),
        "not read at all"
    );
    workspace.reconfigure(|options| options.trusted = true);
    place.project("{}");
    let mended = workspace.snapshot(None);
    assert_eq!(says(&mended, "ls"), (Allow, "global"));
    assert!(mended.diagnostics.is_empty());
    assert!(mended.generation > broken.generation);
}

#[test]
fn a_broken_global_file_asks_for_everything() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": { "*": "allow" } }, }"#);
    place.project(r#"{ "permission": { "bash": { "ls": "allow", "rm *": "deny" } } }"#);
    let snapshot = place.open().snapshot(None);
    assert_eq!(says(&snapshot, "ls"), (Ask, "fail-closed"));
    assert_eq!(says(&snapshot, "cat x"), (Ask, "builtin"));
    assert_eq!(says(&snapshot, "rm x"), (Deny, "project"));
}

#[test]
fn an_edit_is_in_force_at_the_next_call() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": "allow" } }"#);
    let workspace = place.open();
    for round in 0..50 {
        // Same length, and often the same time.
        let action = if round % 2 == 0 { "allow" } else { "deny " }.trim();
        let text = format!(
            "{{ \"permission\": {{ \"bash\": \"{action}\" }} }}{}",
            " ".repeat(8 - action.len())
        );
        place.global(&text);
        let expected = Action::parse(action).unwrap();
        assert_eq!(
            says(&workspace.snapshot(None), "ls").0,
            expected,
            "round {round}"
        );
    }
}

#[test]
fn an_unchanged_configuration_is_the_same_snapshot() {
    let place = Place::new();
    let path = place.global("{}");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let workspace = place.open();
    let first = workspace.snapshot(None);
    assert!(Arc::ptr_eq(&first, &workspace.snapshot(None)));
}

#[test]
fn a_denial_about_an_unknown_home_clamps() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": "allow", "path": { "~/.ssh/*": "deny" } } }"#);
    let workspace = place.open();
    assert_eq!(says(&workspace.snapshot(None), "ls").0, Allow);
    workspace.reconfigure(|options| options.home = None);
    let homeless = workspace.snapshot(None);
    assert_eq!(says(&homeless, "ls").0, Ask);
    assert!(!homeless.diagnostics.is_empty());
}

#[test]
fn what_is_there_and_cannot_be_read_clamps() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": "allow" } }"#);
    fs::create_dir_all(place.agent_dir().join("agents/rev.md")).unwrap();
    let workspace = place.open();
    assert_eq!(
        says(&workspace.snapshot(Some("rev")), "ls"),
        (Ask, "fail-closed")
    );
    assert_eq!(
        says(&workspace.snapshot(Some("absent")), "ls"),
        (Allow, "global")
    );
    for name in [
        "../rev",
        "a/b",
        "..",
        ".",
        "",
        "a\\b",
        "a\0b",
        &"x".repeat(4000),
    ] {
        assert_eq!(
            says(&workspace.snapshot(Some(name)), "ls"),
            (Ask, "fail-closed"),
            "{name:?}"
        );
    }
    place.write("agent/agents/latin.md", "x");
    fs::write(
        place.agent_dir().join("agents/latin.md"),
        b"---\nname: x\n---\ncaf\xe9\n",
    )
    .unwrap();
    assert_eq!(
        says(&workspace.snapshot(Some("latin")), "ls"),
        (Allow, "global")
    );
    fs::write(
        place.agent_dir().join("agents/latin.md"),
        b"---\nname: caf\xe9\n---\n",
    )
    .unwrap();
    assert_eq!(
        says(&workspace.snapshot(Some("latin")), "ls"),
        (Ask, "fail-closed")
    );
}

#[test]
fn huge_and_binary_files_are_invalid() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": "allow" } }"#);
    let workspace = place.open();
    let path = place.project("");
    fs::write(&path, b"{ \"permission\": { \"bash\": \"\xff\" } }").unwrap();
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Ask, "fail-closed"));
    fs::write(&path, vec![b' '; countersign_config::MAX_BYTES + 1]).unwrap();
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Ask, "fail-closed"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_dangling_ones_are_invalid() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let elsewhere = place.write(
        "dotfiles/config.json",
        r#"{ "permission": { "bash": "allow" } }"#,
    );
    let path = place.global("{}");
    fs::remove_file(&path).unwrap();
    symlink(&elsewhere, &path).unwrap();
    let workspace = place.open();
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Allow, "global"));
    fs::write(&elsewhere, r#"{ "permission": { "bash": "deny" } }"#).unwrap();
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Deny, "global"));
    fs::remove_file(&elsewhere).unwrap();
    let dangling = workspace.snapshot(None);
    assert_eq!(says(&dangling, "ls").0, Ask);
    assert!(dangling.clamped);
}

#[test]
fn old_files_give_settings_and_advice_but_no_policy() {
    let place = Place::new();
    place.write(
        "agent/pi-permissions.jsonc",
        r#"{ "yoloMode": true, "permission": { "bash": "allow" } }"#,
    );
    place.write(
        "p/.pi/agent/pi-permissions.jsonc",
        r#"{ "tools": {}, "debugLog": true }"#,
    );
    let workspace = place.open();
    let snapshot = workspace.snapshot(None);
    assert!(snapshot.settings.yolo_mode());
    assert!(
        !snapshot.settings.debug_log(),
        "an invalid one gives nothing"
    );
    assert_eq!(says(&snapshot, "ls"), (Ask, "builtin"));
    assert_eq!(snapshot.diagnostics.len(), 2);
    assert!(snapshot.diagnostics[0].message.contains("\n  mv '"));
    assert!(!snapshot.clamped);
    workspace.reconfigure(|options| options.trusted = false);
    assert_eq!(workspace.snapshot(None).diagnostics.len(), 1);
}

#[test]
fn texts_stand_in_for_files() {
    let place = Place::new();
    place.global(r#"{ "permission": { "bash": "deny" } }"#);
    let text = |text: &str| {
        Some(Source::Text {
            name: "config".to_owned(),
            text: text.to_owned(),
        })
    };
    let workspace = place.open();
    workspace.reconfigure(|options| {
        options.config_override = text(r#"{ "permission": { "bash": "allow" } }"#);
    });
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Allow, "global"));
    workspace.reconfigure(|options| options.project_override = text("{ bad"));
    assert_eq!(says(&workspace.snapshot(None), "ls"), (Ask, "fail-closed"));
    workspace.reconfigure(|options| {
        options.project_override = None;
        options.config_override = Some(Source::File(place.cwd().join("missing.json")));
    });
    assert!(
        workspace.snapshot(None).clamped,
        "a file that was named must exist"
    );
}

#[test]
fn server_names_come_from_the_hosts_list() {
    let place = Place::new();
    place.write(
        "agent/mcp.json",
        r#"{ "mcpServers": { "exa": {}, "exa-2": {} } }"#,
    );
    assert_eq!(place.open().snapshot(None).mcp_servers, ["exa-2", "exa"]);
}

fn grant(scope: GrantScope, pattern: &str) -> Grant {
    Grant {
        surface: "bash".to_owned(),
        pattern: pattern.to_owned(),
        scope,
    }
}

#[test]
fn lasting_approvals_are_written_kept_and_taken_back() {
    let place = Place::new();
    let workspace = place.open();
    for scope in [GrantScope::Project, GrantScope::Global] {
        let file = workspace.grant(&grant(scope, "git push *")).unwrap();
        assert!(file.text.starts_with("// Approvals"));
        let commented = file
            .text
            .replace("\"git push *\"", "// mine\n      \"git push *\"");
        fs::write(&file.path, commented).unwrap();
        workspace.grant(&grant(scope, "make \"x\" *")).unwrap();
        assert!(fs::read_to_string(&file.path).unwrap().contains("// mine"));
        let here: Vec<Grant> = workspace
            .snapshot(None)
            .grants
            .iter()
            .filter(|g| g.scope == scope)
            .cloned()
            .collect();
        assert_eq!(
            here,
            [grant(scope, "git push *"), grant(scope, "make \"x\" *")]
        );
        workspace.revoke(&grant(scope, "git push *")).unwrap();
        assert!(workspace.revoke(&grant(scope, "git push *")).is_err());
    }
    let left = workspace.snapshot(None);
    assert_eq!(left.grants.len(), 2);
    workspace.reconfigure(|options| options.trusted = false);
    assert_eq!(workspace.snapshot(None).grants.len(), 1);
    assert!(matches!(
        workspace.grant(&grant(GrantScope::Project, "x")),
        Err(FileError::Untrusted)
    ));
    assert!(matches!(
        workspace.grant(&grant(GrantScope::Session, "x")),
        Err(FileError::NotLasting)
    ));
}

#[test]
fn approvals_do_not_count_while_a_file_is_invalid() {
    let place = Place::new();
    let workspace = place.open();
    workspace
        .grant(&grant(GrantScope::Global, "git push *"))
        .unwrap();
    assert_eq!(workspace.snapshot(None).grants.len(), 1);
    // It may have denied `git push --force *`.
    place.project("{ broken");
    let broken = workspace.snapshot(None);
    assert!(broken.grants.is_empty());
    assert_eq!(broken.recorded.len(), 1);
}

#[test]
fn a_file_that_does_not_parse_is_never_written() {
    let place = Place::new();
    let broken = "{ \"permission\": { // half\n";
    let path = place.write("agent/extensions/pi-permission-system/grants.json", broken);
    let workspace = place.open();
    assert!(matches!(
        workspace.grant(&grant(GrantScope::Global, "x")),
        Err(FileError::Edit { .. })
    ));
    assert_eq!(fs::read_to_string(path).unwrap(), broken);
    let snapshot = workspace.snapshot(None);
    assert!(snapshot.grants.is_empty() && !snapshot.diagnostics.is_empty());
}

#[test]
fn a_configuration_is_replaced_only_as_it_was_read() {
    let place = Place::new();
    let workspace = place.open();
    let new = "{ \"permission\": {} }\n";
    for scope in [GrantScope::Project, GrantScope::Global] {
        assert_eq!(workspace.read_config(scope).unwrap().1, None);
        let path = workspace.replace_config(scope, None, new).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), new);
        let stale = workspace.replace_config(scope, Some("{}"), "{ }");
        assert!(matches!(stale, Err(FileError::Changed(_))));
        assert!(workspace.replace_config(scope, None, "{ }").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), new);
        let (read, text) = workspace.read_config(scope).unwrap();
        assert_eq!((read, text.as_deref()), (path, Some(new)));
    }
    workspace.reconfigure(|options| options.trusted = false);
    for refused in [
        workspace.replace_config(GrantScope::Project, Some(new), "{}"),
        workspace.read_config(GrantScope::Project).map(|it| it.0),
    ] {
        assert!(matches!(refused, Err(FileError::Untrusted)));
    }
}

#[test]
fn an_allow_that_stands_above_what_it_overlaps_lifts_nothing() {
    let lifts = |global: &str, project: &str| {
        let place = Place::new();
        place.global(global);
        place.project(project);
        let snapshot = place.open().snapshot(None);
        crate::suggest::may_lift_a_denial(&snapshot, "bash", "git push *")
    };
    let bash = |rules: &str| format!("{{\"permission\": {{\"bash\": {{{rules}}}}}}}");
    for (rules, expected) in [
        (r#""git push *": "allow""#, false),
        (r#""*": "ask", "git push *": "allow""#, false),
        (r#""git push *": "allow", "*--force*": "deny""#, false),
        (r#""*--force*": "deny", "git push *": "allow""#, true),
        (r#""rm *": "deny", "git push *": "allow""#, false),
        // What was denied is asked about already.
        (
            r#""*--force*": "deny", "git *": "ask", "git push *": "allow""#,
            false,
        ),
        (
            r#""*--force*": "deny", "git push origin": "ask", "git push *": "allow""#,
            true,
        ),
        // There is no such rule.
        (r#""git push *": "ask""#, false),
        (r#""git *": "allow""#, true),
    ] {
        assert_eq!(lifts(&bash(rules), "{}"), expected, "{rules}");
    }
    // A rule of the project stands below those of the user.
    let denies = bash(r#""*--force*": "deny""#);
    let allows = bash(r#""git push *": "allow""#);
    assert!(lifts(&denies, &allows));
    assert!(!lifts(&allows, &denies));
    assert!(lifts(r#"{"permission": {"*": "deny"}}"#, &allows));
}

#[test]
fn many_writers_lose_nothing() {
    let place = Place::new();
    let options = place.open().options();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let options = options.clone();
            scope.spawn(move || {
                let workspace = Workspace::open(options);
                for n in 0..5 {
                    workspace
                        .grant(&grant(GrantScope::Global, &format!("w{writer} {n}")))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(place.open().snapshot(None).grants.len(), 40);
}

#[cfg(unix)]
#[test]
fn a_project_cannot_lead_the_approval_elsewhere() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let outside = place.dir.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    symlink(&outside, place.cwd().join(".pi")).unwrap();
    assert!(matches!(
        place.open().grant(&grant(GrantScope::Project, "x")),
        Err(FileError::Escapes(_))
    ));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn rules_follow_links_that_the_agent_did_not_make() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let root = fs::canonicalize(place.dir.path()).unwrap();
    for dir in ["real", "secret"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    symlink(root.join("real"), root.join("link")).unwrap();
    symlink(root.join("secret"), place.cwd().join("own")).unwrap();
    let shown = root.display();
    place.global(&format!(
        r#"{{ "permission": {{ "path": {{ "*": "ask", "{shown}/link/*": "allow", "{shown}/p/own/*": "allow", "own/*": "deny" }} }} }}"#
    ));
    let snapshot = place.open().snapshot(None);
    let says = |path: String| {
        snapshot
            .resolved
            .evaluate("path_read", &[Candidate::plain(&path)])
            .action
    };
    assert_eq!(says(format!("{shown}/real/x")), Allow);
    assert_eq!(
        says(format!("{shown}/secret/x")),
        Deny,
        "a denial follows, an allow does not"
    );
}
