//! Reviews, decided without a disk.

use super::*;
use crate::draft::Fresh;
use crate::entity::When;
use crate::entity::review::{Comment, ReviewEnd, Round};
use crate::event::{Event, ReviewCommented};
use crate::ids::{AgentId, OriginId};
use crate::name::Name;
use crate::vocabulary::{Disposition, Side};

fn agent(name: &str, bits: u64) -> Agent {
    let (id, name) = (AgentId::from_bits(bits), Name::parse(name).unwrap());
    Agent::new(id, name, OriginId::from_bits(1), "claude".to_owned(), When { at: 1, wall: 1 })
}

fn context(human: bool) -> Context {
    let (origin, member) = (OriginId::from_bits(1), AgentId::from_bits(1));
    Context {
        now: 10,
        origin,
        member,
        human,
        proof: crate::authority::Proof::Proven,
        fresh: Fresh::new([3; 32]),
    }
}

fn submission(reviewers: Vec<Agent>) -> Submission {
    let title = Words::line("the title", "Look at this").unwrap();
    let change = Coordinates::default();
    Submission { title, body: None, diff: None, change, task: None, reviewers, aliases: Vec::new() }
}

fn review(author: &Agent, reviewers: &[&Agent]) -> Review {
    let brief = ReviewOpened {
        author: author.id.clone(),
        reviewers: reviewers.iter().map(|agent| agent.id.clone()).collect(),
        title: TextHash::of("", "title"),
        task: None,
        diff: None,
        aliases: Vec::new(),
    };
    let opened = When { at: 1, wall: 1 };
    let change = Coordinates::default().round(1, &author.id, None);
    Review {
        id: ReviewId::from_bits(1),
        brief,
        opened: opened.clone(),
        rounds: vec![Round { when: opened, change }],
        comments: Vec::new(),
        resolved: Vec::new(),
        verdicts: Vec::new(),
        end: None,
    }
}

fn said(review: &mut Review, by: &Agent, disposition: Disposition) -> CommentId {
    let id = CommentId::from_bits(review.comments.len() as u64 + 1);
    let comment = ReviewCommented {
        comment: id.clone(),
        thread: id.clone(),
        by: by.id.clone(),
        body: TextHash::of("", "x"),
        disposition,
        file: Some("src/a.rs".into()),
        line: Some(2),
        side: Some(Side::New),
        round: Some(1),
    };
    review.comments.push(Comment { when: When { at: 2, wall: 2 }, comment });
    id
}

const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,3 @@\n one\n+two\n three\n";

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
        let bench = Bench {
            review: &review,
            title: "title",
            due: &[],
            member,
            worker: None,
            team: None,
            participants: &[],
        };
        judge(&bench, Verdict::Approved, None, &context, &mut draft).map(|()| draft.facts.len())
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
    let nobody = audience(None, &[]);
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

fn audience(team: Option<TeamConfig>, participants: &[&Agent]) -> Audience {
    let participants = participants.iter().map(|agent| (*agent).clone()).collect();
    Audience { team, title: "Look".into(), diff: None, participants, questions: Vec::new() }
}

/// Who was told of a comment, and whether the message counts as words and wakes nobody.
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
    let is_words = draft.flows.values().any(|flow| *flow == crate::traffic::Flow::Words);
    let sent = draft.facts.iter().find_map(|fact| match &fact.event {
        Event::MessageSent(sent) => Some((sent.to.clone(), sent.quiet)),
        _ => None,
    });
    let (to, quiet) = sent.unwrap_or_default();
    (to, is_words, quiet)
}

#[test]
fn a_comment_is_told_to_the_others_and_never_to_its_author() {
    let (kimi, claude, codex) = (agent("kimi", 1), agent("claude", 2), agent("codex", 3));
    let all = audience(None, &[&kimi, &claude, &codex]);
    let (to, is_words, quiet) = told(&all, &kimi, "this leaks", false);
    assert_eq!((to, is_words, quiet), (vec![claude.id, codex.id], true, false));
    let (to, ..) = told(&audience(None, &[&kimi]), &kimi, "alone", false);
    assert!(to.is_empty());
}

