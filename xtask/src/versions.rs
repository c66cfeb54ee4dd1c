//! The pinned versions of everything that the tests install, from `versions.toml`.
//!
//! Owns reading the file and moving its pins. What is done with a version belongs to its users.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde::Deserialize;
use toml_edit::DocumentMut;

use crate::clients::{Client, NODE_PACKAGE, on_platform, reported_version};
use crate::repo::stdout_of;
use crate::tools::Tools;
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
    /// The pinned version of a cargo tool.
    pub(crate) fn of_cargo_tool(&self, name: &str) -> Option<&str> {
        self.cargo.get(name).map(String::as_str)
    }

    /// `NAME@VERSION`, as cargo takes it.
    pub(crate) fn cargo_tool(&self, name: &str) -> String {
        self.cargo.get(name).map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"))
    }

    /// `NAME==VERSION`, as pip takes it.
    pub(crate) fn python_package(&self, name: &str) -> String {
        self.python.get(name).map_or_else(|| name.to_owned(), |version| format!("{name}=={version}"))
    }
}

/// Where the newest releases are looked up.
struct Releases<'a> {
    of_crate: &'a dyn Fn(&str) -> Result<String>,
    of_npm: &'a dyn Fn(&str) -> Result<String>,
    of_pypi: &'a dyn Fn(&str) -> Result<String>,
    /// What a client in its new version prints as its version.
    reported: &'a dyn Fn(&Client) -> Result<String>,
}

/// Moves every pin to the newest release, and prints each that moved. Comments and order stay.
pub(crate) fn move_to_newest(tools: &Tools<'_>) -> Result<()> {
    let text = std::fs::read_to_string(path()).map_err(|why| format!("cannot read {FILE}: {why}"))?;
    let releases = Releases {
        of_crate: &newest_crate,
        of_npm: &newest_npm,
        of_pypi: &newest_pypi,
        reported: &|client| reported_version(tools, client),
    };
    std::fs::write(path(), moved(&text, &releases)?).map_err(|why| format!("cannot write {FILE}: {why}"))
}

fn moved(text: &str, releases: &Releases<'_>) -> Result<String> {
    let mut document: DocumentMut = text.parse().map_err(|why| format!("{FILE}: {why}"))?;
    if let Some(pin) = document.get_mut("node") {
        advance("node", pin, &(releases.of_npm)(&on_platform(NODE_PACKAGE)?)?);
    }
    for (table, newest) in [("cargo", releases.of_crate), ("python", releases.of_pypi)] {
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
            (Some(package), _) => (releases.of_npm)(&on_platform(&package)?)?,
            (None, Some(package)) => (releases.of_pypi)(&package)?,
            (None, None) => continue,
        };
        let has_moved = client.get_mut("version").is_some_and(|pin| advance(&name, pin, &found));
        if has_moved && client.contains_key("reports") {
            let as_it_is = toml::from_str(&client.to_string()).map_err(|why| format!("{FILE}: {why}"))?;
            let reported = (releases.reported)(&as_it_is)?;
            client.get_mut("reports").map(|pin| advance(&format!("{name} (reported)"), pin, &reported));
        }
    }
    Ok(document.to_string())
}

/// Moves one pin; whether it moved.
fn advance(name: &str, pin: &mut toml_edit::Item, newest: &str) -> bool {
    let Some(value) = pin.as_value_mut() else { return false };
    let Some(old) = value.as_str().filter(|old| *old != newest) else { return false };
    ui::line(&format!("  {name} {old} -> {newest}"));
    let mut moved = toml_edit::Value::from(newest);
    // A comment behind the pin stays.
    *moved.decor_mut() = value.decor().clone();
    *value = moved;
    true
}

fn newest_npm(package: &str) -> Result<String> {
    Ok(stdout_of(Command::new("npm").args(["view", package, "version"]))?.trim().to_owned())
}

fn newest_pypi(package: &str) -> Result<String> {
    // Of `NAME[EXTRA]` pip knows the name.
    let package = package.split('[').next().unwrap_or(package);
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
    fn every_pin_moves() {
        let text = r#"
node = "24.0.0" # runs npm

[cargo]
cargo-deny = "0.1.0"

[python]
mcp = "1.0.0"

[[client]]
name = "goose"
version = "0.20.1"
reports = "1.34.0"
npm = "@aaif/goose"
program = "goose"

[[client]]
name = "kimi-cli"
version = "1.51.0"
pypi = "kimi-cli"
program = "bin/kimi"
frozen = true
"#;
        let releases = Releases {
            of_crate: &|name| Ok(format!("9.0.0-{name}")),
            of_npm: &|package| Ok(if package.starts_with("node-") { "26.0.0" } else { "0.21.0" }.to_owned()),
            of_pypi: &|package| Ok(format!("8.0.0-{package}")),
            reported: &|client| Ok(format!("1.35.0-of-{}", client.version)),
        };
        let mut wanted = text.to_owned();
        for (old, new) in [
            ("24.0.0", "26.0.0"),
            ("0.1.0", "9.0.0-cargo-deny"),
            ("1.0.0", "8.0.0-mcp"),
            ("0.20.1", "0.21.0"),
            ("1.34.0", "1.35.0-of-0.21.0"),
        ] {
            wanted = wanted.replacen(&format!("\"{old}\""), &format!("\"{new}\""), 1);
        }
        assert_eq!(moved(text, &releases).unwrap(), wanted);
    }

    #[test]
    fn pip_names_the_newest_version_first() {
        assert_eq!(pypi_version("mcp (2.3.0)\nAvailable versions: 2.3.0, 2.2.1"), Some("2.3.0".to_owned()));
        assert_eq!(pypi_version("ERROR: no matching distribution"), None);
    }
}
