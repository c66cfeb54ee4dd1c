//! The conformance suite of the storage boundary, on SQLite.

mod support;

use support::SqliteReplicas;

interagent_testkit::conformance!(SqliteReplicas::new());
