//! The team and its agents, as people see them.

use interagent_core::liveness::Liveness;
use interagent_core::name::OPERATOR;
use interagent_wire::answer::{AgentView, IdentityView, Page, SessionView, TeamView, TokenView};

use super::{ago, counted, empty, field, list, moment, more, name, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn team(printer: &mut Printer<'_>, op: &str, team: &TeamView) {
    if op == "team.show" {
        let taken = format!("# taken in by {}, {}", team.by.name, moment(team.changed));
        printer.line(&[(Role::Quiet, &taken)]);
        // A file that somebody may copy: broken lines would be another one.
        team.text.lines().for_each(|line| printer.exact(&[(Role::Plain, line)]));
        return;
    }
    let mode = team.mode.as_ref().map(|mode| format!(" ({mode})")).unwrap_or_default();
    let words = format!(": the rules of {} hold now, {}{mode}", team.project, team.formation);
    printer.line(&[(Role::Good, "taken in"), (Role::Plain, &words)]);
}

pub(super) fn agent(printer: &mut Printer<'_>, op: &str, agent: &AgentView) {
    match op {
        "agent.show" => whole(printer, agent),
        "status.set" => {
            printer.line(&[(Role::Name, &agent.name), (Role::Plain, &format!(" is {}", state(agent)))]);
        }
        _ => {
            let did = match op {
                "agent.register" => "registered ",
                "agent.rename" => "renamed ",
                "agent.retire" => "retired ",
                _ => "",
            };
            let profile = format!(" ({})", agent.profile);
            let line =
                [(Role::Good, did), (Role::Name, agent.name.as_str()), (Role::Quiet, profile.as_str())];
            printer.line(&line);
            for note in &agent.notes {
                printer.line(&[(Role::Warning, "note: "), (Role::Plain, note)]);
            }
        }
    }
}

fn whole(printer: &mut Printer<'_>, agent: &AgentView) {
    let title = [(Role::Name, agent.name.as_str()), (Role::Plain, "  "), (Role::Id, agent.id.as_str())];
    printer.line(&title);
    field(printer, "profile", Some(&agent.profile));
    field(printer, "model", agent.model.as_deref());
    field(printer, "role", agent.role.as_deref());
    field(printer, "reports to", agent.reports_to.as_deref());
    field(printer, "status", Some(&state(agent)));
    field(printer, "unread", Some(&counted(agent.unread)));
    field(printer, "home", Some(&agent.home).filter(|_| !agent.local).map(String::as_str));
    field(printer, "works on", agent.description.as_deref());
    field(printer, "works in", agent.workspace.as_deref());
    list(printer, "good at", &agent.capabilities);
    list(printer, "owns", &agent.paths);
    field(printer, "registered", Some(&moment(agent.registered)));
    field(printer, "retired", agent.retired.map(moment).as_deref());
}

pub(super) fn state(agent: &AgentView) -> String {
    match &agent.status {
        _ if agent.retired.is_some() => "retired".to_owned(),
        None => "no status".to_owned(),
        Some(status) => {
            let text = status.text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            let context =
                status.context_left.map(|left| format!(", {left} % context left")).unwrap_or_default();
            format!("{}{text}{context}", status.state)
        }
    }
}

pub(super) fn agents(printer: &mut Printer<'_>, page: &Page<AgentView>) {
    let mut table = Table::new([
        Column::whole("name"),
        Column::text("profile").spare(),
        Column::text("role"),
        Column::text("reports to").spare(),
        Column::text("status"),
        Column::number("unread"),
    ]);
    for agent in &page.items {
        table.row([
            Cell::new(Role::Name, &agent.name),
            agent.profile.as_str().into(),
            agent.role.as_deref().unwrap_or_default().into(),
            agent.reports_to.as_deref().unwrap_or_default().into(),
            state(agent).as_str().into(),
            counted(agent.unread).as_str().into(),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}

/// What a client needs, without the token itself: such files end up in git.
const CONFIGURATION: [&str; 5] = [
    r#"{"mcpServers": {"interagent": {"#,
    r#"  "type": "http", "alwaysLoad": true,"#,
    r#"  "url": "http://127.0.0.1:7717/mcp","#,
    r#"  "headers": {"Authorization": "Bearer ${INTERAGENT_TOKEN}"}"#,
    "}}}",
];

pub(super) fn token(printer: &mut Printer<'_>, token: &TokenView) {
    let Some(secret) = &token.token else {
        return printer.line(&[(Role::Name, &token.agent.name), (Role::Plain, " has no token any more")]);
    };
    // To be copied: a broken line would be another token.
    printer.exact(&[(Role::Plain, secret.reveal())]);
    // The agents of a project read its files too.
    let (whose, place) = match token.agent.name == OPERATOR {
        true => (
            "Whoever has it speaks for you: it is for a client of your own, and for no agent.".to_owned(),
            "in a file that no agent reads",
        ),
        false => (format!("Whoever has it is {}.", token.agent.name), "in .mcp.json"),
    };
    printer.line(&[(Role::Warning, &whose)]);
    field(printer, "made", token.created.map(moment).as_deref());
    field(printer, "file", token.file.as_deref());
    field(printer, "server", Some("interagent mcp --http 127.0.0.1:7717"));
    let told =
        format!("for Claude Code, {place}, with the token in the variable; docs/mcp.md has the others:");
    printer.line(&[(Role::Quiet, &told)]);
    CONFIGURATION.iter().for_each(|line| printer.exact(&[(Role::Plain, line)]));
}

pub(super) fn identity(printer: &mut Printer<'_>, identity: &IdentityView) {
    match &identity.member {
        Some(member) => {
            let auth = identity.auth.map(|auth| format!(" ({auth})")).unwrap_or_default();
            printer.line(&[(Role::Name, &member.name), (Role::Quiet, &auth)]);
        }
        None => printer.line(&[(Role::Warning, "unbound")]),
    }
    let actor = identity.actor.as_ref().filter(|actor| identity.member.as_ref() != Some(actor));
    field(printer, "acting", actor.map(|actor| actor.name.as_str()));
    field(printer, "because", Some(&identity.how));
    for fact in &identity.facts {
        let role = if fact.counted { Role::Plain } else { Role::Quiet };
        let counted = if fact.counted { "" } else { " (did not count)" };
        let label = format!("  {}: ", fact.fact);
        printer.line(&[(Role::Quiet, &label), (role, &fact.value), (Role::Quiet, counted)]);
    }
    field(printer, "hub", Some(&identity.hub));
    field(printer, "replica", Some(&format!("{} {}", identity.alias, identity.origin)));
}

pub(super) fn session(printer: &mut Printer<'_>, session: &SessionView) {
    let is = format!(" is {}, ", session.state);
    printer.line(&[
        (Role::Id, &session.id),
        (Role::Plain, " of "),
        (Role::Name, &session.agent.name),
        (Role::Plain, &is),
        (Role::Quiet, &format!("bound {}", since(session.bound))),
    ]);
}

/// Whether somebody lives and what it does; nothing for people.
pub(crate) fn life(state: Option<Liveness>) -> Cell {
    let role = match state {
        Some(Liveness::Thinking | Liveness::Idle) => Role::Good,
        Some(Liveness::Asking | Liveness::Unknown) => Role::Warning,
        Some(Liveness::Wedged | Liveness::Dead) => Role::Bad,
        Some(Liveness::Starting | Liveness::Away) | None => Role::Quiet,
    };
    Cell::new(role, state.map_or("", Liveness::told))
}

pub(super) fn sessions(printer: &mut Printer<'_>, page: &Page<SessionView>) {
    if page.items.is_empty() {
        return empty(printer, "no sessions", "session bind SESSION --agent NAME");
    }
    let mut table = Table::new([
        Column::whole("session"),
        Column::text("agent"),
        Column::text("profile").spare(),
        Column::whole("state"),
        Column::number("pid"),
        Column::whole("pane").spare(),
        Column::number("seen").spare(),
    ]);
    for session in &page.items {
        table.row([
            Cell::new(Role::Id, &session.id),
            name(Some(&session.agent)),
            session.profile.as_str().into(),
            match session.life {
                Some(state) => life(Some(state)),
                None => session.state.as_str().into(),
            },
            session.pid.map(|pid| pid.to_string()).unwrap_or_default().as_str().into(),
            session.pane.as_deref().unwrap_or_default().into(),
            ago(session.seen),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}
