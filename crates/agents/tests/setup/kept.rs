//! What others wrote stays, and what can't be changed is told.

use interagent_agents::setup::{Level, RealDisk, State, What, untrusted};

use crate::world::World;

const CLAUDE: &str = "\
{
  // What I allow.
  \"permissions\": {\"allow\": [\"Bash(ls)\"]}, // and no more
  \"hooks\": {
    \"Stop\": [
      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}, /* the bell */
    ],
  },
\t\"model\": \"opus\"
}";

const CODEX: &str = "\
# Mine.
model = \"gpt\"   # the best

[mcp_servers.other] # of the house
command = 'x'

[tui]
theme = \"dark\"
";

/// Every character of the text before is there afterwards, in its order.
#[track_caller]
fn keeps(before: &str, after: &str) {
    let mut rest = after.chars();
    for (at, kept) in before.chars().enumerate() {
        assert!(rest.any(|c| c == kept), "{kept:?} at {at} is gone from\n{after}");
    }
}

#[test]
fn comments_and_order_survive() {
    let world = World::new();
    world.put("project/.claude/settings.local.json", CLAUDE);
    world.put("home/.codex/config.toml", CODEX);
    world.put("project/AGENTS.md", "# Rules\n\nBe kind.");
    world.set_up(&["claude", "codex"]);
    let claude = world.text("project/.claude/settings.local.json");
    keeps(CLAUDE, &claude);
    assert!(
        claude.contains("\"permissions\": {\"allow\": [\"Bash(ls)\", \"mcp__interagent\"]}, // and no more"),
        "{claude}"
    );
    keeps(CODEX, &world.text("home/.codex/config.toml"));
    // Claude Code reads AGENTS.md only where there is no CLAUDE.md, so none is made beside it.
    assert!(!world.path("project/CLAUDE.md").exists());
    let instructions = world.text("project/AGENTS.md");
    assert!(instructions.starts_with("# Rules\n\nBe kind.\n\n<!-- interagent:begin -->"), "{instructions}");
    assert_eq!(instructions.matches("interagent:begin").count(), 1);
    assert_eq!(world.plan(&["claude", "codex"]).changes, []);
}

#[test]
fn lines_that_end_in_another_way_go_on_so() {
    let world = World::new();
    world.put(
        "home/.kimi-code/config.toml",
        "a = 1\r\n\r\n[[hooks]]\r\nevent = \"Stop\"\r\ncommand = \"mine\"\r\n",
    );
    world.put("project/.kimi-code/mcp.json", "\u{feff}{\r\n\t\"mcpServers\": {}\r\n}\r\n");
    world.put("project/AGENTS.md", "# Rules\r\n");
    world.set_up(&["kimi"]);
    for name in ["home/.kimi-code/config.toml", "project/.kimi-code/mcp.json", "project/AGENTS.md"] {
        let text = world.text(name);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{name}: {text:?}");
        assert!(text.contains("interagent"), "{name}");
    }
    assert!(world.text("project/.kimi-code/mcp.json").starts_with("\u{feff}{\r\n\t\"mcpServers\""));
    assert_eq!(world.plan(&["kimi"]).changes, []);
}

#[test]
fn a_program_that_moved_is_replaced_in_its_place() {
    for name in ["claude", "codex", "kimi", "gemini", "opencode", "copilot", "qwen", "kimi-cli"] {
        let mut world =
            World { binary: "/old place/interagent".into(), agent: Some("bob".into()), ..World::new() };
        world.set_up(&[name]);
        let before = world.everything();
        world.binary = "/new/interagent".into();
        // What is said of the agent stays without being said again.
        world.agent = None;
        let drift = world.plan(&[name]);
        assert!(drift.pieces.iter().all(|piece| piece.state != State::Missing), "{name}: {drift:?}");
        assert!(drift.drift().any(|piece| piece.what == What::Hooks), "{name}");
        world.set_up(&[name]);
        let moved = |text: String| {
            text.replace("'/old place/interagent'", "/new/interagent")
                .replace("/old place/interagent", "/new/interagent")
        };
        let wanted: Vec<_> = before.into_iter().map(|(file, text)| (file, text.map(moved))).collect();
        assert_eq!(world.everything().into_iter().collect::<Vec<_>>(), wanted, "{name}");
    }
}

