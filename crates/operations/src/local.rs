//! The hub on this machine: a store in a directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interagent_core::collect::{COLLECT_US, WakeDue};
use interagent_core::control as control_rules;
use interagent_core::event::Micros;
use interagent_core::ids::{AgentId, HubId};
use interagent_core::liveness::Liveness;
use interagent_core::notice::{Notice, Plea};
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::vocabulary::SessionState;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_store::{Clock, Founding, OpenMode, SqliteEngine, Store, StoreError, SystemClock, live};
use interagent_wire::answer::PermissionView;
use interagent_wire::{Answer, Caller, LocalEffect, Reply, Request, SCHEMA, Waker, request as ask};

use crate::call::Call;
use crate::clients::Clients;
use crate::identity::Known;
use crate::ladder::{self, Abilities, Cursor, Outcome, Supervision};
use crate::merge::{self, AfterTakeIn};
use crate::operator::Notifier;
use crate::{
    Hub, WaitFor, Waited, announce, board, control, decisions, guard, hook, identity, inbox, leases, mail,
    messages, operator, people, record, resolve,
};
use crate::{reviews, sessions, skills, specs, tasks, team, tokens, tools, undecided, wake};

/// How a hub's directory is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The hub's directory; the store is in `state/` below it.
    pub hub_dir: PathBuf,
    /// Make the store when it is not there.
    pub create: bool,
    /// This replica's name for people, where one must be made.
    pub alias: String,
    /// The hub that a new store is a replica of; a new hub where none is given.
    pub hub_id: Option<HubId>,
    /// The program's directory in the user's state directory, which holds the user's id.
    pub user_dir: Option<PathBuf>,
}

/// The hub on this machine.
#[derive(Debug)]
pub struct LocalHub {
    store: Store,
    state_dir: PathBuf,
    program: Option<fn() -> Option<PathBuf>>,
    clients: Clients,
    notifier: Option<Notifier>,
    screens: BTreeMap<AgentId, Liveness>,
}

impl LocalHub {
    /// Opens the hub's store.
    pub fn open(opening: &Opening) -> Result<Self, StoreError> {
        Self::open_with_clock(opening, Arc::new(SystemClock::new()))
    }

    /// Opens the hub's store with a given clock.
    pub fn open_with_clock(opening: &Opening, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let state_dir = opening.hub_dir.join("state");
        let mode = if opening.create { OpenMode::CreateIfMissing } else { OpenMode::Existing };
        let mut engine = SqliteEngine::open(&state_dir, mode)?;
        if !opening.create && !Store::is_founded(&mut engine)? {
            return Err(StoreError::Absent { state_dir });
        }
        let founding = Founding {
            hub_id: opening.hub_id.clone(),
            alias: opening.alias.clone(),
            user_dir: opening.user_dir.clone(),
        };
        let store = Store::open(Box::new(engine), clock, &founding)?;
        Ok(Self::at(store, state_dir))
    }

    /// Opens the hub's store for looking only: nothing is made, founded, migrated or written. Writes are refused.
    pub fn look(hub_dir: &Path) -> Result<Self, StoreError> {
        let state_dir = hub_dir.join("state");
        let engine = SqliteEngine::open(&state_dir, OpenMode::ReadOnly)?;
        let store = Store::open_to_look(Box::new(engine), Arc::new(SystemClock::new()))?;
        Ok(Self::at(store, state_dir))
    }

    fn at(store: Store, state_dir: PathBuf) -> Self {
        let (clients, screens) = (Clients::default(), BTreeMap::new());
        Self { store, state_dir, program: None, clients, notifier: None, screens }
    }

    /// Sets the liveness read from agents' terminals, for the next board and summary.
    pub fn saw_screens(&mut self, screens: BTreeMap<AgentId, Liveness>) {
        self.screens = screens;
    }

    /// Lets what is sent here wake idle sessions on this machine, with our own program.
    #[must_use]
    pub fn waking_with(self, program: fn() -> Option<PathBuf>) -> Self {
        Self { program: Some(program), ..self }
    }

    /// Lets what reaches the operator here be announced by our own program, and the caller be told how.
    #[must_use]
    pub fn notifying_with(self, notifier: Notifier) -> Self {
        Self { notifier: Some(notifier), ..self }
    }

