//! Kavi: one session of Codex and Claude below `.kavi/`, with its state in `state/session.json`.
//!
//! The fields are those that its page and its types name. Names that differ between its versions are tried in turn.

use std::collections::BTreeSet;
use std::path::Path;

use interagent_core::vocabulary::{Intent, Priority, TaskStatus};
use jiff::tz::TimeZone;

use super::fields::Fields;
use super::folder::Folder;
use super::record::{AgentRecord, MessageRecord, Progress, Records, SpecRecord, TaskRecord, TeamRecord};

const STATE: &str = "state/session.json";
/// The document that holds the decisions of a session.
const DECISIONS: &str = "kavi-decisions";
/// What its folder holds besides, and why that stays behind.
const KNOWN: [(&str, &str); 4] = [
    ("config.toml", "settings of the old program"),
    ("runtime", "sockets and processes that are gone"),
    ("state", "session.json is read; events, approvals and reports repeat it or are of no use here"),
    ("worktrees", "worktrees of git stay where they are"),
];

pub(super) fn read(root: &Path, zone: &TimeZone) -> Records {
    let folder = Folder::new(root);
    let mut records = Records::default();
    for name in folder.names() {
        let why = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, why)| *why);
        records.leave(&name, why.unwrap_or("it is no part of Kavi's session"));
    }
    let Some(file) = folder.file(STATE) else {
        records.leave(STATE, "it is not there, so nothing is known of the session");
        return records;
    };
    match file.json() {
        Err(why) => records.leave(&file.shown, why),
        Ok(value) => match Fields::of(&value, zone) {
            Some(session) => self::session(session, &mut records),
            None => records.leave(&file.shown, "it is no session"),
        },
    }
    records
}

fn session(session: Fields<'_>, records: &mut Records) {
    let project = session.first(&["projectName", "name", "goal"]);
    records.team = Some(TeamRecord { project, principal: None, mode: Some("peer".to_owned()) });
    tasks(session, records);
    plan(session, records);
    for message in lists(session, &["peerMessages", "messages"]) {
        records.messages.extend(self::message(message));
    }
    for note in lists(session, &["reviewNotes", "reviews"]) {
        review_note(note, records);
    }
    decisions(session, records);
    let since = session.time("createdAt");
    let named = records.messages.iter().flat_map(|message| [Some(&message.from), Some(&message.to)]);
    let worked = records.tasks.iter().map(|task| task.assignee.as_ref());
    let names: BTreeSet<String> =
        named.chain(worked).flatten().filter(|name| !is_operator(name)).cloned().collect();
    records.agents.extend(names.into_iter().map(|name| AgentRecord {
        profile: profile(&name),
        name,
        since,
        ..AgentRecord::default()
    }));
}

fn lists<'v>(fields: Fields<'v>, names: &[&str]) -> Vec<Fields<'v>> {
    names.iter().map(|name| fields.records(name)).find(|found| !found.is_empty()).unwrap_or_default()
}

fn profile(name: &str) -> Option<&'static str> {
    ["claude", "codex"].into_iter().find(|client| *client == name)
}

fn is_operator(name: &str) -> bool {
    matches!(name, "operator" | "human" | "user")
}

/// Agents are written by their client's name; the person is `user` or `operator`.
fn somebody(fields: Fields<'_>, names: &[&str]) -> Option<String> {
    let name = fields.first(names)?.to_lowercase();
    match name.as_str() {
        "any" | "router" | "unassigned" => None,
        "user" | "human" => Some("operator".to_owned()),
        _ => Some(name),
    }
}

fn tasks(session: Fields<'_>, records: &mut Records) {
    for task in session.records("tasks") {
        let Some(id) = task.first(&["id", "taskId"]) else {
            records.leave(STATE, "a task without an id");
            continue;
        };
        let mut taken = work(&task, id);
        taken.status = status(&task);
        taken.depends_on = depends_on(&task);
        taken.updated = task.time("updatedAt");
        if let Some(summary) = task.first(&["summary", "result"]) {
            taken.notes.push((taken.updated, summary));
        }
        records.tasks.push(taken);
    }
}

/// What tasks and nodes of a plan have in common.
fn work(fields: &Fields<'_>, id: String) -> TaskRecord {
    let mut task = TaskRecord::new(STATE, id);
    task.title = fields.text("title");
    task.description = fields.first(&["prompt", "description"]);
    task.assignee = somebody(*fields, &["owner", "agent"]).filter(|owner| !is_operator(owner));
    task.assigner = somebody(*fields, &["requestedBy", "createdBy"]).or_else(|| Some("operator".to_owned()));
    task.created = fields.time("createdAt");
    let paths = fields.list("claimedPaths");
    if !paths.is_empty() {
        task.notes.push((task.created, format!("claimed paths: {}", paths.join(", "))));
    }
    task
}