#[test]
fn an_agent_that_is_named_no_more_is_taken_out() {
    let clients = ["claude", "codex", "kimi", "gemini", "opencode", "copilot", "qwen", "kimi-cli"];
    for level in [Level::Project, Level::User] {
        for name in clients {
            let plain = World { level, unpins: true, ..World::new() };
            plain.set_up(&[name]);
            let wanted = plain.everything();
            let world = World { level, agent: Some("bob".into()), unpins: true, ..World::new() };
            world.set_up(&[name]);
            let can_be_named = world.everything() != wanted;
            let world = World { agent: None, ..world };
            let plan = world.plan(&[name]);
            assert_eq!(plan.drift().count() > 0, can_be_named, "{name}: {plan:?}");
            let pins: Vec<_> =
                plan.pins.iter().map(|pin| (pin.before.as_deref(), pin.after.as_deref())).collect();
            assert_eq!(pins, if can_be_named { vec![(Some("bob"), None)] } else { vec![] }, "{name}");
            world.set_up(&[name]);
            assert_eq!(world.everything(), wanted, "{name}");
        }
    }
    // The variable of an entry that an older setup or a person wrote.
    let world = World { unpins: true, ..World::new() };
    world.put("project/.mcp.json", r#"{"mcpServers": {"interagent": {"command": "/x/interagent", "args": ["mcp"], "env": {"INTERAGENT_AGENT": "bob"}}}}"#);
    world.set_up(&["claude"]);
    assert!(!world.text("project/.mcp.json").contains("env"), "{}", world.text("project/.mcp.json"));
}

#[test]
fn names_that_are_there_twice_are_left_alone() {
    let world = World::new();
    let text = r#"{"hooks": {}, "a": [{"b": 1}], "hooks": {"Stop": []}}"#;
    world.put("project/.claude/settings.local.json", text);
    world.put("project/.mcp.json", "[1]");
    insta::assert_snapshot!(troubles(&world, &["claude"]).join("\n"), @r"
    `/project/.mcp.json` was left alone: it is not an object (change it by hand and run interagent setup again)
    `/project/.claude/settings.local.json` was left alone: `hooks` is in it twice (change it by hand and run interagent setup again)
    ");
    world.set_up(&["claude"]);
    assert_eq!(world.text("project/.claude/settings.local.json"), text);
}

#[test]
fn fields_that_somebody_added_beside_ours_stay() {
    let world = World::new();
    world.set_up(&["claude"]);
    let servers = world
        .text("project/.mcp.json")
        .replace("\"type\"", "\"env\": {\"INTERAGENT_HUB\": \"/x\"},\n      \"type\"");
    world.put("project/.mcp.json", &servers);
    let world = World { binary: "/new/interagent".into(), agent: Some("bob".into()), ..world };
    world.set_up(&["claude"]);
    let servers: serde_json::Value = serde_json::from_str(&world.text("project/.mcp.json")).unwrap();
    assert_eq!(servers["mcpServers"]["interagent"]["env"]["INTERAGENT_HUB"], "/x");
    assert_eq!(servers["mcpServers"]["interagent"]["command"], "/new/interagent");
}

#[test]
fn a_hook_of_ours_among_others_is_changed_alone() {
    let world = World::new();
    let mixed = r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "/old/interagent", "args": ["hook", "claude", "Stop"]}]}]}}"#;
    world.put("project/.claude/settings.local.json", mixed);
    world.set_up(&["claude"]);
    let settings: serde_json::Value =
        serde_json::from_str(&world.text("project/.claude/settings.local.json")).unwrap();
    let group = &settings["hooks"]["Stop"][0];
    assert_eq!((group["matcher"].as_str(), group["hooks"][0]["command"].as_str()), (Some("x"), Some("mine")));
    assert_eq!(group["hooks"][1]["command"], crate::world::BINARY);
    // That of the waiter is new.
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2);
}

fn troubles(world: &World, names: &[&str]) -> Vec<String> {
    let root = world.path("").display().to_string();
    let plan = world.plan(names);
    plan.distinct_troubles()
        .iter()
        .map(|trouble| format!("{} ({})", trouble.sentence, trouble.hint).replace(&root, "/"))
        .collect()
}

