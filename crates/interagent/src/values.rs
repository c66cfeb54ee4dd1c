//! What people write on the command line for times, references and places in files.
//!
//! Owns the reading of these small values. The words of the closed vocabularies read themselves.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interagent_wire::Time;
use interagent_wire::request::RefParam;

const SECOND_US: i64 = 1_000_000;
/// Longest distance from now: a hundred years.
const LONGEST_S: i64 = 100 * 366 * 86_400;

/// Microseconds since 1970, now.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A moment as people write it: a time, or a distance from now whose direction the option knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    At(Time),
    Distance { length_us: i64 },
}

impl Moment {
    pub(crate) fn ahead(self) -> Time {
        match self {
            Self::At(time) => time,
            Self::Distance { length_us } => Time(now_us().saturating_add(length_us)),
        }
    }

    pub(crate) fn ago(self) -> Time {
        match self {
            Self::At(time) => time,
            Self::Distance { length_us } => Time(now_us().saturating_sub(length_us)),
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let length = given.strip_suffix(" ago").unwrap_or(given);
        if let Some(length) = distance_us(length) {
            let too_long =
                || format!("`{given}` leads out of the calendar: at most {} days", LONGEST_S / 86_400);
            return length.map(|length_us| Self::Distance { length_us }).ok_or_else(too_long);
        }
        let midnight = format!("{given}T00:00:00Z");
        given.parse().or_else(|_| midnight.parse()).map(Self::At).map_err(|_| {
            let shown: String = given.chars().take(40).collect();
            format!(
                "`{shown}` is neither a length such as 90s, 15m, 2h, 3d, 1w nor a time such as 2026-01-31 or 2026-01-31T09:30:00Z"
            )
        })
    }
}

/// Reads a length; one that is too long is none inside.
fn distance_us(given: &str) -> Option<Option<i64>> {
    let digits = given.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = given.split_at(digits);
    let seconds: i64 = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    if number.is_empty() {
        return None;
    }
    let length = number.parse::<i64>().ok().and_then(|number| number.checked_mul(seconds));
    Some(length.filter(|length| *length <= LONGEST_S).and_then(|length| length.checked_mul(SECOND_US)))
}

/// Longest length of time somebody waits for: a day.
const LONGEST_WAIT_S: u64 = 86_400;

/// Reads a length of time, such as 90s, 10m or 2h.
pub(crate) fn length(given: &str) -> Result<Duration, String> {
    let length =
        distance_us(given).flatten().and_then(|us| u64::try_from(us).ok()).map(Duration::from_micros);
    match length {
        Some(length) if !length.is_zero() && length.as_secs() <= LONGEST_WAIT_S => Ok(length),
        Some(_) => Err("it is at least 1s and at most 1d".to_owned()),
        None => Err("a length is written like 90s, 10m or 2h".to_owned()),
    }
}

/// Reads `src/main.rs`, `src/main.rs:10`, `src/main.rs:10-20`, `commit:ab12`, `task:task-7k3m` or an address.
pub(crate) fn reference(given: &str) -> Result<RefParam, String> {
    given.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_bounded() {
        assert_eq!(length("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(length("1d"), Ok(Duration::from_secs(86_400)));
        for wrong in ["0s", "2d", "10", "soon", "-1s", ""] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_day_and_a_length_ago_are_moments_and_a_length_out_of_the_calendar_is_none() {
        let day = "2026-01-31".parse::<Moment>().unwrap();
        assert_eq!(day, "2026-01-31T00:00:00Z".parse().unwrap());
        assert_eq!("2d ago".parse::<Moment>().unwrap(), "2d".parse().unwrap());
        for given in ["99999999d", "2026-02-31", "ago", "2 d ago"] {
            assert!(given.parse::<Moment>().is_err(), "{given}");
        }
    }

    #[test]
    fn moments_are_lengths_or_times() {
        let length = |given: &str| match given.parse() {
            Ok(Moment::Distance { length_us }) => Some(length_us / SECOND_US),
            _ => None,
        };
        assert_eq!(["90s", "15m", "2h", "3d", "1w"].map(length), [90, 900, 7200, 259_200, 604_800].map(Some));
        assert_eq!("2026-01-31T09:30:00Z".parse(), Ok(Moment::At(Time(1_769_851_800_000_000))));
        for wrong in [
            "",
            "5",
            "5y",
            "-5m",
            "soon",
            "99999999999999999999d",
            "9999999999999999d",
            "999999999d",
            "9223372036854775807s",
            "s",
        ] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
        assert!(
            Moment::Distance { length_us: i64::MAX }.ahead() > Moment::Distance { length_us: i64::MAX }.ago()
        );
    }

    #[test]
    fn references_know_lines_and_kinds() {
        let shown = |given: &str| {
            let RefParam { kind, target, first_line, last_line, .. } = reference(given).unwrap();
            format!("{kind} {target} {first_line:?} {last_line:?}")
        };
        insta::assert_snapshot!(
            ["src/a.rs", "src/a.rs:3", "src/a.rs:3-9", "a:b.rs", "file:x:1", "commit:ab12", "task:task-7k3m", "https://x.org:80/a"]
                .map(shown).join("\n"), @r"
        file src/a.rs None None
        file src/a.rs Some(3) Some(3)
        file src/a.rs Some(3) Some(9)
        file a:b.rs None None
        file x Some(1) Some(1)
        commit ab12 None None
        task task-7k3m None None
        url https://x.org:80/a None None
        ");
        for wrong in ["", "a.rs:0", "a.rs:9-3", ":3", "a\nb.rs"] {
            assert!(reference(wrong).is_err(), "{wrong:?}");
        }
    }
}
