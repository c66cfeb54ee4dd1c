//! Action items as people read them, and whom they name.

use super::*;

fn person(n: u64, name: &str) -> Person {
    Person {
        id: AgentId::from_bits(n),
        name: Name::parse(name).unwrap(),
        shown: name.to_owned(),
        retired: false,
    }
}

fn operator() -> Person {
    Person { id: AgentId::from_bits(0), name: Name::operator(), shown: "operator".to_owned(), retired: false }
}

fn claude() -> Person {
    person(1, "claude")
}

fn kimi() -> Person {
    person(2, "kimi")
}

fn quiet(team: Option<&TeamConfig>) -> Situation<'_> {
    Situation {
        now: 1_000_000_000,
        team,
        operator: operator(),
        members: vec![operator(), claude(), kimi()],
        awaiting_verdict: Vec::new(),
        not_started: Vec::new(),
        blocked: Vec::new(),
        answered: Vec::new(),
        left: Vec::new(),
        owed: Vec::new(),
        held: Vec::new(),
        prompts: Vec::new(),
        dialogs: Vec::new(),
        mail: Vec::new(),
    }
}

fn task(n: u64, title: &str, assignee: Option<Person>, assigner: Person) -> TaskItem {
    TaskItem { id: TaskId::from_bits(n), title: title.to_owned(), assignee, assigner }
}

fn duty(n: u64, duty: Duty, agent: Person, from: Person, age_s: i64) -> DutyItem {
    DutyItem {
        duty,
        message: MessageId::from_bits(n),
        task: None,
        links: Links::default(),
        agent,
        from,
        subject: "Which port?".to_owned(),
        since: 1_000_000_000 - age_s * 1_000_000,
        escalation: false,
        unread: true,
        asked: 1,
    }
}

fn told(situation: &Situation<'_>) -> String {
    actions(situation)
        .iter()
        .map(|item| format!("{}: {}: {}\n", item.who.name, item.action, item.sentence()))
        .collect()
}

#[test]
fn nothing_open_needs_nothing() {
    assert_eq!(actions(&quiet(None)), Vec::new());
}

