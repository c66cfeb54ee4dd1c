//! Processes as `ps` shows them, for systems without `/proc`.
//!
//! Owns the call of `ps` and the reading of its answer. One call lists all processes: a call for each ancestor would
//! take tens of milliseconds.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{CHAIN_LIMIT, Process, file_name, is_interpreter, script_of};

pub(super) fn chain_from(pid: u32) -> Vec<Process> {
    // A fixed zone and language make the start of a process the same text in every caller's environment.
    let listing = Command::new("ps")
        .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "lstart=", "-o", "args="])
        .env("TZ", "UTC")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match listing {
        Ok(output) => chain_in(&String::from_utf8_lossy(&output.stdout), pid),
        Err(_) => Vec::new(),
    }
}

/// The name of this boot on macOS.
pub(super) fn boot_id() -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let output = Command::new("/usr/sbin/sysctl").args(["-n", "kern.bootsessionuuid"]).output().ok()?;
    let id = String::from_utf8(output.stdout).ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

fn chain_in(listing: &str, pid: u32) -> Vec<Process> {
    let mut processes: HashMap<u32, Process> =
        listing.lines().filter_map(parse_line).map(|process| (process.pid, process)).collect();
    let mut chain = Vec::new();
    let mut next = pid;
    // Taking each process out of the map also ends a loop.
    while chain.len() < CHAIN_LIMIT
        && let Some(process) = processes.remove(&next)
    {
        next = process.parent_pid;
        chain.push(process);
    }
    chain
}

/// Reads `pid ppid Sun Nov 15 21:08:49 2026 args...`.
fn parse_line(line: &str) -> Option<Process> {
    let mut fields = line.split_ascii_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent_pid = fields.next()?.parse().ok()?;
    let start = fields.by_ref().take(5).collect::<Vec<_>>().join(" ");
    let started = DateTime::strptime("%a %b %d %H:%M:%S %Y", start).ok()?;
    let started = started.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    let arguments: Vec<String> = fields.map(str::to_owned).collect();
    let executable = file_name(arguments.first()?);
    let rest = arguments.iter().skip(1).map(String::as_str);
    let script = if is_interpreter(&executable) { script_of(rest) } else { None };
    let started = u64::try_from(started).ok()?;
    Some(Process { pid, parent_pid, started, executable, script, arguments: Some(arguments) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
      1     0 Sun Nov 15 20:56:01 2026 /sbin/init
     70     1 Sun Nov 15 21:00:00 2026 -zsh
     71    70 Sun Nov  1 21:08:49 2026 node /opt/bin/gemini --yolo
     72    71 Sun Nov 15 21:08:50 2026 interagent send
 broken line
     80    81 Sun Nov 15 21:08:50 2026 a
     81    80 Sun Nov 15 21:08:50 2026 b
";

    #[test]
    fn the_chain_is_found_in_the_listing() {
        let names: Vec<_> = chain_in(LISTING, 72)
            .iter()
            .map(|process| format!("{} {} {}", process.pid, process.executable, process.started))
            .collect();
        insta::assert_snapshot!(names.join("\n"), @r#"
        72 interagent 1794776930
        71 node 1793567329
        70 zsh 1794776400
        1 init 1794776161
        "#);
    }

    #[test]
    fn loops_end_and_unknown_processes_have_no_chain() {
        assert_eq!(chain_in(LISTING, 80).len(), 2);
        assert!(chain_in(LISTING, 4711).is_empty());
        assert!(chain_in("", 1).is_empty());
    }

    /// `ps` and `/proc` describe the same machine; skipped where one of them is missing.
    #[test]
    fn both_readers_see_the_same_ancestors() {
        let pid = std::process::id();
        let by_ps: Vec<u32> = chain_from(pid).iter().map(|process| process.pid).collect();
        let by_proc = super::super::procfs::chain_from(std::path::Path::new("/proc"), pid);
        if by_ps.is_empty() || by_proc.is_empty() {
            return;
        }
        assert_eq!(by_ps, by_proc.iter().map(|process| process.pid).collect::<Vec<_>>());
    }
}
