//! The ladder, rung by rung, over a file system that is a table.

use std::collections::BTreeMap;

use countersign_policy::{
    Action, Flavour, Grant, GrantScope, GrantSet, Layer, Origin, PatternContext, Policy, Rule,
    Scope,
};
use serde_json::{Value, json};

use crate::{
    DecidedBy, Decision, Entry, FactError, Facts, ForwardedAsk, ForwardedUnit, GateSettings,
    Infrastructure, Protected, Refusal, Scene, SkillEntry, ToolCall, decide, denial_message,
    judge_forwarded, judge_skill,
};

/// Paths with what stands there: `None` a file, `Some("")` a directory,
/// `Some(target)` a link.
struct Table(BTreeMap<&'static str, Option<&'static str>>);

impl Facts for Table {
    fn home(&self) -> Option<&str> {
        Some("/home/u")
    }

    fn entry(&self, path: &str) -> Entry {
        match self.0.get(path) {
            None => Entry::Missing,
            Some(None) => Entry::File,
            Some(Some("")) => Entry::Directory,
            Some(Some(_)) => Entry::Link,
        }
    }

    fn real_path(&self, path: &str) -> Result<String, FactError> {
        let mut at = String::new();
        let mut todo: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        for _ in 0..100 {
            let Some(name) = todo.pop() else {
                return Ok(if at.is_empty() { "/".to_owned() } else { at });
            };
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    at.truncate(at.rfind('/').unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            let next = format!("{at}/{name}");
            match self.0.get(next.as_str()) {
                Some(Some(target)) if !target.is_empty() => {
                    if target.starts_with('/') {
                        at.clear();
                    }
                    todo.extend(target.split('/').rev().map(str::to_owned));
                }
                _ => at = next,
            }
        }
        Err(FactError::Loop)
    }

    fn list(&self, directory: &str, limit: usize) -> Option<Vec<String>> {
        let prefix = format!("{}/", directory.trim_end_matches('/'));
        let names: Vec<String> = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(prefix.as_str()))
            .filter(|rest| !rest.contains('/'))
            .map(str::to_owned)
            .collect();
        (names.len() <= limit).then_some(names)
    }
}

struct World {
    facts: Table,
    policy: Policy,
    settings: GateSettings,
    grants: GrantSet,
    skills: Vec<SkillEntry>,
}

fn ctx() -> PatternContext {
    PatternContext {
        home: Some("/home/u".to_owned()),
        flavour: Flavour::Posix,
    }
}

/// A policy from a `permission` object, all of it global.
fn rules(permission: &Value) -> Vec<Rule> {
    let action = |v: &Value| Action::parse(v.as_str().unwrap()).unwrap();
    let rule = |surface: &str, pattern: &str, action, layer| Rule {
        surface: surface.to_owned(),
        pattern: pattern.to_owned(),
        action,
        reason: None,
        layer,
        origin: Origin::of(Scope::Global),
    };
    let map = permission.as_object().unwrap();
    let default = map.get("*").map_or(Action::Ask, action);
    let mut out = vec![rule("*", "*", default, Layer::Default)];
    for (surface, body) in map.iter().filter(|(s, _)| *s != "*") {
        let members = countersign_policy::family_members(surface)
            .map_or_else(|| vec![surface.as_str()], |m| m.to_vec());
        for member in members {
            match body {
                Value::Object(entries) => {
                    for (pattern, value) in entries {
                        out.push(rule(member, pattern, action(value), Layer::Config));
                    }
                }
                value => out.push(rule(member, "*", action(value), Layer::Config)),
            }
        }
    }
    out
}

fn world(permission: Value) -> World {
    let paths = [
        ("/w", Some("")),
        ("/w/src", Some("")),
        ("/w/src/a.ts", None),
        ("/w/.env", None),
        ("/w/notes", None),
        ("/w/prod.env", None),
        ("/w/secrets", Some("")),
        ("/w/secrets/key", None),
        ("/w/out", Some("/o")),
        ("/w/alias", Some(".env")),
        ("/w/keylink", Some("secrets/key")),
        ("/w/dangling", Some("/o/none")),
        ("/w/loop", Some("loop")),
        ("/w/link", Some("/o/deep")),
        ("/o", Some("")),
        ("/o/a.txt", None),
        ("/o/deep", Some("")),
        ("/dev", Some("")),
        ("/dev/null", None),
        ("/home/u/shared", Some("/home/u/real")),
        ("/home/u/real", Some("")),
        ("/home/u/real/x", None),
        ("/agent/config.json", None),
    ];
    World {
        facts: Table(paths.into_iter().collect()),
        policy: Policy::compile(rules(&permission), &ctx()),
        settings: GateSettings {
            protected: vec![Protected {
                path: "/agent".to_owned(),
                what: "the configuration",
            }],
            infrastructure: vec![Infrastructure::Below("/infra".to_owned())],
            infrastructure_excluded: vec!["/infra/logs".to_owned()],
            ..GateSettings::default()
        },
        grants: GrantSet::default(),
        skills: Vec::new(),
    }
}

