//! Telling the person and taking their replies beside a loop that must not wait for a server: a thread with a hub of its own.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interagent_core::backoff::pause_s;
use interagent_core::notice::Notice;
use interagent_core::refusal::Refusal;
use interagent_operations::{LocalHub, carry_out};
use interagent_wake::notify::{Flow, Heard, Listener, Ntfy, Ways, announce};
use serde_json::json;

use super::replies::{Taken, since, take};
use super::{Place, announce_next, note_channels};
use crate::config::signals::Leaving;
use crate::error::CliError;
use crate::values::now_us;

/// What was missed is found after this time, and so is a word that the user took back.
const SWEEP: Duration = Duration::from_secs(60);
/// What no way brought to the person is tried again after this time, or when something else happens.
const UNHEARD: Duration = Duration::from_secs(600);
/// Notices that stand in no message and are kept until they got there; the newest ones.
const NOTICES: usize = 32;
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
    /// What it was told of and has not done yet, and the turn that it is in.
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Herald {
    /// Begins to tell and to listen.
    pub(crate) fn start(
        door: Door,
        place: Place,
        replies: Replies,
        leaving: Leaving,
        said: impl FnMut(&Said<'_>) + Send + 'static,
    ) -> Self {
        let (events, received) = channel();
        let open = Arc::new(AtomicUsize::new(0));
        let mut teller = Teller {
            door,
            hub: None,
            place,
            replies,
            leaving,
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

    /// The same, for another thread.
    pub(crate) fn looker(&self) -> impl Fn() + Send + 'static {
        let (events, open) = (self.events.clone(), Arc::clone(&self.open));
        move || {
            open.fetch_add(1, Ordering::SeqCst);
            let _ = events.send(Event::Look);
        }
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

    /// Lets it do what it was told of, until then at the latest; where the program was told to leave, only what it has begun.
    /// What was not begun is not marked, and told by the next one.
    pub(crate) fn finish(self, until: Instant) {
        self.send(Event::End);
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
    }
}

/// A notice that stands in no message, and did not get there yet.
struct Untold {
    notice: Notice,
    was_tried: bool,
}

struct Teller {
    door: Door,
    /// Opened at the first use, and anew after trouble.
    hub: Option<LocalHub>,
    place: Place,
    replies: Replies,
    leaving: Leaving,
    /// For who listens.
    events: Sender<Event>,
    listener: Option<(Ntfy, Listener)>,
    /// What is to be told and stands in no message, until it got there.
    notices: VecDeque<Untold>,
    /// Lines in their order. One that can't be taken now stays, and those behind it wait.
    lines: VecDeque<Line>,
    /// Notices that no way brought to the person so far. They are not said and traced again each time they are tried.
    unheard: BTreeSet<String>,
    /// When what no way brought to the person is tried again.
    again: Option<Instant>,
    said: Box<dyn FnMut(&Said<'_>) + Send>,
}

impl Teller {
    fn serve(&mut self, events: &Receiver<Event>, open: &AtomicUsize) {
        let (mut failures, mut taken, mut is_over) = (0, 0, false);
        loop {
            // Also a sweep and a reply come to their end.
            taken += 1;
            open.fetch_add(1, Ordering::SeqCst);
            let stay = self.leaving.stay();
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
            drop(stay);
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
                        self.again = None;
                        self.queue(notice);
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
        note_channels(&self.place.hub_dir, &ways);
        self.listen(&mut hub, &ways)?;
        if self.again.is_none_or(|again| Instant::now() >= again) {
            self.tell_notices(&mut hub, &ways);
            let (mut unheard, mut has_more) = (Vec::new(), true);
            while has_more && !self.leaving.is_told() {
                has_more =
                    announce_next(&mut hub, &mut unheard, |hub, notice| self.tell_plea(hub, notice, &ways))?;
            }
            let is_all = unheard.is_empty() && self.notices.is_empty();
            self.again = (!is_all).then(|| Instant::now() + UNHEARD);
        }
        while let Some(line) = self.lines.front().filter(|_| !self.leaving.is_told()) {
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

    /// Takes in what stands in no message. Where nobody is ever told, the oldest make way.
    fn queue(&mut self, notice: Notice) {
        self.notices.push_back(Untold { notice, was_tried: false });
        if self.notices.len() > NOTICES {
            self.notices.pop_front();
        }
    }

    /// Tells what stands in no message; what reached nobody stays.
    fn tell_notices(&mut self, hub: &mut LocalHub, ways: &Ways) {
        for untold in std::mem::take(&mut self.notices) {
            // Whoever has to leave makes up for nothing any more.
            let is_left = untold.was_tried && self.leaving.is_told();
            if is_left || !self.tell(hub, &untold.notice, ways, !untold.was_tried) {
                self.notices.push_back(Untold { was_tried: true, ..untold });
            }
        }
    }

    /// Tells of a question. Whether it got there on some way.
    fn tell_plea(&mut self, hub: &mut LocalHub, notice: &Notice, ways: &Ways) -> bool {
        let Some(key) = &notice.key else { return self.tell(hub, notice, ways, true) };
        let is_heard = self.tell(hub, notice, ways, !self.unheard.contains(key));
        match is_heard {
            true => self.unheard.remove(key),
            false => self.unheard.insert(key.clone()),
        };
        is_heard
    }

    /// Whether it got there on some way. Only what is new is said and traced.
    fn tell(&mut self, hub: &mut LocalHub, notice: &Notice, ways: &Ways, is_new: bool) -> bool {
        if is_new {
            (self.said)(&Said::Notice(notice));
        }
        let told = announce(notice, ways);
        for one in told.iter().filter(|_| is_new) {
            let Err(why) = &one.outcome else { continue };
            let why = format!("{}: {why}", one.way.as_str());
            (self.said)(&Said::Trouble(&why));
            note(hub, &why);
        }
        told.iter().any(|one| one.outcome.is_ok())
    }
}

/// What did not get there stands in the trace: where nobody reads along, nobody else hears of it.
fn note(hub: &mut LocalHub, why: &str) {
    let data = json!({ "why": why }).to_string();
    let _ = hub.store().observe(|writer| Ok::<_, Refusal>(writer.trace("notice.failed", &data)?));
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use interagent_core::notice::of_silence;
    use interagent_core::vocabulary::Intent;
    use interagent_operations::Hub;
    use interagent_testkit::ntfy::NtfyServer;
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

    /// One that has no way to tell, and counts the notices that it says.
    fn teller(path: &Path, said: &Arc<AtomicUsize>) -> Teller {
        let (open, count) = (path.to_owned(), Arc::clone(said));
        Teller {
            door: Box::new(move || Ok(hub(&open))),
            hub: None,
            place: Place { env: Env::from_variables(|_| None), hub_dir: path.to_owned() },
            replies: Replies::LeftAlone,
            leaving: Leaving::default(),
            events: channel().0,
            listener: None,
            notices: VecDeque::new(),
            lines: VecDeque::new(),
            unheard: BTreeSet::new(),
            again: None,
            said: Box::new(move |said| {
                count.fetch_add(usize::from(matches!(said, Said::Notice(_))), Ordering::SeqCst);
            }),
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
        let door: Door = Box::new(move || match away.load(Ordering::SeqCst) {
            0 => Ok(hub(&open)),
            // It can be read, and what was written is refused: as on a full disk.
            _ => LocalHub::look(&open).map_err(CliError::from),
        });
        let place = Place { env, hub_dir: path.clone() };
        let mut teller = Teller { door, place, ..teller(&path, &Arc::default()) };
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
        let mut teller = teller(&path, &said);
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

    #[test]
    fn a_notice_that_stands_in_no_message_stays_until_there_is_a_way() {
        let dir = tempfile::tempdir().unwrap();
        let said = Arc::new(AtomicUsize::new(0));
        let mut teller = teller(dir.path(), &said);
        teller.queue(of_silence("1 message waits for kimi, and nothing reaches it", "interagent wake kimi"));
        teller.turn().unwrap();
        assert!(teller.again.is_some(), "there is no way here");
        teller.again = None;
        teller.turn().unwrap();
        assert_eq!(said.load(Ordering::SeqCst), 1, "tried again, and not said again");
        let server = NtfyServer::start();
        teller.place.env.ntfy_server = Some(server.url().to_owned());
        teller.place.env.ntfy_topic = Some("t".into());
        teller.turn().unwrap();
        assert_eq!(server.published("t").len(), 0, "not at every sweep");
        teller.again = None;
        teller.turn().unwrap();
        assert_eq!(server.published("t").len(), 1);
        assert!(teller.again.is_none() && teller.notices.is_empty());
    }

    #[test]
    fn what_nobody_is_ever_told_of_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let mut teller = teller(dir.path(), &Arc::default());
        for number in 0..=NOTICES {
            teller.queue(of_silence(&format!("notice {number}"), "interagent ps"));
        }
        let kept: Vec<&str> = teller.notices.iter().map(|untold| untold.notice.title.as_str()).collect();
        assert_eq!((kept.len(), kept.first()), (NOTICES, Some(&"notice 1")));
    }
}
