//! What the hub makes of a caller's facts.

use interagent_core::vocabulary::Auth;
use interagent_store::observe::{PaneOrigin, PaneRow, Process};
use interagent_wire::answer::IdentityView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, CallerProcess};

use super::support::{Team, kimi};

const BOOT: &str = "boot-1";
/// The process that kimi's session was bound to.
const CLIENT: i64 = 7;
const PANE: &str = "%3";

fn process(pid: i64, started: i64, executable: &str) -> CallerProcess {
    CallerProcess { pid, started, executable: executable.into() }
}

/// A caller below these processes.
fn below(processes: &[CallerProcess]) -> Caller {
    let own = process(99, 990, "interagent");
    let processes = std::iter::once(own).chain(processes.iter().cloned()).collect();
    Caller { processes, boot: Some(BOOT.into()), ..Caller::default() }
}

fn shell() -> CallerProcess {
    process(50, 500, "bash")
}

fn who(team: &mut Team, caller: &Caller) -> (String, Option<Auth>) {
    match team.quietly(caller, ask::Whoami {}) {
        Answer::Identity(IdentityView { member, auth, .. }) => {
            (member.map_or_else(|| "nobody".to_owned(), |member| member.name), auth)
        }
        other => panic!("{other:?}"),
    }
}

/// kimi has a live session in a pane; claude has none; two agents are a codex; gemini is nobody.
fn team() -> Team {
    let mut team = Team::duo();
    for name in ["codex-1", "codex-2"] {
        let register =
            ask::AgentRegister { name: name.into(), profile: Some("codex".into()), ..Default::default() };
        team.ok(&Caller::operator(), register);
    }
    team.quietly(
        &kimi(),
        ask::SessionBind {
            session: "s1".into(),
            pid: Some(CLIENT),
            started: Some(70),
            boot: Some(BOOT.into()),
            pane: Some(PANE.into()),
            ..Default::default()
        },
    );
    team
}

#[test]
fn process_of_an_ended_session_is_not_the_operator() {
    let mut team = team();
    let orphan = below(&[shell(), process(CLIENT, 70, "wrapper")]);
    assert_eq!(who(&mut team, &orphan).0, "kimi");
    team.quietly(&Caller::operator(), ask::SessionEnd { session: "s1".into() });
    assert_eq!(who(&mut team, &orphan), ("nobody".to_owned(), None));
    assert_eq!(who(&mut team, &Caller { terminal: true, ..orphan.clone() }), ("nobody".to_owned(), None));
    let refusal = team.refused(&orphan, ask::StatusSet { text: Some("x".into()), ..Default::default() });
    assert_eq!(refusal.code, "unbound");
    let reused = below(&[shell(), process(CLIENT, 71, "wrapper")]);
    assert_eq!(who(&mut team, &reused), ("operator".to_owned(), Some(Auth::Claimed)));
    // A retired agent's session need not have ended.
    team.quietly(
        &kimi(),
        ask::SessionBind {
            session: "s2".into(),
            pid: Some(8),
            started: Some(80),
            boot: Some(BOOT.into()),
            ..Default::default()
        },
    );
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), reason: None });
    assert_eq!(who(&mut team, &below(&[process(8, 80, "wrapper")])), ("nobody".to_owned(), None));
}

#[test]
fn unusable_name_reads_and_does_not_write() {
    let mut team = team();
    let ghost = Caller::agent("ghost");
    team.quietly(&ghost, ask::AgentList::default());
    let refusal = team.refused(&ghost, ask::StatusSet { text: Some("x".into()), ..Default::default() });
    assert_eq!(refusal.code, "no_such_agent");
    assert!(refusal.sentence.contains("ghost"), "{refusal:?}");
    assert_eq!(refusal.hint.as_deref(), Some("interagent agent register ghost"));
}

