//! Where derived files stand. Their names come from ids and checked names only.

use interagent_core::entity::Message;
use interagent_core::entity::message::Delivery;
use interagent_core::ids::{MessageId, SpecName, TaskId};
use interagent_core::vocabulary::TaskStatus;

use super::seal::Form;

/// A directory of the hub that we write into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Folder {
    Hub,
    Agents,
    Active,
    Completed,
    Pending,
    Archive,
    Reports,
    Specs,
    Shared,
}

impl Folder {
    /// All that hold derived files. Those where somebody may have put a draft come first: who looks may not get to the end.
    pub(super) const ALL: [Self; 9] = [
        Self::Active,
        Self::Pending,
        Self::Hub,
        Self::Agents,
        Self::Completed,
        Self::Archive,
        Self::Reports,
        Self::Specs,
        Self::Shared,
    ];

    /// The way to it from the hub's directory, step by step.
    pub(super) fn steps(self) -> &'static [&'static str] {
        match self {
            Self::Hub => &[],
            Self::Agents => &["agents"],
            Self::Active => &["tasks", "active"],
            Self::Completed => &["tasks", "completed"],
            Self::Pending => &["messages", "pending"],
            Self::Archive => &["messages", "archive"],
            Self::Reports => &["reports"],
            Self::Specs => &["specs"],
            Self::Shared => &["shared"],
        }
    }
}

/// One derived file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) folder: Folder,
    pub(super) name: String,
}

impl Place {
    fn new(folder: Folder, name: impl Into<String>) -> Self {
        Self { folder, name: name.into() }
    }

    pub(super) fn session() -> Self {
        Self::new(Folder::Hub, "session.json")
    }

    pub(super) fn dashboard() -> Self {
        Self::new(Folder::Hub, "dashboard.md")
    }

    pub(super) fn readme() -> Self {
        Self::new(Folder::Hub, "README.md")
    }

    pub(super) fn agents_guide() -> Self {
        Self::new(Folder::Hub, "AGENTS.md")
    }

    pub(super) fn decisions() -> Self {
        Self::new(Folder::Shared, "decisions.md")
    }

    pub(super) fn context() -> Self {
        Self::new(Folder::Shared, "context.md")
    }

    pub(super) fn architecture() -> Self {
        Self::new(Folder::Shared, "architecture.md")
    }

    /// `name` is a checked name, or `name@alias` of two.
    pub(super) fn agent(name: &str) -> Self {
        Self::new(Folder::Agents, format!("{name}.json"))
    }

    pub(super) fn task(id: &TaskId, folder: Folder) -> Self {
        Self::new(folder, format!("{id}.json"))
    }

    pub(super) fn message(id: &MessageId, folder: Folder) -> Self {
        Self::new(folder, format!("{id}.json"))
    }

    pub(super) fn month(name: &str) -> Self {
        Self::new(Folder::Archive, format!("{name}.jsonl"))
    }

    /// The first report of a task is called like it, later ones are counted.
    pub(super) fn report(task: &TaskId, number: usize) -> Self {
        match number {
            0 | 1 => Self::new(Folder::Reports, format!("{task}.yaml")),
            _ => Self::new(Folder::Reports, format!("{task}-{number}.yaml")),
        }
    }

    pub(super) fn spec(name: &SpecName) -> Self {
        Self::new(Folder::Specs, format!("{name}.md"))
    }

    /// How it is written, by its name; nothing for what is not ours.
    pub(super) fn form(&self) -> Option<Form> {
        let (_, ending) = self.name.rsplit_once('.')?;
        let is_ours = match self.folder {
            Folder::Hub => {
                ["session.json", "dashboard.md", "README.md", "AGENTS.md"].contains(&self.name.as_str())
            }
            Folder::Shared => self.name == "decisions.md",
            Folder::Reports => ending == "yaml",
            Folder::Specs => ending == "md",
            Folder::Archive => ending == "json" || ending == "jsonl",
            Folder::Agents | Folder::Active | Folder::Completed | Folder::Pending => ending == "json",
        };
        match ending {
            _ if !is_ours || self.name.starts_with('.') => None,
            "json" => Some(Form::Json),
            "jsonl" => Some(Form::Lines),
            "md" if self.folder == Folder::Shared => Some(Form::Notes),
            "md" => Some(Form::Markdown),
            "yaml" => Some(Form::Yaml),
            _ => None,
        }
    }

    /// Whether everybody may read it who may read the project: it holds nothing that members wrote.
    pub(super) fn is_open(&self) -> bool {
        match self.folder {
            Folder::Hub => self.name.ends_with("README.md") || self.name.ends_with("AGENTS.md"),
            Folder::Shared => self.name != "decisions.md",
            _ => false,
        }
    }

    /// From the hub's directory, for people.
    pub(super) fn shown(&self) -> String {
        let mut steps = self.folder.steps().to_vec();
        steps.push(&self.name);
        steps.join("/")
    }
}

/// Where a task's file stands: with what is to be done, or with what was done.
pub(super) fn shelf_of(status: TaskStatus) -> Folder {
    match status {
        TaskStatus::Completed | TaskStatus::UnderReview => Folder::Completed,
        closed if closed.is_closed() => Folder::Completed,
        _ => Folder::Active,
    }
}

/// The statuses of a folder.
pub(super) fn statuses(folder: Folder) -> Vec<&'static str> {
    TaskStatus::ALL
        .iter()
        .filter(|status| shelf_of(**status) == folder)
        .map(|status| status.as_str())
        .collect()
}

/// Whether somebody has still to read a message.
pub(super) fn is_pending(message: &Message) -> bool {
    message.deliveries.values().any(Delivery::is_unread)
}
