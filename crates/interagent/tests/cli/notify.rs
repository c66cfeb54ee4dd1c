//! Telling the person and hearing from them, through a real server on loopback.

use std::process::{Child, Stdio};

use interagent_testkit::Sandbox;
use interagent_testkit::ntfy::NtfyServer;
use interagent_testkit::sandbox::Run;
use interagent_testkit::terminal::Size;

const TOPIC: &str = "our-team";

fn with_topic<'s>(sandbox: &'s Sandbox, server: &NtfyServer) -> Run<'s> {
    sandbox
        .start()
        .env("INTERAGENT_NTFY_SERVER", server.url())
        .env("INTERAGENT_NTFY_TOPIC", TOPIC)
        .env("INTERAGENT_NTFY_TOKEN", "tk_secret")
}

/// kimi can't go on and asks the operator; answers with the id of the message that carries it.
fn escalate(sandbox: &Sandbox, why: &str) -> String {
    let asked = sandbox.as_agent("claude").json(&[
        "send",
        "--to",
        "kimi",
        "--intent",
        "question",
        "-m",
        "Which key?",
    ]);
    let id = asked["id"].as_str().unwrap().to_owned();
    let up = sandbox.as_agent("kimi").json(&["msg", "escalate", &id, "--reason", why, "--default", "wait"]);
    up["id"].as_str().unwrap().to_owned()
}

