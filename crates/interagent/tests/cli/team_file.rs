//! Edits of the team file: `init --force` leaves pending ones alone, `status` reports them.

use std::fs;
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;

fn text(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.hub().join("team.toml")).unwrap()
}

/// Edits the team file without applying it.
fn edit(sandbox: &Sandbox, change: impl FnOnce(String) -> String) {
    fs::write(sandbox.hub().join("team.toml"), change(text(sandbox))).unwrap();
}

fn git(directory: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let done = Command::new("git").args(identity).args(words).current_dir(directory).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn force_applies_only_its_options() {
    let sandbox = Sandbox::with_team();
    edit(&sandbox, |text| {
        text.replace("max_hops = 20", "max_hops = 7").replace("display = \"silent\"", "display = \"shout\"")
            + "\n[agents.gem]\nprofile = \"gemini\"\nrole = \"reviewer\"\nauto_approve = true\n"
    });
    let edited = text(&sandbox);
    for line in [&["init", "--force", "--language", "ja"][..], &["init", "--force"]] {
        let refused = sandbox.run(line);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.shown(), @r"
            --- stderr
            error: team.toml has edits that are not applied: changed display: silent -> shout; changed rules.max_hops: 20 -> 7; added gem: reviewer (gemini), auto_approve
            hint: interagent team take applies them; then run this command again
            --- exit 1
            ");
        }
    }
    assert_eq!(text(&sandbox), edited);
    assert_eq!(sandbox.json(&["team", "show"])["config"]["rules"]["max_hops"], 20);

    sandbox.operator().run(&["team", "take"]).success();
    let forced = sandbox.run(&["init", "--force", "--language", "ja"]).success();
    insta::assert_snapshot!(forced.stderr, @r"
    the team file of before is kept as `team.toml.before`
    changed language: en -> ja
    ");
    assert!(!sandbox.run(&["init", "--force"]).success().stderr.contains("changed"));
}

#[test]
fn force_keeps_comments_above_agents() {
    let sandbox = Sandbox::with_team();
    edit(&sandbox, |text| text.replace("[agents.kimi]", "# Since May.\n\n# Fast.\n[agents.kimi]"));
    let explained = "# The agents, one table each.";
    assert!(text(&sandbox).contains(explained));
    sandbox.run(&["init", "--force", "--principal", "codex", "--agents", "codex,gemini"]).success();
    let after = text(&sandbox);
    let at = |words: &str| after.find(words).unwrap_or_else(|| panic!("{words} is gone: {after}"));
    assert!(at("# The agents") < at("# Since May.") && at("# Since May.") < at("[agents.codex]"), "{after}");
    assert!(!after.contains("# Fast."), "a comment of a removed agent goes with it: {after}");

    sandbox.run(&["init", "--force", "--formation", "captain", "--members", "1"]).success();
    let after = text(&sandbox);
    let at = |words: &str| after.find(words).unwrap_or_else(|| panic!("{words} is gone: {after}"));
    assert!(at("# The agents") < at("[agents.captain]"), "{after}");
    sandbox.run(&["team", "check"]).success();
}

/// A seat added by hand at the end of the file has the last comment of the table before it above its header.
#[test]
fn force_keeps_comments_below_their_table() {
    let sandbox = Sandbox::with_team();
    let seat = "\n# Since June.\n[agents.codex]\nprofile = \"codex\"\nrole = \"collaborator\"\n";
    edit(&sandbox, |text| text + seat);
    sandbox.operator().run(&["team", "take"]).success();
    let lines = |text: &str, part: &str| {
        let from = text.find(part).unwrap_or_else(|| panic!("{part} is gone: {text}"));
        text[from..].lines().take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = lines(&text(&sandbox), "[notifications]");
    assert!(before[3].starts_with("# ntfy_topic"), "{before:?}");
    sandbox.run(&["init", "--force", "--formation", "captain", "--members", "1"]).success();
    let after = text(&sandbox);
    assert_eq!(lines(&after, "[notifications]"), before, "{after}");
    assert!(!after.contains("# Since June.") && after.contains("[agents.captain]"), "{after}");
    sandbox.run(&["team", "check"]).success();
}

#[test]
fn status_reports_unapplied_edits() {
    let sandbox = Sandbox::with_team();
    let status = || sandbox.run(&["status"]).success().stdout;
    assert!(!status().contains("team.toml"));
    edit(&sandbox, |text| format!("{text}\n# only a comment\n"));
    assert!(!status().contains("team.toml"), "a comment changes nothing");
    edit(&sandbox, |text| text.replace("max_hops = 20", "max_hops = 7"));
    let shown = status();
    assert!(
        shown.contains("note: team.toml has changes that are not applied; run `interagent team take`"),
        "{shown}"
    );
    let document = sandbox.run(&["status", "--json"]).success().stdout;
    assert!(document.contains("team.toml has changes that are not applied"), "{document}");
    edit(&sandbox, |text| text.replace("max_hops = 7", "max_hops = many"));
    let shown = status();
    assert!(
        shown.contains("team.toml has 1 problem and is not applied; run `interagent team check`"),
        "{shown}"
    );
    edit(&sandbox, |text| text.replace("max_hops = many", "max_hops = 20"));
    assert!(!status().contains("team.toml"));
}

#[test]
fn init_warns_of_missing_commit() {
    let sandbox = Sandbox::new();
    git(&sandbox.project(), &["init", "-q"]);
    let init = ["init", "--formation", "captain", "--members", "1"];
    let made = sandbox.run(&init).success();
    insta::assert_snapshot!(made.shown(), @r"
    made the hub [sandbox]/project/.interagent
    captain: captain, member1, vice_captain1
    next: interagent setup
      interagent up
    --- stderr
    warning: `interagent up` can't create worktrees yet: the repository [sandbox]/project has no commit yet
    hint: git commit --allow-empty -m 'Initial commit'
    ");
    git(&sandbox.project(), &["commit", "-q", "--allow-empty", "-m", "Initial commit"]);
    let again = sandbox.run(&[&init[..], &["--force"]].concat()).success();
    assert!(!again.stderr.contains("commit"), "{}", again.stderr);
    // Without worktrees nobody needs a commit.
    let plain = Sandbox::new();
    git(&plain.project(), &["init", "-q"]);
    let made = plain.run(&[&init[..], &["--no-worktrees"]].concat()).success();
    assert_eq!(made.stderr, "");
}

#[test]
fn reserved_names_take_no_new_seat() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run(&["init", "--agents", "claude,server:generic"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: `server` is reserved: it means somebody else than an agent.
    hint: `server-agent` would work.
    --- exit 2
    ");
    assert!(!sandbox.hub().exists());
    let sandbox = Sandbox::with_team();
    let kept = text(&sandbox);
    edit(&sandbox, |text| text + "\n[agents.admin]\nprofile = \"claude\"\nrole = \"reviewer\"\n");
    let checked = sandbox.run(&["team", "check"]).success().stdout;
    assert!(checked.contains("warning: `admin` is reserved"), "{checked}");
    for words in [&["team", "take"][..], &["agent", "rename", "kimi", "everyone"]] {
        let refused = sandbox.run(words);
        assert!(refused.status == 2 && refused.stderr.contains("is reserved"), "{}", refused.shown());
    }
    assert_eq!(sandbox.json(&["agent", "list"])["items"].as_array().unwrap().len(), 3, "nobody was added");
    edit(&sandbox, |_| kept);
    sandbox.operator().run(&["team", "take"]).success();
}
