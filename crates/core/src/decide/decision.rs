//! Decisions: a question is opened, members take positions, one of them decides.

mod position;

pub use position::{PositionSnapshot, Stand, answered, position};

use std::collections::BTreeSet;

use crate::decide::{Post, draft_settle, draft_settle_for, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Decision, Message};
use crate::event::{DecisionDecided, DecisionOpened, DecisionSuperseded, Micros, Reference};
use crate::ids::{AgentId, DecisionId, EntityRef, MessageId};
use crate::limits;
use crate::line::quoted_line;
use crate::phrasing::{Dialect, Step};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::{Formation, TeamConfig};
use crate::text::{Words, subject_of};
use crate::traffic::Flow;
use crate::vocabulary::{Intent, Settlement};

/// The kind of a reference to a decision.
pub const DECISION_REF: &str = "decision";
/// The kind of a reference to a decision that the recipient has to make.
pub const DECIDE_REF: &str = "decide";
/// How the subject of such a message begins, before the question.
pub const DECIDE_SUBJECT: &str = "Decide: ";

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
    pub supersedes: Option<Earlier>,
    /// Other names for it.
    pub aliases: Vec<String>,
}

/// Opens a question and asks for positions.
pub fn open(
    question: &Question,
    team: Option<&TeamConfig>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<DecisionId, Refusal> {
    if question.options.len() > limits::ITEMS {
        return Err(Refusal::usage("too_many_options", format!("at most {} options", limits::ITEMS)));
    }
    if question.asked.len() > limits::RECIPIENTS {
        let sentence =
            format!("{} members are too many to ask; at most {}", question.asked.len(), limits::RECIPIENTS);
        return Err(Refusal::usage("too_many_recipients", sentence));
    }
    if !context.human {
        for asked in question.asked.iter().filter(|asked| asked.id != member.id) {
            rules::may_message(team, member, asked, Intent::Discussion)?;
        }
    }
    if question.deadline.is_some_and(|deadline| deadline <= context.now) {
        return Err(Refusal::usage("past_deadline", "the deadline is over already"));
    }
    if let Some(old) = &question.supersedes {
        may_be_asked_anew(old, team, member, context)?;
    }
    must_differ(&question.options)?;
    let id = DecisionId::from_bits(draft.bits());
    let body = draft.text(&question.question);
    let asked = question.asked.iter().map(|agent| agent.id.clone()).collect();
    let subject = subject_of(question.question.as_str());
    let options: Vec<&str> = question.options.iter().map(Words::as_str).collect();
    let text = with_options(&question.question, &options);
    let notice = Notice::new(&id, Intent::Discussion, &subject).text(&text).opening();
    let message = notice.post(&member.id, asked, draft);
    if message.is_none() {
        draft.remark("nobody was asked for a position");
    }
    let opened = DecisionOpened {
        question: body,
        options: draft.each(&question.options),
        by: member.id.clone(),
        deadline: question.deadline,
        message,
        supersedes: question.supersedes.as_ref().map(|old| old.decision.id.clone()),
        aliases: question.aliases.clone(),
    };
    draft.add(EntityRef::Decision(id.clone()), opened);
    Ok(id)
}

/// A question with what could be chosen.
fn with_options(question: &Words, options: &[&str]) -> String {
    match options {
        [] => question.as_str().to_owned(),
        _ => format!("{}\n\n{}", question.as_str().trim_end(), options_line(options)),
    }
}

fn options_line(options: &[&str]) -> String {
    format!("Options: {}", options.iter().map(|option| option.trim()).collect::<Vec<_>>().join(" | "))
}

/// Two options that read alike are one: nobody could tell which of them was chosen.
fn must_differ(options: &[Words]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    match options.iter().find(|option| !seen.insert(folded(option.as_str()))) {
        None => Ok(()),
        Some(twice) => {
            let sentence = format!("the option {} is there twice", quoted_line(twice.as_str().trim(), 80));
            Err(Refusal::usage("same_option", sentence).hint("leave one of them out, or say how they differ"))
        }
    }
}

/// An option as it is compared: however it is written.
fn folded(option: &str) -> String {
    option.trim().to_lowercase()
}

/// The option that these words mean, where there are options.
fn among(options: &[String], said: &str) -> Option<String> {
    options.iter().find(|option| folded(option) == folded(said)).cloned()
}

/// Words that are none of the options.
fn not_an_option(said: &str) -> Refusal {
    Refusal::usage("not_an_option", format!("{} is none of the options", quoted_line(said.trim(), 80)))
}

fn listed(options: &[String]) -> String {
    options.iter().map(|option| quoted_line(option, 80)).collect::<Vec<_>>().join(" or ")
}

/// Refuses a question that could never be decided: superseding takes the right to decide the old one.
fn may_be_asked_anew(
    old: &Earlier,
    team: Option<&TeamConfig>,
    member: &Agent,
    context: &Context,
) -> Result<(), Refusal> {
    let id = &old.decision.id;
    if old.decision.superseded_by.is_some() {
        return Err(Refusal::conflict("superseded", format!("{id} was superseded before"))
            .hint(format!("interagent decision show {id} names its successor")));
    }
    // Where somebody above decides for everybody, that member decides about the old one too.
    let opener_decides = team.is_none_or(|team| team.formation == Formation::Peers);
    if opener_decides && !context.human { may_supersede(old, team, member) } else { Ok(()) }
}

fn may_supersede(old: &Earlier, team: Option<&TeamConfig>, member: &Agent) -> Result<(), Refusal> {
    let right = match &old.opener {
        Some(opener) => rules::may_decide(team, member, opener).is_ok(),
        None => member.is_human(),
    };
    if right {
        return Ok(());
    }
    let id = &old.decision.id;
    Err(Refusal::rule(
        "not_the_decider",
        format!("{} may not supersede {id}: it is not {0}'s to decide", member.name),
    )
    .hint("ask who may decide it, or the operator, to open the question"))
}

/// An earlier decision that gives way, with the message that asked for positions on it.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// The decision.
    pub decision: Decision,
    /// Its discussion.
    pub discussion: Option<Message>,
    /// Who asked; unknown where its registration has not arrived.
    pub opener: Option<Agent>,
    /// Messages that oblige somebody to decide it.
    pub due: Vec<Message>,
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
    /// Messages that oblige somebody to decide it.
    pub due: Vec<Message>,
    /// The earlier decision this one replaces.
    pub supersedes: Option<Earlier>,
    /// What could be chosen, in words, where all of them can be read.
    pub options: Vec<String>,
    /// The words of the question.
    pub question: String,
}

