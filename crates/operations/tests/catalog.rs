//! The catalogue is complete, and the reference page follows from it.

use std::collections::BTreeSet;
use std::path::Path;

use interagent_operations::catalog::{self, Operation};
use interagent_wire::Request;
use interagent_wire::answer::AnswerKind;
use serde_json::Value;

fn properties(operation: &Operation) -> Vec<(String, Value)> {
    let properties =
        operation.params.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    properties.into_iter().collect()
}

#[test]
fn every_operation_is_there_once_with_a_sentence() {
    let all = catalog::all();
    assert_eq!(all.len(), Request::ALL.len());
    let names: BTreeSet<&str> = all.iter().map(|operation| operation.name).collect();
    assert_eq!(names.len(), all.len(), "a name is there twice");
    for Operation { name, doc, .. } in &all {
        assert!(doc.ends_with('.') && doc.len() > 10, "{name}: {doc:?} is no sentence");
        assert!(doc.starts_with(|c: char| c.is_ascii_uppercase()), "{name}: {doc:?}");
    }
}

#[test]
fn every_parameter_and_every_field_of_an_answer_says_what_it_means() {
    for operation in catalog::all() {
        for (parameter, schema) in properties(&operation) {
            let doc = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(doc.ends_with('.'), "{} {parameter}: {doc:?}", operation.name);
        }
    }
    for kind in AnswerKind::ALL {
        let schema = kind.schema();
        let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        assert!(!fields.is_empty(), "{} has no fields", kind.as_str());
        for (field, schema) in fields {
            let doc = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(doc.ends_with('.'), "{} {field}: {doc:?}", kind.as_str());
        }
    }
}

#[test]
fn every_kind_of_answer_is_given_by_some_operation() {
    let given: BTreeSet<&str> = catalog::all().iter().map(|operation| operation.answer.as_str()).collect();
    let known: BTreeSet<&str> = AnswerKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(given, known);
}

#[test]
fn what_needs_a_key_to_be_repeated_takes_one() {
    for operation in catalog::all().iter().filter(|operation| !operation.idempotent) {
        let has_key = properties(operation).iter().any(|(name, _)| name == "key");
        // Taking an offer hands over what is there now; a repetition is another hand-over. A new token is another one, and
        // keys are in the log, where nothing of a token is: whoever repeats it gets the one that works.
        // A hook that is told again, or a file that was changed again, is another one; what is only traced may be traced twice.
        let excused = [
            "offer.take",
            "agent.token",
            "session.hook",
            "edit.note",
            "guard.check",
            "guard.report",
            "relay",
        ];
        let is_excused = excused.contains(&operation.name);
        assert!(has_key || is_excused, "{} takes no key", operation.name);
    }
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/operations.md");
    let page = catalog::reference_markdown();
    if std::env::var_os("INTERAGENT_UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/reference/operations.md is not what the program says; run\n\
         INTERAGENT_UPDATE_DOCS=1 cargo nextest run -p interagent-operations reference"
    );
}
