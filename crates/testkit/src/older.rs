//! Stores as earlier versions of the program left them.

use std::path::Path;

use interagent_store::{OpenMode, SqliteEngine, WriteTx};

/// Takes away what every migration after the first added, and keeps the rows.
pub fn first_schema(state_dir: &Path) {
    let mut engine = SqliteEngine::open(state_dir, OpenMode::Existing).unwrap();
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    for statement in [
        "DROP TABLE replicas",
        "ALTER TABLE pairs DROP COLUMN words",
        "DROP INDEX sessions_pid",
        "DROP TABLE marks",
        "DROP TABLE skills",
        "DROP TABLE task_reports",
        "DROP TABLE panes",
        "DROP TABLE timers",
        "DROP INDEX entity_log_void",
        "DROP TABLE suspects",
        "DROP TABLE edits",
        "DROP TABLE tokens",
        "DROP INDEX messages_sender",
        "DROP INDEX messages_intent",
        "DROP INDEX tasks_status",
        "DROP INDEX reviews_open",
        "ALTER TABLE messages DROP COLUMN wall",
        "ALTER TABLE messages DROP COLUMN intent",
        "ALTER TABLE sessions DROP COLUMN seen",
        "ALTER TABLE hubs DROP COLUMN user_id",
        "ALTER TABLE hubs DROP COLUMN store_id",
        "ALTER TABLE hubs DROP COLUMN fold",
        "PRAGMA user_version = 1",
    ] {
        tx.execute(statement, &[]).unwrap();
    }
    tx.commit().unwrap();
}
