//! What each rule says of what, and what it leaves alone.

use super::*;
use crate::decide::lease::Held;
use crate::entity::{Lease, When};
use crate::event::LeaseTaken;
use crate::ids::{LeaseId, OriginId};
use crate::vocabulary::{LeaseMode, TaskStatus};

pub(super) fn held(holder: &str, glob: &str, mode: LeaseMode) -> Held {
    let brief = LeaseTaken {
        holder: id(holder),
        globs: vec![glob.to_owned()],
        mode,
        ttl_s: 300,
        reason: None,
        task: None,
    };
    let (origin, taken) = (OriginId::from_bits(1), When { at: 1, wall: 1 });
    let lease = Lease { id: LeaseId::from_bits(1), brief, origin, token: 1, taken, end: None };
    Held { lease, holder: holder.to_owned(), left_s: 120 }
}

pub(super) fn work(branch: &str, worker: &str, status: TaskStatus) -> Work {
    Work {
        id: "task-abcd".to_owned(),
        worker: Some(name(worker)),
        giver: Some(name("vice_captain1")),
        status,
        branch: Some(branch.to_owned()),
        is_own_order: false,
        is_asked: false,
    }
}

#[test]
fn f001_superiors_delegate() {
    for who in ["captain", "vice_captain1"] {
        let case = Case::of(who);
        for command in
            ["echo x > src/a.rs", "cargo test", "cd /p && npm test -- --watch", "git apply x.patch"]
        {
            assert_eq!(case.rule(command), Some(Rule::F001), "{who} {command}");
        }
        for command in [
            "git log",
            "git diff --stat > /tmp/diff.txt",
            "interagent task list",
            "echo note >> /p/.interagent/shared/context.md",
        ] {
            assert_eq!(case.rule(command), None, "{who} {command}");
        }
        let edit = Action::Edit { paths: vec!["/p/src/a.rs".to_owned()] };
        assert_eq!(case.judge(&edit).denial().unwrap().rule, Rule::F001);
        assert!(case.judge(&Action::Subagent { read_only: false }).denial().is_some());
    }
    assert!(Case::of("captain").judge(&Action::Subagent { read_only: true }).denial().is_some());
    assert!(Case::of("vice_captain1").judge(&Action::Subagent { read_only: true }).denial().is_none());
    assert!(Case::of("member1").judge(&Action::Subagent { read_only: false }).denial().is_none());
    assert_eq!(Case::of("member1").rule("cargo test > out.txt"), None);
}

#[test]
fn f003_others_work_is_not_looked_into() {
    let mut case = Case::of("member1").at("/p");
    case.owners.insert("task-1.json".to_owned(), work("x", "member2", TaskStatus::InProgress));
    case.owners.insert("task-2.json".to_owned(), work("x", "member1", TaskStatus::InProgress));
    case.owners.insert("member2_report.yaml".to_owned(), work("x", "member2", TaskStatus::InProgress));
    for command in [
        "cat .interagent/tasks/active/task-1.json",
        "cd .interagent/tasks/active && jq . task-1.json",
        "cat < .interagent/reports/member2_report.yaml",
        "cat .interagent/tasks/active/*.json",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F003), "{command}");
    }
    for command in
        ["cat .interagent/tasks/active/task-2.json", "cat .interagent/README.md", "interagent task list"]
    {
        assert_eq!(case.rule(command), None, "{command}");
    }
    let read = Action::Read { paths: vec!["/p/.interagent/tasks/active/task-1.json".to_owned()] };
    assert_eq!(case.judge(&read).denial().unwrap().rule, Rule::F003);
    let order = Work { is_own_order: true, ..work("x", "vice_captain1", TaskStatus::InProgress) };
    case.owners.insert("order.json".to_owned(), order);
    let asked = Work { is_asked: true, ..work("x", "member2", TaskStatus::InProgress) };
    case.owners.insert("asked.json".to_owned(), asked);
    for file in ["order", "asked"] {
        assert_eq!(case.rule(&format!("cat .interagent/tasks/active/{file}.json")), None, "{file}");
    }
    let vice = Case { owners: case.owners.clone(), ..Case::of("vice_captain1").at("/p") };
    assert_eq!(vice.rule("cat .interagent/tasks/active/task-1.json"), None);
}

