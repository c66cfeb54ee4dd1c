//! Steps in both dialects, and commands in sentences.

use super::*;
use crate::vocabulary::Duty;

const CLAUDE: Dialect<'static> = Dialect::Tools("mcp__interagent__{tool}");
const BARE: Dialect<'static> = Dialect::Tools(BARE_TOOL);

#[test]
fn steps_in_both_dialects() {
    let steps = [
        Step::new(Operation::Briefing),
        Step::new(Operation::Inbox),
        Step::reply("msg-1"),
        Step::send("kimi"),
        Step::show_task("task-1"),
        Step::update_task("task-1", "in_progress"),
        Step::judge_task("task-1"),
        Step::report_task("task-1", None),
        Step::new(Operation::Delegate).with(Arg::To, "kimi").with(Arg::Title, "TEXT"),
        Step::new(Operation::SplitTask).with(Arg::Task, "ID").with(Arg::Into, "a b").with(Arg::Into, "PART"),
        Step::new(Operation::ListTasks).flag(Arg::Open),
        Step::new(Operation::Register).with(Arg::Name, "NAME"),
        Step::new(Operation::Summary),
    ];
    let lines: Vec<String> =
        steps.iter().map(|step| format!("{}\n  {}", Dialect::Shell.say(step), CLAUDE.say(step))).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    interagent briefing
      mcp__interagent__briefing()
    interagent inbox
      mcp__interagent__check_inbox()
    interagent reply msg-1 -m TEXT
      mcp__interagent__reply_message(original_message_id="msg-1", content=TEXT)
    interagent send --to kimi -m TEXT
      mcp__interagent__send_message(to="kimi", content=TEXT)
    interagent task show task-1
      mcp__interagent__task(action="show", task="task-1")
    interagent task update task-1 --status in_progress
      mcp__interagent__task(action="update", task="task-1", status="in_progress")
    interagent task verdict task-1 VERDICT (approved, revision_needed or rejected)
      mcp__interagent__task(action="verdict", task="task-1", verdict=approved|revision_needed|rejected)
    interagent task report task-1 done --summary TEXT --no-skill
      mcp__interagent__task(action="report", task="task-1", status="done", summary=TEXT, skill_candidate={"found": false})
    interagent delegate --to kimi --task TEXT
      mcp__interagent__task(action="create", assignee="kimi", title=TEXT)
    interagent task split ID --into 'a b' --into PART
      mcp__interagent__task(action="split", task=ID, into=["a b", PART])
    interagent task list --open
      mcp__interagent__task(action="list", open=true)
    interagent agent register NAME
      mcp__interagent__register_agent(name=NAME)
    interagent summary
      mcp__interagent__briefing(action="team")
    "#);
}

