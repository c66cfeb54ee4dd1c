//! A clock that ran ahead: how that is seen once it is right again, and which entries no longer count then.
//!
//! Pure. See docs/decisions/0042-clocks.md.

use crate::event::Micros;
use crate::limits::FUTURE_HELD_US;

/// How far the newest entry of this replica is ahead of its clock, where that is so far that other clones defer it.
pub fn ahead(newest: Micros, now: Micros) -> Option<Micros> {
    Some(newest.saturating_sub(now)).filter(|ahead| *ahead > FUTURE_HELD_US)
}

/// Whether a correction at `corrected` overrules an earlier entry of its own replica at `at`: only what was from the future
/// then. What had counted anywhere with a right clock can't be overruled.
pub fn is_overruled(at: Micros, corrected: Micros) -> bool {
    at.saturating_sub(corrected) > FUTURE_HELD_US
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_other_clones_defer_is_ahead() {
        let now = 1_800_000_000_000_000;
        assert_eq!(ahead(now + FUTURE_HELD_US, now), None);
        assert_eq!(ahead(now + FUTURE_HELD_US + 1, now), Some(FUTURE_HELD_US + 1));
        assert_eq!(ahead(now - 1, now), None);
        assert_eq!(ahead(i64::MAX, i64::MIN), Some(i64::MAX));
    }

    #[test]
    fn correction_overrules_nothing_that_could_count() {
        let corrected = 1_800_000_000_000_000;
        assert!(!is_overruled(corrected - 1, corrected));
        assert!(!is_overruled(corrected + FUTURE_HELD_US, corrected));
        assert!(is_overruled(corrected + FUTURE_HELD_US + 1, corrected));
    }
}
