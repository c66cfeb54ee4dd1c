//! What a retired agent leaves behind, and what an agent that takes up its name inherits.
//!
//! An agent is its id: the name is free once it is retired, and whoever registers under it is another agent. It takes over
//! how the earlier one was described, and nothing that was sent to it or given to it.

use interagent_core::entity::Agent;
use interagent_core::limits;
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_store::reader::{PageStart, Reader, TaskFilter};

/// Ids named in a sentence.
const NAMED: usize = 5;

/// The agent of this replica that had a name last and was retired.
pub(crate) fn earlier(reader: &mut Reader<'_>, name: &Name) -> Result<Option<Agent>, Refusal> {
    let mut last: Option<Agent> = None;
    for agent in reader.agents()?.into_iter().filter(|agent| &agent.name == name) {
        let ended = |agent: &Agent| agent.retired.as_ref().map(|when| when.at);
        if agent.retired.is_some()
            && last.as_ref().is_none_or(|other| ended(other) < ended(&agent))
            && reader.is_home(&agent.home)?
        {
            last = Some(agent);
        }
    }
    Ok(last)
}

/// What an agent said it works on, if that can be read.
pub(crate) fn description(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<String>, Refusal> {
    Ok(match &agent.description {
        Some(hash) => reader.text_state(hash)?.whole(),
        None => None,
    })
}

/// What nobody does any more once an agent is retired, and the commands that help.
pub(crate) fn left_behind(reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<String>, Refusal> {
    let mut notes = Vec::new();
    let filter = TaskFilter { assignee: Some(agent.id.clone()), open: true, ..TaskFilter::default() };
    let open = reader.tasks(&filter, &PageStart::default(), limits::PAGE_MAX)?;
    if !open.is_empty() {
        let ids: Vec<String> = open.iter().map(|task| task.id.to_string()).collect();
        let tasks = counted(ids.len(), "open task");
        notes.push(format!(
            "{} leaves {tasks}: {}; interagent task reassign TASK --to NAME",
            agent.name,
            some(&ids)
        ));
    }
    let owed = reader.owed_by(&agent.id, limits::PAGE_MAX)?;
    if !owed.is_empty() {
        let ids: Vec<String> = owed.iter().map(|due| format!("{} ({})", due.message, due.duty)).collect();
        let duties = counted(ids.len(), "duty");
        notes.push(format!(
            "{duties} of {} will not be settled by it: {}; interagent read ID shows who waits, so that somebody else can answer",
            agent.name,
            some(&ids)
        ));
    }
    Ok(notes)
}

/// What whoever takes up a retired agent's name should know.
pub(crate) fn of_earlier(reader: &mut Reader<'_>, earlier: &Agent) -> Result<Vec<String>, Refusal> {
    let mut notes = vec![format!(
        "an earlier {} ({}) was retired; its mail, tasks and history stay with it",
        earlier.name, earlier.id
    )];
    notes.extend(left_behind(reader, earlier)?);
    Ok(notes)
}

fn counted(count: usize, noun: &str) -> String {
    let sign = or_more(count);
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count}{sign} {stem}ies"),
        (_, None) => format!("{count}{sign} {noun}s"),
    }
}

fn some(ids: &[String]) -> String {
    let shown = ids.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match ids.len().checked_sub(NAMED) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more}{} more", or_more(ids.len())),
    }
}

/// What stands behind a number that was counted up to a limit: there may be more.
fn or_more(count: usize) -> &'static str {
    if count < limits::COUNTED as usize { "" } else { "+" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_at_the_limit_says_that_there_may_be_more() {
        let ids = |count: usize| vec!["task-1".to_owned(); count];
        assert_eq!((counted(1, "duty"), counted(999, "duty")), ("1 duty".into(), "999 duties".into()));
        assert_eq!(counted(1000, "open task"), "1000+ open tasks");
        assert!(some(&ids(999)).ends_with(" and 994 more"));
        assert!(some(&ids(1000)).ends_with(" and 995+ more"));
    }
}
