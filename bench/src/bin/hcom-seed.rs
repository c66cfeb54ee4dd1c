//! `hcom-seed PATH COUNT AGENT`: fill hcom's database with so many messages that its agent has read, and
//! bind a codex session to the agent, so that hcom is measured on a store as large as ours.
//!
//! Facts of hcom 0.7: messages are rows of `events` with JSON in `data`; what an agent has read is
//! `instances.last_event_id`; a hook finds its agent by `HCOM_PROCESS_ID` through `process_bindings`.

use interagent_bench::{Outcome, argument, open};
use rusqlite::params;

fn main() -> Outcome {
    let usage = "hcom-seed PATH COUNT AGENT";
    let (path, agent) = (argument(1, usage)?, argument(3, usage)?);
    let count: u32 = argument(2, usage)?.parse()?;
    let mut connection = open(&path)?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare(
            "INSERT INTO events (timestamp, type, instance, data) VALUES
             ('2026-01-01T00:00:00.000000+00:00', 'message', 'ext_seed', ?1)",
        )?;
        for number in 0..count {
            let text = format!("seeded message {number} {}", "of ordinary length ".repeat(8));
            insert.execute([format!(
                r#"{{"delivered_to":["{agent}"],"from":"seed","mentions":["{agent}"],"scope":"mentions","sender_kind":"external","text":"{text}"}}"#
            )])?;
        }
    }
    transaction.execute(
        "UPDATE instances SET tool = 'codex', session_id = 'bench-session',
         last_event_id = (SELECT max(id) FROM events) WHERE name = ?1",
        [&agent],
    )?;
    transaction.execute("INSERT INTO session_bindings VALUES ('bench-session', ?1, 0)", [&agent])?;
    transaction.execute(
        "INSERT INTO process_bindings VALUES ('bench-process', 'bench-session', ?1, 0)",
        params![agent],
    )?;
    transaction.commit()?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}
