//! Whether this session is a subagent, whom it asks, and who has authority
//! here (spec 05 §4 to §6).

use crate::ids::usable_session_id;

/// The variables that mark a process as a child, whatever their value
/// (spec 05 §4).
pub const CHILD_HINTS: [&str; 11] = [
    "PI_IS_SUBAGENT",
    "PI_SUBAGENT_SESSION_ID",
    "PI_AGENT_ROUTER_SUBAGENT",
    "PI_SUBAGENT_CHILD",
    "PI_SUBAGENT_RUN_ID",
    "PI_SUBAGENT_CHILD_AGENT",
    "PI_SUBAGENT_DEPTH",
    "PI_SUBAGENT_NAME",
    "PI_SUBAGENT_ID",
    "PI_SUBAGENT_SESSION",
    "PI_SUBAGENT_ACTIVITY_FILE",
];

/// The variables that name the parent session, the older one first (seed 000).
pub const PARENT_VARIABLES: [&str; 2] = [
    "PI_AGENT_ROUTER_PARENT_SESSION_ID",
    "PI_SUBAGENT_PARENT_SESSION",
];

/// What is known about the session that decides.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// Its own id.
    pub session_id: &'a str,
    /// Whether a person sits at it.
    pub has_ui: bool,
    /// Its entry in the registry of announced children.
    pub registered: Option<Registered<'a>>,
    /// Looks a variable up in its environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether its session directory lies among those of subagents.
    pub in_subagent_directory: bool,
}

/// An announced child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered<'a> {
    /// The parent its maker named.
    pub parent: Option<&'a str>,
}

/// Which test made a session a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChildBy {
    /// It was announced.
    Registry,
    /// A variable marks it or names its parent.
    Variable,
    /// Its session directory.
    Directory,
}

/// Whether this session is a child, and what says so. The first test that
/// succeeds counts.
#[must_use]
pub fn child_by(node: &Node<'_>) -> Option<ChildBy> {
    if node.registered.is_some() {
        return Some(ChildBy::Registry);
    }
    let marked =
        |name: &&'static str| (node.variable)(name).is_some_and(|value| !value.trim().is_empty());
    // A parent variable that cannot be a target (blank, `unknown`, this
    // session itself) names no parent, so it does not make a child either.
    if CHILD_HINTS.iter().any(marked) || variable_target(node).is_some() {
        return Some(ChildBy::Variable);
    }
    node.in_subagent_directory.then_some(ChildBy::Directory)
}

/// How a target became known; decides where its liveness is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetSource {
    /// The registry: the target runs in this process.
    Registry,
    /// The environment: it has a heartbeat file.
    Variable,
}

impl TargetSource {
    /// The liveness channel, as the log names it.
    #[must_use]
    pub fn channel(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Variable => "heartbeat",
        }
    }
}

/// The session that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its id, trimmed.
    pub session_id: String,
    /// How it became known.
    pub source: TargetSource,
}

/// The session this one forwards its asks to. A session never forwards to
/// itself, even where its own environment names it.
#[must_use]
pub fn target(node: &Node<'_>) -> Option<Target> {
    let announced = node
        .registered
        .and_then(|entry| entry.parent)
        .and_then(|parent| candidate(node, parent))
        .map(|session_id| Target {
            session_id,
            source: TargetSource::Registry,
        });
    announced.or_else(|| {
        variable_target(node).map(|session_id| Target {
            session_id,
            source: TargetSource::Variable,
        })
    })
}

fn variable_target(node: &Node<'_>) -> Option<String> {
    PARENT_VARIABLES
        .iter()
        .find_map(|name| candidate(node, &(node.variable)(name)?))
}

fn candidate(node: &Node<'_>, id: &str) -> Option<String> {
    let id = usable_session_id(id)?;
    (Some(id) != usable_session_id(node.session_id)).then(|| id.to_owned())
}

/// Who answers the asks of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Authority {
    /// The person at this session.
    Local,
    /// Another session.
    Parent(Target),
    /// Nobody.
    Nobody,
}

