//! Two replicas that worked apart: what people see once their logs met. The exchange stands in for git.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use interagent_core::ids::HubId;
use interagent_core::refusal::Refusal;
use interagent_core::team::{TeamConfig, render};
use interagent_core::vocabulary::{Moment, TaskStatus, Verdict, WakeWay};
use interagent_operations::{AfterTakeIn, Hub, LocalHub, Opening, WaitFor, Waited};
use interagent_store::{Founding, ManualClock, OpenMode, SqliteEngine, Store, StoreError, TextForGit};
use interagent_testkit::exchange;
use interagent_wire::answer::{AgentView, EntryView, InboxView, TaskView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, LocalEffect, Request};

/// One clone.
struct Clone {
    hub: LocalHub,
    clock: Arc<ManualClock>,
    dir: tempfile::TempDir,
}

macro_rules! expect {
    ($answer:expr, $variant:ident) => {
        match $answer {
            Answer::$variant(view) => view,
            other => panic!("{other:?}"),
        }
    };
}

impl Clone {
    fn new(alias: &str, ahead: Duration) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(1_793_914_800_000_000));
        clock.advance(ahead);
        let engine = SqliteEngine::open(&dir.path().join("state"), OpenMode::CreateIfMissing).unwrap();
        let founding = Founding { hub_id: Some(HubId::from_bits(1)), alias: alias.into(), user_dir: None };
        drop(Store::open(Box::new(engine), clock.clone(), &founding).unwrap());
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: false,
            alias: alias.into(),
            hub_id: None,
            user_dir: None,
        };
        let hub = LocalHub::open_with_clock(&opening, clock.clone()).unwrap();
        let mut clone = Self { hub, clock, dir };
        for name in ["claude", "kimi"] {
            clone.ok("operator", ask::AgentRegister { name: name.into(), ..Default::default() });
        }
        clone
    }

    fn call(&mut self, by: &str, request: impl Into<Request>) -> Result<Answer, Refusal> {
        self.clock.advance(Duration::from_millis(1));
        let caller = if by == "operator" { Caller::operator() } else { Caller::agent(by) };
        self.hub.call(&caller, request.into()).map(|reply| reply.answer)
    }

    fn ok(&mut self, by: &str, request: impl Into<Request>) -> Answer {
        self.call(by, request).unwrap()
    }

    fn task(&mut self, title: &str) -> String {
        expect!(self.ok("operator", ask::TaskCreate { title: title.into(), ..Default::default() }), Task).id
    }

    fn shown(&mut self, task: &str) -> TaskView {
        expect!(self.ok("operator", ask::TaskShow { task: task.into() }), Task)
    }

    fn inbox(&mut self, agent: &str) -> InboxView {
        let params = ask::MessageInbox { agent: Some(agent.into()), ..Default::default() };
        expect!(self.ok("operator", params), Inbox)
    }

    fn subjects(&mut self, agent: &str) -> Vec<String> {
        self.inbox(agent).items.into_iter().map(|mail| mail.subject).collect()
    }

    fn agents(&mut self) -> Vec<AgentView> {
        expect!(self.ok("operator", ask::AgentList::default()), Agents).items
    }

    fn entries(&mut self) -> Vec<EntryView> {
        expect!(self.ok("operator", ask::LogList { limit: Some(1000), ..Default::default() }), Entries).items
    }

    /// What `sync` does with what it fetched.
    fn take(&mut self, from: &mut Self) -> AfterTakeIn {
        let before = self.hub.store().head().unwrap().seq;
        exchange::bring(from.hub.store(), self.hub.store());
        self.hub.after_take_in(before).unwrap()
    }

    fn seq(&mut self) -> i64 {
        self.hub.store().head().unwrap().seq
    }
}

fn pair() -> (Clone, Clone) {
    let (mut east, mut west) =
        (Clone::new("east", Duration::ZERO), Clone::new("west", Duration::from_millis(500)));
    east.take(&mut west);
    west.take(&mut east);
    (east, west)
}

