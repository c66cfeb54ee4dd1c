//! The branch with real git and two stores: long logs, texts that are held back, logs that were forked.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_core::event::TextReleased;
use interagent_core::ids::{AgentId, EntityRef, HubId};
use interagent_core::text::TextHash;
use interagent_mirror::git::{Direction, Git, GitError, Remote, Report, Step, Sync, choose_remote};
use interagent_store::{Founding, OpenMode, SqliteEngine, Store};
use interagent_testkit::conformance::clock;
use interagent_testkit::facts;

#[path = "history"]
mod history {
    mod damaged;
    mod forged;
    mod texts;
    mod worktree;
}

/// A remote and two repositories with a store each.
struct Pair {
    folder: tempfile::TempDir,
}

impl Pair {
    fn new() -> Self {
        let pair = Self { folder: tempfile::tempdir().unwrap() };
        pair.git(&["init", "--quiet", "--bare", "remote.git"]);
        for name in ["a", "b"] {
            pair.repository(name);
        }
        pair
    }

    fn repository(&self, name: &str) {
        self.git(&["init", "--quiet", "--bare", name]);
        self.git(&["--git-dir", name, "remote", "add", "origin", "../remote.git"]);
    }

    /// Somebody changes a file on the remote's branch by hand.
    fn meddle(&self, path: &str, change: impl Fn(String) -> String) {
        self.edit(|edit| {
            let file = edit.join(path);
            std::fs::write(&file, change(std::fs::read_to_string(&file).unwrap())).unwrap();
        });
    }

    /// Somebody changes the files of the remote's branch by hand.
    fn edit(&self, change: impl FnOnce(&Path)) {
        let _ = std::fs::remove_dir_all(self.at("edit"));
        self.git(&["clone", "--quiet", "--branch", "interagent", "remote.git", "edit"]);
        change(&self.at("edit"));
        self.git(&["-C", "edit", "add", "--all"]);
        let name = ["-c", "user.name=m", "-c", "user.email=m@example.org"];
        self.git(&[&["-C", "edit"], &name[..], &["commit", "--quiet", "-m", "meddling"]].concat());
        self.git(&["-C", "edit", "push", "--quiet"]);
    }

