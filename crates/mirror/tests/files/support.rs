//! A hub in a temporary directory, and all its readable files as one map.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interagent_core::ids::HubId;
use interagent_mirror::files::{Bound, Effort, Findings, Followed, check, follow, write_all};
use interagent_store::{Founding, ManualClock, OpenMode, SqliteEngine, Store};
use interagent_testkit::conformance::THEN;

/// Files by their path from the hub.
pub(crate) type Tree = BTreeMap<String, String>;

pub(crate) struct Hub {
    root: tempfile::TempDir,
    pub(crate) store: Store,
    pub(crate) clock: Arc<ManualClock>,
}

impl Hub {
    pub(crate) fn new(alias: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("hub")).unwrap();
        let clock = Arc::new(ManualClock::new(THEN));
        let engine = SqliteEngine::open(&root.path().join("hub/state"), OpenMode::CreateIfMissing).unwrap();
        let founding =
            Founding { hub_id: Some(HubId::from_bits(1)), alias: alias.to_owned(), user_dir: None };
        let store = Store::open(Box::new(engine), clock.clone(), &founding).unwrap();
        Self { root, store, clock }
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.root.path().join("hub")
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir().join(file)
    }

    pub(crate) fn follow(&mut self, bound: Bound) -> Followed {
        let dir = self.dir();
        follow(&mut self.store, &dir, bound).unwrap()
    }

    pub(crate) fn check(&mut self) -> Findings {
        let dir = self.dir();
        check(&mut self.store, &dir, Effort::All).unwrap()
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(&self.dir())
    }

    /// The same hub's files, written into an empty directory at once.
    pub(crate) fn written_at_once(&mut self) -> Tree {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("state")).unwrap();
        let written = write_all(&mut self.store, scratch.path()).unwrap();
        assert_eq!(written.troubles, Vec::<String>::new());
        tree(scratch.path())
    }
}

fn tree(dir: &Path) -> Tree {
    fn walk(dir: &Path, prefix: &str, found: &mut Tree) {
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else if entry.file_type().unwrap().is_file() {
                found.insert(name, std::fs::read_to_string(entry.path()).unwrap_or_default());
            }
        }
    }
    let mut found = Tree::new();
    walk(dir, "", &mut found);
    found.retain(|name, _| !name.starts_with("state/"));
    found
}
