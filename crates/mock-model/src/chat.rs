//! OpenAI Chat Completions: Kimi Code, kimi-cli, OpenCode, Qwen Code, Copilot CLI.

use serde_json::{Value, json};

use super::conversation::{By, Conversation, Tool, list, text};
use super::{Act, Answer, Reply, json_answer, stream_answer};

pub(super) fn read(body: &Value) -> Conversation {
    let mut read = Conversation {
        tools: list(body, "tools").filter_map(|tool| Tool::named(&tool["function"]["name"], tool)).collect(),
        ..Conversation::default()
    };
    for message in list(body, "messages") {
        let said = text(&message["content"]);
        match By::role(&message["role"]) {
            By::System if read.items.is_empty() => read.system.push_str(&said),
            By::Tool => read.answer(said),
            by if !said.is_empty() => read.say(by, said),
            _ => {}
        }
        for call in list(message, "tool_calls") {
            read.call(text(&call["function"]["arguments"]));
        }
    }
    read
}

pub(super) fn reply(reply: &Reply) -> Answer {
    let (message, finish) = match &reply.act {
        Act::Say(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Act::Call { tool, arguments } => {
            let function = json!({ "name": tool.name, "arguments": arguments.to_string() });
            let id = format!("call_{:08}", reply.number);
            let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 });
    let frame = |object: &str, choices: Value, usage: &Value| {
        json!({ "id": format!("chatcmpl-{:08}", reply.number), "object": object, "created": 1_700_000_000,
            "model": reply.model, "choices": choices, "usage": usage })
    };
    if !reply.stream {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return json_answer(200, &frame("chat.completion", json!([choice]), &usage));
    }
    let chunk = |choices: Value, usage: &Value| (None, frame("chat.completion.chunk", choices, usage));
    let mut answer = stream_answer(&[
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), &Value::Null),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), &Value::Null),
        chunk(json!([]), &usage),
    ]);
    answer.body.push_str("data: [DONE]\n\n");
    answer
}
