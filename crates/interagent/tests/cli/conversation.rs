//! Inboxes in pages, conversations and lists of messages.

use interagent_testkit::Sandbox;
use serde_json::Value;

fn sent(sandbox: &Sandbox, from: &str, arguments: &[&str]) -> String {
    let answer = sandbox.as_agent(from).json(&[&["send"], arguments].concat());
    answer["id"].as_str().unwrap().to_owned()
}

fn ids(answer: &Value) -> Vec<String> {
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_inbox_goes_on_where_its_page_ended() {
    let sandbox = Sandbox::with_team();
    let all: Vec<String> = (0..5)
        .map(|number| sent(&sandbox, "claude", &["--to", "kimi", &format!("number {number}")]))
        .collect();
    let page = |more: &[&str]| sandbox.json(&[&["inbox", "--agent", "kimi", "--limit", "2"], more].concat());
    let first = page(&[]);
    assert_eq!((ids(&first), &first["unread"], &first["more"]), (all[..2].to_vec(), &5.into(), &3.into()));
    let second = page(&["--after", first["next"].as_str().unwrap()]);
    assert_eq!((ids(&second), &second["more"]), (all[2..4].to_vec(), &1.into()));
    let third = page(&["--after", second["next"].as_str().unwrap()]);
    assert_eq!((ids(&third), &third["more"], &third["next"]), (all[4..].to_vec(), &0.into(), &Value::Null));
    let shown = sandbox.run(&["inbox", "--agent", "kimi", "--limit", "4"]).success().stdout;
    let last = shown.lines().last().unwrap();
    let command = last.strip_prefix("1 more unread: interagent ").unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(ids(&sandbox.json(&words)), all[4..].to_vec());
    assert_eq!(sandbox.run(&["inbox", "--after", "yesterday"]).status, 2);
}

#[test]
fn what_was_read_comes_after_the_unread_and_only_on_wish() {
    let sandbox = Sandbox::with_team();
    let old: Vec<String> =
        (0..3).map(|number| sent(&sandbox, "claude", &["--to", "kimi", &format!("old {number}")])).collect();
    let kimi = sandbox.as_agent("kimi");
    kimi.run(&["ack", &old[0], &old[1], &old[2]]).success();
    let new = sent(&sandbox, "claude", &["--to", "kimi", "--intent", "question", "new?"]);
    assert_eq!(ids(&sandbox.json(&["inbox", "--agent", "kimi"])), std::slice::from_ref(&new));
    let wanted = [&new, &old[2], &old[1], &old[0]].map(Clone::clone);
    // The agent and the person see the same, and looking at all of it delivers nothing.
    assert_eq!(ids(&kimi.json(&["inbox", "--all"])), wanted);
    assert_eq!(ids(&sandbox.json(&["inbox", "--all", "--from-agent", "kimi"])), wanted);
    assert_eq!(sandbox.json(&["read", &new])["to"][0]["state"], "queued");
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let place = after.iter().flat_map(|after: &String| ["--after", after]);
        let arguments: Vec<&str> = ["inbox", "--all", "--limit", "1"].into_iter().chain(place).collect();
        let page = kimi.json(&arguments);
        seen.extend(ids(&page));
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, wanted);
    insta::assert_snapshot!(kimi.run(&["inbox", "--all", "--limit", "2"]).shown().split("--after").next().unwrap(), @r"
    kimi: 1 unread message, owes 1 thing
    id  from  intent  subject  state  sent
    msg-1  claude  question  new?  queued  [ago]
    msg-2  claude  message  old 2  acknowledged  [ago]

    owes  message  from  subject  since
    answer  msg-1  claude  new?  [ago]
    with their texts: interagent inbox --all --limit 2 --bodies
    there is more: interagent inbox --all --limit 2
    ");
}

#[test]
fn a_conversation_reads_like_one() {
    let sandbox = Sandbox::with_team();
    let question = sent(
        &sandbox,
        "claude",
        &["--to", "kimi", "-s", "Parser", "-m", "Does it keep the last token?", "--intent", "question"],
    );
    sent(
        &sandbox,
        "claude",
        &["--to", "kimi", "--thread", &question, "-s", "One more thing", "-m", "Where is it?"],
    );
    let reply = sandbox.as_agent("kimi").json(&["reply", &question, "-m", "It does.\nSince yesterday."]);
    let reply = reply["id"].as_str().unwrap();
    sandbox.as_agent("claude").run(&["reply", reply, "--intent", "question", "-m", "Sure?"]).success();
    insta::assert_snapshot!(sandbox.run(&["msg", "thread", reply]).shown(), @r"
    Parser  msg-1

    claude to kimi  question, [ago]  msg-1
      Does it keep the last token?
      kimi: replied

      kimi to claude  message, [ago]  msg-2
      It does.
      Since yesterday.

      claude to kimi  question, [ago]  msg-3
      Sure?
      kimi owes: answer

    claude to kimi  message, [ago]  msg-4
    One more thing
      Where is it?
      kimi: queued
    ");
    let newest = sandbox.json(&["msg", "thread", reply, "--limit", "3"]);
    assert_eq!(newest["items"].as_array().unwrap().len(), 3);
    let before = newest["next"].as_str().unwrap();
    assert_eq!(ids(&sandbox.json(&["msg", "thread", reply, "--before", before])), [question]);
    assert_eq!(sandbox.run(&["msg", "thread", "msg-none"]).status, 3);
}

#[test]
fn a_list_of_messages_is_as_narrow_as_one_likes() {
    let sandbox = Sandbox::with_team();
    let question = sent(&sandbox, "claude", &["--to", "kimi", "--intent", "question", "a"]);
    let plain = sent(&sandbox, "claude", &["--to", "kimi", "b"]);
    let back = sandbox.as_agent("kimi").json(&["reply", &question, "c"])["id"].as_str().unwrap().to_owned();
    let up = sent(&sandbox, "kimi", &["--to", "operator", "--intent", "question", "d"]);
    sandbox.as_agent("kimi").run(&["ack", &plain]).success();
    let list = |more: &[&str]| ids(&sandbox.json(&[&["msg", "list"], more].concat()));
    for (filter, wanted) in [
        (&[][..], vec![&up, &back, &plain, &question]),
        (&["--from", "claude"], vec![&plain, &question]),
        (&["--to", "kimi"], vec![&plain, &question]),
        (&["--to", "kimi", "--limit", "1"], vec![&plain]),
        (&["--intent", "question"], vec![&up, &question]),
        (&["--from", "kimi", "--intent", "question"], vec![&up]),
        (&["--to", "kimi", "--from", "claude", "--intent", "message"], vec![&plain]),
        (&["--thread", &back], vec![&back, &question]),
        (&["--thread", &back, "--from", "kimi"], vec![&back]),
        (&["--since", "1h"], vec![&up, &back, &plain, &question]),
        (&["--since", "2999-01-01T00:00:00Z"], vec![]),
        (&["--held"], vec![]),
    ] {
        assert_eq!(list(filter).iter().collect::<Vec<_>>(), wanted, "{filter:?}");
    }
    assert_eq!(sandbox.run(&["msg", "list", "--intent", "gossip"]).status, 2);
    assert_eq!(sandbox.run(&["msg", "list", "--from", "nobody"]).status, 3);
}

#[test]
fn a_long_inbox_is_handed_over_in_turns_and_every_message_comes_with_its_text() {
    let sandbox = Sandbox::with_team();
    for number in 1..=25 {
        sandbox.run(&["send", "--to", "kimi", "-s", "news", "-m", &format!("text {number}.")]).success();
    }
    let kimi = sandbox.as_agent("kimi");
    let [first, second] = [(); 2].map(|()| kimi.run(&["inbox"]).success().stdout);
    // More are listed at once than are handed over at once: those are counted, not shown without their texts.
    assert!(first.contains("text 20.") && !first.contains("text 21."), "{first}");
    assert!(first.contains("5 more unread: interagent inbox\n") && !first.contains("queued"), "{first}");
    assert!(second.contains("text 21.") && second.contains("text 25."), "{second}");
    assert!(!second.contains("more unread"), "{second}");
}
