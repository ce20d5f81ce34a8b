//! The gate of the tool itself, and the gate for reading skills.

use countersign_intent::{Intent, mcp::Target, path};
use countersign_policy::{Action, Candidate, Evaluation};
use countersign_shell::FloorCause;

use crate::decide::Judge;
use crate::decision::{FloorNote, Gate, Grantable, JudgedEffect, UNREAD_SHELL};
use crate::subject::{Dots, Subject, is_catch_all, is_explicit};

impl Judge<'_> {
    /// A tool judged by its name alone.
    pub(super) fn named_tool(&mut self, intent: &Intent) {
        let effect = self.by_name(&intent.surface);
        if effect.floor == Some(FloorCause::UnguardedChild.sentinel()) {
            let note = format!(
                "`{}` launches an agent inside this process, where this host lets nobody guard it",
                intent.surface
            );
            self.floors.push(FloorNote {
                sentinel: FloorCause::UnguardedChild.sentinel(),
                note,
                span: None,
            });
        }
        self.effects.push(effect);
    }

    fn by_name(&self, surface: &str) -> JudgedEffect {
        let mut effect = JudgedEffect::new(Gate::Tool, surface, surface);
        self.rule(&mut effect, &self.scene.policy.surface_state(surface));
        effect.match_values = vec!["*".to_owned()];
        if self.scene.settings.unguarded && launches_agents(surface) {
            self.floor(&mut effect, FloorCause::UnguardedChild.sentinel());
        }
        self.answer(&mut effect, || self.grant_for(surface, &["*"], false));
        effect
    }

    /// One of the tools that work on a path: judged by the path, under every
    /// spelling and for what it leads to.
    pub(super) fn path_tool(&mut self, intent: &Intent) {
        let surface = intent.surface.as_str();
        let home = self.facts.home();
        let Some(typed) = intent.paths.first().and_then(|p| path::clean(p, home)) else {
            return self.named_tool(intent);
        };
        // A lone star stands for itself (spec 02 §7.2).
        if typed == "*" {
            return self.named_tool(intent);
        }
        let subject = Subject::new(
            self.scene,
            self.facts,
            &typed,
            self.scene.cwd,
            Dots::Lexical,
        );
        let mut effect = JudgedEffect::new(Gate::Tool, surface, typed);
        if let Some(said) = subject.judge(self.scene, surface, false) {
            self.rule(&mut effect, &said);
        } else {
            effect.verdict = Action::Ask;
        }
        effect.direction = Some(intent.direction);
        self.describe(&mut effect, &subject);
        self.answer(&mut effect, || self.path_grant(surface, &[&subject]));
        self.effects.push(effect);
    }

    pub(super) fn mcp_tool(&mut self, intent: &Intent) {
        let said = self.mcp(&intent.targets);
        let effect = self.mcp_effect(&intent.targets, &said);
        self.effects.push(effect);
    }

    fn mcp(&self, targets: &[Target]) -> Evaluation {
        let candidates: Vec<Candidate<'_>> = targets
            .iter()
            .map(|target| {
                if target.may_allow {
                    Candidate::plain(&target.name)
                } else {
                    Candidate::tighten(&target.name)
                }
            })
            .collect();
        self.scene.policy.evaluate("mcp", &candidates)
    }

    fn mcp_effect(&self, targets: &[Target], said: &Evaluation) -> JudgedEffect {
        // Rules decide which of the names is reported; a default reports the
        // most specific one.
        let named = said
            .candidate
            .filter(|_| is_explicit(self.scene.policy, said))
            .and_then(|at| targets.get(at))
            .or_else(|| targets.iter().find(|t| t.may_allow));
        let value = named.map_or("mcp", |t| t.name.as_str());
        let mut effect = JudgedEffect::new(Gate::Tool, "mcp", value);
        self.rule(&mut effect, said);
        let names: Vec<&str> = targets
            .iter()
            .filter(|t| t.may_allow)
            .map(|t| t.name.as_str())
            .collect();
        effect.match_values = names.iter().map(|n| (*n).to_owned()).collect();
        // A grant speaks of what was asked about, the name reported; the
        // general names at the end (`mcp_call`, `mcp`) are no such thing.
        let specific: Vec<&str> = names
            .iter()
            .copied()
            .filter(|n| !matches!(*n, "mcp" | "mcp_call"))
            .collect();
        self.answer(&mut effect, || self.grant_for("mcp", &specific, false));
        effect
    }

    /// A tool of an MCP server under its own name. A rule for that name
    /// decides; a rule on `mcp` that speaks of this tool in particular can
    /// only make it stricter; where no rule names the tool, `mcp` decides.
    pub(super) fn native_mcp_tool(&mut self, intent: &Intent) {
        let policy = self.scene.policy;
        let by_name = policy.surface_state(&intent.surface);
        let by_target = self.mcp(&intent.targets);
        let named = is_explicit(policy, &by_name);
        let targeted = is_explicit(policy, &by_target);
        let particular = targeted
            && by_target
                .rule
                .and_then(|at| policy.rules().get(at))
                .is_some_and(|rule| !is_catch_all(&rule.pattern));
        let take_target = if named {
            particular && by_target.action > by_name.action
        } else {
            targeted
        };
        if take_target {
            let effect = self.mcp_effect(&intent.targets, &by_target);
            self.effects.push(effect);
        } else {
            self.named_tool(intent);
        }
    }

    pub(crate) fn skill_tool(&mut self, intent: &Intent) {
        let value = intent.skill.as_deref().unwrap_or("*").trim();
        let mut effect = JudgedEffect::new(Gate::Tool, "skill", value);
        let said = self
            .scene
            .policy
            .evaluate("skill", &[Candidate::plain(value)]);
        self.rule(&mut effect, &said);
        self.answer(&mut effect, || self.grant_for("skill", &[value], false));
        self.effects.push(effect);
    }

    /// A shell whose commands cannot be read. Its own rule decides; where
    /// there is none, rules for `bash` show that commands matter here.
    pub(super) fn other_shell(&mut self, intent: &Intent) {
        let mut effect = JudgedEffect::new(Gate::Tool, intent.surface.as_str(), &*intent.surface);
        let said = self.scene.policy.surface_state(&intent.surface);
        self.rule(&mut effect, &said);
        let bash = self.scene.policy.evaluate_glob("bash", &["**"]);
        let bash_has_rules = is_explicit(self.scene.policy, &bash) && bash.action > Action::Allow;
        if !is_explicit(self.scene.policy, &said) && bash_has_rules {
            self.floor(&mut effect, UNREAD_SHELL);
            effect.grantable = Grantable::Never;
        }
        self.answer(&mut effect, || {
            self.grant_for(&intent.surface, &["*"], false)
        });
        self.effects.push(effect);
    }

    /// Reading a file of a skill the agent was told of: the skill's own
    /// verdict (spec 02 §6.4).
    pub(super) fn skill_read(&mut self, intent: &Intent) {
        let home = self.facts.home();
        let flavour = self.scene.settings.flavour;
        let Some(typed) = intent.paths.first().and_then(|p| path::clean(p, home)) else {
            return;
        };
        let file = path::normalize(&path::join(self.scene.cwd, &typed, flavour), flavour);
        let skills = self.scene.skills;
        if skills.is_empty() {
            return;
        }
        let of = |file: &str| {
            let exact = skills.iter().find(|skill| skill.location == file);
            exact.or_else(|| {
                skills
                    .iter()
                    .filter(|skill| path::below(&skill.directory, file, flavour).is_some())
                    .max_by_key(|skill| skill.directory.len())
            })
        };
        // Whatever link leads to it, a skill's file is the skill's.
        let real = || of(&self.facts.real_path(&file).ok()?);
        let Some(skill) = of(&file).or_else(real) else {
            return;
        };
        let said = self
            .scene
            .policy
            .evaluate("skill", &[Candidate::plain(&skill.name)]);
        if said.action == Action::Allow {
            return;
        }
        let mut effect = JudgedEffect::new(Gate::SkillRead, "skill", skill.name.as_str());
        self.rule(&mut effect, &said);
        effect.lexical = Some(file);
        self.answer(&mut effect, || {
            self.grant_for("skill", &[&skill.name], false)
        });
        self.effects.push(effect);
    }
}

/// Whether a tool goes by a name that tools which launch agents go by. Only
/// asked where such an agent would be out of sight, so a wrong yes costs a
/// question.
fn launches_agents(tool: &str) -> bool {
    let name = tool.to_ascii_lowercase();
    ["agent", "task", "delegate", "spawn", "worker", "crew"]
        .iter()
        .any(|word| name.contains(word))
}
