//! The raw rows of every view, for comparing replicas. Local places in the log are translated into origins and counts,
//! which all replicas agree on.

use std::collections::BTreeMap;

use interagent_store::{Engine, Queryable, ReadTx, Value};

/// Rows by table.
pub type Dump = BTreeMap<&'static str, Vec<Vec<Value>>>;

const TABLES: &[(&str, &str)] = &[
    (
        "entity_log",
        "SELECT l.entity, l.at, e.origin, e.oseq, l.n, l.void FROM entity_log l
         JOIN entries e ON e.hub = l.hub AND e.seq = l.seq ORDER BY l.entity, l.at, e.origin, e.oseq, l.n",
    ),
    ("origins", "SELECT id, alias, doc FROM origins ORDER BY id"),
    ("teams", "SELECT doc FROM teams"),
    ("agents", "SELECT id, name, home, at, retired, doc FROM agents ORDER BY id"),
    ("messages", "SELECT id, at, thread, sender, task, held, expires, doc FROM messages ORDER BY id"),
    ("mail", "SELECT message, agent, at, unread, state, doc FROM mail ORDER BY message, agent"),
    ("obligations", "SELECT message, agent, duty, task, since, at FROM obligations ORDER BY message, agent"),
    ("tasks", "SELECT id, at, status, closed, assignee, parent, rank, doc FROM tasks ORDER BY id"),
    ("deps", "SELECT task, depends_on FROM deps ORDER BY task, depends_on"),
    ("reviews", "SELECT id, at, task, closed, doc FROM reviews ORDER BY id"),
    ("specs", "SELECT name, version, doc FROM specs ORDER BY name"),
    ("decisions", "SELECT id, at, closed, doc FROM decisions ORDER BY id"),
    ("leases", "SELECT id, at, ended, doc FROM leases ORDER BY id"),
    ("aliases", "SELECT alias, entity FROM aliases ORDER BY alias, entity"),
    ("suspects", "SELECT hash, kind, held FROM suspects ORDER BY hash"),
    ("blobs", "SELECT hash, salt, text FROM blobs ORDER BY hash"),
];

/// Reads every view row, and the texts.
pub fn views(engine: &mut dyn Engine) -> Dump {
    let mut tx = ReadTx::begin(engine).unwrap();
    let mut rows = |sql| tx.query(sql, &[]).unwrap().iter().map(|row| row.values().to_vec()).collect();
    TABLES.iter().map(|(table, sql)| (*table, rows(sql))).collect()
}
