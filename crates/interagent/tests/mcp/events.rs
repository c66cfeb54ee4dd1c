//! The table of notifications: formation x event x surface -> who is notified, how soon, and with which obligation.
//!
//! Each event is caused twice, by command and by MCP tool, in hubs of their own. Both must notify the same members in the same
//! way, so the snapshot has one table for both. How soon an agent gets it: `now` starts a turn at once, `soon` after a moment in
//! which related mail may arrive, `next turn` never starts one. The operator has a channel instead: `announced` or not. Both come
//! from the rules of the program.

mod deeds;
mod stage;

use deeds::Deed;
use stage::{Stage, Surface};

/// The three formations with the members that take part in the stories.
struct Formation {
    name: &'static str,
    team: &'static str,
    /// Gives the work, and approves it by the team's rules.
    lead: &'static str,
    /// Does it.
    worker: &'static str,
    /// Somebody else.
    other: &'static str,
}

const FORMATIONS: [Formation; 4] = [
    Formation {
        name: "duo",
        team: "formation = 'duo'\nprincipal = 'claude'\n[agents.claude]\nprofile = 'claude'\nrole = 'principal'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'delegate'\n[agents.codex]\nprofile = 'codex'\nrole = 'collaborator'\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "duo, review required",
        team: "formation = 'duo'\nprincipal = 'claude'\n[agents.claude]\nprofile = 'claude'\nrole = 'principal'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'delegate'\n[agents.codex]\nprofile = 'codex'\nrole = 'reviewer'\n\
               [rules]\nreview_required = true\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "peers",
        team: "formation = 'peers'\n[agents.claude]\nprofile = 'claude'\nrole = 'collaborator'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'collaborator'\n[agents.codex]\nprofile = 'codex'\nrole = 'collaborator'\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "captain",
        team: "formation = 'captain'\nprincipal = 'captain'\n[agents.captain]\nprofile = 'claude'\nrole = 'captain'\n\
               [agents.vice]\nprofile = 'claude'\nrole = 'vice_captain'\nreports_to = 'captain'\n\
               [agents.member1]\nprofile = 'kimi'\nrole = 'member'\nreports_to = 'vice'\n\
               [agents.member2]\nprofile = 'codex'\nrole = 'member'\nreports_to = 'vice'\n",
        lead: "vice",
        worker: "member1",
        other: "member2",
    },
];

/// Everything that can happen in a team, once.
fn story(formation: &Formation, surface: Surface) -> String {
    let mut stage = Stage::new(formation, surface);
    work(&mut stage, formation);
    orders(&mut stage, formation);
    changes_of_hands(&mut stage, formation);
    questions(&mut stage, formation);
    reviews(&mut stage, formation);
    departures(&mut stage, formation);
    stage.table
}

impl Formation {
    fn is_chain(&self) -> bool {
        self.name == "captain"
    }

    /// Gives verdicts by the team's rules.
    fn approver(&self) -> &'static str {
        if self.name.contains("review") { self.other } else { self.lead }
    }

    /// How a worker finishes a task.
    fn finish(&self, task: &str) -> Deed {
        match self.is_chain() {
            true => Deed::report(task, "done"),
            false => Deed::update(task, "completed"),
        }
    }
}

fn work(stage: &mut Stage, formation: &Formation) {
    let Formation { lead, worker, other, .. } = *formation;
    let approver = formation.approver();
    let task = stage.event(&format!("{lead} assigns to {worker}"), lead, &Deed::give("one", worker));
    stage.event(&format!("{lead} assigns to {worker}, --quiet"), lead, &Deed::give_quietly("two", worker));
    let waiting = Deed::give_after("later", other, &task);
    stage.event(&format!("{lead} assigns to {other} what waits for that"), lead, &waiting);
    stage.event("started", worker, &Deed::update(&task, "in_progress"));
    stage.event("blocked", worker, &Deed::update(&task, "blocked").because("no key"));
    stage.event(&format!("{lead} adds a note"), lead, &Deed::note(&task, "try the spare key"));
    stage.event("goes on", worker, &Deed::update(&task, "in_progress"));
    stage.event("adds a note", worker, &Deed::note(&task, "half of it"));
    stage.event("completed", worker, &formation.finish(&task));
    let sent_back = Deed::judge(&task, "revision_needed").because("tests fail");
    stage.event("revision_needed", approver, &sent_back);
    stage.aside(worker, &formation.finish(&task));
    stage.event("approved without a comment", approver, &Deed::judge(&task, "approved"));

    if !formation.is_chain() {
        let own = stage.aside(lead, &Deed::give("own", lead));
        stage.event(&format!("{lead} completes its own task"), lead, &formation.finish(&own));
    }
    let task = stage.aside(lead, &Deed::give("three", worker));
    stage.aside(worker, &formation.finish(&task));
    stage.event("approved with a comment", approver, &Deed::judge(&task, "approved").because("nice"));
    let task = stage.aside(lead, &Deed::give("three more", worker));
    stage.aside(worker, &formation.finish(&task));
    let request = stage.newest(approver);
    stage.event("an ordinary reply to that", approver, &Deed::reply(&request, "I will look at it."));
    stage.event("verdict by reply", approver, &Deed::reply(&request, "revision needed: tests fail"));
    let task = stage.aside(lead, &Deed::give("four", worker));
    stage.event("failed", worker, &Deed::update(&task, "failed").because("no disk"));
    stage.event("redone", lead, &Deed::redo(&task));
    let task = stage.aside(lead, &Deed::give("five", worker));
    stage.event("reported blocked", worker, &Deed::report(&task, "blocked"));
    stage.event("cancelled", lead, &Deed::update(&task, "cancelled"));
}

