//! Telling the person outside of the terminal, by hand or where no supervisor runs.

use std::time::Duration;

use clap::Args;
use interagent_core::notice::{Notice, of_test};
use interagent_operations::{WaitFor, Waited};
use interagent_wake::notify::{Told, announce};
use serde_json::json;

use crate::config::hub::Discovery;
use crate::config::notify::{OWN_TOPIC, Setup, Topic, beginning};
use crate::config::signals::Leaving;
use crate::crew;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::notify::{Herald, Place, Problems, Replies, Said, aloud, announce_next, problems};
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
    /// Run by interagent itself, not by an agent
    #[arg(long, hide = true, requires = "due")]
    unattended: bool,
}

impl Notify {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        // An agent that typed this would take what is due and show it to nobody; our own process shows it.
        if (self.due && !self.unattended) || self.listen {
            crew::must_be_operator(session, "what waits for the operator is told")?;
        }
        let hub_dir = match session.discover()? {
            Discovery::Found(found) => found.hub_dir,
            Discovery::NotThere(place) => return Err(no_hub(&place)),
        };
        let place = Place { env: session.env.clone(), hub_dir };
        let setup = place.setup(session.hub()?)?;
        let is_only_asked = !(self.test || self.due || self.listen);
        if let Topic::Wrong(problem) = &setup.topic
            && !is_only_asked
        {
            let error = CliError::new(ErrorKind::Usage, format!("{OWN_TOPIC}: {problem}"));
            return Err(problem.hint.iter().fold(error, CliError::with_hint).with_code("bad_topic"));
        }
        if self.listen {
            return listen(session, place);
        }
        if self.test {
            let project = session.team()?.map_or_else(|| "interagent".to_owned(), |team| team.project);
            return told(session, &announce(&of_test(&project), &setup.ways));
        }
        if self.due {
            let (mut all, mut unheard) = (Vec::new(), Vec::new());
            let mut tell = |notice: &Notice| {
                let told = announce(notice, &setup.ways);
                let is_heard = told.iter().any(|one| one.outcome.is_ok());
                all.extend(told);
                is_heard
            };
            let hub = session.hub()?;
            while announce_next(hub, &mut unheard, |_, notice| tell(notice))? {}
            return told(session, &all);
        }
        let problems = problems(&place.hub_dir, &setup.ways);
        show(session, &setup, &problems)
    }
}

fn show(session: &mut Session, setup: &Setup, problems: &Problems) -> Result<ExitCode, CliError> {
    let Setup { ways, topic } = setup;
    if !session.is_for_people() {
        let (from, untrusted, problem) = match topic {
            Topic::Unnamed => (None, None, None),
            Topic::Used(from) => (Some(from), None, None),
            Topic::NotAllowed(named) => (None, Some(named), None),
            Topic::Wrong(problem) => (None, None, Some(problem.to_string())),
        };
        let document = json!({
            "bell": ways.bell.is_some(),
            "bell_problem": problems.bell,
            "desktop": ways.desktop.is_some(),
            "desktop_problem": problems.desktop,
            "ntfy": ways.ntfy.as_ref().map(|ntfy| &ntfy.server),
            "topic": ways.ntfy.as_ref().map(|ntfy| beginning(&ntfy.topic)),
            "topic_from": from,
            "topic_problem": problem,
            "untrusted_topic": untrusted,
        });
        session.document(0, &document);
        return session.conclude(Done::Looked);
    }
    let channels = [
        ("bell     ", ways.bell.is_some(), &problems.bell),
        ("desktop  ", ways.desktop.is_some(), &problems.desktop),
    ];
    for (way, is_wished, problem) in channels {
        let problem = problem.as_ref().map(|problem| format!(": {problem}"));
        let state = match &problem {
            Some(_) => (Role::Warning, "not working"),
            None if is_wished => (Role::Good, "on"),
            None => (Role::Quiet, "off"),
        };
        let why = problem.as_deref().unwrap_or_default();
        session.printer.line(&[(Role::Plain, way), state, (Role::Plain, why)]);
    }
    let off = |why: &str, hint: Option<&str>, session: &mut Session| {
        session.printer.line(&[(Role::Plain, "ntfy     "), (Role::Warning, "off"), (Role::Plain, why)]);
        if let Some(hint) = hint {
            session.printer.exact(&[(Role::Quiet, "hint: "), (Role::Quiet, hint)]);
        }
    };
    match (&ways.ntfy, topic) {
        (Some(ntfy), Topic::Used(from)) => {
            let (topic, server) = (beginning(&ntfy.topic), &ntfy.server);
            let how = format!(
                ", topic {topic} of {from}, through {server}; whoever knows the topic can answer as you"
            );
            session.printer.line(&[(Role::Plain, "ntfy     "), (Role::Good, "on"), (Role::Plain, &how)]);
        }
        (_, Topic::NotAllowed(named)) => {
            let why = format!(": the team file names the topic {named}, and you have not allowed it");
            off(&why, Some("interagent trust"), session);
        }
        (_, Topic::Wrong(problem)) => {
            off(&format!(": {OWN_TOPIC}: {problem}"), problem.hint.as_deref(), session);
        }
        _ => session.printer.line(&[(Role::Plain, "ntfy     "), (Role::Quiet, "off")]),
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
fn listen(session: &mut Session, place: Place) -> Result<ExitCode, CliError> {
    session.printer.line(&[(Role::Quiet, "listening; Ctrl-C ends it")]);
    // It goes on where nobody reads along.
    let _either_is_fine = session.deliver(Done::Looked)?;
    let voice = session.voice();
    let say = move |said: &Said<'_>| aloud(&mut voice(), said);
    // Told to leave, it lets a notice that is sent come to its end.
    let leaving = Leaving::when_told();
    let herald = Herald::start(Box::new(session.door()), place, Replies::Taken, leaving, say);
    let mut after = 0;
    loop {
        if let Waited::Ready { seq } = session.wait(&WaitFor::Entry { after }, SWEEP)? {
            after = seq;
            herald.look();
        }
    }
}
