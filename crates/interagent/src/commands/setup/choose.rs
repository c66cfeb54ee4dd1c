//! Which clients are set up.

use std::path::PathBuf;

use interagent_agents::{Profile, Profiles};
use interagent_core::team::TeamConfig;
use interagent_wire::answer::AgentView;

use super::Setup;
use crate::config::programs;
use crate::error::{CliError, ErrorKind};
use crate::session::Session;
use crate::ui::look::Role;

/// A client that is set up.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) profile: Profile,
    /// Where it is installed, and which version.
    pub(super) installed: Option<(PathBuf, Option<String>)>,
}

/// The clients of this run.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) clients: Vec<Client>,
    /// What was asked for and can't be done.
    pub(super) problems: Vec<String>,
}

impl Chosen {
    /// Those that are named, or those that are installed.
    pub(super) fn find(setup: &Setup, session: &mut Session) -> Result<Self, CliError> {
        let profiles = session.profiles()?;
        for problem in session.unused_profiles()? {
            session.printer.note(Role::Warning, &format!("warning: {problem}"));
        }
        for problem in profiles.problems() {
            session.printer.note(Role::Warning, &format!("warning: {problem}"));
        }
        let mut installed = programs::installed(&profiles);
        let mut chosen = Self { clients: Vec::new(), problems: Vec::new() };
        for name in &setup.profiles {
            let Some(profile) = profiles.get(&name.to_lowercase()) else {
                chosen.problems.push(unknown(name, &profiles));
                continue;
            };
            let place = installed.iter().position(|found| found.profile.name == profile.name);
            let found = place.map(|place| installed.swap_remove(place));
            chosen.clients.push(Client {
                profile,
                installed: found.map(|found| (found.program, found.version.said())),
            });
        }
        if setup.profiles.is_empty() {
            let client = |found: programs::Installed| Client {
                profile: found.profile,
                installed: Some((found.program, found.version.said())),
            };
            chosen.clients = installed.into_iter().map(client).collect();
        }
        if chosen.clients.is_empty() {
            return Err(match chosen.problems.first() {
                Some(problem) => no_such_profile(problem),
                None => CliError::new(ErrorKind::NotFound, "no coding client was found on PATH")
                    .with_code("no_client")
                    .with_hint(format!("known are {}", profiles.names().join(", ")))
                    .with_hint("install one, or name the client: interagent setup claude"),
            });
        }
        if setup.agent.is_some() && chosen.clients.len() > 1 {
            let names: Vec<&str> = chosen.clients.iter().map(|client| client.profile.name.as_str()).collect();
            let sentence = format!("--agent names one agent, and there are {} clients", names.len());
            return Err(CliError::new(ErrorKind::Usage, sentence)
                .with_hint(format!("say which one it is, one of {}", names.join(", "))));
        }
        Ok(chosen)
    }
}

impl Chosen {
    /// Leaves out clients that are not on the team, where somebody decides who is: they would become agents without a role.
    /// Answers with their names.
    pub(super) fn only_of_team(
        &mut self,
        team: &TeamConfig,
        known: &[AgentView],
        profiles: &Profiles,
    ) -> Result<Vec<String>, CliError> {
        let is_on_team = |client: &Client| {
            let name = client.profile.name.as_str();
            let kin = profiles.kin(name);
            let is_it = |profile: &str| profile == name || kin.contains(&profile);
            team.agents.values().any(|seat| is_it(seat.profile.as_str()))
                || known.iter().any(|agent| is_it(&agent.profile))
        };
        let (on_team, others): (Vec<Client>, Vec<Client>) = self.clients.drain(..).partition(is_on_team);
        let others: Vec<String> = others.into_iter().map(|client| client.profile.name).collect();
        if on_team.is_empty() {
            let sentence = format!("no client of this team is on PATH, only {}", others.join(", "));
            return Err(CliError::new(ErrorKind::NotFound, sentence)
                .with_code("no_client")
                .with_hint("install one, or name the client: interagent setup claude"));
        }
        self.clients = on_team;
        Ok(others)
    }
}

/// Refuses a client that has no profile.
pub(super) fn no_such_profile(problem: &str) -> CliError {
    CliError::new(ErrorKind::NotFound, problem).with_code("unknown_profile")
}

pub(super) fn unknown(name: &str, profiles: &Profiles) -> String {
    if let Some(problem) = profiles.problems().iter().find(|problem| problem.is_about(&name.to_lowercase())) {
        return problem.to_string();
    }
    let names = profiles.names();
    let nearest = names.iter().map(|known| (distance(&name.to_lowercase(), known), *known)).min();
    match nearest.filter(|(distance, known)| *distance <= known.len() / 2) {
        Some((_, known)) => format!("there is no profile `{name}`; did you mean {known}?"),
        None => format!("there is no profile `{name}`; known are {}", names.join(", ")),
    }
}

/// How many letters have to be changed, added or removed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near() {
        let profiles = Profiles::shipped();
        assert_eq!(unknown("cluade", &profiles), "there is no profile `cluade`; did you mean claude?");
        assert_eq!(unknown("Codx", &profiles), "there is no profile `Codx`; did you mean codex?");
        assert!(unknown("something-else", &profiles).contains("known are claude"));
    }
}
