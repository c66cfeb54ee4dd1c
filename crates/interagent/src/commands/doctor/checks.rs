//! The checks, each of one thing. None of them writes; the store is opened for looking only, damaged or not.

use std::fs::{self, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use interagent_core::entity::Agent;
use interagent_core::name::Name;
use interagent_core::rules;
use interagent_core::shell::quoted;
use interagent_core::team::TeamConfig;
use interagent_mirror::files::{self, Effort};
use interagent_operations::known_replicas;
use interagent_store::side::{self, Access};
use interagent_store::sqlite::gate_holder;
use interagent_store::{OpenMode, Severity, SqliteEngine, SqliteOptions, Store, StoreError, SystemClock};

use super::moved;
use super::report::{Report, State};
use crate::commands::replica;
use crate::config::hub::{Discovery, Found};
use crate::session::{TEAM_FILE, clone, team_text, was_lost};
use crate::team_file::{Pending, TeamFile};

/// The write-ahead log is emptied at 16 MB at the latest; above, somebody keeps it from being.
const WAL_LIMIT_BYTES: u64 = 16 * 1024 * 1024;
/// Findings of one check that are shown; more of them are one damage.
const SHOWN_FINDINGS: usize = 20;

/// Looks at everything; answers with the place the log stands at, where that could be read.
pub(super) fn all(discovery: &Discovery, report: &mut Report, progress: &mut dyn FnMut(u64, u64)) -> i64 {
    let found = match discovery {
        Discovery::Found(found) => found,
        Discovery::NotThere(place) => {
            let sentence = format!("there is none; it would be `{}`", place.would_be.display());
            report.finding(State::Warn, "hub", sentence, Some("interagent init"));
            return 0;
        }
    };
    report.ok("hub", format!("`{}`, {}", found.hub_dir.display(), found.how));
    let state_dir = found.hub_dir.join("state");
    permissions(&state_dir, report);
    writing(&state_dir, report);
    gate(&state_dir, report);
    let mut store = match open(&state_dir) {
        Ok(store) => store,
        Err(StoreError::Absent { .. }) if was_lost(&found.hub_dir) => {
            let lost = StoreError::Gone { path: state_dir.join("hub.db") };
            let helps = "interagent restore FILE with a backup, or interagent doctor --recover";
            report.finding(State::Unusable, "store", lost.to_string(), Some(helps));
            return 0;
        }
        Err(StoreError::Absent { .. }) if clone::is_unjoined(found) => {
            let sentence = "there is none yet: the team of this clone is not applied";
            report.finding(State::Warn, "store", sentence, Some(clone::JOIN));
            return 0;
        }
        Err(StoreError::Absent { .. }) => {
            report.finding(State::Warn, "store", "there is none yet", Some("interagent init"));
            return 0;
        }
        Err(error) => {
            report.finding(State::Unusable, "store", error.to_string(), error.hint());
            return 0;
        }
    };
    engine(&mut store, report);
    contents(&mut store, report, progress);
    clocks(&mut store, report);
    signatures(&mut store, &state_dir, report);
    moved::check(&mut store, &state_dir, report);
    search_index(&state_dir, report);
    team_file(found, &mut store, report);
    readable_files(found, &mut store, report);
    store.head().map_or(0, |head| head.seq)
}

/// Whether a store can be read whole: every page, every chain, every view.
pub(super) fn is_sound(state_dir: &Path) -> bool {
    let Ok(mut store) = open(state_dir) else { return false };
    let pages = store.integrity().is_ok_and(|findings| findings.is_empty());
    pages && store.verify(&mut |_, _| {}).is_ok_and(|all| all.iter().all(|f| f.severity != Severity::Damage))
}

pub(super) fn open(state_dir: &Path) -> Result<Store, StoreError> {
    let look = |mode| {
        let engine = SqliteEngine::open(state_dir, mode)?;
        Store::open_to_look(Box::new(engine), Arc::new(SystemClock::new()))
    };
    match look(OpenMode::ReadOnly) {
        // What a killed process left in the shared memory can't be read by who may not put it in order, nor can what an
        // older version made. Every other command puts both in order by opening the store; so may this one.
        Err(StoreError::Locked { .. } | StoreError::OlderSchema { .. }) => look(OpenMode::Existing),
        opened => opened,
    }
}

/// Whether the hub's folder says what the log says.
fn readable_files(found: &Found, store: &mut Store, report: &mut Report) {
    let findings = match files::check(store, &found.hub_dir, Effort::Brief) {
        Ok(findings) => findings,
        Err(error) => return report.finding(State::Bad, "files", error.to_string(), error.hint()),
    };
    let changed = [findings.edited, findings.misplaced].concat();
    if findings.troubles.is_empty() && changed.is_empty() {
        // What hooks and servers write is in files after the next command.
        let behind = match findings.behind {
            0 => String::new(),
            behind => format!(", but for {behind} entries that the next command brings"),
        };
        return report.ok("files", format!("the readable files are what the log says{behind}"));
    }
    for trouble in findings.troubles.iter().take(SHOWN_FINDINGS) {
        report.finding(State::Warn, "files", trouble.clone(), Some("interagent sync"));
    }
    for file in changed.iter().take(SHOWN_FINDINGS) {
        report.finding(State::Warn, "files", format!("{file} was changed by hand"), Some("interagent sync"));
    }
}

/// Whether this replica can sign, and which others wait for a person to decide.
fn signatures(store: &mut Store, state_dir: &Path, report: &mut Report) {
    let key = state_dir.join("key");
    match store.key_problem() {
        Ok(None) => {}
        Ok(Some(error)) => report.finding(State::Bad, "key", error.to_string(), error.hint()),
        Err(error) => return report.finding(State::Bad, "key", error.to_string(), error.hint()),
    }
    if let Ok(found) = fs::symlink_metadata(&key)
        && found.mode() & 0o077 != 0
    {
        let sentence = format!("others may read the private key `{}`", key.display());
        let helps = format!("chmod 600 {}", key.display());
        report.finding(State::Warn, "key", sentence, Some(&helps));
    }
    let found = known_replicas(store).map(|all| {
        let warnings = all.iter().flat_map(|one| replica::warnings(one, &all));
        warnings.collect::<Vec<String>>()
    });
    match found {
        Ok(waiting) if waiting.is_empty() => report.ok("replicas", "none waits for your decision"),
        Ok(waiting) => {
            for sentence in waiting.into_iter().take(SHOWN_FINDINGS) {
                report.finding(State::Warn, "replicas", sentence, Some("interagent replica list"));
            }
        }
        Err(refusal) => report.finding(State::Bad, "replicas", refusal.sentence, None),
    }
}

/// A clock that ran ahead here; and entries of other replicas whose clock did, which wait for their time.
fn clocks(store: &mut Store, report: &mut Report) {
    match store.clock_ahead() {
        Ok(None) => {}
        Ok(Some(ahead)) => {
            let sentence = super::clock::told(&ahead, store.clock().wall_us());
            return report.finding(State::Bad, "clocks", sentence, Some(super::clock::HELPS));
        }
        Err(error) => return report.finding(State::Bad, "clocks", error.to_string(), error.hint()),
    }
    match store.held_entries(SHOWN_FINDINGS as u32) {
        Ok(held) if held.is_empty() => report.ok("clocks", "no entry comes from the future".to_owned()),
        Ok(held) => {
            for stored in &held {
                let sentence = format!(
                    "entry {} of replica {} is from the future and waits for its time",
                    stored.entry.envelope.oseq, stored.entry.envelope.origin
                );
                report.finding(State::Warn, "clocks", sentence, None);
            }
        }
        Err(error) => report.finding(State::Bad, "clocks", error.to_string(), error.hint()),
    }
}

/// Others must not look into the state, and we must be able to.
fn permissions(state_dir: &Path, report: &mut Report) {
    let Ok(found) = fs::symlink_metadata(state_dir) else { return };
    let (mode, owner) = (found.mode() & 0o777, found.uid());
    let us = rustix::process::getuid().as_raw();
    if mode & 0o077 != 0 {
        let sentence = format!("others may look into `{}` (mode {mode:o})", state_dir.display());
        let helps = format!("chmod 700 {}", state_dir.display());
        report.finding(State::Warn, "permissions", sentence, Some(&helps));
    } else if owner != us && us != 0 {
        let sentence = format!("`{}` belongs to user {owner}, and you are {us}", state_dir.display());
        report.finding(State::Bad, "permissions", sentence, None);
    } else {
        report.ok("permissions", "only you can look into the state");
    }
}

/// Whether this process may write: a sandbox or a read-only disk forbids it, whoever owns the files.
fn writing(state_dir: &Path, report: &mut Report) {
    for name in ["", "gate", "hub.db"] {
        let path = if name.is_empty() { state_dir.to_owned() } else { state_dir.join(name) };
        let why = match rustix::fs::access(&path, rustix::fs::Access::WRITE_OK) {
            Err(rustix::io::Errno::ROFS) => "it lies on a read-only file system",
            Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => "you may not",
            Ok(()) | Err(_) => continue,
        };
        let sentence = format!("`{}` cannot be written: {why}; looking works", path.display());
        report.finding(
            State::Bad,
            "writing",
            sentence,
            Some("call from outside the sandbox, or as its owner"),
        );
        return;
    }
}

/// Who writes now. The lock is only tried, and shared with nobody for longer than that.
fn gate(state_dir: &Path, report: &mut Report) {
    let path = state_dir.join("gate");
    let file = match side::open(&path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => {
            let sentence = format!("`{}` cannot be looked at: {error}", path.display());
            report.finding(State::Bad, "writer gate", sentence, None);
            return;
        }
    };
    match file.try_lock_shared() {
        Ok(()) => report.ok("writer gate", "free"),
        Err(TryLockError::WouldBlock) => {
            let holder = gate_holder(&path).map(|holder| holder.pid.to_string());
            let sentence =
                format!("held by process {} at this moment", holder.as_deref().unwrap_or("unknown"));
            let helps = "if it stays so: continue or end that process";
            report.finding(State::Warn, "writer gate", sentence, Some(helps));
        }
        Err(TryLockError::Error(error)) => {
            report.finding(State::Bad, "writer gate", format!("locks do not work here: {error}"), None);
        }
    }
}

fn engine(store: &mut Store, report: &mut Report) {
    let facts = match store.facts() {
        Ok(facts) => facts,
        Err(error) => return report.finding(State::Bad, "store", error.to_string(), error.hint()),
    };
    let size = facts.page_bytes * facts.page_count / 1024;
    report.ok("store", format!("`{}`, {size} KiB on {}", facts.path.display(), facts.file_system));
    report.ok("engine", format!("{}, journal mode {}", facts.library, facts.journal_mode));
    let newest = i64::try_from(SqliteOptions::default().migrations.len()).unwrap_or(i64::MAX);
    match facts.schema_version {
        version if version < newest => {
            let sentence = format!("version {version}; the next write brings it to {newest}");
            report.finding(State::Warn, "schema", sentence, None);
        }
        version => report.ok("schema", format!("version {version}")),
    }
    let megabytes = facts.wal_bytes / (1024 * 1024);
    if facts.wal_bytes > WAL_LIMIT_BYTES {
        let sentence = format!("{megabytes} MiB: a process keeps it from being emptied");
        report.finding(State::Warn, "write-ahead log", sentence, Some("end readers that stay for long"));
    } else {
        report.ok("write-ahead log", format!("{} KiB", facts.wal_bytes / 1024));
    }
}

fn contents(store: &mut Store, report: &mut Report, progress: &mut dyn FnMut(u64, u64)) {
    match store.integrity() {
        Ok(findings) if findings.is_empty() => report.ok("integrity", "every page and index is sound"),
        Ok(findings) => {
            for finding in findings.into_iter().take(SHOWN_FINDINGS) {
                report.finding(State::Bad, "integrity", finding, Some("interagent doctor --recover"));
            }
        }
        Err(error) => report.finding(State::Bad, "integrity", error.to_string(), error.hint()),
    }
    match store.verify(progress) {
        Ok(findings) if findings.is_empty() => {
            let entries = store.head().map_or(0, |head| head.seq);
            report.ok("log", format!("{entries} entries, every chain whole, every view follows from it"));
        }
        Ok(findings) => {
            for finding in findings.into_iter().take(SHOWN_FINDINGS) {
                let state = match finding.severity {
                    Severity::Note => State::Warn,
                    Severity::Stale | Severity::Damage => State::Bad,
                };
                report.finding(state, "log", finding.sentence, Some(finding.helps));
            }
        }
        Err(error) => report.finding(State::Bad, "log", error.to_string(), error.hint()),
    }
}

/// Opening the index could repair it, so only its file is looked at.
fn search_index(state_dir: &Path, report: &mut Report) {
    match fs::symlink_metadata(state_dir.join("search.db")) {
        Ok(found) if found.is_file() => report.ok("search index", format!("{} KiB", found.len() / 1024)),
        Ok(_) => report.finding(State::Bad, "search index", "something else lies at its place", None),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            report.ok("search index", "not made yet; the first search makes it");
        }
        Err(error) => report.finding(State::Bad, "search index", error.to_string(), None),
    }
}