impl World {
    fn grant(mut self, surface: &str, pattern: &str) -> Self {
        let grant = Grant {
            surface: surface.to_owned(),
            pattern: pattern.to_owned(),
            scope: GrantScope::Session,
        };
        self.grants = GrantSet::compile(&[grant], &ctx());
        self
    }

    fn yolo(mut self) -> Self {
        self.settings.yolo = true;
        self
    }

    fn with<T>(&self, run: impl FnOnce(&Scene<'_>, &dyn Facts) -> T) -> T {
        // Links inside the workspace are the agent's to make.
        let resolve = |dir: &str| {
            (dir != "/w" && !dir.starts_with("/w/"))
                .then(|| self.facts.real_path(dir).ok())
                .flatten()
        };
        let resolved = self.policy.with_resolved_directories(&resolve);
        let scene = Scene {
            cwd: "/w",
            real_cwd: "/w",
            agent: None,
            policy: &self.policy,
            resolved: &resolved,
            settings: &self.settings,
            grants: &self.grants,
            skills: &self.skills,
        };
        run(&scene, &self.facts)
    }

    fn decide(&self, tool: &str, input: Value) -> Decision {
        self.with(|scene, facts| decide(&ToolCall::new(tool, input), scene, facts))
    }

    fn read(&self, path: &str) -> Action {
        self.decide("read", json!({ "path": path })).verdict
    }

    fn write(&self, path: &str) -> Action {
        self.decide("write", json!({"path": path, "content": "x"}))
            .verdict
    }
}

use Action::{Allow, Ask, Deny};

#[test]
fn rung_1_a_call_must_be_a_call() {
    let mut world = world(json!({"*": "allow"}));
    let nameless = world.decide("  ", json!({}));
    assert_eq!(nameless.verdict, Deny);
    assert_eq!(nameless.deciding.decided_by, DecidedBy::Malformed);
    world.settings.registered = Some(vec!["read".to_owned(), "bash".to_owned()]);
    let ghost = world.decide("ghost", json!({}));
    assert_eq!(ghost.verdict, Deny);
    let message = denial_message(&ghost, &Refusal::Policy);
    assert!(message.starts_with("Tool 'ghost' is not registered in this runtime"));
    assert!(message.ends_with("Registered tools: bash, read."));
    assert_eq!(
        world.decide("read", json!({"path": "notes"})).verdict,
        Allow
    );
}

#[test]
fn rung_2_deny_is_final() {
    let denied = || world(json!({"*": "ask", "read": {"*": "ask", "*.env": "deny"}}));
    assert_eq!(denied().read(".env"), Deny);
    assert_eq!(denied().grant("read", "*").read(".env"), Deny);
    assert_eq!(denied().yolo().read(".env"), Deny);
    // The other gate asks: the denial goes first and nothing is asked.
    let both = world(json!({"*": "allow", "external_directory": "ask", "read": "deny"}));
    let decision = both.decide("read", json!({"path": "/o/a.txt"}));
    assert_eq!(decision.verdict, Deny);
    assert_eq!(decision.deciding.surface, "read");
    assert!(decision.asking.is_empty());
}

#[test]
fn rung_2_an_allow_must_cover_the_real_path() {
    let w = world(json!({
        "*": "allow",
        "path": {"*": "allow", "*.env": "deny", "alias": "allow"},
    }));
    assert_eq!(w.read("alias"), Deny);
    let w = world(json!({"*": "allow", "write": {"*": "deny", "out/*": "allow"}}));
    assert_eq!(w.write("out/x"), Deny);
    // The target is allowed on its own: the link launders nothing.
    let w = world(json!({"*": "allow", "external_directory": {"*": "ask", "/o/*": "allow"}}));
    assert_eq!(w.read("out/a.txt"), Allow);
    assert_eq!(w.read("dangling"), Allow);
    let w = world(json!({"*": "allow", "external_directory": "ask"}));
    assert_eq!(w.read("dangling"), Ask);
    assert_eq!(w.read("link/../../w/notes"), Allow);
}

#[test]
fn rung_2_a_rules_own_directory_may_be_a_link() {
    let w = world(json!({
        "*": "allow", "external_directory": {"*": "ask", "~/shared/*": "allow"}}));
    assert_eq!(w.read("/home/u/shared/x"), Allow);
    assert_eq!(w.read("/home/u/real/x"), Ask);
    let w = world(json!({
        "*": "allow", "external_directory": {"*": "allow", "~/shared/*": "deny"}}));
    assert_eq!(w.read("/home/u/real/x"), Deny);
}

#[test]
fn rung_2_climbing_out_of_an_allowed_directory() {
    let w = world(json!({"*": "allow", "external_directory": {"*": "ask", "/ok/*": "allow"}}));
    assert_eq!(w.read("/ok/../o/a.txt"), Ask);
    let w = world(json!({"*": "allow", "write": {"*": "deny", "src/*": "allow"}}));
    assert_eq!(w.write("src/../notes"), Deny);
}

#[test]
fn rung_2_path_rules_fire_only_when_written() {
    assert_eq!(
        world(json!({"*": "ask", "read": "allow"})).read("notes"),
        Allow
    );
    let w = world(json!({"*": "allow", "path": {"secrets/*": "deny"}}));
    assert_eq!(w.read("secrets/key"), Deny);
    // The directory stands for what is in it.
    assert_eq!(w.decide("ls", json!({"path": "secrets"})).verdict, Deny);
    assert_eq!(w.read("notes"), Allow);
}

#[test]
fn rung_2_directions_and_devices() {
    let w = world(json!({
        "*": "allow",
        "external_directory_read": {"*": "ask", "/o/*": "allow"},
        "external_directory_write": "ask",
    }));
    assert_eq!(w.read("/o/a.txt"), Allow);
    assert_eq!(w.write("/o/a.txt"), Ask);
    assert_eq!(w.decide("edit", json!({"path": "/o/a.txt"})).verdict, Ask);
    assert_eq!(w.write("/dev/null"), Allow);
}

#[test]
fn rung_2_infrastructure_reads() {
    let blanket = world(json!({"*": "allow", "external_directory": "deny"}));
    assert_eq!(blanket.read("/infra/x"), Allow);
    assert_eq!(blanket.read("/infra/logs/x"), Deny);
    assert_eq!(blanket.read("/infra"), Deny);
    assert_eq!(blanket.write("/infra/x"), Deny);
    let targeted = world(json!({
        "*": "allow", "external_directory": {"*": "allow", "/infra/s*": "deny"}}));
    assert_eq!(targeted.read("/infra/secret"), Deny);
    let tool = world(json!({"*": "allow", "external_directory": "deny", "read": "ask"}));
    assert_eq!(tool.read("/infra/x"), Ask);
}

#[test]
fn rung_3_own_files_are_asked_about() {
    let all = || world(json!({"*": "allow"}));
    let decision = all().decide("write", json!({"path": "/agent/config.json"}));
    assert_eq!(decision.verdict, Ask);
    assert_eq!(decision.deciding.decided_by, DecidedBy::SelfProtection);
    assert!(decision.suggestions.is_empty());
    assert_eq!(all().read("/agent/config.json"), Allow);
    assert_eq!(
        all().grant("path", "/agent/*").write("/agent/config.json"),
        Ask
    );
    assert_eq!(all().yolo().write("/agent/config.json"), Allow);
    let pattern = world(json!({"*": "allow", "path": {"/agent/*": "allow"}}));
    assert_eq!(pattern.write("/agent/config.json"), Ask);
    let exact = world(json!({"*": "allow", "path": {"/agent/config.json": "allow"}}));
    assert_eq!(exact.write("/agent/config.json"), Allow);
    assert_eq!(exact.write("/agent/other"), Ask);
    let denied = world(json!({"*": "allow", "path": {"/agent/*": "deny"}}));
    assert_eq!(denied.write("/agent/config.json"), Deny);
}

#[test]
fn rung_4_a_floor_is_not_lifted_by_a_pattern() {
    let w = world(json!({"*": "allow", "bash": {"*": "allow"}}));
    let missing = w.decide("bash", json!({"command": 5}));
    assert_eq!(missing.verdict, Ask);
    assert_eq!(
        missing.deciding.pattern.as_deref(),
        Some("<unparseable-bash-command>")
    );
    assert_eq!(w.yolo().decide("bash", json!({})).verdict, Allow);
    let shell = world(json!({"*": "allow", "bash": {"*": "ask"}}));
    assert_eq!(
        shell.decide("powershell", json!({"command": "ls"})).verdict,
        Ask
    );
    let own = world(json!({"*": "allow", "bash": {"*": "ask"}, "powershell": "allow"}));
    assert_eq!(
        own.decide("powershell", json!({"command": "ls"})).verdict,
        Allow
    );
}

#[test]
fn rung_5_and_6_questions_and_grants() {
    let asks = || world(json!({"*": "ask"}));
    let decision = asks().decide("read", json!({"path": "src/a.ts"}));
    assert_eq!(decision.verdict, Ask);
    let suggested: Vec<(&str, &str)> = decision
        .suggestions
        .iter()
        .map(|s| (s.surface.as_str(), s.pattern.as_str()))
        .collect();
    assert_eq!(suggested, [("read", "/w/src/*")]);
    assert_eq!(asks().grant("read", "/w/src/*").read("src/a.ts"), Allow);
    assert_eq!(asks().grant("read", "/w/src/*").read("notes"), Ask);
    // A link in the granted directory does not carry the grant elsewhere.
    assert_eq!(
        asks()
            .grant("external_directory_read", "/w/*")
            .read("out/a.txt"),
        Ask
    );
    let custom = asks().grant("custom", "*");
    assert_eq!(custom.decide("custom", json!({"a": 1})).verdict, Allow);
}

#[test]
fn rung_6_two_questions_are_one() {
    let w = world(json!({"*": "allow", "external_directory": "ask", "read": "ask"}));
    let decision = w.decide("read", json!({"path": "/o/a.txt"}));
    let surfaces: Vec<&str> = decision.asking.iter().map(|u| u.surface.as_str()).collect();
    assert_eq!(surfaces, ["external_directory_read", "read"]);
    // An older node would answer for the first alone.
    assert_eq!(decision.access_intent(), None);
    let ask = decision.payload.unwrap();
    assert!(ask.evidence.iter().any(|e| e.label == "also asks"));
}

#[test]
fn rung_7_yolo_answers_questions() {
    let w = world(json!({"*": "ask"})).yolo();
    let decision = w.decide("custom", json!({}));
    assert_eq!(decision.verdict, Allow);
    assert_eq!(decision.deciding.decided_by, DecidedBy::Yolo);
    assert_eq!(decision.deciding.origin.scope, Scope::Yolo);
}

#[test]
fn mcp_rules_by_any_name() {
    let w = world(json!({"*": "ask", "mcp": {"exa:*": "deny", "search": "allow"}}));
    let decision = w.decide("mcp", json!({"tool": "exa:search"}));
    assert_eq!(decision.verdict, Allow);
    assert_eq!(decision.deciding.value, "search");
    let w = world(json!({"*": "ask", "mcp": {"*": "deny"}, "mcp__docs__search": "allow"}));
    assert_eq!(w.decide("mcp__docs__search", json!({})).verdict, Allow);
    assert_eq!(w.decide("mcp__docs__delete", json!({})).verdict, Deny);
    let w = world(json!({"*": "ask", "mcp": {"docs:delete": "deny"}, "mcp__docs__*": "allow"}));
    assert_eq!(w.decide("mcp__docs__delete", json!({})).verdict, Deny);
    let w = world(json!({"*": "allow", "path": {"*.env": "deny"}}));
    let input = json!({"tool": "fs:read", "arguments": {"path": ".env"}});
    assert_eq!(w.decide("mcp", input).verdict, Deny);
}

#[test]
fn skills() {
    let mut w = world(json!({"*": "allow", "skill": {"*": "ask", "pdf": "allow", "ops": "deny"}}));
    let skill = |name: &str| SkillEntry {
        name: name.to_owned(),
        location: format!("/w/skills/{name}/SKILL.md"),
        directory: format!("/w/skills/{name}"),
    };
    w.skills = vec![skill("pdf"), skill("ops"), skill("other")];
    assert_eq!(w.read("skills/pdf/SKILL.md"), Allow);
    assert_eq!(w.read("skills/ops/sub/x.md"), Deny);
    assert_eq!(w.read("skills/other/SKILL.md"), Ask);
    assert_eq!(w.write("skills/ops/x"), Allow);
    w.skills.push(SkillEntry {
        name: "ops".to_owned(),
        location: "/w/secrets/key".to_owned(),
        directory: "/w/secrets".to_owned(),
    });
    assert_eq!(w.read("secrets/key"), Deny);
    assert_eq!(w.read("keylink"), Deny, "by whatever link");
    let started = w.with(|scene, facts| judge_skill("ops", scene, facts));
    assert_eq!(started.verdict, Deny);
    assert_eq!(
        told(&started, &Refusal::Policy),
        "[pi-permission-system] is not permitted to access skill 'ops' (matched 'ops')."
    );
}

#[test]
fn messages() {
    let w = world(json!({"*": "ask", "path": {"*": "allow", "*.env": "deny"}}));
    let denied = w.decide("read", json!({"path": ".env"}));
    assert_eq!(
        told(&denied, &Refusal::Policy),
        "[pi-permission-system] is not permitted to access path '.env' via tool 'read' (matched '*.env')."
    );
    let asked = w.decide("deploy", json!({}));
    let unavailable = Refusal::Unavailable {
        reason: Some("Session 'abc123' is not serving forwarded permission requests".to_owned()),
    };
    assert_eq!(
        told(&asked, &unavailable),
        "[pi-permission-system] Using tool 'deploy' requires approval, but no interactive UI is \
         available. Reason: Session 'abc123' is not serving forwarded permission requests."
    );
    let user = Refusal::User {
        reason: Some("not now.".to_owned()),
    };
    assert_eq!(
        told(&asked, &user),
        "[pi-permission-system] User denied tool 'deploy'. Reason: not now."
    );
}

/// The message without the line about what is missing.
fn told(decision: &Decision, refusal: &Refusal) -> String {
    let message = denial_message(decision, refusal);
    let (told, missing) = message.split_once('\n').unwrap();
    assert!(missing.starts_with("Missing: "), "{missing}");
    told.to_owned()
}

fn unit(value: &str, floor: Option<&str>) -> ForwardedUnit {
    ForwardedUnit {
        value: value.to_owned(),
        floor: floor.map(str::to_owned),
        ..ForwardedUnit::default()
    }
}

fn bash(units: Vec<ForwardedUnit>, floor: Option<&str>) -> ForwardedAsk {
    ForwardedAsk {
        surface: "bash".to_owned(),
        match_values: units.iter().take(1).map(|u| u.value.clone()).collect(),
        floor: floor.map(str::to_owned),
        units,
        ..ForwardedAsk::default()
    }
}

#[test]
fn forwarded_questions() {
    const FLOOR: Option<&str> = Some("<indirection-bash-wrapper>");
    let say = |world: &World, ask: &ForwardedAsk| {
        world.with(|scene, facts| judge_forwarded(ask, scene, facts).verdict)
    };
    let floored = bash(vec![unit("sudo rm x", FLOOR)], FLOOR);
    let all = || world(json!({"*": "ask", "bash": {"*": "allow"}}));
    let no_sudo = world(json!({"*": "ask", "bash": {"*": "allow", "sudo *": "deny"}}));
    assert_eq!(say(&no_sudo, &floored), Deny);
    assert_eq!(say(&all(), &floored), Ask);
    assert_eq!(say(&all().yolo(), &floored), Allow);
    assert_eq!(
        say(&all(), &bash(vec![unit("sudo rm x", None)], None)),
        Allow
    );
    let chain = bash(vec![unit("ls", None), unit("rm -rf /tmp/x", None)], None);
    let ls = world(json!({"*": "ask", "bash": {"*": "ask", "ls*": "allow"}}));
    assert_eq!(say(&ls, &chain), Ask);
    let no_rm = world(json!({"*": "ask", "bash": {"*": "ask", "ls*": "allow", "rm *": "deny"}}));
    assert_eq!(say(&no_rm, &chain), Deny);
    let chain = bash(
        vec![unit("git push x", None), unit("sudo rm y", FLOOR)],
        FLOOR,
    );
    assert_eq!(say(&all().grant("bash", "git push *"), &chain), Ask);
    assert_eq!(say(&all().grant("bash", "sudo rm y"), &chain), Allow);
    assert_eq!(say(&all().grant("bash", "sudo *"), &chain), Ask);
    let mut old = bash(Vec::new(), None);
    old.match_values = vec!["ls".to_owned()];
    assert_eq!(say(&ls, &old), Allow);
}

#[test]
fn a_forwarded_path_must_be_allowed_where_it_leads() {
    let ask = ForwardedAsk {
        surface: "path_read".to_owned(),
        match_values: vec!["/w/src/x".to_owned(), "src/x".to_owned()],
        boundary: Some("/etc/passwd".to_owned()),
        ..ForwardedAsk::default()
    };
    let w = world(json!({"*": "ask", "path": {"*": "ask", "/w/src/*": "allow"}}));
    let verdict = w.with(|scene, facts| judge_forwarded(&ask, scene, facts).verdict);
    assert_eq!(verdict, Ask);
    let inside = ForwardedAsk {
        boundary: Some("/w/src/x".to_owned()),
        ..ask
    };
    let verdict = w.with(|scene, facts| judge_forwarded(&inside, scene, facts).verdict);
    assert_eq!(verdict, Allow);
}
