//! Dividing a task: who proposes, who answers, and what becomes of the parts.

use super::*;
use crate::entity::task::Split;
use crate::event::TaskDependency;

fn parts(words: &[&str]) -> Vec<Words> {
    words.iter().map(|part| Words::line("a part", part).unwrap()).collect()
}

fn proposed(snapshot: &TaskSnapshot, words: &[&str]) -> Result<Vec<String>, Refusal> {
    let context = context(false);
    let mut draft = Draft::new(&context);
    propose_split(snapshot, &parts(words), None, &context, &mut draft)?;
    // The text is stored for every reader, so it names no command: the step is shown with it.
    assert!(draft.texts.iter().all(|text| !text.text.contains("interagent ")), "{:?}", draft.texts);
    Ok(drafted(&draft))
}

fn with_proposal(member: &str, worker: &str) -> TaskSnapshot {
    let mut task = task(1, TaskStatus::Blocked, Some(worker));
    task.split = Some(Box::new(Split {
        when: when(),
        by: agent(worker).id,
        parts: vec![TextHash::of("", "lexer"), TextHash::of("", "parser")],
        reason: None,
        end: None,
    }));
    snapshot(None, member, task, Some(worker))
}

fn accepted(snapshot: &TaskSnapshot, workers: &[Agent]) -> Result<Draft, Refusal> {
    let context = context(false);
    let mut draft = Draft::new(&context);
    accept_split(snapshot, &["lexer".into(), "parser".into()], workers, &context, &mut draft)?;
    Ok(draft)
}

#[test]
fn a_worker_proposes_parts_and_waits_for_who_gave_the_task() {
    let mine = |status| snapshot(None, "kimi", task(1, status, Some("kimi")), Some("kimi"));
    assert_eq!(
        proposed(&mine(TaskStatus::InProgress), &["lexer", "parser"]).unwrap(),
        ["task.split_proposed", "in_progress>blocked", "sent question"]
    );
    assert_eq!(
        proposed(&mine(TaskStatus::Blocked), &["lexer", "parser"]).unwrap(),
        ["task.split_proposed", "sent question"]
    );
    for (refused, words, code) in [
        (mine(TaskStatus::InProgress), &["all of it"][..], "bad_split"),
        (mine(TaskStatus::Completed), &["a", "b"], "done"),
        (mine(TaskStatus::Approved), &["a", "b"], "closed"),
        (with_proposal("kimi", "kimi"), &["a", "b"], "proposed"),
        (with_proposal("giver", "kimi"), &["a", "b"], "F003"),
    ] {
        assert_eq!(proposed(&refused, words).unwrap_err().code, code);
    }
}

#[test]
fn a_captain_is_not_written_to_about_it() {
    let team = Some(TeamConfig::usual_captain("demo"));
    let mut task = task(1, TaskStatus::InProgress, Some("vice_captain1"));
    task.brief.assigner = agent("captain").id;
    let mut order = snapshot(team, "vice_captain1", task, Some("vice_captain1"));
    order.giver = Some(agent("captain"));
    assert_eq!(proposed(&order, &["a", "b"]).unwrap(), ["task.split_proposed", "in_progress>blocked"]);
}

#[test]
fn parts_become_tasks_that_the_divided_one_waits_for() {
    let draft = accepted(&with_proposal("giver", "kimi"), &[agent("codex"), agent("kimi")]).unwrap();
    let one = ["task.created", "task.assigned", "pending>assigned", "sent delegation", "task.dependency"];
    assert_eq!(drafted(&draft), [&one[..], &one[..], &["task.split_decided"]].concat());
    let given: Vec<AgentId> = draft
        .facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::TaskAssigned(assigned) => Some(assigned.assignee.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(given, [agent("codex").id, agent("kimi").id]);
    let waits = draft.facts.iter().filter(|fact| {
        matches!(&fact.event, Event::TaskDependency(TaskDependency { removed: false, .. }))
            && fact.entity == EntityRef::Task(TaskId::from_bits(1))
    });
    assert_eq!(waits.count(), 2);
    // Whose work others do now is told; whoever gets all of it is told by its new tasks.
    let by_others = accepted(&with_proposal("giver", "kimi"), &[agent("codex")]).unwrap();
    assert_eq!(drafted(&by_others).last().map(String::as_str), Some("sent context_share"));
    let by_itself = accepted(&with_proposal("giver", "kimi"), &[]).unwrap();
    assert_eq!(drafted(&by_itself).last().map(String::as_str), Some("task.split_decided"));
}

#[test]
fn only_who_leads_a_task_answers_and_only_a_proposal() {
    assert_eq!(accepted(&with_proposal("codex", "kimi"), &[]).unwrap_err().code, "not_yours");
    assert_eq!(accepted(&with_proposal("kimi", "kimi"), &[]).unwrap_err().code, "not_yours");
    let none = snapshot(None, "giver", task(1, TaskStatus::Blocked, Some("kimi")), Some("kimi"));
    assert_eq!(accepted(&none, &[]).unwrap_err().code, "not_proposed");
    let context = context(false);
    let mut draft = Draft::new(&context);
    decline_split(&with_proposal("giver", "kimi"), None, &context, &mut draft).unwrap();
    assert_eq!(drafted(&draft), ["task.split_decided", "blocked>in_progress", "sent context_share"]);
}
