//! Finds what `cargo xtask test` installed.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the clients are, for those who share them between clones.
const DIRECTORY_VARIABLE: &str = "INTERAGENT_CLIENTS_DIR";

/// A client on this machine.
#[derive(Debug)]
pub struct Installed {
    /// Its version.
    pub version: String,
    /// Its program.
    pub program: PathBuf,
    /// Where the programs are that it runs on.
    pub path: Vec<PathBuf>,
}

impl Installed {
    /// Fails the test where the client is not installed: who does not want it does not run the test.
    pub fn find(name: &str) -> Self {
        let directory = directory();
        let (version, program) = record(&directory, name).unwrap_or_else(|| {
            panic!(
                "{name} is not installed in {}; `cargo xtask clients {name}` installs it and runs its test",
                directory.display()
            )
        });
        let node = record(&directory, "node").and_then(|(_, node)| Some(node.parent()?.to_owned()));
        Self { version, program, path: node.into_iter().collect() }
    }
}

fn directory() -> PathBuf {
    match std::env::var_os(DIRECTORY_VARIABLE) {
        Some(named) => named.into(),
        None => {
            let test = std::env::current_exe().unwrap();
            // <target>/<profile>/deps/<test>
            test.ancestors().nth(3).unwrap().join("tools").join("clients")
        }
    }
}

/// Version and program of what was installed completely.
fn record(directory: &Path, name: &str) -> Option<(String, PathBuf)> {
    let home = directory.join(name);
    let text = std::fs::read_to_string(home.join("installed.json")).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    Some((record["version"].as_str()?.to_owned(), home.join(record["program"].as_str()?)))
}
