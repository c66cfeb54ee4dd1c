//! Tasks, decided without a disk.

mod parts;
mod rights;
mod split;
mod verdicts;

use super::*;
use crate::authority::Proof;
use crate::draft::Fresh;
use crate::entity::When;
use crate::event::{Event, TaskCreated};
use crate::ids::{AgentId, OriginId, TaskId};
use crate::name::Name;
use crate::text::{TextHash, Words};
use crate::traffic::Flow;
use crate::vocabulary::{Intent, Priority, ReportStatus, Verdict};

fn when() -> When {
    When { at: 1, wall: 1 }
}

fn agent(name: &str) -> Agent {
    let bits = name.bytes().fold(7_u64, |bits, byte| bits.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let profile = if name == "operator" { "human" } else { "claude" };
    let (id, name) = (
        AgentId::from_bits(bits),
        if name == "operator" { Name::operator() } else { Name::parse(name).unwrap() },
    );
    Agent::new(id, name, OriginId::from_bits(1), profile.to_owned(), when())
}

fn task(bits: u64, status: TaskStatus, assignee: Option<&str>) -> Task {
    let id = TaskId::from_bits(bits);
    let brief = TaskCreated {
        title: TextHash::of("", "title"),
        description: None,
        assigner: agent("giver").id,
        priority: Priority::Medium,
        capability: None,
        purpose: None,
        requirements: Vec::new(),
        acceptance_criteria: Vec::new(),
        parent: None,
        depends_on: Vec::new(),
        branch: None,
        files: Vec::new(),
        target_path: None,
        echo_message: None,
        redo_of: None,
        reassigned_from: None,
        aliases: Vec::new(),
    };
    Task {
        id,
        brief,
        status,
        moved: when(),
        assignee: assignee.map(|name| agent(name).id),
        depends_on: std::collections::BTreeSet::new(),
        notes: Vec::new(),
        reports: Vec::new(),
        judgements: Vec::new(),
        split: None,
        submitted: None,
        successor: None,
        created: when(),
        updated: when(),
    }
}

fn snapshot(team: Option<TeamConfig>, member: &str, task: Task, worker: Option<&str>) -> TaskSnapshot {
    TaskSnapshot {
        team,
        member: agent(member),
        task,
        giver: Some(agent("giver")),
        assignee: worker.map(agent),
        duties: Vec::new(),
        dependents: Vec::new(),
        waits_for: Vec::new(),
        open_reviews: Vec::new(),
        judges: Vec::new(),
        unfinished_review: None,
        reviewers: Vec::new(),
        title: "title".to_owned(),
        brief: BriefWords::default(),
        parts: Vec::new(),
        operator: Some(agent("operator")),
        origin: None,
        serves: None,
        reported: None,
        foreign: rules::ForeignNames::default(),
    }
}

fn context(human: bool) -> Context {
    Context {
        now: 10,
        origin: OriginId::from_bits(1),
        member: agent("kimi").id,
        human,
        proof: Proof::Proven,
        fresh: Fresh::new([3; 32]),
    }
}

/// What was drafted: each fact as one short word or step.
fn drafted(draft: &Draft) -> Vec<String> {
    let said = |event: &Event| match event {
        Event::TaskMoved(moved) => format!("{}>{}", moved.from, moved.to),
        Event::TaskJudged(judged) => {
            format!("judged {}{}", judged.verdict, if judged.overruled { " overruled" } else { "" })
        }
        Event::MessageSent(sent) => format!("sent {}", sent.intent),
        other => other.kind().to_owned(),
    };
    draft.facts.iter().map(|fact| said(&fact.event)).collect()
}

fn moved(snapshot: &TaskSnapshot, to: TaskStatus, human: bool) -> Result<Vec<String>, Refusal> {
    let context = context(human);
    let mut draft = Draft::new(&context);
    move_to(snapshot, to, None, OpenParts::Refuse, &context, &mut draft)?;
    Ok(drafted(&draft))
}

fn judged(snapshot: &TaskSnapshot, verdict: Verdict, human: bool) -> Result<Vec<String>, Refusal> {
    let context = context(human);
    let mut draft = Draft::new(&context);
    judge(snapshot, verdict, None, OpenParts::Refuse, &context, &mut draft)?;
    Ok(drafted(&draft))
}

#[test]
fn completing_a_task_of_nobody_takes_it_and_records_every_step() {
    let free = snapshot(None, "kimi", task(1, TaskStatus::Pending, None), None);
    assert_eq!(
        moved(&free, TaskStatus::Completed, false).unwrap(),
        [
            "task.assigned",
            "pending>assigned",
            "assigned>in_progress",
            "in_progress>completed",
            "sent review_request"
        ]
    );
}

#[test]
fn a_refused_move_names_the_verb_that_works() {
    use TaskStatus as S;
    let cases = [
        (S::InProgress, S::Assigned, "task update"),
        (S::Blocked, S::Pending, "task update"),
        (S::InProgress, S::Reassigned, "task reassign"),
        (S::Approved, S::InProgress, "task redo"),
        (S::Failed, S::Approved, "task redo"),
        // Its assigner cancelled it, so the worker may not redo it.
        (S::Cancelled, S::Pending, "send --to giver"),
    ];
    for (from, to, verb) in cases {
        let refusal =
            moved(&snapshot(None, "kimi", task(1, from, Some("kimi")), Some("kimi")), to, false).unwrap_err();
        let hint = refusal.hint.clone().unwrap_or_default();
        assert!(hint.contains(&format!("interagent {verb} ")), "{from} -> {to}: {refusal:?}");
    }
    for (from, to) in
        [(S::Completed, S::InProgress), (S::UnderReview, S::Completed), (S::Completed, S::Assigned)]
    {
        let hint = |member: &str| {
            let done = snapshot(None, member, task(1, from, Some("kimi")), Some("kimi"));
            done.no_way(to).hint.unwrap_or_default()
        };
        assert!(hint("claude").starts_with("interagent task verdict "), "{}", hint("claude"));
        let asks = "a verdict of revision_needed reopens it: another agent judges it; ask: interagent send";
        assert!(hint("kimi").starts_with(asks), "the worker may not judge: {}", hint("kimi"));
    }
    let free = snapshot(None, "kimi", task(1, S::Pending, None), None);
    let refusal = moved(&free, S::Assigned, false).unwrap_err();
    assert_eq!(refusal.hint, Some(format!("interagent task claim {} takes it", free.task.id)));
}

#[test]
fn a_task_that_was_sent_back_can_get_stuck() {
    let back = snapshot(None, "kimi", task(1, TaskStatus::RevisionNeeded, Some("kimi")), Some("kimi"));
    let steps = moved(&back, TaskStatus::Blocked, false).unwrap();
    assert_eq!(steps, ["revision_needed>in_progress", "in_progress>blocked", "sent blocked"]);
}

#[test]
fn nobody_moves_the_work_of_another() {
    let theirs = snapshot(None, "codex", task(1, TaskStatus::Assigned, Some("kimi")), Some("kimi"));
    for to in [TaskStatus::InProgress, TaskStatus::Completed, TaskStatus::Failed, TaskStatus::UnderReview] {
        assert_eq!(moved(&theirs, to, false).unwrap_err().code, "F003", "{to}");
        assert!(moved(&theirs, to, true).is_ok(), "a person may: {to}");
    }
}

#[test]
fn in_a_chain_work_is_neither_taken_nor_given_to_oneself() {
    let team = TeamConfig::usual_captain("demo");
    let free = snapshot(Some(team.clone()), "member1", task(1, TaskStatus::Pending, None), None);
    for to in [TaskStatus::InProgress, TaskStatus::Blocked, TaskStatus::Completed] {
        assert_eq!(moved(&free, to, false).unwrap_err().code, "F003", "{to}");
    }
    let plan = Plan {
        title: Words::line("the title", "mine").unwrap(),
        description: None,
        priority: Priority::Medium,
        capability: None,
        purpose: None,
        requirements: Vec::new(),
        acceptance_criteria: Vec::new(),
        parent: None,
        depends_on: Vec::new(),
        branch: None,
        files: Vec::new(),
        target_path: None,
        echo_message: None,
        aliases: Vec::new(),
        routed: None,
        quiet: false,
    };
    let (context, me) = (context(false), agent("member1"));
    let refusal =
        create(Some(&team), &me, Some(&me), &plan, &context, &mut Draft::new(&context)).unwrap_err();
    assert_eq!(
        refusal.hint.as_deref(),
        Some(
            "vice_captain1 assigns work to member1; ask: interagent send --to vice_captain1 --intent question -m TEXT"
        )
    );
    let mut draft = Draft::new(&context);
    create(Some(&team), &agent("vice_captain1"), Some(&me), &plan, &context, &mut draft).unwrap();
    let told = |draft: &Draft| draft.facts.iter().any(|fact| matches!(fact.event, Event::MessageSent(_)));
    assert!(told(&draft), "assigning notifies");
    let mut quiet = Draft::new(&context);
    let plan = Plan { quiet: true, ..plan };
    create(None, &agent("claude"), Some(&agent("kimi")), &plan, &context, &mut quiet).unwrap();
    assert!(!told(&quiet), "unless it was asked not to");
}

#[test]
fn a_task_that_waits_is_not_taken_by_moving_it_either() {
    let mut waiting = snapshot(None, "kimi", task(1, TaskStatus::Pending, None), None);
    waiting.task.depends_on.insert(TaskId::from_bits(2));
    assert_eq!(
        moved(&waiting, TaskStatus::InProgress, false).unwrap_err().code,
        "not_ready",
        "it has not arrived"
    );
    waiting.waits_for.push(task(2, TaskStatus::InProgress, None));
    assert_eq!(moved(&waiting, TaskStatus::InProgress, false).unwrap_err().code, "not_ready");
    waiting.waits_for[0].status = TaskStatus::Completed;
    assert!(moved(&waiting, TaskStatus::InProgress, false).is_ok());
}

#[test]
fn asking_for_a_review_completes_the_task_and_asks_somebody() {
    let mut mine = snapshot(None, "kimi", task(1, TaskStatus::InProgress, Some("kimi")), Some("kimi"));
    mine.reviewers = vec![agent("claude")];
    let steps = moved(&mine, TaskStatus::UnderReview, false).unwrap();
    let asked = ["completed>under_review", "review.opened", "task.submitted", "sent review_request"];
    assert_eq!(
        steps,
        [&["in_progress>completed"][..], &asked, &["sent report"]].concat(),
        "the assigner is told"
    );
    mine.task.status = TaskStatus::Completed;
    assert_eq!(moved(&mine, TaskStatus::UnderReview, false).unwrap(), asked);
}

#[test]
fn each_completion_needs_its_own_report_where_reports_are_required() {
    let team = Some(TeamConfig::usual_captain("demo"));
    let mut mine =
        snapshot(team, "member1", task(1, TaskStatus::RevisionNeeded, Some("member1")), Some("member1"));
    mine.reviewers = vec![agent("vice_captain1")];
    let findings = Findings {
        status: ReportStatus::Done,
        summary: Words::note("the summary", "done").unwrap(),
        files_modified: Vec::new(),
        notes: None,
        skill: None,
        purpose: None,
        details: Details::default(),
        open_parts: OpenParts::Refuse,
    };
    let context = context(false);
    let mut draft = Draft::new(&context);
    report(&mine, &findings, &context, &mut draft).unwrap();
    let Event::TaskReported(reported) = draft.facts[0].event.clone() else { panic!("{:?}", draft.facts[0]) };
    let last = drafted(&draft).pop();
    assert_eq!(last.as_deref(), Some("sent report"), "the assigner is told");
    assert!(drafted(&draft).contains(&"sent review_request".to_owned()), "its superior owes a verdict");
    mine.task.reports.push(crate::entity::task::Report { when: when(), report: reported, spoken_by: None });
    assert_eq!(moved(&mine, TaskStatus::Completed, false).unwrap_err().code, "report_required");
}

#[test]
fn no_mail_goes_to_a_captain() {
    let mut team = TeamConfig::usual_captain("demo");
    team.rules.review_required = true;
    team.rules.report_required = false;
    let done = task(1, TaskStatus::InProgress, Some("vice_captain1"));
    let mut mine = snapshot(Some(team), "vice_captain1", done, Some("vice_captain1"));
    mine.reviewers = vec![agent("captain")];
    let steps = moved(&mine, TaskStatus::Completed, false).unwrap();
    let opened = ["review.opened", "task.submitted"];
    assert_eq!(
        steps,
        [&["in_progress>completed", "completed>under_review"][..], &opened, &["sent report"]].concat()
    );
    mine.giver = Some(agent("captain"));
    let context = context(false);
    let mut draft = Draft::new(&context);
    move_to(&mine, TaskStatus::Completed, None, OpenParts::Refuse, &context, &mut draft).unwrap();
    let told = draft.facts.iter().filter_map(|fact| match &fact.event {
        Event::MessageSent(sent) => Some((sent.to.clone(), sent.intent)),
        _ => None,
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [(vec![agent("operator").id], Intent::Report)],
        "the operator hears it instead"
    );
}

#[test]
fn approving_needs_somebody_else_and_a_person_who_does_not_overrules() {
    let own = snapshot(None, "kimi", task(1, TaskStatus::Completed, Some("kimi")), Some("kimi"));
    assert_eq!(judged(&own, Verdict::Approved, false).unwrap_err().code, "own_work");
    let spoken = judged(&own, Verdict::Approved, true).unwrap();
    let told = ["completed>approved", "judged approved overruled", "sent report"];
    assert_eq!(spoken, told, "the operator speaks for kimi");
    let mine = snapshot(None, "operator", task(1, TaskStatus::Completed, Some("operator")), Some("operator"));
    assert_eq!(judged(&mine, Verdict::Approved, true).unwrap()[1], "judged approved overruled");
    let other = snapshot(None, "claude", task(1, TaskStatus::Completed, Some("kimi")), Some("kimi"));
    assert_eq!(judged(&other, Verdict::Approved, false).unwrap()[1], "judged approved");
}

#[test]
fn what_is_not_complete_is_not_judged() {
    let open = snapshot(None, "claude", task(1, TaskStatus::InProgress, Some("kimi")), Some("kimi"));
    for verdict in [Verdict::Approved, Verdict::RevisionNeeded] {
        assert_eq!(judged(&open, verdict, false).unwrap_err().code, "not_complete");
    }
    assert!(judged(&open, Verdict::Rejected, false).is_ok());
    assert!(judged(&open, Verdict::Approved, true).is_ok(), "a person has seen it");
}

#[test]
fn what_waited_for_a_reassigned_task_waits_for_its_successor() {
    let mut mine = snapshot(None, "giver", task(1, TaskStatus::InProgress, Some("kimi")), Some("kimi"));
    let mut waiting = task(2, TaskStatus::Assigned, Some("codex"));
    waiting.depends_on.insert(mine.task.id.clone());
    let waits_for = vec![mine.task.clone()];
    mine.dependents = vec![Dependent { task: waiting, waits_for, title: "later".to_owned(), contact: None }];
    let context = context(false);
    let mut draft = Draft::new(&context);
    let successor = reassign(&mine, &agent("codex"), None, &context, &mut draft).unwrap();
    let moved: Vec<_> = draft
        .facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::TaskDependency(dependency) => Some((&dependency.on, dependency.removed)),
            _ => None,
        })
        .collect();
    assert_eq!(moved, [(&mine.task.id, true), (&successor, false)]);
}

