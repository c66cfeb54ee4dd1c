//! Writes the changes of a team into its file, and leaves everything else there as it is: comments, order, own tables.

use std::fmt::Display;

use interagent_core::team::{Seat, TeamConfig};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value, value};

use crate::error::{CliError, ErrorKind};

/// A team file after a change.
pub(super) struct Edited {
    pub(super) text: String,
    /// What changed, one setting each.
    pub(super) changes: Vec<String>,
}

/// The text of a team file that says `next` where it said `now`.
pub(super) fn edited(text: &str, now: &TeamConfig, next: &TeamConfig) -> Result<Edited, CliError> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        CliError::new(ErrorKind::Usage, format!("team.toml can't be changed: {}", error.message()))
            .with_hint("interagent team check")
    })?;
    let mut editor = Editor { document, changes: Vec::new() };
    editor.text("project", &now.project, &next.project);
    editor.text("language", &now.language, &next.language);
    if (now.formation, now.rules.review_required) != (next.formation, next.rules.review_required) {
        // The older word says both at once, and could contradict what is written now.
        editor.document.remove("mode");
    }
    editor.text("formation", now.formation, next.formation);
    editor.optional("principal", now.principal.as_ref(), next.principal.as_ref());
    editor.rules(now, next);
    editor.seats(now, next);
    Ok(Edited { text: editor.document.to_string(), changes: editor.changes })
}

struct Editor {
    document: DocumentMut,
    changes: Vec<String>,
}

impl Editor {
    fn text(&mut self, key: &str, now: impl Display, next: impl Display) {
        let (now, next) = (now.to_string(), next.to_string());
        if now != next {
            set(self.document.as_table_mut(), key, next.as_str().into());
            self.changes.push(format!("changed {key}: {now} -> {next}"));
        }
    }

    fn optional(&mut self, key: &str, now: Option<impl Display>, next: Option<impl Display>) {
        let (now, next) = (now.map(|now| now.to_string()), next.map(|next| next.to_string()));
        if now == next {
            return;
        }
        match &next {
            Some(next) => set(self.document.as_table_mut(), key, next.as_str().into()),
            None => {
                self.document.remove(key);
            }
        }
        let shown = |name: Option<String>| name.unwrap_or_else(|| "none".to_owned());
        self.changes.push(format!("changed {key}: {} -> {}", shown(now), shown(next)));
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
            self.changes.push(format!("changed rules.{key}: {now} -> {next}"));
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
            self.changes.push(format!("changed rules.{key}: {} -> {}", shown(&now), shown(&next)));
        }
    }

    fn seats(&mut self, now: &TeamConfig, next: &TeamConfig) {
        let Some(seats) = table(self.document.as_table_mut(), "agents") else { return };
        for name in now.agents.keys().filter(|name| !next.agents.contains_key(*name)) {
            seats.remove(name.as_str());
            self.changes.push(format!("removed {name}"));
        }
        for (name, seat) in &next.agents {
            let before = now.agents.get(name);
            if before == Some(seat) {
                continue;
            }
            if before.is_none() {
                seats.insert(name.as_str(), Item::Table(new_seat(seat)));
                self.changes.push(format!("added {name}: {} ({})", seat.role, seat.profile));
                continue;
            }
            let Some(written) = seats.get_mut(name.as_str()).and_then(Item::as_table_like_mut) else {
                continue;
            };
            self.changes.extend(change_seat(name.as_str(), written, before, seat));
        }
    }
}

/// Role, superior and client of a seat that stays; the rest is its own.
fn change_seat(name: &str, written: &mut dyn TableLike, before: Option<&Seat>, seat: &Seat) -> Vec<String> {
    let mut changes = Vec::new();
    let Some(before) = before else { return changes };
    let mut word = |key: &str, now: Option<String>, next: Option<String>| {
        if now == next {
            return;
        }
        match &next {
            Some(next) => set(written, key, next.as_str().into()),
            None => {
                written.remove(key);
            }
        }
        let shown = |word: Option<String>| word.unwrap_or_else(|| "none".to_owned());
        changes.push(format!("changed {name}.{key}: {} -> {}", shown(now), shown(next)));
    };
    word("profile", Some(before.profile.to_string()), Some(seat.profile.to_string()));
    word("role", Some(before.role.to_string()), Some(seat.role.to_string()));
    let up = |seat: &Seat| seat.reports_to.as_ref().map(ToString::to_string);
    word("reports_to", up(before), up(seat));
    word("worktree", before.worktree.clone(), seat.worktree.clone());
    changes
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

fn shown(words: &[String]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
