//! Copies the database through SQLite's backup interface, the only safe way while it is in use.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::errors::translate;
use super::files::{exists, flush_dir, make_new_file};
use crate::engine::BackupProgress;
use crate::error::StoreError;

/// Pages per step: 4 MB, so that progress is shown several times a second.
const STEP_PAGES: i32 = 1024;
/// How long a step may find the source locked before the backup gives up.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Copies one consistent state into the new file `path`. The caller holds a read transaction on `source`:
/// without it every commit of another process would make the copy start again.
pub(crate) fn copy(
    source: &Connection,
    path: &Path,
    progress: &mut dyn FnMut(BackupProgress),
) -> Result<(), StoreError> {
    if exists(path)? {
        return Err(StoreError::Io {
            action: "create",
            path: path.to_owned(),
            source: std::io::ErrorKind::AlreadyExists.into(),
        });
    }
    let partial = Partial::make(path)?;
    copy_pages(source, &partial.0, progress)?;
    std::fs::rename(&partial.0, path).map_err(|e| StoreError::io("name", path, e))?;
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => flush_dir(dir),
        _ => flush_dir(Path::new(".")),
    }
}

fn copy_pages(
    source: &Connection,
    target: &Path,
    progress: &mut dyn FnMut(BackupProgress),
) -> Result<(), StoreError> {
    let sql = |e| translate(target, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(target, flags).map_err(sql)?;
    copy.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    let backup = Backup::new(source, &mut copy).map_err(sql)?;
    let mut busy_since: Option<Instant> = None;
    loop {
        let step = backup.step(STEP_PAGES).map_err(sql)?;
        let now = backup.progress();
        let total = u64::try_from(now.pagecount).unwrap_or(0);
        progress(BackupProgress {
            done: total - u64::try_from(now.remaining).unwrap_or(0).min(total),
            total,
        });
        match step {
            StepResult::Done => break,
            StepResult::More => busy_since = None,
            _ if busy_since.get_or_insert_with(Instant::now).elapsed() < BUSY_LIMIT => {
                std::thread::sleep(BUSY_PAUSE);
            }
            _ => return Err(StoreError::Locked { path: target.to_owned() }),
        }
    }
    drop(backup);
    copy.close().map_err(|(_, e)| sql(e))
}

/// The file while it is being filled; removed when it did not get its final name.
struct Partial(PathBuf);

impl Partial {
    fn make(path: &Path) -> Result<Self, StoreError> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(name);
        make_new_file(&partial)?;
        Ok(Self(partial))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Renamed away on success; otherwise the error that brought us here is the one to report.
        let _ = std::fs::remove_file(&self.0);
    }
}
