//! Who the caller is, with real processes around the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use interagent_testkit::Sandbox;

/// A program of this name that runs what it is given, as an agent's shell tool does.
fn client(sandbox: &Sandbox, name: &str) -> Command {
    let path = sandbox.home().join(name);
    fs::write(&path, "#!/bin/sh\n\"$@\"\nexit $?\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    Command::new(path)
}

fn who(mut command: Command) -> String {
    let output = command.output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = &document["answer"];
    format!("{} {}", answer["member"]["name"].as_str().unwrap_or("nobody"), answer["auth"])
}

const WHOAMI: &[&str] = &["whoami", "--json"];

#[test]
fn a_command_of_an_agents_shell_is_that_agent() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "coder", "--profile", "codex"]).success();
    let below_client = |name: &str, variables: &[(&str, &str)]| {
        let mut command = sandbox.start().below(client(&sandbox, name), WHOAMI);
        command.envs(variables.iter().copied());
        who(command)
    };
    assert_eq!(below_client("codex", &[]), r#"coder "process""#, "it sets no variable at all");
    assert_eq!(below_client("kimi", &[]), r#"kimi "process""#);
    assert_eq!(
        below_client("codex", &[("CLAUDECODE", "1")]),
        r#"coder "process""#,
        "started by claude's shell"
    );
    assert_eq!(
        below_client("my-editor", &[("CLAUDE_PROJECT_DIR", "/p")]).split(' ').next(),
        Some("operator")
    );
    assert_eq!(below_client("gemini", &[]), "nobody null", "nobody registered one");
}

#[test]
fn agent_keeps_hub_outside_project() {
    let sandbox = Sandbox::with_team();
    let elsewhere = sandbox.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let shell = sandbox.home().join("kimi");
    fs::write(&shell, "#!/bin/sh\nsh -c 'cd \"$0\" && \"$@\"' \"$ELSEWHERE\" \"$@\"\nexit $?\n").unwrap();
    fs::set_permissions(&shell, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = sandbox.start().below(Command::new(shell), WHOAMI);
    command.env("ELSEWHERE", &elsewhere);
    assert_eq!(who(command), r#"kimi "process""#);
    assert!(!sandbox.home().join(".interagent").exists());
}

#[test]
fn a_detached_process_without_a_mark_is_not_proven_to_be_a_person() {
    let sandbox = Sandbox::with_team();
    let mut detached = Command::new("setsid");
    detached.arg("--wait");
    assert_eq!(who(sandbox.start().below(detached, WHOAMI)), r#"operator "claimed""#);
}

#[test]
fn a_person_at_a_terminal_is_proven_by_it() {
    let sandbox = Sandbox::with_team();
    let (status, shown) = sandbox.start().at_a_terminal(&["whoami"]);
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("a person at a terminal"), "{shown}");
}

#[test]
fn a_process_of_an_agent_without_a_mark_says_nothing_in_the_operators_name() {
    let sandbox = Sandbox::with_team();
    let bind = format!("{} session bind s-1 --agent kimi --pid $$ && \"$@\"", program(&sandbox).display());
    let mut unmarked = Command::new("sh");
    unmarked.args(["-c", &bind, "sh"]);
    let done = sandbox.start().below(unmarked, &["say", "claude", "Stop."]).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("the operator's word, and you are an agent"), "{said}");
    let operators: [&[&str]; 5] = [
        &["sync"],
        &["setup", "claude", "--yes"],
        &["export", "--format", "md"],
        &["guard", "install"],
        &["doctor", "--canary"],
    ];
    for command in operators {
        let mut unmarked = Command::new("sh");
        unmarked.args(["-c", &bind, "sh"]);
        let done = sandbox.start().below(unmarked, command).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

fn program(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.start().command(&[]).get_program().into()
}

/// The text a client's session gets when it starts.
fn starts(sandbox: &Sandbox, profile: &str, session: &str) -> String {
    let payload = format!(r#"{{"session_id":"{session}","source":"startup"}}"#);
    sandbox.start().stdin(payload).run(&["hook", profile, "SessionStart"]).success().stdout
}

#[test]
fn ordinary_session_takes_the_seat_named_after_its_client() {
    let sandbox = Sandbox::with_team();
    for name in ["claude2", "claude3"] {
        sandbox.run(&["agent", "register", name, "--profile", "claude"]).success();
    }
    assert_eq!(who(sandbox.start().below(client(&sandbox, "claude"), WHOAMI)), r#"claude "process""#);
    let first = starts(&sandbox, "claude", "s1");
    assert!(first.contains("You are claude (principal)"), "{first}");
    let second = starts(&sandbox, "claude", "s2");
    assert!(!second.contains("You are"), "{second}");
    sandbox.run(&["send", "--to", "claude3", "-m", "hello"]).success();
    let third = starts(&sandbox, "claude", "s3");
    assert!(third.contains("You are claude3"), "{third}");
}

/// Runs a script inside a program of this name, which stays the same process throughout. `hook EVENT JSON` sends a hook of the
/// client, `run ...` is a command in its shell.
fn inside_client(sandbox: &Sandbox, name: &str, script: &str) -> String {
    let path = sandbox.home().join(name);
    let head = "#!/bin/sh\nprogram=$1\nrun() { \"$program\" \"$@\"; }\n";
    let hook = format!("hook() {{ printf '%s' \"$2\" | \"$program\" hook {name} \"$1\"; }}\n");
    fs::write(&path, format!("{head}{hook}{script}\n")).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let output = sandbox.start().below(Command::new(path), &[]).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn resumed_session_stays_the_agent_it_was() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "claude2", "--profile", "claude"]).success();
    assert!(starts(&sandbox, "claude", "s1").contains("You are claude ("));
    let second = inside_client(
        &sandbox,
        "claude",
        r#"hook SessionStart '{"session_id":"s2","source":"startup"}'
        hook SessionEnd '{"session_id":"s2"}'; hook SessionEnd '{"session_id":"s1"}'"#,
    );
    assert!(second.contains("You are claude2"), "{second}");
    sandbox.run(&["send", "--to", "claude2", "-m", "for the second"]).success();
    let resumed = inside_client(
        &sandbox,
        "claude",
        r#"hook SessionStart '{"session_id":"s2","source":"resume"}'
        hook UserPromptSubmit '{"session_id":"s2","prompt":"hi"}'
        run whoami"#,
    );
    assert!(resumed.contains("You are claude2") && resumed.contains("for the second"), "{resumed}");
    assert!(resumed.contains("claude2 ("), "{resumed}");
}

#[test]
fn resumed_session_takes_no_other_seat() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "claude2", "--profile", "claude"]).success();
    starts(&sandbox, "claude", "s1");
    inside_client(&sandbox, "claude", r#"hook SessionStart '{"session_id":"s2","source":"startup"}'"#);
    sandbox.run(&["session", "end", "s2"]).success();
    sandbox.run(&["session", "end", "s1"]).success();
    sandbox.run(&["session", "bind", "s3", "--agent", "claude2"]).success();
    let resumed =
        inside_client(&sandbox, "claude", r#"hook SessionStart '{"session_id":"s2","source":"resume"}'"#);
    assert!(resumed.contains("this conversation belongs to claude2, whose seat is not free"), "{resumed}");
}

#[test]
fn cleared_session_stays_the_agent_it_was() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "claude2", "--profile", "claude"]).success();
    assert!(starts(&sandbox, "claude", "s1").contains("You are claude ("));
    let cleared = inside_client(
        &sandbox,
        "claude",
        r#"hook SessionStart '{"session_id":"s2","source":"startup"}' >/dev/null
        hook SessionEnd '{"session_id":"s1"}'; hook SessionEnd '{"session_id":"s2","reason":"clear"}'
        hook SessionStart '{"session_id":"s3","source":"clear"}'"#,
    );
    assert!(cleared.contains("You are claude2"), "{cleared}");
}