#[test]
fn f004_nobody_stands_still() {
    let case = Case::of("member1");
    for command in
        ["sleep 2", "make && sleep 10", "while true; do sleep 1; done", "tmux send-keys -t x y", "watch ls"]
    {
        assert_eq!(case.rule(command), Some(Rule::F004), "{command}");
    }
    for command in ["sleep 1", "sleep 60 &", "./server & sleep 1; curl localhost", "sleep $N", "tmux ls"] {
        assert_eq!(case.rule(command), None, "{command}");
    }
}

#[test]
fn f005_the_briefing_comes_first() {
    let case = Case { briefed: Some(false), ..Case::of("member1") };
    assert_eq!(case.rule("echo x > a.rs"), Some(Rule::F005));
    assert_eq!(case.rule("git commit -m x"), Some(Rule::F005));
    assert_eq!(case.rule("interagent briefing; cat a.rs; echo x > /tmp/y"), None);
    assert_eq!(Case { briefed: Some(true), ..Case::of("member1") }.rule("echo x > a.rs"), None);
}

#[test]
fn f006_protected_branches_are_judged_by_the_tree_that_is_written_to() {
    let in_worktree = Case::of("member1");
    let on_main = Case::of("member1").at("/p");
    for command in [
        "cd /p && git commit -m x",
        "git -C /p commit -m x",
        "(cd /p; git commit -am x)",
        "echo x > /p/src/a.rs",
        "bash -c 'cd /p && sed -i s/a/b/ src/a.rs'",
        "git push origin HEAD:main",
        "git push origin task/login:main",
        "git push origin :main",
        "git push --mirror",
        "git -C ../p push",
        "git switch main && git commit -m x",
        "git branch -f main HEAD",
        "git checkout -B main",
        "git update-ref refs/heads/main HEAD",
        "cd /p && git merge task/login",
        "gh pr merge 3",
        "touch /p/lib/x",
        "git -C /p reset --hard HEAD~1",
        "git -C /p reset --soft origin/main",
        "git -C /p reset HEAD^",
        "git -C /p reset -q 0123abc",
    ] {
        assert_eq!(in_worktree.rule(command), Some(Rule::F006), "{command}");
    }
    for command in [
        "git commit -m x",
        "git push",
        "git push origin HEAD",
        "git push -u origin task/login",
        "echo x > src/a.rs",
        "git rebase main",
        "git merge main",
        "git -C /wt commit -m x",
        "git push origin v1:refs/tags/v1",
    ] {
        assert_eq!(in_worktree.rule(command), None, "{command}");
    }
    for command in [
        "git -C /wt commit -m x",
        "cd /wt && git commit -m x && git push",
        "git switch -c task/y && git commit -m x",
        "git pull --ff-only",
        "git fetch origin",
        "echo x > /tmp/y",
        "git add -A",
        "git checkout -- a.rs",
        "git reset HEAD a.rs",
        "git reset a.rs",
        "git reset -- a.rs",
        "git stash",
        "git -C /wt reset --hard HEAD~1",
        "git commit -m x --dry-run",
        "rm -f .git/index.lock",
        "cd /loose && git commit -m x",
    ] {
        assert_eq!(on_main.rule(command), None, "{command}");
    }
    assert_eq!(on_main.rule("git checkout \"$B\" && git commit -m x"), Some(Rule::F006), "it may be main");
    assert_eq!(on_main.rule("git checkout -b \"$B\" && git commit -m x"), None, "a new one is not");
    assert_eq!(on_main.rule("git checkout -b task/y; git checkout main; git commit"), Some(Rule::F006));
    let ignored = on_main.judge_with(&Action::command("echo x > target/log"), |tree| tree.ignored = true);
    assert_eq!(ignored.denial(), None);
}

