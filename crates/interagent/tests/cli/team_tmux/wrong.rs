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

/// The project's repository; `commit` makes its first commit.
fn repository(project: &std::path::Path, commit: bool) {
    let mut lines = vec!["init -q -b main", "config user.email a@b", "config user.name a"];
    lines.extend(commit.then_some("commit -q --allow-empty -m first"));
    for line in lines {
        git(project, &line.split(' ').collect::<Vec<_>>());
    }
}

fn git(project: &std::path::Path, words: &[&str]) -> String {
    let done = std::process::Command::new("git").args(words).current_dir(project).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn worktree_of_member1(world: &World) -> std::path::PathBuf {
    world.edit_team(|text| {
        text.replacen("[agents.member1]\n", "[agents.member1]\nworktree = \"../project.worktrees/a\"\n", 1)
    });
    world.sandbox.project().with_file_name("project.worktrees").join("a")
}

#[test]
fn obstacle_in_worktree_path_leaves_no_branch() {
    let world = World::new();
    let project = world.sandbox.project();
    repository(&project, true);
    let tree = worktree_of_member1(&world);
    let parent = tree.parent().unwrap();
    let refused = |what: &str| {
        let up = world.run(&["up", "member1"]);
        assert_eq!(up.status, 1, "{what}: {}", up.stdout);
        assert_eq!(git(&project, &["branch", "--list", "agent/*"]), "", "{what}");
        assert!(!up.stdout.contains("git worktree add"), "{what}: {}", up.stdout);
        let shown =
            up.stdout.replace(&world.sandbox.home().parent().unwrap().display().to_string(), "[sandbox]");
        let told = shown.lines().filter(|line| line.contains("in the way") || line.starts_with("hint: move"));
        assert_eq!(told.count(), 2, "{what}: {shown}");
    };
    std::fs::write(parent, "a file in place of the directory").unwrap();
    refused("a file above it");
    std::fs::remove_file(parent).unwrap();
    std::fs::create_dir(parent).unwrap();
    std::fs::write(&tree, "a file").unwrap();
    refused("a file");
    std::fs::remove_file(&tree).unwrap();
    std::fs::create_dir(&tree).unwrap();
    std::fs::write(tree.join("mine"), "x").unwrap();
    refused("a directory with something in it");
    std::fs::remove_file(tree.join("mine")).unwrap();
    world.run(&["up", "member1"]).success();
    assert_eq!(git(&project, &["branch", "--list", "agent/*"]).trim(), "+ agent/member1");
}

#[test]
fn failed_worktree_leaves_no_branch() {
    let world = World::new();
    let project = world.sandbox.project();
    repository(&project, true);
    let tree = worktree_of_member1(&world);
    // Git refuses a deleted, locked worktree only after it has created the branch.
    git(&project, &["worktree", "add", "-q", "-b", "other", "../project.worktrees/a"]);
    git(&project, &["worktree", "lock", "../project.worktrees/a"]);
    std::fs::remove_dir_all(&tree).unwrap();
    assert_eq!(world.run(&["up", "member1"]).status, 1);
    assert_eq!(git(&project, &["branch", "--list", "agent/*"]), "");
}

#[test]
fn missing_commit_gets_fitting_hint() {
    let world = World::new();
    let project = world.sandbox.project();
    worktree_of_member1(&world);
    let hint = |up: &str| up.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default().to_owned();
    let up = world.run(&["up", "member1"]);
    assert!(up.stdout.contains("there is no git repository"), "{}", up.stdout);
    assert_eq!(
        hint(&up.stdout),
        "hint: git init && git commit --allow-empty -m 'Initial commit'; or remove `worktree` from team.toml"
    );
    repository(&project, false);
    let up = world.run(&["up", "member1"]);
    assert!(up.stdout.contains("has no commit yet"), "{}", up.stdout);
    assert_eq!(hint(&up.stdout), "hint: git commit --allow-empty -m 'Initial commit'");
}
