//! Takes typed values out of a TOML table and notes what is not as it should be.
//!
//! Knows TOML and places in the text, and nothing about teams.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::Found;
use super::parts::PartProblem;
use crate::name::{NameProblem, quoted};
use crate::nearest::nearest;
use crate::words::Word;

/// Where each key stands that was looked at.
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<String, usize>);

impl Places {
    /// The offset of a key, or of the nearest table around it, or of the file's beginning.
    pub(super) fn nearest(&self, key: &str) -> usize {
        let mut key = key;
        loop {
            if let Some(at) = self.0.get(key) {
                return *at;
            }
            match key.rfind('.') {
                Some(dot) => key = &key[..dot],
                None => return 0,
            }
        }
    }
}

/// What was found while reading.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) found: Vec<Found>,
    pub(super) places: Places,
}

impl Notes {
    pub(super) fn add(&mut self, at: usize, key: &str, problem: PartProblem) {
        let PartProblem { sentence, hint } = problem;
        self.found.push(Found { at, key: key.to_owned(), sentence, hint });
    }

    /// True if something about exactly this key could not be read.
    pub(super) fn failed(&self, key: &str) -> bool {
        self.found.iter().any(|found| found.key == key)
    }
}

/// One table of the file; a table that is not there reads as an empty one.
#[derive(Debug)]
pub(super) struct Section<'t, 'i> {
    pub(super) key: String,
    table: Option<&'t DeTable<'i>>,
}

impl<'t, 'i> Section<'t, 'i> {
    pub(super) fn root(table: &'t DeTable<'i>) -> Self {
        Self { key: String::new(), table: Some(table) }
    }