#[test]
fn new_client_takes_the_preferred_seat() {
    let mut team = Team::duo();
    let register = |name: &str, profile: &str| ask::AgentRegister {
        name: name.into(),
        profile: Some(profile.into()),
        ..Default::default()
    };
    for name in ["claude3", "claude2"] {
        team.ok(&Caller::operator(), register(name, "claude"));
    }
    let claude = Caller { profile: Some("claude".into()), ..below(&[shell()]) };
    let taken_by = |team: &mut Team, agent: &str, pid: i64| {
        team.quietly(
            &Caller::agent(agent),
            ask::SessionBind {
                session: format!("s-{agent}"),
                pid: Some(pid),
                started: Some(pid),
                boot: Some(BOOT.into()),
                ..Default::default()
            },
        );
    };
    assert_eq!(who(&mut team, &claude).0, "claude");
    taken_by(&mut team, "claude", 61);
    assert_eq!(who(&mut team, &claude).0, "nobody", "two seats are equal");
    team.ok(
        &Caller::operator(),
        ask::MessageSend { to: vec!["claude2".into()], body: Some("For you.".into()), ..Default::default() },
    );
    assert_eq!(who(&mut team, &claude).0, "claude2", "the only one with mail");
    // The older Kimi has the executable of the team's kimi.
    let old = Caller { profile: Some("kimi-cli".into()), kin: vec!["kimi".into()], ..below(&[shell()]) };
    assert_eq!(who(&mut team, &old).0, "kimi");
    team.ok(&Caller::operator(), register("old", "kimi-cli"));
    assert_eq!(who(&mut team, &old).0, "old");
    let other = Caller { kin: Vec::new(), profile: Some("goose".into()), ..old };
    assert_eq!(who(&mut team, &other).0, "nobody");
}

#[test]
fn facts_are_judged_against_what_was_bound() {
    let mut team = team();
    let client = process(CLIENT, 70, "kimi");
    let reborn = process(CLIENT, 71, "kimi");
    let of = |profile: &str, caller: Caller| Caller { profile: Some(profile.into()), ..caller };
    let in_pane = |caller: Caller| Caller { pane: Some(PANE.into()), ..caller };
    let at_terminal = |caller: Caller| Caller { terminal: true, ..caller };
    let in_session = |id: &str, caller: Caller| Caller { session: Some(id.into()), ..caller };
    let cases: Vec<(&str, Caller, &str, Option<Auth>)> = vec![
        ("a person", at_terminal(below(&[shell()])), "operator", Some(Auth::Terminal)),
        ("a pipe or a detached process", below(&[]), "operator", Some(Auth::Claimed)),
        (
            "a person in some pane",
            at_terminal(Caller { pane: Some("%9".into()), ..below(&[shell()]) }),
            "operator",
            Some(Auth::Terminal),
        ),
        ("kimi's session", in_session("s1", of("kimi", below(&[]))), "kimi", Some(Auth::Session)),
        ("kimi's shell", of("kimi", below(&[shell(), client.clone()])), "kimi", Some(Auth::Process)),
        (
            "kimi's shell with a terminal",
            at_terminal(in_pane(of("kimi", below(&[shell(), client.clone()])))),
            "kimi",
            Some(Auth::Process),
        ),
        (
            "a process with kimi's number",
            at_terminal(below(std::slice::from_ref(&reborn))),
            "operator",
            Some(Auth::Terminal),
        ),
        (
            "kimi's number after a restart",
            Caller { boot: Some("boot-2".into()), ..at_terminal(below(&[client])) },
            "operator",
            Some(Auth::Terminal),
        ),
        ("kimi's pane", in_pane(Caller::default()), "kimi", Some(Auth::Pane)),
        ("what kimi let go in its pane", in_pane(below(&[])), "kimi", Some(Auth::Pane)),
        (
            "a person in the shell that kimi left",
            at_terminal(in_pane(below(&[shell()]))),
            "operator",
            Some(Auth::Terminal),
        ),
        (
            "codex in the pane that kimi left",
            at_terminal(in_pane(of("codex", below(&[shell()])))),
            "nobody",
            None,
        ),
        (
            "a second kimi in a pane of that name on another server",
            in_pane(of("kimi", Caller { client: Some(8), ..below(&[process(8, 80, "kimi")]) })),
            "nobody",
            None,
        ),
        ("a second kimi", of("kimi", below(&[shell()])), "nobody", None),
        (
            "claude, the only one without a session",
            of("claude", at_terminal(below(&[shell()]))),
            "claude",
            Some(Auth::Process),
        ),
        ("one of two codexes", of("codex", below(&[shell()])), "nobody", None),
        ("a gemini that nobody registered", of("gemini", at_terminal(below(&[shell()]))), "nobody", None),
        ("a session that nobody bound", in_session("s9", at_terminal(below(&[shell()]))), "nobody", None),
        ("a name that no agent has", at_terminal(Caller::agent("ghost")), "nobody", None),
        ("an unreadable chain", Caller { chain_unreadable: true, ..Caller::default() }, "nobody", None),
        (
            "an unreadable chain at a terminal",
            at_terminal(Caller { chain_unreadable: true, ..Caller::default() }),
            "operator",
            Some(Auth::Terminal),
        ),
    ];
    for (what, caller, name, auth) in cases {
        assert_eq!(who(&mut team, &caller), (name.to_owned(), auth), "{what}");
    }
}

