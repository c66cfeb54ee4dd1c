//! Where temporary files go and where this program lies: asked only by commands that need to know.

use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// Where temporary files go.
pub(crate) fn temporary_directory() -> PathBuf {
    let directory = std::env::temp_dir();
    if directory.is_absolute() { directory } else { PathBuf::from("/tmp") }
}

/// A new directory among the temporary files, for its owner alone.
pub(crate) fn new_temporary_directory() -> std::io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
    let name = format!("interagent-{:016x}", u64::from_ne_bytes(random));
    let directory = temporary_directory().join(name);
    std::fs::DirBuilder::new().mode(0o700).create(&directory)?;
    Ok(directory)
}

/// This program's own file.
pub(crate) fn program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// This program's own file, where typing its name would not run it.
pub(crate) fn program_off_path() -> Option<PathBuf> {
    let program = program()?;
    let on_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("interagent").is_file()));
    (!on_path).then_some(program)
}

/// Whether a variable has this value.
pub(crate) fn has_variable(name: &str, value: &str) -> bool {
    std::env::var_os(name).is_some_and(|found| found == value)
}