fn meet(one: &mut Clone, other: &mut Clone) {
    for _ in 0..3 {
        one.take(other);
        other.take(one);
    }
}

fn is_whole(clone: &mut Clone) {
    assert_eq!(clone.hub.store().verify(&mut |_, _| {}).unwrap(), []);
}

#[test]
fn whoever_claimed_a_task_second_is_told_once_by_its_home() {
    let (mut east, mut west) = pair();
    let task = east.task("Fix login");
    west.take(&mut east);
    east.ok("kimi", ask::TaskClaim { task: task.clone() });
    west.ok("claude", ask::TaskClaim { task: task.clone() });

    let after = west.take(&mut east);
    let wanted = format!("Your claim of {task} came after kimi@east's");
    assert_eq!(after.conflicts.iter().map(|c| c.sentence.as_str()).collect::<Vec<_>>(), [&wanted]);
    assert_eq!(after.told.iter().map(|who| who.name.as_str()).collect::<Vec<_>>(), ["claude"]);
    assert_eq!(west.subjects("claude"), [wanted.as_str()]);
    let seq = west.seq();
    assert_eq!(west.take(&mut east), AfterTakeIn::default(), "twice does no harm");
    assert_eq!(west.seq(), seq);

    // The winner's side sees it too, and writes nothing to a member of another home.
    let there = east.take(&mut west);
    assert_eq!(there.conflicts.len(), 1);
    assert!(there.told.is_empty());
    let void: Vec<String> =
        east.entries().into_iter().flat_map(|entry| entry.events).filter_map(|event| event.void).collect();
    assert!(void.contains(&"another agent has the task".to_owned()), "{void:?}");
    for clone in [&mut east, &mut west] {
        assert_eq!(clone.shown(&task).assignee.unwrap().name.split('@').next(), Some("kimi"));
        is_whole(clone);
    }
    assert_eq!(east.subjects("claude"), Vec::<String>::new(), "the other claude");
}

#[test]
fn the_winning_side_names_the_conflict_when_it_learns_of_it_first() {
    let (mut east, mut west) = pair();
    let task = east.task("Fix login");
    west.take(&mut east);
    east.ok("kimi", ask::TaskClaim { task: task.clone() });
    west.ok("claude", ask::TaskClaim { task: task.clone() });
    let after = east.take(&mut west);
    assert_eq!(after.conflicts.len(), 1);
    assert_eq!(after.conflicts[0].loser.name, "claude@west");
    assert_eq!(after.conflicts[0].winner.as_ref().unwrap().name, "kimi");
    assert!(after.told.is_empty(), "only its home writes to it");
}

#[test]
fn two_versions_of_a_spec_and_two_outcomes_are_told_too() {
    let (mut east, mut west) = pair();
    let publish =
        |body: &str| ask::SpecPublish { name: "api".into(), body: body.into(), ..Default::default() };
    east.ok("kimi", publish("one"));
    west.ok("claude", publish("two"));
    meet(&mut east, &mut west);
    assert_eq!(west.subjects("claude"), ["Your version 1 of spec:api came after kimi@east's"]);
    assert!(east.subjects("kimi").is_empty());
    // What did not count can be read on both sides.
    let text = |at: &mut Clone, publisher: &str| {
        let show = ask::SpecShow { name: "api".into(), version: Some(1), publisher: Some(publisher.into()) };
        expect!(at.ok("operator", show), Spec).body.unwrap()
    };
    assert_eq!([text(&mut west, "claude"), text(&mut west, "kimi@east")], ["two", "one"]);
    assert_eq!(text(&mut east, "claude@west"), "two");
    let other = ask::SpecShow { name: "api".into(), version: Some(2), publisher: Some("kimi".into()) };
    let refused = east.hub.call(&Caller::operator(), other.into()).unwrap_err();
    assert_eq!(refused.sentence, "kimi published no version 2 of api");
}

