//! A YAML file in which single places are changed and every other byte stays: comments, order, quotes and indentation.
//!
//! Edits are splices of the text at the places that the parser reports. After each splice the text is parsed again and
//! compared with the value that was meant; a file whose layout defeats the splice is refused, never damaged.

use serde_json::{Map, Value};

use super::document::{EditError, Step, at, shown};
use super::yaml_tree::{Kind, Node, parse};

/// Indentation of what we add where the file shows none.
const INDENT: usize = 2;

/// A YAML file that is being changed.
#[derive(Debug)]
pub(super) struct YamlDocument {
    text: String,
    root: Node,
}

impl YamlDocument {
    pub(super) fn parse(text: &str) -> Result<Self, EditError> {
        let root = parse(text)?;
        if !matches!(root.kind, Kind::Map { .. } | Kind::Nothing) {
            return Err(EditError::Shape { why: "it holds no mapping".to_owned() });
        }
        Ok(Self { text: text.to_owned(), root })
    }

    pub(super) fn text(&self) -> String {
        self.text.clone()
    }

    pub(super) fn value(&self) -> Value {
        match self.root.kind {
            Kind::Nothing => Value::Object(Map::new()),
            _ => self.root.value(),
        }
    }

    pub(super) fn set(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        let mut meant = self.value();
        put(&mut meant, way, value);
        if at(&self.value(), way).is_some() {
            self.remove(way);
        }
        // What the way lacks is written together with the value.
        let there = (0..way.len()).rev().find(|length| self.root.at(&way[..*length]).is_some()).unwrap_or(0);
        let Some(Step::Key(key)) = way.get(there) else { return Err(occupied(way, "mapping")) };
        let nested = way[there + 1..].iter().rev().fold(value.clone(), |value, step| match step {
            Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), value)])),
            Step::Index(_) => Value::Array(vec![value]),
        });
        let entry = Value::Object(Map::from_iter([(key.clone(), nested)]));
        self.add(&way[..there], &entry)?;
        self.must_say(&meant)
    }

    pub(super) fn push(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        let list = match at(&self.value(), way) {
            None | Some(Value::Null) => return self.set(way, &Value::Array(vec![value.clone()])),
            Some(Value::Array(items)) => items.clone(),
            Some(_) => return Err(occupied(way, "list")),
        };
        let mut meant = self.value();
        let items = list.into_iter().chain([value.clone()]).collect();
        put(&mut meant, way, &Value::Array(items));
        self.add(way, &Value::Array(vec![value.clone()]))?;
        self.must_say(&meant)
    }

    /// Removes an entry or element with its lines. Where the splice would change anything else, nothing happens.
    pub(super) fn remove(&mut self, way: &[Step]) {
        let mut meant = self.value();
        take(&mut meant, way);
        if let Some(Ok(after)) = self.without(way).map(|text| Self::parse(&text))
            && after.value() == meant
        {
            *self = after;
        }
    }

    /// The text without an entry or element.
    fn without(&self, way: &[Step]) -> Option<String> {
        let (last, above) = way.split_last()?;
        let parent = self.root.at(above)?;
        let index = match (&parent.kind, last) {
            (Kind::Map { entries, .. }, Step::Key(key)) => {
                entries.iter().position(|entry| entry.key == *key)?
            }
            (Kind::List { .. }, Step::Index(index)) => *index,
            _ => return None,
        };
        let spans = parent.spans();
        let (start, end) = *spans.get(index)?;
        let mut text = self.text.clone();
        if parent.is_flow() {
            // With the comma behind it, or before it where it is the last one.
            let before = index.checked_sub(1).and_then(|before| spans.get(before));
            text.replace_range(
                match (spans.get(index + 1), before) {
                    (Some((next, _)), _) => start..*next,
                    (None, Some((_, before))) => *before..end,
                    (None, None) => start..end,
                },
                "",
            );
            return Some(text);
        }
        text.replace_range(self.line_start(start)..self.line_end(end), "");
        if spans.len() == 1 && !above.is_empty() {
            // A key alone would be null.
            let empty = if matches!(parent.kind, Kind::Map { .. }) { " {}" } else { " []" };
            text.insert_str(self.root.entry(above)?.colon, empty);
        }
        Some(text)
    }

    fn line_start(&self, place: usize) -> usize {
        self.text[..place].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Behind the line break of the line that holds a place.
    fn line_end(&self, place: usize) -> usize {
        self.text[place..].find('\n').map_or(self.text.len(), |newline| place + newline + 1)
    }

    /// Adds the one entry of a mapping, or the one element of a list, to the container in a place.
    fn add(&mut self, way: &[Step], piece: &Value) -> Result<(), EditError> {
        let wanted = if piece.is_object() { "mapping" } else { "list" };
        let node = self.root.at(way).ok_or_else(|| occupied(way, wanted))?;
        let fits = match node.kind {
            Kind::Map { .. } => piece.is_object(),
            Kind::List { .. } => piece.is_array(),
            Kind::Nothing => true,
            Kind::Scalar(_) => false,
        };
        if !fits {
            return Err(occupied(way, wanted));
        }
        let spans = node.spans();
        let mut text = self.text.clone();
        match (node.is_flow(), spans.last()) {
            (true, Some((_, end))) => {
                let inside = flow(piece);
                text.insert_str(*end, &format!(", {}", &inside[1..inside.len() - 1]));
            }
            (false, Some((_, end))) => {
                let column = self.column_of(node, spans[0].0);
                self.insert_lines(&mut text, *end, &block(piece, column));
            }
            // Empty: `{}`, `[]` or nothing, which a block takes the place of.
            (_, None) => {
                let column = self.column_below(way);
                if node.is_flow() {
                    let begin = self.text[..node.start].trim_end_matches(' ').len();
                    text.replace_range(begin..node.end, "");
                    self.insert_lines(&mut text, begin, &block(piece, column));
                } else {
                    let end = if way.is_empty() { self.text.len() } else { node.start };
                    self.insert_lines(&mut text, end, &block(piece, column));
                }
            }
        }
        *self = Self::parse(&text)?;
        Ok(())
    }

    /// Puts lines behind the line that holds a place.
    fn insert_lines(&self, text: &mut String, place: usize, lines: &str) {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines = lines.replace('\n', newline);
        let end = text[place..].find('\n').map(|found| place + found + 1);
        match end {
            Some(end) => text.insert_str(end, &lines),
            None if text.is_empty() || text.ends_with('\n') => text.push_str(&lines),
            None => {
                text.push_str(newline);
                text.push_str(&lines);
            }
        }
    }

    /// The column of a container's entries or dashes.
    fn column_of(&self, node: &Node, first: usize) -> usize {
        let line = self.line_start(first);
        match node.kind {
            Kind::List { .. } => self.text[line..].chars().take_while(|c| *c == ' ').count(),
            _ => self.text[line..first].chars().count(),
        }
    }

    /// The column for what is put below a key that has no block value yet.
    fn column_below(&self, way: &[Step]) -> usize {
        let below = |start: usize| self.text[self.line_start(start)..start].chars().count() + INDENT;
        self.root.entry(way).map_or(0, |entry| below(entry.start))
    }

    fn must_say(&self, meant: &Value) -> Result<(), EditError> {
        match self.value() == *meant {
            true => Ok(()),
            false => Err(EditError::Shape { why: "its layout can't be edited safely".to_owned() }),
        }
    }
}

