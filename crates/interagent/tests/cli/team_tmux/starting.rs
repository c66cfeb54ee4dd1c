//! `up` and `restart`.

use std::fs::File;

use interagent_operations::{LocalHub, Opening};

use super::{World, is_running};

#[test]
fn a_captain_team_comes_up_each_in_a_pane_of_its_own() {
    let world = World::new();
    world.own_pane();
    let own =
        || world.tmux(&["show-options", "-t", "mine"]) + &world.tmux(&["show-options", "-w", "-t", "mine"]);
    let (before, before_own) = (world.global_options(), own());
    let up = world.json(&["up"]);
    let wanted = ["captain: started", "vice_captain1: started", "member1: started", "member2: started"];
    assert_eq!(World::words(&up, "outcome"), wanted);
    for name in ["captain", "vice_captain1", "member1", "member2"] {
        world.wait_for(name, "idle");
        assert_eq!(world.started(name)[1..], ["--go", "0"], "{name}");
    }
    // Everybody is who they are: by their own hooks, in their own process.
    let sessions = world.json(&["session", "list"]);
    assert_eq!(sessions["items"].as_array().unwrap().len(), 4);
    assert_eq!(sessions["items"][0]["life"], "idle");
    let format = "#{window_name} #{@agent_id} #{@agent_role} #{@agent_cli}";
    let mut panes: Vec<String> =
        world.tmux(&["list-panes", "-a", "-F", format]).lines().map(str::to_owned).collect();
    panes.retain(|pane| !pane.starts_with("sh "));
    panes.sort();
    insta::assert_snapshot!(panes.join("\n"), @r"
    captain captain captain scripted
    vice_captain1 member1 member scripted
    vice_captain1 member2 member scripted
    vice_captain1 vice_captain1 vice_captain scripted
    ");
    // Nothing of the user's own is changed: only options of our session, windows and panes are set.
    assert_eq!(world.global_options(), before);
    assert_eq!(own(), before_own);
}

#[test]
fn up_again_starts_nobody_twice() {
    let world = World::new();
    world.run(&["up"]).success();
    world.wait_for("captain", "idle");
    let before = world.pid("captain");
    let again = world.json(&["up"]);
    assert!(World::words(&again, "outcome").iter().all(|word| word.ends_with(": running")), "{again:#}");
    assert_eq!(world.pid("captain"), before);
    assert_eq!(world.tmux(&["list-panes", "-a"]).lines().count(), 4);
}

#[test]
fn one_that_cannot_start_is_named_and_the_others_start() {
    let world = World::new();
    world.edit_team(|text| {
        text.replacen("[agents.member1]\nprofile = \"scripted\"", "[agents.member1]\nprofile = \"codex\"", 1)
    });
    world.mark_file("broken-member2");
    let up = world.run(&["up"]);
    assert_eq!(up.status, 1);
    let lines: Vec<&str> =
        up.stdout.lines().filter(|line| line.contains("FAILED") || line.starts_with("hint")).collect();
    let told = lines
        .iter()
        .map(|line| line.split_once("FAILED").map_or(*line, |(_, rest)| rest))
        .collect::<Vec<_>>();
    insta::assert_snapshot!(told.join("\n"), @r"
    : Codex CLI is not installed: there is no `codex` on PATH
    : Scripted Code ended at once with exit code 3: no credit left
    hint: install it, or give the agent another profile in team.toml and run interagent team take
    hint: its pane shows what it said: interagent attach member2
    ");
    world.wait_for("captain", "idle");
    world.wait_for("member2", "dead");
    // The next one repairs it, in the same pane.
    let pane = world.pane("member2");
    std::fs::remove_file(world.sandbox.home().join("broken-member2")).unwrap();
    let again = world.json(&["up", "member2"]);
    assert_eq!(World::words(&again, "outcome"), ["member2: started"]);
    world.wait_for("member2", "idle");
    assert_eq!(world.pane("member2"), pane);
}

#[test]
fn a_pane_that_is_marked_for_an_agent_is_taken_over() {
    let world = World::new();
    world.run(&["up", "captain"]).success();
    world.wait_for("captain", "idle");
    let (pane, pid) = (world.pane("captain"), world.pid("captain"));
    // What was known of the terminal is lost; the client still runs there.
    let session = world.agent("captain")["session"].as_str().unwrap().to_owned();
    world.run(&["session", "end", &session]).success();
    let opening = Opening {
        hub_dir: world.sandbox.hub(),
        create: false,
        alias: "a".to_owned(),
        hub_id: None,
        user_dir: None,
    };
    let mut hub = LocalHub::open(&opening).unwrap();
    let captain = hub.crew().unwrap().rows.remove(0).agent.id;
    hub.forget_pane(&captain).unwrap();
    drop(hub);
    let up = world.json(&["up", "captain"]);
    assert_eq!(World::words(&up, "outcome"), ["captain: adopted"]);
    assert_eq!(up["agents"][0]["pane"], pane);
    assert!(is_running(pid));
    // The pane says that we started what is in it.
    let down = world.json(&["down"]);
    assert_eq!(World::words(&down, "outcome"), ["captain: ended"]);
    assert!(!is_running(pid));
}

#[test]
fn a_pane_that_was_made_and_not_used_is_used_and_one_with_something_else_in_it_stays() {
    let world = World::new();
    world.run(&["up", "captain"]).success();
    world.wait_for("captain", "idle");
    let pane = world.pane("captain");
    let forget = || {
        let opening = Opening {
            hub_dir: world.sandbox.hub(),
            create: false,
            alias: "a".to_owned(),
            hub_id: None,
            user_dir: None,
        };
        let mut hub = LocalHub::open(&opening).unwrap();
        let captain = hub.crew().unwrap().rows.remove(0).agent.id;
        hub.forget_pane(&captain).unwrap();
    };
    // As one leaves it who is killed before the client was started.
    world.tmux(&["respawn-pane", "-k", "-t", &pane, "sleep", "60"]);
    world.tmux(&["set-option", "-p", "-t", &pane, "@interagent_made", "0"]);
    forget();
    world.run(&["up", "captain"]).success();
    world.wait_for("captain", "idle");
    assert_eq!(world.pane("captain"), pane);
    // A person took the pane for something else, and nobody knows of it any more.
    world.tmux(&["respawn-pane", "-k", "-t", &pane, "sleep", "60"]);
    forget();
    assert_eq!(World::words(&world.json(&["up", "captain"]), "outcome"), ["captain: adopted"]);
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["captain: stays"]);
}

#[test]
fn a_restarted_agent_is_the_same_one_in_the_same_pane() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let (before, session) = (world.agent("member1"), world.agent("member1")["session"].clone());
    world.run(&["send", "--to", "member1", "-m", "what do you think?"]).success();
    let restarted = world.json(&["restart", "member1", "--resume"]);
    assert_eq!(World::words(&restarted, "outcome"), ["member1: started"]);
    world.wait_for("member1", "idle");
    let after = world.agent("member1");
    assert_eq!((&after["id"], &after["pane"], &after["unread"]), (&before["id"], &before["pane"], &1.into()));
    assert_ne!(after["pid"], before["pid"]);
    assert!(!is_running(before["pid"].as_i64().unwrap()), "the one before is gone");
    assert_eq!(world.started("member1")[1..4], ["--go", "--again", session.as_str().unwrap()]);
}

