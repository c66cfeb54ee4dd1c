//! The role of an agent: roles are given by the team file, so that is what is changed and taken in.

use interagent_core::team::{self, Formation, Role, TeamConfig};
use interagent_wire::Answer;
use interagent_wire::request::{TeamShow, TeamTake};
use toml_edit::{DocumentMut, Item, Table, value};

use super::Setup;
use super::agents::{Hub, Recruit, formation};
use super::choose::Chosen;
use crate::commands::init::{self, Init};
use crate::error::{CliError, ErrorKind};
use crate::session::{Session, TEAM_FILE, team_text};
use crate::team_file::must_be_applied;

/// A team file that gives the role.
#[derive(Debug)]
pub(super) struct RoleChange {
    /// What the file says now; nothing where the hub is made with it.
    pub(super) before: String,
    pub(super) after: String,
}

/// The places of those who are set up now.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) change: Option<RoleChange>,
    /// Newcomers whose role a person has to give.
    pub(super) without: Vec<String>,
}

/// The role that is asked for; else newcomers get a place among equals, as those of a new hub do.
pub(super) fn places(
    setup: &Setup,
    session: &mut Session,
    hub: &Hub,
    chosen: &Chosen,
    recruits: &[Recruit],
) -> Result<Places, CliError> {
    if setup.role.is_some() {
        return Ok(Places { change: plan(setup, session, hub, chosen)?, without: Vec::new() });
    }
    let Hub::There(found) = hub else { return Ok(Places::default()) };
    let Some(before) = team_text(&found.hub_dir)? else { return Ok(Places::default()) };
    let Answer::Team(holds) = session.call(TeamShow {})?.answer else { return Ok(Places::default()) };
    let seats = team::parse(&holds.text).map(|team| team.agents).unwrap_or_default();
    let newcomers: Vec<&Recruit> =
        recruits.iter().filter(|recruit| seats.keys().all(|name| name.as_str() != recruit.name)).collect();
    if newcomers.is_empty() {
        return Ok(Places::default());
    }
    Ok(match among_equals(&before, &holds.text, &newcomers) {
        Some(after) => Places { change: Some(RoleChange { before, after }), without: Vec::new() },
        None => Places {
            change: None,
            without: newcomers.into_iter().map(|recruit| recruit.name.clone()).collect(),
        },
    })
}

/// The team file with the newcomers in it. None where somebody decides who does what, or where the file says something that
/// nobody has taken in yet.
fn among_equals(before: &str, holds: &str, newcomers: &[&Recruit]) -> Option<String> {
    let parse = |text: &str| -> Option<TeamConfig> { team::parse(text).ok() };
    let team = parse(before).filter(|team| team.formation == Formation::Peers)?;
    if parse(holds)? != team {
        return None;
    }
    let role = Role::Collaborator.to_string();
    let after = newcomers.iter().try_fold(before.to_owned(), |text, newcomer| {
        seated(&text, &newcomer.name, &newcomer.profile, &role)
    })?;
    parse(&after).map(|_| after)
}

