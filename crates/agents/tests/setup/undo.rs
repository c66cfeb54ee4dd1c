//! Taking back: everything as it was, and what others changed since stays.

use std::os::unix::fs::PermissionsExt;

use interagent_agents::Profiles;
use interagent_agents::setup::Level;

use crate::world::World;

#[test]
fn everything_is_as_it_was_and_twice_is_nothing() {
    let world = World::new();
    world.put("project/.claude/settings.local.json", "{ \"a\": 1 }");
    world.put("home/.kimi-code/config.toml", "# only a comment\n");
    world.put("project/GEMINI.md", "\n\nno newline at the end");
    let before = world.everything();
    let shipped = Profiles::shipped();
    let names = shipped.names();
    world.set_up(&names);
    assert_ne!(world.everything(), before);
    assert!(world.undo(&[]).failed.is_empty());
    assert_eq!(world.everything(), before);
    assert!(!world.path("records/project").exists() && !world.path("records/user").exists());
    assert!(world.undo(&[]).done.is_empty());
}

#[test]
fn toml_without_a_last_line_break_is_changed_and_restored() {
    for text in ["model = \"gpt\"", "# mine\r\n[a]\r\nb = 1\t# last", "a = [\n\t1,\n]", "# only a comment"] {
        let world = World::new();
        world.put("home/.codex/config.toml", text);
        world.put("home/.kimi-code/config.toml", text);
        let before = world.everything();
        world.set_up(&["codex", "kimi"]);
        for name in ["home/.codex/config.toml", "home/.kimi-code/config.toml"] {
            let written = world.text(name);
            assert!(written.contains(text) && written.contains("interagent"), "{written}");
        }
        assert!(world.undo(&[]).failed.is_empty());
        assert_eq!(world.everything(), before);
    }
}

