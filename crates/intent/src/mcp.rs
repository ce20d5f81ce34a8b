//! What an MCP call reaches (spec 02 §1.6, base 02 §8).

use serde_json::Value;

/// One name under which rules may speak of an MCP call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name.
    pub name: String,
    /// Whether an `allow` may match it. A name that is only guessed from a
    /// munged tool name may tighten and nothing else.
    pub may_allow: bool,
}

struct Targets(Vec<Target>);

impl Targets {
    fn push(&mut self, name: impl Into<String>, may_allow: bool) {
        let name = name.into();
        if name.is_empty() {
            return;
        }
        match self.0.iter_mut().find(|t| t.name == name) {
            Some(seen) => seen.may_allow |= may_allow,
            None => self.0.push(Target { name, may_allow }),
        }
    }
}

/// The targets of a call of the umbrella tool, most specific first, ending
/// with `mcp`.
#[must_use]
pub fn targets(input: &Value, servers: &[String]) -> Vec<Target> {
    let field = |member| scalar(input.get(member)?);
    let server = field("server");
    let mut out = Targets(Vec::new());
    if let Some(tool) = field("tool") {
        tool_targets(&mut out, &tool, server.as_deref(), servers);
        out.push("mcp_call", true);
    } else if let Some(connect) = field("connect") {
        out.push(format!("mcp_connect_{connect}"), true);
        out.push(connect, true);
        out.push("mcp_connect", true);
    } else if let Some(describe) = field("describe") {
        tool_targets(&mut out, &describe, server.as_deref(), servers);
        out.push("mcp_describe", true);
    } else if let Some(search) = field("search") {
        if let Some(server) = server {
            out.push(format!("mcp_server_{server}"), true);
            out.push(server, true);
        }
        out.push(search, true);
        out.push("mcp_search", true);
    } else if let Some(server) = server {
        out.push(format!("mcp_server_{server}"), true);
        out.push(server, true);
        out.push("mcp_list", true);
    } else {
        out.push("mcp_status", true);
    }
    out.push("mcp", true);
    out.0
}

/// The names of one tool: with its server joined by `_` and by `:`, the server
/// alone, the tool alone, and the reference as given.
fn tool_targets(out: &mut Targets, reference: &str, hint: Option<&str>, servers: &[String]) {
    let split = reference
        .split_once(':')
        .map(|(s, t)| (s.trim(), t.trim()))
        .filter(|(s, t)| !s.is_empty() && !t.is_empty());
    let server = hint.or(split.map(|(s, _)| s));
    let tool = split.map_or(reference, |(_, t)| t);
    match server {
        Some(server) => {
            out.push(format!("{server}_{tool}"), true);
            out.push(format!("{server}:{tool}"), true);
            out.push(server, true);
        }
        None => {
            for server in servers {
                let starts = tool
                    .strip_prefix(server.as_str())
                    .and_then(|r| r.strip_prefix('_'));
                if let Some(rest) = starts {
                    // `github_delete` is most likely `github:delete`: enough
                    // to deny or ask, not enough to allow.
                    out.push(format!("{server}:{rest}"), false);
                    out.push(server.as_str(), false);
                    continue;
                }
                let ends = tool
                    .strip_suffix(server.as_str())
                    .is_some_and(|r| r.ends_with('_'));
                if ends {
                    out.push(format!("{server}_{tool}"), true);
                    out.push(format!("{server}:{tool}"), true);
                    out.push(server.as_str(), true);
                }
            }
        }
    }
    out.push(tool, true);
    out.push(reference, true);
}

/// A member used as a name: a text that is not blank. Numbers and booleans
/// count as their text, so that they cannot pass as an absent member.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => None,
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

