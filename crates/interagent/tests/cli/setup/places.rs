//! Clients that are set up one after another: each gets a place in the team, and each is told of the others.

use super::Machine;

fn with_you(machine: &Machine, agent: &str) -> String {
    let briefing = machine.sandbox.run(&["briefing", "--agent", agent]).success().stdout;
    briefing.lines().find(|line| line.contains("With you")).unwrap_or("nobody").trim().to_owned()
}

#[test]
fn clients_set_up_one_after_another_find_each_other() {
    let machine = Machine::with(&[]);
    machine.start().run(&["setup", "opencode", "--yes"]).success();
    let team = machine.text(".interagent/team.toml");
    let ours = team.replacen("formation", "# what we agreed on\nformation", 1);
    machine.put(".interagent/team.toml", &ours);
    let second = machine.start().run(&["setup", "claude", "--yes"]).success();
    assert!(second.stdout.contains("+[agents.claude]"), "{}", second.stdout);
    machine.start().run(&["setup", "codex", "--yes"]).success();
    assert_eq!(with_you(&machine, "opencode"), "With you: claude (collaborator), codex (collaborator).");
    assert_eq!(with_you(&machine, "claude"), "With you: codex (collaborator), opencode (collaborator).");
    assert_eq!(with_you(&machine, "codex"), "With you: claude (collaborator), opencode (collaborator).");
    // What a person wrote stays, and what the file says is what holds.
    let team = machine.text(".interagent/team.toml");
    assert!(team.contains("# what we agreed on\n"), "{team}");
    assert!(ours.lines().all(|line| team.contains(line)), "{team}");
    let seats = machine.sandbox.json(&["team", "show"])["config"]["agents"].clone();
    assert_eq!(seats.as_object().map_or(0, serde_json::Map::len), 3, "{seats}");
    let again = machine.start().run(&["setup", "claude", "codex"]).success();
    assert!(again.stdout.contains("everything is set up already"), "{}", again.stdout);
}

#[test]
fn who_decides_gives_the_role_and_everybody_is_named_before() {
    let machine = Machine::with(&[]);
    machine.sandbox.run(&["init"]).success();
    let team = machine.text(".interagent/team.toml");
    let output = machine.start().run(&["setup", "codex", "--yes"]).success();
    assert!(output.stdout.contains("note: codex has no role in this team yet"), "{}", output.stdout);
    assert!(output.stdout.contains("interagent team take"), "{}", output.stdout);
    assert_eq!(machine.text(".interagent/team.toml"), team);
    assert_eq!(with_you(&machine, "claude"), "With you: kimi (delegate), codex.");
    assert_eq!(with_you(&machine, "codex"), "With you: claude (principal), kimi (delegate).");
    let doctor = machine.start().run(&["doctor"]).stdout;
    assert!(doctor.contains("says what holds; without a place in it: codex"), "{doctor}");
    // Who left is with nobody.
    machine.sandbox.run(&["agent", "retire", "codex"]).success();
    assert_eq!(with_you(&machine, "claude"), "With you: kimi (delegate).");
}

#[test]
fn a_team_file_that_was_changed_and_not_taken_in_is_left_to_its_author() {
    let machine = Machine::with(&[]);
    machine.start().run(&["setup", "claude", "--yes"]).success();
    let changed =
        machine.text(".interagent/team.toml").replace("role = \"collaborator\"", "role = \"reviewer\"");
    machine.put(".interagent/team.toml", &changed);
    let output = machine.start().run(&["setup", "kimi", "--yes"]).success();
    assert!(output.stdout.contains("note: kimi has no role in this team yet"), "{}", output.stdout);
    assert_eq!(machine.text(".interagent/team.toml"), changed);
    assert_eq!(machine.sandbox.json(&["agent", "show", "claude"])["role"], "collaborator");
}
