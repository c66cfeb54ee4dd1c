//! Who the names in foreign records are here.
//!
//! Owns the way from a name that another system allowed to an agent of this hub. Whoever is not known is registered, with
//! this replica as home; the words for a person mean the operator.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use interagent_core::captain::{is_person, seated};
use interagent_core::decide::agent::{ANY_PROFILE, Introduction, Registry, register};
use interagent_core::draft::Draft;
use interagent_core::entity::Agent;
use interagent_core::entry::RequestKey;
use interagent_core::event::{Event, Micros};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::name::{Name, RESERVED};
use interagent_core::secrets;
use interagent_core::template::CLIENTS;
use interagent_core::text::Words;
use interagent_core::vocabulary::Auth;
use interagent_core::workspace::{Owner, must_be_own};
use interagent_store::reader::Reader;
use interagent_store::{Appended, NewEntry, Store, StoreError};

use super::record::{AgentRecord, Records};
use super::report::{Renamed, Report};
use super::source::System;
use super::write::ImportError;

/// More names near a taken one than this are not tried.
const ATTEMPTS: u32 = 50;

/// The members that the records speak of.
#[derive(Debug)]
pub(super) struct People {
    pub(super) operator: AgentId,
    known: HashMap<String, AgentId>,
}

impl People {
    /// Who a name is; the operator where nobody is named.
    pub(super) fn who(&self, name: Option<&str>) -> AgentId {
        name.and_then(|name| self.known.get(name)).unwrap_or(&self.operator).clone()
    }

    /// Everybody but the operator.
    pub(super) fn agents(&self) -> Vec<AgentId> {
        let mut agents: Vec<AgentId> =
            self.known.values().filter(|agent| **agent != self.operator).cloned().collect();
        agents.sort();
        agents.dedup();
        agents
    }
}

/// The name somebody has here: their own, or the one that is suggested for it. Nothing for the words that mean a person,
/// and for what looks like a secret: names go to git.
pub fn suggested(name: &str) -> Option<Name> {
    if is_person(name)
        || RESERVED.contains(&name.trim().to_ascii_lowercase().as_str())
        || secrets::first(name).is_some()
    {
        return None;
    }
    match Name::parse(name).and_then(|name| name.check_new().map(|()| name)) {
        Ok(name) => Some(name),
        Err(problem) => problem.suggestion,
    }
}

/// The operator of this replica.
pub(super) fn operator(reader: &mut Reader<'_>) -> Result<AgentId, ImportError> {
    use interagent_core::entity::Entity;
    let here = reader.here()?;
    match reader.entity(&EntityRef::Origin(here))? {
        Some(Entity::Origin(origin)) => Ok(origin.operator),
        _ => Err(ImportError::NoOperator),
    }
}

/// Every name in the records, each once, with the first time it is spoken of and what is known of it.
fn mentioned(records: &Records) -> Vec<AgentRecord> {
    let mut found: Vec<AgentRecord> = records.agents.clone();
    let mut places: HashMap<String, usize> =
        found.iter().enumerate().map(|(place, agent)| (agent.name.clone(), place)).collect();
    let mut mention = |name: &str, when: Option<Micros>| {
        let place = *places.entry(name.to_owned()).or_insert_with(|| {
            found.push(AgentRecord { name: name.to_owned(), ..AgentRecord::default() });
            found.len() - 1
        });
        let since = &mut found[place].since;
        *since = match (*since, when) {
            (Some(known), Some(when)) => Some(known.min(when)),
            (known, when) => known.or(when),
        };
    };
    for task in &records.tasks {
        for name in [&task.assigner, &task.assignee].into_iter().flatten() {
            mention(name, task.created);
        }
    }
    for message in &records.messages {
        mention(&message.from, message.sent);
        if message.to != ALL {
            mention(&message.to, message.sent);
        }
    }
    for report in &records.reports {
        mention(&report.worker, report.when);
    }
    for name in records.specs.iter().filter_map(|spec| spec.publisher.as_deref()) {
        mention(name, None);
    }
    found
}

/// The word for everybody.
pub(super) const ALL: &str = "all";

/// Finds or registers everybody whom the records name.
pub(super) fn settle(
    store: &mut Store,
    system: System,
    records: &Records,
    report: &mut Report,
) -> Result<People, ImportError> {
    let operator = store.read(operator)?;
    let mut people = People { operator, known: HashMap::new() };
    for agent in mentioned(records) {
        if people.known.contains_key(&agent.name) {
            continue;
        }
        let Some(name) = suggested(&agent.name) else {
            report.notes.extend(no_agent(&agent.name));
            people.known.insert(agent.name.clone(), people.operator.clone());
            continue;
        };
        let (id, name, is_new) = one(store, system, &people.operator, &agent, &name)?;
        if name.as_str() != agent.name {
            report.renamed.push(Renamed { was: agent.name.clone(), is: name.to_string() });
        }
        // Two ways to write one name are one agent.
        if !people.known.values().any(|known| *known == id) {
            let count = if is_new { &mut report.taken } else { &mut report.taken_before };
            count.agents += 1;
        }
        people.known.insert(agent.name, id);
    }
    Ok(people)
}

