//! YAML as a small tree in which everything knows its line.
//!
//! Owns what of YAML a report may use: maps, lists and scalars, a few levels deep. Anchors, aliases and tags are refused,
//! so no text grows while it is read.

use interagent_core::limits;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::BadReport;

/// A report has three levels; one more lets a wrong one be named by its field.
const DEEPEST: usize = 4;
/// Fields of one map: several times those a report has. Every name is compared with those before it.
const FIELDS: usize = 64;

/// A piece of YAML and the line where it begins.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    /// Nothing, as `null`, `~` or an empty place.
    Null,
    /// Without quotes: a word that may mean more than its letters.
    Plain(String),
    /// In quotes or in a block: exactly this text.
    Quoted(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

pub(super) fn bad(line: usize, sentence: impl Into<String>) -> BadReport {
    BadReport { sentence: sentence.into(), line: Some(line) }
}

/// The one document of a text.
pub(super) fn document(text: &str) -> Result<Node, BadReport> {
    if text.len() > limits::BODY_BYTES {
        let sentence = format!("it has {} bytes; at most {} are read", text.len(), limits::BODY_BYTES);
        return Err(BadReport { sentence, line: None });
    }
    let mut reader = Reader { parser: Parser::new_from_str(text) };
    let mut found = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, line) => {
                return found.ok_or_else(|| bad(line, "there is no report in this text"));
            }
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (_, line) if found.is_some() => {
                return Err(bad(line, "a second document begins; a report is one"));
            }
            (event, line) => found = Some(reader.node(event, line, 0)?),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, usize), BadReport> {
        let place = |(event, span): (Event<'t>, Span)| (event, span.start.line());
        let broken =
            |error: ScanError| bad(error.marker().line(), format!("it is not YAML: {}", error.info()));
        match self.parser.next_event() {
            Some(event) => event.map(place).map_err(broken),
            None => Ok((Event::StreamEnd, 0)),
        }
    }

    fn node(&mut self, event: Event<'t>, line: usize, depth: usize) -> Result<Node, BadReport> {
        if depth > DEEPEST {
            return Err(bad(line, "it is nested deeper than a report is"));
        }
        let value = match event {
            Event::Scalar(text, style, 0, None) => scalar(text.into_owned(), style),
            Event::SequenceStart(0, None) => self.list(depth)?,
            Event::MappingStart(0, None) => self.map(depth)?,
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(bad(line, "a report uses no anchors, aliases or tags"));
            }
            _ => return Err(bad(line, "something is missing here")),
        };
        Ok(Node { line, value })
    }

    fn list(&mut self, depth: usize) -> Result<Value, BadReport> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(items)),
                (event, line) => items.push(self.node(event, line, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, BadReport> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        loop {
            let (event, line) = self.next()?;
            let name = match event {
                Event::MappingEnd => return Ok(Value::Map(fields)),
                Event::Scalar(name, _, 0, None) => name.into_owned(),
                _ => return Err(bad(line, "the name of a field is a word")),
            };
            if fields.len() == FIELDS {
                return Err(bad(line, format!("there are more than {FIELDS} fields; a report has fewer")));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(bad(line, format!("`{name}` is there twice")));
            }
            let (event, below) = self.next()?;
            let mut node = self.node(event, below, depth + 1)?;
            // People look for the name of a field, not for the line its value begins in.
            node.line = line;
            fields.push((name, node));
        }
    }
}

fn scalar(text: String, style: ScalarStyle) -> Value {
    match (style, text.as_str()) {
        (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
        (ScalarStyle::Plain, _) => Value::Plain(text),
        _ => Value::Quoted(text),
    }
}
