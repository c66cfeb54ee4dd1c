//! The store of the Interagent MCP server, `~/.claude-interagent/`: registry, mail, specs and a status board.

use std::collections::HashSet;
use std::path::Path;

use interagent_core::vocabulary::{Intent, Priority};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::fields::{Fields, moment};
use super::folder::Folder;
use super::record::{AgentRecord, MessageRecord, Progress, Records, SpecRecord};

/// Where what is known of a message lies, the archive last: what is in both was being archived.
const META: [&str; 4] = ["messages-meta", "archive/messages-meta", "archive/meta", "archive"];
const BODIES: [&str; 3] = ["messages", "archive/messages", "archive"];
const READ: [&str; 6] = ["registry.json", "status.json", "messages", "messages-meta", "specs", "archive"];

pub(super) fn read(root: &Path, zone: &TimeZone) -> Records {
    let folder = Folder::new(root);
    let mut records = Records::default();
    registry(&folder, zone, &mut records);
    statuses(&folder, zone, &mut records);
    messages(&folder, zone, &mut records);
    specs(&folder, zone, &mut records);
    folder.leave_the_rest(&["messages", "messages-meta", "specs", "archive"], &mut records);
    for name in folder.names().iter().filter(|name| !READ.contains(&name.as_str())) {
        records.leave(name, "it is no part of the server's data");
    }
    records
}

/// The records of a file that is one map by name, or holds one, or a list, as `agents`.
fn by_name(folder: &Folder<'_>, name: &str, records: &mut Records) -> Vec<(String, Value)> {
    let Some(file) = folder.file(name) else { return Vec::new() };
    match file.json() {
        Ok(Value::Object(mut map)) => match map.remove("agents") {
            Some(Value::Array(list)) => list.into_iter().map(|agent| (named(&agent), agent)).collect(),
            Some(Value::Object(agents)) if agents.values().all(Value::is_object) => {
                agents.into_iter().collect()
            }
            // Somebody of that name.
            Some(agent) => map.into_iter().chain([("agents".to_owned(), agent)]).collect(),
            None => map.into_iter().collect(),
        },
        Ok(_) => {
            records.leave(name, "it is no map by name");
            Vec::new()
        }
        Err(why) => {
            records.leave(name, why);
            Vec::new()
        }
    }
}

/// What a record of a list calls itself.
fn named(record: &Value) -> String {
    let name = ["name", "agent"].iter().find_map(|field| record.get(field)?.as_str());
    name.unwrap_or_default().to_owned()
}

fn registry(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for (name, value) in by_name(folder, "registry.json", records) {
        let Some(agent) = Fields::of(&value, zone) else {
            records.leave("registry.json", format!("`{name}` is no agent"));
            continue;
        };
        let name = agent.text("name").unwrap_or(name);
        if name.is_empty() {
            records.leave("registry.json", "an agent in it has no name");
            continue;
        }
        records.agents.push(AgentRecord {
            name,
            profile: Some("claude"),
            description: agent.text("description"),
            workspace: agent.text("workspacePath"),
            since: agent.time("registeredAt"),
            status: None,
        });
    }
}

fn statuses(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for (name, value) in by_name(folder, "status.json", records) {
        let said = Fields::of(&value, zone);
        let Some(text) = said.and_then(|said| said.text("status")).filter(|_| !name.is_empty()) else {
            records.leave("status.json", format!("what it says of `{name}` is no status"));
            continue;
        };
        let status = Some((text, said.and_then(|said| said.time("updatedAt"))));
        match records.agents.iter_mut().find(|agent| agent.name == name) {
            Some(agent) => agent.status = status,
            None => {
                let profile = Some("claude");
                records.agents.push(AgentRecord { name, profile, status, ..AgentRecord::default() });
            }
        }
    }
}

fn messages(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    // A message need not be called like its file.
    let (mut known, mut told) = (HashSet::new(), HashSet::new());
    for below in META {
        for file in folder.files(below, "json", records) {
            let value = match file.json() {
                Ok(value) => value,
                Err(why) => {
                    records.leave(&file.shown, why);
                    continue;
                }
            };
            let ends = Fields::of(&value, zone)
                .and_then(|message| Some((message, message.text("from")?, message.text("to")?)));
            let Some((message, from, to)) = ends else {
                records.leave(&file.shown, "it does not say from whom and to whom it is");
                continue;
            };
            let id = message.text("id").unwrap_or_else(|| file.stem.clone());
            told.insert(file.stem.clone());
            if !known.insert(id.clone()) {
                records.leave(&file.shown, "another file holds the message with this id");
                continue;
            }
            let body = match body_of(folder, &file.stem) {
                Ok(body) => body,
                Err(why) => {
                    records.remark(&file.shown, &format!("{why}: the message is taken without it"));
                    None
                }
            };
            let updated = message.time("updatedAt");
            let progress = match message.text("status").as_deref() {
                Some("acknowledged") => Progress::Read(updated),
                Some("completed") => Progress::Done(updated),
                Some("escalated") => {
                    let why =
                        message.text("escalationReason").unwrap_or_else(|| "No reason was given.".to_owned());
                    Progress::Escalated(updated, why)
                }
                _ => Progress::Waiting,
            };
            records.messages.push(MessageRecord {
                file: file.shown,
                id,
                from,
                to,
                intent: Intent::Message,
                subject: message.text("subject"),
                body,
                priority: Priority::Medium,
                sent: message.time("createdAt"),
                reply_to: message.text("replyTo"),
                task: None,
                progress,
            });
        }
    }
    for below in BODIES {
        for file in folder.files(below, "md", records) {
            if !told.contains(&file.stem) {
                records.leave(&file.shown, "nothing says from whom and to whom it is");
            }
        }
    }
}

fn body_of(folder: &Folder<'_>, stem: &str) -> Result<Option<String>, String> {
    for below in BODIES {
        if let Some(file) = folder.file(&format!("{below}/{stem}.md")) {
            return file.text().map(Some).map_err(|why| format!("{}: {why}", file.shown));
        }
    }
    Err("its text is not there".to_owned())
}

fn specs(folder: &Folder<'_>, zone: &TimeZone, records: &mut Records) {
    for file in folder.files("specs", "md", records) {
        let text = match file.text() {
            Ok(text) => text,
            Err(why) => {
                records.leave(&file.shown, why);
                continue;
            }
        };
        let (publisher, when, body) = published(&text, zone);
        if body.trim().is_empty() {
            records.leave(&file.shown, "it is empty");
            continue;
        }
        let body = body.to_owned();
        records.specs.push(SpecRecord { file: file.shown, name: file.stem, body, publisher, when });
    }
}

/// The first line says by whom and when, as a comment: `<!-- Published by db-server at 2026-01-01T00:00:00Z -->`.
fn published<'t>(text: &'t str, zone: &TimeZone) -> (Option<String>, Option<i64>, &'t str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let Some(comment) = first.trim().strip_prefix("<!--") else { return (None, None, text) };
    let words: Vec<&str> = comment
        .trim_end_matches("-->")
        .split_whitespace()
        .map(|word| word.trim_matches([',', ':', '|', '"', '*']))
        .filter(|word| !word.is_empty())
        .collect();
    let by = words.iter().position(|word| word.eq_ignore_ascii_case("by")).and_then(|at| words.get(at + 1));
    let when = words.iter().find_map(|word| moment(word, zone));
    (by.map(|word| (*word).to_owned()), when, rest.trim_start_matches('\n'))
}