#[test]
fn f006_who_may_merge_merges_what_was_reviewed() {
    let merge = "git merge --no-ff task/login && git push origin main";
    let mut case = Case::of("vice_captain1").at("/p");
    assert_eq!(case.rule(merge), None);
    for (status, wanted) in [
        (TaskStatus::InProgress, Some(Rule::F006)),
        (TaskStatus::RevisionNeeded, Some(Rule::F006)),
        (TaskStatus::Completed, None),
        (TaskStatus::Approved, None),
    ] {
        case.work = vec![work("task/login", "member1", status)];
        assert_eq!(case.rule(merge), wanted, "{status}");
        assert_eq!(case.rule("git merge origin/task/login"), wanted, "{status}");
    }
    case.team.rules.review_required = true;
    case.work = vec![work("task/login", "member1", TaskStatus::Completed)];
    assert_eq!(case.rule(merge), Some(Rule::F006));
    case.work.clear();
    assert_eq!(case.rule(merge), Some(Rule::F006));
    assert_eq!(case.rule("git commit -m x"), Some(Rule::F006));
    let merging = case.judge_with(&Action::command("git commit -m merged"), |tree| tree.merging = true);
    assert_eq!(merging.denial(), None);
    assert_eq!(Case::of("member1").at("/p").rule(merge), Some(Rule::F006));
}

#[test]
fn f006_branches_of_agents_are_called_as_the_team_says() {
    let mut case = Case::of("member1");
    case.team.rules.branch_pattern = Some("work/{agent}/*".to_owned());
    assert_eq!(case.rule("git switch -c work/member1/x"), None);
    assert_eq!(case.rule("git switch -c feature"), Some(Rule::F006));
    let denial = case.judge(&Action::command("git checkout -b feature")).denial().unwrap().clone();
    assert_eq!(denial.way_out, "Call it work/member1/feature: `git switch -c work/member1/feature`.");
}

#[test]
fn race_001_one_writer_per_file() {
    let mut case = Case::of("member1");
    case.leases = vec![
        held("member2", "src/parser/**", LeaseMode::Exclusive),
        held("member1", "docs/**", LeaseMode::Exclusive),
        held("member2", "README.md", LeaseMode::Shared),
    ];
    for command in [
        "echo x > src/parser/a.rs",
        "rm -rf src",
        "sed -i s/a/b/ src/parser/*.rs",
        "mv src/parser/a.rs x",
        "cd src && touch parser/b",
        "find . -delete",
        "git -C /p checkout -- src/parser/a.rs",
    ] {
        assert_eq!(case.rule(command), Some(Rule::Race001), "{command}");
    }
    for command in
        ["echo x > src/lib.rs", "touch docs/a", "echo x > README.md", "cat src/parser/a.rs", "git stash"]
    {
        assert_eq!(case.rule(command), None, "{command}");
    }
    let edit = Action::Edit { paths: vec!["src/parser/a.rs".to_owned()] };
    insta::assert_snapshot!(case.judge(&edit).denial().unwrap().text(), @"RACE-001: `src/parser/a.rs` would write src/parser/a.rs, and member2 holds src/parser/** alone for another 2 min (lease-000000000001). Work on something else, or ask: `interagent send --to member2 -m \"May I change a.rs?\"`.");
}