    /// Lets the hub refuse what a kind of client can't do, by who knows its profile.
    #[must_use]
    pub fn knowing_clients(
        self,
        tell: impl Fn(&str) -> Option<control_rules::Abilities> + Send + Sync + 'static,
    ) -> Self {
        Self { clients: Clients::known_by(tell), ..self }
    }

    fn waker(&self) -> Option<Waker> {
        let program = self.program.and_then(|program| program())?;
        Some(Waker { program, hub_dir: self.state_dir.parent()?.to_owned() })
    }

    /// The store, for upkeep that is no operation of a member: doctor, backup, sync.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Where the store lies.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// Upkeep that may run once the caller has its answer.
    pub fn finish(&mut self) -> Result<(), StoreError> {
        self.store.finish()
    }

    /// What follows from entries of other replicas that were taken in: to be called once after every take-in, with the
    /// place where the log stood before it.
    pub fn after_take_in(&mut self, before: i64) -> Result<AfterTakeIn, Refusal> {
        let mut after = merge::after_take_in(&mut self.store, &self.state_dir, before)?;
        self.with_waker(&mut after.effects);
        Ok(after)
    }

    /// A client shows how much context it has left: noted like what its hooks say of it, where it is news to somebody.
    pub fn saw_context(&mut self, session: &str, left: u8) -> Result<Vec<LocalEffect>, Refusal> {
        let caller = Caller { session: Some(session.to_owned()), ..Caller::default() };
        let request = ask::StatusSet { context_left: Some(left), ..ask::StatusSet::default() }.into();
        let mut call = Call::begin(&mut self.store, &self.state_dir, &caller, &request)?;
        hook::saw_context(&mut call, session, left)?;
        let mut effects = call.effects;
        self.with_waker(&mut effects);
        Ok(effects)
    }

    /// A client's screen shows no dialog any more: the permission prompts that were open until then were answered, and this
    /// is what it does now. A later prompt stays: the screen may not have shown it yet.
    pub fn saw_no_prompt(
        &mut self,
        session: &str,
        until: Micros,
        state: SessionState,
    ) -> Result<(), Refusal> {
        let was_open = self.store.observe(|writer| {
            let row = writer.look().session(session)?.filter(|row| !row.prompts.is_empty());
            let Some(mut row) = row else { return Ok::<_, Refusal>(false) };
            row.prompts.retain(|prompt| prompt.since > until);
            let is_answered = row.prompts.is_empty();
            writer.put_session(&row)?;
            Ok(is_answered)
        })?;
        if was_open {
            // A disk that takes no more leaves an agent shown as waiting until its next hook.
            let _ = live::heard(&self.state_dir, session, state);
        }
        Ok(())
    }

    pub(crate) fn with_waker(&self, effects: &mut [LocalEffect]) {
        for effect in effects {
            if let LocalEffect::Wake { with, .. } | LocalEffect::Notify { with } = effect {
                *with = self.waker();
            }
        }
    }

