//! A hub that was copied: whether it was moved, so that the original is gone and its agents live on here, or both are used.

use std::path::Path;

use interagent_core::authority::OperatorAct;
use interagent_core::entity::replica;
use interagent_core::ids::OriginId;
use interagent_core::shell::quoted;
use interagent_core::store_identity::StoreIdentity;
use interagent_store::reader::Reader;
use interagent_store::{DECIDE, Store, StoreError};
use serde_json::json;

use super::checks::members;
use super::report::{Report, State};
use crate::config::host;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, SettledCopy};
use crate::ui::look::Role;

/// Says of a copy that nobody decided about yet what there is to decide.
pub(super) fn check(store: &mut Store, state_dir: &Path, report: &mut Report) {
    match store.identity(host::state_dir().as_deref()) {
        Ok(StoreIdentity::Same) => settled(store, report),
        Ok(StoreIdentity::Undecided(doubt)) => {
            let sentence = format!("this hub may be a copy ({doubt}): it can only be read");
            report.finding(State::Warn, "replica", sentence, Some(DECIDE));
        }
        Ok(StoreIdentity::Unreadable(detail)) => {
            let helps = format!("chmod 600 {}", quoted(&state_dir.join("store-id").display().to_string()));
            let sentence = StoreError::Unidentified { detail }.to_string();
            report.finding(State::Bad, "replica", sentence, Some(&helps));
        }
        Err(error) => report.finding(State::Bad, "replica", error.to_string(), error.hint()),
    }
}

/// A copy that became a replica of its own, without agents yet: it may have been a move all the same.
fn settled(store: &mut Store, report: &mut Report) {
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

/// Lets a copy whose original goes on become a replica of its own.
pub(super) fn copied(session: &mut Session) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::DeclareMoved, "interagent doctor --copied")?;
    let Some(settled) = session.settle_as_copy()? else {
        let sentence = "this hub is not a copy, or already is a separate replica";
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("no_copy")
            .with_hint("interagent doctor"));
    };
    let SettledCopy { doubt, alias } = settled;
    let head = session.hub()?.store().head()?;
    match session.is_for_people() {
        true => {
            let words = format!(" the replica {alias}: {doubt}");
            session.printer.line(&[(Role::Good, "began"), (Role::Plain, &words)]);
            session.suggest(&["interagent team take"]);
        }
        false => session.document(head.seq, &json!({ "replica": head.origin, "alias": alias })),
    }
    session.conclude(Done::Committed)
}

/// Continues the replica that this hub was copied from.
pub(super) fn run(session: &mut Session, wanted: Option<&str>) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::DeclareMoved, "interagent doctor --moved")?;
    let store = session.hub()?.store();
    let (origin, called) = choose(copied_from(store)?, wanted)?;
    // Until the doubt is settled, the agents that live here are the original's.
    let registered = if store.doubt().is_some() { Vec::new() } else { agents(store)? };
    if !registered.is_empty() {
        let names = registered.join(", ");
        let sentence = format!("{names} registered here since it was copied, and can't be there twice");
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("used_since")
            .with_hint(
                "interagent agent retire NAME ends each of them; then run interagent doctor --moved again",
            )
            .with_hint("if the original is still used, you are done"));
    }
    let alias = store.head()?.alias;
    if !store.new_origin(&alias, Some(origin))? {
        let sentence = "another command already decided this";
        return Err(CliError::new(ErrorKind::Conflict, sentence).with_hint("interagent doctor"));
    }
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
        let sentence = "this hub is not a copy, or already continues the original";
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