#[test]
fn a_pane_names_who_lives_in_it_on_its_own_server() {
    let mut team = team();
    let at = |pane: &str, socket: &str| Caller {
        pane: Some(pane.into()),
        socket: Some(socket.into()),
        ..Caller::default()
    };
    assert_eq!(who(&mut team, &at(PANE, "/run/a")).0, "kimi", "which server it is was never told");
    let agent = team.hub.crew().unwrap().rows.into_iter().find(|row| row.agent.name.as_str() == "kimi");
    let noted = PaneRow {
        agent: agent.unwrap().agent.id,
        socket: "/run/a".to_owned(),
        pane: PANE.to_owned(),
        process: Process { pid: CLIENT, started: 70, boot: BOOT.to_owned() },
        origin: PaneOrigin::Launched,
        profile: "kimi".to_owned(),
        tty: None,
        since: 0,
        auto_approve: false,
        model: None,
    };
    team.hub.note_pane(&noted).unwrap();
    assert_eq!(who(&mut team, &at(PANE, "/run/a")).0, "kimi");
    assert_eq!(who(&mut team, &at(PANE, "/run/b")).0, "operator", "another server's pane of that name");
    let of_before = ask::SessionBind {
        session: "s2".into(),
        agent: Some("codex-1".into()),
        pid: Some(8),
        started: Some(80),
        boot: Some("boot-0".into()),
        pane: Some("%4".into()),
        ..Default::default()
    };
    team.quietly(&Caller::operator(), of_before);
    assert_eq!(who(&mut team, &at("%4", "/run/a")).0, "operator", "its client is gone");
}

#[test]
fn a_name_that_contradicts_what_was_bound_is_refused() {
    let mut team = team();
    let client = process(CLIENT, 70, "kimi");
    let named = |name: &str, caller: Caller| Caller { agent: Some(name.into()), ..caller };
    let refused = |team: &mut Team, caller: Caller| team.refused(&caller, ask::Whoami {}).code;
    assert_eq!(refused(&mut team, named("claude", below(std::slice::from_ref(&client)))), "not_you");
    assert_eq!(refused(&mut team, named("operator", below(std::slice::from_ref(&client)))), "not_you");
    let agents_client = Caller { profile: Some("gemini".into()), ..below(&[shell()]) };
    assert_eq!(refused(&mut team, named("operator", agents_client)), "not_you");
    assert_eq!(who(&mut team, &named("KIMI", below(&[client]))).0, "kimi");
    assert_eq!(who(&mut team, &named("codex-2", below(&[shell()]))), ("codex-2".into(), Some(Auth::Claimed)));
}

#[test]
fn who_takes_up_a_retired_name_is_what_its_client_is() {
    let mut team = Team::duo();
    let profile = |team: &mut Team, caller: &Caller| match team
        .ok(caller, ask::AgentRegister { name: "zed".into(), ..Default::default() })
    {
        Answer::Agent(agent) => agent.profile,
        other => panic!("{other:?}"),
    };
    let retire = ask::AgentRetire { agent: "zed".into(), reason: None };
    team.register("zed", "codex");
    team.ok(&Caller::operator(), retire.clone());
    assert_eq!(profile(&mut team, &Caller::operator()), "codex", "nothing else is known");
    team.ok(&Caller::operator(), retire);
    let gemini = Caller { agent: Some("zed".into()), profile: Some("gemini".into()), ..below(&[shell()]) };
    assert_eq!(profile(&mut team, &gemini), "gemini", "what is seen counts before what was");
}
