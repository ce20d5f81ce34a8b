//! The names of the surfaces, and the two families that have directions
//! (spec 02 §4).

/// A surface family with a direction: the bare name means both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Files and directories, wherever they lie.
    Path,
    /// Files and directories outside the workspace.
    ExternalDirectory,
}

impl Family {
    /// Both families.
    pub const ALL: [Self; 2] = [Self::Path, Self::ExternalDirectory];

    /// The name that means both directions.
    #[must_use]
    pub fn bare(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::ExternalDirectory => "external_directory",
        }
    }

    /// The member for reads.
    #[must_use]
    pub fn read(self) -> &'static str {
        match self {
            Self::Path => "path_read",
            Self::ExternalDirectory => "external_directory_read",
        }
    }

    /// The member for writes.
    #[must_use]
    pub fn write(self) -> &'static str {
        match self {
            Self::Path => "path_write",
            Self::ExternalDirectory => "external_directory_write",
        }
    }

    /// The family of a bare or directional name.
    #[must_use]
    pub fn of(surface: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|f| [f.bare(), f.read(), f.write()].contains(&surface))
    }
}

/// The four directional spellings that exist.
pub const DIRECTIONAL: [&str; 4] = [
    "path_read",
    "path_write",
    "external_directory_read",
    "external_directory_write",
];

/// Surfaces whose values are paths, and whose patterns fold on Windows
/// (spec 02 §1.5).
const PATH_SURFACES: [&str; 12] = [
    "path",
    "path_read",
    "path_write",
    "external_directory",
    "external_directory_read",
    "external_directory_write",
    "read",
    "write",
    "edit",
    "find",
    "grep",
    "ls",
];

/// The members of a bare family name, reads first; `None` for every other
/// surface.
#[must_use]
pub fn family_members(surface: &str) -> Option<[&'static str; 2]> {
    Family::ALL
        .into_iter()
        .find(|f| f.bare() == surface)
        .map(|f| [f.read(), f.write()])
}

/// Whether values of `surface` are paths.
#[must_use]
pub fn is_path_surface(surface: &str) -> bool {
    PATH_SURFACES.contains(&surface)
}

pub(crate) fn path_surfaces() -> impl Iterator<Item = &'static str> {
    PATH_SURFACES.into_iter()
}

/// Whether `surface` looks like a direction of a family but is none: such a
/// key would be silently inert, so it is an error (spec 01 §3.2).
#[must_use]
pub fn unknown_directional(surface: &str) -> bool {
    (surface.starts_with("path_") || surface.starts_with("external_directory_"))
        && !DIRECTIONAL.contains(&surface)
}

/// A surface name known not to be a wildcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactSurface<'a>(&'a str);

impl<'a> ExactSurface<'a> {
    /// `None` when the name is a wildcard pattern.
    #[must_use]
    pub fn new(name: &'a str) -> Option<Self> {
        (!name.contains(['*', '?'])).then_some(Self(name))
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.0
    }
}