    fn dispatch(call: &mut Call<'_>, request: Request) -> Result<Answer, Refusal> {
        match request {
            Request::TeamShow(_) => team::show(call),
            Request::TeamTake(params) => team::take(call, &params),
            Request::AgentRegister(params) => people::register(call, &params),
            Request::AgentList(params) => people::list(call, &params),
            Request::AgentShow(params) => people::show(call, &params),
            Request::AgentRename(params) => people::rename(call, &params),
            Request::AgentRetire(params) => people::retire(call, &params),
            Request::AgentToken(params) => tokens::show(call, &params),
            Request::AgentRevoke(params) => tokens::revoke(call, &params),
            Request::Whoami(_) => people::whoami(call),
            Request::StatusSet(params) => people::set_status(call, &params),
            Request::StatusBoard(_) => board::board(call),
            Request::SessionBind(params) => sessions::bind(call, &params),
            Request::SessionHook(params) => hook::hook(call, &params),
            Request::SessionWake(params) => wake::wake(call, &params),
            Request::SessionEnd(params) => sessions::end(call, &params),
            Request::SessionList(params) => sessions::list(call, &params),
            Request::MessageSend(params) => messages::send(call, &params),
            Request::MessageReply(params) => messages::reply(call, &params),
            Request::MessageEscalate(params) => messages::escalate(call, &params),
            Request::MessageAnswer(params) => messages::answer(call, &params),
            Request::MessageInbox(params) => inbox::inbox(call, &params),
            Request::MessageRead(params) => mail::read(call, &params),
            Request::MessageAcknowledge(params) => mail::acknowledge(call, &params),
            Request::MessageSettle(params) => mail::settle(call, &params),
            Request::MessageAccept(params) => mail::accept(call, &params),
            Request::MessageDecline(params) => mail::decline(call, &params),
            Request::MessageThread(params) => mail::thread(call, &params),
            Request::MessageList(params) => mail::list(call, &params),
            Request::MessageHold(params) => mail::hold(call, &params),
            Request::MessageRelease(params) => mail::release(call, &params),
            Request::OfferTake(params) => mail::take(call, &params),
            Request::OfferConfirm(params) => mail::confirm(call, &params),
            Request::TaskCreate(params) => tasks::create(call, &params),
            Request::TaskRoute(params) => tasks::route(call, &params),
            Request::TaskList(params) => tasks::list(call, &params),
            Request::TaskShow(params) => tasks::show(call, &params),
            Request::TaskUpdate(params) => tasks::update(call, &params),
            Request::TaskClaim(params) => tasks::claim(call, &params),
            Request::TaskNext(params) => tasks::next(call, &params),
            Request::TaskNote(params) => tasks::note(call, &params),
            Request::TaskDepend(params) => tasks::depend(call, &params),
            Request::TaskReport(params) => tasks::report(call, &params),
            Request::TaskVerdict(params) => tasks::verdict(call, &params),
            Request::TaskReassign(params) => tasks::reassign(call, &params),
            Request::TaskRedo(params) => tasks::redo(call, &params),
            Request::TaskSplit(params) => tasks::split(call, &params),
            Request::SkillList(params) => skills::list(call, &params),
            Request::SkillShow(params) => skills::show(call, &params),
            Request::SkillPromote(params) => skills::promote(call, &params),
            Request::SkillReject(params) => skills::reject(call, &params),
            Request::ControlSend(params) => control::send(call, &params),
            Request::ControlList(params) => control::list(call, &params),
            Request::ControlDone(params) => control::done(call, &params),
            Request::ReviewOpen(params) => reviews::open(call, &params),
            Request::ReviewUpdate(params) => reviews::update(call, &params),
            Request::ReviewComment(params) => reviews::comment(call, &params),
            Request::ReviewResolve(params) => reviews::resolve(call, &params),
            Request::ReviewVerdict(params) => reviews::verdict(call, &params),
            Request::ReviewList(params) => reviews::list(call, &params),
            Request::ReviewShow(params) => reviews::show(call, &params),
            Request::SpecPublish(params) => specs::publish(call, &params),
            Request::SpecShow(params) => specs::show(call, &params),
            Request::SpecList(params) => specs::list(call, &params),
            Request::SpecHistory(params) => specs::history(call, &params),
            Request::SpecDiff(params) => specs::diff(call, &params),
            Request::SpecSubscribe(params) => specs::subscribe(call, &params),
            Request::DecisionOpen(params) => decisions::open(call, &params),
            Request::DecisionPosition(params) => decisions::position(call, &params),
            Request::DecisionDecide(params) => decisions::decide(call, &params),
            Request::DecisionList(params) => decisions::list(call, &params),
            Request::DecisionShow(params) => decisions::show(call, &params),
            Request::LeaseTake(params) => leases::take(call, &params),
            Request::LeaseRenew(params) => leases::renew(call, &params),
            Request::LeaseRelease(params) => leases::release(call, &params),
            Request::LeaseForce(params) => leases::force(call, &params),
            Request::LeaseList(_) => leases::list(call),
            Request::GuardCheck(params) => guard::check(call, &params),
            Request::GuardReport(params) => guard::report(call, &params),
            Request::EditNote(params) => guard::note(call, &params),
            Request::LogList(params) => record::list(call, &params),
            Request::LogHistory(params) => record::history(call, &params),
            Request::LogNotices(params) => record::notices(call, &params),
            Request::LogState(params) => record::state(call, &params),
            Request::LogTrace(params) => record::trace(call, &params),
            Request::Search(params) => record::search(call, &params),
            Request::Briefing(params) => record::briefing(call, &params),
            Request::Relay(params) => record::relay(call, &params),
            Request::TemplatePrompt(params) => record::template_prompt(call, &params),
            Request::Summary(_) => record::summary(call),
            Request::TextHeld(params) => record::held(call, &params),
            Request::TextRelease(params) => record::release(call, &params),
            Request::TextPurge(params) => record::purge(call, &params),
        }
    }
}

