//! The table as clients get it: names, descriptions, input schemas. Short, because every model pays for it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::{Does, Kind, Need, Param, TABLE, Tool, only_looks};

/// All tools, as `tools/list` shows them.
pub(crate) fn listed() -> Vec<Listed> {
    TABLE.iter().map(one).collect()
}

fn one(tool: &Tool) -> Listed {
    let mut listed = Listed::new(tool.name, tool.about, Arc::new(schema(tool)));
    if matches!(tool.does, Does::Operation(operation) if only_looks(operation)) {
        // Clients that ask before every call need not ask for these.
        listed.annotations = Some(ToolAnnotations::new().read_only(true));
    }
    listed
}

fn schema(tool: &Tool) -> JsonObject {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    if let Does::Action(actions) = tool.does {
        let words: Vec<&str> = actions.iter().map(|(word, _)| *word).collect();
        properties.insert("action".to_owned(), json!({ "type": "string", "enum": words }));
        if tool.asks_for_action() {
            required.push("action");
        }
    }
    for param in tool.params {
        properties.insert(param.name.to_owned(), property(param));
        if param.need == Need::Must {
            required.push(param.name);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn property(param: &Param) -> Value {
    let mut property = match param.kind {
        Kind::Text | Kind::People | Kind::Me => json!({ "type": "string" }),
        Kind::Whole => json!({ "type": "integer" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::List | Kind::Refs => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Object => json!({ "type": "object" }),
    };
    if !param.about.is_empty() {
        property["description"] = json!(param.about);
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the whole list may cost a model that has it in its context all the time.
    const TOKENS: usize = 2_000;

    #[test]
    fn the_list_stays_within_its_budget() {
        let sent = serde_json::to_string(&json!({ "tools": listed() })).unwrap();
        let tokens = tiktoken_rs::cl100k_base().unwrap().encode_ordinary(&sent).len();
        assert!(tokens <= TOKENS, "{tokens} tokens in {} bytes", sent.len());
        // The page quotes the number; a test of the page compares it.
        assert!(tokens > 1_000, "{tokens} tokens: measured wrongly?");
    }

    #[test]
    fn the_page_names_every_tool_and_the_cost() {
        let page = include_str!("../../../../docs/mcp.md");
        let sent = serde_json::to_string(&json!({ "tools": listed() })).unwrap();
        let tokens = tiktoken_rs::cl100k_base().unwrap().encode_ordinary(&sent).len();
        let shown = format!("{},{:03} tokens", tokens / 1000, tokens % 1000);
        assert!(page.contains(&shown), "docs/mcp.md does not say {shown}");
        for tool in TABLE {
            assert!(page.contains(&format!("`{}`", tool.name)), "docs/mcp.md does not name {}", tool.name);
        }
    }

    /// Texts name only tools, actions and parameters that exist.
    #[test]
    fn phrases_name_real_tools() {
        use interagent_core::phrasing::forms::FORMS;

        let mut wrong = Vec::new();
        for form in FORMS {
            let Some(tool) = TABLE.iter().find(|tool| tool.name == form.tool) else {
                wrong.push(format!("there is no {}", form.tool));
                continue;
            };
            let known = match (tool.does, form.action) {
                (Does::Action(actions), Some(action)) => actions.iter().any(|(known, _)| *known == action),
                (Does::Action(_), None) => !tool.asks_for_action(),
                (_, action) => action.is_none(),
            };
            if !known {
                wrong.push(format!("{}: wrong action {:?}", form.tool, form.action));
            }
            for spelling in form.args {
                // The spelling of a switch is an assignment.
                let name = spelling.parameter.split('=').next().unwrap_or_default();
                if !tool.params.iter().any(|param| param.name == name) {
                    wrong.push(format!("{}: no parameter {name} for `{}`", form.tool, form.command));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
