//! Time, as the store needs it: wall time for people, boot time for ages.
//!
//! Owns reading the clocks of the machine and a clock that tests move by hand. Does not decide what a time
//! means: order, ages and expiry belong to the rules.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clocks an operation may ask.
pub trait Clock: Send + Sync {
    /// Microseconds since 1970 by the wall clock, which people and programs may step.
    fn wall_us(&self) -> i64;
    /// Microseconds since the machine started, sleep included; never steps.
    fn boot_us(&self) -> i64;
    /// Names this run of the machine: `boot_us` of two readings compare only under the same id.
    /// Empty when unknown; then ages have to use the wall clock.
    fn boot_id(&self) -> &str;
    /// Whether a process of this run of the machine still runs. One of which nothing can be known does.
    fn is_running(&self, pid: i64, started: i64) -> bool {
        let _ = (pid, started);
        true
    }
}

/// The clocks of this machine.
///
/// On Linux: CLOCK_BOOTTIME and the kernel's boot id. Elsewhere `boot_us` is CLOCK_MONOTONIC (which may stand
/// still while the machine sleeps) and the boot id is empty.
#[derive(Debug, Default)]
pub struct SystemClock {
    boot_id: OnceLock<String>,
}

impl SystemClock {
    /// Reads nothing yet; the boot id is read when it is first asked for.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Clock for SystemClock {
    fn wall_us(&self) -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => micros(after),
            Err(before) => -micros(before.duration()),
        }
    }

    fn boot_us(&self) -> i64 {
        #[cfg(target_os = "linux")]
        let id = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let id = rustix::time::ClockId::Monotonic;
        let now = rustix::time::clock_gettime(id);
        now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
    }

    fn boot_id(&self) -> &str {
        self.boot_id.get_or_init(read_boot_id)
    }

    fn is_running(&self, pid: i64, started: i64) -> bool {
        let Some(number) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
            return true;
        };
        if rustix::process::test_kill_process(number) == Err(rustix::io::Errno::SRCH) {
            return false;
        }
        let Some(stat) = Stat::of(pid) else { return true };
        // The number may have a new owner; and whoever ended keeps it until its parent has noticed.
        stat.started == started && !stat.has_ended
    }
}

/// When a process started, in the kernel's ticks since boot; nothing where the kernel does not say so.
pub fn started(pid: i64) -> Option<i64> {
    Stat::of(pid).map(|stat| stat.started)
}

/// What the kernel says of a process.
struct Stat {
    /// In ticks since boot.
    started: i64,
    has_ended: bool,
}

impl Stat {
    /// Nothing where the kernel does not say so.
    fn of(pid: i64) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the program's name in parentheses and may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let has_ended = matches!(fields.next()?, "Z" | "X");
        Some(Self { started: fields.nth(18)?.parse().ok()?, has_ended })
    }
}

#[cfg(target_os = "linux")]
fn read_boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or_else(|_| String::new(), |id| id.trim().to_owned())
}

#[cfg(not(target_os = "linux"))]
fn read_boot_id() -> String {
    String::new()
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct ManualClock {
    wall_us: AtomicI64,
    boot_us: AtomicI64,
    boot_id: String,
}

impl ManualClock {
    /// A clock at the given wall time, one second after the machine started.
    #[must_use]
    pub fn new(wall_us: i64) -> Self {
        Self {
            wall_us: AtomicI64::new(wall_us),
            boot_us: AtomicI64::new(1_000_000),
            boot_id: "boot-1".to_owned(),
        }
    }

    /// Time passes: both clocks move.
    pub fn advance(&self, span: Duration) {
        self.wall_us.fetch_add(micros(span), Ordering::SeqCst);
        self.boot_us.fetch_add(micros(span), Ordering::SeqCst);
    }

    /// Somebody sets the wall clock: only that one moves, in either direction.
    pub fn step_wall(&self, by_us: i64) {
        self.wall_us.fetch_add(by_us, Ordering::SeqCst);
    }

    /// The machine starts anew: boot time begins again under another id.
    pub fn reboot(&mut self, boot_id: &str) {
        self.boot_us.store(0, Ordering::SeqCst);
        boot_id.clone_into(&mut self.boot_id);
    }
}

impl Clock for ManualClock {
    fn wall_us(&self) -> i64 {
        self.wall_us.load(Ordering::SeqCst)
    }

    fn boot_us(&self) -> i64 {
        self.boot_us.load(Ordering::SeqCst)
    }

    fn boot_id(&self) -> &str {
        &self.boot_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_of_this_machine_run() {
        let clock = SystemClock::new();
        let (wall, boot) = (clock.wall_us(), clock.boot_us());
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.boot_us() - boot >= 2_000);
        assert!(wall > 1_700_000_000_000_000, "microseconds since 1970");
        assert_eq!(clock.boot_id().is_empty(), cfg!(not(target_os = "linux")));
    }

    #[test]
    fn a_step_of_the_wall_clock_is_no_time_passing() {
        let mut clock = ManualClock::new(5_000_000);
        clock.advance(Duration::from_secs(1));
        clock.step_wall(-3_000_000);
        assert_eq!((clock.wall_us(), clock.boot_us()), (3_000_000, 2_000_000));
        clock.reboot("boot-2");
        assert_eq!((clock.wall_us(), clock.boot_us(), clock.boot_id()), (3_000_000, 0, "boot-2"));
    }
}
