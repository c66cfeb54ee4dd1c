//! The fields of one foreign record, read with goodwill: what is missing or of another kind is absent, never an error.

use interagent_core::event::Micros;
use jiff::tz::TimeZone;
use serde_json::Value;

/// The fields of one record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'v> {
    value: &'v Value,
    zone: &'v TimeZone,
}

impl<'v> Fields<'v> {
    /// Of a map; anything else has no fields.
    pub(super) fn of(value: &'v Value, zone: &'v TimeZone) -> Option<Self> {
        value.is_object().then_some(Self { value, zone })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'v Value> {
        self.value.get(name).filter(|value| !value.is_null())
    }

    /// A text that says something. Numbers and truth values are the word that was written.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        plain(self.get(name)?)
    }

    /// The first of several names under which a text is found.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        match self.get(name) {
            Some(Value::Array(items)) => items.iter().filter_map(plain).collect(),
            Some(value) => plain(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The records of a list.
    pub(super) fn records(&self, name: &str) -> Vec<Self> {
        match self.get(name) {
            Some(Value::Array(items)) => items.iter().filter_map(|item| Self::of(item, self.zone)).collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn record(&self, name: &str) -> Option<Self> {
        Self::of(self.get(name)?, self.zone)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(word)) => word.eq_ignore_ascii_case("true"),
            _ => false,
        }
    }

    pub(super) fn time(&self, name: &str) -> Option<Micros> {
        moment(&self.text(name)?, self.zone)
    }

    /// A word of one of our tables.
    pub(super) fn word<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }
}

fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// A moment as those systems write it: with its distance from UTC, or without, by the clock of that machine.
pub(super) fn moment(given: &str, zone: &TimeZone) -> Option<Micros> {
    let given = given.trim();
    if given.len() > 64 {
        return None;
    }
    if let Ok(moment) = given.parse::<jiff::Timestamp>() {
        return Some(moment.as_microsecond());
    }
    let civil = given.parse::<jiff::civil::DateTime>().ok()?;
    zone.to_timestamp(civil).ok().map(jiff::Timestamp::as_microsecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_with_and_without_a_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let cases = [
            ("1970-01-01T00:00:01Z", Some(1_000_000)),
            ("1970-01-01T00:00:01.5+00:00", Some(1_500_000)),
            ("1970-01-01T02:00:01", Some(1_000_000)),
            ("1970-01-01T02:00:01.000002", Some(1_000_002)),
            ("1970-01-01 02:00", Some(0)),
            ("1970-01-01", Some(-7_200_000_000)),
            ("yesterday", None),
            ("", None),
            ("9999999999999999999999", None),
        ];
        for (given, wanted) in cases {
            assert_eq!(moment(given, &zone), wanted, "{given}");
        }
    }

    #[test]
    fn what_is_of_another_kind_is_absent() {
        let value =
            serde_json::json!({"a": 5, "b": [], "c": "x", "d": ["p", 1, {}, " "], "e": null, "f": true});
        let zone = TimeZone::UTC;
        let fields = Fields::of(&value, &zone).unwrap();
        assert_eq!(fields.text("a").as_deref(), Some("5"));
        assert_eq!(fields.text("b"), None);
        assert_eq!(fields.list("c"), ["x"]);
        assert_eq!(fields.list("d"), ["p", "1"]);
        assert_eq!(fields.text("e"), None);
        assert!(fields.flag("f") && !fields.flag("c"));
        assert!(Fields::of(&serde_json::json!([]), &zone).is_none());
    }
}
