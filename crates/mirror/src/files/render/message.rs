//! `messages/{pending,archive}/ID.json`: the original's fields first and in its words, then ours.

use interagent_core::entity::Message;
use interagent_core::entity::message::Delivery;
use interagent_core::vocabulary::Intent;
use interagent_store::StoreError;
use serde::Serialize;

use super::{json, spelled_out, unwritable};
use crate::files::moment::iso;
use crate::files::names::Look;
use crate::files::seal::{Form, seal};

#[derive(Debug, Serialize)]
struct Document {
    id: String,
    from: String,
    to: String,
    subject: String,
    content: String,
    r#type: &'static str,
    timestamp: String,
    read: bool,
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_at: Option<String>,
    intent: &'static str,
    priority: &'static str,
    thread: String,
    reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    recipients: Vec<Recipient>,
}

#[derive(Debug, Serialize)]
struct Recipient {
    name: String,
    state: &'static str,
    read: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_at: Option<String>,
}

/// One message as a file.
pub(in crate::files) fn message(look: &mut Look<'_, '_>, message: &Message) -> Result<String, StoreError> {
    json(&document(look, message)?)
}

/// One message as a line of a month of the archive.
pub(in crate::files) fn message_line(
    look: &mut Look<'_, '_>,
    message: &Message,
) -> Result<String, StoreError> {
    let text = serde_json::to_string(&document(look, message)?).map_err(unwritable)?;
    Ok(seal(Form::Lines, &spelled_out(text)))
}

fn document(look: &mut Look<'_, '_>, message: &Message) -> Result<Document, StoreError> {
    let mut recipients = Vec::with_capacity(message.deliveries.len());
    for (agent, delivery) in &message.deliveries {
        recipients.push(Recipient {
            name: look.name(agent)?,
            state: delivery.state.as_str(),
            read: !delivery.is_unread(),
            read_at: read_at(delivery).map(iso),
        });
    }
    recipients.sort_by(|one, two| one.name.cmp(&two.name));
    let names: Vec<&str> = recipients.iter().map(|recipient| recipient.name.as_str()).collect();
    let read = recipients.iter().all(|recipient| recipient.read);
    let last_read = message.deliveries.values().filter_map(read_at).max();
    Ok(Document {
        id: message.id.to_string(),
        from: look.name(&message.from)?,
        to: names.join(", "),
        subject: look.text(&message.subject)?,
        content: look.maybe_text(message.body.as_ref())?.unwrap_or_default(),
        r#type: kind(message.intent),
        timestamp: iso(message.sent.wall),
        read,
        task_id: message.task.as_ref().map(ToString::to_string),
        read_at: last_read.filter(|_| read).map(iso),
        intent: message.intent.as_str(),
        priority: message.priority.as_str(),
        thread: message.thread.to_string(),
        reply_to: message.reply_to.as_ref().map(ToString::to_string),
        expires: message.expires.map(iso),
        held: message.held.map(interagent_core::vocabulary::HoldReason::as_str),
        aliases: message.aliases.clone(),
        recipients,
    })
}

/// When a recipient had read it: the first thing that says so.
fn read_at(delivery: &Delivery) -> Option<i64> {
    if delivery.is_unread() {
        return None;
    }
    let settled = delivery.settled.as_ref().map(|settled| settled.when.wall);
    let acknowledged = delivery.acknowledged.as_ref().map(|when| when.wall);
    acknowledged.or(settled).or(delivery.delivered.as_ref().map(|when| when.wall))
}

/// The original knows four types.
fn kind(intent: Intent) -> &'static str {
    match intent {
        Intent::Delegation => "delegation",
        Intent::ReviewRequest => "review",
        Intent::Discussion => "discussion",
        _ => "message",
    }
}