#[test]
fn a_replica_that_is_not_known_is_what_is_named() {
    let (mut east, mut west) = pair();
    east.take(&mut west);
    let send =
        |to: &str| ask::MessageSend { to: vec![to.into()], body: Some("hello".into()), ..Default::default() };
    for (to, sentence, hint) in [
        (
            "kimi@nope",
            "there is no replica nope; there is east, west",
            "kimi is known as kimi@east, kimi@west",
        ),
        (
            "nobody@nope",
            "there is no replica nope; there is east, west",
            "interagent agent list shows who is where",
        ),
    ] {
        let refused = east.hub.call(&Caller::operator(), send(to).into()).unwrap_err();
        assert_eq!((refused.sentence.as_str(), refused.hint.unwrap().as_str()), (sentence, hint), "{to}");
    }
}

#[test]
fn a_circle_of_dependencies_is_cut_alike_in_both() {
    let (mut east, mut west) = pair();
    let (one, two) = (east.task("One"), east.task("Two"));
    west.take(&mut east);
    let depend = |task: &str, on: &str| ask::TaskDepend { task: task.into(), on: on.into(), remove: false };
    east.ok("operator", depend(&one, &two));
    west.ok("operator", depend(&two, &one));
    // Both meet the circle before they hear of the other's repair.
    let (mut lines, mut texts) = (exchange::lines(east.hub.store()), Vec::new());
    texts.extend(exchange::texts(east.hub.store(), &lines));
    let coverage = exchange::coverage(exchange::seals(east.hub.store()), &lines);
    let first = east.take(&mut west);
    west.hub.store().take_in_sealed(&lines, &texts, &coverage).unwrap();
    let second = west.hub.after_take_in(0).unwrap();
    assert_eq!(first.repairs.len(), 1, "{first:?}");
    assert_eq!(first.repairs, second.repairs);
    lines.clear();
    meet(&mut east, &mut west);
    for clone in [&mut east, &mut west] {
        assert_eq!(clone.shown(&one).depends_on.len(), 1, "the first one stays");
        assert!(clone.shown(&two).depends_on.is_empty());
        is_whole(clone);
    }
    let told = format!("{two} waits for {one} no longer: the two waited for each other");
    assert_eq!(east.subjects("operator"), [told.as_str()], "who made the task");
    assert!(west.subjects("operator").is_empty());
}

#[test]
fn seats_follow_the_rules_that_won() {
    let (mut east, mut west) = (Clone::new("east", Duration::ZERO), Clone::new("west", Duration::ZERO));
    let text = render(&TeamConfig::usual_duo("demo"));
    east.ok("operator", ask::TeamTake { text: text.clone() });
    west.clock.advance(Duration::from_secs(60));
    let turned = text.replace("claude", "SOMEBODY").replace("kimi", "claude").replace("SOMEBODY", "kimi");
    west.ok("operator", ask::TeamTake { text: turned });
    let role = |clone: &mut Clone, name: &str| {
        clone.agents().into_iter().find(|agent| agent.name == name).unwrap().role.unwrap()
    };
    let before = role(&mut east, "kimi");
    let after = east.take(&mut west);
    assert_eq!(after.repairs, ["2 seats follow the team's rules again"]);
    assert_ne!(role(&mut east, "kimi"), before);
    assert_eq!(role(&mut east, "kimi"), role(&mut west, "kimi"));
    meet(&mut east, &mut west);
    is_whole(&mut east);
}

