//! The guard on what agents really type: command lines on one side, what they do and what is said of it on the other.

mod binding;
mod bulk;
mod commands;
mod hooks;
mod ordinary;
mod properties;
mod reading;
mod rules;
mod tools;

use std::collections::BTreeMap;

use super::*;
use crate::decide::lease::Held;
use crate::ids::AgentId;
use crate::name::{Label, Name};
use crate::team::{Guard, Role, TeamConfig};

fn name(name: &str) -> Name {
    Name::parse(name).unwrap()
}

/// The project at /p is on main, its worktree at /wt on task/login; /p/lib is a repository of its own on main.
fn tree(path: &str) -> Option<Tree> {
    let (root, repository, branch) = [
        ("/p/lib", "/p/lib/.git", Some("main")),
        ("/p", "/p/.git", Some("main")),
        ("/wt", "/p/.git", Some("task/login")),
        ("/loose", "/loose/.git", None),
    ]
    .into_iter()
    .find(|(root, ..)| path::below(path, root).is_some())?;
    let (path, root, repository) = (path.to_owned(), root.to_owned(), repository.to_owned());
    Some(Tree {
        path,
        root,
        repository,
        branch: branch.map(str::to_owned),
        merging: false,
        ignored: false,
        guarded: false,
        hooks: Vec::new(),
        untracked: None,
    })
}

/// What is there: names with an extension, a Makefile, and two directories.
fn present(path: &str) -> Option<String> {
    let name = path::file_name(path);
    let is_there = name.contains('.') || ["Makefile", "src", "docs", "p", "wt"].contains(&name);
    is_there.then(|| path.to_owned())
}

/// A captain's team with every rule.
fn team() -> TeamConfig {
    TeamConfig::captain("p", &Label::parse("claude").unwrap(), 1, 2)
}

struct Case {
    team: TeamConfig,
    role: Role,
    name: &'static str,
    leases: Vec<Held>,
    work: Vec<Work>,
    owners: BTreeMap<String, Work>,
    messages: BTreeMap<String, WorkMessage>,
    briefed: Option<bool>,
    has_task: Option<bool>,
    cwd: &'static str,
    bound: Bound,
}

impl Case {
    fn of(name: &'static str) -> Self {
        let team = team();
        let role = team.agents[&self::name(name)].role;
        let (leases, work, owners) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self {
            team,
            role,
            name,
            leases,
            work,
            owners,
            messages: BTreeMap::new(),
            briefed: None,
            has_task: None,
            cwd: "/wt",
            bound: Bound::Agent,
        }
    }

    fn at(self, cwd: &'static str) -> Self {
        Self { cwd, ..self }
    }

    fn judge(&self, action: &Action) -> Judgement {
        self.judge_with(action, |_| {})
    }

    fn judge_with(&self, action: &Action, change: impl Fn(&mut Tree)) -> Judgement {
        let touches = touches(action, self.cwd, Some("/home/me"));
        let present: Vec<String> = touches.iter().filter_map(|touch| present(touch.what.place()?)).collect();
        let touches = with_files(touches, &present);
        let mut trees: Vec<Tree> = touches.iter().filter_map(|touch| tree(touch.what.place()?)).collect();
        trees.iter_mut().for_each(change);
        let facts = Facts {
            team: Some(&self.team),
            project: Some("/p"),
            hub: Some("/p/.interagent"),
            trees: &trees,
            leases: &self.leases,
            owners: self.owners.clone(),
            messages: self.messages.clone(),
            work: &self.work,
            briefed: self.briefed,
            has_task: self.has_task,
            client_files: &[".claude/skills".to_owned(), "CLAUDE.md".to_owned()],
        };
        let (id, name, role) = (Some(id(self.name)), Some(name(self.name)), Some(self.role));
        let member = match self.bound {
            Bound::Stranger => Member::STRANGER,
            bound => Member { bound, id, name, role },
        };
        judge(&member, &touches, &facts)
    }

    /// The rule that refuses a command line.
    fn rule(&self, command: &str) -> Option<Rule> {
        self.judge(&Action::command(command)).denial().map(|denial| denial.rule)
    }
}

/// An id that is always the same for a name.
fn id(name: &str) -> AgentId {
    AgentId::from_bits(name.bytes().fold(7, |bits, byte| bits.wrapping_mul(31) ^ u64::from(byte)))
}
