//! Why parameters do not fit, in words: which one, and what it takes.
//!
//! Owns no rule about parameters: what is wrong is found by trying them, what they take is read from their schema.

use serde_json::{Map, Value};

/// Words that are listed in a sentence.
const LISTED: usize = 20;

/// Names the parameter that does not fit. Every parameter can be left out, so each can be tried alone.
pub(super) fn explain(
    operation: &str,
    params: &Map<String, Value>,
    schema: &Value,
    fits: impl Fn(&Value) -> Result<(), String>,
) -> String {
    let known: Vec<&str> = schema["properties"]
        .as_object()
        .map(|all| all.keys().map(String::as_str).collect())
        .unwrap_or_default();
    for (name, value) in params {
        let shown: String = name.chars().take(64).collect();
        if !known.contains(&name.as_str()) {
            let takes = match known.is_empty() {
                true => "it takes none".to_owned(),
                false => format!("it takes {}", known.join(", ")),
            };
            return format!("{operation} has no parameter `{shown}`; {takes}");
        }
        if let Err(why) = fits(&Value::Object(Map::from_iter([(name.clone(), value.clone())]))) {
            return match taken(&schema["properties"][name], schema) {
                // What is inside of it is wrong; that it is a list or an object is right.
                Some(wanted) if value.is_array() && wanted.starts_with("a list") => {
                    format!("`{shown}` does not fit: it is {wanted}")
                }
                Some(wanted) if value.is_object() && wanted.starts_with("an object") => {
                    format!("`{shown}` does not fit: it is {wanted}")
                }
                Some(wanted) => format!("`{shown}` is {wanted}, not {}", kind_of(value)),
                None => format!("`{shown}` does not fit: {why}"),
            };
        }
    }
    format!("the parameters of {operation} do not fit together")
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text `{}`", text.chars().take(40).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What a schema takes, where a few words say it.
fn taken(part: &Value, schema: &Value) -> Option<String> {
    if let Some(name) = part["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        return taken(&schema["$defs"][name], schema);
    }
    if let Some(choices) = part["anyOf"].as_array() {
        return choices.iter().find_map(|choice| taken(choice, schema));
    }
    if let Some(words) = words(part) {
        return Some(format!("one of {}", words.join(", ")));
    }
    let kinds: Vec<&str> = match &part["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    kinds.into_iter().find_map(|kind| match kind {
        "string" if part["format"] == "date-time" => Some("a time such as 2026-01-31T09:30:00Z".to_owned()),
        "string" => Some("a text".to_owned()),
        "integer" => Some(match part["minimum"].as_i64() {
            Some(least) => format!("a whole number from {least}"),
            None => "a whole number".to_owned(),
        }),
        "boolean" => Some("true or false".to_owned()),
        "array" => Some(match taken(&part["items"], schema) {
            Some(item) => format!("a list, each item {item}"),
            None => "a list".to_owned(),
        }),
        "object" => {
            let fields: Vec<&str> = part["properties"].as_object()?.keys().map(String::as_str).collect();
            Some(format!("an object with {}", fields.join(", ")))
        }
        _ => None,
    })
}

fn words(part: &Value) -> Option<Vec<&str>> {
    let listed = part["enum"].as_array()?;
    Some(listed.iter().filter_map(Value::as_str).take(LISTED).collect())
}