#[test]
fn the_hub_is_protected_whatever_the_rules_are() {
    let mut case = Case::of("member1").at("/p");
    case.team.rules.guards.clear();
    for command in [
        "echo x >> .interagent/team.toml",
        "rm -rf .interagent",
        "rm .interagent/state/hub.db",
        "rm -rf /p",
        "git clean -fdx",
        "sqlite3 x; cp x .interagent/state/hub.db",
        "mv .interagent /tmp/x",
        "rm -rf .inter*",
        "sed -i s/a/b/ .interagent/log/x/1.jsonl",
        "bash -c 'cd .interagent && rm -r state'",
        "sqlite3 .interagent/state/hub.db 'delete from events'",
        "cd .interagent/state && sqlite3 hub.db",
        "python3 -c \"open('.interagent/state/hub.db', 'w')\"",
        "node -e 'fs.rmSync(`/p/.interagent/state/x`)'",
        "python - <<'E'\nimport sqlite3\nsqlite3.connect(\".interagent/state/hub.db\")\nE",
    ] {
        assert_eq!(case.rule(command), Some(Rule::HubFiles), "{command}");
    }
    for command in [
        "rm -rf *",
        "git clean -fd",
        "cat .interagent/team.toml",
        "echo x > .interagent/shared/context.md",
        "mkdir -p .interagent/shared",
        "git commit -m x",
        "sleep 60",
        "interagent team take",
        "git checkout .",
        "sqlite3 -readonly .interagent/state/hub.db .schema",
        "sqlite3 other.db",
        "python3 -c \"print(open('.interagent/team.toml').read())\"",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
}

#[test]
fn the_way_out_of_a_refusal_is_one_that_the_chain_allows() {
    let text = |name: &'static str| {
        let case = Case::of(name).at("/p");
        case.judge(&Action::command("echo x >> .interagent/team.toml")).denial().unwrap().text()
    };
    insta::assert_snapshot!(text("member1"), @"the hub's own files: `echo x >> .interagent/team.toml` would change the team's own file, which only a person changes. Ask vice_captain1, your superior: `interagent send --to vice_captain1 -m \"...\"`. `interagent team show` shows the rules.");
    insta::assert_snapshot!(text("vice_captain1"), @"the hub's own files: `echo x >> .interagent/team.toml` would change the team's own file, which only a person changes. Say it in your report, which goes up to the operator. `interagent team show` shows the rules.");
    insta::assert_snapshot!(text("captain"), @"the hub's own files: `echo x >> .interagent/team.toml` would change the team's own file, which only a person changes. Ask the operator. `interagent team show` shows the rules.");
}