/// What a supervisor asks.
impl LocalHub {
    /// This hub, supervised by somebody with these abilities who has read so much of its log.
    pub fn supervision<'h>(
        &'h mut self,
        abilities: &'h Abilities,
        cursor: &'h mut Cursor,
    ) -> Supervision<'h> {
        Supervision::new(&mut self.store, &self.state_dir, abilities, cursor)
    }

    /// Notes what became of an attempt to reach an agent, for who tried it beside the supervisor.
    pub fn has_reached(&mut self, agent: &AgentId, outcome: &Outcome) -> Result<(), Refusal> {
        ladder::report(&mut self.store, agent, outcome)
    }
}

/// What a waiter asks, which sleeps beside a session for hours.
impl LocalHub {
    /// Waits until mail that only informs an agent has had its time to be joined by other mail, or is joined.
    pub fn collect_mail(&mut self, agent: &str) -> Result<(), Refusal> {
        let limit = Duration::from_micros(COLLECT_US.unsigned_abs());
        self.until_due(limit, |reader| wake::due(reader, agent)).map(drop)
    }

    /// The same for the caller, within a limit.
    pub fn collect_for(&mut self, caller: &Caller, limit: Duration) -> Result<(), Refusal> {
        let limit = limit.min(Duration::from_micros(COLLECT_US.unsigned_abs()));
        let agent = self.store.read(|reader| {
            let known = identity::identify(reader, caller)?;
            resolve::agent_or_caller(reader, None, &known)
        })?;
        self.until_due(limit, |reader| wake::due(reader, agent.id.as_str())).map(drop)
    }

