//! Writes a team as a commented `team.toml` for people.
//!
//! Everything is written out, also what is a default, so that the file says what holds. Reading it back
//! gives the same team.

use std::fmt::{Display, Write};

use super::config::{Ladder, Notifications, Rules, Seat, TeamConfig};
use super::words::{CommitGuard, DisplayMode, Formation, Guard, OperatorDefault, Track};
use crate::name::Name;
use crate::words::Word;

/// The text of a team file that reads back as `team`.
pub fn render(team: &TeamConfig) -> String {
    let mut page = Page::default();
    head(team, &mut page);
    seats_explained(team, &mut page);
    for (name, agent) in &team.agents {
        seat(name, agent, &mut page);
    }
    rules(team, &mut page);
    ladder(&team.ladder, &mut page);
    notifications(&team.notifications, &mut page);
    page.0
}

fn head(team: &TeamConfig, page: &mut Page) {
    page.comment("The team of this project: who works in it, and by which rules.");
    page.comment("A change holds once interagent has taken it into the log.");
    page.text("project", &team.project);
    page.blank();
    page.comment("duo: a principal decides and approves. peers: equals. captain: a chain of command.");
    page.text("formation", team.formation);
    match &team.principal {
        Some(principal) => page.text("principal", principal),
        None => page.comment("principal = \"NAME\"   # who has the last word in a discussion"),
    }
    page.blank();
    page.comment("How the history gets into git: `branch` (a branch of its own) or `worktree`.");
    page.choice::<Track>("track", team.track);
    page.comment("The language of agents' instructions and of what they tell people: ja, en, or Japanese");
    page.comment("followed by another one: ja+en, ja+de, ...");
    page.text("language", &team.language);
    page.comment("Whether agents announce finished work in their terminal with a cheerful line.");
    page.choice::<DisplayMode>("display", team.display);
}

/// What a table of an agent may say, told once above the first one.
fn seats_explained(team: &TeamConfig, page: &mut Page) {
    page.blank();
    page.comment(
        "The agents, one table each. `profile` is the client (claude, kimi, codex, ...), `model` what it is",
    );
    page.comment("started with. It works in the project's directory, in another `workspace`, or in a git `worktree` of");
    page.comment(
        "its own, which is made when it is missing. `capabilities` and `paths` say which work fits it.",
    );
    if team.formation == Formation::Captain {
        page.comment(
            "`reports_to` is its superior: vice captains may lead vice captains, as deep as you like.",
        );
    }
}

fn seat(name: &Name, seat: &Seat, page: &mut Page) {
    page.blank();
    let key = if name.as_str().contains('.') { quote(name.as_str()) } else { name.to_string() };
    page.line(format_args!("[agents.{key}]"));
    page.text("profile", &seat.profile);
    page.optional("model", seat.model.as_ref());
    page.text("role", seat.role);
    page.optional("reports_to", seat.reports_to.as_ref());
    page.optional("workspace", seat.workspace.as_ref());
    page.optional("worktree", seat.worktree.as_ref());
    if !seat.capabilities.is_empty() {
        page.list("capabilities", &seat.capabilities);
    }
    if !seat.paths.is_empty() {
        page.list("paths", &seat.paths);
    }
    page.optional("description", seat.description.as_ref());
    if seat.auto_approve {
        page.value("auto_approve", seat.auto_approve);
    }
    if let Some(limit) = seat.context_limit {
        page.value("context_limit", limit);
    }
}

