//! Observations: what this machine saw. Rows that are no events, never in git, untouched by a rebuild.

mod edits;
mod lease_clocks;
mod marks;
mod offers;
mod pairs;
mod panes;
mod sessions;
mod timers;
mod tokens;
mod trace;

pub use lease_clocks::LiveLease;
pub use offers::Offer;
pub use panes::{PaneOrigin, PaneRow};
pub use sessions::{Process, SessionRow, ToolsNote};
pub use timers::{Due as TimerDue, FirstDue, Timer};
pub use tokens::TokenRow;
pub use trace::TraceRow;

use crate::clock::Clock;

/// A moment that a step of the wall clock does not move: boot time on the same boot, wall time after a reboot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// Which run of the machine.
    pub boot: String,
    /// When, by that run's clock.
    pub due_boot: i64,
    /// When, by the wall clock; counts only after a reboot.
    pub due_wall: i64,
}

impl Deadline {
    /// So many seconds from now.
    pub fn after(clock: &dyn Clock, seconds: i64) -> Self {
        let span = seconds.saturating_mul(1_000_000);
        Self {
            boot: clock.boot_id().to_owned(),
            due_boot: clock.boot_us().saturating_add(span),
            due_wall: clock.wall_us().saturating_add(span),
        }
    }

    /// Whether it has come.
    pub fn is_over(&self, clock: &dyn Clock) -> bool {
        self.left_us(clock) <= 0
    }

    /// Microseconds until then; negative once it has come.
    pub fn left_us(&self, clock: &dyn Clock) -> i64 {
        if !self.boot.is_empty() && self.boot == clock.boot_id() {
            self.due_boot - clock.boot_us()
        } else {
            self.due_wall - clock.wall_us()
        }
    }
}
