//! From the configuration in force to what the gate needs: made once per
//! snapshot, for every front end.

use std::path::{Path, PathBuf};

use countersign_config::Settings;
use countersign_engine::{GateSettings, Infrastructure, IntentSettings, Protected, ShellTool};
use countersign_policy::{Pattern, PatternContext};

use crate::facts::real_path;
use crate::paths::{AgentPaths, project_config};

/// What of the agent directory the path tools may read without asking (spec
/// 02 §8): no credentials, no sessions.
const READABLE: [&str; 11] = [
    "agents",
    "extensions",
    "git",
    "npm",
    "prompts",
    "skills",
    "themes",
    "settings.json",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
    "AGENTS.md",
];

/// Where a session lives, as far as the gate is concerned.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Pi's agent directory.
    pub agent_dir: PathBuf,
    /// The session's directory.
    pub cwd: PathBuf,
    /// Directories of the host's own installation, readable without asking.
    pub host_directories: Vec<PathBuf>,
    /// Where this system itself is installed, and configuration files given in
    /// place of the usual ones.
    pub own: Vec<PathBuf>,
}

/// The gate's settings under these settings, at these places.
#[must_use]
pub fn gate_settings(
    settings: &Settings,
    mcp_servers: &[String],
    places: &Places,
    context: &PatternContext,
    registered: Option<Vec<String>>,
) -> GateSettings {
    let agent = AgentPaths::new(resolved(&places.agent_dir));
    GateSettings {
        yolo: settings.yolo_mode(),
        intent: IntentSettings {
            shell_tools: settings
                .shell_tools
                .iter()
                .map(|(tool, how)| ShellTool {
                    tool: tool.clone(),
                    command_argument: how.command_argument.clone(),
                    workdir_argument: how.workdir_argument.clone(),
                })
                .collect(),
            mcp_servers: mcp_servers.to_vec(),
        },
        infrastructure: infrastructure(settings, places, &agent, context),
        infrastructure_excluded: text(&agent.logs()).into_iter().collect(),
        registered,
        unguarded: false,
        protected: protected(places, &agent),
        flavour: context.flavour,
    }
}

fn infrastructure(
    settings: &Settings,
    places: &Places,
    agent: &AgentPaths,
    context: &PatternContext,
) -> Vec<Infrastructure> {
    // Links below the agent directory and in the workspace could be the
    // agent's doing: only the directories themselves are resolved.
    let cwd = resolved(&places.cwd);
    let fixed = READABLE
        .iter()
        .map(|name| agent.root().join(name))
        .chain(places.host_directories.iter().map(|dir| resolved(dir)))
        .chain(["npm", "git"].map(|name| cwd.join(".pi").join(name)))
        .filter_map(|path| text(&path))
        .map(Infrastructure::Below);
    let own = settings
        .pi_infrastructure_read_paths()
        .iter()
        .filter_map(|entry| {
            if entry.contains(['*', '?']) {
                return Some(Infrastructure::Matching(Pattern::new(entry, context, true)));
            }
            let home = context.home.as_deref();
            let expanded = countersign_intent::path::expand_home(entry, home);
            let path = places.cwd.join(expanded.as_ref());
            text(&resolved(&path)).map(Infrastructure::Below)
        });
    fixed.chain(own).collect()
}

/// This system's own files, and the files that decide whether and how it runs.
fn protected(places: &Places, agent: &AgentPaths) -> Vec<Protected> {
    let cwd = resolved(&places.cwd);
    let pi = cwd.join(".pi");
    let root = agent.root();
    let configuration = "the permission system's configuration";
    let mut all = vec![
        (agent.logs(), "the permission system's log"),
        (agent.extension(), configuration),
        (agent.mailbox(), "the mailbox of forwarded questions"),
        (root.join("pi-permissions.jsonc"), configuration),
        (
            root.join("agents"),
            "an agent's definition, which carries its permissions",
        ),
        (
            root.join("settings.json"),
            "the settings that load the permission system",
        ),
        (root.join("trust.json"), "the list of trusted projects"),
        (pi.join("agent").join("pi-permissions.jsonc"), configuration),
        (
            pi.join("agents"),
            "an agent's definition, which carries its permissions",
        ),
        (
            pi.join("settings.json"),
            "the settings that load the permission system",
        ),
    ];
    if let Some(directory) = project_config(&cwd).parent() {
        all.push((directory.to_owned(), configuration));
    }
    for own in &places.own {
        all.push((resolved(own), "part of the permission system"));
    }
    all.into_iter()
        .filter_map(|(path, what)| {
            Some(Protected {
                path: text(&path)?,
                what,
            })
        })
        .collect()
}

fn resolved(path: &Path) -> PathBuf {
    real_path(path).unwrap_or_else(|_| path.to_owned())
}

/// A path as the gate compares it. One that is no text matches nothing.
fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}
