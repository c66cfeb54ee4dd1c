//! `doctor --canary --client` with programs that are no clients: what it refuses, what it can't check, and what it leaves behind.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::{Output, Run};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Says its version; what else it does follows.
const VERSION: &str = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 9.9.9; exit; fi\n";

/// A program on a path of its own.
fn with_program<'s>(sandbox: &'s Sandbox, name: &str, text: &str) -> Run<'s> {
    let directory = sandbox.home().join("bin");
    std::fs::create_dir_all(&directory).unwrap();
    let program = directory.join(name);
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.start().env("PATH", &format!("{}:/usr/bin:/bin", directory.display()))
}

fn canary(run: &Run<'_>, words: &[&str]) -> Output {
    run.run(&[&["doctor", "--canary", "--client"], words].concat())
}

fn set_up() -> Sandbox {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["setup", "claude", "--yes"]).success();
    sandbox
}

#[test]
fn refusals_name_what_helps() {
    let empty = Sandbox::new();
    let run = with_program(&empty, "claude", VERSION);
    let none = canary(&run, &["claude"]);
    assert!(none.status == 3 && none.stderr.contains("interagent init"), "{}", none.shown());

    let sandbox = set_up();
    let run = with_program(&sandbox, "claude", VERSION);
    let refused = |run: &Run<'_>, words: &[&str], status: i32, wanted: [&str; 2]| {
        let output = canary(run, words);
        assert_eq!(output.status, status, "{}", output.shown());
        assert!(wanted.iter().all(|text| output.stderr.contains(text)), "{wanted:?}: {}", output.stderr);
    };
    refused(&run, &["claud"], 3, ["unknown client `claud`", "hint: did you mean claude?"]);
    let no_kimi = "Kimi Code is not installed: there is no `kimi` on PATH";
    refused(&run, &["kimi"], 3, [no_kimi, "hint: install it"]);
    refused(&run, &["gemini"], 1, ["Gemini CLI can't be checked", "hint: interagent doctor --canary"]);
    let other = "kimi does not run Claude Code";
    refused(&run, &["claude", "--agent", "kimi"], 1, [other, "--client kimi --agent kimi"]);
    refused(&run, &["claude", "--agent", "nobody"], 3, ["no agent `nobody`", "hint:"]);
    let kimi = with_program(&sandbox, "kimi", VERSION);
    refused(&kimi, &["kimi"], 1, ["Kimi Code is not set up in", "hint: interagent setup kimi"]);
    let agent = sandbox.as_agent("kimi");
    refused(&agent, &["claude"], 1, ["by the operator", "hint:"]);
    sandbox.run(&["agent", "retire", "claude"]).success();
    for name in ["ann", "bob"] {
        sandbox.run(&["agent", "register", name, "--profile", "claude"]).success();
    }
    refused(&run, &["claude"], 1, ["several agents run Claude Code: ann, bob", "hint: add --agent ann"]);
}

#[test]
fn client_that_asks_no_model_is_bad() {
    let sandbox = set_up();
    let cases = [
        ("echo 'Please run /login' >&2; exit 7\n", "it ended with exit code 7: Please run /login"),
        ("exit 0\n", "it ended without a request"),
    ];
    for (does, wanted) in cases {
        let run = with_program(&sandbox, "claude", &format!("{VERSION}{does}"));
        let output = canary(&run, &["claude"]);
        assert_eq!(output.status, 1, "{}", output.shown());
        let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("ok client: Claude Code: 9.9.9"), "{text}");
        assert!(text.contains("bad model:") && text.contains(wanted), "{text}");
        assert!(!text.contains("briefing:") && !text.contains("identity:"), "{text}");
        assert!(!sandbox.hub().join("state/canary").exists());
    }
    let broken = with_program(&sandbox, "claude", "#!/bin/sh\necho 'Error: no binary' >&2\nexit 1\n");
    let output = canary(&broken, &["claude"]);
    assert!(output.status == 1 && output.stdout.contains("does not start: Error: no binary"), "{output:?}");
}

/// A hook or a server without any variable of the client still uses the hub that was set aside.
#[test]
fn processes_of_client_use_hub_set_aside() {
    let sandbox = set_up();
    sandbox.run(&["send", "--to", "claude", "-m", "for the real claude"]).success();
    let said = sandbox.home().join("said");
    let program = sandbox.start().command(&[]).get_program().to_str().unwrap().to_owned();
    // What the real variables were is not known to it, as to the servers of Codex.
    let (home, project) = (sandbox.home(), sandbox.project());
    let bare = format!("cd '{}' && env -i HOME='{}' PATH=/usr/bin:/bin", project.display(), home.display());
    let does = format!(
        "{{ {bare} INTERAGENT_AGENT=claude '{program}' inbox; {bare} INTERAGENT_AGENT=claude '{program}' status --json; }} >'{}' 2>&1\n",
        said.display()
    );
    let run = with_program(&sandbox, "claude", &format!("{VERSION}{does}"));
    canary(&run, &["claude"]);
    let said = std::fs::read_to_string(said).unwrap();
    assert!(!said.contains("for the real claude") && said.contains("\"name\":\"kimi\""), "{said}");
    assert_eq!(sandbox.json(&["agent", "show", "claude"])["unread"], 1);
    // Afterwards the same command is the team's again.
    let inbox = sandbox.as_agent("claude").run(&["inbox"]).success().stdout;
    assert!(inbox.contains("for the real claude"), "{inbox}");
}

fn wait_for(path: &Path) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < until, "{} never came", path.display()),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

#[test]
fn interrupt_ends_client_and_leaves_nothing() {
    let sandbox = set_up();
    let noted: PathBuf = sandbox.home().join("pid");
    let does = format!("echo $$ >'{}'\nexec sleep 600\n", noted.display());
    let run = with_program(&sandbox, "claude", &format!("{VERSION}{does}"));
    let canaries = sandbox.hub().join("state/canary");
    // A command that was killed left this behind.
    std::fs::create_dir_all(canaries.join("4194303")).unwrap();
    let mut command = run.command(&["doctor", "--canary", "--client", "claude"]);
    let mut doctor = command.spawn().unwrap();
    let client = pid(&wait_for(&noted));
    assert!(!canaries.join("4194303").exists());
    kill_process(Pid::from_child(&doctor), Signal::INT).unwrap();
    assert!(!doctor.wait().unwrap().success());
    assert!(test_kill_process(client).is_err(), "the client runs on");
    assert!(!canaries.exists());
}