#[test]
fn nothing_waits_for_what_will_never_be_finished() {
    let mine = snapshot(None, "kimi", task(1, TaskStatus::Assigned, Some("kimi")), Some("kimi"));
    let context = context(false);
    for (status, fine) in
        [(TaskStatus::Cancelled, false), (TaskStatus::Failed, false), (TaskStatus::Approved, true)]
    {
        let (on, reach) = (task(2, status, None), std::collections::BTreeSet::new());
        let drafted = depend(&mine, &on, false, (&reach, &reach), &context, &mut Draft::new(&context));
        assert_eq!(drafted.is_ok(), fine, "{status}");
    }
}

#[test]
fn an_edit_that_changes_nothing_is_no_event() {
    let mine = snapshot(None, "giver", task(1, TaskStatus::Assigned, Some("kimi")), Some("kimi"));
    let context = context(false);
    let mut draft = Draft::new(&context);
    edit(&mine, None, None, Some(Priority::Medium), None, &context, &mut draft).unwrap();
    assert_eq!(drafted(&draft), [""; 0]);
    edit(&mine, None, None, Some(Priority::High), None, &context, &mut draft).unwrap();
    assert_eq!(drafted(&draft), ["task.edited"]);
}

/// A task that waits for the one of a snapshot, and whose it is.
fn waiting(on: &Task, assignee: Option<&str>) -> Dependent {
    let mut waits = task(40, TaskStatus::Assigned, assignee);
    waits.depends_on.insert(on.id.clone());
    let contact = Some(agent(assignee.unwrap_or("giver")));
    Dependent { task: waits, waits_for: vec![on.clone()], title: "later".to_owned(), contact }
}