fn rules(team: &TeamConfig, page: &mut Page) {
    let rules = &team.rules;
    page.table("rules");
    page.comment("Completing a task needs a report; it counts only after a review by another agent.");
    page.value("report_required", rules.report_required);
    page.value("review_required", rules.review_required);
    page.comment(
        "Against loops: messages in a row without a human or progress, and from one agent to another",
    );
    page.comment(
        "within pair_window_s seconds. What is over is held until you release it. Work that nothing",
    );
    page.comment("comes back for, and what you send yourself, is held only above flood_messages.");
    page.value("max_hops", rules.max_hops);
    page.value("pair_messages", rules.pair_messages);
    page.value("pair_window_s", rules.pair_window_s);
    page.value("flood_messages", rules.flood_messages);
    page.comment("Whether an agent may block while it waits for mail; otherwise its turn ends.");
    page.value("wait_allowed", rules.wait_allowed);
    if !rules.foreign_operators.is_usual() {
        page.comment("Operators of accepted replicas may also clear, stop, resume or switch agents here.");
        page.text("foreign_operators", rules.foreign_operators.as_str());
    }
    branches(team, page);
    match &rules.branch_pattern {
        Some(pattern) => page.text("branch_pattern", pattern),
        None => page.comment("branch_pattern = \"task/*\"   # how branches of agents are called"),
    }
    page.comment(&format!("What is enforced while agents work, out of {}.", Guard::list()));
    page.comment("RACE-001 enforces leases; F006 applies once protected_branches or branch_pattern is set.");
    page.list("guards", &rules.guards);
    page.comment("Whose commits and pushes the git hooks judge (`interagent guard install`).");
    page.choice::<CommitGuard>("commit_guard", rules.commit_guard);
    page.comment(
        "Below so many percent of context left an agent's superior is told; 0 for never. An agent's table",
    );
    page.comment("may have a limit of its own.");
    page.value("context_limit", rules.context_limit);
}

/// Branches that only some roles merge into. Where there are none, an example stands in their place.
fn branches(team: &TeamConfig, page: &mut Page) {
    let (rules, usual) = (&team.rules, Rules::of(team.formation));
    page.comment(
        "Branches that agents may not edit, commit or push to (F006), and the roles that merge into them.",
    );
    match rules.protected_branches.is_empty() && usual.protected_branches.is_empty() {
        true => page.comment("protected_branches = [\"main\"]"),
        false => page.list("protected_branches", &rules.protected_branches),
    }
    match rules.protected_branches.is_empty() && rules.may_merge == usual.may_merge {
        true => page.comment(&format!("may_merge = {}", listed(&rules.may_merge))),
        false => page.list("may_merge", &rules.may_merge),
    }
}

fn ladder(ladder: &Ladder, page: &mut Page) {
    page.table("ladder");
    page.comment("What happens with a duty nobody answers: the age in seconds at which each step ends.");
    page.comment(
        "Wake the agent; wake it another way; reset its context (only if allowed); tell its superior;",
    );
    page.comment("then ask you, once.");
    page.value("wake_s", ladder.wake_s);
    page.value("next_channel_s", ladder.next_channel_s);
    page.value("reset_s", ladder.reset_s);
    page.value("reset_allowed", ladder.reset_allowed);
    page.value("superior_s", ladder.superior_s);
    page.comment("Whether an agent that does not run is run once, without a person, to take its mail.");
    page.value("headless_allowed", ladder.headless_allowed);
    page.comment("How long you have to answer, and what happens if you do not.");
    page.value("operator_deadline_s", ladder.operator_deadline_s);
    page.choice::<OperatorDefault>("operator_default", ladder.operator_default);
}

fn notifications(notifications: &Notifications, page: &mut Page) {
    page.table("notifications");
    page.value("bell", notifications.bell);
    page.value("desktop", notifications.desktop);
    match &notifications.ntfy_topic {
        Some(topic) => page.text("ntfy_topic", topic),
        None => page.comment("ntfy_topic = \"TOPIC\"   # a push to your phone"),
    }
}

/// The text so far. Writing into a `String` can't fail, so those results carry nothing.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: impl Display) {
        let _ = writeln!(self.0, "{line}");
    }

    fn blank(&mut self) {
        self.line("");
    }

    fn comment(&mut self, comment: &str) {
        self.line(format_args!("# {comment}"));
    }

    fn table(&mut self, name: &str) {
        self.blank();
        self.line(format_args!("[{name}]"));
    }

    fn value(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    fn text(&mut self, key: &str, text: impl Display) {
        self.value(key, quote(&text.to_string()));
    }

    fn optional(&mut self, key: &str, text: Option<&impl Display>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A word together with the others that are possible.
    fn choice<W: Word + Display>(&mut self, key: &str, word: W) {
        self.line(format_args!("{key} = {}   # {}", quote(word.as_str()), W::list()));
    }

    fn list<T: Display>(&mut self, key: &str, entries: impl IntoIterator<Item = T>) {
        self.value(key, listed(entries));
    }
}

/// A TOML array on one line.
fn listed<T: Display>(entries: impl IntoIterator<Item = T>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|entry| quote(&entry.to_string())).collect();
    format!("[{}]", entries.join(", "))
}

/// A TOML string on one line.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
