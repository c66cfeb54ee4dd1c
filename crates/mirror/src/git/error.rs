//! What keeps the history from git, in sentences that say what helps.

use std::path::PathBuf;

use interagent_store::StoreError;

/// Why something with git did not work.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences name every field")]
pub enum GitError {
    #[error("git can't be found on this machine")]
    NoGit,
    #[error("git can't be started or read")]
    Start { source: std::io::Error },
    #[error("`{}` is not there any more: the repository was moved or deleted", path.display())]
    Gone { path: PathBuf },
    #[error("the repository `{}` belongs to another user", path.display())]
    NotTrusted { path: PathBuf },
    #[error("there is a branch `{name}`, so there can't be one called interagent")]
    NameTaken { name: String },
    #[error("git {doing} failed: {}", last_line(said))]
    Failed { doing: String, said: String, code: Option<i32> },
    #[error("the disk is full, so git could not write; nothing was changed")]
    DiskFull,
    #[error("there is no remote `{name}`; there is {}", or_none(known))]
    NoSuchRemote { name: String, known: Vec<String> },
    #[error("there are several remotes ({}) and none of them is called origin", known.join(", "))]
    WhichRemote { known: Vec<String> },
    #[error("{remote} did not let us in: {}", last_line(said))]
    NotLetIn { remote: String, said: String },
    #[error("{remote} can't be reached: {}", last_line(said))]
    NotReached { remote: String, said: String },
    #[error("{remote} refused the branch: {}", last_line(said))]
    Refused { remote: String, said: String },
    #[error("{remote} does not take the branch, and nobody else changed it meanwhile: {}", last_line(said))]
    Locked { remote: String, said: String },
    #[error("the branch `interagent` {whose} holds something else than a hub's history; it was left alone")]
    NotOurs { whose: String },
    #[error(
        "the branch `interagent` {whose} is damaged, and nothing else tells whose history it is: {damage}"
    )]
    Damaged { whose: String, damage: String },
    #[error("the branch `interagent` {whose} is the history of another hub ({theirs}; this one is {ours})")]
    OtherHub { whose: String, theirs: String, ours: String },
    #[error("the branch `interagent` is checked out in `{}`, so it can't move", path.display())]
    CheckedOut { path: PathBuf },
    #[error("others were faster {times} times in a row; nothing is lost")]
    Races { times: u32 },
    #[error("another sync of this hub goes on and did not end within {seconds} seconds")]
    Busy { seconds: u64 },
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What helps where the branch is damaged.
pub const REPAIR: &str =
    "interagent sync in a clone that has this line whole repairs the branch; then sync here";

fn last_line(said: &str) -> &str {
    // What the other side says of itself comes with its name.
    let lines = said.lines().map(|line| line.strip_prefix("remote: ").unwrap_or(line).trim());
    let telling = lines.filter(|line| {
        !line.is_empty()
            && !line.starts_with("hint:")
            && !line.starts_with("and the repository exists")
            && !line.starts_with("Please make sure you have the correct access rights")
    });
    // What git says first of a failure is why, and what it says last is that.
    let mut lines: Vec<&str> = telling.collect();
    lines.retain(|line| !line.starts_with("error: failed to push"));
    match lines.iter().find(|line| line.starts_with("fatal:") || line.starts_with("error:")) {
        Some(line) => line,
        None => lines.last().copied().unwrap_or("it did not say why"),
    }
}

fn or_none(known: &[String]) -> String {
    match known {
        [] => "none".to_owned(),
        known => known.join(", "),
    }
}

/// Words by which git, ssh and curl say that a door is closed, in the language that we ask for.
const NOT_LET_IN: [&str; 9] = [
    "Permission denied",
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Host key verification failed",
    "terminal prompts disabled",
    "access denied",
    "returned error: 401",
    "returned error: 403",
];

