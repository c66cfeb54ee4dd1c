//! A captain's team of real clients in tmux, brought up by one command: the operator says one sentence, and the order goes down,
//! the work comes back up and stands on the dashboard, while nobody types anything.

mod loops;
mod script;
mod stage;

use std::time::Instant;

use interagent_testkit::clients::{Network, within_own_network};

use crate::team::nonce;
use script::Script;
use stage::{Crew, World};

/// How often whoever supervises is killed while the order is carried out, and in all where there is time.
const KILLS: u32 = 5;
const KILLS_SOAK: u32 = 50;

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude codex kimi"]
fn claude_and_codex_and_kimi() {
    within_own_network("captain::claude_and_codex_and_kimi", |network| {
        an_order_goes_down_and_comes_back(&network);
    });
}

fn an_order_goes_down_and_comes_back(network: &Network) {
    let began = Instant::now();
    let world = World::with_codex();
    let codex = world.codex.as_ref().unwrap();
    let script = Script::new();
    script.give(world.claude.model(), world.kimi.model(), codex.model());
    let crew = Crew::up(&world);
    crew.trouble(KILLS);

    crew.say("captain", &script.wish);
    crew.until("the order is reported", || crew.task("order")["status"] == "completed");
    crew.until("everything arrived", || crew.undelivered().is_empty());

    // Who had no way to be woken was woken by a line in its terminal; the others by themselves.
    let (kimi, claude) = (world.kimi.model(), world.claude.model());
    assert!(kimi.conversations().iter().any(|told| told.tells(&script.first_part)), "the member never heard");
    for text in [&script.wish, &script.order, &script.second_part] {
        assert!(claude.conversations().iter().any(|told| told.tells(text)), "`{text}` was told to nobody");
    }
    for part in ["first", "second", "third"] {
        assert_eq!(crew.task(part)["status"], "approved", "{part}");
    }
    members_are_connected_where_they_run(&crew, &world, &script);
    crew.assert_delivered_once();
    crew.assert_nobody_mailed("captain", &script.wish);
    crew.assert_operator_said_only(&script.wish);

    let dashboard = crew.dashboard();
    for text in [&script.order, &script.first_done, &script.second_done, &script.third_done, "cut-the-log"] {
        assert!(dashboard.contains(text), "no `{text}` on the dashboard:\n{dashboard}");
    }
    crew.picture("team-captain", &crew.attached("captain"), "The order is given");
    crew.picture("team-members", &crew.attached("member1"), "Thank you.");
    crew.picture("team-ps", "interagent ps", "the supervisor is process");
    a_supervisor_killed_again_and_again_loses_and_repeats_nothing(&crew, &world);
    a_person_in_the_middle_of_a_line_is_not_disturbed(&crew, &world);
    who_was_killed_is_itself_again(&crew, &world);
    silence_climbs_to_the_person_and_the_answer_comes_back(&crew, &world);

    crew.down();
    for stage in [&world.claude, &world.kimi, codex] {
        stage.was_used(began.elapsed());
        stage.record_as("captain", network, &serde_json::Value::Null);
    }
}

/// Each member works in a worktree of its own. Its first request has our tools, its role and its briefing, and the guard answers
/// its first tool call.
fn members_are_connected_where_they_run(crew: &Crew<'_>, world: &World, script: &Script) {
    let (kimi, claude) = (world.kimi.model(), world.claude.model());
    let codex = world.codex.as_ref().unwrap().model();
    for (member, model, part) in [
        ("member1", kimi, &script.first_part),
        ("member2", claude, &script.second_part),
        ("member3", codex, &script.third_part),
    ] {
        let briefing = format!("You are {member} (member)");
        let all: Vec<_> = model
            .conversations()
            .into_iter()
            .filter(|told| told.tells(&briefing) && told.tells(part))
            .collect();
        let first = all.first().unwrap_or_else(|| panic!("{member} was not briefed"));
        let ours =
            first.tools.iter().filter(|tool| tool.full_name().starts_with("mcp__interagent__")).count();
        assert!(ours >= 20, "{member} has {ours} of our tools");
        let role = format!("# You are {member}, ");
        assert!(
            first.system.contains(&role) || first.tells(&role),
            "{member} does not know its role: {first:#?}"
        );
        let refused = all.iter().any(|told| told.results().iter().any(|result| result.contains("F004")));
        assert!(refused, "no guard answers {member}: {:#?}", all.last().map(|told| told.results()));
    }
    crew.assert_connected(&["member1", "member2", "member3"]);
}