    /// A file of a repository's branch.
    fn show(&self, name: &str, path: &str) -> String {
        self.git(&["--git-dir", name, "show", &format!("interagent:{path}")])
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.folder.path());
        command.env("HOME", self.folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn store(&self, name: &str) -> Store {
        let engine = SqliteEngine::open(&self.state(name), OpenMode::CreateIfMissing).unwrap();
        let founding = Founding { hub_id: Some(HubId::from_bits(1)), alias: name.to_owned(), user_dir: None };
        Store::open(Box::new(engine), clock(), &founding).unwrap()
    }

    fn state(&self, name: &str) -> PathBuf {
        self.at(&format!("{name}-state"))
    }

    fn sync(&self, name: &str, store: &mut Store) -> Report {
        self.try_sync(name, store).unwrap()
    }

    fn try_sync(&self, name: &str, store: &mut Store) -> Result<Report, GitError> {
        self.sync_while(name, store, &mut |_| {})
    }

    /// Syncs, and does something else at its steps.
    fn sync_while(
        &self,
        name: &str,
        store: &mut Store,
        progress: &mut dyn FnMut(Step),
    ) -> Result<Report, GitError> {
        let git = Git::at(&self.at(name));
        let remote: Option<Remote> = choose_remote(&git, None)?;
        let state_dir = self.state(name);
        Sync {
            git: &git,
            state_dir: &state_dir,
            remote: remote.as_ref(),
            direction: Direction::Both,
            progress,
        }
        .run(store)
    }

    fn files(&self, name: &str, below: &str) -> Vec<String> {
        let listed =
            self.git(&["--git-dir", name, "ls-tree", "-r", "--name-only", "interagent", "--", below]);
        listed.lines().map(str::to_owned).collect()
    }
}

/// Sends a message; answers with the hash of its body.
fn send(store: &mut Store, actor: &AgentId, body: &str) -> TextHash {
    let mut hash = None;
    facts::append(store, actor, |draft| {
        let (id, sent) = facts::message(draft, actor, std::slice::from_ref(actor), "subject", body);
        hash.clone_from(&sent.body);
        draft.add(EntityRef::Message(id), sent);
    });
    hash.unwrap()
}

/// Sends something that looks like a secret; answers with the hash of its text, which is held.
fn send_secret(store: &mut Store, actor: &AgentId) -> TextHash {
    send(store, actor, &format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"))
}

fn release(store: &mut Store, actor: &AgentId, hash: &TextHash) {
    let held = store.read(|reader| reader.held_text(hash)).unwrap().unwrap();
    let released = TextReleased { texts: vec![hash.clone()], reason: None };
    facts::append(store, actor, |draft| draft.add(held.entity.unwrap(), released));
}

fn has_text(store: &mut Store, hash: &TextHash) -> bool {
    store.text_with_salt(hash).unwrap().is_some()
}

#[test]
fn a_long_log_goes_in_segments_and_arrives_whole() {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    let ann = facts::register(&mut a, "ann");
    for number in 0..1_200 {
        facts::send(&mut a, &ann, &ann, &format!("subject {number}"), "body");
    }
    let report = pair.sync("a", &mut a);
    assert_eq!((report.committed, report.sent), (1_202, 1_202));
    let segments = pair.files("a", "log");
    assert!(segments.len() > 1, "{segments:?}");
    for path in &segments {
        let text = pair.git(&["--git-dir", "a", "show", &format!("interagent:{path}")]);
        assert!(text.lines().count() <= 1_000 && text.len() < 300 * 1024, "{path}");
    }
    let report = pair.sync("b", &mut b);
    assert_eq!((report.taken_in, report.sent, report.problems.len()), (1_202, 1, 0));
    let findings = b.verify(&mut |_, _| {}).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    // Adding one line adds one line: the closed segments stay as they are.
    facts::send(&mut a, &ann, &ann, "one more", "body");
    assert_eq!(pair.sync("a", &mut a).taken_in, 1);
    let changed = pair.git(&[
        "--git-dir",
        "a",
        "diff-tree",
        "-r",
        "--name-only",
        "interagent^",
        "interagent",
        "--",
        "log",
    ]);
    assert!(changed.lines().count() <= 2, "{changed}");
}

#[test]
fn a_text_that_is_held_back_follows_when_it_is_released() {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    let ann = facts::register(&mut a, "ann");
    let hash = send_secret(&mut a, &ann);
    let report = pair.sync("a", &mut a);
    assert_eq!(report.held_back, 1);
    assert!(!pair.files("a", "texts").iter().any(|path| path.contains(hash.as_str())));
    pair.sync("b", &mut b);
    assert!(!has_text(&mut b, &hash));
    // Still held: no commit for nothing.
    pair.git(&["-C", "a", "fetch", "--quiet", "origin", "+interagent:interagent"]);
    let theirs = pair.git(&["--git-dir", "a", "rev-parse", "interagent"]);
    assert_eq!(pair.sync("a", &mut a).held_back, 1);
    assert_eq!(pair.git(&["--git-dir", "a", "rev-parse", "interagent"]), theirs);
    // Released here, it goes; and it arrives there though its line was known.
    release(&mut a, &ann, &hash);
    assert_eq!(pair.sync("a", &mut a).held_back, 0);
    assert_eq!(pair.sync("b", &mut b).texts, 1);
    assert!(has_text(&mut b, &hash));
    assert!(b.verify(&mut |_, _| {}).unwrap().is_empty());
}

#[test]
fn a_branch_that_went_back_is_brought_forward() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    let ann = facts::register(&mut a, "ann");
    pair.sync("a", &mut a);
    let early = pair.git(&["--git-dir", "a", "rev-parse", "interagent"]).trim().to_owned();
    facts::send(&mut a, &ann, &ann, "later", "body");
    pair.sync("a", &mut a);
    let late = pair.files("remote.git", ".").len();
    for repository in ["a", "remote.git"] {
        pair.git(&["--git-dir", repository, "update-ref", "refs/heads/interagent", &early]);
    }
    pair.sync("a", &mut a);
    assert_eq!(pair.files("remote.git", ".").len(), late);
}

#[test]
fn a_store_that_was_lost_gets_everything_from_the_branch() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    let ann = facts::register(&mut a, "ann");
    facts::send(&mut a, &ann, &ann, "kept", "body");
    pair.sync("a", &mut a);
    drop(a);
    std::fs::remove_dir_all(pair.state("a")).unwrap();
    let mut again = pair.store("a");
    let report = pair.sync("a", &mut again);
    assert_eq!((report.taken_in, report.texts), (3, 2));
    assert!(again.verify(&mut |_, _| {}).unwrap().is_empty());
}

