//! The team file from the outside: text in, team or problems out.

mod problems;
mod round_trip;

use super::*;

fn problems(text: &str) -> String {
    match parse(text) {
        Ok(team) => panic!("accepted: {team:?}"),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[track_caller]
fn accepted(text: &str) -> TeamConfig {
    parse(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn a_small_file_gets_every_default() {
    let team = accepted(
        "project = 'demo'\nprincipal = 'Claude'\n[agents.claude]\nprofile = 'claude'\n[agents.kimi]\nprofile = 'kimi'\n",
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&team).unwrap(), @r#"
    {
      "project": "demo",
      "formation": "duo",
      "principal": "claude",
      "track": "branch",
      "language": "en",
      "display": "silent",
      "agents": {
        "claude": {
          "profile": "claude",
          "role": "principal"
        },
        "kimi": {
          "profile": "kimi",
          "role": "delegate",
          "reports_to": "claude"
        }
      },
      "rules": {
        "report_required": false,
        "review_required": false,
        "max_hops": 20,
        "pair_messages": 30,
        "pair_window_s": 300,
        "flood_messages": 300,
        "wait_allowed": true,
        "may_merge": [
          "principal"
        ],
        "guards": [
          "F006",
          "RACE-001"
        ],
        "commit_guard": "agents",
        "context_limit": 30
      },
      "ladder": {
        "wake_s": 60,
        "next_channel_s": 120,
        "reset_s": 240,
        "reset_allowed": false,
        "superior_s": 480,
        "operator_deadline_s": 3600,
        "operator_default": "wait"
      },
      "notifications": {
        "bell": true,
        "desktop": true
      }
    }
    "#);
}

#[test]
fn words_come_in_any_case_and_with_any_separator() {
    let team = accepted(
        "project = 'x'\nformation = 'Captain'\ntrack = 'WORKTREE'\nlanguage = 'JA+en'\n\
         [agents.boss]\nprofile = 'claude'\nrole = 'CAPTAIN'\n[agents.second]\nprofile = 'codex'\nrole = 'Vice-Captain'\n\
         capabilities = ['Code Review', 'code-review']\n[rules]\nguards = ['f001', 'race_001']\nmay_merge = ['vice captain']\n",
    );
    assert_eq!(team.track, Track::Worktree);
    assert_eq!(team.language, Language::JaAnd("en".to_owned()));
    let second = &team.agents[&"second".parse().unwrap()];
    assert_eq!(second.role, Role::ViceCaptain);
    assert_eq!(second.capabilities.iter().map(Capability::as_str).collect::<Vec<_>>(), ["code_review"]);
    assert_eq!(team.rules.guards, [Guard::F001, Guard::Race001].into());
    assert_eq!(team.rules.may_merge, [Role::ViceCaptain].into());
}

#[test]
fn modes_are_formations() {
    let of = |mode: &str| accepted(&format!("project = 'x'\nmode = '{mode}'\n"));
    assert_eq!(
        (of("hierarchical").formation, of("hierarchical").rules.review_required),
        (Formation::Duo, false)
    );
    assert_eq!((of("review").formation, of("review").rules.review_required), (Formation::Duo, true));
    assert_eq!(of("PEER").formation, Formation::Peers);
    for mode in Mode::ALL {
        assert_eq!(of(mode.as_str()).mode(), Some(*mode));
    }
}

#[test]
fn superiors_follow_from_the_roles() {
    let captain = "project = 'x'\nformation = 'captain'\n[agents.boss]\nprofile = 'a'\nrole = 'captain'\n";
    let member = "[agents.m]\nprofile = 'a'\n";
    let superior = |text: &str, name: &str| {
        let team = accepted(text);
        team.agents[&name.parse().unwrap()].reports_to.as_ref().map(ToString::to_string)
    };
    assert_eq!(superior(&format!("{captain}{member}"), "m").as_deref(), Some("boss"));
    assert_eq!(superior(captain, "boss"), None);
    let with_vice = format!("{captain}{member}[agents.v]\nprofile = 'a'\nrole = 'vice_captain'\n");
    assert_eq!(superior(&with_vice, "m").as_deref(), Some("v"));
    assert_eq!(superior(&with_vice, "v").as_deref(), Some("boss"));
}

#[test]
fn guards_follow_the_formation() {
    let names = ["claude", "kimi"];
    let recruits = || names.map(|n| Recruit { name: n.parse().unwrap(), profile: n.parse().unwrap() });
    for team in [TeamConfig::usual_duo("x"), TeamConfig::peers("x", recruits())] {
        assert_eq!(team.rules.guards, [Guard::F006, Guard::Race001].into());
        assert!(team.rules.protected_branches.is_empty());
    }
    assert_eq!(TeamConfig::usual_captain("x").rules.guards.len(), Guard::ALL.len());
    assert!(!TeamConfig::usual_captain("x").rules.wait_allowed);
}

#[test]
fn the_usual_captain_has_eight_members_under_one_vice_captain() {
    let team = TeamConfig::usual_captain("x");
    assert_eq!(team.faults(), []);
    assert_eq!(team.principal, Some("captain".parse().unwrap()));
    let vice: crate::name::Name = "vice_captain1".parse().unwrap();
    assert_eq!(team.agents[&vice].reports_to, team.principal);
    let members: Vec<_> =
        team.in_role(Role::Member).map(|name| team.agents[name].reports_to.clone()).collect();
    assert_eq!(members, vec![Some(vice); 8]);
}

#[test]
fn members_are_shared_out_among_vice_captains() {
    let profile = "codex".parse().unwrap();
    let team = TeamConfig::captain("x", &profile, 2, 5);
    assert_eq!(team.faults(), []);
    let count = |vice: &str| {
        team.agents
            .values()
            .filter(|seat| seat.reports_to.as_ref().is_some_and(|name| name.as_str() == vice))
            .count()
    };
    assert_eq!((count("vice_captain1"), count("vice_captain2"), count("captain")), (3, 2, 2));
    let kinds = |written: [(&str, u32); 2]| {
        written.map(|(profile, count)| Contingent { profile: profile.parse().unwrap(), count })
    };
    let mixed = TeamConfig::mixed_captain(
        "x",
        &profile,
        &kinds([("claude", 1), ("codex", 1)]),
        &kinds([("kimi", 3), ("claude", 1)]),
    );
    let seats: Vec<String> = mixed
        .agents
        .iter()
        .map(|(name, seat)| {
            format!("{name} {} {:?}", seat.profile, seat.reports_to.as_ref().map(crate::name::Name::as_str))
        })
        .collect();
    insta::assert_snapshot!(seats.join("\n"), @r#"
    captain codex None
    member1 kimi Some("vice_captain1")
    member2 claude Some("vice_captain1")
    member3 kimi Some("vice_captain2")
    member4 kimi Some("vice_captain2")
    vice_captain1 claude Some("captain")
    vice_captain2 codex Some("captain")
    "#);
    assert_eq!(TeamConfig::captain("x", &profile, 0, 0).faults(), []);
    assert!(!TeamConfig::captain("x", &profile, 200, 200).faults().is_empty());
}

#[test]
fn a_rendered_duo_explains_itself() {
    insta::assert_snapshot!(render(&TeamConfig::usual_duo("demo")), @r#"
    # The team of this project: who works in it, and by which rules.
    # A change holds once interagent has taken it into the log.
    project = "demo"

    # duo: a principal decides and approves. peers: equals. captain: a chain of command.
    formation = "duo"
    principal = "claude"

    # How the history gets into git: `branch` (a branch of its own) or `worktree`.
    track = "branch"   # branch, worktree
    # The language of agents' instructions and of what they tell people: ja, en, or Japanese
    # followed by another one: ja+en, ja+de, ...
    language = "en"
    # Whether agents announce finished work in their terminal with a cheerful line.
    display = "silent"   # shout, silent

    # The agents, one table each. `profile` is the client (claude, kimi, codex, ...), `model` what it is
    # started with. It works in the project's directory, in another `workspace`, or in a git `worktree` of
    # its own, which is made when it is missing. `capabilities` and `paths` say which work fits it.

    [agents.claude]
    profile = "claude"
    role = "principal"
    capabilities = ["architecture_design", "code_review", "documentation", "security_analysis", "system_design"]

    [agents.kimi]
    profile = "kimi"
    role = "delegate"
    reports_to = "claude"
    capabilities = ["code_refactoring", "implementation", "performance_optimization", "testing", "tool_use"]

    [rules]
    # Completing a task needs a report; it counts only after a review by another agent.
    report_required = false
    review_required = false
    # Against loops: messages in a row without a human or progress, and from one agent to another
    # within pair_window_s seconds. What is over is held until you release it. Work that nothing
    # comes back for, and what you send yourself, is held only above flood_messages.
    max_hops = 20
    pair_messages = 30
    pair_window_s = 300
    flood_messages = 300
    # Whether an agent may block while it waits for mail; otherwise its turn ends.
    wait_allowed = true
    # Branches that agents may not edit, commit or push to (F006), and the roles that merge into them.
    # protected_branches = ["main"]
    # may_merge = ["principal"]
    # branch_pattern = "task/*"   # how branches of agents are called
    # What is enforced while agents work, out of F001, F003, F004, F005, F006, RACE-001.
    # RACE-001 enforces leases; F006 applies once protected_branches or branch_pattern is set.
    guards = ["F006", "RACE-001"]
    # Whose commits and pushes the git hooks judge (`interagent guard install`).
    commit_guard = "agents"   # agents, everyone
    # Below so many percent of context left an agent's superior is told; 0 for never. An agent's table
    # may have a limit of its own.
    context_limit = 30

    [ladder]
    # What happens with a duty nobody answers: the age in seconds at which each step ends.
    # Wake the agent; wake it another way; reset its context (only if allowed); tell its superior;
    # then ask you, once.
    wake_s = 60
    next_channel_s = 120
    reset_s = 240
    reset_allowed = false
    superior_s = 480
    # Whether an agent that does not run is run once, without a person, to take its mail.
    headless_allowed = false
    # How long you have to answer, and what happens if you do not.
    operator_deadline_s = 3600
    operator_default = "wait"   # wait, reassign, cancel

    [notifications]
    bell = true
    desktop = true
    # ntfy_topic = "TOPIC"   # a push to your phone
    "#);
}

#[test]
fn a_chain_of_command_may_be_deep() {
    let team = accepted(
        "project = 'x'\nformation = 'captain'\n\
         [agents.top]\nprofile = 'claude'\nrole = 'captain'\n\
         [agents.west]\nprofile = 'claude'\nrole = 'vice_captain'\n\
         [agents.north-west]\nprofile = 'codex'\nrole = 'vice_captain'\nreports_to = 'west'\n\
         [agents.ann]\nprofile = 'kimi'\nreports_to = 'north-west'\ncontext_limit = 20\n",
    );
    let [top, west, ann] = ["top", "west", "ann"].map(|name| name.parse::<crate::name::Name>().unwrap());
    assert!(crate::rules::is_above(&team, &top, &ann) && crate::rules::is_above(&team, &west, &ann));
    assert_eq!((team.context_limit(&ann), team.context_limit(&west)), (20, 30));
}

#[test]
fn settings_without_effect_are_named() {
    let mut team = TeamConfig::usual_duo("x");
    assert_eq!(team.without_effect(), [""; 0]);
    assert_eq!(TeamConfig::usual_captain("x").without_effect(), [""; 0]);
    team.rules.protected_branches.insert("main".to_owned());
    assert_eq!(team.without_effect(), [""; 0]);
    team.rules.guards = [Guard::F001].into();
    insta::assert_snapshot!(team.without_effect().join("\n"), @r"
    protected_branches has no effect: add F006 to guards, or remove the line
    F001 has no effect in the formation duo: only a captain's team has superiors who delegate
    ");
}
