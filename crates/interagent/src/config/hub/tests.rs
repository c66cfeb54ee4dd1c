//! Discovery in real directories and real repositories, each test in a place of its own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::error::CliError;

/// A machine: a home directory and room for projects beside it.
struct World {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        // The working directory of a process never contains a symbolic link.
        let root = keep.path().canonicalize().unwrap();
        fs::create_dir(root.join("home")).unwrap();
        Self { _keep: keep, root }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    fn dir(&self, below: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn hub(&self, below: &str) -> PathBuf {
        let state = self.dir(&format!("{below}/state"));
        fs::write(state.join(STORE_MARKER), "").unwrap();
        self.path(below)
    }

    fn env(&self, cwd: &str) -> Env {
        Env { cwd: Some(self.path(cwd)), home: Some(self.path("home")), ..Env::default() }
    }

    fn discover(&self, cwd: &str) -> Result<Discovery, HubProblem> {
        discover(&self.env(cwd), None)
    }

    fn found(&self, cwd: &str) -> Found {
        match self.discover(cwd) {
            Ok(Discovery::Found(found)) => found,
            other => panic!("no hub from {cwd}: {other:?}"),
        }
    }

    fn refusal(&self, cwd: &str) -> HubProblem {
        self.discover(cwd).unwrap_err()
    }

    fn would_be(&self, cwd: &str) -> PathBuf {
        match place_for_new_hub(&self.env(cwd), None) {
            Ok(Discovery::NotThere(place)) => place.would_be,
            other => panic!("no place from {cwd}: {other:?}"),
        }
    }

    fn assert_personal(&self, cwd: &str) {
        let wanted = NotThere { would_be: self.path("home/.interagent"), kind: HubKind::Personal };
        assert_eq!(self.discover(cwd).unwrap(), Discovery::NotThere(wanted), "from {cwd}");
    }

    fn git(&self, cwd: &str, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always"])
            .args(["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"])
            .args(arguments)
            .current_dir(self.path(cwd))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository with one commit.
    fn repository(&self, below: &str) {
        self.dir(below);
        self.git(below, &["init", "-q"]);
        self.git(below, &["commit", "-q", "--allow-empty", "-m", "first"]);
    }
}

fn sentence(problem: HubProblem) -> String {
    CliError::from(problem).lines().join("\n")
}

#[test]
fn from_a_subdirectory_of_a_repository() {
    let world = World::new();
    world.repository("repo");
    let hub = world.hub("repo/.interagent");
    world.dir("repo/a/b/c");
    let found = world.found("repo/a/b/c");
    assert_eq!((found.hub_dir, found.kind), (hub, HubKind::Project));
    assert_eq!(found.project_root, Some(world.path("repo")));
    assert_eq!(found.worktree_root, Some(world.path("repo")));
}

#[test]
fn without_git_the_walk_goes_up() {
    let world = World::new();
    world.dir("notes/deep/er");
    assert_eq!(world.would_be("notes/deep/er"), world.path("notes/deep/er/.interagent"));
    let hub = world.hub("notes/.interagent");
    let found = world.found("notes/deep/er");
    assert_eq!((found.hub_dir, found.worktree_root), (hub, None));
    let place = place_for_new_hub(&world.env("notes/deep/er"), None).unwrap();
    assert!(matches!(place, Discovery::Found(_)), "a directory with a hub is a project: {place:?}");
}

#[test]
fn a_team_file_alone_makes_a_hub_and_an_empty_directory_does_not() {
    let world = World::new();
    world.repository("repo");
    // Agents get signal files here without there being a hub.
    world.dir("repo/.interagent/inbox");
    world.assert_personal("repo");
    fs::write(world.path("repo/.interagent/team.toml"), "").unwrap();
    assert_eq!(world.found("repo").hub_dir, world.path("repo/.interagent"));
}

#[test]
fn linked_worktrees_share_the_hub_of_the_main_one() {
    let world = World::new();
    world.repository("repo");
    world.git("repo", &["worktree", "add", "-q", "../tree"]);
    world.dir("tree/sub");
    assert_eq!(world.would_be("tree/sub"), world.path("repo/.interagent"));
    let hub = world.hub("repo/.interagent");
    // A branch that tracks the team's files brings a copy into every worktree. It is not a hub.
    world.hub("tree/.interagent");
    let found = world.found("tree/sub");
    assert_eq!(found.hub_dir, hub);
    assert_eq!(found.project_root, Some(world.path("repo")));
    assert_eq!(found.worktree_root, Some(world.path("tree")));
}

#[test]
fn a_linked_worktree_with_relative_pointers() {
    let world = World::new();
    world.repository("repo");
    world.git("repo", &["worktree", "add", "-q", "../tree"]);
    let hub = world.hub("repo/.interagent");
    fs::write(world.path("tree/.git"), "gitdir: ../repo/.git/worktrees/tree\n").unwrap();
    assert_eq!(world.found("tree").hub_dir, hub);
}

#[test]
fn a_moved_worktree_is_still_followed_and_a_moved_repository_is_refused() {
    let world = World::new();
    world.repository("repo");
    world.git("repo", &["worktree", "add", "-q", "../tree"]);
    let hub = world.hub("repo/.interagent");
    fs::rename(world.path("tree"), world.path("moved")).unwrap();
    assert_eq!(world.found("moved").hub_dir, hub);
    fs::rename(world.path("repo"), world.path("away")).unwrap();
    let problem = world.refusal("moved");
    assert!(matches!(problem, HubProblem::DanglingGitFile { .. }));
    let text = sentence(problem).replace(&world.root.display().to_string(), "ROOT");
    insta::assert_snapshot!(text, @"
    error: `ROOT/moved/.git` points to `ROOT/repo/.git/worktrees/tree`, which does not exist: the repository was moved or removed
    hint: run `git worktree repair` in the main worktree, or name the hub with --hub DIRECTORY or INTERAGENT_HUB
    ");
}

#[test]
fn a_bare_repository_keeps_the_hub_in_its_git_directory() {
    let world = World::new();
    world.repository("seed");
    world.git(".", &["clone", "-q", "--bare", "seed", "project/.bare"]);
    world.git("project/.bare", &["worktree", "add", "-q", "../main", "main"]);
    fs::write(world.path("project/.git"), "gitdir: ./.bare\n").unwrap();
    for cwd in ["project/main", "project", "project/.bare"] {
        assert_eq!(world.would_be(cwd), world.path("project/.bare/interagent"), "from {cwd}");
        world.assert_personal(cwd);
    }
    let hub = world.hub("project/.bare/interagent");
    for cwd in ["project/main", "project", "project/.bare"] {
        let found = world.found(cwd);
        assert_eq!((found.hub_dir, found.project_root), (hub.clone(), None), "from {cwd}");
    }
}

#[test]
fn from_inside_a_bare_repository_where_its_hooks_run() {
    let world = World::new();
    world.repository("seed");
    world.git(".", &["clone", "-q", "--bare", "seed", "repo.git"]);
    world.assert_personal("repo.git");
    assert_eq!(world.would_be("repo.git"), world.path("repo.git/interagent"));
    let hub = world.hub("repo.git/interagent");
    assert_eq!(world.found("repo.git").hub_dir, hub);
    // A directory of that name in any other place is somebody else's.
    world.hub("plain/interagent");
    world.assert_personal("plain");
}

#[test]
fn a_branch_that_carries_a_team_is_never_served_by_the_personal_hub() {
    let world = World::new();
    world.repository("seed");
    world.git(".", &["clone", "-q", "--bare", "seed", "repo.git"]);
    world.git("repo.git", &["worktree", "add", "-q", "../tree", "main"]);
    world.dir("tree/.interagent");
    fs::write(world.path("tree/.interagent/team.toml"), "").unwrap();
    world.hub("home/.interagent");
    let wanted = NotThere { would_be: world.path("repo.git/interagent"), kind: HubKind::Project };
    assert_eq!(world.discover("tree").unwrap(), Discovery::NotThere(wanted));
}

#[test]
fn a_separate_git_directory_holds_the_hub_for_all_its_worktrees() {
    let world = World::new();
    world.dir("tree");
    world.git("tree", &["init", "-q", "--separate-git-dir=../kept"]);
    world.git("tree", &["commit", "-q", "--allow-empty", "-m", "first"]);
    world.git("tree", &["worktree", "add", "-q", "../other"]);
    let hub = world.hub("kept/interagent");
    assert_eq!(world.found("tree").hub_dir, hub);
    assert_eq!(world.found("other").hub_dir, hub);
}

#[test]
fn a_borrowed_git_directory_belongs_to_its_owner() {
    let world = World::new();
    world.repository("repo");
    let hub = world.hub("repo/.interagent");
    world.dir("borrower");
    symlink(world.path("repo/.git"), world.path("borrower/.git")).unwrap();
    assert_eq!(world.found("borrower").hub_dir, hub);
}

#[test]
fn a_submodule_belongs_to_the_project_around_it_until_it_has_a_hub_of_its_own() {
    let world = World::new();
    world.repository("library");
    world.repository("super");
    world.git("super", &["submodule", "--quiet", "add", "../library", "vendor/library"]);
    let outer = world.hub("super/.interagent");
    let found = world.found("super/vendor/library");
    assert_eq!(found.hub_dir, outer);
    assert_eq!(found.worktree_root, Some(world.path("super/vendor/library")));
    assert_eq!(world.would_be("super/vendor/library"), world.path("super/vendor/library/.interagent"));

    world.git("super/vendor/library", &["worktree", "add", "-q", "../../../library-tree"]);
    let own = world.hub("super/vendor/library/.interagent");
    assert_eq!(world.found("super/vendor/library").hub_dir, own);
    assert_eq!(world.found("library-tree").hub_dir, own);
}

#[test]
fn a_clone_inside_a_project_belongs_to_it() {
    let world = World::new();
    let outer = world.hub("work/.interagent");
    world.repository("work/clone");
    assert_eq!(world.found("work/clone").hub_dir, outer);
    assert_eq!(world.would_be("work/clone"), world.path("work/clone/.interagent"));
}

#[test]
fn the_home_directory_is_no_project() {
    let world = World::new();
    world.repository("home");
    world.dir("home/notes");
    world.hub(".interagent");
    let personal = world.hub("home/.interagent");
    for cwd in ["home", "home/notes"] {
        let found = world.found(cwd);
        assert_eq!((found.hub_dir, found.kind), (personal.clone(), HubKind::Personal), "from {cwd}");
    }
    // The same when the home directory is known by another name.
    symlink(world.path("home"), world.path("alias")).unwrap();
    fs::remove_dir_all(world.path(".interagent")).unwrap();
    let env = Env { home: Some(world.path("alias")), ..world.env("home/notes") };
    let Discovery::Found(found) = discover(&env, None).unwrap() else { panic!("not found") };
    assert_eq!(found.kind, HubKind::Personal);
    // A new hub below the home directory is for the directory it is asked for, not for everything.
    for env in [world.env("home/notes"), env] {
        let wanted = NotThere { would_be: world.path("home/notes/.interagent"), kind: HubKind::Project };
        assert_eq!(place_for_new_hub(&env, None).unwrap(), Discovery::NotThere(wanted));
    }
    let place = place_for_new_hub(&world.env("home"), None).unwrap();
    assert!(matches!(place, Discovery::Found(found) if found.kind == HubKind::Personal));
}

#[test]
fn a_broken_repository_in_the_home_directory_stops_nobody() {
    let world = World::new();
    world.dir("home/notes");
    fs::write(world.path("home/.git"), "gitdir: /does/not/exist\n").unwrap();
    world.assert_personal("home/notes");
}

#[test]
fn a_worktree_of_a_repository_in_the_home_directory_uses_the_personal_hub() {
    let world = World::new();
    world.repository("home");
    world.git("home", &["worktree", "add", "-q", "../tree"]);
    world.assert_personal("tree");
    let wanted = NotThere { would_be: world.path("home/.interagent"), kind: HubKind::Personal };
    assert_eq!(place_for_new_hub(&world.env("tree"), None).unwrap(), Discovery::NotThere(wanted));
    world.hub("home/.interagent");
    assert_eq!(world.found("tree").kind, HubKind::Personal);
}

#[test]
fn a_named_project_is_not_taken_for_a_hub() {
    let world = World::new();
    world.repository("repo");
    let named = |env: &Env| discover(env, Some(world.path("repo").as_os_str())).unwrap();
    let wanted = NotThere { would_be: world.path("repo/.interagent"), kind: HubKind::Named };
    assert_eq!(named(&world.env(".")), Discovery::NotThere(wanted));
    // Its own `state` directory has nothing to do with us.
    world.dir("repo/state");
    let hub = world.hub("repo/.interagent");
    assert!(matches!(named(&world.env(".")), Discovery::Found(found) if found.hub_dir == hub));
}

#[test]
fn a_flag_beats_the_variable_and_the_variable_beats_the_project() {
    let world = World::new();
    world.hub("work/.interagent");
    world.hub("one/.interagent");
    let two = world.hub("two");
    let env = Env { hub: Some(world.path("one").into()), ..world.env("work") };
    let named = |flag: Option<&str>, env: &Env| match discover(env, flag.map(OsStr::new)).unwrap() {
        Discovery::Found(found) => (found.hub_dir, found.kind),
        Discovery::NotThere(place) => (place.would_be, place.kind),
    };
    assert_eq!(named(None, &env), (world.path("one/.interagent"), HubKind::Named));
    assert_eq!(named(Some("../two"), &env).0, world.path("work/../two"));
    assert_eq!(named(two.to_str(), &env), (two, HubKind::Named));
    assert_eq!(named(Some("~/new"), &env), (world.path("home/new/.interagent"), HubKind::Named));
    symlink(world.path("two"), world.path("link")).unwrap();
    assert_eq!(named(world.path("link").to_str(), &env).0, world.path("two"));
    for (flag, wanted) in [("", "empty"), ("https://hub.example/team", "URL")] {
        assert!(discover(&env, Some(OsStr::new(flag))).unwrap_err().to_string().contains(wanted));
    }
}

#[test]
fn a_directory_of_the_python_interagent_is_refused_with_the_way_out() {
    let world = World::new();
    world.repository("repo");
    world.dir("repo/.interagent/tasks/active");
    fs::write(world.path("repo/.interagent/session.json"), "{}").unwrap();
    let problem = world.refusal("repo");
    assert!(
        matches!(&problem, HubProblem::PythonInterAgent { directory } if *directory == world.path("repo/.interagent"))
    );
    let text = sentence(problem).replace(&world.root.display().to_string(), "ROOT");
    insta::assert_snapshot!(text, @r"
    error: `ROOT/repo/.interagent` was written by the Python InterAgent and is not a hub yet
    hint: interagent import takes its agents, tasks and messages over, and keeps the original
    ");
    // Our own session.json, beside our marks, is no such sign.
    world.dir("repo/.interagent/state");
    assert_eq!(world.found("repo").kind, HubKind::Project);
}

#[test]
fn files_and_links_in_the_place_of_a_hub_are_refused() {
    let world = World::new();
    world.dir("file");
    fs::write(world.path("file/.interagent"), "").unwrap();
    world.hub("elsewhere");
    world.dir("link");
    symlink(world.path("elsewhere"), world.path("link/.interagent")).unwrap();
    world.dir("planted/.interagent");
    fs::write(world.path("planted/.interagent/team.toml"), "").unwrap();
    symlink(world.path("elsewhere"), world.path("planted/.interagent/state")).unwrap();
    let texts = ["file", "link", "planted"].map(|cwd| sentence(world.refusal(cwd)));
    let texts = texts.join("\n").replace(&world.root.display().to_string(), "ROOT");
    insta::assert_snapshot!(texts, @"
    error: `ROOT/file/.interagent` is a file where a hub needs a directory
    hint: move it away, or name the hub with --hub DIRECTORY or INTERAGENT_HUB
    error: `ROOT/link/.interagent` is a symbolic link where a hub needs a directory
    hint: move it away, or name the hub with --hub DIRECTORY or INTERAGENT_HUB
    error: `ROOT/planted/.interagent/state` is a symbolic link where a hub needs a directory
    hint: move it away, or name the hub with --hub DIRECTORY or INTERAGENT_HUB
    ");
}

#[test]
fn without_a_working_directory_or_a_home_only_a_name_helps() {
    let world = World::new();
    let hub = world.hub("hub");
    let nowhere = Env::default();
    assert!(matches!(discover(&nowhere, None), Err(HubProblem::NoWorkingDirectory)));
    let found = discover(&nowhere, Some(hub.as_os_str())).unwrap();
    assert!(matches!(found, Discovery::Found(found) if found.hub_dir == hub));
    assert!(matches!(discover(&nowhere, Some(OsStr::new("rel"))), Err(HubProblem::NoWorkingDirectory)));
    let homeless = Env { home: None, ..world.env("hub") };
    assert!(matches!(discover(&homeless, None), Err(HubProblem::NoHome)));
}

/// Codex's sandbox mounts one in every directory that a command may write to.
#[test]
fn empty_git_directory_makes_no_project() {
    let world = World::new();
    world.dir("shared/.git");
    world.dir("shared/project");
    assert_eq!(world.would_be("shared/project"), world.path("shared/project/.interagent"));
    assert_eq!(git::tree_around(&world.path("shared/project")), None);
}

#[test]
fn a_git_file_that_is_not_one_is_named() {
    let world = World::new();
    world.dir("odd");
    fs::write(world.path("odd/.git"), "nonsense").unwrap();
    assert!(sentence(world.refusal("odd")).contains("does not start with `gitdir:`"));
    fs::remove_file(world.path("odd/.git")).unwrap();
    let made = Command::new("mkfifo").arg(world.path("odd/.git")).status().unwrap();
    assert!(made.success());
    assert!(sentence(world.refusal("odd")).contains("not a regular file"));
}

#[test]
fn a_strangers_hub_is_foreign_to_everybody_but_root() {
    assert!(shape::is_foreign(4242, 1000));
    assert!(!shape::is_foreign(1000, 1000));
    assert!(!shape::is_foreign(4242, 0));
}

#[test]
fn hostile_directory_names_do_not_reach_the_terminal() {
    let world = World::new();
    world.dir("evil\u{1b}[2J");
    fs::write(world.path("evil\u{1b}[2J/.interagent"), "").unwrap();
    assert!(!sentence(world.refusal("evil\u{1b}[2J")).contains('\u{1b}'));
}

#[test]
fn the_working_directory_may_have_any_bytes_in_its_name() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let odd = world.root.join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir_all(odd.join(".interagent/state")).unwrap();
    let env = Env { cwd: Some(odd.clone()), ..world.env("home") };
    let Discovery::Found(found) = discover(&env, None).unwrap() else { panic!("not found") };
    assert_eq!(found.hub_dir, odd.join(Path::new(HUB_NAME)));
}
