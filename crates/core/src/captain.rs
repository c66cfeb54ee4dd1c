//! The words of the Captain system's mailbox, and what each of them is here.
//!
//! Owns the table of its message types. Scripts that write into that mailbox, and mail that moves over from it, mean the same.

use crate::team::Role;
use crate::words;

words! {
    /// What a message in a Captain's mailbox is for.
    pub enum MailType as "the type" {
        /// A new order.
        CmdNew = "cmd_new",
        /// A task was given to a member.
        TaskAssigned = "task_assigned",
        /// A report lies ready.
        ReportReceived = "report_received",
        /// A report was sent back.
        ReportRejected = "report_rejected",
        /// Forget what you know and begin again.
        ClearCommand = "clear_command",
        /// Take another model.
        ModelSwitch = "model_switch",
        /// Look.
        WakeUp = "wake_up",
        /// The person wrote from outside.
        NtfyReceived = "ntfy_received",
        /// An order is done.
        CmdDone = "cmd_done",
        /// An order failed.
        CmdFailed = "cmd_failed",
        /// Somebody is to check a result.
        QcRequest = "qc_request",
        /// What the check found.
        QcResult = "qc_result",
        /// A task failed.
        TaskFailed = "task_failed",
        /// A branch was merged.
        MergeComplete = "merge_complete",
        /// Everything was stopped, as asked.
        EmergencyStopAck = "emergency_stop_ack",
    }
}

/// What such a message is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The delegation of an order.
    Order,
    /// The delegation of a task.
    Task,
    /// A report that goes up the chain.
    Report,
    /// A verdict: the work goes back.
    SentBack,
    /// A request for a review.
    Review,
    /// Something the recipient's own session does.
    Control,
    /// No message, only a wake-up.
    Wake,
    /// Words of the operator.
    Operator,
}

impl MailType {
    /// What it is here.
    pub fn meaning(self) -> Meaning {
        match self {
            Self::CmdNew => Meaning::Order,
            Self::TaskAssigned => Meaning::Task,
            Self::ReportReceived
            | Self::CmdDone
            | Self::CmdFailed
            | Self::TaskFailed
            | Self::QcResult
            | Self::MergeComplete => Meaning::Report,
            Self::ReportRejected => Meaning::SentBack,
            Self::QcRequest => Meaning::Review,
            Self::ClearCommand | Self::ModelSwitch => Meaning::Control,
            Self::WakeUp | Self::EmergencyStopAck => Meaning::Wake,
            Self::NtfyReceived => Meaning::Operator,
        }
    }
}

/// Names of the person in that system, and of what speaks for them.
pub fn is_person(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "lord" | "ntfy" | "human" | "user" | "operator")
}

/// Who is meant by a name that nobody has: that system calls its one vice captain by the role alone.
pub fn seated<'a, T>(name: &str, members: &'a [T], role_of: impl Fn(&T) -> Option<Role>) -> Option<&'a T> {
    let role: Role = name.parse().ok()?;
    let mut holders = members.iter().filter(|member| role_of(member) == Some(role));
    holders.next().filter(|_| holders.next().is_none())
}

/// The ids of orders and tasks that a text names, in its order, each once.
pub fn ids_in(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    for word in words.map(|word| word.trim_matches('-')).filter(|word| is_id(word)) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// `cmd_035`, `subtask_035a`, `task_7`.
fn is_id(word: &str) -> bool {
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    ["cmd_", "subtask_", "task_"].iter().any(|prefix| word.strip_prefix(prefix).is_some_and(numbered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_means_something_here() {
        let table: Vec<String> =
            MailType::ALL.iter().map(|word| format!("{word} = {:?}", word.meaning())).collect();
        insta::assert_snapshot!(table.join("\n"), @r"
        cmd_new = Order
        task_assigned = Task
        report_received = Report
        report_rejected = SentBack
        clear_command = Control
        model_switch = Control
        wake_up = Wake
        ntfy_received = Operator
        cmd_done = Report
        cmd_failed = Report
        qc_request = Review
        qc_result = Report
        task_failed = Report
        merge_complete = Report
        emergency_stop_ack = Wake
        ");
    }

    #[test]
    fn ids_are_found_where_people_write_them() {
        let cases: [(&str, &[&str]); 5] = [
            ("cmd_035: fix the parser (cmd_035)", &["cmd_035"]),
            ("subtask_035a done, see cmd_035.", &["subtask_035a", "cmd_035"]),
            ("the cmd_ prefix, task_list and task_7", &["task_7"]),
            ("日本語cmd_8、cmd_9", &["cmd_8", "cmd_9"]),
            ("", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(ids_in(text), wanted, "{text}");
        }
    }
}
