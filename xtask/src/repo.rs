//! Where the repository, its files and its build output are, and how cargo is called from inside cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// The workspace as cargo describes it.
#[derive(Debug)]
pub(crate) struct Repo {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// `cargo metadata --no-deps`: our packages and the dependencies their manifests name.
    pub(crate) metadata: Value,
}

impl Repo {
    /// Asks cargo, so that `CARGO_TARGET_DIR` and configuration files are respected.
    pub(crate) fn find() -> Result<Self> {
        let mut command = cargo_command();
        command.args(["metadata", "--no-deps", "--format-version", "1"]);
        let metadata: Value = serde_json::from_str(&stdout_of(&mut command)?)
            .map_err(|problem| format!("cargo metadata printed no valid JSON: {problem}"))?;
        let path = |key: &str| match metadata[key].as_str() {
            Some(path) => Ok(PathBuf::from(path)),
            None => Err(format!("cargo metadata has no `{key}`")),
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
            metadata: metadata.clone(),
        })
    }

    /// Downloaded and built tools live beside the build output, so that removing it removes everything.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// A cargo command in the repository's root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo_command();
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Paths of all files that are or could be committed, relative to the root, with `/`.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut command = Command::new("git");
        // The clone may belong to another user (containers): we only list names in it.
        command
            .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root);
        let listing = stdout_of(&mut command)?;
        let mut files: Vec<String> = listing.split_terminator('\0').map(ToOwned::to_owned).collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

/// Cargo without the variables that `cargo run` sets for us: they describe this crate and would only
/// make the inner build differ from one started by hand.
fn cargo_command() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command to its end and returns what it printed, or a sentence with its complaint.
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.output().map_err(|problem| format!("cannot run `{shown}`: {problem}"))?;
    if !output.status.success() {
        let complaint = last_words(&String::from_utf8_lossy(&output.stderr));
        return Err(format!("`{shown}` failed ({}): {complaint}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The end of a complaint, on one line: programs say last what broke.
fn last_words(complaint: &str) -> String {
    const LINES: usize = 4;
    let lines: Vec<&str> = complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("; ")
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Whether a program of this name is found through `PATH`.
pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_reported_with_its_words() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such luck >&2; exit 3"]);
        let problem = stdout_of(&mut command).unwrap_err();
        assert!(problem.contains("no such luck") && problem.contains("exit status: 3"), "{problem}");
    }

    #[test]
    fn a_long_complaint_keeps_its_end() {
        assert_eq!(last_words("1\n\n2\n 3\n4\n5\n"), "2; 3; 4; 5");
        assert_eq!(last_words(""), "");
    }

    #[test]
    fn programs_are_found_only_where_path_leads() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-program-anywhere"));
    }
}