#[test]
fn agents_of_one_name_are_told_apart_also_where_clones_are_called_alike() {
    let (mut east, mut west) =
        (Clone::new("host", Duration::ZERO), Clone::new("host", Duration::from_millis(9)));
    meet(&mut east, &mut west);
    let names: Vec<String> = east.agents().into_iter().map(|agent| agent.name).collect();
    let foreign: Vec<&String> = names.iter().filter(|name| name.starts_with("kimi@host-")).collect();
    assert_eq!(foreign.len(), 1, "{names:?}");
    let send = |to: &str| ask::MessageSend {
        to: vec![to.into()],
        subject: Some(format!("for {to}")),
        body: Some("hello".into()),
        ..Default::default()
    };
    east.ok("claude", send(foreign[0]));
    east.ok("claude", send("kimi"));
    let refusal = east.call("claude", send("kimi@host")).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.sentence.as_str()),
        ("ambiguous", "2 replicas are called host")
    );
    assert_eq!(refusal.hint, Some(format!("write kimi for the one here, or {}", foreign[0])));
    west.take(&mut east);
    assert_eq!(west.subjects("kimi"), [format!("for {}", foreign[0])]);
    assert_eq!(east.subjects("kimi"), ["for kimi"]);

    // From a third clone neither of them is the one here.
    let mut north = Clone::new("north", Duration::from_millis(20));
    meet(&mut north, &mut east);
    let refusal = north.call("claude", send("kimi@host")).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.sentence.as_str()),
        ("ambiguous", "2 replicas are called host")
    );
    assert!(refusal.hint.unwrap().contains(foreign[0].as_str()));
}

#[test]
fn refusals_name_the_replica_of_another_clone() {
    let (mut east, mut west) = pair();
    let params =
        ask::TaskCreate { title: "Fix login".into(), assignee: Some("kimi".into()), ..Default::default() };
    let task = expect!(east.ok("operator", params), Task).id;
    meet(&mut east, &mut west);
    let start =
        ask::TaskUpdate { task: task.clone(), status: Some(TaskStatus::InProgress), ..Default::default() };
    let refusal = west.call("kimi", start).unwrap_err();
    assert_eq!(refusal.sentence, format!("{task} is the task of kimi@east: kimi may not move it"));
    let refusal = west.call("kimi", ask::TaskClaim { task: task.clone() }).unwrap_err();
    assert_eq!(refusal.sentence, format!("kimi@east has {task}"));
    let report = ask::TaskVerdict { task, verdict: Some(Verdict::Approved), ..Default::default() };
    let refusal = east.call("kimi", report).unwrap_err();
    assert_eq!(refusal.sentence, "you did this work, so you can't judge it");
}

#[test]
fn rule_refusals_name_replica() {
    let (mut east, mut west) = pair();
    let text = render(&TeamConfig::usual_duo("demo"));
    east.ok("operator", ask::TeamTake { text: text.clone() });
    let params =
        ask::TaskCreate { title: "Fix login".into(), assignee: Some("kimi".into()), ..Default::default() };
    let task = expect!(east.ok("claude", params), Task).id;
    meet(&mut east, &mut west);
    let judge = ask::TaskVerdict {
        task: task.clone(),
        verdict: Some(Verdict::RevisionNeeded),
        note: Some("Tests are missing.".into()),
        ..Default::default()
    };
    let refusal = west.call("kimi", judge).unwrap_err();
    assert_eq!(refusal.sentence, "kimi may not judge work of kimi@east");
    let reassign = ask::TaskReassign { task: task.clone(), to: "kimi".into(), ..Default::default() };
    let refusal = west.call("kimi", reassign).unwrap_err();
    assert_eq!(
        refusal.sentence,
        format!("kimi may not reassign {task}: claude@east or claude or the operator may do that, not kimi")
    );
    assert!(
        refusal.hint.clone().unwrap().starts_with("ask: interagent send --to claude@east -m TEXT"),
        "{refusal:?}"
    );
}

const DIFF: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -1,1 +1,2 @@\n zero\n+one\n";

