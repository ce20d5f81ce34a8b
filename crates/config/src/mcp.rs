//! The names of the MCP servers, read from the host's `mcp.json`.

use std::cmp::Reverse;

use jsonc_parser::ast::{Object, Value};

use crate::json;

/// The server names in the text of an `mcp.json`, the longest first: a name
/// may be the end of another (spec 01 §1). Empty where the text is not
/// understood.
#[must_use]
pub fn mcp_server_names(text: &str) -> Vec<String> {
    let Ok(Value::Object(root)) = json::parse(json::without_bom(text).0) else {
        return Vec::new();
    };
    let servers = match last(&root, "mcpServers") {
        None | Some(Value::NullKeyword(_)) => last(&root, "mcp-servers"),
        some => some,
    };
    let Some(Value::Object(servers)) = servers else {
        return Vec::new();
    };
    let mut names: Vec<String> = servers
        .properties
        .iter()
        .map(|property| property.name.as_str().trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_by_cached_key(|name| {
        (
            Reverse(name.encode_utf16().count()),
            name.to_lowercase(),
            name.clone(),
        )
    });
    names.dedup();
    names
}

/// The value of a key; of repeated ones the last.
fn last<'v, 't>(object: &'v Object<'t>, name: &str) -> Option<&'v Value<'t>> {
    object
        .properties
        .iter()
        .rfind(|property| property.name.as_str() == name)
        .map(|property| &property.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_first_and_once() {
        let text =
            r#"{ "mcpServers": { "exa": {}, " exa-2 ": {}, "": {}, "b": {}, "a": {} } } // x"#;
        assert_eq!(mcp_server_names(text), ["exa-2", "exa", "a", "b"]);
        assert_eq!(
            mcp_server_names(r#"{ "mcp-servers": { "x": 1, "x": 2 } }"#),
            ["x"]
        );
        assert_eq!(
            mcp_server_names(r#"{ "mcpServers": null, "mcp-servers": { "x": 1 } }"#),
            ["x"]
        );
        assert!(mcp_server_names(r#"{ "mcpServers": [], "mcp-servers": { "x": 1 } }"#).is_empty());
        assert!(mcp_server_names("{ bad").is_empty());
    }
}
