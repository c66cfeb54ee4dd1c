//! `interagent ps`: who lives and what everybody does.

use clap::Args;
use interagent_agents::setup::What;
use interagent_core::liveness::{Liveness, tally};
use interagent_wire::Time;
use interagent_wire::answer::CrewView;
use serde_json::json;

use crate::config::env::told_at_us;
use crate::connect;
use crate::crew::life::{self, Alive, Panes};
use crate::crew::{Scene, supervisor};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::show;
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};
use crate::ui::time::relative;
use crate::values::now_us;

/// Shows who lives and what everybody does, by hook, process and terminal.
///
/// States: thinking, waiting for you (`asking` with --json: a permission prompt is open), idle, wedged (in a turn, and no sign by hook or on the screen for ten
/// minutes), dead (its process is gone, or only a shell is left), starting, unknown (runs and does not say what it does),
/// away (nothing of it runs here).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent ps\n  interagent ps captain --json")]
pub(crate) struct Ps {
    /// Which agents: names or ids; all when left out.
    agent: Vec<String>,
}

impl Ps {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let scene = Scene::load(session, None)?;
        let chosen = scene.chosen(&self.agent, |_| true)?;
        let panes = Panes::look(&scene);
        let all: Vec<Alive<'_>> = chosen.into_iter().map(|row| life::judge(&scene, &panes, row)).collect();
        let watch = supervisor::running(&scene.hub_dir);
        let mut permissions = session.hub()?.permissions()?;
        permissions.retain(|one| all.iter().any(|alive| alive.row.agent.id.as_str() == one.agent.id));
        if session.is_for_people() {
            tell(session, &scene, &all, watch);
            for (_, deaf) in all.iter().filter_map(|alive| lacks(&scene, alive)) {
                session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &deaf)]);
            }
            show::unnamed(&mut session.printer, &scene.crew.unnamed);
            show::permissions(&mut session.printer, &permissions);
            for trouble in &panes.troubles {
                session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, trouble)]);
            }
        } else {
            let agents: Vec<CrewView> = all.iter().map(|alive| view(&scene, alive)).collect();
            let seq = session.hub()?.store().reached();
            let document = json!({
                "agents": agents,
                "permissions": permissions,
                "unnamed": scene.crew.unnamed,
                "supervisor": watch,
                "troubles": panes.troubles,
            });
            session.document(seq, &document);
        }
        session.conclude(Done::Looked)
    }
}

fn view(scene: &Scene, alive: &Alive<'_>) -> CrewView {
    let (row, mark) = (alive.row, scene.mark(alive.row));
    let known = row.pane.as_ref();
    CrewView {
        id: mark.agent,
        name: mark.name,
        role: Some(mark.role).filter(|role| !role.is_empty()),
        profile: mark.profile,
        model: Some(mark.model).filter(|model| !model.is_empty()),
        life: alive.life,
        since: alive.since.map(Time),
        pane: known.map(|known| known.pane.clone()),
        socket: known.map(|known| known.socket.clone()),
        launched: known.map(|known| known.origin == interagent_store::observe::PaneOrigin::Launched),
        pid: pid(alive),
        session: row.sessions.first().map(|session| session.id.clone()),
        task: row.task.clone(),
        unread: row.unread,
        context_left: context(alive),
        lacks: lacks(scene, alive).map(|(lacks, _)| lacks).unwrap_or_default(),
    }
}

/// What connects an agent's client with the team and is missing where it runs, and the sentence that says so.
fn lacks(scene: &Scene, alive: &Alive<'_>) -> Option<(Vec<String>, String)> {
    let runs = !matches!(alive.life, Liveness::Away | Liveness::Dead);
    let ground = scene.ground.as_ref().filter(|_| runs)?;
    let seat = alive.row.seat.as_ref()?;
    let profile = scene.profiles.get(seat.profile.as_str())?;
    let directory = ground.directory_of(seat).unwrap_or_else(|| ground.root.clone());
    let lacks = ground.lacks(&profile, &directory);
    let name = alive.row.agent.name.as_str();
    let deaf = connect::deaf(name, &profile, &directory, &lacks)?;
    let sentence = format!("{deaf}; {}, then interagent restart {name}", ground.repair(&profile, &directory));
    let word = |what: &What| match what {
        What::Mcp => "mcp".to_owned(),
        _ => what.as_str().to_owned(),
    };
    Some((lacks.iter().map(word).collect(), sentence))
}

/// The client's process; where it is not known, the first one in its pane.
fn pid(alive: &Alive<'_>) -> Option<i64> {
    let session = alive.row.sessions.iter().find_map(|session| session.process.as_ref());
    let launched = alive.row.pane.as_ref().map(|known| &known.process);
    session.or(launched).map(|process| process.pid).filter(|_| alive.life != Liveness::Dead)
}

fn context(alive: &Alive<'_>) -> Option<u8> {
    alive.row.agent.status.as_ref().and_then(|status| status.context_left)
}

fn tell(session: &mut Session, scene: &Scene, all: &[Alive<'_>], watch: Option<i64>) {
    if all.is_empty() {
        session.printer.line(&[(Role::Plain, "nobody is registered here")]);
        session.suggest(&["interagent init --formation captain"]);
        return;
    }
    let mut table = Table::new([
        Column::whole("name"),
        Column::text("role").spare(),
        Column::text("client").spare(),
        Column::text("model").spare(),
        Column::whole("state"),
        Column::number("since"),
        Column::whole("pane"),
        Column::number("pid").spare(),
        Column::text("task"),
        Column::number("unread"),
        Column::number("context").spare(),
    ]);
    let now = told_at_us().unwrap_or_else(now_us);
    for alive in all {
        let mark = scene.mark(alive.row);
        let text = |value: Option<String>| value.unwrap_or_default();
        let since = alive.since.map(|since| relative(now, since));
        let task = alive.row.task.as_ref().map(|task| format!("{} {}", task.status, task.title));
        table.row([
            Cell::new(Role::Name, &mark.name),
            mark.role.as_str().into(),
            mark.profile.as_str().into(),
            mark.model.as_str().into(),
            show::life(Some(alive.life)),
            Cell::new(Role::Quiet, &text(since)),
            alive.row.pane.as_ref().map(|known| known.pane.as_str()).unwrap_or_default().into(),
            text(pid(alive).map(|pid| pid.to_string())).as_str().into(),
            text(task).as_str().into(),
            alive.row.unread.to_string().as_str().into(),
            text(context(alive).map(|left| format!("{left} %"))).as_str().into(),
        ]);
    }
    session.printer.table(&table);
    let line = tally(all.iter().map(|alive| alive.life));
    let lives = all.iter().any(|alive| !matches!(alive.life, Liveness::Away | Liveness::Dead));
    let watch = match watch {
        Some(pid) => format!("; the supervisor is process {pid}"),
        None if lives => "; nobody watches over them: interagent supervise".to_owned(),
        None => String::new(),
    };
    session.printer.line(&[(Role::Quiet, &format!("{line}{watch}"))]);
}
