//! Replicas of one hub in a temporary directory, on SQLite.

use std::path::PathBuf;
use std::sync::Arc;

use interagent_core::ids::HubId;
use interagent_store::{Clock, Engine, Founding, OpenMode, SqliteEngine, Store};
use interagent_testkit::conformance::Factory;

pub(crate) struct SqliteReplicas {
    dir: tempfile::TempDir,
}

impl SqliteReplicas {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn state_dir(&self, replica: &str) -> PathBuf {
        self.dir.path().join(replica)
    }

    pub(crate) fn founding(replica: &str) -> Founding {
        Founding { hub_id: Some(HubId::from_bits(1)), alias: replica.to_owned(), user_dir: None }
    }
}

impl Factory for SqliteReplicas {
    fn open(&self, replica: &str, clock: Arc<dyn Clock>) -> Store {
        let engine = SqliteEngine::open(&self.state_dir(replica), OpenMode::CreateIfMissing).unwrap();
        Store::open(Box::new(engine), clock, &Self::founding(replica)).unwrap()
    }

    fn copy(&self, from: &mut Store, replica: &str, clock: Arc<dyn Clock>) -> Store {
        let state_dir = self.state_dir(replica);
        std::fs::create_dir(&state_dir).unwrap();
        from.backup_to(&state_dir.join("hub.db"), &mut |_| {}).unwrap();
        self.open(replica, clock)
    }

    fn engine(&self, replica: &str) -> Box<dyn Engine> {
        Box::new(SqliteEngine::open(&self.state_dir(replica), OpenMode::Existing).unwrap())
    }
}