/// Says whom `settle` would find and register. Nobody is known where there is no hub.
pub(super) fn foresee(
    hub: Option<&mut Reader<'_>>,
    system: System,
    records: &Records,
    report: &mut Report,
) -> Result<Option<People>, ImportError> {
    let (mut people, local) = match hub {
        Some(reader) => {
            let people = People { operator: operator(reader)?, known: HashMap::new() };
            (Some(people), registry(reader)?.local)
        }
        None => (None, Vec::new()),
    };
    let (mut written, mut counted) = (HashSet::new(), HashSet::new());
    for agent in mentioned(records) {
        if !written.insert(agent.name.clone()) {
            continue;
        }
        let Some(name) = suggested(&agent.name) else {
            report.notes.extend(no_agent(&agent.name));
            continue;
        };
        let there = there(&local, system, &name);
        let name = there.map_or(name, |there| there.name.clone());
        if name.as_str() != agent.name {
            report.renamed.push(Renamed { was: agent.name.clone(), is: name.to_string() });
        }
        if counted.insert(name) {
            let count = if there.is_none() { &mut report.taken } else { &mut report.taken_before };
            count.agents += 1;
        }
        if let (Some(people), Some(there)) = (&mut people, there) {
            people.known.insert(agent.name, there.id.clone());
        }
    }
    Ok(people)
}

/// What is told of a name that can't be an agent's; nothing of the words for a person.
fn no_agent(name: &str) -> Option<String> {
    if is_person(name) {
        return None;
    }
    let shown: String = secrets::veiled(name).chars().take(64).collect();
    let why =
        secrets::first(name).map_or_else(String::new, |it| format!("looks like {} and ", it.kind.told()));
    Some(format!("`{shown}` {why}can't be the name of an agent: it counts as the operator"))
}

/// Who has a name here. Who is called by a role alone has a name of its own here.
fn there<'a>(local: &'a [Agent], system: System, name: &Name) -> Option<&'a Agent> {
    local.iter().find(|there| &there.name == name).or_else(|| match system {
        System::Captain => seated(name.as_str(), local, |there| there.role),
        _ => None,
    })
}

/// One agent: the one of that name here, or a new one.
fn one(
    store: &mut Store,
    system: System,
    operator: &AgentId,
    agent: &AgentRecord,
    name: &Name,
) -> Result<(AgentId, Name, bool), ImportError> {
    let profile = agent.profile.map_or_else(|| profile_of(name), ToOwned::to_owned);
    let key = format!("import:{system}:agent:{name}");
    let new = NewEntry {
        actor: operator.clone(),
        behalf: None,
        human: true,
        auth: Auth::Claimed,
        op: "import.agent",
        key: Some(RequestKey { request: key.clone(), key }),
    };
    let mut settled = None;
    store
        .append(
            new,
            |writer, context| {
                let registry = registry(&mut writer.look())?;
                if let Some(there) = there(&registry.local, system, name) {
                    settled = Some((there.id.clone(), there.name.clone(), false));
                    return Ok(Draft::new(context));
                }
                let description =
                    agent.description.as_deref().and_then(|d| Words::note("the description", d).ok());
                let workspace = agent
                    .workspace
                    .clone()
                    .filter(|path| is_word(path) && must_be_own(path, Owner::Unknown, is_repository).is_ok());
                for attempt in 1..ATTEMPTS {
                    let name = if attempt == 1 {
                        Some(name.clone())
                    } else {
                        Name::parse(&format!("{name}-{attempt}")).ok()
                    };
                    let Some(name) = name else { break };
                    let mut draft = Draft::new(context);
                    let introduction = Introduction {
                        name: name.clone(),
                        profile: profile.clone(),
                        description: description.clone(),
                        workspace: workspace.clone(),
                    };
                    let id = AgentId::from_bits(draft.bits());
                    // A name that looks like another's is not given; the next one may be free.
                    if let Ok(id) = register(&registry, &introduction, id, &mut draft) {
                        draft.happened_at(agent.since.unwrap_or(context.now));
                        settled = Some((id, name, true));
                        return Ok(draft);
                    }
                }
                Err(ImportError::NoName { name: agent.name.clone() })
            },
            |reader, appended| {
                if let Appended::Again(stored) = appended
                    && let Some((id, fact)) =
                        stored.entry.facts.iter().find_map(|fact| match (&fact.entity, &fact.event) {
                            (EntityRef::Agent(id), Event::AgentRegistered(event)) => {
                                Some((id.clone(), event.name.clone()))
                            }
                            _ => None,
                        })
                {
                    let now = reader.agent(&id)?.map_or(fact, |agent| agent.name);
                    return Ok(Some((id, now, false)));
                }
                Ok::<_, ImportError>(None)
            },
        )?
        .or(settled)
        .ok_or_else(|| ImportError::NoName { name: agent.name.clone() })
}

fn registry(reader: &mut Reader<'_>) -> Result<Registry, StoreError> {
    let team = reader.team()?.map(|team| team.config);
    let mut local = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_none() && reader.is_home(&agent.home)? {
            local.push(agent);
        }
    }
    Ok(Registry { team, local, described: None })
}

/// Which client a name speaks of.
fn profile_of(name: &Name) -> String {
    let begins = |client: &str| {
        let rest = name.as_str().strip_prefix(client);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let known = CLIENTS.iter().find(|(client, _)| begins(client));
    known.map_or(ANY_PROFILE, |(client, _)| client).to_owned()
}

/// A path or another word for machines. Such words stand in the log itself, so a secret is none.
pub(super) fn is_word(given: &str) -> bool {
    !given.trim().is_empty()
        && given.len() <= interagent_core::limits::WORD_BYTES
        && !given.contains(char::is_control)
        && secrets::first(given).is_none()
}

/// Whether a directory is the top of a git repository.
fn is_repository(directory: &str) -> bool {
    Path::new(directory).join(".git").exists()
}
