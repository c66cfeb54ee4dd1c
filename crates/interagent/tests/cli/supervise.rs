//! The supervisor as a process: a silent agent's matter reaches the operator and comes back, and nothing is lost or done
//! twice when it is killed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Long enough for any machine; nothing is concluded from how long something took.
const PATIENCE: Duration = Duration::from_secs(120);

/// A supervisor that is killed when the test is over.
struct Supervisor(Child);

impl Supervisor {
    fn start(sandbox: &Sandbox) -> Self {
        Self::by(&sandbox.start())
    }

    fn by(run: &Run<'_>) -> Self {
        let mut command = run.command(&["supervise", "--json"]);
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn tell(&self, signal: Signal) {
        kill_process(Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap(), signal).unwrap();
    }

    /// Waits until it has ended, and how.
    fn ended(&mut self) -> Option<i32> {
        eventually("its end", || self.0.try_wait().unwrap()).code()
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks until there is something.
#[track_caller]
fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn ask(sandbox: &Sandbox, from: &str, to: &str, text: &str) -> String {
    let sent = sandbox.as_agent(from).json(&["send", "--to", to, "--intent", "question", "-m", text]);
    sent["id"].as_str().unwrap().to_owned()
}

fn duties(sandbox: &Sandbox, agent: &str) -> Vec<Value> {
    sandbox.json(&["inbox", "--agent", agent])["duties"].as_array().unwrap().clone()
}

fn hook(sandbox: &Sandbox, agent: &str, event: &str, session: &str) -> String {
    let payload = json!({ "session_id": session });
    sandbox.as_agent(agent).stdin(payload.to_string()).run(&["hook", "kimi", event]).success().stdout
}

#[test]
fn a_silent_agent_climbs_the_whole_ladder_and_the_answer_reaches_its_next_prompt() {
    let sandbox = Sandbox::with_impatient_team();
    let asked = ask(&sandbox, "vice", "ann", "Which port?");
    let supervisor = Supervisor::start(&sandbox);
    let duty = eventually("the question to the operator", || duties(&sandbox, "operator").pop());
    let carrier = duty["message"].as_str().unwrap();
    let question = sandbox.json(&["read", carrier]);
    let body = question["body"].as_str().unwrap();
    for part in [
        "ann has not answered",
        &asked,
        "its superior was asked",
        "A reply to this message",
        "it goes on waiting",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let matter = sandbox.json(&["read", &asked]);
    let up: Vec<(&str, bool)> = matter["escalations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["to"]["name"].as_str().unwrap(), e["by_ladder"].as_bool().unwrap()))
        .collect();
    assert_eq!(up, [("vice", true), ("operator", true)]);
    sandbox.run(&["msg", "answer", carrier, "-m", "Take 8080."]).success();
    hook(&sandbox, "ann", "SessionStart", "k1");
    assert!(hook(&sandbox, "ann", "UserPromptSubmit", "k1").contains("Take 8080."));
    assert_eq!(
        (duties(&sandbox, "ann"), duties(&sandbox, "vice"), duties(&sandbox, "operator")),
        (vec![], vec![], vec![])
    );
    supervisor.kill();
    assert!(sandbox.run(&["log", "verify"]).success().stderr.is_empty());
}

#[test]
fn there_is_one_supervisor_for_a_hub_and_it_leaves_when_told() {
    let sandbox = Sandbox::with_impatient_team();
    let mut first = Supervisor::start(&sandbox);
    let pid = i64::from(first.0.id());
    // A second one that comes too early would take the place itself.
    eventually("the first one takes its place", || {
        let said = std::fs::read_to_string(sandbox.hub().join("state/supervisor")).ok()?;
        said.starts_with(&format!("{pid} ")).then_some(())
    });
    let second = sandbox.json(&["supervise", "--once"]);
    assert_eq!(second["supervised_by"], pid, "{second}");
    first.tell(Signal::TERM);
    assert_eq!(first.ended(), Some(0));
    let once = sandbox.run(&["supervise", "--once"]).success();
    assert_eq!(once.stdout, "");
}

/// Whoever waits for entries looks now.
fn wake(state: &Path) {
    for file in std::fs::read_dir(state.join("signal")).unwrap() {
        std::fs::write(file.unwrap().path(), "x").unwrap();
    }
}

/// A client that takes a while.
const SLOW: &str = r#"#!/bin/sh
touch "$HOME/began"
sleep 3
touch "$HOME/ended"
echo '{"type":"result","text":"done"}'
"#;

const SLOW_PROFILE: &str = r#"
name = "slow"
title = "Slow Code"
executable = "EXECUTABLE"
[headless]
arguments = ["{prompt}"]
result = [{ when = { type = "result" }, text = "/text" }]
"#;

#[test]
fn whoever_is_told_to_leave_lets_what_is_under_way_come_to_its_end() {
    let sandbox = Sandbox::new();
    let (client, profiles) =
        (sandbox.home().join("slow-client"), sandbox.home().join(".config/interagent/profiles"));
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(&client, SLOW).unwrap();
    std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(profiles.join("slow.toml"), SLOW_PROFILE.replace("EXECUTABLE", client.to_str().unwrap()))
        .unwrap();
    sandbox.run(&["init"]).success();
    let team = "project = \"demo\"\nformation = \"peers\"\n[agents.slow]\nprofile = \"slow\"\n\
                [ladder]\nwake_s = 1\nheadless_allowed = true\n";
    std::fs::write(sandbox.hub().join("team.toml"), team).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    sandbox.run(&["send", "--to", "slow", "-m", "Begin."]).success();
    let mut supervisor = Supervisor::by(&sandbox.start().env("PATH", "/usr/bin:/bin"));
    eventually("the run", || sandbox.home().join("began").exists().then_some(()));
    supervisor.tell(Signal::INT);
    assert_eq!(supervisor.ended(), Some(0));
    assert!(sandbox.home().join("ended").exists(), "it left in the middle");
}

#[test]
fn a_store_that_is_away_for_a_while_is_waited_for_and_a_hub_that_is_gone_is_not() {
    let sandbox = Sandbox::with_impatient_team();
    let state = sandbox.hub().join("state");
    let (store, away) = (state.join("hub.db"), state.join("hub.db.away"));
    let mut supervisor = Supervisor::start(&sandbox);
    eventually("its place", || (!std::fs::read(state.join("supervisor")).ok()?.is_empty()).then_some(()));
    std::fs::rename(&store, &away).unwrap();
    wake(&state);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(supervisor.0.try_wait().unwrap(), None, "it waits");
    std::fs::rename(&away, &store).unwrap();
    ask(&sandbox, "vice", "ann", "Which port?");
    eventually("the ladder goes on", || duties(&sandbox, "operator").pop());
    assert_eq!(supervisor.0.try_wait().unwrap(), None);
    std::fs::rename(sandbox.hub(), sandbox.hub().with_extension("gone")).unwrap();
    wake(&sandbox.hub().with_extension("gone").join("state"));
    assert_eq!(supervisor.ended(), Some(3));
}

#[test]
fn steps_that_are_due_are_taken_once_and_then_it_ends() {
    let sandbox = Sandbox::with_impatient_team();
    let asked = ask(&sandbox, "vice", "ann", "Which port?");
    let step = || sandbox.run(&["supervise", "--once", "--quiet"]).success();
    eventually("the whole ladder, step by step", || {
        step();
        (!duties(&sandbox, "operator").is_empty()).then_some(())
    });
    (0..3).for_each(|_| drop(step()));
    assert_eq!(sandbox.json(&["read", &asked])["escalations"].as_array().unwrap().len(), 2);
    let trace = sandbox.json(&["log", "trace", "--limit", "50"]).to_string();
    for kind in ["ladder.superior", "ladder.operator"] {
        assert_eq!(trace.matches(&format!("\"{kind}\"")).count(), 1, "{trace}");
    }
}

/// The loop guard holds a pair's messages beyond 30 in ten minutes.
const KILLS_PER_CREW: usize = 25;

/// Adds members to the team, three for each crew: one that stays silent, one that asks and one that answers.
fn add_members(sandbox: &Sandbox, crews: usize) -> Vec<[String; 3]> {
    let crews: Vec<_> = (0..crews)
        .map(|crew| ["silent", "asker", "helper"].map(|member| format!("{member}{crew}")))
        .collect();
    let path = sandbox.hub().join("team.toml");
    let mut team = std::fs::read_to_string(&path).unwrap();
    for member in crews.iter().flatten() {
        team.push_str(&format!("[agents.{member}]\nprofile = \"kimi\"\nrole = \"member\"\n"));
    }
    std::fs::write(path, team).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    crews
}

/// Takes an agent's mail, as much at a time as one answer holds, until none is left.
fn read_all_mail(sandbox: &Sandbox, agent: &str) {
    loop {
        let inbox = sandbox.as_agent(agent).json(&["inbox", "--limit", "1000"]);
        let (unread, taken) = (inbox["unread"].as_u64().unwrap(), inbox["items"].as_array().unwrap().len());
        if unread == taken as u64 {
            return;
        }
        assert!(taken > 0, "{agent} can't get at {unread} messages");
    }
}

#[test]
fn a_supervisor_killed_again_and_again_loses_and_repeats_nothing() {
    let kills: usize =
        if std::env::var_os("INTERAGENT_SOAK").is_some_and(|value| value == "1") { 50 } else { 12 };
    let sandbox = Sandbox::with_impatient_team();
    let crews = add_members(&sandbox, kills.div_ceil(KILLS_PER_CREW));
    let mut chance = 20_261_117_u64;
    // Each question, and whether it is answered.
    let mut sent = Vec::new();
    for kill in 0..kills {
        let supervisor = Supervisor::start(&sandbox);
        let [silent, asker, helper] = &crews[kill / KILLS_PER_CREW];
        sent.push((ask(&sandbox, "vice", silent, &format!("{kill}: which port?")), false));
        let id = ask(&sandbox, asker, helper, &format!("{kill}: which host?"));
        let answered = kill % 2 == 0;
        if answered {
            sandbox.as_agent(helper).run(&["reply", &id, "-m", "this one"]).success();
        }
        sent.push((id, answered));
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(100 + (chance >> 33) % 900));
        supervisor.kill();
    }
    let supervisor = Supervisor::start(&sandbox);
    let is_with_operator = |id: &str| {
        let read = sandbox.json(&["read", id]);
        let up = read["escalations"].as_array().unwrap().clone();
        up.iter().any(|e| e["to"]["name"] == "operator").then_some(())
    };
    for (id, _) in sent.iter().filter(|(_, answered)| !answered) {
        eventually("the end of the ladder", || is_with_operator(id));
    }
    supervisor.kill();
    let mut told: BTreeMap<String, u32> = BTreeMap::new();
    let mut messages: BTreeMap<String, u32> = BTreeMap::new();
    let mut before = None::<i64>;
    loop {
        let place = before.map(|seq| seq.to_string());
        let mut arguments = vec!["log", "--limit", "500"];
        arguments.extend(place.iter().flat_map(|place| ["--before", place.as_str()]));
        let page = sandbox.json(&arguments);
        for entry in page["items"].as_array().unwrap() {
            before = entry["seq"].as_i64();
            for event in entry["events"].as_array().unwrap() {
                let (entity, what) = (event["entity"].as_str().unwrap(), event["what"].as_str().unwrap());
                match event["kind"].as_str().unwrap() {
                    "message.sent" => *messages.entry(entity.to_owned()).or_default() += 1,
                    "message.escalated" => {
                        let to = what.split(" with ").next().unwrap();
                        *told.entry(format!("{entity} {to}")).or_default() += 1;
                    }
                    _ => {}
                }
            }
        }
        if page["items"].as_array().unwrap().len() < 500 {
            break;
        }
    }
    for (id, _) in &sent {
        assert_eq!(messages.get(id), Some(&1), "{id} is in the log once");
    }
    assert!(messages.values().all(|count| *count == 1), "{messages:?}");
    assert!(told.values().all(|count| *count == 1), "nobody is asked twice: {told:?}");
    for agent in crews.iter().flatten().map(String::as_str).chain(["vice"]) {
        read_all_mail(&sandbox, agent);
    }
    for (id, _) in &sent {
        assert_ne!(sandbox.json(&["read", id])["to"][0]["state"], "queued", "{id}");
    }
    sandbox.run(&["log", "verify"]).success();
}
