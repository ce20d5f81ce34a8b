//! The committed schema is the generated one. `UPDATE_SCHEMA=1` rewrites it.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its cases, and fails by panicking"
)]

use std::path::Path;

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packages/pi/schemas/permissions.schema.json");
    let wanted = format!(
        "{}\n",
        serde_json::to_string_pretty(&countersign_config::schema()).unwrap()
    );
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, wanted, "run the tests with UPDATE_SCHEMA=1");
}
