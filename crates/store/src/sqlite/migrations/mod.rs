//! The schema's history: numbered files, oldest first, never edited once released.

/// Every migration; the position plus one is the schema version it leads to.
pub const ALL: &[&str] = &[
    include_str!("0001_initial.sql"),
    include_str!("0002_fold_and_sessions.sql"),
    include_str!("0003_message_lists.sql"),
    include_str!("0004_tokens.sql"),
    include_str!("0005_edits.sql"),
    include_str!("0006_held_texts.sql"),
    include_str!("0007_timers.sql"),
    include_str!("0008_panes.sql"),
    include_str!("0009_reports_and_skills.sql"),
    include_str!("0010_session_processes.sql"),
    include_str!("0011_store_identity.sql"),
    include_str!("0012_replicas.sql"),
    include_str!("0013_traffic.sql"),
];
