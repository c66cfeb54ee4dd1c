//! What each client gets, whole, in a project and for all projects.

use std::fmt::Write as _;

use interagent_agents::Profiles;
use interagent_agents::setup::{BLOCK_FOR_SHELL, BLOCK_FOR_TOOLS, Level};

use crate::world::World;

/// Texts that every client gets are shown once.
fn picture(world: &World) -> String {
    let mut picture = String::new();
    for (name, text) in world.everything() {
        let Some(text) = text else { continue };
        match name.rsplit('/').next().unwrap() {
            "SKILL.md" | "AGENTS.md" | "CLAUDE.md" | "GEMINI.md" | "QWEN.md" | "interagent.js" => {
                writeln!(picture, "=== {name} (shown elsewhere)").unwrap();
            }
            _ => write!(picture, "=== {name}\n{text}").unwrap(),
        }
    }
    picture
}

#[test]
fn every_client_gets_its_files() {
    for name in Profiles::shipped().names() {
        for (level, shown) in [(Level::Project, "project"), (Level::User, "user")] {
            let world =
                World { level, agent: (level == Level::User).then(|| "bob".to_owned()), ..World::new() };
            let written = world.set_up(&[name]);
            assert!(written.failed.is_empty(), "{name}: {:?}", written.failed);
            insta::assert_snapshot!(format!("{name}_{shown}"), picture(&world));
            let again = world.plan(&[name]);
            assert_eq!(again.changes, [], "{name}");
            assert_eq!(again.drift().count(), 0, "{name}");
        }
    }
}

#[test]
fn the_texts_that_every_client_gets() {
    let world = World::new();
    world.set_up(&["claude"]);
    insta::assert_snapshot!("skill", world.text("project/.claude/skills/interagent/SKILL.md"));
    insta::assert_snapshot!("block", world.text("project/CLAUDE.md"));
}

#[test]
fn the_plugin_names_program_and_agent() {
    let world =
        World { binary: "/opt/my \"own\"/interagent".into(), agent: Some("bob".to_owned()), ..World::new() };
    world.set_up(&["opencode"]);
    let plugin = world.text("project/.opencode/plugins/interagent.js");
    assert!(plugin.contains(r#"const BINARY = "/opt/my \"own\"/interagent""#), "{plugin}");
    assert!(plugin.contains("const AGENT = \"bob\"\n"), "{plugin}");
    assert!(!plugin.contains("{binary}") && !plugin.contains("{agent}"));
    // Without a name the one of before stays.
    let again = World { agent: None, ..world };
    assert_eq!(again.plan(&["opencode"]).changes, []);
}

/// It is in every request of every session.
#[test]
fn the_block_costs_little() {
    for block in [BLOCK_FOR_TOOLS, BLOCK_FOR_SHELL] {
        let tokens = tiktoken_rs::cl100k_base().unwrap().encode_ordinary(block).len();
        assert!(tokens <= 150, "{tokens}");
    }
}

#[test]
fn an_agent_of_one_project_is_not_named_in_the_files_of_all() {
    let world = World { agent: Some("bob".to_owned()), ..World::new() };
    world.set_up(&["kimi"]);
    assert!(!world.text("home/.kimi-code/config.toml").contains("bob"));
    // Where the hooks name nobody the server does not either: the two would be different agents.
    assert!(!world.text("project/.kimi-code/mcp.json").contains("bob"));
}
