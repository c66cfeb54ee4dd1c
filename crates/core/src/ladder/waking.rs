//! How an agent with undelivered mail is reached: the one way that fits what is observed now.
//!
//! Pure. Says what to do at this moment and when to look again. Nothing counts as woken here: only when its mail is
//! taken is there evidence, and then nothing is left to plan.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ASKING_S;
use crate::event::Micros;
use crate::reach::Reach;
use crate::{limits, words};

/// When a line is typed, in seconds after the mail came. The first attempt begins at once: it watches the screen itself
/// before it types. After the last attempt only the person is notified.
pub const TYPED_AT_S: [u32; 6] = [0, 10, 20, 40, 80, 120];
/// How long a line that was typed waits for evidence before it counts as unheard.
pub const HEARD_WITHIN_S: u32 = 60;
/// How long a line waits that could not be typed without disturbing somebody, each time it can't; the last one stays.
const PUT_OFF_S: [u32; 6] = [2, 5, 10, 20, 40, 60];
/// Once a line was put off so often, the person is told; it is typed all the same as soon as nobody is disturbed by it.
const PUT_OFF_TOLD: u32 = 7;
/// How often an agent in a turn is looked at again: its own hooks hand the mail over.
const IN_TURN_S: u32 = 60;

words! {
    /// A way to reach an agent.
    pub enum Channel as "the way to reach" {
        /// Its own hooks, in a turn.
        Hook = "hook",
        /// A waiter beside its session.
        Waiter = "waiter",
        /// Its client's own way.
        Native = "native",
        /// A line typed into its pane.
        Nudge = "nudge",
        /// A bounded run without a person.
        Run = "run",
        /// The file in its workspace, which stands since the message was sent.
        Signal = "signal",
        /// The person.
        Person = "person",
    }
}

/// A living session of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSight {
    /// The client's id for it; of a client without a session yet, what tells its run in its pane from any other.
    pub id: String,
    /// How soon it sees mail by itself.
    pub reach: Reach,
    /// How long ago it gave a sign of life, by hooks or on its screen.
    pub silent_us: Micros,
    /// It sits in a terminal of tmux.
    pub has_pane: bool,
}

/// What is observed of an agent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Names the messages that wait and no others.
    pub set: String,
    /// The oldest of them: once it is another one, the one before was taken.
    pub oldest: String,
    /// Its living sessions.
    pub sessions: Vec<SessionSight>,
    /// Its client can run without a person, and the team allows it.
    pub may_run: bool,
    /// What somebody on this machine can do.
    pub ways: BTreeSet<Channel>,
    /// How long one way gets before the next is tried.
    pub patience_s: u32,
}

/// What was done about an agent's waiting mail: kept as long as it waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Efforts {
    /// For which messages.
    pub set: String,
    /// The oldest of them.
    pub oldest: String,
    /// Lines that were to be typed since there was evidence.
    pub typed: u32,
    /// How often a line was put off since the last one that was typed, because it would have disturbed somebody.
    #[serde(default)]
    pub put_off: u32,
    /// Why it was, the last time.
    #[serde(default)]
    pub why: Option<String>,
    /// Ways that were tried for this set.
    pub tried: BTreeSet<Channel>,
    /// The sessions that were there when this was planned.
    #[serde(default)]
    pub seen: BTreeSet<String>,
}

/// Whether the time that was planned has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Something happened meanwhile.
    News,
    /// The time to look again has come.
    Due,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// By which way.
    pub channel: Channel,
    /// Into which session.
    pub session: Option<String>,
}

/// When to look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// In so many seconds.
    In(u32),
    /// When it was planned before.
    AsPlanned,
    /// Not before something happens.
    Never,
}

/// What to do now, and when to look again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// At this moment, if anything.
    pub now: Option<Attempt>,
    /// What is remembered.
    pub efforts: Efforts,
    /// When to look again.
    pub again: Again,
}

