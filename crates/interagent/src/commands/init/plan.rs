//! From the options of `init` to a team.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use interagent_agents::Profiles;
use interagent_core::name::{Label, Name};
use interagent_core::nearest::nearest;
use interagent_core::team::{
    ChainChange, Change, Contingent, Formation, Language, Mode, Quota, Recruit, Role, Seat, TeamConfig,
};
use interagent_core::template::CLIENTS;

use super::Init;
use crate::config::programs;
use crate::error::{CliError, ErrorKind};
use crate::session::Session;

const USUAL_PRINCIPAL: &str = "claude";
const USUAL_DELEGATE: &str = "kimi";
const USUAL_VICE_CAPTAINS: u32 = 1;
const USUAL_MEMBERS: u32 = 8;
/// A hub is in its project's directory; without a name for that, something has to stand there.
const NAMELESS_PROJECT: &str = "project";

/// Agents of one role as the options name them: `4`, `kimi` for one of that client, or `kimi:4`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Squad {
    /// Which client; the usual one when it is left out.
    profile: Option<Label>,
    count: u32,
}

impl FromStr for Squad {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (profile, count) = match written.split_once(':') {
            Some((profile, count)) => (Some(profile), count),
            None if written.starts_with(|c: char| c.is_ascii_alphabetic()) => (Some(written), "1"),
            None => (None, written),
        };
        let profile = profile.map(Label::parse).transpose().map_err(|problem| problem.to_string())?;
        match count.parse() {
            Ok(count @ 1..) => Ok(Self { profile, count }),
            _ => Err(format!("`{count}` is no number from 1 on; write 4, or kimi:4 for four of that client")),
        }
    }
}

/// Reads a language; clap would leave out which there are.
pub(super) fn language(written: &str) -> Result<Language, String> {
    Language::parse(written).map_err(|problem| {
        problem.hint.iter().fold(problem.sentence.clone(), |told, hint| format!("{told} {hint}"))
    })
}

impl Squad {
    /// The squads, or so many of the usual client where none is named.
    fn all(squads: &[Self], usual: u32) -> Result<Vec<Contingent>, CliError> {
        if squads.is_empty() {
            return Ok(vec![Contingent { profile: label(USUAL_PRINCIPAL)?, count: usual }]);
        }
        let contingent = |squad: &Self| {
            let profile = squad.profile.clone().map_or_else(|| label(USUAL_PRINCIPAL), Ok)?;
            Ok(Contingent { profile, count: squad.count })
        };
        squads.iter().map(contingent).collect()
    }
}

/// Gives new seats to the client that is really installed, where several have the same executable: `kimi` may be either.
/// Seats that the team had before stay.
pub(super) fn seat_installed(team: &mut TeamConfig, before: Option<&TeamConfig>, profiles: &Profiles) {
    let is_new = |name: &Name| before.is_none_or(|before| !before.agents.contains_key(name));
    for (_, seat) in team.agents.iter_mut().filter(|(name, _)| is_new(name)) {
        let kin = profiles.kin(seat.profile.as_str());
        let is_there = |name: &str| {
            profiles.get(name).is_some_and(|profile| programs::find(profiles, &profile).is_some())
        };
        if kin.is_empty() || is_there(seat.profile.as_str()) {
            continue;
        }
        if let Some(installed) = kin.into_iter().find(|name| is_there(name)).and_then(|name| label(name).ok())
        {
            seat.profile = installed;
        }
    }
}

impl Init {
    /// A client that nobody knows would be noticed only when the team is started.
    pub(super) fn must_name_known_clients(&self, session: &Session) -> Result<(), CliError> {
        if let Some(number) = self.captain.as_deref().filter(|named| named.parse::<u32>().is_ok()) {
            return Err(usage(format!("there is one captain, and --captain names its client, not {number}"))
                .with_hint("leave it out, or write --captain claude"));
        }
        let captain = self.captain.as_deref().map(label).transpose()?;
        let squads = self.vice_captains.iter().chain(&self.members).filter_map(|squad| squad.profile.clone());
        let profiles = session.profiles()?;
        for named in captain.into_iter().chain(squads) {
            must_be_known(&profiles, named.as_str())?;
        }
        Ok(())
    }