/// The change of the team file that gives the agent its role; none where it has it.
fn plan(
    setup: &Setup,
    session: &mut Session,
    hub: &Hub,
    chosen: &Chosen,
) -> Result<Option<RoleChange>, CliError> {
    let (Some(role), Some(agent), Some(client)) = (&setup.role, &setup.agent, chosen.clients.first()) else {
        return Ok(None);
    };
    let agent = agent.to_lowercase();
    let no_team = || {
        CliError::new(ErrorKind::NotFound, "this hub has no team file, and roles are given there")
            .with_hint("interagent init makes a team in the directory of a project")
    };
    let before = match hub {
        Hub::There(found) => team_text(&found.hub_dir)?.ok_or_else(no_team)?,
        Hub::ToBeMade(_) if hub.is_personal() => return Err(no_team()),
        Hub::ToBeMade(place) => init::team_of(
            &place.would_be,
            &Init::of_agents(vec![format!("{agent}:{}", client.profile.name)], formation(setup)),
        )?,
    };
    if let (Hub::There(_), Ok(written)) = (hub, team::parse(&before)) {
        must_be_applied(&written, session.team()?.as_ref())?;
    }
    let after = seated(&before, &agent, &client.profile.name, role).ok_or_else(|| {
        CliError::new(
            ErrorKind::Conflict,
            format!("`{TEAM_FILE}` has no table of agents that could be changed"),
        )
        .with_hint("interagent team check")
    })?;
    if let Err(problems) = team::parse(&after) {
        let sentence = format!("the team does not hold with {agent} as {role}");
        let error = CliError::new(ErrorKind::Usage, sentence).with_code("bad_team_file");
        let error = problems.iter().fold(error, |error, problem| error.with_hint(problem.sentence.clone()));
        return Err(error.with_hint(format!("write its seat into {TEAM_FILE}, then interagent team take")));
    }
    Ok((before != after).then_some(RoleChange { before, after }))
}

/// Applies the team file and writes it.
pub(super) fn carry_out(session: &mut Session, hub: &Hub, change: &RoleChange) -> Result<(), CliError> {
    session.call(TeamTake { text: change.after.clone() })?;
    init::write(hub.directory(), TEAM_FILE, &change.after)
}

/// The team file with this agent in this role; all else stays as it was written.
fn seated(text: &str, agent: &str, profile: &str, role: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let agents = document.entry("agents").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let seats = agents.as_table_like_mut()?;
    if !seats.contains_key(agent) {
        seats.insert(agent, Item::Table(Table::new()));
    }
    let seat = seats.get_mut(agent)?.as_table_like_mut()?;
    if !seat.contains_key("profile") {
        seat.insert("profile", value(profile));
    }
    match seat.get_mut("role").and_then(Item::as_value_mut) {
        Some(old) if old.as_str() == Some(role) => {}
        Some(old) => {
            let decor = old.decor().clone();
            *old = role.into();
            *old.decor_mut() = decor;
        }
        None => {
            seat.insert("role", value(role));
        }
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equals_take_somebody_in_unasked() {
        let codex = Recruit { name: "codex".to_owned(), profile: "codex".to_owned() };
        let claude = team::Recruit {
            name: interagent_core::name::Name::parse("claude").unwrap(),
            profile: interagent_core::name::Label::parse("claude").unwrap(),
        };
        let peers = team::render(&TeamConfig::peers("x", [claude.clone()]));
        let with = among_equals(&peers, &peers, &[&codex]).unwrap();
        let seat = "[agents.codex]\nprofile = \"codex\"\nrole = \"collaborator\"\n";
        let before = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
        };
        assert_eq!(with.matches(seat).count(), 1, "{with}");
        assert_eq!(before(&with.replace(seat, "")), before(&peers), "nothing else changes");
        assert_eq!(among_equals(&peers, &with, &[&codex]), None, "not taken in");
        assert_eq!(among_equals("oops", &peers, &[&codex]), None);
        let duo = team::render(&TeamConfig::usual_duo("x"));
        assert_eq!(among_equals(&duo, &duo, &[&codex]), None);
    }

    #[test]
    fn only_the_seat_changes() {
        let text = "# ours\nproject = \"x\"\n\n[agents.claude]\nprofile = \"claude\"\nrole = \"principal\" # decides\n";
        let with = seated(text, "bob", "kimi", "reviewer").unwrap();
        assert_eq!(with, format!("{text}\n[agents.bob]\nprofile = \"kimi\"\nrole = \"reviewer\"\n"));
        assert_eq!(seated(&with, "bob", "kimi", "reviewer").unwrap(), with);
        let other = seated(&with, "claude", "claude", "delegate").unwrap();
        assert_eq!(other, with.replace("\"principal\" #", "\"delegate\" #"));
    }
}
