//! The files in `shared/` between clones.
//!
//! Where the history goes to the branch, these files are in no commit. A sync publishes a changed one as a spec of the log,
//! so that it is versioned, attributed and merged like every other text. A version of another replica becomes the file only
//! after `interagent trust`: agents read it as instructions. Of `decisions.md` only the part that people write is shared;
//! what two people wrote is joined. Owns the note of which version a file was made from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interagent_core::team::Track;
use interagent_mirror::files::{DECISIONS_FILE, SHARED_FILES, own_text, with_lines_of, with_own_text};
use interagent_store::side;
use interagent_wire::Answer;
use interagent_wire::answer::SpecView;
use interagent_wire::request as ask;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::CliError;
use crate::files;
use crate::session::Session;

/// Below the store's directory.
const NOTE: &str = "shared.json";
/// Longer ones are not ours.
const NOTE_BYTES: u64 = 1024 * 1024;
const FOLDER: &str = "shared";

/// Which version each file was made from.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Bases(BTreeMap<String, Base>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Base {
    version: u32,
    hash: String,
}

/// A version of a shared file that another replica published and that is not the file here.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    /// From the hub's directory.
    pub(crate) file: String,
    pub(crate) version: u32,
    pub(crate) publisher: String,
    /// What the file says once it is installed.
    pub(crate) text: String,
    /// What the file says here.
    pub(crate) here: String,
    /// Of what was published.
    hash: String,
    /// Whether somebody changed it here since.
    pub(crate) is_changed_here: bool,
    /// Whether the text to install has what was written here.
    is_joined: bool,
}

/// Publishes what was changed here. Called by `sync` before the exchange.
pub(crate) fn publish(session: &mut Session, hub_dir: &Path) -> Result<(), CliError> {
    let before = Bases::read(hub_dir);
    let mut bases = before.clone();
    for (name, template) in shared_files(session)? {
        let Some(text) = read(hub_dir, name) else { continue };
        let base = bases.0.get(name).cloned();
        let is_untouched = text == template && base.is_none();
        if is_untouched
            || text.trim().is_empty()
            || base.as_ref().is_some_and(|base| base.hash == hash(&text))
        {
            continue;
        }
        let latest = latest(session, name)?;
        let version = match &latest {
            Some(spec) if spec.body.as_deref() == Some(&text) => spec.version,
            // Another replica published first, so the person decides.
            Some(spec) if base.is_none_or(|base| base.version != spec.version) => continue,
            _ => {
                let expected_version = latest.map(|spec| spec.version);
                let note = Some(format!("{FOLDER}/{name}"));
                let publish =
                    ask::SpecPublish { name: spec_of(name), body: text.clone(), note, expected_version };
                session.call(publish)?;
                expected_version.unwrap_or_default() + 1
            }
        };
        bases.0.insert(name.to_owned(), Base { version, hash: hash(&text) });
    }
    // Flushing the note to disk would take half the time of a sync.
    if bases != before {
        bases.write(hub_dir);
    }
    Ok(())
}

/// The versions of other replicas that wait for the person's word.
pub(crate) fn arrived(session: &mut Session, hub_dir: &Path) -> Result<Vec<Arrived>, CliError> {
    let mut found = Vec::new();
    let bases = Bases::read(hub_dir);
    for (name, template) in shared_files(session)? {
        let Some(spec) = latest(session, name)? else { continue };
        let here = read(hub_dir, name).unwrap_or_default();
        let base = bases.0.get(name);
        let Some(text) = spec.body.filter(|text| *text != here) else { continue };
        // Two clones may have published one version: the first counts, and the other one is still the file there.
        let has_lost = base.is_some_and(|base| base.version == spec.version && base.hash != hash(&text));
        if base.is_some_and(|base| base.version >= spec.version) && !has_lost {
            continue;
        }
        let is_changed_here = match base {
            Some(base) => has_lost || base.hash != hash(&here),
            None => here != template && !here.is_empty(),
        };
        let (file, publisher, hash) = (format!("{FOLDER}/{name}"), spec.publisher.name, hash(&text));
        let is_joined = is_changed_here && name == DECISIONS_FILE;
        let text = if is_joined { with_lines_of(&text, &here) } else { text };
        found.push(Arrived {
            file,
            version: spec.version,
            publisher,
            text,
            here,
            hash,
            is_changed_here,
            is_joined,
        });
    }
    Ok(found)
}

impl Arrived {
    /// Makes it the file here. What was changed here is kept beside it.
    pub(crate) fn install(&self, hub_dir: &Path) -> std::io::Result<Option<PathBuf>> {
        let directory = hub_dir.join(FOLDER);
        let name = self.name();
        let kept = (self.is_changed_here && !self.is_joined).then(|| format!("{name}.edited"));
        if let Some(kept) = &kept {
            files::write(&directory, kept, &self.here)?;
        }
        if name == DECISIONS_FILE {
            let file = std::fs::read_to_string(directory.join(name))?;
            files::write_with_mode(&directory, name, &with_own_text(&file, &self.text), 0o600)?;
        } else {
            files::write(&directory, name, &self.text)?;
        }
        self.know(hub_dir);
        Ok(kept.map(|kept| directory.join(kept)))
    }

    /// Keeps the file as it is here: the next sync publishes it over this version.
    pub(crate) fn refuse(&self, hub_dir: &Path) {
        self.know(hub_dir);
    }

    fn know(&self, hub_dir: &Path) {
        let mut bases = Bases::read(hub_dir);
        bases.0.insert(self.name().to_owned(), Base { version: self.version, hash: self.hash.clone() });
        bases.write(hub_dir);
    }

    fn name(&self) -> &str {
        self.file.strip_prefix("shared/").unwrap_or(&self.file)
    }
}

/// What a sync shares, by name, with what it says at the beginning. With `track = "worktree"` the person commits the files
/// that are not generated.
fn shared_files(session: &mut Session) -> Result<Vec<(&'static str, &'static str)>, CliError> {
    let Some(team) = session.team()? else { return Ok(Vec::new()) };
    let written = SHARED_FILES.into_iter().filter(|_| team.track == Track::Branch);
    Ok(written.chain([(DECISIONS_FILE, "")]).collect())
}

/// The part of a file that people write.
fn read(hub_dir: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(hub_dir.join(FOLDER).join(name)).ok()?;
    Some(if name == DECISIONS_FILE { own_text(&text).to_owned() } else { text })
}

fn latest(session: &mut Session, name: &str) -> Result<Option<SpecView>, CliError> {
    let show = ask::SpecShow { name: spec_of(name), ..ask::SpecShow::default() };
    match session.call(show) {
        Ok(reply) => match reply.answer {
            Answer::Spec(spec) => Ok(Some(spec)),
            _ => Ok(None),
        },
        Err(error) if error.kind() == crate::error::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// `context.md` is the spec `shared-context`.
fn spec_of(name: &str) -> String {
    format!("{FOLDER}-{}", name.trim_end_matches(".md"))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Bases {
    fn read(hub_dir: &Path) -> Self {
        let text = side::read_text(&hub_dir.join("state").join(NOTE), NOTE_BYTES).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Where that fails, the next sync compares texts.
    fn write(&self, hub_dir: &Path) {
        if let Ok(text) = serde_json::to_string_pretty(self) {
            let _ = files::write_with_mode(&hub_dir.join("state"), NOTE, &text, 0o600);
        }
    }
}
