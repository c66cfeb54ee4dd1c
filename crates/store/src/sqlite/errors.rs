//! Translates SQLite's result codes into errors a person can act on.

use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::error::StoreError;

/// Translates an error about the database at `path`.
pub(crate) fn translate(path: &Path, error: rusqlite::Error) -> StoreError {
    let Some(code) = sqlite_code(&error) else {
        return StoreError::internal(error.to_string());
    };
    let path = path.to_owned();
    let detail = error.to_string();
    match code.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Locked { path }
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged { path, detail },
        ErrorCode::DiskFull => StoreError::Full { path, detail },
        ErrorCode::SystemIoFailure => match code.extended_code {
            // Growing the shared memory file fails for want of space only.
            ffi::SQLITE_IOERR_SHMSIZE => StoreError::Full { path, detail },
            ffi::SQLITE_IOERR_CORRUPTFS => StoreError::Damaged { path, detail },
            _ => StoreError::Disk { path, detail },
        },
        ErrorCode::ReadOnly if code.extended_code == ffi::SQLITE_READONLY_DBMOVED => {
            StoreError::Replaced { path }
        }
        ErrorCode::ReadOnly => StoreError::ReadOnly { path, action: "written", detail },
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            StoreError::ReadOnly { path, action: "opened", detail }
        }
        ErrorCode::ConstraintViolation => StoreError::Constraint { detail },
        _ => StoreError::internal(detail),
    }
}

/// True when SQLite could not open the file or one of its companions.
pub(crate) fn is_cannot_open(error: &rusqlite::Error) -> bool {
    sqlite_code(error).is_some_and(|code| {
        matches!(code.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            || code.extended_code == ffi::SQLITE_IOERR_SHMOPEN
    })
}

/// True when a commit failed before all of it was written, so that nobody will ever take it for whole.
pub(crate) fn left_it_unfinished(error: &rusqlite::Error) -> bool {
    sqlite_code(error).is_some_and(|code| {
        matches!(code.code, ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::ConstraintViolation)
            || code.extended_code == ffi::SQLITE_IOERR_WRITE
    })
}

/// True when everything was written and only the flush to the disk failed.
pub(crate) fn is_failed_flush(error: &rusqlite::Error) -> bool {
    sqlite_code(error).is_some_and(|code| code.extended_code == ffi::SQLITE_IOERR_FSYNC)
}

fn sqlite_code(error: &rusqlite::Error) -> Option<ffi::Error> {
    match error {
        rusqlite::Error::SqliteFailure(code, _) | rusqlite::Error::SqlInputError { error: code, .. } => {
            Some(*code)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn each_result_code_has_its_kind() {
        for (code, kind) in [
            (ffi::SQLITE_BUSY, ErrorKind::Busy),
            (ffi::SQLITE_BUSY_SNAPSHOT, ErrorKind::Busy),
            (ffi::SQLITE_LOCKED, ErrorKind::Busy),
            (ffi::SQLITE_CORRUPT, ErrorKind::Damaged),
            (ffi::SQLITE_NOTADB, ErrorKind::Damaged),
            (ffi::SQLITE_FULL, ErrorKind::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, ErrorKind::Full),
            (ffi::SQLITE_IOERR_FSYNC, ErrorKind::Io),
            (ffi::SQLITE_READONLY, ErrorKind::ReadOnly),
            (ffi::SQLITE_READONLY_DBMOVED, ErrorKind::Missing),
            (ffi::SQLITE_CANTOPEN, ErrorKind::ReadOnly),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, ErrorKind::Internal),
            (ffi::SQLITE_MISUSE, ErrorKind::Internal),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(translate(Path::new("hub.db"), error).kind(), kind, "code {code}");
        }
    }
}
