//! Many servers and commands on one hub at once: nothing is lost, nothing comes twice.

use std::collections::BTreeSet;

use interagent_testkit::Sandbox;
use serde_json::json;

use crate::support::agent;

const AGENTS: usize = 8;
const EACH: usize = 4;

#[test]
fn servers_and_commands_lose_nothing_together() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude"]).success();
    let name = |number: usize| format!("worker-{number}");
    let mut clients: Vec<_> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..AGENTS)
            .map(|number| {
                scope.spawn({
                    let sandbox = &sandbox;
                    move || agent(sandbox, &name(number))
                })
            })
            .collect();
        starting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let sent: BTreeSet<String> = std::thread::scope(|scope| {
        let by_servers = clients.iter_mut().enumerate().map(|(number, client)| {
            scope.spawn(move || {
                let mut sent = Vec::new();
                for round in 0..EACH {
                    for other in (0..AGENTS).filter(|other| *other != number) {
                        let arguments =
                            json!({ "to": name(other), "content": format!("{number} to {other}, {round}") });
                        sent.push(client.done("send_message", arguments)["id"].as_str().unwrap().to_owned());
                    }
                }
                sent
            })
        });
        let sandbox = &sandbox;
        let by_commands = (0..AGENTS).map(|number| {
            scope.spawn(move || {
                let send = |round| {
                    let params = json!({ "to": [name(number)], "body": format!("command {round}") });
                    sandbox.json(&["call", "message.send", &params.to_string()])
                };
                (0..EACH).map(|round| send(round)["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
            })
        });
        let threads: Vec<_> = by_servers.chain(by_commands).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sent.len(), AGENTS * (AGENTS - 1) * EACH + AGENTS * EACH);

    let got: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| {
                scope.spawn(move || {
                    let mut got = Vec::new();
                    loop {
                        let inbox = client.done("check_inbox", json!({}));
                        let items = inbox["items"].as_array().unwrap();
                        let new: Vec<_> = items.iter().filter(|mail| mail["body"].is_string()).collect();
                        if new.is_empty() {
                            return got;
                        }
                        got.extend(new.iter().map(|mail| mail["id"].as_str().unwrap().to_owned()));
                    }
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(got.len(), sent.len(), "something came twice or never");
    assert_eq!(got.into_iter().collect::<BTreeSet<_>>(), sent);
    for client in clients {
        assert!(client.leave().success());
    }
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
    sandbox.run(&["doctor"]).success();
}
