//! Layouts of YAML files that people write, and what they look like with our entry in them.

use serde_json::json;

use super::*;
use crate::setup::document::keys;

fn entry() -> Value {
    json!({ "enabled": true, "type": "stdio", "cmd": "/opt/i", "args": ["mcp"], "envs": {}, "timeout": 300 })
}

/// The text with our entry at `extensions.interagent`.
#[track_caller]
fn with_ours(text: &str) -> String {
    let mut document = YamlDocument::parse(text).unwrap();
    document.set(&keys(&["extensions", "interagent"]), &entry()).unwrap();
    let value = document.value();
    assert_eq!(at(&value, &keys(&["extensions", "interagent"])), Some(&entry()));
    document.text()
}

#[test]
fn entry_is_added_and_everything_else_stays() {
    let text = "# mine\nGOOSE_MODEL: gpt # why\nextensions:\n  # built in\n  developer:\n    enabled: true\n\n# end\nkeep: 'x'\n";
    insta::assert_snapshot!(with_ours(text), @r"
    # mine
    GOOSE_MODEL: gpt # why
    extensions:
      # built in
      developer:
        enabled: true
      interagent:
        args:
          - mcp
        cmd: /opt/i
        enabled: true
        envs: {}
        timeout: 300
        type: stdio

    # end
    keep: 'x'
    ");
}

#[test]
fn every_layout_takes_the_entry_and_gives_it_back() {
    let layouts = [
        "",
        "# only a comment\n",
        "a: 1",
        "---\na: 1\n",
        "extensions:\n",
        "extensions: # none yet\nb: 2\n",
        "extensions: {}\nb: 2\n",
        "extensions: {}",
        "extensions: { dev: { enabled: true } }\n",
        "extensions:\n    dev:\n        x: 1\n",
        "extensions:\r\n  dev:\r\n    x: |\r\n      long\r\n      text\r\nb: 2\r\n",
        "b: &anchor\n  c: 1\nextensions:\n  dev: *anchor\n",
        "extensions:\n  dev: \"日本 # no comment\"   # é\n",
        "extensions:\n  dev: null\n# end without a line break",
    ];
    for text in layouts {
        let written = with_ours(text);
        let before = YamlDocument::parse(text).unwrap().value();
        let mut document = YamlDocument::parse(&written).unwrap();
        document.remove(&keys(&["extensions", "interagent"]));
        if before.get("extensions").is_none() {
            document.remove(&keys(&["extensions"]));
        }
        let mut after = document.value();
        if before.get("extensions") == Some(&Value::Null) {
            // It held ours, and now holds nothing.
            assert_eq!(after["extensions"].take(), json!({}));
        }
        assert_eq!(after, before, "{text:?} -> {written:?} -> {:?}", document.text());
        let lost =
            text.lines().find(|line| line.trim_start().starts_with('#') && !document.text().contains(*line));
        assert_eq!(lost, None, "{text:?} -> {:?}", document.text());
    }
}

#[test]
fn list_elements_are_added_and_removed() {
    for (text, expected) in [
        ("allow:\n  - a # first\n  - b\nz: 1\n", "allow:\n  - a # first\n  - b\n  - mcp__interagent\nz: 1\n"),
        ("allow:\n- a\n", "allow:\n- a\n- mcp__interagent\n"),
        ("allow: [a, b] # all\n", "allow: [a, b, \"mcp__interagent\"] # all\n"),
        ("allow: []\n", "allow:\n  - mcp__interagent\n"),
        ("z: 1\n", "z: 1\nallow:\n  - mcp__interagent\n"),
    ] {
        let mut document = YamlDocument::parse(text).unwrap();
        document.push(&keys(&["allow"]), &json!("mcp__interagent")).unwrap();
        assert_eq!(document.text(), expected);
        let count = document.value()["allow"].as_array().unwrap().len();
        document.remove(&[Step::Key("allow".to_owned()), Step::Index(count - 1)]);
        assert_eq!(document.value()["allow"].as_array().unwrap().len(), count - 1, "{:?}", document.text());
    }
}

#[test]
fn unsafe_layouts_are_refused() {
    assert!(YamlDocument::parse("- a\n").is_err());
    assert!(YamlDocument::parse("a: 1\n---\nb: 2\n").is_err());
    assert!(matches!(YamlDocument::parse("a: [1\n"), Err(EditError::Malformed { .. })));
    let mut document = YamlDocument::parse("extensions: text\n").unwrap();
    assert!(document.set(&keys(&["extensions", "interagent"]), &entry()).is_err());
    assert_eq!(document.text(), "extensions: text\n");
}
