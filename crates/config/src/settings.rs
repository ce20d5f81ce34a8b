//! Every key that is not policy (spec 01 §3.1).

use countersign_policy::Family;

use crate::dialog_keys::Decision;
use crate::edit::SettingValue;

/// A tool that carries shell semantics under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellTool {
    /// The argument that holds the command.
    pub command_argument: String,
    /// The argument that holds the working directory.
    pub workdir_argument: Option<String>,
}

/// The keys of the permission dialog, one character each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogKeys {
    keys: [char; 5],
}

impl Default for DialogKeys {
    fn default() -> Self {
        Self {
            keys: Decision::ALL.map(Decision::default_key),
        }
    }
}

impl DialogKeys {
    /// The key of a decision.
    #[must_use]
    pub fn key(&self, decision: Decision) -> char {
        self.keys
            .get(decision.index())
            .copied()
            .unwrap_or_else(|| decision.default_key())
    }

    pub(crate) fn set(&mut self, decision: Decision, key: char) {
        if let Some(slot) = self.keys.get_mut(decision.index()) {
            *slot = key;
        }
    }
}

/// The settings of one scope, or of several merged. A key that is absent here
/// was set nowhere; the methods name the value in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `debugLog`
    pub debug_log: Option<bool>,
    /// `permissionReviewLog`
    pub permission_review_log: Option<bool>,
    /// `yoloMode`
    pub yolo_mode: Option<bool>,
    /// `doublePressToConfirm`
    pub double_press_to_confirm: Option<bool>,
    /// `permissionDialogKeys`, already reduced to what can be bound.
    pub permission_dialog_keys: Option<DialogKeys>,
    /// `forwardingTimeoutMs`
    pub forwarding_timeout_ms: Option<u64>,
    /// `promptMaxRows`
    pub prompt_max_rows: Option<u64>,
    /// `promptFieldMaxWidth`
    pub prompt_field_max_width: Option<u64>,
    /// `reviewLogFieldMaxWidth`
    pub review_log_field_max_width: Option<u64>,
    /// `logFileMaxMegabytes`
    pub log_file_max_megabytes: Option<u64>,
    /// `piInfrastructureReadPaths`
    pub pi_infrastructure_read_paths: Option<Vec<String>>,
    /// `authorizerChain`
    pub authorizer_chain: Option<Vec<String>>,
    /// `inboxNotifications`
    pub inbox_notifications: Option<Vec<String>>,
    /// `authorizerTrust`
    pub authorizer_trust: Option<Vec<(String, Vec<Family>)>>,
    /// `shellTools`
    pub shell_tools: Vec<(String, ShellTool)>,
    /// `waitForLostParent`
    pub wait_for_lost_parent: Option<bool>,
    /// `requireSignedAnswers`
    pub require_signed_answers: Option<bool>,
    /// `exportSession`
    pub export_session: Option<bool>,
}

/// Which files a scope of settings comes from, as far as trust goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The user's own file.
    User,
    /// A project's file.
    Project,
}

impl Settings {
    /// These settings with a higher scope's on top (spec 01 §4.2): a value
    /// that is set replaces the one below, `shellTools` join by tool name. A
    /// project can turn `requireSignedAnswers` and `exportSession` on, never
    /// off.
    #[must_use]
    pub fn overlaid(mut self, higher: &Self, authority: Authority) -> Self {
        fn over<T: Clone>(below: &mut Option<T>, above: &Option<T>) {
            if above.is_some() {
                below.clone_from(above);
            }
        }
        over(&mut self.debug_log, &higher.debug_log);
        over(
            &mut self.permission_review_log,
            &higher.permission_review_log,
        );
        over(&mut self.yolo_mode, &higher.yolo_mode);
        over(
            &mut self.double_press_to_confirm,
            &higher.double_press_to_confirm,
        );
        over(
            &mut self.permission_dialog_keys,
            &higher.permission_dialog_keys,
        );
        over(
            &mut self.forwarding_timeout_ms,
            &higher.forwarding_timeout_ms,
        );
        over(&mut self.wait_for_lost_parent, &higher.wait_for_lost_parent);
        over(&mut self.prompt_max_rows, &higher.prompt_max_rows);
        over(
            &mut self.prompt_field_max_width,
            &higher.prompt_field_max_width,
        );
        over(
            &mut self.review_log_field_max_width,
            &higher.review_log_field_max_width,
        );
        over(
            &mut self.log_file_max_megabytes,
            &higher.log_file_max_megabytes,
        );
        over(
            &mut self.pi_infrastructure_read_paths,
            &higher.pi_infrastructure_read_paths,
        );
        over(&mut self.authorizer_chain, &higher.authorizer_chain);
        over(&mut self.inbox_notifications, &higher.inbox_notifications);
        over(&mut self.authorizer_trust, &higher.authorizer_trust);
        if authority == Authority::User || higher.require_signed_answers == Some(true) {
            over(
                &mut self.require_signed_answers,
                &higher.require_signed_answers,
            );
        }
        if authority == Authority::User || higher.export_session == Some(true) {
            over(&mut self.export_session, &higher.export_session);
        }
        for (name, tool) in &higher.shell_tools {
            match self.shell_tools.iter_mut().find(|(known, _)| known == name) {
                Some((_, slot)) => slot.clone_from(tool),
                None => self.shell_tools.push((name.clone(), tool.clone())),
            }
        }
        self
    }

