//! Random lines and random calls: each is answered once, none ends the connection, and nothing that was said to be done
//! is lost. `INTERAGENT_FUZZ_SEED` repeats a run; `INTERAGENT_SOAK` makes it ten minutes long, with a new seed each time.

mod generate;
mod judge;

use std::collections::VecDeque;
use std::fs::File;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::json;

use crate::support::client_of_its_own;
use generate::Generator;
use judge::Judge;

const USUAL_SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// One connection takes so many lines; then it must leave as if nothing had happened.
const LINES_A_CONNECTION: usize = 1_500;
/// Requests without an answer at once; more than the server works on at a time.
const UNANSWERED: usize = 80;
/// The lines shown when the test fails.
const LINES_SHOWN: usize = 20;

/// What is needed to see a failure again, told when one happens.
struct Story {
    seed: u64,
    last: VecDeque<String>,
}

impl Story {
    fn begin() -> Self {
        let soaks = std::env::var_os("INTERAGENT_SOAK").is_some();
        let seed = match std::env::var("INTERAGENT_FUZZ_SEED") {
            Ok(given) => given.parse().unwrap(),
            Err(_) if soaks => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos().into(),
            Err(_) => USUAL_SEED,
        };
        Self { seed, last: VecDeque::new() }
    }

    fn sent(&mut self, line: &[u8]) {
        if self.last.len() == LINES_SHOWN {
            self.last.pop_front();
        }
        let shown = &line[..line.len().min(300)];
        self.last.push_back(shown.escape_ascii().to_string());
    }
}

impl Drop for Story {
    #[expect(clippy::print_stderr, reason = "the test runner shows it beside the failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("again with INTERAGENT_FUZZ_SEED={}; the last lines were", self.seed);
            self.last.iter().for_each(|line| eprintln!("  {line}"));
        }
    }
}

fn time() -> Duration {
    match std::env::var_os("INTERAGENT_SOAK") {
        Some(_) => Duration::from_secs(600),
        None => Duration::from_secs(30),
    }
}

#[test]
fn random_input_is_answered_and_loses_nothing() {
    let sandbox = Sandbox::with_team();
    let mut story = Story::begin();
    let mut generator = Generator::new(story.seed, &sandbox.project().display().to_string());
    let mut judge = Judge::default();
    let until = Instant::now() + time();
    let mut lines = 0;
    while Instant::now() < until {
        lines += one_connection(&sandbox, &mut story, &mut generator, &mut judge, until);
    }
    assert!(lines > 200, "only {lines} lines in {:?}", time());
    judge.nothing_is_lost(&sandbox);
    sandbox.run(&["doctor"]).success();
}

/// Shakes hands, sends lines, and leaves once everything was answered. Gives the number of lines.
fn one_connection(
    sandbox: &Sandbox,
    story: &mut Story,
    generator: &mut Generator,
    judge: &mut Judge,
    until: Instant,
) -> usize {
    let complaints = sandbox.home().join("stderr");
    let mut command = client_of_its_own(&sandbox.start());
    command.stderr(File::create(&complaints).unwrap());
    let mut client = McpClient::connect(command, "fuzz");
    client.done("register_agent", json!({ "name": "target", "description": "tests" }));
    generator.learn(&client.request("tools/list", json!({}))["result"]["tools"]);

    let mut lines = 0;
    while lines < LINES_A_CONNECTION && Instant::now() < until {
        lines += 1;
        let line = generator.line();
        story.sent(&line);
        judge.sent(&line);
        // A stream has no lines: they arrive in pieces.
        let (first, second) = line.split_at(generator.below(line.len()));
        client.raw(first);
        client.raw(second);
        while let Some(message) = client.next(Duration::ZERO) {
            generator.learn_ids(&message);
            judge.got(&message);
        }
        while judge.unanswered() > UNANSWERED {
            wait_for_one(&mut client, judge);
        }
    }
    while judge.unanswered() > 0 {
        wait_for_one(&mut client, judge);
    }
    // It is still there, and what was left over has had its chance once this is answered.
    let last = json!({ "jsonrpc": "2.0", "id": "the end", "method": "ping" });
    judge.sent(last.to_string().as_bytes());
    client.send(&last);
    while judge.unanswered() > 0 {
        wait_for_one(&mut client, judge);
    }
    client.hang_up();
    while let Some(message) = client.next(Duration::from_secs(20)) {
        judge.got(&message);
    }
    assert!(client.ended(Duration::from_secs(20)).success(), "it did not leave in peace");
    judge.connection_is_over();
    let complaints = std::fs::read_to_string(&complaints).unwrap();
    assert_eq!(complaints, "", "a server says nothing but the protocol, and panics never");
    lines
}

#[track_caller]
fn wait_for_one(client: &mut McpClient, judge: &mut Judge) {
    match client.next(Duration::from_secs(30)) {
        Some(message) => judge.got(&message),
        None => panic!("no answer came to {}", judge.missing()),
    }
}
