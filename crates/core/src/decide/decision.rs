//! Decisions: a question is opened, members take positions, one of them decides.

use crate::decide::{Post, draft_settle, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Decision, Message};
use crate::event::{DecisionDecided, DecisionOpened, DecisionPosition, DecisionSuperseded, Micros};
use crate::ids::{DecisionId, EntityRef};
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::Words;
use crate::vocabulary::{Duty, Intent, Priority, Settlement};

/// A question to be.
#[derive(Clone, Debug)]
pub struct Question {
    /// The question.
    pub question: Words,
    /// What could be chosen.
    pub options: Vec<Words>,
    /// Who is asked for a position.
    pub asked: Vec<Agent>,
    /// Until when positions count.
    pub deadline: Option<Micros>,
    /// The earlier decision this one is to replace.
    pub supersedes: Option<Decision>,
}

/// Opens a question and asks for positions.
pub fn open(
    question: &Question,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<DecisionId, Refusal> {
    if question.options.len() > limits::ITEMS {
        return Err(Refusal::usage("too_many_options", format!("at most {} options", limits::ITEMS)));
    }
    if question.deadline.is_some_and(|deadline| deadline <= context.now) {
        return Err(Refusal::usage("past_deadline", "the deadline is over already"));
    }
    if let Some(old) = question.supersedes.as_ref().filter(|old| old.superseded_by.is_some()) {
        return Err(Refusal::conflict("superseded", format!("{} was superseded before", old.id)));
    }
    let id = DecisionId::from_bits(draft.bits());
    let subject = draft.plain(&crate::text::subject_of(question.question.as_str()));
    let body = draft.text(&question.question);
    let letter = Post {
        from: &member.id,
        to: question.asked.iter().map(|agent| agent.id.clone()).collect(),
        intent: Intent::Discussion,
        subject,
        body: Some(body.clone()),
        task: None,
        priority: Priority::Medium,
        refs: vec![crate::event::Reference {
            kind: "decision".into(),
            target: id.to_string(),
            first_line: None,
            last_line: None,
            text: None,
        }],
    };
    let message = post(draft, letter);
    let opened = DecisionOpened {
        question: body,
        options: draft.each(&question.options),
        by: member.id.clone(),
        deadline: question.deadline,
        message,
        supersedes: question.supersedes.as_ref().map(|old| old.id.clone()),
    };
    draft.add(EntityRef::Decision(id.clone()), opened);
    Ok(id)
}

/// Takes a position; a later one replaces the earlier. `discussion` is the message that asked for it.
pub fn position(
    decision: &Decision,
    discussion: Option<&Message>,
    member: &Agent,
    words: &Words,
    reason: Option<&Words>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    must_be_open(decision)?;
    let taken = DecisionPosition {
        agent: member.id.clone(),
        position: draft.text(words),
        reason: draft.maybe(reason),
    };
    draft.add(EntityRef::Decision(decision.id.clone()), taken);
    if let Some(message) = discussion {
        if message.deliveries.get(&member.id).is_some_and(|d| d.owes() == Some(Duty::Position)) {
            draft_settle(draft, message, &member.id, Settlement::Positioned, None);
        }
    }
    Ok(())
}

/// What deciding needs to know.
#[derive(Clone, Debug)]
pub struct DecideSnapshot {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// Who decides.
    pub member: Agent,
    /// Who asked.
    pub opener: Agent,
    /// The question.
    pub decision: Decision,
    /// The message that asked for positions.
    pub discussion: Option<Message>,
    /// The earlier decision this one replaces.
    pub supersedes: Option<Decision>,
}

/// Decides a question, ends the duty to take a position, and tells those who were asked.
pub fn decide(
    snapshot: &DecideSnapshot,
    outcome: &Words,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let DecideSnapshot { team, member, opener, decision, discussion, supersedes } = snapshot;
    must_be_open(decision)?;
    if !context.human {
        rules::may_decide(team.as_ref(), member, opener)?;
    }
    let outcome_text = draft.text(outcome);
    let reason = draft.maybe(reason);
    let decided = DecisionDecided { outcome: outcome_text.clone(), by: member.id.clone(), reason };
    draft.add(EntityRef::Decision(decision.id.clone()), decided);
    if let Some(old) = supersedes.as_ref().filter(|old| old.superseded_by.is_none()) {
        let superseded = DecisionSuperseded { by: decision.id.clone() };
        draft.add(EntityRef::Decision(old.id.clone()), superseded);
    }
    if let Some(message) = discussion {
        for (agent, delivery) in &message.deliveries {
            if delivery.owes().is_some() {
                draft_settle(draft, message, agent, Settlement::Withdrawn, None);
            }
        }
        let mut told: Vec<_> = message.deliveries.keys().cloned().collect();
        told.push(opener.id.clone());
        let subject = draft.plain(&format!("Decided: {}", crate::text::subject_of(outcome.as_str())));
        let letter = Post {
            from: &member.id,
            to: told,
            intent: Intent::ContextShare,
            subject,
            body: Some(outcome_text),
            task: None,
            priority: Priority::Medium,
            refs: Vec::new(),
        };
        post(draft, letter);
    }
    Ok(())
}

fn must_be_open(decision: &Decision) -> Result<(), Refusal> {
    if decision.outcome.is_none() && decision.superseded_by.is_none() {
        return Ok(());
    }
    Err(Refusal::conflict("decided", format!("{} is decided", decision.id))
        .hint(format!("interagent decision open --supersedes {} asks anew", decision.id)))
}