    /// What is set for an adjustable key. `None` where nothing is, or where
    /// there is no such key.
    #[must_use]
    pub fn adjustable(&self, key: &str) -> Option<SettingValue> {
        let flag = |value: Option<bool>| value.map(SettingValue::Flag);
        let count = |value: Option<u64>| value.map(SettingValue::Count);
        match key {
            "yoloMode" => flag(self.yolo_mode),
            "debugLog" => flag(self.debug_log),
            "permissionReviewLog" => flag(self.permission_review_log),
            "doublePressToConfirm" => flag(self.double_press_to_confirm),
            "waitForLostParent" => flag(self.wait_for_lost_parent),
            "requireSignedAnswers" => flag(self.require_signed_answers),
            "exportSession" => flag(self.export_session),
            "reviewLogFieldMaxWidth" => count(self.review_log_field_max_width),
            "logFileMaxMegabytes" => count(self.log_file_max_megabytes),
            "promptMaxRows" => count(self.prompt_max_rows),
            "promptFieldMaxWidth" => count(self.prompt_field_max_width),
            "forwardingTimeoutMs" => count(self.forwarding_timeout_ms),
            _ => None,
        }
    }

    /// Whether the debug log is written.
    #[must_use]
    pub fn debug_log(&self) -> bool {
        self.debug_log.unwrap_or(false)
    }

    /// Whether the review log is written.
    #[must_use]
    pub fn permission_review_log(&self) -> bool {
        self.permission_review_log.unwrap_or(true)
    }

    /// Whether every question is answered with yes.
    #[must_use]
    pub fn yolo_mode(&self) -> bool {
        self.yolo_mode.unwrap_or(false)
    }

    /// Whether keys of the dialog must be pressed twice.
    #[must_use]
    pub fn double_press_to_confirm(&self) -> bool {
        self.double_press_to_confirm.unwrap_or(true)
    }

    /// The keys of the dialog.
    #[must_use]
    pub fn permission_dialog_keys(&self) -> DialogKeys {
        self.permission_dialog_keys.clone().unwrap_or_default()
    }

    /// How long to wait for a parent that is alive, in milliseconds.
    #[must_use]
    pub fn forwarding_timeout_ms(&self) -> u64 {
        self.forwarding_timeout_ms.unwrap_or(600_000)
    }

    /// Rows of one question.
    #[must_use]
    pub fn prompt_max_rows(&self) -> u64 {
        self.prompt_max_rows.unwrap_or(24)
    }

    /// Characters shown of each field of a question.
    #[must_use]
    pub fn prompt_field_max_width(&self) -> u64 {
        self.prompt_field_max_width.unwrap_or(400)
    }

    /// Characters kept of each text in the review log.
    #[must_use]
    pub fn review_log_field_max_width(&self) -> u64 {
        self.review_log_field_max_width.unwrap_or(1000)
    }

    /// The size, in units of 1,048,576 bytes, at which a log file is begun
    /// anew.
    #[must_use]
    pub fn log_file_max_megabytes(&self) -> u64 {
        self.log_file_max_megabytes.unwrap_or(64)
    }

    /// More places that read-only tools may read.
    #[must_use]
    pub fn pi_infrastructure_read_paths(&self) -> &[String] {
        self.pi_infrastructure_read_paths.as_deref().unwrap_or(&[])
    }

    /// How an inbox tells of a new question on its terminal.
    #[must_use]
    pub fn inbox_notifications(&self) -> &[String] {
        self.inbox_notifications.as_deref().unwrap_or(&[])
    }

    /// The links asked before a person, in order.
    #[must_use]
    pub fn authorizer_chain(&self) -> &[String] {
        self.authorizer_chain.as_deref().unwrap_or(&[])
    }

    /// Whether a link's yes stands on a family.
    #[must_use]
    pub fn trusts_authorizer(&self, link: &str, family: Family) -> bool {
        self.authorizer_trust
            .iter()
            .flatten()
            .any(|(name, families)| name == link && families.contains(&family))
    }

    /// The shell semantics of a tool, where it has some.
    #[must_use]
    pub fn shell_tool(&self, tool: &str) -> Option<&ShellTool> {
        self.shell_tools
            .iter()
            .find(|(name, _)| name == tool)
            .map(|(_, tool)| tool)
    }

    /// Whether a subagent waits for a parent that is gone to come back.
    #[must_use]
    pub fn wait_for_lost_parent(&self) -> bool {
        self.wait_for_lost_parent.unwrap_or(false)
    }

    /// Whether only signed answers count.
    #[must_use]
    pub fn require_signed_answers(&self) -> bool {
        self.require_signed_answers.unwrap_or(false)
    }

    /// Whether processes started from a session find it as their parent;
    /// `true` unless set.
    #[must_use]
    pub fn export_session(&self) -> bool {
        self.export_session.unwrap_or(true)
    }
}
