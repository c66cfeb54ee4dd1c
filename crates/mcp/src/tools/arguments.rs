//! Reading a call's arguments: as forgiving as the callers are, and clear where they are wrong.
//!
//! Models send numbers as texts and one name where a list is meant; that is understood. What is not known is refused
//! with what the tool takes: a parameter that is passed over in silence is a message that went wrong in silence.

use interagent_core::refusal::Refusal;
use interagent_wire::request::RefParam;
use serde_json::{Map, Value};

use super::{Does, Kind, Need, Param, Tool};

/// A call's arguments, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The caller's own name, where it was said.
    pub(crate) me: Option<String>,
    /// The operation, where the tool has several.
    pub(crate) operation: Option<&'static str>,
    /// The rest, under the names of the operation.
    pub(crate) fields: Map<String, Value>,
}

impl Arguments {
    /// Reads them.
    pub(crate) fn read(tool: &Tool, mut given: Map<String, Value>) -> Result<Self, Refusal> {
        let mut arguments = Self::default();
        if let Does::Action(actions) = tool.does {
            arguments.operation = Some(action(tool, actions, given.remove("action"))?);
        }
        for (name, value) in given {
            // The command line has `--alias`; a model that knows it means the same.
            if matches!(name.as_str(), "alias" | "aliases") && takes_aliases(tool, arguments.operation) {
                let one = value.is_string().then(|| Value::from(vec![value.clone()]));
                arguments.fields.insert("aliases".to_owned(), one.unwrap_or(value));
                continue;
            }
            let param = tool.params.iter().find(|param| param.name == name);
            // An empty text stands for nothing said, as callers that fill in every field mean it.
            if value.is_null() || (value == "" && param.is_none_or(|param| param.need == Need::May)) {
                continue;
            }
            match param {
                None if matches!(tool.does, Does::Action(_)) => {
                    arguments.fields.insert(name, value);
                }
                None => return Err(unknown(tool, &name)),
                Some(param) if param.kind == Kind::Me => arguments.me = Some(text(tool, param, value)?),
                Some(param) => {
                    let value = read(tool, param, value)?;
                    arguments.fields.insert(param.field.to_owned(), value);
                }
            }
        }
        let missing = tool
            .params
            .iter()
            .filter(|param| param.need == Need::Must && !arguments.fields.contains_key(param.field));
        match missing.map(|param| param.name).collect::<Vec<_>>() {
            missing if missing.is_empty() => Ok(arguments),
            missing => Err(wrong(tool, format!("{} needs {}", tool.name, missing.join(" and ")))),
        }
    }

    /// Takes a text out.
    pub(crate) fn take_text(&mut self, field: &str) -> Option<String> {
        match self.fields.remove(field) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Takes a yes or no out.
    pub(crate) fn take_flag(&mut self, field: &str) -> Option<bool> {
        self.fields.remove(field).as_ref().and_then(Value::as_bool)
    }

    /// Takes a whole number out.
    pub(crate) fn take_whole(&mut self, field: &str) -> Option<u64> {
        self.fields.remove(field).as_ref().and_then(Value::as_u64)
    }
}

/// Whether what is created may have ids of other systems.
fn takes_aliases(tool: &Tool, operation: Option<&str>) -> bool {
    let operation = operation.or(match tool.does {
        Does::Operation(operation) => Some(operation),
        _ => None,
    });
    operation.is_some_and(|name| {
        interagent_wire::Request::schema(name)
            .is_some_and(|schema| schema.pointer("/properties/aliases").is_some())
    })
}

fn action(
    tool: &Tool,
    actions: &'static [(&'static str, &'static str)],
    given: Option<Value>,
) -> Result<&'static str, Refusal> {
    let words: Vec<&str> = actions.iter().map(|(word, _)| *word).collect();
    let word = match given {
        None | Some(Value::Null) if !tool.asks_for_action() => words[0].to_owned(),
        Some(Value::String(word)) => word.trim().to_ascii_lowercase(),
        _ => return Err(wrong(tool, format!("{} needs action: one of {}", tool.name, words.join(", ")))),
    };
    actions.iter().find(|(known, _)| *known == word).map(|(_, operation)| *operation).ok_or_else(|| {
        let shown: String = word.chars().take(40).collect();
        wrong(tool, format!("{} has no action `{shown}`; it is one of {}", tool.name, words.join(", ")))
    })
}