    pub(super) fn key_of(&self, field: &str) -> String {
        if self.key.is_empty() { field.to_owned() } else { format!("{}.{field}", self.key) }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&'t str, Range<usize>, &'t Spanned<DeValue<'i>>)> {
        self.table.into_iter().flatten().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Notes every key that means nothing here.
    pub(super) fn expect_only(&self, known: &[&'static str], notes: &mut Notes) {
        for (key, span, _) in self.entries().filter(|(key, ..)| !known.contains(key)) {
            let sentence = format!("{} is not a key that is known here.", quoted(key));
            let hint = match nearest(key, known.iter().copied()) {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => format!("Known are {}.", known.join(", ")),
            };
            let shown = self.key_of(quoted(key).trim_matches('`'));
            notes.add(span.start, &shown, PartProblem { sentence, hint: Some(hint) });
        }
    }

    /// A table inside of this one.
    pub(super) fn section(&self, field: &str, notes: &mut Notes) -> Section<'t, 'i> {
        let key = self.key_of(field);
        let table = self
            .entries()
            .find(|(name, ..)| *name == field)
            .and_then(|(_, span, value)| Section::table_at(&key, span, value, notes));
        Section { key, table }
    }

    /// The table behind a key that was already found.
    pub(super) fn table_at(
        key: &str,
        span: Range<usize>,
        value: &'t Spanned<DeValue<'i>>,
        notes: &mut Notes,
    ) -> Option<&'t DeTable<'i>> {
        notes.places.0.insert(key.to_owned(), span.start);
        if value.get_ref().as_table().is_none() {
            let problem = wrong_type(value.get_ref(), "a table", format_args!("[{key}]"));
            notes.add(value.span().start, key, problem);
        }
        value.get_ref().as_table()
    }

    pub(super) fn with(key: String, table: &'t DeTable<'i>) -> Self {
        Self { key, table: Some(table) }
    }

    fn value(&self, field: &str, notes: &mut Notes) -> Option<&'t Spanned<DeValue<'i>>> {
        let (_, _, value) = self.entries().find(|(name, ..)| *name == field)?;
        notes.places.0.insert(self.key_of(field), value.span().start);
        Some(value)
    }

    pub(super) fn flag(&self, field: &str, notes: &mut Notes) -> Option<bool> {
        self.take(field, notes, |value| {
            value.as_bool().ok_or_else(|| wrong_type(value, "true or false", format_args!("{field} = true")))
        })
    }

    pub(super) fn number(&self, field: &str, notes: &mut Notes) -> Option<u32> {
        self.take(field, notes, |value| {
            let number = value
                .as_integer()
                .ok_or_else(|| wrong_type(value, "a whole number", format_args!("{field} = 60")))?;
            u32::from_str_radix(number.as_str(), number.radix()).map_err(|_| PartProblem {
                sentence: match number.as_str().starts_with('-') {
                    true => "This number can't be below 0.".to_owned(),
                    false => "This number is too large.".to_owned(),
                },
                hint: None,
            })
        })
    }

    pub(super) fn text(&self, field: &str, notes: &mut Notes) -> Option<String> {
        self.parsed(field, notes, |text| Ok::<_, PartProblem>(text.to_owned()))
    }

    pub(super) fn word<W: Word>(&self, field: &str, notes: &mut Notes) -> Option<W> {
        self.parsed(field, notes, word)
    }

    /// A text with a meaning of its own, read by `parse`.
    pub(super) fn parsed<T, E: Into<PartProblem>>(
        &self,
        field: &str,
        notes: &mut Notes,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.take(field, notes, |value| {
            let text =
                value.as_str().ok_or_else(|| wrong_type(value, "text", format_args!("{field} = \"...\"")))?;
            parse(text).map_err(Into::into)
        })
    }

    /// A list of texts; each entry that is wrong is noted at its own place.
    pub(super) fn list<T: Ord, E: Into<PartProblem>, C: FromIterator<T>>(
        &self,
        field: &str,
        notes: &mut Notes,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<C> {
        let value = self.value(field, notes)?;
        let key = self.key_of(field);
        let Some(entries) = value.get_ref().as_array() else {
            notes.add(
                value.span().start,
                &key,
                wrong_type(value.get_ref(), "a list of texts", format_args!("{field} = [\"...\"]")),
            );
            return None;
        };
        let mut read = |(index, entry): (usize, &Spanned<DeValue<'_>>)| {
            let text = entry
                .get_ref()
                .as_str()
                .ok_or_else(|| wrong_type(entry.get_ref(), "text", format_args!("{field} = [\"...\"]")));
            let result = text.and_then(|text| parse(text).map_err(Into::into));
            result.map_err(|problem| notes.add(entry.span().start, &format!("{key}[{index}]"), problem)).ok()
        };
        Some(entries.iter().enumerate().filter_map(&mut read).collect())
    }

    fn take<T>(
        &self,
        field: &str,
        notes: &mut Notes,
        read: impl FnOnce(&DeValue<'i>) -> Result<T, PartProblem>,
    ) -> Option<T> {
        let value = self.value(field, notes)?;
        read(value.get_ref())
            .map_err(|problem| notes.add(value.span().start, &self.key_of(field), problem))
            .ok()
    }
}

/// Reads a word of a closed set.
pub(super) fn word<W: Word>(text: &str) -> Result<W, PartProblem> {
    W::from_word(text).ok_or_else(|| {
        let meant = nearest(text, W::ALL.iter().map(|word| word.as_str()));
        let hint = meant.map(|meant| format!("Did you mean `{meant}`?"));
        PartProblem { sentence: format!("{} is not one of {}.", quoted(text), W::list()), hint }
    })
}

fn wrong_type(value: &DeValue<'_>, wanted: &str, example: std::fmt::Arguments<'_>) -> PartProblem {
    let is = match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    let sentence = format!("This must be {wanted}, and it is {is}.");
    PartProblem { sentence, hint: Some(format!("It is written like this: {example}")) }
}

impl From<NameProblem> for PartProblem {
    fn from(problem: NameProblem) -> Self {
        Self { hint: problem.hint(), sentence: problem.sentence }
    }
}
