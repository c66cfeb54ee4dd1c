//! Where the guard itself stands: files that an agent could take it away with.

use super::path;
use super::touches::Writing;
use crate::decide::lease::{has_wildcards, overlap};

/// By this line a hook of git is known as one that asks the guard.
pub const HOOK_MARK: &str =
    "# Written by `interagent guard install`; `interagent guard install --undo` takes it away.";

/// The files that clients read their hooks from, by the end of their path. A test of the profiles keeps it whole.
pub const CLIENT_FILES: [&str; 11] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".copilot/hooks/interagent.json",
    ".gemini/settings.json",
    ".github/hooks/interagent.json",
    ".kimi-code/config.toml",
    ".kimi/config.toml",
    ".qwen/settings.json",
    ".factory/hooks.json",
    "opencode/plugins/interagent.js",
];

/// The hooks of git that ask the guard.
pub const HOOKS: [&str; 3] = ["pre-commit", "pre-push", "reference-transaction"];

/// Whether a path is called as one of the hooks, or as one that was moved aside for it.
pub fn is_hook(file: &str) -> bool {
    let name = path::file_name(file);
    HOOKS.contains(&name.strip_suffix(".before-interagent").unwrap_or(name))
}

/// Whether a write reaches a file that a client reads its hooks from.
pub fn is_client_file(written: &str, how: Writing) -> bool {
    CLIENT_FILES.iter().any(|file| {
        let directories = || file.match_indices('/').map(|(at, _)| &file[..at]);
        ends(written, file) || (how == Writing::Remove && directories().any(|above| ends(written, above)))
    })
}

/// Whether a path ends in these names. `.opencode` and `.config/opencode` are both a directory of that client.
fn ends(written: &str, end: &str) -> bool {
    let rest = path::tidy(written);
    rest.strip_suffix(end).is_some_and(|before| before.ends_with('/') || before.ends_with("/."))
}

/// Whether a write reaches a file, or something below it. A shell's wildcards leave out names that begin with
/// a dot.
pub fn reaches(written: &str, how: Writing, target: &str) -> bool {
    let mut names = target.split('/').filter(|name| !name.is_empty());
    for part in written.split('/').filter(|part| !part.is_empty()) {
        // Below what is kept.
        let Some(name) = names.next() else { return true };
        let fits = match part {
            "**" => return true,
            part if has_wildcards(part) => {
                part.starts_with('.') == name.starts_with('.') && overlap(part, name)
            }
            part => part == name,
        };
        if !fits {
            return false;
        }
    }
    // A directory above goes with everything in it.
    names.next().is_none() || how == Writing::Remove
}
