//! A clone that has no hub yet: whose team's history it has, so that it joins that team and does not begin another.

use interagent_core::ids::HubId;

use super::batch::Batch;
use super::error::GitError;
use super::layout::{BRANCH, BRANCH_REF};
use super::remote::Remote;
use super::run::Git;
use super::tip::Tip;

/// The history of a team that a repository knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The team's hub.
    pub hub: HubId,
    /// Where it was found, for people: `origin/interagent`.
    pub place: String,
    /// Its last commit.
    pub commit: String,
}

/// The hub whose history this repository has, without asking anybody else.
pub fn known_hub(git: &Git) -> Result<Option<Known>, GitError> {
    let printed = git.run(&[
        "for-each-ref",
        "--format=%(refname)",
        BRANCH_REF,
        "refs/interagent/",
        &format!("refs/remotes/*/{BRANCH}"),
    ])?;
    for reference in printed.lines() {
        let place = reference.strip_prefix("refs/remotes/").map_or_else(
            || match reference.strip_prefix("refs/interagent/") {
                Some(remote) => format!("{remote}/{BRANCH}"),
                None => BRANCH.to_owned(),
            },
            str::to_owned,
        );
        let whose = match reference {
            BRANCH_REF => "here".to_owned(),
            _ => format!("of {}", place.strip_suffix(&format!("/{BRANCH}")).unwrap_or(&place)),
        };
        if let Some((hub, commit)) = hub_at(git, reference, &whose)? {
            return Ok(Some(Known { hub, place, commit }));
        }
    }
    Ok(None)
}

/// The hub whose history a remote has.
pub fn fetch_hub(git: &Git, remote: &Remote) -> Result<Option<Known>, GitError> {
    let Some(commit) = remote.fetch(git, &mut Batch::open(git)?)? else { return Ok(None) };
    let hub = hub_at(git, &commit, &format!("of {}", remote.name))?;
    Ok(hub.map(|(hub, commit)| Known { hub, place: format!("{}/{BRANCH}", remote.name), commit }))
}

/// A branch of that name that holds something else is not ours to judge here.
fn hub_at(git: &Git, reference: &str, whose: &str) -> Result<Option<(HubId, String)>, GitError> {
    let mut batch = Batch::open(git)?;
    let Some(commit) = batch.commit_at(reference)? else { return Ok(None) };
    match Tip::read(&mut batch, Some(&commit), whose) {
        Ok(tip) => Ok(tip.must_be_told(whose)?.map(|hub| (hub.clone(), commit))),
        Err(GitError::NotOurs { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
