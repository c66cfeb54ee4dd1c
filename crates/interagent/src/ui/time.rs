//! Times in words.
//!
//! Owns how a time is written for people. Times come as microseconds since 1970, as the log keeps them. The time zone
//! is looked up only by [`LocalZone`], because that costs more than the rest of a command.

use jiff::Timestamp;
use jiff::tz::TimeZone;

const SECOND_US: u64 = 1_000_000;
const MINUTE_US: u64 = 60 * SECOND_US;
const HOUR_US: u64 = 60 * MINUTE_US;
const DAY_US: u64 = 24 * HOUR_US;

/// How long before or after `now_us` something is: `3 min ago`, `in 2 h`, `just now`.
pub(crate) fn relative(now_us: i64, then_us: i64) -> String {
    let distance = span(now_us.abs_diff(then_us));
    match (distance.as_str(), then_us <= now_us) {
        ("0 s", _) => "just now".to_owned(),
        (distance, true) => format!("{distance} ago"),
        (distance, false) => format!("in {distance}"),
    }
}

/// A length of time in its largest whole unit: `45 s`, `3 min`, `2 h`, `5 d`.
pub(crate) fn span(length_us: u64) -> String {
    match length_us {
        0..MINUTE_US => format!("{} s", length_us / SECOND_US),
        MINUTE_US..HOUR_US => format!("{} min", length_us / MINUTE_US),
        HOUR_US..DAY_US => format!("{} h", length_us / HOUR_US),
        _ => format!("{} d", length_us / DAY_US),
    }
}

/// What is left of a time, never less than there is: `30 s`, `5 min` for the last of five minutes, `2 h`.
pub(crate) fn left(length_us: u64) -> String {
    match length_us {
        0..=MINUTE_US => format!("{} s", length_us.div_ceil(SECOND_US)),
        _ if length_us <= 2 * HOUR_US => format!("{} min", length_us.div_ceil(MINUTE_US)),
        _ => format!("{} h", length_us.div_ceil(HOUR_US)),
    }
}

/// The zone in which times are shown.
#[derive(Debug, Clone)]
pub(crate) struct LocalZone(TimeZone);

impl LocalZone {
    /// The zone of this machine, or of `TZ`.
    pub(crate) fn of_this_machine() -> Self {
        Self(TimeZone::system())
    }

    /// The zone itself.
    pub(crate) fn zone(&self) -> &TimeZone {
        &self.0
    }

    /// Date, time to the second and the distance from UTC: `2026-11-15 21:08:49 +01:00`.
    pub(crate) fn absolute(&self, at_us: i64) -> String {
        match Timestamp::from_microsecond(at_us) {
            Ok(at) => at.to_zoned(self.0.clone()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string(),
            // A clock can be wrong by any amount; the number still tells which of two was first.
            Err(_) => format!("{at_us} µs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_in_words() {
        let now = 1_800_000_000_000_000;
        let at = |seconds: i64| relative(now, now - seconds * 1_000_000);
        let words = [0, 1, 59, 60, 3599, 3600, 86_399, 86_400, 400 * 86_400, -30, -7200].map(at);
        insta::assert_snapshot!(words.join(" | "), @"just now | 1 s ago | 59 s ago | 1 min ago | 59 min ago | 1 h ago | 23 h ago | 1 d ago | 400 d ago | in 30 s | in 2 h");
        assert_eq!(relative(now, now + 10), "just now");
        assert_eq!(relative(i64::MIN, i64::MAX), "in 213503982 d");
    }

    #[test]
    fn what_is_left_is_rounded_up() {
        let seconds = [0, 1, 60, 61, 300, 3600, 7200, 7201, 86_400].map(|seconds| left(seconds * SECOND_US));
        insta::assert_snapshot!(seconds.join(" | "), @"0 s | 1 s | 60 s | 2 min | 5 min | 60 min | 120 min | 3 h | 24 h");
        assert_eq!((left(299_700_000), left(1)), ("5 min".to_owned(), "1 s".to_owned()));
    }

    #[test]
    fn absolute_times_carry_their_offset() {
        let zone = LocalZone(TimeZone::fixed(jiff::tz::offset(-5)));
        assert_eq!(zone.absolute(1_800_000_000_000_000), "2027-01-15 03:00:00 -05:00");
        assert_eq!(LocalZone(TimeZone::UTC).absolute(-1), "1969-12-31 23:59:59 +00:00");
        assert_eq!(zone.absolute(i64::MAX), "9223372036854775807 µs");
    }
}
