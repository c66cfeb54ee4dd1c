//! What a tool call changed past the guard: looks before and after it, keeps what was there, and tells those it concerns.
//!
//! Owns the order of that. What is compared and said is `core::guard::watch`; reading is in `disk`, keeping in `kept`.

mod disk;
mod index;
pub(crate) mod kept;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use interagent_core::guard::watch::{Change, Snapshot, Why, changes};
use interagent_core::guard::{Bound, rules_of};
use interagent_core::team::Guard;
use interagent_core::vocabulary::LeaseMode;
use interagent_operations::{Hub, LocalHub, carry_out};
use interagent_store::side::{self, Access};
use interagent_store::{StoreError, live};
use interagent_wire::request::{GuardReport, HolderParam};
use interagent_wire::{Answer, Caller};
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// A look before a tool call that nothing followed is of no use after this time.
const STALE_MS: i64 = 3_600_000;
/// The longest file that a look is read from.
const LOOK_BYTES: u64 = 4 * 1024 * 1024;

/// What is on: leases of others, protected branches, and where they are.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// Globs that another agent holds alone, with its name and id.
    leases: Vec<(String, String, String)>,
    /// Patterns of branches that this agent may not move.
    branches: Vec<String>,
    /// Trees whose files are looked at: the one the agent works in, and the project's own.
    trees: Vec<PathBuf>,
    hub_dir: PathBuf,
}

/// The agent whose tool calls are looked at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Watcher {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// The look before a tool call, and what it was for.
#[derive(Debug, Serialize, Deserialize)]
struct Look {
    /// Milliseconds since 1970.
    at: i64,
    agent: Watcher,
    /// Tool calls under way.
    open: u32,
    command: String,
    snapshot: Snapshot,
}

impl Watched {
    /// Asks the hub what concerns an agent; nothing where no rule is on that this could be about.
    pub(crate) fn of(
        hub: &mut LocalHub,
        agent: &Watcher,
        hub_dir: &Path,
        trees: Vec<PathBuf>,
    ) -> Result<Option<Self>, CliError> {
        let found = hub.store().read(|reader| {
            let Some(team) = reader.team()?.map(|team| team.config) else { return Ok(None) };
            let rules = rules_of(Some(&team), Bound::Agent);
            let mut watched = Self { hub_dir: hub_dir.to_owned(), ..Self::default() };
            if rules.contains(&Guard::Race001) {
                for live in reader.live_leases()? {
                    let brief = &live.lease.brief;
                    if brief.mode != LeaseMode::Exclusive || brief.holder.to_string() == agent.id {
                        continue;
                    }
                    let name = reader.agent(&brief.holder)?.map(|agent| agent.name.to_string());
                    let (name, id) = (name.unwrap_or_default(), brief.holder.to_string());
                    let globs = brief.globs.iter().map(|glob| (glob.clone(), name.clone(), id.clone()));
                    watched.leases.extend(globs);
                }
            }
            let own = reader.agents_named(&agent.name)?.into_iter().next();
            let role = own.and_then(|own| team.agents.get(&own.name).map(|seat| seat.role).or(own.role));
            if rules.contains(&Guard::F006) && !role.is_some_and(|role| team.rules.may_merge.contains(&role))
            {
                watched.branches = team.rules.protected_branches.iter().cloned().collect();
            }
            Ok::<_, StoreError>((!rules.is_empty()).then_some(watched))
        })?;
        Ok(found.map(|watched| Self { trees, ..watched }))
    }
}

/// Looks before a tool call. A look that is there already stays: tools run side by side, and the first one counts.
pub(crate) fn before(
    (state_dir, session): (&Path, &str),
    agent: Watcher,
    command: &str,
    watched: &Watched,
) -> std::io::Result<()> {
    let look = match read(state_dir, session).filter(|look| now_ms() - look.at < STALE_MS) {
        Some(look) => Look { open: look.open.saturating_add(1), ..look },
        None => {
            let snapshot = disk::look(watched);
            kept::copy_all(state_dir, &snapshot);
            Look { at: now_ms(), agent, open: 1, command: command.to_owned(), snapshot }
        }
    };
    write(state_dir, session, &look)
}