#[test]
fn an_agent_gets_its_model_its_worktree_and_no_mark_of_another() {
    let world = World::new();
    let project = world.sandbox.project();
    commit(&project);
    world.edit_team(|text| {
        text.replacen("[agents.member1]\n", "[agents.member1]\nmodel = \"#(touch owned);\"\nworktree = \"../project #(touch owned)\"\nauto_approve = true\n", 1)
            .replace("# branch_pattern = \"task/*\"   # how branches of agents are called", "branch_pattern = \"cmd_{id}/{agent}/{desc}\"")
    });
    let up = world.start().env("CLAUDECODE", "").run(&["up", "member1"]).success();
    assert!(up.stdout.contains("asks before it acts, though its seat says auto_approve"), "{}", up.stdout);
    world.wait_for("member1", "idle");
    let tree = project.parent().unwrap().join("project #(touch owned)").canonicalize().unwrap();
    assert_eq!(world.started("member1"), [tree.to_str().unwrap(), "--go", "--model", "#(touch owned);", "0"]);
    let head =
        std::process::Command::new("git").args(["symbolic-ref", "HEAD"]).current_dir(&tree).output().unwrap();
    assert_eq!(String::from_utf8(head.stdout).unwrap(), "refs/heads/cmd_start/member1/start\n");
    for place in [&tree, &project, &world.sandbox.home()] {
        assert!(!place.join("owned").exists(), "what a team file says was run in {}", place.display());
    }
    // The worktree is there now, and the person lets the team file decide.
    world.run(&["restart", "member1", "--auto-approve"]).success();
    world.wait_for("member1", "idle");
    assert_eq!(world.started("member1")[4], "--yolo");
    // What it was started with stays, until the team file says otherwise.
    world.run(&["restart", "member1"]).success();
    world.wait_for("member1", "idle");
    assert_eq!(world.started("member1")[4], "--yolo");
    world.edit_team(|text| text.replace("auto_approve = true", "auto_approve = false"));
    world.run(&["restart", "member1"]).success();
    world.wait_for("member1", "idle");
    world.edit_team(|text| text.replace("auto_approve = false", "auto_approve = true"));
    world.run(&["restart", "member1"]).success();
    world.wait_for("member1", "idle");
    assert_eq!(world.started("member1")[4], "0");
}

/// Makes the project a repository with a commit.
fn commit(project: &std::path::Path) {
    for line in
        ["init -q -b main", "config user.email a@b", "config user.name a", "commit -q --allow-empty -m first"]
    {
        let done =
            std::process::Command::new("git").args(line.split(' ')).current_dir(project).status().unwrap();
        assert!(done.success(), "{line}");
    }
}

