//! Moments as the outside sees them: RFC 3339 in UTC, to the microsecond.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, in microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(moment) => write!(f, "{moment:.6}"),
            // A clock can be set anywhere; what no calendar holds is shown as the number it is.
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

impl std::str::FromStr for Time {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let bare = given.strip_suffix("us").and_then(|number| number.parse().ok());
        match bare {
            Some(micros) => Ok(Self(micros)),
            None => {
                given.parse::<jiff::Timestamp>().map(|moment| Self(moment.as_microsecond())).map_err(|_| {
                    format!(
                        "`{}` is not a time such as 2026-01-31T09:30:00Z",
                        given.chars().take(40).collect::<String>()
                    )
                })
            }
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Cow<'de, str>>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn times_survive_a_round_trip_also_where_no_calendar_reaches() {
        for micros in [0, 1_793_914_800_123_456, -1, i64::MAX, i64::MIN] {
            assert_eq!(Time(micros).to_string().parse(), Ok(Time(micros)), "{}", Time(micros));
        }
        assert_eq!(Time(1_793_914_800_000_000).to_string(), "2026-11-05T21:40:00.000000Z");
        assert!("yesterday".parse::<Time>().is_err());
    }
}
