//! Other repositories: which one is meant, fetching its branch, sending ours.

use super::batch::Batch;
use super::error::GitError;
use super::layout::{BRANCH_REF, fetched_ref};
use super::run::{Git, NO};

/// A repository that git knows by a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its name.
    pub name: String,
}

/// Remotes in git's configuration.
#[derive(Debug, Default)]
struct Configured {
    /// All remotes, sorted by name.
    known: Vec<String>,
    /// The remote of our branch.
    upstream: Option<String>,
}

impl Configured {
    fn read(git: &Git) -> Result<Self, GitError> {
        let wanted = "^(remote\\..*|branch\\.interagent\\.remote)$";
        let printed = match git.run(&["config", "--null", "--get-regexp", wanted]) {
            Err(GitError::Failed { code: Some(NO), .. }) => return Ok(Self::default()),
            printed => printed?,
        };
        let mut found = Self::default();
        for setting in printed.split('\0').filter(|setting| !setting.is_empty()) {
            // A key without a value has no line end.
            let (key, value) = setting.split_once('\n').unwrap_or((setting, ""));
            if key == "branch.interagent.remote" {
                found.upstream = Some(value.to_owned());
            } else if let Some((name, _)) = key.strip_prefix("remote.").and_then(|key| key.rsplit_once('.')) {
                found.known.push(name.to_owned());
            }
        }
        found.known.sort();
        found.known.dedup();
        Ok(found)
    }
}

/// The remote that is meant: the one that is named, the one that the branch belongs to, `origin`, or the only one.
pub fn choose_remote(git: &Git, named: Option<&str>) -> Result<Option<Remote>, GitError> {
    let Configured { known, upstream } = Configured::read(git)?;
    if let Some(name) = named {
        return match known.iter().any(|known| known == name) {
            true => Ok(Some(Remote { name: name.to_owned() })),
            false => Err(GitError::NoSuchRemote { name: name.to_owned(), known }),
        };
    }
    let usual = known
        .iter()
        .find(|known| Some(known.as_str()) == upstream.as_deref())
        .or(known.iter().find(|known| *known == "origin"));
    match (usual, known.as_slice()) {
        (Some(name), _) => Ok(Some(Remote { name: name.clone() })),
        (None, []) => Ok(None),
        (None, [only]) => Ok(Some(Remote { name: only.clone() })),
        (None, _) => Err(GitError::WhichRemote { known }),
    }
}

/// How sending ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Done,
    /// Somebody else sent something meanwhile, it seems; with what git said.
    Elsewhere(String),
}

/// Words by which a remote says that its branch is not where we thought.
const ELSEWHERE: [&str; 9] = [
    "fetch first",
    "non-fast-forward",
    "stale info",
    "cannot lock ref",
    "failed to update ref",
    "failed to lock",
    "incorrect old value",
    "reference already exists",
    "remote ref updated since checkout",
];

impl Remote {
    /// Fetches the branch; `None` where the remote has none.
    pub(super) fn fetch(&self, git: &Git, batch: &mut Batch) -> Result<Option<String>, GitError> {
        let kept = fetched_ref(&self.name);
        let refspec = format!("+{BRANCH_REF}:{kept}");
        let fetched = git.run(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-filter",
            "--refmap=",
            "--",
            &self.name,
            &refspec,
        ]);
        match fetched {
            Ok(_) => batch.commit_at(&kept),
            Err(GitError::Failed { said, .. }) if said.contains("couldn't find remote ref") => {
                // What was fetched once says nothing about a branch that is gone.
                let _ = git.run(&["update-ref", "-d", &kept]);
                Ok(None)
            }
            Err(error) => Err(error.at_remote(&self.name)),
        }
    }

    /// Sends a commit to the remote's branch, if that comes before it.
    pub(super) fn send(&self, git: &Git, commit: &str) -> Result<Sent, GitError> {
        let no_mirror = format!("remote.{}.mirror=false", self.name);
        let refspec = format!("{commit}:{BRANCH_REF}");
        let sent = git.run(&[
            "-c",
            &no_mirror,
            "push",
            "--quiet",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--recurse-submodules=no",
            "--",
            &self.name,
            &refspec,
        ]);
        match sent {
            Ok(_) => {
                git.run(&["update-ref", "-m", "interagent sync", &fetched_ref(&self.name), commit])?;
                Ok(Sent::Done)
            }
            Err(GitError::Failed { said, .. }) if ELSEWHERE.iter().any(|words| said.contains(words)) => {
                Ok(Sent::Elsewhere(said))
            }
            Err(GitError::Failed { said, .. }) if said.contains("remote rejected") => {
                Err(GitError::Refused { remote: self.name.clone(), said })
            }
            Err(error) => Err(error.at_remote(&self.name)),
        }
    }
}