#[test]
fn comments_are_words_for_the_budget_and_the_chain_of_command() {
    let (kimi, claude) = (agent("kimi", 1), agent("claude", 2));
    let both = audience(None, &[&kimi, &claude]);
    assert!(told(&both, &kimi, "and another thing", false).1, "it counts as words");
    assert!(told(&audience(None, &[&claude]), &kimi, "ok", false).2, "a bare yes wakes nobody");
    let (member, captain) = (agent("member1", 1), agent("captain", 2));
    let chain = audience(Some(TeamConfig::usual_captain("demo")), &[&captain]);
    assert!(told(&chain, &member, "look", false).0.is_empty(), "no mail goes to a captain");
}

#[test]
fn a_position_outside_the_diff_is_refused_and_the_nearest_are_named() {
    let (author, context) = (agent("kimi", 1), context(false));
    let review = review(&author, &[]);
    let body = Words::note("the comment", "why?").unwrap();
    let audience = Audience { diff: Some(DIFF.into()), ..audience(None, &[]) };
    let say = |file: &str, line: Option<u32>, side: Option<Side>, thread: Option<CommentId>| {
        let file = Some(file.to_owned());
        let disposition = Disposition::Concern;
        let remark = Remark { body: body.clone(), disposition, thread, file, line, side };
        let mut draft = Draft::new(&context);
        comment(&review, &remark, &audience, &author, &context, &mut draft).map(|_| draft.facts)
    };
    for (file, line, side, sentence, hint) in [
        (
            "src/nope.rs",
            Some(400),
            None,
            "src/nope.rs is not in the diff of round 1",
            "files in the diff: src/a.rs",
        ),
        (
            "src/a.rs",
            Some(400),
            None,
            "line 400 of src/a.rs is not in the diff of round 1",
            "lines in the diff: new 1-3, old 1-2",
        ),
        (
            "src/a.rs",
            Some(3),
            Some(Side::Old),
            "line 3 of src/a.rs is not in the diff of round 1 on the old side",
            "lines in the diff: old 1-2",
        ),
    ] {
        let refusal = say(file, line, side, None).unwrap_err();
        assert_eq!((refusal.code.as_str(), refusal.sentence.as_str()), ("no_such_position", sentence));
        assert_eq!(refusal.hint.as_deref(), Some(hint));
    }
    let facts = say("./src/a.rs", Some(2), None, None).unwrap();
    let Event::ReviewCommented(commented) = &facts[0].event else { unreachable!() };
    assert_eq!((commented.file.as_deref(), commented.side), (Some("src/a.rs"), Some(Side::New)));
    assert_eq!(commented.round, Some(1));
}

#[test]
fn a_thread_keeps_its_position() {
    let (author, asked, context) = (agent("kimi", 1), agent("claude", 2), context(false));
    let mut review = review(&author, &[&asked]);
    let thread = said(&mut review, &asked, Disposition::Concern);
    let body = Words::note("the comment", "so").unwrap();
    let audience = Audience { diff: Some(DIFF.into()), ..audience(None, &[&asked]) };
    let reply = |file: Option<&str>, line| {
        let remark = Remark {
            body: body.clone(),
            disposition: Disposition::Note,
            thread: Some(thread.clone()),
            file: file.map(str::to_owned),
            line,
            side: None,
        };
        comment(&review, &remark, &audience, &author, &context, &mut Draft::new(&context))
    };
    assert_eq!(reply(None, Some(3)).unwrap_err().code, "thread_has_position");
    assert_eq!(reply(Some("src/b.rs"), None).unwrap_err().code, "thread_has_position");
    assert!(reply(Some("src/a.rs"), Some(2)).is_ok() && reply(None, None).is_ok());
}