    /// Waits until something is due, and answers where the log stands.
    fn until_due(
        &mut self,
        timeout: Duration,
        look: impl Fn(&mut Reader<'_>) -> Result<Option<(WakeDue, i64)>, Refusal>,
    ) -> Result<Option<i64>, Refusal> {
        let until = Instant::now() + timeout;
        let mut left = timeout;
        loop {
            let Some((due, seq)) = self.store.wait(left, &look)? else { return Ok(None) };
            let WakeDue::In(pause) = due else { return Ok(Some(seq)) };
            left = until.saturating_duration_since(Instant::now());
            let pause = Duration::from_micros(pause.unsigned_abs()).min(left);
            // A commit during the pause may bring something that does not wait.
            let now = |reader: &mut Reader<'_>| {
                let found = look(reader)?;
                Ok::<_, Refusal>(found.filter(|(due, _)| !matches!(due, WakeDue::In(_))))
            };
            if let Some((_, seq)) = self.store.wait(pause, now)? {
                return Ok(Some(seq));
            }
            left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// A session by its key, also one that ended.
    pub fn session(&mut self, id: &str) -> Result<Option<SessionRow>, Refusal> {
        self.store.read(|reader| Ok(reader.session(id)?))
    }

    /// What the client of a session calls our tools, where the session has our MCP server.
    pub fn tools_of(&mut self, session: &str) -> Result<Option<String>, Refusal> {
        let state_dir = self.state_dir.clone();
        self.store.read(|reader| {
            let now = reader.now();
            Ok(reader.session(session)?.and_then(|row| tools::names(&state_dir, &row, now)))
        })
    }

    /// Notes that a session is woken for what waits now, and answers how much that is; nothing where it was woken for it
    /// already.
    pub fn woken_by_waiter(&mut self, session: &str) -> Result<Option<u32>, Refusal> {
        wake::by_waiter(&mut self.store, session)
    }
}

/// What whoever tells the person asks: the supervisor, most often.
impl LocalHub {
    /// The notice of the oldest thing that waits for the person and was announced to nobody. From now on it counts as announced, so
    /// that it is said at most once, whatever happens to whoever says it. Those that reached nobody a moment ago are passed by.
    pub fn take_unannounced(&mut self, unheard: &[String]) -> Result<Option<Notice>, Refusal> {
        announce::take(&mut self.store, unheard)
    }

    /// What was taken to be announced reached nobody: it waits to be announced again.
    pub fn not_announced(&mut self, key: &str) -> Result<(), Refusal> {
        announce::take_back(&mut self.store, key)
    }

    /// The permission prompts that are open here, oldest first.
    pub fn permissions(&mut self) -> Result<Vec<PermissionView>, Refusal> {
        self.store.read(operator::permissions)
    }

    /// What waits for the person, oldest first.
    pub fn open_pleas(&mut self) -> Result<Vec<Plea>, Refusal> {
        self.store.read(announce::open)
    }

    /// Whether the person's words with this key were taken before, whatever they led to.
    pub fn has_taken(&mut self, key: &str) -> Result<bool, Refusal> {
        self.store.read(|reader| announce::was_taken(reader, key))
    }

    /// A small fact of this machine that was kept with [`LocalHub::keep`].
    pub fn kept(&mut self, kind: &str, subject: &str) -> Result<Option<String>, Refusal> {
        self.store.read(|reader| Ok(reader.mark(kind, subject)?))
    }

    /// Keeps a small fact of this machine, in the place of an earlier one.
    pub fn keep(&mut self, kind: &str, subject: &str, value: &str) -> Result<(), Refusal> {
        self.store.observe(|writer| Ok(writer.put_mark(kind, subject, value)?))
    }

    /// Forgets a small fact of this machine.
    pub fn forget(&mut self, kind: &str, subject: &str) -> Result<(), Refusal> {
        self.store.observe(|writer| Ok(writer.drop_mark(kind, subject).map(drop)?))
    }
}

impl Hub for LocalHub {
    fn call(&mut self, caller: &Caller, request: Request) -> Result<Reply, Refusal> {
        let name = request.name();
        let mut call = Call::begin(&mut self.store, &self.state_dir, caller, &request)?;
        call.clients = self.clients.clone();
        call.notifier = self.notifier;
        call.screens = self.screens.clone();
        let answer =
            Self::dispatch(&mut call, request).map_err(|refusal| undecided::for_caller(refusal, caller))?;
        let (mut effects, unchanged, notes) = (call.effects, call.unchanged, call.notes);
        self.with_waker(&mut effects);
        debug_assert_eq!(
            Some(answer.kind()),
            Request::answer(name),
            "{name} answers with another kind than its table says"
        );
        Ok(Reply { schema: SCHEMA, seq: self.store.reached(), answer, effects, unchanged, notes })
    }

    fn wait(&mut self, caller: &Caller, wanted: &WaitFor, timeout: Duration) -> Result<Waited, Refusal> {
        if let WaitFor::Wake { session } = wanted {
            let ready = self.until_due(timeout, |reader| hook::may_wake(reader, session))?;
            return Ok(ready.map_or(Waited::TimeOver, |seq| Waited::Ready { seq }));
        }
        // One snapshot judges the caller and looks: most who ask want to know how it is now, and often.
        let (sought, found) = self.store.read(|reader| {
            let known = identity::identify(reader, caller)?;
            if let Known::Bound(identity) = &known
                && !timeout.is_zero()
            {
                let team = reader.team()?.map(|team| team.config);
                rules::may_wait(team.as_ref(), &identity.actor)?;
            }
            let sought = match wanted {
                WaitFor::Entry { after } => Sought::EntryAfter(*after),
                WaitFor::Wake { .. } => Sought::EntryAfter(i64::MAX),
                WaitFor::Mail { agent } => {
                    Sought::MailOf(resolve::agent_or_caller(reader, agent.as_deref(), &known)?.id)
                }
            };
            let found = sought.look(reader)?;
            Ok::<_, Refusal>((sought, found))
        })?;
        let ready = match found {
            None if !timeout.is_zero() => self.store.wait(timeout, |reader| sought.look(reader))?,
            now => now,
        };
        Ok(ready.map_or(Waited::TimeOver, |seq| Waited::Ready { seq }))
    }
}

/// What a caller waits for, once it is known who that is.
enum Sought {
    EntryAfter(i64),
    MailOf(AgentId),
}

impl Sought {
    /// Where the log stands, if it is there.
    fn look(&self, reader: &mut Reader<'_>) -> Result<Option<i64>, Refusal> {
        match self {
            Self::EntryAfter(after) => {
                let seq = reader.head()?.seq;
                Ok((seq > *after).then_some(seq))
            }
            Self::MailOf(agent) if mail::waiting(reader, agent)? => Ok(Some(reader.head()?.seq)),
            Self::MailOf(_) => Ok(None),
        }
    }
}
