//! From what people write to what the store holds: names, addresses, ids, prefixes, aliases, pages.

use interagent_core::entity::{Agent, Decision, Lease, Message, Review, Task, replica};
use interagent_core::event::Event;
use interagent_core::ids::EntityRef;
use interagent_core::limits;
use interagent_core::line::moment;
use interagent_core::name::{Address, Name};
use interagent_core::nearest::nearest;
use interagent_core::refusal::Refusal;
use interagent_store::reader::{Named, Noun, PageStart, Reader};

use crate::identity::Known;
use crate::legacy;
use crate::names::{self, Names};

/// Names that stand in a hint.
const NAMED: usize = 5;

/// How many rows a list shows.
pub(crate) fn page_limit(wanted: Option<u32>) -> u32 {
    wanted.unwrap_or(limits::PAGE_DEFAULT).clamp(1, limits::PAGE_MAX)
}

/// Where a page begins.
pub(crate) fn page_start(after: Option<&str>) -> Result<PageStart, Refusal> {
    let Some(after) = after else { return Ok(PageStart::default()) };
    let parsed = after
        .split_once('.')
        .and_then(|(at, id)| Some(PageStart { at: at.parse().ok()?, id: id.to_owned() }));
    parsed.ok_or_else(|| {
        Refusal::usage("bad_page", "`after` is not the end of a page")
            .hint("pass `next` of the page before, as it is")
    })
}

/// What to pass for the page after this row.
pub(crate) fn page_end(at: i64, id: &str) -> String {
    format!("{at}.{id}")
}

/// One agent by name, `name@origin`, id or prefix of one. Names mean agents of this replica first.
pub(crate) fn agent(reader: &mut Reader<'_>, given: &str) -> Result<Agent, Refusal> {
    if given.starts_with("agt-") {
        let id = entity(reader, given, &[Noun::Agent], "agent")?;
        let EntityRef::Agent(id) = id else { return Err(no_such("agent", given)) };
        return reader.agent(&id)?.ok_or_else(|| no_such("agent", given));
    }
    match address(given)? {
        Address::Agent { name, origin_alias } => {
            named(reader, &name, origin_alias.as_ref().map(interagent_core::name::Label::as_str))
        }
        Address::Operator => crate::identity::operator(reader),
        Address::Role(_) | Address::All => {
            Err(Refusal::usage("one_agent", format!("`{given}` is not one agent"))
                .hint("interagent agent list shows the names"))
        }
    }
}

