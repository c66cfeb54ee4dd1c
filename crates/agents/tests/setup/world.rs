//! A home and a project on a disk of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interagent_agents::setup::{
    Files, Level, Pin, Plan, RealDisk, Records, Setup, Written, carry_out_undo, plan, undo, write,
};
use interagent_agents::{Profile, Profiles};
use tempfile::TempDir;

pub(crate) const BINARY: &str = "/opt/interagent/bin/interagent";

pub(crate) struct World {
    pub(crate) root: TempDir,
    pub(crate) binary: PathBuf,
    /// Without one the files say whom they said before.
    pub(crate) agent: Option<String>,
    pub(crate) unpins: bool,
    pub(crate) level: Level,
    /// Where the project lies.
    pub(crate) project: &'static str,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for directory in ["home", "project"] {
            std::fs::create_dir(root.path().join(directory)).unwrap();
        }
        Self {
            root,
            binary: BINARY.into(),
            agent: None,
            unpins: false,
            level: Level::Project,
            project: "project",
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn files(&self) -> Files {
        Files {
            project: Records::of_project(
                self.path("records/project"),
                &self.path(self.project),
                &self.path(self.project),
            ),
            user: Records::at(self.path("records/user")),
            place: self.path(self.project).canonicalize().unwrap().display().to_string(),
        }
    }

    pub(crate) fn plan(&self, names: &[&str]) -> Plan {
        self.with_setups(names, |setups| plan(setups, &RealDisk))
    }

    pub(crate) fn with_setups<T>(&self, names: &[&str], then: impl FnOnce(&[Setup<'_>]) -> T) -> T {
        let profiles: Vec<Profile> = names.iter().map(|name| profile(name)).collect();
        let (project, home) = (self.path(self.project), self.path("home"));
        let without = if self.unpins { Pin::Nobody } else { Pin::AsItIs };
        let setups: Vec<Setup<'_>> = profiles
            .iter()
            .map(|profile| Setup {
                profile,
                level: self.level,
                binary: &self.binary,
                agent: self.agent.as_deref().map_or(without, Pin::Agent),
                project: &project,
                home: Some(&home),
            })
            .collect();
        then(&setups)
    }

    pub(crate) fn set_up(&self, names: &[&str]) -> Written {
        write(&self.plan(names), &self.files(), &self.binary, &known)
    }

    pub(crate) fn undo(&self, names: &[&str]) -> Written {
        let shipped = Profiles::shipped();
        let all = if names.is_empty() { shipped.names() } else { names.to_vec() };
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let plan = self.with_setups(&all, |setups| undo(&self.files(), &names, setups, &known, &RealDisk));
        assert_eq!(plan.troubles, Vec::<String>::new());
        carry_out_undo(&plan, &self.files())
    }

    /// Every file and every directory below home and project, with what it says.
    pub(crate) fn everything(&self) -> BTreeMap<String, Option<String>> {
        let mut found = BTreeMap::new();
        for directory in ["home", self.project] {
            walk(&self.path(directory), self.root.path(), &mut found);
        }
        found
    }
}

fn walk(directory: &Path, root: &Path, found: &mut BTreeMap<String, Option<String>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() && !path.is_symlink() {
            walk(&path, root, found);
            found.insert(name, None);
        } else {
            found.insert(name, Some(std::fs::read_to_string(&path).unwrap()));
        }
    }
}

pub(crate) fn known(name: &str) -> Option<Profile> {
    Profiles::shipped().get(name)
}

pub(crate) fn profile(name: &str) -> Profile {
    known(name).unwrap()
}
