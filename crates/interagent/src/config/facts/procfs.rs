//! Processes as Linux shows them in `/proc`.
//!
//! Owns the format of its files. A process may end while it is read: the chain then ends there.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use super::{AtTerminal, CHAIN_LIMIT, NODE_THREADS, Process, file_name, is_interpreter, script_of};

/// As much of a file as is read: its files are one line, and the kernel hands that out in one call.
const READ_LIMIT_BYTES: usize = 2048;

/// Longest environment that is searched; the kernel's own limit for a new process is of this size.
const ENVIRONMENT_LIMIT_BYTES: u64 = 2 * 1024 * 1024;

pub(super) fn boot_id() -> Option<String> {
    let id = String::from_utf8(read(Path::new("/proc/sys/kernel/random/boot_id"))?).ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The device number of the controlling terminal; `None` when there is none or `/proc` is not there.
pub(in crate::config) fn terminal_number_of_this_process() -> Option<i64> {
    Stat::parse(&read(Path::new("/proc/self/stat"))?)
        .map(|stat| stat.terminal)
        .filter(|terminal| *terminal != 0)
}

pub(super) fn chain_from(proc_root: &Path, pid: u32) -> Vec<Process> {
    let mut chain: Vec<Process> = Vec::new();
    let mut next = pid;
    while next != 0 && chain.len() < CHAIN_LIMIT {
        let Some(process) = read_process(proc_root, next) else { break };
        // A parent is older than its child; a younger one only has the number of a parent that ended.
        if chain.last().is_some_and(|child| process.started > child.started) {
            break;
        }
        next = process.parent_pid;
        chain.push(process);
    }
    chain
}

/// One process that did not end.
pub(super) fn process(proc_root: &Path, pid: u32) -> Option<Process> {
    let stat = Stat::parse(&read(&proc_root.join(pid.to_string()).join("stat"))?)?;
    if stat.has_ended { None } else { read_process(proc_root, pid) }
}

/// Whether a process leads the session of a terminal, as a shell does in which a person types.
pub(super) fn leads_a_terminal(proc_root: &Path, pid: u32) -> bool {
    let stat = read(&proc_root.join(pid.to_string()).join("stat")).and_then(|stat| Stat::parse(&stat));
    stat.is_some_and(|stat| stat.leader == pid && stat.terminal != 0)
}

/// All processes below one, without those that ended and wait to be noticed.
pub(super) fn descendants(proc_root: &Path, pid: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir(proc_root) else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: Vec<(u32, Stat)> = numbers
        .filter_map(|number| {
            let stat = Stat::parse(&read(&proc_root.join(number.to_string()).join("stat"))?)?;
            Some((number, stat))
        })
        .collect();
    let mut below = vec![pid];
    let mut at = 0;
    while let Some(parent) = below.get(at).copied() {
        at += 1;
        let children =
            all.iter().filter(|(number, stat)| stat.parent_pid == parent && !below.contains(number));
        let children: Vec<u32> = children.map(|(number, _)| *number).collect();
        below.extend(children);
    }
    let ended = |number: &u32| all.iter().any(|(other, stat)| other == number && stat.has_ended);
    below.into_iter().skip(1).filter(|number| !ended(number)).collect()
}

fn read_process(proc_root: &Path, pid: u32) -> Option<Process> {
    let directory = proc_root.join(pid.to_string());
    let stat = Stat::parse(&read(&directory.join("stat"))?)?;
    let (executable, script) = match is_interpreter(&stat.name) {
        true => program_of(stat.name, &arguments(proc_root, pid)),
        false => (stat.name, None),
    };
    Some(Process {
        pid,
        parent_pid: stat.parent_pid,
        started: stat.started,
        executable,
        script,
        arguments: None,
    })
}

/// The command line of a process, beginning with the program.
pub(super) fn arguments(proc_root: &Path, pid: u32) -> Vec<String> {
    let line = read(&proc_root.join(pid.to_string()).join("cmdline")).unwrap_or_default();
    let line = line.strip_suffix(&[0]).unwrap_or(&line);
    line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// A variable of a process, as it was when the process started.
pub(super) fn variable(proc_root: &Path, pid: u32, name: &str) -> Option<OsString> {
    environment(proc_root, pid)?.split(|byte| *byte == 0).find_map(|pair| {
        let value = pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(OsStr::from_bytes(value).to_owned())
    })
}

/// Whether the variables of a process can be read.
pub(super) fn shows_variables(proc_root: &Path, pid: u32) -> bool {
    environment(proc_root, pid).is_some()
}

fn environment(proc_root: &Path, pid: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(proc_root.join(pid.to_string()).join("environ")).ok()?;
    file.take(ENVIRONMENT_LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Processes with a terminal that these programs may be, as far as this user may look into them.
pub(super) fn at_terminals(proc_root: &Path, programs: &[&str]) -> Vec<AtTerminal> {
    let Ok(entries) = std::fs::read_dir(proc_root) else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let uptime = uptime(proc_root);
    let found = |pid: u32| {
        let directory = proc_root.join(pid.to_string());
        let stat = Stat::parse(&read(&directory.join("stat"))?)?;
        let may_be = programs.contains(&stat.name.as_str()) || is_interpreter(&stat.name);
        if stat.has_ended || stat.terminal == 0 || !may_be {
            return None;
        }
        let process = read_process(proc_root, pid)?;
        let started = Duration::from_millis(process.started.saturating_mul(1000) / ticks_per_second());
        let typed = std::fs::metadata(directory.join("fd/0")).and_then(|terminal| terminal.accessed()).ok();
        Some(AtTerminal {
            directory: std::fs::read_link(directory.join("cwd")).ok()?,
            age: uptime?.saturating_sub(started),
            typed: typed.and_then(|typed| typed.elapsed().ok()),
            process,
        })
    };
    numbers.filter_map(found).collect()
}

/// How long the machine has been running.
fn uptime(proc_root: &Path) -> Option<Duration> {
    let text = String::from_utf8(read(&proc_root.join("uptime"))?).ok()?;
    let seconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// In what the kernel counts the start of a process.
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
}

/// The program of an interpreter's process, and its script. A program with Node built in is no interpreter: only its
/// thread has Node's name.
fn program_of(name: String, arguments: &[String]) -> (String, Option<String>) {
    let program = arguments.first().map(|program| file_name(program)).unwrap_or_default();
    match NODE_THREADS.contains(&name.as_str()) && !program.is_empty() && !is_interpreter(&program) {
        true => (program, None),
        false => (name, script_of(arguments.iter().skip(1).map(String::as_str))),
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = vec![0; READ_LIMIT_BYTES];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    bytes.truncate(length);
    Some(bytes)
}

/// The fields of `/proc/<pid>/stat` that we use.
struct Stat {
    name: String,
    /// It is over, and only its parent has not noticed yet.
    has_ended: bool,
    parent_pid: u32,
    /// The process that leads its session.
    leader: u32,
    terminal: i64,
    started: u64,
}

impl Stat {
    /// The name is in parentheses and may hold anything, also parentheses: the last one ends it.
    fn parse(stat: &[u8]) -> Option<Self> {
        let stat = String::from_utf8_lossy(stat);
        let (before, after) = stat.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        // The first field after the name is the third of the file.
        let mut fields = after.split_ascii_whitespace();
        let has_ended = matches!(fields.next()?, "Z" | "X");
        let parent_pid = fields.next()?.parse().ok()?;
        let leader = fields.nth(1)?.parse().ok()?;
        let terminal = fields.next()?.parse().ok()?;
        let started = fields.nth(14)?.parse().ok()?;
        Some(Self { name: file_name(name), has_ended, parent_pid, leader, terminal, started })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn add(root: &Path, pid: u32, parent: u32, started: u64, name: &str) {
        let directory = root.join(pid.to_string());
        fs::create_dir(&directory).unwrap();
        let stat = format!(
            "{pid} ({name}) S {parent} {pid} {pid} 34816 5 4194304 1 2 3 4 5 6 7 8 20 0 1 0 {started} 1 2 3\n"
        );
        fs::write(directory.join("stat"), stat).unwrap();
    }

    #[test]
    fn the_shell_of_a_terminal_leads_its_session() {
        let root = tempfile::tempdir().unwrap();
        add(root.path(), 20, 10, 500, "bash");
        assert!(leads_a_terminal(root.path(), 20));
        assert!(!leads_a_terminal(root.path(), 21));
        let stat = fs::read_to_string(root.path().join("20/stat")).unwrap();
        for other in [stat.replace("S 10 20 20 ", "S 10 20 10 "), stat.replace(" 34816 ", " 0 ")] {
            fs::write(root.path().join("20/stat"), other).unwrap();
            assert!(!leads_a_terminal(root.path(), 20));
        }
    }

    #[test]
    fn the_chain_goes_up_to_the_first_process_whatever_they_are_called() {
        let root = tempfile::tempdir().unwrap();
        add(root.path(), 20, 10, 500, "node");
        fs::write(root.path().join("20/cmdline"), "node\0--no-warnings\0/opt/bin/gemini\0--yolo\0").unwrap();
        add(root.path(), 10, 1, 400, "odd) (name");
        add(root.path(), 1, 0, 1, "init");
        let chain = chain_from(root.path(), 20);
        let node = Process {
            pid: 20,
            parent_pid: 10,
            started: 500,
            executable: "node".into(),
            script: Some("/opt/bin/gemini".into()),
            arguments: None,
        };
        assert_eq!(chain[0], node);
        assert_eq!(chain[1].executable, "odd) (name");
        assert_eq!(chain.len(), 3);
    }

    #[test]
    fn embedded_node_is_no_interpreter() {
        let root = tempfile::tempdir().unwrap();
        for (pid, name, line) in [
            (10, "MainThread", "copilot\0--allow-all\0"),
            (11, "node-MainThread", "/opt/copilot\0-p\0hello\0"),
            (12, "MainThread", "node\0/usr/bin/gemini\0"),
            (13, "node-MainThread", "/usr/bin/node\0/usr/bin/gemini\0"),
            (14, "MainThread", ""),
        ] {
            add(root.path(), pid, 1, 500, name);
            fs::write(root.path().join(format!("{pid}/cmdline")), line).unwrap();
        }
        let seen = |pid| read_process(root.path(), pid).map(|process| (process.executable, process.script));
        let script = Some("/usr/bin/gemini".to_owned());
        assert_eq!(seen(10), Some(("copilot".to_owned(), None)));
        assert_eq!(seen(11), Some(("copilot".to_owned(), None)));
        assert_eq!(seen(12), Some(("MainThread".to_owned(), script.clone())));
        assert_eq!(seen(13), Some(("node-MainThread".to_owned(), script)));
        assert_eq!(seen(14), Some(("MainThread".to_owned(), None)));
    }

    #[test]
    fn a_younger_process_under_the_parents_number_is_no_parent() {
        let root = tempfile::tempdir().unwrap();
        add(root.path(), 20, 10, 500, "child");
        add(root.path(), 10, 1, 501, "stranger");
        assert_eq!(chain_from(root.path(), 20).len(), 1);
    }

    #[test]
    fn what_a_process_started_is_found_at_any_depth() {
        let root = tempfile::tempdir().unwrap();
        for (pid, parent) in [(2, 1), (3, 2), (4, 3), (5, 1), (6, 2)] {
            add(root.path(), pid, parent, 5, "x");
        }
        let ended = fs::read_to_string(root.path().join("6/stat")).unwrap().replace(" S ", " Z ");
        fs::write(root.path().join("6/stat"), ended).unwrap();
        assert_eq!(descendants(root.path(), 2), [3, 4]);
        assert!(process(root.path(), 6).is_none() && process(root.path(), 4).is_some());
    }

    #[test]
    fn damage_and_loops_end_the_chain() {
        let root = tempfile::tempdir().unwrap();
        add(root.path(), 2, 3, 5, "a");
        add(root.path(), 3, 2, 5, "b");
        assert_eq!(chain_from(root.path(), 2).len(), CHAIN_LIMIT);
        for damaged in ["", "7", "7 (x", "7 (x) S", "7 (x) S y 1 2 3"] {
            assert!(Stat::parse(damaged.as_bytes()).is_none(), "{damaged}");
        }
    }

    #[test]
    fn the_terminal_is_the_seventh_field_and_the_start_the_twenty_second() {
        let fields = (1..=52).map(|n| if n == 2 { "(x)".into() } else { n.to_string() }).collect::<Vec<_>>();
        let stat = Stat::parse(fields.join(" ").as_bytes()).unwrap();
        assert_eq!((stat.parent_pid, stat.terminal, stat.started), (4, 7, 22));
    }
}
