//! The JSON schema of a configuration file, made from the table the reader
//! uses.

use countersign_policy::DIRECTIONAL;
use serde_json::{Map, Value, json};

use crate::dialog_keys::Decision;
use crate::keys::{KEYS, Kind};

/// The identity the predecessor's schema has; files in use name it.
pub const SCHEMA_ID: &str = "https://raw.githubusercontent.com/gotgenes/pi-packages/main/packages/pi-permission-system/schemas/permissions.schema.json";

/// The schema, draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    let mut properties = Map::new();
    for key in KEYS {
        let mut node = match key.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Count => {
                json!({ "type": "integer", "minimum": 1, "maximum": 9_007_199_254_740_991_u64 })
            }
            Kind::Texts => {
                json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
            }
            Kind::DialogKeys => dialog_keys(),
            Kind::Trust => json!({
                "type": "object",
                "propertyNames": { "minLength": 1 },
                "additionalProperties": {
                    "type": "array",
                    "items": { "enum": ["path", "external_directory"] }
                }
            }),
            Kind::ShellTools => json!({
                "type": "object",
                "propertyNames": { "minLength": 1 },
                "additionalProperties": {
                    "type": "object",
                    "required": ["commandArgument"],
                    "additionalProperties": false,
                    "properties": {
                        "commandArgument": { "type": "string", "minLength": 1 },
                        "workdirArgument": { "type": "string", "minLength": 1 }
                    }
                }
            }),
            Kind::Permission => permission(),
        };
        if let Some(object) = node.as_object_mut() {
            let about = match key.deprecated {
                Some(instead) => format!("{} Use {instead} instead.", key.about),
                None => key.about.to_owned(),
            };
            object.insert("description".to_owned(), json!(about.replace('`', "")));
            object.insert("markdownDescription".to_owned(), json!(about));
            if let Some(default) = key.default.and_then(|d| serde_json::from_str(d).ok()) {
                object.insert("default".to_owned(), default);
            }
            if key.deprecated.is_some() {
                object.insert("deprecated".to_owned(), json!(true));
            }
        }
        properties.insert(key.name.to_owned(), node);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Permission configuration",
        "description": "The user's policy for a coding agent's tool calls.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "$defs": {
            "permissionState": { "enum": ["allow", "ask", "deny"] },
            "denyWithReason": {
                "type": "object",
                "required": ["action"],
                "additionalProperties": false,
                "properties": {
                    "action": { "const": "deny" },
                    "reason": { "type": "string", "maxLength": 500 }
                }
            },
            "permissionMap": {
                "type": "object",
                "propertyNames": { "minLength": 1 },
                "additionalProperties": {
                    "anyOf": [
                        { "$ref": "#/$defs/permissionState" },
                        { "$ref": "#/$defs/denyWithReason" }
                    ]
                }
            }
        }
    })
}

fn dialog_keys() -> Value {
    let properties: Map<String, Value> = Decision::ALL
        .into_iter()
        .map(|decision| {
            let default = decision.default_key().to_string();
            let node = json!({ "type": "string", "default": default });
            (decision.as_str().to_owned(), node)
        })
        .collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

/// The surfaces that editors should offer.
const NAMED: [(&str, &str); 10] = [
    ("*", "What happens where no rule speaks."),
    ("path", "Files and directories, read and written."),
    ("path_read", "Files and directories that are read."),
    ("path_write", "Files and directories that are written."),
    (
        "external_directory",
        "Files and directories outside the workspace, read and written.",
    ),
    (
        "external_directory_read",
        "Files and directories outside the workspace that are read.",
    ),
    (
        "external_directory_write",
        "Files and directories outside the workspace that are written.",
    ),
    ("bash", "Shell commands."),
    ("mcp", "MCP tools and servers."),
    ("skill", "Skills, by name."),
];

fn permission() -> Value {
    let surface = json!({
        "anyOf": [
            { "$ref": "#/$defs/permissionState" },
            { "$ref": "#/$defs/permissionMap" }
        ]
    });
    let properties: Map<String, Value> = NAMED
        .iter()
        .map(|(name, about)| {
            let mut node = surface.clone();
            if let Some(object) = node.as_object_mut() {
                object.insert("description".to_owned(), json!(about));
            }
            ((*name).to_owned(), node)
        })
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "propertyNames": {
            "minLength": 1,
            "anyOf": [
                { "not": { "pattern": "^(path|external_directory)_" } },
                { "enum": DIRECTIONAL }
            ]
        },
        "additionalProperties": surface
    })
}
