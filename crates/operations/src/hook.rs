//! Hooks: what a client tells of, and what its agent is told in turn.
//!
//! Most hooks have nothing to say: then one snapshot is read and nothing is written but a sign of life. A message is
//! offered before it is said; the session's next hook is the evidence that it arrived.

mod context;
mod hand_over;
mod life;
mod prompts;
mod remind;
pub(crate) mod unnamed;

use std::path::Path;

use interagent_core::collect::{self, WakeDue};
use interagent_core::entity::Agent;
use interagent_core::hook::{self, Hearer, Occasion};
use interagent_core::ids::MessageId;
use interagent_core::phrasing::Dialect;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::{Auth, Moment, SessionState, Via};
use interagent_store::observe::SessionRow;
use interagent_store::reader::{MailRow, Reader};
use interagent_store::{Writer, live};
use interagent_wire::answer::HookView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::call::Call;
use crate::identity::{self, Identity, Known};
use crate::mail::{self, NOBODY};
use crate::names::who;
use crate::record::briefing;
use crate::{operator, scan, sessions, tools};
use context::Heard;
use hand_over::HandOver;
use prompts::Outcome;

/// Messages looked at for a hand-over: those that wait for another moment may stand before the others.
const LOOKED_AT: u32 = 100;

/// Tells the hub what happened, and answers with what is said.
pub(crate) fn hook(call: &mut Call<'_>, params: &ask::SessionHook) -> Result<Answer, Refusal> {
    let Some(moment) = params.moment else {
        return Err(Refusal::usage("bad_hook", "it is not said what happened: name the `moment`"));
    };
    let as_bind = as_bind(params, call.caller);
    sessions::check(&as_bind)?;
    let occasion =
        Occasion { moment, heard: params.heard, looping: params.looping, in_subagent: params.subagent };
    let is_first = moment == Moment::Start && live::sign_of(call.state_dir, params.session.trim()).is_none();
    let visit = Visit::new(occasion, params, is_first);
    if moment == Moment::TurnEnd {
        // Idle first, then the look: whoever sends in between finds it idle, or is found.
        visit.note_life(call, false);
    }
    let seen = match moment {
        Moment::Start if call.store.read(|reader| visit.was_announced(reader))? => {
            call.store.read(|reader| visit.look(reader))?
        }
        // A session that begins again may have another process, and can be woken otherwise than before.
        Moment::Start => Seen::Unknown,
        _ => call.store.read(|reader| visit.look(reader))?,
    };
    let answer = match seen {
        Seen::Unknown if moment == Moment::End => {
            unnamed::forget(call.state_dir, &params.session);
            return Ok(unknown().into());
        }
        Seen::Unknown if !params.bind => return Ok(unknown().into()),
        Seen::Unknown => visit.arrive(call, &as_bind)?,
        Seen::Quiet => said_nothing(),
        Seen::Something(agent) => visit.act(call, *agent)?,
    };
    if answer.known && (moment != Moment::TurnEnd || answer.text.is_some()) {
        visit.note_life(call, answer.text.is_some());
    }
    if visit.prompts.has_opened() {
        operator::reached(call);
    }
    if let Some(heard) = visit.heard_of_context().filter(|_| answer.known) {
        // What was handed over stands; this is heard again with the next hook.
        let _ = context::note(call, params.session.trim(), heard);
    }
    Ok(answer.into())
}

/// Somebody saw on a client's screen how many percent of its context are left.
pub(crate) fn saw_context(call: &mut Call<'_>, session: &str, left: u8) -> Result<(), Refusal> {
    context::note(call, session, Heard::Left(left))
}

/// When a session is woken, and where the log stands, if something waits that may wake it.
pub(crate) fn may_wake(reader: &mut Reader<'_>, session: &str) -> Result<Option<(WakeDue, i64)>, Refusal> {
    let params = ask::SessionHook { session: session.to_owned(), ..ask::SessionHook::default() };
    let occasion = Occasion { moment: Moment::Wait, heard: true, looping: false, in_subagent: false };
    let visit = Visit::new(occasion, &params, false);
    match visit.look(reader)? {
        Seen::Something(agent) => {
            let due = visit.wake_due(reader, &agent)?;
            Ok(Some((due, reader.head()?.seq)))
        }
        Seen::Unknown | Seen::Quiet => Ok(None),
    }
}

fn unknown() -> HookView {
    HookView { known: false, ..said_nothing() }
}

fn said_nothing() -> HookView {
    HookView {
        known: true,
        agent: None,
        text: None,
        notice: None,
        briefed: false,
        messages: Vec::new(),
        stamp: None,
    }
}

fn holder_of(session: &str) -> String {
    Caller { session: Some(session.trim().to_owned()), ..Caller::default() }.holder()
}

