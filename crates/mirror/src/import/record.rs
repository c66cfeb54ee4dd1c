//! What was found in another system's files, as plain records: nothing here knows the hub.

use interagent_core::event::Micros;
use interagent_core::vocabulary::{Intent, Priority, ReportStatus, TaskStatus};

/// Everything that a reader found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The team, where the source says something of it.
    pub team: Option<TeamRecord>,
    /// Who took part.
    pub agents: Vec<AgentRecord>,
    /// What was said.
    pub messages: Vec<MessageRecord>,
    /// What was to be done.
    pub tasks: Vec<TaskRecord>,
    /// How it went.
    pub reports: Vec<ReportRecord>,
    /// Documents.
    pub specs: Vec<SpecRecord>,
    /// What could not be read, or is not taken, with the reason.
    pub left: Vec<Left>,
    /// What was taken otherwise than it was written.
    pub notes: Vec<String>,
}

/// Something that stays behind.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Left {
    /// The file, from the source's own folder.
    pub file: String,
    /// Why.
    pub why: String,
}

/// The team as another system had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamRecord {
    /// The project's name.
    pub project: Option<String>,
    /// Who decides.
    pub principal: Option<String>,
    /// How they work together, in that system's word.
    pub mode: Option<String>,
}

/// Somebody who took part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRecord {
    /// As it is written there.
    pub name: String,
    /// Which kind of client, where that is known.
    pub profile: Option<&'static str>,
    /// What it works on.
    pub description: Option<String>,
    /// The directory it works in.
    pub workspace: Option<String>,
    /// Since when.
    pub since: Option<Micros>,
    /// What it said it was doing, and when.
    pub status: Option<(String, Option<Micros>)>,
}

/// How far a message got there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nobody has read it.
    Waiting,
    /// It was read.
    Read(Option<Micros>),
    /// What it asked for was done.
    Done(Option<Micros>),
    /// Its recipient asked for help.
    Escalated(Option<Micros>, String),
    /// It is of the past: nobody is to act on it here.
    Past,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// The file it was found in.
    pub file: String,
    /// Its id there.
    pub id: String,
    /// From whom.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What it is for.
    pub intent: Intent,
    /// One line, if it had one.
    pub subject: Option<String>,
    /// The words.
    pub body: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// When it was sent.
    pub sent: Option<Micros>,
    /// The message it answers, by its id there.
    pub reply_to: Option<String>,
    /// The task it concerns, by its id there.
    pub task: Option<String>,
    /// How far it got.
    pub progress: Progress,
}

/// A task or order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// The file it was found in.
    pub file: String,
    /// Its id there.
    pub id: String,
    /// One line.
    pub title: Option<String>,
    /// The words.
    pub description: Option<String>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How urgent.
    pub priority: Priority,
    /// Who works on it.
    pub assignee: Option<String>,
    /// Who wants it.
    pub assigner: Option<String>,
    /// Since when it exists.
    pub created: Option<Micros>,
    /// When it last changed.
    pub updated: Option<Micros>,
    /// Why it exists.
    pub purpose: Option<String>,
    /// What must be.
    pub requirements: Vec<String>,
    /// How one sees that it is done.
    pub criteria: Vec<String>,
    /// What was noted, and when.
    pub notes: Vec<(Option<Micros>, String)>,
    /// The order it is part of, by its id there.
    pub parent: Option<String>,
    /// What it waits for, by ids there.
    pub depends_on: Vec<String>,
    /// Where the result goes.
    pub target_path: Option<String>,
    /// The cheerful line at its end.
    pub echo_message: Option<String>,
    /// The task it does again, by its id there.
    pub redo_of: Option<String>,
    /// The task it takes over, by its id there.
    pub reassigned_from: Option<String>,
}

impl TaskRecord {
    /// A task of which nothing is known but its id.
    pub fn new(file: &str, id: String) -> Self {
        Self {
            file: file.to_owned(),
            id,
            title: None,
            description: None,
            status: TaskStatus::Pending,
            priority: Priority::Medium,
            assignee: None,
            assigner: None,
            created: None,
            updated: None,
            purpose: None,
            requirements: Vec::new(),
            criteria: Vec::new(),
            notes: Vec::new(),
            parent: None,
            depends_on: Vec::new(),
            target_path: None,
            echo_message: None,
            redo_of: None,
            reassigned_from: None,
        }
    }
}

/// A worker's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRecord {
    /// The file it was found in.
    pub file: String,
    /// On which task, by its id there.
    pub task: String,
    /// The order it belongs to, by its id there.
    pub parent: Option<String>,
    /// Who worked.
    pub worker: String,
    /// How it ended.
    pub status: ReportStatus,
    /// In short.
    pub summary: String,
    /// Which files.
    pub files: Vec<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// What could be reused: name, description, reason.
    pub skill: Option<[Option<String>; 3]>,
    /// Where the result misses the purpose.
    pub purpose_gap: Option<String>,
    /// When.
    pub when: Option<Micros>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecRecord {
    /// The file it was found in.
    pub file: String,
    /// Its name there.
    pub name: String,
    /// The words.
    pub body: String,
    /// By whom.
    pub publisher: Option<String>,
    /// When.
    pub when: Option<Micros>,
}

impl Records {
    /// Names something that stays behind.
    pub fn leave(&mut self, file: &str, why: impl Into<String>) {
        self.left.push(Left { file: file.to_owned(), why: why.into() });
    }

    /// Says what was taken otherwise than it was written.
    pub fn remark(&mut self, file: &str, what: &str) {
        self.notes.push(format!("{file}: {what}"));
    }

    /// How many things there are to take.
    pub fn len(&self) -> usize {
        self.agents.len() + self.messages.len() + self.tasks.len() + self.reports.len() + self.specs.len()
    }

    /// Whether there is nothing to take.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