fn read(tool: &Tool, param: &Param, value: Value) -> Result<Value, Refusal> {
    Ok(match (param.kind, value) {
        (Kind::Text | Kind::Me, value) => Value::String(text(tool, param, value)?),
        (Kind::Whole, Value::Number(number)) if number.is_u64() => Value::Number(number),
        (Kind::Whole, Value::Number(number))
            if number.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0 && n < 1e15) =>
        {
            Value::from(number.as_f64().unwrap_or_default() as u64)
        }
        (Kind::Whole, Value::String(text)) if text.trim().parse::<u64>().is_ok() => {
            Value::from(text.trim().parse::<u64>().unwrap_or_default())
        }
        (Kind::Flag, Value::Bool(flag)) => Value::Bool(flag),
        (Kind::Flag, Value::String(text)) if matches!(text.as_str(), "true" | "false") => {
            Value::Bool(text == "true")
        }
        (Kind::List, Value::String(text)) => Value::from(vec![text]),
        (Kind::People, Value::String(text)) => {
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
        }
        (Kind::List | Kind::People, Value::Array(items)) if items.iter().all(Value::is_string) => {
            Value::Array(items)
        }
        (Kind::Refs, Value::Array(items)) => {
            items.into_iter().map(|item| reference(tool, item)).collect::<Result<_, _>>()?
        }
        (Kind::Refs, one) => Value::Array(vec![reference(tool, one)?]),
        (Kind::Object, Value::Object(fields)) => Value::Object(fields),
        (kind, _) => {
            let wanted = match kind {
                Kind::Whole => "a whole number",
                Kind::Flag => "true or false",
                Kind::List | Kind::People => "a list of texts",
                Kind::Object => "an object",
                Kind::Text | Kind::Me | Kind::Refs => "a text",
            };
            return Err(wrong(tool, format!("{} of {} is {wanted}", param.name, tool.name)));
        }
    })
}

fn text(tool: &Tool, param: &Param, value: Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(wrong(tool, format!("{} of {} is a text", param.name, tool.name))),
    }
}

fn reference(tool: &Tool, item: Value) -> Result<Value, Refusal> {
    match item {
        Value::String(text) => {
            let parsed: RefParam = text.parse().map_err(|why: String| wrong(tool, why))?;
            serde_json::to_value(parsed).map_err(|why| wrong(tool, why.to_string()))
        }
        Value::Object(fields) => Ok(Value::Object(fields)),
        _ => Err(wrong(tool, "a reference is a text such as src/main.rs:10-20 or an object".to_owned())),
    }
}

fn unknown(tool: &Tool, name: &str) -> Refusal {
    let shown: String = name.chars().take(40).collect();
    wrong(tool, format!("{} has no parameter `{shown}`", tool.name))
}

fn wrong(tool: &Tool, sentence: String) -> Refusal {
    Refusal::usage("bad_request", sentence).hint(format!("{} takes {}", tool.name, tool.takes()))
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use serde_json::json;

    fn read(tool: &str, given: Value) -> Result<Arguments, Refusal> {
        let Value::Object(given) = given else { panic!("an object") };
        Arguments::read(find(tool).unwrap(), given)
    }

    #[test]
    fn what_models_send_is_understood() {
        let sent = json!({ "from": "A", "to": "b, role:reviewer", "subject": "", "content": "x", "refs": "src/a.rs:3" });
        let read_back = read("send_message", sent).unwrap();
        assert_eq!(read_back.me.as_deref(), Some("A"));
        assert_eq!(read_back.fields["to"], json!(["b", "role:reviewer"]));
        assert_eq!(read_back.fields["body"], "x");
        assert_eq!(read_back.fields["refs"][0]["first_line"], 3);
        assert!(!read_back.fields.contains_key("subject"));
        let listed = read("send_message", json!({ "to": ["b", "c"], "content": "x" })).unwrap();
        assert_eq!(listed.fields["to"], json!(["b", "c"]));
        let waiting = read("check_inbox", json!({ "agent_name": "A", "wait": "30", "limit": 2.0 })).unwrap();
        assert_eq!((waiting.fields["wait"].clone(), waiting.fields["limit"].clone()), (json!(30), json!(2)));
        let reply = read(
            "reply_message",
            json!({ "original_message_id": "msg-1", "content": "y", "mark_complete": "true" }),
        );
        assert_eq!(reply.unwrap().fields["complete"], true);
    }

    #[test]
    fn what_is_wrong_is_answered_with_what_the_tool_takes() {
        for (tool, given, wanted) in [
            ("send_message", json!({ "to": "b" }), "send_message needs content"),
            ("send_message", json!({}), "send_message needs to and content"),
            (
                "send_message",
                json!({ "to": "b", "content": "x", "cc": "d" }),
                "send_message has no parameter `cc`",
            ),
            (
                "send_message",
                json!({ "to": { "a": 1 }, "content": "x" }),
                "to of send_message is a list of texts",
            ),
            ("check_inbox", json!({ "wait": -1 }), "wait of check_inbox is a whole number"),
            ("task", json!({}), "task needs action"),
            ("task", json!({ "action": "explode" }), "task has no action `explode`"),
        ] {
            let refusal = read(tool, given).unwrap_err();
            assert!(refusal.sentence.contains(wanted), "{}", refusal.sentence);
            assert!(refusal.hint.unwrap().contains(&format!("{tool} takes ")), "{wanted}");
        }
    }

    #[test]
    fn an_action_is_an_operation_and_may_go_without_saying() {
        let create = read("task", json!({ "action": "CREATE", "title": "t", "echo_message": "e" })).unwrap();
        assert_eq!(create.operation, Some("task.create"));
        assert_eq!(create.fields["echo_message"], "e");
        assert_eq!(read("briefing", json!({})).unwrap().operation, Some("briefing"));
    }
}
