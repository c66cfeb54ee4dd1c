//! The board, as people see it: the team in a few lines, and a row for everybody.

use interagent_core::liveness::Liveness;
use interagent_core::seat::without_names;
use interagent_wire::answer::{BoardRow, BoardView, PermissionView, UnnamedView};

use super::{ago, count, counted, field, plain};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

/// The permission prompts that a person has to answer, one line each.
pub(crate) fn permissions(printer: &mut Printer<'_>, all: &[PermissionView]) {
    for one in all {
        let tool = one.tool.as_deref().unwrap_or("a dialog is open");
        let command = one.command.as_ref().map(|command| format!(": {command}")).unwrap_or_default();
        let (what, answer) = (format!(" {tool}{command}"), format!("  ({})", one.answer));
        printer.line(&[
            (Role::Warning, "waiting for you: "),
            (Role::Name, &one.agent.name),
            (Role::Plain, &what),
            (Role::Quiet, &answer),
        ]);
    }
}

/// Dialogs on screens that no hook reported.
fn dialogs(printer: &mut Printer<'_>, board: &BoardView) {
    for row in board.rows.iter().filter(|row| row.life == Some(Liveness::Asking)) {
        let name = &row.agent.name;
        if board.permissions.iter().all(|one| one.agent.name != *name) {
            let answer = format!("  (interagent attach {name})");
            printer.line(&[
                (Role::Warning, "waiting for you: "),
                (Role::Name, name),
                (Role::Plain, " a dialog is open"),
                (Role::Quiet, &answer),
            ]);
        }
    }
}

pub(super) fn board(printer: &mut Printer<'_>, board: &BoardView) {
    field(printer, "project", board.project.as_deref());
    let formation = board.formation.as_deref().unwrap_or_default();
    let mode = board.mode.as_ref().map(|mode| format!("{mode} ({formation})"));
    field(printer, "mode", mode.as_deref().or(board.formation.as_deref()));
    let agents: Vec<String> = board
        .rows
        .iter()
        .filter_map(|row| row.agent.role.as_ref().map(|role| format!("{} ({role})", row.agent.name)))
        .collect();
    field(printer, "agents", Some(&agents.join(", ")));
    field(
        printer,
        "tasks",
        Some(&format!("{} active, {} completed", board.active_tasks, board.completed_tasks)),
    );
    field(printer, "messages", Some(&format!("{} pending", board.pending_messages)));
    permissions(printer, &board.permissions);
    dialogs(printer, board);
    plain(printer, "");
    let mut table = Table::new([
        Column::whole("name"),
        Column::text("role").spare(),
        Column::whole("life"),
        Column::text("status"),
        Column::text("task"),
        Column::number("open").spare(),
        Column::number("owes"),
        Column::number("unread"),
        Column::number("seen").spare(),
    ]);
    for row in &board.rows {
        let task =
            row.task.as_ref().map(|task| format!("{} {}", task.status, task.title)).unwrap_or_default();
        table.row([
            Cell::new(Role::Name, &row.agent.name),
            row.agent.role.as_deref().unwrap_or_default().into(),
            super::people::life(row.life),
            board_state(row).as_str().into(),
            task.as_str().into(),
            counted(row.open_tasks).as_str().into(),
            owes(row.owes),
            counted(row.agent.unread).as_str().into(),
            row.seen.map_or_else(|| "".into(), ago),
        ]);
    }
    printer.table(&table);
    for (row, session) in
        board.rows.iter().flat_map(|row| row.sessions.iter().map(move |session| (row, session)))
    {
        let words = format!(": {} ({})", session.reach, session.profile);
        printer.line(&[(Role::Name, &row.agent.name), (Role::Quiet, &words)]);
    }
    unnamed(printer, &board.unnamed);
    if board.held > 0 {
        let held = count(board.held, "message is held", "messages are held");
        printer.line(&[(Role::Warning, &held), (Role::Plain, ": interagent msg list --held")]);
    }
    if board.held_texts > 0 {
        let held = count(board.held_texts, "text looks like a secret", "texts look like secrets");
        printer.line(&[
            (Role::Warning, &held),
            (Role::Plain, " and stay out of git and files: interagent hold list"),
        ]);
    }
    if let Some(until) = board.clock_ahead_until {
        let words = format!(
            ": what this clone wrote since waits in other clones until {}: interagent doctor",
            interagent_core::line::moment(until.0)
        );
        printer.line(&[(Role::Warning, "its clock ran ahead"), (Role::Plain, &words)]);
    }
    if board.waiting_entries > 0 {
        let waiting = count(board.waiting_entries, "entry", "entries");
        let words = " of another clone claim to be from the future and wait: interagent doctor";
        printer.line(&[(Role::Warning, &waiting), (Role::Plain, words)]);
    }
}

/// Sessions that are nobody, and what makes them somebody.
pub(crate) fn unnamed(printer: &mut Printer<'_>, sessions: &[UnnamedView]) {
    if let Some(line) = without_names(sessions.iter().map(|session| session.client.as_str())) {
        let each = if sessions.len() == 1 { "it" } else { "each" };
        printer.line(&[(Role::Warning, &line), (Role::Plain, &format!(": ask {each} to join the team"))]);
    }
}

/// What somebody says of itself; silent is who gave no sign for as long as the board looks back.
fn board_state(row: &BoardRow) -> String {
    match (&row.agent.status, row.seen) {
        (None, None) => "silent lately".to_owned(),
        _ => super::people::state(&row.agent),
    }
}

fn owes(number: u32) -> Cell {
    Cell::new(if number > 0 { Role::Warning } else { Role::Plain }, &counted(number))
}
