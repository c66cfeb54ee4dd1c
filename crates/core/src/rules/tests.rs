//! The chain of command as a table: everybody to everybody, and where each refusal leads.

use proptest::prelude::*;

use super::*;
use crate::entity::When;
use crate::entity::agent::HUMAN_PROFILE;
use crate::ids::{AgentId, OriginId};
use crate::name::Label;
use crate::team::Seat;
use crate::vocabulary::Intent;

fn agent(name: &str, bits: u64) -> Agent {
    let (id, home) = (AgentId::from_bits(bits), OriginId::from_bits(1));
    let (name, profile) = match name {
        "operator" => (Name::operator(), HUMAN_PROFILE),
        name => (Name::parse(name).unwrap(), "claude"),
    };
    Agent::new(id, name, home, profile.to_owned(), WHEN)
}

const WHEN: When = When { at: 0, wall: 0 };

/// Everybody with a seat, the operator, and an agent without a seat.
fn everybody(team: &TeamConfig) -> Vec<Agent> {
    let seated = team.agents.keys().map(Name::as_str);
    let all = ["operator"].into_iter().chain(seated).chain(["guest"]);
    all.zip(1..).map(|(name, bits)| agent(name, bits)).collect()
}

/// Two squads, one of which has a squad of its own.
fn fleet() -> TeamConfig {
    let profile: Label = "claude".parse().unwrap();
    let mut team = TeamConfig::captain("x", &profile, 2, 3);
    for (name, role, up) in
        [("vice_captain3", Role::ViceCaptain, "vice_captain2"), ("member4", Role::Member, "vice_captain3")]
    {
        let seat = Seat { reports_to: Some(up.parse().unwrap()), ..Seat::new(profile.clone(), role) };
        team.agents.insert(name.parse().unwrap(), seat);
    }
    assert_eq!(team.faults(), []);
    team
}

/// What may be done, one letter each: write, give work, control, judge.
fn cell(team: &TeamConfig, from: &Agent, to: &Agent) -> String {
    let team = Some(team);
    let allowed = [
        ('w', may_message(team, from, to, Intent::Message).is_ok()),
        ('d', may_message(team, from, to, Intent::Delegation).is_ok()),
        ('a', may_assign(team, from, to).is_ok()),
        ('c', may_message(team, from, to, Intent::Control).is_ok()),
        ('j', may_judge(team, from, to, &ForeignNames::default()).is_ok()),
    ];
    allowed.into_iter().map(|(letter, is_allowed)| if is_allowed { letter } else { '.' }).collect()
}

