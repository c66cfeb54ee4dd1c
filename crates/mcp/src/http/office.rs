//! Who is being served: a desk for each session, and one for each call that comes without a session.
//!
//! A session belongs to the token that opened it; for any other it does not exist. What nobody uses is given up after a
//! while: clients that end without a word leave their sessions behind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use interagent_core::refusal::Refusal;
use interagent_core::token::Token;
use interagent_wire::Caller;
use interagent_wire::request::Whoami;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::receipt::{Receipt, Visit};
use crate::connection::Facts;
use crate::desk::Desk;
use crate::hub::{Door, Hubs};
use crate::ledger::Ledger;
use crate::lock::lock;

/// Sessions at once. Beyond them a new one takes the place of the one that was idle longest.
const SESSIONS: usize = 256;
/// Sessions of one token, with the same rule among themselves.
const SESSIONS_OF_ONE: usize = 16;
/// How long a session without a call and without an open stream is kept. A client that comes back later is told that it
/// is gone, and begins a new one.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Somebody whose token the hub took.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    token: Token,
    /// What tells its owner from any other.
    hash: String,
}

/// Under what a desk is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A session of the protocol.
    Session(Arc<str>),
    /// Calls of one token that belong to no session, one after the other. Those at the same time have numbers of their
    /// own: a message is offered to a desk, so two that share one would both get it.
    Loose(String, usize),
}

#[derive(Debug)]
struct Room {
    owner: String,
    desk: Arc<Desk>,
    ledger: Arc<Ledger>,
    usage: Mutex<Usage>,
}

#[derive(Debug)]
struct Usage {
    now: usize,
    last: Instant,
}

impl Room {
    /// Since when nobody is in it.
    fn idle_since(&self) -> Option<Instant> {
        let usage = lock(&self.usage);
        (usage.now == 0).then_some(usage.last)
    }

    /// Ends what was bound for it, once what was written is confirmed: the end of a session takes its offers along. Blocks.
    fn end(&self) {
        self.ledger.confirm();
        self.desk.connection.close(&self.desk.hubs);
    }
}

/// A room that nobody finds any more, and where nobody was when it was given up.
#[derive(Debug)]
#[must_use = "what was bound for it is still to be ended"]
pub(super) struct Vacated {
    pub(super) key: Key,
    room: Arc<Room>,
}

impl Vacated {
    /// Ends what was bound for it. Blocks.
    pub(super) fn end(self) {
        self.room.end();
    }
}

/// Keeps a room in use while it is there.
#[derive(Debug)]
pub(super) struct Stay {
    room: Arc<Room>,
}

impl Stay {
    fn begin(room: Arc<Room>) -> Self {
        lock(&room.usage).now += 1;
        Self { room }
    }

    /// The way of one request to this room's desk.
    pub(super) fn visit(&self, closing: &CancellationToken) -> Visit {
        let (desk, ledger) = (self.room.desk.clone(), self.room.ledger.clone());
        Visit { desk, ledger, receipt: Receipt::new(closing) }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut usage = lock(&self.room.usage);
        usage.now = usage.now.saturating_sub(1);
        usage.last = Instant::now();
    }
}

/// All rooms of one server.
pub(super) struct Office {
    door: Arc<dyn Door>,
    /// Only for looking whose a token is: nobody's work holds this up.
    entrance: Hubs,
    facts: Facts,
    pub(super) closing: CancellationToken,
    rooms: Mutex<HashMap<Key, Arc<Room>>>,
    /// There is a new room, whose time may run out.
    opened: Notify,
}

impl Office {
    pub(super) fn new(door: Arc<dyn Door>, facts: Facts, closing: CancellationToken) -> Self {
        let entrance = Hubs::new(door.clone());
        Self { door, entrance, facts, closing, rooms: Mutex::default(), opened: Notify::new() }
    }

    /// Asks the hub whose token this is. Blocks.
    pub(super) fn admit(&self, token: Token) -> Result<Guest, Refusal> {
        let caller = Caller::bearer(token.clone());
        self.entrance.call(&caller, Whoami {})?;
        Ok(Guest { hash: token.hash().text(), token })
    }

    /// The room of a session, for whoever opened it.
    pub(super) fn session(&self, id: &str, guest: &Guest) -> Option<Stay> {
        let rooms = lock(&self.rooms);
        let room = rooms.get(&Key::Session(id.into()))?;
        // Under the lock: whoever gives up idle rooms finds this one in use.
        (room.owner == guest.hash).then(|| Stay::begin(room.clone()))
    }