#[test]
fn session_takes_a_free_seat_by_naming_it() {
    let sandbox = Sandbox::with_team();
    for name in ["alpha", "beta"] {
        sandbox.run(&["agent", "register", name, "--profile", "gemini"]).success();
    }
    let joined = inside_client(
        &sandbox,
        "gemini",
        r#"hook SessionStart '{"session_id":"g1","source":"startup"}'
        run send --to claude -m hello; run session bind g1 --agent kimi
        run agent register alpha; run whoami"#,
    );
    assert!(joined.contains("several agents match: alpha, beta"), "{joined}");
    assert!(joined.contains("hint: interagent agent register NAME\n"), "{joined}");
    assert!(joined.contains("kimi is a kimi, and this client is a gemini"), "{joined}");
    assert!(joined.contains("alpha ("), "{joined}");
}

#[test]
fn registered_session_outranks_an_unusable_variable() {
    let sandbox = Sandbox::with_team();
    let joined = inside_client(
        &sandbox,
        "gemini",
        r#"export INTERAGENT_AGENT=ghost
        hook SessionStart '{"session_id":"g1","source":"startup"}'
        run send --to claude -m hello
        run agent register ada; run send --to claude -m hello"#,
    );
    assert!(joined.contains("error: INTERAGENT_AGENT can't be used: there is no agent ghost"), "{joined}");
    assert!(joined.contains("hint: interagent agent register ghost\n"), "{joined}");
    assert!(joined.contains("sent msg-") && joined.contains("registered ada"), "{joined}");
}

