//! interagent-framework, the Python program whose commands we keep, measured beside us in the same run.
//!
//! Facts (0.1.1 from PyPI): a message or task is one JSON file below `.interagent/`; every command reads all of them. It
//! gets 10,000 entries that wait: mail that nobody has read, with a task among ten. We get the same, and a hundred times as many.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Bench;
use super::budget::Row;
use super::stats::Samples;
use super::timing::{Case, interleave, table};
use crate::repo::{Repo, stdout_of};
use crate::tools::{Install, Tools};
use crate::{Result, ui};

const PACKAGE: &str = "interagent-framework";
const PROGRAM: &str = "interagent";
const ENTRIES: u64 = 10_000;
const MANY_TIMES: u64 = 100;
const TASK_AMONG: u64 = 10;
/// Its commands take a second each: as many runs as ours need would take an hour.
const ROUNDS: usize = 10;

/// The commands that both have, by the same words.
const COMMANDS: [&[&str]; 4] = [&["status"], &["summary"], &["inbox", "--agent", "kimi"], &["task", "list"]];

pub(super) fn measure(bench: &Bench<'_>, repo: &Repo) -> Result<Vec<Row>> {
    let program = Tools::new(repo, Install::Allowed).python_program(PACKAGE, PROGRAM)?;
    let theirs = Framework::prepare(program, &bench.scratch.join("framework"))?;
    let many = if bench.quick { ENTRIES } else { ENTRIES * MANY_TIMES };
    let hubs = [backlog(bench, ENTRIES)?, backlog(bench, many)?];
    let mut cases = Vec::new();
    for arguments in COMMANDS {
        let name = arguments.join(" ");
        cases.push(Case::new(&format!("interagent-framework {name}"), || Ok(theirs.command(arguments))));
        for (hub, entries) in hubs.iter().zip([ENTRIES, many]) {
            let ours = || Ok(bench.product.person(hub, arguments));
            cases.push(Case::new(&format!("interagent {name}, {entries}"), ours));
        }
    }
    let samples = interleave(&cases, ROUNDS)?;
    ui::line(&format!("\nbeside {PACKAGE} with {ENTRIES} entries, {ROUNDS} runs each"));
    ui::line(&table(&cases, &samples, |index| index - index % 3));
    let mut rows = Vec::new();
    for (number, arguments) in COMMANDS.iter().enumerate() {
        let [theirs, _, ours] = [0, 1, 2].map(|case| &samples[number * 3 + case]);
        let ratio = ours.ratio_to(theirs);
        let what = format!("`{}` with {many} entries against its own with {ENTRIES}", arguments.join(" "));
        rows.push(Row::new(&what, "< 1x", Ok((format!("{ratio:.3}x"), ratio < 1.0))));
    }
    Ok(rows)
}

/// A send of its own in an empty project.
pub(super) fn command(bench: &Bench<'_>, repo: &Repo) -> Result<Samples> {
    let program = Tools::new(repo, Install::Allowed).python_program(PACKAGE, PROGRAM)?;
    let folder = bench.scratch.join("framework-empty");
    std::fs::create_dir_all(&folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
    let framework = Framework { program, folder };
    stdout_of(&mut framework.command(&["init", "--project", "bench", "--principal", "claude"]))?;
    let arguments = ["msg", "send", "--from-agent", "claude", "--to", "kimi", "--message", "hello"];
    let case = Case::new("send", || Ok(framework.command(&arguments)));
    interleave(&[case], ROUNDS)?.pop().ok_or_else(|| "nothing was measured".to_owned())
}

fn backlog(bench: &Bench<'_>, entries: u64) -> Result<PathBuf> {
    let hub = bench.scratch.join(format!("backlog-{entries}"));
    if !hub.exists() {
        std::fs::create_dir_all(&hub).map_err(|why| format!("cannot make {}: {why}", hub.display()))?;
        stdout_of(&mut bench.product.init(&hub))?;
        bench.product.seed_backlog(&hub, entries)?;
    }
    Ok(hub)
}

struct Framework {
    program: PathBuf,
    folder: PathBuf,
}

impl Framework {
    fn prepare(program: PathBuf, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        let framework = Self { program, folder: folder.to_owned() };
        stdout_of(&mut framework.command(&["init", "--project", "bench", "--principal", "claude"]))?;
        for number in 0..ENTRIES {
            let (path, text) = if number % TASK_AMONG == 0 { task(number) } else { message(number) };
            let path = framework.folder.join(".interagent").join(path);
            std::fs::write(&path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
        }
        let listed = stdout_of(&mut framework.command(&["task", "list"]))?;
        match listed.contains("Task 0 of the backlog") {
            true => Ok(framework),
            false => Err("interagent-framework does not read the files it was given".to_owned()),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("PYTHONIOENCODING", "utf-8")
            .stdin(Stdio::null());
        command
    }
}

pub(super) fn message(number: u64) -> (String, String) {
    let body = "schema handler review endpoint ".repeat(20);
    let text = format!(
        r#"{{"id":"msg-{number:06x}","from":"claude","to":"kimi","subject":"Entry {number}","content":"{body}","type":"message","timestamp":"2026-01-01T00:00:00.000000","read":false,"task_id":null}}"#
    );
    (format!("messages/pending/msg-{number:06x}.json"), text)
}

fn task(number: u64) -> (String, String) {
    let text = format!(
        r#"{{"id":"task-{number:06x}","title":"Task {number} of the backlog","description":"","status":"assigned","priority":"medium","assignee":"kimi","assigner":"claude","created":"2026-01-01T00:00:00.000000","updated":"2026-01-01T00:00:00.000000","requirements":[],"acceptance_criteria":[],"deliverables":[],"notes":[]}}"#
    );
    (format!("tasks/active/task-{number:06x}.json"), text)
}
