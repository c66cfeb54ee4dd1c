//! The Captain system's `queue/`: inboxes, orders, tasks and reports in YAML.

use std::path::Path;

use interagent_core::captain::{MailType, Meaning, ids_in};
use interagent_core::vocabulary::{Intent, Priority, ReportStatus, TaskStatus};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::fields::Fields;
use super::folder::Folder;
use super::record::{AgentRecord, MessageRecord, Progress, Records, ReportRecord, TaskRecord};

const ENDINGS: [&str; 2] = ["yaml", "yml"];
const READ: [&str; 3] = ["inbox", "tasks", "reports"];
/// What lies beside the queue and stays behind.
const BESIDE: [(&str, &str); 4] = [
    ("saytask", "its streaks and counters have no place here"),
    ("dashboard.md", "it is written from the log: interagent summary"),
    ("master_dashboard.md", "it is written from the log: interagent summary"),
    ("config/settings.yaml", "its settings are the team file's: interagent init --formation captain"),
];

pub(super) fn read(root: &Path, zone: &TimeZone) -> Records {
    let folder = Folder::new(root);
    let mut records = Records::default();
    let mut named: Vec<String> = Vec::new();
    for name in folder.names() {
        let is_list = ENDINGS.iter().any(|ending| name.ends_with(&format!(".{ending}")));
        if is_list && name.contains("_to_") {
            orders(&folder, &name, zone, &mut records);
        } else if !READ.contains(&name.as_str()) {
            records.leave(&name, "it is none of inboxes, orders, tasks and reports");
        }
    }
    for ending in ENDINGS {
        for file in folder.files("tasks", ending, &mut records) {
            with(&file, &mut records, |value, records| task(value, &file.shown, &file.stem, zone, records));
        }
        for file in folder.files("reports", ending, &mut records) {
            with(&file, &mut records, |value, records| report(value, &file.shown, zone, records));
        }
        for file in folder.files("inbox", ending, &mut records) {
            named.push(file.stem.clone());
            with(&file, &mut records, |value, records| inbox(value, &file.shown, &file.stem, zone, records));
        }
    }
    folder.leave_the_rest(&READ, &mut records);
    records.agents = named.into_iter().map(|name| AgentRecord { name, ..AgentRecord::default() }).collect();
    if let Some(above) = root.parent() {
        let above = Folder::new(above);
        for (name, why) in BESIDE {
            if above.file(name).is_some() {
                records.leave(&format!("../{name}"), why);
            }
        }
    }
    records
}

fn with(file: &super::folder::File, records: &mut Records, read: impl FnOnce(&Value, &mut Records)) {
    match file.yaml() {
        Ok(Value::Null) => {}
        Ok(value) => read(&value, records),
        Err(why) => records.leave(&file.shown, why),
    }
}

/// The records of a file: a list of them, a list under some name, or one.
fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => {
            let lists: Vec<&Value> = fields.values().filter(|value| value.is_array()).collect();
            match lists.as_slice() {
                [Value::Array(items)] if !fields.contains_key("id") && !fields.contains_key("task_id") => {
                    items.iter().collect()
                }
                _ => vec![value],
            }
        }
        _ => Vec::new(),
    }
}

/// `captain_to_vice_captain.yaml`: who gives the orders, and to whom, is in the name.
fn orders(folder: &Folder<'_>, name: &str, zone: &TimeZone, records: &mut Records) {
    let Some(file) = folder.file(name) else { return };
    let (from, to) = file.stem.split_once("_to_").unwrap_or(("captain", "vice_captain"));
    let (from, to) = (from.to_owned(), to.to_owned());
    with(&file, records, |value, records| {
        for item in items(value) {
            let order =
                Fields::of(item, zone).and_then(|order| Some((order, order.first(&["id", "cmd_id"])?)));
            let Some((order, id)) = order else {
                records.leave(&file.shown, "an order in it has no id");
                continue;
            };
            let word = order.text("status").unwrap_or_else(|| "pending".to_owned());
            let status = match word.as_str() {
                "pending" => TaskStatus::Assigned,
                other => other.parse().unwrap_or_else(|_| {
                    records.remark(
                        &file.shown,
                        &format!("the status `{word}` of {id} is not known: taken as assigned"),
                    );
                    TaskStatus::Assigned
                }),
            };
            let command = order.first(&["command", "description"]);
            let created = order.time("timestamp");
            records.tasks.push(TaskRecord {
                title: order.first(&["title", "purpose"]).or_else(|| command.clone()),
                description: command,
                status,
                priority: order.word("priority").unwrap_or(Priority::Medium),
                assignee: Some(to.clone()),
                assigner: Some(from.clone()),
                created,
                updated: order.time("completed_at").or(created),
                purpose: order.text("purpose"),
                criteria: order.list("acceptance_criteria"),
                target_path: order.text("target_path"),
                reassigned_from: order.text("reassigned_from"),
                notes: order.text("notes").map(|note| (None, note)).into_iter().collect(),
                ..TaskRecord::new(&file.shown, id)
            });
        }
    });
}

