//! Reviews, decided without a disk.

use super::*;
use crate::draft::Fresh;
use crate::entity::When;
use crate::event::Event;
use crate::ids::{AgentId, OriginId};
use crate::name::Name;

fn agent(name: &str, bits: u64) -> Agent {
    let (id, name) = (AgentId::from_bits(bits), Name::parse(name).unwrap());
    Agent::new(id, name, OriginId::from_bits(1), "claude".to_owned(), When { at: 1, wall: 1 })
}

fn context(human: bool) -> Context {
    let (origin, member) = (OriginId::from_bits(1), AgentId::from_bits(1));
    Context { now: 10, origin, member, human, fresh: Fresh::new([3; 32]) }
}

fn submission(reviewers: Vec<Agent>) -> Submission {
    let title = Words::line("the title", "Look at this").unwrap();
    Submission { title, body: None, diff: None, task: None, reviewers }
}

fn review(author: &Agent, reviewers: &[&Agent]) -> Review {
    let brief = ReviewOpened {
        author: author.id.clone(),
        reviewers: reviewers.iter().map(|agent| agent.id.clone()).collect(),
        title: TextHash::of("", "title"),
        task: None,
        diff: None,
    };
    let opened = When { at: 1, wall: 1 };
    Review {
        id: ReviewId::from_bits(1),
        brief,
        opened,
        comments: Vec::new(),
        resolved: Vec::new(),
        end: None,
    }
}

#[test]
fn a_review_needs_somebody_else() {
    let (kimi, context) = (agent("kimi", 1), context(false));
    for reviewers in [vec![], vec![kimi.clone()]] {
        let refusal =
            open(None, &submission(reviewers), &kimi, &context, &mut Draft::new(&context)).unwrap_err();
        assert_eq!(refusal.code, "no_reviewer");
    }
}

#[test]
fn the_chain_of_command_holds_for_reviews_too() {
    let team = TeamConfig::usual_captain("demo");
    let (member, captain) = (agent("member1", 1), agent("captain", 2));
    let asked = submission(vec![captain]);
    let context = context(false);
    let refusal = open(Some(&team), &asked, &member, &context, &mut Draft::new(&context)).unwrap_err();
    assert_eq!(refusal.code, "chain_of_command");
}

#[test]
fn only_who_was_asked_ends_a_review() {
    let (author, asked, other) = (agent("kimi", 1), agent("claude", 2), agent("codex", 3));
    let review = review(&author, &[&asked]);
    let end = |member: &Agent, human| {
        let context = context(human);
        let mut draft = Draft::new(&context);
        judge(&review, &[], Verdict::Approved, None, member, &context, &mut draft).map(|()| draft.facts.len())
    };
    assert_eq!(end(&author, false).unwrap_err().code, "own_work");
    assert_eq!(end(&other, false).unwrap_err().code, "not_the_judge");
    assert_eq!(end(&other, true), Ok(2));
    assert_eq!(end(&asked, false), Ok(2));
}

#[test]
fn a_line_needs_its_file_and_a_reply_its_thread() {
    let (author, context) = (agent("kimi", 1), context(false));
    let review = review(&author, &[]);
    let body = Words::note("the comment", "why?").unwrap();
    let mut remark = Remark {
        body,
        disposition: Disposition::Question,
        thread: None,
        file: None,
        line: Some(3),
        side: None,
    };
    let nobody = audience(None, &[], 0);
    let say = |remark: &Remark| {
        comment(&review, remark, &nobody, &author, &context, &mut Draft::new(&context)).unwrap_err()
    };
    let refusal = say(&remark);
    assert_eq!(refusal.code, "line_without_file");
    remark.file = Some("src/a.rs".into());
    remark.line = Some(0);
    assert_eq!(say(&remark).code, "bad_line");
    remark.line = None;
    remark.thread = Some(CommentId::from_bits(9));
    let refusal = say(&remark);
    assert_eq!(refusal.code, "no_such_thread");
}

fn audience(team: Option<TeamConfig>, participants: &[&Agent], pair_messages: u32) -> Audience {
    let participants = participants.iter().map(|agent| (*agent).clone()).collect();
    Audience { team, title: "Look".into(), participants, traffic: Traffic { newest: None, pair_messages } }
}

/// Who was told of a comment, and whether the message is held and wakes anybody.
fn told(audience: &Audience, member: &Agent, words: &str, human: bool) -> (Vec<AgentId>, bool, bool) {
    let context = context(human);
    let mut draft = Draft::new(&context);
    let body = Words::note("the comment", words).unwrap();
    let remark = Remark {
        body,
        disposition: Disposition::Note,
        thread: None,
        file: Some("src/a.rs".into()),
        line: Some(3),
        side: None,
    };
    comment(&review(member, &[]), &remark, audience, member, &context, &mut draft).unwrap();
    let held = draft.facts.iter().any(|fact| matches!(fact.event, Event::MessageHeld(_)));
    let sent = draft.facts.iter().find_map(|fact| match &fact.event {
        Event::MessageSent(sent) => Some((sent.to.clone(), sent.quiet)),
        _ => None,
    });
    let (to, quiet) = sent.unwrap_or_default();
    (to, held, quiet)
}

#[test]
fn a_comment_is_told_to_the_others_and_never_to_its_author() {
    let (kimi, claude, codex) = (agent("kimi", 1), agent("claude", 2), agent("codex", 3));
    let all = audience(None, &[&kimi, &claude, &codex], 0);
    let (to, held, quiet) = told(&all, &kimi, "this leaks", false);
    assert_eq!((to, held, quiet), (vec![claude.id, codex.id], false, false));
    let (to, ..) = told(&audience(None, &[&kimi], 0), &kimi, "alone", false);
    assert!(to.is_empty());
}

#[test]
fn comments_are_speech_for_the_loop_guard_and_the_chain_of_command() {
    let (kimi, claude) = (agent("kimi", 1), agent("claude", 2));
    let busy = audience(None, &[&kimi, &claude], crate::limits::PAIR_MESSAGES_DEFAULT);
    assert!(told(&busy, &kimi, "and another thing", false).1, "over budget the notice is held");
    assert!(!told(&busy, &kimi, "and another thing", true).1, "a person is never held");
    assert!(told(&audience(None, &[&claude], 0), &kimi, "ok", false).2, "a bare yes wakes nobody");
    let (member, captain) = (agent("member1", 1), agent("captain", 2));
    let chain = audience(Some(TeamConfig::usual_captain("demo")), &[&captain], 0);
    assert!(told(&chain, &member, "look", false).0.is_empty(), "no mail goes to a captain");
}
