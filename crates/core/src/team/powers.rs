//! What the settings of a team let happen, so that a person sees it before they take effect.
//!
//! Owns which settings are marked, and which changes widen what agents and files may do.

use std::collections::BTreeSet;
use std::fmt;

use super::config::{Ladder, Notifications, Rules, Seat, TeamConfig};
use super::words::{CommitGuard, ForeignOperators, OperatorDefault};

/// What a marked setting lets happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Power {
    /// Programs are started without a person.
    StartsPrograms,
    /// Keys are typed into terminals of agents, and their sessions are reset.
    ResetsAgents,
    /// Words of the team leave the machine.
    SendsData,
    /// A client acts without asking for permission.
    ActsUnasked,
    /// Work happens in a directory that the file names.
    UsesDirectory,
    /// A rule that protects something is weaker than in a new team of the formation.
    LoosensRule,
}

impl fmt::Display for Power {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::StartsPrograms => "starts programs",
            Self::ResetsAgents => "types into terminals, resets agents",
            Self::SendsData => "sends data out",
            Self::ActsUnasked => "acts without asking",
            Self::UsesDirectory => "works in another directory",
            Self::LoosensRule => "loosens a rule",
        })
    }
}

/// A setting that a person should see before it takes effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marked {
    /// What it lets happen.
    pub power: Power,
    /// The setting as the file says it: `ladder.headless_allowed = true`.
    pub setting: String,
}

impl fmt::Display for Marked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.power, self.setting)
    }
}

/// The settings of a team that are marked, by what they let happen.
pub fn marked(team: &TeamConfig) -> Vec<Marked> {
    let usual = TeamConfig::empty(team.project.clone(), team.formation);
    above(&usual, team)
}

/// The marked settings that an applied team does not have: what applying the file would widen. Without an applied team
/// a new one of the formation is the measure.
pub fn widened(applied: Option<&TeamConfig>, team: &TeamConfig) -> Vec<Marked> {
    match applied {
        // The defaults of another formation are not weaker rules, and neither are rules that stay as they were.
        Some(applied) if applied.formation != team.formation => {
            let unusual = marked(team);
            above(applied, team).into_iter().filter(|found| unusual.contains(found)).collect()
        }
        Some(applied) => above(applied, team),
        None => marked(team),
    }
}

// Each function destructures its value by field name, so a new setting does not compile until it is classified here.

/// What one team allows beyond another.
fn above(base: &TeamConfig, team: &TeamConfig) -> Vec<Marked> {
    let TeamConfig {
        project: _,
        formation: _,
        principal: _,
        track: _,
        language: _,
        display: _,
        agents,
        rules,
        ladder,
        notifications,
    } = team;
    let mut found = Vec::new();
    of_ladder(&base.ladder, ladder, &mut found);
    of_notifications(&base.notifications, notifications, &mut found);
    of_rules(&base.rules, rules, &mut found);
    for (name, seat) in agents {
        of_seat(name.as_str(), base.agents.get(name), seat, &mut found);
    }
    found.sort();
    found
}

fn mark(found: &mut Vec<Marked>, power: Power, setting: String) {
    found.push(Marked { power, setting });
}

fn of_ladder(base: &Ladder, ladder: &Ladder, found: &mut Vec<Marked>) {
    let Ladder {
        wake_s: _,
        next_channel_s: _,
        reset_s: _,
        reset_allowed,
        headless_allowed,
        superior_s: _,
        operator_deadline_s: _,
        operator_default,
    } = ladder;
    if *headless_allowed && !base.headless_allowed {
        mark(found, Power::StartsPrograms, "ladder.headless_allowed = true".to_owned());
    }
    if *reset_allowed && !base.reset_allowed {
        mark(found, Power::ResetsAgents, "ladder.reset_allowed = true".to_owned());
    }
    if *operator_default != base.operator_default && *operator_default != OperatorDefault::Wait {
        mark(found, Power::LoosensRule, format!("ladder.operator_default = \"{operator_default}\""));
    }
}

fn of_notifications(base: &Notifications, notifications: &Notifications, found: &mut Vec<Marked>) {
    let Notifications { bell: _, desktop: _, ntfy_topic } = notifications;
    if let Some(topic) = ntfy_topic.as_ref().filter(|_| *ntfy_topic != base.ntfy_topic) {
        mark(found, Power::SendsData, format!("notifications.ntfy_topic = \"{topic}\""));
    }
}

fn of_rules(base: &Rules, rules: &Rules, found: &mut Vec<Marked>) {
    let Rules {
        report_required: _,
        review_required: _,
        max_hops: _,
        pair_messages: _,
        pair_window_s: _,
        flood_messages: _,
        wait_allowed: _,
        protected_branches,
        branch_pattern,
        may_merge,
        guards,
        commit_guard,
        context_limit: _,
        foreign_operators,
    } = rules;
    let mut loosened = |setting: String| mark(found, Power::LoosensRule, setting);
    if !guards.is_superset(&base.guards) {
        loosened(format!("rules.guards = {}", listed(guards)));
    }
    if !protected_branches.is_superset(&base.protected_branches) {
        loosened(format!("rules.protected_branches = {}", listed(protected_branches)));
    }
    if !may_merge.is_subset(&base.may_merge) {
        loosened(format!("rules.may_merge = {}", listed(may_merge)));
    }
    if base.branch_pattern.is_some() && *branch_pattern != base.branch_pattern {
        let pattern = branch_pattern.as_deref().unwrap_or_default();
        loosened(format!("rules.branch_pattern = \"{pattern}\""));
    }
    if *foreign_operators == ForeignOperators::Command && *foreign_operators != base.foreign_operators {
        loosened(format!("rules.foreign_operators = \"{foreign_operators}\""));
    }
    if base.commit_guard == CommitGuard::Everyone && *commit_guard != CommitGuard::Everyone {
        loosened(format!("rules.commit_guard = \"{commit_guard}\""));
    }
}

fn of_seat(name: &str, base: Option<&Seat>, seat: &Seat, found: &mut Vec<Marked>) {
    let Seat {
        profile: _,
        model: _,
        role: _,
        reports_to: _,
        workspace,
        worktree: _,
        capabilities: _,
        paths: _,
        description: _,
        auto_approve,
        context_limit: _,
    } = seat;
    if *auto_approve && !base.is_some_and(|base| base.auto_approve) {
        mark(found, Power::ActsUnasked, format!("agents.{name}.auto_approve = true"));
    }
    if let Some(directory) =
        workspace.as_ref().filter(|_| base.is_none_or(|base| base.workspace != *workspace))
    {
        mark(found, Power::UsesDirectory, format!("agents.{name}.workspace = \"{directory}\""));
    }
}

fn listed<T: fmt::Display>(values: &BTreeSet<T>) -> String {
    let words: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
    format!("[{}]", words.join(", "))
}

#[cfg(test)]
mod tests;
