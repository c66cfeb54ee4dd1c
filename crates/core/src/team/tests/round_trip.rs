//! Any team survives being written and read; no text makes the reader panic.

use crate::words::Word;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::name::{Label, Name};

fn name() -> impl Strategy<Value = Name> {
    "[a-z]([a-z0-9._-]{0,8}[a-z0-9])?".prop_filter_map("a valid name", |raw| Name::parse(&raw).ok())
}

fn line() -> impl Strategy<Value = String> {
    "[a-zA-Z\"'\\\\#=あé🚀]( ?[ -~あ🚀]){0,20}[a-z\"]"
}

fn words<W: Word + Ord + std::fmt::Debug>() -> impl Strategy<Value = BTreeSet<W>> {
    proptest::collection::btree_set(select(W::ALL), 0..4)
}

prop_compose! {
    fn seat(formation: Formation)(
        profile in "[a-z]{1,5}",
        model in proptest::option::of(line()),
        role in select(formation.roles()),
        workspace in proptest::option::of(line()),
        worktree in proptest::option::of(line()),
        capabilities in proptest::collection::btree_set("[a-z]{1,6}( [a-z]{1,6})?", 0..4),
        paths in proptest::collection::btree_set("[a-z*]{1,6}(/[a-z*\" ]{1,6}[a-z])?", 0..3),
        description in proptest::option::of(line()),
        context_limit in proptest::option::of(0_u32..=100),
    ) -> Seat {
        Seat {
            model, workspace, worktree, paths, context_limit,
            capabilities: capabilities.iter().map(|words| Capability::parse(words).unwrap()).collect(),
            description: description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
            ..Seat::new(Label::parse(&profile).unwrap_or_else(|_| "claude".parse().unwrap()), role)
        }
    }
}

prop_compose! {
    fn rules()(
        flags in any::<[bool; 3]>(), numbers in [1_u32..1000, 1..1000, 1..1000, 1..1000],
        protected_branches in proptest::collection::btree_set("[a-z]{1,6}(/[a-z*]{1,4})?", 0..3),
        branch_pattern in proptest::option::of("[a-z]{1,6}/\\*"),
        guards in words(), commit_guard in select(CommitGuard::ALL), context_limit in 0_u32..=100,
        foreign_operators in select(ForeignOperators::ALL),
    ) -> Rules {
        let ([report_required, review_required, wait_allowed], [max_hops, pair_messages, pair_window_s, flood_messages]) = (flags, numbers);
        Rules {
            report_required, review_required, wait_allowed, max_hops, pair_messages, pair_window_s, flood_messages,
            protected_branches, branch_pattern, guards, commit_guard, context_limit, foreign_operators, may_merge: BTreeSet::new(),
        }
    }
}

prop_compose! {
    fn ladder()(
        steps in [1_u32..1000, 0..1000, 0..1000, 0..1000, 1..1000],
        reset_allowed in any::<bool>(), headless_allowed in any::<bool>(), operator_default in select(OperatorDefault::ALL),
    ) -> Ladder {
        let [wake_s, next, reset, superior, operator_deadline_s] = steps;
        Ladder {
            wake_s, next_channel_s: wake_s + next, reset_s: wake_s + next + reset,
            superior_s: wake_s + next + reset + superior, operator_deadline_s, reset_allowed, headless_allowed, operator_default,
        }
    }
}

