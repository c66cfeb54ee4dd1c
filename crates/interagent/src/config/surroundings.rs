//! Where temporary files go and where this program lies: asked only by commands that need to know.

use std::path::PathBuf;

/// Where temporary files go.
pub(crate) fn temporary_directory() -> PathBuf {
    let directory = std::env::temp_dir();
    if directory.is_absolute() { directory } else { PathBuf::from("/tmp") }
}

/// This program's own file, where typing its name would not run it.
pub(crate) fn program_off_path() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let on_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("interagent").is_file()));
    (!on_path).then_some(program)
}

/// This program's own file.
pub(crate) fn program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// Where typing the name of a program would find it.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &std::path::Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
