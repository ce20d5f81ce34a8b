//! The schema and the reader accept and refuse the same files: the cases of
//! `cases/config/` and the examples of the documentation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::path::Path;

use countersign_config::{parse_config, schema};
use countersign_policy::Scope;
use serde_json::{Map, Value};

/// The part of JSON Schema that the schema uses. An unknown keyword fails.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    schema
        .as_object()
        .unwrap()
        .iter()
        .all(|(keyword, argument)| match keyword.as_str() {
            "$ref" => {
                let pointer = argument.as_str().unwrap().trim_start_matches('#');
                accepts(root, root.pointer(pointer).unwrap(), value)
            }
            "type" => match argument.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
                other => panic!("type {other}"),
            },
            "enum" => argument.as_array().unwrap().contains(value),
            "const" => argument == value,
            "anyOf" => list(argument).any(|one| accepts(root, one, value)),
            "not" => !accepts(root, argument, value),
            "pattern" => {
                assert_eq!(argument, "^(path|external_directory)_");
                value
                    .as_str()
                    .is_none_or(|s| s.starts_with("path_") || s.starts_with("external_directory_"))
            }
            "minLength" => length(value).is_none_or(|n| n >= number(argument)),
            "maxLength" => length(value).is_none_or(|n| n <= number(argument)),
            "minimum" => value
                .as_f64()
                .is_none_or(|n| n >= argument.as_f64().unwrap()),
            "maximum" => value
                .as_f64()
                .is_none_or(|n| n <= argument.as_f64().unwrap()),
            "items" => value
                .as_array()
                .is_none_or(|items| items.iter().all(|item| accepts(root, argument, item))),
            "required" => value.as_object().is_none_or(|map| {
                list(argument).all(|name| map.contains_key(name.as_str().unwrap()))
            }),
            "properties" => value.as_object().is_none_or(|map| {
                map.iter().all(|(name, value)| {
                    argument
                        .get(name)
                        .is_none_or(|schema| accepts(root, schema, value))
                })
            }),
            "additionalProperties" => value.as_object().is_none_or(|map| {
                let empty = Map::new();
                let known = schema
                    .get("properties")
                    .and_then(Value::as_object)
                    .unwrap_or(&empty);
                map.iter()
                    .filter(|(name, _)| !known.contains_key(*name))
                    .all(|(_, value)| {
                        argument
                            .as_bool()
                            .unwrap_or_else(|| accepts(root, argument, value))
                    })
            }),
            "propertyNames" => value.as_object().is_none_or(|map| {
                map.keys()
                    .all(|name| accepts(root, argument, &Value::from(name.as_str())))
            }),
            "$schema"
            | "$id"
            | "$defs"
            | "title"
            | "description"
            | "markdownDescription"
            | "default"
            | "deprecated" => true,
            other => panic!("unknown keyword {other}"),
        })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn length(value: &Value) -> Option<u64> {
    value.as_str().map(|text| text.chars().count() as u64)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Texts of configuration files from the cases and the documentation.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = std::fs::read_to_string(root.join("cases/config/validation.jsonl")).unwrap();
    let mut texts: Vec<String> = cases
        .lines()
        .map(|line| {
            let case: Value = serde_json::from_str(line).unwrap();
            let text = case.get("text").and_then(Value::as_str).unwrap();
            text.replace("@500", &"x".repeat(500))
                .replace("@501", &"x".repeat(501))
        })
        .collect();
    let document = std::fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    for block in document.split("```jsonc").skip(1) {
        let (_, block) = block.split_once('\n').unwrap();
        let lines = block.lines().take_while(|line| *line != "```");
        // The examples have comments at the ends of lines only.
        let plain: Vec<&str> = lines.map(|l| l.split(" // ").next().unwrap_or(l)).collect();
        texts.push(plain.join("\n"));
    }
    texts
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = schema();
    let (mut valid, mut invalid) = (0, 0);
    for text in texts() {
        let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
            continue;
        };
        let read = !parse_config(&text, "c", Scope::Global).is_invalid();
        assert_eq!(accepts(&schema, &schema, &value), read, "{text}");
        if read { valid += 1 } else { invalid += 1 }
    }
    assert!(valid > 25 && invalid > 20, "{valid} {invalid}");
}
