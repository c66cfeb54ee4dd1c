//! The briefing: loads what is open for an agent and lets the core compose it.

use interagent_core::briefing::{Count, DutyLine, Listed, Open, Subject, TaskLine, compose};
use interagent_core::entity::{Agent, Task};
use interagent_core::ids::{MessageId, TaskId};
use interagent_core::limits::COUNTED;
use interagent_core::refusal::Refusal;
use interagent_store::reader::Reader;
use interagent_wire::Answer;
use interagent_wire::answer::{BriefingView, DutyView};
use interagent_wire::request as ask;

use crate::call::Call;
use crate::names::{self, Names};
use crate::{mail, resolve, tasks};

/// Rows that are loaded; more than the text has room for.
const SHOWN: usize = 20;

/// What an agent needs to know after a restart.
pub(crate) fn briefing(call: &mut Call<'_>, params: &ask::Briefing) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let agent = resolve::agent_or_caller(reader, params.agent.as_deref(), known)?;
        Ok(view(reader, &agent)?.into())
    })
}

fn view(reader: &mut Reader<'_>, agent: &Agent) -> Result<BriefingView, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let unread = reader.unread_count(&agent.id, COUNTED)?;
    let owed = reader.owed_count(&agent.id, COUNTED)?;
    let mut duties = mail::duties(reader, agent, SHOWN as u32)?;
    duties.truncate(SHOWN);
    let tasks_count = reader.open_task_count(&agent.id, COUNTED)?;
    let open = reader.open_tasks(Some(&agent.id), SHOWN as u32)?;
    let task_lines = open.iter().map(|task| task_line(reader, task)).collect::<Result<Vec<_>, _>>()?;
    let duty_lines = duties.iter().map(duty_line).collect::<Result<Vec<_>, _>>()?;
    let seat = team.as_ref().and_then(|team| team.agents.get(&agent.name));
    let subject = Subject {
        name: &agent.name,
        role: seat.map(|seat| seat.role).or(agent.role),
        human: agent.is_human(),
        team: team.as_ref(),
    };
    let most = COUNTED as usize;
    let text = compose(
        &subject,
        &Open {
            tasks: Listed { first: &task_lines, count: Count::up_to(tasks_count as usize, most) },
            duties: Listed { first: &duty_lines, count: Count::up_to(owed as usize, most) },
            unread: Count::up_to(unread as usize, most),
        },
    );
    let tasks = open.iter().map(|task| tasks::row(reader, task)).collect::<Result<_, _>>()?;
    Ok(BriefingView { agent: names::who(reader, agent)?, text, unread, duties, tasks })
}

fn task_line(reader: &mut Reader<'_>, task: &Task) -> Result<TaskLine, Refusal> {
    let title = Names::new(reader).line(&task.brief.title)?;
    Ok(TaskLine { id: task.id.clone(), title, status: task.status, priority: task.priority() })
}

pub(super) fn duty_line(duty: &DutyView) -> Result<DutyLine, Refusal> {
    Ok(DutyLine {
        duty: duty.duty,
        message: MessageId::parse(&duty.message)?,
        task: duty.task.as_deref().map(TaskId::parse).transpose()?,
        from: duty.from.name.clone(),
        subject: duty.subject.clone(),
    })
}
