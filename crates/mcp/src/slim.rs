//! Makes an answer's document small: a model pays for every field each time it reads its conversation again.
//!
//! What is null is left out of every answer. The answer to a call that changed something is a receipt: it does not repeat what the caller has just written
//! or read, says nothing of what is empty or false, and calls agents by their names alone.

use serde_json::{Map, Value};

/// Calls whose answer is a receipt: the result, without the texts and times of what was changed.
const RECEIPTS: [&str; 17] = [
    "message.accept",
    "message.decline",
    "message.escalate",
    "message.reply",
    "message.send",
    "review.comment",
    "review.resolve",
    "review.verdict",
    "task.create",
    "task.depend",
    "task.note",
    "task.reassign",
    "task.redo",
    "task.report",
    "task.split",
    "task.update",
    "task.verdict",
];

/// Fields that a receipt leaves out.
const REPEATED: [&str; 18] = [
    "acceptance_criteria",
    "addressed",
    "auth",
    "body",
    "comments",
    "created",
    "description",
    "diff",
    "files",
    "hops",
    "notes",
    "purpose",
    "refs",
    "reports",
    "requirements",
    "sent",
    "updated",
    "verdicts",
];

/// The document of an operation's answer, without what costs tokens and says nothing.
pub(crate) fn slim(operation: &str, document: &mut Value) {
    if RECEIPTS.contains(&operation)
        && let Some(answer) = document.get_mut("answer").and_then(Value::as_object_mut)
    {
        answer.retain(|field, _| !REPEATED.contains(&field.as_str()));
        if answer.get("thread") == answer.get("id") {
            answer.remove("thread");
        }
        prune(document);
    }
}

/// Removes nulls.
pub(crate) fn without_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

/// Removes nulls, empty lists, empty objects and `false`, and the ids of agents beside their names.
fn prune(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(prune),
        Value::Object(fields) => {
            if is_agent(fields) {
                fields.remove("id");
            }
            fields.values_mut().for_each(prune);
            fields.retain(|_, field| !says_nothing(field));
        }
        _ => {}
    }
}

fn is_agent(fields: &Map<String, Value>) -> bool {
    let is_id = |id: &Value| id.as_str().is_some_and(|id| id.starts_with("agt-"));
    fields.len() == 2 && fields.contains_key("name") && fields.get("id").is_some_and(is_id)
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_fields_and_agent_ids_are_left_out() {
        let mut value = json!({
            "a": null, "b": [{ "c": null, "d": 0 }], "e": "", "f": [], "g": {}, "h": false, "i": true,
            "from": { "id": "agt-1", "name": "kimi" }, "task": { "id": "task-1", "name": "x" },
        });
        prune(&mut value);
        assert_eq!(
            value,
            json!({ "b": [{ "d": 0 }], "e": "", "i": true, "from": { "name": "kimi" },
                "task": { "id": "task-1", "name": "x" } })
        );
    }

    #[test]
    fn receipt_repeats_nothing_and_keeps_remarks() {
        let answer =
            json!({ "id": "msg-1", "thread": "msg-1", "body": "long", "sent": "t", "status": "done" });
        let document = json!({ "answer": answer, "notes": ["kimi: not running"] });
        let (mut receipt, mut read) = (document.clone(), document.clone());
        slim("message.accept", &mut receipt);
        assert_eq!(
            receipt,
            json!({ "answer": { "id": "msg-1", "status": "done" }, "notes": ["kimi: not running"] })
        );
        slim("message.read", &mut read);
        assert_eq!(read, document);
    }
}
