//! Packages from PyPI that tests run, each pinned by `versions.toml` and in an environment of its own.

use std::path::PathBuf;
use std::process::Command;

const VERSIONS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../versions.toml"));

/// The environment of a package, installed below the build directory on first use.
///
/// # Panics
/// When the package is not pinned or can't be installed.
pub fn environment(package: &str) -> PathBuf {
    let versions: toml::Value = toml::from_str(VERSIONS).unwrap();
    let version = versions["python"].get(package).and_then(toml::Value::as_str);
    let pinned = format!("{package}=={}", version.unwrap_or_else(|| panic!("{package} is not pinned")));
    let test = std::env::current_exe().unwrap();
    let environment = test.ancestors().nth(3).unwrap().join("tools").join(format!("venv-{pinned}"));
    // Written last: an interrupted installation does not count.
    let complete = environment.join("complete");
    if !complete.is_file() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        run(Command::new(environment.join("bin/pip")).args(["install", "--quiet", &pinned]));
        std::fs::write(complete, "").unwrap();
    }
    environment
}

/// Runs a command to its end and returns everything that it printed.
///
/// # Panics
/// When it fails.
pub fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|why| panic!("cannot run {command:?}: {why}"));
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{command:?}\n{said}");
    said
}