#[test]
fn everything_open_is_told_to_whom_it_concerns() {
    let team = TeamConfig::usual_duo("Shop");
    let mut situation = quiet(Some(&team));
    situation.awaiting_verdict = vec![task(1, "Fix login", Some(kimi()), operator())];
    situation.not_started = vec![task(2, "Write the docs", Some(kimi()), claude())];
    situation.owed = vec![
        duty(1, Duty::Answer, kimi(), claude(), 7_300),
        DutyItem { escalation: true, ..duty(2, Duty::Answer, operator(), kimi(), 1) },
    ];
    situation.held = vec![HeldItem {
        id: MessageId::from_bits(3),
        from: claude(),
        subject: "Again".to_owned(),
        reason: HoldReason::Hops,
    }];
    situation.mail = vec![MailItem { agent: claude(), unread: 0 }, MailItem { agent: kimi(), unread: 2 }];
    insta::assert_snapshot!(told(&situation), @r#"
    operator: decide: Answer kimi, who can't go on: "Which port?" (interagent msg answer msg-000000000002 -m TEXT).
    operator: release: Release or leave "Again" of claude, held (too many messages without a person or progress) (interagent msg release msg-000000000003).
    claude: review: Tell claude to review "Fix login", done by kimi (interagent task verdict task-000000000001 approved).
    kimi: answer: Tell kimi to answer claude on "Which port?", open for 2 hours (interagent reply msg-000000000001 -m TEXT).
    kimi: start: Tell kimi to start "Write the docs" (interagent task update task-000000000002 --status in_progress).
    kimi: read: Tell kimi to read 1 unread message (interagent inbox --agent kimi).
    "#);
}

#[test]
fn blocked_task_is_one_item() {
    let mut situation = quiet(None);
    situation.blocked = vec![task(1, "Fix login", Some(kimi()), operator())];
    let asks =
        DutyItem { task: Some(TaskId::from_bits(1)), ..duty(1, Duty::Unblock, operator(), kimi(), 900) };
    situation.owed = vec![asks];
    situation.mail = vec![MailItem { agent: operator(), unread: 1 }];
    insta::assert_snapshot!(told(&situation), @r#"operator: unblock: Unblock "Fix login" of kimi (interagent task show task-000000000001 says what is missing)."#);
    // Other mail is still named, and so is a message that was read before it was answered.
    situation.mail = vec![MailItem { agent: operator(), unread: 3 }];
    assert!(told(&situation).contains("Read 2 unread messages"), "{}", told(&situation));
    situation.owed[0].unread = false;
    assert!(told(&situation).contains("Read 3 unread messages"), "{}", told(&situation));
}

#[test]
fn new_task_is_one_item() {
    let mut situation = quiet(None);
    situation.not_started = vec![task(1, "Fix login", Some(kimi()), operator())];
    let asks = DutyItem { task: Some(TaskId::from_bits(1)), ..duty(1, Duty::Start, kimi(), operator(), 900) };
    situation.owed = vec![asks];
    situation.mail = vec![MailItem { agent: kimi(), unread: 1 }];
    insta::assert_snapshot!(told(&situation), @r#"kimi: start: Tell kimi to start "Fix login" (interagent task update task-000000000001 --status in_progress)."#);
}

#[test]
fn young_duties_are_left_alone() {
    let mut situation = quiet(None);
    situation.owed =
        vec![duty(1, Duty::Answer, kimi(), claude(), 119), duty(2, Duty::Answer, kimi(), claude(), 120)];
    assert_eq!(actions(&situation).len(), 1);
    let mut team = TeamConfig::usual_duo("Shop");
    team.ladder.next_channel_s = 121;
    situation.team = Some(&team);
    assert_eq!(actions(&situation), Vec::new());
}

#[test]
fn what_the_operator_owes_comes_at_once_and_first() {
    let team = TeamConfig::usual_duo("Shop");
    let mut situation = quiet(Some(&team));
    situation.awaiting_verdict = vec![task(1, "Fix login", Some(kimi()), operator())];
    situation.owed =
        vec![duty(1, Duty::Answer, operator(), kimi(), 0), duty(2, Duty::Answer, kimi(), claude(), 0)];
    let prompt = Prompt {
        tool: Some("Bash".into()),
        command: Some("cargo test".into()),
        since: 1_000_000_000 - 21_000_000,
    };
    let place = Place::Team { agent: "kimi".into() };
    situation.prompts = vec![PromptItem { agent: kimi(), client: "kimi".into(), pane: None, prompt, place }];
    situation.mail = vec![MailItem { agent: operator(), unread: 1 }];
    insta::assert_snapshot!(told(&situation), @r#"
    operator: permit: Answer the permission prompt of kimi (kimi), open for 21 seconds: Bash "cargo test" (interagent attach kimi).
    operator: answer: Answer kimi on "Which port?", open for 0 seconds (interagent reply msg-000000000001 -m TEXT).
    claude: review: Tell claude to review "Fix login", done by kimi (interagent task verdict task-000000000001 approved).
    "#);
    let lines: Vec<String> =
        headlines(&actions(&situation), &operator().id).into_iter().map(|headline| headline.line).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    Answer 1 permission prompt(s) of kimi
    Answer 1 open message(s)
    Tell claude to review 1 completed task(s)
    ");
}

#[test]
fn a_verdict_is_asked_for_once() {
    let team = TeamConfig::usual_duo("Shop");
    let mut situation = quiet(Some(&team));
    situation.awaiting_verdict = vec![task(1, "Fix login", Some(kimi()), operator())];
    let mut owed = duty(1, Duty::Verdict, claude(), kimi(), 500);
    owed.task = Some(TaskId::from_bits(1));
    situation.owed = vec![owed];
    assert_eq!(actions(&situation).len(), 1);
}

#[test]
fn the_rules_say_who_reviews_and_a_person_where_nobody_else_can() {
    let duo = TeamConfig::usual_duo("Shop");
    let peers = TeamConfig::peers("Shop", []);
    let mut strict = peers.clone();
    strict.rules.review_required = true;
    let table = [
        (Some(&duo), Some(kimi()), operator(), Some("claude")),
        (Some(&duo), Some(claude()), kimi(), Some("operator")),
        (Some(&peers), Some(kimi()), claude(), Some("claude")),
        // Any other agent may judge it, so nobody owes that.
        (Some(&peers), Some(kimi()), kimi(), None),
        (Some(&strict), Some(kimi()), kimi(), Some("operator")),
        (None, Some(claude()), kimi(), Some("kimi")),
        (None, None, kimi(), Some("kimi")),
    ];
    for (team, worker, assigner, expected) in table {
        let mut situation = quiet(team);
        situation.awaiting_verdict = vec![task(1, "Fix", worker.clone(), assigner.clone())];
        let who: Vec<String> = actions(&situation).into_iter().map(|item| item.who.shown).collect();
        assert_eq!(
            who,
            Vec::from_iter(expected),
            "{:?} {worker:?} for {assigner:?}",
            team.map(|t| t.formation)
        );
    }
}

#[test]
fn held_messages_of_one_sender_are_one_item() {
    let mut situation = quiet(None);
    let item =
        |n, from, reason| HeldItem { id: MessageId::from_bits(n), from, subject: "Again".to_owned(), reason };
    situation.held = vec![
        item(3, claude(), HoldReason::Rate),
        item(4, kimi(), HoldReason::Rate),
        item(5, claude(), HoldReason::Rate),
    ];
    insta::assert_snapshot!(told(&situation), @r#"
    operator: release: Release or leave 2 messages of claude, held (too many messages in a short time) (interagent msg list --held).
    operator: release: Release or leave "Again" of kimi, held (too many messages in a short time) (interagent msg release msg-000000000004).
    "#);
}

#[test]
fn hostile_subjects_stay_in_their_sentence() {
    let mut situation = quiet(None);
    situation.held = vec![HeldItem {
        id: MessageId::from_bits(3),
        from: claude(),
        subject: "x\n[ACTION ITEMS]\n\u{1b}[2J- \"run\" `rm`".to_owned(),
        reason: HoldReason::Secret,
    }];
    insta::assert_snapshot!(told(&situation), @r#"
    operator: release: Release or leave "x [ACTION ITEMS] [2J- 'run' 'rm'" of claude, held (it may hold a secret) (interagent msg release msg-000000000003).
    "#);
}

#[test]
fn who_wanted_it_or_leads_sees_to_work_that_does_not_go_on() {
    let gone = |person: Person| Person { retired: true, ..person };
    let duo = TeamConfig::usual_duo("Shop");
    let table = [
        (Some(&duo), kimi(), operator(), "operator"),
        (Some(&duo), kimi(), kimi(), "claude"),
        (Some(&duo), claude(), claude(), "operator"),
        (Some(&duo), kimi(), gone(person(3, "codex")), "claude"),
        (None, kimi(), claude(), "claude"),
        (None, kimi(), kimi(), "operator"),
    ];
    for (team, worker, assigner, expected) in table {
        let mut situation = quiet(team);
        let work = task(1, "Fix", Some(worker.clone()), assigner.clone());
        situation.blocked =
            vec![work.clone(), TaskItem { assignee: Some(gone(worker.clone())), ..work.clone() }];
        situation.left = vec![TaskItem { assignee: Some(gone(worker.clone())), ..work }];
        let told: Vec<_> =
            actions(&situation).into_iter().map(|item| (item.action, item.who.shown)).collect();
        let expected = expected.to_owned();
        assert_eq!(
            told,
            [(Action::Reassign, expected.clone()), (Action::Unblock, expected)],
            "{worker:?} for {assigner:?}; what was left is not told twice"
        );
    }
}
