//! An agent whose client stopped in the middle of its work: those who gave the work are told, by the program.

use std::collections::BTreeMap;

use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::entity::{Agent, Task};
use crate::ids::AgentId;
use crate::line::quoted_line;
use crate::rules;
use crate::team::TeamConfig;
use crate::vocabulary::Intent;

/// Characters of a title in a list.
const TITLE_CHARS: usize = 80;

/// A task of the agent that stopped.
#[derive(Clone, Debug)]
pub struct LeftTask {
    /// The task.
    pub task: Task,
    /// Its title.
    pub title: String,
    /// Who gave it.
    pub assigner: Option<Agent>,
}

/// Tells each assigner which of its tasks the agent left. Where that is a captain, the agent itself or nobody, the operator is
/// told.
pub fn stopped(
    agent: &Agent,
    left: &[LeftTask],
    team: Option<&TeamConfig>,
    operator: &Agent,
    draft: &mut Draft,
) {
    let mut by_assigner: BTreeMap<AgentId, Vec<&LeftTask>> = BTreeMap::new();
    for one in left {
        let reads_mail = |assigner: &&Agent| {
            assigner.id != agent.id && assigner.retired.is_none() && !rules::is_captain(team, &assigner.name)
        };
        let to = one.assigner.as_ref().filter(reads_mail).unwrap_or(operator);
        by_assigner.entry(to.id.clone()).or_default().push(one);
    }
    let program = AgentId::program();
    for (to, tasks) in by_assigner {
        let count = match tasks.len() {
            1 => "1 task is open".to_owned(),
            several => format!("{several} tasks are open"),
        };
        let subject = draft.plain(&format!("{} stopped: {count}", agent.name));
        let mut body = format!("The client of {} is no longer running. It had:\n", agent.name);
        for LeftTask { task, title, .. } in &tasks {
            let title = quoted_line(title, TITLE_CHARS);
            body.push_str(&format!("- {} {title} [{}]\n", task.id, task.status));
        }
        body.push_str("It goes on when it is restarted, or you can reassign the work.");
        let (body, first) = (Some(draft.plain(&body)), tasks.first().map(|one| &one.task));
        let letter = Post::new(&program, vec![to], Intent::ContextShare, subject, body);
        post(
            draft,
            match first {
                Some(task) if tasks.len() == 1 => letter.about(&task.id, task.priority()),
                _ => letter,
            },
        );
    }
}
