//! Which agent a session runs as: the host has no field for it, so agent
//! routers leave an entry in the session, or a tag in the system prompt.

use serde_json::Value;

/// The active agent of a session: `Some(None)` where it is known that there
/// is none, `None` where nothing is said, so that the last answer stands.
pub fn resolve(entry: Option<&Value>, prompt: Option<&str>) -> Option<Option<String>> {
    match entry.and_then(|data| data.get("name")) {
        Some(Value::String(name)) if !name.trim().is_empty() => {
            return Some(Some(name.trim().to_owned()));
        }
        Some(Value::Null) => return Some(None),
        _ => {}
    }
    prompt.and_then(tagged).map(Some)
}

/// The name in the first `<active_agent name="…">` tag.
fn tagged(prompt: &str) -> Option<String> {
    const TAG: &str = "<active_agent";
    let lower = prompt.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower.get(from..)?.find(TAG) {
        let start = from + at + TAG.len();
        from = start;
        if let Some(name) = name_attribute(prompt.get(start..)?) {
            return Some(name);
        }
    }
    None
}

fn name_attribute(rest: &str) -> Option<String> {
    let trimmed = rest.trim_start();
    if trimmed.len() == rest.len() {
        return None;
    }
    let (key, value) = trimmed.split_at_checked("name=".len())?;
    if !key.eq_ignore_ascii_case("name=") {
        return None;
    }
    let value = value.strip_prefix(['"', '\''])?;
    let (name, after) = value.split_at_checked(value.find(['"', '\''])?)?;
    after.find('>')?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_tag_in_the_prompt_names_the_agent() {
        for (prompt, expected) in [
            (
                "<active_agent name=\"reviewer\"/>\n\nYou are",
                Some("reviewer"),
            ),
            ("text <ACTIVE_AGENT  Name='a b' x=1> more", Some("a b")),
            (
                "<active_agent>\n<active_agent name=\"second\">",
                Some("second"),
            ),
            ("<active_agent name=\"\">", None),
            ("<active_agent name=unquoted>", None),
            ("<active_agents name=\"no\">", None),
            ("<active_agent name=\"open\"", None),
            ("ä<active_agent name=\"ü\">", Some("ü")),
            ("no tag", None),
        ] {
            assert_eq!(tagged(prompt).as_deref(), expected, "{prompt}");
        }
    }

    #[test]
    fn an_entry_goes_before_the_tag() {
        let prompt = Some("<active_agent name=\"tag\">");
        let name = |value| json!({ "name": value });
        assert_eq!(
            resolve(Some(&name(json!(" entry "))), prompt),
            Some(Some("entry".to_owned()))
        );
        assert_eq!(resolve(Some(&name(Value::Null)), prompt), Some(None));
        assert_eq!(
            resolve(Some(&name(json!(7))), prompt),
            Some(Some("tag".to_owned()))
        );
        assert_eq!(resolve(None, None), None);
    }
}
