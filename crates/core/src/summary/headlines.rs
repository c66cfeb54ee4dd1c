//! The action items in short: one line for each member and kind of action, and the command that helps.

use super::{Action, ActionItem, DialogItem, Person, PromptItem};
use crate::ids::{AgentId, TaskId};

/// Tasks that a line names.
const NAMED: usize = 3;

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

/// Sums action items up, in their order. An agent's mail is named only where nothing else is: a prompt for the agent brings its
/// mail too. The operator's mail is always named.
pub fn headlines(items: &[ActionItem], operator: &AgentId) -> Vec<Headline> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for item in items {
        let known =
            groups.iter_mut().find(|group| group.who.id == item.who.id && group.action == item.action);
        match known {
            Some(group) => {
                group.count += item.count;
                group.tasks.extend(&item.task);
                group.prompts.extend(&item.prompt);
                group.dialogs.extend(&item.dialog);
            }
            None => groups.push(Group {
                who: &item.who,
                action: item.action,
                count: item.count,
                tasks: item.task.iter().collect(),
                prompts: item.prompt.iter().collect(),
                dialogs: item.dialog.iter().collect(),
            }),
        }
    }
    let only_mail =
        |who: &Person| groups.iter().all(|group| group.who.id != who.id || group.action == Action::Read);
    let is_named = |group: &&Group<'_>| {
        group.action != Action::Read || group.who.id == *operator || only_mail(group.who)
    };
    groups.iter().filter(is_named).map(|group| headline(group, group.who.id == *operator)).collect()
}

/// What one member should do of one kind.
struct Group<'i> {
    who: &'i Person,
    action: Action,
    count: u32,
    tasks: Vec<&'i TaskId>,
    prompts: Vec<&'i PromptItem>,
    dialogs: Vec<&'i DialogItem>,
}

impl Group<'_> {
    /// The first of its tasks by name: what nobody does any more is in nobody's list.
    fn named(&self) -> String {
        let named: Vec<&str> = self.tasks.iter().take(NAMED).map(|task| task.as_str()).collect();
        let more = if self.tasks.len() > NAMED { ", ..." } else { "" };
        format!("{}{more}", named.join(", "))
    }

    /// The agents whose clients ask, each once.
    fn asking(&self) -> String {
        let prompts = self.prompts.iter().map(|item| item.agent.shown.as_str());
        let mut names: Vec<&str> =
            prompts.chain(self.dialogs.iter().map(|item| item.agent.shown.as_str())).collect();
        names.dedup();
        names.join(", ")
    }
}

fn headline(group: &Group<'_>, own: bool) -> Headline {
    let Group { who, action, count, .. } = *group;
    let what = match action {
        Action::Permit => format!("answer {count} permission prompt(s) of {}", group.asking()),
        Action::Dialog => format!("answer {count} dialog(s) of {}", group.asking()),
        Action::Decide => format!("answer {count} escalation(s)"),
        Action::Release => format!("release or leave {count} held message(s)"),
        Action::Reassign => format!("reassign {count} task(s) that nobody does: {}", group.named()),
        Action::Unblock => format!("unblock {count} task(s)"),
        Action::Review => format!("review {count} completed task(s)"),
        Action::Answer => format!("answer {count} open message(s)"),
        Action::Start => format!("start {count} new task(s)"),
        Action::Resume => format!("resume {count} unblocked task(s)"),
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
    let first = group.prompts.first().map(|item| &item.place);
    let command = match first.or_else(|| group.dialogs.first().map(|item| &item.place)) {
        Some(place) => place.command(),
        None => list_of(action).to_owned(),
    };
    let mut letters = what.chars();
    let line = letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
    Headline { who: who.clone(), line, command }
}

/// The command that lists what an action is about.
fn list_of(action: Action) -> &'static str {
    match action {
        Action::Reassign => "interagent task reassign TASK --to NAME",
        Action::Unblock => "interagent task list --status blocked",
        Action::Release => "interagent msg list --held",
        Action::Review => "interagent task list --status completed",
        Action::Start | Action::Resume => "interagent task list --assignee operator --open",
        Action::Permit | Action::Dialog => "interagent ps",
        Action::Decide | Action::Answer | Action::Read => "interagent inbox",
    }
}
