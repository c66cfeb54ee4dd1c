//! Agents with a worktree of their own are connected there: what setup did in the project, hidden from git, and undone with it.

use std::path::PathBuf;
use std::process::Command;

use interagent_testkit::sandbox::Output;

use super::Machine;

/// A captain's team in a repository, with a worktree for each member.
struct Team {
    machine: Machine,
}

impl Team {
    fn of(members: &str) -> Self {
        let machine = Machine::with(&["claude", "kimi", "codex"]);
        let team = Self { machine };
        team.git(&["init", "-q", "-b", "main"]);
        team.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        let init = ["init", "--formation", "captain", "--vice-captains", "1", "--members", members];
        team.run(&init).success();
        team
    }

    fn run(&self, words: &[&str]) -> Output {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.machine.programs.display());
        self.machine.sandbox.start().env("PATH", &path).run(words)
    }

    fn tree(&self, member: &str) -> PathBuf {
        self.machine.sandbox.project().with_file_name("project.worktrees").join(member)
    }

    fn git_in(&self, directory: PathBuf, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(words).current_dir(directory);
        let output = git.env("HOME", self.machine.sandbox.home()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn git(&self, words: &[&str]) -> String {
        self.git_in(self.machine.sandbox.project(), words)
    }

    /// What git would let somebody commit by accident.
    fn seen_by_git(&self, member: &str) -> String {
        self.git(&["status", "--porcelain"]) + &self.git_in(self.tree(member), &["status", "--porcelain"])
    }

    fn doctor(&self) -> String {
        self.run(&["doctor"]).stdout
    }

    /// Every file of ours in a member's worktree.
    fn files(&self, member: &str) -> Vec<String> {
        let tree = self.tree(member);
        let mut found = Vec::new();
        let mut directories = vec![tree.clone()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => directories.push(path),
                    false => found.push(path.strip_prefix(&tree).unwrap().display().to_string()),
                }
            }
        }
        found.retain(|path| path != ".git");
        found.sort();
        found
    }
}

#[test]
fn worktree_gets_what_setup_did() {
    let team = Team::of("claude:1,kimi:1");
    team.run(&["setup", "claude", "kimi", "--yes"]).success();
    for member in ["member1", "member2"] {
        let joined = team.run(&["join", "--name", member]).success();
        assert!(!joined.stderr.contains("is not connected"), "{}", joined.stderr);
    }
    let claude = [".claude/settings.local.json", ".claude/skills/interagent/SKILL.md", "CLAUDE.local.md"];
    let kimi = [".agents/skills/interagent/SKILL.md", ".kimi-code/mcp.json"];
    let profile =
        |member: &str| team.run(&["ps", member, "--json"]).stdout.contains("\"profile\":\"claude\"");
    for member in ["member1", "member2"] {
        let wanted: &[&str] = if profile(member) { &claude } else { &kimi };
        assert_eq!(team.files(member), wanted, "{member}");
        assert_eq!(team.seen_by_git(member), "", "{member}");
        // Both clients get our server, one of them on its command line, so no text names a command.
        for file in wanted.iter().filter(|file| file.ends_with(".md")) {
            let text = std::fs::read_to_string(team.tree(member).join(file)).unwrap();
            assert!(text.contains("send_message") && !text.contains("interagent send"), "{file}: {text}");
        }
    }
    // Claude Code asks about every .mcp.json of a new directory, so it gets the server on its command line.
    let shown = team.run(&["up", "--dry-run", "--json"]).stdout;
    let file = team.machine.sandbox.hub().canonicalize().unwrap().join("state/launch/claude.mcp.json");
    assert_eq!(shown.matches("--mcp-config").count(), 1, "{shown}");
    let listed: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(listed["mcpServers"]["interagent"]["args"][0], "mcp");
    let doctor = team.doctor();
    assert_eq!(doctor.matches("is connected in").count(), 2, "{doctor}");
    // Doing it again changes nothing.
    assert!(team.run(&["setup", "claude", "kimi"]).success().stdout.contains("everything is set up already"));
}

#[test]
fn doctor_names_a_deaf_seat_and_setup_repairs_it() {
    let team = Team::of("claude:1");
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let settings = team.tree("member1").join(".claude/settings.local.json");
    let whole = std::fs::read_to_string(&settings).unwrap();
    std::fs::remove_file(&settings).unwrap();
    let found = team.doctor();
    assert!(found.contains("member1 gets no mail, briefing or guard"), "{found}");
    assert!(found.contains("interagent setup claude"), "{found}");
    let canary = team.run(&["doctor", "--canary"]).stdout;
    assert!(canary.contains("Claude Code (member1)") && canary.contains("NO"), "{canary}");
    team.run(&["setup", "claude", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), whole);
    assert!(team.doctor().contains("member1: Claude Code is connected in"), "{}", team.doctor());
    assert!(!team.run(&["doctor", "--canary"]).stdout.contains("NO"));
}

