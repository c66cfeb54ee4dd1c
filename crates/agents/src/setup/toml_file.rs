//! Changes of a TOML file: all that is not changed keeps its bytes.

use serde_json::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table};

use super::document::{EditError, Step, shown};

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Newline,
    /// As editors of one system write them. The library knows only the other, so they are put back at the end.
    CarriageReturn,
}

/// A TOML file that is being changed.
#[derive(Debug)]
pub(super) struct TomlDocument {
    document: DocumentMut,
    ends: Ends,
    /// The byte order mark, where the file begins with one.
    mark: &'static str,
    /// Whether the last line lacks its end. The library always writes one.
    is_open_ended: bool,
}

impl TomlDocument {
    pub(super) fn parse(text: &str) -> Result<Self, EditError> {
        let (mark, bare) = match text.strip_prefix('\u{feff}') {
            Some(bare) => ("\u{feff}", bare),
            None => ("", text),
        };
        let plain = bare.replace("\r\n", "\n");
        let is_crlf = plain.len() < bare.len() && plain.replace('\n', "\r\n") == bare;
        let (ends, mut plain) = match is_crlf {
            true => (Ends::CarriageReturn, plain),
            false => (Ends::Newline, bare.to_owned()),
        };
        let is_open_ended = !plain.is_empty() && !plain.ends_with('\n');
        if is_open_ended {
            plain.push('\n');
        }
        let malformed = |line: usize, why: String| EditError::Malformed { line, why };
        let document: DocumentMut = plain.parse().map_err(|error: toml_edit::TomlError| {
            let before = error.span().and_then(|span| plain.get(..span.start)).unwrap_or_default();
            malformed(before.matches('\n').count() + 1, error.message().replace('\n', ", "))
        })?;
        let read = Self { document, ends, mark, is_open_ended };
        if read.text() != text {
            return Err(malformed(1, "its lines end in two different ways".to_owned()));
        }
        Ok(read)
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.document.to_string();
        if self.is_open_ended && text.ends_with('\n') {
            text.pop();
        }
        match self.ends {
            Ends::Newline => format!("{}{text}", self.mark),
            Ends::CarriageReturn => format!("{}{}", self.mark, text.replace('\n', "\r\n")),
        }
    }

    pub(super) fn value(&self) -> Value {
        value_of(self.document.as_item())
    }

    pub(super) fn set(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        let Some((last, above)) = way.split_last() else { return Ok(()) };
        match last {
            Step::Key(key) => {
                let parent = self.made(above)?;
                let is_inline = parent.is_inline_table();
                let occupied = || EditError::Occupied { at: shown(above), wanted: "table" };
                let table = parent.as_table_like_mut().ok_or_else(occupied)?;
                let new = if is_inline { Item::Value(inline(value)) } else { item(value) };
                match (table.get_mut(key).and_then(Item::as_value_mut), new) {
                    // What is written around a value, a comment behind it above all, stays.
                    (Some(old), Item::Value(mut new)) => {
                        *new.decor_mut() = old.decor().clone();
                        *old = new;
                    }
                    (_, new) => {
                        table.insert(key, new);
                    }
                }
            }
            Step::Index(index) => match self.node(above) {
                Some(Item::ArrayOfTables(tables)) => {
                    if let (Some(place), Item::Table(mut new)) = (tables.get_mut(*index), item(value)) {
                        *new.decor_mut() = place.decor().clone();
                        new.set_position(place.position());
                        *place = new;
                    }
                }
                Some(Item::Value(toml_edit::Value::Array(items))) => {
                    if *index < items.len() {
                        items.replace(*index, inline(value));
                    }
                }
                _ => return Err(EditError::Occupied { at: shown(above), wanted: "list" }),
            },
        }
        Ok(())
    }