/// What a snapshot of the state directory holds, and putting it back into the same file.
fn snapshot(pair: &Pair, store: &mut Store) -> impl Fn(&Pair) + use<> {
    let kept = pair.at("snapshot.db");
    store.backup_to(&kept, &mut |_| {}).unwrap();
    move |pair: &Pair| {
        let state = pair.state("a");
        for log in ["hub.db-wal", "hub.db-shm"] {
            let _ = std::fs::remove_file(state.join(log));
        }
        std::fs::write(state.join("hub.db"), std::fs::read(&kept).unwrap()).unwrap();
    }
}

#[test]
fn a_store_that_was_put_back_takes_its_own_entries_back() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    let ann = facts::register(&mut a, "ann");
    let put_back = snapshot(&pair, &mut a);
    facts::send(&mut a, &ann, &ann, "after the snapshot", "body");
    pair.sync("a", &mut a);
    let origin = a.head().unwrap().origin;
    drop(a);
    put_back(&pair);
    let mut a = pair.store("a");
    let report = pair.sync("a", &mut a);
    assert_eq!((report.taken_in, report.problems.len()), (1, 0), "{report:?}");
    assert!(report.notes[0].contains("it takes back 1 entry of its own"), "{:?}", report.notes);
    assert_eq!(a.head().unwrap().origin, origin);
    assert_eq!(pair.sync("a", &mut a).notes, Vec::<String>::new());
    facts::send(&mut a, &ann, &ann, "goes on", "body");
    assert_eq!(pair.sync("a", &mut a).sent, 1);
    assert!(a.verify(&mut |_, _| {}).unwrap().is_empty());
}

#[test]
fn a_store_that_was_put_back_and_went_on_becomes_a_new_replica() {
    went_on(|_, _| {});
}

#[test]
fn a_machine_that_was_put_back_and_went_on_becomes_a_new_replica() {
    went_on(|pair, early| {
        pair.git(&["--git-dir", "a", "update-ref", "refs/heads/interagent", early]);
    });
}

fn went_on(put_back_git: impl FnOnce(&Pair, &str)) {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    let ann = facts::register(&mut a, "ann");
    pair.sync("a", &mut a);
    let early = pair.git(&["--git-dir", "a", "rev-parse", "interagent"]).trim().to_owned();
    let put_back = snapshot(&pair, &mut a);
    let first = facts::send(&mut a, &ann, &ann, "after the snapshot", "body");
    pair.sync("a", &mut a);
    pair.sync("b", &mut b);
    let origin = a.head().unwrap().origin;
    drop(a);
    put_back(&pair);
    put_back_git(&pair, &early);
    let mut a = pair.store("a");
    let apart: Vec<_> =
        (0..3).map(|n| facts::send(&mut a, &ann, &ann, &format!("apart {n}"), "body")).collect();
    let report = pair.sync("a", &mut a);
    assert_eq!((report.taken_in, report.problems.as_slice()), (2, &[][..]), "{report:?}");
    assert!(report.notes[0].contains("it is a new replica now"), "{:?}", report.notes);
    let now = a.head().unwrap();
    assert_ne!(now.origin, origin);
    // Once, and everybody has everything.
    assert_eq!(pair.sync("a", &mut a).notes, Vec::<String>::new());
    let report = pair.sync("b", &mut b);
    assert_eq!((report.taken_in, report.problems.len()), (4, 0), "{report:?}");
    for store in [&mut a, &mut b] {
        for message in apart.iter().chain([&first]) {
            assert!(store.read(|reader| reader.message(message)).unwrap().is_some(), "{message}");
        }
        assert!(store.verify(&mut |_, _| {}).unwrap().is_empty());
    }
    let home = a.read(|reader| reader.agent(&ann)).unwrap().unwrap().home;
    assert!(a.read(|reader| reader.is_home(&home)).unwrap());
}

#[test]
fn a_repository_that_is_gone_is_named() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    std::fs::remove_dir_all(pair.at("a")).unwrap();
    let error = pair.try_sync("a", &mut a).unwrap_err();
    assert!(matches!(&error, GitError::Gone { path } if path.ends_with(Path::new("a"))), "{error}");
}
