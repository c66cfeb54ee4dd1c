//! What a profile says: one client as data.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::canary::Canary;
use crate::hooks::Hooks;
use crate::screen::Screen;
use crate::template::{Fill, fill_text};
use crate::tools::Tools;

/// Longest profile that is read; the longest of ours has 4 KiB.
const PROFILE_BYTES: usize = 64 * 1024;

/// One kind of client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What agents and commands call it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The program that is looked for on `PATH`.
    pub executable: Option<String>,
    /// How its processes are recognised.
    #[serde(default)]
    pub process: Process,
    /// How an interactive session is started.
    #[serde(default)]
    pub launch: Launch,
    /// What is typed to control a running session.
    #[serde(default)]
    pub control: Control,
    /// How it works on one prompt and ends.
    pub headless: Option<Headless>,
    /// How a headless run uses a model on loopback.
    pub canary: Option<Canary>,
    /// Files it reads at the start, with the user's words.
    pub instructions: Option<Place>,
    /// Directories of its skills.
    pub skills: Option<Place>,
    /// Where its MCP servers are listed.
    pub mcp: Option<Mcp>,
    /// Where its hooks are listed, and what they can do.
    pub hooks: Option<Hooks>,
    /// Tools of its own that the guard has to know.
    #[serde(default)]
    pub tools: Tools,
    /// How an idle session is woken.
    pub wake: Option<Wake>,
    /// What its screen looks like.
    pub screen: Option<Screen>,
}

/// How the processes of a client are recognised.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Process {
    /// Variables that only its processes have.
    pub variables: Vec<String>,
    /// Variables that name its session; the first that is set counts.
    #[serde(deserialize_with = "one_or_more")]
    pub session: Vec<String>,
    /// Arguments of its processes that serve several sessions: such a process says nothing about any one of them.
    pub shared: Vec<String>,
    /// Arguments of its processes that never show a session of a shared process.
    pub unshared: Vec<String>,
    /// The variable that names its process.
    pub pid: Option<String>,
    /// Names of its program.
    pub programs: Vec<String>,
    /// What runs its program, where a name alone could be another's.
    pub interpreter: Option<String>,
    /// Its package, where an interpreter runs it from a directory.
    pub package: Option<String>,
}

/// A list, or its only element.
fn one_or_more<'de, D: serde::Deserializer<'de>>(given: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        More(Vec<String>),
    }
    Ok(match Given::deserialize(given)? {
        Given::One(word) => vec![word],
        Given::More(words) => words,
    })
}

/// Arguments of an interactive session. An empty list says that there is no such thing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Launch {
    /// Always.
    pub arguments: Vec<String>,
    /// To ask nobody for permission.
    pub auto_approve: Vec<String>,
    /// To go on with `{session}`.
    pub resume: Vec<String>,
    /// To use `{model}`.
    pub model: Vec<String>,
    /// To use the MCP servers of `{file}`, in a directory of one agent's own. Where it is empty, the server is entered in a
    /// file there; a client that asks about each such file can be spared the question.
    pub mcp: Vec<String>,
    /// To begin with what the agent's role obliges it to; absent where only a briefing can tell it.
    pub instructions: Option<Handing>,
    /// Variables of the calling shell that the client needs beside the shared ones: keys, endpoints, its own
    /// directories. A trailing `*` stands for any ending.
    pub environment: Vec<String>,
}

/// Variables of the calling shell that every client needs: proxies, certificates and locale.
const SHARED_VARIABLES: [&str; 15] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
];

impl Launch {
    /// Whether the client gets this variable of the calling shell.
    pub fn takes_variable(&self, name: &str) -> bool {
        SHARED_VARIABLES.into_iter().any(|pattern| fits(pattern, name)) || self.needs_variable(name)
    }