/// Looks after a tool call, or at the end of a turn, and tells what changed. Answers with what the agent should read.
pub(crate) fn after(
    hub: &mut LocalHub,
    caller: &Caller,
    (state_dir, session): (&Path, &str),
    trees: Vec<PathBuf>,
    when: When,
) -> Result<Option<String>, CliError> {
    let Some(look) = read(state_dir, session) else { return Ok(None) };
    let hub_dir = state_dir.parent().unwrap_or(state_dir);
    let Some(watched) = Watched::of(hub, &look.agent, hub_dir, trees)? else {
        forget(state_dir, session);
        return Ok(None);
    };
    let mut snapshot = disk::look(&watched);
    disk::add_missing(&mut snapshot, &look.snapshot);
    let found = changes(&look.snapshot, &snapshot);
    let mut told = Vec::new();
    for change in found {
        if !is_known(hub, &change, &watched, look.at)? {
            told.push(change);
        }
    }
    kept::copy_all(state_dir, &snapshot);
    match when {
        When::Tool if look.open > 1 => {
            let next = Look { open: look.open - 1, snapshot, ..look_of(&look) };
            let _ = write(state_dir, session, &next);
        }
        _ => forget(state_dir, session),
    }
    if told.is_empty() {
        return Ok(None);
    }
    let id =
        kept::keep(state_dir, &look.command, &look.snapshot, &told, &watched.trees).map_err(|source| {
            CliError::new(crate::error::ErrorKind::Unavailable, "what changed can't be kept")
                .with_source(source)
        })?;
    let request = GuardReport {
        command: look.command.clone(),
        changes: told.iter().map(Change::told).collect(),
        holders: holders(&told),
        kept: id,
    };
    let reply = hub.call(caller, request.into())?;
    carry_out(&reply.effects);
    match reply.answer {
        Answer::Edits(view) => Ok(view.text),
        _ => Ok(None),
    }
}

/// Which look it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// After one tool call.
    Tool,
    /// At the end of a turn.
    Turn,
}

fn look_of(look: &Look) -> Look {
    let (agent, command) = (look.agent.clone(), look.command.clone());
    Look { at: now_ms(), agent, open: look.open, command, snapshot: Snapshot::default() }
}

/// Whether a change is one that somebody may make: the holder's own edit, or a branch that goes where a remote has it.
fn is_known(hub: &mut LocalHub, change: &Change, watched: &Watched, since_ms: i64) -> Result<bool, CliError> {
    match change {
        Change::File { path, why: Why::Leased { id, .. } } => {
            let seen = hub.store().read(|reader| reader.edits_of(path))?;
            Ok(seen
                .iter()
                .any(|seen| seen.agent.to_string() == *id && seen.at >= since_ms.saturating_mul(1_000)))
        }
        Change::Branch { name, new, .. } => {
            Ok(watched.trees.iter().any(|tree| disk::is_at_remote(tree, name, new)))
        }
        Change::File { .. } | Change::HooksPath { .. } => Ok(false),
    }
}

fn holders(changes: &[Change]) -> Vec<HolderParam> {
    let mut found: Vec<HolderParam> = Vec::new();
    for change in changes {
        let Change::File { path, why: Why::Leased { id, .. } } = change else { continue };
        match found.iter_mut().find(|holder| holder.agent == *id) {
            Some(holder) => holder.files.push(path.clone()),
            None => found.push(HolderParam { agent: id.clone(), files: vec![path.clone()] }),
        }
    }
    found
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

fn file_of(state_dir: &Path, session: &str) -> PathBuf {
    live::waiter_file(state_dir, session).with_extension("look")
}

fn read(state_dir: &Path, session: &str) -> Option<Look> {
    let file = side::open(&file_of(state_dir, session), Access::Read).ok()?;
    let mut bytes = Vec::new();
    file.take(LOOK_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(state_dir: &Path, session: &str, look: &Look) -> std::io::Result<()> {
    let path = file_of(state_dir, session);
    fs::create_dir_all(path.parent().unwrap_or(state_dir))?;
    let file = side::open(&path, Access::Replace)?;
    serde_json::to_writer(std::io::BufWriter::new(file), look).map_err(std::io::Error::from)
}

/// A session without a look has nothing to compare with.
pub(crate) fn has_look(state_dir: &Path, session: &str) -> bool {
    fs::symlink_metadata(file_of(state_dir, session)).is_ok()
}

fn forget(state_dir: &Path, session: &str) {
    // One that stays is too old by the next tool call, or compared with what was there.
    let _ = fs::remove_file(file_of(state_dir, session));
}