/// Words by which they say that nobody is there.
const NOT_REACHED: [&str; 12] = [
    "Could not resolve host",
    "Could not resolve hostname",
    "Couldn't connect",
    "Failed to connect",
    "Connection refused",
    "Connection timed out",
    "Operation timed out",
    "No route to host",
    "Network is unreachable",
    "does not appear to be a git repository",
    "Repository not found",
    "unable to access",
];

/// A branch below ours in its name: git keeps names as paths, and one of both can be there.
fn name_in_the_way(said: &str) -> Option<String> {
    let (_, after) = said.split_once("refs/heads/interagent/")?;
    let is_it = said.contains("exists; cannot create")
        || said.contains("cannot lock ref")
        || said.contains("unable to create");
    let end = after.find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ':'))?;
    is_it.then(|| format!("interagent/{}", &after[..end]))
}

fn has(said: &str, words: &[&str]) -> bool {
    words.iter().any(|word| said.contains(word))
}

impl GitError {
    /// A git that ended so; one that was ended by a signal has no code.
    pub(super) fn failed(doing: String, said: String, code: Option<i32>) -> Self {
        if let Some(name) = name_in_the_way(&said) {
            return Self::NameTaken { name };
        }
        match said.contains("No space left on device") || said.contains("Disk quota exceeded") {
            true => Self::DiskFull,
            false => Self::Failed { doing, said, code },
        }
    }

    /// What a failure means where it is about a remote.
    pub(super) fn at_remote(self, remote: &str) -> Self {
        let remote = remote.to_owned();
        match self {
            Self::Failed { said, .. } if has(&said, &NOT_LET_IN) => Self::NotLetIn { remote, said },
            Self::Failed { said, .. } if has(&said, &NOT_REACHED) => Self::NotReached { remote, said },
            other => other,
        }
    }

    /// Whether it is only that the remote was not reached: what was done here stays done.
    pub fn is_about_the_remote(&self) -> bool {
        matches!(
            self,
            Self::NotLetIn { .. }
                | Self::NotReached { .. }
                | Self::Refused { .. }
                | Self::Locked { .. }
                | Self::Races { .. }
        )
    }

    /// What helps.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoGit => "install git; everything but sync works without it".to_owned(),
            Self::Gone { .. } => "git worktree repair mends moved worktrees".to_owned(),
            Self::NotTrusted { path } => {
                format!("git config --global --add safe.directory {}", path.display())
            }
            Self::NameTaken { name } => format!("git branch -m {name} OTHER-NAME makes room"),
            Self::DiskFull => "make room, then run interagent sync again".to_owned(),
            Self::NoSuchRemote { name, .. } => format!("git remote add {name} URL"),
            Self::WhichRemote { known } => {
                format!("interagent sync {}", known.first().map_or("REMOTE", String::as_str))
            }
            Self::NotLetIn { remote, .. } => format!("git fetch {remote} shows whether git itself gets in"),
            Self::NotReached { remote, .. } => {
                format!("the commit is made here; interagent sync {remote} sends it when {remote} is there")
            }
            Self::Refused { .. } => "the remote may not allow new branches: ask who keeps it".to_owned(),
            Self::Locked { .. } => {
                "a git that crashed there may have left a lock: whoever keeps the remote can delete the file that git \
                 names; the commit is made here, and interagent sync sends it then"
                    .to_owned()
            }
            Self::NotOurs { whose } if whose == "here" => {
                "git branch -m interagent OTHER-NAME makes room".to_owned()
            }
            Self::NotOurs { .. } => {
                "rename that branch at the remote, or sync with another remote".to_owned()
            }
            Self::Damaged { .. } => REPAIR.to_owned(),
            Self::OtherHub { .. } => {
                "to join that team: move .interagent away, then run interagent sync".to_owned()
            }
            Self::CheckedOut { .. } => "switch to another branch there, then run interagent sync".to_owned(),
            Self::Races { .. } | Self::Busy { .. } => "run interagent sync again".to_owned(),
            Self::Start { .. }
            | Self::Failed { .. }
            | Self::Write { .. }
            | Self::Read { .. }
            | Self::Store(_) => return None,
        })
    }
}