    /// Whether the client needs this variable beside the shared ones. Its value may be a key.
    pub fn needs_variable(&self, name: &str) -> bool {
        self.environment.iter().any(|pattern| fits(pattern, name))
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

/// How a client is handed a file of instructions when it starts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handing {
    /// The arguments, with `{file}`.
    pub arguments: Vec<String>,
    /// What the file says, with `{text}`, or with `{quoted}` for a JSON string; the instructions alone when it is absent.
    pub wrap: Option<String>,
    /// Whether a session that goes on takes them, too.
    #[serde(default)]
    pub on_resume: bool,
}

impl Handing {
    /// What stands in the file.
    pub fn file(&self, text: &str) -> String {
        let quoted = serde_json::Value::from(text).to_string();
        match &self.wrap {
            Some(wrap) => fill_text(wrap, &[("{text}", Fill::Text(text)), ("{quoted}", Fill::Text(&quoted))]),
            None => text.to_owned(),
        }
    }
}

/// What is typed into a running session; absent where the client has no such thing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// Forgets the conversation.
    pub clear: Option<String>,
    /// Changes to `{model}`.
    pub model: Option<String>,
    /// Ends it.
    pub quit: Option<String>,
}

/// A bounded run without a person.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headless {
    /// The arguments, with `{prompt}`.
    pub arguments: Vec<String>,
    /// The arguments to go on with `{session}`, with `{prompt}`.
    #[serde(default)]
    pub resume: Vec<String>,
    /// To ask nobody for permission.
    #[serde(default)]
    pub auto_approve: Vec<String>,
    /// To begin with the agent's role, where that differs from an interactive session.
    pub instructions: Option<Handing>,
    /// Where a line says which session it is: a JSON pointer.
    pub session: Option<String>,
    /// Lines that show what it does.
    #[serde(default)]
    pub progress: Vec<Line>,
    /// Lines that are the result; the last one counts.
    #[serde(default)]
    pub result: Vec<Line>,
    /// Lines that say that it failed, before they are taken for anything else.
    #[serde(default)]
    pub failure: Vec<Line>,
}

/// A line of a client's JSON output that says something.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Fields that must have these values; a dot goes one level down.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Where its text is: a JSON pointer.
    pub text: Option<String>,
    /// Where the name of the tool it uses is.
    pub tool: Option<String>,
    /// The text comes in pieces, which are joined.
    #[serde(default)]
    pub pieces: bool,
}

/// A file or directory in the project, and its like for all of the user's projects (below `~`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Place {
    /// Below the project's directory.
    pub project: Option<String>,
    /// Begins with `~/`.
    pub user: Option<String>,
    /// Read instead where the project has it and not the first.
    pub otherwise: Option<String>,
    /// Read beside the first, and never shared through git: for the directory of one agent.
    pub local: Option<String>,
}

/// The format of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON, perhaps with comments.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// A file that is wholly ours.
    File,
}

/// Where the client's MCP servers are listed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mcp {
    /// Of both files.
    pub format: Format,
    /// Below the project's directory.
    pub project: Option<String>,
    /// Begins with `~/`.
    pub user: Option<String>,
    /// The way to our entry.
    pub at: Vec<String>,
    /// What its model calls a tool of ours, with `{tool}`.
    pub tool: Option<String>,
    /// Keys of `_meta` in a call that name the client's session; the first that is there counts.
    #[serde(default)]
    pub session: Vec<String>,
    /// Our entry, with `{binary}` and `{env}`.
    pub entry: Value,
    /// What else must be set for it to be of use.
    #[serde(default)]
    pub also: Vec<Setting>,
    /// What the client does without a question because of it: only our own tools.
    pub allows: Option<String>,
    /// What the user has to confirm in the client, and where.
    pub confirm: Option<String>,
    /// The client ignores the project's file in a folder that nobody trusted, and a headless run can't ask.
    #[serde(default)]
    pub needs_trust: bool,
}

/// One value at its place, or one element of a list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The way to it.
    pub at: Vec<String>,
    /// What it is set to.
    pub value: Option<Value>,
    /// What the list there has to hold among others.
    pub add: Option<Value>,
}

/// How an idle session is woken.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    /// By what.
    pub way: Way,
    /// A waiter leaves after this time.
    pub seconds: Option<u32>,
    /// What a waiter says.
    #[serde(default)]
    pub says: Says,
    /// Variables that have these values where no person is there: such a session ends, and is not waited beside.
    #[serde(default)]
    pub unattended: BTreeMap<String, String>,
    /// The command, with `{executable}`, `{session}` and `{text}`.
    #[serde(default)]
    pub command: Vec<String>,
    /// The command takes many seconds where no shared process serves the session. Such a session is nudged in its pane
    /// where it has one.
    #[serde(default)]
    pub slow_alone: bool,
    /// The option of its command line that names the file.
    pub option: Option<String>,
    /// The line that is written to the file, with `{text}`.
    pub line: Option<Value>,
}

