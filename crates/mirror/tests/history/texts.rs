//! Texts that follow their lines later: nothing that comes in between loses one.

use interagent_core::ids::EntityRef;
use interagent_testkit::facts;

use crate::{Pair, has_text, release, send_secret};

/// The texts that are noted as left out.
fn noted(pair: &Pair) -> String {
    std::fs::read_to_string(pair.state("a").join("git-left-out")).unwrap()
}

#[test]
fn a_sync_that_fails_before_the_branch_moved_forgets_no_text() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    let ann = facts::register(&mut a, "ann");
    let hash = send_secret(&mut a, &ann);
    pair.sync("a", &mut a);
    release(&mut a, &ann, &hash);
    let lock = pair.at("a/refs/heads/interagent.lock");
    let failed = pair.sync_while("a", &mut a, &mut |step| {
        if step.doing == "committing" {
            std::fs::write(&lock, "").unwrap();
        }
    });
    assert!(failed.is_err());
    assert!(noted(&pair).contains(hash.as_str()));
    std::fs::remove_file(&lock).unwrap();
    pair.sync("a", &mut a);
    assert!(pair.files("remote.git", "texts").iter().any(|path| path.contains(hash.as_str())));
    assert_eq!(noted(&pair), "");
}

#[test]
fn a_branch_that_moved_meanwhile_gets_the_text_at_the_next_attempt() {
    let pair = Pair::new();
    let mut a = pair.store("a");
    let ann = facts::register(&mut a, "ann");
    let hash = send_secret(&mut a, &ann);
    pair.sync("a", &mut a);
    release(&mut a, &ann, &hash);
    let mut is_first = true;
    let synced = pair.sync_while("a", &mut a, &mut |step| {
        if step.doing == "committing" && std::mem::take(&mut is_first) {
            let user = ["-c", "user.name=m", "-c", "user.email=m@example.org"];
            let tree = ["commit-tree", "interagent^{tree}", "-p", "interagent", "-m", "elsewhere"];
            let other = pair.git(&[&["--git-dir", "a"], &user[..], &tree].concat());
            pair.git(&["--git-dir", "a", "update-ref", "refs/heads/interagent", other.trim()]);
        }
    });
    assert_eq!(synced.unwrap().held_back, 0);
    assert!(!is_first);
    assert!(pair.files("remote.git", "texts").iter().any(|path| path.contains(hash.as_str())));
}

#[test]
fn a_released_text_arrives_though_plain_git_moved_the_branch() {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    let ann = facts::register(&mut a, "ann");
    let hash = send_secret(&mut a, &ann);
    // One long line closes the segment, so that the release is in another one than what it lets out.
    facts::append(&mut a, &ann, |draft| {
        let (id, mut created) = facts::task(draft, &ann, "many requirements");
        created.requirements = vec![created.title.clone(); 4_000];
        draft.add(EntityRef::Task(id), created);
    });
    pair.sync("a", &mut a);
    pair.sync("b", &mut b);
    release(&mut a, &ann, &hash);
    pair.sync("a", &mut a);
    let segments = pair.files("a", "log").iter().filter(|path| path.ends_with(".jsonl")).count();
    assert_eq!(segments, 3);
    pair.git(&["-C", "b", "fetch", "--quiet", "origin", "+interagent:interagent"]);
    pair.sync("b", &mut b);
    assert!(has_text(&mut b, &hash));
    assert!(b.verify(&mut |_, _| {}).unwrap().is_empty());
}
