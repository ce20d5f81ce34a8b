//! One row per program.

mod admin;
mod build;
mod files;
mod lang;
mod launchers;
mod net;
mod readers;
mod text;
mod vcs;
mod wrappers;

use super::row::Row;

/// Every table.
pub(super) const ALL: &[&[Row]] = &[
    admin::ROWS,
    build::ROWS,
    files::ROWS,
    lang::ROWS,
    launchers::ROWS,
    net::ROWS,
    readers::ROWS,
    text::ROWS,
    vcs::ROWS,
    wrappers::ROWS,
];
