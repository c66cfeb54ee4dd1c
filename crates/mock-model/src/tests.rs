//! Each protocol: what a client sends is read alike, and the script is told in the client's own words.

use serde_json::{Value, json};

use super::*;

fn asked(path: &str, body: &Value) -> Asked {
    Asked { method: "POST".to_owned(), path: path.to_owned(), encoding: None, body: body.to_string().into() }
}

/// A model that calls `p_second` with 2 after one call, and what it answered to the request.
fn played(path: &str, body: &Value) -> (Conversation, String) {
    let call =
        |tool: &str, number: i64| Turn::Call { tool: tool.to_owned(), arguments: json!({ "n": number }) };
    let mut state = State { script: vec![call("p_first", 1), call("p__second", 2)], ..State::default() };
    let answer = state.answer(&asked(path, body));
    assert_eq!(answer.status, 200);
    (state.requests.remove(0).conversation.unwrap(), answer.body)
}

/// The documents of a stream.
fn events(stream: &str) -> Vec<Value> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[track_caller]
fn is_after_one_call(conversation: &Conversation) {
    assert_eq!(conversation.tool_names(), ["p_first", "p__second"]);
    assert!(conversation.system.contains("be good"), "{conversation:?}");
    let kinds: Vec<Kind> = conversation.items.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, [Kind::Text, Kind::Call, Kind::Result]);
    assert_eq!(conversation.items[0].text, "hello");
    assert_eq!(conversation.results(), ["it is 1"]);
}