/// Plans for an agent with waiting mail. `before` is what was done so far.
///
/// More mail neither hurries nor delays what is under way: only evidence begins anew, which is that the oldest message
/// was taken. Who came back since is tried again by every way, with the lines that are left.
pub fn plan(sight: &Sight, before: Option<&Efforts>, occasion: Occasion) -> Plan {
    let before = before.filter(|before| before.oldest == sight.oldest);
    let seen: BTreeSet<String> = sight.sessions.iter().map(|session| session.id.clone()).collect();
    let has_come = before.is_some_and(|before| !seen.is_subset(&before.seen));
    let is_under_way = before.is_some() && !has_come;
    let mut efforts = before.cloned().unwrap_or_default();
    if has_come {
        // A run without a person costs, and has a session itself: one is enough.
        efforts.tried.retain(|channel| *channel == Channel::Run);
        efforts.put_off = 0;
        efforts.why = None;
    }
    efforts.seen = seen;
    if efforts.set != sight.set {
        // A client is told of each set of messages.
        efforts.tried.remove(&Channel::Native);
    }
    efforts.set.clone_from(&sight.set);
    efforts.oldest.clone_from(&sight.oldest);
    let session = |wanted: &dyn Fn(&SessionSight) -> bool| {
        sight.sessions.iter().find(|session| wanted(session)).map(|session| session.id.clone())
    };
    let can = |channel: Channel| sight.ways.contains(&channel);
    let later = |efforts: Efforts, seconds: u32| Plan { now: None, efforts, again: Again::In(seconds) };
    if session(&|s| s.reach == Reach::InTurn).is_some() {
        efforts.tried.insert(Channel::Hook);
        // Whoever is in a turn and gives no sign may never come to its end. It may as well work: no key is pressed.
        if is_stuck(sight) && efforts.tried.insert(Channel::Person) {
            return now(Channel::Person, None, efforts, Again::In(IN_TURN_S));
        }
        return later(efforts, IN_TURN_S);
    }
    // The person was notified of the prompt itself. Another session of the agent would be woken first.
    let is_other = |s: &SessionSight| s.has_pane || matches!(s.reach, Reach::Waiter(_) | Reach::Woken);
    let has_other = session(&|s| s.reach != Reach::AfterPermission && is_other(s)).is_some();
    if session(&|s| s.reach == Reach::AfterPermission).is_some() && !has_other {
        return later(efforts, ASKING_S);
    }
    let is_told = !efforts.tried.contains(&Channel::Native) && can(Channel::Native);
    if let Some(id) = session(&|s| s.reach == Reach::Woken).filter(|_| is_told) {
        let again = if is_under_way { Again::AsPlanned } else { Again::In(sight.patience_s) };
        efforts.tried.insert(Channel::Native);
        return now(Channel::Native, Some(id), efforts, again);
    }
    let is_idle = |s: &SessionSight| matches!(s.reach, Reach::Waiter(_) | Reach::Woken | Reach::NextPrompt);
    let pane = session(&|s| s.has_pane && is_idle(s)).filter(|_| can(Channel::Nudge));
    // A question was open when the person was told, and no line could be thought of; now it is gone.
    let has_opened = pane.is_some()
        && efforts.tried.contains(&Channel::Person)
        && !efforts.tried.contains(&Channel::Nudge);
    if is_under_way && occasion == Occasion::News && !has_opened {
        return Plan { now: None, efforts, again: Again::AsPlanned };
    }
    if session(&|s| matches!(s.reach, Reach::Waiter(_))).is_some() && efforts.tried.insert(Channel::Waiter) {
        return later(efforts, sight.patience_s);
    }
    if let Some(id) = pane.filter(|_| has_lines_left(efforts.typed)) {
        efforts.tried.insert(Channel::Nudge);
        if efforts.put_off >= PUT_OFF_TOLD && efforts.tried.insert(Channel::Person) {
            return now(Channel::Person, None, efforts, Again::In(0));
        }
        efforts.typed += 1;
        let again = Again::In(pause(efforts.typed));
        return now(Channel::Nudge, Some(id), efforts, again);
    }
    let may_run = sight.sessions.is_empty() && sight.may_run && can(Channel::Run);
    if may_run && efforts.tried.insert(Channel::Run) {
        return now(Channel::Run, None, efforts, Again::In(sight.patience_s));
    }
    // Nobody is called for what an agent may still see by itself in a moment.
    if efforts.tried.is_empty() || has_come {
        efforts.tried.insert(Channel::Signal);
        return later(efforts, sight.patience_s);
    }
    match efforts.tried.insert(Channel::Person) {
        true => now(Channel::Person, None, efforts, Again::Never),
        false => Plan { now: None, efforts, again: Again::Never },
    }
}

/// Whether the agent is in a turn without any sign of life for so long that its mail may never be seen.
pub fn is_stuck(sight: &Sight) -> bool {
    let mut in_turn = sight.sessions.iter().filter(|session| session.reach == Reach::InTurn).peekable();
    in_turn.peek().is_some() && in_turn.all(|session| session.silent_us >= limits::WEDGED_US)
}

/// Why only a person reaches an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence<'a> {
    /// It is in a turn and gives no sign of life.
    Stuck,
    /// It waits for a person's permission.
    Asking,
    /// A line would disturb somebody in its terminal, for this reason. Whoever wakes it by hand is refused for it too.
    PutOff(&'a str),
    /// Nothing that was tried helped, or there is nothing to try.
    Unheard,
}

/// Why only a person reaches an agent.
pub fn silence<'a>(sight: &Sight, efforts: &'a Efforts) -> Silence<'a> {
    let has_pane = sight.sessions.iter().any(|session| session.has_pane);
    let is_asking = sight.sessions.iter().any(|session| session.reach == Reach::AfterPermission);
    match efforts.why.as_deref().filter(|_| has_pane) {
        _ if is_stuck(sight) => Silence::Stuck,
        _ if is_asking => Silence::Asking,
        Some(why) => Silence::PutOff(why),
        None => Silence::Unheard,
    }
}

/// A line was typed: when to look again. It gets its time to be heard.
pub fn was_typed(efforts: Efforts) -> (Efforts, u32) {
    let again = pause(efforts.typed).max(HEARD_WITHIN_S);
    (Efforts { put_off: 0, why: None, ..efforts }, again)
}

/// No key was pressed, because that would have disturbed somebody: when to look again. It counts as no attempt.
pub fn was_put_off(efforts: Efforts, why: &str) -> (Efforts, u32) {
    let nth = usize::try_from(efforts.put_off).unwrap_or(usize::MAX).min(PUT_OFF_S.len() - 1);
    let after = Efforts {
        typed: efforts.typed.saturating_sub(1),
        put_off: efforts.put_off.saturating_add(1),
        why: Some(why.to_owned()),
        ..efforts
    };
    (after, PUT_OFF_S[nth])
}

fn now(channel: Channel, session: Option<String>, efforts: Efforts, again: Again) -> Plan {
    Plan { now: Some(Attempt { channel, session }), efforts, again }
}

fn has_lines_left(typed: u32) -> bool {
    usize::try_from(typed).is_ok_and(|typed| typed < TYPED_AT_S.len())
}

/// Seconds between the line before and the next one.
fn pause(typed: u32) -> u32 {
    let at = |n: u32| usize::try_from(n).ok().and_then(|n| TYPED_AT_S.get(n)).copied();
    let before = typed.checked_sub(1).and_then(at).unwrap_or(0);
    at(typed).map_or(HEARD_WITHIN_S, |next| next.saturating_sub(before))
}
