//! A clone joins the team whose history its repository has: a new replica of that hub, with the team's agents at home here.

use std::path::Path;

use interagent_core::ids::HubId;
use interagent_core::team::{self, TeamConfig};
use interagent_mirror::git::{self, Git, GitError, Known, Remote, Report};
use interagent_store::StoreError;
use interagent_wire::Answer;
use interagent_wire::request::{TeamShow, TeamTake};

use super::exchange::{Exchanged, bring_together, not_in_git, refused, repository, settle, take};
use crate::commands::{init, trust};
use crate::config::hub::HubKind;
use crate::error::{CliError, ErrorKind};
use crate::session::{Create, Session, TEAM_FILE, history, make_hub_directory, open_replica, team_text};

/// The team whose history the repository around a place for a hub has. What can't be looked at is none; what is there and
/// damaged is an error, because a second team would be in its way for ever.
pub(crate) fn known(hub_dir: &Path, kind: HubKind) -> Result<Option<Known>, CliError> {
    let repository = repository(hub_dir).ok().flatten().filter(|_| kind != HubKind::Personal);
    match repository.map(|git| git::known_hub(&git)) {
        Some(Err(error @ GitError::Damaged { .. })) => Err(refused(error)),
        Some(known) => Ok(known.ok().flatten()),
        None => Ok(None),
    }
}

/// Makes a replica of a hub and takes its history in; then the team's agents are registered here too, and what that says
/// goes to the others.
pub(crate) fn join(
    session: &mut Session,
    hub_dir: &Path,
    hub: &HubId,
    remote: Option<&Remote>,
) -> Result<(TeamConfig, Exchanged), CliError> {
    let git = repository(hub_dir)?.ok_or_else(|| not_in_git(hub_dir))?;
    // What this command makes, and nothing that was there before it.
    let made = [hub_dir.to_owned(), hub_dir.join("state")].into_iter().find(|path| !path.exists());
    let entered = enter(session, hub_dir, hub, &git, remote);
    if entered.is_err() {
        // A hub that knows nothing of its team would only be in the way of the next try.
        session.close_hub();
        if let Some(made) = made {
            let _ = std::fs::remove_dir_all(made);
        }
    }
    let (team, mut history) = entered?;
    history.and(bring_together(session, &git, remote)?);
    // What the others could not agree on before is not news for who joins.
    let joined_at = session.hub()?.store().head()?.seq;
    let exchanged = settle(session, &git, remote, joined_at, history)?;
    Ok((team, exchanged))
}

/// Makes the replica and takes the history in, with its team. Nobody hears of it yet.
fn enter(
    session: &mut Session,
    hub_dir: &Path,
    hub: &HubId,
    git: &Git,
    remote: Option<&Remote>,
) -> Result<(TeamConfig, Report), CliError> {
    make_hub_directory(hub_dir, init::PROJECT_MODE)?;
    session.use_hub(open_replica(hub_dir, Create::IfMissing, Some(hub.clone()))?);
    let history = take(session, git, remote)?;
    session.hub()?.accept_founder()?;
    if let Some(team) = team_in_log(session).and_then(|text| team::parse(&text).ok()) {
        trust::agree_to(session, &team)?;
    }
    let team = take_team(session, hub_dir).map_err(|error| match history.problems.first() {
        Some(problem) => {
            let sentence = format!("the team can't be joined: {problem}");
            CliError::new(ErrorKind::Refused, sentence).with_code("damaged_branch").with_hint(git::REPAIR)
        }
        None => error,
    })?;
    Ok((team, history))
}

/// Ends a join that was cut off before the team's agents lived here; says whether there was one.
pub(super) fn finish(session: &mut Session, hub_dir: &Path) -> Result<bool, CliError> {
    let lives_here = session.hub()?.store().read(|reader| {
        for agent in reader.agents()? {
            if !agent.is_human() && reader.is_home(&agent.home)? {
                return Ok(true);
            }
        }
        Ok::<_, StoreError>(reader.team()?.is_none())
    })?;
    // Where the agents of a copy live is for a person to say. Asked last: it walks the log.
    if lives_here || !session.hub()?.store().copied_from()?.is_empty() {
        return Ok(false);
    }
    take_team(session, hub_dir)?;
    Ok(true)
}

/// The team that holds by the log, as a text; none where it has none.
pub(super) fn team_in_log(session: &mut Session) -> Option<String> {
    match session.call_as_operator(TeamShow {}).ok()?.answer {
        Answer::Team(team) => Some(team.text),
        _ => None,
    }
}

/// Brings the team file up to date where another clone changed the team and nobody changed the file here.
pub(super) fn renew_team_file(
    session: &mut Session,
    hub_dir: &Path,
    before: Option<String>,
) -> Result<(), CliError> {
    let now = team_in_log(session);
    if now == before || team_text(hub_dir)? != before || history::is_committed(hub_dir, TEAM_FILE) {
        return Ok(());
    }
    now.map_or(Ok(()), |text| init::write(hub_dir, TEAM_FILE, &text))
}

/// The team of the history holds here; a team file that is here already was changed since, and is the person's to take.
fn take_team(session: &mut Session, hub_dir: &Path) -> Result<TeamConfig, CliError> {
    let text = team_in_log(session)
        .ok_or_else(|| CliError::new(ErrorKind::Unavailable, "the hub did not answer with its team"))?;
    session.call_as_operator(TeamTake { text: text.clone() })?;
    if team_text(hub_dir)?.is_none() {
        init::write(hub_dir, TEAM_FILE, &text)?;
    }
    let team = team::parse(&text).map_err(|problems| {
        let sentence = format!("the team of that history has {} problems", problems.len());
        CliError::new(ErrorKind::Unavailable, sentence)
    })?;
    Ok(team)
}
