//! Every kind of event with the sentence it is told in.

use std::collections::BTreeSet;

use interagent_core::team::TeamConfig;
use serde_json::value::RawValue;

use super::*;

/// `CLAUDE`, `KIMI` and `TEXT` in the data stand for two members and the hash of a text.
const NAMES: [(&str, &str); 2] = [("CLAUDE", "agt-000000000001"), ("KIMI", "agt-000000000002")];
const LONG: &str =
    "Fix the\nlogin, and do not forget what was said about sessions that end while a token is renewed";

struct Table;

impl Lookup for Table {
    fn name(&mut self, id: &AgentId) -> Result<String, Refusal> {
        let known = NAMES.iter().find(|(_, known)| id.as_str() == *known);
        Ok(known.map_or_else(|| id.to_string(), |(name, _)| name.to_lowercase()))
    }

    fn text(&mut self, hash: &TextHash) -> Result<String, Refusal> {
        Ok(if *hash == TextHash::of("", LONG) { LONG.to_owned() } else { crate::names::PURGED.to_owned() })
    }
}

fn event(kind: &str, data: &str) -> Event {
    let mut data = data.replace("TEXT", TextHash::of("", LONG).as_str()).replace("GONE", &"0".repeat(64));
    for (name, id) in NAMES {
        data = data.replace(name, id);
    }
    let event = Event::read(kind, 1, &RawValue::from_string(data.clone()).unwrap());
    assert!(!matches!(event, Event::Unknown { .. }), "{kind} {data}");
    event
}

fn told(event: &Event) -> String {
    describe(event, &AgentId::parse(NAMES[1].1).unwrap(), &mut Table).unwrap()
}

const CUT: &str = "\"Fix the login, and do not forget what was said about sessions that end while a…\"";

