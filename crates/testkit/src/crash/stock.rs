//! The second opinion: the `sqlite3` program of the system, on a copy of the files or on a store nobody has open.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::run;

/// Tables that are not made from the log: the log itself, and what this machine observed.
const NOT_VIEWS: [&str; 9] =
    ["hubs", "entries", "blobs", "sessions", "offers", "lease_clocks", "pairs", "trace", "replicas"];

/// The system's own `sqlite3`.
#[derive(Debug)]
pub struct StockSqlite;

impl StockSqlite {
    /// It, where it is installed.
    pub fn find() -> Option<Self> {
        Command::new("sqlite3")
            .arg("--version")
            .output()
            .ok()
            .filter(|out| out.status.success())
            .map(|_| Self)
    }

    /// Makes a database that is none of ours.
    pub fn make_foreign(&self, database: &Path) -> super::Verdict {
        self.sql(database, "CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES ('chocolate')")
            .map(drop)
    }

    /// Makes a database look like one of the next version of the program.
    pub fn raise_schema_version(&self, database: &Path) -> super::Verdict {
        let version = self.sql(database, "PRAGMA user_version")?;
        let version: i64 = version.trim().parse().map_err(|why| format!("user_version {version}: {why}"))?;
        self.sql(database, &format!("PRAGMA user_version = {}", version + 1)).map(drop)
    }

    /// Deletes every row that can be made again from the log; answers with the tables.
    pub fn empty_views(&self, database: &Path) -> Result<Vec<String>, String> {
        let tables = self.sql(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let is_view = |name: &&str| !NOT_VIEWS.contains(name) && !name.starts_with("sqlite_");
        let views: Vec<String> = tables.lines().filter(is_view).map(str::to_owned).collect();
        for view in &views {
            self.sql(database, &format!("DELETE FROM {view}"))?;
        }
        Ok(views)
    }

    /// Runs SQL on a file and answers with what it printed.
    fn sql(&self, database: &Path, sql: &str) -> Result<String, String> {
        let ran = run(Command::new("sqlite3").arg("-batch").arg(database).arg(sql));
        match ran.code {
            Some(0) if ran.stderr.is_empty() => Ok(ran.stdout),
            _ => Err(format!("sqlite3 on {}: {ran}", database.display())),
        }
    }

    /// A copy of the database passes the whole check.
    pub fn finds_it_sound(&self, database: &Path) -> super::Verdict {
        let dir = tempfile::tempdir().unwrap();
        let copy = copy_database(database, dir.path());
        let said = self.sql(&copy, "PRAGMA integrity_check; PRAGMA foreign_key_check;")?;
        super::ensure(said.trim() == "ok", || format!("integrity_check of an unmodified SQLite: {said}"))
    }
}

/// Copies a database and its log as they lie there. Nobody may have it open.
pub fn copy_database(database: &Path, to: &Path) -> PathBuf {
    let copy = to.join("copy.db");
    std::fs::copy(database, &copy).unwrap();
    let wal = with_suffix(database, "-wal");
    if wal.exists() {
        std::fs::copy(wal, with_suffix(&copy, "-wal")).unwrap();
    }
    copy
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