#[test]
fn task_follows_the_review_verdict_that_counts() {
    let judge = |clone: &mut Clone, review: &str, verdict| {
        let params =
            ask::ReviewVerdict { review: review.into(), verdict: Some(verdict), ..Default::default() };
        clone.ok("claude", params);
    };
    let add_round = |clone: &mut Clone, review: &str| {
        let params = ask::ReviewUpdate {
            review: review.into(),
            diff: Some(DIFF.replace("one", "two")),
            ..Default::default()
        };
        clone.ok("kimi", params);
    };
    for east_is_first in [true, false] {
        for (sent_back, revised) in [(true, false), (false, true), (true, true)] {
            let (mut east, mut west) = pair();
            let params = ask::TaskCreate {
                title: "Fix login".into(),
                assignee: Some("kimi".into()),
                ..Default::default()
            };
            let task = expect!(east.ok("operator", params), Task).id;
            let done = ask::TaskUpdate {
                task: task.clone(),
                status: Some(TaskStatus::Completed),
                ..Default::default()
            };
            east.ok("kimi", done);
            let open = ask::ReviewOpen {
                task: Some(task.clone()),
                diff: Some(DIFF.into()),
                to: vec!["claude".into(), "claude@west".into()],
                ..Default::default()
            };
            let review = expect!(east.ok("kimi", open), Review).review.id;
            meet(&mut east, &mut west);
            let later = if east_is_first { &mut west } else { &mut east };
            later.clock.advance(Duration::from_secs(10));
            if sent_back {
                judge(&mut east, &review, Verdict::RevisionNeeded);
            }
            if revised {
                add_round(&mut east, &review);
            }
            judge(&mut west, &review, Verdict::Approved);
            meet(&mut east, &mut west);
            let case = format!("{east_is_first} {sent_back} {revised}");
            for clone in [&mut east, &mut west] {
                let show = ask::ReviewShow { review: review.clone(), ..Default::default() };
                let end = expect!(clone.ok("operator", show), Review).end.map(|end| end.verdict);
                let status = clone.shown(&task).status;
                match (east_is_first, revised) {
                    (false, _) => assert_eq!((end, status), (Some(Verdict::Approved), TaskStatus::Approved)),
                    (true, false) => assert_eq!(
                        (end, status),
                        (Some(Verdict::RevisionNeeded), TaskStatus::RevisionNeeded),
                        "{case}"
                    ),
                    (true, true) => {
                        assert_eq!(end, None, "{case}");
                        let waits = [TaskStatus::Completed, TaskStatus::UnderReview];
                        assert!(waits.contains(&status), "{case}: {status}");
                        let verdicts = clone.shown(&task).verdicts;
                        assert!(verdicts.iter().all(|one| one.verdict != Verdict::Approved), "{case}");
                    }
                }
                is_whole(clone);
            }
        }
    }
}

#[test]
fn the_home_wakes_who_got_mail_from_another_clone() {
    let (mut east, mut west) = pair();
    for moment in [Moment::Start, Moment::TurnEnd] {
        let hook = ask::SessionHook {
            session: "s1".into(),
            moment: Some(moment),
            bind: true,
            wake: Some(WakeWay::Command),
            ..Default::default()
        };
        west.ok("kimi", hook);
    }
    assert_eq!(west.take(&mut east).effects, [], "nothing came");
    let send = ask::MessageSend {
        to: vec!["kimi@west".into()],
        subject: Some("Hello".into()),
        body: Some("hello".into()),
        ..Default::default()
    };
    east.ok("claude", send);
    assert_eq!(west.take(&mut east).effects, [LocalEffect::Wake { agent: "kimi".into(), with: None }]);
    assert_eq!(west.take(&mut east).effects, [], "nothing more came");
}

#[test]
fn only_the_home_delivers_acknowledges_waits_and_leases() {
    let (mut east, mut west) = pair();
    let send = ask::MessageSend {
        to: vec!["kimi@west".into()],
        subject: Some("Hello".into()),
        body: Some("hello".into()),
        ..Default::default()
    };
    let id = expect!(east.ok("claude", send), Sent).id;
    let refused = |outcome: Result<Answer, Refusal>| outcome.unwrap_err().code;
    assert_eq!(
        refused(
            east.call(
                "kimi@west",
                ask::MessageAcknowledge { messages: vec![id.clone()], ..Default::default() }
            )
        ),
        "not_at_home"
    );
    assert_eq!(refused(east.call("kimi@west", ask::OfferTake::default())), "not_at_home");
    let lease = ask::LeaseTake { paths: vec!["src/**".into()], ..Default::default() };
    assert_eq!(refused(east.call("kimi@west", lease.clone())), "not_at_home");
    assert_eq!(
        refused(east.call("kimi@west", ask::SessionBind { session: "s1".into(), ..Default::default() })),
        "not_at_home"
    );
    west.take(&mut east);
    let waited =
        west.hub.wait(&Caller::agent("kimi"), &WaitFor::Mail { agent: None }, Duration::ZERO).unwrap();
    assert!(matches!(waited, Waited::Ready { .. }));
    west.ok("kimi", ask::MessageAcknowledge { messages: vec![id.clone()], ..Default::default() });
    west.ok("kimi", lease);
    east.take(&mut west);
    let read = expect!(east.ok("claude", ask::MessageRead { message: id, as_recipient: false }), Message);
    assert_eq!(format!("{:?}", read.to[0].state).to_lowercase(), "acknowledged");
}

