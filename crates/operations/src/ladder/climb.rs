//! One duty whose time on its rung is over: the step up, and what it says.

use interagent_core::decide::message::{self, Climb};
use interagent_core::draft::{Context, Draft};
use interagent_core::entity::Agent;
use interagent_core::event::Micros;
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::ladder::reset::Resettable;
use interagent_core::ladder::waking::Occasion;
use interagent_core::ladder::{self, Rung, Step};
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::{Ladder, TeamConfig};
use interagent_core::vocabulary::{Auth, TimerKind};
use interagent_store::observe::{Timer, TimerDue};
use interagent_store::reader::Reader;
use interagent_store::{NewEntry, Writer};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::judge::{Duty, Verdict, judge};
use super::{Act, Supervision, default, reset, story, wake};
use crate::call::Scene;
use crate::{identity, signals};

/// What a ladder timer knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) rung: Rung,
    /// A permission prompt was open when the rung's time was over.
    #[serde(default)]
    was_asking: bool,
}

impl Row {
    pub(super) fn on(rung: Rung) -> Self {
        Self { rung, was_asking: false }
    }

    pub(super) fn text(self) -> String {
        json!(self).to_string()
    }

    pub(super) fn of(timer: &Timer) -> Self {
        // One that can't be read begins anew.
        serde_json::from_str(&timer.doc).unwrap_or(Self::on(Rung::Wake))
    }
}

/// An entry of the program's own making, by the operator of this replica.
pub(super) fn entry_of(operator: &Agent, behalf: Option<&AgentId>, op: &'static str) -> NewEntry {
    NewEntry {
        actor: operator.id.clone(),
        behalf: behalf.cloned(),
        human: true,
        auth: Auth::Claimed,
        op,
        key: None,
    }
}

/// Takes the step that is due for a duty. The row and what is written about it are one transaction.
pub(super) fn climb(on: &mut Supervision<'_>, timer: &Timer) -> Result<Vec<Act>, Refusal> {
    let operator = on.store.read(identity::operator)?;
    let Ok(id) = MessageId::parse(&timer.subject) else {
        on.store.observe(|writer| writer.drop_timer(timer.kind, &timer.subject, &timer.agent))?;
        return Ok(Vec::new());
    };
    let (state_dir, abilities) = (on.state_dir, on.abilities);
    let mut acts = Vec::new();
    let mut is_to_wake = false;
    let effects = on.store.append(
        entry_of(&operator, Some(&timer.agent), "ladder.climb"),
        |writer, context| {
            let team = writer.look().team()?.map(|team| team.config);
            let mut ascent =
                Ascent { writer, context, operator: &operator, team, draft: Draft::new(context) };
            let resettable = |look: &mut Reader<'_>, duty: &Duty, ladder: &Ladder| {
                Ok(Resettable {
                    is_ready: reset::is_ready(look, abilities, state_dir, &duty.agent, ladder.reset_s)?,
                    is_captain: rules::is_captain(
                        look.team()?.map(|team| team.config).as_ref(),
                        &duty.agent.name,
                    ),
                })
            };
            if let Some((duty, rung, step)) = ascent.next_step(&id, timer, resettable)? {
                is_to_wake = step == Step::Remind;
                ascent.take(&duty, rung, step)?;
            }
            Ok::<_, Refusal>(ascent.draft)
        },
        |reader, appended| {
            let facts = appended.entry().map(|entry| entry.facts.as_slice()).unwrap_or_default();
            Ok::<_, Refusal>(signals::after(reader, facts))
        },
    )?;
    if !effects.is_empty() {
        acts.push(Act::Effects(effects));
    }
    if is_to_wake {
        acts.extend(wake::plan(on, &timer.agent, Occasion::News)?);
    }
    Ok(acts)
}

/// Whether a permission prompt is open in a living session of an agent.
fn is_asking(reader: &mut Reader<'_>, agent: &AgentId) -> Result<bool, Refusal> {
    Ok(reader.living_sessions(agent)?.iter().any(|session| !session.prompts.is_empty()))
}

/// One step, while it is decided.
struct Ascent<'s, 't, 'e> {
    writer: &'s mut Writer<'t, 'e>,
    context: &'s Context,
    operator: &'s Agent,
    team: Option<TeamConfig>,
    draft: Draft,
}

