//! One session at run time: it gates tool calls, brings questions to whoever
//! can answer them, serves its children, and records what happened.
//!
//! Locks are held for moments only, and never while a front end, a log or a
//! mailbox is called.

mod api;
mod asking;
mod asks;
mod attention;
mod events;
mod extension;
mod forward;
mod grants;
mod menu;
mod nested;
mod prompt;
mod question;
mod serve;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use countersign_engine::{Decision, GateSettings, Scene, SkillEntry};
use countersign_forward::detect::{self, Authority, Node, Registered, Target};
use countersign_intent::ToolCall;
use countersign_policy::{Action, Flavour, Grant, GrantSet, PatternContext};
use countersign_text::{Diagnostic, Severity};
use serde_json::{Value, json};

pub use api::{
    Answer, CallContext, Forwarding, Front, Gate, Level, Options, Question, Settled, Update, Via,
};
pub use asking::{FollowUp, LinkAnswer};
pub use menu::{Choice, Page};
pub use prompt::Skill;

use crate::facts::{RealFacts, real_path};
use crate::forwarding::Server;
use crate::gate::{Places, gate_settings};
use crate::paths::AgentPaths;
use crate::registry::{self, Detection};
use crate::review_log::{LogOptions, ReviewLog};
use crate::workspace::{Snapshot, UNTRUSTED, Workspace, WorkspaceOptions};

use asks::Asks;

/// One session. Made by [`Session::open`], ended by [`Session::shutdown`].
pub struct Session {
    me: Weak<Self>,
    options: Options,
    paths: AgentPaths,
    front: Arc<dyn Front>,
    log: ReviewLog,
    facts: RealFacts,
    context: Mutex<Context>,
    grants: Mutex<Vec<Grant>>,
    asks: Mutex<Asks>,
    recent: Mutex<menu::Recent>,
    callers: Mutex<nested::Callers>,
    server: Mutex<Option<Server>>,
    counters: Counters,
}

/// What may change while a session runs.
struct Context {
    cwd: PathBuf,
    has_ui: bool,
    trusted: bool,
    agent: Option<String>,
    tools: Option<Vec<String>>,
    links: Vec<String>,
    unguarded: bool,
    skills: Vec<SkillEntry>,
    workspace: Arc<Workspace>,
    settings: Option<(Arc<Snapshot>, Arc<Compiled>)>,
    shown: Vec<String>,
    /// The generation of the configuration that was told about last.
    announced: Option<u64>,
}

/// What is made once per configuration.
struct Compiled {
    gate: GateSettings,
    real_cwd: String,
}

/// The tally written at shutdown.
#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    allowed: AtomicU64,
    blocked: AtomicU64,
}

/// What one decision is made with.
struct View {
    cwd: String,
    trusted: bool,
    agent: Option<String>,
    skills: Vec<SkillEntry>,
    snapshot: Arc<Snapshot>,
    compiled: Arc<Compiled>,
    grants: GrantSet,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Opens a session: reads the configuration, tells what is wrong with it,
    /// and starts serving where somebody can answer here.
    #[must_use]
    pub fn open(options: Options, front: Arc<dyn Front>) -> Arc<Self> {
        let paths = AgentPaths::new(&options.agent_dir);
        let workspace = Arc::new(open_workspace(&options, &options.cwd, options.trusted));
        let context = Context {
            cwd: options.cwd.clone(),
            has_ui: options.has_ui,
            trusted: options.trusted,
            agent: None,
            tools: None,
            links: Vec::new(),
            unguarded: false,
            skills: Vec::new(),
            workspace,
            settings: None,
            shown: Vec::new(),
            announced: None,
        };
        let session = Arc::new_cyclic(|me| Self {
            me: me.clone(),
            log: ReviewLog::new(&paths, options.session_id.clone()),
            facts: RealFacts::new(options.home.clone()),
            paths,
            front,
            context: Mutex::new(context),
            grants: Mutex::default(),
            asks: Mutex::default(),
            recent: Mutex::default(),
            callers: Mutex::default(),
            server: Mutex::default(),
            counters: Counters::default(),
            options,
        });
        registry::set_running(session.id(), Some(session.options.has_ui));
        session.infer_parent();
        let snapshot = session.snapshot();
        session.record_opening(&snapshot);
        session.announce_configuration(&snapshot);
        session.adjust_serving();
        session
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.options.session_id
    }