    pub(super) fn push(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        let occupied = || EditError::Occupied { at: shown(way), wanted: "list" };
        if let Some(found) = self.node(way) {
            match found {
                Item::ArrayOfTables(tables) => match item(value) {
                    Item::Table(table) => tables.push(table),
                    _ => return Err(occupied()),
                },
                Item::Value(toml_edit::Value::Array(items)) => items.push(inline(value)),
                _ => return Err(occupied()),
            }
            return Ok(());
        }
        let Some((Step::Key(key), above)) = way.split_last() else { return Err(occupied()) };
        let parent = self.made(above)?;
        let is_inline = parent.is_inline_table();
        let table = parent.as_table_like_mut().ok_or_else(occupied)?;
        let list = match item(value) {
            Item::Table(element) if !is_inline => {
                let mut tables = ArrayOfTables::new();
                tables.push(element);
                Item::ArrayOfTables(tables)
            }
            _ => Item::Value(Array::from_iter([inline(value)]).into()),
        };
        table.insert(key, list);
        Ok(())
    }

    pub(super) fn remove(&mut self, way: &[Step]) {
        let Some((last, above)) = way.split_last() else { return };
        match (last, self.node(above)) {
            (Step::Key(key), Some(parent)) => {
                if let Some(table) = parent.as_table_like_mut() {
                    table.remove(key);
                }
            }
            (Step::Index(index), Some(Item::ArrayOfTables(tables))) if *index < tables.len() => {
                tables.remove(*index);
            }
            (Step::Index(index), Some(Item::Value(toml_edit::Value::Array(items))))
                if *index < items.len() =>
            {
                items.remove(*index);
            }
            _ => {}
        }
    }

    fn node(&mut self, way: &[Step]) -> Option<&mut Item> {
        way.iter().try_fold(self.document.as_item_mut(), |item, step| match step {
            Step::Key(key) => item.as_table_like_mut()?.get_mut(key).filter(|item| !item.is_none()),
            // Nothing of ours is inside an element.
            Step::Index(_) => None,
        })
    }

    /// The table in a place; what is missing on the way is made.
    fn made(&mut self, way: &[Step]) -> Result<&mut Item, EditError> {
        let mut item = self.document.as_item_mut();
        for (done, step) in way.iter().enumerate() {
            let occupied = || EditError::Occupied { at: shown(&way[..=done]), wanted: "table" };
            let Step::Key(key) = step else { return Err(occupied()) };
            let is_inline = item.is_inline_table();
            let table = item.as_table_like_mut().ok_or_else(occupied)?;
            if !table.contains_key(key) {
                let new = if is_inline {
                    Item::Value(InlineTable::new().into())
                } else {
                    let mut table = Table::new();
                    // `[a.b]` alone makes `[a]`.
                    table.set_implicit(true);
                    Item::Table(table)
                };
                table.insert(key, new);
            }
            item = table.get_mut(key).filter(|item| item.is_table_like()).ok_or_else(occupied)?;
        }
        Ok(item)
    }
}

/// A value as it stands in a table: an object is a table of its own.
fn item(value: &Value) -> Item {
    match value {
        Value::Object(fields) => {
            let mut table = Table::new();
            for (key, value) in fields {
                table.insert(key, Item::Value(inline(value)));
            }
            Item::Table(table)
        }
        other => Item::Value(inline(other)),
    }
}

/// A value on one line.
fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(inline).collect::<Array>().into(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.as_str(), inline(value))).collect::<InlineTable>().into()
        }
        // TOML has no such thing, and no profile says it.
        Value::Null => "".into(),
    }
}

fn value_of(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect());
    }
    match item {
        Item::ArrayOfTables(tables) => {
            let object = |table: &Table| {
                Value::Object(table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect())
            };
            Value::Array(tables.iter().map(object).collect())
        }
        Item::Value(value) => plain(value),
        Item::None | Item::Table(_) => Value::Null,
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().clone().into(),
        toml_edit::Value::Integer(whole) => (*whole.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.to_owned(), plain(value))).collect())
        }
    }
}
