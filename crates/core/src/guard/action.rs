//! What a client's tool is about to do, in words that fit every client.
//!
//! Tools are known by their name and their arguments by the names of their fields, not by client: clients copy each
//! other's tools, and one that is new is mostly like one that is known.

use serde_json::Value;

use super::served;

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Changes files.
    Edit {
        /// As given.
        paths: Vec<String>,
    },
    /// Runs a command line.
    Shell {
        /// The command line.
        command: String,
        /// The directory it runs in, where the call names one.
        directory: Option<String>,
        /// Nobody waits for it.
        background: bool,
    },
    /// Starts another agent inside this one.
    Subagent {
        /// It can only look.
        read_only: bool,
    },
    /// Reads what files say.
    Read {
        /// As given.
        paths: Vec<String>,
    },
    /// Is given names that may be those of files. What it does with them is not known.
    Names {
        /// As given.
        paths: Vec<String>,
    },
    /// Lists names of files.
    List {
        /// As given.
        paths: Vec<String>,
    },
    /// Anything else: the guard has nothing to say.
    Other,
}

/// The tools of a client that start other agents, as its profile names them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subagents<'a> {
    /// Tools that start one.
    pub tools: &'a [String],
    /// Kinds of subagents that can only read.
    pub read_only: &'a [String],
}

/// What a tool of this name does with its arguments.
#[derive(Clone, Copy)]
pub(super) enum Does {
    Edits,
    Runs,
    Patches,
    Delegates,
    Reads,
    Searches,
    Lists,
}

/// Tools by name, in lower case and without separators. Names that only one client uses are in its profile.
const TOOLS: [(&str, Does); 42] = [
    ("agent", Does::Delegates),
    ("applypatch", Does::Patches),
    ("bash", Does::Runs),
    ("container.exec", Does::Runs),
    ("create", Does::Edits),
    ("createfile", Does::Edits),
    ("deletefile", Does::Edits),
    ("edit", Does::Edits),
    ("editfile", Does::Edits),
    ("exec", Does::Runs),
    ("execcommand", Does::Runs),
    ("execute", Does::Runs),
    ("glob", Does::Lists),
    ("grep", Does::Searches),
    ("insert", Does::Edits),
    ("localshell", Does::Runs),
    ("movefile", Does::Edits),
    ("multiedit", Does::Edits),
    ("multiread", Does::Reads),
    ("notebookedit", Does::Edits),
    ("notebookread", Does::Reads),
    ("patch", Does::Patches),
    ("read", Does::Reads),
    ("readfile", Does::Reads),
    ("readmanyfiles", Does::Reads),
    ("replace", Does::Edits),
    ("runinterminal", Does::Runs),
    ("runshellcommand", Does::Runs),
    ("searchfilecontent", Does::Searches),
    ("shell", Does::Runs),
    ("shellcommand", Does::Runs),
    ("strreplace", Does::Edits),
    ("strreplaceeditor", Does::Edits),
    ("strreplacefile", Does::Edits),
    ("subagent", Does::Delegates),
    ("task", Does::Delegates),
    ("terminal", Does::Runs),
    ("unifiedexec", Does::Runs),
    ("view", Does::Reads),
    ("write", Does::Edits),
    ("writefile", Does::Edits),
    ("writetofile", Does::Edits),
];

/// Fields that name one file or directory.
const PATHS: [&str; 10] = [
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
    "old_path",
    "new_path",
];

/// What a tool of this plain name does.
pub(super) fn does(name: &str) -> Option<Does> {
    TOOLS.iter().find(|(known, _)| *known == name).map(|(_, does)| *does)
}