#[test]
fn anthropic() {
    let body = json!({ "model": "m", "stream": true, "system": [{ "type": "text", "text": "be good" }],
        "tools": [{ "name": "p_first" }, { "name": "p__second" }], "messages": [
        { "role": "user", "content": "hello" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "p_first", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t",
            "content": [{ "type": "text", "text": "it is 1" }] }] }] });
    let (conversation, stream) = played("/v1/messages", &body);
    is_after_one_call(&conversation);
    let events = events(&stream);
    assert_eq!(events[1]["content_block"]["name"], "p__second");
    assert_eq!(events[2]["delta"]["partial_json"], "{\"n\":2}");
    assert_eq!(events[4]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn chat() {
    let tool = |name: &str| json!({ "type": "function", "function": { "name": name } });
    let call = json!({ "id": "c", "type": "function", "function": { "name": "p_first", "arguments": "{}" } });
    let body = json!({ "model": "m", "stream": true, "tools": [tool("p_first"), tool("p__second")], "messages": [
        { "role": "system", "content": "be good" },
        { "role": "user", "content": [{ "type": "text", "text": "hello" }] },
        { "role": "assistant", "content": null, "tool_calls": [call] },
        { "role": "tool", "tool_call_id": "c", "content": "it is 1" }] });
    let (conversation, stream) = played("/v1/chat/completions", &body);
    is_after_one_call(&conversation);
    let events = events(&stream);
    let function = &events[0]["choices"][0]["delta"]["tool_calls"][0]["function"];
    assert_eq!(*function, json!({ "name": "p__second", "arguments": "{\"n\":2}" }));
    assert_eq!(events[1]["choices"][0]["finish_reason"], "tool_calls");
}

#[test]
fn responses() {
    let group =
        json!({ "type": "namespace", "name": "p", "tools": [{ "type": "function", "name": "second" }] });
    let body = json!({ "model": "m", "stream": true, "instructions": "be good",
        "tools": [{ "type": "function", "name": "p_first" }, group], "input": [
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hello" }] },
        { "type": "function_call", "call_id": "c", "name": "p_first", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c", "output": "it is 1" }] });
    let (conversation, stream) = played("/v1/responses", &body);
    is_after_one_call(&conversation);
    let events = events(&stream);
    let item = &events[2]["item"];
    assert_eq!((&item["namespace"], &item["name"]), (&json!("p"), &json!("second")));
    assert_eq!(item["arguments"], "{\"n\":2}");
    assert_eq!(events[3]["type"], "response.completed");
}

/// Codex describes the tools of its newest models in the input, and one of them takes a text.
#[test]
fn responses_with_tools_in_the_input() {
    let group = json!({ "type": "namespace", "name": "p", "tools": [{ "type": "custom", "name": "exec" }] });
    let body = json!({ "model": "m", "stream": true, "instructions": "be good", "input": [
        { "type": "additional_tools", "role": "developer", "tools": [group] },
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hello" }] },
        { "type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "text(1)" },
        { "type": "custom_tool_call_output", "call_id": "c", "output": "it is 1" }] });
    let call = |source: &str| Turn::Call { tool: "p__exec".to_owned(), arguments: json!(source) };
    let mut state = State { script: vec![call("text(1)"), call("text(2)")], ..State::default() };
    let stream = state.answer(&asked("/v1/responses", &body)).body;
    let conversation = state.requests[0].conversation.clone().unwrap();
    assert_eq!(conversation.items[1].text, "text(1)");
    let item = &events(&stream)[2]["item"];
    assert_eq!((&item["type"], &item["name"]), (&json!("custom_tool_call"), &json!("exec")));
    assert_eq!(item["input"], "text(2)");
}

#[test]
fn gemini() {
    let body = json!({ "systemInstruction": { "parts": [{ "text": "be good" }] },
        "tools": [{ "functionDeclarations": [{ "name": "p_first" }, { "name": "p__second" }] }], "contents": [
        { "role": "user", "parts": [{ "text": "hello" }] },
        { "role": "model", "parts": [{ "functionCall": { "name": "p_first", "args": {} } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "p_first",
            "response": { "output": "it is 1" } } }] }] });
    let (conversation, stream) = played("/v1beta/models/m:streamGenerateContent", &body);
    is_after_one_call(&conversation);
    let part = &events(&stream)[0]["candidates"][0]["content"]["parts"][0];
    assert_eq!(part["functionCall"], json!({ "name": "p__second", "args": { "n": 2 } }));
}

#[test]
fn what_is_no_conversation_uses_up_no_turn() {
    let mut state = State { script: vec![Turn::Say("first".to_owned())], ..State::default() };
    let title = json!({ "messages": [{ "role": "user", "content": "make a title" }] });
    assert!(state.answer(&asked("/v1/messages", &title)).body.contains("done"));
    assert_eq!(state.answer(&asked("/v1/messages/count_tokens", &title)).status, 200);
    assert_eq!(state.answer(&asked("/v1/elsewhere", &title)).status, 404);
    let talk = json!({ "tools": [{ "name": "p_first" }], "messages": title["messages"] });
    for _again in 0..2 {
        assert!(state.answer(&asked("/v1/messages", &talk)).body.contains("first"));
    }
}

#[test]
fn a_tool_that_is_not_offered_ends_the_turn() {
    let call = Turn::Call { tool: "absent".to_owned(), arguments: json!({}) };
    let mut state = State { script: vec![call], ..State::default() };
    let talk = json!({ "tools": [{ "name": "present" }], "messages": [] });
    assert!(state.answer(&asked("/v1/messages", &talk)).body.contains("absent is not offered"));
}

#[test]
fn a_script_is_played_from_the_cue_that_was_given_last() {
    let say = |text: &str| vec![Turn::Say(text.to_owned())];
    let call = Turn::Call { tool: "present".to_owned(), arguments: json!({}) };
    let first = vec![call, Turn::Say("after the call".to_owned())];
    let cues = vec![("one".to_owned(), first), ("two".to_owned(), say("second"))];
    let mut state = State { script: say("no cue"), cues, ..State::default() };
    let mut messages = Vec::new();
    let mut answer = |message: Value| {
        messages.push(message);
        let talk = json!({ "tools": [{ "name": "present" }], "messages": messages });
        state.answer(&asked("/v1/messages", &talk)).body
    };
    assert!(answer(json!({ "role": "user", "content": "hello" })).contains("no cue"));
    assert!(answer(json!({ "role": "user", "content": "now one" })).contains("tool_use"));
    let call = json!({ "type": "tool_use", "id": "t", "name": "present", "input": {} });
    assert!(answer(json!({ "role": "assistant", "content": [call] })).contains("after the call"));
    assert!(answer(json!({ "role": "assistant", "content": "I say two" })).contains("after the call"));
    assert!(answer(json!({ "role": "system", "content": "then two" })).contains("second"));
    assert!(answer(json!({ "role": "user", "content": "again one" })).contains("tool_use"));
}

#[test]
fn a_text_is_told_by_somebody() {
    let talk = json!({ "system": "rules", "messages": [
        { "role": "user", "content": [{ "type": "text", "text": "a wish" },
            { "type": "tool_result", "tool_use_id": "t", "content": "a result" }] },
        { "role": "system", "content": "a notice" }, { "role": "assistant", "content": "an answer" }] });
    let read = anthropic::read(&talk);
    let by = ["rules", "a wish", "a result", "a notice", "an answer"].map(|text| read.told_by(text));
    assert_eq!(by, [Some(By::System), Some(By::User), Some(By::Tool), Some(By::System), None]);
}

#[test]
fn whoever_waits_sees_the_first_request_that_is_as_wanted() {
    let model = MockModel::start().unwrap();
    let none = model.wait_for(|_| true, Duration::from_millis(10));
    assert_eq!(none, None);
    let talk =
        json!({ "tools": [{ "name": "present" }], "messages": [{ "role": "user", "content": "hello" }] });
    model.shared.state().answer(&asked("/v1/messages", &talk));
    let found = model.wait_for(|conversation| conversation.tells("hello"), Duration::from_secs(5));
    assert_eq!(found.unwrap().told_by("hello"), Some(By::User));
}

#[test]
fn a_script_names_messages_by_what_they_say() {
    let command = "reply {message: red or blue} about {message: Paint} {message: green}";
    let call = Turn::Call { tool: "present".to_owned(), arguments: json!({ "lines": [command] }) };
    let mut state = State { script: vec![call], ..State::default() };
    let mail = "Paint\n--- msg-1aa from a (auth process) | Other\nfirst\n--- end 07\n\
        --- msg-2bb from b (auth process) | Paint\nred or blue?";
    let talk = json!({ "tools": [{ "name": "present" }], "messages": [{ "role": "user", "content": mail }] });
    let answer: Value = serde_json::from_str(&state.answer(&asked("/v1/messages", &talk)).body).unwrap();
    let line = &answer["content"][0]["input"]["lines"][0];
    assert_eq!(*line, "reply msg-2bb about msg-2bb {message: green}");
}
