//! Orders and their parts; the reviewer's own step.

use super::*;

fn order(parts: &[(u64, TaskStatus)]) -> TaskSnapshot {
    let mut order = snapshot(None, "kimi", task(1, TaskStatus::InProgress, Some("kimi")), Some("kimi"));
    order.parts = parts.iter().map(|(bits, status)| task(*bits, *status, Some("codex"))).collect();
    order
}

fn completed(order: &TaskSnapshot, open_parts: OpenParts) -> Result<Vec<String>, Refusal> {
    let context = context(false);
    let mut draft = Draft::new(&context);
    move_to(order, TaskStatus::Completed, None, open_parts, &context, &mut draft)?;
    Ok(drafted(&draft))
}

#[test]
fn order_with_open_parts_is_not_done() {
    use TaskStatus as S;
    for status in
        [S::Pending, S::Assigned, S::InProgress, S::Blocked, S::Failed, S::RevisionNeeded, S::UnderReview]
    {
        let refusal = completed(&order(&[(2, S::Approved), (3, status)]), OpenParts::Refuse).unwrap_err();
        assert_eq!(refusal.code, "open_parts", "{status}");
        assert!(
            refusal.sentence.contains(&format!("{} ({status})", TaskId::from_bits(3))),
            "{}",
            refusal.sentence
        );
    }
    let over = [(2, S::Approved), (3, S::Completed), (4, S::Cancelled), (5, S::Reassigned), (6, S::Rejected)];
    assert!(completed(&order(&over), OpenParts::Refuse).is_ok());
}

#[test]
fn failed_part_counts_as_done_once_redone() {
    let mut redone = order(&[(2, TaskStatus::Failed), (3, TaskStatus::Completed)]);
    redone.parts[1].brief.redo_of = Some(TaskId::from_bits(2));
    assert!(completed(&redone, OpenParts::Refuse).is_ok());
}

#[test]
fn approval_of_an_order_needs_its_parts_too() {
    let mut done = order(&[(2, TaskStatus::Failed)]);
    done.member = agent("claude");
    done.task.status = TaskStatus::Completed;
    for human in [false, true] {
        assert_eq!(judged(&done, Verdict::Approved, human).unwrap_err().code, "open_parts");
    }
    assert!(judged(&done, Verdict::RevisionNeeded, false).is_ok());
}

#[test]
fn override_of_open_parts_is_noted() {
    let steps = completed(&order(&[(2, TaskStatus::Blocked)]), OpenParts::Override).unwrap();
    assert_eq!(steps[0], "task.noted");
}

#[test]
fn reviewer_begins_its_review() {
    let done = task(1, TaskStatus::Completed, Some("kimi"));
    let begun = moved(&snapshot(None, "claude", done.clone(), Some("kimi")), TaskStatus::UnderReview, false);
    assert_eq!(begun.unwrap(), ["completed>under_review"], "nobody else is asked");
    let duo = TeamConfig::usual_captain("demo");
    let stranger = snapshot(Some(duo), "member2", done, Some("member1"));
    assert_eq!(moved(&stranger, TaskStatus::UnderReview, false).unwrap_err().code, "F003");
}