#[test]
fn who_may_do_what_to_whom_in_a_chain_of_command() {
    let team = fleet();
    let all = everybody(&team);
    let mut table = format!("{:14}", "");
    for to in &all {
        table.push_str(&format!(" {:13}", to.name.as_str()));
    }
    for from in &all {
        table.push_str(&format!("\n{:14}", from.name.as_str()));
        for to in &all {
            table.push_str(&format!(" {:13}", cell(&team, from, to)));
        }
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(table.join("\n"), @"
                   operator      captain       member1       member2       member3       member4       vice_captain1 vice_captain2 vice_captain3 guest
    operator       wdacj         wdacj         wdacj         wdacj         wdacj         wdacj         wdacj         wdacj         wdacj         wdacj
    captain        wd...         .....         ...cj         ...cj         ...cj         ...cj         wdacj         wdacj         ...cj         w....
    member1        .....         .....         wd...         w....         .....         .....         w....         .....         .....         w....
    member2        .....         .....         w....         wd...         .....         .....         w....         .....         .....         w....
    member3        .....         .....         .....         .....         wd...         .....         .....         w....         w....         w....
    member4        .....         .....         .....         .....         .....         wd...         .....         .....         w....         w....
    vice_captain1  .....         .....         wdacj         wdacj         .....         .....         wd...         w....         .....         w....
    vice_captain2  .....         .....         .....         .....         wdacj         ...cj         w....         wd...         wdacj         w....
    vice_captain3  .....         .....         .....         .....         w....         wdacj         .....         w....         wd...         w....
    guest          wd...         .....         .....         .....         .....         .....         .....         .....         .....         wd...
    ");
}

/// Every refusal, once for each sentence and way out, with names in place of who they are to each other.
#[test]
fn every_refusal_of_the_chain_names_the_way() {
    let team = fleet();
    let all = everybody(&team);
    let mut told = String::new();
    let pairs = [
        ("member1", "operator", Intent::Message),
        ("vice_captain1", "operator", Intent::Question),
        ("member1", "captain", Intent::Report),
        ("vice_captain1", "captain", Intent::Question),
        ("captain", "member1", Intent::Message),
        ("captain", "member4", Intent::Message),
        ("member1", "member3", Intent::Question),
        ("vice_captain1", "member3", Intent::Question),
        ("member1", "member2", Intent::Delegation),
        ("member1", "vice_captain1", Intent::Delegation),
        ("captain", "member4", Intent::Delegation),
        ("vice_captain1", "vice_captain2", Intent::Delegation),
        ("vice_captain1", "member3", Intent::Delegation),
        ("vice_captain1", "captain", Intent::Delegation),
        ("member1", "member2", Intent::Control),
        ("member1", "captain", Intent::Control),
        ("vice_captain1", "member3", Intent::Control),
        ("guest", "member1", Intent::Message),
        ("guest", "captain", Intent::Message),
    ];
    for (from, to, intent) in pairs {
        let [from, to] = [from, to].map(|name| all.iter().find(|agent| agent.name.as_str() == name).unwrap());
        let refusal = may_message(Some(&team), from, to, intent).unwrap_err();
        let (code, sentence, hint) = (refusal.code, refusal.sentence, refusal.hint.unwrap());
        told.push_str(&format!("{} -> {} ({intent}): {code}: {sentence}\n    {hint}\n", from.name, to.name));
    }
    insta::assert_snapshot!(told, @"
    member1 -> operator (message): chain_of_command: member1 does not write to the operator: matters go up the chain
        write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    vice_captain1 -> operator (question): chain_of_command: vice_captain1 does not write to the operator: matters go up the chain
        say it on the dashboard, where captain looks: interagent status set waiting TEXT
    member1 -> captain (report): chain_of_command: no mail goes to captain: it would interrupt the operator's typing
        write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    vice_captain1 -> captain (question): chain_of_command: no mail goes to captain: it would interrupt the operator's typing
        say it on the dashboard, where captain looks: interagent status set waiting TEXT
    captain -> member1 (message): chain_of_command: captain may not write to member1: the chain of command goes one step at a time
        write to vice_captain1, who leads member1: interagent send --to vice_captain1 -m TEXT
    captain -> member4 (message): chain_of_command: captain may not write to member4: the chain of command goes one step at a time
        write to vice_captain2, who leads member4: interagent send --to vice_captain2 -m TEXT
    member1 -> member3 (question): chain_of_command: member1 may not write to member3: the chain of command goes one step at a time
        write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    vice_captain1 -> member3 (question): chain_of_command: vice_captain1 may not write to member3: the chain of command goes one step at a time
        write to vice_captain2, who leads member3: interagent send --to vice_captain2 -m TEXT
    member1 -> member2 (delegation): chain_of_command: member1 may not assign work to member2
        vice_captain1 assigns work to member2; ask: interagent send --to vice_captain1 --intent question -m TEXT
    member1 -> vice_captain1 (delegation): chain_of_command: member1 may not assign work to vice_captain1
        captain assigns work to vice_captain1; write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    captain -> member4 (delegation): chain_of_command: captain may not assign work to member4
        give it to vice_captain2, who leads member4: interagent delegate --to vice_captain2 --task TEXT
    vice_captain1 -> vice_captain2 (delegation): chain_of_command: vice_captain1 may not assign work to vice_captain2
        captain assigns work to vice_captain2; say it on the dashboard, where captain looks: interagent status set waiting TEXT
    vice_captain1 -> member3 (delegation): chain_of_command: vice_captain1 may not assign work to member3
        vice_captain2 assigns work to member3; ask: interagent send --to vice_captain2 --intent question -m TEXT
    vice_captain1 -> captain (delegation): chain_of_command: vice_captain1 may not assign work to captain
        the operator assigns work to captain; say it on the dashboard, where captain looks: interagent status set waiting TEXT
    member1 -> member2 (control): control_needs_superior: only the superior of member2 or the operator may control it
        ask vice_captain1: interagent send --to vice_captain1 --intent question -m TEXT
    member1 -> captain (control): control_needs_superior: only the superior of captain or the operator may control it
        write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    vice_captain1 -> member3 (control): control_needs_superior: only the superior of member3 or the operator may control it
        ask vice_captain2: interagent send --to vice_captain2 --intent question -m TEXT
    guest -> member1 (message): chain_of_command: guest may not write to member1: the chain of command goes one step at a time
        you have no seat in this team; ask for one: interagent send --to operator -m TEXT
    guest -> captain (message): chain_of_command: no mail goes to captain: it would interrupt the operator's typing
        you have no seat in this team; ask for one: interagent send --to operator -m TEXT
    ");
}

#[test]
fn a_matter_goes_up_one_step_and_past_a_captain_to_the_operator() {
    let team = fleet();
    let goes = |name: &str| escalates_to(Some(&team), &name.parse().unwrap()).map(ToString::to_string);
    assert_eq!(goes("member1").as_deref(), Some("vice_captain1"));
    assert_eq!(goes("vice_captain3").as_deref(), Some("vice_captain2"));
    assert_eq!((goes("vice_captain1"), goes("captain")), (None, None));
    assert_eq!(escalates_to(Some(&TeamConfig::usual_duo("x")), &"kimi".parse().unwrap()), None);
}

/// A chain of any shape: every agent after the captain reports to one before it.
fn any_fleet() -> impl Strategy<Value = TeamConfig> {
    proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..12).prop_map(|seats| {
        let profile: Label = "claude".parse().unwrap();
        let mut team = TeamConfig::captain("x", &profile, 0, 0);
        let mut names: Vec<Name> = vec!["captain".parse().unwrap()];
        for (number, (up, leads)) in seats.into_iter().enumerate() {
            let role = if leads { Role::ViceCaptain } else { Role::Member };
            let seat = Seat { reports_to: Some(up.get(&names).clone()), ..Seat::new(profile.clone(), role) };
            let name: Name = format!("agent{number}").parse().unwrap();
            team.agents.insert(name.clone(), seat);
            names.push(name);
        }
        team
    })
}

proptest! {
    /// Who follows a refusal is not refused again.
    #[test]
    fn the_way_out_is_always_open(team in any_fleet()) {
        let all = everybody(&team);
        for from in &all {
            for to in &all {
                for intent in [Intent::Message, Intent::Question, Intent::Report, Intent::Delegation, Intent::Control] {
                    let Err(refusal) = may_message(Some(&team), from, to, intent) else { continue };
                    let hint = refusal.hint.unwrap();
                    let Some((before, rest)) = hint.split_once(" --to ") else {
                        // These work for everybody, whatever they have to do: no task, no mail, no right is needed.
                        let is_open = hint.contains("interagent status set waiting") || hint.contains("end your turn");
                        prop_assert!(is_open, "{hint}");
                        continue;
                    };
                    let named = rest.split_whitespace().next().unwrap();
                    let meant = all.iter().find(|agent| agent.name.as_str() == named).unwrap();
                    let then = if before.ends_with("delegate") { Intent::Delegation } else { Intent::Question };
                    let next = may_message(Some(&team), from, meant, then);
                    prop_assert!(next.is_ok(), "{} -> {}: {hint}: {next:?}", from.name, to.name);
                }
            }
        }
    }

    /// What others may do, and the operator alone, can be asked for by everybody.
    #[test]
    fn the_way_to_ask_is_always_open(team in any_fleet()) {
        let all = everybody(&team);
        let agents: Vec<&Agent> = all.iter().filter(|agent| !agent.is_human()).collect();
        for from in &agents {
            let none = ForeignNames::default();
            let mut ways = vec![operator_runs(Some(&team), from, "interagent up")];
            for worker in &agents {
                ways.extend(may_judge(Some(&team), from, worker, &none).err().and_then(|refusal| refusal.hint));
                let directed = agents.iter().map(|giver| may_direct(Some(&team), from, Some(giver), Some(worker), &none));
                ways.extend(directed.filter_map(|directed| directed.err()?.hint));
            }
            for way in ways {
                let Some((_, rest)) = way.split_once(" --to ") else {
                    let is_open = ["interagent status set waiting", "end your turn"].iter().any(|one| way.contains(one));
                    prop_assert!(is_open, "{}: {way}", from.name);
                    continue;
                };
                let named = rest.split_whitespace().next().unwrap();
                let meant = all.iter().find(|agent| agent.name.as_str() == named).unwrap();
                prop_assert!(may_message(Some(&team), from, meant, Intent::Message).is_ok(), "{}: {way}", from.name);
            }
        }
    }

    /// Nothing reaches a captain but from a person.
    #[test]
    fn nobody_but_a_person_writes_to_a_captain(team in any_fleet()) {
        let all = everybody(&team);
        let captain = all.iter().find(|agent| agent.name.as_str() == "captain").unwrap();
        for from in all.iter().filter(|agent| !agent.is_human()) {
            prop_assert!(may_message(Some(&team), from, captain, Intent::Report).is_err());
            prop_assert!(may_assign(Some(&team), from, captain).is_err());
        }
    }
}