#[test]
fn python_kimi_takes_the_seat_of_its_executable() {
    let sandbox = Sandbox::with_team();
    let command = sandbox.start().below(client(&sandbox, "kimi-cli"), WHOAMI);
    assert_eq!(who(command), r#"kimi "process""#);
    let output = sandbox.start().below(client(&sandbox, "kimi-cli"), &["status", "set", "working"]).output();
    assert!(output.unwrap().status.success());
}

#[test]
fn evidence_of_an_agent_is_never_the_operator() {
    let sandbox = Sandbox::with_team();
    let with = |name: &str, value: &str, arguments: &[&str]| sandbox.start().env(name, value).run(arguments);
    for (name, value) in [("INTERAGENT_AGENT", "ghost"), ("INTERAGENT_SESSION", "lost"), ("GEMINI_CLI", "1")]
    {
        let shown = with(name, value, WHOAMI).success().stdout;
        let answer: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert!(
            answer["answer"]["member"].is_null() && answer["answer"]["auth"].is_null(),
            "{name}: {shown}"
        );
        with(name, value, &["status"]).success();
        let refused = with(name, value, &["send", "--to", "kimi", "-m", "hi"]);
        assert_ne!(refused.status, 0, "{name}: {}", refused.shown());
    }
    // What cron or a script runs has none of it.
    sandbox.run(&["send", "--to", "kimi", "-m", "nightly"]).success();
}

#[test]
fn process_that_outlives_its_session_is_not_the_operator() {
    let sandbox = Sandbox::with_team();
    let program = program(&sandbox);
    let bind = format!(
        "{0} session bind s-1 --agent kimi --pid $$ && {0} session end s-1 && \"$@\"",
        program.display()
    );
    let mut unmarked = Command::new("sh");
    unmarked.args(["-c", &bind, "sh"]);
    let done =
        sandbox.start().below(unmarked, &["send", "--to", "claude", "-m", "approved"]).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("no agent is bound to this session"), "{said}");
}