#[test]
fn whoever_waits_for_what_will_never_be_finished_is_told() {
    for (from, to) in [
        (TaskStatus::InProgress, TaskStatus::Cancelled),
        (TaskStatus::InProgress, TaskStatus::Failed),
        (TaskStatus::Completed, TaskStatus::Rejected),
    ] {
        for (assignee, concerned) in [(Some("codex"), "codex"), (None, "giver")] {
            let task = task(1, from, Some("kimi"));
            let mut snapshot = snapshot(None, "claude", task.clone(), Some("kimi"));
            snapshot.dependents = vec![waiting(&task, assignee)];
            let mut draft = Draft::new(&context(true));
            move_to(&snapshot, to, None, OpenParts::Refuse, &context(true), &mut draft).unwrap();
            let stuck = draft.facts.iter().find_map(|fact| match &fact.event {
                Event::MessageSent(sent) if sent.task == Some(TaskId::from_bits(40)) => Some(sent.to.clone()),
                _ => None,
            });
            assert_eq!(stuck, Some(vec![agent(concerned).id]), "{to} {assignee:?}");
            let said = draft.texts.iter().any(|text| text.text == "Stuck: later");
            assert!(said, "{to}");
        }
    }
}

#[test]
fn progress_of_work_counts_telling_outcome() {
    let team = TeamConfig::usual_duo("demo");
    let task = task(1, TaskStatus::InProgress, Some("kimi"));
    let mut snapshot = snapshot(Some(team), "kimi", task.clone(), Some("kimi"));
    snapshot.dependents = vec![waiting(&task, Some("codex"))];
    let mut draft = Draft::new(&context(false));
    move_to(&snapshot, TaskStatus::Completed, None, OpenParts::Refuse, &context(false), &mut draft).unwrap();
    assert!(drafted(&draft).contains(&"sent context_share".to_owned()));
    assert!(!draft.flows.is_empty() && draft.flows.values().all(|flow| *flow == Flow::Outcome));
}

