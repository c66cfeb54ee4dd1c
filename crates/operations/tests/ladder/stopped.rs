//! An agent whose client dies in the middle of its work.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

use std::process::Command;

use interagent_core::vocabulary::{Moment, TaskStatus};
use interagent_operations::ladder::{Abilities, Cursor};
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_wire::answer::MailView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, CallerProcess, Request};

/// When a process started, in the kernel's ticks since boot.
fn started(pid: u32) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(") ").next().unwrap();
    after_name.split(' ').nth(19).unwrap().parse().unwrap()
}

/// A client's process, as its hooks tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    /// It is the client.
    Client,
    /// It shows a session that another process serves.
    Viewer,
}

#[test]
fn assigner_hears_that_its_assignee_stopped() {
    let (task, notices) = notices_after_end(Process::Client);
    let [notice] = notices.try_into().unwrap();
    assert_eq!(
        (notice.from.name.as_str(), notice.subject.as_str()),
        ("system", "kimi stopped: 1 task is open")
    );
    assert_eq!(notice.task.as_deref(), Some(task.as_str()));
}

#[test]
fn closed_viewer_is_not_a_stopped_client() {
    assert_eq!(notices_after_end(Process::Viewer).1, []);
}

/// The task that an agent had when its process ended, and what its assigner is told.
fn notices_after_end(process: Process) -> (String, Vec<MailView>) {
    let dir = tempfile::tempdir().unwrap();
    let opening = Opening {
        hub_dir: dir.path().to_owned(),
        create: true,
        alias: "here".into(),
        hub_id: None,
        user_dir: None,
    };
    let mut hub = LocalHub::open(&opening).unwrap();
    let call = |hub: &mut LocalHub, who: &str, request: Request| {
        let caller = if who == "operator" { Caller::operator() } else { Caller::agent(who) };
        hub.call(&caller, request).unwrap().answer
    };
    for name in ["claude", "kimi"] {
        call(&mut hub, "operator", ask::AgentRegister { name: name.into(), ..Default::default() }.into());
    }
    let task = ask::TaskCreate { title: "Parse".into(), assignee: Some("kimi".into()), ..Default::default() };
    let Answer::Task(task) = call(&mut hub, "claude", task.into()) else { panic!() };
    let begun =
        ask::TaskUpdate { task: task.id.clone(), status: Some(TaskStatus::InProgress), ..Default::default() };
    call(&mut hub, "kimi", begun.into());
    let mut client = Command::new("sleep").arg("1000").spawn().unwrap();
    let hook = ask::SessionHook {
        session: "s1".into(),
        moment: Some(Moment::Start),
        bind: true,
        profile: Some("kimi".into()),
        pid: Some(i64::from(client.id())),
        viewed: process == Process::Viewer,
        ..Default::default()
    };
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let mut caller = Caller::agent("kimi");
    caller.boot = Some(boot.trim().to_owned());
    let (pid, started) = (i64::from(client.id()), started(client.id()));
    caller.processes = vec![CallerProcess { pid, started, executable: "sleep".into() }];
    hub.call(&caller, hook.into()).unwrap();
    let (abilities, mut cursor) = (Abilities::default(), Cursor::default());
    let mut sweep = |hub: &mut LocalHub| {
        let mut acts = Vec::new();
        hub.supervision(&abilities, &mut cursor).begin(&mut acts).unwrap();
    };
    let told = |hub: &mut LocalHub| {
        let inbox = ask::MessageInbox { agent: Some("claude".into()), ..Default::default() };
        match call(hub, "operator", inbox.into()) {
            Answer::Inbox(inbox) => inbox.items,
            other => panic!("{other:?}"),
        }
    };
    sweep(&mut hub);
    assert_eq!(told(&mut hub), [], "it runs");
    client.kill().unwrap();
    client.wait().unwrap();
    sweep(&mut hub);
    sweep(&mut hub);
    (task.id, told(&mut hub))
}