/// The agents that take part here.
pub(super) fn members(store: &mut Store) -> Result<Vec<Agent>, StoreError> {
    store.read(|reader| {
        let mut there = Vec::new();
        for agent in reader.agents()?.into_iter().filter(|agent| agent.retired.is_none()) {
            if reader.is_home(&agent.home)? {
                there.push(agent);
            }
        }
        Ok::<_, StoreError>(there)
    })
}

/// Seats whose agent takes part no longer are a finding; agents that have no seat are only named.
fn seats(members: &[Agent], renamed: &[(Name, Name)], team: &TeamConfig, report: &mut Report) {
    let names: Vec<Name> = members.iter().map(|agent| agent.name.clone()).collect();
    if let Some((told, helps)) = rules::empty_seats_told(team, &names, renamed) {
        return report.finding(State::Warn, "team", told, Some(&helps));
    }
    let without = members.iter().filter(|agent| !agent.is_human() && !team.agents.contains_key(&agent.name));
    let without: Vec<&str> = without.map(|agent| agent.name.as_str()).collect();
    match without.is_empty() {
        true => report.ok("team", format!("{TEAM_FILE} says what holds")),
        false => {
            let names = without.join(", ");
            report.ok("team", format!("{TEAM_FILE} says what holds; without a place in it: {names}"));
        }
    }
}