/// The server and tool of a native name `mcp__server__tool`.
#[must_use]
pub fn native_parts(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// The targets of a tool under its native name.
#[must_use]
pub fn native_targets(name: &str) -> Vec<Target> {
    let mut out = Targets(Vec::new());
    if let Some((server, tool)) = native_parts(name) {
        tool_targets(&mut out, tool, Some(server), &[]);
        out.push(name, true);
        out.push("mcp_call", true);
    }
    out.push("mcp", true);
    out.0
}

/// The paths in the arguments that an umbrella call hands on.
#[must_use]
pub fn paths(input: &Value) -> Vec<String> {
    ["arguments", "args"]
        .into_iter()
        .filter_map(|member| input.get(member))
        .flat_map(|arguments| match arguments {
            // Some adapters take the arguments as a JSON text.
            Value::String(text) => serde_json::from_str::<Value>(text)
                .map(|parsed| argument_paths(&parsed))
                .unwrap_or_default(),
            other => argument_paths(other),
        })
        .collect()
}

/// The paths among a tool's own arguments: `path`, the members of `paths`, and
/// a `uri` of the `file` scheme.
#[must_use]
pub fn argument_paths(arguments: &Value) -> Vec<String> {
    let one = arguments.get("path").and_then(Value::as_str);
    let many = arguments.get("paths").and_then(Value::as_array);
    let uri = arguments
        .get("uri")
        .and_then(Value::as_str)
        .and_then(|uri| uri.strip_prefix("file://"));
    one.into_iter()
        .chain(many.into_iter().flatten().filter_map(Value::as_str))
        .chain(uri)
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(input: Value, servers: &[&str]) -> Vec<String> {
        let servers: Vec<String> = servers.iter().map(|s| (*s).to_owned()).collect();
        targets(&input, &servers)
            .into_iter()
            .map(|t| t.name)
            .collect()
    }

    #[test]
    fn the_table_of_the_spec() {
        let rows = [
            (
                json!({"tool": "exa:search"}),
                &[][..],
                &[
                    "exa_search",
                    "exa:search",
                    "exa",
                    "search",
                    "mcp_call",
                    "mcp",
                ][..],
            ),
            (
                json!({"tool": "b", "server": "s"}),
                &[],
                &["s_b", "s:b", "s", "b", "mcp_call", "mcp"],
            ),
            (
                json!({"tool": "s:b", "server": "t"}),
                &[],
                &["t_b", "t:b", "t", "b", "s:b", "mcp_call", "mcp"],
            ),
            (
                json!({"tool": "search_exa"}),
                &["exa"],
                &[
                    "exa_search_exa",
                    "exa:search_exa",
                    "exa",
                    "search_exa",
                    "mcp_call",
                    "mcp",
                ],
            ),
            (
                json!({"tool": "a:b:c"}),
                &[],
                &["a_b:c", "a:b:c", "a", "b:c", "mcp_call", "mcp"],
            ),
            (
                json!({"connect": "x"}),
                &[],
                &["mcp_connect_x", "x", "mcp_connect", "mcp"],
            ),
            (
                json!({"search": "q", "server": "s"}),
                &[],
                &["mcp_server_s", "s", "q", "mcp_search", "mcp"],
            ),
            (
                json!({"server": "s"}),
                &[],
                &["mcp_server_s", "s", "mcp_list", "mcp"],
            ),
            (json!({}), &[], &["mcp_status", "mcp"]),
            (json!(null), &[], &["mcp_status", "mcp"]),
        ];
        for (input, servers, expected) in rows {
            assert_eq!(names(input.clone(), servers), expected, "{input}");
        }
    }

    #[test]
    fn a_munged_name_may_only_tighten() {
        let servers = ["github".to_owned()];
        let found = targets(&json!({"tool": "github_delete"}), &servers);
        let guess = found.iter().find(|t| t.name == "github:delete");
        assert_eq!(guess.map(|t| t.may_allow), Some(false));
        let own = found.iter().find(|t| t.name == "github_delete");
        assert_eq!(own.map(|t| t.may_allow), Some(true));
    }

    #[test]
    fn native_names() {
        assert_eq!(native_parts("mcp__docs__search"), Some(("docs", "search")));
        assert_eq!(native_parts("mcp__docs"), None);
        assert_eq!(native_parts("mcp____x"), None);
    }

    #[test]
    fn paths_in_arguments() {
        let input = json!({"tool": "fs:read", "arguments": "{\"path\": \".env\"}"});
        assert_eq!(paths(&input), [".env"]);
        let input = json!({"arguments": {"paths": ["a", 1, " b "], "uri": "file:///etc/x"}});
        assert_eq!(paths(&input), ["a", "b", "/etc/x"]);
    }
}
