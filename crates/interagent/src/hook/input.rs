//! What a client tells its hook: the few fields that count, whatever else there is.

use std::io::{self, Read};
use std::path::PathBuf;

use interagent_agents::Fields;
use serde_json::Value;

/// Longest input that is read. Clients send the whole result of a tool along.
const INPUT_BYTES: u64 = 64 * 1024 * 1024;
/// Longest word that is taken from it.
const WORD_BYTES: usize = 1024;

/// What a hook was told.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told {
    /// The client's id of the session.
    pub(crate) session: Option<String>,
    /// Where it works.
    pub(crate) cwd: Option<PathBuf>,
    /// Which tool.
    pub(crate) tool: Option<String>,
    /// What the tool is called with.
    pub(crate) input: Option<Value>,
    /// A hook has kept this turn going already.
    pub(crate) looping: bool,
    /// It happened in a subagent.
    pub(crate) subagent: bool,
    /// What the client waits for, in its own word.
    pub(crate) notice: Option<String>,
    /// Context left, in percent.
    pub(crate) context_left: Option<u8>,
}

/// Reads everything the client has to say: one that is not read to its end may take that for a failure.
pub(crate) fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses a hook's input. None if it is not a JSON object; empty input is valid and tells nothing.
pub(crate) fn told(fields: &Fields, bytes: &[u8]) -> Option<Told> {
    if bytes.trim_ascii().is_empty() {
        return Some(Told::default());
    }
    let Ok(Value::Object(mut given)) = serde_json::from_slice::<Value>(bytes) else { return None };
    let word = |name: &str| {
        let word = given.get(name)?.as_str()?.trim();
        let fits = !word.is_empty() && word.len() <= WORD_BYTES && !word.chars().any(char::is_control);
        fits.then(|| word.to_owned())
    };
    let says =
        |name: &str| given.get(name).is_some_and(|value| !value.is_null() && *value != Value::Bool(false));
    let told = Told {
        session: word(&fields.session),
        cwd: word(&fields.cwd).map(PathBuf::from).filter(|path| path.is_absolute()),
        tool: word(&fields.tool),
        input: None,
        looping: says(&fields.looping),
        subagent: says(&fields.subagent),
        notice: word(&fields.notice),
        context_left: fields.context_used.as_ref().and_then(|name| left_of(given.get(name)?.as_f64()?)),
    };
    let details = fields.details.as_ref().and_then(|name| given.remove(name)).filter(Value::is_object);
    let input = given.remove(&fields.input).map(unpacked);
    let title = || details.as_ref()?.get("title")?.as_str().map(str::to_owned);
    let tool = told.tool.or_else(title).filter(|tool| tool.len() <= WORD_BYTES);
    Some(Told { tool, input: input.or(details), ..told })
}

/// Percent that are left of what is used from 0 to 1; nothing for a number that says neither.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 100")]
fn left_of(used: f64) -> Option<u8> {
    (0.0..=1.0).contains(&used).then(|| ((1.0 - used) * 100.0).round() as u8)
}

/// Some clients send a document inside a string.
fn unpacked(value: Value) -> Value {
    match &value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(document @ Value::Object(_)) => document,
            _ => value,
        },
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use interagent_agents::Profiles;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(profile: &str, given: &Value) -> Told {
        let hooks = Profiles::shipped().get(profile).unwrap().hooks.unwrap();
        told(&hooks.fields, given.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_fields_of_each_client_are_known() {
        let claude = json!({
            "session_id": "c-1", "cwd": "/p", "hook_event_name": "PostToolUse", "tool_name": "Edit",
            "tool_input": { "file_path": "/p/a" }, "tool_response": { "x": 1 }
        });
        let told = of("claude", &claude);
        assert_eq!((told.session.as_deref(), told.tool.as_deref()), (Some("c-1"), Some("Edit")));
        assert_eq!(told.input, Some(json!({ "file_path": "/p/a" })));
        let copilot = json!({ "sessionId": "p-1", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}" });
        let told = of("copilot", &copilot);
        assert_eq!((told.session.as_deref(), told.input), (Some("p-1"), Some(json!({ "command": "ls" }))));
        assert!(of("claude", &json!({ "stop_hook_active": true })).looping);
        assert!(!of("claude", &json!({ "stop_hook_active": false, "agent_id": null })).looping);
        assert!(of("claude", &json!({ "agent_id": "a1" })).subagent);
        let notice = of("claude", &json!({ "notification_type": "permission_prompt" })).notice;
        assert_eq!(notice.as_deref(), Some("permission_prompt"));
    }

    #[test]
    fn context_left_is_heard_where_a_client_says_it() {
        let left = |profile: &str, used: Value| of(profile, &json!({ "context_usage": used })).context_left;
        assert_eq!(left("qwen", json!(0.0005)), Some(100));
        assert_eq!(left("qwen", json!(0.75)), Some(25));
        assert_eq!((left("qwen", json!(0)), left("qwen", json!(1))), (Some(100), Some(0)));
        for wrong in [json!(-0.1), json!(1.5), json!("0.5"), json!(null)] {
            assert_eq!(left("qwen", wrong), None);
        }
        assert_eq!(left("claude", json!(0.5)), None);
    }

    /// Documents of any shape, some with the names that count.
    fn any_document() -> impl Strategy<Value = Value> {
        let name = prop_oneof![
            "(session_id|sessionId|cwd|tool_name|tool_input|toolArgs|stop_hook_active|agent_id|notification_type)",
            "\\PC{0,8}"
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(/\\PC{0,20}|\\PC{0,20}|\u{0}|\u{1b}\\[2J|\\{\"a\":1\\})".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(name.clone(), inner, 0..8)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_is_told_only_plain_words_are_taken(document in any_document(), cut in 0_usize..400) {
            for profile in ["claude", "copilot"] {
                let fields = Profiles::shipped().get(profile).unwrap().hooks.unwrap().fields;
                let whole = document.to_string().into_bytes();
                for bytes in [&whole[..], &whole[..cut.min(whole.len())]] {
                    let Some(told) = told(&fields, bytes) else { continue };
                    let words = told.session.iter().chain(&told.tool);
                    prop_assert!(words.clone().all(|word| !word.is_empty() && word.len() <= WORD_BYTES));
                    prop_assert!(words.clone().all(|word| !word.chars().any(char::is_control)));
                    prop_assert!(told.cwd.is_none_or(|cwd| cwd.is_absolute()));
                }
            }
        }

        #[test]
        fn any_bytes_are_taken(bytes: Vec<u8>) {
            let _ = told(&Fields::default(), &bytes);
        }
    }

    #[test]
    fn what_is_no_input_tells_nothing() {
        let fields = Fields::default();
        for bytes in [&b""[..], b" \n", b"{\"session_id\":7,\"cwd\":\"rel\"}"] {
            assert_eq!(told(&fields, bytes), Some(Told::default()), "{bytes:?}");
        }
        for bytes in [&b"null"[..], b"[1]", b"{", b"garbage", b"\xff\xfe"] {
            assert_eq!(told(&fields, bytes), None, "{bytes:?}");
        }
        let long = json!({ "session_id": "x".repeat(WORD_BYTES + 1), "cwd": "/a\u{7}" }).to_string();
        assert_eq!(told(&fields, long.as_bytes()), Some(Told::default()));
    }
}
