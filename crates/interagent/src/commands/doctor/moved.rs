//! A hub that was copied: whether it was moved, so that the original is gone and its agents live on here, or both are used.

use interagent_core::entity::replica;
use interagent_core::ids::OriginId;
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError};
use serde_json::json;

use super::checks::members;
use super::report::{Report, State};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Says of a copy that nobody decided about yet what there is to decide.
pub(super) fn check(store: &mut Store, report: &mut Report) {
    let found = copied_from(store).and_then(|from| Ok((from, agents(store)?)));
    match found {
        Ok((from, agents)) if !from.is_empty() && agents.is_empty() => {
            let sentence = "this hub is a copy: the agents and their mail belong to the original";
            let helps =
                "if the original is gone: interagent doctor --moved; if both are used: interagent team take";
            report.finding(State::Warn, "replica", sentence, Some(helps));
        }
        Ok(_) => {}
        Err(error) => report.finding(State::Bad, "replica", error.to_string(), error.hint()),
    }
}

/// Continues the replica that this hub was copied from.
pub(super) fn run(session: &mut Session, wanted: Option<&str>) -> Result<ExitCode, CliError> {
    if !session.is_surely_a_person() {
        let sentence = "whether the original is gone is for a person to say: only the operator does that";
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("operator_only")
            .with_hint("ask the operator to run interagent doctor --moved"));
    }
    let store = session.hub()?.store();
    let (origin, called) = choose(copied_from(store)?, wanted)?;
    let registered = agents(store)?;
    if !registered.is_empty() {
        let names = registered.join(", ");
        let sentence = format!("{names} registered here since it was copied, and can't be there twice");
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("used_since")
            .with_hint(
                "interagent agent retire NAME ends each of them; then run interagent doctor --moved again",
            )
            .with_hint("where the original is still used, nothing is to be done"));
    }
    let (place, alias) = (store.place()?, store.head()?.alias);
    store.new_origin(&place, &alias, Some(origin))?;
    let names = agents(store)?;
    let seq = store.head()?.seq;
    match session.is_for_people() {
        true => {
            let words = format!(" {called}: {} live on here", names.join(", "));
            session.printer.line(&[(Role::Good, "continues"), (Role::Plain, &words)]);
        }
        false => session.document(seq, &json!({ "continues": called, "agents": names })),
    }
    session.conclude(Done::Committed)
}

fn choose(from: Vec<(OriginId, String)>, wanted: Option<&str>) -> Result<(OriginId, String), CliError> {
    let names: Vec<String> = from.iter().map(|(_, called)| called.clone()).collect();
    if names.is_empty() {
        let sentence = "this hub is no copy, or continues the original already";
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("no_copy")
            .with_hint("interagent doctor"));
    }
    let mut fitting = from.into_iter().filter(|(_, called)| wanted.is_none_or(|wanted| wanted == called));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let sentence = format!("which replica moved here? It can be {}", names.join(", "));
            let first = names.first().map_or("REPLICA", String::as_str);
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_code("which_replica")
                .with_hint(format!("interagent doctor --moved {first}")))
        }
    }
}

/// What this hub may be a copy of, with what people call it.
fn copied_from(store: &mut Store) -> Result<Vec<(OriginId, String)>, StoreError> {
    let from = store.copied_from()?;
    store.read(|reader: &mut Reader<'_>| {
        let origins = reader.origins()?;
        Ok(from.into_iter().map(|id| (id.clone(), replica::called(&origins, &id))).collect())
    })
}

/// The agents that live here, without the person.
fn agents(store: &mut Store) -> Result<Vec<String>, StoreError> {
    let all = members(store)?;
    Ok(all.iter().filter(|agent| !agent.is_human()).map(|agent| agent.name.to_string()).collect())
}
