//! Which profiles of a project the user has looked at and allowed.
//!
//! A cloned project is data: a profile in it says what is run, so it counts only after `interagent trust`, and only as long
//! as it says the same. Owns the list of what is trusted, beside the user's own configuration.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interagent_agents::Profiles;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::env::Env;
use super::hub::{self, Discovery, HubProblem};
use crate::files;

/// Below a hub.
const PROFILES: &str = "profiles";
/// Below the user's directory for configuration.
const LIST: &str = "interagent/trusted.json";
const LIST_VERSION: u32 = 1;
const LIST_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;
/// Files of a project that are looked at; more are a mistake.
const MOST_FILES: usize = 100;
/// Longest profile that is looked at.
const MOST_BYTES: u64 = 64 * 1024;

/// How far a profile of a project is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trust {
    Trusted,
    /// It was, and says something else now.
    Changed,
    Never,
}

impl Trust {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Changed => "changed since you trusted it",
            Self::Never => "not trusted",
        }
    }
}

/// A profile of a project.
#[derive(Debug, Clone)]
pub(crate) struct ProjectProfile {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    pub(crate) trust: Trust,
}

/// What the user trusts: files, and the hash of what they said.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct TrustList {
    version: u32,
    profiles: BTreeMap<PathBuf, String>,
    /// For each hub the ntfy topic that its team file names and the user allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    topics: BTreeMap<PathBuf, String>,
    /// Texts that agents of a project read: promoted skills, and shared files of other replicas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<PathBuf, String>,
}

impl TrustList {
    /// The list of this user; none where nothing was ever trusted.
    pub(crate) fn read(env: &Env) -> io::Result<Option<Self>> {
        env.config_home.as_deref().map_or(Ok(None), Self::read_below)
    }

    /// The list below a directory for configuration.
    pub(crate) fn read_below(config_home: &Path) -> io::Result<Option<Self>> {
        let text = match std::fs::read_to_string(config_home.join(LIST)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let list: Self = serde_json::from_str(&text)?;
        if list.version != LIST_VERSION {
            return Err(io::Error::other("another version of interagent wrote it"));
        }
        Ok(Some(list))
    }

    pub(crate) fn add(&mut self, profile: &ProjectProfile) {
        self.profiles.insert(profile.file.clone(), hash(&profile.text));
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, profile: &ProjectProfile) -> bool {
        self.profiles.remove(&profile.file).is_some()
    }

    /// Lets agents read a file as long as it says this.
    pub(crate) fn trust_file(&mut self, file: &Path, text: &str) {
        self.files.insert(file.to_owned(), hash(text));
    }

    pub(crate) fn trusts_file(&self, file: &Path, text: &str) -> bool {
        self.files.get(file).is_some_and(|trusted| *trusted == hash(text))
    }

    pub(crate) fn forget_file(&mut self, file: &Path) {
        self.files.remove(file);
    }

    /// The files that were trusted, whatever they say now.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Whether notices of a hub may go to this topic, and replies from it count.
    pub(crate) fn allows_topic(&self, hub_dir: &Path, topic: &str) -> bool {
        self.judge_topic(hub_dir, topic) == Trust::Trusted
    }

    pub(crate) fn judge_topic(&self, hub_dir: &Path, topic: &str) -> Trust {
        match self.topics.get(&whole(hub_dir)) {
            Some(allowed) if allowed == topic => Trust::Trusted,
            Some(_) => Trust::Changed,
            None => Trust::Never,
        }
    }

    pub(crate) fn allow_topic(&mut self, hub_dir: &Path, topic: &str) {
        self.topics.insert(whole(hub_dir), topic.to_owned());
    }

    /// The one that was allowed.
    pub(crate) fn forget_topic(&mut self, hub_dir: &Path) -> Option<String> {
        self.topics.remove(&whole(hub_dir))
    }

    pub(crate) fn write(&mut self, env: &Env) -> io::Result<()> {
        let file = list_file(env).ok_or_else(|| io::Error::other("there is no home directory"))?;
        let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(io::Error::other("it has no name"));
        };
        files::make_directories(directory, DIRECTORY_MODE)?;
        self.version = LIST_VERSION;
        let text = serde_json::to_string_pretty(self)?;
        files::write_with_mode(directory, &name.to_string_lossy(), &text, LIST_MODE)
    }

    fn judge(&self, file: &Path, text: &str) -> Trust {
        match self.profiles.get(file) {
            Some(trusted) if *trusted == hash(text) => Trust::Trusted,
            Some(_) => Trust::Changed,
            None => Trust::Never,
        }
    }
}

/// The profiles that count here: those of the program, the user's own, and the trusted ones of the project's hub.
///
/// Hooks ask for this: where nothing was ever trusted it is one look at a name that is not there. A list that can't be read
/// trusts nothing.
pub(crate) fn profiles(env: &Env, named_hub: Option<&OsStr>) -> Result<Arc<Profiles>, HubProblem> {
    let Ok(Some(list)) = TrustList::read(env) else { return Ok(Arc::clone(&env.profiles)) };
    let Discovery::Found(found) = hub::discover_team(env, named_hub)? else {
        return Ok(Arc::clone(&env.profiles));
    };
    let trusted = project_profiles(&found.hub_dir, Some(&list))
        .into_iter()
        .filter(|profile| profile.trust == Trust::Trusted)
        .map(|profile| (profile.file.display().to_string(), profile.text));
    Ok(Arc::new(env.profiles.and(trusted)))
}

fn whole(hub_dir: &Path) -> PathBuf {
    hub_dir.canonicalize().unwrap_or_else(|_| hub_dir.to_owned())
}

fn list_file(env: &Env) -> Option<PathBuf> {
    env.config_home.as_ref().map(|config| config.join(LIST))
}

/// The profiles in a hub, each with how far it is trusted. What is no file of the hub itself is not looked at.
pub(crate) fn project_profiles(hub_dir: &Path, list: Option<&TrustList>) -> Vec<ProjectProfile> {
    let Ok(entries) = std::fs::read_dir(hub_dir.join(PROFILES)) else { return Vec::new() };
    let is_file = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "toml")
            && path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES)
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_file).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        let file = path.canonicalize().ok()?;
        let trust = list.map_or(Trust::Never, |list| list.judge(&file, &text));
        Some(ProjectProfile { file, text, trust })
    };
    paths.into_iter().take(MOST_FILES).filter_map(read).collect()
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
