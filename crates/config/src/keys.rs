//! Every key of a configuration file, once: the reader, the schema and the
//! documentation's test are made from this table.

use crate::edit::SettingValue;

/// What a key's value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// A boolean.
    Flag,
    /// An integer from 1.
    Count,
    /// A list of strings that are not empty.
    Texts,
    /// The dialog's keys.
    DialogKeys,
    /// Link names with the families they are trusted on.
    Trust,
    /// Tools with shell semantics.
    ShellTools,
    /// The policy.
    Permission,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) default: Option<&'static str>,
    /// For editors and people.
    pub(crate) about: &'static str,
    /// What to use instead, for keys that have no effect any more.
    pub(crate) deprecated: Option<&'static str>,
}

const fn key(
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    about: &'static str,
) -> Key {
    Key {
        name,
        kind,
        default,
        about,
        deprecated: None,
    }
}

pub(crate) const PREVIEW_REPLACEMENTS: &str = "`promptFieldMaxWidth` and `reviewLogFieldMaxWidth`";

pub(crate) const KEYS: &[Key] = &[
    key(
        "$schema",
        Kind::Text,
        None,
        "The schema of this file, for editors.",
    ),
    key(
        "permission",
        Kind::Permission,
        None,
        "The policy: for each surface one action, or patterns with their actions. The last pattern that matches wins.",
    ),
    key(
        "yoloMode",
        Kind::Flag,
        Some("false"),
        "Answer every question with yes. Denials still deny.",
    ),
    key(
        "debugLog",
        Kind::Flag,
        Some("false"),
        "Write the debug log.",
    ),
    key(
        "permissionReviewLog",
        Kind::Flag,
        Some("true"),
        "Write the review log, the record of every question and decision.",
    ),
    key(
        "reviewLogFieldMaxWidth",
        Kind::Count,
        Some("1000"),
        "Characters kept of each text in the review log.",
    ),
    key(
        "logFileMaxMegabytes",
        Kind::Count,
        Some("64"),
        "Size of a log file at which a new one is begun; nine older ones are kept.",
    ),
    key(
        "doublePressToConfirm",
        Kind::Flag,
        Some("true"),
        "Keys of the dialog must be pressed twice.",
    ),
    key(
        "permissionDialogKeys",
        Kind::DialogKeys,
        None,
        "Other keys for the dialog's decisions: one lowercase letter, digit or symbol each; `j` and `k` move the highlight.",
    ),
    key(
        "promptMaxRows",
        Kind::Count,
        Some("24"),
        "Rows of one question; only evidence gives way.",
    ),
    key(
        "promptFieldMaxWidth",
        Kind::Count,
        Some("400"),
        "Characters shown of each field of a question.",
    ),
    key(
        "forwardingTimeoutMs",
        Kind::Count,
        Some("600000"),
        "How long, in milliseconds, a subagent waits for a parent that is alive but does not answer.",
    ),
    key(
        "waitForLostParent",
        Kind::Flag,
        Some("false"),
        "A subagent whose parent is gone waits for it to come back, until the timeout, instead of giving up after two seconds.",
    ),
    key(
        "requireSignedAnswers",
        Kind::Flag,
        Some("false"),
        "Accept only signed answers to forwarded questions. A project can turn it on, not off.",
    ),
    key(
        "exportSession",
        Kind::Flag,
        Some("true"),
        "Processes started from a session find it as their parent, so that their questions arrive here. A project cannot turn it off.",
    ),
    key(
        "inboxNotifications",
        Kind::Texts,
        Some("[]"),
        "How `countersign inbox` tells of a new question on its terminal: `bell`, `osc9`, `osc777`.",
    ),
    key(
        "piInfrastructureReadPaths",
        Kind::Texts,
        Some("[]"),
        "More directories, or patterns, outside the workspace that read-only tools may read without a question.",
    ),
    key(
        "shellTools",
        Kind::ShellTools,
        None,
        "Tools that run shell commands under another name, and the argument that holds the command.",
    ),
    key(
        "authorizerChain",
        Kind::Texts,
        Some("[]"),
        "Links asked, in this order, before a person is.",
    ),
    key(
        "authorizerTrust",
        Kind::Trust,
        Some("{}"),
        "Links whose yes stands on the path families named.",
    ),
    Key {
        name: "toolInputPreviewMaxLength",
        kind: Kind::Count,
        default: None,
        about: "Has no effect any more.",
        deprecated: Some(PREVIEW_REPLACEMENTS),
    },
    Key {
        name: "toolTextSummaryMaxLength",
        kind: Kind::Count,
        default: None,
        about: "Has no effect any more.",
        deprecated: Some(PREVIEW_REPLACEMENTS),
    },
];

/// The keys of layouts older than the predecessor's fourth version.
pub(crate) const OLD_LAYOUT: [&str; 7] = [
    "defaultPolicy",
    "tools",
    "bash",
    "mcp",
    "skill",
    "skills",
    "special",
];

/// A setting that is a switch or a number, with what it is where nothing is
/// set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustable {
    /// The key in the file.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The value where no file sets one.
    pub default: SettingValue,
}

/// The settings that a command may change, in the order of the documentation.
pub fn adjustable() -> impl Iterator<Item = Adjustable> {
    let current = KEYS.iter().filter(|key| key.deprecated.is_none());
    current.filter_map(|key| {
        let default = match key.kind {
            Kind::Flag => SettingValue::Flag(key.default? == "true"),
            Kind::Count => SettingValue::Count(key.default?.parse().ok()?),
            _ => return None,
        };
        Some(Adjustable {
            name: key.name,
            about: key.about,
            default,
        })
    })
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}