    /// Takes note of what changed.
    pub fn update(&self, update: Update) {
        let mut reopened = false;
        {
            let mut context = lock(&self.context);
            if let Some(cwd) = update.cwd.filter(|cwd| *cwd != context.cwd) {
                context.cwd = cwd;
                reopened = true;
            }
            if let Some(trusted) = update.trusted.filter(|t| *t != context.trusted) {
                context.trusted = trusted;
                reopened = true;
            }
            if reopened {
                let workspace = open_workspace(&self.options, &context.cwd, context.trusted);
                context.workspace = Arc::new(workspace);
                context.settings = None;
            }
            if let Some(has_ui) = update.has_ui {
                context.has_ui = has_ui;
            }
            if let Some(agent) = update.agent {
                context.agent = agent.filter(|name| !name.trim().is_empty());
            }
            if let Some(tools) = update.tools {
                if context.tools.as_ref() != Some(&tools) {
                    context.settings = None;
                }
                context.tools = Some(tools);
            }
            if let Some(unguarded) = update.unguarded.filter(|u| *u != context.unguarded) {
                context.unguarded = unguarded;
                context.settings = None;
            }
            if let Some(links) = update.links {
                context.links = links;
            }
        }
        if let Some(has_ui) = update.has_ui {
            registry::set_running(self.id(), Some(has_ui));
        }
        self.announce_configuration(&self.snapshot());
        self.adjust_serving();
    }

    /// Decides a tool call, or begins to ask about it.
    pub fn gate(&self, call: &ToolCall, tool_call_id: &str) -> Gate {
        let context = CallContext {
            tool_call_id: tool_call_id.to_owned(),
            ..CallContext::default()
        };
        self.gate_in(call, &context)
    }

    /// The same, with what the host says of the call.
    pub fn gate_in(&self, call: &ToolCall, context: &CallContext) -> Gate {
        self.counters.calls.fetch_add(1, Ordering::Relaxed);
        let view = self.view();
        // A file that changed since the last call is in force now; a broken
        // one is told about now, not at the next start.
        self.announce_configuration(&view.snapshot);
        let mut decision = self.decide_with(&view, call);
        self.add_context(&mut decision, call, context);
        self.conclude(&view, decision, call, context)
    }

    /// Makes a decision the gate's word: recorded, or begun to be asked about.
    fn conclude(
        &self,
        view: &View,
        decision: Decision,
        call: &ToolCall,
        context: &CallContext,
    ) -> Gate {
        let tool_call_id = &context.tool_call_id;
        let gate = match decision.verdict {
            Action::Allow => {
                self.record_allowed(view, &decision, call, tool_call_id);
                Gate::Allow
            }
            Action::Deny => {
                let message = self.record_refused(view, &decision, call, tool_call_id);
                Gate::Block(message)
            }
            Action::Ask => self.begin_ask(view, decision, call, context),
        };
        match &gate {
            Gate::Allow => self.count(true),
            Gate::Block(_) => self.count(false),
            Gate::Waiting(_) => {}
        }
        self.log_debug("permission.decision", || {
            let (action, reason) = match &gate {
                Gate::Allow => ("allow", None),
                Gate::Block(reason) => ("block", Some(reason.as_str())),
                Gate::Waiting(_) => ("ask", None),
            };
            json!({"toolName": call.name, "action": action, "reason": reason})
        });
        gate
    }

    /// What the gate would say, without asking or recording anything.
    pub fn decide(&self, call: &ToolCall) -> Decision {
        self.decide_with(&self.view(), call)
    }

