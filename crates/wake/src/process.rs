//! Whether a process is the one that was registered, and whether the keys of its terminal reach it.
//!
//! Only where `/proc` is: elsewhere nothing is known, and nothing is typed.

use std::path::Path;

/// A process, told apart from any other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Its number.
    pub pid: i32,
    /// When it started, in the kernel's ticks since boot.
    pub started: u64,
    /// Which run of the machine.
    pub boot: String,
}

impl Registered {
    /// The process that has this number now.
    pub fn now(pid: i32) -> Option<Self> {
        let stat = Stat::read(Path::new(PROC), pid)?;
        Some(Self { pid, started: stat.started, boot: boot(Path::new(PROC))? })
    }

    /// It runs.
    pub fn is_alive(&self) -> bool {
        standing(Path::new(PROC), self, self.pid) != Standing::Gone
    }

    /// How it stands to the terminal in which tmux started a process.
    pub fn standing(&self, pane_pid: i32) -> Standing {
        standing(Path::new(PROC), self, pane_pid)
    }
}

/// How a process stands to a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The terminal's keys reach it.
    Foreground,
    /// It runs, and the keys reach something else: a shell, an editor, another program.
    Elsewhere,
    /// It ended, or its number is another's.
    Gone,
}

const PROC: &str = "/proc";

fn standing(proc_root: &Path, process: &Registered, pane_pid: i32) -> Standing {
    let stat = Stat::read(proc_root, process.pid).filter(|stat| stat.started == process.started);
    let Some(own) = stat.filter(|_| boot(proc_root).as_deref() == Some(&process.boot)) else {
        return Standing::Gone;
    };
    let Some(pane) = Stat::read(proc_root, pane_pid) else { return Standing::Elsewhere };
    // A terminal has one foreground group; whoever belongs to the terminal tells which.
    let is_there = pane.terminal != 0 && own.terminal == pane.terminal && own.group == pane.foreground;
    if is_there { Standing::Foreground } else { Standing::Elsewhere }
}

fn boot(proc_root: &Path) -> Option<String> {
    let id = std::fs::read_to_string(proc_root.join("sys/kernel/random/boot_id")).ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The fields of `/proc/<pid>/stat` that we use.
struct Stat {
    group: i32,
    terminal: i64,
    foreground: i32,
    started: u64,
}

impl Stat {
    /// None where it ended, also where only its parent has not noticed yet.
    fn read(proc_root: &Path, pid: i32) -> Option<Self> {
        let text = std::fs::read(proc_root.join(pid.to_string()).join("stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name is in parentheses and may hold anything, also parentheses: the last one ends it.
        let (_, after) = text.rsplit_once(')')?;
        let mut fields = after.split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        let group = fields.nth(1)?.parse().ok()?;
        let terminal = fields.nth(1)?.parse().ok()?;
        let foreground = fields.next()?.parse().ok()?;
        let started = fields.nth(13)?.parse().ok()?;
        Some(Self { group, terminal, foreground, started })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct World(tempfile::TempDir);

    impl World {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join("sys/kernel/random")).unwrap();
            fs::write(root.path().join("sys/kernel/random/boot_id"), "this-boot\n").unwrap();
            Self(root)
        }

        fn process(&self, pid: i32, state: &str, group: i32, terminal: i32, foreground: i32, started: u64) {
            let directory = self.0.path().join(pid.to_string());
            fs::create_dir_all(&directory).unwrap();
            let stat = format!(
                "{pid} (odd) (name) {state} 1 {group} 9 {terminal} {foreground} 4194304 1 2 3 4 5 6 7 8 20 0 1 0 {started} 1 2\n"
            );
            fs::write(directory.join("stat"), stat).unwrap();
        }

        fn standing(&self, process: &Registered) -> Standing {
            standing(self.0.path(), process, 10)
        }
    }

    #[test]
    fn keys_reach_only_the_foreground_group_of_the_terminal() {
        let world = World::new();
        let agent = Registered { pid: 20, started: 500, boot: "this-boot".to_owned() };
        world.process(10, "S", 10, 34816, 20, 400);
        world.process(20, "S", 20, 34816, 20, 500);
        assert_eq!(world.standing(&agent), Standing::Foreground);
        world.process(20, "S", 20, 34817, 20, 500);
        assert_eq!(world.standing(&agent), Standing::Elsewhere, "another terminal");
        world.process(20, "S", 20, 34816, 20, 500);
        world.process(10, "S", 10, 34816, 10, 400);
        assert_eq!(world.standing(&agent), Standing::Elsewhere, "the shell has the keys");
        world.process(10, "S", 10, 0, 20, 400);
        assert_eq!(world.standing(&agent), Standing::Elsewhere, "no terminal");
    }

    #[test]
    fn another_process_with_the_number_is_not_it() {
        let world = World::new();
        let agent = Registered { pid: 20, started: 500, boot: "this-boot".to_owned() };
        world.process(10, "S", 10, 34816, 20, 400);
        assert_eq!(world.standing(&agent), Standing::Gone);
        world.process(20, "S", 20, 34816, 20, 501);
        assert_eq!(world.standing(&agent), Standing::Gone, "started later");
        world.process(20, "Z", 20, 34816, 20, 500);
        assert_eq!(world.standing(&agent), Standing::Gone, "ended");
        world.process(20, "S", 20, 34816, 20, 500);
        let earlier = Registered { boot: "another-boot".to_owned(), ..agent };
        assert_eq!(world.standing(&earlier), Standing::Gone, "another run of the machine");
    }

    #[test]
    fn this_process_is_itself() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(Registered::now(own).unwrap().is_alive());
    }
}