/// The team file names a topic, in the place of an earlier one.
fn name_topic(sandbox: &Sandbox, topic: &str) {
    let file = sandbox.hub().join("team.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let is_topic = |line: &&str| line.trim_start_matches(['#', ' ']).starts_with("ntfy_topic");
    let before = text.lines().find(is_topic).unwrap();
    std::fs::write(&file, text.replace(before, &format!("ntfy_topic = \"{topic}\""))).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
}

/// The person allows what the project names, in a terminal.
fn allow(run: &Run<'_>) -> String {
    let (status, screen) = run.answered_on(Size { rows: 24, columns: 100 }, &["trust"], "y\n");
    assert_eq!(status, 0, "{screen}");
    screen
}

/// Ends with the test.
struct Listening(Child);

impl Listening {
    fn start(sandbox: &Sandbox, server: &NtfyServer) -> Self {
        Self::by(&with_topic(sandbox, server), &["notify", "--listen"])
    }

    fn by(run: &Run<'_>, arguments: &[&str]) -> Self {
        Self(run.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

/// Looks until it is so.
#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_so() {
        assert!(std::time::Instant::now() < until, "{what} did not happen");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// What claude was told in the operator's name.
fn told_claude(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.json(&["msg", "list", "--to", "claude", "--from", "operator"]);
    let subjects = listed["items"].as_array().unwrap().iter().rev();
    subjects.map(|one| one["subject"].as_str().unwrap().to_owned()).collect()
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_escalation_is_announced_once_and_says_who_needs_what_but_no_body() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    let carrier = escalate(&sandbox, "The key is gone.\n\nbody-of-the-matter");
    let due = with_topic(&sandbox, &server).json(&["notify", "--due"]);
    assert!(
        due["told"].as_array().unwrap().iter().any(|told| told["way"] == "ntfy" && told["arrived"] == true)
    );
    let published = server.published(TOPIC);
    assert_eq!(published.len(), 1, "{published:?}");
    let notice = &published[0];
    assert!(notice["title"].as_str().unwrap().ends_with(": kimi needs an answer"), "{notice}");
    let text = notice["message"].as_str().unwrap();
    assert!(text.contains("The key is gone") && text.contains("Without an answer: wait"), "{text}");
    assert!(text.contains(&format!("interagent msg answer {carrier}")), "{text}");
    assert!(!text.contains("body-of-the-matter"), "a body never leaves by a notification: {text}");
    assert_eq!((&notice["priority"], &notice["tags"][0]), (&4.into(), &"interagent".into()));
    assert_eq!(server.tokens(), ["Bearer tk_secret"]);
    let again = with_topic(&sandbox, &server).json(&["notify", "--due"]);
    assert_eq!(again["told"], serde_json::json!([]));
    assert_eq!(server.published(TOPIC).len(), 1, "it was announced before");
}

#[test]
fn a_reply_from_the_phone_answers_the_matter_and_reaches_the_agent() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    let listening = Listening::start(&sandbox, &server);
    server.wait_for_listener(1);
    let carrier = escalate(&sandbox, "The key is gone.");
    server.wait_until(TOPIC, |lines| lines.len() == 1);
    server.say(TOPIC, "use the spare one");
    // The answer is a message to kimi; nothing else tells when it is there.
    let answered = || sandbox.json(&["msg", "thread", &carrier])["items"].to_string();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !answered().contains("use the spare one") {
        assert!(std::time::Instant::now() < until, "{}", answered());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let mail = sandbox.as_agent("kimi").json(&["inbox"]);
    let mail = mail["items"].as_array().unwrap().iter().find(|mail| mail["from"]["name"] == "operator");
    let mail = mail.unwrap();
    assert_eq!((&mail["body"], &mail["auth"]), (&"use the spare one".into(), &"claimed".into()));
    // A line that comes while nobody listens is taken when somebody does again, and none is taken twice.
    drop(listening);
    server.cut();
    server.say(TOPIC, "@claude look at the build");
    let _again = Listening::start(&sandbox, &server);
    server.wait_for_listener(2);
    // The line before may have been taken and not noted: then it comes again, and its key makes that harmless.
    let from = server.listened()[1].clone();
    assert!(["n1", "n2"].contains(&from.as_str()), "it goes on where it ended, not at {from}");
    let told_claude = || {
        let listed = sandbox.json(&["msg", "list", "--to", "claude", "--from", "operator"]);
        let subjects = listed["items"].as_array().unwrap().iter().map(|one| one["subject"].clone());
        subjects.filter(|subject| subject == "look at the build").count()
    };
    while told_claude() == 0 {
        assert!(std::time::Instant::now() < until, "nothing came");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    // What is not clear is said back, by a notice that is ours and starts nothing.
    server.say(TOPIC, "msg-zzzz yes");
    let lines = server.wait_until(TOPIC, |lines| lines.len() == 5);
    assert!(lines[4]["message"].as_str().unwrap().contains("waits for no answer of yours"), "{}", lines[4]);
    assert_eq!((told_claude(), answered().matches("use the spare one").count()), (1, 1));
}

#[test]
fn a_topic_of_the_project_counts_only_after_the_person_allowed_it() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    name_topic(&sandbox, "theirs");
    let run = || sandbox.start().env("INTERAGENT_NTFY_SERVER", server.url());
    let shown = run().run(&["notify"]).success().stdout;
    insta::assert_snapshot!(shown, @r"
    bell     not working: no terminal for the bell
    desktop  not working: notify-send is not installed
    ntfy     off: the team file names the topic theirs, and you have not allowed it
    hint: interagent trust
    ");
    let listed = || run().run(&["trust", "--list"]).success().stdout;
    assert_eq!(listed(), "not trusted  the ntfy topic theirs of team.toml\n");
    escalate(&sandbox, "The key is gone.");
    run().run(&["notify", "--due"]);
    assert_eq!(server.published("theirs"), [] as [serde_json::Value; 0]);
    let screen = allow(&run());
    assert!(screen.contains("theirs"), "{screen}");
    assert_eq!(listed(), "trusted  the ntfy topic theirs of team.toml\n");
    let shown = run().json(&["notify"]);
    assert_eq!((&shown["ntfy"], &shown["topic"]), (&server.url().into(), &"the…".into()), "{shown}");
    assert_eq!(shown["topic_from"], "team.toml");
    run().run(&["notify", "--test"]);
    assert_eq!(server.published("theirs").len(), 1);
}

#[test]
fn a_topic_of_the_environment_is_a_name_like_that_of_a_team_file() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    let shown = with_topic(&sandbox, &server).run(&["notify"]).success().stdout;
    assert!(shown.contains("on, topic our-… of INTERAGENT_NTFY_TOPIC, through "), "{shown}");
    assert!(!shown.contains(TOPIC), "who reads along learns no topic: {shown}");
    let wrong = || with_topic(&sandbox, &server).env("INTERAGENT_NTFY_TOPIC", "http://x/y");
    let shown = wrong().run(&["notify"]).success().stdout;
    assert!(shown.contains("off: INTERAGENT_NTFY_TOPIC: `http://x/y` is not an ntfy topic."), "{shown}");
    for way in ["--test", "--due", "--listen"] {
        let refused = wrong().run(&["notify", way]);
        assert_eq!(refused.status, 2, "{way}: {}", refused.stderr);
    }
    assert_eq!(server.tokens(), [] as [&str; 0], "nothing was sent");
}

#[test]
fn a_running_supervisor_follows_the_team_and_the_word_of_the_user() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    let run = || sandbox.start().env("INTERAGENT_NTFY_SERVER", server.url());
    name_topic(&sandbox, "first");
    allow(&run());
    let _supervisor = Listening::by(&run(), &["supervise", "--quiet"]);
    server.wait_for_listener(1);
    server.say("first", "@claude one");
    eventually("the first reply", || told_claude(&sandbox) == ["one"]);
    // The user takes their word back: whoever knows the topic answers for nobody.
    run().run(&["trust", "--revoke"]).success();
    server.say("first", "@claude two");
    // The team has another topic, and the user allows that.
    name_topic(&sandbox, "second");
    allow(&run());
    escalate(&sandbox, "The key is gone.");
    server.wait_for_listener(2);
    server.wait_until("second", |lines| lines.len() == 1);
    server.say("first", "@claude three");
    server.say("second", "@claude four");
    eventually("the reply on the other topic", || told_claude(&sandbox).last().unwrap() == "four");
    assert_eq!(told_claude(&sandbox), ["one", "four"]);
    assert_eq!(server.published("first").len(), 3, "no notice goes there any more");
    // What was written on a topic while nobody was allowed to is not made up for.
    run().run(&["trust", "--revoke"]).success();
    name_topic(&sandbox, "first");
    allow(&run());
    escalate(&sandbox, "The other key is gone, too.");
    server.wait_for_listener(3);
    assert!(!["n1", "n2"].contains(&server.listened()[2].as_str()), "{:?}", server.listened());
}

#[test]
fn a_supervisor_that_stays_for_a_moment_tells_before_it_ends_and_leaves_replies_alone() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::slow(std::time::Duration::from_secs(2));
    let carrier = escalate(&sandbox, "The key is gone.");
    let once = with_topic(&sandbox, &server).run(&["supervise", "--once", "--json"]).success();
    // Told to the server's end: its answer was waited for.
    assert_eq!(server.published(TOPIC).len(), 1, "{}", once.stdout);
    let announced = once.stdout.lines().find(|line| line.contains("\"announced\"")).unwrap();
    assert!(announced.contains(&carrier), "{announced}");
    assert_eq!(server.listened(), [] as [&str; 0]);
}

#[test]
fn whoever_is_told_to_leave_lets_a_notice_come_to_its_end_whatever_led_to_it() {
    for arguments in [["supervise", "--quiet"], ["notify", "--listen"]] {
        let sandbox = Sandbox::with_team();
        let server = NtfyServer::slow(std::time::Duration::from_secs(3));
        let mut staying = Listening::by(&with_topic(&sandbox, &server), &arguments);
        server.wait_for_listener(1);
        // The main thread sleeps by then, and knows nothing of what comes by the topic.
        std::thread::sleep(std::time::Duration::from_secs(2));
        server.say(TOPIC, "msg-zzzz yes");
        eventually("the notice is on its way", || server.tokens().len() == 2);
        let pid = rustix::process::Pid::from_raw(i32::try_from(staying.0.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(staying.0.wait().unwrap().code(), Some(0), "{arguments:?}");
        assert_eq!(server.published(TOPIC).len(), 2, "{arguments:?} left in the middle");
    }
}

#[test]
fn an_agent_neither_supervises_nor_swallows_what_the_operator_should_hear() {
    let sandbox = Sandbox::with_team();
    escalate(&sandbox, "The key is gone.");
    for arguments in [["supervise", "--once"], ["notify", "--due"]] {
        let refused = sandbox.as_agent("kimi").run(&arguments);
        assert_eq!(refused.status, 1, "{}", refused.stdout);
        assert!(refused.stderr.contains("by the operator, not by an agent"), "{}", refused.stderr);
    }
    let server = NtfyServer::start();
    with_topic(&sandbox, &server).run(&["notify", "--due"]).success();
    assert_eq!(server.published(TOPIC).len(), 1, "the operator still hears it");
}

#[test]
fn whoever_may_write_to_the_person_is_announced_and_words_from_outside_answer_it() {
    let sandbox = Sandbox::with_team();
    let server = NtfyServer::start();
    let ask = ["send", "--to", "operator", "--intent", "question", "-m", "Shall we deploy?"];
    let id = sandbox.as_agent("claude").json(&ask)["id"].as_str().unwrap().to_owned();
    let _listening = Listening::start(&sandbox, &server);
    eventually("the push", || !server.published(TOPIC).is_empty());
    let text = server.published(TOPIC)[0]["message"].as_str().unwrap().to_owned();
    assert!(text.contains("Shall we deploy?") && text.contains(&format!("interagent reply {id}")), "{text}");
    server.say(TOPIC, "yes");
    eventually("the answer", || sandbox.json(&["read", &id])["to"][0]["how"] == "replied");
    assert_eq!(told_claude(&sandbox), ["Re: Shall we deploy?"]);
}

#[test]
fn what_reached_nobody_is_told_as_soon_as_there_is_a_way() {
    let sandbox = Sandbox::with_team();
    escalate(&sandbox, "The key is gone.");
    // Neither a terminal to ring in nor a desktop is here.
    assert_eq!(sandbox.run(&["notify", "--due"]).status, 5);
    let server = NtfyServer::start();
    with_topic(&sandbox, &server).run(&["notify", "--due"]).success();
    assert_eq!(server.published(TOPIC).len(), 1);
    with_topic(&sandbox, &server).run(&["notify", "--due"]).success();
    assert_eq!(server.published(TOPIC).len(), 1, "once");
}

#[test]
fn listing_shows_which_channels_work() {
    let sandbox = Sandbox::with_team();
    let programs = sandbox.home().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = programs.display().to_string();
    let run = || sandbox.start().env("PATH", &path);
    let shown = run().run(&["notify"]).success().stdout;
    assert!(shown.contains("desktop  not working: notify-send is not installed\n"), "{shown}");
    let listed = run().json(&["notify"]);
    assert_eq!(
        (&listed["desktop"], &listed["desktop_problem"]),
        (&true.into(), &"notify-send is not installed".into())
    );
    let program = programs.join("notify-send");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let shown = run().run(&["notify"]).success().stdout;
    assert!(shown.contains("desktop  on\n"), "{shown}");
    // A supervisor notifies with its own environment, which has no desktop.
    let _supervisor = Listening::by(&sandbox.start(), &["supervise", "--quiet"]);
    eventually("the supervisor's channels", || {
        run().run(&["notify"]).stdout.contains("not working: the supervisor")
    });
    let shown = run().run(&["notify"]).success().stdout;
    assert!(shown.contains("desktop  not working: the supervisor (process "), "{shown}");
    assert!(shown.contains(") has no notify-send\n"), "{shown}");
}
