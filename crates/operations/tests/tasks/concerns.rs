//! Reviews with several reviewers: concerns, revisions, and the verdict that counts.

use interagent_core::vocabulary::{Disposition, Duty, Verdict};
use interagent_operations::Hub;
use interagent_wire::answer::DutyView;
use interagent_wire::{Answer, request as ask};

use crate::support::{Team, caller};

const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2,2 +2,3 @@\n one\n+two\n three\n";

fn peers() -> Team {
    Team::peers(&["claude", "codex", "kimi"])
}

/// A review of claude by codex and kimi.
fn opened(team: &mut Team) -> String {
    let params = ask::ReviewOpen {
        title: "Look at this".into(),
        diff: Some(DIFF.into()),
        to: vec!["codex".into(), "kimi".into()],
        ..Default::default()
    };
    team.review("claude", params).review.id
}

fn end(review: &str, verdict: Verdict) -> ask::ReviewVerdict {
    ask::ReviewVerdict { review: review.into(), verdict: Some(verdict), ..Default::default() }
}

fn round(review: &str, word: &str) -> ask::ReviewUpdate {
    let diff = Some(DIFF.replace("two", word));
    ask::ReviewUpdate { review: review.into(), diff, ..Default::default() }
}

fn says(review: &str, thread: Option<&str>, disposition: Disposition) -> ask::ReviewComment {
    ask::ReviewComment {
        review: review.into(),
        body: "off by one".into(),
        disposition: Some(disposition),
        thread: thread.map(Into::into),
        ..Default::default()
    }
}

fn close(review: &str, thread: &str) -> ask::ReviewResolve {
    ask::ReviewResolve { review: review.into(), thread: thread.into() }
}

fn subjects(team: &mut Team, who: &str) -> Vec<String> {
    team.inbox(who).0.into_iter().map(|mail| mail.subject).collect()
}

fn duties(team: &mut Team, who: &str) -> Vec<DutyView> {
    let params = ask::MessageInbox { agent: Some(who.into()), ..Default::default() };
    let Answer::Inbox(inbox) = team.ok("operator", params) else { unreachable!("another answer") };
    inbox.duties
}

#[test]
fn author_resolves_no_concern_of_another() {
    let mut team = peers();
    let review = opened(&mut team);
    let thread = team.review("kimi", says(&review, None, Disposition::Concern)).comments[0].thread.clone();
    let refusal = team.refused("claude", close(&review, &thread));
    assert_eq!(refusal.code, "not_your_concern");
    let hint = refusal.hint.unwrap();
    assert!(
        hint.contains(&format!("interagent review comment {review} --thread {thread} -m TEXT")),
        "{hint}"
    );
    // An answer does not change whose concern it is.
    team.review("claude", says(&review, Some(&thread), Disposition::Note));
    assert_eq!(team.refused("claude", close(&review, &thread)).code, "not_your_concern");
    // The member who raised it, another reviewer and the operator may resolve it.
    for who in ["kimi", "codex", "operator"] {
        team.review("kimi", says(&review, Some(&thread), Disposition::Concern));
        assert_eq!(team.review(who, close(&review, &thread)).review.open_threads, 0, "{who}");
    }
    let told: Vec<String> =
        subjects(&mut team, "kimi").into_iter().filter(|subject| subject.starts_with("resolved: ")).collect();
    let line = |by: &str| format!("resolved: your concern on Look at this, by {by}");
    assert_eq!(told, [line("codex"), line("operator")]);

    // Questions and the author's own threads stay the author's to close.
    let asked = team.review("kimi", says(&review, None, Disposition::Question)).comments;
    team.review("claude", close(&review, &asked.last().unwrap().thread));
    let own = team.review("claude", says(&review, None, Disposition::Concern)).comments;
    team.review("claude", close(&review, &own.last().unwrap().thread));
}

#[test]
fn approval_over_a_revision_is_announced() {
    let mut team = peers();
    let review = opened(&mut team);
    team.review("kimi", end(&review, Verdict::RevisionNeeded));
    team.review("claude", round(&review, "2"));
    let approve = end(&review, Verdict::Approved);
    let reply = team.hub.call(&caller("codex"), approve.into()).unwrap();
    assert_eq!(reply.notes[0], "kimi asked for a revision in round 1 and has not judged round 2");
    assert!(subjects(&mut team, "kimi").contains(&"approved by codex: Look at this".to_owned()));
}

#[test]
fn no_announcement_without_an_open_revision() {
    let mut team = peers();
    let review = opened(&mut team);
    team.review("kimi", end(&review, Verdict::RevisionNeeded));
    team.review("claude", round(&review, "2"));
    let reply = team.hub.call(&caller("kimi"), end(&review, Verdict::Approved).into()).unwrap();
    assert_eq!(reply.notes, Vec::<String>::new());
    assert!(!subjects(&mut team, "codex").iter().any(|subject| subject.starts_with("approved")));
}

#[test]
fn author_owes_a_revision() {
    let mut team = peers();
    let review = opened(&mut team);
    team.review("kimi", end(&review, Verdict::RevisionNeeded));
    let owed = duties(&mut team, "claude");
    assert_eq!(owed.iter().map(|duty| duty.duty).collect::<Vec<_>>(), [Duty::Answer]);
    let briefing = ask::Briefing { agent: Some("claude".into()), ..Default::default() };
    let Answer::Briefing(briefing) = team.ok("operator", briefing) else { unreachable!("another answer") };
    let step = format!("interagent review update {review}");
    assert!(briefing.text.contains(&step) && !briefing.text.contains(".."), "{}", briefing.text);
    team.review("claude", round(&review, "2"));
    assert_eq!(duties(&mut team, "claude"), []);

    // A reply answers it as well.
    team.review("codex", end(&review, Verdict::RevisionNeeded));
    let owed = duties(&mut team, "claude").remove(0).message;
    team.ok("claude", ask::MessageReply { message: owed, body: Some("No.".into()), ..Default::default() });
    assert_eq!(duties(&mut team, "claude"), []);

    // What was approved needs no round.
    let other = opened(&mut team);
    team.review("kimi", end(&other, Verdict::Approved));
    assert_eq!(duties(&mut team, "claude"), []);
}
