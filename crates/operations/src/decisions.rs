//! Decisions: opening a question, taking a position, deciding, looking.

use interagent_core::decide::decision::{
    self, Choice, DecideSnapshot, Earlier, PositionSnapshot, Question, Stand,
};
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Decision, Message};
use interagent_core::event::Fact;
use interagent_core::ids::{AgentId, DecisionId, EntityRef};
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::Duty;
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{DecisionView, Page, PositionView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use crate::call::{Call, Scene};
use crate::identity::Known;
use crate::names::Names;
use crate::tasks::snapshot;
use crate::{input, resolve};

pub(crate) fn open(call: &mut Call<'_>, params: &ask::DecisionOpen) -> Result<Answer, Refusal> {
    let question = Words::note("the question", &params.question)?;
    let options = params
        .options
        .iter()
        .map(|option| Words::note("an option", option))
        .collect::<Result<Vec<_>, _>>()?;
    let aliases = input::aliases(&params.aliases)?;
    call.write(
        |scene| {
            let (member, team) = (scene.member.clone(), scene.team.clone());
            let mut look = scene.look();
            let asked = asked(&mut look, team.as_ref(), &member, params)?;
            resolve::must_be_free(&mut look, &aliases)?;
            let supersedes = match params.supersedes.as_deref() {
                None => None,
                Some(given) => {
                    let old = resolve::decision(&mut look, given)?;
                    Some(earlier(&mut look, old)?)
                }
            };
            let deadline = params.deadline.map(|deadline| deadline.0);
            let question = Question { question, options, asked, deadline, supersedes, aliases };
            let mut draft = scene.draft();
            decision::open(&question, scene.team.as_ref(), &member, scene.context, &mut draft)?;
            Ok(draft)
        },
        answer,
    )
}

/// The agents asked for a position: the named ones, or everybody the opener may ask.
fn asked(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    opener: &Agent,
    params: &ask::DecisionOpen,
) -> Result<Vec<Agent>, Refusal> {
    if params.quiet && !params.to.is_empty() {
        return Err(
            Refusal::usage("quiet_and_to", "a quiet decision asks nobody").hint("leave out --to or --quiet")
        );
    }
    if params.quiet {
        return Ok(Vec::new());
    }
    if !params.to.is_empty() {
        return Ok(resolve::recipients(reader, &params.to, opener)?.0);
    }
    let here = members_here(reader)?;
    Ok(rules::asked_by_default(team, opener, &here).into_iter().cloned().collect())
}

/// The members of this replica that take part.
fn members_here(reader: &mut Reader<'_>) -> Result<Vec<Agent>, Refusal> {
    let mut here = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_none() && reader.is_home(&agent.home)? {
            here.push(agent);
        }
    }
    Ok(here)
}

pub(crate) fn position(call: &mut Call<'_>, params: &ask::DecisionPosition) -> Result<Answer, Refusal> {
    let stand = Stand {
        position: Words::note("the position", &params.position)?,
        reason: params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?,
    };
    call.write(
        |scene| {
            let (team, member) = (scene.team.clone(), scene.member.clone());
            let mut look = scene.look();
            let decision = resolve::decision(&mut look, &params.decision)?;
            let snapshot = standing(&mut look, team.as_ref(), member, decision)?;
            let mut draft = scene.draft();
            decision::position(&snapshot, &stand, scene.context, &mut draft)?;
            Ok(draft)
        },
        answer,
    )
}

/// What taking a position needs to know.
fn standing(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    member: Agent,
    decision: Decision,
) -> Result<PositionSnapshot, Refusal> {
    let here = members_here(reader)?;
    let mut deciders: Vec<Agent> = reader.agent(&decision.brief.by)?.into_iter().collect();
    for decider in rules::deciders(team, &here) {
        if deciders.iter().all(|other| other.id != decider.id) {
            deciders.push(decider.clone());
        }
    }
    let opener = reader.agent(&decision.brief.by)?;
    let must_decide = rules::must_decide(team, opener.as_ref(), &here).map(|agent| agent.id.clone());
    let captain =
        deciders.iter().find(|agent| rules::is_captain(team, &agent.name)).map(|agent| agent.id.clone());
    let discussion = discussion(reader, &decision)?;
    let mut retired = Vec::new();
    for asked in discussion.iter().flat_map(|message| message.deliveries.keys()) {
        if reader.agent(asked)?.is_some_and(|agent| agent.retired.is_some()) {
            retired.push(asked.clone());
        }
    }
    Ok(PositionSnapshot {
        question: Names::new(reader).line(&decision.brief.question)?,
        options: options(reader, &decision)?,
        discussion,
        must_decide,
        due: due(reader, &decision)?,
        retired,
        member,
        deciders,
        captain,
        decision,
    })
}

