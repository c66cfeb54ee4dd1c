//! Gemini generateContent: Gemini CLI.

use serde_json::{Value, json};

use super::conversation::{By, Conversation, Tool, list, text};
use super::{Act, Answer, Reply, json_answer, stream_answer};

pub(super) fn read(body: &Value) -> Conversation {
    let declared = list(body, "tools").flat_map(|tool| list(tool, "functionDeclarations"));
    let mut read = Conversation {
        system: text(&body["systemInstruction"]),
        tools: declared.filter_map(|tool| Tool::named(&tool["name"], tool)).collect(),
        items: Vec::new(),
    };
    let parts = |content| list(content, "parts").map(move |part| (By::role(&content["role"]), part));
    for (by, part) in list(body, "contents").flat_map(parts) {
        if part["functionCall"].is_object() {
            read.call(part["functionCall"]["args"].to_string());
        } else if part["functionResponse"].is_object() {
            let response = &part["functionResponse"]["response"];
            read.answer(text(response));
        } else {
            read.say(by, text(part));
        }
    }
    read
}

pub(super) fn reply(reply: &Reply) -> Answer {
    let part = match &reply.act {
        Act::Say(text) => json!({ "text": text }),
        Act::Call { tool, arguments } => json!({ "functionCall": { "name": tool.name, "args": arguments } }),
    };
    let candidate =
        json!({ "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": [part] } });
    let usage = json!({ "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120 });
    let whole = json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock",
        "responseId": format!("r{:08}", reply.number) });
    if reply.stream { stream_answer(&[(None, whole)]) } else { json_answer(200, &whole) }
}
