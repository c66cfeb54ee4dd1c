//! Telling the person outside of the terminal, by hand or where no supervisor runs.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use interagent_core::notice::of_test;
use interagent_operations::{WaitFor, Waited};
use interagent_wake::notify::{Told, announce};
use serde_json::json;

use crate::config::hub::Discovery;
use crate::config::notify::{Setup, setup};
use crate::crew;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::notify::{Herald, Place, Replies, Said, aloud, announce_due};
use crate::session::{Done, Session, no_hub};
use crate::ui::look::Role;

/// A watcher of the log looks again after this time, whether it was told or not.
const SWEEP: Duration = Duration::from_secs(60);

/// Shows how you are told that something waits for you, tries it, or does it.
///
/// The supervisor does it by itself. Without one, --due tells you once of what waits, and --listen stays, tells of what comes
/// and takes replies from your phone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent notify\n  interagent notify --test\n  interagent notify --listen"
)]
pub(crate) struct Notify {
    /// Send a test by every way that is set up.
    #[arg(long, conflicts_with_all = ["due", "listen"])]
    test: bool,
    /// Tell of what waits and was not told yet.
    #[arg(long, conflicts_with = "listen")]
    due: bool,
    /// Stay: tell of what comes, and take replies.
    #[arg(long)]
    listen: bool,
}

impl Notify {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if self.due || self.listen {
            crew::must_be_a_person(session, "what waits for the operator is told")?;
        }
        let hub_dir = match session.discover()? {
            Discovery::Found(found) => found.hub_dir,
            Discovery::NotThere(place) => return Err(no_hub(&place.would_be)),
        };
        if self.listen {
            return listen(session, hub_dir);
        }
        let team = session.team()?;
        let wished = team.as_ref().map(|team| team.notifications.clone()).unwrap_or_default();
        let setup = setup(&session.env, &hub_dir, &wished, session.env.tmux_server());
        if self.test {
            let project = team.map_or_else(|| "interagent".to_owned(), |team| team.project);
            return told(session, &announce(&of_test(&project), &setup.ways));
        }
        if self.due {
            let mut all = Vec::new();
            announce_due(session.hub()?, |_, notice| {
                let told = announce(notice, &setup.ways);
                let is_heard = told.iter().any(|one| one.outcome.is_ok());
                all.extend(told);
                is_heard
            })?;
            return told(session, &all);
        }
        show(session, &setup)
    }
}

fn show(session: &mut Session, setup: &Setup) -> Result<ExitCode, CliError> {
    let Setup { ways, untrusted_topic } = setup;
    let server = ways.ntfy.as_ref().map(|ntfy| ntfy.server.clone());
    if !session.is_for_people() {
        let document = json!({
            "bell": ways.bell.is_some(),
            "desktop": ways.desktop.is_some(),
            "ntfy": server,
            "untrusted_topic": untrusted_topic,
        });
        session.document(0, &document);
        return session.conclude(Done::Looked);
    }
    let on = |is_on: bool| if is_on { (Role::Good, "on") } else { (Role::Quiet, "off") };
    for (way, state) in [("bell     ", on(ways.bell.is_some())), ("desktop  ", on(ways.desktop.is_some()))] {
        session.printer.line(&[(Role::Plain, way), state]);
    }
    match (&server, untrusted_topic) {
        (Some(server), _) => {
            session.printer.line(&[
                (Role::Plain, "ntfy     "),
                (Role::Good, "on"),
                (Role::Plain, &format!(", through {server}; whoever knows the topic can answer as you")),
            ]);
        }
        (None, Some(topic)) => {
            let why = format!(": the team file names the topic {topic}, and you have not allowed it");
            session.printer.line(&[(Role::Plain, "ntfy     "), (Role::Warning, "off"), (Role::Plain, &why)]);
            session.printer.exact(&[(Role::Quiet, "hint: interagent trust")]);
        }
        (None, None) => session.printer.line(&[(Role::Plain, "ntfy     "), (Role::Quiet, "off")]),
    }
    session.conclude(Done::Looked)
}

/// What became of notices on each way. That a desktop is missing is no failure of the command; that nothing arrived is.
fn told(session: &mut Session, all: &[Told]) -> Result<ExitCode, CliError> {
    if session.is_for_people() {
        if all.is_empty() {
            session.printer.line(&[(Role::Plain, "nothing was to be told")]);
        }
        for one in all {
            let (role, words) = match &one.outcome {
                Ok(done) => (Role::Good, done),
                Err(why) => (Role::Bad, why),
            };
            session.printer.line(&[(Role::Plain, one.way.as_str()), (Role::Plain, ": "), (role, words)]);
        }
    } else {
        let told: Vec<_> = all
            .iter()
            .map(|one| {
                let (words, arrived) = match &one.outcome {
                    Ok(words) => (words, true),
                    Err(words) => (words, false),
                };
                json!({ "way": one.way.as_str(), "arrived": arrived, "words": words })
            })
            .collect();
        session.document(0, &json!({ "told": told }));
    }
    session.conclude(Done::Committed)?;
    let nothing_arrived = !all.is_empty() && all.iter().all(|one| one.outcome.is_err());
    Ok(if nothing_arrived { ExitCode::Unavailable } else { ExitCode::Done })
}

/// Does what a supervisor would, until somebody ends it.
fn listen(session: &mut Session, hub_dir: PathBuf) -> Result<ExitCode, CliError> {
    session.printer.line(&[(Role::Quiet, "listening; Ctrl-C ends it")]);
    // It goes on where nobody reads along.
    let _either_is_fine = session.deliver(Done::Looked)?;
    let (voice, place) = (session.voice(), Place { env: session.env.clone(), hub_dir });
    let say = move |said: &Said<'_>| aloud(&mut voice(), said);
    let herald = Herald::start(Box::new(session.door()), place, Replies::Taken, say);
    let mut after = 0;
    loop {
        if let Waited::Ready { seq } = session.wait(&WaitFor::Entry { after }, SWEEP)? {
            after = seq;
            herald.look();
        }
    }
}