#[test]
fn a_worktree_that_was_deleted_is_made_again() {
    let world = World::new();
    commit(&world.sandbox.project());
    world.edit_team(|text| {
        text.replacen("[agents.member1]\n", "[agents.member1]\nworktree = \"../project.worktrees/a\"\n", 1)
    });
    let tree = world.sandbox.project().with_file_name("project.worktrees").join("a");
    let up = world.run(&["up", "member1"]).success();
    // The directory above it was not there either.
    assert!(!up.stdout.contains("/../"), "{}", up.stdout);
    world.wait_for("member1", "idle");
    std::fs::remove_dir_all(&tree).unwrap();
    world.run(&["restart", "member1"]).success();
    world.wait_for("member1", "idle");
    let head = std::fs::read_to_string(world.sandbox.project().join(".git/worktrees/a/HEAD")).unwrap();
    assert_eq!((tree.join(".git").exists(), head.as_str()), (true, "ref: refs/heads/agent/member1\n"));
    // One that is locked is a person's word; what git says of it is told whole, and the command fits.
    let git = |words: &[&str]| {
        let done =
            std::process::Command::new("git").args(words).current_dir(world.sandbox.project()).status();
        assert!(done.unwrap().success(), "{words:?}");
    };
    git(&["worktree", "lock", "../project.worktrees/a"]);
    std::fs::remove_dir_all(&tree).unwrap();
    let refused = world.run(&["restart", "member1"]);
    assert_eq!(refused.status, 1, "{}", refused.stdout);
    assert!(refused.stdout.contains("to override") && !refused.stdout.contains(" -b "), "{}", refused.stdout);
}

#[test]
fn a_team_file_places_no_worktree_just_anywhere() {
    let world = World::new();
    world.edit_team(|text| {
        text.replacen("[agents.member1]\n", "[agents.member1]\nworktree = \"../bin\"\n", 1)
    });
    let up = world.run(&["up", "member1"]);
    assert_eq!(up.status, 1);
    for part in ["is not made by itself", "git worktree add", "agent/member1"] {
        assert!(up.stdout.contains(part), "{part}: {}", up.stdout);
    }
    assert!(!world.sandbox.project().with_file_name("bin").exists());
    // Nor into a directory with something else in it.
    world.edit_team(|text| text.replace("../bin", "../project.worktrees/a"));
    let tree = world.sandbox.project().with_file_name("project.worktrees").join("a");
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(tree.join("mine"), "x").unwrap();
    assert!(world.run(&["up", "member1"]).stdout.contains("is in the way of the worktree of member1"));
}

#[test]
fn a_dry_run_shows_everything_and_starts_nothing() {
    let world = World::new();
    let shown = world.run(&["up", "--dry-run", "captain", "member1"]).success();
    insta::assert_snapshot!(shown.shown(), @r"
    name  window  directory  would run
    captain  captain  [sandbox]/project  [sandbox]/clients/scripted --go
    member1  vice_captain1  [sandbox]/project  [sandbox]/clients/scripted --go
    ");
    assert!(!world.socket().exists());
}

#[test]
fn a_restart_that_tmux_refuses_leaves_the_pane_as_it_was() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let (pane, pid) = (world.pane("member1"), world.pid("member1"));
    // The search path goes along to the client, and is more than tmux takes in one command.
    let path = world.path() + &":/nowhere".repeat(3000);
    let restarted = world.start().env("PATH", &path).run(&["restart", "member1"]);
    assert_eq!(restarted.status, 1);
    assert!(restarted.stdout.contains("FAILED: tmux respawn-pane: command too long"), "{}", restarted.stdout);
    assert!(world.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).contains(&pane), "the pane was closed");
    assert!(is_running(pid));
    // A pane that was made for it goes again.
    let panes = || world.tmux(&["list-panes", "-a"]).lines().count();
    let before = panes();
    assert_eq!(world.start().env("PATH", &path).run(&["up", "member2"]).status, 1);
    assert_eq!(panes(), before);
}

#[test]
fn who_starts_or_ends_agents_looks_at_them_when_nobody_else_does() {
    let world = World::new();
    let lock = File::options().create(true).append(true).open(world.sandbox.hub().join("state/crew.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    // Whoever has the lock may be about to register that very one.
    let busy: [&[&str]; 4] =
        [&["up", "nobody"], &["restart", "nobody"], &["down", "nobody"], &["join", "--name", "nobody"]];
    // Each waits some seconds for the lock.
    std::thread::scope(|scope| {
        let asked = busy.map(|words| (words, scope.spawn(|| world.run(words))));
        for (words, refused) in asked {
            let refused = refused.join().unwrap();
            assert_eq!(refused.status, 4, "{words:?}: {}", refused.stderr);
            assert!(refused.stderr.contains("somebody else starts or ends agents"), "{}", refused.stderr);
        }
    });
    world.run(&["up", "--dry-run"]);
    drop(lock);
    world.run(&["join", "--name", "nobody", "--profile", "generic"]).success();
}