#[test]
fn what_can_not_be_changed_is_told_and_the_rest_is_done() {
    let world = World::new();
    world.put("project/.mcp.json", "{\n  \"mcpServers\": {,}\n}\n");
    world.put("project/.claude/settings.local.json", "{\"hooks\": {\"Stop\": 3}}");
    world
        .put("home/.codex/config.toml", "[mcp_servers.interagent]\ncommand = \"python\"\nargs = [\"mcp\"]\n");
    world.put("home/.kimi-code/config.toml", "a = 1\nb =\n");
    world.put("project/AGENTS.md", "<!-- interagent:begin -->\n");
    insta::assert_snapshot!(troubles(&world, &["claude", "codex", "kimi"]).join("\n"), @r"
    `/project/.mcp.json` is not valid JSON and was left alone: line 2: Unexpected token in object (repair line 2 and run interagent setup again)
    `/project/.claude/settings.local.json` was left alone: `hooks.Stop` is no list (change it by hand and run interagent setup again)
    `/project/AGENTS.md` was left alone: our block begins there and does not end (remove the lines with interagent:begin and interagent:end)
    `/home/.codex/config.toml` was left alone: `mcp_servers.interagent` is another program (rename or remove `mcp_servers.interagent` there and run interagent setup again)
    `/home/.kimi-code/config.toml` is not valid TOML and was left alone: line 2: string values must be quoted, expected literal string (repair line 2 and run interagent setup again)
    ");
    let before = world.text("project/.mcp.json");
    let written = world.set_up(&["claude", "codex", "kimi"]);
    assert!(written.failed.is_empty());
    assert_eq!(world.text("project/.mcp.json"), before);
    assert!(world.path("project/.claude/skills/interagent/SKILL.md").exists());
    assert!(world.path("home/.codex/hooks.json").exists());
}

#[test]
fn a_server_over_http_is_somebodys_choice() {
    let world = World::new();
    let text = r#"{"mcpServers": {"interagent": {"type": "http", "url": "http://127.0.0.1:7000/mcp"}}}"#;
    world.put("project/.mcp.json", text);
    world.set_up(&["claude"]);
    assert_eq!(world.text("project/.mcp.json"), text);
}

#[test]
fn links_inside_the_project_are_followed_and_those_to_the_outside_are_not() {
    let world = World::new();
    world.put("project/AGENTS.md", "# Rules\n");
    std::os::unix::fs::symlink("AGENTS.md", world.path("project/CLAUDE.md")).unwrap();
    world.put("home/secret.json", "{}");
    std::os::unix::fs::symlink(world.path("home/secret.json"), world.path("project/.mcp.json")).unwrap();
    world.put("dotfiles/config.toml", "a = 1\n");
    std::fs::create_dir(world.path("home/.codex")).unwrap();
    std::os::unix::fs::symlink(world.path("dotfiles/config.toml"), world.path("home/.codex/config.toml"))
        .unwrap();
    let plan = world.plan(&["claude", "codex"]);
    let links: Vec<_> = plan.changes.iter().filter(|change| change.is_through_a_link()).collect();
    assert_eq!(links.len(), 2, "{links:?}");
    assert_eq!(troubles(&world, &["claude"]).len(), 1);
    world.set_up(&["claude", "codex"]);
    assert_eq!(world.text("home/secret.json"), "{}");
    assert_eq!(world.text("project/AGENTS.md").matches("interagent:begin").count(), 1);
    assert!(
        world.path("project/CLAUDE.md").is_symlink() && world.path("home/.codex/config.toml").is_symlink()
    );
    assert!(world.text("dotfiles/config.toml").contains("[mcp_servers.interagent]"));
    world.undo(&[]);
    assert_eq!(world.text("dotfiles/config.toml"), "a = 1\n");
    assert_eq!(world.text("project/AGENTS.md"), "# Rules\n");
}

#[test]
fn hooks_count_as_untrusted_until_the_client_recorded_them() {
    let world = World::new();
    world.set_up(&["codex"]);
    let of = |client: &str| world.with_setups(&[client], |setups| untrusted(&setups[0], &RealDisk));
    let all = of("codex");
    assert!(all.contains(&"SessionStart".to_owned()) && all.contains(&"Stop".to_owned()), "{all:?}");
    let file = world.path("home/.codex/hooks.json").canonicalize().unwrap().display().to_string();
    let mut config = world.text("home/.codex/config.toml");
    for event in all.iter().filter(|event| *event != "Stop") {
        let words =
            event.chars().map(|c| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.into() });
        let event = words.collect::<String>().trim_start_matches('_').to_owned();
        config.push_str(&format!("[hooks.state.\"{file}:{event}:0:0\"]\ntrusted_hash = \"sha256:1\"\n"));
    }
    world.put("home/.codex/config.toml", &config);
    assert_eq!(of("codex"), ["Stop"]);
    // A client that asks for no trust.
    world.set_up(&["claude"]);
    assert!(of("claude").is_empty());
}
