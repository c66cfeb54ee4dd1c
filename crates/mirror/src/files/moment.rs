//! Moments in files: ISO 8601 as the original writes them, always in UTC and saying so.

use interagent_core::event::Micros;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `2026-01-31T09:30:00.000000+00:00`; what no calendar holds is shown as the number it is.
pub(super) fn iso(at: Micros) -> String {
    match Timestamp::from_microsecond(at) {
        Ok(moment) => format!("{}+00:00", format!("{moment:.6}").trim_end_matches('Z')),
        Err(_) => format!("{at}us"),
    }
}

/// `2026-01-31`
pub(super) fn day(at: Micros) -> String {
    iso(at).chars().take(10).collect()
}

/// `09:30`
pub(super) fn minute(at: Micros) -> String {
    iso(at).chars().skip(11).take(5).collect()
}

/// A month of the archive: its name, and where it begins and ends on the wall clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Month {
    pub(super) name: String,
    pub(super) from: Micros,
    pub(super) to: Micros,
}

impl Month {
    /// The month of a moment. What no calendar holds is kept together.
    pub(super) fn of(at: Micros) -> Self {
        Self::known(at).unwrap_or_else(|| Self { name: "0000-00".to_owned(), from: i64::MIN, to: i64::MAX })
    }

    fn known(at: Micros) -> Option<Self> {
        let date = Timestamp::from_microsecond(at).ok()?.to_zoned(TimeZone::UTC).date();
        let first = date.first_of_month();
        let begins =
            |date: jiff::civil::Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond());
        let next = date.last_of_month().tomorrow().ok()?;
        let name = format!("{:04}-{:02}", first.year(), first.month());
        Some(Self { name, from: begins(first)?, to: begins(next)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_by_every_iso_parser_and_months_have_ends() {
        assert_eq!(iso(1_793_914_800_123_456), "2026-11-05T21:40:00.123456+00:00");
        assert_eq!(iso(i64::MAX), format!("{}us", i64::MAX));
        let month = Month::of(1_793_914_800_123_456);
        assert_eq!(
            (month.name.as_str(), iso(month.from).as_str(), iso(month.to).as_str()),
            ("2026-11", "2026-11-01T00:00:00.000000+00:00", "2026-12-01T00:00:00.000000+00:00")
        );
        assert_eq!(Month::of(i64::MAX).name, "0000-00");
    }
}
