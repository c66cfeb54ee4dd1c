//! An agent that leaves open work, because its client stopped or it was retired: the assigners are notified by the
//! program.

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
    /// Its assigner.
    pub assigner: Option<Agent>,
}

/// Why an agent leaves its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Its client stopped.
    Stopped,
    /// It was retired.
    Retired,
}

impl Leaves {
    fn words(self, name: &str) -> (String, String, &'static str) {
        match self {
            Self::Stopped => (
                format!("{name} stopped"),
                format!("The client of {name} is no longer running. Its open tasks:\n"),
                "Restart it, or reassign them.",
            ),
            Self::Retired => (
                format!("{name} was retired"),
                format!("{name} no longer takes part. Its open tasks:\n"),
                "Give the work to another agent, or cancel it.",
            ),
        }
    }
}

/// Tells each assigner which of its tasks the agent left. Where that is a captain, the agent itself or nobody, the operator is
/// told. `knows` is told nothing.
pub fn tell_assigners(
    (agent, leaves): (&Agent, Leaves),
    left: &[LeftTask],
    knows: Option<&AgentId>,
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
    let (happened, beginning, end) = leaves.words(agent.name.as_str());
    for (to, tasks) in by_assigner.into_iter().filter(|(to, _)| Some(to) != knows) {
        let count = match tasks.len() {
            1 => "1 task is open".to_owned(),
            several => format!("{several} tasks are open"),
        };
        let subject = draft.plain(&format!("{happened}: {count}"));
        let mut body = beginning.clone();
        for LeftTask { task, title, .. } in &tasks {
            let title = quoted_line(title, TITLE_CHARS);
            body.push_str(&format!("- {} {title} [{}]\n", task.id, task.status));
        }
        body.push_str(end);
        let (body, first) = (Some(draft.plain(&body)), tasks.first().map(|one| &one.task));
        let letter = Post::new(&program, vec![to], Intent::Report, subject, body);
        post(
            draft,
            match first {
                Some(task) if tasks.len() == 1 => letter.about(&task.id, task.priority()),
                _ => letter,
            },
        );
    }
}