#[test]
fn a_question_obliges_the_author_and_a_note_nobody() {
    let (author, asked, other) = (agent("kimi", 1), agent("claude", 2), agent("codex", 3));
    let context = context(false);
    let review = review(&author, &[&asked]);
    let audience = audience(None, &[&author, &asked, &other]);
    for (disposition, wanted) in [
        (
            Disposition::Question,
            vec![(vec![author.id.clone()], Intent::Question), (vec![other.id.clone()], Intent::ContextShare)],
        ),
        (Disposition::Note, vec![(vec![author.id.clone(), other.id.clone()], Intent::ContextShare)]),
    ] {
        let body = Words::note("the comment", "why is that?").unwrap();
        let remark = Remark { body, disposition, thread: None, file: None, line: None, side: None };
        let mut draft = Draft::new(&context);
        comment(&review, &remark, &audience, &asked, &context, &mut draft).unwrap();
        let sent = draft.facts.iter().filter_map(|fact| match &fact.event {
            Event::MessageSent(sent) => Some((sent.to.clone(), sent.intent)),
            _ => None,
        });
        assert_eq!(sent.collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn an_approval_with_open_concerns_warns_and_records_them() {
    let (author, asked) = (agent("kimi", 1), agent("claude", 2));
    let mut review = review(&author, &[&asked]);
    let concern = said(&mut review, &asked, Disposition::Concern);
    let question = said(&mut review, &asked, Disposition::Question);
    said(&mut review, &asked, Disposition::Note);
    said(&mut review, &author, Disposition::Question);
    review.resolved.push(question);
    let context = context(false);
    for (verdict, warned) in [(Verdict::Approved, 1), (Verdict::RevisionNeeded, 0)] {
        let mut draft = Draft::new(&context);
        let bench = Bench {
            review: &review,
            title: "title",
            due: &[],
            member: &asked,
            worker: None,
            team: None,
            participants: &[],
        };
        judge(&bench, verdict, None, &context, &mut draft).unwrap();
        assert_eq!(draft.notes.len(), warned, "{:?}", draft.notes);
        let Event::ReviewJudged(judged) = &draft.facts[0].event else { unreachable!() };
        assert_eq!((&judged.open_threads, judged.round), (&vec![concern.clone()], Some(1)));
    }
}

fn revision(diff: Option<&str>, reviewers: &[&Agent]) -> Revision {
    Revision {
        title: "Look".into(),
        body: None,
        diff: diff.map(|diff| Words::document("the diff", diff).unwrap()),
        diff_before: Some(DIFF.into()),
        change: Coordinates::default(),
        since_base: None,
        since_head: None,
        after: None,
        reviewers: reviewers.iter().map(|agent| (*agent).clone()).collect(),
        requests: Vec::new(),
        task: None,
    }
}

#[test]
fn only_the_author_adds_a_round_with_another_change() {
    let (author, asked) = (agent("kimi", 1), agent("claude", 2));
    let mut review = review(&author, &[&asked]);
    let other = DIFF.replace("two", "2");
    let add = |review: &Review, revision: &Revision, member: &Agent, human| {
        let context = context(human);
        let mut draft = Draft::new(&context);
        update(review, revision, member, &context, &mut draft).map(|()| draft.facts)
    };
    let code = |revision: &Revision, member: &Agent| add(&review, revision, member, false).unwrap_err().code;
    assert_eq!(code(&revision(Some(&other), &[]), &asked), "not_the_author");
    assert_eq!(code(&revision(None, &[]), &author), "no_diff");
    assert_eq!(code(&revision(Some(DIFF), &[]), &author), "same_change");
    assert_eq!(code(&Revision { after: Some(2), ..revision(Some(&other), &[]) }, &author), "newer_round");

    let facts = add(&review, &revision(Some(&other), &[&asked]), &author, false).unwrap();
    let Event::ReviewRound(round) = &facts[0].event else { unreachable!() };
    assert_eq!(round.round, 2);
    let Event::MessageSent(sent) = &facts[1].event else { unreachable!() };
    assert_eq!((sent.intent, &sent.to), (Intent::ReviewRequest, &vec![asked.id.clone()]));

    for (verdict, wanted) in [(Verdict::RevisionNeeded, None), (Verdict::Approved, Some("judged"))] {
        let when = When { at: 3, wall: 3 };
        let (by, note) = (asked.id.clone(), None);
        review.end = Some(ReviewEnd { when, round: 1, by, verdict, note, open_threads: Vec::new() });
        let done = add(&review, &revision(Some(&other), &[&asked]), &author, false);
        assert_eq!(done.err().map(|refusal| refusal.code).as_deref(), wanted, "{verdict}");
    }
}
