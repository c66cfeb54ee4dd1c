//! A run without a person, with a client that is a script: what it gets, what is recorded, and that nothing is left.

mod start;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::{Output, Run};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Says what `$FAKE` wants. What it was started with is in `seen`, the processes that should not stay are in `pids`.
const CLIENT: &str = r#"#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done > "$HOME/seen"
echo '{"type":"init","session":"conversation-1"}'
case "$FAKE" in
ok)
    "$PROGRAM" whoami --json > "$HOME/whoami"
    echo '{"type":"tool","name":"Bash"}'
    echo '{"type":"say","text":"I read it."}'
    echo '{"type":"result","text":"All done."}' ;;
huge)
    printf '{"type":"result","text":"'
    head -c 1300000 /dev/zero | tr '\0' x
    echo 'the end"}' ;;
silent) ;;
mute)
    echo $$ > "$HOME/pids"
    while :; do sleep 1; done ;;
early) echo "no credit left" >&2; exit 3 ;;
refused) echo '{"type":"error","text":"the model is not there"}' ;;
long)
    head -c 1100000 /dev/zero | tr '\0' x; echo
    echo '{"type":"result","text":"after the long line"}' ;;
hang)
    trap '' TERM
    echo $$ > "$HOME/pids"
    sleep 300 & echo $! >> "$HOME/pids"
    setsid sh -c 'trap "" TERM; echo $$ >> "$HOME/pids"; sleep 300; sleep 300' &
    echo '{"type":"say","text":"I begin."}'
    while :; do sleep 1; done ;;
behind)
    setsid sh -c 'echo $$ > "$HOME/pids"; sleep 300' &
    while ! test -s "$HOME/pids"; do sleep 0.1; done
    echo '{"type":"result","text":"I left something behind."}' ;;
esac
"#;

const PROFILE: &str = r#"
name = "fake"
title = "Fake Code"
executable = "EXECUTABLE"
[headless]
arguments = ["--go", "{prompt}"]
resume = ["--again", "{session}", "{prompt}"]
auto_approve = ["--yes"]
session = "/session"
progress = [{ when = { type = "say" }, text = "/text" }, { when = { type = "tool" }, tool = "/name" }]
result = [{ when = { type = "result" }, text = "/text" }]
failure = [{ when = { type = "error" }, text = "/text" }]
"#;

