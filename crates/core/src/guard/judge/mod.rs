//! What the team's rules say of what an action does.
//!
//! Each rule looks at each touch by itself; all that is refused is found, and the first is the verdict. Where a fact is
//! missing the rule has nothing to say: the guard stops mistakes, and stops nobody for what it does not know.

mod always;
mod branches;
mod files;
mod work;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::path;
use super::touches::{Touch, What};
use crate::decide::lease::Held;
use crate::ids::AgentId;
use crate::name::Name;
use crate::rules::{self, WorkRelation};
use crate::team::{CommitGuard, Formation, Guard, Role, TeamConfig};
use crate::vocabulary::TaskStatus;

/// Which tree a path belongs to, as whoever is on the machine found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The path or directory that was asked for.
    pub path: String,
    /// The root of the worktree.
    pub root: String,
    /// What all worktrees of one repository have in common.
    pub repository: String,
    /// The branch that is checked out; absent for a commit without one.
    pub branch: Option<String>,
    /// A merge was begun and is not committed yet.
    pub merging: bool,
    /// Git ignores the path.
    pub ignored: bool,
    /// The path is a hook of git that asks the guard, or a directory with one.
    #[serde(default)]
    pub guarded: bool,
    /// The hooks of the repository that ask the guard.
    #[serde(default)]
    pub hooks: Vec<String>,
    /// Files of the tree that git does not know and does not ignore, where it was asked.
    #[serde(default)]
    pub untracked: Option<Vec<String>>,
}

/// Whom the guard judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// An agent, whatever it does.
    Agent,
    /// An agent that is not known: what holds for every agent holds for it.
    Stranger,
    /// A person: the rules are not for people.
    Person,
    /// A person who commits or pushes: git itself asks.
    PersonAtGit,
}

/// Who acts.
#[derive(Clone, Debug)]
pub struct Member {
    /// Whether it is an agent.
    pub bound: Bound,
    /// The agent; absent for a stranger.
    pub id: Option<AgentId>,
    /// Its name; absent for a stranger.
    pub name: Option<Name>,
    /// What it may and must do.
    pub role: Option<Role>,
}

impl Member {
    /// An agent that the hub can't tell from others.
    pub const STRANGER: Self = Self { bound: Bound::Stranger, id: None, name: None, role: None };

    fn is_agent(&self) -> bool {
        matches!(self.bound, Bound::Agent | Bound::Stranger)
    }
}

/// A piece of work that others may not look into, or that a branch belongs to.
#[derive(Clone, Debug)]
pub struct Work {
    /// The task.
    pub id: String,
    /// Who works on it.
    pub worker: Option<Name>,
    /// Who gave it.
    pub giver: Option<Name>,
    /// Where it stands.
    pub status: TaskStatus,
    /// Its branch.
    pub branch: Option<String>,
    /// A task of the acting member is part of it.
    pub is_own_order: bool,
    /// The acting member is asked for a verdict on it.
    pub is_asked: bool,
}

impl Work {
    /// What connects the acting member with it.
    fn relation(&self) -> WorkRelation<'_> {
        let relation = WorkRelation::of(self.worker.as_ref(), self.giver.as_ref());
        WorkRelation { is_own_order: self.is_own_order, is_asked: self.is_asked, ..relation }
    }
}

/// A message about a piece of work.
#[derive(Clone, Debug)]
pub struct WorkMessage {
    /// Its sender and its recipients.
    pub parties: Vec<Name>,
    /// The work.
    pub work: Work,
}

/// What is known beside the action itself.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    /// The team, where one was taken in.
    pub team: Option<&'a TeamConfig>,
    /// The directory whose hub this is.
    pub project: Option<&'a str>,
    /// The hub's own directory.
    pub hub: Option<&'a str>,
    /// Trees of the places that are touched.
    pub trees: &'a [Tree],
    /// Leases that hold.
    pub leases: &'a [Held],
    /// Tasks and reports by the name of their file, as far as they are somebody's.
    pub owners: BTreeMap<String, Work>,
    /// Messages about work by the name of their file.
    pub messages: BTreeMap<String, WorkMessage>,
    /// Tasks that have a branch.
    pub work: &'a [Work],
    /// The agent had its briefing in this session; absent where that is not known.
    pub briefed: Option<bool>,
    /// The agent has a task that is not closed; absent where that was not asked for.
    pub has_task: Option<bool>,
    /// Files and directories in the project that configure clients, relative to its root.
    pub client_files: &'a [String],
}