fn depends_on(task: &Fields<'_>) -> Vec<String> {
    ["dependsOnTaskIds", "dependsOn"]
        .iter()
        .map(|name| task.list(name))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// A completed task needed no verdict there, so it waits for none here.
fn status(task: &Fields<'_>) -> TaskStatus {
    let is_given = somebody(*task, &["owner", "agent"]).is_some();
    match task.text("status").unwrap_or_default().as_str() {
        "running" => TaskStatus::InProgress,
        "blocked" => TaskStatus::Blocked,
        "completed" => TaskStatus::Approved,
        "failed" => TaskStatus::Failed,
        _ if is_given => TaskStatus::Assigned,
        _ => TaskStatus::Pending,
    }
}

/// Nodes of the plan. One that became a task gives it what it waits for; the others are tasks still to do.
fn plan(session: Fields<'_>, records: &mut Records) {
    let plans = session.record("plan").into_iter().chain(lists(session, &["plans", "orchestration"]));
    for plan in plans {
        let nodes = plan.records("nodes");
        let task_of = |key: &str| {
            let of_key = |node: &Fields<'_>| node.text("key").as_deref() == Some(key);
            let node = nodes.iter().find(|node| of_key(node));
            node.and_then(|node| node.text("taskId")).unwrap_or_else(|| key.to_owned())
        };
        for node in &nodes {
            let Some(key) = node.text("key") else {
                records.leave(STATE, "a node of a plan without a key");
                continue;
            };
            let waits: Vec<String> = node.list("dependsOn").iter().map(|key| task_of(key)).collect();
            let id = task_of(&key);
            match records.tasks.iter_mut().find(|task| task.id == id) {
                Some(task) if task.depends_on.is_empty() => task.depends_on = waits,
                Some(_) => {}
                None => {
                    let mut task = work(node, id);
                    task.status = status(node);
                    task.depends_on = waits;
                    records.tasks.push(task);
                }
            }
        }
    }
}

fn message(message: Fields<'_>) -> Option<MessageRecord> {
    let (from, to) = (somebody(message, &["from"])?, somebody(message, &["to"])?);
    let intent = message.text("intent").and_then(|word| word.parse().ok()).unwrap_or(Intent::Message);
    Some(MessageRecord {
        file: STATE.to_owned(),
        id: message.text("id")?,
        from,
        to,
        intent,
        subject: message.text("subject"),
        body: message.first(&["body", "content"]),
        priority: Priority::Medium,
        sent: message.time("createdAt"),
        reply_to: message.text("replyTo"),
        task: message.text("taskId"),
        // Every prompt repeated the last messages there, and nothing says which were read.
        progress: Progress::Read(None),
    })
}

/// A note on a diff, as a message to the agent whose work it is about: the diff itself is not in the session.
fn review_note(note: Fields<'_>, records: &mut Records) {
    let Some(id) = note.text("id") else {
        records.leave(STATE, "a review note without an id");
        return;
    };
    let task = note.text("taskId");
    let worker = records.tasks.iter().find(|known| Some(&known.id) == task.as_ref());
    let to = somebody(note, &["agent", "to"]).or_else(|| worker?.assignee.clone());
    let from = somebody(note, &["author", "from", "createdBy"]).unwrap_or_else(|| "operator".to_owned());
    let Some(to) = to.filter(|to| *to != from) else {
        records.leave(STATE, format!("the review note {id} names nobody whose work it is about"));
        return;
    };
    let line = note.first(&["line", "hunkHeader", "hunkIndex"]);
    let place = note.first(&["filePath", "path"]).map(|path| match &line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    });
    let words = |name: &str| note.text(name).unwrap_or_default();
    let subject = [Some(words("disposition")), place, Some(words("status"))];
    let subject: Vec<String> = subject.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    records.messages.push(MessageRecord {
        file: STATE.to_owned(),
        id,
        from,
        to,
        intent: Intent::ContextShare,
        subject: Some(format!("review: {}", subject.join(", "))),
        body: note.first(&["body", "note", "comment"]),
        priority: Priority::Medium,
        sent: note.time("createdAt"),
        reply_to: note.text("replyTo"),
        task,
        progress: Progress::Read(None),
    });
}

/// All decisions in one document: there they are a ledger, without options or positions.
fn decisions(session: Fields<'_>, records: &mut Records) {
    let mut body = String::new();
    let mut last = None;
    for decision in session.records("decisions") {
        let Some(what) = decision.first(&["summary", "title", "decision"]) else { continue };
        let when = decision.text("createdAt").unwrap_or_default();
        let who = decision.first(&["agent", "actor", "by"]).unwrap_or_default();
        let why = decision.first(&["rationale", "detail", "reason"]).unwrap_or_default();
        body.push_str(&format!("## {what}\n\n{}\n{why}\n\n", [when, who].join(" ").trim()));
        last = decision.time("createdAt").or(last);
    }
    if !body.is_empty() {
        records.specs.push(SpecRecord {
            file: STATE.to_owned(),
            name: DECISIONS.to_owned(),
            body: format!("# Decisions of the Kavi session\n\n{body}"),
            publisher: None,
            when: last,
        });
    }
}
