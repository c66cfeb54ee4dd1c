//! A run without a person with each client: its mail is in the model's request, its last words are the report.

use interagent_agents::Profiles;
use interagent_testkit::clients::{Client, Network, Stage, client, within_own_network};
use serde_json::json;

use crate::team::Team;

/// Runs one client, in a network where only the model is.
pub(crate) fn run(test: &str, name: &str) {
    within_own_network(test, |network| run_once(client(name), &network));
}

fn run_once(client: &'static dyn Client, network: &Network) {
    let team = Team::new(client);
    let stage = Stage::prepared(client, &team.sandbox);
    // As a user has it: with hooks, which must not take the run's mail for delivered before the model has it.
    // Not with OpenCode: with our plugin it does not come to its model in a network without the world.
    if client.name() != "opencode" {
        stage.product().run(&["setup", team.me, "--yes"]);
    }
    let (message, text) = team.send_to_client();
    stage.model().play(Vec::new());
    let answer = stage.product().json(&["run", team.me, "--auto-approve", "--timeout", "75s"]);
    let conversations = stage.model().conversations();
    let asked = conversations.iter().map(|one| format!("{one:?}")).find(|one| one.contains(&text));
    let asked = asked.unwrap_or_else(|| panic!("the model was not asked about `{text}`: {conversations:#?}"));
    assert!(asked.contains(&format!("--- {message} from {}", team.other)), "{asked}");
    let is_briefed = |role: &str| asked.matches(&format!("You are {}{role}", team.me)).count();
    assert_eq!(is_briefed(" (") + is_briefed(", an agent"), 1, "briefed once: {asked}");
    // Who can be handed the instructions of its role has them above the conversation.
    let profile = Profiles::shipped().get(team.me).unwrap();
    let is_instructed =
        conversations.iter().any(|one| one.system.contains(&format!("# You are {}, ", team.me)));
    let takes_them = profile.launch.instructions.is_some()
        || profile.headless.as_ref().is_some_and(|headless| headless.instructions.is_some());
    assert_eq!(is_instructed, takes_them && team.is_seated(), "{asked}");
    assert_eq!((&answer["status"], &answer["delivered"]), (&json!("done"), &json!([message])), "{answer}");
    let delivery = team.sandbox.json(&["read", &message])["to"][0].clone();
    assert_eq!(
        (&delivery["state"], &delivery["via"]),
        (&json!("delivered"), &json!("headless")),
        "{delivery}"
    );
    let result = answer["result"].as_str().unwrap();
    assert!(!result.is_empty(), "{answer}");
    let report = team.sandbox.json(&["read", answer["report"].as_str().unwrap()]);
    let superior = team.sandbox.json(&["agent", "show", team.me])["reports_to"].clone();
    let superior = if superior.is_null() { json!("operator") } else { superior };
    assert_eq!(
        (&report["intent"], &report["to"][0]["agent"]["name"]),
        (&json!("report"), &superior),
        "{report}"
    );
    assert_eq!((&report["from"]["name"], &report["auth"]), (&json!(team.me), &json!("session")), "{report}");
    assert_eq!((&report["subject"], &report["body"]), (&json!("Run done"), &json!(result)), "{report}");
    let tells = profile.headless.is_some_and(|headless| headless.session.is_some());
    assert_eq!(answer["conversation"].is_string(), tells, "{answer}");
    assert_eq!(team.sandbox.json(&["session", "list"])["items"], json!([]));
    stage.record(network);
}