    /// The team the options describe, free of faults.
    pub(super) fn team(&self, hub_dir: &Path) -> Result<TeamConfig, CliError> {
        let project = self.project.clone().unwrap_or_else(|| project_of(hub_dir));
        let mut team = match self.chosen_formation()? {
            Formation::Duo => self.duo(&project)?,
            Formation::Peers => self.peers(&project)?,
            Formation::Captain => self.captain(&project)?,
        };
        if self.mode == Some(Mode::Review) {
            team.rules.review_required = true;
        }
        if let Some(language) = &self.language {
            team.language = language.clone();
        }
        if team.formation == Formation::Captain && !self.no_worktrees {
            // Protected branches are nobody's to work on, and two members in one tree would share a branch.
            worktrees_beside(hub_dir).iter().for_each(|below| team.give_worktrees(Role::Member, below));
        }
        if let Some(problem) = team.reserved_seats(None).first() {
            return Err(hinted(usage(problem.sentence.clone()), problem.hint()));
        }
        without_faults(team)
    }

    /// A team with what the options name, and everything else as it was.
    pub(super) fn changed(&self, hub_dir: &Path, now: &TeamConfig) -> Result<TeamConfig, CliError> {
        let says_formation = self.formation.is_some() || self.mode.is_some() || self.is_for_captain();
        let formation = if says_formation { self.chosen_formation()? } else { now.formation };
        // A chain of command names its agents itself.
        let is_new_roster = formation == Formation::Captain && now.formation != Formation::Captain;
        let leaves_chain = now.formation == Formation::Captain && formation != Formation::Captain;
        if formation == Formation::Captain && (!self.agents.is_empty() || self.principal.is_some()) {
            self.captain(&now.project)?;
        }
        let roster = (is_new_roster || leaves_chain).then(|| {
            let options = Self {
                formation: Some(formation),
                mode: None,
                agents: self.agents.clone(),
                principal: self.principal.clone(),
                captain: self.captain.clone(),
                vice_captains: self.vice_captains.clone(),
                members: self.members.clone(),
                no_worktrees: self.no_worktrees,
                ..Self::default()
            };
            options.team(hub_dir)
        });
        let keeps_roster = roster.is_none();
        if keeps_roster {
            self.must_keep_principal(now)?;
        }
        let principal = self.principal.as_deref().filter(|_| keeps_roster);
        let principal = principal.map(|written| self.recruited(now, written)).transpose()?;
        let agents = (!self.agents.is_empty() && keeps_roster).then(|| self.recruits()).transpose()?;
        let chain = if keeps_roster { self.chain()? } else { ChainChange::default() };
        let mut next = now.changed(Change {
            project: self.project.clone(),
            language: self.language.clone(),
            formation: Some(formation),
            review_required: self.mode.map(|mode| mode == Mode::Review),
            principal,
            agents,
            roster: roster.transpose()?,
            chain,
        });
        if keeps_roster && formation == Formation::Captain {
            self.place_members(hub_dir, now, &mut next);
        }
        without_faults(next)
    }

    /// What the options say about the seats of a chain of command that is there.
    fn chain(&self) -> Result<ChainChange, CliError> {
        let quotas = |squads: &[Squad]| {
            let quota = |squad: &Squad| Quota { profile: squad.profile.clone(), count: squad.count };
            (!squads.is_empty()).then(|| squads.iter().map(quota).collect())
        };
        Ok(ChainChange {
            captain: self.captain.as_deref().map(label).transpose()?,
            vice_captains: quotas(&self.vice_captains),
            members: quotas(&self.members),
            usual: Some(label(USUAL_PRINCIPAL)?),
        })
    }

    /// New members get worktrees where the others have them; `--no-worktrees` takes all of them away.
    fn place_members(&self, hub_dir: &Path, now: &TeamConfig, next: &mut TeamConfig) {
        let members = |team: &TeamConfig| -> Vec<Option<String>> {
            let is_member = |seat: &&Seat| seat.role == Role::Member;
            team.agents.values().filter(is_member).map(|seat| seat.worktree.clone()).collect()
        };
        let had = members(now);
        let below = worktrees_beside(hub_dir).filter(|_| had.is_empty() || had.iter().any(Option::is_some));
        for (name, seat) in next.agents.iter_mut().filter(|(_, seat)| seat.role == Role::Member) {
            if self.no_worktrees {
                seat.worktree = None;
                continue;
            }
            let is_new = now.agents.get(name).is_none_or(|before| before.profile != seat.profile);
            if let Some(below) = below.as_ref().filter(|_| is_new) {
                seat.worktree = Some(format!("{below}/{name}"));
            }
        }
    }

