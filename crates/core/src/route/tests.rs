//! Who gets what, as a table, and what holds for any team.

use proptest::prelude::*;

use super::*;
use crate::entity::When;
use crate::entity::agent::StatusLine;
use crate::ids::{AgentId, OriginId};
use crate::name::{Label, Name};

fn when() -> When {
    When { at: 1, wall: 1 }
}

fn agent(name: &str) -> Agent {
    let bits = name.bytes().fold(7_u64, |bits, byte| bits.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let (id, name) = (
        AgentId::from_bits(bits),
        if name == "operator" { Name::operator() } else { Name::parse(name).unwrap() },
    );
    Agent::new(id, name, OriginId::from_bits(1), "claude".to_owned(), when())
}

fn candidate(name: &str) -> Candidate {
    Candidate {
        agent: agent(name),
        shown: name.to_owned(),
        home: Home::Here,
        open_tasks: 0,
        presence: Presence::Unknown,
    }
}

/// The usual pair, as the team file seats it.
fn duo() -> (TeamConfig, Vec<Candidate>) {
    let team = TeamConfig::usual_duo("demo");
    let candidates = team
        .agents
        .iter()
        .map(|(name, seat)| {
            let mut candidate = candidate(name.as_str());
            candidate.agent.capabilities = seat.capabilities.iter().map(ToString::to_string).collect();
            candidate
        })
        .collect();
    (team, candidates)
}

fn titled(title: &str) -> Wanted<'_> {
    Wanted { title, ..Wanted::default() }
}

fn chosen(team: Option<&TeamConfig>, from: &str, candidates: &[Candidate], wanted: &Wanted<'_>) -> String {
    let ranking = rank(team, &agent(from), candidates, &aim(candidates, wanted));
    match choose(&ranking) {
        Ok(place) => candidates[place.candidate].shown.clone(),
        Err(refusal) => refusal.code,
    }
}

#[test]
fn the_words_of_a_title_find_who_is_good_at_it() {
    let (team, candidates) = duo();
    let table = [
        ("Implement user auth", "kimi"),
        ("Build the profile page", "kimi"),
        ("Refactor the parser", "kimi"),
        ("Make the search faster", "kimi"),
        ("Write tests for the login", "kimi"),
        ("Plan the API architecture", "claude"),
        ("Design database schema", "claude"),
        ("Review the login change", "claude"),
        ("Write the documentation", "claude"),
        ("Audit the token handling for security", "claude"),
        ("Add a guide for new users", "claude"),
        ("Tool use: run the importer", "kimi"),
        // No word says anything: the one who does not give the task.
        ("Parser", "kimi"),
    ];
    for (title, wanted) in table {
        assert_eq!(chosen(Some(&team), "claude", &candidates, &titled(title)), wanted, "{title}");
    }
}

#[test]
fn what_counts_comes_in_its_order() {
    let with = |name: &str, change: fn(&mut Candidate)| {
        let mut made = candidate(name);
        change(&mut made);
        made
    };
    let owner = with("zoe", |c| {
        c.agent.paths = vec!["src/parser/**".to_owned()];
        c.agent.capabilities = vec!["documentation".to_owned()];
        c.open_tasks = 9;
    });
    let able = with("yan", |c| {
        c.agent.capabilities = vec!["implementation".to_owned()];
        c.open_tasks = 5;
    });
    let free = with("xia", |c| c.agent.capabilities = vec!["testing".to_owned()]);
    let busy = with("adam", |c| {
        c.agent.capabilities = vec!["testing".to_owned()];
        c.open_tasks = 1;
        c.presence = Presence::Idle;
    });
    let there = with("will", |c| {
        c.agent.capabilities = vec!["testing".to_owned()];
        c.presence = Presence::Busy;
    });
    let files = ["src/parser/lexer.rs".to_owned()];
    let everybody = [busy, free, there, able, owner];
    let in_files = Wanted { files: &files, title: "Implement it", ..Wanted::default() };
    let by_word = titled("Implement the lexer in src/parser/lexer.rs, please");
    let table = [
        (&everybody[..], in_files, "zoe"),
        (&everybody[..], by_word, "zoe"),
        (&everybody[..4], titled("Implement it"), "yan"),
        // Load before liveness, liveness before the name.
        (&everybody[..3], titled("Implement it"), "will"),
        (&everybody[..2], titled("Implement it"), "xia"),
        (&everybody[..1], titled("Implement it"), "adam"),
        (&[], titled("Implement it"), "nobody"),
    ];
    for (candidates, wanted, expected) in table {
        assert_eq!(chosen(None, "operator", candidates, &wanted), expected, "{wanted:?}");
    }
}

#[test]
fn what_is_asked_for_must_fit_and_what_is_guessed_need_not() {
    let (team, mut candidates) = duo();
    let asked = Wanted { capability: Some("quantum"), title: "Implement it", ..Wanted::default() };
    assert_eq!(chosen(Some(&team), "claude", &candidates, &asked), "nobody_fits");
    candidates.push(candidate("newcomer"));
    assert_eq!(
        chosen(Some(&team), "claude", &candidates, &asked),
        "newcomer",
        "who says nothing may be good at it"
    );
    let only_kimi: Vec<Candidate> = candidates.drain(..).filter(|c| c.shown == "kimi").collect();
    assert_eq!(chosen(Some(&team), "claude", &only_kimi, &titled("Write the docs")), "kimi");
}

#[test]
fn who_says_it_is_offline_comes_last_among_equals() {
    let mut away = candidate("adam");
    away.agent.status =
        Some(StatusLine { state: AgentState::Offline, text: None, context_left: None, since: when() });
    let mut loaded = candidate("zoe");
    loaded.open_tasks = 4;
    assert_eq!(chosen(None, "operator", &[away, loaded], &titled("x")), "zoe");
}