/// Obligation, what the message points at, and the step in both dialects.
#[test]
fn value_of_a_member_stays_quoted() {
    let step = Step::judge_review("a|$(touch x)");
    assert!(Dialect::Shell.say(&step).starts_with("interagent review verdict 'a|$(touch x)' VERDICT ("));
    assert!(CLAUDE.say(&step).contains(r#"review="a|$(touch x)""#), "{}", CLAUDE.say(&step));
}

#[test]
fn step_follows_obligation_and_links() {
    let pointing: [(&str, Links); 6] = [
        ("", Links::default()),
        ("review", Links::of([("review", "rev-1")])),
        ("review and thread", Links::of([("file", "a.rs"), ("review", "rev-1"), ("thread", "note-1")])),
        ("thread", Links::of([("thread", "note-1")])),
        ("decision", Links::of([("decision", "dec-1"), ("decision", "dec-2")])),
        ("split", Links::of([("split", "task-1")])),
    ];
    let duties = [
        Duty::Acknowledge,
        Duty::Answer,
        Duty::Accept,
        Duty::Verdict,
        Duty::Unblock,
        Duty::Start,
        Duty::Position,
    ];
    let mut lines = Vec::new();
    for duty in duties {
        let mut plain = Vec::new();
        for task in [None, Some("task-1")] {
            for (what, links) in &pointing {
                let obligation = Obligation { duty, message: "msg-1", task, links };
                let said = [
                    obligation.settle(Dialect::Shell),
                    obligation.settle(BARE),
                    obligation.settle_below(Dialect::Shell),
                    obligation.settle_below(BARE),
                ];
                let step = said.join("\n    ");
                // Only what changes the step has a row of its own.
                if plain.contains(&step) {
                    continue;
                }
                let about = [task.map(|_| "task"), Some(*what).filter(|what| !what.is_empty())];
                let about: Vec<&str> = about.into_iter().flatten().collect();
                lines.push(format!("{duty} [{}]\n    {step}", about.join(", ")));
                plain.push(step);
            }
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    acknowledge []
        interagent ack msg-1
        read_message(message_id="msg-1")
        interagent ack ID
        read_message
    answer []
        interagent reply msg-1 -m TEXT
        reply_message(original_message_id="msg-1", content=TEXT)
        interagent reply ID -m TEXT
        reply_message
    answer [review and thread]
        interagent review comment rev-1 --thread note-1 -m TEXT
        review(action="comment", review="rev-1", thread="note-1", body=TEXT)
        interagent review comment REVIEW --thread THREAD -m TEXT
        review(action="comment", review, thread, body)
    answer [split]
        interagent task split task-1 --accept (or: --decline --reason TEXT)
        task(action="split", task="task-1", answer="accept"), or answer="decline", reason=TEXT
        interagent task split TASK --accept (or: --decline --reason TEXT)
        task(action="split", task, answer="accept"), or answer="decline", reason=TEXT
    accept []
        interagent msg accept msg-1 (or: msg decline)
        task(action=accept|decline, message="msg-1")
        interagent msg accept ID (or: msg decline)
        task(action=accept|decline, message)
    verdict []
        interagent reply msg-1 -m TEXT
        reply_message(original_message_id="msg-1", content=TEXT)
        interagent reply ID -m TEXT
        reply_message
    verdict [review]
        interagent review show rev-1, then: interagent review verdict rev-1 VERDICT (approved, revision_needed or rejected)
        review(action="show", review="rev-1"), then action="verdict", verdict=approved|revision_needed|rejected
        interagent review show REVIEW, then: interagent review verdict REVIEW VERDICT (approved, revision_needed or rejected)
        review(action="show", review), then action="verdict", verdict=approved|revision_needed|rejected
    verdict [task]
        interagent task verdict task-1 VERDICT (approved, revision_needed or rejected)
        task(action="verdict", task="task-1", verdict=approved|revision_needed|rejected)
        interagent task verdict TASK VERDICT (approved, revision_needed or rejected)
        task(action="verdict", task, verdict=approved|revision_needed|rejected)
    unblock []
        interagent reply msg-1 -m TEXT
        reply_message(original_message_id="msg-1", content=TEXT)
        interagent reply ID -m TEXT
        reply_message
    start []
        interagent msg accept msg-1 (or: msg decline)
        task(action=accept|decline, message="msg-1")
        interagent msg accept ID (or: msg decline)
        task(action=accept|decline, message)
    start [task]
        interagent task update task-1 --status in_progress
        task(action="update", task="task-1", status="in_progress")
        interagent task update TASK --status in_progress
        task(action="update", task, status="in_progress")
    position []
        interagent reply msg-1 -m TEXT
        reply_message(original_message_id="msg-1", content=TEXT)
        interagent reply ID -m TEXT
        reply_message
    position [decision]
        interagent decision position dec-1 POSITION
        decision(action="position", decision="dec-1", position=POSITION)
        interagent decision position DECISION POSITION
        decision(action="position", decision, position)
    "#);
}

#[test]
fn commands_in_sentences_become_tools() {
    let sentences = [
        "interagent task show task-000000000001 tells where it stands",
        "interagent task note task-000000000001 tells kimi what you know",
        "interagent task next finds another",
        "interagent reply msg-000000000001 -m ... still reaches who asked",
        "write to claude, your superior: interagent send --to claude -m TEXT",
        "ask: interagent send --to kimi --intent question -m TEXT",
        "interagent ack msg-1 says that you read it; interagent reply msg-1 -m TEXT answers it",
        "interagent task verdict task-1 revision_needed sends it back",
        "Ask kimi: `interagent send --to kimi -m \"May I change a.rs?\"`.",
        "`interagent task split task-1 --accept` makes tasks of them (`--to NAME,NAME` says whose)",
        "interagent task update task-1 --status failed --note WHY says that you can't do it",
        "interagent report task-1 done --summary TEXT --no-skill",
        "interagent agent register NAME, then set INTERAGENT_AGENT=NAME",
        "name one with --to NAME; interagent agent list shows who is there",
        "take it again: interagent lease take src/**",
        "say it on the dashboard: interagent status set waiting TEXT",
        "interagent spec show api shows it",
        "interagent msg release msg-1",
        "the operator runs: interagent team take",
        "which only interagent writes.",
        "interagent doctor",
    ];
    let said: Vec<String> = sentences.iter().map(|sentence| BARE.translate(sentence)).collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    task(action="show", task="task-000000000001") tells where it stands
    task(action="note", task="task-000000000001") tells kimi what you know
    task(action="next") finds another
    reply_message(original_message_id="msg-000000000001", content=...) still reaches who asked
    write to claude, your superior: send_message(to="claude", content=TEXT)
    ask: send_message(to="kimi", intent="question", content=TEXT)
    read_message(message_id="msg-1") says that you read it; reply_message(original_message_id="msg-1", content=TEXT) answers it
    task(action="verdict", task="task-1", verdict="revision_needed") sends it back
    Ask kimi: `send_message(to="kimi", content="May I change a.rs?")`.
    `task(action="split", task="task-1", answer="accept")` makes tasks of them (`--to NAME,NAME` says whose)
    task(action="update", task="task-1", status="failed", note=WHY) says that you can't do it
    task(action="report", task="task-1", status="done", summary=TEXT, skill_candidate={"found": false})
    register_agent(name=NAME), then set INTERAGENT_AGENT=NAME
    name one with --to NAME; list_agents() shows who is there
    take it again: lease(action="take", paths="src/**")
    say it on the dashboard: set_status(state="waiting", status=TEXT)
    get_spec(name="api") shows it
    ask the operator to run: interagent msg release msg-1
    the operator runs: interagent team take
    which only interagent writes.
    ask the operator to run: interagent doctor
    "#);
    for sentence in sentences {
        assert_eq!(Dialect::Shell.translate(sentence), sentence);
    }
}

#[test]
fn quoted_words_are_not_translated() {
    let tools = Dialect::of(Some("{tool}"));
    for text in [
        "kimi has not answered msg-1 from ann: \"Should the docs say interagent doctor?\".",
        "> interagent inbox shows nothing\n> run interagent task list",
        "Its open tasks:\n- task-1 \"Document interagent inbox\" [blocked]",
    ] {
        assert_eq!(tools.translate(text), text);
    }
    let own = "\"Ship it\" waits:\n  interagent inbox";
    assert_eq!(tools.translate(own), "\"Ship it\" waits:\n  check_inbox()");
}

/// A text without a command is returned as it is, whatever else it holds.
#[test]
fn other_text_is_untouched() {
    for text in
        ["", "interagent", "interagent: mail", "é interagent ü", "run `cargo test`", "interagent  inbox"]
    {
        assert_eq!(BARE.translate(text), text);
    }
}
