//! `interagent inbox-write`: the mailbox of the Captain system for its scripts, by the ordinary operations.
//!
//! Owns the way from its four words to one operation. What each type means is in the core's table; what is allowed is decided by
//! the hub, as for every other command.

use clap::Args;
use interagent_core::captain::{MailType, Meaning, ids_in, is_person};
use interagent_core::text::subject_of;
use interagent_core::vocabulary::{Intent, TaskStatus, Verdict};
use interagent_wire::request::{MessageSend, TaskCreate, TaskList, TaskShow, TaskVerdict};
use interagent_wire::{Answer, Caller};

use super::wake::Wake;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::input::text_or_stdin;
use crate::session::Session;

/// Writes to an agent by the words of the Captain system, so that its scripts go on working.
///
/// The type says what it is: an order or task is given, a report goes up, a rejected report sends the work back, a control message is
/// for the session itself, wake_up only wakes. Ids such as cmd_035 in the message name the task; an order that is new here is
/// made under its id.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent inbox-write member1 'cmd_035: fix the parser' cmd_new captain\n  interagent inbox-write vice_captain 'cmd_035 done' report_received member1"
)]
pub(crate) struct InboxWrite {
    /// To whom: a name or id.
    #[arg(value_name = "TARGET")]
    to: String,
    /// The message; `-` reads it from standard input.
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// What it is: cmd_new, task_assigned, report_received, report_rejected, wake_up and the others.
    #[arg(value_name = "TYPE")]
    kind: MailType,
    /// In whose name.
    #[arg(value_name = "FROM")]
    from: String,
}

impl InboxWrite {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { to, text, kind, from } = self;
        let text = text_or_stdin(text)?;
        let meaning = kind.meaning();
        if meaning != Meaning::Operator && !is_person(&from) {
            // An agent may say its own name here; another's is refused by the hub.
            let caller = Caller { behalf: Some(from), ..session.caller().clone() };
            session.act_as(caller);
        }
        let task = known_task(session, &text)?;
        let mail = |intent: Intent, task: Option<String>| MessageSend {
            to: vec![to.clone()],
            intent: Some(intent),
            body: Some(text.clone()),
            task,
            ..MessageSend::default()
        };
        match meaning {
            Meaning::Order | Meaning::Task => match task {
                Some(task) => session.ask(mail(Intent::Delegation, Some(task))),
                None => session.ask(new_task(&to, &text, meaning)),
            },
            Meaning::Report => session.ask(mail(Intent::Report, task)),
            Meaning::Review => session.ask(mail(Intent::ReviewRequest, task)),
            Meaning::Control => session.ask(mail(Intent::Control, None)),
            Meaning::Operator => session.ask(mail(Intent::Message, task)),
            Meaning::SentBack => {
                let task = task.map_or_else(|| finished_by(session, &to), Ok)?;
                let verdict = Some(Verdict::RevisionNeeded);
                session.ask(TaskVerdict { task, verdict, note: Some(text.clone()), key: None })
            }
            Meaning::Wake => Wake::of(to).run(session).map(|_| ExitCode::Done),
        }
    }
}

/// The first task of this hub that the text names.
fn known_task(session: &mut Session, text: &str) -> Result<Option<String>, CliError> {
    for id in ids_in(text) {
        match session.call(TaskShow { task: id.to_owned() }) {
            Ok(_) => return Ok(Some(id.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// An order or task that is new here, under its old id, given at once.
fn new_task(to: &str, text: &str, meaning: Meaning) -> TaskCreate {
    let title = subject_of(text);
    TaskCreate {
        purpose: (meaning == Meaning::Order).then(|| title.clone()),
        title,
        description: Some(text.to_owned()),
        assignee: Some(to.to_owned()),
        aliases: ids_in(text).first().map(|id| (*id).to_owned()).into_iter().collect(),
        announce: true,
        ..TaskCreate::default()
    }
}

/// The one task that somebody has finished and nobody has judged.
fn finished_by(session: &mut Session, agent: &str) -> Result<String, CliError> {
    let mut found = Vec::new();
    for status in [TaskStatus::Completed, TaskStatus::UnderReview] {
        let list = TaskList {
            assignee: Some(agent.to_owned()),
            status: Some(status),
            limit: Some(2),
            ..TaskList::default()
        };
        if let Answer::Tasks(page) = session.call(list)?.answer {
            found.extend(page.items.into_iter().map(|task| task.id.to_string()));
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        _ => {
            let sentence = format!("it is not clear which work of {agent} goes back");
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_code("which_task")
                .with_hint("name the task in the message, such as cmd_035"))
        }
    }
}
