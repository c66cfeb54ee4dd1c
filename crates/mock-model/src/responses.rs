//! OpenAI Responses: Codex.

use serde_json::{Value, json};

use super::conversation::{By, Conversation, Tool, list, text};
use super::{Act, Answer, Reply, json_answer, stream_answer};

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation {
        system: text(&body["instructions"]),
        tools: list(body, "tools").flat_map(tools).collect(),
        items: Vec::new(),
    };
    if let Value::String(said) = &body["input"] {
        read.say(By::User, said.clone());
    }
    for item in list(body, "input") {
        match item["type"].as_str() {
            Some("function_call") => read.call(text(&item["arguments"])),
            Some("custom_tool_call") => read.call(text(&item["input"])),
            Some("additional_tools") => read.tools.extend(list(item, "tools").flat_map(tools)),
            Some("function_call_output" | "custom_tool_call_output") => {
                read.answer(text(&item["output"]));
            }
            _ => read.say(By::role(&item["role"]), text(item)),
        }
    }
    read
}

/// One tool, or those of a group.
fn tools(tool: &Value) -> Vec<Tool> {
    let group = tool["name"].as_str().filter(|_| tool["type"] == "namespace");
    match group {
        None => Tool::named(&tool["name"], tool).into_iter().collect(),
        Some(group) => list(tool, "tools")
            .filter_map(|inner| Tool::named(&inner["name"], inner))
            .map(|inner| Tool { namespace: Some(group.to_owned()), ..inner })
            .collect(),
    }
}

pub(super) fn reply(reply: &Reply) -> Answer {
    let number = reply.number;
    let item = match &reply.act {
        Act::Say(text) => {
            let part = json!({ "type": "output_text", "text": text, "annotations": [] });
            json!({ "type": "message", "id": format!("msg_{number:08}"), "role": "assistant",
                "status": "completed", "content": [part] })
        }
        // A tool that takes a text instead of a document: Codex runs JavaScript this way.
        Act::Call { tool, arguments: Value::String(input) } => {
            json!({ "type": "custom_tool_call", "id": format!("ctc_{number:08}"),
                "call_id": format!("call_{number:08}"), "name": tool.name, "input": input,
                "status": "completed" })
        }
        Act::Call { tool, arguments } => {
            let mut call = json!({ "type": "function_call", "id": format!("fc_{number:08}"),
                "call_id": format!("call_{number:08}"), "name": tool.name, "arguments": arguments.to_string(),
                "status": "completed" });
            if let Some(namespace) = &tool.namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    };
    let usage = json!({ "input_tokens": 100, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 120 });
    let whole = json!({ "id": format!("resp_{number:08}"), "object": "response", "created_at": 1_700_000_000,
        "model": reply.model, "status": "completed", "output": [item], "usage": usage, "error": null });
    if !reply.stream {
        return json_answer(200, &whole);
    }
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let events = [
        json!({ "type": "response.created", "sequence_number": 0, "response": begun }),
        json!({ "type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "sequence_number": 3, "response": whole }),
    ];
    let named = events.iter().map(|event| (event["type"].as_str(), event.clone()));
    stream_answer(&named.collect::<Vec<_>>())
}
