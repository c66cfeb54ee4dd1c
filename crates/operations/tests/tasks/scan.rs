//! What a superior is told of its subordinates' reports, whatever other squads report.

#![expect(clippy::panic, reason = "a test stops at the first surprise")]

use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::ReportStatus;
use interagent_wire::Answer;
use interagent_wire::request as ask;

use crate::support::Team;

fn report(team: &mut Team, worker: &str, task: &str) {
    let report = ask::TaskReport {
        task: task.into(),
        status: Some(ReportStatus::Blocked),
        summary: Some("no network".into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    team.ok(worker, report);
}

fn told(team: &mut Team, superior: &str) -> String {
    let Answer::Briefing(briefing) = team.ok(superior, ask::Briefing::default()) else { panic!() };
    briefing.text
}

#[test]
fn a_report_is_not_lost_behind_hundreds_of_another_squad() {
    let profile = TeamConfig::usual_captain("demo").agents.values().next().unwrap().profile.clone();
    let config = TeamConfig::captain("demo", &profile, 2, 4);
    let below = |superior: &str| {
        let mut names = config
            .agents
            .iter()
            .filter(|(_, seat)| seat.reports_to.as_ref().is_some_and(|name| name.as_str() == superior));
        names.next().unwrap().0.to_string()
    };
    let (ours, theirs) = (below("vice_captain1"), below("vice_captain2"));
    let mut team = Team::of(&config);
    let task = team.create("vice_captain1", "Parse", Some(&ours));
    report(&mut team, &ours, &task.id);
    let other = team.create("vice_captain2", "Print", Some(&theirs));
    for _ in 0..210 {
        report(&mut team, &theirs, &other.id);
    }
    let first = told(&mut team, "vice_captain1");
    assert!(first.contains("Reports since your last turn (1)") && first.contains(&task.id), "{first}");
    let second = told(&mut team, "vice_captain2");
    assert!(second.contains("Reports since your last turn (210)"), "all are counted: {second}");
    for superior in ["vice_captain1", "vice_captain2"] {
        let again = told(&mut team, superior);
        assert!(!again.contains("Reports since"), "{superior} has seen them: {again}");
    }
}