    fn decide_with(&self, view: &View, call: &ToolCall) -> Decision {
        countersign_engine::decide(call, &view.scene(), &self.facts)
    }

    /// The rules in force for the active agent.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.view().snapshot
    }

    /// Whether `agent` (the active one without it) can be allowed nothing of a
    /// tool at all, so that it need not be shown to the model (spec 02 §6.1).
    #[must_use]
    pub fn tool_fully_denied(&self, tool: &str, agent: Option<&str>) -> bool {
        let view = match agent {
            Some(agent) => self.view_for(Some(agent.to_owned())),
            None => self.view(),
        };
        let aliases = &view.compiled.gate.intent.shell_tools;
        let surface = match aliases.iter().any(|alias| alias.tool == tool) {
            true => "bash",
            false => tool,
        };
        view.snapshot.policy.fully_denied(surface)
    }

    fn view(&self) -> View {
        let agent = lock(&self.context).agent.clone();
        self.view_for(agent)
    }

    /// The same session as another agent's rules see it.
    fn view_for(&self, agent: Option<String>) -> View {
        let mut grants = lock(&self.grants).clone();
        let mut context = lock(&self.context);
        let snapshot = context.workspace.snapshot(agent.as_deref());
        grants.splice(0..0, snapshot.grants.iter().cloned());
        let known = context
            .settings
            .as_ref()
            .filter(|(of, _)| Arc::ptr_eq(of, &snapshot))
            .map(|(_, compiled)| Arc::clone(compiled));
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let compiled = Arc::new(self.compile(&context, &snapshot));
                context.settings = Some((Arc::clone(&snapshot), Arc::clone(&compiled)));
                compiled
            }
        };
        View {
            cwd: context.cwd.to_string_lossy().into_owned(),
            trusted: context.trusted,
            agent,
            skills: context.skills.clone(),
            grants: GrantSet::compile(&grants, &self.patterns()),
            snapshot,
            compiled,
        }
    }

    fn compile(&self, context: &Context, snapshot: &Snapshot) -> Compiled {
        let settings = &snapshot.settings;
        let places = Places {
            agent_dir: self.options.agent_dir.clone(),
            cwd: context.cwd.clone(),
            host_directories: self.options.host_directories.clone(),
            own: self.options.install_directory.iter().cloned().collect(),
        };
        let patterns = self.patterns();
        let width = settings.review_log_field_max_width();
        self.log.configure(LogOptions {
            review: settings.permission_review_log(),
            debug: settings.debug_log(),
            field_width: usize::try_from(width).unwrap_or(usize::MAX),
            file_size: settings.log_file_max_megabytes().saturating_mul(1 << 20),
        });
        let real_cwd = real_path(&context.cwd).unwrap_or_else(|_| context.cwd.clone());
        Compiled {
            gate: GateSettings {
                unguarded: context.unguarded,
                ..gate_settings(
                    settings,
                    &snapshot.mcp_servers,
                    &places,
                    &patterns,
                    context.tools.clone(),
                )
            },
            real_cwd: real_cwd.to_string_lossy().into_owned(),
        }
    }

    fn patterns(&self) -> PatternContext {
        PatternContext {
            home: self.options.home.clone(),
            flavour: if cfg!(windows) {
                Flavour::Windows
            } else {
                Flavour::Posix
            },
        }
    }

    /// Tells what is wrong with the configuration, each thing once, and only
    /// where somebody can read it: a thing counts as told when it was shown.
    fn announce_configuration(&self, snapshot: &Snapshot) {
        let fresh: Vec<String> = {
            let mut context = lock(&self.context);
            if !context.has_ui || context.announced == Some(snapshot.generation) {
                return;
            }
            context.announced = Some(snapshot.generation);
            let worth_telling = |d: &&Diagnostic| d.severity >= Severity::Warning;
            let diagnostics = snapshot.diagnostics.iter().filter(worth_telling);
            let mut issues: Vec<String> = diagnostics.map(in_words).collect();
            if snapshot.withheld {
                issues.push(UNTRUSTED.to_owned());
            }
            if snapshot.settings.yolo_mode() {
                issues.push(YOLO.to_owned());
            }
            let known = std::mem::replace(&mut context.shown, issues.clone());
            issues.retain(|issue| !known.contains(issue));
            issues
        };
        for issue in fresh {
            self.front.notice(Level::Warning, &issue);
        }
    }

    /// Records where this session's files are, and that a project's were left
    /// out (spec 01 §5 and §7.2).
    fn record_opening(&self, snapshot: &Snapshot) {
        let cwd = lock(&self.context).cwd.clone();
        let place = |path: PathBuf| (path.exists(), path.to_string_lossy().into_owned());
        let (global_exists, global) = place(self.paths.config());
        let (agents_exist, agents) = place(self.paths.root().join("agents"));
        let trusted = |path: PathBuf| match snapshot.withheld {
            true => (false, Value::Null),
            false => {
                let (exists, path) = place(path);
                (exists, Value::from(path))
            }
        };
        let (project_exists, project) = trusted(crate::paths::project_config(&cwd));
        let (project_agents_exist, project_agents) = trusted(cwd.join(".pi").join("agents"));
        let legacy = |path: PathBuf| path.exists();
        self.log_review(
            "config.resolved",
            json!({
                "globalConfigPath": global,
                "globalConfigExists": global_exists,
                "projectConfigPath": project,
                "projectConfigExists": project_exists,
                "agentsDir": agents,
                "agentsDirExists": agents_exist,
                "projectAgentsDir": project_agents,
                "projectAgentsDirExists": project_agents_exist,
                "legacyGlobalPolicyDetected": legacy(self.paths.root().join("pi-permissions.jsonc")),
                "legacyProjectPolicyDetected": !snapshot.withheld
                    && legacy(cwd.join(".pi").join("agent").join("pi-permissions.jsonc")),
                "legacyExtensionConfigDetected": false,
                "childBy": self.detection().map(Detection::as_str),
            }),
        );
        if snapshot.withheld {
            let fields = json!({"cwd": cwd, "phase": "session_start"});
            self.log_review("project_trust.skipped", fields);
        }
    }

    /// A session that starts without a screen beside one that has it is its
    /// child, announced or not; a parent that was named wins.
    fn infer_parent(&self) {
        if self.options.has_ui || self.target().is_some() {
            return;
        }
        if let Some(parent) = registry::session_with_ui(self.id()) {
            registry::add_child(self.id(), Some(&parent), Detection::Inferred);
        }
    }

    /// Looks at this session's place among the others.
    fn at_node<T>(&self, look: impl FnOnce(&Node<'_>) -> T) -> T {
        let has_ui = lock(&self.context).has_ui;
        let own = registry::child(self.id());
        let below = |dir: &PathBuf| dir.starts_with(self.paths.subagent_sessions());
        look(&Node {
            session_id: self.id(),
            has_ui,
            registered: own.as_ref().map(|child| Registered {
                parent: child.parent.as_deref(),
            }),
            variable: &|name| self.options.environment.get(name).cloned(),
            in_subagent_directory: self.options.session_dir.as_ref().is_some_and(below),
        })
    }

    /// Where this session's questions go when nobody sits here.
    fn target(&self) -> Option<Target> {
        self.at_node(detect::target)
    }

    /// How this session was recognised as a child, if it is one.
    #[must_use]
    pub fn detection(&self) -> Option<Detection> {
        let registered = registry::child(self.id()).map(|child| child.detection);
        registered.or_else(|| match self.at_node(detect::child_by)? {
            detect::ChildBy::Registry => None,
            detect::ChildBy::Variable => Some(Detection::Variable),
            detect::ChildBy::Directory => Some(Detection::Directory),
        })
    }

    /// Whether questions end here: this session has a screen and no living
    /// parent, or nobody else to ask.
    #[must_use]
    pub fn adjudicates_locally(&self) -> bool {
        !matches!(self.authority(), Authority::Parent(_))
    }

    fn authority(&self) -> Authority {
        self.at_node(|node| detect::authority(node, |target| self.is_serving(target)))
    }

    /// The state in a few words, for a status line: yolo, a file that does not
    /// count, and how many questions wait. Nothing in the ordinary state.
    #[must_use]
    pub fn status(&self) -> Option<String> {
        let snapshot = self.snapshot();
        let (own, childs) = lock(&self.asks).waiting();
        let mut parts = Vec::new();
        if snapshot.settings.yolo_mode() {
            parts.push("yolo".to_owned());
        }
        if snapshot.clamped {
            parts.push("invalid configuration".to_owned());
        }
        let waits = match own + childs {
            0 => None,
            1 => Some("1 question waits".to_owned()),
            all => Some(format!("{all} questions wait")),
        };
        parts.extend(waits.map(|text| match childs {
            0 => text,
            childs => format!("{text} ({childs} of subagents)"),
        }));
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    fn count(&self, allowed: bool) {
        let counter = if allowed {
            &self.counters.allowed
        } else {
            &self.counters.blocked
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the session: takes its questions off the screen, stops serving and
    /// forgets its grants. Calls that wait are blocked. The questions of
    /// children stay in the inbox: after a reload the next session of this id
    /// puts them again, and where none comes their children give up by
    /// themselves and say so.
    pub fn shutdown(&self) {
        let server = lock(&self.server).take();
        self.stop_server(server);
        self.let_go_of_children();
        let waiting = self.abandon_all("the session was shut down");
        registry::set_running(self.id(), None);
        lock(&self.grants).clear();
        self.log_debug("permission.session_summary", || {
            let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            json!({
                "toolCalls": of(&self.counters.calls),
                "allowed": of(&self.counters.allowed),
                "blocked": of(&self.counters.blocked),
                "waiting": waiting,
            })
        });
    }

    fn log_review(&self, event: &str, fields: Value) {
        if let Some(warning) = self.log.review(event, fields) {
            self.front.notice(Level::Warning, &warning);
        }
    }

    fn log_debug(&self, event: &str, fields: impl FnOnce() -> Value) {
        if self.log.writes_debug() {
            self.log.debug(event, fields());
        }
    }
}

impl View {
    fn scene(&self) -> Scene<'_> {
        Scene {
            cwd: &self.cwd,
            real_cwd: &self.compiled.real_cwd,
            agent: self.agent.as_deref(),
            policy: &self.snapshot.policy,
            resolved: &self.snapshot.resolved,
            settings: &self.compiled.gate,
            grants: &self.grants,
            skills: &self.skills,
        }
    }
}

fn open_workspace(options: &Options, cwd: &std::path::Path, trusted: bool) -> Workspace {
    let mut workspace = WorkspaceOptions::new(&options.agent_dir, cwd);
    workspace.home = options.home.clone().map(PathBuf::from);
    workspace.trusted = trusted;
    Workspace::open(workspace)
}

/// What a session start says about yolo mode.
const YOLO: &str = "pi-permission-system: yolo mode is on — every question is answered with yes. \
Denials still hold. Set yoloMode to false to be asked again.";

/// A diagnostic as a notice: where, what, and the way out.
fn in_words(diagnostic: &Diagnostic) -> String {
    let place = match &diagnostic.path {
        Some(path) => format!("{path}: "),
        None => String::new(),
    };
    let help = match &diagnostic.help {
        Some(help) => format!(" ({help})"),
        None => String::new(),
    };
    format!("pi-permission-system: {place}{}{help}", diagnostic.message)
}

/// The environment hints of children, as a map for [`Options::environment`].
#[must_use]
pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests;
