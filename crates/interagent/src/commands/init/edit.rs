//! Writes the changes of a team into its file, and leaves everything else there as it is: comments, order, own tables.

use std::fmt::Display;

use interagent_core::name::Name;
use interagent_core::team::{Seat, TeamConfig};
use toml_edit::{Array, DocumentMut, Item, RawString, Table, TableLike, Value, value};

use crate::error::{CliError, ErrorKind};

/// The text of a team file that says `next` where it said `now`.
pub(super) fn edited(text: &str, now: &TeamConfig, next: &TeamConfig) -> Result<String, CliError> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        CliError::new(ErrorKind::Usage, format!("team.toml can't be changed: {}", error.message()))
            .with_hint("interagent team check")
    })?;
    let mut editor = Editor { document };
    editor.text("project", &now.project, &next.project);
    editor.text("language", &now.language, &next.language);
    if (now.formation, now.rules.review_required) != (next.formation, next.rules.review_required) {
        // The older word says both at once, and could contradict what is written now.
        editor.document.remove("mode");
    }
    editor.text("formation", now.formation, next.formation);
    optional(
        editor.document.as_table_mut(),
        "principal",
        now.principal.as_ref().map(Name::as_str),
        next.principal.as_ref().map(Name::as_str),
    );
    editor.rules(now, next);
    editor.seats(now, next);
    Ok(editor.document.to_string())
}

struct Editor {
    document: DocumentMut,
}

impl Editor {
    fn text(&mut self, key: &str, now: impl Display, next: impl Display) {
        let (now, next) = (now.to_string(), next.to_string());
        optional(self.document.as_table_mut(), key, Some(&now), Some(&next));
    }

    fn rules(&mut self, now: &TeamConfig, next: &TeamConfig) {
        let (now, next) = (&now.rules, &next.rules);
        self.flag("report_required", now.report_required, next.report_required);
        self.flag("review_required", now.review_required, next.review_required);
        self.flag("wait_allowed", now.wait_allowed, next.wait_allowed);
        self.list("protected_branches", &now.protected_branches, &next.protected_branches);
        self.list("may_merge", &now.may_merge, &next.may_merge);
        self.list("guards", &now.guards, &next.guards);
    }

    fn rule(&mut self, key: &str, next: Value) {
        if let Some(rules) = table(self.document.as_table_mut(), "rules") {
            set(rules, key, next);
        }
    }

    fn flag(&mut self, key: &str, now: bool, next: bool) {
        if now != next {
            self.rule(key, next.into());
        }
    }

    fn list<'t, T: Display + 't>(
        &mut self,
        key: &str,
        now: impl IntoIterator<Item = &'t T>,
        next: impl IntoIterator<Item = &'t T>,
    ) {
        let words = |items: Vec<&T>| items.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (now, next) = (words(now.into_iter().collect()), words(next.into_iter().collect()));
        if now != next {
            let array: Array = next.iter().map(String::as_str).collect();
            self.rule(key, Value::Array(array));
        }
    }

    fn seats(&mut self, now: &TeamConfig, next: &TeamConfig) {
        let Some(seats) = table(self.document.as_table_mut(), "agents") else { return };
        let mut removed = Vec::new();
        for name in now.agents.keys().filter(|name| !next.agents.contains_key(*name)) {
            removed.extend(seats.remove(name.as_str()).and_then(|seat| seat.into_table().ok()));
        }
        for (name, seat) in &next.agents {
            let before = now.agents.get(name);
            if before == Some(seat) {
                continue;
            }
            let Some(before) = before else {
                seats.insert(name.as_str(), Item::Table(new_seat(seat)));
                continue;
            };
            if let Some(written) = seats.get_mut(name.as_str()).and_then(Item::as_table_like_mut) {
                change_seat(written, before, seat);
            }
        }
        removed.sort_by_key(|seat| std::cmp::Reverse(seat.position()));
        removed.iter().for_each(|seat| hand_comments_on(seat, seats));
        removed.iter().for_each(|seat| keep_comments_of_table_above(seat, &mut self.document));
    }
}

/// Comments of the removed table that are written directly below the table above it, without an empty line, belong to that
/// one. They stay where they are in the file: before the table that follows now, or at its end.
fn keep_comments_of_table_above(removed: &Table, document: &mut DocumentMut) {
    let (own, _) = split_comments(removed);
    let Some(place) = removed.position().filter(|_| !own.trim().is_empty()) else { return };
    let mut headers = Vec::new();
    find_headers(document.as_table(), &mut Vec::new(), &mut 0, &mut headers);
    // The sort is stable: a new table has the place of the one that precedes it in its table.
    headers.sort_by_key(|header| header.place);
    let above = headers.iter().rposition(|header| header.is_placed && header.place < place);
    match headers.get(above.map_or(0, |above| above + 1)) {
        Some(next) => {
            let mut table = Some(document.as_table_mut());
            for key in &next.path {
                table = table.and_then(|table| table.get_mut(key)).and_then(Item::as_table_mut);
            }
            let Some(table) = table else { return };
            let after = table.decor().prefix().and_then(RawString::as_str).unwrap_or("\n").to_owned();
            table.decor_mut().set_prefix(own + &after);
        }
        None => {
            let after = document.trailing().as_str().unwrap_or_default().to_owned();
            document.set_trailing(own + &after);
        }
    }
}