#[test]
fn an_agent_does_not_take_the_guard_away() {
    let mut case = Case::of("member1");
    for command in [
        "interagent guard install --undo",
        "interagent --hub /p/.interagent guard install",
        "/usr/bin/interagent setup claude --undo --yes",
        "echo '{}' > .claude/settings.local.json",
        "rm -rf ~/.gemini",
        "rm /p/.github/hooks/interagent.json",
        "sed -i /interagent/d ~/.codex/hooks.json",
        "rm .opencode/plugins/interagent.js",
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/info/exclude",
    ] {
        assert_eq!(case.rule(command), Some(Rule::GuardItself), "{command}");
    }
    for command in [
        "interagent guard explain 'git push'",
        "interagent setup --check",
        "cat .claude/settings.json",
        "echo x > settings.json",
        "echo x > my.claude/settings.json",
        "mkdir -p .claude/agents",
        "rm -f .git/index.lock",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    let edit = Action::command("echo x > /hooks/pre-commit");
    assert_eq!(case.judge(&edit).denial(), None);
    case.team.rules.guards.clear();
    assert_eq!(case.rule("interagent guard install --undo"), None, "no guard, nothing to take away");
}

#[test]
fn whoever_is_not_known_is_held_to_what_holds_for_every_agent() {
    let mut case = Case { bound: Bound::Stranger, ..Case::of("member1").at("/p") };
    case.leases = vec![held("member1", "**", LeaseMode::Exclusive)];
    case.briefed = Some(false);
    for (command, wanted) in [
        ("rm -rf .interagent", Some(Rule::HubFiles)),
        ("git commit -m x", Some(Rule::F006)),
        ("git merge task/login", Some(Rule::F006)),
        ("interagent guard install --undo", Some(Rule::GuardItself)),
        ("cd /wt && touch a && git commit -m x && git push", None),
        ("cd /wt && cargo test; sleep 60", None),
        ("cat .interagent/tasks/active/*.json", None),
    ] {
        assert_eq!(case.rule(command), wanted, "{command}");
    }
    insta::assert_snapshot!(case.judge(&Action::command("git commit")).denial().unwrap().text(), @"F006: `git commit` would commit on main, and main is protected. Work on a branch in a tree of your own: `git worktree add ../task-NAME -b task/NAME`. It is not known which member you are: `interagent whoami` says how to tell it.");
    case.team.rules.branch_pattern = Some("work/{agent}/*".to_owned());
    assert_eq!(case.rule("git switch -c feature"), None, "whose it is can't be told");
    case.team.rules.guards.clear();
    assert_eq!(case.rule("git commit -m x"), None);
    assert_eq!(case.rule("rm -rf .interagent"), Some(Rule::HubFiles));
}

#[test]
fn the_guard_at_git_stays_where_it_is_installed() {
    let case = Case::of("member1");
    let rule = |command: &str, hooks: &[&str]| {
        let judged = case.judge_with(&Action::command(command), |tree| {
            tree.hooks = hooks.iter().map(|hook| (*hook).to_owned()).collect();
        });
        judged.denial().map(|denial| denial.rule)
    };
    for command in [
        "git config core.hooksPath /dev/null",
        "git config --global core.hookspath ''",
        "git config set core.hooksPath \"$X\"",
        "git config --unset core.hooksPath",
        "git config unset core.hooksPath",
        "git config --remove-section core",
        "git -C /p config core.hooksPath x",
        "chmod -x /p/.git/hooks/pre-commit",
        "chmod 644 /p/.git/hooks/*",
        "chmod -R a-x /p/.git/hooks",
        "rm -rf ../p/.git/hooks/*",
        "rm -rf /p/.git/*",
        "rm -r /p/.git",
        "mv /p/.git/hooks /tmp/x",
        "find /p/.git/hooks -type f -delete",
        "echo > /p/.git/config",
        "sed -i /hooks/d /p/.git/config",
    ] {
        assert_eq!(rule(command, &["/p/.git/hooks/pre-commit"]), Some(Rule::GuardItself), "{command}");
        assert_eq!(rule(command, &[]), Some(Rule::GuardItself), "without hooks of ours: {command}");
    }
    for command in [
        "git config core.hooksPath",
        "git config --get core.hooksPath",
        "git config get core.hooksPath",
        "git config user.name x",
        "git config --list",
        "chmod +x /wt/build.sh",
        "echo x > /wt/config",
        "rm -rf /wt/*",
        "cat /p/.git/config",
    ] {
        assert_eq!(rule(command, &["/p/.git/hooks/pre-commit"]), None, "{command}");
    }
}

#[test]
fn what_is_too_much_to_follow_is_refused_where_there_is_any_guard() {
    let long = "f(){ f;f;f;f; }; f";
    let mut case = Case::of("member1");
    insta::assert_snapshot!(case.judge(&Action::command(long)).denial().unwrap().text(), @"too much to follow: `f(){ f;f;f;f; }; f` is too long or too deeply nested to be judged. Run it in smaller steps.");
    assert_eq!(case.rule(&format!("git push origin HEAD:main; {long}")), Some(Rule::F006));
    case.team.rules.guards = [Guard::F004].into();
    assert_eq!(case.rule(long), Some(Rule::TooMuch));
    case.team.rules.guards.clear();
    assert_eq!(case.rule(long), None);
    assert_eq!(Case { bound: Bound::Person, ..Case::of("member1") }.rule(long), None);
}

#[test]
fn a_link_is_judged_by_what_it_leads_to() {
    let links = [
        Link { path: "/wt/a.rs".to_owned(), real: "/p/src/a.rs".to_owned() },
        Link { path: "/wt/dir".to_owned(), real: "/p/src".to_owned() },
    ];
    let told = |command: &str| {
        let found = resolved(touches(&Action::command(command), "/wt", None), &links);
        found.iter().map(|touch| touch.what.told()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told("echo x > a.rs"), "writes /p/src/a.rs");
    assert_eq!(told("echo x > b.rs"), "writes /wt/b.rs");
    assert_eq!(told("cd dir && git commit -m x"), "commits in /p/src");
    // The link goes, not what it leads to.
    assert_eq!(told("rm a.rs"), "removes /wt/a.rs");
    assert_eq!(told("rm dir/a.rs"), "removes /p/src/a.rs");
}

#[test]
fn a_denial_says_the_rule_the_piece_the_reason_and_the_way_out() {
    let case = Case::of("member1").at("/p");
    let text = |command: &str| case.judge(&Action::command(command)).denial().unwrap().text();
    insta::assert_snapshot!(text("make -j8 && git commit -am 'x' && git push"), @"F006: `git commit -am 'x'` would commit on main, and main is protected. Work on a branch in a tree of your own: `git worktree add ../task-NAME -b task/NAME`.");
    insta::assert_snapshot!(text("git push origin HEAD:main"), @"F006: `git push origin HEAD:main` would push to main, and main is protected. Push a branch of your own: `git push -u origin HEAD:task/NAME`, and ask for a review.");
    insta::assert_snapshot!(text("sleep 30"), @"F004: `sleep 30` would wait in the foreground, where no message reaches you. End your turn: mail wakes you. A program that needs time runs in the background.");
    let captain =
        Case::of("captain").judge(&Action::command("cd /wt && cargo test -q")).denial().unwrap().text();
    insta::assert_snapshot!(captain, @r#"F001: `cargo test -q` is development, and the captain delegates instead. Give it away: `interagent delegate --to vice_captain1 --task '...'`."#);
}

#[test]
fn branch_patterns_fit_as_in_the_team_file() {
    for (pattern, name, fits) in [
        ("main", "main", true),
        ("main", "mainline", false),
        ("release/*", "release/1.0/x", true),
        ("release/*", "release", false),
        ("*", "anything", true),
        ("a*b*c", "aXbYc", true),
        ("a*b*c", "aXc", false),
        ("a*a", "a", false),
    ] {
        assert_eq!(judge::branch_fits(pattern, name), fits, "{pattern} {name}");
    }
}

#[test]
fn two_agents_are_told_of_each_other_once() {
    use edits::{Collision, Seen, collisions};
    const S: i64 = 1_000_000;
    let seen =
        |agent: &str, told: Option<&str>, at: i64| Seen { agent: id(agent), told: told.map(id), at: at * S };
    let edits = [
        seen("kimi", None, 100),
        seen("kimi", None, 110),
        seen("claude", None, 111),
        seen("codex", None, 50),
    ];
    let wanted = Collision { other: id("kimi"), seconds: 12, is_new: true };
    assert_eq!(collisions(&edits, &id("claude"), 122 * S), std::slice::from_ref(&wanted));
    let told = [edits.as_slice(), &[seen("kimi", Some("claude"), 115)]].concat();
    assert_eq!(collisions(&told, &id("claude"), 122 * S), [Collision { is_new: false, ..wanted }]);
    assert_eq!(collisions(&edits, &id("claude"), 141 * S), []);
}

#[test]
fn a_person_is_bound_only_at_git_and_only_where_the_team_says_so() {
    let mut case = Case { bound: Bound::Person, ..Case::of("member1").at("/p") };
    case.team.rules.commit_guard = crate::team::CommitGuard::Everyone;
    assert_eq!(case.rule("git commit -m x; rm -rf .interagent; sleep 60"), None);
    case.bound = Bound::PersonAtGit;
    assert_eq!(case.rule("git commit -m x"), Some(Rule::F006));
    assert_eq!(case.rule("sleep 60"), None);
    case.team.rules.commit_guard = crate::team::CommitGuard::Agents;
    assert_eq!(case.rule("git commit -m x"), None);
}
