//! The pinned versions of everything that the tests install, from `versions.toml`.
//!
//! Owns reading the file and moving its pins. What is done with a version belongs to its users.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde::Deserialize;
use toml_edit::DocumentMut;

use crate::clients::{Client, on_platform};
use crate::repo::stdout_of;
use crate::{Result, ui};

const FILE: &str = "versions.toml";

/// Everything that is pinned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Versions {
    /// The Node that npm and most clients run on.
    pub(crate) node: String,
    cargo: BTreeMap<String, String>,
    python: BTreeMap<String, String>,
    /// The agent clients that have tests.
    #[serde(rename = "client")]
    pub(crate) clients: Vec<Client>,
}

static VERSIONS: LazyLock<Result<Versions>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(path()).map_err(|why| format!("cannot read {FILE}: {why}"))?;
    toml::from_str(&text).map_err(|why| format!("{FILE}: {why}"))
});

/// The pins; an unreadable file is an error of the repository.
pub(crate) fn versions() -> Result<&'static Versions> {
    VERSIONS.as_ref().map_err(Clone::clone)
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FILE)
}

impl Versions {
    /// `NAME@VERSION`, as cargo takes it.
    pub(crate) fn cargo_tool(&self, name: &str) -> String {
        self.cargo.get(name).map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"))
    }

    /// `NAME==VERSION`, as pip takes it.
    pub(crate) fn python_package(&self, name: &str) -> String {
        self.python.get(name).map_or_else(|| name.to_owned(), |version| format!("{name}=={version}"))
    }
}

/// Moves every pin to the newest release, and prints each that moved. Comments and order stay.
pub(crate) fn move_to_newest() -> Result<()> {
    let text = std::fs::read_to_string(path()).map_err(|why| format!("cannot read {FILE}: {why}"))?;
    let mut document: DocumentMut = text.parse().map_err(|why| format!("{FILE}: {why}"))?;
    for (table, newest) in [("cargo", newest_crate as fn(&str) -> Result<String>), ("python", newest_pypi)] {
        let Some(pins) = document.get_mut(table).and_then(|item| item.as_table_mut()) else { continue };
        for (name, pin) in pins.iter_mut() {
            let found = newest(name.get())?;
            advance(name.get(), pin, &found);
        }
    }
    let clients = document.get_mut("client").and_then(|item| item.as_array_of_tables_mut());
    for client in clients.into_iter().flat_map(toml_edit::ArrayOfTables::iter_mut) {
        if client.get("frozen").and_then(toml_edit::Item::as_bool) == Some(true) {
            continue;
        }
        let word = |key: &str| client.get(key).and_then(toml_edit::Item::as_str).map(ToOwned::to_owned);
        let name = word("name").unwrap_or_default();
        let found = match (word("npm"), word("pypi")) {
            (Some(package), _) => newest_npm(&on_platform(&package)?)?,
            (None, Some(package)) => newest_pypi(&package)?,
            (None, None) => continue,
        };
        if let Some(pin) = client.get_mut("version") {
            advance(&name, pin, &found);
        }
    }
    std::fs::write(path(), document.to_string()).map_err(|why| format!("cannot write {FILE}: {why}"))
}

fn advance(name: &str, pin: &mut toml_edit::Item, newest: &str) {
    let Some(old) = pin.as_str().filter(|old| *old != newest) else { return };
    ui::line(&format!("  {name} {old} -> {newest}"));
    *pin = toml_edit::value(newest);
}

fn newest_npm(package: &str) -> Result<String> {
    Ok(stdout_of(Command::new("npm").args(["view", package, "version"]))?.trim().to_owned())
}

fn newest_pypi(package: &str) -> Result<String> {
    let said = stdout_of(Command::new("python3").args(["-m", "pip", "index", "versions", package]))?;
    pypi_version(&said).ok_or_else(|| format!("pip named no version of {package}"))
}

/// The version in pip's first line: `NAME (VERSION)`.
fn pypi_version(said: &str) -> Option<String> {
    let (_, rest) = said.lines().next()?.split_once('(')?;
    Some(rest.split_once(')')?.0.to_owned())
}

fn newest_crate(name: &str) -> Result<String> {
    // Outside of the workspace, whose lock file would name the version that it uses.
    let said =
        stdout_of(Command::new("cargo").args(["info", "--quiet", name]).current_dir(std::env::temp_dir()))?;
    let version = said.lines().find_map(|line| line.strip_prefix("version: "));
    let version = version.and_then(|version| version.split_whitespace().next());
    version.map(ToOwned::to_owned).ok_or_else(|| format!("cargo named no version of {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pin_is_readable() {
        let versions = versions().unwrap();
        assert!(versions.cargo_tool("cargo-deny").starts_with("cargo-deny@"));
        assert!(versions.python_package("mcp").starts_with("mcp=="));
        assert_eq!(versions.python_package("hcom"), "hcom");
        assert!(versions.clients.iter().any(|client| client.name == "claude" && client.usual));
    }

    #[test]
    fn pip_names_the_newest_version_first() {
        assert_eq!(pypi_version("mcp (2.3.0)\nAvailable versions: 2.3.0, 2.2.1"), Some("2.3.0".to_owned()));
        assert_eq!(pypi_version("ERROR: no matching distribution"), None);
    }
}
