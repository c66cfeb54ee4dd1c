//! The real agent clients that exercise the MCP server: which there are, in which version, and which of them a run uses.

mod install;
mod run;
mod table;

pub(crate) use run::{Exercised, exercise, show_captain};

use crate::Result;

/// A client as its registry distributes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// What `--clients`, `--without`, the tests and the cache call it.
    pub(crate) name: &'static str,
    /// Pinned: another version is another client until somebody looked at it.
    pub(crate) version: &'static str,
    package: Package,
    /// The program inside the installation; `{platform}` is npm's name for this machine.
    program: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
enum Package {
    Npm(&'static str),
    Python(&'static str),
}

/// In every run, unless `--without` names it.
const USUAL: [&str; 2] = ["claude", "kimi"];

/// Every client that has a test. Some ship a launcher that a script replaces while it is installed; no such script
/// runs here, so for those the program behind the launcher is named.
const CLIENTS: [Client; 8] = [
    Client {
        name: "claude",
        version: "2.1.326",
        package: Package::Npm("@anthropic-ai/claude-code"),
        program: "node_modules/@anthropic-ai/claude-code-{platform}/claude",
    },
    Client {
        name: "kimi",
        version: "2.1.0",
        package: Package::Npm("@moonshot-ai/kimi-code"),
        program: "node_modules/.bin/kimi",
    },
    Client {
        name: "codex",
        version: "0.169.0",
        package: Package::Npm("@openai/codex"),
        program: "node_modules/.bin/codex",
    },
    Client {
        name: "gemini",
        version: "0.61.0",
        package: Package::Npm("@google/gemini-cli"),
        program: "node_modules/.bin/gemini",
    },
    Client {
        name: "opencode",
        version: "1.18.33",
        package: Package::Npm("opencode-ai"),
        program: "node_modules/opencode-{platform}/bin/opencode",
    },
    Client {
        name: "qwen",
        version: "0.24.4",
        package: Package::Npm("@qwen-code/qwen-code"),
        program: "node_modules/.bin/qwen",
    },
    Client {
        name: "copilot",
        version: "1.0.102",
        package: Package::Npm("@github/copilot"),
        program: "node_modules/@github/copilot-{platform}/copilot",
    },
    Client {
        // The last version with a program in it: what follows only says that it ended.
        name: "kimi-cli",
        version: "1.51.0",
        package: Package::Python("kimi-cli"),
        program: "bin/kimi",
    },
];

/// Reads a list of client names, or `all`.
pub(crate) fn named(list: &str) -> Result<Vec<&'static Client>> {
    if list == "all" {
        return Ok(CLIENTS.iter().collect());
    }
    list.split(',').map(|name| find(name.trim())).collect()
}

fn find(name: &str) -> Result<&'static Client> {
    CLIENTS
        .iter()
        .find(|client| client.name == name)
        .ok_or_else(|| format!("there is no client `{name}`; there are {}", names().join(", ")))
}

pub(crate) fn names() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).collect()
}

/// Who is exercised: the usual ones and those asked for, except those that are done without.
pub(crate) fn chosen(more: &[&'static Client], without: &[String]) -> Vec<&'static Client> {
    CLIENTS
        .iter()
        .filter(|client| USUAL.contains(&client.name) || more.contains(client))
        .filter(|client| !without.iter().any(|word| word == client.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen_names(more: &str, without: &str) -> Vec<&'static str> {
        let more = if more.is_empty() { Vec::new() } else { named(more).unwrap() };
        let without: Vec<String> = without.split(',').map(ToOwned::to_owned).collect();
        chosen(&more, &without).iter().map(|client| client.name).collect()
    }

    #[test]
    fn only_without_takes_away_a_usual_client() {
        assert_eq!(chosen_names("", ""), ["claude", "kimi"]);
        assert_eq!(chosen_names("codex, claude", ""), ["claude", "kimi", "codex"]);
        assert_eq!(chosen_names("codex", "claude,python-sdk"), ["kimi", "codex"]);
        assert_eq!(chosen_names("all", "").len(), CLIENTS.len());
        assert_eq!(chosen_names("", "claude,kimi"), [""; 0]);
    }

    #[test]
    fn a_name_nobody_has_is_refused_with_those_there_are() {
        let problem = named("claude,cluade").unwrap_err();
        assert!(problem.contains("`cluade`") && problem.contains("kimi-cli"), "{problem}");
    }
}
