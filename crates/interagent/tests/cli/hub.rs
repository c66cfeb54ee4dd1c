//! Making and finding hubs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;

#[test]
fn init_makes_a_hub_with_a_team() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.run(&["init"]).shown(), @r"
    made the hub [sandbox]/project/.interagent
    duo: claude, kimi
    next: interagent quick 'What is to be done'
      interagent status
    ");
    let text = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    assert!(text.contains("project = \"project\"") && text.contains("[agents.kimi]"), "{text}");
    assert_eq!(fs::read_to_string(sandbox.hub().join(".gitignore")).unwrap(), "*\n");
    let mode = |name: &str| fs::metadata(sandbox.hub().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("team.toml"), mode("state"), mode("state/hub.db")), (0o644, 0o700, 0o600));
}

#[test]
fn a_second_init_is_refused_and_force_keeps_everything() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "stay"]).success();
    insta::assert_snapshot!(sandbox.run(&["init"]).shown(), @r"
    --- stderr
    error: there is a hub already: `[sandbox]/project/.interagent`
    hint: interagent init --force --project NAME changes its name and keeps the rest
    hint: interagent team take applies what you changed in team.toml
    --- exit 1
    ");
    let before = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    insta::assert_snapshot!(sandbox.run(&["init", "--force"]).shown(), @r"
    kept the hub [sandbox]/project/.interagent
    duo: claude, kimi
    next: interagent quick 'What is to be done'
      interagent status
    ");
    assert_eq!(fs::read_to_string(sandbox.hub().join("team.toml")).unwrap(), before);

    sandbox.run(&["init", "--force", "--formation", "peers", "--agents", "kimi,codex"]).success();
    assert_eq!(fs::read_to_string(sandbox.hub().join("team.toml.before")).unwrap(), before);
    let second = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    let renewed = sandbox.run(&["init", "--force", "--formation", "peers", "--agents", "kimi,claude"]);
    assert!(renewed.stderr.contains("kept as `team.toml.before-2`"), "{}", renewed.stderr);
    assert_eq!(
        fs::read_to_string(sandbox.hub().join("team.toml.before")).unwrap(),
        before,
        "nothing is lost"
    );
    assert_eq!(fs::read_to_string(sandbox.hub().join("team.toml.before-2")).unwrap(), second);
    assert_eq!(sandbox.json(&["team", "show"])["formation"], "peers");
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
}

#[test]
fn force_changes_only_what_was_given() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--principal", "kimi"]).success();
    let file = sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text
        .replace("review_required = false", "review_required = true   # ours")
        .replace("# protected_branches = [\"main\"]", "protected_branches = [\"main\", \"release/*\"]")
        + "\n# the third of us\n[agents.gem]\nprofile = \"gemini\"\nrole = \"reviewer\"\n";
    fs::write(&file, &text).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    let force = |options: &[&str]| sandbox.run(&[&["init", "--force"], options].concat()).success().stderr;
    insta::assert_snapshot!(force(&["--project", "New K"]), @r"
    the team file of before is kept as `team.toml.before`
    changed project: project -> New K
    ");
    let renamed = fs::read_to_string(&file).unwrap();
    assert_eq!(renamed, text.replace("project = \"project\"", "project = \"New K\""));
    insta::assert_snapshot!(force(&["--principal", "claude", "--mode", "hierarchical"]), @r"
    the team file of before is kept as `team.toml.before-2`
    changed principal: kimi -> claude
    changed rules.review_required: true -> false
    changed claude.role: delegate -> principal
    changed claude.reports_to: kimi -> none
    changed gem.reports_to: kimi -> claude
    changed kimi.role: principal -> delegate
    changed kimi.reports_to: none -> claude
    ");
    let changed = fs::read_to_string(&file).unwrap();
    assert!(changed.contains("review_required = false   # ours"), "{changed}");
    assert!(changed.contains("# the third of us\n[agents.gem]"), "{changed}");
    insta::assert_snapshot!(force(&["--agents", "claude,gem:gemini,codex", "--language", "ja"]), @r"
    the team file of before is kept as `team.toml.before-3`
    changed language: en -> ja
    removed kimi
    added codex: delegate (codex)
    ");
    insta::assert_snapshot!(force(&["--formation", "peers"]), @r"
    the team file of before is kept as `team.toml.before-4`
    changed formation: duo -> peers
    changed principal: claude -> none
    changed rules.may_merge: principal -> collaborator
    changed claude.role: principal -> collaborator
    changed codex.role: delegate -> collaborator
    changed codex.reports_to: claude -> none
    changed gem.reports_to: claude -> none
    ");
    let team = sandbox.json(&["team", "show"]);
    assert_eq!(team["config"]["rules"]["protected_branches"], serde_json::json!(["main", "release/*"]));
    insta::assert_snapshot!(force(&["--formation", "peers"]), @"no changes: the team already has these settings");
    insta::assert_snapshot!(force(&["--formation", "captain", "--members", "2", "--vice-captains", "1"]), @r"
    the team file of before is kept as `team.toml.before-5`
    changed formation: peers -> captain
    changed principal: none -> captain
    changed rules.report_required: false -> true
    changed rules.wait_allowed: true -> false
    changed rules.may_merge: collaborator -> captain, vice_captain
    changed rules.guards: F006, RACE-001 -> F001, F003, F004, F005, F006, RACE-001
    removed claude
    removed codex
    removed gem
    added captain: captain (claude)
    added member1: member (claude)
    added member2: member (claude)
    added vice_captain1: vice_captain (claude)
    ");
    assert_eq!(sandbox.json(&["team", "show"])["project"], "New K");
    sandbox.run(&["team", "check"]).success();
}

#[test]
fn agent_named_twice_is_refused() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.run(&["init", "--agents", "claude,Claude"]).shown(), @r"
    --- stderr
    error: --agents names `claude` twice
    hint: name each agent once, such as claude,claude2:claude
    --- exit 2
    ");
    assert!(!sandbox.hub().exists());
}

#[test]
fn a_team_of_clients_that_nobody_knows_is_refused() {
    let sandbox = Sandbox::new();
    let init = |more: &[&str]| sandbox.run(&[&["init", "--formation", "captain"], more].concat());
    insta::assert_snapshot!(init(&["--captain", "2"]).shown(), @"
    --- stderr
    error: there is one captain, and --captain names its client, not 2
    hint: leave it out, or write --captain claude
    --- exit 2
    ");
    insta::assert_snapshot!(init(&["--captain", "cladue"]).shown(), @"
    --- stderr
    error: no client is known as `cladue`
    hint: did you mean claude?
    hint: known are claude, qwen, gemini, copilot, opencode, goose, droid, codex, kimi, kimi-cli, generic
    hint: a profile of your own goes to ~/.config/interagent/profiles
    --- exit 2
    ");
    assert_eq!(init(&["--members", "nosuch:3"]).status, 2);
    let french = init(&["--language", "fr"]);
    assert!(french.stderr.contains("`ja`, `en`, or `ja+`"), "{}", french.stderr);
    assert!(!sandbox.hub().exists(), "nothing was made");
    // A profile of one's own counts, and a client alone is one of it.
    let own = sandbox.home().join(".config/interagent/profiles");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("mine.toml"), "name = \"mine\"\ntitle = \"Mine\"\n").unwrap();
    init(&["--captain", "mine", "--members", "kimi", "--vice-captains", "claude:2"]).success();
    let seats = sandbox.json(&["team", "show"])["config"]["agents"].clone();
    let seats = seats.as_object().unwrap();
    assert_eq!((seats.len(), &seats["captain"]["profile"]), (4, &"mine".into()), "{seats:?}");
    assert_eq!(seats["member1"]["profile"], "kimi");
}

#[test]
fn a_captains_team() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["init", "--formation", "captain", "--vice-captains", "2", "--members", "4"]);
    insta::assert_snapshot!(output.shown(), @r"
    made the hub [sandbox]/project/.interagent
    captain: captain, member1, member2, member3, member4, vice_captain1, vice_captain2
    next: interagent setup
      interagent up
    ");
}

fn repository(directory: &Path) {
    let made = Command::new("git").args(["init", "-q"]).current_dir(directory).status();
    assert!(made.unwrap().success());
}

#[test]
fn a_captains_team_of_several_clients_has_worktrees_beside_the_project() {
    let sandbox = Sandbox::new();
    repository(&sandbox.project());
    let named =
        ["--captain", "codex", "--vice-captains", "2", "--members", "kimi:3,claude:1", "--language", "ja+en"];
    sandbox.run(&[&["init", "--formation", "captain"][..], &named].concat()).success();
    let team = sandbox.json(&["team", "show"])["config"].clone();
    let seats: Vec<String> = team["agents"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, seat)| {
            let word = |key: &str| seat[key].as_str().unwrap_or("-").to_owned();
            format!("{name}: {} {} {}", word("profile"), word("reports_to"), word("worktree"))
        })
        .collect();
    insta::assert_snapshot!(seats.join("\n"), @"
    captain: codex - -
    member1: kimi vice_captain1 ../project.worktrees/member1
    member2: claude vice_captain1 ../project.worktrees/member2
    member3: kimi vice_captain2 ../project.worktrees/member3
    member4: kimi vice_captain2 ../project.worktrees/member4
    vice_captain1: claude captain -
    vice_captain2: claude captain -
    ");
    assert_eq!((&team["language"], &team["rules"]["context_limit"]), (&"ja+en".into(), &30.into()));
    // What was written is what holds.
    let text = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    assert!(text.contains("worktree = \"../project.worktrees/member1\""), "{text}");
    sandbox.run(&["team", "check"]).success();

    let plain = Sandbox::new();
    repository(&plain.project());
    plain.run(&["init", "--formation", "captain", "--members", "2", "--no-worktrees"]).success();
    assert!(!fs::read_to_string(plain.hub().join("team.toml")).unwrap().contains("worktree = \"../"));
    let refused = Sandbox::new().run(&["init", "--members", "kimi:x"]);
    insta::assert_snapshot!(refused.shown(), @"
    --- stderr
    error: invalid value 'kimi:x' for '--members <N>': `x` is no number from 1 on; write 4, or kimi:4 for four of that client

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn init_writes_through_no_link() {
    let sandbox = Sandbox::with_team();
    let victim = sandbox.home().join("victim");
    fs::write(&victim, "mine").unwrap();
    let team = sandbox.hub().join("team.toml");
    fs::remove_file(&team).unwrap();
    symlink(&victim, &team).unwrap();
    let output = sandbox.run(&["init", "--force", "--agents", "kimi"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn first_write_creates_personal_hub() {
    let sandbox = Sandbox::new();
    for (command, status) in [("doctor", 1), ("status", 3), ("whoami", 3), ("inbox", 3), ("summary", 3)] {
        let output = sandbox.run(&[command]);
        let is_made = sandbox.home().join(".interagent").exists();
        assert_eq!((output.status, is_made), (status, false), "{command}: {}", output.shown());
    }
    sandbox.run(&["agent", "register", "kimi", "--profile", "kimi"]).success();
    sandbox.run(&["send", "--to", "kimi", "-m", "hello"]).success();
    assert!(sandbox.home().join(".interagent/state/hub.db").is_file());
    assert!(!sandbox.hub().exists());
}

#[test]
fn without_a_home_there_is_no_personal_hub() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.start().without("HOME").run(&["inbox"]).shown(), @r"
    --- stderr
    error: there is no project hub here, and without HOME there is no personal hub either
    hint: run `interagent init` in a project, set HOME, or name the hub with --hub DIRECTORY or INTERAGENT_HUB
    --- exit 3
    ");
    sandbox.run(&["init"]).success();
    sandbox.start().without("HOME").run(&["inbox"]).success();
}

#[test]
fn a_named_hub_that_is_not_there_is_not_made() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["inbox", "--hub", "elsewhere"]);
    insta::assert_snapshot!(output.shown(), @r"
    --- stderr
    error: there is no hub at `[sandbox]/project/elsewhere/.interagent`
    hint: interagent init --hub [sandbox]/project/elsewhere
    --- exit 3
    ");
    assert!(!sandbox.project().join("elsewhere").exists());
    sandbox.run(&["init", "--hub", "elsewhere"]).success();
    sandbox.run(&["inbox", "--hub", "elsewhere"]).success();
}

#[test]
fn named_project_keeps_its_hub_inside() {
    let sandbox = Sandbox::new();
    for (name, by_variable) in [("empty", false), ("variable", true), ("git", false), ("absent", false)] {
        let project = sandbox.project().join(name);
        if name != "absent" {
            fs::create_dir(&project).unwrap();
        }
        let run = |words: &[&str]| {
            let start = sandbox.start();
            if by_variable {
                return start.env("INTERAGENT_HUB", project.to_str().unwrap()).run(words);
            }
            start.run(&[words, &["--hub", project.to_str().unwrap()]].concat())
        };
        run(&["init"]).success();
        let inside: Vec<_> =
            fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(inside, [".interagent"], "{name}");
        run(&["send", "--to", "kimi", "-m", "hello"]).success();
        assert!(run(&["inbox", "--agent", "kimi"]).success().stdout.contains("hello"), "{name}");
    }
}

/// Whatever the team is: what a newcomer is told to do next can be done.
#[test]
fn what_init_and_register_suggest_works() {
    let teams: [&[&str]; 4] = [
        &["init"],
        &["init", "--mode", "review"],
        &["init", "--formation", "peers", "--agents", "claude,codex"],
        &["init", "--formation", "captain", "--vice-captains", "1", "--members", "2"],
    ];
    for team in teams {
        let sandbox = Sandbox::new();
        let made = sandbox.run(team).success();
        assert_eq!(made.stdout.contains("next: interagent setup\n"), team.contains(&"captain"));
        let registered = sandbox.run(&["agent", "register", "bob", "--profile", "codex"]).success();
        let itself =
            sandbox.as_agent("eve").run(&["agent", "register", "eve", "--profile", "kimi"]).success();
        for (output, who) in [(made, ""), (registered, ""), (itself, "INTERAGENT_AGENT=eve ")] {
            let (_, suggested) = output.stdout.split_once("next: ").expect("something is suggested");
            assert_eq!(suggested.lines().count(), 2, "{suggested}");
            for command in suggested.lines().map(str::trim) {
                // A captain's team is brought up next, which needs its clients.
                if ["interagent setup", "interagent up"].contains(&command) {
                    continue;
                }
                let done = sandbox.start().shell(&format!("{who}{command}")).output().unwrap();
                assert!(
                    done.status.success(),
                    "{team:?}: {command}: {}",
                    String::from_utf8_lossy(&done.stderr)
                );
            }
        }
    }
}

/// Leaves of a hub what a clone brings: no state, and none of the files that are written from it.
fn as_cloned(sandbox: &Sandbox) {
    fs::remove_dir_all(sandbox.hub().join("state")).unwrap();
    fs::remove_file(sandbox.hub().join("session.json")).unwrap();
}

#[test]
fn a_clone_without_state_becomes_a_new_replica_of_the_team() {
    let sandbox = Sandbox::with_team();
    as_cloned(&sandbox);
    let (status, joined) = sandbox.start().answered_at_a_terminal(&["trust"], "y\n");
    assert!(status == 0 && joined.contains("has no state here yet: began the replica "), "{joined}");
    let inbox = sandbox.as_agent("kimi").run(&["inbox"]).success();
    assert_eq!(inbox.stderr, "");
}

#[test]
fn problems_of_a_team_file_have_their_places() {
    let sandbox = Sandbox::with_team();
    assert_eq!(sandbox.run(&["team", "check"]).shown(), "ok: .interagent/team.toml\n");
    fs::write(sandbox.hub().join("team.toml"), "project = \"p\"\nformation = \"trio\"\n").unwrap();
    insta::assert_snapshot!(sandbox.run(&["team", "check"]).shown(), @r"
    .interagent/team.toml:2:13: formation: `trio` is not one of duo, peers, captain.
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.operator().run(&["team", "take"]).shown(), @r"
    --- stderr
    error: `.interagent/team.toml` can't be taken in as it is
    hint: .interagent/team.toml:2:13: formation: `trio` is not one of duo, peers, captain.
    --- exit 2
    ");
    assert_eq!(sandbox.json(&["team", "show"])["formation"], "duo");
}

#[test]
fn the_team_file_decides_which_client_an_agent_is() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "kimi", "--description", "Writes the parser."]).success();
    let file = sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("profile = \"kimi\"", "profile = \"codex\"")).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    let agent = sandbox.json(&["agent", "show", "kimi"]);
    assert_eq!((&agent["profile"], &agent["description"]), (&"codex".into(), &"Writes the parser.".into()));
    let written = sandbox.json(&["log"])["items"].as_array().unwrap().len();
    sandbox.operator().run(&["team", "take"]).success();
    assert_eq!(sandbox.json(&["log"])["items"].as_array().unwrap().len(), written, "nothing is left to say");
}

#[test]
fn a_directory_that_was_deleted_is_named() {
    let sandbox = Sandbox::new();
    let gone = sandbox.project().join("gone");
    fs::create_dir(&gone).unwrap();
    let output = std::process::Command::new("sh")
        .args(["-c", "cd \"$1\" && rmdir \"$1\" && \"$2\" inbox", "sh"])
        .arg(&gone)
        .arg(sandbox.start().command(&[]).get_program())
        .env_clear()
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.contains("the working directory was deleted"), "{words}");
}

#[test]
fn where_there_is_no_hub_at_all_the_hint_makes_one_for_this_project() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run(&["ps"]);
    assert_eq!(refused.status, 3, "{}", refused.shown());
    assert!(refused.stderr.contains("hint: interagent init makes one"), "{}", refused.shown());
    sandbox.run(&["init"]).success();
    sandbox.run(&["ps"]).success();
}

#[test]
fn a_client_or_a_model_that_could_not_be_started_is_told_before() {
    let sandbox = Sandbox::with_team();
    let file = sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("profile = \"kimi\"", "profile = \"nix\"\nmodel = \"--dangerous\"");
    fs::write(&file, text).unwrap();
    insta::assert_snapshot!(sandbox.run(&["team", "check"]).shown(), @r"
    ok: .interagent/team.toml
    warning: kimi is a nix, and there is no profile `nix`; put one into ~/.config/interagent/profiles/nix.toml; those of a project need interagent trust
    warning: the model of kimi begins with `-`
    ");
    let joined = sandbox.run(&["join", "--name", "h2", "--profile", "nope"]);
    insta::assert_snapshot!(joined.shown(), @r"
    --- stderr
    error: no client is known as `nope`
    hint: known are claude, qwen, gemini, copilot, opencode, goose, droid, codex, kimi, kimi-cli, generic
    hint: a profile of your own goes to ~/.config/interagent/profiles
    --- exit 2
    ");
    assert_eq!(sandbox.run(&["agent", "show", "h2"]).status, 3, "nobody was registered");
    let name = Sandbox::new().run(&["init", "--agents", "bad!name"]);
    assert_eq!(name.stderr.matches("would work").count(), 1, "{}", name.stderr);
}

#[test]
fn force_keeps_the_other_seats_of_a_chain() {
    let sandbox = Sandbox::new();
    let init = ["init", "--vice-captains", "1", "--members", "kimi:1,claude:1", "--no-worktrees"];
    sandbox.run(&init).success();
    let file = sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("[agents.member1]", "[agents.member1]\nmodel = \"k2\"", 1)).unwrap();
    sandbox.run(&["team", "take"]).success();
    let force = |options: &[&str]| {
        let shown = sandbox.run(&[&["init", "--force"], options].concat()).success().stderr;
        shown.lines().filter(|line| !line.contains("is kept as")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(force(&["--captain", "codex"]), @"changed captain.profile: claude -> codex");
    insta::assert_snapshot!(force(&["--members", "4"]), @r"
    added member3: member (claude)
    added member4: member (claude)
    ");
    insta::assert_snapshot!(force(&["--vice-captains", "2"]), @"added vice_captain2: vice_captain (claude)");
    insta::assert_snapshot!(force(&["--members", "claude:2,kimi:2"]), @r"
    changed member4.profile: claude -> kimi
    changed member4.reports_to: vice_captain1 -> vice_captain2
    ");
    insta::assert_snapshot!(force(&["--vice-captains", "1"]), @r"
    removed vice_captain2
    changed member4.reports_to: vice_captain2 -> vice_captain1
    ");
    assert!(fs::read_to_string(&file).unwrap().contains("model = \"k2\""), "member1 keeps its settings");
    sandbox.run(&["team", "check"]).success();
}

#[test]
fn force_restores_rules_of_a_formation() {
    let sandbox = Sandbox::with_team();
    let before = sandbox.json(&["team", "show"])["config"].clone();
    sandbox.run(&["init", "--force", "--mode", "peer"]).success();
    sandbox.run(&["init", "--force", "--mode", "hierarchical", "--principal", "claude"]).success();
    assert_eq!(sandbox.json(&["team", "show"])["config"], before);
    let without = sandbox.run(&["init", "--force", "--agents", "kimi,codex"]);
    insta::assert_snapshot!(without.shown(), @r"
    --- stderr
    error: claude is the principal, and --agents leaves it out
    hint: add claude to --agents, or name another principal with --principal NAME
    --- exit 2
    ");
}