#[test]
fn an_entry_from_the_future_is_shown_and_counts_when_it_is_due() {
    let (mut east, mut west) = pair();
    west.clock.advance(Duration::from_secs(3 * 24 * 3600));
    let task = west.task("From tomorrow");
    let after = east.take(&mut west);
    assert_eq!(after.waiting, 1);
    let board = expect!(east.ok("operator", ask::StatusBoard {}), Board);
    assert_eq!(board.waiting_entries, 1);
    assert_eq!(east.call("operator", ask::TaskShow { task: task.clone() }).unwrap_err().code, "not_found");
    east.clock.advance(Duration::from_secs(3 * 24 * 3600));
    east.hub.finish().unwrap();
    assert!(east.hub.store().has_due().unwrap(), "who only looks lets nothing in");
    let before = east.seq();
    assert_eq!(east.hub.after_take_in(before).unwrap().released, 1);
    assert_eq!(east.shown(&task).status, TaskStatus::Pending);
    assert_eq!(expect!(east.ok("operator", ask::StatusBoard {}), Board).waiting_entries, 0);
}

fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

#[test]
fn a_suspect_text_is_held_here_and_there_until_the_operator_releases_it() {
    let (mut east, mut west) = pair();
    let send = ask::MessageSend {
        to: vec!["kimi".into()],
        subject: Some("Access".into()),
        body: Some(format!("use {}", token())),
        ..Default::default()
    };
    east.clock.advance(Duration::from_millis(1));
    let reply = east.hub.call(&Caller::agent("claude"), send.into()).unwrap();
    let id = expect!(reply.answer, Sent).id;
    assert!(reply.notes[0].starts_with("this looks like a GitHub token: "), "{:?}", reply.notes);
    assert!(reply.notes[0].ends_with(&format!("(interagent hold show {id})")), "{:?}", reply.notes);
    assert_eq!(east.inbox("kimi").items.len(), 1, "it is delivered all the same");

    let held = |clone: &mut Clone| {
        let params = ask::TextHeld { entity: Some(id.clone()), ..Default::default() };
        expect!(clone.ok("operator", params), HeldTexts).items
    };
    let found = held(&mut east);
    assert_eq!((found.len(), found[0].looks_like.as_str()), (1, "a GitHub token"));
    assert_eq!(found[0].found[0].shown, "ghp_… (40 characters)");
    let hash = interagent_core::text::TextHash::parse(&found[0].hash).unwrap();
    assert!(matches!(east.hub.store().text_for_git(&hash).unwrap(), TextForGit::Held(_)));
    assert_eq!(expect!(east.ok("operator", ask::StatusBoard {}), Board).held_texts, 1);
    // It reached the other clone by another way than git, and is held there by itself.
    west.take(&mut east);
    assert_eq!(held(&mut west).len(), 1);

    let release = ask::TextRelease { entity: id.clone(), reason: Some("a test".into()) };
    assert_eq!(east.call("claude", release.clone()).unwrap_err().code, "operator_only");
    east.ok("operator", release);
    assert!(held(&mut east).is_empty());
    assert!(matches!(east.hub.store().text_for_git(&hash).unwrap(), TextForGit::Text(_)));
    west.take(&mut east);
    assert!(held(&mut west).is_empty(), "the decision holds everywhere");
    for clone in [&mut east, &mut west] {
        is_whole(clone);
        clone.hub.store().rebuild(&mut |_, _| {}).unwrap();
        assert!(held(clone).is_empty(), "a rebuild keeps the decision");
        is_whole(clone);
    }
}