#[test]
fn whoever_frees_their_own_work_is_told_as_well() {
    for (to, word) in [(TaskStatus::Completed, "Ready: later"), (TaskStatus::Failed, "Stuck: later")] {
        let task = task(1, TaskStatus::InProgress, Some("kimi"));
        let mut snapshot = snapshot(None, "kimi", task.clone(), Some("kimi"));
        snapshot.dependents = vec![waiting(&task, Some("kimi"))];
        let mut draft = Draft::new(&context(false));
        move_to(&snapshot, to, None, OpenParts::Refuse, &context(false), &mut draft).unwrap();
        assert!(drafted(&draft).contains(&"sent context_share".to_owned()), "{to}");
        assert!(draft.texts.iter().any(|text| text.text == word), "{to}");
        // Texts are stored for every reader, so none of them names a command.
        assert!(draft.texts.iter().all(|text| !text.text.contains("interagent ")), "{:?}", draft.texts);
    }
}

#[test]
fn in_a_chain_done_is_said_after_a_look_at_the_purpose() {
    let team = Some(TeamConfig::usual_captain("demo"));
    let mut mine =
        snapshot(team, "member1", task(1, TaskStatus::InProgress, Some("member1")), Some("member1"));
    mine.serves = Some(Served {
        order: TaskId::from_bits(9),
        purpose: "readers lose no token".to_owned(),
        acceptance_criteria: vec!["the tests pass".to_owned()],
    });
    let said = |status, purpose: Option<Purpose>, human| {
        let findings = Findings {
            status,
            summary: Words::note("the summary", "done").unwrap(),
            files_modified: Vec::new(),
            notes: None,
            skill: None,
            purpose,
            details: Details::default(),
            open_parts: OpenParts::Refuse,
        };
        let context = context(human);
        let mut draft = Draft::new(&context);
        report(&mine, &findings, &context, &mut draft).map(|()| match &draft.facts[0].event {
            Event::TaskReported(reported) => (reported.purpose_met, reported.purpose_gap.is_some()),
            other => panic!("{other:?}"),
        })
    };
    let refusal = said(ReportStatus::Done, None, false).unwrap_err();
    assert_eq!(refusal.code, "purpose_unchecked");
    assert!(
        refusal.sentence.contains("readers lose no token") && refusal.sentence.contains("the tests pass")
    );
    assert_eq!(said(ReportStatus::Done, Some(Purpose::Met), false), Ok((true, false)));
    let gap = Purpose::Gap(Words::note("the gap", "one token is lost").unwrap());
    assert_eq!(said(ReportStatus::Done, Some(gap), false), Ok((false, true)));
    assert_eq!(said(ReportStatus::Blocked, None, false), Ok((false, false)), "nothing is called done");
    assert_eq!(said(ReportStatus::Done, None, true), Ok((false, false)), "a person is not asked");
}
