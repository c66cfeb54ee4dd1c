//! A clone that brings a team file and has no hub yet: what its files say, and how a person joins.
//!
//! Owns the rule that the files of a clone take effect only after a person saw them. Until then nothing is created, and every
//! command but the ones that show the files refuses.

use std::path::Path;

use interagent_core::authority::OperatorAct;
use interagent_core::name::Name;
use interagent_core::team::{self, Marked, TeamConfig, marked};
use serde_json::json;

use super::{Session, open, team_text, was_lost};
use crate::config::hub::{Found, HubKind};
use crate::config::trust::{Trust, TrustList, project_profiles};
use crate::error::{CliError, ErrorKind};
use crate::ui::look::Role;

/// Shows the files, asks and joins.
pub(crate) const JOIN: &str = "interagent trust";

/// Whether a hub's directory has a team file that nobody applied on this machine.
pub(crate) fn is_unjoined(found: &Found) -> bool {
    found.kind != HubKind::Personal
        && !found.hub_dir.join("state").join("hub.db").exists()
        && !was_lost(&found.hub_dir)
        && !matches!(team_text(&found.hub_dir), Ok(None))
}

/// The refusal of every command that needs the hub.
pub(crate) fn not_joined(hub_dir: &Path) -> CliError {
    let what = match Brought::in_directory(hub_dir).team {
        Some(Ok(team)) => format!("its team `{}` is not applied", team.project),
        _ => "its team file is not applied".to_owned(),
    };
    CliError::new(ErrorKind::Refused, format!("this clone has no hub yet: {what}"))
        .with_code("not_joined")
        .with_hint(JOIN)
}

/// What a clone brings.
struct Brought {
    /// Its team, or how many problems the file has. None where it can't be read.
    team: Option<Result<TeamConfig, usize>>,
    /// Its profiles, as people call them.
    profiles: Vec<(String, Trust)>,
}

impl Brought {
    fn in_directory(hub_dir: &Path) -> Self {
        let text = team_text(hub_dir).ok().flatten();
        let team = text.map(|text| team::parse(&text).map_err(|problems| problems.len()));
        Self { team, profiles: Vec::new() }
    }

    fn of(session: &Session, hub_dir: &Path) -> Self {
        let list = TrustList::read(&session.env).ok().flatten();
        let profiles = project_profiles(hub_dir, list.as_ref());
        let named = profiles.into_iter().map(|profile| (profile.file.display().to_string(), profile.trust));
        Self { profiles: named.collect(), ..Self::in_directory(hub_dir) }
    }

    fn marks(&self) -> Vec<Marked> {
        self.team.as_ref().and_then(|team| team.as_ref().ok()).map(marked).unwrap_or_default()
    }

    fn document(&self) -> serde_json::Value {
        let team = self.team.as_ref().and_then(|team| team.as_ref().ok()).map(|team| {
            let agents: Vec<&str> = team.agents.keys().map(Name::as_str).collect();
            json!({ "project": team.project, "formation": team.formation, "agents": agents })
        });
        let marked = self.marks();
        let marked: Vec<_> = marked
            .iter()
            .map(|mark| json!({ "power": mark.power.to_string(), "setting": mark.setting }))
            .collect();
        let profiles: Vec<_> =
            self.profiles.iter().map(|(file, trust)| json!({ "file": file, "trust": trust })).collect();
        json!({ "joined": false, "team": team, "marked": marked, "profiles": profiles, "join": JOIN })
    }
}

/// Shows what a clone brings and how to join. Creates nothing.
pub(crate) fn show(session: &mut Session, hub_dir: &Path) {
    let brought = Brought::of(session, hub_dir);
    if !session.is_for_people() {
        session.document(0, &brought.document());
        return;
    }
    tell_of(session, &brought);
    session.suggest(&[JOIN]);
}

/// Shows people what a clone brings.
pub(crate) fn tell(session: &mut Session, hub_dir: &Path) {
    let brought = Brought::of(session, hub_dir);
    tell_of(session, &brought);
}

fn tell_of(session: &mut Session, brought: &Brought) {
    match &brought.team {
        Some(Ok(team)) => {
            let what = format!(" {} ({}), not applied on this machine", team.project, team.formation);
            session.printer.line(&[(Role::Heading, "team"), (Role::Plain, &what)]);
            show_team(session, team, &marked(team));
        }
        Some(Err(count)) => {
            let problems = if *count == 1 { "problem" } else { "problems" };
            let sentence = format!(" team.toml has {count} {problems}");
            session.printer.line(&[(Role::Heading, "team"), (Role::Warning, &sentence)]);
        }
        None => session.printer.line(&[(Role::Warning, "team.toml can't be read")]),
    }
    for (file, trust) in &brought.profiles {
        session.printer.line(&[(Role::Warning, trust.as_str()), (Role::Plain, "  "), (Role::Plain, file)]);
    }
}

/// The agents of a team, and the settings that a person should see.
pub(crate) fn show_team(session: &mut Session, team: &TeamConfig, marks: &[Marked]) {
    let agents: Vec<String> =
        team.agents.iter().map(|(name, seat)| format!("{name} ({})", seat.profile)).collect();
    session.printer.line(&[(Role::Quiet, "agents "), (Role::Plain, &agents.join(", "))]);
    for mark in marks {
        let power = format!("{}: ", mark.power);
        session.printer.line(&[(Role::Warning, &power), (Role::Plain, &mark.setting)]);
    }
}

/// Creates this machine's replica and applies the team file. Only after the person agreed.
pub(crate) fn join(session: &mut Session, hub_dir: &Path) -> Result<(), CliError> {
    session.authorize(OperatorAct::Trust, JOIN)?;
    let caller = session.caller().clone();
    let hub = open::begin_replica(hub_dir, &caller, &mut session.printer)?;
    session.use_hub(session.informed(hub));
    Ok(())
}

/// Refuses to join a clone whose team file can't be applied: its rules would silently be missing.
pub(crate) fn must_be_sound(hub_dir: &Path) -> Result<(), CliError> {
    match Brought::in_directory(hub_dir).team {
        Some(Ok(_)) => Ok(()),
        Some(Err(count)) => {
            let problems = if count == 1 { "problem" } else { "problems" };
            let sentence = format!("team.toml has {count} {problems}, so nobody can agree to it");
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_code("bad_team_file")
                .with_hint("interagent team check"))
        }
        None => Err(CliError::new(ErrorKind::Unavailable, "team.toml can't be read")),
    }
}