crate::words! {
    /// What refuses: a rule that the team turns on and off, or one that holds wherever there is a guard.
    pub enum Rule as "the rule" {
        /// Superiors delegate.
        F001 = "F001",
        /// No work that is somebody else's.
        F003 = "F003",
        /// No waiting.
        F004 = "F004",
        /// The briefing is read first.
        F005 = "F005",
        /// No changes on protected branches.
        F006 = "F006",
        /// One writer per file.
        Race001 = "RACE-001",
        /// The hub's own files are written by interagent alone, whatever the team's rules are.
        HubFiles = "hub_files",
        /// The guard is put and taken away by a person.
        GuardItself = "guard_itself",
        /// What can't be followed can't be judged.
        TooMuch = "too_much",
    }
}

impl Rule {
    /// What people call it.
    pub const fn told(self) -> &'static str {
        match self {
            Self::HubFiles => "the hub's own files",
            Self::GuardItself => "the guard itself",
            Self::TooMuch => "too much to follow",
            rule => rule.as_str(),
        }
    }
}

impl From<Guard> for Rule {
    fn from(guard: Guard) -> Self {
        match guard {
            Guard::F001 => Self::F001,
            Guard::F003 => Self::F003,
            Guard::F004 => Self::F004,
            Guard::F005 => Self::F005,
            Guard::F006 => Self::F006,
            Guard::Race001 => Self::Race001,
        }
    }
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The rule.
    pub rule: Rule,
    /// What would happen, and why it must not.
    pub reason: String,
    /// What to do instead.
    pub way_out: String,
}

impl Denial {
    fn new(rule: impl Into<Rule>, reason: String, way_out: impl Into<String>) -> Self {
        Self { rule: rule.into(), reason, way_out: way_out.into() }
    }

    /// All of it in one paragraph, for the agent that was refused.
    pub fn text(&self) -> String {
        format!("{}: {} {}", self.rule.told(), self.reason, self.way_out)
    }
}

/// What was found of one touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What happens.
    pub touch: Touch,
    /// The branch it happens on, where it happens on one.
    pub branch: Option<String>,
    /// What speaks against it.
    pub denials: Vec<Denial>,
}

/// What was found of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// In the order in which it would happen.
    pub judged: Vec<Judged>,
}

impl Judgement {
    /// The first thing that speaks against the action.
    pub fn denial(&self) -> Option<&Denial> {
        self.judged.iter().find_map(|judged| judged.denials.first())
    }
}

/// The rules that bind somebody: what the team file turns on for agents, and a person only at a commit or push, where the
/// team says so. F006 binds where there are branches to protect. Of a stranger neither role, tasks, leases nor briefing are known, and no mail wakes it: protected
/// branches are what is left.
pub fn rules_of(team: Option<&TeamConfig>, bound: Bound) -> Vec<Guard> {
    let Some(rules) = team.map(|team| &team.rules) else { return Vec::new() };
    let binds = |guard: &Guard| match bound {
        Bound::Agent => true,
        Bound::Stranger => *guard == Guard::F006,
        Bound::Person => false,
        Bound::PersonAtGit => {
            matches!(guard, Guard::F006 | Guard::Race001) && rules.commit_guard == CommitGuard::Everyone
        }
    };
    let has_matter = |guard: &Guard| *guard != Guard::F006 || rules.limits_branches();
    rules.guards.iter().copied().filter(has_matter).filter(binds).collect()
}

/// Judges what an action does.
pub fn judge(member: &Member, touches: &[Touch], facts: &Facts<'_>) -> Judgement {
    let mut scene = Scene { member, facts, switched: BTreeMap::new(), made: Vec::new() };
    let judged = touches.iter().map(|touch| scene.look(touch)).collect();
    Judgement { judged }
}

/// One action while it is looked at, step by step.
struct Scene<'a> {
    member: &'a Member,
    facts: &'a Facts<'a>,
    /// Branches that were checked out on the way, by the root of their tree.
    switched: BTreeMap<&'a str, String>,
    /// Trees that were made on the way, and their branches.
    made: Vec<(String, String)>,
}