impl Action {
    /// What a call of this tool with these arguments does.
    pub fn of(tool: &str, input: &Value, client: Subagents<'_>) -> Self {
        let name = plain(tool);
        if client.tools.iter().any(|starts| plain(starts) == name) {
            return Self::Subagent { read_only: is_read_only(&name, input, client) };
        }
        match does(&name) {
            Some(Does::Runs) => shell(input),
            Some(Does::Patches) => patch(input),
            Some(Does::Edits) if field(input, &["command"]) == Some("view") => {
                Self::Read { paths: paths(input) }
            }
            Some(Does::Edits) => Self::Edit { paths: paths(input) },
            Some(Does::Reads) => Self::Read { paths: paths(input) },
            Some(Does::Lists) => Self::List { paths: paths(input) },
            Some(Does::Searches) => {
                let paths = paths(input);
                // Without a path it searches everything below the working directory.
                Self::Read { paths: if paths.is_empty() { vec![".".to_owned()] } else { paths } }
            }
            Some(Does::Delegates) => Self::Subagent { read_only: is_read_only(&name, input, client) },
            None => served::action(tool, input),
        }
    }

    /// A command line that somebody waits for.
    pub fn command(command: &str) -> Self {
        Self::Shell { command: command.to_owned(), directory: None, background: false }
    }
}

pub(super) fn field<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(name)?.as_str())
}

pub(super) fn shell(input: &Value) -> Action {
    let directory = field(input, &["workdir", "cwd", "dir_path", "directory", "working_directory"]);
    let background = ["run_in_background", "is_background", "background", "fireAndForget"]
        .iter()
        .any(|name| input.get(name).and_then(Value::as_bool).unwrap_or(false))
        || field(input, &["mode"]).is_some_and(|mode| mode == "async" || mode == "detached");
    let given = ["command", "cmd", "script"].iter().find_map(|name| input.get(name));
    let command = match given {
        Some(Value::String(command)) => command.clone(),
        // As programs get it: every word is one, whatever stands in it.
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str).map(quoted);
            words.collect::<Vec<_>>().join(" ")
        }
        _ => return Action::Other,
    };
    Action::Shell { command, directory: directory.map(str::to_owned), background }
}

/// A word that a shell reads as itself.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn patch(input: &Value) -> Action {
    let text = match input {
        Value::String(text) => Some(text.as_str()),
        input => field(input, &["input", "patch", "patchText", "patch_text", "diff", "content", "command"]),
    };
    let mut found = paths(input);
    if let Some(text) = text {
        found.extend(patched(text));
    }
    Action::Edit { paths: found }
}

/// The files that a patch changes: in the form of `apply_patch`, or as a unified diff.
pub fn patched(text: &str) -> Vec<String> {
    const HEADS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let mut paths: Vec<String> = Vec::new();
    for line in text.lines() {
        let named = HEADS.iter().find_map(|head| line.trim_start().strip_prefix(head)).or_else(|| {
            let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
            let path = path.split('\t').next().unwrap_or(path);
            let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
            (path != "/dev/null").then_some(path)
        });
        if let Some(path) =
            named.map(str::trim).filter(|path| !path.is_empty() && !paths.iter().any(|p| p == path))
        {
            paths.push(path.to_owned());
        }
    }
    paths
}

fn paths(input: &Value) -> Vec<String> {
    let mut found: Vec<String> =
        PATHS.iter().filter_map(|name| input.get(name)?.as_str()).map(str::to_owned).collect();
    for name in ["paths", "file_paths", "files", "edits"] {
        for item in input.get(name).and_then(Value::as_array).into_iter().flatten() {
            match item {
                Value::String(path) => found.push(path.clone()),
                item => {
                    found.extend(PATHS.iter().filter_map(|name| item.get(name)?.as_str()).map(str::to_owned));
                }
            }
        }
    }
    found.dedup();
    found
}

fn is_read_only(tool: &str, input: &Value, client: Subagents<'_>) -> bool {
    let kind = field(input, &["subagent_type", "agent_type", "agent_name", "agent", "type"]).unwrap_or(tool);
    client.read_only.iter().any(|known| plain(known) == plain(kind))
}

/// A name in lower case and without separators: clients write the same one in several ways.
pub(super) fn plain(name: &str) -> String {
    name.to_lowercase().chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}
