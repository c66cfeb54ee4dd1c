//! Briefing and summary.

use std::time::Duration;

use interagent_core::limits::BRIEFING_BYTES;
use interagent_core::vocabulary::{Intent, Priority, TaskStatus};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::support::{Team, as_agent};

#[test]
fn a_briefing_says_who_one_is_and_what_is_open() {
    let mut team = Team::duo();
    let low = team.task(ask::TaskCreate {
        title: "Sweep".into(),
        assignee: Some("kimi".into()),
        quiet: true,
        priority: Some(Priority::Low),
        ..Default::default()
    });
    let high = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        assignee: Some("kimi".into()),
        quiet: true,
        priority: Some(Priority::High),
        ..Default::default()
    });
    let question = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me.");
    let head = team.hub.store().head().unwrap();
    let own = team.briefing(&as_agent("kimi"), None);
    assert_eq!(team.briefing(&Caller::operator(), Some("kimi")), own);
    assert_eq!(team.hub.store().head().unwrap(), head, "a briefing changes nothing");
    assert_eq!(own.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), [&high, &low]);
    assert!(own.duties.iter().any(|duty| duty.message == question));
    let text = &own.text;
    assert!(
        text.starts_with("You are kimi (delegate), an agent, team \"demo\" in formation duo.\n"),
        "{text}"
    );
    assert!(
        text.contains(&format!("answer \"Which port?\" from claude: interagent reply {question}")),
        "{text}"
    );
    assert!(text.find(&high) < text.find(&low), "{text}");
    assert!(text.contains("never the user's word"), "{text}");
}

#[test]
fn a_briefing_is_bounded_whatever_is_open() {
    let mut team = Team::duo();
    for n in 0..60 {
        team.task(ask::TaskCreate {
            title: format!("{n} {}", "設".repeat(150)),
            assignee: Some("kimi".into()),
            ..Default::default()
        });
        team.send("operator", "kimi", Intent::Question, &format!("{n} {}", "é".repeat(150)), "x");
    }
    let view = team.briefing(&as_agent("kimi"), None);
    assert!(view.text.len() <= BRIEFING_BYTES, "{}", view.text.len());
    assert!(view.text.contains("Your other open tasks (50):"), "{}", view.text);
    assert!(view.text.contains(" more: interagent task list"), "{}", view.text);
    assert!(view.text.contains(" more: interagent inbox"), "{}", view.text);
}

#[test]
fn a_briefing_without_a_team_and_of_a_person() {
    let mut team = Team::without_file();
    team.ok(&Caller::operator(), ask::AgentRegister { name: "ann".into(), ..Default::default() });
    assert!(team.briefing(&as_agent("ann"), None).text.contains("No team file"));
    let own = team.briefing(&Caller::operator(), None);
    assert!(own.text.starts_with("You are operator, the person who runs this team.\n"), "{}", own.text);
}

#[test]
fn a_summary_counts_and_says_what_to_do() {
    let mut team = Team::duo();
    let login = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        assignee: Some("kimi".into()),
        ..Default::default()
    });
    team.move_task("kimi", &login, TaskStatus::Completed);
    let docs = team.task(ask::TaskCreate {
        title: "Write docs".into(),
        assignee: Some("kimi".into()),
        ..Default::default()
    });
    team.task(ask::TaskCreate {
        title: "Print docs".into(),
        assignee: Some("kimi".into()),
        depends_on: vec![docs.clone()],
        ..Default::default()
    });
    let question = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me.");
    let stuck = team.send("claude", "kimi", Intent::Question, "Which host?", "Tell me.");
    let escalate =
        ask::MessageEscalate { message: stuck.clone(), reason: "nobody knows".into(), ..Default::default() };
    team.ok(&as_agent("kimi"), escalate);
    let held = team.send("kimi", "claude", Intent::Message, "Wait", "not yet");
    team.ok(&as_agent("kimi"), ask::MessageHold { message: held.clone() });
    team.clock.advance(Duration::from_secs(600));

    let summary = team.summary();
    assert_eq!((summary.project.as_str(), summary.formation.as_deref()), ("demo", Some("duo")));
    let counts: Vec<(&str, i64)> =
        summary.tasks.iter().map(|count| (count.status.as_str(), count.count)).collect();
    assert!(counts.contains(&("completed", 1)) && counts.contains(&("assigned", 2)), "{counts:?}");
    assert_eq!(summary.held, 1);
    let kimi = summary.mail.iter().find(|mail| mail.agent.name == "kimi").unwrap();
    assert!(kimi.unread >= 2 && kimi.first.len() <= 3, "{kimi:?}");

    let of = |action: &str| -> Vec<(String, String)> {
        let wanted = summary.actions.iter().filter(|item| item.action.as_str() == action);
        wanted.map(|item| (item.agent.name.clone(), item.sentence.clone())).collect()
    };
    let reviews = of("review");
    assert_eq!(reviews.len(), 1, "{reviews:?}");
    assert!(reviews[0].0 == "claude" && reviews[0].1.contains(&login), "{reviews:?}");
    let starts = of("start");
    assert_eq!(starts.len(), 1, "one that waits for another can't start: {starts:?}");
    assert!(starts[0].0 == "kimi" && starts[0].1.contains(&docs), "{starts:?}");
    assert!(of("answer").iter().any(|(who, sentence)| who == "kimi" && sentence.contains(&question)));
    let decisions = of("decide");
    assert!(decisions.len() == 1 && decisions[0].0 == "operator", "{decisions:?}");
    let releases = of("release");
    assert!(
        releases.len() == 1 && releases[0].0 == "operator" && releases[0].1.contains(&held),
        "{releases:?}"
    );
}

#[test]
fn an_empty_hub_sums_up_to_nothing() {
    let mut team = Team::without_file();
    let Answer::Summary(summary) = team.ok(&Caller::operator(), ask::Summary {}) else { panic!() };
    assert_eq!((summary.formation, summary.tasks.len(), summary.mail.len()), (None, 0, 0));
    assert_eq!(summary.actions, []);
}

#[test]
fn what_is_listed_in_part_is_counted_whole() {
    let mut team = Team::duo();
    for n in 0..120 {
        team.send("operator", "kimi", Intent::Question, &format!("question {n}"), "x");
    }
    let kimi = as_agent("kimi");
    let Answer::Inbox(inbox) = team.ok(&kimi, ask::MessageInbox::default()) else { panic!("no inbox") };
    assert_eq!((inbox.owed, inbox.duties.len()), (120, 50));
    let Answer::Handover(taken) = team.ok(&kimi, ask::OfferTake::default()) else { panic!("no mail") };
    assert_eq!((taken.owed, taken.duties.len()), (120, 50));
    let Answer::Relay(relay) = team.ok(&kimi, ask::Relay::default()) else { panic!("no prompt") };
    assert!(relay.text.contains("You have 120 unread message(s):"), "{}", relay.text);
    assert!(relay.text.contains(" 120 message(s) wait for you to settle them:"), "{}", relay.text);
    assert_eq!((relay.messages.len(), relay.duties.len()), (100, 20));
    assert_eq!(relay.text.matches("interagent reply").count(), 20, "{}", relay.text);
}
