//! The configuration of one workspace: which files count, what they say
//! together, and what is new in them since the last look.

mod files;
mod grants;
mod links;
mod look;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use countersign_config::{Authority, Parsed, Settings, parse_agent, parse_config};
use countersign_policy::compose::{Body, ScopePolicy, compose, merge};
use countersign_policy::{
    Action, Flavour, Grant, GrantScope, PatternContext, Policy, Scope, lint, needs_home,
};
use countersign_text::{Diagnostic, Severity};

use crate::paths::{AgentPaths, project_config};
use files::{Loaded, Stamp};

pub use grants::{EditedFile, FileError};

/// What a session start says about a project that is not trusted (spec 01 §5).
pub const UNTRUSTED: &str = "pi-permission-system: project is not trusted — skipping \
project-scoped permission configuration. Only global policy applies. Grant project trust to \
load this project's permission rules.";

/// A configuration given in place of the file at the usual path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Another file. Unlike the usual one, it must exist.
    File(PathBuf),
    /// The text itself, as if it stood in a file of this name.
    Text {
        /// What diagnostics call it.
        name: String,
        /// JSON with comments.
        text: String,
    },
}

/// What a workspace is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceOptions {
    /// Pi's agent directory.
    pub agent_dir: PathBuf,
    /// The session's directory.
    pub cwd: PathBuf,
    /// The user's home directory, for `~` in patterns.
    pub home: Option<PathBuf>,
    /// Whether the user trusts the project: without trust, no file below `cwd`
    /// is read.
    pub trusted: bool,
    /// Instead of the global file.
    pub config_override: Option<Source>,
    /// Instead of the project's file.
    pub project_override: Option<Source>,
    /// The root of an installation of the predecessor, whose `config.json` is
    /// an old place for settings.
    pub legacy_root: Option<PathBuf>,
    /// How paths are written.
    pub flavour: Flavour,
}

impl WorkspaceOptions {
    /// The usual files of a trusted project.
    #[must_use]
    pub fn new(agent_dir: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            agent_dir: agent_dir.into(),
            cwd: cwd.into(),
            home: crate::paths::home_dir(),
            trusted: true,
            config_override: None,
            project_override: None,
            legacy_root: None,
            flavour: if cfg!(windows) {
                Flavour::Windows
            } else {
                Flavour::Posix
            },
        }
    }
}

/// The configuration in force for one agent, at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The rules as written.
    pub policy: Policy,
    /// The rules, each also covering its pattern with the directory part
    /// resolved. Links that the agent could have made are not followed for an
    /// `allow`.
    pub resolved: Policy,
    /// The settings of the user and, where trusted, of the project.
    pub settings: Settings,
    /// Approvals that outlive sessions and count now. They answer questions
    /// only; while a file is invalid none counts, because a denial that would
    /// stand against it may be among what could not be read.
    pub grants: Vec<Grant>,
    /// All approvals that are recorded.
    pub recorded: Vec<Grant>,
    /// Everything worth saying about the files, in the order of the scopes.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether some file is invalid, so that every `allow` became `ask`.
    pub clamped: bool,
    /// The scopes whose files are invalid.
    pub invalid: Vec<Scope>,
    /// The MCP servers, the longest name first.
    pub mcp_servers: Vec<String>,
    /// What each scope says, before merging; invalid ones say nothing.
    pub scopes: Vec<ScopePolicy>,
    /// Whether a project's files were left out for want of trust.
    pub withheld: bool,
    /// Counts the snapshots of this workspace: a new number says that a file
    /// has changed.
    pub generation: u64,
}

/// One workspace's configuration, read again whenever a file has changed.
#[derive(Debug)]
pub struct Workspace {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    options: WorkspaceOptions,
    generation: u64,
    cache: Vec<Cached>,
}

#[derive(Debug)]
struct Cached {
    agent: Option<String>,
    places: Arc<Places>,
    stamps: Vec<Stamp>,
    snapshot: Arc<Snapshot>,
}

/// More agents than this are not remembered at once.
const MAX_CACHED: usize = 64;