/// A table's header in the file.
struct Header {
    path: Vec<String>,
    place: isize,
    /// It was read from the file.
    is_placed: bool,
}

fn find_headers(table: &Table, path: &mut Vec<String>, last: &mut isize, found: &mut Vec<Header>) {
    for (key, item) in table {
        let Some(table) = item.as_table() else { continue };
        path.push(key.to_owned());
        *last = table.position().unwrap_or(*last);
        if !table.is_implicit() && !table.is_dotted() {
            found.push(Header { path: path.clone(), place: *last, is_placed: table.position().is_some() });
        }
        find_headers(table, path, last, found);
        path.pop();
    }
}

/// The comments above a table: those of the table above it, up to the first empty line, and the rest.
fn split_comments(table: &Table) -> (String, String) {
    let above = table.decor().prefix().and_then(RawString::as_str).unwrap_or_default();
    let lines: Vec<&str> = above.split_inclusive('\n').collect();
    match lines.iter().position(|line| line.trim().is_empty()) {
        Some(end) => (lines[..end].concat(), lines[end..].concat()),
        // Without an empty line they belong to the removed table.
        None => (String::new(), above.to_owned()),
    }
}

/// Moves comments above a removed table to the next one. Comments directly above its header belong to its agent and go
/// with it; an empty line separates the others.
fn hand_comments_on(removed: &Table, seats: &mut dyn TableLike) {
    let (_, above) = split_comments(removed);
    let is_empty = |line: &str| line.trim().is_empty();
    let lines: Vec<&str> = above.split_inclusive('\n').collect();
    let apart = lines.iter().rposition(|line| is_empty(line)).unwrap_or_default();
    let kept: String = lines.iter().take(apart).copied().collect();
    if is_empty(&kept) {
        return;
    }
    let place = |seat: &Table| seat.position().map(|place| place < removed.position().unwrap_or_default());
    let tables = seats.iter_mut().filter_map(|(_, item)| item.as_table_mut());
    // The next table in the file, else a new one: tables without a position follow those with one.
    let Some(next) = tables.min_by_key(|seat| match place(seat) {
        Some(false) => (0, seat.position()),
        None => (1, None),
        Some(true) => (2, seat.position()),
    }) else {
        return;
    };
    let own = next.decor().prefix().and_then(RawString::as_str).unwrap_or("\n").to_owned();
    next.decor_mut().set_prefix(kept + &own);
}

/// Role, superior and client of a seat that stays; the rest is its own.
fn change_seat(written: &mut dyn TableLike, before: &Seat, seat: &Seat) {
    let up = |seat: &Seat| seat.reports_to.as_ref().map(ToString::to_string);
    optional(written, "profile", Some(before.profile.as_str()), Some(seat.profile.as_str()));
    optional(written, "role", Some(before.role.as_str()), Some(seat.role.as_str()));
    optional(written, "reports_to", up(before).as_deref(), up(seat).as_deref());
    optional(written, "worktree", before.worktree.as_deref(), seat.worktree.as_deref());
}

/// Writes or removes a setting that changed.
fn optional(table: &mut dyn TableLike, key: &str, now: Option<&str>, next: Option<&str>) {
    match next {
        _ if now == next => {}
        Some(next) => set(table, key, next.into()),
        None => {
            table.remove(key);
        }
    }
}

fn new_seat(seat: &Seat) -> Table {
    let mut table = Table::new();
    table.insert("profile", value(seat.profile.as_str()));
    table.insert("role", value(seat.role.as_str()));
    if let Some(up) = &seat.reports_to {
        table.insert("reports_to", value(up.as_str()));
    }
    if let Some(worktree) = &seat.worktree {
        table.insert("worktree", value(worktree));
    }
    if !seat.capabilities.is_empty() {
        let capabilities: Array = seat.capabilities.iter().map(ToString::to_string).collect();
        table.insert("capabilities", value(capabilities));
    }
    table
}

/// Sets a value, and keeps the comment behind it.
fn set(table: &mut dyn TableLike, key: &str, mut next: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(there) => {
            next.decor_mut().clone_from(there.decor());
            *there = next;
        }
        None => {
            table.insert(key, Item::Value(next));
        }
    }
}

/// A table of the file, made where it is missing. Absent where something else has its name, which no team file has.
fn table<'d>(document: &'d mut Table, name: &str) -> Option<&'d mut dyn TableLike> {
    let missing = || {
        let mut made = Table::new();
        made.set_implicit(true);
        Item::Table(made)
    };
    document.entry(name).or_insert_with(missing).as_table_like_mut()
}