/// What a waiter says to the session it wakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// A fixed line, because it arrives like something a person typed; the prompt's own hook brings the messages.
    #[default]
    Line,
    /// The messages: the client tells its model that they are no person's words.
    Mail,
}

/// The ways to wake an idle session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// A waiter that its hook started.
    Waiter,
    /// A command that puts text into its queue.
    Command,
    /// A file it was started with and reads from.
    File,
}

/// Why a profile can't be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProfileError {
    /// It is no TOML, says what no profile says, or does not fit together.
    #[error("{file} is no profile: {why}")]
    Wrong {
        /// Which file.
        file: String,
        /// Where, and what does not fit.
        why: String,
    },
    /// The file can't be read.
    #[error("{file} can't be read: {source}")]
    Unreadable {
        /// Which file.
        file: String,
        /// Why.
        source: std::sync::Arc<std::io::Error>,
    },
}

impl ProfileError {
    /// Whether its file is called like the profile of this name.
    pub fn is_about(&self, name: &str) -> bool {
        std::path::Path::new(self.file()).file_stem().is_some_and(|stem| stem == name)
    }

    /// Which file it is about.
    pub fn file(&self) -> &str {
        match self {
            Self::Wrong { file, .. } | Self::Unreadable { file, .. } => file,
        }
    }
}

/// Where a text is no profile and why, in one line.
fn place_and_reason(text: &str, error: &toml::de::Error) -> String {
    let why = error.message().lines().collect::<Vec<_>>().join("; ");
    match error.span().and_then(|span| text.get(..span.start)) {
        None => why,
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("line {line}, column {column}: {why}")
        }
    }
}

impl Profile {
    /// Files and directories of a project that configure the client, relative to its root.
    pub fn project_files(&self) -> Vec<String> {
        let of_place = |place: &Option<Place>| {
            place
                .iter()
                .flat_map(|place| [place.project.clone(), place.otherwise.clone(), place.local.clone()])
                .collect::<Vec<_>>()
        };
        let mut files = [of_place(&self.instructions), of_place(&self.skills)].concat();
        files.push(self.mcp.as_ref().and_then(|mcp| mcp.project.clone()));
        files.push(self.hooks.as_ref().and_then(|hooks| hooks.project.clone()));
        files.into_iter().flatten().collect()
    }

    /// The profile of a headless run: only servers that the client starts without asking count.
    #[must_use]
    pub fn in_headless_run(&self) -> Self {
        let mut profile = self.clone();
        if let Some(mcp) = profile.mcp.as_mut().filter(|mcp| mcp.needs_trust) {
            mcp.project = None;
        }
        profile
    }

    /// This client in the directory of one agent: what it gets on its command line is not written there, and its
    /// instructions only to a file that is private by convention. Any other could hide or become the person's own.
    pub fn in_own_directory(&self) -> Self {
        let mut profile = self.clone();
        if !profile.launch.mcp.is_empty() {
            profile.mcp = None;
        }
        let local = profile.instructions.and_then(|place| place.local);
        profile.instructions = local.map(|local| Place { project: Some(local), ..Place::default() });
        profile
    }

    /// Whether this client gets our MCP server, from a file or on its command line.
    pub fn gets_server(&self) -> bool {
        self.mcp.is_some() || !self.launch.mcp.is_empty()
    }

    /// Whether setup can connect this client: it takes our server or runs hooks.
    pub fn is_connectable(&self) -> bool {
        self.mcp.is_some() || self.hooks.is_some()
    }

    /// Reads a profile; `file` is what an error calls it.
    pub fn parse(text: &str, file: &str) -> Result<Self, ProfileError> {
        let wrong = |why: &str| ProfileError::Wrong { file: file.to_owned(), why: why.to_owned() };
        if text.len() > PROFILE_BYTES {
            return Err(wrong("it is longer than 64 KiB"));
        }
        let profile: Self = toml::from_str(text).map_err(|error| wrong(&place_and_reason(text, &error)))?;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if profile.name.is_empty() || profile.name.len() > 64 || !profile.name.chars().all(is_plain) {
            return Err(wrong("its name is not made of a-z, 0-9, - and _"));
        }
        if let Some(problem) = profile.hooks.as_ref().and_then(Hooks::problem) {
            return Err(wrong(&problem));
        }
        Ok(profile)
    }
}