/// The binding that follows from a hook. Whoever names the agent may join a session that it has already.
fn as_bind(params: &ask::SessionHook, caller: &Caller) -> ask::SessionBind {
    ask::SessionBind {
        session: params.session.clone(),
        agent: caller.agent.clone(),
        profile: params.profile.clone(),
        pid: params.pid,
        started: None,
        boot: None,
        pane: params.pane.clone(),
        cwd: params.cwd.clone(),
        state: None,
        join: caller.agent.is_some(),
    }
}

/// What one look shows.
enum Seen {
    /// The session is bound to nobody.
    Unknown,
    /// There is nothing to say and nothing to write.
    Quiet,
    Something(Box<Agent>),
}

/// One hook in progress.
struct Visit<'p> {
    occasion: Occasion,
    holder: String,
    params: &'p ask::SessionHook,
    /// The session begins, and no hook of it was heard before.
    is_first: bool,
    /// What this did to the permission prompts of the session.
    prompts: Outcome,
}

impl<'p> Visit<'p> {
    fn new(occasion: Occasion, params: &'p ask::SessionHook, is_first: bool) -> Self {
        let holder = holder_of(&params.session);
        Self { occasion, holder, params, is_first, prompts: Outcome::default() }
    }
}

impl Visit<'_> {
    /// Whether somebody bound and briefed the session before its client was started, as a run does.
    fn was_announced(&self, reader: &mut Reader<'_>) -> Result<bool, Refusal> {
        let row = reader.session(self.params.session.trim())?;
        Ok(self.is_first && row.is_some_and(|row| row.briefed))
    }

    /// What this says of how much context is left.
    fn heard_of_context(&self) -> Option<Heard> {
        let has_forgotten = match self.occasion.moment {
            Moment::Start => !self.is_first,
            moment => moment == Moment::Compact,
        };
        let is_own = !self.occasion.in_subagent;
        let left = self.params.context_left.filter(|left| is_own && *left <= 100).map(Heard::Left);
        left.or((has_forgotten && is_own).then_some(Heard::Forgotten))
    }

    /// Whether the agent is told who it is. A session that begins again has forgotten it.
    fn briefs(&self, row: &SessionRow) -> bool {
        let has_forgotten = self.occasion.moment == Moment::Start && !self.is_first;
        self.occasion.briefs() && (has_forgotten || !row.briefed)
    }

    fn look(&self, reader: &mut Reader<'_>) -> Result<Seen, Refusal> {
        let Some(row) = reader.session(self.params.session.trim())? else { return Ok(Seen::Unknown) };
        let Some(agent) = self.owner(reader, &row)? else { return Ok(Seen::Unknown) };
        let occasion = &self.occasion;
        self.prompts.saw(&row.prompts);
        // A person closed the window in the middle of a turn. Mail would keep a turn going that nobody sees.
        if row.viewed && occasion.hands_over() && row.is_gone(reader.clock()) {
            return Ok(Seen::Quiet);
        }
        let is_something = occasion.moment == Moment::End
            || (occasion.moment == Moment::Compact && row.briefed)
            || (occasion.moment == Moment::Start)
            || self.briefs(&row)
            || prompts::after(&row.prompts, self.params, 0).is_some()
            || self.params.remark.is_some()
            || (row.remark.is_some() && occasion.hands_over())
            || (occasion.is_evidence() && row.reports_told.is_some())
            || (occasion.is_evidence() && !self.offered(reader, &agent)?.is_empty())
            || (occasion.hands_over() && !self.waiting(reader, &agent)?.is_empty())
            || remind::is_to_remind(reader, occasion, &agent, &row)?
            || (occasion.scans() && scan::since_last_turn(reader, &agent)?.is_some())
            || self.has_heirs_right(reader, &agent)?;
        Ok(match is_something {
            true => Seen::Something(Box::new(agent)),
            false => Seen::Quiet,
        })
    }

    /// Whether another session of the agent is dead, so that what it was offered comes here. Looked into where a person is
    /// near.
    fn has_heirs_right(&self, reader: &mut Reader<'_>, agent: &Agent) -> Result<bool, Refusal> {
        if self.occasion.moment != Moment::Prompt {
            return Ok(false);
        }
        let sessions = reader.unended_sessions(Some(&agent.id))?;
        Ok(sessions.iter().any(|other| other.is_gone(reader.clock())))
    }

    /// Whose the session is, while it goes on and its agent takes part. One of another kind of client is not meant: its id
    /// was inherited.
    fn owner(&self, reader: &mut Reader<'_>, row: &SessionRow) -> Result<Option<Agent>, Refusal> {
        let is_other = self.params.profile.as_ref().is_some_and(|profile| *profile != row.profile);
        let has_ended = row.state == SessionState::Ended
            || row.is_of_earlier_run(reader.clock())
            // Looked into where a person is near: another process may have resumed it.
            || (self.occasion.moment == Moment::Prompt && row.is_gone(reader.clock()));
        // A session that joined by its own call has no viewer yet, so mail can't wake it. Look for the viewer at
        // the end of that turn and on the next prompt.
        let is_incomplete = self.params.looks_again
            && row.wake.is_none()
            && match self.occasion.moment {
                Moment::Prompt => true,
                Moment::TurnEnd => row.pane.is_none(),
                _ => false,
            };
        let has_ended = has_ended || is_other || is_incomplete;
        let agent = match has_ended {
            true => None,
            false => reader.agent(&row.agent)?.filter(|agent| agent.retired.is_none()),
        };
        match agent {
            Some(agent) if reader.is_home(&agent.home)? => Ok(Some(agent)),
            _ => Ok(None),
        }
    }

    /// What could be handed over now: offered to nobody, also not to this session by another hook.
    fn waiting(&self, reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<MailRow>, Refusal> {
        let mut rows = reader.takeable(&agent.id, NOBODY, LOOKED_AT)?;
        rows.retain(|row| self.occasion.is_for(row.message.priority, row.message.quiet));
        Ok(rows)
    }

    /// When what waits wakes the session: mail that only informs waits for company, anything else is due.
    fn wake_due(&self, reader: &mut Reader<'_>, agent: &Agent) -> Result<WakeDue, Refusal> {
        let mail = self.waiting(reader, agent)?;
        let due = collect::wake_due(mail.iter().map(|row| &row.message), &agent.id, reader.now());
        let has_remark = reader.session(self.params.session.trim())?.is_some_and(|row| row.remark.is_some());
        let is_alone = !has_remark && reader.reminders(&agent.id)?.is_empty();
        Ok(if is_alone && due != WakeDue::Never { due } else { WakeDue::Now })
    }

    /// A session that was not known: it is bound to its agent, or told how to become one.
    fn arrive(&self, call: &mut Call<'_>, bind: &ask::SessionBind) -> Result<HookView, Refusal> {
        let caller = call.caller;
        let process = sessions::process(bind, caller)?;
        let client = process.clone();
        let bound = call.store.observe(|writer| {
            let mut look = writer.look();
            if let Known::Unbound { how, .. } = identity::identify(&mut look, caller)? {
                return Ok(Err(how));
            }
            let agent = sessions::whose(&mut look, caller, bind.agent.as_deref())?;
            let id = bind.session.trim();
            let mut row = sessions::bind_in(writer, &agent, bind, caller, process, id)?;
            row.wake = self.params.wake;
            row.viewed = self.params.viewed;
            writer.put_session(&row)?;
            sessions::end_shown_before(writer, &row)?;
            // The client may have died before its model had what it was told, and been resumed.
            writer.lapse_offers(&self.holder)?;
            Ok::<_, Refusal>(Ok(agent))
        })?;
        match bound {
            Ok(agent) => {
                unnamed::forget(call.state_dir, &bind.session);
                self.act(call, agent)
            }
            // Hooks for all projects invite nobody into the user's own hub.
            Err(_) if self.params.uninvited => Ok(unknown()),
            Err(how) => {
                unnamed::note(call.state_dir, self.params, client);
                self.invite(call, &how)
            }
        }
    }

    /// Whoever is nobody is told once how to take part.
    fn invite(&self, call: &mut Call<'_>, how: &str) -> Result<HookView, Refusal> {
        let session = self.params.session.trim();
        let is_told = live::sign_of(call.state_dir, session).is_some();
        if is_told || !self.occasion.briefs() {
            return Ok(unknown());
        }
        let members = call.read(|reader, _| {
            let mut names = Vec::new();
            for agent in reader.agents()? {
                if agent.retired.is_none() && !agent.is_human() && reader.is_home(&agent.home)? {
                    names.push(agent.name);
                }
            }
            Ok(names)
        })?;
        // Where that can't be noted it is said again.
        let _ = live::heard(call.state_dir, session, SessionState::Busy);
        let notice = self.params.client.as_deref().map(hook::unnamed_notice);
        let note = tools::noted(self.params, 0)
            .filter(|note| note.configured || live::has_server(call.state_dir, &note.host));
        let dialect = Dialect::of(note.as_ref().map(|note| note.names.as_str()));
        Ok(HookView { text: Some(hook::invitation(how, &members, dialect)), notice, ..unknown() })
    }

    /// Confirms, offers and says what there is to say, in one transaction.
    fn act(&self, call: &mut Call<'_>, agent: Agent) -> Result<HookView, Refusal> {
        let id = self.params.session.trim();
        if self.occasion.moment == Moment::End {
            return call.store.observe(|writer| {
                if let Some(row) = writer.look().session(id)? {
                    sessions::end_session(writer, row)?;
                }
                Ok(said_nothing())
            });
        }
        let has_evidence = self.occasion.is_evidence()
            && !call.store.read(|reader| self.offered(reader, &agent))?.is_empty();
        if !has_evidence {
            let state_dir = call.state_dir;
            return call.store.observe(|writer| self.say(writer, &agent, &[], state_dir));
        }
        let identity = Identity {
            actor: agent.clone(),
            behalf: None,
            auth: Auth::Session,
            how: "the client's session was bound".to_owned(),
        };
        let mut said = None;
        let state_dir = call.state_dir;
        call.write_as(
            &identity,
            |scene| {
                let arrived = self.offered(&mut scene.look(), &agent)?;
                let draft = mail::arrived(scene, &self.holder, |message| arrived.contains(message))?;
                said = Some(self.say(scene.writer, &agent, &arrived, state_dir)?);
                Ok(draft)
            },
            |_, _| Ok(()),
        )?;
        said.ok_or_else(|| Refusal::unavailable("hook", "nothing was decided"))
    }

    /// What this session was offered before and now shows to have.
    fn offered(&self, reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<MessageId>, Refusal> {
        let mut offers = reader.offers_to(&self.holder)?;
        // A model may think for longer than an offer stands. Nobody else took it meanwhile, so what the session shows counts.
        // What went another way is confirmed by whoever handed it over.
        offers.retain(|offer| {
            let is_ours = offer.agent == agent.id && offer.via == Via::Hook;
            is_ours && self.params.printed.contains(&offer.offered) && !offer.was_taken_back()
        });
        Ok(offers.into_iter().map(|offer| offer.message).collect())
    }

    /// Offers what waits, and composes what is said. What has just arrived counts as waiting until this is committed.
    fn say(
        &self,
        writer: &mut Writer<'_, '_>,
        agent: &Agent,
        arrived: &[MessageId],
        state_dir: &Path,
    ) -> Result<HookView, Refusal> {
        let id = self.params.session.trim();
        let Some(mut row) = writer.look().session(id)? else { return Ok(unknown()) };
        let before = row.clone();
        let now = writer.look().now();
        if let Some(noted) = tools::noted(self.params, now) {
            row.tools = Some(noted);
        }
        let tools = tools::names(state_dir, &row, now);
        let dialect = Dialect::of(tools.as_deref());
        let occasion = &self.occasion;
        if let Some(after) = prompts::after(&row.prompts, self.params, writer.look().now()) {
            self.prompts.note(&row.prompts, &after);
            row.prompts = after;
        }
        let mut parts = Vec::new();
        if self.occasion.moment == Moment::Compact {
            row.briefed = false;
        }
        if self.has_heirs_right(&mut writer.look(), agent)? {
            sessions::end_gone(writer, agent)?;
        }
        let handed = match occasion.hands_over() {
            true => {
                let is_briefed = row.briefed || self.briefs(&row);
                let hearer = if is_briefed { Hearer::Briefed } else { Hearer::Unbriefed };
                self.hand_over(writer, agent, (hearer, dialect), arrived)?
            }
            false => HandOver::default(),
        };
        if let Some(upto) = row.reports_told.filter(|_| occasion.is_evidence()) {
            scan::has_seen(writer, agent, upto)?;
            row.reports_told = None;
        }
        let briefs = self.briefs(&row);
        if briefs {
            let told = briefing::by_hook(&mut writer.look(), agent, dialect)?;
            row.reports_told = told.reports_upto.or(row.reports_told);
            parts.push(told.text());
            row.briefed = true;
        } else if (occasion.scans() || (occasion.moment == Moment::Wait && handed.text.is_some()))
            && let Some(scan) = scan::since_last_turn(&mut writer.look(), agent)?
        {
            parts.push(hook::reports(&scan.listed(), dialect));
            row.reports_told = Some(scan.upto);
        }
        let remarks = row.remark.take().into_iter().chain(self.params.remark.clone()).collect::<Vec<_>>();
        match occasion.hands_over() {
            true => parts.extend(remarks.iter().map(|remark| dialect.translate(remark))),
            // The newest counts; a client that never listens must not collect them.
            false => row.remark = remarks.into_iter().next_back(),
        }
        parts.extend(handed.text);
        if let Some(again) = remind::remind(writer, occasion, agent, &row, parts.is_empty())?
            // A briefing says all of it.
            && !briefs
        {
            parts.push(hook::reminder(&agent.name, &again, occasion, dialect));
            row.reminded = Some(hook::set_of(&again.owed));
        }
        if row != before {
            row.seen = writer.look().now();
            writer.put_session(&row)?;
        }
        Ok(HookView {
            known: true,
            agent: Some(who(&mut writer.look(), agent)?),
            text: (!parts.is_empty()).then(|| parts.join("\n\n")),
            briefed: briefs,
            notice: None,
            messages: handed.ids,
            stamp: handed.stamp,
        })
    }
}