pub(crate) fn decide(call: &mut Call<'_>, params: &ask::DecisionDecide) -> Result<Answer, Refusal> {
    let choice = Choice {
        outcome: Words::note("the outcome", &params.outcome)?,
        reason: params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?,
        other: params.other,
    };
    call.write(
        |scene| {
            let (team, member) = (scene.team.clone(), scene.member.clone());
            let mut look = scene.look();
            let decision = resolve::decision(&mut look, &params.decision)?;
            let snapshot = DecideSnapshot {
                member,
                opener: known_agent(&mut look, &decision.brief.by)?,
                discussion: discussion(&mut look, &decision)?,
                due: due(&mut look, &decision)?,
                supersedes: superseded(&mut look, &decision)?,
                options: options(&mut look, &decision)?,
                question: Names::new(&mut look).line(&decision.brief.question)?,
                decision,
                team,
            };
            let mut draft = scene.draft();
            decision::decide(&snapshot, &choice, scene.context, &mut draft)?;
            Ok(draft)
        },
        answer,
    )
}

/// Asks for the decision where this message asked for positions, and the member who answers it was the last to.
pub(crate) fn answered(
    scene: &mut Scene<'_, '_, '_>,
    message: &Message,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let (team, member) = (scene.team.clone(), scene.member.clone());
    let owes = message.owed_by(&member.id) == Some(Duty::Position);
    let Some(id) = message.links().decision.filter(|_| owes) else { return Ok(()) };
    let mut look = scene.look();
    let decision = resolve::decision(&mut look, &id)?;
    let snapshot = standing(&mut look, team.as_ref(), member, decision)?;
    decision::answered(&snapshot, draft);
    Ok(())
}

/// Asks for each decision that only the position of this member was missing for. It is about to retire.
pub(crate) fn retires(
    scene: &mut Scene<'_, '_, '_>,
    leaver: &Agent,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let team = scene.team.clone();
    let mut look = scene.look();
    let mut owed = look.owed_by(&leaver.id, limits::PAGE_MAX)?;
    owed.retain(|due| due.duty == Duty::Position);
    for message in snapshot::messages(&mut look, &owed)? {
        let Some(id) = message.links().decision else { continue };
        let decision = resolve::decision(&mut look, &id)?;
        let mut snapshot = standing(&mut look, team.as_ref(), leaver.clone(), decision)?;
        if snapshot.must_decide.as_ref() == Some(&leaver.id) {
            snapshot.must_decide = decider_without(&mut look, team.as_ref(), leaver)?;
        }
        decision::answered(&snapshot, draft);
    }
    Ok(())
}

/// The member who has to decide a question that this one leaves.
fn decider_without(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    leaver: &Agent,
) -> Result<Option<AgentId>, Refusal> {
    let mut here = members_here(reader)?;
    here.retain(|agent| agent.id != leaver.id);
    Ok(rules::must_decide(team, None, &here).map(|agent| agent.id.clone()))
}

/// The message that asked for positions, where there is one.
fn discussion(reader: &mut Reader<'_>, decision: &Decision) -> Result<Option<Message>, Refusal> {
    Ok(match &decision.brief.message {
        Some(message) => reader.message(message)?,
        None => None,
    })
}

/// The messages that oblige somebody to decide this question, also one that the team's rules name no more.
fn due(reader: &mut Reader<'_>, decision: &Decision) -> Result<Vec<Message>, Refusal> {
    let mut messages = reader.owed_answers_mentioning(decision.id.as_str())?;
    messages.retain(|message| message.links().decide.as_deref() == Some(decision.id.as_str()));
    Ok(messages)
}

fn superseded(reader: &mut Reader<'_>, decision: &Decision) -> Result<Option<Earlier>, Refusal> {
    let Some(id) = &decision.brief.supersedes else { return Ok(None) };
    reader.decision(id)?.map(|old| earlier(reader, old)).transpose()
}

fn earlier(reader: &mut Reader<'_>, decision: Decision) -> Result<Earlier, Refusal> {
    let opener = reader.agent(&decision.brief.by)?;
    let due = due(reader, &decision)?;
    Ok(Earlier { discussion: discussion(reader, &decision)?, opener, due, decision })
}

/// The options in words; none where one of them can't be read, so that nobody is held to half a list.
fn options(reader: &mut Reader<'_>, decision: &Decision) -> Result<Vec<String>, Refusal> {
    let mut options = Vec::with_capacity(decision.brief.options.len());
    for option in &decision.brief.options {
        match reader.text_state(option)?.whole() {
            Some(words) => options.push(words),
            None => return Ok(Vec::new()),
        }
    }
    Ok(options)
}

fn known_agent(reader: &mut Reader<'_>, id: &AgentId) -> Result<Agent, Refusal> {
    reader.agent(id)?.ok_or_else(|| {
        Refusal::not_found("no_such_agent", format!("{id}, who asked, is not known here yet"))
            .hint("its replica has not been heard of yet")
    })
}

