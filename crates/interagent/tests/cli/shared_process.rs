//! Clients that run several sessions in one process, with real processes in the place of Codex: a background server that
//! starts hooks, and programs at terminals that show its sessions.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::terminal::{Size, run_on_terminal};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How long a process may take to start or end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A home with a project whose team has a Codex agent, and other directories beside it.
struct World {
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::with_team();
        sandbox.run(&["agent", "register", "codex", "--profile", "codex"]).success();
        sandbox.run(&["agent", "register", "codex2", "--profile", "codex"]).success();
        let program = sandbox.home().join("bin/codex");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        // As a server it runs what it is given; at a terminal it stays until it is ended.
        let text = "#!/bin/sh\n[ \"$1\" = app-server ] && { shift; \"$@\"; exit $?; }\necho $$ > \"$PID_FILE\"\n\
                    while :; do sleep 0.1; done\n";
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        Self { sandbox }
    }

    fn program(&self) -> PathBuf {
        self.sandbox.home().join("bin/codex")
    }

    /// Another directory, with a hub of its own or none.
    fn elsewhere(&self, name: &str) -> PathBuf {
        let directory = self.sandbox.home().join(name);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    /// A hook of a session, started by the server that was itself started in the project for the agent `codex`.
    fn hook(&self, event: &str, session: &str, cwd: &Path) -> String {
        let mut server = Command::new(self.program());
        server.arg("app-server");
        let hub = self.sandbox.hub().display().to_string();
        let run = self.sandbox.start().env("INTERAGENT_HUB", &hub).env("INTERAGENT_AGENT", "codex");
        let run = run.env("TMUX_PANE", "%1").env("TMUX", "/tmp/nowhere,1,0");
        let mut command = run.below(server, &["hook", "codex", event]);
        command.current_dir(cwd).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let told = json!({ "session_id": session, "cwd": cwd, "hook_event_name": event });
        serde_json::to_writer(child.stdin.take().unwrap(), &told).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    /// A program at a terminal of its own that shows a session.
    fn viewer(&self, cwd: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Viewer {
        let pid_file = cwd.join(format!("viewer-{}.pid", fs::read_dir(cwd).unwrap().count()));
        let mut command = Command::new("setsid");
        command.args(["--wait", "--ctty"]).arg(self.program()).args(arguments).current_dir(cwd);
        command.envs(variables.iter().copied()).env("PID_FILE", &pid_file);
        let screen = std::thread::spawn(move || {
            run_on_terminal(command, Size { rows: 24, columns: 80 }, "");
        });
        let until = Instant::now() + PATIENCE;
        let pid = loop {
            let read = fs::read_to_string(&pid_file).unwrap_or_default();
            if let Some(pid) = read.trim().parse().ok().and_then(Pid::from_raw) {
                break pid;
            }
            assert!(Instant::now() < until, "no viewer started");
            std::thread::sleep(Duration::from_millis(20));
        };
        Viewer { pid, screen: Some(screen) }
    }

    /// The agent of each session that lives.
    fn bound(&self) -> Vec<(String, String)> {
        let listed = self.sandbox.json(&["session", "list"]);
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = listed["items"].as_array().unwrap().iter();
        rows.map(|row| (word(&row["id"]), word(&row["agent"]["name"]))).collect()
    }

    fn session(&self, id: &str) -> Value {
        let listed = self.sandbox.json(&["session", "list"]);
        listed["items"].as_array().unwrap().iter().find(|row| row["id"] == id).cloned().unwrap_or_default()
    }
}

struct Viewer {
    pid: Pid,
    screen: Option<JoinHandle<()>>,
}

impl Viewer {
    fn quit(&mut self) {
        let _ = kill_process(self.pid, Signal::KILL);
        if let Some(screen) = self.screen.take() {
            screen.join().unwrap();
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.quit();
    }
}

/// An id as Codex makes them, made now.
fn new_session() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let time = format!("{now:012x}");
    format!("{}-{}-7000-8000-{now:012x}", &time[..8], &time[8..])
}

#[test]
fn session_elsewhere_gets_no_mail() {
    let world = World::new();
    world.sandbox.run(&["send", "--to", "codex", "-m", "secret of the project"]).success();
    let outside = world.elsewhere("outside");
    let _viewer = world.viewer(&outside, &[], &[]);
    let session = new_session();
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        assert_eq!(world.hook(event, &session, &outside), "", "{event}");
    }
    assert_eq!(world.bound(), []);
}

#[test]
fn session_of_another_project_is_that_projects() {
    let world = World::new();
    let shop = world.elsewhere("shop");
    let there = || world.sandbox.start().within(&shop);
    there().run(&["init"]).success();
    there().run(&["agent", "register", "codex", "--profile", "codex"]).success();
    // The shell in which it was started is left over from the first project.
    let hub = world.sandbox.hub().display().to_string();
    let _viewer = world.viewer(&shop, &[("INTERAGENT_HUB", &hub), ("INTERAGENT_AGENT", "codex2")], &[]);
    let session = new_session();
    let said = world.hook("SessionStart", &session, &shop);
    assert!(said.contains("You are codex"), "{said}");
    assert_eq!(world.bound(), []);
    let listed = there().json(&["session", "list"]);
    assert_eq!(listed["items"][0]["id"], *session);
}

#[test]
fn viewer_names_the_agent_and_ends_the_session() {
    let world = World::new();
    let project = world.sandbox.project();
    let mut first = world.viewer(&project, &[("INTERAGENT_AGENT", "codex"), ("TMUX_PANE", "%7")], &[]);
    let one = new_session();
    // In another tmux server, whose panes have the same names.
    let mut second = world.viewer(&project, &[("INTERAGENT_AGENT", "codex2"), ("TMUX_PANE", "%7")], &[]);
    let two = new_session();
    for (session, agent) in [(&two, "codex2"), (&one, "codex")] {
        let said = world.hook("SessionStart", session, &project);
        assert!(said.contains(&format!("You are {agent},")), "{said}");
        world.hook("Stop", session, &project);
    }
    let row = world.session(&one);
    assert_eq!(
        (row["pid"].as_i64(), &row["pane"]),
        (Some(first.pid.as_raw_nonzero().get().into()), &json!("%7"))
    );
    assert_eq!(row["reach"], "idle; woken through its client");
    assert_eq!(world.session(&two)["pane"], json!("%7"));
    first.quit();
    let rows = world.sandbox.json(&["ps"]);
    let state = |name: &str| {
        let agents = rows["agents"].as_array().unwrap();
        agents.iter().find(|row| row["name"] == name).unwrap()["life"].clone()
    };
    assert_eq!((state("codex"), state("codex2")), (json!("away"), json!("idle")), "{rows}");
    assert_eq!(world.bound(), [(two.clone(), "codex2".to_owned())]);
    // A session without a screen shows no notice to a person.
    let sent = world.sandbox.run(&["wake", "codex"]);
    assert!(!sent.shown().contains("woken"), "{}", sent.shown());
    second.quit();
    assert_eq!(world.bound(), []);
}

#[test]
fn closed_window_gets_no_mail() {
    let world = World::new();
    let project = world.sandbox.project();
    let mut viewer = world.viewer(&project, &[("INTERAGENT_AGENT", "codex")], &[]);
    let session = new_session();
    for event in ["SessionStart", "UserPromptSubmit"] {
        world.hook(event, &session, &project);
    }
    viewer.quit();
    world.sandbox.run(&["send", "--to", "codex", "-m", "for nobody's eyes"]).success();
    for event in ["PostToolUse", "Stop"] {
        let said = world.hook(event, &session, &project);
        assert!(!said.contains("for nobody"), "{event}: {said}");
    }
}

/// After `/new` in the same terminal, where the first hook comes with the first prompt.
#[test]
fn next_session_of_a_viewer_ends_the_one_before() {
    let world = World::new();
    let project = world.sandbox.project();
    let _viewer = world.viewer(&project, &[("INTERAGENT_AGENT", "codex")], &[]);
    let before = new_session();
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        world.hook(event, &before, &project);
    }
    assert_eq!(world.bound(), [(before, "codex".to_owned())]);
    let next = new_session();
    world.hook("SessionStart", &next, &project);
    assert_eq!(world.bound(), [(next, "codex".to_owned())]);
}

