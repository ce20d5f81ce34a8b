use countersign_policy::Scope;

use super::*;

fn migrated(text: &str) -> Migration {
    let layout = detect(text).unwrap_or_else(|| panic!("no layout: {text}"));
    let migration = migrate(text, layout).unwrap();
    let written = migration.config.to_string();
    let parsed = crate::parse_config(&written, "c", Scope::Global);
    assert!(!parsed.is_invalid(), "{written}: {:?}", parsed.diagnostics);
    migration
}

fn permission(text: &str) -> Value {
    migrated(text).config["permission"].clone()
}

#[test]
fn old_layouts() {
    let text = r#"{
      "defaultPolicy": { "tools": "ask", "bash": "ask", "skills": "allow" },
      "tools": { "read": "allow", "write": "deny" },
      "bash": { "git status": "allow" },
      "skills": { "bad": "deny" },
      "special": { "external_directory": "ask", "doom_loop": "deny" },
      "yoloMode": true
    }"#;
    assert_eq!(
        permission(text),
        json!({
            "*": "ask",
            "bash": { "*": "ask", "git status": "allow" },
            "skill": { "*": "allow", "bad": "deny" },
            "read": { "*": "allow" },
            "write": { "*": "deny" },
            "external_directory": { "*": "ask" }
        })
    );
    assert_eq!(migrated(text).notes.len(), 2);
}

#[test]
fn opencode() {
    let text = r#"{
      "$schema": "https://opencode.ai/config.json",
      // mine
      "permission": {
        "edit": { "*": "deny", "docs/*.md": "allow" },
        "bash": { "*": "ask", "git *": "allow" },
        "webfetch": { "https://a/*": "allow", "*": "deny" },
        "doom_loop": "ask"
      },
      "tools": { "list": false },
      "agent": { "plan": { "permission": { "edit": "deny" } } }
    }"#;
    let migration = migrated(text);
    assert_eq!(
        migration.config["permission"],
        json!({
            "*": "ask",
            "edit": { "*": "deny", "docs/*.md": "allow" },
            "write": { "*": "deny", "docs/*.md": "allow" },
            "bash": { "*": "ask", "git *": "allow" },
            "webfetch": { "*": "deny" },
            "ls": { "*": "deny" }
        })
    );
    assert_eq!(migration.notes.len(), 5, "{:?}", migration.notes);
}

#[test]
fn claude_code() {
    let text = r#"{
      "permissions": {
        "deny": ["Read(./.env)", "Bash(curl:*)", "WebFetch"],
        "allow": ["Bash(npm run test:*)", "Bash(git diff *)", "Read(~/.zshrc)", "Edit(src/**)", "Read(src/*.ts)", "mcp__exa__search", "mcp__git"],
        "ask": ["Bash(git push:*)"],
        "additionalDirectories": ["../docs/"],
        "defaultMode": "acceptEdits"
      }
    }"#;
    let migration = migrated(text);
    assert_eq!(
        migration.config["permission"],
        json!({
            "*": "ask",
            "bash": {
                "npm run test *": "allow",
                "git diff *": "allow",
                "git push *": "ask",
                "git push*": "ask",
                "curl *": "deny",
                "curl*": "deny"
            },
            "read": { "~/.zshrc": "allow" },
            "grep": { "~/.zshrc": "allow" },
            "find": { "~/.zshrc": "allow" },
            "ls": { "~/.zshrc": "allow" },
            "external_directory_read": { "~/.zshrc": "allow" },
            "edit": { "src/*": "allow" },
            "write": { "src/*": "allow" },
            "mcp": { "exa:search": "allow", "git:*": "allow" },
            "path_read": { ".env": "deny", "*/.env": "deny" },
            "WebFetch": { "*": "deny" },
            "external_directory": { "../docs": "allow", "../docs/*": "allow" }
        })
    );
    assert_eq!(migration.notes.len(), 3, "{:?}", migration.notes);
}

proptest::proptest! {
    #[test]
    fn any_rules_become_a_valid_file(
        tool in "(Bash|Read|Edit|Skill|Grep|mcp__[a-z_]{1,6}|[A-Za-z_]{1,8})",
        inside in "[ -~]{0,12}",
        bare in proptest::bool::ANY,
    ) {
        let rule = if bare { tool } else { format!("{tool}({inside})") };
        for key in ["allow", "ask", "deny"] {
            let text = json!({ "permissions": { key: [rule] } }).to_string();
            let migration = migrate(&text, Layout::ClaudeCode).unwrap();
            let written = migration.config.to_string();
            let parsed = crate::parse_config(&written, "c", Scope::Global);
            proptest::prop_assert!(!parsed.is_invalid(), "{written}: {:?}", parsed.diagnostics);
        }
    }
}
