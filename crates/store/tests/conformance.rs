//! The conformance suite of the storage boundary, on SQLite.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use support::SqliteReplicas;

interagent_testkit::conformance!(SqliteReplicas::new());