impl<'a> Scene<'a> {
    fn look(&mut self, touch: &Touch) -> Judged {
        let mut denials = Vec::new();
        if self.member.is_agent() {
            denials.extend(files::hub_files(self, touch));
        }
        let rules = rules_of(self.facts.team, self.member.bound);
        if self.member.is_agent() && !rules.is_empty() {
            denials.extend(always::guard_itself(self, touch));
            denials.extend(always::too_much(touch));
        }
        for rule in rules {
            let found = match rule {
                Guard::F001 => work::superiors_delegate(self, touch),
                Guard::F003 => work::others_work(self, touch).or_else(|| work::unassigned(self, touch)),
                Guard::F004 => work::nobody_waits(touch),
                Guard::F005 => work::briefing_first(self, touch),
                Guard::F006 => branches::protected(self, touch),
                Guard::Race001 => files::one_writer(self, touch),
            };
            denials.extend(found);
        }
        let branch = touch.what.place().and_then(|place| self.branch(place));
        if let What::Switch { directory, to } = &touch.what
            && let Some(tree) = self.tree(directory)
        {
            self.switched.insert(&tree.root, to.clone());
        }
        if let What::NewTree { directory, branch } = &touch.what {
            self.made.push((directory.clone(), branch.clone()));
        }
        Judged { touch: touch.clone(), branch, denials }
    }

    /// The tree that a place belongs to.
    fn tree(&self, place: &str) -> Option<&'a Tree> {
        let trees = self.facts.trees;
        trees.iter().find(|tree| tree.path == place).or_else(|| {
            let around = trees.iter().filter(|tree| path::below(place, &tree.root).is_some());
            around.max_by_key(|tree| tree.root.len())
        })
    }

    /// The branch that is checked out at a place by then.
    fn branch(&self, place: &str) -> Option<String> {
        if let Some((_, branch)) = self.made.iter().rev().find(|(root, _)| path::below(place, root).is_some())
        {
            return (!branch.is_empty()).then(|| branch.clone());
        }
        let tree = self.tree(place)?;
        match self.switched.get(tree.root.as_str()) {
            Some(branch) => (!branch.is_empty()).then(|| branch.clone()),
            None => tree.branch.clone(),
        }
    }

    /// A path as leases and people call it: relative to the root of its tree, or to the project.
    fn in_project<'p>(&self, path: &'p str) -> Option<&'p str> {
        let root = self.tree(path).map(|tree| tree.root.as_str()).or(self.facts.project)?;
        path::below(path, root).or_else(|| path::below(path, self.facts.project?))
    }

    fn is_in_hub(&self, path: &str) -> bool {
        self.facts.hub.is_some_and(|hub| path::below(path, hub).is_some())
    }

    /// What whoever is not known is told beside the way out.
    fn how_to_be_known(&self) -> &'static str {
        match self.member.bound {
            Bound::Stranger => {
                " It is not known which member you are: `interagent whoami` says how to tell it."
            }
            _ => "",
        }
    }

    /// Whom a member asks for what only a person does, by a way that the chain of command allows.
    fn ask_above(&self) -> String {
        let chain = self.facts.team.filter(|team| team.formation == Formation::Captain);
        let name = self.member.name.as_ref();
        match (self.member.role, chain.zip(name).and_then(|(team, name)| rules::superior(team, name))) {
            (Some(Role::Member), Some(up)) if rules::is_captain(chain, up) => {
                format!("Say it on the dashboard, where {up} looks: `interagent status set waiting \"...\"`.")
            }
            (Some(Role::Member), Some(up)) => {
                format!("Ask {up}, your superior: `interagent send --to {up} -m \"...\"`.")
            }
            (_, Some(_)) => "Say it in your report, which goes up to the operator.".to_owned(),
            _ => "Ask the operator.".to_owned(),
        }
    }

    /// Whether the member has this role in a chain of command.
    fn commands_as(&self, role: Role) -> bool {
        let in_chain = self.facts.team.is_some_and(|team| team.formation == Formation::Captain);
        in_chain && self.member.role == Some(role)
    }
}

/// Whether a name fits a pattern of branches, in which `*` stands for any characters.
pub fn branch_fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}