#[test]
fn a_rebuild_finds_every_suspect_again_and_a_purge_ends_it() {
    let (mut east, mut west) = pair();
    let note = format!("password = \"{}\"", "Zx9kQ2mW7pL4vB1n");
    let task = east.task("Rotate");
    east.ok("operator", ask::TaskNote { task: task.clone(), note, key: None });
    let count = |clone: &mut Clone| {
        clone
            .hub
            .store()
            .read(|reader| reader.held_texts_count(9))
            .unwrap_or_else(|e: StoreError| panic!("{e}"))
    };
    assert_eq!(count(&mut east), 1);
    east.hub.store().rebuild(&mut |_, _| {}).unwrap();
    assert_eq!(count(&mut east), 1);
    west.take(&mut east);
    let purge = ask::TextPurge { entity: task.clone(), held: true, ..Default::default() };
    assert_eq!(expect!(east.ok("operator", purge), Changed).changed.len(), 1);
    assert_eq!(count(&mut east), 0);
    west.take(&mut east);
    assert_eq!(count(&mut west), 0);
    assert_eq!(west.shown(&task).title, "Rotate", "only what was held went");
    is_whole(&mut west);
}

#[test]
fn a_secret_is_no_word_for_machines() {
    let (mut east, _) = pair();
    let reference = ask::RefParam {
        kind: "url".into(),
        target: "https://kim:s3cretZ9x@git.example.org/x".into(),
        ..Default::default()
    };
    let send = ask::MessageSend {
        to: vec!["kimi".into()],
        body: Some("look".into()),
        refs: vec![reference],
        ..Default::default()
    };
    assert_eq!(east.call("claude", send).unwrap_err().code, "looks_like_a_secret");
}

#[test]
fn two_agents_of_one_name_at_one_home_end_with_two_names() {
    let mut east = Clone::new("east", Duration::ZERO);
    let old = east.hub.store().head().unwrap().origin;
    // A replica that continues the old one, while the old one's last entries turn up later.
    let mut new = Clone::new("new", Duration::from_secs(1));
    let continues = Some(old);
    assert!(new.hub.store().new_origin("new", continues).unwrap());
    new.ok("operator", ask::AgentRegister { name: "kimi".into(), ..Default::default() });
    let after = new.take(&mut east);
    assert!(
        after.repairs.iter().any(|told| told.starts_with("the second kimi here is called kimi-")),
        "{after:?}"
    );
    let names: Vec<String> =
        new.agents().into_iter().filter(|agent| agent.local).map(|agent| agent.name).collect();
    assert_eq!(names.iter().filter(|name| *name == "kimi").count(), 1, "{names:?}");
}

#[test]
fn a_damaged_line_is_named_with_its_replica_and_count_and_the_rest_is_checked() {
    let (mut east, mut west) = pair();
    let origin = west.hub.store().head().unwrap().origin;
    west.task("One");
    west.task("Two");
    east.take(&mut west);
    is_whole(&mut east);
    let oseq = west.hub.store().head().unwrap().oseq - 1;
    interagent_testkit::damage::line(&east.dir.path().join("state"), origin.as_str(), oseq);
    let found: Vec<String> = east
        .hub
        .store()
        .verify(&mut |_, _| {})
        .unwrap()
        .into_iter()
        .map(|finding| finding.sentence)
        .collect();
    let named = format!("entry {oseq} of {origin} is damaged: ");
    assert!(found.iter().any(|sentence| sentence.starts_with(&named)), "{found:?}");
    let others = found.iter().filter(|sentence| sentence.contains(" is damaged: ")).count();
    assert_eq!(others, 1, "{found:?}");
}
