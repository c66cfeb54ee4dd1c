//! The clones that write this team's history: who they are, and whether their operators' words count here.

use clap::Subcommand;
use interagent_core::authority::OperatorAct;
use interagent_core::signature::{Fingerprint, StandingShown};
use interagent_operations::{KnownReplica, known_replicas};
use interagent_store::ReplicaDecision;
use serde_json::{Value, json};

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};

/// List, accept and reject replicas of this hub.
///
/// Every clone is a replica with a key of its own and signs what it writes. What agents of a new replica write counts at once. Its
/// operator's words, team changes, skills and controls count after you accept it. Compare the fingerprint with its owner first.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent replica list\n  interagent replica accept laptop\n  interagent replica accept laptop-7k3m --succeeds laptop-9q2w\n  interagent replica reject laptop"
)]
pub(crate) enum Replica {
    /// List the replicas with their fingerprints.
    #[command(after_help = "Example:\n  interagent replica list --json")]
    List {},
    /// Let a replica's operator speak and decide here.
    #[command(
        after_help = "Examples:\n  interagent replica accept laptop\n  interagent replica accept laptop-7k3m --succeeds laptop-9q2w"
    )]
    Accept {
        /// Its name or id.
        replica: String,
        /// The lost replica whose agents go on there.
        #[arg(long, value_name = "OLD")]
        succeeds: Option<String>,
    },
    /// Ignore everything that a replica writes.
    #[command(after_help = "Example:\n  interagent replica reject laptop")]
    Reject {
        /// Its name or id.
        replica: String,
    },
}

impl Replica {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self::List {} => list(session),
            Self::Accept { replica, succeeds } => accept(session, &replica, succeeds.as_deref()),
            Self::Reject { replica } => reject(session, &replica),
        }
    }
}

fn list(session: &mut Session) -> Result<ExitCode, CliError> {
    let store = session.hub()?.store();
    let (all, seq) = (known_replicas(store)?, store.head()?.seq);
    if !session.is_for_people() {
        let replicas: Vec<Value> = all.iter().map(|one| document(one, &all)).collect();
        session.document(seq, &json!({ "replicas": replicas }));
        return session.conclude(Done::Looked);
    }
    let mut table = Table::new([
        Column::whole("replica"),
        Column::whole("standing"),
        Column::whole("fingerprint"),
        Column::number("entries"),
    ]);
    for one in &all {
        let shown = one.shown();
        let role = match shown {
            StandingShown::Own | StandingShown::Accepted => Role::Good,
            StandingShown::New | StandingShown::Unverified => Role::Warning,
            StandingShown::Rejected => Role::Bad,
        };
        table.row([
            Cell::new(Role::Name, &one.name),
            Cell::new(role, shown.as_str()),
            Cell::new(Role::Plain, &fingerprint(one).map_or_else(|| "none".to_owned(), |it| it.to_string())),
            Cell::new(Role::Quiet, &one.entries.to_string()),
        ]);
    }
    session.printer.table(&table);
    for sentence in all.iter().flat_map(|one| warnings(one, &all)) {
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
    }
    session.conclude(Done::Looked)
}

/// The fingerprint of its key, once it signed something.
fn fingerprint(one: &KnownReplica) -> Option<Fingerprint> {
    one.replica.key.map(|key| key.fingerprint())
}

fn document(one: &KnownReplica, all: &[KnownReplica]) -> Value {
    let replica = &one.replica;
    json!({
        "name": one.name,
        "id": replica.origin,
        "standing": one.shown().as_str(),
        "fingerprint": fingerprint(one).map(|it| it.to_string()),
        "entries": one.entries,
        "signed": replica.seal.as_ref().map(|seal| seal.oseq),
        "first_signed": (replica.first_sealed > 0).then_some(replica.first_sealed),
        "continues": one.continues,
        "succeeds": replica.succeeds,
        "unconfirmed_successor": one.is_unconfirmed_successor(all),
        "other_fingerprint": replica.rival.as_ref().map(|seal| seal.key.fingerprint().to_string()),
    })
}

/// What a person should know of a replica, each with the command that decides it.
pub(crate) fn warnings(one: &KnownReplica, all: &[KnownReplica]) -> Vec<String> {
    let mut found = Vec::new();
    let name = &one.name;
    if let Some(rival) = &one.replica.rival {
        let other = rival.key.fingerprint();
        found.push(format!(
            "{name} is also signed with another key, {other}: only what the listed key signed counts"
        ));
    }
    if one.is_unconfirmed_successor(all)
        && let Some(before) = &one.continues
    {
        let id = &one.replica.origin;
        found.push(format!(
            "{name} says that it continues {before}, and has another key: interagent replica accept {id} --succeeds {before}"
        ));
    }
    match one.shown() {
        StandingShown::New if found.is_empty() => {
            let print = fingerprint(one).map(|it| it.to_string()).unwrap_or_default();
            found.push(format!(
                "{name} is a new replica ({print}); its operator's words do not count yet: interagent replica accept {name}"
            ));
        }
        StandingShown::Unverified => found.push(format!(
            "{name} signs nothing: its operator's words do not count until it runs a newer interagent and you accept it"
        )),
        _ => {}
    }
    found
}

