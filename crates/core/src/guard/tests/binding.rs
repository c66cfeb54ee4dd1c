//! Which roles each rule binds, by formation.

use serde_json::json;

use super::rules::work;
use super::*;
use crate::team::CommitGuard;
use crate::vocabulary::TaskStatus;

#[test]
fn f006_binds_where_there_are_branches_to_protect() {
    let mut team = TeamConfig::usual_duo("p");
    assert_eq!(rules_of(Some(&team), Bound::Agent), [Guard::Race001]);
    team.rules.protected_branches.insert("main".to_owned());
    assert_eq!(rules_of(Some(&team), Bound::Agent), [Guard::F006, Guard::Race001]);
    team.rules.commit_guard = CommitGuard::Everyone;
    assert_eq!(rules_of(Some(&team), Bound::PersonAtGit), [Guard::F006, Guard::Race001]);
    assert_eq!(rules_of(Some(&team), Bound::Person), []);
}

#[test]
fn captain_reads_orders_dashboard_and_context_only() {
    let mut case = Case::of("captain").at("/p");
    let order = |worker: &str, giver: &str| Work {
        id: "task-1".to_owned(),
        worker: Some(name(worker)),
        giver: Some(name(giver)),
        status: TaskStatus::InProgress,
        branch: None,
        is_own_order: false,
        is_asked: false,
    };
    case.owners.insert("order.json".to_owned(), order("vice_captain1", "captain"));
    case.owners.insert("part.json".to_owned(), order("member1", "vice_captain1"));
    for command in [
        "cat src/main.rs",
        "head -n 20 README.md",
        "grep -rn parse",
        "grep -n parse src/a.rs",
        "rg parse src",
        "rg parse",
        "rg -n parse",
        "ag parse",
        "ack parse",
        "rg --files",
        "grep -eparse src/a.rs",
        "grep -ne parse src/a.rs",
        "sed -e1p src/a.rs",
        "sed -ne 1p src/a.rs",
        "git blame -s src/a.rs",
        "git annotate src/a.rs",
        "sed -n 1,20p src/a.rs",
        "less < src/a.rs",
        "cd src && awk '{print}' a.rs",
        "git show HEAD",
        "git -C /wt diff",
        "cat .interagent/messages/pending/x.json",
        "jq . .interagent/log/x.jsonl",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F001), "{command}");
    }
    for command in [
        "cat .interagent/dashboard.md .interagent/team.toml",
        "cat .interagent/shared/context.md",
        "cat .interagent/tasks/active/order.json",
        "cat CLAUDE.md .claude/skills/x/SKILL.md",
        "cat /tmp/notes ~/.claude/settings.json /dev/null",
        "git log --oneline | head -n 5",
        "git diff --stat main..HEAD",
        "ls -R src; find . -name '*.rs'",
        "interagent summary | grep login",
        "interagent summary | rg login",
        "interagent summary | grep -ne login",
        "echo x | cat -",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    assert_eq!(case.rule("cat .interagent/tasks/active/part.json"), None, "as `task show` does");
    assert_eq!(case.rule("cat .interagent/tasks/active/*"), None);
    for (tool, input) in [
        ("Read", json!({ "file_path": "/p/src/a.rs" })),
        ("ReadFile", json!({ "path": "/wt/a" })),
        ("Grep", json!({ "pattern": "x" })),
    ] {
        let read = Action::of(tool, &input, Subagents::default());
        let judgement = case.judge(&read);
        let denial = judgement.denial().unwrap();
        assert_eq!(denial.rule, Rule::F001, "{tool}");
        assert!(denial.way_out.starts_with("Have it looked into: `interagent delegate --to vice_captain1"));
    }
    for other in ["vice_captain1", "member1"] {
        assert_eq!(Case::of(other).at("/p").rule("cat src/main.rs"), None, "{other}");
    }
}

#[test]
fn member_without_a_task_changes_nothing() {
    let idle = Case { has_task: Some(false), ..Case::of("member1") };
    for command in ["echo x > a.rs", "git apply x.patch", "cargo fmt"] {
        assert_eq!(idle.rule(command), Some(Rule::F003), "{command}");
    }
    let judgement = idle.judge(&Action::command("echo x > a.rs"));
    insta::assert_snapshot!(judgement.denial().unwrap().text(), @r#"F003: `echo x > a.rs` would change files, and no task is assigned to you. Get a task first. Ask vice_captain1, your superior: `interagent send --to vice_captain1 -m "..."`."#);
    for command in ["cat a.rs", "cargo test", "echo x > /tmp/y", "git commit -m x"] {
        assert_eq!(idle.rule(command), None, "{command}");
    }
    assert_eq!(Case { has_task: Some(true), ..Case::of("member1") }.rule("echo x > a.rs"), None);
}

#[test]
fn rules_of_a_chain_bind_nobody_elsewhere() {
    for mut team in [TeamConfig::usual_duo("p"), TeamConfig::peers("p", [])] {
        team.rules.guards = Guard::ALL.iter().copied().collect();
        for role in [Role::Captain, Role::ViceCaptain, Role::Member] {
            let case = Case { team: team.clone(), role, has_task: Some(false), ..Case::of("member1") };
            for command in ["echo x > a.rs", "cat a.rs", "cargo test"] {
                assert_eq!(case.rule(command), None, "{role} {command}");
            }
        }
    }
}

#[test]
fn f003_directories_hold_work_of_others() {
    let case = Case::of("member1").at("/p");
    for command in [
        "cat .interagent/messages/archive/2026-11.jsonl",
        "cat .interagent/*/pending/*.json",
        "cat .interagent/*/*/*.json",
        "grep -r SECRET .interagent",
        "tar cf /tmp/x.tar .interagent/",
        "cp -r .interagent /tmp/y",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F003), "{command}");
    }
    for command in ["cat .interagent/*.md", "ls -R .interagent", "grep -r SECRET ."] {
        assert_eq!(case.rule(command), None, "{command}");
    }
}

#[test]
fn f003_messages_about_others_work_are_not_looked_into() {
    let mut case = Case::of("member1").at("/p");
    let mut message = |file: &str, parties: &[&str]| {
        let parties = parties.iter().copied().map(name).collect();
        let work = work("x", "member2", TaskStatus::InProgress);
        case.messages.insert(file.to_owned(), WorkMessage { parties, work });
    };
    message("theirs.json", &["vice_captain1", "member2"]);
    message("mine.json", &["member2", "member1"]);
    for command in [
        "cat .interagent/messages/pending/theirs.json",
        "cd .interagent/messages/archive && jq . theirs.json",
        "cat .interagent/messages/pending/*.json",
        "grep -r x .interagent/messages",
        "cp .interagent/messages/pending/theirs.json /tmp/x",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F003), "{command}");
    }
    for command in [
        "cat .interagent/messages/pending/mine.json",
        "cat .interagent/messages/pending/about-no-task.json",
        "ls -l .interagent/messages/pending",
        "find .interagent/messages -name '*.json'",
        "echo '{}' > .interagent/messages/pending/new.json",
        "mv /tmp/new.json .interagent/messages/pending/",
        "mkdir -p .interagent/messages/pending",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    for leader in ["vice_captain1", "captain"] {
        let leader = Case { messages: case.messages.clone(), ..Case::of(leader).at("/p") };
        let denials = leader.judge(&Action::command("cat .interagent/messages/pending/theirs.json"));
        assert!(denials.denial().is_none_or(|denial| denial.rule != Rule::F003));
    }
}
