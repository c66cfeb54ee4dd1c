//! One client at a terminal, set up by our own program, beside an agent that writes to it.

use std::io::Write as _;
use std::time::Duration;

use interagent_testkit::clients::{Client, Session, Stage};

use super::facts;
use super::record::Recorder;
use crate::pipe::Pipe;
use crate::team::{Team, nonce};

const PROFILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/profiles");
const STAYS_FOR_A_DAY: &str = "seconds = 86100";

/// Profiles of the user's own, below the home.
pub(super) const OWN_PROFILES: &str = ".config/interagent/profiles";

/// Long enough for a turn on a busy machine, twice.
const WAITER_STAYS: Duration = Duration::from_secs(12);

/// The client and what is needed to try it.
pub(super) struct Scene<'s, 'a> {
    pub(super) client: &'static dyn Client,
    pub(super) team: &'a Team,
    pub(super) stage: &'s Stage<'a>,
    /// Holds up a command of the client's model.
    pub(super) gate: Pipe,
    /// Open until it is closed.
    session: Option<Session<'s, 'a>>,
    /// Keeps what the client says, where that was asked for.
    pub(super) recorder: Option<Recorder>,
    /// How long a waiter stays beside the session, for a client that has one.
    pub(super) waiter_stays: Option<Duration>,
    /// The line by which a briefing of the client's agent is recognised.
    pub(super) briefing: String,
    /// What was typed last.
    pub(super) last_prompt: String,
}

impl<'s, 'a> Scene<'s, 'a> {
    /// Sets the client up and starts it.
    pub(super) fn open(client: &'static dyn Client, team: &'a Team, stage: &'s Stage<'a>) -> Self {
        let waiter_stays = hurry_waiter(client, team);
        // As a user would.
        stage.product().run(&["setup", client.name(), "--agent", team.me, "--yes"]).success();
        let recorder = Recorder::between(team);
        let gate = Pipe::new(team.sandbox.home().join("gate"));
        // Before there is a session: whoever asks for its briefing has it, and is not told again.
        let briefing = team.sandbox.as_agent(team.me).run(&["briefing"]).success();
        let briefing = briefing.stdout.lines().next().unwrap().to_owned();
        let session = facts::has_terminal(client.name()).then(|| stage.open());
        let last_prompt = String::new();
        Self { client, team, stage, gate, session, recorder, waiter_stays, briefing, last_prompt }
    }

    pub(super) fn session(&self) -> &Session<'s, 'a> {
        self.session.as_ref().unwrap()
    }

    /// Ends the client.
    pub(super) fn close(&mut self) {
        self.session = None;
    }

    /// A prompt that nobody typed before.
    pub(super) fn new_prompt(&mut self) -> String {
        self.last_prompt = nonce("prompt");
        self.last_prompt.clone()
    }

    /// A text that the other agent sends to the client's. Whoever sends finds the client's program, which may wake it.
    pub(super) fn send(&self) -> String {
        self.team.send_from(&self.stage.product()).1
    }

    /// Shows what a failure left.
    pub(super) fn show(&self) {
        let shown = self.session.as_ref().map(Session::shown).unwrap_or_default();
        // Nothing can be done about a standard error that is closed.
        let _ = writeln!(std::io::stderr(), "{shown}");
    }
}

/// A profile of the user's own in which the waiter stays for seconds instead of a day.
fn hurry_waiter(client: &dyn Client, team: &Team) -> Option<Duration> {
    let shipped = std::fs::read_to_string(format!("{PROFILES}/{}.toml", client.name())).unwrap();
    let hurried = shipped.replace(STAYS_FOR_A_DAY, &format!("seconds = {}", WAITER_STAYS.as_secs()));
    if hurried == shipped {
        return None;
    }
    let own = team.sandbox.home().join(OWN_PROFILES);
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join(format!("{}.toml", client.name())), hurried).unwrap();
    Some(WAITER_STAYS)
}