/// The one that somebody names, by id or by the name that people read.
fn named(session: &mut Session, word: &str) -> Result<KnownReplica, CliError> {
    let all = known_replicas(session.hub()?.store())?;
    let is_meant = |one: &&KnownReplica| {
        one.name == word || one.replica.origin.as_str() == word || one.replica.origin.begins_with(word)
    };
    let fitting: Vec<&KnownReplica> = all.iter().filter(is_meant).collect();
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
            let sentence = format!("there is no replica `{word}`; there is {}", names.join(", "));
            Err(CliError::new(ErrorKind::NotFound, sentence)
                .with_code("no_replica")
                .with_hint("interagent replica list"))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|one| one.replica.origin.as_str()).collect();
            let sentence = format!("`{word}` is the name of several replicas: {}", ids.join(", "));
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_code("which_replica")
                .with_hint("name one of these ids"))
        }
    }
}

fn accept(session: &mut Session, word: &str, succeeds: Option<&str>) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::AcceptReplica, "interagent replica accept")?;
    let one = named(session, word)?;
    let name = one.name.clone();
    if one.shown() == StandingShown::Own {
        return Err(own(&name));
    }
    let Some(print) = fingerprint(&one) else {
        let sentence = format!("{name} has signed nothing, so there is no key to accept");
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("unsigned")
            .with_hint("update interagent in that clone and sync there, then here"));
    };
    let decision = match succeeds {
        None => ReplicaDecision::Accept,
        Some(old) => {
            let old = named(session, old)?;
            if one.continues.as_ref() != Some(&old.replica.origin) {
                let sentence = format!("{name} does not say that it continues {}", old.name);
                return Err(CliError::new(ErrorKind::Refused, sentence)
                    .with_code("no_successor")
                    .with_hint("interagent replica list"));
            }
            ReplicaDecision::AcceptAfter(old.replica.origin)
        }
    };
    decide(session, &one, &decision)?;
    let words = format!(" {name} ({print}): its operator's words count here");
    finish(session, &one, "accepted", &words)
}

fn reject(session: &mut Session, word: &str) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::AcceptReplica, "interagent replica reject")?;
    let one = named(session, word)?;
    if one.shown() == StandingShown::Own {
        return Err(own(&one.name));
    }
    decide(session, &one, &ReplicaDecision::Reject)?;
    let words = format!(" {}: nothing it writes counts here", one.name);
    finish(session, &one, "rejected", &words)
}

fn own(name: &str) -> CliError {
    CliError::new(ErrorKind::Refused, format!("{name} is this replica: its entries always count here"))
        .with_code("own_replica")
        .with_hint("interagent replica list")
}

fn decide(session: &mut Session, one: &KnownReplica, decision: &ReplicaDecision) -> Result<(), CliError> {
    let effects = session.hub()?.decide_replica(&one.replica.origin, decision)?;
    session.has_taken_in(effects.unwrap_or_default());
    session.write_files()?;
    Ok(())
}

fn finish(session: &mut Session, one: &KnownReplica, verb: &str, words: &str) -> Result<ExitCode, CliError> {
    let store = session.hub()?.store();
    let (all, seq) = (known_replicas(store)?, store.head()?.seq);
    let now = all.iter().find(|now| now.replica.origin == one.replica.origin).unwrap_or(one);
    match session.is_for_people() {
        true => session.printer.line(&[(Role::Good, verb), (Role::Plain, words)]),
        false => session.document(seq, &document(now, &all)),
    }
    session.conclude(Done::Committed)
}

/// What a person should know of the replicas that wait for a decision, or that something is wrong with.
pub(super) fn waiting(session: &mut Session) -> Result<Vec<String>, CliError> {
    let all = known_replicas(session.hub()?.store())?;
    Ok(all.iter().flat_map(|one| warnings(one, &all)).collect())
}

/// Whom a clone accepted by joining, with the fingerprint to compare.
pub(super) fn accepted_by_joining(session: &mut Session) -> Result<Vec<String>, CliError> {
    let all = known_replicas(session.hub()?.store())?;
    let accepted = all.iter().filter(|one| one.shown() == StandingShown::Accepted);
    let told = accepted.filter_map(|one| {
        let print = fingerprint(one)?;
        Some(format!("{} wrote the team file, so joining accepted it ({print})", one.name))
    });
    Ok(told.collect())
}

/// How many replicas wait, in a line for the status.
pub(super) fn waiting_note(session: &mut Session) -> Option<String> {
    let all = known_replicas(session.hub().ok()?.store()).ok()?;
    let waiting = all.iter().filter(|one| !warnings(one, &all).is_empty()).count();
    let words = if waiting == 1 { "1 replica waits".to_owned() } else { format!("{waiting} replicas wait") };
    (waiting > 0).then(|| format!("{words} for your decision: interagent replica list"))
}