#[test]
fn session_without_a_seat_is_visible_until_it_joins() {
    let sandbox = Sandbox::with_team();
    let tell = |event: &str, session: &str| {
        let payload = format!(r#"{{"session_id":"{session}","source":"startup"}}"#);
        sandbox.start().stdin(payload).run(&["hook", "claude", event]).success().stdout
    };
    let first: serde_json::Value = serde_json::from_str(&tell("SessionStart", "s1")).unwrap();
    assert!(first["systemMessage"].is_null(), "{first}");
    let unnamed = |command: &str| {
        let shown = sandbox.run(&[command]).success().stdout;
        let count = sandbox.json(&[command])["unnamed"].as_array().unwrap().len();
        assert_eq!(shown.contains("1 Claude Code session has no name"), count == 1, "{shown}");
        count
    };
    assert_eq!((unnamed("status"), unnamed("ps")), (0, 0));
    let second: serde_json::Value = serde_json::from_str(&tell("SessionStart", "s2")).unwrap();
    let notice = second["systemMessage"].as_str().unwrap();
    assert!(notice.contains("this Claude Code session has no name"), "{second}");
    assert!(second["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("register"));
    assert_eq!((unnamed("status"), unnamed("ps")), (1, 1));
    assert_eq!(tell("UserPromptSubmit", "s2"), "", "the person is told once");
    assert_eq!(sandbox.json(&["status"])["unnamed"][0]["session"], "s2");
    // The session registers itself, as its model is told to.
    let register = sandbox.start().env("CLAUDE_CODE_SESSION_ID", "s2");
    register.run(&["agent", "register", "helper"]).success();
    assert!(tell("UserPromptSubmit", "s2").contains("You are helper"));
    assert_eq!((unnamed("status"), unnamed("ps")), (0, 0));
    tell("SessionStart", "s3");
    assert_eq!(unnamed("status"), 1);
    tell("SessionEnd", "s3");
    assert_eq!((unnamed("status"), unnamed("ps")), (0, 0));
}

/// A Kimi Code that tells hooks its session's id and its shell nothing: its prompt runs a hook, its shell registers, and
/// the sessions of the new agent are printed.
const REGISTERS_IN_ITS_SHELL: &str = r#"#!/bin/sh
prompt='{"session_id":"k-1"}'
echo "$prompt" | "$1" hook kimi UserPromptSubmit >/dev/null
if [ -n "$FORGOTTEN" ]; then rm -r .interagent/state/live; fi
"$1" agent register helper >/dev/null
if [ -n "$FORGOTTEN" ]; then echo "$prompt" | "$1" hook kimi UserPromptSubmit >/dev/null; fi
"$1" session list --agent helper --json
"#;

#[test]
fn session_that_registers_in_its_shell_stays_one() {
    // The second hook finds a session that is known by its process alone, and whose agent the environment names.
    for variables in [&[][..], &[("INTERAGENT_AGENT", "helper")], &[("FORGOTTEN", "1")]] {
        session_stays_one(variables);
    }
    session_stays_one(&[("INTERAGENT_AGENT", "helper"), ("FORGOTTEN", "1")]);
}

fn session_stays_one(variables: &[(&str, &str)]) {
    let sessions = sessions_of_helper(REGISTERS_IN_ITS_SHELL, variables);
    let seen: Vec<_> =
        sessions.iter().map(|row| (row["id"].as_str().unwrap(), row["reach"].as_str().unwrap())).collect();
    assert_eq!(seen, [("k-1", "in a turn")], "{variables:?}");
}

/// The sessions that a Kimi Code lists, which this script stands in for. Another session has the seat of `kimi`.
fn sessions_of_helper(script: &str, variables: &[(&str, &str)]) -> Vec<serde_json::Value> {
    let sandbox = Sandbox::with_team();
    starts(&sandbox, "kimi", "k-0");
    let kimi = sandbox.home().join("kimi");
    fs::write(&kimi, script).unwrap();
    fs::set_permissions(&kimi, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = sandbox.start().below(Command::new(kimi), &[]);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let listed: serde_json::Value = serde_json::from_str(&shown).expect(&shown);
    listed["answer"]["items"].as_array().unwrap().clone()
}

/// A Kimi Code that joins by a call of our server, which then ends while the client lives.
const REGISTERS_BY_A_TOOL: &str = r#"#!/bin/sh
prompt='{"session_id":"k-1"}'
echo "$prompt" | "$1" hook kimi UserPromptSubmit >/dev/null
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$1" "$2" "$3"; }
{
    call 1 initialize '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"kimi","version":"1"}}'
    call 2 tools/call '{"name":"register_agent","arguments":{"name":"helper"}}'
} | "$1" mcp >/dev/null
if [ -n "$HEARD" ]; then echo "$prompt" | "$1" hook kimi PostToolUse >/dev/null; fi
"$1" session list --agent helper --json
"#;

#[test]
fn session_outlives_the_server_it_registered_with() {
    for variables in [&[][..], &[("HEARD", "1")]] {
        let sessions = sessions_of_helper(REGISTERS_BY_A_TOOL, variables);
        let ids: Vec<_> = sessions.iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["k-1"], "{variables:?}: {sessions:#?}");
    }
}

/// A directory with a `kimi` that Python runs, as PyPI installs it.
fn python_kimi(sandbox: &Sandbox) -> String {
    let programs = sandbox.home().join("bin");
    fs::create_dir_all(&programs).unwrap();
    let kimi = programs.join("kimi");
    fs::write(&kimi, "#!/usr/bin/python3\nprint('kimi, version 1.51.0')\n").unwrap();
    fs::set_permissions(&kimi, PermissionsExt::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", programs.display())
}

fn profiles(sandbox: &Sandbox) -> Vec<(String, String)> {
    let listed = sandbox.json(&["agent", "list"]);
    let word = |agent: &serde_json::Value, key: &str| agent[key].as_str().unwrap().to_owned();
    let agents = listed["items"].as_array().unwrap().iter();
    let mut all: Vec<_> = agents.map(|agent| (word(agent, "name"), word(agent, "profile"))).collect();
    all.retain(|(name, _)| name != "operator");
    all.sort();
    all
}

#[test]
fn installed_kimi_has_the_seat_kimi() {
    let pair = |name: &str, profile: &str| (name.to_owned(), profile.to_owned());
    let sandbox = Sandbox::new();
    let path = python_kimi(&sandbox);
    sandbox.start().env("PATH", &path).run(&["init"]).success();
    let team = [pair("claude", "claude"), pair("kimi", "kimi-cli")];
    assert_eq!(profiles(&sandbox), team);
    sandbox.start().env("PATH", &path).run(&["setup", "--yes"]).success();
    assert_eq!(profiles(&sandbox), team, "setup adds no second agent");
    // A hub that setup makes calls it the same.
    let other = Sandbox::new();
    let path = python_kimi(&other);
    other.start().env("PATH", &path).run(&["setup", "--yes"]).success();
    assert_eq!(profiles(&other), [pair("kimi", "kimi-cli")]);
    // So does a seat that is added later.
    let late = Sandbox::new();
    let path = python_kimi(&late);
    late.start()
        .env("PATH", &path)
        .run(&["init", "--formation", "peers", "--agents", "claude,codex"])
        .success();
    late.start().env("PATH", &path).run(&["init", "--force", "--agents", "claude,codex,kimi"]).success();
    assert!(profiles(&late).contains(&pair("kimi", "kimi-cli")), "{:?}", profiles(&late));
}

#[test]
fn relay_prompt_names_an_agent_that_nothing_recognises() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "gpt4", "--profile", "generic"]).success();
    sandbox.run(&["quick", "--to", "gpt4", "Write docs"]).success();
    let prompt = sandbox.run(&["relay", "--to", "gpt4"]).success().stdout;
    assert!(prompt.contains("INTERAGENT_AGENT=gpt4 interagent task update"), "{prompt}");
    sandbox.run(&["quick", "--to", "kimi", "Write tests"]).success();
    let prompt = sandbox.run(&["relay", "--to", "kimi"]).success().stdout;
    assert!(!prompt.contains("INTERAGENT_AGENT"), "{prompt}");
}
