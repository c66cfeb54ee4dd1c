//! The branch: what is on it, what a sync without news does, and who may be around.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::world::World;

#[test]
fn two_clones_come_together() {
    let world = World::new();
    world.run("a", &["send", "--to", "kimi", "-m", "from a"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    // A relative place counts as git itself counts it.
    world.git("b", &["remote", "set-url", "origin", "../remote.git"]);
    world.run("b", &["sync"]);
    world.run("b", &["send", "--to", "kimi", "-m", "from b"]);
    world.run("a", &["task", "create", "In the meantime"]);
    assert_eq!(
        world.run("a", &["sync"]).lines().next(),
        Some("synced with origin: took in 2 entries, sent 1 entry")
    );
    assert_eq!(
        world.run("b", &["sync"]).lines().next(),
        Some("synced with origin: took in 1 entry, sent 1 entry")
    );
    world.run("a", &["sync"]);
    world.same("a", "b");
    for tree in ["a", "b"] {
        assert_eq!(world.git(tree, &["status", "--porcelain"]), "");
        assert_eq!(world.git(tree, &["rev-parse", "HEAD"]), world.git("a", &["rev-parse", "origin/main"]));
    }
}

#[test]
fn a_sync_without_news_makes_no_commit() {
    let world = World::new();
    world.run("a", &["sync"]);
    let before = world.git("a", &["rev-parse", "interagent"]);
    assert!(world.run("a", &["sync"]).starts_with("nothing new: origin and this clone have the same\n"));
    assert_eq!(world.git("a", &["rev-parse", "interagent"]), before);
    world.run("a", &["send", "--to", "kimi", "-m", "news"]);
    world.run("a", &["sync"]);
    assert_ne!(world.git("a", &["rev-parse", "interagent"]), before);
    assert_eq!(world.git("a", &["rev-parse", "interagent^"]), before);
    // The mark that a sync makes on its way keeps nothing alive that the branch does not.
    assert_eq!(
        world.git("a", &["rev-parse", "refs/interagent-next"]),
        world.git("a", &["rev-parse", "interagent"])
    );
}

/// Starting git is expensive: a sync with nothing to do reads settings, objects and the remote once each.
#[test]
fn sync_without_news_starts_git_three_times() {
    let world = World::new();
    world.run("a", &["sync"]);
    let (programs, log) = (world.at("programs"), world.at("started"));
    fs::create_dir(&programs).unwrap();
    let usual = "/usr/local/bin:/usr/bin:/bin";
    let git = format!("#!/bin/sh\necho \"$*\" >> {}\nPATH={usual} exec git \"$@\"\n", log.display());
    fs::write(programs.join("git"), git).unwrap();
    fs::set_permissions(programs.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{usual}", programs.display());
    let told = world.within("a").env("PATH", &path).run(&["sync"]).success().stdout;
    assert!(told.starts_with("nothing new: origin and this clone have the same\n"), "{told}");
    let started = fs::read_to_string(log).unwrap();
    let git_dir = format!("--git-dir {}/.git ", world.at("a").display());
    let commands = started.lines().filter_map(|line| line.split_once(&git_dir)?.1.split(' ').next());
    assert_eq!(commands.collect::<Vec<_>>(), ["config", "cat-file", "fetch"], "{started}");
}

#[test]
fn without_a_remote_the_commit_is_made_and_said() {
    let world = World::new();
    world.git("a", &["remote", "remove", "origin"]);
    let told = world.run("a", &["sync"]);
    insta::assert_snapshot!(told, @r"
    committed 2 entries on the branch interagent
    there is no remote: git remote add origin URL, then interagent sync, shares it
    files: up to date
    ");
}

#[test]
fn it_works_from_a_worktree_in_a_bare_repository_in_a_shallow_clone_and_during_a_rebase() {
    let world = World::new();
    world.run("a", &["sync"]);
    // A linked worktree shares the hub.
    world.git("a", &["worktree", "add", "--quiet", "-b", "feature", "../a2"]);
    world.run("a2", &["send", "--to", "kimi", "-m", "from the worktree"]);
    world.run("a2", &["sync"]);
    assert_eq!(world.git("a2", &["status", "--porcelain"]), "");
    // In the middle of a rebase that stopped.
    fs::write(world.at("a2").join("file"), "two\n").unwrap();
    world.git("a2", &["commit", "--quiet", "-am", "two"]);
    fs::write(world.at("a").join("file"), "three\n").unwrap();
    world.git("a", &["commit", "--quiet", "-am", "three"]);
    assert!(!world.try_git("a2", &["rebase", "main"]).status.success());
    let status = world.git("a2", &["status", "--porcelain"]);
    world.run("a2", &["send", "--to", "kimi", "-m", "while it stands"]);
    world.run("a2", &["sync"]);
    assert_eq!(world.git("a2", &["status", "--porcelain"]), status);
    world.git("a2", &["rebase", "--abort"]);
    // A lock on the index is about files, and we have none there.
    fs::write(world.at("a").join(".git/index.lock"), "").unwrap();
    world.run("a", &["sync"]);
    fs::remove_file(world.at("a").join(".git/index.lock")).unwrap();
    // A shallow clone, and a bare one.
    let remote = format!("file://{}", world.at("remote.git").display());
    world.git(".", &["clone", "--quiet", "--depth", "1", &remote, "shallow"]);
    world.run("shallow", &["sync"]);
    world.git(".", &["clone", "--quiet", "--bare", "remote.git", "bare.git"]);
    world.run("bare.git", &["init"]);
    world.run("bare.git", &["send", "--to", "kimi", "-m", "from the bare one"]);
    world.run("bare.git", &["sync"]);
    world.run("shallow", &["sync"]);
    world.same("bare.git", "shallow");
}

#[test]
fn a_worktree_that_is_gone_or_moved_does_not_matter() {
    let world = World::new();
    world.git("a", &["worktree", "add", "--quiet", "-b", "feature", "../a2"]);
    world.run("a2", &["send", "--to", "kimi", "-m", "from the worktree"]);
    fs::remove_dir_all(world.at("a2")).unwrap();
    world.run("a", &["sync"]);
    world.git("a", &["worktree", "prune"]);
    world.git("a", &["worktree", "add", "--quiet", "../a3", "feature"]);
    fs::rename(world.at("a3"), world.at("a4")).unwrap();
    world.run("a", &["sync"]);
    world.run("a4", &["send", "--to", "kimi", "-m", "from where it is now"]);
    // The repository itself moves, and the worktree points to nowhere.
    fs::rename(world.at("a"), world.at("moved")).unwrap();
    world.run("moved", &["sync"]);
    let lost = world.within("a4").run(&["sync"]);
    assert_ne!(lost.status, 0);
    assert!(lost.stderr.contains("git worktree repair"), "{}", lost.stderr);
}

#[test]
fn hooks_of_the_user_are_not_run() {
    let world = World::new();
    let hook = world.at("a").join(".git/hooks/pre-push");
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::copy(&hook, hook.with_file_name("reference-transaction")).unwrap();
    let executable = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    for name in ["pre-push", "reference-transaction"] {
        fs::set_permissions(hook.with_file_name(name), executable.clone()).unwrap();
    }
    world.run("a", &["sync"]);
    assert!(world.run("a", &["sync"]).starts_with("nothing new: origin and this clone have the same\n"));
}

#[test]
fn a_purged_text_is_dropped_from_the_tip_here_and_there() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    let sent = world.json("a", &["send", "--to", "kimi", "-s", "The key", "-m", "s3cret-in-a-body"]);
    let id = sent["message"]["id"].as_str().or(sent["id"].as_str()).unwrap().to_owned();
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    let holds = |tree: &str| {
        let done = world.try_git(tree, &["grep", "-c", "s3cret", "interagent"]);
        !String::from_utf8_lossy(&done.stdout).is_empty()
    };
    assert!(holds("a") && holds("b"));
    world.run_seated("a", &["purge", &id, "--reason", "leaked"]);
    world.run("a", &["sync"]);
    assert!(!holds("a"));
    world.run("b", &["send", "--to", "kimi", "-m", "in between"]);
    world.run("b", &["sync"]);
    assert!(!holds("b"));
    world.run("a", &["sync"]);
    assert!(!holds("a"));
    world.same("a", "b");
}

#[test]
fn a_damaged_line_is_named_with_its_place_and_brought_again() {
    let world = World::new();
    for number in 0..3 {
        world.run("a", &["send", "--to", "kimi", "-m", &format!("number {number}")]);
    }
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    world.run("b", &["send", "--to", "kimi", "-m", "from b"]);
    world.run("b", &["sync"]);
    // Somebody edits a line of b's log on the branch.
    world.git("remote.git", &["worktree", "add", "--quiet", "../edit", "interagent"]);
    let b = world.json("b", &["log", "verify"])["chains"].as_array().unwrap().clone();
    let own = b.iter().min_by_key(|chain| chain["entries"].as_i64()).unwrap()["origin"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = world.at("edit").join(format!("log/{own}/000000000001.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().count();
    fs::write(&path, text.replacen("message.send", "message.sent", 1)).unwrap();
    world.git("edit", &["commit", "--quiet", "-am", "meddling"]);
    world.git("remote.git", &["worktree", "remove", "--force", "../edit"]);
    let told = world.run("a", &["sync"]);
    assert!(
        told.contains(&format!("left out: origin/interagent:log/{own}/000000000001.jsonl:{last}")),
        "{told}"
    );
    // The one who wrote it brings it again, and then everybody has it.
    let told = [world.run("b", &["sync"]), world.run("a", &["sync"])];
    assert_eq!(told.map(|told| told.contains("was damaged in git")), [true, false]);
    world.run("b", &["sync"]);
    world.same("a", "b");
    assert!(world.run("a", &["msg", "list"]).contains("from b"));
    // The branch has it as it was, so nobody who joins is told of it again.
    assert_eq!(world.git("remote.git", &["show", &format!("interagent:log/{own}/000000000001.jsonl")]), text);
}