prop_compose! {
    fn team()(formation in select(Formation::ALL))(
        project in line(), agents in proptest::collection::btree_map(name(), seat(formation), 0..6),
        leader in any::<prop::sample::Index>(), superior in any::<prop::sample::Index>(),
        track in select(Track::ALL), display in select(DisplayMode::ALL),
        language in select(&["ja", "en", "ja+de"][..]), rules in rules(), ladder in ladder(),
        flags in any::<[bool; 2]>(), ntfy_topic in proptest::option::of("[a-zA-Z0-9_-]{1,20}"),
        formation in Just(formation),
    ) -> TeamConfig {
        let mut team = TeamConfig {
            track, display, agents, rules, ladder, language: language.parse().unwrap(),
            notifications: Notifications { bell: flags[0], desktop: flags[1], ntfy_topic },
            ..TeamConfig::empty(project, formation)
        };
        team.rules.may_merge = formation.roles().iter().copied().take(2).collect();
        let names: Vec<Name> = team.agents.keys().cloned().collect();
        if let (Some(top), false) = (formation.top_role(), names.is_empty()) {
            let leader = leader.get(&names);
            for (name, seat) in &mut team.agents {
                seat.role = match (name == leader, seat.role == top) {
                    (true, _) => top,
                    (false, true) => formation.usual_role(),
                    (false, false) => seat.role,
                };
                // One explicit superior for everybody whose superior would not be clear.
                seat.reports_to = (name != leader && seat.role == Role::Member).then(|| leader.clone());
            }
        } else if !names.is_empty() {
            team.principal = Some(superior.get(&names).clone());
        }
        team.complete(&BTreeSet::new());
        team
    }
}

/// A sound file with one of its pieces removed, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = vec![
        "",
        "\"",
        "'",
        "[",
        "]]",
        "=",
        "\n",
        "\0",
        "agents",
        "kimi.",
        "{",
        "é",
        "\u{202e}",
        "-1",
        "1e9",
        "1979-05-27",
    ];
    let sound = [TeamConfig::usual_duo("demo"), TeamConfig::usual_captain("demo")].map(|team| render(&team));
    let edit = (any::<prop::sample::Index>(), 0_usize..12, select(pieces).prop_map(str::to_owned));
    (select(sound.to_vec()), proptest::collection::vec(edit, 1..4)).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (index, length, piece) in edits {
            let from = index.index(chars.len().max(1)).min(chars.len());
            let to = (from + length).min(chars.len());
            chars.splice(from..to, piece.chars());
        }
        chars.into_iter().collect()
    })
}

fn check_any(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(team) => {
            prop_assert_eq!(team.faults(), []);
            prop_assert_eq!(parse(&render(&team)), Ok(team));
        }
        Err(problems) => {
            prop_assert!(!problems.is_empty());
            let lines = u32::try_from(text.split('\n').count()).unwrap();
            prop_assert!(problems.iter().all(|p| (1..=lines).contains(&p.line) && p.column >= 1));
            prop_assert!(problems.is_sorted_by_key(|p| (p.line, p.column)));
            let shown: String = problems.iter().map(ToString::to_string).collect();
            prop_assert!(!shown.chars().any(|c| c != '\n' && c.is_control()), "{:?}", shown);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn written_and_read_back_is_the_same_team(team in team()) {
        prop_assume!(team.faults().is_empty());
        let text = render(&team);
        prop_assert_eq!(&parse(&text).map_err(|problems| format!("{problems:#?}\n{text}")), &Ok(team.clone()));
        let json = serde_json::to_string(&team).unwrap();
        prop_assert_eq!(serde_json::from_str::<TeamConfig>(&json).unwrap(), team);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}|(.|\n){0,200}|([a-z]{1,5}(\\.| = |\n|\\[|\\]|\"|'|\\{|\\}|,|[0-9]))*") {
        check_any(&text)?;
    }

    #[test]
    fn no_edit_of_a_sound_file_makes_the_reader_panic(text in mutated()) {
        check_any(&text)?;
    }
}

#[test]
fn default_teams_are_sound_and_survive() {
    let peers =
        TeamConfig::peers("p", [Recruit { name: "a.b".parse().unwrap(), profile: "kimi".parse().unwrap() }]);
    for team in [TeamConfig::usual_duo("p"), TeamConfig::usual_captain("p"), peers] {
        assert_eq!(team.faults(), []);
        assert_eq!(parse(&render(&team)), Ok(team));
    }
}

#[test]
fn deep_nesting_is_a_problem_not_a_crash() {
    for open in ["a = [", "a = {b = ", "[a.", "a."] {
        assert!(parse(&open.repeat(20_000)).is_err());
    }
    assert!(parse(&format!("a = {}", "[".repeat(100_000))).is_err());
}