/// What is decided.
#[derive(Clone, Debug)]
pub struct Choice {
    /// In words: one of the options, where there are some.
    pub outcome: Words,
    /// Why.
    pub reason: Option<Words>,
    /// It is none of the options, and meant to be.
    pub other: bool,
}

impl DecideSnapshot {
    /// An outcome is one of the options, however it is written, or says that it is none of them and why.
    fn choose(&self, choice: &Choice) -> Result<String, Refusal> {
        let said = choice.outcome.as_str();
        if let Some(option) = among(&self.options, said) {
            return Ok(option);
        }
        if self.options.is_empty() || (choice.other && choice.reason.is_some()) {
            return Ok(choice.outcome.as_str().to_owned());
        }
        let refusal = match choice.other {
            true => Refusal::usage("reason_needed", "an outcome outside the options needs a reason"),
            false => not_an_option(said),
        };
        Err(refusal.hint(format!("choose {}, or pass --other with --reason", listed(&self.options))))
    }
}

/// Whether this member may decide a question that is open. A person always may.
pub fn is_decider(
    decision: &Decision,
    opener: Option<&Agent>,
    team: Option<&TeamConfig>,
    member: &Agent,
    human: bool,
) -> bool {
    let right = || opener.is_some_and(|opener| rules::may_decide(team, member, opener).is_ok());
    decision.outcome.is_none() && (human || right())
}