    /// Refuses a list of agents that leaves the principal out without naming another one.
    fn must_keep_principal(&self, now: &TeamConfig) -> Result<(), CliError> {
        let Some(principal) = now.principal.as_ref().filter(|_| now.formation == Formation::Duo) else {
            return Ok(());
        };
        let stays_duo = self.formation.is_none_or(|formation| formation == Formation::Duo)
            && self.mode.is_none_or(|mode| mode.formation() == Formation::Duo);
        let is_listed = self.recruits()?.iter().any(|recruit| recruit.name == *principal);
        if self.agents.is_empty() || self.principal.is_some() || is_listed || !stays_duo {
            return Ok(());
        }
        Err(usage(format!("{principal} is the principal, and --agents leaves it out")).with_hint(format!(
            "add {principal} to --agents, or name another principal with --principal NAME"
        )))
    }

    /// The agents that are named by the options, by the team or by a client's name.
    fn recruited(&self, now: &TeamConfig, written: &str) -> Result<Recruit, CliError> {
        let name = name(written)?;
        if let Some(seat) = now.agents.get(&name) {
            return Ok(Recruit { profile: seat.profile.clone(), name });
        }
        let listed = self.recruits()?.into_iter().find(|recruit| recruit.name == name);
        listed.map_or_else(|| recruit(written), Ok)
    }

    fn chosen_formation(&self) -> Result<Formation, CliError> {
        let counts = self.is_for_captain();
        let chosen = match (self.formation, self.mode) {
            (Some(formation), Some(mode)) if mode.formation() != formation => {
                return Err(usage(format!(
                    "the mode {mode} is the formation {}, not {formation}",
                    mode.formation()
                ))
                .with_hint("leave one of --mode and --formation out"));
            }
            (Some(formation), _) => formation,
            (None, Some(mode)) => mode.formation(),
            (None, None) if counts => Formation::Captain,
            (None, None) => Formation::Duo,
        };
        if counts && chosen != Formation::Captain {
            let sentence =
                "--captain, --vice-captains, --members and --no-worktrees are for --formation captain";
            return Err(usage(sentence.to_owned()));
        }
        Ok(chosen)
    }

    /// Whether an option only makes sense for a captain's team.
    pub(super) fn is_for_captain(&self) -> bool {
        self.captain.is_some()
            || !self.vice_captains.is_empty()
            || !self.members.is_empty()
            || self.no_worktrees
    }

    fn duo(&self, project: &str) -> Result<TeamConfig, CliError> {
        let mut agents = self.recruits()?;
        let principal = match &self.principal {
            Some(name) => agents
                .iter()
                .find(|agent| agent.name.as_str() == name.to_lowercase())
                .map_or_else(|| recruit(name), |agent| Ok(agent.clone()))?,
            None if agents.is_empty() => recruit(USUAL_PRINCIPAL)?,
            None => agents[0].clone(),
        };
        if agents.is_empty() {
            // The usual pair, whichever of the two decides.
            let other =
                if principal.name.as_str() == USUAL_DELEGATE { USUAL_PRINCIPAL } else { USUAL_DELEGATE };
            agents.push(recruit(other)?);
        }
        Ok(TeamConfig::duo(project, principal, agents))
    }

    fn peers(&self, project: &str) -> Result<TeamConfig, CliError> {
        let mut agents = self.recruits()?;
        if agents.is_empty() {
            agents = vec![recruit(USUAL_PRINCIPAL)?, recruit(USUAL_DELEGATE)?];
        }
        let mut team = TeamConfig::peers(project, agents);
        team.principal = self.principal.as_deref().map(name).transpose()?;
        Ok(team)
    }

    fn captain(&self, project: &str) -> Result<TeamConfig, CliError> {
        if !self.agents.is_empty() || self.principal.is_some() {
            return Err(usage("a captain's team names its agents itself".to_owned())
                .with_hint("give --vice-captains N and --members N, then rename them in the team file"));
        }
        let captain = label(self.captain.as_deref().unwrap_or(USUAL_PRINCIPAL))?;
        let vice_captains = Squad::all(&self.vice_captains, USUAL_VICE_CAPTAINS)?;
        let members = Squad::all(&self.members, USUAL_MEMBERS)?;
        Ok(TeamConfig::mixed_captain(project, &captain, &vice_captains, &members))
    }

    fn recruits(&self) -> Result<Vec<Recruit>, CliError> {
        let recruits = self.agents.iter().map(|written| recruit(written)).collect::<Result<Vec<_>, _>>()?;
        let mut names = BTreeSet::new();
        match recruits.iter().find(|recruit| !names.insert(&recruit.name)) {
            None => Ok(recruits),
            Some(Recruit { name, profile }) => Err(usage(format!("--agents names `{name}` twice"))
                .with_hint(format!("name each agent once, such as {name},{name}2:{profile}"))),
        }
    }
}

