//! Routing, prompts, summary and news, as people see them.
//!
//! Prompts are pasted elsewhere: they have no colours and are never wrapped.

use interagent_core::vocabulary::TaskStatus;
use interagent_wire::answer::{NoticeKind, NoticesView, RouteView, SummaryView, TaskView};

use super::{board, counted, plain};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::time::LocalZone;

/// How the statuses are summed up: the sign, the words, which statuses. In the order people care about.
const GROUPS: [(&str, &str, &[TaskStatus]); 9] = [
    ("✅", "approved", &[TaskStatus::Approved]),
    ("👀", "ready for review", &[TaskStatus::Completed, TaskStatus::UnderReview]),
    ("🔁", "to be revised", &[TaskStatus::RevisionNeeded]),
    ("🔧", "in progress", &[TaskStatus::InProgress]),
    ("🚧", "blocked", &[TaskStatus::Blocked]),
    ("📋", "assigned", &[TaskStatus::Assigned]),
    ("⏳", "pending", &[TaskStatus::Pending]),
    ("❌", "rejected or failed", &[TaskStatus::Rejected, TaskStatus::Failed]),
    ("💤", "cancelled or reassigned", &[TaskStatus::Cancelled, TaskStatus::Reassigned]),
];

pub(super) fn prompt(printer: &mut Printer<'_>, text: &str) {
    text.lines().for_each(|line| printer.exact(&[(Role::Plain, line)]));
}

pub(super) fn route(printer: &mut Printer<'_>, route: &RouteView) {
    plain(printer, &route.why);
    if route.ranking.is_empty() {
        return;
    }
    plain(printer, "");
    for (at, row) in route.ranking.iter().enumerate() {
        let place = if row.fits { format!("{}. ", at + 1) } else { "-  ".to_owned() };
        // Why is what was asked for: it is never cut.
        let why = format!(": {}", row.reasons.join(", "));
        printer.line(&[(Role::Quiet, &place), (Role::Name, &row.agent.name), (Role::Plain, &why)]);
    }
}

/// What follows the line about a task that was delegated: why it went there, and what to tell the agent.
pub(super) fn delegated(printer: &mut Printer<'_>, op: &str, task: &TaskView) {
    if let Some(why) =
        task.notes.first().and_then(|note| note.note.as_deref()).filter(|_| op == "quick routed")
    {
        plain(printer, why);
    }
    if let Some(assignee) = &task.assignee {
        let to = &assignee.name;
        let words = "You have work in the InterAgent collaboration system. Run: interagent task show";
        // Pasted to the agent as one line.
        printer.exact(&[
            (Role::Quiet, &format!("Tell {to}: ")),
            (Role::Plain, &format!("@{to} - {words} {}", task.id)),
        ]);
        printer.line(&[
            (Role::Quiet, "The whole prompt: "),
            (Role::Plain, &format!("interagent relay --to {to}")),
        ]);
    }
}

pub(super) fn notices(printer: &mut Printer<'_>, notices: &NoticesView) {
    let zone = LocalZone::of_this_machine();
    for notice in &notices.items {
        let sign = match notice.kind {
            NoticeKind::Message => "📬",
            NoticeKind::Assigned => "📋",
            NoticeKind::Started => "🔧",
            NoticeKind::Completed => "✅",
            NoticeKind::Verdict => "👀",
            NoticeKind::Held | NoticeKind::Escalation => "🚨",
        };
        printer.line(&[
            (Role::Quiet, &zone.absolute(notice.at.0)),
            (Role::Plain, &format!("  {sign} {}  ", notice.sentence)),
            (Role::Id, &notice.entity),
        ]);
    }
}

pub(super) fn summary(printer: &mut Printer<'_>, summary: &SummaryView) {
    printer.line(&[(Role::Heading, "INTERAGENT SUMMARY")]);
    plain(printer, "==================");
    let asked: Vec<_> = summary.actions.iter().filter_map(|action| action.permission.clone()).collect();
    board::permissions(printer, &asked);
    section(printer, "TASKS");
    if summary.tasks.is_empty() {
        plain(printer, "  No tasks yet");
    }
    for (sign, words, statuses) in GROUPS {
        let of_group = |status: &str| statuses.iter().any(|wanted| wanted.as_str() == status);
        let count: i64 =
            summary.tasks.iter().filter(|tasks| of_group(&tasks.status)).map(|tasks| tasks.count).sum();
        if count > 0 {
            plain(printer, &format!("  {sign} {count} task(s) {words}"));
        }
    }
    section(printer, "MESSAGES");
    mail(printer, summary);
    section(printer, "ACTION ITEMS");
    if summary.headlines.is_empty() {
        plain(printer, "  Nothing waits for anybody");
    }
    summary.headlines.iter().for_each(|line| plain(printer, &format!("  → {line}")));
    section(printer, "QUICK COMMANDS");
    summary.commands.iter().for_each(|command| printer.exact(&[(Role::Plain, &format!("  {command}"))]));
    if summary.commands.is_empty() {
        plain(printer, "  interagent quick \"What is to be done\"");
    }
}

fn section(printer: &mut Printer<'_>, title: &str) {
    plain(printer, "");
    printer.line(&[(Role::Heading, &format!("[{title}]"))]);
}

fn mail(printer: &mut Printer<'_>, summary: &SummaryView) {
    if summary.mail.is_empty() {
        plain(printer, "  No unread messages");
    }
    for mail in &summary.mail {
        let mut letters = mail.agent.name.chars();
        let shown: String =
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
        plain(printer, &format!("  📬 {shown}: {} unread message(s)", counted(mail.unread)));
        for line in &mail.first {
            plain(printer, &format!("     - From {}: {}", line.from.name, line.subject));
        }
        let listed = u32::try_from(mail.first.len()).unwrap_or(u32::MAX);
        if mail.unread > listed {
            plain(printer, &format!("     - and {} more", counted(mail.unread - listed)));
        }
    }
    if summary.held > 0 {
        let held = format!("  ⏸ {} message(s) held: interagent msg list --held", summary.held);
        printer.line(&[(Role::Warning, &held)]);
    }
}
