//! Whatever others write, and however setup, undo and their edits follow each other: theirs stays, ours goes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::world::World;

/// A file of settings that somebody wrote: any value, comments, and any indentation.
fn others_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zé\"\\\\ {}/*#]{0,8}".prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    });
    let fields = prop::collection::btree_map("[a-z]{1,6}", tree, 0..5);
    let known = prop::option::of(Just(json!([{ "hooks": [{ "type": "command", "command": "mine" }] }])));
    (fields, known, 0..3_usize, any::<bool>()).prop_map(|(fields, known, form, has_comment)| {
        let mut object: Map<String, Value> = fields.into_iter().collect();
        if let Some(known) = known {
            object.insert("hooks".to_owned(), json!({ "Stop": known, "Other": [] }));
        }
        let value = Value::Object(object);
        let text = match form {
            0 => value.to_string(),
            1 => serde_json::to_string_pretty(&value).unwrap() + "\n",
            _ => serde_json::to_string_pretty(&value).unwrap().replace("  ", "\t").replace('\n', "\r\n"),
        };
        if has_comment { format!("// theirs\n{text}/* end */") } else { text }
    })
}

fn others_toml() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment\n".to_owned()),
        Just("\n".to_owned()),
        ("[a-z]{3,6}", any::<i32>()).prop_map(|(key, number)| format!("{key} = {number} # why\n")),
    ];
    let tables = prop::collection::btree_set("[a-z]{7,9}", 0..3);
    (prop::collection::vec(line, 0..4), tables, any::<bool>()).prop_map(|(lines, tables, has_hook)| {
        let mut seen = Vec::new();
        let mut text = String::new();
        for line in lines {
            let key = line.split(' ').next().unwrap().to_owned();
            if line.starts_with(['#', '\n']) || !seen.contains(&key) {
                text.push_str(&line);
            }
            seen.push(key);
        }
        for table in tables {
            text.push_str(&format!("\n[{table}]\nx = \"y\"\n"));
        }
        if has_hook {
            text.push_str("\n[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n");
        }
        text
    })
}

#[derive(Debug, Clone)]
enum Act {
    SetUp(Vec<&'static str>),
    Move,
    Undo,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let names =
        prop::sample::subsequence(vec!["claude", "codex", "kimi", "gemini", "opencode", "copilot"], 1..4);
    prop::collection::vec(
        prop_oneof![3 => names.prop_map(Act::SetUp), 1 => Just(Act::Move), 2 => Just(Act::Undo)],
        1..8,
    )
}

const JSON_FILES: [&str; 3] =
    ["project/.claude/settings.local.json", "project/.gemini/settings.json", "project/.mcp.json"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_is_byte_identical(
        texts in prop::collection::vec(prop::option::of(others_json()), 3),
        kimi in prop::option::of(others_toml()),
        codex in prop::option::of(others_toml()),
        notes in prop::option::of("[a-z#\n ]{0,30}"),
        acts in acts(),
    ) {
        let mut world = World::new();
        let files = JSON_FILES.iter().zip(&texts).filter_map(|(name, text)| Some((*name, text.as_ref()?)));
        files.for_each(|(name, text)| world.put(name, text));
        kimi.iter().for_each(|text| world.put("home/.kimi-code/config.toml", text));
        codex.iter().for_each(|text| world.put("home/.codex/config.toml", text));
        notes.iter().for_each(|text| world.put("project/AGENTS.md", text));
        let before = world.everything();
        for act in acts {
            match act {
                Act::SetUp(names) => {
                    prop_assert!(world.set_up(&names).failed.is_empty());
                    let again = world.plan(&names);
                    prop_assert_eq!(&again.changes, &[], "not the second time");
                }
                Act::Move => world.binary = format!("{}/x/interagent", world.binary.parent().unwrap().display()).into(),
                Act::Undo => {
                    prop_assert!(world.undo(&[]).failed.is_empty());
                    prop_assert_eq!(&world.everything(), &before);
                }
            }
        }
        prop_assert!(world.undo(&[]).failed.is_empty());
        prop_assert_eq!(&world.everything(), &before);
    }

    #[test]
    fn values_of_others_survive_setup_and_a_late_undo(text in others_json(), late in "[a-z]{7,9}") {
        let world = World::new();
        let name = "project/.claude/settings.local.json";
        world.put(name, &text);
        let value = |text: &str| jsonc(text);
        let mut wanted = value(&text);
        world.set_up(&["claude"]);
        if world.text(name) == text {
            // Something else stood where ours belongs.
            return Ok(());
        }
        let after = value(&world.text(name));
        for (key, theirs) in wanted.as_object().unwrap().iter().filter(|(key, _)| !["hooks", "permissions"].contains(&key.as_str())) {
            prop_assert_eq!(&after[key], theirs);
        }
        // Somebody adds a field, so that the file is not what we wrote.
        let at = world.text(name).find('{').unwrap() + 1;
        let mut edited = world.text(name);
        edited.insert_str(at, &format!("\"{late}\": 1,"));
        world.put(name, &edited);
        prop_assert!(world.undo(&[]).failed.is_empty());
        wanted[late] = 1.into();
        prop_assert_eq!(value(&world.text(name)), wanted);
    }
}

fn jsonc(text: &str) -> Value {
    let root = jsonc_parser::cst::CstRootNode::parse(text, &jsonc_parser::ParseOptions::default()).unwrap();
    root.to_serde_value().unwrap()
}
