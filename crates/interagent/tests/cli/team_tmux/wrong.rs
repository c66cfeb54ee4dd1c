//! What can't be: no tmux, no team, nobody of that name, an agent that would start others.

use interagent_testkit::Sandbox;

use super::World;

#[test]
fn what_is_missing_is_said_with_what_helps() {
    let world = World::new();
    let without_tmux = world.start().env("PATH", "/nonexistent");
    let empty = Sandbox::new();
    let cases = [
        ("no hub", empty.run(&["up"])),
        ("no such agent", world.run(&["up", "member9"])),
        ("no such agent", world.run(&["down", "nobody"])),
        ("no tmux", without_tmux.run(&["up"])),
        ("no tmux", without_tmux.run(&["attach"])),
        ("no session", world.run(&["attach"])),
        ("no pane", world.run(&["attach", "captain"])),
        ("an agent", world.start().env("INTERAGENT_AGENT", "captain").run(&["up"])),
        ("an agent", world.start().env("INTERAGENT_AGENT", "captain").run(&["down"])),
        ("no conversation", world.run(&["restart", "captain", "--resume", "--json"])),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(what, output)| {
            let said = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
            let first = match serde_json::from_str::<serde_json::Value>(said) {
                Ok(document) => document["answer"]["agents"][0]["error"]["sentence"].to_string(),
                Err(_) => said.lines().next().unwrap_or_default().to_owned(),
            };
            format!("{what}: {} {first}", output.status)
        })
        .collect();
    let shown = lines.join("\n").replace(&empty.home().display().to_string(), "[home]");
    insta::assert_snapshot!(shown, @r#"
    no hub: 3 error: there is no hub of a project here, and no personal one at `[home]/.interagent`
    no such agent: 3 error: there is no agent `member9` here
    no such agent: 3 error: there is no agent `nobody` here
    no tmux: 5 error: tmux can't be started
    no tmux: 5 error: tmux can't be started
    no session: 3 error: the team has no session in tmux
    no pane: 3 error: captain has no terminal in tmux
    an agent: 1 error: a team is started by the operator, not by an agent
    an agent: 1 error: a team is ended by the operator, not by an agent
    no conversation: 1 "no earlier conversation of captain is known here"
    "#);
    // A command that needs no tmux works without it.
    without_tmux.run(&["ps"]).success();
    without_tmux.run(&["down"]).success();
}

#[test]
fn a_name_with_dots_is_a_name_and_no_target_of_tmux() {
    let world = World::with(&["init", "--formation", "peers", "--agents", "claude,kimi"]);
    world.edit_team(|text| {
        format!(
            "{text}\n[agents.\"a.b-c_d\"]\nprofile = \"scripted\"\nmodel = \"x #[fg=red] #{{pane_id}}\"\n"
        )
        .replace("project = \"project\"", "project = \"a.b:c #(touch owned)\"")
    });
    world.run(&["up", "a.b-c_d"]).success();
    world.wait_for("a.b-c_d", "idle");
    assert_eq!(world.tmux(&["list-sessions", "-F", "#{session_name}"]), "interagent-a-b-c---touch-owned\n");
    assert!(!world.sandbox.project().join("owned").exists());
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["a.b-c_d: ended"]);
}

#[test]
fn without_a_terminal_nothing_is_attached() {
    let world = World::new();
    world.run(&["up", "captain"]).success();
    let refused = world.run(&["attach", "captain"]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("error: there is no terminal to show the team in"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: in a terminal: tmux -S "), "{}", refused.stderr);
}