#[test]
fn worktree_gets_no_more_than_the_person_agreed_to() {
    let team = Team::of("claude:1,kimi:1");
    team.run(&["setup", "kimi", "--yes"]).success();
    let mut notes = String::new();
    for member in ["member1", "member2"] {
        notes += &team.run(&["join", "--name", member]).success().stderr;
    }
    assert!(notes.contains("Claude Code is not connected in"), "{notes}");
    assert!(notes.contains("interagent setup claude"), "{notes}");
    let written = [team.files("member1"), team.files("member2")].concat();
    assert!(!written.iter().any(|path| path.contains("claude")), "{written:?}");
    assert!(written.iter().any(|path| path == ".kimi-code/mcp.json"), "{written:?}");
}

#[test]
fn undo_leaves_no_trace_in_worktrees() {
    let team = Team::of("claude:1");
    let exclude = team.machine.sandbox.project().join(".git/info/exclude");
    let before = std::fs::read_to_string(&exclude).unwrap_or_default();
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let settings = team.tree("member1").join(".claude/settings.local.json");
    assert!(settings.is_file());
    assert!(std::fs::read_to_string(&exclude).unwrap().contains("\n/.claude/settings.local.json\n"));
    team.run(&["setup", "--undo", "--yes"]).success();
    assert_eq!(team.files("member1"), Vec::<String>::new());
    assert!(!team.tree("member1").join(".claude").exists());
    assert_eq!(std::fs::read_to_string(&exclude).unwrap_or_default(), before);
    assert!(!team.machine.sandbox.hub().join("state/launch/claude.mcp.json").exists());

    // The same where the worktree was deleted.
    team.run(&["setup", "claude", "--yes"]).success();
    assert!(settings.is_file(), "setup connects worktrees that are there");
    std::fs::remove_dir_all(team.tree("member1")).unwrap();
    team.run(&["setup", "--undo", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&exclude).unwrap_or_default(), before);
    let records = team.machine.sandbox.hub().join("state/setup");
    assert!(!records.exists(), "{:?}", std::fs::read_dir(records).map(Iterator::count));
}