#[test]
fn what_others_changed_since_stays() {
    let world = World::new();
    world.put("project/.claude/settings.local.json", "{\n  \"permissions\": {\"allow\": []}\n}\n");
    world.set_up(&["claude", "codex", "qwen"]);
    let edit = |name: &str, from: &str, to: &str| {
        let text = world.text(name);
        assert!(text.contains(from), "{name}: {text}");
        world.put(name, &text.replacen(from, to, 1));
    };
    edit("project/.claude/settings.local.json", "{\n", "{\n  // new\n  \"model\": \"opus\",\n");
    edit("home/.codex/config.toml", "[mcp", "model = \"gpt\"\n\n[mcp");
    edit("project/AGENTS.md", "<!-- interagent:begin", "# Mine\n\n<!-- interagent:begin");
    edit("project/.qwen/settings.json", "{\n", "{\n  \"mine\": true,\n");
    edit("project/.agents/skills/interagent/SKILL.md", "---", "---\n");
    assert!(world.undo(&[]).failed.is_empty());
    let kept: Vec<String> = world
        .everything()
        .into_iter()
        .filter_map(|(name, text)| {
            Some(format!("=== {name}\n{}", text?.lines().take(3).collect::<Vec<_>>().join("\n")))
        })
        .collect();
    insta::assert_snapshot!(kept.join("\n"), @r#"
    === home/.codex/config.toml
    model = "gpt"
    === project/.agents/skills/interagent/SKILL.md
    ---

    name: interagent
    === project/.claude/settings.local.json
    {
      // new
      "model": "opus",
    === project/.qwen/settings.json
    {
      "mine": true
    }
    === project/AGENTS.md
    # Mine
    "#);
    assert!(world.undo(&[]).done.is_empty());
}

#[test]
fn a_second_setup_keeps_the_first_original() {
    let mut world = World::new();
    world.put("project/.mcp.json", "{}");
    world.set_up(&["claude"]);
    world.binary = "/new/interagent".into();
    world.set_up(&["claude"]);
    world.undo(&[]);
    assert_eq!(world.text("project/.mcp.json"), "{}");
}

#[test]
fn what_another_client_or_project_needs_stays() {
    let world = World::new();
    world.set_up(&["codex", "kimi"]);
    world.undo(&["codex"]);
    assert!(!world.path("home/.codex").exists());
    assert!(world.text("project/AGENTS.md").contains("interagent:begin"));
    world.undo(&["kimi"]);
    assert_eq!(world.everything().len(), 0);
}

#[test]
fn a_file_keeps_its_mode() {
    let world = World::new();
    world.put("home/.codex/config.toml", "a = 1\n");
    let path = world.path("home/.codex/config.toml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
    world.set_up(&["codex"]);
    assert_eq!(mode(), 0o600);
    world.undo(&[]);
    assert_eq!(mode(), 0o600);
}

#[test]
fn a_file_that_changed_after_the_plan_is_left_alone() {
    let world = World::new();
    world.put("project/.mcp.json", "{}");
    let plan = world.plan(&["claude"]);
    world.put("project/.mcp.json", "{\"other\": 1}");
    let written = interagent_agents::setup::write(&plan, &world.files(), &world.binary, &crate::world::known);
    assert_eq!(written.failed.len(), 1);
    assert_eq!(world.text("project/.mcp.json"), "{\"other\": 1}");
    assert!(world.path("project/CLAUDE.md").exists());
}

#[test]
fn what_others_changed_between_two_setups_stays_too() {
    let mut world = World::new();
    world.put("project/.mcp.json", "{\n  \"a\": 1\n}\n");
    world.set_up(&["claude", "codex"]);
    let text = world.text("project/.mcp.json");
    world.put("project/.mcp.json", &text.replace("\"a\": 1", "\"a\": 2"));
    world.put("project/AGENTS.md", &format!("# Mine\n\n{}", world.text("project/AGENTS.md")));
    world.binary = "/new/interagent".into();
    world.set_up(&["claude", "codex"]);
    world.undo(&[]);
    assert_eq!(world.text("project/.mcp.json"), "{\n  \"a\": 2\n}\n");
    assert_eq!(world.text("project/AGENTS.md"), "# Mine\n");
    assert!(!world.path("project/.claude").exists());
}

#[test]
fn a_project_that_moved_is_taken_back_where_it_is_now() {
    let world = World::new();
    world.put("project/.claude/settings.local.json", "{ \"a\": 1 }");
    world.set_up(&["claude", "codex"]);
    std::fs::rename(world.path("project"), world.path("elsewhere")).unwrap();
    let moved = World { project: "elsewhere", ..world };
    assert!(moved.undo(&[]).failed.is_empty());
    assert_eq!(moved.text("elsewhere/.claude/settings.local.json"), "{ \"a\": 1 }");
    // What it had in the files for all projects nobody needs any more.
    let left: Vec<String> = moved.everything().into_keys().collect();
    assert_eq!(left, ["elsewhere/.claude", "elsewhere/.claude/settings.local.json"]);
}

#[test]
fn a_project_that_is_gone_needs_nothing() {
    let world = World::new();
    world.set_up(&["codex"]);
    std::fs::rename(world.path("project"), world.path("gone")).unwrap();
    std::fs::create_dir(world.path("other")).unwrap();
    std::fs::remove_dir_all(world.path("records/project")).unwrap();
    let other = World { project: "other", ..world };
    other.set_up(&["codex"]);
    other.undo(&[]);
    assert_eq!(other.everything().len(), 0, "{:?}", other.everything());
}

#[test]
fn what_is_surely_ours_is_taken_out_without_a_record() {
    let shipped = Profiles::shipped();
    for level in [Level::Project, Level::User] {
        for name in shipped.names() {
            let world = World { level, ..World::new() };
            world.put("project/.claude/settings.local.json", "{\n  \"a\": 1\n}\n");
            world.put("home/.codex/config.toml", "# mine\n");
            world.put("project/AGENTS.md", "# Rules\n");
            let before = world.everything();
            let is_at_level = |path: &str| path.starts_with("project") == (level == Level::Project);
            world.set_up(&[name]);
            std::fs::remove_dir_all(world.path("records")).unwrap_or_default();
            world.undo(&[]);
            let mut after = world.everything();
            // What is for all projects may be needed by another one.
            after.retain(|path, _| is_at_level(path));
            let wanted: Vec<_> = before.into_iter().filter(|(path, _)| is_at_level(path)).collect();
            assert_eq!(after.into_iter().collect::<Vec<_>>(), wanted, "{name}");
        }
    }
}

#[test]
fn only_what_changes_back_is_counted_and_directories_for_the_records_go() {
    let world = World::new();
    let files = |world: &World| interagent_agents::setup::Files {
        user: interagent_agents::setup::Records::at(world.path("home/.config/interagent/setup")),
        ..world.files()
    };
    let plan = world.plan(&["codex", "kimi"]);
    interagent_agents::setup::write(&plan, &files(&world), &world.binary, &crate::world::known);
    let undo = |name: &str| {
        let plan = interagent_agents::setup::undo(
            &files(&world),
            &[name.to_owned()],
            &[],
            &crate::world::known,
            &interagent_agents::setup::RealDisk,
        );
        interagent_agents::setup::carry_out_undo(&plan, &files(&world)).done.len()
    };
    // Its two settings; the skill and the instructions stay for the other one.
    assert_eq!(undo("codex"), 2);
    assert_eq!(undo("kimi"), 4);
    assert_eq!(world.everything().len(), 0, "{:?}", world.everything());
}

/// A cloned project may bring records of its own.
#[test]
fn records_of_a_project_change_nothing_outside_of_it() {
    let world = World::new();
    world.put("home/mine", "mine");
    std::fs::create_dir(world.path("home/empty")).unwrap();
    std::os::unix::fs::symlink(world.path("home"), world.path("project/way-out")).unwrap();
    world.set_up(&["claude"]);
    let records = world.path("records/project");
    let real = std::fs::read_dir(&records).unwrap().next().unwrap().unwrap().path();
    let record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(real).unwrap()).unwrap();
    for (name, path) in [("a", "home/mine"), ("b", "project/way-out/mine"), ("c", "project/../home/mine")] {
        let mut planted = record.clone();
        planted["path"] = world.path(path).to_str().unwrap().into();
        planted["original"] = "theirs".into();
        // The hash of `mine`.
        planted["written"] = "3fd30542fe3f61b14bd4a4b2dc0b6fb30fa6f63ebce52dd1778aaa8c4dc02cff".into();
        planted["made"] = serde_json::json!([world.path("home/empty")]);
        if name == "c" {
            // This one is about a file of the project, and climbs out with the directories.
            planted = record.clone();
            let climbing = world.path("project/.claude/../../home/empty");
            planted["made"] = serde_json::json!([climbing, "../home/empty"]);
        }
        std::fs::write(records.join(format!("{name}.json")), planted.to_string()).unwrap();
    }
    world.undo(&[]);
    assert_eq!(world.text("home/mine"), "mine");
    assert!(world.path("home/empty").exists());
}
