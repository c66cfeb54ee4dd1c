//! Filling in the places of a template: a value of a profile with words in braces.

use serde_json::Value;

/// What stands in a place.
#[derive(Clone, Copy, Debug)]
pub enum Fill<'a> {
    /// A text, also as a part of a longer one.
    Text(&'a str),
    /// Several words: as many elements of the list the place stands in.
    Words(&'a [String]),
    /// A value of any kind; nothing takes the field away.
    Value(Option<&'a Value>),
}

/// The value with its places filled in. What is filled in is not looked at again.
pub fn fill(template: &Value, places: &[(&str, Fill<'_>)]) -> Value {
    match template {
        Value::String(text) => match whole(text, places) {
            Some(Fill::Value(Some(value))) => value.clone(),
            Some(Fill::Value(None)) => Value::Null,
            _ => Value::String(fill_text(text, places)),
        },
        Value::Array(items) => {
            let mut filled = Vec::with_capacity(items.len());
            for item in items {
                match item.as_str().and_then(|text| whole(text, places)) {
                    Some(Fill::Words(words)) => filled.extend(words.iter().cloned().map(Value::String)),
                    _ => filled.push(fill(item, places)),
                }
            }
            Value::Array(filled)
        }
        Value::Object(fields) => {
            let is_left_out = |value: &Value| {
                let place = value.as_str().and_then(|text| whole(text, places));
                matches!(place, Some(Fill::Value(None)))
            };
            let kept = fields.iter().filter(|(_, value)| !is_left_out(value));
            Value::Object(kept.map(|(key, value)| (key.clone(), fill(value, places))).collect())
        }
        other => other.clone(),
    }
}

/// Words with their places filled in, each as one word whatever it holds.
pub fn fill_words(template: &[String], places: &[(&str, Fill<'_>)]) -> Vec<String> {
    template.iter().map(|word| fill_text(word, places)).collect()
}

/// The text with its places filled in, in one pass.
pub(crate) fn fill_text(text: &str, places: &[(&str, Fill<'_>)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let place = places.iter().find_map(|(place, fill)| match fill {
            Fill::Text(with) if rest.starts_with(place) => Some((place.len(), *with)),
            _ => None,
        });
        let (length, with) = place.unwrap_or((1, "{"));
        filled.push_str(with);
        rest = &rest[length..];
    }
    filled.push_str(rest);
    filled
}

fn whole<'f>(text: &str, places: &[(&str, Fill<'f>)]) -> Option<Fill<'f>> {
    places.iter().find(|(place, _)| *place == text).map(|(_, fill)| *fill)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_filled_once() {
        let words = ["hook".to_owned(), "{binary}".to_owned()];
        let places = [
            ("{binary}", Fill::Text("/bin/x {words}")),
            ("{words}", Fill::Words(&words)),
            ("{env}", Fill::Value(None)),
        ];
        let template = json!({ "command": "{binary} -x {other}", "args": ["{words}", 1], "env": "{env}" });
        assert_eq!(
            fill(&template, &places),
            json!({ "command": "/bin/x {words} -x {other}", "args": ["hook", "{binary}", 1] })
        );
    }
}