/// A duo in which `fake` is the third.
struct World {
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        Self::in_team(&["init"])
    }

    fn in_team(init: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        let home = sandbox.home();
        let client = home.join("fake-client");
        std::fs::write(&client, CLIENT).unwrap();
        std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
        let world = Self { sandbox };
        world.write_profile(&PROFILE.replace("EXECUTABLE", client.to_str().unwrap()));
        world.sandbox.run(init).success();
        world
    }

    fn write_profile(&self, text: &str) {
        let profiles = self.sandbox.home().join(".config/interagent/profiles");
        std::fs::create_dir_all(&profiles).unwrap();
        std::fs::write(profiles.join("fake.toml"), text).unwrap();
    }

    fn with_fake() -> Self {
        let world = Self::new();
        world.sandbox.run(&["agent", "register", "fake", "--profile", "fake"]).success();
        world
    }

    fn prepared(&self, what: &str) -> Run<'_> {
        let program = self.sandbox.start().command(&[]).get_program().to_str().unwrap().to_owned();
        self.sandbox.start().env("PATH", "/usr/bin:/bin").env("FAKE", what).env("PROGRAM", &program)
    }

    fn run(&self, what: &str, more: &[&str]) -> Output {
        self.prepared(what).run(&[&["run", "fake"], more].concat())
    }

    fn send(&self, body: &str) -> String {
        let sent = self.sandbox.as_agent("claude").json(&["send", "--to", "fake", "-m", body]);
        sent["id"].as_str().unwrap().to_owned()
    }

    fn seen(&self) -> String {
        std::fs::read_to_string(self.sandbox.home().join("seen")).unwrap()
    }

    fn delivery(&self, message: &str) -> Value {
        self.sandbox.json(&["read", message])["to"][0].clone()
    }

    /// The report in the operator's inbox: subject and body.
    fn report(&self) -> (String, String) {
        let inbox = self.sandbox.json(&["inbox", "--bodies"]);
        let mail = inbox["items"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&mail["intent"], &mail["from"]["name"]), (&json!("report"), &json!("fake")), "{inbox}");
        (mail["subject"].as_str().unwrap().to_owned(), mail["body"].as_str().unwrap().to_owned())
    }

    fn assert_nobody_is_bound(&self) {
        assert_eq!(self.sandbox.json(&["session", "list"])["items"], json!([]));
    }

    /// The processes that the client noted, once there are so many.
    fn pids(&self, count: usize) -> Vec<i32> {
        let file = self.sandbox.home().join("pids");
        let read = || -> Vec<i32> {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            text.lines().filter_map(|line| line.trim().parse().ok()).collect()
        };
        wait_until("the client has started its processes", || read().len() >= count);
        read()
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process runs. One that ended and was not noticed by its parent does not.
fn runs(pid: i32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_run_brings_the_mail_and_leaves_a_report() {
    let world = World::with_fake();
    let message = world.send("Which port?");
    let output = world.run("ok", &["--prompt", "Answer claude."]).success();
    assert_eq!(output.stdout, "All done.\n");
    assert!(
        output.stderr.contains("fake: done in ") && output.stderr.contains("(1 message delivered)"),
        "{}",
        output.stderr
    );
    assert!(world.seen().contains("The operator asks you:\nAnswer claude."), "{}", world.seen());
    // Progress is for a terminal.
    assert!(!output.stderr.contains("Bash"), "{}", output.stderr);
    let seen = world.seen();
    assert!(seen.starts_with("--go\n"), "{seen}");
    for wanted in ["fake", &format!("--- {message} from claude (auth "), "Which port?", "Answer claude."] {
        assert!(seen.contains(wanted), "{wanted}: {seen}");
    }
    let delivery = world.delivery(&message);
    assert_eq!((&delivery["state"], &delivery["via"]), (&json!("delivered"), &json!("headless")));
    assert_eq!(world.report(), ("Run done".to_owned(), "All done.".to_owned()));
    // What the client starts is the agent, in the session of the run.
    let whoami: Value =
        serde_json::from_str(&std::fs::read_to_string(world.sandbox.home().join("whoami")).unwrap()).unwrap();
    assert_eq!(
        (&whoami["answer"]["member"]["name"], &whoami["answer"]["auth"]),
        (&json!("fake"), &json!("session")),
        "{whoami}"
    );
    world.assert_nobody_is_bound();
}

#[test]
fn programs_get_the_whole_result_and_a_later_run_goes_on() {
    let world = World::with_fake();
    let message = world.send("hello");
    let answer = world.prepared("ok").json(&["run", "fake", "--auto-approve"]);
    assert_eq!(
        (&answer["status"], &answer["result"], &answer["conversation"], &answer["exit_code"]),
        (&json!("done"), &json!("All done."), &json!("conversation-1"), &json!(0))
    );
    assert_eq!(answer["delivered"], json!([message]));
    assert!(world.seen().ends_with("\n--yes\n"), "{}", world.seen());
    world.run("ok", &["--resume", "--prompt", "Go on."]).success();
    assert!(world.seen().starts_with("--again\nconversation-1\n"), "{}", world.seen());
}

#[test]
fn a_client_that_fails_before_it_asked_the_model_delivers_nothing() {
    let world = World::with_fake();
    let message = world.send("hello");
    for (what, subject, body) in [
        ("early", "Run failed: exit code 3", "no credit left"),
        ("refused", "Run failed: the client says so", "the model is not there"),
    ] {
        let output = world.run(what, &[]);
        assert_eq!(output.status, 1, "{output:?}");
        assert!(output.stderr.contains(body), "{}", output.stderr);
        assert_eq!(world.delivery(&message)["state"], "queued");
        assert_eq!(world.report(), (subject.to_owned(), body.to_owned()));
        world.assert_nobody_is_bound();
    }
    // The same message comes again, and it is known how often it was tried.
    world.run("ok", &[]).success();
    let delivery = world.delivery(&message);
    assert_eq!((&delivery["state"], &delivery["redelivered"]), (&json!("delivered"), &json!(2)));
}

#[test]
fn a_run_that_can_not_begin_says_why_and_binds_nobody() {
    let world = World::with_fake();
    let refused = |output: Output, code: i32, words: &str| {
        assert_eq!(output.status, code, "{output:?}");
        assert!(output.stderr.contains(words), "{}", output.stderr);
        world.assert_nobody_is_bound();
    };
    refused(world.run("ok", &[]), 1, "nothing waits for fake");
    refused(world.run("ok", &["--resume", "--prompt", "x"]), 3, "no earlier run of fake");
    refused(world.prepared("ok").run(&["run", "operator", "--prompt", "x"]), 1, "a person is not run");
    refused(world.prepared("ok").run(&["run", "nobody", "--prompt", "x"]), 3, "nobody");
    refused(world.prepared("ok").run(&["run", "kimi", "--prompt", "x"]), 3, "Kimi Code is not installed");
    world.sandbox.run(&["agent", "register", "plain", "--profile", "generic"]).success();
    refused(
        world.prepared("ok").run(&["run", "plain", "--prompt", "x"]),
        1,
        "no way to run without a person",
    );
    world.write_profile(&PROFILE.replace("EXECUTABLE", "/bin/sh").replace("\"--go\"", "\"/nowhere\""));
    let output = world.run("ok", &["--prompt", "x"]);
    assert_eq!(output.status, 1, "{output:?}");
    world.assert_nobody_is_bound();
}

#[test]
fn an_agent_at_work_is_not_run_beside_itself() {
    let world = World::with_fake();
    let me = std::process::id().to_string();
    let started = stat_start(std::process::id());
    let bind = |session: &str, pid: &str, started: &str| {
        world
            .sandbox
            .run(&["session", "bind", session, "--agent", "fake", "--pid", pid, "--started", started])
            .success();
    };
    bind("here", &me, &started);
    let output = world.run("ok", &["--prompt", "x"]);
    assert_eq!(output.status, 4, "{output:?}");
    assert!(output.stderr.contains(&format!("process {me}")), "{}", output.stderr);
    for wanted in ["interagent session end", "interagent send --to fake"] {
        assert!(output.stderr.contains(wanted), "{}", output.stderr);
    }
    assert!(!output.stderr.contains("--join"), "{}", output.stderr);
    world.sandbox.run(&["session", "end", "here"]).success();
    // One whose process is gone is no reason.
    bind("gone", &me, "1");
    world.run("ok", &["--prompt", "x"]).success();
    world.assert_nobody_is_bound();
}

fn stat_start(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    rest.split(' ').nth(19).unwrap().to_owned()
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let world = World::with_fake();
    let output = world.run("long", &["--prompt", "x"]).success();
    assert_eq!(output.stdout, "after the long line\n");
}

#[test]
fn a_result_that_is_too_long_is_cut_and_that_is_said() {
    let world = World::with_fake();
    let answer = world.prepared("huge").json(&["run", "fake", "--prompt", "x"]);
    assert_eq!((&answer["status"], &answer["cut"]), (&json!("done"), &json!(true)));
    let (subject, body) = world.report();
    assert_eq!(subject, "Run done");
    assert!(body.starts_with("[cut: the client said more") && body.contains("xxxx"), "{body:.200}");
}

#[test]
fn a_client_that_says_nothing_is_done_and_said_nothing() {
    let world = World::with_fake();
    let output = world.run("silent", &["--prompt", "x"]).success();
    assert!(output.stderr.contains(" s, and said nothing"), "{}", output.stderr);
    assert_eq!(world.report().0, "Run done, and said nothing");
}

/// What a run says counts as the operator's words, and it may act without asking.
#[test]
fn an_agent_runs_nobody() {
    let world = World::with_fake();
    for agent in ["fake", "claude"] {
        let run = world.sandbox.as_agent(agent).env("PATH", "/usr/bin:/bin").env("FAKE", "ok");
        let output = run.run(&["run", "fake", "--auto-approve", "--prompt", "I allow you everything"]);
        assert_eq!(output.status, 1, "{output:?}");
        assert!(output.stderr.contains("by the operator, not by an agent"), "{}", output.stderr);
        assert!(!world.sandbox.home().join("seen").exists());
    }
}

#[test]
fn a_broken_profile_is_named_and_not_replaced() {
    let world = World::with_fake();
    world.write_profile("name = \"fake\"\ncolour = 1\n");
    let output = world.run("ok", &["--prompt", "x"]);
    assert_eq!(output.status, 1, "{output:?}");
    let wanted = "fake.toml is no profile: line 2, column 1: unknown field `colour`";
    assert!(output.stderr.contains(wanted) && !output.stderr.contains('␊'), "{}", output.stderr);
    std::fs::remove_file(world.sandbox.home().join(".config/interagent/profiles/fake.toml")).unwrap();
    let output = world.run("ok", &["--prompt", "x"]);
    assert!(output.status == 3 && output.stderr.contains("there is no profile `fake`"), "{output:?}");
}

#[test]
fn a_change_that_a_message_points_at_is_in_the_prompt() {
    let world = World::with_fake();
    let project = world.sandbox.project();
    let git = |arguments: &[&str]| {
        let status =
            std::process::Command::new("git").args(arguments).current_dir(&project).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    std::fs::write(project.join("a.txt"), "before\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "a.txt"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
    std::fs::write(project.join("a.txt"), "the changed line\n").unwrap();
    let run = world.sandbox.as_agent("claude");
    run.run(&["send", "--to", "fake", "-m", "Look.", "--diff"]).success();
    world.run("ok", &[]).success();
    assert!(world.seen().contains("+the changed line"), "{}", world.seen());
}

#[test]
fn a_run_that_takes_too_long_is_ended_with_all_it_started() {
    let world = World::with_fake();
    let message = world.send("hello");
    let output = world.run("hang", &["--timeout", "2s"]);
    assert_eq!(output.status, 1, "{output:?}");
    assert!(world.pids(3).iter().all(|pid| !runs(*pid)), "{:?}", world.pids(3));
    assert_eq!(world.report().0, "Run timeout: ended after 2 s");
    // The model was asked, so the message arrived.
    assert_eq!(world.delivery(&message)["state"], "delivered");
    world.assert_nobody_is_bound();
}

#[test]
fn what_a_client_left_behind_ends_with_the_run() {
    let world = World::with_fake();
    world.run("behind", &["--prompt", "x"]).success();
    assert!(world.pids(1).iter().all(|pid| !runs(*pid)));
}

#[test]
fn whoever_stops_a_run_stops_everything() {
    for stop in [Signal::INT, Signal::TERM, Signal::KILL] {
        let world = World::with_fake();
        let mut command = world.prepared("hang").command(&["run", "fake", "--prompt", "x"]);
        let mut run =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pids = world.pids(3);
        assert!(pids.iter().all(|pid| runs(*pid)), "{pids:?}");
        let bound = world.sandbox.json(&["session", "list"])["items"][0]["pid"].as_i64().unwrap();
        signal(&run, stop);
        let status = run.wait().unwrap();
        wait_until("everything has ended", || pids.iter().all(|pid| !runs(*pid)));
        if stop == Signal::KILL {
            // Nobody was left to end the session; whoever looks sees that it is over.
            wait_until("the keeper has ended", || !runs(i32::try_from(bound).unwrap()));
            world.assert_nobody_is_bound();
            world.run("ok", &["--prompt", "x"]).success();
        } else {
            assert_eq!(status.code(), Some(1));
            assert_eq!(world.report().0, "Run failed: cancelled");
        }
        world.assert_nobody_is_bound();
    }
}

#[test]
fn what_a_killed_run_was_offered_goes_back_into_the_queue_at_once() {
    let world = World::with_fake();
    let message = world.send("hello");
    let mut command = world.prepared("mute").command(&["run", "fake"]);
    let mut run = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let client = world.pids(1)[0];
    let keeper = world.sandbox.json(&["session", "list"])["items"][0]["pid"].as_i64().unwrap();
    assert_eq!(world.delivery(&message)["offered"], true);
    signal(&run, Signal::KILL);
    run.wait().unwrap();
    wait_until("everything has ended", || !runs(client) && !runs(i32::try_from(keeper).unwrap()));
    world.assert_nobody_is_bound();
    let inbox = world.sandbox.as_agent("fake").json(&["inbox"]);
    assert_eq!(inbox["items"][0]["id"], message.as_str(), "{inbox}");
}

/// The report may wake an idle superior: that is no process of the client.
#[test]
fn the_wake_of_its_report_outlives_the_run() {
    let world = World::new();
    let home = world.sandbox.home();
    let waker = home.join("waker");
    std::fs::write(&waker, "#!/bin/sh\nsleep 1\ntouch \"$HOME/woken\"\n").unwrap();
    std::fs::set_permissions(&waker, std::fs::Permissions::from_mode(0o755)).unwrap();
    let profiles = home.join(".config/interagent/profiles");
    let claude = r#"
        name = "claude"
        title = "Fake Claude"
        executable = "WAKER"
        [hooks]
        format = "json"
        into = ["hooks", "{event}"]
        element = { command = "{binary}", args = ["{arguments}"] }
        events = [{ name = "Stop", means = "turn_end" }]
        [wake]
        way = "command"
        command = ["{executable}", "{session}"]
    "#;
    std::fs::write(profiles.join("claude.toml"), claude.replace("WAKER", waker.to_str().unwrap())).unwrap();
    let client = PROFILE.replace("EXECUTABLE", home.join("fake-client").to_str().unwrap());
    world.write_profile(&client.replace("\"fake\"", "\"kimi\""));
    let stop = world.sandbox.as_agent("claude").stdin(json!({ "session_id": "c1" }).to_string());
    stop.run(&["hook", "claude", "Stop"]).success();
    assert_eq!(world.sandbox.json(&["session", "list"])["items"][0]["id"], "c1");
    let output = world.prepared("ok").run(&["run", "kimi", "--prompt", "x"]).success();
    assert!(output.stderr.contains("to claude"), "{}", output.stderr);
    wait_until("claude was woken", || home.join("woken").exists());
}

#[test]
fn where_no_mail_goes_up_the_report_stands_on_the_board() {
    let world = World::in_team(&["init", "--formation", "captain"]);
    let team = world.sandbox.json(&["agent", "list"]);
    let vice =
        team["items"].as_array().unwrap().iter().find(|agent| agent["role"] == "vice_captain").unwrap();
    let vice = vice["name"].as_str().unwrap();
    // The agent of the team file is a kind of client of its own; here it is the script.
    let profile =
        team["items"].as_array().unwrap().iter().find(|agent| agent["name"] == vice).unwrap()["profile"]
            .clone();
    let client = world.sandbox.home().join("fake-client");
    let text = PROFILE.replace("EXECUTABLE", client.to_str().unwrap());
    world.write_profile(&text.replace("\"fake\"", &profile.to_string()));
    let output = world.prepared("ok").run(&["run", vice, "--prompt", "x"]).success();
    assert!(output.stderr.contains("the report stands on the board"), "{}", output.stderr);
    let shown = world.sandbox.json(&["agent", "show", vice]);
    assert_eq!(shown["status"]["text"], "Run done: All done.");
}
