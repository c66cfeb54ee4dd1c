//! A YAML text as a tree of values that know where they are written.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};

use super::document::{EditError, Step};

/// Settings files have a handful of levels.
const DEEPEST: usize = 32;

/// One value and the bytes that it takes up.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Its first byte; where there is nothing, the place behind its key.
    pub(super) start: usize,
    /// Behind its last byte. Comments and blank lines that follow do not belong to it.
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// No value at all: an empty document, or a key alone.
    Nothing,
    Scalar(Value),
    Map {
        entries: Vec<Entry>,
        is_flow: bool,
    },
    List {
        items: Vec<Node>,
        is_flow: bool,
    },
}

/// One field of a mapping.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Where its key begins.
    pub(super) start: usize,
    /// Behind the colon.
    pub(super) colon: usize,
    pub(super) node: Node,
}

impl Node {
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Nothing => Value::Null,
            Kind::Scalar(value) => value.clone(),
            Kind::Map { entries, .. } => {
                let fields = entries.iter().map(|entry| (entry.key.clone(), entry.node.value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Kind::List { items, .. } => Value::Array(items.iter().map(Self::value).collect()),
        }
    }

    pub(super) fn at(&self, way: &[Step]) -> Option<&Self> {
        way.iter().try_fold(self, |node, step| match (&node.kind, step) {
            (Kind::Map { entries, .. }, Step::Key(key)) => {
                entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.node)
            }
            (Kind::List { items, .. }, Step::Index(index)) => items.get(*index),
            _ => None,
        })
    }

    /// The field that a way ends with.
    pub(super) fn entry(&self, way: &[Step]) -> Option<&Entry> {
        let (Step::Key(key), above) = way.split_last()? else { return None };
        let Kind::Map { entries, .. } = &self.at(above)?.kind else { return None };
        entries.iter().find(|entry| entry.key == *key)
    }

    pub(super) fn is_flow(&self) -> bool {
        matches!(self.kind, Kind::Map { is_flow: true, .. } | Kind::List { is_flow: true, .. })
    }

    /// Where each entry or element begins and ends.
    pub(super) fn spans(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Map { entries, .. } => entries.iter().map(|entry| (entry.start, entry.node.end)).collect(),
            Kind::List { items, .. } => items.iter().map(|item| (item.start, item.end)).collect(),
            Kind::Nothing | Kind::Scalar(_) => Vec::new(),
        }
    }
}

/// Reads a text that holds one document.
pub(super) fn parse(text: &str) -> Result<Node, EditError> {
    let starts: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
    let mut reader = Reader { parser: Parser::new_from_str(text), text, starts };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if root.is_some() => {
                return Err(EditError::Shape { why: "it holds several documents".to_owned() });
            }
            event => root = Some(reader.node(event, span, 0)?),
        }
    }
    Ok(root.unwrap_or(Node { kind: Kind::Nothing, start: text.len(), end: text.len() }))
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    text: &'t str,
    /// The byte at which each character begins: the parser counts characters.
    starts: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), EditError> {
        match self.parser.next_event() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => {
                Err(EditError::Malformed { line: error.marker().line(), why: error.info().to_owned() })
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn byte(&self, character: usize) -> usize {
        self.starts.get(character).copied().unwrap_or(self.text.len())
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, EditError> {
        if depth > DEEPEST {
            return Err(EditError::Shape { why: "it is nested too deep".to_owned() });
        }
        let (start, end) = (self.byte(span.start.index()), self.byte(span.end.index()));
        let is_flow = self.text[start..].starts_with(['{', '[']);
        match event {
            Event::Scalar(text, style, ..) => {
                let written = &self.text[start..end];
                let is_nothing = style == ScalarStyle::Plain && text.is_empty();
                let kind = if is_nothing { Kind::Nothing } else { Kind::Scalar(scalar(&text, style)) };
                Ok(Node { kind, start, end: start + written.trim_end().len() })
            }
            // Its value is elsewhere; here only its name matters.
            Event::Alias(id) => Ok(Node { kind: Kind::Scalar(Value::from(format!("*{id}"))), start, end }),
            Event::SequenceStart(..) => {
                let mut items: Vec<Node> = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, span) => {
                            let end = self.end_of(is_flow, span, start, items.last());
                            return Ok(Node { kind: Kind::List { items, is_flow }, start, end });
                        }
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut entries: Vec<Entry> = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    let key = match event {
                        Event::MappingEnd => {
                            let last = entries.last().map(|entry| &entry.node);
                            let end = self.end_of(is_flow, span, start, last);
                            return Ok(Node { kind: Kind::Map { entries, is_flow }, start, end });
                        }
                        Event::Scalar(key, ..) => key.into_owned(),
                        _ => return Err(EditError::Shape { why: "a key is not a word".to_owned() }),
                    };
                    let (key_start, key_end) = (self.byte(span.start.index()), self.byte(span.end.index()));
                    let (event, span) = self.next()?;
                    let mut node = self.node(event, span, depth + 1)?;
                    let colon = self.text[key_end..].find(':').map_or(key_end, |found| key_end + found + 1);
                    if matches!(node.kind, Kind::Nothing) {
                        // The parser says where it looked for the value; it would be behind the colon.
                        (node.start, node.end) = (colon, colon);
                    }
                    entries.push(Entry { key, start: key_start, colon, node });
                }
            }
            _ => Err(EditError::Shape { why: "something is missing in it".to_owned() }),
        }
    }

    /// A flow collection ends with its bracket, a block with its last value.
    fn end_of(&self, is_flow: bool, span: Span, start: usize, last: Option<&Node>) -> usize {
        match (is_flow, last) {
            (true, _) => self.byte(span.end.index()),
            (false, Some(last)) => last.end,
            (false, None) => start,
        }
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::from(text);
    }
    match text {
        "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => other.parse::<i64>().map_or_else(|_| Value::from(other), Value::from),
    }
}
