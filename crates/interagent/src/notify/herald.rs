//! Telling the person and taking their replies beside a loop that must not wait for a server: a thread with a hub of its own.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interagent_core::backoff::pause_s;
use interagent_core::ids::MessageId;
use interagent_core::notice::Notice;
use interagent_core::refusal::Refusal;
use interagent_operations::{LocalHub, carry_out};
use interagent_wake::notify::{Flow, Heard, Listener, Ntfy, Ways, announce};
use serde_json::json;

use super::replies::{Taken, since, take};
use super::{Place, announce_due};
use crate::error::CliError;
use crate::values::now_us;

/// What was missed is found after this time, and so is a word that the user took back.
const SWEEP: Duration = Duration::from_secs(60);
/// What no way brought to the person is tried again after this time, or when something else happens.
const UNHEARD: Duration = Duration::from_secs(600);
/// How often its end is looked for, by whoever waits for that.
const LOOK: Duration = Duration::from_millis(20);

/// Opens the hub once more.
pub(crate) type Door = Box<dyn Fn() -> Result<LocalHub, CliError> + Send>;

/// Whether replies are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replies {
    /// For as long as it stays.
    Taken,
    /// It ends in a moment: the next one takes them.
    LeftAlone,
}

/// What the herald did, for whoever reads along.
pub(crate) enum Said<'a> {
    /// This is told to the person now.
    Notice(&'a Notice),
    /// Words of theirs led to this.
    Reply(&'a Taken),
    /// Something did not get there, or can't be asked now.
    Trouble(&'a str),
}

/// What the herald hears of.
enum Event {
    /// Something may wait for the person, or they are told otherwise now.
    Look,
    /// Something that stands in no message.
    Tell(Notice),
    /// Somebody wrote on a topic.
    Heard(Line),
    /// Whoever started it leaves.
    End,
}

/// A line, and where it was written.
struct Line {
    topic: String,
    heard: Heard,
}

/// The thread that tells. It ends with the process, or in order by [`Herald::finish`].
pub(crate) struct Herald {
    events: Sender<Event>,
    /// What it was told of and has not done yet.
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Herald {
    /// Begins to tell and to listen.
    pub(crate) fn start(
        door: Door,
        place: Place,
        replies: Replies,
        said: impl FnMut(&Said<'_>) + Send + 'static,
    ) -> Self {
        let (events, received) = channel();
        let open = Arc::new(AtomicUsize::new(0));
        let mut teller = Teller {
            door,
            hub: None,
            place,
            replies,
            events: events.clone(),
            listener: None,
            notices: VecDeque::new(),
            lines: VecDeque::new(),
            unheard: BTreeSet::new(),
            again: None,
            said: Box::new(said),
        };
        let left = Arc::clone(&open);
        let thread = std::thread::spawn(move || teller.serve(&received, &left));
        Self { events, open, thread }
    }

    /// Something may wait for the person, or they are told by other ways now.
    pub(crate) fn look(&self) {
        self.send(Event::Look);
    }

    /// Tells the person something that stands in no message.
    pub(crate) fn tell(&self, notice: Notice) {
        self.send(Event::Tell(notice));
    }

    fn send(&self, event: Event) {
        self.open.fetch_add(1, Ordering::SeqCst);
        // A herald that is gone is started anew with the next supervisor; what waits stays in the log.
        let _ = self.events.send(event);
    }

    /// Whether it is in the middle of something that ends with the process.
    pub(crate) fn is_busy(&self) -> bool {
        self.open.load(Ordering::SeqCst) > 0 && !self.thread.is_finished()
    }

    /// Lets it do what it was told of, until then at the latest. What was not begun is not marked, and told by the next one.
    pub(crate) fn finish(self, until: Instant) {
        self.send(Event::End);
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
    }
}

struct Teller {
    door: Door,
    /// Opened at the first use, and anew after trouble.
    hub: Option<LocalHub>,
    place: Place,
    replies: Replies,
    /// For who listens.
    events: Sender<Event>,
    listener: Option<(Ntfy, Listener)>,
    /// What is to be told and stands in no message.
    notices: VecDeque<Notice>,
    /// Lines in their order. One that can't be taken now stays, and those behind it wait.
    lines: VecDeque<Line>,
    /// What no way brought to the person so far. It is not said and traced again each time it is tried.
    unheard: BTreeSet<MessageId>,
    /// When that is tried again.
    again: Option<Instant>,
    said: Box<dyn FnMut(&Said<'_>) + Send>,
}

impl Teller {
    fn serve(&mut self, events: &Receiver<Event>, open: &AtomicUsize) {
        let (mut failures, mut taken, mut is_over) = (0, 0, false);
        loop {
            let rest = match self.turn() {
                Ok(()) => {
                    failures = 0;
                    SWEEP
                }
                Err(refusal) => {
                    if failures == 0 {
                        (self.said)(&Said::Trouble(&refusal.sentence));
                    }
                    failures += 1;
                    Duration::from_secs(pause_s(failures - 1))
                }
            };
            open.fetch_sub(std::mem::take(&mut taken), Ordering::SeqCst);
            if is_over {
                return;
            }
            let mut next = match events.recv_timeout(rest) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            while let Some(event) = next {
                match event {
                    Event::Look => {
                        taken += 1;
                        self.again = None;
                    }
                    Event::Tell(notice) => {
                        taken += 1;
                        self.notices.push_back(notice);
                    }
                    Event::Heard(line) => self.lines.push_back(line),
                    Event::End => is_over = true,
                }
                next = events.try_recv().ok();
            }
        }
    }

    /// Says and takes all there is.
    fn turn(&mut self) -> Result<(), Refusal> {
        let mut hub = match self.hub.take() {
            Some(hub) => hub,
            None => (self.door)()?,
        };
        let ways = self.place.ways(&mut hub)?;
        self.listen(&mut hub, &ways)?;
        while let Some(notice) = self.notices.pop_front() {
            self.tell(&mut hub, &notice, &ways);
        }
        if self.again.is_none_or(|again| Instant::now() >= again) {
            let unheard = announce_due(&mut hub, |hub, notice| self.tell(hub, notice, &ways))?;
            self.again = (unheard > 0).then(|| Instant::now() + UNHEARD);
        }
        while let Some(line) = self.lines.front() {
            // The user may have taken their word back a moment ago: then nobody who knows the topic answers for them.
            let ways = self.place.ways(&mut hub)?;
            if ways.ntfy.as_ref().is_some_and(|ntfy| ntfy.topic == line.topic) {
                let (taken, effects) = take(&mut hub, &line.topic, &line.heard, &ways)?;
                carry_out(&effects);
                (self.said)(&Said::Reply(&taken));
            }
            self.lines.pop_front();
        }
        self.hub = Some(hub);
        Ok(())
    }

    /// Listens to the topic that counts now, and to no other.
    fn listen(&mut self, hub: &mut LocalHub, ways: &Ways) -> Result<(), Refusal> {
        let wanted = ways.ntfy.as_ref().filter(|_| self.replies == Replies::Taken);
        if self.listener.as_ref().map(|(ntfy, _)| ntfy) == wanted {
            return Ok(());
        }
        self.listener = None;
        let Some(ntfy) = wanted else { return Ok(()) };
        let from = since(hub, &ntfy.topic, now_us())?;
        let (events, topic) = (self.events.clone(), ntfy.topic.clone());
        let hear = move |heard| match events.send(Event::Heard(Line { topic: topic.clone(), heard })) {
            Ok(()) => Flow::GoOn,
            Err(_) => Flow::Stop,
        };
        self.listener = Some((ntfy.clone(), Listener::start(ntfy.clone(), from, hear)));
        Ok(())
    }

    /// Whether it got there on some way.
    fn tell(&mut self, hub: &mut LocalHub, notice: &Notice, ways: &Ways) -> bool {
        let is_new = notice.about.as_ref().is_none_or(|id| !self.unheard.contains(id));
        if is_new {
            (self.said)(&Said::Notice(notice));
        }
        let told = announce(notice, ways);
        let is_heard = told.iter().any(|one| one.outcome.is_ok());
        for one in told.iter().filter(|_| is_new) {
            let Err(why) = &one.outcome else { continue };
            let why = format!("{}: {why}", one.way.as_str());
            (self.said)(&Said::Trouble(&why));
            note(hub, &why);
        }
        if let Some(id) = &notice.about {
            match is_heard {
                true => self.unheard.remove(id),
                false => self.unheard.insert(id.clone()),
            };
        }
        is_heard
    }
}

/// What did not get there stands in the trace: where nobody reads along, nobody else hears of it.
fn note(hub: &mut LocalHub, why: &str) {
    let data = json!({ "why": why }).to_string();
    let _ = hub.store().observe(|writer| Ok::<_, Refusal>(writer.trace("notice.failed", &data)?));
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use interagent_core::vocabulary::Intent;
    use interagent_operations::Hub;
    use interagent_wire::request::{MessageList, MessageSend};
    use interagent_wire::{Answer, Caller};

    use super::super::replies::tests::{hub, line};
    use super::*;
    use crate::config::env::Env;

    fn subjects(dir: PathBuf) -> Vec<String> {
        let list = MessageList { to: Some("claude".into()), ..MessageList::default() };
        match hub(&dir).call(&Caller::operator(), list.into()).unwrap().answer {
            Answer::Messages(page) => page.items.into_iter().rev().map(|one| one.subject).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_that_can_not_be_taken_now_stays_before_those_that_came_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        drop(hub(&path));
        let is_away = Arc::new(AtomicUsize::new(1));
        let (open, away) = (path.clone(), Arc::clone(&is_away));
        let env = Env { ntfy_topic: Some("t".into()), ..Env::from_variables(|_| None) };
        let mut teller = Teller {
            door: Box::new(move || match away.load(Ordering::SeqCst) {
                0 => Ok(hub(&open)),
                // It can be read, and what was written is refused: as on a full disk.
                _ => LocalHub::look(&open).map_err(CliError::from),
            }),
            hub: None,
            place: Place { env, hub_dir: path.clone() },
            replies: Replies::LeftAlone,
            events: channel().0,
            listener: None,
            notices: VecDeque::new(),
            lines: VecDeque::new(),
            unheard: BTreeSet::new(),
            again: None,
            said: Box::new(|_| {}),
        };
        let heard =
            |topic: &str, id: &str, words: &str| Line { topic: topic.to_owned(), heard: line(id, words) };
        teller.lines.push_back(heard("t", "n1", "@claude one"));
        assert!(teller.turn().is_err());
        teller.lines.push_back(heard("another", "n2", "@claude two"));
        teller.lines.push_back(heard("t", "n3", "@claude three"));
        assert!(teller.turn().is_err());
        is_away.store(0, Ordering::SeqCst);
        teller.turn().unwrap();
        assert_eq!(subjects(path), ["one", "three"], "in their order, and from the topic that counts");
        assert!(teller.lines.is_empty());
    }

    #[test]
    fn what_reaches_nobody_is_said_once_and_not_tried_at_every_sweep() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        let question = MessageSend {
            to: vec!["operator".into()],
            intent: Some(Intent::Question),
            body: Some("Shall we deploy?".into()),
            ..MessageSend::default()
        };
        hub(&path).call(&Caller::agent("claude"), question.into()).unwrap();
        let said = Arc::new(AtomicUsize::new(0));
        let (open, count) = (path.clone(), Arc::clone(&said));
        let mut teller = Teller {
            door: Box::new(move || Ok(hub(&open))),
            hub: None,
            place: Place { env: Env::from_variables(|_| None), hub_dir: path },
            replies: Replies::LeftAlone,
            events: channel().0,
            listener: None,
            notices: VecDeque::new(),
            lines: VecDeque::new(),
            unheard: BTreeSet::new(),
            again: None,
            said: Box::new(move |said| {
                count.fetch_add(usize::from(matches!(said, Said::Notice(_))), Ordering::SeqCst);
            }),
        };
        teller.turn().unwrap();
        assert!(teller.again.is_some() && teller.unheard.len() == 1, "there is no way here");
        let traced = |teller: &mut Teller| {
            let hub = teller.hub.as_mut().unwrap();
            hub.store().read(|reader| reader.trace(50)).unwrap().len()
        };
        let before = traced(&mut teller);
        teller.turn().unwrap();
        assert_eq!(traced(&mut teller), before, "a sweep leaves it alone");
        teller.again = None;
        teller.turn().unwrap();
        assert_eq!(said.load(Ordering::SeqCst), 1, "tried again, and not said again");
    }
}