/// The decision that the entry is about, as it is now. Each of these operations writes exactly one fact that is not
/// about being superseded to exactly one decision, and writes it before any other decision's.
fn answer(reader: &mut Reader<'_>, appended: &Appended) -> Result<Answer, Refusal> {
    let facts = appended.entry().map_or(&[][..], |entry| entry.facts.as_slice());
    let Some(decision) = facts.iter().find_map(decision_of) else {
        return Err(
            Refusal::unavailable("store_damaged", "the entry names no decision").hint("interagent doctor")
        );
    };
    let decision = reader.decision(decision)?;
    let decision = decision.ok_or_else(|| Refusal::not_found("not_found", "the decision is not there"))?;
    let (member, actor) = match appended.entry().map(|entry| &entry.envelope) {
        Some(envelope) => (reader.agent(envelope.member())?, reader.agent(&envelope.actor)?),
        None => (None, None),
    };
    let asks = Asks::new(reader, member, actor.is_some_and(|actor| actor.is_human()))?;
    Ok(view(&mut Names::new(reader), &decision, &asks)?.into())
}

fn decision_of(fact: &Fact) -> Option<&DecisionId> {
    match &fact.entity {
        EntityRef::Decision(id) => Some(id),
        _ => None,
    }
}

pub(crate) fn list(call: &mut Call<'_>, params: &ask::DecisionList) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit);
    let start = resolve::page_start(params.after.as_deref())?;
    call.read(|reader, known| {
        let asks = Asks::known(reader, known)?;
        // One more than wanted tells whether there is a next page.
        let mut decisions = reader.decisions(params.open, &start, limit + 1)?;
        let more = decisions.len() > limit as usize;
        decisions.truncate(limit as usize);
        let last = decisions.last().filter(|_| more);
        let next = last.map(|decision| resolve::page_end(decision.opened.at, decision.id.as_str()));
        let mut names = Names::new(reader);
        let items = decisions
            .iter()
            .map(|decision| view(&mut names, decision, &asks))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Page { items, next }.into())
    })
}

pub(crate) fn show(call: &mut Call<'_>, params: &ask::DecisionShow) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let asks = Asks::known(reader, known)?;
        let decision = resolve::decision(reader, &params.decision)?;
        Ok(view(&mut Names::new(reader), &decision, &asks)?.into())
    })
}

/// Who looks at a decision, for what they may do with it.
struct Asks {
    team: Option<TeamConfig>,
    /// `None` for one the hub does not know.
    member: Option<Agent>,
    human: bool,
}

impl Asks {
    fn new(reader: &mut Reader<'_>, member: Option<Agent>, human: bool) -> Result<Self, Refusal> {
        Ok(Self { team: reader.team()?.map(|team| team.config), member, human })
    }

    fn known(reader: &mut Reader<'_>, known: &Known) -> Result<Self, Refusal> {
        match known {
            Known::Bound(identity) => {
                Self::new(reader, Some(identity.member().clone()), identity.actor.is_human())
            }
            Known::Unbound { .. } => Self::new(reader, None, false),
        }
    }

    fn may_decide(&self, reader: &mut Reader<'_>, decision: &Decision) -> Result<bool, Refusal> {
        let Some(member) = self.member.as_ref().filter(|_| decision.outcome.is_none()) else {
            return Ok(false);
        };
        let opener = reader.agent(&decision.brief.by)?;
        Ok(decision::is_decider(decision, opener.as_ref(), self.team.as_ref(), member, self.human))
    }
}

fn view(names: &mut Names<'_, '_>, decision: &Decision, asks: &Asks) -> Result<DecisionView, Refusal> {
    let mut positions = Vec::with_capacity(decision.positions.len());
    for (agent, taken) in &decision.positions {
        positions.push(PositionView {
            agent: names.who(agent)?,
            position: names.text(&taken.position)?,
            reason: names.maybe_text(taken.reason.as_ref())?,
            at: Time(taken.when.wall),
        });
    }
    let outcome = decision.outcome.as_ref();
    Ok(DecisionView {
        id: decision.id.to_string(),
        question: names.text(&decision.brief.question)?,
        options: names.lines(&decision.brief.options)?,
        by: names.who(&decision.brief.by)?,
        opened: Time(decision.opened.wall),
        deadline: decision.brief.deadline.map(Time),
        positions,
        outcome: names.maybe_text(outcome.map(|end| &end.outcome))?,
        decided_by: names.maybe_who(outcome.map(|end| &end.by))?,
        reason: names.maybe_text(outcome.and_then(|end| end.reason.as_ref()))?,
        decided: outcome.map(|end| Time(end.when.wall)),
        supersedes: decision.brief.supersedes.as_ref().map(ToString::to_string),
        superseded_by: decision.superseded_by.as_ref().map(ToString::to_string),
        may_decide: asks.may_decide(names.reader, decision)?,
    })
}