    /// A room for a call without a session, where nobody else is.
    pub(super) fn loose(&self, guest: &Guest) -> Stay {
        let mut rooms = lock(&self.rooms);
        let key = |number| Key::Loose(guest.hash.clone(), number);
        let mut number = 0;
        while rooms.get(&key(number)).is_some_and(|room| room.idle_since().is_none()) {
            number += 1;
        }
        self.enter(&mut rooms, key(number), guest)
    }

    /// Opens a room, or finds it.
    pub(super) fn open(&self, key: Key, guest: &Guest) -> Stay {
        self.enter(&mut lock(&self.rooms), key, guest)
    }

    fn enter(&self, rooms: &mut HashMap<Key, Arc<Room>>, key: Key, guest: &Guest) -> Stay {
        if let Some(room) = rooms.get(&key) {
            return Stay::begin(room.clone());
        }
        // What one agent does may hold up itself, and nobody else. A connection has half a dozen files open, so all
        // sessions of one share it.
        let own = rooms.values().find(|room| room.owner == guest.hash).map(|room| room.desk.hubs.clone());
        let hubs = own.unwrap_or_else(|| Arc::new(Hubs::new(self.door.clone())));
        let room = Arc::new(self.room(guest, hubs));
        rooms.insert(key, room.clone());
        self.opened.notify_one();
        Stay::begin(room)
    }

    fn room(&self, guest: &Guest, hubs: Arc<Hubs>) -> Room {
        let ledger = Arc::new(Ledger::new(hubs.clone()));
        let desk = Arc::new(Desk::over(hubs, self.facts.of_visitor(guest.token.clone())));
        let usage = Mutex::new(Usage { now: 0, last: Instant::now() });
        Room { owner: guest.hash.clone(), desk, ledger, usage }
    }

    /// Finds a place for one more session: nothing to do, the idle session that was given up for it, or why there is none.
    pub(super) fn place(&self, guest: &Guest) -> Result<Option<Vacated>, &'static str> {
        let mut rooms = lock(&self.rooms);
        let sessions = || rooms.iter().filter(|(key, _)| matches!(key, Key::Session(_)));
        let own = || sessions().filter(|(_, room)| room.owner == guest.hash);
        let longest_idle = if own().count() >= SESSIONS_OF_ONE {
            longest_idle(own()).ok_or("this token has too many sessions")?
        } else if sessions().count() >= SESSIONS {
            longest_idle(sessions()).ok_or("too many sessions are open")?
        } else {
            return Ok(None);
        };
        Ok(vacate(&mut rooms, longest_idle))
    }

    /// Gives a room up, whoever is in it, and ends what was bound for it. Blocks.
    pub(super) fn leave(&self, key: &Key) {
        let room = lock(&self.rooms).remove(key);
        if let Some(room) = room {
            room.end();
        }
    }

    /// Gives up those that nobody used for too long.
    pub(super) fn abandoned(&self, now: Instant) -> Vec<Vacated> {
        let is_over = |room: &Room| room.idle_since().is_some_and(|since| now.duration_since(since) >= IDLE);
        let mut rooms = lock(&self.rooms);
        let over: Vec<Key> =
            rooms.iter().filter(|(_, room)| is_over(room)).map(|(key, _)| key.clone()).collect();
        over.into_iter().filter_map(|key| vacate(&mut rooms, key)).collect()
    }

    /// Sleeps until something may be abandoned.
    pub(super) async fn until_one_may_be_abandoned(&self) {
        let first =
            lock(&self.rooms).values().map(|room| room.idle_since().unwrap_or_else(Instant::now)).min();
        match first {
            Some(since) => tokio::time::sleep_until((since + IDLE).into()).await,
            None => self.opened.notified().await,
        }
    }

    /// Ends everything that was bound.
    pub(super) fn close(&self) {
        let keys: Vec<Key> = lock(&self.rooms).keys().cloned().collect();
        keys.iter().for_each(|key| self.leave(key));
    }
}

impl std::fmt::Debug for Office {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Office").field("rooms", &self.rooms).finish_non_exhaustive()
    }
}

/// The one of these that nobody has used for the longest time, where one is idle.
fn longest_idle<'r>(rooms: impl Iterator<Item = (&'r Key, &'r Arc<Room>)>) -> Option<Key> {
    let idle = rooms.filter_map(|(key, room)| Some((room.idle_since()?, key)));
    idle.min_by_key(|(since, _)| *since).map(|(_, key)| key.clone())
}

fn vacate(rooms: &mut HashMap<Key, Arc<Room>>, key: Key) -> Option<Vacated> {
    let room = rooms.remove(&key)?;
    Some(Vacated { key, room })
}

#[cfg(test)]
mod tests;
