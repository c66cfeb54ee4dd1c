//! The real agent clients that exercise the MCP server: which there are, in which version, and which of them a run uses.

mod install;
mod run;
mod table;

pub(crate) use install::{NODE_PACKAGE, on_platform};
pub(crate) use run::{Exercised, exercise, reported_version, show_captain};

use serde::Deserialize;

use crate::Result;
use crate::versions::versions;

/// A client as its registry distributes it; the pins are in `versions.toml`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// The name that `--clients`, `--without`, the tests and the cache use.
    pub(crate) name: String,
    pub(crate) version: String,
    /// What the program prints as its version, where that is not the package's; the product reads it.
    #[serde(default)]
    reports: Option<String>,
    npm: Option<String>,
    pypi: Option<String>,
    /// The program inside the installation; `{platform}` is npm's name for this machine.
    program: String,
    /// Part of every run, unless `--without` names it.
    #[serde(default)]
    pub(crate) usual: bool,
    /// Its terminal can't be used in a test: only runs without a person are exercised.
    #[serde(default)]
    pub(crate) headless_only: bool,
    /// Its pin does not move; read as text where pins are moved.
    #[serde(default)]
    frozen: bool,
}

impl Client {
    /// The version that people see: what the program prints.
    fn shown_version(&self) -> &str {
        self.reports.as_deref().unwrap_or(&self.version)
    }
}

fn all() -> Result<&'static [Client]> {
    Ok(&versions()?.clients)
}

/// Reads a list of client names, or `all`.
pub(crate) fn named(list: &str) -> Result<Vec<&'static Client>> {
    if list == "all" {
        return Ok(all()?.iter().collect());
    }
    list.split(',').map(|name| find(name.trim())).collect()
}

fn find(name: &str) -> Result<&'static Client> {
    all()?
        .iter()
        .find(|client| client.name == name)
        .ok_or_else(|| format!("there is no client `{name}`; there are {}", names().join(", ")))
}

pub(crate) fn names() -> Vec<&'static str> {
    all().into_iter().flatten().map(|client| client.name.as_str()).collect()
}

/// Who is exercised: the usual ones and those asked for, except those that are done without.
pub(crate) fn chosen(more: &[&'static Client], without: &[String]) -> Vec<&'static Client> {
    let clients = all().into_iter().flatten();
    clients
        .filter(|client| client.usual || more.contains(client))
        .filter(|client| !without.contains(&client.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen_names(more: &str, without: &str) -> Vec<&'static str> {
        let more = if more.is_empty() { Vec::new() } else { named(more).unwrap() };
        let without: Vec<String> = without.split(',').map(ToOwned::to_owned).collect();
        chosen(&more, &without).iter().map(|client| client.name.as_str()).collect()
    }

    #[test]
    fn only_without_takes_away_a_usual_client() {
        assert_eq!(chosen_names("", ""), ["claude", "kimi", "codex"]);
        assert_eq!(chosen_names("qwen, claude", ""), ["claude", "kimi", "codex", "qwen"]);
        assert_eq!(chosen_names("codex", "claude,python-sdk"), ["kimi", "codex"]);
        assert_eq!(chosen_names("all", "").len(), all().unwrap().len());
        assert_eq!(chosen_names("", "claude,kimi,codex"), [""; 0]);
    }

    #[test]
    fn a_name_nobody_has_is_refused_with_those_there_are() {
        let problem = named("claude,cluade").unwrap_err();
        assert!(problem.contains("`cluade`") && problem.contains("kimi-cli"), "{problem}");
    }
}