#[test]
fn tracked_files_are_left_alone() {
    let team = Team::of("kimi:1");
    team.machine.put("AGENTS.md", "# Rules\n");
    team.git(&["add", "AGENTS.md"]);
    team.git(&["commit", "-q", "-m", "rules"]);
    team.run(&["setup", "kimi", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    assert_eq!(std::fs::read_to_string(team.tree("member1").join("AGENTS.md")).unwrap(), "# Rules\n");
    assert_eq!(team.git_in(team.tree("member1"), &["status", "--porcelain"]), "");
    assert!(team.doctor().contains("is connected in"), "{}", team.doctor());
}

#[test]
fn tracked_hook_file_is_named_with_its_remedy() {
    let team = Team::of("claude:1");
    team.machine.put(".claude/settings.local.json", "{}\n");
    team.git(&["add", "-f", ".claude/settings.local.json"]);
    team.git(&["commit", "-q", "-m", "settings"]);
    team.run(&["setup", "claude", "--yes"]).success();
    let joined = team.run(&["join", "--name", "member1"]).success().stderr;
    let remedy = "rm --cached .claude/settings.local.json, then interagent setup claude";
    assert!(joined.contains(remedy), "{joined}");
    let again = team.run(&["setup", "claude", "--yes"]);
    assert!(again.shown().contains(remedy), "{}", again.shown());
    assert!(team.doctor().contains(remedy), "{}", team.doctor());
    team.git_in(team.tree("member1"), &["rm", "-q", "--cached", ".claude/settings.local.json"]);
    team.run(&["setup", "claude", "--yes"]).success();
    assert!(team.doctor().contains("member1: Claude Code is connected in"), "{}", team.doctor());
}

#[test]
fn print_shows_changes_in_worktrees() {
    let team = Team::of("claude:1");
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let print = || team.run(&["setup", "claude", "--print"]).success().stdout;
    assert!(!print().contains("connects member1"), "{}", print());
    std::fs::remove_file(team.tree("member1").join(".claude/settings.local.json")).unwrap();
    let shown = print();
    let place = team.tree("member1").display().to_string();
    assert!(shown.contains(&format!("connects member1 in {place}, too: 1 file")), "{shown}");
    assert!(shown.contains(&format!("+++ {place}/.claude/settings.local.json")), "{shown}");
    team.run(&["setup", "--undo", "--yes"]).success();
    let first = print();
    assert!(first.contains(&format!("+++ {place}/.claude/settings.local.json")), "{first}");
}

#[test]
fn moved_program_is_followed_in_worktrees() {
    let team = Team::of("claude:1");
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let settings = team.tree("member1").join(".claude/settings.local.json");
    let whole = std::fs::read_to_string(&settings).unwrap();
    let moved = whole.replace("/interagent\"", "/elsewhere/interagent\"");
    assert_ne!(moved, whole);
    std::fs::write(&settings, &moved).unwrap();
    assert!(team.doctor().contains("hooks out of date in"), "{}", team.doctor());
    team.run(&["setup", "claude", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), whole);
}

#[test]
fn setup_hides_its_files_from_git() {
    let machine = Machine::with(&["claude", "gemini"]);
    let team = Team { machine };
    team.git(&["init", "-q", "-b", "main"]);
    let shown = team.run(&["setup", "--yes"]).success().stdout;
    assert!(shown.contains("from git (.git/info/exclude)"), "{shown}");
    assert_eq!(team.git(&["status", "--porcelain"]), "");
    // A file that a person writes into is theirs to commit.
    let rules = team.machine.text("GEMINI.md") + "\nRun the tests.\n";
    team.machine.put("GEMINI.md", &rules);
    team.run(&["status"]).success();
    assert_eq!(team.git(&["status", "--porcelain"]), "?? GEMINI.md\n");
}

#[test]
fn hook_shows_git_what_the_person_wrote() {
    let team = Team::of("kimi:1");
    team.run(&["setup", "kimi", "--yes"]).success();
    assert_eq!(team.git(&["status", "--porcelain"]), "");
    team.machine.put("AGENTS.md", "# Mine\n");
    let event = r#"{"session_id":"k1","prompt":"go on"}"#;
    team.machine.sandbox.start().stdin(event).run(&["hook", "kimi", "UserPromptSubmit"]).success();
    assert_eq!(team.git(&["status", "--porcelain"]), "?? AGENTS.md\n");
}

#[test]
fn worktrees_hide_no_file_of_the_person() {
    let team = Team::of("kimi:1");
    for file in ["AGENTS.md", ".kimi-code/mcp.json"] {
        team.machine.put(file, if file == "AGENTS.md" { "# Mine\n" } else { "{\"mcpServers\": {}}\n" });
    }
    let untracked = ["status", "--porcelain", "--untracked-files=all"];
    let before = team.git(&untracked);
    team.run(&["setup", "kimi", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    assert!(team.tree("member1").join(".kimi-code/mcp.json").is_file());
    assert_eq!(team.git(&untracked), before);
    assert_eq!(before, "?? .kimi-code/mcp.json\n?? AGENTS.md\n");
}

#[test]
fn promoted_skill_reaches_worktrees() {
    let team = Team::of("claude:1");
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let sandbox = &team.machine.sandbox;
    let vice = sandbox.as_agent("vice_captain1");
    vice.run(&["task", "create", "Part", "--assignee", "member1", "--alias", "part"]).success();
    let member = sandbox.as_agent("member1");
    let report = ["report", "part", "done", "--summary", "done", "--purpose-met", "--skill", "token-tests"];
    let more = ["--skill-description", "makes cases", "--skill-reason", "used twice"];
    member.run(&[&report[..], &more[..]].concat()).success();
    team.run(&["skill", "promote", "token-tests"]).success();
    let place = ".claude/skills/token-tests/SKILL.md";
    let there = team.tree("member1").join(place);
    assert_eq!(std::fs::read_to_string(&there).unwrap(), team.machine.text(place));
    assert_eq!(team.git_in(team.tree("member1"), &["status", "--porcelain"]), "");
    team.run(&["skill", "reject", "token-tests", "--reason", "too small"]).success();
    assert!(!there.exists() && !sandbox.project().join(place).exists());
}

/// Claude Code without a model: it notes where it works and what it was given.
const HEADLESS: &str = r#"#!/bin/sh
pwd > "$HOME/directory"
printf '%s\n' "$@" > "$HOME/words"
echo '{"type":"result","result":"Done."}'
"#;

#[test]
fn headless_run_works_in_the_worktree() {
    let team = Team::of("claude:1");
    team.machine.install("claude", HEADLESS);
    team.run(&["setup", "claude", "--yes"]).success();
    let refused = team.run(&["run", "member1"]);
    assert!(refused.stderr.contains("nothing waits for member1"), "{}", refused.shown());
    assert!(!team.tree("member1").exists(), "a refused run creates no worktree");

    let run = team.run(&["run", "member1", "--prompt", "Look around."]).success();
    assert!(run.stderr.contains("member1: made "), "{}", run.stderr);
    let told = |name: &str| std::fs::read_to_string(team.machine.sandbox.home().join(name)).unwrap();
    let tree = team.tree("member1").canonicalize().unwrap();
    assert_eq!(told("directory"), format!("{}\n", tree.display()));
    // It is connected there as `up` would do it, and its prompt names the tools that it has.
    let connected = [".claude/settings.local.json", ".claude/skills/interagent/SKILL.md", "CLAUDE.local.md"];
    assert_eq!(team.files("member1"), connected);
    assert_eq!(team.seen_by_git("member1"), "");
    let words = told("words");
    let file = team.machine.sandbox.hub().canonicalize().unwrap().join("state/launch/claude.mcp.json");
    assert!(words.contains(&format!("\n--mcp-config\n{}\n", file.display())), "{words}");
    assert!(words.contains("mcp__interagent__") && !words.contains("interagent send"), "{words}");

    // The second run finds it all. An agent without a directory of its own works in the project.
    let again = team.run(&["run", "member1", "--prompt", "Look again."]).success();
    assert!(!again.stderr.contains("made "), "{}", again.stderr);
    let vice = team.run(&["ps", "vice_captain1", "--json"]).stdout;
    assert!(vice.contains("\"profile\":\"claude\""), "{vice}");
    let below = team.machine.sandbox.project().join("src");
    std::fs::create_dir(&below).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", team.machine.programs.display());
    let inside = team.machine.sandbox.start().env("PATH", &path).within(&below);
    inside.run(&["run", "vice_captain1", "--prompt", "Look."]).success();
    let project = team.machine.sandbox.project().canonicalize().unwrap();
    assert_eq!(told("directory"), format!("{}\n", project.display()));
    assert!(!told("words").contains("--mcp-config"), "{}", told("words"));
}

#[test]
fn undo_without_a_hub_shows_git_everything() {
    let team = Team { machine: Machine::with(&["claude", "kimi"]) };
    team.git(&["init", "-q", "-b", "main"]);
    let exclude = team.machine.sandbox.project().join(".git/info/exclude");
    let before = std::fs::read_to_string(&exclude).unwrap_or_default();
    team.run(&["setup", "--yes"]).success();
    std::fs::remove_dir_all(team.machine.sandbox.hub()).unwrap();
    team.run(&["setup", "kimi", "--undo", "--yes"]).success();
    let left = std::fs::read_to_string(&exclude).unwrap();
    assert!(left.contains("\n/.mcp.json\n") && !left.contains("/.kimi-code/mcp.json"), "{left}");
    let shown = team.run(&["setup", "--undo", "--yes"]).success().stdout;
    assert!(!shown.contains("the hub"), "{shown}");
    assert_eq!(std::fs::read_to_string(&exclude).unwrap(), before);
    team.machine.put("CLAUDE.md", "# Mine\n");
    assert_eq!(team.git(&["status", "--porcelain"]), "?? CLAUDE.md\n");
}

#[test]
fn undo_leaves_committed_files_alone() {
    let team = Team::of("kimi:1");
    team.run(&["setup", "kimi", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let tree = team.tree("member1");
    team.git_in(tree.clone(), &["add", "-f", ".kimi-code/mcp.json"]);
    team.git_in(tree.clone(), &["commit", "-q", "-m", "server"]);
    let shown = team.run(&["setup", "--undo", "--yes"]).success().stdout;
    assert_eq!(team.git_in(tree, &["status", "--porcelain"]), "", "{shown}");
    assert_eq!(team.files("member1"), [".kimi-code/mcp.json"]);
}

#[test]
fn setup_connects_only_clients_of_the_team() {
    let team = Team::of("claude:1");
    let shown = team.run(&["setup", "--yes"]).success().stdout;
    assert_eq!(team.machine.profiles(), ["captain", "member1", "vice_captain1"]);
    assert!(shown.contains("not on the team: codex, kimi"), "{shown}");
    assert!(!team.machine.sandbox.home().join(".codex").exists(), "{shown}");
    // A client that is named gets what it is named for.
    team.run(&["setup", "codex", "--yes"]).success();
    assert!(team.machine.profiles().contains(&"codex".to_owned()));
}

#[test]
fn doctor_names_a_file_of_a_worktree_once() {
    let team = Team::of("claude:1");
    team.run(&["setup", "claude", "--yes"]).success();
    team.run(&["join", "--name", "member1"]).success();
    let skill = team.tree("member1").join(".claude/skills/interagent/SKILL.md");
    std::fs::remove_file(&skill).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", team.machine.programs.display());
    let run = team.machine.sandbox.start().env("PATH", &path).within(&team.tree("member1"));
    let shown = run.run(&["doctor"]).stdout.replace("\n      ", " ");
    assert_eq!(shown.matches("skill missing in").count(), 1, "{shown}");
}
