//! Files in the worktree.

use std::io::Write;
use std::path::Path;

use super::error::GitError;

/// Replaces a file whole. A link in its place is replaced, never followed.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let failed = |source| GitError::Write { path: path.to_owned(), source };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
