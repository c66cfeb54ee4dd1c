//! Tools of MCP servers, such as `mcp__filesystem__write_file`: judged by their names and the paths they are given.
//!
//! There are more servers than anybody can list. A tool that does not say in its name that it only reads counts as one that
//! changes the files in its arguments.

use serde_json::Value;

use super::action::{Action, Does, does, field, plain, quoted, shell};

/// Words with which a name says that its tool reads what files say.
const READS: [&str; 12] = [
    "contents", "diff", "fetch", "find", "get", "grep", "outline", "overview", "query", "read", "search",
    "view",
];
/// Words with which a name says that its tool tells names, sizes or whether something is there.
const LISTS: [&str; 12] = [
    "check",
    "count",
    "exists",
    "glob",
    "info",
    "list",
    "ls",
    "screenshot",
    "stat",
    "status",
    "tree",
    "validate",
];
/// Words with which a name says that its tool changes something. They count more than the words above.
const WRITES: [&str; 24] = [
    "append",
    "apply",
    "commit",
    "copy",
    "create",
    "delete",
    "edit",
    "format",
    "insert",
    "modify",
    "move",
    "overwrite",
    "patch",
    "put",
    "remove",
    "rename",
    "replace",
    "save",
    "set",
    "truncate",
    "unlink",
    "update",
    "upload",
    "write",
];
/// Words with which a name says that its tool runs commands.
const RUNS: [&str; 7] = ["bash", "command", "exec", "execute", "process", "shell", "terminal"];

/// What a key of the arguments ends with, in lower case and without separators, where its value is a path.
const PATH_KEYS: [&str; 14] = [
    "dest",
    "destination",
    "dir",
    "directory",
    "file",
    "filename",
    "files",
    "folder",
    "path",
    "paths",
    "source",
    "src",
    "target",
    "uri",
];

/// Paths that are looked at in one call. More are in no call that a model writes.
const PATHS: usize = 64;
/// How deep lists and objects in the arguments are searched.
const DEPTH: usize = 4;
/// A longer text is no path.
const PATH_BYTES: usize = 4_096;

/// What such a tool does. Ours ask the hub.
pub(super) fn action(tool: &str, input: &Value) -> Action {
    if plain(tool).contains("interagent") {
        return Action::Other;
    }
    let served = tool.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__")).map(|(_, own)| own);
    let own = served.unwrap_or(tool);
    if let Some(elsewhere) = forge(own, input) {
        return elsewhere;
    }
    let known = served.and_then(|own| does(&plain(own)));
    let words = words(own);
    let has = |list: &[&str]| list.iter().any(|word| words.iter().any(|own| own == word));
    if matches!(known, Some(Does::Runs)) || (has(&RUNS) && field(input, &["command", "cmd"]).is_some()) {
        return shell(input);
    }
    let mut paths = Vec::new();
    collect(input, false, 0, &mut paths);
    if paths.is_empty() {
        return Action::Other;
    }
    match known {
        Some(Does::Edits | Does::Patches) => return Action::Edit { paths },
        Some(Does::Reads | Does::Searches) => return Action::Read { paths },
        Some(Does::Lists) => return Action::Other,
        _ => {}
    }
    if has(&WRITES) {
        // A directory that is made holds nothing of anybody.
        let makes_directory = has(&["create"]) && has(&["directory", "folder", "dir"]);
        return if makes_directory { Action::Other } else { Action::Edit { paths } };
    }
    if has(&LISTS) && !has(&["contents", "read"]) {
        return Action::Other;
    }
    if has(&READS) {
        return Action::Read { paths };
    }
    match served {
        Some(_) => Action::Edit { paths },
        // A tool of the client itself, whose name says nothing: it may be any.
        None => Action::Other,
    }
}

/// The words of a name: `get_file_contents`, `readFile`, `read-file`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = matches!(c, '_' | '-' | '.' | ' ') || (c.is_uppercase() && before.is_lowercase());
        if begins {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        before = c;
    }
    words
}

/// Tools that change a repository on a forge: what they commit to a branch is a push, and merging is merging.
fn forge(own: &str, input: &Value) -> Option<Action> {
    let is_remote =
        input.get("owner").is_some() || input.get("project_id").is_some() || input.get("repo").is_some();
    let words = words(own);
    let has = |word: &str| words.iter().any(|own| own == word);
    if !is_remote {
        return None;
    }
    if has("merge") && (has("pull") || has("request")) {
        return Some(Action::command("gh pr merge"));
    }
    let changes = WRITES.iter().any(|word| has(word)) || has("push");
    match field(input, &["branch", "target_branch", "ref"]) {
        Some(branch) if changes && !has("branch") && !has("request") => {
            Some(Action::command(&format!("git push origin {}", quoted(&format!("HEAD:{branch}")))))
        }
        // It reads or changes no file of this machine.
        _ => Some(Action::Other),
    }
}

/// The values that are paths by the names of their keys.
fn collect(value: &Value, is_path: bool, depth: usize, found: &mut Vec<String>) {
    if depth > DEPTH || found.len() >= PATHS {
        return;
    }
    match value {
        Value::String(text) if is_path => {
            let path = text.strip_prefix("file://").unwrap_or(text);
            let is_one = !path.is_empty()
                && path.len() <= PATH_BYTES
                && !path.contains(['\n', '\0'])
                && !path.contains("://");
            if is_one && !found.iter().any(|known| known == path) {
                found.push(path.to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, is_path, depth + 1, found)),
        Value::Object(fields) => {
            for (key, item) in fields {
                let key = plain(key);
                let names_path = PATH_KEYS.iter().any(|end| key.ends_with(end));
                collect(item, names_path, depth + 1, found);
            }
        }
        _ => {}
    }
}