fn address(given: &str) -> Result<Address, Refusal> {
    Address::parse(given).map_err(|problem| {
        let refusal = Refusal::usage("bad_name", problem.sentence.clone());
        match problem.hint {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })
}

fn named(reader: &mut Reader<'_>, name: &Name, alias: Option<&str>) -> Result<Agent, Refusal> {
    let (mut homes, mut alike) = (Vec::new(), Vec::new());
    for found in reader.agents_named(name.as_str())? {
        if alias.is_none() && reader.is_home(&found.home)? {
            return Ok(found);
        }
        let home = origin_alias(reader, &found)?;
        if alias == Some(home.as_str()) {
            return Ok(found);
        }
        let shown = names::who(reader, &found)?.name;
        // A replica that took over another one is called by both names.
        let is_ours = reader.is_home(&found.home)? && alias == Some(reader.head()?.alias.as_str());
        if is_ours || (alias.is_some() && alias == own_alias(reader, &found)?.as_deref()) {
            alike.push((found, shown));
        }
        homes.push(format!("{name}@{home}"));
    }
    if let (Some(alias), false) = (alias, alike.is_empty()) {
        return one_of(alike, alias);
    }
    if let Some(alias) = alias {
        must_be_a_replica(reader, name, alias, &homes)?;
    }
    if homes.is_empty() {
        return Err(match legacy::earlier(reader, name)? {
            Some(gone) => retired(reader, &gone)?,
            None => unknown_agent(reader, name.as_str())?,
        });
    }
    let place = alias.map_or_else(|| "here".to_owned(), |alias| format!("at {alias}"));
    Err(Refusal::not_found("no_such_agent", format!("there is no agent {name} {place}"))
        .hint(format!("known elsewhere: {}", homes.join(", "))))
}

/// What an agent's replica calls itself, also where another one is called alike.
fn own_alias(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<String>, Refusal> {
    let origins = reader.origins()?;
    Ok(origins.into_iter().find(|origin| origin.id == agent.home).map(|origin| origin.alias))
}

/// The one agent of a name whose replica has this alias. Where several are called alike, nobody but the caller knows which.
fn one_of(mut alike: Vec<(Agent, String)>, alias: &str) -> Result<Agent, Refusal> {
    match (alike.pop(), alike.as_slice()) {
        (Some((agent, _)), []) => Ok(agent),
        (last, others) => {
            let all = others.iter().chain(&last);
            let mut shown: Vec<String> = all
                .map(|(_, shown)| match shown.contains('@') {
                    true => shown.clone(),
                    false => format!("{shown} for the one here"),
                })
                .collect();
            // The one here comes first.
            shown.sort_by_key(|shown| shown.contains('@'));
            let sentence = format!("{} replicas are called {alias}", shown.len());
            Err(Refusal::usage("ambiguous", sentence).hint(format!("write {}", shown.join(", or "))))
        }
    }
}

/// Of `name@replica` the replica may be what is unknown.
fn must_be_a_replica(
    reader: &mut Reader<'_>,
    name: &Name,
    alias: &str,
    homes: &[String],
) -> Result<(), Refusal> {
    let origins = reader.origins()?;
    let mut known: Vec<String> = origins.iter().map(|origin| replica::called(&origins, &origin.id)).collect();
    known.sort();
    known.dedup();
    if alias == reader.head()?.alias || known.iter().any(|replica| replica == alias) {
        return Ok(());
    }
    let sentence = format!("there is no replica {alias}; there is {}", known.join(", "));
    let refusal = Refusal::not_found("no_such_replica", sentence);
    Err(match homes {
        [] => refusal.hint("interagent agent list shows who is where"),
        homes => refusal.hint(format!("{name} is known as {}", homes.join(", "))),
    })
}

/// The name of the replica an agent lives at.
pub(crate) fn origin_alias(reader: &mut Reader<'_>, agent: &Agent) -> Result<String, Refusal> {
    Ok(replica::called(&reader.origins()?, &agent.home))
}

/// Says of somebody who takes part no longer when and by whom that was decided, and who is there instead.
pub(crate) fn retired(reader: &mut Reader<'_>, gone: &Agent) -> Result<Refusal, Refusal> {
    let entity = EntityRef::Agent(gone.id.clone());
    let end = reader
        .history(&entity)?
        .into_iter()
        .find(|step| step.void.is_none() && matches!(step.fact.event, Event::AgentRetired(_)));
    let told = match end {
        Some(end) => {
            let by = Names::new(reader).who(&end.stamp.actor)?.name;
            format!("{} was retired by {by} at {}", gone.name, moment(end.stamp.wall))
        }
        None => format!("{} takes part no longer", gone.name),
    };
    let mut there = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_none() && !agent.is_human() && reader.is_home(&agent.home)? {
            there.push(agent);
        }
    }
    // Who has the same role does what it did; then whoever has one; the operator is always there.
    there.sort_by_key(|agent| (agent.role != gone.role, agent.role.is_none(), agent.name.clone()));
    let mut names: Vec<String> = there.iter().take(NAMED).map(|agent| agent.name.to_string()).collect();
    names.push("operator".to_owned());
    Ok(Refusal::rule("retired", told).hint(format!("instead there is {}", names.join(", "))))
}

fn unknown_agent(reader: &mut Reader<'_>, given: &str) -> Result<Refusal, Refusal> {
    let names: Vec<String> = reader
        .agents()?
        .into_iter()
        .filter(|agent| agent.retired.is_none())
        .map(|agent| agent.name.to_string())
        .collect();
    let mut sentence = format!("there is no agent {given}");
    if let Some(meant) = nearest(given, names.iter().map(String::as_str)) {
        sentence.push_str(&format!("; did you mean {meant}?"));
    }
    let shown = names.get(..20).unwrap_or(&names);
    Ok(Refusal::not_found("no_such_agent", sentence).hint(format!("there is {}", shown.join(", "))))
}

/// The agent that is named, or the caller.
pub(crate) fn agent_or_caller(
    reader: &mut Reader<'_>,
    given: Option<&str>,
    known: &Known,
) -> Result<Agent, Refusal> {
    match given {
        Some(given) => agent(reader, given),
        None => Ok(known.clone().bound()?.member().clone()),
    }
}

/// The recipients that addresses mean, nobody twice, the sender only when named.
///
/// Also answers with the addresses that were no plain names, as they were written.
pub(crate) fn recipients(
    reader: &mut Reader<'_>,
    given: &[String],
    sender: &Agent,
) -> Result<(Vec<Agent>, Vec<String>), Refusal> {
    let mut found: Vec<Agent> = Vec::new();
    let mut addressed = Vec::new();
    for word in given.iter().flat_map(|given| given.split(',')).map(str::trim).filter(|word| !word.is_empty())
    {
        let group = if word.starts_with("agt-") { None } else { group(reader, &address(word)?, sender)? };
        let members = match group {
            Some(members) if members.is_empty() => {
                return Err(Refusal::not_found("nobody", format!("`{word}` is nobody here"))
                    .hint("interagent agent list shows who is there"));
            }
            Some(members) => {
                addressed.push(word.to_owned());
                members
            }
            None => vec![agent(reader, word)?],
        };
        for member in members {
            if member.retired.is_some() {
                return Err(retired(reader, &member)?);
            }
            if !found.iter().any(|other| other.id == member.id) {
                found.push(member);
            }
        }
    }
    Ok((found, addressed))
}

/// The members a group address means; `None` for a single member.
fn group(reader: &mut Reader<'_>, address: &Address, sender: &Agent) -> Result<Option<Vec<Agent>>, Refusal> {
    let role = match address {
        Address::Role(role) => Some(*role),
        Address::All => None,
        Address::Agent { .. } | Address::Operator => return Ok(None),
    };
    let mut members = Vec::new();
    for agent in reader.agents()? {
        let wanted = match role {
            Some(role) => agent.role == Some(role),
            // Everybody here but the person: people are written to by name.
            None => !agent.is_human(),
        };
        if wanted && agent.retired.is_none() && agent.id != sender.id && reader.is_home(&agent.home)? {
            members.push(agent);
        }
    }
    Ok(Some(members))
}

fn no_such(noun: &str, given: &str) -> Refusal {
    let shown: String = given.chars().take(64).collect();
    Refusal::not_found("not_found", format!("there is no {noun} `{shown}`"))
}

/// One entity by id, prefix or alias.
pub(crate) fn entity(
    reader: &mut Reader<'_>,
    given: &str,
    nouns: &[Noun],
    noun: &str,
) -> Result<EntityRef, Refusal> {
    let given = given.trim();
    if given.contains('\0') || given.len() > limits::WORD_BYTES {
        return Err(no_such(noun, given));
    }
    match reader.resolve(given, nouns)? {
        Named::One(entity) => Ok(entity),
        Named::Several(ids) => {
            Err(Refusal::usage("ambiguous", format!("`{given}` could be {}", ids.join(", ")))
                .hint("write more of the id"))
        }
        Named::Nothing => Err(match reader.resolve(given, Noun::ALL)? {
            Named::One(other) => other_kind(given, noun, &other),
            _ => no_such(noun, given)
                .hint("an id, or its first characters (at least 4 after the dash), or an alias"),
        }),
    }
}

/// What was named is there, and is something else: says what, and the command that shows it.
fn other_kind(given: &str, wanted: &str, found: &EntityRef) -> Refusal {
    let (is, shows) = match found {
        EntityRef::Agent(_) => ("an agent", "agent show"),
        EntityRef::Message(_) => ("a message", "read"),
        EntityRef::Task(_) => ("a task", "task show"),
        EntityRef::Review(_) => ("a review", "review show"),
        EntityRef::Decision(_) => ("a decision", "decision show"),
        EntityRef::Spec(_) => ("a spec", "spec show"),
        EntityRef::Lease(_) => ("a lease", "log show"),
        _ => ("something else", "log show"),
    };
    Refusal::not_found("other_kind", format!("`{given}` is {is}, not a {wanted}"))
        .hint(format!("interagent {shows} {given}"))
}

macro_rules! loaders {
    ($($name:ident $noun:ident $variant:ident $ty:ty, $word:literal);+ $(;)?) => {$(
        #[doc = concat!("One ", $word, " by id, prefix or alias.")]
        pub(crate) fn $name(reader: &mut Reader<'_>, given: &str) -> Result<$ty, Refusal> {
            let found = entity(reader, given, &[Noun::$noun], $word)?;
            let EntityRef::$variant(id) = found else { return Err(no_such($word, given)) };
            reader.$name(&id)?.ok_or_else(|| no_such($word, given))
        }
    )+};
}

loaders! {
    message Message Message Message, "message";
    task Task Task Task, "task";
    review Review Review Review, "review";
    decision Decision Decision Decision, "decision";
    lease Lease Lease Lease, "lease";
}

/// Cuts the one row that was asked for beyond the page, and says where the next page begins.
pub(crate) fn next_page<T>(rows: &mut Vec<T>, limit: u32, end: impl Fn(&T) -> String) -> Option<String> {
    let limit = limit as usize;
    if rows.len() <= limit {
        return None;
    }
    rows.truncate(limit);
    rows.last().map(end)
}

/// An alias names one thing, and nothing else is called so: no id, no agent, no word of the language.
pub(crate) fn must_be_free(reader: &mut Reader<'_>, aliases: &[String]) -> Result<(), Refusal> {
    for alias in aliases {
        let taken = match reader.resolve(alias, Noun::ALL)? {
            Named::Nothing => None,
            Named::One(entity) => Some(entity.to_string()),
            Named::Several(ids) => ids.first().cloned(),
        };
        let named = match Name::parse(alias) {
            Ok(name) => {
                reader.agents_named(name.as_str())?.first().map(|agent| format!("the agent {}", agent.name))
            }
            Err(_) => None,
        };
        if let Some(taken) = taken.or(named) {
            return Err(Refusal::conflict("alias_taken", format!("`{alias}` names {taken} already"))
                .hint("choose another alias"));
        }
        // The short ids of other systems look like the beginning of one; as a whole they mean themselves.
        let looks_like_an_id = Noun::ALL.iter().any(|noun| noun.is_whole(alias));
        if looks_like_an_id
            || Address::parse(alias).is_ok_and(|address| !matches!(address, Address::Agent { .. }))
            || alias == "team"
        {
            return Err(Refusal::usage("bad_alias", format!("`{alias}` means something else already")));
        }
    }
    Ok(())
}
