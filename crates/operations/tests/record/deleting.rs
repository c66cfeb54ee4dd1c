//! Deleting texts for good.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::Intent;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::support::{Team, as_agent};

const SECRET: &str = "hunter2-correct-horse";

#[test]
fn a_purged_text_is_gone_everywhere_and_the_log_is_still_whole() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", &format!("the password is {SECRET}"));
    let search = ask::Search { text: "hunter2".into(), ..Default::default() };
    assert_eq!(team.search(search.clone()).items.len(), 1);
    assert!(team.files_contain(SECRET), "the check itself must be able to see it");

    let purge = ask::TextPurge {
        entity: id.clone(),
        containing: Some(SECRET.into()),
        reason: Some("leaked".into()),
        held: false,
    };
    let first = team.purge(&as_agent("claude"), purge.clone()).unwrap();
    assert_eq!((first.changed.len(), first.unchanged.len()), (1, 0), "{first:?}");
    assert!(!team.files_contain(SECRET), "its bytes are still in the hub's files");
    assert_eq!(team.search(search).items, []);
    let state = team.state(&id, None);
    assert_eq!((&state["subject"], &state["body"]), (&"Access".into(), &"[text deleted]".into()));
    let told = team.history(&format!("text:{}", first.changed[0]));
    assert_eq!(told.steps[0].what, "text deleted, with a reason");
    assert_eq!(team.hub.store().verify(&mut |_, _| {}).unwrap(), []);

    let head = team.hub.store().head().unwrap();
    let again = team.purge(&as_agent("claude"), purge).unwrap();
    assert_eq!((again.changed.len(), again.unchanged), (0, first.changed));
    assert_eq!(team.hub.store().head().unwrap(), head, "the same again changes nothing");
}

#[test]
fn without_a_part_to_look_for_all_texts_of_the_entity_go() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        description: Some("The token.".into()),
        acceptance_criteria: vec!["It works.".into()],
        ..Default::default()
    });
    let purged =
        team.purge(&Caller::operator(), ask::TextPurge { entity: id, ..Default::default() }).unwrap();
    assert_eq!(purged.changed.len(), 3);
}

#[test]
fn only_the_author_or_the_operator_deletes() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
    let purge = ask::TextPurge { entity: id.clone(), ..Default::default() };
    let refusal = team.refused(&as_agent("kimi"), purge.clone());
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "not_the_author"));
    assert_eq!(team.purge(&Caller::operator(), purge).unwrap().changed.len(), 2);
}

#[test]
fn an_agent_deletes_only_its_own_words_of_a_shared_task() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        assignee: Some("kimi".into()),
        ..Default::default()
    });
    team.ok(&as_agent("kimi"), ask::TaskNote { task: id.clone(), note: SECRET.into(), key: None });
    let purge = ask::TextPurge { entity: id.clone(), ..Default::default() };
    assert_eq!(team.purge(&as_agent("kimi"), purge).unwrap().changed.len(), 1);
    assert_eq!(team.state(&id, None)["brief"]["title"], "Fix login");
    assert_eq!(team.state(&id, None)["notes"][0]["note"], "[text deleted]");
}

#[test]
fn a_purge_that_means_nothing_is_refused() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
    let purge = |containing: &str, reason: Option<&str>| ask::TextPurge {
        entity: id.clone(),
        containing: Some(containing.into()),
        reason: reason.map(Into::into),
        ..Default::default()
    };
    let nothing = team.refused(&Caller::operator(), purge("not in there", None));
    assert_eq!(nothing.kind, RefusalKind::NotFound);
    assert_eq!(team.refused(&Caller::operator(), purge("", None)).kind, RefusalKind::Usage);
    let leak = team.refused(&Caller::operator(), purge(SECRET, Some(&format!("{SECRET} leaked"))));
    assert_eq!(leak.code, "reason_leaks");
    assert!(!leak.sentence.contains(SECRET));
    let Answer::Message(message) =
        team.ok(&Caller::operator(), ask::MessageRead { message: id, as_recipient: false })
    else {
        panic!()
    };
    assert_eq!(message.body.as_deref(), Some(SECRET));
}