fn orders(stage: &mut Stage, formation: &Formation) {
    let Formation { worker, .. } = *formation;
    let approver = formation.approver();
    let task = stage.event(&format!("operator assigns to {worker}"), "operator", &Deed::give("six", worker));
    stage.event("blocked", worker, &Deed::update(&task, "blocked").because("no key"));
    stage.event("operator adds a note", "operator", &Deed::note(&task, "try the spare key"));
    stage.event("completed", worker, &formation.finish(&task));
    stage.event("approved without a comment", approver, &Deed::judge(&task, "approved"));
    if formation.is_chain() {
        let order = stage.event("captain assigns to vice", "captain", &Deed::give("order", "vice"));
        stage.event("completed", "vice", &formation.finish(&order));
        stage.aside("captain", &Deed::give("another order", "vice"));
        let offer = stage.newest("vice");
        stage.event("captain's order is declined", "vice", &Deed::decline(&offer));
    }
    let task = stage.aside("operator", &Deed::give("seven", worker));
    let offer = stage.newest(worker);
    stage.event("operator's task is declined", worker, &Deed::decline(&offer));
    stage.event("operator reassigns it", "operator", &Deed::reassign(&task, formation.other));
}

fn changes_of_hands(stage: &mut Stage, formation: &Formation) {
    let Formation { lead, worker, other, .. } = *formation;
    let task = stage.aside(lead, &Deed::give("eight", worker));
    let offer = stage.newest(worker);
    stage.event("declined", worker, &Deed::decline(&offer));
    stage.event(&format!("reassigned to {other}"), lead, &Deed::reassign(&task, other));
    // In a chain of command work is handed down.
    let (above, from, to) = match formation.is_chain() {
        true => ("captain", lead, worker),
        false => (lead, worker, other),
    };
    for assigner in ["operator", above] {
        let task = stage.aside(assigner, &Deed::give("handed over", from));
        stage.event(&format!("{from} hands over what {assigner} assigned"), from, &Deed::offer(&task, to));
        let offer = stage.newest(to);
        stage.event("accepted", to, &Deed::accept(&offer));
    }
    let task = stage.aside(lead, &Deed::give("nine", worker));
    stage.event("proposes to split", worker, &Deed::split(&task));
    stage.event("the split is accepted", lead, &Deed::accept_split(&task));
    stage.event(&format!("{worker} asks {lead}"), worker, &Deed::question(lead));
    let question = stage.newest(lead);
    stage.event("escalated", lead, &Deed::escalate(&question));
}

fn questions(stage: &mut Stage, formation: &Formation) {
    let Formation { lead, worker, other, .. } = *formation;
    let question = stage.event("asks for positions", lead, &Deed::ask("Ship it?"));
    stage.event("the first position", worker, &Deed::stand(&question, "yes"));
    stage.event("the last position", other, &Deed::stand(&question, "no"));
    stage.event("decided", lead, &Deed::decide(&question, "yes"));
    let question = stage.event("operator asks for positions", "operator", &Deed::ask("And now?"));
    let asked = if formation.is_chain() { vec!["captain"] } else { vec![lead, worker, other] };
    for (at, who) in asked.iter().enumerate() {
        let which = if at + 1 == asked.len() { "the last position" } else { "a position" };
        stage.event(which, who, &Deed::stand(&question, "yes"));
    }
    stage.event("operator decides", "operator", &Deed::decide(&question, "yes"));
    if formation.name.starts_with("duo") {
        let question = stage.aside("operator", &Deed::ask("And later?"));
        stage.event(&format!("{lead} decides operator's question"), lead, &Deed::decide(&question, "yes"));
    }
}

fn reviews(stage: &mut Stage, formation: &Formation) {
    let Formation { lead, worker, .. } = *formation;
    let review = stage.event("opens a review", worker, &Deed::open_review(lead));
    stage.event("a concern in a thread", lead, &Deed::concern(&review));
    stage.event("review: revision_needed", lead, &Deed::judge_review(&review, "revision_needed"));
    stage.event("adds a round", worker, &Deed::add_round(&review));
    stage.event("review: approved", lead, &Deed::judge_review(&review, "approved"));
    let task = stage.aside(lead, &Deed::give("ten", worker));
    stage.aside(worker, &formation.finish(&task));
    let review = stage.event("opens a review of a task", worker, &Deed::open_review_of(&task, lead));
    stage.event("task review: revision_needed", lead, &Deed::judge_review(&review, "revision_needed"));
    for verdict in ["approved", "revision_needed"] {
        let review = stage.event("operator opens a review", "operator", &Deed::open_review(lead));
        let what = format!("operator's review: {verdict}");
        stage.event(&what, lead, &Deed::judge_review(&review, verdict));
    }
}

fn departures(stage: &mut Stage, formation: &Formation) {
    let Formation { worker, other, .. } = *formation;
    stage.stops(&format!("the client of {worker} stops"), worker);
    stage.event(&format!("{other} is retired"), "operator", &Deed::retire(other));
}

#[test]
fn notifications_are_the_same_on_every_surface() {
    let tables = std::thread::scope(|scope| {
        let tell = |formation, surface| scope.spawn(move || story(formation, surface));
        let told = FORMATIONS.each_ref().map(|it| (it.name, tell(it, Surface::Cli), tell(it, Surface::Mcp)));
        told.map(|(name, by_command, by_tool)| {
            let by_command = by_command.join().unwrap();
            assert_eq!(by_command, by_tool.join().unwrap(), "{name}: commands and tools notify alike");
            by_command
        })
    });
    insta::assert_snapshot!(tables.join("\n"));
}
