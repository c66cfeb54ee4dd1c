//! The rules of a role in its formation, in sentences for the agent that has it.
//!
//! Says only what the team's configuration says and the program enforces; every list of names is cut.

use super::{Arrival, Subject};
use crate::line::one_line;
use crate::name::Name;
use crate::phrasing::{Arg, Dialect, Operation, Step};
use crate::rules::{reviewers, superior};
use crate::team::{Formation, Guard, Role, TeamConfig};

/// Names listed in one sentence.
const NAMES_LISTED: usize = 3;
/// Characters of a branch or pattern.
const BRANCH_CHARS: usize = 24;

/// The rules that bind this agent, most important first.
pub(super) fn of(subject: &Subject<'_>) -> Vec<String> {
    let Some(team) = subject.team else {
        return vec![
            "No team file is taken in: there are no roles. Nobody approves their own work.".to_owned(),
        ];
    };
    let mut rules = duties_of_role(subject, team);
    rules.extend(work_rules(subject, team));
    rules.extend(guard_rules(subject, team));
    if team.formation == Formation::Captain && team.agents.contains_key(subject.name) {
        // Some clients can't be handed them when they start.
        rules.push(match subject.dialect {
            Dialect::Shell => "Your role in full: interagent agent instructions.".to_owned(),
            Dialect::Tools(template) => {
                let tool = template.replace("{tool}", "briefing");
                format!("Your role in full: {tool}(role=true).")
            }
        });
    }
    rules
}

fn duties_of_role(subject: &Subject<'_>, team: &TeamConfig) -> Vec<String> {
    let own = subject.name;
    let up = superior(team, own);
    let below = || {
        names(team.agents.iter().filter(|(_, seat)| seat.reports_to.as_ref() == Some(own)).map(|(n, _)| n))
    };
    match (team.formation, subject.role) {
        (Formation::Duo, Some(Role::Principal)) => {
            vec![format!("You decide and approve: {}.", subject.dialect.say(&Step::judge_task("ID")))]
        }
        (Formation::Duo, Some(Role::Reviewer)) => {
            vec!["You review what others completed and give the verdict; never on your own work.".to_owned()]
        }
        (Formation::Duo, _) => {
            let principal =
                team.principal.as_ref().map_or_else(|| "the principal".to_owned(), ToString::to_string);
            vec![format!(
                "Do the tasks you are given. {principal} decides and approves; you may not approve."
            )]
        }
        (Formation::Peers, _) => {
            vec![
                "All are equals: anyone may give anyone a task; another agent than the worker approves."
                    .to_owned(),
            ]
        }
        (Formation::Captain, Some(Role::Captain)) => vec![
            format!("You give orders to {} and judge the results; write to nobody further down.", below()),
            "No mail comes to you: reports are on the dashboard.".to_owned(),
        ],
        (Formation::Captain, Some(Role::ViceCaptain)) => vec![
            format!("You split orders into tasks for {} and judge their work.", below()),
            format!(
                "You may not write to the captain or the operator: report with {}.",
                subject.dialect.say(&Step::report_task("ID", Some(team)))
            ),
        ],
        (Formation::Captain, _) => {
            let up = up.map_or_else(|| "your superior".to_owned(), ToString::to_string);
            vec![format!(
                "Only {up} gives you work and judges it. Write only to {up} and those {up} leads, never to the captain \
                 or the operator."
            )]
        }
    }
}

fn work_rules(subject: &Subject<'_>, team: &TeamConfig) -> Vec<String> {
    let mut rules = Vec::new();
    if team.rules.report_required {
        // The rules above already show a vice-captain the report command.
        rules.push(match (team.formation, subject.role) {
            (Formation::Captain, Some(Role::ViceCaptain)) => "Completing a task needs a report.".to_owned(),
            _ => {
                let report = subject.dialect.say(&Step::report_task("ID", Some(team)));
                format!("Completing a task needs a report: {report}.")
            }
        });
    }
    if team.rules.review_required {
        let by = reviewers(team, subject.name);
        let by = if by.is_empty() { "another agent".to_owned() } else { names(by.iter()) };
        rules.push(format!("Completed work counts only after a verdict by {by}."));
    }
    if !team.rules.wait_allowed {
        rules.push(match subject.arrival {
            Arrival::ByHook => "Do not wait for mail: end your turn, you will be woken.".to_owned(),
            Arrival::OnRequest => "Do not wait for mail: end your turn.".to_owned(),
        });
    }
    rules
}

fn guard_rules(subject: &Subject<'_>, team: &TeamConfig) -> Vec<String> {
    let leads = matches!(subject.role, Some(Role::Captain | Role::ViceCaptain));
    let mut rules = Vec::new();
    for guard in &team.rules.guards {
        match guard {
            Guard::F001 if subject.role == Some(Role::Captain) => rules.push(
                "You delegate: no reading or editing of project files, no development commands, no subagents (F001)."
                    .to_owned(),
            ),
            Guard::F001 if leads => {
                rules
                    .push("You delegate: no edits, no development commands, no subagents (F001).".to_owned());
            }
            Guard::F003 => rules.push("No work that is not yours (F003).".to_owned()),
            Guard::F004 => {
                rules.push("No foreground sleep, no polling, no tmux send-keys (F004).".to_owned());
            }
            Guard::F006 if !team.rules.protected_branches.is_empty() => {
                rules.push(branch_rule(subject, team));
            }
            Guard::Race001 if !(leads && team.rules.guards.contains(&Guard::F001)) => {
                let take = Step::new(Operation::TakeLease).with(Arg::Paths, "PATHS");
                let take = subject.dialect.say(&take);
                rules.push(format!("One writer per file: {take} before you edit (RACE-001)."));
            }
            Guard::F001 | Guard::F005 | Guard::F006 | Guard::Race001 => {}
        }
    }
    rules
}

fn branch_rule(subject: &Subject<'_>, team: &TeamConfig) -> String {
    let branches = listed(team.rules.protected_branches.iter().map(|branch| one_line(branch, BRANCH_CHARS)));
    let own = match &team.rules.branch_pattern {
        Some(pattern) => format!("; work on branches like {}", one_line(pattern, BRANCH_CHARS)),
        None => String::new(),
    };
    let merge = match subject.role {
        Some(role) if team.rules.may_merge.contains(&role) => "; you may merge reviewed branches",
        _ => "",
    };
    format!("No edits, commits or pushes on {branches}{own}{merge} (F006).")
}

fn names<'a>(names: impl Iterator<Item = &'a Name>) -> String {
    listed(names.map(ToString::to_string))
}

/// The first of them, and how many more there are.
fn listed(items: impl Iterator<Item = String>) -> String {
    let mut items: Vec<String> = items.collect();
    let hidden = items.len().saturating_sub(NAMES_LISTED);
    items.truncate(NAMES_LISTED);
    match (items.is_empty(), hidden) {
        (true, _) => "nobody".to_owned(),
        (false, 0) => items.join(", "),
        (false, hidden) => format!("{} and {hidden} more", items.join(", ")),
    }
}
