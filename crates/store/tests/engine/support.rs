//! A store in a temporary directory with a schema of its own, and helper processes.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use interagent_store::{
    OpenMode, Queryable, ReadTx, SqliteEngine, SqliteOptions, StoreError, WriteTx, params,
};

pub(crate) const SCHEMA: &[&str] =
    &["CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL UNIQUE) STRICT"];
const STATE_DIR: &str = "ENGINE_TEST_STATE_DIR";

pub(crate) struct Store {
    dir: tempfile::TempDir,
}

impl Store {
    pub(crate) fn empty() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn made() -> Self {
        let store = Self::empty();
        drop(store.open(OpenMode::CreateIfMissing).unwrap());
        store
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.state_dir().join(name)
    }

    pub(crate) fn open(&self, mode: OpenMode) -> Result<SqliteEngine, StoreError> {
        SqliteEngine::open_with(&self.state_dir(), mode, options())
    }

    pub(crate) fn existing(&self) -> SqliteEngine {
        self.open(OpenMode::Existing).unwrap()
    }

    /// Everything in the one file: no companions.
    pub(crate) fn settle(&self) {
        rusqlite::Connection::open(self.file("hub.db"))
            .unwrap()
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        assert!(!self.file("hub.db-wal").exists(), "the last plain connection removes the log");
    }
}

pub(crate) fn options() -> SqliteOptions {
    SqliteOptions { migrations: SCHEMA, ..SqliteOptions::default() }
}

pub(crate) fn add(engine: &mut SqliteEngine, body: &str) -> Result<(), StoreError> {
    let mut tx = WriteTx::begin(engine)?;
    tx.execute("INSERT INTO notes (body) VALUES ($1)", &params![body])?;
    tx.commit()
}

pub(crate) fn count(engine: &mut SqliteEngine) -> i64 {
    count_in(&mut ReadTx::begin(engine).unwrap())
}

pub(crate) fn count_in(tx: &mut impl Queryable) -> i64 {
    tx.query_first("SELECT count(*) FROM notes", &[]).unwrap().unwrap().int(0).unwrap()
}

/// A function of this test binary, run in a process of its own. It says "ready" and waits to be ended.
pub(crate) struct Helper(pub(crate) Child);

impl Helper {
    pub(crate) fn start(test: &str, state_dir: &Path) -> Self {
        let mut child = Self::command(test, state_dir).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.map_while(Result::ok).any(|line| line.ends_with("ready"));
        assert!(ready, "the helper {test} ended early");
        Self(child)
    }

    /// Runs the helper without the right to write, as another user when we are root.
    pub(crate) fn run_without_rights(test: &str, state_dir: &Path) -> bool {
        let mut command = Self::command(test, state_dir);
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command.status().unwrap().success()
    }

    fn command(test: &str, state_dir: &Path) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([test, "--exact", "--ignored", "--nocapture"]).env(STATE_DIR, state_dir);
        command
    }

    pub(crate) fn state_dir() -> PathBuf {
        std::env::var_os(STATE_DIR).expect("only run by another test").into()
    }

    /// The helper's side: tells the test and sleeps.
    pub(crate) fn ready() -> ! {
        println!("\nready");
        loop {
            std::thread::sleep(Duration::from_secs(60));
        }
    }

    pub(crate) fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.0)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