/// The reason given where nobody can answer (spec 05 §6).
pub const NOBODY: &str = "No live authority was reachable for this session";

/// Chooses who answers, anew for every ask: a parent may have come or gone.
///
/// 1. Without a person here, the parent, whether it seems to serve or not: the
///    grace window is the requester's.
/// 2. With one, a parent that *is* serving: its person watches this session.
/// 3. With one otherwise, that person.
/// 4. Nobody.
#[must_use]
pub fn authority(node: &Node<'_>, is_serving: impl FnOnce(&Target) -> bool) -> Authority {
    match target(node) {
        Some(target) if !node.has_ui || is_serving(&target) => Authority::Parent(target),
        _ if node.has_ui => Authority::Local,
        _ => Authority::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(
        variables: &[(&str, &str)],
        registered: Option<Registered<'_>>,
        has_ui: bool,
        test: impl FnOnce(&Node<'_>) -> T,
    ) -> T {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        test(&Node {
            session_id: "me",
            has_ui,
            registered,
            variable: &lookup,
            in_subagent_directory: false,
        })
    }

    #[test]
    fn each_hint_alone_marks_a_child_whatever_its_value() {
        for name in CHILD_HINTS {
            for value in ["1", "0", "false"] {
                let by = with(&[(name, value)], None, false, child_by);
                assert_eq!(by, Some(ChildBy::Variable), "{name}={value}");
            }
            assert_eq!(with(&[(name, "  ")], None, false, child_by), None, "{name}");
        }
        for name in PARENT_VARIABLES {
            let by = with(&[(name, "P")], None, false, child_by);
            assert_eq!(by, Some(ChildBy::Variable), "{name}");
            for value in ["", " ", "unknown", "Unknown ", "me", " me "] {
                assert_eq!(
                    with(&[(name, value)], None, false, child_by),
                    None,
                    "{value}"
                );
            }
        }
    }

    #[test]
    fn the_registry_comes_first_and_unusable_names_fall_through() {
        let both = [
            ("PI_AGENT_ROUTER_PARENT_SESSION_ID", "router"),
            ("PI_SUBAGENT_PARENT_SESSION", "convention"),
        ];
        let id = |node: &Node<'_>| target(node).map(|target| target.session_id);
        let named = Some(Registered { parent: Some("P") });
        assert_eq!(with(&both, named, false, id).as_deref(), Some("P"));
        for parent in [None, Some("unknown"), Some(" "), Some("me")] {
            let entry = Some(Registered { parent });
            assert_eq!(with(&both, entry, false, id).as_deref(), Some("router"));
        }
        let router_unusable = [
            ("PI_AGENT_ROUTER_PARENT_SESSION_ID", "UNKNOWN"),
            ("PI_SUBAGENT_PARENT_SESSION", " convention "),
        ];
        assert_eq!(
            with(&router_unusable, None, false, id).as_deref(),
            Some("convention")
        );
        assert_eq!(with(&[("PI_SUBAGENT_SESSION", "S")], None, false, id), None);
    }

    #[test]
    fn authority_by_screen_and_parent() {
        let parent = [("PI_SUBAGENT_PARENT_SESSION", "P")];
        let own = [("PI_SUBAGENT_PARENT_SESSION", "me")];
        let choose = |variables: &[(&str, &str)], has_ui, serving: bool| {
            with(variables, None, has_ui, |node| authority(node, |_| serving))
        };
        assert!(matches!(
            choose(&parent, false, false),
            Authority::Parent(_)
        ));
        assert!(matches!(choose(&parent, true, true), Authority::Parent(_)));
        assert_eq!(choose(&parent, true, false), Authority::Local);
        assert_eq!(choose(&own, true, true), Authority::Local);
        assert_eq!(choose(&[], true, true), Authority::Local);
        assert_eq!(choose(&[], false, true), Authority::Nobody);
        assert_eq!(choose(&own, false, true), Authority::Nobody);
    }
}
