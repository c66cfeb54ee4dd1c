//! A disk that is full or may only be read: each is said, nothing is lost, and work goes on when it is over.
//!
//! Promises D2, E1, E2, E3, L2. Needs the right to mount; without it the tests say so.

use std::path::Path;
use std::process::Command;

use interagent_testkit::crash::{Mail, Verdict, Yard, ensure, skip};
use serde_json::Value;

use super::{good, holds};

/// Small enough to fill, large enough for a hub.
const DISK_KIB: u64 = 3 * 1024;

/// A disk of its own, unmounted at the end.
pub(super) struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    pub(super) fn mount() -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("interagent-disk-").tempdir().unwrap();
        let size = format!("size={DISK_KIB}k,mode=700");
        let mounted = mount(&["-t", "tmpfs", "-o", &size, "interagent-proof"], dir.path());
        if !mounted {
            skip("no right to mount a small disk: a full and a read-only disk were not tried");
        }
        mounted.then_some(Self { dir })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    fn remount(&self, mode: &str) {
        assert!(mount(&["-o", &format!("remount,{mode}")], self.path()), "remount {mode}");
    }

    /// Leaves so many pages free.
    fn fill(&self, free_pages: usize) {
        let ballast = self.path().join("ballast");
        let page = [0x55_u8; 4096];
        let mut pages: Vec<u8> = Vec::new();
        let _ = std::fs::remove_file(&ballast);
        // Written until it is full, then cut: what is free at that moment is not our business to calculate.
        let mut file = std::fs::File::create(&ballast).unwrap();
        while std::io::Write::write(&mut file, &page).is_ok_and(|written| written == page.len()) {
            pages.push(0);
        }
        let kept = pages.len().saturating_sub(free_pages) * page.len();
        file.set_len(kept as u64).unwrap();
    }

    fn empty(&self) {
        std::fs::remove_file(self.path().join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}

fn mount(args: &[&str], at: &Path) -> bool {
    Command::new("mount").args(args).arg(at).output().is_ok_and(|out| out.status.success())
}

fn send(yard: &Yard, key: &str) -> (interagent_testkit::crash::Ran, String) {
    let body = format!("{key} {}", "y".repeat(6_000));
    let args = ["send", "--to", "reader", "-s", key, "-m", &body, "--key", key, "--json"];
    (yard.run("operator", &args), body)
}

fn mailbox(yard: &Yard) -> Result<Vec<Value>, String> {
    let inbox = yard.run("operator", &["inbox", "--agent", "reader", "--limit", "200", "--json"]).answer()?;
    Ok(inbox["items"].as_array().cloned().unwrap_or_default())
}

/// Sends on a disk with less and less space: what is acknowledged is there, what is refused is not.
pub(super) fn a_full_disk_loses_nothing(yard: &Yard, disk: &SmallDisk) -> Verdict {
    let mut stored: Vec<Mail> = Vec::new();
    let mut refused = 0;
    for free_pages in [60, 24, 12, 9, 7, 5, 4, 3, 2, 1, 0] {
        disk.fill(free_pages);
        let key = format!("free-{free_pages}");
        let (ran, body) = send(yard, &key);
        let shown = mailbox(yard)?;
        let times = shown.iter().filter(|mail| mail["subject"] == key).count();
        if ran.code == Some(0) {
            ensure(times == 1, || format!("{key}: acknowledged, and there {times} times"))?;
            let id = ran.answer()?["id"].as_str().unwrap_or_default().to_owned();
            stored.push(Mail { key, id, body });
        } else {
            ran.failed_in_order()?;
            ensure(ran.code == Some(5), || format!("{key}: {ran}"))?;
            ensure(ran.sentence().contains("no space is left"), || format!("{key}: {ran}"))?;
            ensure(times == 0, || format!("{key} was refused and is there"))?;
            refused += 1;
        }
        ensure(shown.len() == stored.len(), || format!("{} of {} are shown", shown.len(), stored.len()))?;
    }
    ensure(refused > 0, || "the disk never was full".to_owned())?;
    disk.empty();
    let (ran, body) = send(yard, "free-0");
    ensure(ran.code == Some(0), || format!("with space again: {ran}"))?;
    stored.push(Mail {
        key: "free-0".to_owned(),
        id: ran.answer()?["id"].as_str().unwrap_or_default().to_owned(),
        body,
    });
    stored.iter().try_for_each(|mail| mail.is_stored(yard))?;
    yard.is_healthy()
}

/// On a disk that may only be read everything is shown as before, and a write says why it can't be.
fn a_read_only_disk_shows_everything(yard: &Yard, disk: &SmallDisk) -> Verdict {
    let (ran, _) = send(yard, "before");
    ensure(ran.code == Some(0), || format!("{ran}"))?;
    let before = mailbox(yard)?;
    disk.remount("ro");
    let shown = mailbox(yard);
    let (written, _) = send(yard, "while");
    let doctor = yard.run("operator", &["doctor"]);
    disk.remount("rw");
    ensure(shown? == before, || "a read-only mailbox shows something else".to_owned())?;
    written.failed_in_order()?;
    ensure(written.code == Some(5), || format!("{written}"))?;
    let sentence = written.sentence();
    let says = ["cannot be written", "Read-only file system"].iter().any(|words| sentence.contains(words));
    ensure(says, || format!("{written}"))?;
    doctor.did_not_panic()?;
    let (after, _) = send(yard, "while");
    ensure(after.code == Some(0), || format!("afterwards: {after}"))?;
    yard.is_healthy()
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else { return };
    let yard = Yard::below(good(), disk.path());
    yard.init(&["reader"]);
    holds(a_full_disk_loses_nothing(&yard, &disk));
}

#[test]
fn a_read_only_disk_is_told_and_shows_everything() {
    let Some(disk) = SmallDisk::mount() else { return };
    let yard = Yard::below(good(), disk.path());
    yard.init(&["reader"]);
    holds(a_read_only_disk_shows_everything(&yard, &disk));
}
