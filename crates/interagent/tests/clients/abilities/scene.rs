//! One client at a terminal, set up by our own program, beside an agent that writes to it.

use std::io::Write as _;

use interagent_testkit::clients::{Client, Session, Stage};

use crate::pipe::Pipe;
use crate::team::{Team, nonce};

/// The client and what is needed to try it.
pub(super) struct Scene<'s, 'a> {
    pub(super) client: &'static dyn Client,
    pub(super) team: &'a Team,
    pub(super) stage: &'s Stage<'a>,
    /// Holds up a command of the client's model.
    pub(super) gate: Pipe,
    /// Open until it is closed.
    session: Option<Session<'s, 'a>>,
    /// What was typed last.
    pub(super) last_prompt: String,
}

impl<'s, 'a> Scene<'s, 'a> {
    /// Sets the client up and starts it.
    pub(super) fn open(client: &'static dyn Client, team: &'a Team, stage: &'s Stage<'a>) -> Self {
        super::by_hand::set_up(client.name(), team, stage);
        let gate = Pipe::new(team.sandbox.home().join("gate"));
        Self { client, team, stage, gate, session: Some(stage.open()), last_prompt: String::new() }
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

    /// The line by which a briefing of the client's agent is recognised.
    pub(super) fn briefing(&self) -> String {
        let told = self.team.sandbox.as_agent(self.team.me).run(&["briefing"]).success();
        told.stdout.lines().next().unwrap().to_owned()
    }

    /// Shows what a failure left.
    pub(super) fn show(&self) {
        let shown = self.session.as_ref().map(Session::shown).unwrap_or_default();
        // Nothing can be done about a standard error that is closed.
        let _ = writeln!(std::io::stderr(), "{shown}");
    }
}
