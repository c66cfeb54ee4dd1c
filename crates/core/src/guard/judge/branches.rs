//! F006: protected branches, judged by the tree that is written to.

use super::{Denial, Scene, branch_fits};
use crate::guard::touches::git::HIDDEN;
use crate::guard::touches::{Touch, What, Writing};
use crate::team::{Guard, TeamConfig};
use crate::vocabulary::TaskStatus;

/// What would be done to a protected branch, or to one of a name that agents do not use.
pub(super) fn protected(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let team = scene.facts.team?;
    let rules = Protection { scene, team, touch };
    match &touch.what {
        What::Write { path, how: Writing::Edit | Writing::Remove | Writing::Below } => {
            let tree = scene.tree(path)?;
            let inside = path.strip_prefix(tree.root.as_str())?;
            if tree.ignored || scene.is_in_hub(path) || inside == "/.git" || inside.starts_with("/.git/") {
                return None;
            }
            let branch = rules.protected_here(path)?;
            (!rules.resolves_a_merge(path)).then(|| rules.deny(&format!("edit files on {branch}"), &branch))
        }
        What::Change { directory } => {
            let branch = rules.protected_here(directory)?;
            let is_free =
                scene.tree(directory).is_some_and(|tree| tree.ignored) || scene.is_in_hub(directory);
            (!is_free && !rules.resolves_a_merge(directory))
                .then(|| rules.deny(&format!("edit files on {branch}"), &branch))
        }
        What::Commit { directory } => {
            let branch = rules.protected_here(directory)?;
            (!rules.resolves_a_merge(directory)).then(|| rules.deny(&format!("commit on {branch}"), &branch))
        }
        What::Reset { directory, to } => {
            let branch = rules.protected_here(directory)?;
            Some(rules.deny(&format!("put {branch} to {to}"), &branch))
        }
        What::Merge { directory, from } => {
            let branch = rules.protected_here(directory)?;
            rules.merge(&branch, from.as_deref())
        }
        What::MergeRequest { .. } if !rules.may_merge() => {
            Some(rules.deny("merge a pull request", "a protected branch"))
        }
        What::Push { directory, to } => {
            let here = scene.branch(directory);
            let names: Vec<String> = if to.is_empty() { here.into_iter().collect() } else { to.clone() };
            let hit = names.iter().find(|name| *name == "*" || rules.is_protected(name))?;
            let what = if hit == "*" {
                "push every branch, protected ones too".to_owned()
            } else {
                format!("push to {hit}")
            };
            (!rules.may_merge()).then(|| rules.deny(&what, hit))
        }
        // A person who is bound at commits still merges, and git asks here for that, too.
        What::UpdateBranch { name, .. }
            if scene.member.is_agent() && rules.is_protected(name) && !rules.may_merge() =>
        {
            Some(rules.deny(&format!("update the branch {name}"), name))
        }
        What::MoveBranch { name, .. } if rules.is_protected(name) => {
            let named = if name == HIDDEN { name.clone() } else { format!("the branch {name}") };
            Some(rules.deny(&format!("move or remove {named}"), name))
        }
        What::NewBranch { name, .. } | What::MoveBranch { name, .. } => rules.named_well(name),
        _ => None,
    }
}

struct Protection<'s> {
    scene: &'s Scene<'s>,
    team: &'s TeamConfig,
    touch: &'s Touch,
}