/// Decides a question, ends the duty to take a position, and tells who asked, was asked or took a position.
pub fn decide(
    snapshot: &DecideSnapshot,
    choice: &Choice,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let DecideSnapshot { team, member, opener, decision, discussion, due, supersedes, .. } = snapshot;
    must_be_open(decision).map_err(|refusal| {
        let may_supersede = context.human || rules::may_decide(team.as_ref(), member, opener).is_ok();
        match may_supersede && decision.superseded_by.is_none() {
            true => refusal.hint(Dialect::Shell.say(&Step::supersede_decision(decision.id.as_str()))),
            false => refusal,
        }
    })?;
    let superseded = supersedes.as_ref().filter(|old| old.decision.superseded_by.is_none());
    if !context.human {
        rules::may_decide(team.as_ref(), member, opener)?;
        superseded.map_or(Ok(()), |old| may_supersede(old, team.as_ref(), member))?;
    }
    let outcome = snapshot.choose(choice)?;
    let outcome_text = draft.plain(&outcome);
    let reason = draft.maybe(choice.reason.as_ref());
    let decided = DecisionDecided { outcome: outcome_text, by: member.id.clone(), reason };
    draft.add(EntityRef::Decision(decision.id.clone()), decided);
    withdraw(draft, discussion);
    settle_due(draft, due, &member.id);
    if let Some(old) = superseded {
        let superseded = DecisionSuperseded { by: decision.id.clone() };
        draft.add(EntityRef::Decision(old.decision.id.clone()), superseded);
        // No position can be taken on it from now on, so nobody may owe one.
        withdraw(draft, &old.discussion);
        withdraw(draft, &old.due);
    }
    let mut told: BTreeSet<AgentId> = decision.positions.keys().cloned().collect();
    told.extend(discussion.iter().flat_map(|message| message.deliveries.keys().cloned()));
    told.insert(opener.id.clone());
    let subject = format!("Decided: {}", subject_of(&outcome));
    let options: Vec<&str> = snapshot.options.iter().map(String::as_str).collect();
    let mut body = snapshot.question.trim_end().to_owned();
    if !options.is_empty() {
        body.push_str(&format!("\n{}", options_line(&options)));
    }
    body.push_str(&format!("\nDecided: {}", outcome.trim()));
    if let Some(reason) = &choice.reason {
        body.push_str(&format!("\nReason: {}", reason.as_str().trim()));
    }
    let notice = Notice::new(&decision.id, Intent::ContextShare, &subject).text(&body);
    // A person is notified of the outcome of their own question.
    if opener.is_human() && !context.human && told.remove(&opener.id) {
        let outcome = Notice { intent: Intent::Report, ..notice.clone() };
        outcome.post(&member.id, vec![opener.id.clone()], draft);
    }
    notice.post(&member.id, told.into_iter().collect(), draft);
    Ok(())
}

/// Ends what is still owed by these messages.
fn withdraw<'m>(draft: &mut Draft, messages: impl IntoIterator<Item = &'m Message>) {
    for message in messages {
        for (agent, _) in message.deliveries.iter().filter(|(_, delivery)| delivery.owes().is_some()) {
            draft_settle_for(draft, message, agent, Settlement::Withdrawn);
        }
    }
}

/// Ends the obligation to decide, for the member who did and for everybody else.
fn settle_due(draft: &mut Draft, due: &[Message], decider: &AgentId) {
    for message in due {
        for (agent, _) in message.deliveries.iter().filter(|(_, delivery)| delivery.owes().is_some()) {
            match agent == decider {
                true => draft_settle(draft, message, agent, Settlement::Completed, None),
                false => draft_settle_for(draft, message, agent, Settlement::Withdrawn),
            }
        }
    }
}

/// A message about a decision.
#[derive(Clone, Debug)]
struct Notice<'a> {
    decision: &'a DecisionId,
    intent: Intent,
    subject: &'a str,
    body: &'a str,
    quiet: bool,
    flow: Flow,
    also: Option<&'a str>,
}

impl<'a> Notice<'a> {
    fn new(decision: &'a DecisionId, intent: Intent, subject: &'a str) -> Self {
        Self { decision, intent, subject, body: "", quiet: false, flow: Flow::Outcome, also: None }
    }

    fn text(self, body: &'a str) -> Self {
        Self { body, ..self }
    }

    /// Refers to the decision in another way as well.
    fn pointing_at(self, kind: &'a str) -> Self {
        Self { also: Some(kind), ..self }
    }

    /// It opens the question, instead of telling what became of it.
    fn opening(self) -> Self {
        Self { flow: Flow::Work, ..self }
    }

    fn without_waking(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// Posts it; stores nothing when there is nobody to tell.
    fn post(self, from: &AgentId, mut to: Vec<AgentId>, draft: &mut Draft) -> Option<MessageId> {
        to.retain(|agent| agent != from);
        if to.is_empty() {
            return None;
        }
        let about = |kind: &str| Reference {
            kind: kind.to_owned(),
            target: self.decision.to_string(),
            first_line: None,
            last_line: None,
            text: None,
        };
        let refs = std::iter::once(DECISION_REF).chain(self.also).map(about).collect();
        let (subject, body) = (draft.plain(self.subject), draft.plain(self.body));
        let letter = Post::new(from, to, self.intent, subject, Some(body)).pointing_at(refs);
        let letter = Post { flow: self.flow, ..letter };
        post(draft, if self.quiet { letter.without_waking() } else { letter })
    }
}

fn must_be_open(decision: &Decision) -> Result<(), Refusal> {
    if let Some(later) = &decision.superseded_by {
        return Err(Refusal::conflict("superseded", format!("{} was superseded by {later}", decision.id))
            .hint(format!("interagent decision show {later}")));
    }
    if decision.outcome.is_none() {
        return Ok(());
    }
    Err(Refusal::conflict("decided", format!("{} is decided", decision.id))
        .hint(format!("interagent decision show {}", decision.id)))
}

#[cfg(test)]
mod tests;
