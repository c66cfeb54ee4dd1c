//! The reference of all operations as markdown, from the same schemas the surfaces use.

use std::collections::BTreeMap;
use std::fmt::Write;

use interagent_wire::answer::AnswerKind;
use serde_json::{Map, Value};

use super::{Operation, all};

const HEAD: &str = "\
# Operations

Everything a member can do, once. The command line, MCP and HTTP call these operations; every parameter may be left out
unless its operation says that it needs it, and one that does not exist is refused. Times are RFC 3339 in UTC.

This page is made from the program's own table. Do not edit it: run
`INTERAGENT_UPDATE_DOCS=1 cargo nextest run -p interagent-operations reference` instead.
";

/// The page `docs/reference/operations.md`.
pub fn reference_markdown() -> String {
    let mut page = String::from(HEAD);
    let mut shapes = BTreeMap::new();
    for operation in all() {
        operation_section(&mut page, &operation, &mut shapes);
    }
    page.push_str("\n# Answers\n");
    for kind in AnswerKind::ALL {
        answer_section(&mut page, *kind, &mut shapes);
    }
    page.push_str("\n# Shapes\n");
    for (name, shape) in &shapes {
        let _ = write!(page, "\n## {name}\n\n");
        body(&mut page, shape, "field");
    }
    page
}

fn operation_section(page: &mut String, operation: &Operation, shapes: &mut BTreeMap<String, Value>) {
    let schema = operation.params.as_value();
    let takes_key = object(schema, "properties").is_some_and(|properties| properties.contains_key("key"));
    let effect = match (operation.read_only, operation.idempotent, takes_key) {
        (true, ..) => "Changes nothing.",
        (false, true, _) => "Writes; the same again has no further effect.",
        (false, false, true) => "Writes; a `key` makes a repetition safe.",
        (false, false, false) => "Writes; a repetition does it again.",
    };
    let answer = operation.answer.as_str();
    let _ = write!(
        page,
        "\n## {}\n\n{}\n\n{effect} Answers with [{answer}](#answer-{answer}).\n\n",
        operation.name, operation.doc
    );
    collect(schema, shapes);
    fields(page, schema, "parameter");
}

fn answer_section(page: &mut String, kind: AnswerKind, shapes: &mut BTreeMap<String, Value>) {
    let _ = write!(page, "\n## Answer: {}\n\n", kind.as_str());
    let schema = kind.schema();
    collect(schema.as_value(), shapes);
    body(page, schema.as_value(), "field");
}

/// The named shapes a schema uses.
fn collect(schema: &Value, shapes: &mut BTreeMap<String, Value>) {
    for (name, shape) in object(schema, "$defs").into_iter().flatten() {
        shapes.insert(name.clone(), shape.clone());
    }
}

fn object<'v>(schema: &'v Value, key: &str) -> Option<&'v Map<String, Value>> {
    schema.get(key).and_then(Value::as_object)
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn body(page: &mut String, schema: &Value, what: &str) {
    let doc = description(schema);
    if !doc.is_empty() {
        let _ = write!(page, "{doc}\n\n");
    }
    match words(schema) {
        Some(words) => {
            let _ = writeln!(page, "One of {words}.");
        }
        None => fields(page, schema, what),
    }
}

fn fields(page: &mut String, schema: &Value, what: &str) {
    let Some(properties) = object(schema, "properties").filter(|properties| !properties.is_empty()) else {
        let _ = writeln!(page, "No {what}s.");
        return;
    };
    let _ = write!(page, "| {what} | type | meaning |\n|---|---|---|\n");
    for (name, property) in properties {
        let meaning = description(property).replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {} | {meaning} |", type_of(property));
    }
}

/// The words of a closed vocabulary, if the schema is one.
fn words(schema: &Value) -> Option<String> {
    let words: Vec<String> = schema
        .get("enum")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(|word| format!("`{word}`"))
        .collect();
    Some(words.join(", "))
}

/// A type in words; what may be absent says so.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let is_null = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some("null");
        let optional = if choices.iter().any(|choice| is_null(&choice)) { ", optional" } else { "" };
        let others: Vec<String> = choices.iter().filter(|choice| !is_null(choice)).map(type_of).collect();
        return format!("{}{optional}", others.join(" or "));
    }
    if let Some(words) = words(schema) {
        return words;
    }
    match schema.get("type") {
        Some(Value::String(name)) => plain(name, schema),
        Some(Value::Array(names)) => {
            let optional = if names.iter().any(|name| name == "null") { ", optional" } else { "" };
            let others: Vec<String> = names
                .iter()
                .filter_map(Value::as_str)
                .filter(|name| *name != "null")
                .map(|name| plain(name, schema))
                .collect();
            format!("{}{optional}", others.join(" or "))
        }
        _ => "any JSON".to_owned(),
    }
}

fn plain(name: &str, schema: &Value) -> String {
    match name {
        "array" => match schema.get("items") {
            Some(items) => format!("list of {}", type_of(items)),
            None => "list".to_owned(),
        },
        "string" if schema.get("format").and_then(Value::as_str) == Some("date-time") => "time".to_owned(),
        other => other.to_owned(),
    }
}