#[rustfmt::skip]
const SENTENCES: &[(&str, &str, &str)] = &[
    (
        "origin.corrected",
        r#"{"ahead_until":1800000000000000,"entries":2}"#,
        "corrected its clock, which ran ahead until 2027-01-15 08:00 UTC: 2 entries follow again",
    ),
    ("origin.opened", r#"{"hub":"hub-000000000001","alias":"laptop","operator":"CLAUDE"}"#, "the replica laptop opened"),
    ("origin.opened", r#"{"hub":"hub-000000000001","alias":"laptop","operator":"CLAUDE","continues":"org-000000000001"}"#,
        "the replica laptop opened and took over the agents of org-000000000001"),
    ("agent.registered", r#"{"name":"kimi","profile":"kimi"}"#, "kimi registered as kimi"),
    ("agent.described", r#"{"profile":"kimi","workspace":"/src\nrm"}"#, "described itself: kimi in /src rm"),
    ("agent.described", r#"{"profile":"kimi","description":"TEXT"}"#, "described itself: kimi"),
    ("agent.seated", r#"{"role":"delegate","reports_to":"claude"}"#, "has the role delegate and reports to claude"),
    ("agent.seated", "{}", "has no role"),
    ("agent.renamed", r#"{"name":"kim"}"#, "renamed to kim"),
    ("agent.retired", r#"{"reason":"TEXT"}"#, "retired, with a reason"),
    ("agent.status", r#"{"state":"blocked","text":"TEXT","context_left":7}"#, "is blocked with 7% of its context left"),
    ("message.sent", r#"{"from":"CLAUDE","to":["KIMI"],"intent":"question","subject":"TEXT","body":"TEXT","thread":"msg-000000000001","priority":"low","hops":0}"#,
        "claude sent a question to kimi: CUT"),
    ("message.sent", r#"{"from":"CLAUDE","to":["KIMI","CLAUDE","KIMI","KIMI"],"intent":"review_request","subject":"GONE","thread":"msg-000000000001","reply_to":"msg-000000000001","priority":"low","hops":0}"#,
        "claude replied to kimi, claude, kimi and 1 more with a review request: \"[text deleted]\""),
    ("message.sent", r#"{"from":"CLAUDE","to":["KIMI"],"addressed":["role:reviewer"],"intent":"message","subject":"TEXT","thread":"msg-000000000001","priority":"low","hops":0}"#,
        "claude sent a message to role:reviewer: CUT"),
    ("message.held", r#"{"reason":"hops"}"#, "held: too many messages without a person or progress"),
    ("message.released", "{}", "released"),
    ("message.delivered", r#"{"agent":"KIMI","via":"inbox"}"#, "delivered to kimi via inbox"),
    ("message.delivered", r#"{"agent":"KIMI","via":"hook","redelivered":2}"#,
        "delivered to kimi via hook after 2 hand-overs that lapsed"),
    ("message.acknowledged", r#"{"agent":"KIMI"}"#, "kimi acknowledged it"),
    ("message.settled", r#"{"agent":"KIMI","how":"replied","by":"msg-000000000002"}"#, "kimi replied (msg-000000000002)"),
    ("message.settled", r#"{"agent":"KIMI","how":"withdrawn"}"#, "kimi owes nothing more: the matter was withdrawn"),
    ("message.declined", r#"{"agent":"KIMI","reason":"TEXT"}"#, "kimi declined, with a reason"),
    ("message.escalated", r#"{"agent":"KIMI","to":"CLAUDE","by":"msg-000000000002","reason":"TEXT"}"#,
        "kimi took it to claude with msg-000000000002"),
    ("message.answered", r#"{"agent":"KIMI","escalation":"msg-000000000002","by":"msg-000000000003"}"#,
        "the escalation of kimi was answered with msg-000000000003"),
    ("message.escalated", r#"{"agent":"KIMI","to":"CLAUDE","by":"msg-000000000002","reason":"TEXT","by_ladder":true}"#,
        "kimi was silent: it went up to claude with msg-000000000002"),
    ("message.concluded", r#"{"agent":"KIMI","escalation":"msg-000000000002","how":"settled"}"#,
        "kimi settled it after all: msg-000000000002 needs no answer"),
    ("message.concluded", r#"{"agent":"KIMI","escalation":"msg-000000000002","how":"waits"}"#,
        "nobody answered msg-000000000002 in time: it goes on waiting"),
    ("message.concluded", r#"{"agent":"KIMI","escalation":"msg-000000000002","how":"cancelled"}"#,
        "nobody answered msg-000000000002 in time: what kimi owed was cancelled"),
    ("message.raised", r#"{"agent":"KIMI","to":"CLAUDE"}"#, "kimi was silent: it is on the dashboard for claude"),
    ("message.control", r#"{"verb":"clear"}"#, "for the session itself: clear"),
    ("message.control", r#"{"verb":"model","model":"opus"}"#, "for the session itself: model opus"),
    ("message.carried_out", r#"{"agent":"KIMI","outcome":"done"}"#, "carried out in the session of kimi"),
    ("message.carried_out", r#"{"agent":"KIMI","outcome":"failed","note":"TEXT"}"#,
        "could not be carried out for kimi, with a reason"),
    ("skill.promoted", r#"{"name":"token-tests","description":"TEXT","times":3}"#,
        "kimi made it the skill token-tests, proposed 3 times"),
    ("skill.rejected", r#"{"reason":"TEXT"}"#, "kimi rejected it, with a reason"),
    ("task.created", r#"{"title":"TEXT","assigner":"CLAUDE","priority":"high"}"#, "claude created the task CUT"),
    ("task.created", r#"{"title":"GONE","assigner":"CLAUDE","priority":"high","redo_of":"task-000000000001"}"#,
        "claude created the task \"[text deleted]\" to do task-000000000001 again"),
    ("task.edited", r#"{"title":"TEXT","description":"TEXT","priority":"low","branch":"x"}"#,
        "changed the title to CUT, the description, the priority to low, the branch to x"),
    ("task.assigned", r#"{"assignee":"KIMI","claimed":true}"#, "kimi took the task"),
    ("task.assigned", r#"{"assignee":"KIMI"}"#, "assigned to kimi"),
    ("task.assigned", r#"{"assignee":"KIMI","before":"CLAUDE"}"#, "passed from claude to kimi"),
    ("task.moved", r#"{"from":"assigned","to":"in_progress"}"#, "moved from assigned to in_progress"),
    ("task.moved", r#"{"from":"assigned","to":"reassigned","reason":"TEXT","successor":"task-000000000002"}"#,
        "moved from assigned to reassigned in favour of task-000000000002, with a reason"),
    ("task.noted", r#"{"note":"TEXT"}"#, "kimi added a note"),
    ("task.dependency", r#"{"on":"task-000000000002"}"#, "waits for task-000000000002"),
    ("task.dependency", r#"{"on":"task-000000000002","removed":true}"#, "waits for task-000000000002 no longer"),
    ("task.reported", r#"{"worker":"KIMI","status":"done","summary":"TEXT","files_modified":["a","b"],"skill_candidate":{"found":true}}"#,
        "kimi reported done, 2 files modified, with a skill candidate"),
    ("task.judged", r#"{"verdict":"approved","by":"CLAUDE","review":"rev-000000000001","overruled":true}"#,
        "claude gave the verdict approved in rev-000000000001, over the rules"),
    ("task.submitted", r#"{"review":"rev-000000000001","round":2}"#, "round 2 of rev-000000000001 waits for a verdict"),
    ("task.split_proposed", r#"{"parts":["TEXT","GONE"],"reason":"TEXT"}"#, "kimi proposed to split it into 2 parts, with a reason"),
    ("task.split_decided", r#"{"tasks":["task-000000000002","task-000000000003"]}"#,
        "kimi split it into task-000000000002, task-000000000003"),
    ("task.split_decided", r#"{"reason":"TEXT"}"#, "kimi declined to split it, with a reason"),
    ("review.opened", r#"{"author":"KIMI","reviewers":["CLAUDE"],"title":"TEXT","task":"task-000000000001"}"#,
        "kimi asked claude for a review of task-000000000001: CUT"),
    ("review.round", r#"{"round":2,"by":"KIMI","source":"main..HEAD"}"#, "kimi submitted round 2: main..HEAD"),
    ("review.commented", r#"{"comment":"note-000000000001","thread":"note-000000000001","by":"CLAUDE","body":"TEXT","disposition":"concern","file":"src/a.rs","line":7}"#,
        "claude commented at src/a.rs:7 (concern)"),
    ("review.commented", r#"{"comment":"note-000000000002","thread":"note-000000000001","by":"KIMI","body":"TEXT","disposition":"note"}"#,
        "kimi answered (note)"),
    ("review.resolved", r#"{"thread":"note-000000000001","by":"KIMI"}"#, "kimi closed the thread note-000000000001"),
    ("review.judged", r#"{"verdict":"revision_needed","by":"CLAUDE"}"#, "claude ended the review: revision_needed"),
    ("spec.published", r#"{"version":2,"body":"TEXT","publisher":"KIMI"}"#, "kimi published version 2"),
    ("spec.subscribed", r#"{"agent":"KIMI"}"#, "kimi subscribed"),
    ("spec.subscribed", r#"{"agent":"KIMI","removed":true}"#, "kimi unsubscribed"),
    ("decision.opened", r#"{"question":"TEXT","by":"KIMI"}"#, "kimi asked CUT"),
    ("decision.position", r#"{"agent":"KIMI","position":"TEXT"}"#, "kimi is for CUT"),
    ("decision.decided", r#"{"outcome":"TEXT","by":"CLAUDE"}"#, "claude decided: CUT"),
    ("decision.superseded", r#"{"by":"dec-000000000001"}"#, "superseded by dec-000000000001"),
    ("lease.taken", r#"{"holder":"KIMI","globs":["a","b","c","d"],"mode":"exclusive","ttl_s":300}"#,
        "kimi leased a, b, c and 1 more (exclusive, 300 s)"),
    ("lease.released", "{}", "given back"),
    ("lease.forced", r#"{"by":"CLAUDE","reason":"TEXT"}"#, "taken away by claude"),
    ("text.purged", r#"{"reason":"TEXT"}"#, "text deleted, with a reason"),
    ("text.purged", "{}", "text deleted"),
    ("text.released", r#"{"texts":[],"reason":"TEXT"}"#, "kimi let a text out that looked like a secret, with a reason"),
];

#[test]
fn every_kind_of_event_has_its_sentence() {
    for (kind, data, expected) in SENTENCES {
        assert_eq!(told(&event(kind, data)), expected.replace("CUT", CUT), "{kind} {data}");
    }
    let team = TeamChanged { config: TeamConfig::usual_duo("Shop") };
    assert_eq!(told(&team.into()), "the team is duo with 2 agents in Shop");
    let strange = Event::Unknown { kind: "poll.opened".to_owned(), version: 3 };
    assert_eq!(told(&strange), "an event of a newer version (poll.opened v3)");

    let told: BTreeSet<&str> = SENTENCES.iter().map(|(kind, ..)| *kind).chain(["team.changed"]).collect();
    let known: BTreeSet<&str> = Event::KINDS.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(told, known);
}

#[test]
fn no_sentence_shows_more_of_a_text_than_a_line() {
    for (kind, data, _) in SENTENCES {
        let sentence = told(&event(kind, data));
        assert!(!sentence.contains("token is renewed") && !sentence.contains('\n'), "{kind}: {sentence}");
    }
}
