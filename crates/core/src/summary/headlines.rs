//! The action items in short: one line for each member and kind of action, and the command that helps.

use super::{Action, ActionItem, Person};
use crate::ids::AgentId;

/// What somebody should do, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// Who should act.
    pub who: Person,
    /// For the operator, who reads it.
    pub line: String,
    /// The command that helps.
    pub command: String,
}

/// Sums action items up, in their order. Mail is only told of members who are told nothing else: whoever gets a prompt
/// reads its mail with it.
pub fn headlines(items: &[ActionItem], operator: &AgentId) -> Vec<Headline> {
    let mut groups: Vec<(&Person, Action, u32)> = Vec::new();
    for item in items {
        match groups.iter_mut().find(|(who, action, _)| who.id == item.who.id && *action == item.action) {
            Some((_, _, count)) => *count += item.count,
            None => groups.push((&item.who, item.action, item.count)),
        }
    }
    let only_mail =
        |who: &Person| groups.iter().all(|(other, action, _)| other.id != who.id || *action == Action::Read);
    groups
        .iter()
        .filter(|(who, action, _)| *action != Action::Read || only_mail(who))
        .map(|(who, action, count)| headline(who, *action, *count, who.id == *operator))
        .collect()
}

fn headline(who: &Person, action: Action, count: u32, own: bool) -> Headline {
    let what = match action {
        Action::Decide => format!("answer {count} escalation(s)"),
        Action::Release => format!("release or leave {count} held message(s)"),
        Action::Reassign => format!("reassign {count} task(s) of retired agents"),
        Action::Unblock => format!("unblock {count} task(s)"),
        Action::Review => format!("review {count} completed task(s)"),
        Action::Answer => format!("answer {count} open message(s)"),
        Action::Start => format!("start {count} new task(s)"),
        Action::Read => format!("read {count} unread message(s)"),
    };
    if !own {
        let line = format!("Tell {} to {what}", who.shown);
        // What is another's work is not in the prompt for this member.
        let command = match action {
            Action::Reassign | Action::Unblock => list_of(action).to_owned(),
            _ => format!("interagent relay --to {}", who.shown),
        };
        return Headline { who: who.clone(), line, command };
    }
    let command = list_of(action);
    let mut letters = what.chars();
    let line = letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
    Headline { who: who.clone(), line, command: command.to_owned() }
}

/// The command that lists what an action is about.
fn list_of(action: Action) -> &'static str {
    match action {
        Action::Reassign => "interagent task list --open",
        Action::Unblock => "interagent task list --status blocked",
        Action::Release => "interagent msg list --held",
        Action::Review => "interagent task list --status completed",
        Action::Start => "interagent task list --assignee operator --open",
        Action::Decide | Action::Answer | Action::Read => "interagent inbox",
    }
}