#[test]
fn unseen_session_is_never_woken() {
    let world = World::new();
    let project = world.sandbox.project();
    // One without the server shows none of its sessions.
    let _alone = world.viewer(&project, &[("INTERAGENT_AGENT", "codex2")], &["--no-daemon"]);
    let session = new_session();
    world.sandbox.run(&["session", "bind", &session, "--agent", "codex"]).success();
    world.hook("SessionStart", &session, &project);
    world.hook("UserPromptSubmit", &session, &project);
    world.hook("Stop", &session, &project);
    let row = world.session(&session);
    assert_eq!((&row["agent"]["name"], &row["pid"]), (&json!("codex"), &Value::Null), "{row}");
    assert_eq!(row["reach"], "idle; sees it on its next prompt");
    // It is seen from the next prompt on that somebody types into a viewer.
    let viewer = world.viewer(&project, &[], &["resume", &session]);
    world.hook("UserPromptSubmit", &session, &project);
    world.hook("Stop", &session, &project);
    assert_eq!(world.session(&session)["reach"], "idle; woken through its client");
    // Somebody closed it and opened it again before the server let it go.
    drop(viewer);
    assert_eq!(world.bound(), []);
    let _viewer = world.viewer(&project, &[], &["resume", &session]);
    world.hook("UserPromptSubmit", &session, &project);
    assert_eq!(world.bound(), [(session.clone(), "codex".to_owned())]);
    world.hook("SessionEnd", &session, &project);
    assert_eq!(world.bound(), []);
}

/// What a sandbox leaves of a client: its variables, and no process above its own.
#[test]
fn sandboxed_command_is_its_session() {
    let world = World::new();
    world.sandbox.run(&["session", "bind", "t-2", "--agent", "codex2"]).success();
    let hub = world.sandbox.hub().display().to_string();
    let outside = world.elsewhere("outside");
    let within = |session: &str, directory: &Path| {
        let run = world.sandbox.start().within(directory).env("CODEX_THREAD_ID", session);
        run.env("INTERAGENT_HUB", &hub).env("INTERAGENT_AGENT", "kimi").env("TMUX_PANE", "%1")
    };
    let me = within("t-2", &world.sandbox.project()).json(&["whoami"]);
    assert_eq!((&me["member"]["name"], &me["auth"]), (&json!("codex2"), &json!("session")), "{me}");
    let other = within("t-9", &world.sandbox.project()).json(&["whoami"]);
    assert_ne!(other["member"]["name"], "kimi", "{other}");
    let lost = within("t-2", &outside).run(&["inbox"]);
    assert!(!lost.shown().contains("codex2"), "{}", lost.shown());
}
