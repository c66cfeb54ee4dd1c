//! The team file: shown, and taken in.

use interagent_core::decide::agent::{Registry, change_team};
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::{TeamConfig, parse, render, widened};
use interagent_store::reader::Reader;
use interagent_wire::answer::TeamView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use crate::call::Call;
use crate::input;
use crate::names::Names;
use crate::workspace;

/// Shows the team as it was last taken in.
pub(crate) fn show(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    let (answer, empty) = call.read(|reader, _| Ok((view(reader)?, empty_seats(reader)?)))?;
    call.notes.extend(empty.map(|(told, helps)| format!("{told}; {helps}")));
    Ok(answer.into())
}

/// Seats whose agent is not there any more, or has another name.
fn empty_seats(reader: &mut Reader<'_>) -> Result<Option<(String, String)>, Refusal> {
    let registry = registry(reader, None)?;
    let Some(team) = registry.team else { return Ok(None) };
    let renamed = reader.renamed(&registry.local)?;
    let there: Vec<Name> = registry.local.into_iter().map(|agent| agent.name).collect();
    Ok(rules::empty_seats_told(&team, &there, &renamed))
}

fn view(reader: &mut Reader<'_>) -> Result<TeamView, Refusal> {
    let Some(team) = reader.team()? else {
        return Err(Refusal::not_found("no_team", "no team file was taken in yet")
            .hint("interagent init makes one; interagent team take reads it"));
    };
    let config = serde_json::to_value(&team.config)
        .map_err(|error| Refusal::unavailable("store_internal", error.to_string()))?;
    Ok(TeamView {
        project: team.config.project.clone(),
        formation: team.config.formation.to_string(),
        mode: team.config.mode().map(|mode| mode.to_string()),
        config,
        text: render(&team.config),
        changed: Time(team.changed.wall),
        by: Names::new(reader).who(&team.by)?,
    })
}

/// Takes a team file in.
pub(crate) fn take(call: &mut Call<'_>, params: &ask::TeamTake) -> Result<Answer, Refusal> {
    let config = read_file(&params.text)?;
    input::no_secret_name("a word of the team file", &render(&config))?;
    let applied = call.store.read(|reader| Ok::<_, Refusal>(reader.team()?.map(|team| team.config)))?;
    workspace::must_fit_team(&config, applied.as_ref(), workspace::project_of(call.state_dir))?;
    let marks: Vec<String> = widened(applied.as_ref(), &config).iter().map(ToString::to_string).collect();
    let answer = call.write(
        |scene| {
            let registry = registry(&mut scene.look(), None)?;
            let mut draft = scene.draft();
            change_team(&registry, &scene.member, &config, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, _| view(reader).map(Answer::from),
    )?;
    call.notes.extend(marks);
    Ok(answer)
}

fn read_file(text: &str) -> Result<TeamConfig, Refusal> {
    parse(text).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Refusal::usage(
            "bad_team_file",
            format!("the team file has {} problem(s):\n{}", lines.len(), lines.join("\n")),
        )
        .hint("interagent team check names them with their lines")
    })
}

/// What registering needs to know: the rules, and who is here.
pub(crate) fn registry(reader: &mut Reader<'_>, described: Option<&str>) -> Result<Registry, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let mut local = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_none() && reader.is_home(&agent.home)? {
            local.push(agent);
        }
    }
    let known = described.and_then(|name| local.iter().find(|agent| agent.name.as_str() == name));
    let described = match known.and_then(|agent| agent.description.clone()) {
        Some(hash) => reader.text_state(&hash)?.whole(),
        None => None,
    };
    Ok(Registry { team, local, described })
}
