//! Questions that are asked all the time walk an index and not the whole table.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::{messages, mirror, reports, tasks, work};
use crate::sqlite::migrations;

/// How the engine would answer, one line per step.
fn plan(connection: &Connection, statement: &str) -> String {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
    let nothing = vec![rusqlite::types::Null; explain.parameter_count()];
    let steps =
        explain.query_map(rusqlite::params_from_iter(nothing), |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
}

#[test]
fn every_frequent_question_has_its_index() {
    let connection = Connection::open_in_memory().unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    connection.execute_batch(&migrations::ALL.concat()).unwrap();
    for (statement, walk) in [
        (tasks::ALL, "USING INDEX tasks_at (hub=? AND at<?)"),
        (tasks::IN_STATUS, "USING INDEX tasks_status (hub=? AND status=? AND at<?)"),
        (tasks::OPEN_OF_ASSIGNEE, "USING INDEX tasks_open (hub=? AND assignee=?)"),
        (tasks::OF_PARENT, "USING INDEX tasks_parent (hub=? AND parent=?)"),
        (tasks::TO_DO, "USING INDEX tasks_open (hub=? AND assignee=?)"),
        (tasks::COUNT_TO_DO, "USING INDEX tasks_open (hub=? AND assignee=?)"),
        (tasks::CURRENT, "USING INDEX tasks_open (hub=? AND assignee=?)"),
        (tasks::COUNTS, "USING COVERING INDEX tasks_status (hub=?)"),
        (tasks::READY, "USING INDEX tasks_open (hub=? AND assignee=?)"),
        (work::REVIEWS, "USING INDEX reviews_at (hub=? AND at<?)"),
        (work::OPEN_REVIEWS, "USING INDEX reviews_open (hub=? AND at<?)"),
        (mirror::HELD_IDS, "USING INDEX messages_held (hub=?)"),
        (mirror::NEXT_RECIPIENT, "USING COVERING INDEX mail_agent (hub=? AND agent>?)"),
        (
            mirror::UNREAD_PLACES,
            "USING COVERING INDEX mail_agent (hub=? AND agent=? AND unread=? AND (at,message)<(?,?))",
        ),
        (reports::REPORTS_OF, "USING COVERING INDEX reports_worker (hub=? AND worker=? AND at>?)"),
        (reports::COUNT_REPORTS_OF, "USING COVERING INDEX reports_worker (hub=? AND worker=? AND at>?)"),
        (reports::NEWEST_REPORT, "USING COVERING INDEX reports_at (hub=?)"),
        (messages::COUNT_HELD, "USING INDEX messages_held (hub=?)"),
        (messages::HELD, "USING INDEX messages_held (hub=?)"),
        (messages::IN_THREAD, "USING INDEX messages_thread (hub=? AND thread=? AND at<?)"),
        (messages::ABOUT_TASK, "USING INDEX messages_task (hub=? AND task=? AND at<?)"),
        (messages::BY_SENDER, "USING INDEX messages_sender (hub=? AND sender=? AND at<?)"),
        (messages::BY_INTENT, "USING INDEX messages_intent (hub=? AND intent=? AND at<?)"),
        (messages::ALL, "USING INDEX messages_at (hub=? AND at>? AND at<?)"),
        (
            messages::IN_MAIL,
            "USING COVERING INDEX mail_agent (hub=? AND agent=? AND unread=? AND at>? AND (at,message)<(?,?))",
        ),
    ] {
        let steps = plan(&connection, statement);
        let first = steps.lines().find(|step| step.starts_with("SEARCH") || step.starts_with("SCAN"));
        assert!(first.is_some_and(|first| first.contains(walk)), "{statement}\n{steps}");
    }
}