impl Protection<'_> {
    fn is_protected(&self, branch: &str) -> bool {
        // Any of them may be behind a name that is hidden.
        if branch == HIDDEN {
            return !self.team.rules.protected_branches.is_empty();
        }
        self.team.rules.protected_branches.iter().any(|pattern| branch_fits(pattern, branch))
    }

    /// The branch at a place, if it is protected.
    fn protected_here(&self, place: &str) -> Option<String> {
        self.scene.branch(place).filter(|branch| self.is_protected(branch))
    }

    fn may_merge(&self) -> bool {
        self.scene.member.role.is_some_and(|role| self.team.rules.may_merge.contains(&role))
    }

    /// Who may merge may also put a merge with conflicts right.
    fn resolves_a_merge(&self, place: &str) -> bool {
        self.may_merge() && self.scene.tree(place).is_some_and(|tree| tree.merging)
    }

    fn merge(&self, branch: &str, from: Option<&str>) -> Option<Denial> {
        if !self.may_merge() {
            return Some(self.deny(&format!("merge into {branch}"), branch));
        }
        let from = from?;
        let short =
            from.split_once('/').filter(|(remote, _)| *remote == "origin").map_or(from, |(_, name)| name);
        let of_branch: Vec<_> =
            self.scene.facts.work.iter().filter(|work| work.branch.as_deref() == Some(short)).collect();
        let open = of_branch.iter().find(|work| !self.is_reviewed(work.status));
        let reason = match open {
            Some(work) => format!(
                "`{}` would merge {short} into {branch}, and its task {} is {}.",
                self.touch.source, work.id, work.status
            ),
            None if self.team.rules.review_required && of_branch.is_empty() => {
                format!(
                    "`{}` would merge {short}, which no reviewed task names as its branch.",
                    self.touch.source
                )
            }
            None => return None,
        };
        let task = open.map_or("ID", |work| work.id.as_str());
        Some(Denial::new(
            Guard::F006,
            reason,
            format!("Have it reviewed first: `interagent task verdict {task} approved`."),
        ))
    }

    /// Whether a task is as far as its branch must be; one that was withdrawn says nothing.
    fn is_reviewed(&self, status: TaskStatus) -> bool {
        match status {
            TaskStatus::Approved | TaskStatus::Cancelled | TaskStatus::Reassigned => true,
            TaskStatus::Completed => !self.team.rules.review_required,
            _ => false,
        }
    }

    fn named_well(&self, name: &str) -> Option<Denial> {
        let pattern = self.team.rules.branch_pattern.as_deref()?;
        let pattern = self.own(pattern)?;
        if name == HIDDEN || branch_fits(&pattern, name) || self.is_protected(name) {
            return None;
        }
        let reason = format!(
            "`{}` would make the branch {name}; branches of agents are called {pattern} here.",
            self.touch.source
        );
        let other = pattern.replace('*', name);
        Some(Denial::new(Guard::F006, reason, format!("Call it {other}: `git switch -c {other}`.")))
    }

    /// A pattern of branches as it is for who acts; absent where that must be known.
    fn own(&self, pattern: &str) -> Option<String> {
        match &self.scene.member.name {
            Some(name) => Some(pattern.replace("{agent}", name.as_str())),
            None => (!pattern.contains("{agent}")).then(|| pattern.to_owned()),
        }
    }

    fn deny(&self, what: &str, branch: &str) -> Denial {
        if branch == HIDDEN {
            let reason = format!("`{}` would {what}, and it may be a protected one.", self.touch.source);
            let way_out = "Name the branch and its directory in the command: then only they are judged.";
            return Denial::new(Guard::F006, reason, way_out.to_owned() + self.scene.how_to_be_known());
        }
        let reason = format!("`{}` would {what}, and {branch} is protected.", self.touch.source);
        let pattern = self.team.rules.branch_pattern.as_deref().unwrap_or("task/*");
        let own = self.own(pattern).unwrap_or_else(|| "task/*".to_owned()).replace('*', "NAME");
        let way_out = match self.touch.what {
            What::Push { .. } => {
                format!("Push a branch of your own: `git push -u origin HEAD:{own}`, and ask for a review.")
            }
            What::Merge { .. } | What::MergeRequest { .. } => {
                "Ask for a review: `interagent review open BRANCH --to NAME`. A member with merge rights merges it.".to_owned()
            }
            _ => format!(
                "Work on a branch in a tree of your own: `git worktree add ../{} -b {own}`.",
                own.replace('/', "-")
            ),
        };
        Denial::new(Guard::F006, reason, way_out + self.scene.how_to_be_known())
    }
}