fn occupied(way: &[Step], wanted: &'static str) -> EditError {
    EditError::Occupied { at: shown(way), wanted }
}

/// Has a place of a value say this.
fn put(value: &mut Value, way: &[Step], wanted: &Value) {
    match (way.split_first(), value) {
        (None, value) => *value = wanted.clone(),
        (Some((Step::Key(key), rest)), Value::Object(fields)) => {
            put(fields.entry(key.clone()).or_insert(Value::Null), rest, wanted);
        }
        (Some((Step::Index(index), rest)), Value::Array(items)) => {
            if let Some(item) = items.get_mut(*index) {
                put(item, rest, wanted);
            }
        }
        (Some((Step::Key(_), _)), value @ Value::Null) => {
            *value = Value::Object(Map::new());
            put(value, way, wanted);
        }
        _ => {}
    }
}

/// Takes a place out of a value.
fn take(value: &mut Value, way: &[Step]) {
    match (way, value) {
        ([Step::Key(key)], Value::Object(fields)) => drop(fields.remove(key)),
        ([Step::Index(index)], Value::Array(items)) if *index < items.len() => drop(items.remove(*index)),
        ([Step::Key(key), rest @ ..], Value::Object(fields)) => {
            if let Some(value) = fields.get_mut(key) {
                take(value, rest);
            }
        }
        ([Step::Index(index), rest @ ..], Value::Array(items)) => {
            if let Some(value) = items.get_mut(*index) {
                take(value, rest);
            }
        }
        _ => {}
    }
}

/// A value as lines at a column, each with its line break.
fn block(value: &Value, column: usize) -> String {
    let indent = " ".repeat(column);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let entry = |(key, value): (&String, &Value)| match value {
                Value::Object(fields) if !fields.is_empty() => {
                    format!("{indent}{}:\n{}", plain_or_quoted(key), block(value, column + INDENT))
                }
                Value::Array(items) if !items.is_empty() => {
                    format!("{indent}{}:\n{}", plain_or_quoted(key), block(value, column + INDENT))
                }
                value => format!("{indent}{}: {}\n", plain_or_quoted(key), flow(value)),
            };
            fields.iter().map(entry).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            let item = |value: &Value| match value {
                Value::Object(fields) if !fields.is_empty() => {
                    let lines = block(value, column + INDENT);
                    format!("{indent}- {}", &lines[column + INDENT..])
                }
                value => format!("{indent}- {}\n", flow(value)),
            };
            items.iter().map(item).collect()
        }
        value => format!("{indent}{}\n", flow(value)),
    }
}

/// A value on one line; JSON is YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => plain_or_quoted(text),
        other => other.to_string(),
    }
}

/// A word as it is where nothing in it means anything to YAML, otherwise in quotes.
fn plain_or_quoted(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let means_something = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    match is_plain && !means_something {
        true => text.to_owned(),
        false => Value::from(text).to_string(),
    }
}

#[cfg(test)]
#[path = "yaml_file/tests.rs"]
mod tests;