#[test]
fn what_the_program_copied_goes_too() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Question, SECRET, "How is it used?");
    let reply =
        |body: &str| ask::MessageReply { message: id.clone(), body: Some(body.into()), ..Default::default() };
    // The subject of the reply repeats that of the question.
    let Answer::Sent(answer) = team.ok(&as_agent("kimi"), reply("Like this.")) else { panic!() };
    let elsewhere = team.send("claude", "kimi", Intent::Message, "Another matter", "How is it used?");
    let purge = ask::TextPurge { entity: id.clone(), ..Default::default() };
    let (_, notes) = team.remarks("claude", purge);
    assert_eq!(notes, [format!("1 of these texts in what quoted it: {}", answer.id)]);
    assert_eq!(team.state(&answer.id, None)["body"], "Like this.", "the words of others stay");
    assert!(!team.files_contain(SECRET), "its bytes are still in the hub's files");
    assert_eq!(team.state(&elsewhere, None)["body"], "How is it used?", "other matters stay as they are");
}

#[test]
fn an_agent_is_told_who_else_quoted_its_words() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
    let reply = ask::MessageReply {
        message: id.clone(),
        subject: Some("Yes".into()),
        body: Some(format!("> {SECRET}\nSeen.")),
        ..Default::default()
    };
    let Answer::Sent(quoting) = team.ok(&as_agent("kimi"), reply) else { panic!() };
    let (_, notes) = team.remarks("claude", ask::TextPurge { entity: id, ..Default::default() });
    assert_eq!(notes, [format!("others quoted it, and they or the operator may purge that: {}", quoting.id)]);
    assert!(team.files_contain(SECRET), "what kimi wrote is kimi's");
}

#[test]
fn what_announced_a_task_goes_with_its_texts() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate {
        title: "Rotate the key".into(),
        description: Some(format!("It is {SECRET}.")),
        assignee: Some("kimi".into()),
        announce: true,
        ..Default::default()
    });
    let purge = ask::TextPurge { entity: id, containing: Some(SECRET.into()), ..Default::default() };
    let purged = team.purge(&Caller::operator(), purge).unwrap();
    assert_eq!(purged.changed.len(), 2, "the description, and the message that said it");
    assert!(!team.files_contain(SECRET), "its bytes are still in the hub's files");
}

#[test]
fn a_short_word_takes_nothing_with_it() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "now", "at once");
    let reply = ask::MessageReply { message: id.clone(), body: Some("not now".into()), ..Default::default() };
    team.ok(&as_agent("kimi"), reply);
    let (_, notes) = team.remarks("operator", ask::TextPurge { entity: id, ..Default::default() });
    assert_eq!(notes, [""; 0]);
}

#[test]
fn the_same_sentence_in_other_matters_stays() {
    const SENTENCE: &str = "All tests pass, ready for review";
    let mut team = Team::duo();
    let new = |title: &str| ask::TaskCreate { title: title.into(), ..Default::default() };
    let (a, b) = (team.task(new("Task a")), team.task(new("Task b")));
    for task in [&a, &b] {
        let note = ask::TaskNote { task: task.clone(), note: SENTENCE.into(), key: None };
        team.ok(&as_agent("kimi"), note);
    }
    let body = format!("A note says: {SENTENCE}");
    team.ok(
        &as_agent("kimi"),
        ask::SpecPublish { name: "notes".into(), body: body.clone(), ..Default::default() },
    );
    team.ok(&as_agent("kimi"), ask::DecisionOpen { question: body.clone(), ..Default::default() });
    let message = team.send("claude", "kimi", Intent::Message, "Another matter", SENTENCE);
    let review = |task: &str| ask::ReviewOpen {
        task: Some(task.into()),
        to: vec!["claude".into()],
        title: body.clone(),
        ..Default::default()
    };
    let Answer::Review(own) = team.ok(&as_agent("kimi"), review(&a)) else { panic!() };
    let Answer::Review(other) = team.ok(&as_agent("kimi"), review(&b)) else { panic!() };

    let purge = ask::TextPurge { entity: a, ..Default::default() };
    let (_, notes) = team.remarks("operator", purge);
    // The title of the review and the subject of the message that announces it are one text.
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("1 of these texts in what quoted it: msg-"), "{notes:?}");
    assert_eq!(team.state(&own.review.id, None)["brief"]["title"], "[text deleted]");
    assert_eq!(team.state(&other.review.id, None)["brief"]["title"], body.as_str());
    assert_eq!(team.state(&b, None)["notes"][0]["note"], SENTENCE);
    assert_eq!(team.state("spec:notes", None)["versions"][0]["body"], body.as_str());
    assert_eq!(team.state(&message, None)["body"], SENTENCE);
}