fn without_faults(team: TeamConfig) -> Result<TeamConfig, CliError> {
    match team.faults().into_iter().next() {
        None => Ok(team),
        Some(fault) => {
            let error = CliError::new(ErrorKind::Usage, fault.sentence).with_code("bad_team");
            Err(fault.hint.into_iter().fold(error, CliError::with_hint))
        }
    }
}

/// Refuses a client that has no profile, with those that have one.
pub(crate) fn must_be_known(profiles: &Profiles, named: &str) -> Result<(), CliError> {
    if profiles.get(named).is_some() {
        return Ok(());
    }
    let known = profiles.names();
    let error = usage(format!("no client is known as `{named}`")).with_code("no_such_profile");
    let near = nearest(named, known.iter().copied());
    Err(hinted(error, near.map(|near| format!("did you mean {near}?")))
        .with_hint(format!("known are {}", known.join(", ")))
        .with_hint("a profile of your own goes to ~/.config/interagent/profiles"))
}

/// Reads `kimi`, `kimi-2` or `helper:kimi`.
fn recruit(written: &str) -> Result<Recruit, CliError> {
    if let Some((named, profile)) = written.split_once(':') {
        return Ok(Recruit { name: name(named)?, profile: label(profile)? });
    }
    let name = name(written)?;
    let begins_with = |(profile, _): &&(&str, &str)| {
        name.as_str()
            .strip_prefix(*profile)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    match CLIENTS.iter().find(begins_with) {
        Some((profile, _)) => Ok(Recruit { profile: label(profile)?, name }),
        None => Err(usage(format!("it is not clear which client `{name}` is"))
            .with_hint(format!("write {name}:PROFILE, such as {name}:claude"))),
    }
}

fn name(written: &str) -> Result<Name, CliError> {
    Name::parse(written).map_err(|problem| hinted(usage(problem.sentence.clone()), problem.hint()))
}

fn label(written: &str) -> Result<Label, CliError> {
    Label::parse(written).map_err(|problem| hinted(usage(problem.sentence.clone()), problem.hint()))
}

fn usage(sentence: String) -> CliError {
    CliError::new(ErrorKind::Usage, sentence)
}

fn hinted(error: CliError, hint: Option<String>) -> CliError {
    hint.into_iter().fold(error, CliError::with_hint)
}

/// The name of the directory that holds the hub.
fn project_of(hub_dir: &Path) -> String {
    let directory = match hub_dir.file_name() {
        Some(name) if name == ".interagent" => hub_dir.parent().and_then(Path::file_name),
        name => name,
    };
    directory.map_or_else(|| NAMELESS_PROJECT.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Where worktrees of a project go: into one directory beside it, so that its own tree stays clean. None where the project
/// is no git repository.
fn worktrees_beside(hub_dir: &Path) -> Option<String> {
    let project =
        hub_dir.parent().filter(|_| hub_dir.file_name().is_some_and(|name| name == ".interagent"))?;
    let name = project.file_name()?.to_str()?;
    project.join(".git").exists().then(|| format!("../{name}.worktrees"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_the_beginning_of_a_name() {
        let profile = |written: &str| recruit(written).map(|recruit| recruit.profile.as_str().to_owned());
        for (written, wanted) in
            [("kimi", "kimi"), ("Claude-2", "claude"), ("codex7", "codex"), ("bob:qwen", "qwen")]
        {
            assert_eq!(profile(written).unwrap(), wanted, "{written}");
        }
        for unclear in ["bob", "claudette", "operator", "a b", "bob:"] {
            assert_eq!(profile(unclear).unwrap_err().exit_code() as u8, 2, "{unclear}");
        }
    }

    #[test]
    fn a_squad_is_a_number_or_a_client_with_one() {
        let read = |written: &str| written.parse::<Squad>().ok();
        let kimi = Squad { profile: Some("kimi".parse().unwrap()), count: 4 };
        assert_eq!(read("8"), Some(Squad { profile: None, count: 8 }));
        assert_eq!(read("kimi:4"), Some(kimi));
        assert_eq!(read("kimi"), Some(Squad { profile: Some("kimi".parse().unwrap()), count: 1 }));
        for bad in ["", "0", "-1", "kimi:0", "kimi:x", ":3", "4:kimi"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_project_is_called_like_its_directory() {
        assert_eq!(project_of(Path::new("/srv/parser/.interagent")), "parser");
        assert_eq!(project_of(Path::new("/srv/hub")), "hub");
        assert_eq!(project_of(Path::new("/.interagent")), "project");
    }
}