#[test]
fn people_strangers_and_the_retired_are_never_proposed() {
    let mut foreign = candidate("abroad");
    foreign.home = Home::Elsewhere;
    let mut retired = candidate("gone");
    retired.agent.retired = Some(when());
    let candidates = [candidate("operator"), foreign, retired];
    let ranking = rank(None, &agent("operator"), &candidates, &aim(&candidates, &titled("x")));
    assert_eq!(ranking.places, []);
}

#[test]
fn the_chain_of_command_is_kept() {
    let team = TeamConfig::captain("demo", &Label::parse("claude").unwrap(), 2, 4);
    let candidates: Vec<Candidate> = team.agents.keys().map(|name| candidate(name.as_str())).collect();
    let by = |from: &str| chosen(Some(&team), from, &candidates, &titled("Implement it"));
    assert_eq!(by("captain"), "vice_captain1");
    assert_eq!(by("vice_captain2"), "member3");
    assert_eq!(by("member1"), "chain_of_command");
    let ranking = rank(Some(&team), &agent("member1"), &candidates, &aim(&candidates, &titled("x")));
    assert!(ranking.places.iter().all(|place| place.against.is_some()));
}

#[test]
fn the_choice_is_told_in_one_line_with_its_guesses() {
    let (team, mut candidates) = duo();
    candidates[1].agent.paths = vec!["src/**".to_owned()];
    candidates[1].open_tasks = 2;
    let aim = aim(&candidates, &titled("Implement the login in src/login.rs"));
    let ranking = rank(Some(&team), &agent("claude"), &candidates, &aim);
    let told = sentence(&ranking, choose(&ranking).unwrap(), &candidates);
    insta::assert_snapshot!(told, @"Routed to kimi: it owns src/login.rs, it is good at implementation, it has 2 open tasks, no session of it is known (`src/login.rs` reads like a path) (`implement` reads like implementation).");
}

#[test]
fn words_that_only_look_like_paths_are_none() {
    let mut everything = candidate("kimi");
    everything.agent.paths = vec!["**".to_owned()];
    let guessed = |text: &str| guess(std::iter::once(&everything.agent), &titled(text)).files;
    for nothing in
        ["and/or", "v1.2", "e.g. this", "https://example.org/a/b", "../etc/passwd", "/etc/passwd", "**/*"]
    {
        let expected: &[&str] = if nothing == "and/or" { &["and/or"] } else { &[] };
        assert_eq!(guessed(nothing), expected, "{nothing}");
    }
    assert_eq!(guessed("fix (src/a.rs), README.md."), ["src/a.rs", "README.md"]);
}

#[test]
fn a_description_as_long_as_a_book_is_routed_in_bounded_time() {
    let mut owner = candidate("kimi");
    owner.agent.paths = (0..100).map(|n| format!("src/{}{n}/**", "*a".repeat(20))).collect();
    let long: String = (0..80_000).map(|n| format!("src/{}{n} ", "a".repeat(20))).collect();
    let files: Vec<String> = (0..50).map(|n| format!("src/{}{n}", "a".repeat(1000))).collect();
    let began = std::time::Instant::now();
    let candidates = [owner];
    let by_words = aim(&candidates, &Wanted { description: &long, ..titled("x") });
    let owned = by_words.owned_by(&candidates[0].agent);
    assert_eq!((owned.first().copied(), owned.len()), (Some("src/aaaaaaaaaaaaaaaaaaaa0"), 20));
    let by_files = aim(&candidates, &Wanted { files: &files, ..titled("x") });
    assert_eq!(by_files.owned_by(&candidates[0].agent).len(), 8, "8 KiB of names are compared");
    let far = format!("{}src/aaaaaaaaaaaaaaaaaaaa0", "word ".repeat(2_000));
    assert_eq!(
        aim(&candidates, &Wanted { description: &far, ..titled("x") }),
        aim(&candidates, &titled("x"))
    );
    // A debug build on a busy machine; without the limits it is minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(15), "{:?}", began.elapsed());
}

fn any_candidate() -> impl Strategy<Value = Candidate> {
    let words = prop::sample::subsequence(vec!["implementation", "testing", "documentation"], 0..3);
    let presence = prop::sample::select(vec![Presence::Idle, Presence::Busy, Presence::Unknown]);
    ("[a-f]{1,3}", words, 0_u32..3, presence, any::<bool>()).prop_map(
        |(name, words, open_tasks, presence, here)| {
            let mut made = candidate(&name);
            made.agent.capabilities = words.into_iter().map(ToOwned::to_owned).collect();
            made.home = if here { Home::Here } else { Home::Elsewhere };
            Candidate { open_tasks, presence, ..made }
        },
    )
}

proptest! {
    #[test]
    fn the_order_in_which_they_come_does_not_matter(
        candidates in prop::collection::vec(any_candidate(), 0..6),
        title in "(Implement|Test|Document|Parser) [a-z]{0,5}",
    ) {
        let mut seen = std::collections::BTreeSet::new();
        let candidates: Vec<Candidate> =
            candidates.into_iter().filter(|candidate| seen.insert(candidate.shown.clone())).collect();
        let order = |candidates: &[Candidate]| -> Vec<(String, Vec<String>)> {
            let ranking = rank(None, &agent("operator"), candidates, &aim(candidates, &titled(&title)));
            ranking.places.into_iter().map(|place| (candidates[place.candidate].shown.clone(), place.reasons)).collect()
        };
        let reversed: Vec<Candidate> = candidates.iter().rev().cloned().collect();
        prop_assert_eq!(order(&candidates), order(&reversed));
        prop_assert_eq!(order(&candidates).len(), candidates.iter().filter(|c| c.home == Home::Here).count());
    }
}