/// The file says what people read; the log says what holds.
fn team_file(found: &Found, store: &mut Store, report: &mut Report) {
    let holds = match store.read(|reader| Ok::<_, StoreError>(reader.team()?.map(|team| team.config))) {
        Ok(holds) => holds,
        Err(error) => return report.finding(State::Bad, "team", error.to_string(), error.hint()),
    };
    let text = match team_text(&found.hub_dir) {
        Ok(text) => text,
        Err(error) => return report.finding(State::Bad, "team", error.to_string(), None),
    };
    let file = TeamFile::of(text.as_deref(), holds.as_ref());
    if let Some(Pending { sentence, command }) = file.pending() {
        return report.finding(State::Warn, "team", sentence, Some(command));
    }
    match file {
        TeamFile::None => report.ok("team", "there is no team file; everybody is equal"),
        TeamFile::Missing => {
            let sentence = format!("{TEAM_FILE} is gone; the rules that were taken in still hold");
            let path = found.hub_dir.join(TEAM_FILE);
            let helps = format!("interagent team show > {}", quoted(&path.display().to_string()));
            report.finding(State::Warn, "team", sentence, Some(&helps));
        }
        TeamFile::Applied(holds) => match members(store).and_then(|members| {
            let renamed = store.read(|reader| reader.renamed(&members))?;
            Ok((members, renamed))
        }) {
            Ok((members, renamed)) => seats(&members, &renamed, holds, report),
            Err(error) => report.finding(State::Bad, "team", error.to_string(), error.hint()),
        },
        TeamFile::Faulty(_) | TeamFile::Edited => {}
    }
}