impl Workspace {
    /// Opens a workspace. Nothing is read before the first snapshot.
    #[must_use]
    pub fn open(options: WorkspaceOptions) -> Self {
        Self {
            state: Mutex::new(State {
                options,
                generation: 0,
                cache: Vec::new(),
            }),
        }
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> WorkspaceOptions {
        self.lock().options.clone()
    }

    /// Changes what the workspace was opened with: trust, directory, files.
    pub fn reconfigure(&self, change: impl FnOnce(&mut WorkspaceOptions)) {
        let mut state = self.lock();
        let before = state.options.clone();
        change(&mut state.options);
        if state.options != before {
            state.cache.clear();
        }
    }

    /// The configuration for an agent (or none), as the files are now.
    ///
    /// The files' stamps (time, size, identity) are compared on each call;
    /// they are read again when one differs, or when one changed so recently
    /// that a second change could have left the same stamp.
    #[must_use]
    pub fn snapshot(&self, agent: Option<&str>) -> Arc<Snapshot> {
        let mut state = self.lock();
        let known = state
            .cache
            .iter()
            .position(|cached| cached.agent.as_deref() == agent);
        let cached = known.map(|at| state.cache.swap_remove(at));
        let places = match &cached {
            Some(cached) => cached.places.clone(),
            None => Arc::new(Places::new(&state.options, agent)),
        };
        let stamps = places.stamps();
        let cached = match cached {
            Some(cached)
                if cached.stamps == stamps && !stamps.iter().any(Stamp::may_hide_a_change) =>
            {
                let snapshot = Arc::clone(&cached.snapshot);
                state.cache.push(cached);
                return snapshot;
            }
            other => other,
        };
        let mut snapshot = read(&state.options, &places);
        let unchanged = cached
            .filter(|cached| cached.stamps == stamps && same(&cached.snapshot, &snapshot))
            .map(|cached| cached.snapshot);
        let snapshot = unchanged.unwrap_or_else(|| {
            state.generation += 1;
            snapshot.generation = state.generation;
            Arc::new(snapshot)
        });
        if state.cache.len() >= MAX_CACHED {
            state.cache.clear();
        }
        state.cache.push(Cached {
            agent: agent.map(str::to_owned),
            places,
            stamps,
            snapshot: Arc::clone(&snapshot),
        });
        snapshot
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is valid after every statement that changes it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn same(a: &Snapshot, b: &Snapshot) -> bool {
    a.scopes == b.scopes
        && a.settings == b.settings
        && a.recorded == b.recorded
        && a.diagnostics == b.diagnostics
        && a.mcp_servers == b.mcp_servers
        && a.invalid == b.invalid
}

/// Where the files of one agent's configuration are.
#[derive(Debug)]
struct Places {
    // Old files count only where they are when the workspace is first looked
    // at: nobody makes new ones.
    legacy_global: Option<PathBuf>,
    legacy_extension: Option<PathBuf>,
    legacy_project: Option<PathBuf>,
    global: PathBuf,
    project: Option<PathBuf>,
    agent: Option<PathBuf>,
    project_agent: Option<PathBuf>,
    mcp: PathBuf,
    global_grants: PathBuf,
    project_grants: Option<PathBuf>,
    /// The project's `.pi`, where every file of the project lies below it.
    below: Option<PathBuf>,
    /// An agent's name that is no file name.
    unusable_agent: Option<String>,
}

impl Places {
    fn new(options: &WorkspaceOptions, agent: Option<&str>) -> Self {
        let paths = AgentPaths::new(&options.agent_dir);
        let root = paths.root();
        let own = |source: &Option<Source>, usual: PathBuf| match source {
            Some(Source::File(path)) => path.clone(),
            _ => usual,
        };
        let global = own(&options.config_override, paths.config());
        let trusted = options.trusted;
        let pi = options.cwd.join(".pi");
        let file = agent
            .filter(|name| is_file_name(name))
            .map(|name| format!("{name}.md"));
        let legacy_extension = options
            .legacy_root
            .as_ref()
            .map(|dir| dir.join("config.json"));
        Self {
            legacy_global: Some(root.join("pi-permissions.jsonc")).filter(|path| is_there(path)),
            legacy_extension: legacy_extension
                .filter(|path| *path != paths.config())
                .filter(|path| is_there(path)),
            legacy_project: Some(pi.join("agent").join("pi-permissions.jsonc"))
                .filter(|_| trusted)
                .filter(|path| is_there(path)),
            global,
            project: trusted.then(|| own(&options.project_override, project_config(&options.cwd))),
            agent: file.as_ref().map(|file| root.join("agents").join(file)),
            project_agent: file
                .filter(|_| trusted)
                .map(|file| pi.join("agents").join(file)),
            mcp: root.join("mcp.json"),
            global_grants: grants::global_file(&options.agent_dir),
            project_grants: trusted.then(|| grants::project_file(&options.cwd)),
            below: (trusted && options.project_override.is_none()).then(|| pi.clone()),
            unusable_agent: agent.filter(|name| !is_file_name(name)).map(str::to_owned),
        }
    }

    /// The stamps of all files, in a fixed order. Where the project has no
    /// `.pi`, nothing below it is looked at.
    fn stamps(&self) -> Vec<Stamp> {
        let always = [&self.global, &self.mcp, &self.global_grants];
        let maybe = [&self.legacy_global, &self.legacy_extension, &self.agent];
        let below = [
            &self.legacy_project,
            &self.project,
            &self.project_agent,
            &self.project_grants,
        ];
        let mut stamps: Vec<Stamp> = always
            .into_iter()
            .chain(maybe.into_iter().flatten())
            .map(|path| files::stamp(path))
            .collect();
        let empty = self
            .below
            .as_ref()
            .is_some_and(|pi| files::stamp(pi) == Stamp::Missing);
        if !empty {
            stamps.extend(below.into_iter().flatten().map(|path| files::stamp(path)));
        }
        stamps
    }
}

fn is_there(path: &Path) -> bool {
    files::stamp(path) != Stamp::Missing
}

/// Whether an agent's name can be the stem of a file in the agents' directory,
/// and of no other.
fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && !name.contains(['/', '\\', ':', '\0'])
}

/// Collects what the files say.
struct Gathering {
    scopes: Vec<ScopePolicy>,
    invalid: Vec<Scope>,
    diagnostics: Vec<Diagnostic>,
    settings: Settings,
}

impl Gathering {
    fn take(&mut self, scope: Scope, parsed: Parsed, authority: Option<Authority>) {
        self.diagnostics.extend(parsed.diagnostics);
        match parsed.scope {
            Some(policy) => self.scopes.push(policy),
            None => self.invalid.push(scope),
        }
        if let (Some(settings), Some(authority)) = (parsed.settings, authority) {
            self.settings = std::mem::take(&mut self.settings).overlaid(&settings, authority);
        }
    }

    /// A denial about `~` that cannot be held because nobody knows where that
    /// is: it would be inert, so this tightens as an invalid file does.
    fn homeless(&self, context: &PatternContext) -> Option<Diagnostic> {
        let known = context.home.as_deref().is_some_and(|home| !home.is_empty());
        let entries = || {
            let surfaces = self.scopes.iter().flat_map(|scope| &scope.surfaces);
            surfaces.flat_map(|surface| surface.body.entries())
        };
        if known || !entries().any(|e| e.action != Action::Allow && needs_home(&e.pattern)) {
            return None;
        }
        let message = "the home directory is not known, so rules about `~` cannot be held: \
                       every `allow` asks";
        Some(Diagnostic::new("config/no-home", Severity::Error, message).help("set `HOME`"))
    }

    /// An old file: its settings count, its policy and its errors do not
    /// (spec 01 §4.1).
    fn take_legacy(&mut self, path: &Path, target: &Path, opening: &str, authority: Authority) {
        let old = path.display().to_string();
        let parsed = match files::load(path) {
            Loaded::Absent => return,
            Loaded::Text(text) => parse_config(&text, &old, Scope::Global),
            Loaded::Bad(_) => Parsed::absent(Scope::Global, None),
        };
        let new = target.display();
        let message = format!("{opening} '{new}':\n  mv '{old}' '{new}'");
        let diagnostic = Diagnostic::new("config/legacy-file", Severity::Warning, message)
            .help("its settings count, its `permission` does not; `countersign policy migrate` converts old layouts")
            .at(&old);
        self.diagnostics.push(diagnostic);
        if let Some(settings) = parsed.settings {
            self.settings = std::mem::take(&mut self.settings).overlaid(&settings, authority);
        }
    }
}

/// Reads one scope's configuration, from its file or given in its place.
fn configuration(given: Option<&Source>, path: &Path, scope: Scope) -> Parsed {
    let shown = path.display().to_string();
    let must_exist = matches!(given, Some(Source::File(_)));
    if let Some(Source::Text { name, text }) = given {
        return parse_config(text, name, scope);
    }
    match files::load(path) {
        Loaded::Text(text) => parse_config(&text, &shown, scope),
        Loaded::Absent if !must_exist => Parsed::absent(scope, Some(Arc::from(shown))),
        Loaded::Absent => bad(&shown, "no such file"),
        Loaded::Bad(why) => bad(&shown, &why),
    }
}

fn agent_file(path: &Path, scope: Scope) -> Parsed {
    let shown = path.display().to_string();
    match files::load_agent(path) {
        Loaded::Text(text) => parse_agent(&text, &shown, scope),
        Loaded::Absent => Parsed::absent(scope, Some(Arc::from(shown))),
        Loaded::Bad(why) => bad(&shown, &why),
    }
}

fn bad(path: &str, why: &str) -> Parsed {
    Parsed {
        scope: None,
        settings: None,
        diagnostics: vec![countersign_config::unreadable(path, why)],
    }
}

fn read(options: &WorkspaceOptions, places: &Places) -> Snapshot {
    let mut all = Gathering {
        scopes: Vec::new(),
        invalid: Vec::new(),
        diagnostics: Vec::new(),
        settings: Settings::default(),
    };
    if let Some(path) = &places.legacy_global {
        let opening = format!(
            "Legacy global policy found at '{}'. Move it to",
            path.display()
        );
        all.take_legacy(path, &places.global, &opening, Authority::User);
    }
    if let Some(path) = &places.legacy_extension {
        let opening = format!(
            "Legacy extension config found at '{}'. Move runtime settings to",
            path.display()
        );
        all.take_legacy(path, &places.global, &opening, Authority::User);
    }
    let global = configuration(
        options.config_override.as_ref(),
        &places.global,
        Scope::Global,
    );
    all.take(Scope::Global, global, Some(Authority::User));
    if let (Some(legacy), Some(project)) = (&places.legacy_project, &places.project) {
        let opening = format!(
            "Legacy project policy found at '{}'. Move it to",
            legacy.display()
        );
        all.take_legacy(legacy, project, &opening, Authority::Project);
    }
    if let Some(path) = &places.project {
        let project = configuration(options.project_override.as_ref(), path, Scope::Project);
        all.take(Scope::Project, project, Some(Authority::Project));
    }
    if let Some(path) = &places.agent {
        all.take(Scope::Agent, agent_file(path, Scope::Agent), None);
    }
    if let Some(path) = &places.project_agent {
        all.take(
            Scope::ProjectAgent,
            agent_file(path, Scope::ProjectAgent),
            None,
        );
    }
    if let Some(name) = &places.unusable_agent {
        let message =
            format!("the agent's name {name:?} is no file name, so its policy cannot be read");
        let diagnostic = Diagnostic::new("config/agent-name", Severity::Error, message)
            .help("rename the agent: no separators, no leading dot");
        all.diagnostics.push(diagnostic);
        all.invalid.push(Scope::Agent);
    }
    all.diagnostics
        .extend(lint::permissive_bash(&merge(&all.scopes)));
    all.diagnostics.extend(clamp_notice(&all.invalid));

    let mut lasting = Vec::new();
    let from_global = grants::read(&places.global_grants, GrantScope::Global);
    let from_project = places
        .project_grants
        .as_deref()
        .map(|path| grants::read(path, GrantScope::Project));
    for (list, diagnostics) in std::iter::once(from_global).chain(from_project) {
        lasting.extend(list);
        all.diagnostics.extend(diagnostics);
    }

    let context = PatternContext {
        home: options
            .home
            .as_ref()
            .and_then(|home| home.to_str())
            .map(str::to_owned),
        flavour: options.flavour,
    };
    let homeless = all.homeless(&context);
    let clamped = !all.invalid.is_empty() || homeless.is_some();
    all.diagnostics.extend(homeless);
    let policy = Policy::compile(compose(&all.scopes, clamped), &context);
    let resolved = links::resolved(&policy, &options.cwd);
    let mcp_servers = match files::load(&places.mcp) {
        Loaded::Text(text) => countersign_config::mcp_server_names(&text),
        Loaded::Absent | Loaded::Bad(_) => Vec::new(),
    };
    Snapshot {
        policy,
        resolved,
        settings: all.settings,
        grants: if clamped { Vec::new() } else { lasting.clone() },
        recorded: lasting,
        diagnostics: all.diagnostics,
        clamped,
        invalid: all.invalid,
        mcp_servers,
        scopes: all.scopes,
        withheld: !options.trusted,
        generation: 0,
    }
}

/// What is said while some scope is invalid (spec 01 §6).
fn clamp_notice(invalid: &[Scope]) -> Option<Diagnostic> {
    if invalid.is_empty() {
        return None;
    }
    let names: Vec<&str> = invalid.iter().map(|scope| scope.as_str()).collect();
    let message = format!(
        "Invalid {} configuration detected — failing closed: 'allow' rules are clamped to 'ask' \
         for this session until the configuration is corrected.",
        names.join(", ")
    );
    Some(Diagnostic::new(
        "config/fail-closed",
        Severity::Error,
        message,
    ))
}

/// The allow rules of a grants file as grants; anything else in it is said.
fn as_grants(parsed: Parsed, path: &str, scope: GrantScope) -> (Vec<Grant>, Vec<Diagnostic>) {
    let mut diagnostics = parsed.diagnostics;
    let mut grants = Vec::new();
    for surface in parsed.scope.into_iter().flat_map(|policy| policy.surfaces) {
        let entries = match surface.body {
            Body::State(entry) => vec![entry],
            Body::Map(entries) => entries,
        };
        for entry in entries {
            if entry.action == Action::Allow {
                grants.push(Grant {
                    surface: surface.surface.clone(),
                    pattern: entry.pattern,
                    scope,
                });
            } else {
                let message = "a file of approvals can only allow";
                let diagnostic =
                    Diagnostic::new("grants/not-an-approval", Severity::Warning, message)
                        .label(entry.span, "ignored")
                        .help("write the rule into `config.json`")
                        .at(path);
                diagnostics.push(diagnostic);
            }
        }
    }
    (grants, diagnostics)
}

#[cfg(test)]
mod tests;