fn task(value: &Value, file: &str, member: &str, zone: &TimeZone, records: &mut Records) {
    let inner = value.get("task").filter(|inner| inner.is_object()).unwrap_or(value);
    for item in items(inner) {
        let Some(task) = Fields::of(item, zone) else { continue };
        let word = task.text("status").unwrap_or_else(|| "assigned".to_owned());
        let Some(id) = task.first(&["task_id", "id"]) else {
            // An idle member's file holds no task.
            if word != "idle" {
                records.leave(file, "a task in it has no id");
            }
            continue;
        };
        let status = match word.as_str() {
            "idle" => TaskStatus::Assigned,
            other => other.parse().unwrap_or_else(|_| {
                records.remark(file, &format!("the status `{word}` of {id} is not known: taken as assigned"));
                TaskStatus::Assigned
            }),
        };
        let created = task.time("timestamp");
        let mut notes: Vec<(Option<i64>, String)> = task
            .records("rejection_history")
            .iter()
            .filter_map(|entry| {
                Some((entry.time("timestamp"), format!("Sent back: {}", entry.text("reason")?)))
            })
            .collect();
        for (name, shown) in [("bloom_level", "Level"), ("project", "Project"), ("worktree_path", "Worktree")]
        {
            notes.extend(task.text(name).map(|text| (None, format!("{shown}: {text}"))));
        }
        records.tasks.push(TaskRecord {
            title: task.first(&["title", "description"]),
            description: task.text("description"),
            status,
            priority: task.word("priority").unwrap_or(Priority::Medium),
            assignee: Some(task.text("assignee").unwrap_or_else(|| member.to_owned())),
            created,
            updated: task.time("completed_at").or(created),
            notes,
            parent: task.text("parent_cmd"),
            depends_on: task.list("blocked_by"),
            target_path: task.text("target_path"),
            echo_message: task.text("echo_message"),
            redo_of: task.text("redo_of"),
            ..TaskRecord::new(file, id)
        });
    }
}

fn report(value: &Value, file: &str, zone: &TimeZone, records: &mut Records) {
    let inner = value.get("report").filter(|inner| inner.is_object()).unwrap_or(value);
    let Some(report) = Fields::of(inner, zone) else {
        records.leave(file, "it is no report");
        return;
    };
    let (Some(worker), Some(task)) = (report.text("worker_id"), report.text("task_id")) else {
        // An idle member's file holds no report.
        if report.text("status").is_some_and(|status| status != "idle") {
            records.leave(file, "it does not say by whom and on what it is");
        }
        return;
    };
    let Some(status) = report.word::<ReportStatus>("status") else {
        records.leave(file, "its status is none of done, failed and blocked");
        return;
    };
    let result = report.record("result");
    let field = |name: &str| result.and_then(|result| result.text(name));
    let mut files = result.map(|result| result.list("files_modified")).unwrap_or_default();
    files.extend(report.records("changed_files").iter().filter_map(|changed| changed.text("path")));
    files.dedup();
    let skill = report.record("skill_candidate").filter(|skill| skill.flag("found"));
    records.reports.push(ReportRecord {
        file: file.to_owned(),
        task,
        parent: report.text("parent_cmd"),
        worker,
        status,
        summary: field("summary")
            .or_else(|| report.first(&["result", "summary"]))
            .unwrap_or_else(|| format!("{status}, without a summary")),
        files,
        notes: notes_of(field("notes"), &report),
        skill: skill.map(|skill| ["name", "description", "reason"].map(|name| skill.text(name))),
        purpose_gap: report.text("purpose_gap"),
        when: report.time("timestamp"),
    });
}

/// Notes, with what the second form of a report adds: how it was checked, and where it was committed.
fn notes_of(notes: Option<String>, report: &Fields<'_>) -> Option<String> {
    let mut lines: Vec<String> = notes.into_iter().collect();
    for (part, fields) in [
        ("verification", &["build_result", "build_command", "error_console"][..]),
        ("todo_scan", &["count", "new_todos"]),
        ("commit_info", &["branch", "commit_hash"]),
    ] {
        let Some(record) = report.record(part) else { continue };
        let said: Vec<String> =
            fields.iter().filter_map(|name| Some(format!("{name} {}", record.text(name)?))).collect();
        if !said.is_empty() {
            lines.push(format!("{part}: {}", said.join(", ")));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn inbox(value: &Value, file: &str, owner: &str, zone: &TimeZone, records: &mut Records) {
    let (mut wakes, mut broken) = (0, 0);
    for (number, item) in items(value).into_iter().enumerate() {
        let message = Fields::of(item, zone).and_then(|message| {
            Some((message, message.text("from")?, message.first(&["content", "message"])?))
        });
        let Some((message, from, content)) = message else {
            broken += 1;
            continue;
        };
        let meaning = message.word::<MailType>("type").map(MailType::meaning);
        let intent = match meaning {
            Some(Meaning::Wake) => {
                wakes += 1;
                continue;
            }
            Some(Meaning::Order | Meaning::Task) => Intent::Delegation,
            Some(Meaning::Report) => Intent::Report,
            Some(Meaning::Review) => Intent::ReviewRequest,
            Some(Meaning::Control) => Intent::Control,
            Some(Meaning::SentBack | Meaning::Operator) | None => Intent::Message,
        };
        let progress = match (message.flag("read"), intent) {
            (true, _) => Progress::Read(None),
            // What was to be typed into a session months ago is not to be typed now.
            (false, Intent::Control) => Progress::Past,
            (false, _) => Progress::Waiting,
        };
        records.messages.push(MessageRecord {
            file: file.to_owned(),
            id: message.text("id").unwrap_or_else(|| format!("{owner}-{}", number + 1)),
            from: if meaning == Some(Meaning::Operator) { "operator".to_owned() } else { from },
            to: owner.to_owned(),
            intent,
            subject: None,
            task: ids_in(&content).first().map(|id| (*id).to_owned()),
            body: Some(content),
            priority: Priority::Medium,
            sent: message.time("timestamp"),
            reply_to: message.text("reply_to"),
            progress,
        });
    }
    if wakes > 0 {
        records.leave(file, format!("its wake-ups say nothing ({wakes})"));
    }
    if broken > 0 {
        records.leave(file, format!("entries without a sender or a text ({broken})"));
    }
}
