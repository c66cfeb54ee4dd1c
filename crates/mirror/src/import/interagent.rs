//! InterAgent 0.1 to 0.3: one JSON file for each task and message below `.interagent/`.

use std::collections::HashSet;
use std::path::Path;

use interagent_core::vocabulary::{Intent, Priority, TaskStatus};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::fields::Fields;
use super::folder::{File, Folder};
use super::record::{AgentRecord, MessageRecord, Progress, Records, SpecRecord, TaskRecord, TeamRecord};

/// The newest version whose files are known.
const NEWEST: (u64, u64) = (0, 3);
/// What its folder holds besides what is read, and why that stays behind.
const KNOWN: [(&str, &str); 9] = [
    ("README.md", "it explains the old folder"),
    ("AGENTS.md", "it explains the old commands"),
    ("agents.json", "the registry is in session.json"),
    ("locks", "locks of processes that are gone"),
    (".locks", "locks of processes that are gone"),
    ("config.json", "settings of the old program"),
    ("transport.json", "settings of the old program's transport"),
    ("watchdog.json", "what the old watchdog remembered"),
    ("templates", "templates of the old program"),
];
/// What is read, what is ours, and what import itself makes.
const READ: [&str; 9] =
    ["session.json", "tasks", "messages", "agents", "shared", "imported", "importing", ".gitignore", "inbox"];

const OURS: &str = "interagent wrote it from its log";

/// Whether a file of this folder was written by us instead: those say so.
fn is_ours(value: &Value) -> bool {
    value.get("written").is_some()
}

pub(super) fn read(root: &Path, zone: &TimeZone) -> Result<Records, String> {
    let folder = Folder::new(root);
    let mut records = Records::default();
    session(&folder, zone, &mut records)?;
    agents(&folder, zone, &mut records);
    // Where a file lies in both places, its move was cut off: the one that arrived is the newer.
    tasks(&folder, zone, &mut records);
    messages(&folder, zone, &mut records);
    shared(&folder, &mut records);
    folder.leave_the_rest(&["tasks", "messages", "agents", "shared", "inbox"], &mut records);
    for name in folder.names() {
        if let Some((_, why)) = KNOWN.iter().find(|(known, _)| *known == name) {
            records.leave(&name, *why);
        } else if !READ.contains(&name.as_str()) {
            records.leave(&name, "it is no part of InterAgent's data");
        }
    }
    Ok(records)
}

fn session(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) -> Result<(), String> {
    let Some(file) = folder.file("session.json") else { return Ok(()) };
    let value = match file.json() {
        Ok(value) => value,
        Err(why) => {
            records.leave(&file.shown, format!("{why}; the agents named in tasks and messages are taken"));
            return Ok(());
        }
    };
    let Some(session) = Fields::of(&value, zone).filter(|_| !is_ours(&value)) else { return Ok(()) };
    if let Some(version) = session.first(&["version", "schema_version"]).filter(|word| is_newer(word)) {
        return Err(format!(
            "it was written by InterAgent {version}; 0.1 to {}.{} are understood",
            NEWEST.0, NEWEST.1
        ));
    }
    records.team = Some(TeamRecord {
        project: session.text("name"),
        principal: session.text("principal"),
        mode: session.text("mode"),
    });
    if let Some(Value::Object(agents)) = session.get("agents") {
        for (name, about) in agents {
            let about = Fields::of(about, zone);
            let since = about.and_then(|about| about.time("since")).or_else(|| session.time("created"));
            records.agents.push(AgentRecord { name: name.clone(), since, ..AgentRecord::default() });
        }
    }
    if session.get("discussions").and_then(Value::as_array).is_some_and(|open| !open.is_empty()) {
        records.leave("session.json", "its `discussions` have no form that is documented");
    }
    Ok(())
}

fn is_newer(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) > NEWEST
}

fn agents(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for file in folder.files("agents", "json", records) {
        match file.json() {
            Err(why) => records.leave(&file.shown, why),
            Ok(value) if is_ours(&value) => records.leave(&file.shown, OURS),
            Ok(value) => {
                let Some(agent) = Fields::of(&value, zone) else {
                    records.leave(&file.shown, "it is no agent");
                    continue;
                };
                let name = agent.text("name").unwrap_or_else(|| file.stem.clone());
                let status = agent.text("status").map(|text| (text, agent.time("updated")));
                match records.agents.iter_mut().find(|known| known.name == name) {
                    Some(known) => known.status = status,
                    None => {
                        let since = agent.time("since");
                        records.agents.push(AgentRecord { name, since, status, ..AgentRecord::default() });
                    }
                }
            }
        }
    }
}

