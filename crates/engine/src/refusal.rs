//! Why a call does not run, once everybody who decides has decided.

/// Why a call does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The policy denies it.
    Policy,
    /// A person said no.
    User {
        /// What they said with it.
        reason: Option<String>,
    },
    /// Nobody could be asked.
    Unavailable {
        /// Why not.
        reason: Option<String>,
    },
    /// Something else that decides in a person's place said no: a link of the
    /// chain, a rule of another session.
    Authority {
        /// What it is, such as `The authorizer 'x'`.
        name: String,
        /// What it said with it.
        reason: Option<String>,
    },
}