impl Ascent<'_, '_, '_> {
    /// Moves the row on, and says what is to be done. Nothing where somebody else did it, or nothing is owed any more.
    fn next_step(
        &mut self,
        id: &MessageId,
        timer: &Timer,
        resettable: impl FnOnce(&mut Reader<'_>, &Duty, &Ladder) -> Result<Resettable, Refusal>,
    ) -> Result<Option<(Duty, Rung, Step)>, Refusal> {
        let (subject, agent) = (timer.subject.as_str(), &timer.agent);
        let mut look = self.writer.look();
        let clock = look.clock();
        let Some(now) = look.timer(TimerKind::Ladder, subject, agent)? else { return Ok(None) };
        if !now.deadline.is_over(clock) {
            return Ok(None);
        }
        let Verdict::Climbs(duty) = judge(&mut look, self.team.as_ref(), id, agent)? else {
            self.writer.drop_timer(TimerKind::Ladder, subject, agent)?;
            return Ok(None);
        };
        // Its agent waits for a person, who was notified: that is not silence. The rung's time begins again with the answer.
        let row = Row::of(&now);
        let ladder = ladder::times(self.team.as_ref());
        if is_asking(&mut look, agent)? {
            let (due, row) = (TimerDue::In(ladder::ASKING_S), Row { was_asking: true, ..row });
            self.writer.put_timer(TimerKind::Ladder, subject, agent, due, &row.text())?;
            return Ok(None);
        }
        if row.was_asking {
            let stays = duty.way.again(&ladder, row.rung);
            let due = stays.for_s.map_or(TimerDue::Never, TimerDue::In);
            self.writer.put_timer(TimerKind::Ladder, subject, agent, due, &Row::on(stays.rung).text())?;
            return Ok(None);
        }
        let next = duty.way.next(&ladder, row.rung);
        let seen = match next.rung {
            Rung::Reset => resettable(&mut look, &duty, &ladder)?,
            _ => Resettable::default(),
        };
        let step = ladder::step(&ladder, duty.way, next.rung, seen);
        let due = next.for_s.map_or(TimerDue::Never, TimerDue::In);
        self.writer.put_timer(TimerKind::Ladder, subject, agent, due, &Row::on(next.rung).text())?;
        Ok(Some((*duty, next.rung, step)))
    }

    fn take(&mut self, duty: &Duty, rung: Rung, step: Step) -> Result<(), Refusal> {
        match step {
            Step::Remind => self.remind(duty),
            Step::Wait => Ok(()),
            Step::Dashboard => {
                if let Some(captain) = &duty.superior
                    && message::raise(&duty.matter, &duty.agent, captain, &mut self.draft)
                {
                    self.trace("ladder.captain", duty, rung)?;
                }
                Ok(())
            }
            // Whoever carries control messages out does it, tries again where it would disturb somebody, and records it.
            Step::Reset => {
                let material = story::gather(&mut self.writer.look(), self.team.as_ref(), duty, None)?;
                let words = material.story().first_words();
                message::reset(&duty.matter.id, &duty.agent, self.operator, &words, &mut self.draft);
                self.trace("ladder.reset_asked", duty, rung)
            }
            Step::AskSuperior => {
                if let Some(superior) = &duty.superior
                    && self.ask(duty, superior, None)?
                {
                    self.trace("ladder.superior", duty, rung)?;
                }
                Ok(())
            }
            Step::AskOperator => {
                let ladder = ladder::times(self.team.as_ref());
                let span = Micros::from(ladder.operator_deadline_s).saturating_mul(1_000_000);
                let deadline = self.context.now.saturating_add(span);
                if self.ask(duty, &self.operator.clone(), Some(deadline))? {
                    self.trace("ladder.operator", duty, rung)?;
                }
                Ok(())
            }
            Step::Default(default) => {
                self.trace("ladder.default", duty, rung)?;
                let team = self.team.clone();
                let member = self.operator.clone();
                let mut scene = Scene { writer: self.writer, context: self.context, member, team };
                default::apply(&mut scene, duty, default, &mut self.draft)
            }
        }
    }

    /// Who has the message and is silent is to be told again: there is no mail left that could wake it.
    fn remind(&mut self, duty: &Duty) -> Result<(), Refusal> {
        let delivery = duty.matter.deliveries.get(&duty.agent.id);
        if delivery.is_some_and(|delivery| delivery.delivered.is_some()) {
            let (subject, agent) = (duty.matter.id.as_str(), &duty.agent.id);
            self.writer.put_timer(TimerKind::Remind, subject, agent, TimerDue::Never, "{}")?;
        }
        Ok(())
    }

    /// Asks somebody above. Whether they were not asked before.
    fn ask(&mut self, duty: &Duty, to: &Agent, deadline: Option<Micros>) -> Result<bool, Refusal> {
        let terms = deadline.map(|at| (at, ladder::times(self.team.as_ref()).operator_default));
        let material = story::gather(&mut self.writer.look(), self.team.as_ref(), duty, terms)?;
        let step = Climb { matter: &duty.matter, agent: &duty.agent, to, story: &material.story(), deadline };
        Ok(message::climb(&step, &mut self.draft).is_some())
    }

    fn trace(&mut self, what: &str, duty: &Duty, rung: Rung) -> Result<(), Refusal> {
        let data = json!({ "agent": duty.agent.id, "message": duty.matter.id, "rung": rung });
        Ok(self.writer.trace(what, &data.to_string())?)
    }
}
