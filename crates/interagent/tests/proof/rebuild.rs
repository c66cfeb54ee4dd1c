//! The log is all there is: views that were emptied come back byte for byte.

use std::path::Path;

use interagent_testkit::crash::{StockSqlite, Verdict, Yard, ensure, skip};
use serde_json::{Value, json};

use super::{good, holds};

/// Every list there is.
const LISTS: [&[&str]; 25] = [
    &["call", "agent.list", r#"{"retired":true}"#],
    &["call", "team.show"],
    &["call", "status.board"],
    &["call", "session.list"],
    &["call", "message.list", r#"{"limit":200}"#],
    &["call", "message.list", r#"{"held":true}"#],
    &["call", "task.list", r#"{"limit":200}"#],
    &["call", "task.list", r#"{"open":true}"#],
    &["call", "review.list"],
    &["call", "spec.list"],
    &["call", "spec.show", r#"{"name":"wire"}"#],
    &["call", "decision.list"],
    &["call", "lease.list"],
    &["call", "log.list", r#"{"limit":200}"#],
    &["call", "summary"],
    &["call", "search", r#"{"text":"parser"}"#],
    &["inbox", "--agent", "claude", "--bodies"],
    &["inbox", "--agent", "kimi", "--bodies"],
    &["inbox", "--bodies"],
    &["call", "briefing", r#"{"agent":"kimi"}"#],
    &["call", "briefing", r#"{"agent":"claude"}"#],
    // Its text is a view; that somebody asked for it stands in the trace, which is none.
    &["call", "relay", r#"{"agent":"kimi"}"#],
    &["call", "relay", r#"{"agent":"claude"}"#],
    &["call", "task.route", r#"{"title":"Implement the parser"}"#],
    &["call", "log.notices", r#"{"after":0,"limit":200}"#],
];

/// A hub in which a bit of everything has happened.
pub(super) fn busy_hub(exe: &Path) -> Yard {
    let yard = Yard::bare(exe);
    let made = yard.run("operator", &["init"]);
    assert_eq!(made.code, Some(0), "{made}");
    fill(&yard).unwrap();
    yard
}

fn fill(yard: &Yard) -> Verdict {
    let call = |who: &str, op: &str, params: Value| yard.call(who, op, &params);
    let id = |answer: &Value| {
        let row = answer.get("review").unwrap_or(answer);
        row["id"].as_str().unwrap_or_default().to_owned()
    };
    let question = id(&call(
        "claude",
        "message.send",
        json!({ "to": ["kimi"], "intent": "question",
        "subject": "the parser", "body": "does the parser keep the last token?", "aliases": ["old-1"] }),
    )?);
    call("operator", "message.send", json!({ "to": ["all"], "body": "everybody: the parser first" }))?;
    let inbox = yard.run("kimi", &["inbox", "--json"]);
    ensure(inbox.code == Some(0), || format!("{inbox}"))?;
    call("kimi", "message.reply", json!({ "message": question, "body": "the parser does" }))?;
    call("kimi", "message.acknowledge", json!({ "messages": [question] }))?;
    let first =
        id(&call("claude", "task.create", json!({ "title": "write the parser", "assignee": "kimi" }))?);
    let second = id(&call(
        "claude",
        "task.create",
        json!({ "title": "test the parser", "assignee": "kimi", "depends_on": [first] }),
    )?);
    call("kimi", "task.claim", json!({ "task": first }))?;
    call("kimi", "task.note", json!({ "task": first, "note": "half of the parser" }))?;
    call(
        "kimi",
        "task.report",
        json!({ "task": first, "status": "done", "summary": "the parser works",
            "files_modified": ["a.rs"], "notes": "none", "skill_candidate": { "found": false },
            "with_open_parts": true }),
    )?;
    call("claude", "task.verdict", json!({ "task": first, "verdict": "approved", "with_open_parts": true }))?;
    call("claude", "task.update", json!({ "task": second, "priority": "high" }))?;
    let review = id(&call(
        "kimi",
        "review.open",
        json!({ "title": "parser", "diff": "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,3 @@\n one\n two\n+three\n", "to": ["claude"] }),
    )?);
    call(
        "claude",
        "review.comment",
        json!({ "review": review, "body": "off by one?", "file": "a.rs", "line": 3 }),
    )?;
    call("kimi", "spec.publish", json!({ "name": "wire", "body": "version one" }))?;
    call("claude", "spec.subscribe", json!({ "name": "wire" }))?;
    call("kimi", "spec.publish", json!({ "name": "wire", "body": "version two", "note": "more" }))?;
    let decision = id(&call(
        "claude",
        "decision.open",
        json!({ "question": "which parser?", "options": ["mine", "yours"], "to": ["kimi"] }),
    )?);
    call(
        "kimi",
        "decision.position",
        json!({ "decision": decision, "position": "mine", "reason": "faster" }),
    )?;
    call("kimi", "lease.take", json!({ "paths": ["src/parser/**"], "ttl_s": 3000, "reason": "rewriting" }))?;
    call("kimi", "status.set", json!({ "state": "working", "text": "on the parser" }))?;
    let leak =
        id(&call("claude", "message.send", json!({ "to": ["kimi"], "body": "token=hunter2hunter2" }))?);
    call("claude", "text.purge", json!({ "entity": leak, "reason": "a secret" }))?;
    yard.is_healthy()
}

fn lists(yard: &Yard) -> Result<Vec<String>, String> {
    LISTS
        .iter()
        .map(|args| {
            let ran = yard.run("operator", &[args, &["--json"][..]].concat());
            ensure(ran.code == Some(0), || format!("{args:?}: {ran}"))?;
            Ok(ran.stdout)
        })
        .collect()
}

/// Empties every view behind the program's back, rebuilds, and compares every list.
pub(super) fn a_rebuild_brings_every_list_back(yard: &Yard, stock: &StockSqlite) -> Verdict {
    let before = lists(yard)?;
    let emptied = stock.empty_views(&yard.database())?;
    ensure(emptied.len() >= 14, || format!("only {emptied:?} are views"))?;
    ensure(yard.is_healthy().is_err(), || "the doctor did not notice that the views are empty".to_owned())?;
    let rebuilt = yard.run("operator", &["doctor", "--rebuild"]);
    ensure(rebuilt.code == Some(0), || format!("{rebuilt}"))?;
    for ((args, before), after) in LISTS.iter().zip(before).zip(lists(yard)?) {
        ensure(before == after, || format!("{args:?} was\n{before}\nand is\n{after}"))?;
    }
    yard.is_healthy()
}

#[test]
fn every_list_is_byte_identical_after_its_views_were_emptied_and_rebuilt() {
    let Some(stock) = StockSqlite::find() else {
        return skip("no sqlite3 program here: the views were not emptied");
    };
    holds(a_rebuild_brings_every_list_back(&busy_hub(good()), &stock));
}
