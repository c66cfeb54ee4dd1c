//! How a run ends: the report, the end of its session, and what people and programs are told.

use std::path::PathBuf;

use interagent_agents::Reading;
use interagent_core::headless::{RunStatus, subject};
use interagent_core::vocabulary::{AgentState, Intent};
use interagent_store::side;
use interagent_wire::Answer;
use interagent_wire::answer::SentView;
use interagent_wire::request as ask;
use serde_json::json;

use super::Bound;
use super::client::{Ended, How};
use super::plan::Plan;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// The directory of the conversations that runs had, below the hub's state.
const RUNS: &str = "runs";
/// Longest id of a conversation that is remembered.
const CONVERSATION_BYTES: usize = 512;
/// Characters of a subject.
const SUBJECT_CHARS: usize = 120;
/// Characters of a result on the board.
const BOARD_CHARS: usize = 200;

/// Everything that is known when a client ended.
pub(super) struct Ending<'a> {
    pub(super) plan: &'a Plan,
    pub(super) run: &'a Bound,
    pub(super) reading: &'a Reading<'a>,
    pub(super) ended: &'a Ended,
    pub(super) delivered: Vec<String>,
}

impl Ending<'_> {
    /// Records the report, ends the session and tells.
    pub(super) fn conclude(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let (status, why) = self.outcome();
        let body = self.body(&why);
        // The client may have said that its session ended; the report is still its own.
        self.run.bind(session, self.plan, i64::from(std::process::id()))?;
        let reported = self.report(session, &subject(status, &why), &body);
        self.run.end(session)?;
        if let Some(conversation) = self.reading.session() {
            remember(session, &self.plan.agent.id, conversation);
        }
        let reported = reported?;
        match session.is_for_people() {
            true => self.tell(session, status, &why, reported.as_ref()),
            false => self.document(session, status, &why, reported.as_ref())?,
        }
        session.conclude(Done::Committed)?;
        Ok(if status == RunStatus::Done { ExitCode::Done } else { ExitCode::Refused })
    }

    fn outcome(&self) -> (RunStatus, String) {
        match (&self.ended.how, self.reading.failure()) {
            (How::Exit(0), None) if self.reading.result().is_empty() && !self.ended.lost_a_line => {
                (RunStatus::Done, "said nothing".to_owned())
            }
            (How::Exit(0), None) => (RunStatus::Done, String::new()),
            (How::Exit(0), Some(_)) => (RunStatus::Failed, "the client says so".to_owned()),
            (How::Exit(code), _) => (RunStatus::Failed, format!("exit code {code}")),
            (How::Signal(signal), _) => (RunStatus::Failed, format!("signal {signal}")),
            (How::Broken(why), _) => (RunStatus::Failed, why.clone()),
            (How::Cancelled, _) => (RunStatus::Failed, "cancelled".to_owned()),
            (How::Timeout(after), _) => (RunStatus::Timeout, format!("ended after {} s", after.as_secs())),
        }
    }

    /// What is missing of what the client said.
    fn missing(&self) -> Option<&'static str> {
        match (self.reading.was_cut(), self.ended.lost_a_line) {
            (true, _) => Some("[cut: the client said more than a report holds, which is 1 MiB]"),
            (_, true) => Some("[a line of more than 16 MiB that the client wrote was not read]"),
            (false, false) => None,
        }
    }

    /// The client's last words; where it failed, also what it complained about.
    fn body(&self, why: &str) -> String {
        let result = Some(self.reading.result()).filter(|result| !result.is_empty());
        let failure = self.reading.failure().filter(|failure| !failure.is_empty());
        let complaint =
            Some(self.ended.complaint.as_str()).filter(|words| !why.is_empty() && !words.is_empty());
        // First, because a body that is too long loses its end.
        let parts: Vec<&str> = [self.missing(), result, failure, complaint].into_iter().flatten().collect();
        match parts.is_empty() {
            true => "The client said nothing.".to_owned(),
            false => parts.join("\n\n").replace('\0', "\u{2400}"),
        }
    }

    /// Sends the report up the chain: to the superior, or to the operator where there is none. Where the chain of command
    /// lets no mail pass, the board shows it.
    fn report(&self, session: &mut Session, subject: &str, body: &str) -> Result<Option<SentView>, CliError> {
        let to = self.plan.agent.reports_to.clone().unwrap_or_else(|| "operator".to_owned());
        let body: String = bounded(body).to_owned();
        let message = ask::MessageSend {
            to: vec![to],
            intent: Some(Intent::Report),
            subject: Some(interagent_core::line::one_line(subject, SUBJECT_CHARS)),
            body: Some(body.clone()),
            ..ask::MessageSend::default()
        };
        match session.call_for(&self.run.caller, message.into()) {
            Ok(reply) => match reply.answer {
                Answer::Sent(sent) => Ok(Some(sent)),
                _ => Err(super::strange()),
            },
            Err(error) if error.has_code("chain_of_command") => {
                let text = interagent_core::line::one_line(&format!("{subject}: {body}"), BOARD_CHARS);
                let status = ask::StatusSet {
                    state: Some(AgentState::Idle),
                    text: Some(text),
                    ..ask::StatusSet::default()
                };
                session.call_for(&self.run.caller, status.into())?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn tell(&self, session: &mut Session, status: RunStatus, why: &str, report: Option<&SentView>) {
        let result = self.reading.result();
        if !result.is_empty() {
            session.printer.text(result, 0);
        }
        if status != RunStatus::Done {
            let words = [self.reading.failure().unwrap_or_default(), &self.ended.complaint];
            for line in words.into_iter().flat_map(str::lines) {
                session.printer.note(Role::Quiet, line);
            }
        }
        let role = if status == RunStatus::Done { Role::Good } else { Role::Bad };
        session.printer.note(role, &self.sentence(status, why));
        if matches!(self.ended.how, How::Broken(_)) {
            session.printer.note(Role::Quiet, "hint: interagent doctor");
        }
        if let Some(missing) = self.missing() {
            session.printer.note(Role::Warning, missing);
        }
        let to = report.map(|sent| {
            let names: Vec<&str> = sent.to.iter().map(|who| who.name.as_str()).collect();
            format!("report {} to {}", sent.id, names.join(", "))
        });
        let to = to.unwrap_or_else(|| "no mail goes up from here: the report stands on the board".to_owned());
        session.printer.note(Role::Quiet, &to);
    }

    /// How it went, in one line.
    fn sentence(&self, status: RunStatus, why: &str) -> String {
        let (name, seconds) = (&self.plan.agent.name, self.ended.took.as_secs());
        let mut line = match (status, why) {
            (RunStatus::Done, "") => format!("{name}: done in {seconds} s"),
            (RunStatus::Done, and) => format!("{name}: done in {seconds} s, and {and}"),
            (RunStatus::Timeout, _) => format!("{name}: ended after {seconds} s, when its time was over"),
            (RunStatus::Failed, why) => format!("{name}: failed after {seconds} s: {why}"),
        };
        match self.delivered.len() {
            0 => {}
            1 => line.push_str(" (1 message delivered)"),
            several => line.push_str(&format!(" ({several} messages delivered)")),
        }
        line
    }

    fn document(
        &self,
        session: &mut Session,
        status: RunStatus,
        why: &str,
        report: Option<&SentView>,
    ) -> Result<(), CliError> {
        let exit_code = match self.ended.how {
            How::Exit(code) => Some(code),
            _ => None,
        };
        let answer = json!({
            "agent": self.plan.agent.name,
            "profile": self.plan.agent.profile,
            "status": status,
            "why": Some(why).filter(|why| !why.is_empty()),
            "result": self.reading.result(),
            "cut": self.missing().is_some(),
            "failure": self.reading.failure(),
            "stderr": Some(&self.ended.complaint).filter(|words| !words.is_empty()),
            "exit_code": exit_code,
            "session": self.run.id,
            "conversation": self.reading.session(),
            "delivered": self.delivered,
            "report": report.map(|sent| &sent.id),
            "milliseconds": u64::try_from(self.ended.took.as_millis()).unwrap_or(u64::MAX),
        });
        let seq = session.hub()?.store().reached();
        session.document(seq, &answer);
        Ok(())
    }
}

/// As much of a text as a body holds.
fn bounded(text: &str) -> &str {
    interagent_core::envelope::part(text, 0, interagent_core::limits::BODY_BYTES).text
}

fn place(session: &mut Session) -> Result<PathBuf, CliError> {
    Ok(session.hub()?.state_dir().join(RUNS))
}

/// Remembers which conversation the last run of an agent had. Without it, a later run only begins anew.
fn remember(session: &mut Session, agent: &str, conversation: &str) {
    let is_plain = conversation.len() <= CONVERSATION_BYTES && !conversation.chars().any(char::is_control);
    let Ok(place) = place(session) else { return };
    if is_plain && files::make_directory(&place, 0o700).is_ok() {
        let _ = files::write(&place, agent, conversation);
    }
}

/// The conversation of an agent's last run here.
pub(super) fn conversation(session: &mut Session, agent: &str) -> Result<Option<String>, CliError> {
    let path = place(session)?.join(agent);
    match side::read_text(&path, CONVERSATION_BYTES as u64 + 1) {
        Ok(text) if !text.is_empty() && text.len() <= CONVERSATION_BYTES => Ok(Some(text)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CliError::new(ErrorKind::Unavailable, format!("cannot read `{}`", path.display()))
            .with_source(error)),
    }
}