/// The records of two folders, the first of which counts where both hold one.
fn both(folder: &Folder<'_>, [first, second]: [&str; 2], records: &mut Records) -> Vec<(File, Value)> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for below in [first, second] {
        for file in folder.files(below, "json", records) {
            match file.json() {
                Err(why) => records.leave(&file.shown, why),
                Ok(value) if is_ours(&value) => records.leave(&file.shown, OURS),
                Ok(value) if !value.is_object() => records.leave(&file.shown, "it is no record"),
                Ok(_) if known.contains(&file.stem) => {
                    records.leave(&file.shown, format!("{first} holds a newer one of the same name"));
                }
                Ok(value) => {
                    known.insert(file.stem.clone());
                    found.push((file, value));
                }
            }
        }
    }
    found
}

fn tasks(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for (file, value) in both(folder, ["tasks/completed", "tasks/active"], records) {
        let Some(task) = Fields::of(&value, zone) else { continue };
        if task.first(&["id", "title", "description"]).is_none() {
            records.leave(&file.shown, "it has neither `id` nor `title`");
            continue;
        }
        let id = task.text("id").unwrap_or_else(|| file.stem.clone());
        let status = task.text("status").unwrap_or_else(|| "pending".to_owned());
        let status: TaskStatus = status.parse().unwrap_or_else(|_| {
            records.remark(
                &file.shown,
                &format!("its status `{status}` is not known: the task is taken as pending"),
            );
            TaskStatus::Pending
        });
        let mut notes: Vec<(Option<i64>, String)> = task
            .records("notes")
            .iter()
            .filter_map(|note| Some((note.time("timestamp"), note.first(&["note", "text", "content"])?)))
            .chain(task.list("notes").into_iter().map(|note| (None, note)))
            .collect();
        let deliverables = task.list("deliverables");
        if !deliverables.is_empty() {
            notes.push((None, format!("Deliverables: {}", deliverables.join(", "))));
        }
        records.tasks.push(TaskRecord {
            title: task.text("title"),
            description: task.text("description"),
            status,
            priority: task.word("priority").unwrap_or(Priority::Medium),
            assignee: task.text("assignee"),
            assigner: task.text("assigner"),
            created: task.time("created"),
            updated: task.time("updated"),
            requirements: task.list("requirements"),
            criteria: task.list("acceptance_criteria"),
            notes,
            ..TaskRecord::new(&file.shown, id)
        });
    }
}

fn messages(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for (file, value) in both(folder, ["messages/archive", "messages/pending"], records) {
        let Some(message) = Fields::of(&value, zone) else { continue };
        let (Some(from), Some(to)) = (message.text("from"), message.text("to")) else {
            records.leave(&file.shown, "it does not say from whom and to whom it is");
            continue;
        };
        let is_read = message.flag("read") || file.shown.starts_with("messages/archive");
        records.messages.push(MessageRecord {
            id: message.text("id").unwrap_or_else(|| file.stem.clone()),
            from,
            to,
            intent: message.word("type").unwrap_or(Intent::Message),
            subject: message.text("subject"),
            body: message.text("content"),
            priority: message.word("priority").unwrap_or(Priority::Medium),
            sent: message.time("timestamp"),
            reply_to: message.first(&["reply_to", "in_reply_to"]),
            task: message.text("task_id"),
            progress: if is_read { Progress::Read(message.time("read_at")) } else { Progress::Waiting },
            file: file.shown,
        });
    }
}

/// What people wrote for everybody: each document becomes a spec of its name.
fn shared(folder: &Folder<'_>, records: &mut Records) {
    for file in folder.files("shared", "md", records) {
        match file.text() {
            Err(why) => records.leave(&file.shown, why),
            Ok(body) if body.trim().is_empty() => records.leave(&file.shown, "it is empty"),
            Ok(body) => records.specs.push(SpecRecord {
                file: file.shown,
                name: file.stem,
                body,
                publisher: None,
                when: None,
            }),
        }
    }
}
