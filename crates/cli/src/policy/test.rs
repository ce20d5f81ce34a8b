//! `countersign policy test`: a user's own expectations of their policy.

use std::path::PathBuf;
use std::process::ExitCode;

use countersign_host::check::{CheckRequest, Checker};
use countersign_host::policy::Action;
use countersign_host::workspace::Source;
use serde_json::{Map, Value, json};

use super::Files;
use crate::exit::{self, Failure, Outcome};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The expectations
    file: PathBuf,
    #[command(flatten)]
    files: Files,
    /// Answer with one JSON object
    #[arg(long)]
    json: bool,
}

/// One expectation.
#[derive(Debug, PartialEq)]
struct Case {
    tool: String,
    input: Value,
    expect: Action,
    agent: Option<String>,
    why: Option<String>,
}

/// Judges every case; status 1 where a verdict is another than expected.
pub fn run(args: &Args) -> Outcome {
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::new(format!("`{}`: {error}", args.file.display())))?;
    let cases = cases(&text)?;
    let mut checker = Checker::default();
    let mut results = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let file = |path: &Option<PathBuf>| path.clone().map(Source::File);
        let checked = checker.check(&CheckRequest {
            tool: case.tool.clone(),
            input: case.input.clone(),
            cwd: args.files.cwd.clone(),
            agent: case.agent.clone().or(args.files.agent.clone()),
            untrusted: args.files.untrusted,
            config: file(&args.files.config),
            project_config: file(&args.files.project_config),
            ..CheckRequest::default()
        })?;
        let verdict = checked.decision.verdict;
        let why = crate::check::explain(&checked.decision);
        results.push((at + 1, case, verdict, why));
    }
    let failed = results
        .iter()
        .filter(|(_, case, verdict, _)| case.expect != *verdict)
        .count();
    if args.json {
        let list: Vec<Value> = results
            .iter()
            .map(|(number, case, verdict, _)| {
                json!({
                    "case": number,
                    "tool": case.tool,
                    "input": case.input,
                    "expected": case.expect.as_str(),
                    "verdict": verdict.as_str(),
                    "why": case.why,
                })
            })
            .collect();
        terminal::say(&json!({ "cases": list, "failed": failed }).to_string())?;
    } else {
        for (number, case, verdict, why) in &results {
            if case.expect == *verdict {
                continue;
            }
            let reason = case
                .why
                .as_ref()
                .map(|w| format!(" ({w})"))
                .unwrap_or_default();
            terminal::say(&format!(
                "case {number}: expected {}, found {}{reason}",
                case.expect.as_str(),
                verdict.as_str()
            ))?;
            for line in why {
                terminal::say(&format!("  {line}"))?;
            }
        }
        terminal::say(&format!("{} judged, {failed} failed", results.len()))?;
    }
    Ok(if failed > 0 {
        exit::ERROR.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads one object a line (blank lines and `//` lines aside), or one list.
fn cases(text: &str) -> Result<Vec<Case>, Failure> {
    let wrong = |place: &str, error: &dyn std::fmt::Display| {
        Failure::new(format!("{place}: {error}"))
            .help("a case looks like {\"bash\": \"git push\", \"expect\": \"ask\"}")
    };
    if text.trim_start().starts_with('[') {
        let list: Vec<Value> = serde_json::from_str(text).map_err(|e| wrong("the list", &e))?;
        return list
            .iter()
            .enumerate()
            .map(|(at, value)| case(value).map_err(|e| wrong(&format!("case {}", at + 1), &e)))
            .collect();
    }
    text.lines()
        .enumerate()
        .map(|(at, line)| (format!("line {}", at + 1), line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
        .map(|(place, line)| {
            let value: Value = serde_json::from_str(line).map_err(|e| wrong(&place, &e))?;
            case(&value).map_err(|e| wrong(&place, &e))
        })
        .collect()
}

fn case(value: &Value) -> Result<Case, String> {
    let Value::Object(map) = value else {
        return Err("not an object".to_owned());
    };
    let text = |name: &str| map.get(name).and_then(Value::as_str).map(str::to_owned);
    let expect = text("expect").ok_or("`expect` is missing")?;
    let expect = Action::parse(&expect)
        .ok_or_else(|| format!("`{expect}` is no verdict: allow, ask or deny"))?;
    let (tool, input) = call(map)?;
    Ok(Case {
        tool,
        input,
        expect,
        agent: text("agent"),
        why: text("why"),
    })
}

/// The tool and its input, written out or in short.
fn call(map: &Map<String, Value>) -> Result<(String, Value), String> {
    const FIELDS: [&str; 5] = ["tool", "input", "expect", "agent", "why"];
    let short: Vec<(&String, &Value)> = map
        .iter()
        .filter(|(key, _)| !FIELDS.contains(&key.as_str()))
        .collect();
    match (map.get("tool").and_then(Value::as_str), short.as_slice()) {
        (Some(tool), []) => {
            let input = map.get("input").cloned().unwrap_or_else(|| json!({}));
            Ok((tool.to_owned(), input))
        }
        (None, [(tool, Value::String(argument))]) if !map.contains_key("input") => {
            let name = match tool.as_str() {
                "bash" => "command",
                "mcp" => "tool",
                "skill" => "name",
                _ => "path",
            };
            Ok(((*tool).clone(), json!({ (name): argument })))
        }
        (Some(_), [(key, _), ..]) => Err(format!("`{key}` is unknown")),
        _ => Err("names no call: \"tool\" and \"input\", or a tool with its argument".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_and_both_layouts() {
        let lines = "// mine\n\n{\"bash\": \"ls\", \"expect\": \"allow\"}\n\
                     {\"tool\": \"x\", \"expect\": \"deny\", \"why\": \"w\", \"agent\": \"a\"}\n";
        let read = cases(lines).unwrap();
        assert_eq!(read[0].input, json!({ "command": "ls" }));
        assert_eq!((read[1].tool.as_str(), read[1].expect), ("x", Action::Deny));
        assert_eq!(
            cases("[{\"read\": \"a\", \"expect\": \"ask\"}]")
                .unwrap()
                .len(),
            1
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let error = |text: &str| cases(text).unwrap_err().to_string();
        assert_eq!(error("\n{\"bash\": \"ls\"}"), "line 2: `expect` is missing");
        assert!(error("{\"bash\": \"ls\", \"expect\": \"no\"}").contains("`no` is no verdict"));
        assert!(error("{\"expect\": \"ask\"}").contains("names no call"));
        assert!(
            error("{\"tool\": \"x\", \"inputs\": 1, \"expect\": \"ask\"}").contains("`inputs`")
        );
        assert!(error("[1]").contains("case 1"));
    }
}
