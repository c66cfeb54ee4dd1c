//! The files in the worktree: texts that come late or come back, links, and what is no file of ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_core::text::TextHash;
use interagent_mirror::git::{Checkout, Git, Report, Writes};
use interagent_store::Store;
use interagent_testkit::facts;

use crate::{Pair, has_text, release, send, send_secret};

/// A clone with its hub and files.
struct Clone {
    checkout: Checkout,
    store: Store,
}

impl Clone {
    fn new(pair: &Pair, name: &str) -> Self {
        let tree = format!("{name}-tree");
        pair.git(&["init", "--quiet", &tree]);
        let root = pair.at(&tree);
        let git_dir = root.join(".git");
        let hub_dir = root.join(".interagent");
        fs::create_dir(&hub_dir).unwrap();
        fs::write(hub_dir.join(".gitignore"), "").unwrap();
        let git = Git::at(&git_dir);
        let checkout = Checkout { hub_dir, state_dir: pair.state(name), root, git_dir, git };
        Self { checkout, store: pair.store(name) }
    }

    fn sync(&mut self) -> Report {
        self.checkout.sync(&mut self.store, Writes::WhatIsMissing).unwrap()
    }

    /// Adds everything to git's index, so that what comes is in new files.
    fn add(&self) {
        let root = &self.checkout.root;
        let added = Command::new("git").args(["add", "-A"]).current_dir(root).status().unwrap();
        assert!(added.success());
    }

    fn texts(&self) -> PathBuf {
        self.checkout.hub_dir.join("texts")
    }

    fn files_of(&self, hash: &TextHash) -> Vec<PathBuf> {
        let folder = self.texts().join(&hash.as_str()[..2]);
        let files = fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path());
        files.filter(|path| path.to_string_lossy().contains(hash.as_str())).collect()
    }

    /// Gets a part of another one's files, as by a merge.
    fn merge(&self, from: &Self, part: &str) {
        copy(&from.checkout.hub_dir.join(part), &self.checkout.hub_dir.join(part));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn a_released_text_reaches_who_knew_its_line() {
    let pair = Pair::new();
    // With the line that releases it, or in a later commit.
    for parts in [["texts", "log"], ["log", "texts"]] {
        let (a, b) = (format!("a-{}", parts[0]), format!("b-{}", parts[0]));
        let (mut a, mut b) = (Clone::new(&pair, &a), Clone::new(&pair, &b));
        let ann = facts::register(&mut a.store, "ann");
        let hash = send_secret(&mut a.store, &ann);
        a.sync();
        a.add();
        b.merge(&a, "log");
        b.merge(&a, "texts");
        b.sync();
        release(&mut a.store, &ann, &hash);
        a.sync();
        assert!(!has_text(&mut b.store, &hash));
        for part in parts {
            b.merge(&a, part);
            if part == "log" {
                b.sync();
            }
        }
        b.add();
        b.checkout.catch_up(&mut b.store).unwrap();
        assert!(has_text(&mut b.store, &hash), "{parts:?}");
        assert!(b.store.verify(&mut |_, _| {}).unwrap().is_empty());
    }
}

#[test]
fn a_purged_text_that_a_merge_brings_back_goes_again() {
    let pair = Pair::new();
    let mut a = Clone::new(&pair, "a");
    let ann = facts::register(&mut a.store, "ann");
    let hash = send(&mut a.store, &ann, "leaked");
    a.sync();
    let feature = pair.at("feature");
    copy(&a.texts(), &feature);
    facts::purge(&mut a.store, &ann, &hash);
    a.sync();
    assert!(a.files_of(&hash).is_empty());
    copy(&feature, &a.texts());
    a.sync();
    assert!(a.files_of(&hash).is_empty());
    // Or the next command does it.
    copy(&feature, &a.texts());
    a.add();
    a.checkout.catch_up(&mut a.store).unwrap();
    assert!(a.files_of(&hash).is_empty());
}

#[test]
fn folders_of_texts_that_are_links_are_not_gone_into() {
    let pair = Pair::new();
    let mut a = Clone::new(&pair, "a");
    let ann = facts::register(&mut a.store, "ann");
    let hash = send(&mut a.store, &ann, "leaked");
    a.sync();
    let outside = pair.at("outside");
    fs::rename(a.texts(), &outside).unwrap();
    let name = &hash.as_str()[..2];
    let there = || fs::read_dir(outside.join(name)).unwrap().count();
    facts::purge(&mut a.store, &ann, &hash);
    symlink(&outside, a.texts()).unwrap();
    a.sync();
    assert_eq!(there(), 1);
    fs::remove_file(a.texts()).unwrap();
    fs::create_dir(a.texts()).unwrap();
    symlink(outside.join(name), a.texts().join(name)).unwrap();
    a.sync();
    assert_eq!(there(), 1);
    // Nor is anything read there.
    let mut b = Clone::new(&pair, "b");
    b.merge(&a, "log");
    symlink(&outside, b.texts()).unwrap();
    let report = b.checkout.sync(&mut b.store, Writes::Nothing).unwrap();
    assert_eq!(report.texts, 0);
}

#[test]
fn a_file_that_is_too_large_is_named_and_the_rest_loads() {
    let pair = Pair::new();
    let (mut a, mut b) = (Clone::new(&pair, "a"), Clone::new(&pair, "b"));
    facts::register(&mut a.store, "ann");
    a.sync();
    b.merge(&a, "log");
    let name = format!("log/{}/000000000009-large.jsonl", a.store.head().unwrap().origin);
    let large = fs::File::create(b.checkout.hub_dir.join(&name)).unwrap();
    large.set_len(64 * 1024 * 1024 + 1).unwrap();
    let report = b.sync();
    assert_eq!(report.taken_in, 2, "{report:?}");
    let [problem] = report.problems.as_slice() else { panic!("{report:?}") };
    assert!(problem.contains(&name) && problem.contains("64 MiB"), "{problem}");
}
