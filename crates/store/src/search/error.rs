//! What can go wrong with the search index, in sentences.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Trouble with the search index. The index is derived from the log, so none of these loses anything.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The caller catches up from cursor 0 and asks again.
    #[error("the search index {} was damaged and has been emptied; it fills again from the log when you search again", .path.display())]
    Rebuilt { path: PathBuf },
    #[error("the search index {} is in use by another process that has not finished for several seconds; search again in a moment", .path.display())]
    Busy { path: PathBuf },
    #[error("the search index {} was written by a newer interagent (format {found}, this one knows {known}); update interagent, or delete the file and it is built again", .path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("there is a directory at {}, where the search index belongs; move it away and search again", .path.display())]
    Directory { path: PathBuf },
    #[error("a batch for the search index goes from {after} back to {upto}; a cursor only moves forward")]
    Backwards { after: i64, upto: i64 },
    #[error("{given:?} is not a page of search results; use the value given with the page before")]
    BadPage { given: String },
    #[error("cannot {step} the search index {}: {source}", .path.display())]
    File { step: &'static str, path: PathBuf, source: std::io::Error },
    #[error("cannot {step} the search index {}: {source}", .path.display())]
    Sqlite { step: &'static str, path: PathBuf, source: rusqlite::Error },
}

impl SearchError {
    pub(super) fn sqlite(step: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            _ => Self::Sqlite { step, path, source },
        }
    }
}

/// Whether SQLite found the file itself to be wrong, as opposed to the disk, the lock or the statement.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