#[test]
fn what_was_asked_for_goes_from_tasks_reviews_decisions_and_status_texts_too() {
    let mut team = Team::duo();
    let task = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        description: Some(format!("with {SECRET} of the server")),
        ..Default::default()
    });
    let review = ask::ReviewOpen {
        task: Some(task.clone()),
        to: vec!["claude".into()],
        title: format!("Does {SECRET} work?"),
        ..Default::default()
    };
    team.ok(&as_agent("kimi"), review);
    let question = format!("Shall we keep {SECRET}?");
    team.ok(&as_agent("kimi"), ask::DecisionOpen { question, ..Default::default() });
    let status = ask::StatusSet { text: Some(format!("trying {SECRET}")), ..Default::default() };
    team.ok(&as_agent("kimi"), status);
    let id = team.send("claude", "kimi", Intent::Message, "Access", SECRET);
    let purge = ask::TextPurge { entity: id, containing: Some(SECRET.into()), ..Default::default() };
    let (_, notes) = team.remarks("operator", purge);
    assert!(!team.files_contain(SECRET), "a copy is left: {notes:?}");
    let told = notes.iter().find(|note| note.contains("of these texts in what quoted it")).unwrap();
    for kind in ["task-", "rev-", "dec-", "agt-"] {
        assert!(told.contains(kind), "{told}");
    }
}

/// Put together here, so that no scanner stumbles over this file.
fn token() -> String {
    ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat()
}

#[test]
fn the_same_secret_in_another_conversation_and_in_a_lease_goes_too() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", &format!("use {}", token()));
    let elsewhere = team.send("kimi", "claude", Intent::Message, "Build", &format!("{} fails", token()));
    let lease = ask::LeaseTake {
        paths: vec!["src".into()],
        reason: Some(format!("trying {}", token())),
        ..Default::default()
    };
    team.ok(&as_agent("kimi"), lease);
    let (_, notes) =
        team.remarks("operator", ask::TextPurge { entity: id, held: true, ..Default::default() });
    assert!(!team.files_contain(&token()), "a copy is left: {notes:?}");
    assert!(notes[0].contains(&elsewhere) && notes[0].contains("lease-"), "{notes:?}");
    assert_eq!(team.state(&elsewhere, None)["subject"], "Build", "what does not hold it stays");
}

#[test]
fn an_agent_is_told_where_else_its_secret_stands() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", &format!("use {}", token()));
    let own = team.send("claude", "kimi", Intent::Message, "Build", &format!("{} fails", token()));
    let foreign = team.send("kimi", "claude", Intent::Message, "Mine", &format!("{} works", token()));
    let (_, notes) = team.remarks("claude", ask::TextPurge { entity: id, ..Default::default() });
    assert_eq!(
        notes,
        [
            format!("1 of these texts in what quoted it: {own}"),
            format!("others quoted it, and they or the operator may purge that: {foreign}"),
        ]
    );
}
