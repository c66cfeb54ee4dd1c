//! From the options of `init` to a team.

use std::path::Path;

use interagent_core::name::{Label, Name};
use interagent_core::team::{Formation, Mode, Recruit, TeamConfig};
use interagent_core::template::CLIENTS;

use super::Init;
use crate::error::{CliError, ErrorKind};

const USUAL_PRINCIPAL: &str = "claude";
const USUAL_DELEGATE: &str = "kimi";
const USUAL_VICE_CAPTAINS: u32 = 1;
const USUAL_MEMBERS: u32 = 8;
/// A hub is in its project's directory; without a name for that, something has to stand there.
const NAMELESS_PROJECT: &str = "project";

impl Init {
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
        match team.faults().into_iter().next() {
            None => Ok(team),
            Some(fault) => {
                let error = CliError::new(ErrorKind::Usage, fault.sentence).with_code("bad_team");
                Err(fault.hint.into_iter().fold(error, CliError::with_hint))
            }
        }
    }

    fn chosen_formation(&self) -> Result<Formation, CliError> {
        let counts = self.vice_captains.is_some() || self.members.is_some();
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
            return Err(usage("--vice-captains and --members are for --formation captain".to_owned()));
        }
        Ok(chosen)
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
        let profile = label(USUAL_PRINCIPAL)?;
        let vice_captains = self.vice_captains.unwrap_or(USUAL_VICE_CAPTAINS);
        Ok(TeamConfig::captain(project, &profile, vice_captains, self.members.unwrap_or(USUAL_MEMBERS)))
    }

    fn recruits(&self) -> Result<Vec<Recruit>, CliError> {
        self.agents.iter().map(|written| recruit(written)).collect()
    }
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
    Name::parse(written).map_err(|problem| hinted(usage(problem.to_string()), problem.hint()))
}

fn label(written: &str) -> Result<Label, CliError> {
    Label::parse(written).map_err(|problem| hinted(usage(problem.to_string()), problem.hint()))
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
    fn a_project_is_called_like_its_directory() {
        assert_eq!(project_of(Path::new("/srv/parser/.interagent")), "parser");
        assert_eq!(project_of(Path::new("/srv/hub")), "hub");
        assert_eq!(project_of(Path::new("/.interagent")), "project");
    }
}