/// Whoever supervised was killed at random since the order was given. Soaking, it goes on until that happened often enough.
fn a_supervisor_killed_again_and_again_loses_and_repeats_nothing(crew: &Crew<'_>, world: &World) {
    let soak = std::env::var_os("INTERAGENT_SOAK").is_some_and(|value| value == "1");
    if soak {
        crew.trouble(KILLS_SOAK - (KILLS - crew.trouble_left()));
        while crew.trouble_left() > 0 {
            let news = nonce("traffic");
            crew.say("member1", &news);
            crew.say("member2", &news);
            let told = || {
                let models = [world.kimi.model(), world.claude.model()];
                models.iter().all(|model| model.conversations().iter().any(|asked| asked.tells(&news)))
            };
            crew.until("both have it", told);
        }
        crew.until("everything arrived", || crew.undelivered().is_empty());
        crew.assert_delivered_once();
    }
    crew.trouble(0);
}

/// Kimi Code can only be told in its terminal. While a person types there nothing is, and afterwards it is.
fn a_person_in_the_middle_of_a_line_is_not_disturbed(crew: &Crew<'_>, world: &World) {
    let (typed, news) = ("what I was about to", nonce("news"));
    crew.types("member1", typed);
    crew.say("member1", &news);
    crew.until("the line is put off", || crew.has_traced("nudge.put_off"));
    assert!(crew.screen("member1").contains(typed), "{}", crew.screen("member1"));
    let kimi = world.kimi.model();
    assert!(!kimi.conversations().iter().any(|told| told.tells(&news) || told.tells(typed)));
    crew.takes_back("member1", typed);
    crew.until("the line is typed", || kimi.conversations().iter().any(|told| told.tells(&news)));
    assert!(
        !kimi.conversations().iter().any(|told| told.tells(typed)),
        "what the person typed was submitted"
    );
}

/// A client that was killed is dead until it is started anew, and then the same agent with its duties.
fn who_was_killed_is_itself_again(crew: &Crew<'_>, world: &World) {
    let news = nonce("after");
    crew.kill("member1");
    crew.until("it is dead", || crew.life("member1") == "dead");
    crew.say("member1", &news);
    crew.restart("member1");
    let kimi = world.kimi.model();
    crew.until("it has its mail", || kimi.conversations().iter().any(|told| told.tells(&news)));
    let told = kimi.conversations().into_iter().find(|told| told.tells(&news)).unwrap();
    assert!(told.tells("You are member1 (member)"), "it was not briefed: {told:#?}");
}

/// What nobody answers goes to the superior, then to the person by a push, whose reply is in the agent's next request.
fn silence_climbs_to_the_person_and_the_answer_comes_back(crew: &Crew<'_>, world: &World) {
    let (question, answer) = (nonce("question"), nonce("answer"));
    crew.hurry_the_ladder();
    let id = crew.asks("vice_captain1", "member2", &question);
    crew.until("the person is told", || !world.pleas().is_empty());
    assert_eq!(world.pleas().len(), 1, "announced once: {:#?}", world.pleas());
    world.replies(&answer);
    let claude = world.claude.model();
    crew.until("the answer comes back", || claude.conversations().iter().any(|told| told.tells(&answer)));
    assert_eq!(crew.message(&id)["to"][0]["how"], "answered", "the question is open still");
}
