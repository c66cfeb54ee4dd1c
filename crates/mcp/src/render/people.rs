//! Agents and what they do, in words.

use interagent_wire::answer::{ActionView, AgentView, BoardView, StatusView, SummaryView};

use super::{Lines, Said};
use crate::envelope::seconds;

/// Greets an agent that has just said who it is.
pub(crate) fn welcome(agent: &AgentView) -> Said {
    let mut lines = Lines::default();
    let role = agent.role.as_deref().map(|role| format!(", {role}")).unwrap_or_default();
    lines.say(format!("You are {}{role} ({}). Your name need not be given again.", agent.name, agent.id));
    if let Some(workspace) = &agent.workspace {
        lines.say(format!("workspace {workspace}"));
    }
    match agent.unread {
        0 => lines.next("check_inbox(); list_agents() shows who is here"),
        unread => lines.next(format!("check_inbox(): {unread} unread")),
    }
    lines.finish()
}

pub(super) fn agent(lines: &mut Lines, agent: &AgentView) {
    lines.say(row(agent));
    if let Some(description) = &agent.description {
        lines.say(format!("works on: {description}"));
    }
    if let Some(workspace) = &agent.workspace {
        lines.say(format!("workspace {workspace}"));
    }
    if let Some(superior) = &agent.reports_to {
        lines.say(format!("reports to {superior}"));
    }
    if !agent.capabilities.is_empty() {
        lines.say(format!("good at {}", agent.capabilities.join(", ")));
    }
    if agent.retired.is_some() {
        lines.say("takes part no longer");
    }
}

pub(super) fn agents(lines: &mut Lines, agents: &[AgentView]) {
    if agents.is_empty() {
        lines.say("Nobody is registered here.");
    }
    for agent in agents {
        let what = agent.description.as_deref().map(|what| format!("; {what}")).unwrap_or_default();
        lines.say(format!("{}{what}", row(agent)));
    }
    lines.next("send_message(to=NAME, content=...)");
}

fn row(agent: &AgentView) -> String {
    let role = agent.role.as_deref().map(|role| format!(", {role}")).unwrap_or_default();
    format!(
        "{} ({}{role}): {}; {} unread",
        agent.name,
        agent.profile,
        status(agent.status.as_ref()),
        agent.unread
    )
}

fn status(status: Option<&StatusView>) -> String {
    match status {
        None => "no status".to_owned(),
        Some(StatusView { state, text: Some(text), since, .. }) => {
            format!("{state}, \"{text}\" since {}", seconds(*since))
        }
        Some(StatusView { state, since, .. }) => format!("{state} since {}", seconds(*since)),
    }
}

pub(super) fn board(lines: &mut Lines, board: &BoardView) {
    for line in &board.rows {
        let task = line.task.as_ref().map(|task| format!("; {} {}", task.id, task.title)).unwrap_or_default();
        let seen = line.seen.map(|seen| format!("; seen {}", seconds(seen))).unwrap_or_default();
        let owes = if line.owes > 0 { format!("; owes {}", line.owes) } else { String::new() };
        lines.say(format!("{}{owes}{task}{seen}", row(&line.agent)));
    }
    if board.held > 0 {
        lines.say(format!("{} messages are held back until the operator releases them", board.held));
    }
}

pub(super) fn summary(lines: &mut Lines, summary: &SummaryView) {
    let formation = summary.formation.as_deref().unwrap_or("no team file");
    let project = if summary.project.is_empty() { "the team" } else { &summary.project };
    lines.say(format!("{project} ({formation})"));
    let tasks: Vec<String> =
        summary.tasks.iter().map(|count| format!("{} {}", count.count, count.status)).collect();
    if !tasks.is_empty() {
        lines.say(format!("tasks: {}", tasks.join(", ")));
    }
    for mail in summary.mail.iter().filter(|mail| mail.unread > 0) {
        lines.say(format!("{}: {} unread", mail.agent.name, mail.unread));
    }
    for action in &summary.actions {
        lines.say(should(action));
    }
}

/// What an agent should do, with the record that the operator's command is about instead of the command.
fn should(action: &ActionView) -> String {
    let record = action.record.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    format!("{} should {}: {}{record}.", action.agent.name, action.action, action.clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_reads_no_command_of_the_operator() {
        let action = |clause: &str, record: Option<&str>| -> ActionView {
            let action = serde_json::json!({
                "agent": { "id": "agt-1", "name": "kimi" }, "action": "start", "clause": clause, "record": record,
                "sentence": format!("{clause} (interagent task update task-4f2a --status in_progress)."),
            });
            serde_json::from_value(action).unwrap()
        };
        for (clause, record, read) in [
            (
                "Tell kimi to start \"X\"",
                Some("task-4f2a"),
                "kimi should start: Tell kimi to start \"X\" (task-4f2a).",
            ),
            ("Fix (interagent crash)", None, "kimi should start: Fix (interagent crash)."),
        ] {
            assert_eq!(should(&action(clause, record)), read);
        }
    }
}
