//! A task that changes hands by an accepted offer, and a declined one that goes back to its assignee.

use super::TaskSnapshot;
use super::moves::note_reason;
use crate::decide::{draft_move, draft_settle_for};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message};
use crate::event::TaskAssigned;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::Words;
use crate::vocabulary::{Duty, Settlement, TaskStatus};

impl TaskSnapshot {
    /// Assigns the task to the member that accepted an offer of it, unless the work is over. Ends what its former worker owed
    /// and what was offered to others.
    pub(in crate::decide) fn take_over(
        &self,
        offer: &Message,
        context: &Context,
        draft: &mut Draft,
    ) -> Result<(), Refusal> {
        let (task, member) = (&self.task, &self.member);
        if task.status.is_closed() || task.status.awaits_verdict() {
            return Ok(());
        }
        let is_own = task.assignee.as_ref() == Some(&member.id);
        // The sender could only give what was its own, or nobody's.
        let given = is_own || task.assignee.as_ref().is_none_or(|holder| *holder == offer.from);
        if !given {
            let sentence = format!("{} has changed hands since {} was sent", task.id, offer.id);
            return Err(
                Refusal::conflict("taken", sentence).hint(format!("interagent task show {}", task.id))
            );
        }
        if !is_own {
            let (assignee, before) = (member.id.clone(), task.assignee.clone());
            draft.add(self.entity(), TaskAssigned { assignee, before, claimed: false });
        }
        if task.status == TaskStatus::Pending {
            draft_move(draft, &task.id, None, (TaskStatus::Pending, TaskStatus::Assigned), None, None);
        }
        if !is_own {
            self.release_others(draft);
            self.notify_accepted(offer, context, draft);
        }
        Ok(())
    }

    /// Nobody else has to start the task, accept it or find a worker for it.
    fn release_others(&self, draft: &mut Draft) {
        self.settle(self.declined(), draft, Settlement::Withdrawn, |duty| duty == Duty::Unblock);
        for message in &self.duties {
            for (agent, delivery) in message.deliveries.iter().filter(|(agent, _)| **agent != self.member.id)
            {
                if matches!(delivery.owes(), Some(Duty::Start | Duty::Accept)) {
                    draft_settle_for(draft, message, agent, Settlement::Withdrawn);
                }
            }
        }
    }

    /// Assigns a declined task to the same agent once more. Without a refusal there is nothing to repeat.
    pub(super) fn assign_again(
        &self,
        to: &Agent,
        reason: Option<&Words>,
        draft: &mut Draft,
    ) -> Result<(), Refusal> {
        if self.declined().next().is_none() {
            let sentence = format!("{} has {} already", self.called(to), self.task.id);
            let ask = rules::way_to_called(self.team.as_ref(), &self.member, &to.name, self.called(to));
            return Err(Refusal::conflict("same_assignee", sentence).hint(ask));
        }
        note_reason(self, reason, draft);
        self.settle(self.declined(), draft, Settlement::Withdrawn, |duty| duty == Duty::Unblock);
        self.assign_copy(&self.task.id, &to.id, reason.map(Words::as_str), draft);
        // A person who steps in leaves the assigner as it was.
        if self.member.is_human() && self.task.brief.assigner != self.member.id {
            let again = format!("{} was assigned it once more.", to.name);
            self.tell_giver(TaskStatus::Assigned, &again, draft);
        }
        Ok(())
    }
}
