//! Anthropic Messages: Claude Code.

use serde_json::{Value, json};

use super::conversation::{By, Conversation, Tool, list, text};
use super::{Act, Answer, Reply, json_answer, stream_answer};

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation {
        system: text(&body["system"]),
        tools: list(body, "tools").filter_map(|tool| Tool::named(&tool["name"], tool)).collect(),
        items: Vec::new(),
    };
    for message in list(body, "messages") {
        let by = By::role(&message["role"]);
        let Value::Array(blocks) = &message["content"] else {
            read.say(by, text(&message["content"]));
            continue;
        };
        for block in blocks {
            match block["type"].as_str() {
                Some("tool_use") => read.call(block["input"].to_string()),
                Some("tool_result") => read.answer(text(&block["content"])),
                _ => read.say(by, text(block)),
            }
        }
    }
    read
}

pub(super) fn reply(reply: &Reply) -> Answer {
    let (block, stop) = match &reply.act {
        Act::Say(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Act::Call { tool, arguments } => {
            let id = format!("toolu_{:08}", reply.number);
            (json!({ "type": "tool_use", "id": id, "name": tool.name, "input": arguments }), "tool_use")
        }
    };
    let usage = json!({ "input_tokens": 100, "output_tokens": 20 });
    let mut message = json!({ "id": format!("msg_{:08}", reply.number), "type": "message", "role": "assistant",
        "model": reply.model, "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage });
    if !reply.stream {
        return json_answer(200, &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let (empty, delta) = match &reply.act {
        Act::Say(text) => {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
        }
        Act::Call { arguments, .. } => {
            let mut empty = block;
            empty["input"] = json!({});
            (empty, json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }))
        }
    };
    let ending = json!({ "stop_reason": stop, "stop_sequence": null });
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": ending, "usage": usage }),
        json!({ "type": "message_stop" }),
    ];
    let named = events.iter().map(|event| (event["type"].as_str(), event.clone()));
    stream_answer(&named.collect::<Vec<_>>())
}
