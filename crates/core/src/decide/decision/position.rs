//! Positions on an open question. The last one that was asked for obliges the member who decides to do so.

use super::{DECIDE_REF, DECIDE_SUBJECT, Notice, among, listed, must_be_open, not_an_option, withdraw};
use crate::decide::draft_settle;
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Decision, Message};
use crate::event::DecisionPosition;
use crate::ids::{AgentId, EntityRef};
use crate::refusal::Refusal;
use crate::text::{Words, subject_of};
use crate::vocabulary::{Duty, Intent, Settlement};

/// What taking a position needs to know.
#[derive(Clone, Debug)]
pub struct PositionSnapshot {
    /// The question.
    pub decision: Decision,
    /// Its words, in one line.
    pub question: String,
    /// What could be chosen, in words, where all of them can be read.
    pub options: Vec<String>,
    /// The message that asked for positions.
    pub discussion: Option<Message>,
    /// Who takes one.
    pub member: Agent,
    /// The agents who may decide once everybody has taken a position; the asker first.
    pub deciders: Vec<Agent>,
    /// Those of them that get no message that starts a turn.
    pub captain: Option<AgentId>,
    /// The member who has to decide then. None where that is a captain, whom no mail obliges.
    pub must_decide: Option<AgentId>,
    /// Messages that oblige somebody to decide it already.
    pub due: Vec<Message>,
    /// Agents who were asked and have retired.
    pub retired: Vec<AgentId>,
}

impl PositionSnapshot {
    /// Whether nobody else who was asked still owes a position. A reply, a refusal and retirement end that as well.
    fn is_last(&self) -> bool {
        let Some(message) = &self.discussion else { return false };
        let is_awaited = |agent: &AgentId| *agent != self.member.id && !self.retired.contains(agent);
        let mut others = message.deliveries.iter().filter(|(agent, _)| is_awaited(agent));
        message.deliveries.contains_key(&self.member.id)
            && others.all(|(_, delivery)| delivery.owes() != Some(Duty::Position))
    }

    /// The member to oblige to decide: everybody who was asked has answered, and it owes the decision by no message yet.
    fn obliged(&self) -> Option<&AgentId> {
        let is_due = |agent: &AgentId| self.due.iter().any(|message| message.owed_by(agent).is_some());
        let obliged = self.must_decide.as_ref().filter(|agent| self.is_last() && !is_due(agent));
        obliged.filter(|agent| **agent != self.member.id)
    }

    fn ask_to_decide(&self, body: &str, draft: &mut Draft) {
        let Some(obliged) = self.obliged() else { return };
        let subject = format!("{DECIDE_SUBJECT}{}", subject_of(&self.question));
        let notice = Notice::new(&self.decision.id, Intent::Question, &subject).text(body);
        notice.pointing_at(DECIDE_REF).post(&self.member.id, vec![obliged.clone()], draft);
        // The team's rules changed since: one member is asked, not two.
        withdraw(draft, &self.due);
    }
}

/// Asks for the decision after a member answered without a position (by a reply, or by declining) or retired.
pub fn answered(snapshot: &PositionSnapshot, draft: &mut Draft) {
    if snapshot.decision.outcome.is_none() && snapshot.decision.superseded_by.is_none() {
        snapshot.ask_to_decide(EVERYBODY_ANSWERED, draft);
    }
}

const EVERYBODY_ANSWERED: &str = "Everybody who was asked has answered.";

/// Takes a position; a later one replaces the earlier. The asker is told; the last position that was asked for obliges the
/// member who has to decide.
pub fn position(
    snapshot: &PositionSnapshot,
    stand: &Stand,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let PositionSnapshot { decision, options, member, .. } = snapshot;
    let discussion = snapshot.discussion.as_ref();
    must_be_open(decision)?;
    if decision.brief.deadline.is_some_and(|deadline| deadline < context.now) {
        let refusal = Refusal::conflict(
            "past_deadline",
            format!("the deadline for positions on {} is over", decision.id),
        );
        return Err(match discussion {
            Some(message) => {
                refusal.hint(format!("interagent reply {} -m ... still reaches who asked", message.id))
            }
            None => refusal.hint(format!("interagent decision show {} tells where it stands", decision.id)),
        });
    }
    let said = stand.position.as_str();
    let position = match among(options, said) {
        Some(option) => option,
        None if options.is_empty() => said.to_owned(),
        None => {
            let otherwise = discussion.map_or_else(String::new, |message| {
                format!("; interagent reply {} -m TEXT says anything else", message.id)
            });
            return Err(not_an_option(said).hint(format!("take {}{otherwise}", listed(options))));
        }
    };
    let taken = DecisionPosition {
        agent: member.id.clone(),
        position: draft.plain(&position),
        reason: draft.maybe(stand.reason.as_ref()),
    };
    draft.add(EntityRef::Decision(decision.id.clone()), taken);
    let owes = |message: &&Message| {
        message.deliveries.get(&member.id).is_some_and(|d| d.owes() == Some(Duty::Position))
    };
    if let Some(message) = discussion.filter(owes) {
        draft_settle(draft, message, &member.id, Settlement::Positioned, None);
    }
    tell_position(snapshot, &position, stand, draft);
    Ok(())
}

fn tell_position(snapshot: &PositionSnapshot, position: &str, stand: &Stand, draft: &mut Draft) {
    let PositionSnapshot { decision, question, discussion, member, deciders, captain, .. } = snapshot;
    let is_last = snapshot.is_last();
    let obliged = snapshot.obliged();
    let to = deciders.iter().filter(|agent| is_last || agent.id == decision.brief.by);
    let to = to.filter(|agent| Some(&agent.id) != obliged);
    let subject = format!("Position: {} for {}", member.name, subject_of(position));
    let mut body = format!("On: {question}");
    if let Some(reason) = &stand.reason {
        body.push_str(&format!("\n\n{}", reason.as_str()));
    }
    if is_last && discussion.as_ref().is_some_and(|message| message.deliveries.len() > 1) {
        body.push_str(&format!("\n\n{EVERYBODY_ANSWERED}"));
    }
    snapshot.ask_to_decide(&format!("{subject}\n{body}"), draft);
    let notice = Notice::new(&decision.id, Intent::ContextShare, &subject).text(&body);
    let (quiet, loud): (Vec<_>, Vec<_>) =
        to.map(|agent| agent.id.clone()).partition(|agent| !is_last || captain.as_ref() == Some(agent));
    notice.clone().without_waking().post(&member.id, quiet, draft);
    notice.post(&member.id, loud, draft);
}

/// Where a member stands.
#[derive(Clone, Debug)]
pub struct Stand {
    /// For what: one of the options, where there are some.
    pub position: Words,
    /// Why.
    pub reason: Option<Words>,
}
